/* Runs whose every iteration is known, printed as programs print them and read back: the means between lines come out
   within what the printing rounds. */
#include "logs.h"

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

/* Of iterations from <= i < to. */
static double mean(const double *values, long from, long to)
{
    double sum = 0;
    for (long i = from; i < to; i++)
        sum += values[i];
    return sum / (double)(to - from);
}

/* A line after n iterations of the epoch. */
struct at {
    int epoch;
    long n;
    const double *data, *iter;
};

static double last_20(const double *values, long n)
{
    return mean(values, n > 20 ? n - 20 : 0, n);
}

static void print_imagenet(FILE *out, struct at at)
{
    fprintf(out, "Epoch: [%d][%4ld/%d]\tTime %6.3f (%6.3f)\tData %6.3f (%6.3f)\tLoss 7.0e+00 (7.0e+00)\n", at.epoch,
            at.n, LENGTH, at.iter[at.n - 1], mean(at.iter, 0, at.n), at.data[at.n - 1], mean(at.data, 0, at.n));
}

static void print_timm(FILE *out, struct at at)
{
    double time = mean(at.iter, 0, at.n);
    fprintf(out,
            "Train: %d [%4ld/%d (%3.0f%%)]  Loss: 6.93 (6.95)  Time: %.3fs, %7.2f/s  (%.3fs, %7.2f/s)  LR: 1.000e-05  "
            "Data: %.3f (%.3f)\n",
            at.epoch, at.n - 1, LENGTH, 100.0 * (double)at.n / LENGTH, at.iter[at.n - 1], 256 / at.iter[at.n - 1], time,
            256 / time, at.data[at.n - 1], mean(at.data, 0, at.n));
}

static void print_torchvision(FILE *out, struct at at)
{
    fprintf(out, "Epoch: [%d]  [%4ld/%d]  eta: 0:10:00  loss: 5.1 (5.4)  time: %.4f  data: %.4f  max mem: 3211\n",
            at.epoch, at.n - 1, LENGTH, last_20(at.iter, at.n), last_20(at.data, at.n));
}

static void print_mmcv(FILE *out, struct at at)
{
    fprintf(out,
            "2020-07-21 16:20:05,759 - mmdet - INFO - Epoch [%d][%ld/%d]\tlr: 0.02, eta: 1:00:00, time: %.3f, "
            "data_time: %.3f, memory: 2677, loss: 1.0\n",
            at.epoch + 1, at.n, LENGTH, mean(at.iter, at.n - 50, at.n), mean(at.data, at.n - 50, at.n));
}

static void print_maskrcnn(FILE *out, struct at at)
{
    fprintf(out, "eta: 1:00:00  iter: %ld  loss: 1.2 (1.5)  time: 0.2250 (%.4f)  data: 0.0002 (%.4f)  lr: 0.003\n",
            at.n, mean(at.iter, 0, at.n), mean(at.data, 0, at.n));
}

static void print_detectron2(FILE *out, struct at at)
{
    fprintf(out, " eta: 0:38:21  iter: %ld  total_loss: 1.28  time: %.4f  data_time: %.4f  lr: 0.007  max_mem: 3210M\n",
            at.n - 1, mean(at.iter, 2, at.n), last_20(at.data, at.n));
}

static void print_detectron2_json(FILE *out, struct at at)
{
    fprintf(out, "{\"data_time\": %.17g, \"iteration\": %ld, \"time\": %.17g}\n", at.data[at.n - 10], at.n - 1,
            at.iter[at.n - 10]);
}

static void print_mmengine_json(FILE *out, struct at at)
{
    fprintf(out, "{\"lr\": 0.1, \"data_time\": %.17g, \"time\": %.17g, \"epoch\": %d, \"iter\": %ld, \"step\": %ld}\n",
            mean(at.data, at.n - 100, at.n), mean(at.iter, at.n - 100, at.n), at.epoch + 1, at.n + at.epoch * LENGTH,
            at.n + at.epoch * LENGTH);
}

static void print_megatron(FILE *out, struct at at)
{
    fprintf(out,
            " iteration %8ld/  500000 | consumed samples: 2560 | elapsed time per iteration (ms): %.1f | lm loss: 1 |\n"
            "(min, max) time across ranks (ms):\n    batch-generator .....: (0.01, %.2f)\n",
            at.n, 1e3 * mean(at.iter, at.n - 100, at.n), 1e3 * mean(at.data, at.n - 100, at.n));
}

static const struct {
    const char *format;
    void (*print)(FILE *out, struct at at);
    long first, every, warm_up;
    double half; /* of the last digit */
    int epochs;
    bool running, data_running;
    bool picked; /* shows the 10th last for a median */
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

static char *print_run(const struct run *run, size_t program)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (int e = 0; e < programs[program].epochs; e++)
        for (long n = programs[program].first; n <= LENGTH; n += programs[program].every)
            programs[program].print(out, (struct at){e, n, run->data[e], run->iter[e]});
    fclose(out);
    return text;
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
    double want_data = programs[program].picked ? data[n - 10] : mean(data, from, n);
    double want_iter = programs[program].picked ? iter[n - 10] : mean(iter, timed, n);
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
        char *text = print_run(&run, i);
        struct dlq_error error;
        struct dlq_trace *trace = read_text((struct dlq_trace_options){0}, "a.log", text, &error);
        CHECK(trace != NULL, "%s: %s", programs[i].format, error.text);
        free(text);
        if (trace == NULL)
            continue;
        CHECK_TEXT(trace->format->name, programs[i].format);
        const struct dlq_rank *rank = &trace->ranks[0];
        size_t lines = (size_t)((LENGTH - programs[i].first) / programs[i].every + 1);
        CHECK_INT(rank->count, lines * (size_t)programs[i].epochs);
        for (size_t k = 0; k < rank->count; k++)
            check_window(&run, i, &rank->batches[k], (int)(k / lines),
                         programs[i].first + (long)(k % lines) * programs[i].every);
        dlq_trace_free(trace);
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
        char *text = print_run(&run, program);
        struct dlq_error error;
        struct dlq_trace *trace = read_text((struct dlq_trace_options){0}, "a.log", text, &error);
        free(text);
        if (trace == NULL)
            continue;
        struct log_sums sums = sums_of(trace);
        long last = LENGTH - (LENGTH - programs[program].first) % programs[program].every;
        for (int e = 0; e < programs[program].epochs; e++) {
            sums.data -= (double)last * mean(run.data[e], 0, last);
            sums.iter -= (double)last * mean(run.iter[e], 0, last);
        }
        double bound = 1.000001 * programs[program].half * (double)(last * programs[program].epochs);
        CHECK_ABS(sums.data, 0, bound);
        CHECK_ABS(sums.iter, 0, bound);
        dlq_trace_free(trace);
    }
}

static const struct test_case cases[] = {
    {"comes out within rounding", comes_out_within_rounding},
    {"keeps the sums", keeps_the_sums},
    {NULL, NULL},
};

const struct test_suite suite_windows = {"windows", cases};
