/* Runs whose every iteration is known, printed as programs print them and read back: the means between lines come out
   within what the printing rounds. */
#include "logs.h"
#include "printers.h"

enum { EPOCHS = 2, LENGTH = 1201 };

struct run {
    double data[EPOCHS][LENGTH], iter[EPOCHS][LENGTH];
};

/* Stalls of a loader now and then, a slow first batch in each epoch. */
static void make_run(struct run *run, unsigned long seed)
{
    for (int e = 0; e < EPOCHS; e++)
        for (int i = 0; i < LENGTH; i++) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            double u = (double)(seed >> 40) / (double)(1 << 24);
            run->data[e][i] = i == 0 ? 4.5 : i % 8 == 3 ? 0.8 * u : 0.0004 * u;
            run->iter[e][i] = run->data[e][i] + 0.2 + 0.05 * u;
        }
}

static const struct {
    const char *format;
    void (*print)(FILE *out, struct at at);
    long first, every, warm_up;
    double half; /* of the last digit */
    int epochs;
    bool running, data_running;
    bool median; /* of the last 20 */
} programs[] = {
    {"pytorch-imagenet", print_imagenet, 1, 10, 0, 5e-4, 2, true, true, false},
    {"pytorch-imagenet", print_imagenet, 1, 1, 0, 5e-4, 2, false, false, false},
    {"timm", print_timm, 1, 50, 0, 5e-4, 2, true, true, false},
    {"torchvision", print_torchvision, 1, 20, 0, 5e-5, 2, false, false, false},
    {"mmengine", print_mmcv, 50, 50, 0, 5e-4, 2, false, false, false},
    {"mmengine", print_mmengine_json, 100, 100, 0, 0, 2, false, false, false},
    {"maskrcnn-benchmark", print_maskrcnn, 20, 20, 0, 5e-5, 1, true, true, false},
    {"detectron2", print_detectron2, 20, 20, 2, 5e-5, 1, true, false, false},
    {"detectron2", print_detectron2_json, 20, 20, 0, 0, 1, false, false, true},
    {"megatron", print_megatron, 100, 100, 0, 5e-5, 1, false, false, false},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

/* What the program prints of it, read; `left` lines at the beginning of the log are missing. */
static struct dlq_trace *trace_of_run(const struct run *run, size_t program, long left)
{
    FREED char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (int e = 0; e < programs[program].epochs; e++)
        for (long n = programs[program].first; n <= LENGTH; n += programs[program].every)
            if (left-- <= 0)
                programs[program].print(out,
                                        (struct at){e, n, LENGTH, programs[program].every, run->data[e], run->iter[e]});
    fclose(out);
    struct dlq_trace *trace = good_trace("a.log", text);
    return trace;
}

static void check_window(const struct run *run, size_t program, const struct dlq_batch *batch, int epoch, long n)
{
    long from = n == programs[program].first ? 0 : n - programs[program].every;
    long timed = from == 0 ? programs[program].warm_up : from;
    double count = (double)(n - from);
    /* n2 avg2 - n1 avg1 over their distance, each mean off by half a digit. */
    double spread = programs[program].half * (double)(n + from) / count + 1e-12;
    double plain = programs[program].half + 1e-12;
    const double *data = run->data[epoch];
    const double *iter = run->iter[epoch];
    double want_data = programs[program].median ? median_20(data, n) : mean(data, from, n);
    double want_iter = programs[program].median ? median_20(iter, n) : mean(iter, timed, n);
    bool joined = batch->epoch == 2 && n == 100 && programs[program].half <= 0;
    CHECK(batch->count == n - from + (joined ? 1 : 0), "%s at %ld: %d iterations", programs[program].format, n,
          (int)batch->count);
    CHECK_ABS(batch->iter, want_iter, programs[program].running ? spread : plain);
    CHECK_ABS(batch->data, fmin(want_data, batch->iter), programs[program].data_running ? spread : plain);
}

static void comes_out_within_rounding(void)
{
    static struct run run;
    make_run(&run, 7);
    for (size_t i = 0; i < PROGRAMS; i++) {
        OWN_TRACE *trace = trace_of_run(&run, i, 0);
        CHECK_TEXT(trace->format->name, programs[i].format);
        const struct dlq_rank *rank = &trace->ranks[0];
        size_t lines = (size_t)((LENGTH - programs[i].first) / programs[i].every + 1);
        CHECK_INT(rank->count, lines * (size_t)programs[i].epochs);
        for (size_t k = 0; k < rank->count; k++)
            check_window(&run, i, &rank->batches[k], (int)(k / lines),
                         programs[i].first + (long)(k % lines) * programs[i].every);
    }
}

/* The sums over a log are as sure as its last running means, however rough the windows between: each is off by half a
   digit at most, times the iterations. */
static void keeps_the_sums(void)
{
    static const size_t running[] = {0, 2, 6};
    static struct run run;
    for (unsigned long seed = 11; seed < 41; seed++) {
        size_t program = running[seed % 3];
        make_run(&run, seed);
        OWN_TRACE *trace = trace_of_run(&run, program, 0);
        struct log_sums sums = sums_of(trace);
        long last = LENGTH - (LENGTH - programs[program].first) % programs[program].every;
        for (int e = 0; e < programs[program].epochs; e++) {
            sums.data -= (double)last * mean(run.data[e], 0, last);
            sums.iter -= (double)last * mean(run.iter[e], 0, last);
        }
        double bound = 1.000001 * programs[program].half * (double)(last * programs[program].epochs);
        CHECK_ABS(sums.data, 0, bound);
        CHECK_ABS(sums.iter, 0, bound);
    }
}

/* Without its beginning a log weighs its first line like the others, unless that shows the mean of all before. Later
   epochs begin as usual. */
static void begins_late(void)
{
    static struct run run;
    make_run(&run, 7);
    for (size_t i = 0; i < PROGRAMS; i++) {
        OWN_TRACE *trace = trace_of_run(&run, i, 5);
        const struct dlq_batch *batches = trace->ranks[0].batches;
        const long every = programs[i].every, first = programs[i].first + 5 * every;
        const bool all = programs[i].running || strcmp(programs[i].format, "pytorch-imagenet") == 0;
        CHECK_INT(batches[0].index, first - 1);
        CHECK(batches[0].count == (all ? first : every), "%s: %d iterations", programs[i].format, batches[0].count);
        CHECK_INT(batches[1].count, every);
        const size_t lines = (size_t)((LENGTH - programs[i].first) / every + 1) - 5;
        const bool joined = programs[i].half <= 0; /* as in check_window */
        if (programs[i].epochs > 1)
            CHECK_INT(batches[lines].count, programs[i].first + joined);
    }
}

TEST_SUITE(windows, CASE(begins_late), CASE(comes_out_within_rounding), CASE(keeps_the_sums));
