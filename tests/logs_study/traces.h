/* Traces for tests: recorded ones from files, and runs of loaders simulated by a loop of their own. */
#pragma once

#include "dlqueue/logs/fit.h"
#include "harness.h"
#include "logs/read/trace.h"

#include <stdlib.h>

POINTER_FREED(dlq_trace)
#define OWN_TRACE __attribute__((cleanup(dlq_trace_pointer_free))) struct dlq_trace

static const struct dlq_pipeline_hint no_hint = {NULL, -1, 0};

/* Reads a log into a trace, a new one where that is null, and closes it; else the test ends. The caller frees. */
static inline struct dlq_trace *trace_with(struct dlq_trace *trace, const char *name, FILE *stream)
{
    const struct dlq_trace_options options = {0};
    struct dlq_error error = {0};
    enum dlq_status status = trace != NULL ? DLQ_OK : dlq_trace_new(&trace, &options, &error);
    if (status == DLQ_OK)
        status = stream != NULL ? dlq_trace_read(trace, name, stream, &error) : DLQ_FAILURE;
    CHECK(status == DLQ_OK, "%s: %s", name, error.text);
    if (stream != NULL)
        fclose(stream);
    if (status != DLQ_OK)
        test_skip("no trace");
    return trace;
}

static inline struct dlq_trace *trace_of_path(const char *path)
{
    return trace_with(NULL, path, fopen(path, "r"));
}

static inline struct dlq_trace *trace_of_files(const char *const *names, size_t count)
{
    struct dlq_trace *trace = NULL;
    for (size_t i = 0; i < count; i++) {
        char path[512];
        snprintf(path, sizeof path, TEST_DATA "/torch/%s.csv", names[i]);
        trace = trace_with(trace, path, fopen(path, "r"));
    }
    return trace;
}

static inline struct dlq_trace *trace_of_file(const char *name)
{
    return trace_of_files(&name, 1);
}

/* Moves every epoch of a rank away from the one before, as if the training had paused for `pause` s between them. */
static inline void trace_pause(struct dlq_trace *trace, size_t rank, double pause)
{
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        struct dlq_batch *batch = &trace->ranks[rank].batches[i];
        double *const times[] = {&batch->dispatched, &batch->load_start, &batch->load_end,
                                 &batch->request,    &batch->received,   &batch->step_end};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            *times[k] += pause * (double)batch->epoch;
    }
}

/* Of a log that was written to a temporary file. */
static inline struct dlq_trace *trace_of(FILE *log)
{
    rewind(log);
    return trace_with(NULL, "test.csv", log);
}

static inline struct dlq_trace *trace_of_text(const char *text)
{
    FILE *log = tmpfile();
    fputs(text, log);
    return trace_of(log);
}

enum { MOST_ROWS = 1200, MOST_WORKERS = 16 };

struct row {
    long rank, epoch, index, worker;
    double dispatched, load_start, load_end, request, received, step_end;
};

/* S of a batch, of a draw from Exp(1); `busy` workers of the rank were loading when it began. */
typedef double load_law(long index, long worker, long busy, double draw);

/* A run of loaders: made by `simulate`, then perhaps spoiled by a test. In order of delivery. */
struct run {
    long workers, prefetch, batches, epochs; /* batches: of an epoch */
    bool by_completion;
    double dispatch, deliver, receive, startup, gap, step;
    load_law *load;
    long pause_every; /* batches; after each the step takes `pause` more */
    double pause;
    bool lock;  /* a batch is sent when its worker has no more to load */
    bool fetch; /* every third reception waits for the load under way on the next worker */
    unsigned seed;
    struct row rows[MOST_ROWS];
    long count;
};

/* From Exp(1), of a linear congruential generator (Knuth's MMIX constants). */
static inline double exponential(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return -log(((double)(*state >> 11) + 0.5) / 9007199254740992.0);
}

struct simulation {
    struct row batches[MOST_ROWS]; /* of the epoch, by index */
    double ready[MOST_ROWS];       /* when it can be received; NAN: taken */
    double free[MOST_WORKERS];
    long sent;
    unsigned long long state;
    long last[MOST_WORKERS]; /* the worker's batch before; -1 */
};

