/* Traces for tests: recorded ones from files, and runs of loaders simulated by a loop of their own. */
#ifndef TESTS_STUDY_TRACES_H
#define TESTS_STUDY_TRACES_H

#include "dlqueue/replay.h"
#include "harness.h"

#include <stdlib.h>

static const struct dlq_pipeline_hint no_hint = {NULL, -1, 0};

/* Null, and a failed check, where it can't be read. The caller frees. */
static inline struct dlq_trace *trace_of_files(const char *const *names, size_t count)
{
    struct dlq_trace_options options = {.format = "csv"};
    struct dlq_error error = {0};
    struct dlq_trace *trace = NULL;
    enum dlq_status status = dlq_trace_new(&trace, &options, &error);
    for (size_t i = 0; i < count && status == DLQ_OK; i++) {
        char path[512];
        snprintf(path, sizeof path, TEST_DATA "/torch/%s.csv", names[i]);
        FILE *stream = fopen(path, "r");
        CHECK(stream != NULL, "%s", path);
        status = stream != NULL ? dlq_trace_read(trace, path, stream, &error) : DLQ_FAILURE;
        if (stream != NULL)
            fclose(stream);
    }
    CHECK(status == DLQ_OK, "%s", error.text);
    if (status == DLQ_OK)
        return trace;
    dlq_trace_free(trace);
    return NULL;
}

static inline struct dlq_trace *trace_of_file(const char *name)
{
    return trace_of_files(&name, 1);
}

/* From the text of a log; null, and a failed check, where it can't be read. */
static inline struct dlq_trace *trace_of_text(const char *text)
{
    struct dlq_trace_options options = {.format = "csv"};
    struct dlq_error error = {0};
    struct dlq_trace *trace = NULL;
    FILE *stream = tmpfile();
    CHECK(stream != NULL, "no file");
    if (stream == NULL)
        return NULL;
    fputs(text, stream);
    rewind(stream);
    enum dlq_status status = dlq_trace_new(&trace, &options, &error);
    if (status == DLQ_OK)
        status = dlq_trace_read(trace, "test.csv", stream, &error);
    fclose(stream);
    CHECK(status == DLQ_OK, "%s", error.text);
    if (status == DLQ_OK)
        return trace;
    dlq_trace_free(trace);
    return NULL;
}

enum { MOST_ROWS = 1200, MOST_WORKERS = 16 };

struct row {
    long rank, epoch, index, worker;
    double dispatched, load_start, load_end, request, received, step_end;
};

/* A run of loaders: made by `simulate`, then perhaps spoiled by a test. In order of delivery. */
struct run {
    long workers, prefetch, batches, epochs; /* batches: of an epoch */
    bool by_completion;
    double dispatch, deliver, receive, startup, gap, step;
    /* S of a batch; `busy` workers of the rank were loading when it began. */
    double (*load)(long index, long worker, long busy, double draw);
    long pause_every; /* batches; after each the step takes `pause` more */
    double pause;
    bool lock;  /* a batch is sent when its worker has no more to load */
    bool fetch; /* every third reception waits for the load under way on the next worker */
    unsigned seed;
    struct row rows[MOST_ROWS];
    long count;
};

/* Uniform in (0, 1): a linear congruential generator (Knuth's MMIX constants). */
static inline double uniform(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static inline double exponential(unsigned long long *state)
{
    return -log(uniform(state));
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

/* Which columns a log has. */
enum { NO_DISPATCHED = 1, NO_WORKER = 2, NO_STARTS = 4, NO_REQUEST = 8, NO_INDEX = 16, NO_EPOCH = 32 };

static inline char *text_of(const struct run *run, int without)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    CHECK(stream != NULL, "no memory");
    if (stream == NULL)
        return NULL;
    fprintf(stream, "%s%s%s%s%s%sreceived,step_end,rank\n", without & NO_EPOCH ? "" : "epoch,",
            without & NO_INDEX ? "" : "index,", without & NO_WORKER ? "" : "worker,",
            without & NO_DISPATCHED ? "" : "dispatched,", without & NO_STARTS ? "load_time," : "load_start,load_end,",
            without & NO_REQUEST ? "" : "request,");
    for (long i = 0; i < run->count; i++) {
        const struct row *row = &run->rows[i];
        if (!(without & NO_EPOCH))
            fprintf(stream, "%ld,", row->epoch);
        if (!(without & NO_INDEX))
            fprintf(stream, "%ld,", row->index);
        if (!(without & NO_WORKER))
            fprintf(stream, "%ld,", row->worker);
        if (!(without & NO_DISPATCHED))
            fprintf(stream, "%.7f,", row->dispatched);
        if (without & NO_STARTS)
            fprintf(stream, "%.7f,", row->load_end - row->load_start);
        else
            fprintf(stream, "%.7f,%.7f,", row->load_start, row->load_end);
        if (!(without & NO_REQUEST))
            fprintf(stream, "%.7f,", row->request);
        fprintf(stream, "%.7f,%.7f,%ld\n", row->received, row->step_end, row->rank);
    }
    fclose(stream);
    return text;
}

static inline struct dlq_trace *trace_of_run(const struct run *run, int without)
{
    char *text = text_of(run, without);
    struct dlq_trace *trace = text != NULL ? trace_of_text(text) : NULL;
    free(text);
    return trace;
}

/* What a replay says of it; the trace is freed. */
static inline enum dlq_status replay_trace(struct dlq_trace *trace, struct dlq_pipeline_hint hint,
                                           struct dlq_replay *replay, struct dlq_error *error)
{
    enum dlq_status status = trace != NULL ? dlq_replay(trace, &hint, replay, error) : DLQ_FAILURE;
    dlq_trace_free(trace);
    return status;
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

/* Laws of loads, s. */
static inline double law_constant(long index, long worker, long busy, double draw)
{
    (void)index, (void)worker, (void)busy, (void)draw;
    return 0.1;
}

static inline double law_exponential(long index, long worker, long busy, double draw)
{
    (void)index, (void)worker, (void)busy;
    return 0.1 * draw;
}

/* The sum of a constant and an exponential: cv 0.5. */
static inline double law_mild(long index, long worker, long busy, double draw)
{
    (void)index, (void)worker, (void)busy;
    return 0.05 + 0.05 * draw;
}

#endif