static inline void send(struct simulation *simulation, const struct run *run, long worker, double at)
{
    long i = simulation->sent++;
    struct row *row = &simulation->batches[i];
    double *until = &simulation->free[worker];
    long before = simulation->last[worker];
    double start = fmax(at + run->dispatch, before >= 0 ? *until + run->gap : *until);
    long busy = 0;
    for (long k = 0; k < i; k++)
        busy += simulation->batches[k].load_start <= start && simulation->batches[k].load_end > start ? 1 : 0;
    *row = (struct row){.index = i, .worker = worker, .dispatched = at, .load_start = start};
    row->load_end = start + run->load(i, worker, busy, exponential(&simulation->state));
    simulation->ready[i] = row->load_end + run->deliver;
    if (run->lock && before >= 0 && at <= *until && !isnan(simulation->ready[before]))
        simulation->ready[before] = row->load_end + run->deliver;
    *until = row->load_end;
    simulation->last[worker] = i;
}

static inline long next_taken(const struct simulation *simulation, const struct run *run, long taken)
{
    long first = -1;
    if (!run->by_completion)
        return taken;
    for (long i = 0; i < simulation->sent; i++)
        if (!isnan(simulation->ready[i]) && (first < 0 || simulation->ready[i] < simulation->ready[first]))
            first = i;
    return first;
}

/* The end of the load under way on the worker next to that of `row` when it is received; 0: none. */
static inline double under_way(const struct simulation *simulation, const struct run *run, const struct row *row)
{
    for (long i = 0; i < simulation->sent; i++) {
        const struct row *other = &simulation->batches[i];
        if (other->worker == (row->worker + 1) % run->workers && other->load_start < row->received &&
            other->load_end > row->received)
            return other->load_end;
    }
    return 0;
}

/* torch's discipline, by rounds of one delivery and one dispatch. With a lock, a batch must not be taken before it is
   known whether its worker goes on: the next one is sent at the delivery of one that was taken earlier. */
static inline double simulate_epoch(struct run *run, long epoch, double asked, unsigned long long *state)
{
    static struct simulation simulation;
    long window = run->workers * run->prefetch;
    simulation = (struct simulation){.state = *state};
    for (long w = 0; w < run->workers; w++) {
        simulation.free[w] = asked + run->startup + 0.001 * (double)w;
        simulation.last[w] = -1;
    }
    while (simulation.sent < window && simulation.sent < run->batches)
        send(&simulation, run, simulation.sent % run->workers, asked + run->startup - run->dispatch);
    for (long j = 0; j < run->batches; j++) {
        long i = next_taken(&simulation, run, j);
        struct row *row = &simulation.batches[i];
        row->epoch = epoch;
        row->request = asked;
        row->received = fmax(asked, simulation.ready[i]) + run->receive;
        if (run->fetch && i % 3 == 0)
            row->received = fmax(row->received, under_way(&simulation, run, row) + run->receive);
        row->step_end = asked =
            row->received + run->step + (run->pause_every > 0 && (j + 1) % run->pause_every == 0 ? run->pause : 0);
        simulation.ready[i] = NAN;
        run->rows[run->count++] = *row;
        if (simulation.sent < run->batches)
            send(&simulation, run, run->by_completion ? row->worker : simulation.sent % run->workers, row->received);
    }
    *state = simulation.state;
    return asked;
}

static inline void simulate(struct run *run)
{
    unsigned long long state = run->seed;
    double asked = 100;
    run->count = 0;
    for (long e = 0; e < (run->epochs > 0 ? run->epochs : 1); e++)
        asked = simulate_epoch(run, e, asked, &state);
}

/* 8 workers, 2 batches ahead each, 400 batches, the overheads of torch. */
static inline struct run usual_run(load_law *load, double step, unsigned seed)
{
    return (struct run){.workers = 8,
                        .prefetch = 2,
                        .batches = 400,
                        .dispatch = 0.0003,
                        .deliver = 0.001,
                        .receive = 0.0006,
                        .gap = 0.0003,
                        .step = step,
                        .load = load,
                        .seed = seed};
}

/* The six points in time of a row. */
enum { ROW_TIMES = 6 };
static inline double *row_time(struct row *row, size_t i)
{
    double *const times[ROW_TIMES] = {&row->dispatched, &row->load_start, &row->load_end,
                                      &row->request,    &row->received,   &row->step_end};
    return times[i];
}

/* Which columns a log has. */
enum { NO_DISPATCHED = 1, NO_WORKER = 2, NO_STARTS = 4, NO_REQUEST = 8, NO_INDEX = 16, NO_EPOCH = 32 };

static inline struct dlq_trace *trace_of_run(const struct run *run, int without)
{
    FILE *log = tmpfile();
    fprintf(log, "%s%s%s%s%s%sreceived,step_end,rank\n", without & NO_EPOCH ? "" : "epoch,",
            without & NO_INDEX ? "" : "index,", without & NO_WORKER ? "" : "worker,",
            without & NO_DISPATCHED ? "" : "dispatched,", without & NO_STARTS ? "load_time," : "load_start,load_end,",
            without & NO_REQUEST ? "" : "request,");
    for (long i = 0; i < run->count; i++) {
        const struct row *row = &run->rows[i];
        const double times[] = {row->dispatched, row->load_start, row->load_end, row->request};
        const long numbers[] = {row->epoch, row->index, row->worker};
        static const int numbered[] = {NO_EPOCH, NO_INDEX, NO_WORKER};
        static const int timed[] = {NO_DISPATCHED, NO_STARTS, NO_STARTS, NO_REQUEST};
        for (size_t k = 0; k < 3; k++)
            if (!(without & numbered[k]))
                fprintf(log, "%ld,", numbers[k]);
        for (size_t k = 0; k < 4; k++)
            if (!(without & timed[k]))
                fprintf(log, "%.7f,", times[k]);
            else if (k == 1)
                fprintf(log, "%.7f,", row->load_end - row->load_start);
        fprintf(log, "%.7f,%.7f,%ld\n", row->received, row->step_end, row->rank);
    }
    return trace_of(log);
}

static const struct dlq_fit_change unchanged = {.has_loaders = false};

/* The fit of a trace, which is freed. */
static inline struct dlq_fit fit_of(struct dlq_trace *trace, struct dlq_pipeline_hint hint,
                                    struct dlq_fit_change change)
{
    static const struct dlq_run run = {.threads = 1, .seed = 1, .has_seed = true};
    const struct dlq_fit_options options = {.hint = hint, .change = change};
    struct dlq_error error = {0};
    struct dlq_fit fit = {0};
    CHECK(trace != NULL && dlq_fit(trace, &options, &run, &fit, &error) == DLQ_OK, "%s", error.text);
    dlq_trace_free(trace);
    return fit;
}

/* What a replay says of it; the trace is freed. */
static inline enum dlq_status replay_trace(struct dlq_trace *trace, struct dlq_pipeline_hint hint,
                                           struct dlq_replay *replay, struct dlq_error *error)
{
    enum dlq_status status = trace != NULL ? dlq_replay(trace, &hint, replay, error) : DLQ_FAILURE;
    dlq_trace_free(trace);
    return status;
}

/* Of one that can be replayed. */
static inline struct dlq_replay replay_of(struct dlq_trace *trace, struct dlq_pipeline_hint hint, const char *name)
{
    struct dlq_error error = {0};
    struct dlq_replay replay = {0};
    CHECK(replay_trace(trace, hint, &replay, &error) == DLQ_OK, "%s: %s", name, error.text);
    return replay;
}

static inline bool gives_reason(const struct dlq_replay *replay, enum dlq_reason_cause cause)
{
    for (size_t i = 0; i < replay->reason_count; i++)
        if (replay->reasons[i].cause == cause)
            return true;
    return false;
}

static inline void check_no_reason(const struct dlq_replay *replay, const char *name)
{
    for (size_t i = 0; i < replay->reason_count; i++)
        CHECK(false, "%s: cause %d", name, (int)replay->reasons[i].cause);
}

/* A law of loads, s: an expression of these. */
#define LAW(name, time)                                                                                                \
    static inline double name(long index, long worker, long busy, double draw)                                         \
    {                                                                                                                  \
        (void)index, (void)worker, (void)busy, (void)draw;                                                             \
        return (time);                                                                                                 \
    }

LAW(law_constant, 0.1)
LAW(law_exponential, 0.1 * draw)
/* The sum of a constant and an exponential: cv 0.5. */
LAW(law_mild, 0.05 + 0.05 * draw)
