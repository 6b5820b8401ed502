/* Replays: the recursion of the simulation, run on measured load and step times instead of random draws. */
#include "logs/study/replay/replay.h"
#include "sim/recursion.h"

#include <gsl/gsl_sort.h>
#include <stdlib.h>
#include <string.h>

/* The inputs of a replay, which are measured, and its results, s. */
struct replayed {
    double *loads;                /* rank r's k-th dispatched: loads[r * batches + k] */
    double *steps;                /* of each j: from the last reception of the ranks to the next request */
    double *phases;               /* [r * servers + w]: from the start of an epoch to the first load of server w */
    double *delivered, *finished; /* of each j: when the last rank has its batch, and the end of the step */
};

static struct dlq_recursion_pipeline pipeline_of(const struct dlq_measured_run *measured,
                                                 const struct dlq_measured_overheads *overheads)
{
    struct dlq_recursion_pipeline pipeline = {.loader = measured->loader,
                                              .loaders = measured->loaders,
                                              .prefetch = measured->prefetch,
                                              .ranks = (long)measured->ranks,
                                              .dispatch = overheads->dispatch,
                                              .deliver = overheads->deliver,
                                              .receive = overheads->receive,
                                              .barrier = overheads->barrier};
    dlq_recursion_complete(&pipeline);
    /* A window need not be longer than the run; it stays a multiple of the servers, which have equal parts of it. */
    long most = ((long)measured->batches / pipeline.servers + 1) * pipeline.servers;
    if (pipeline.window > most)
        pipeline.window = most;
    return pipeline;
}

/* Replays loaders that own their batches and deliver in order of completion, by the recorded order of delivery: the
   order of two loads that end almost together is chance, and a replay with another order would diverge from the run.
   deliveries: a ring buffer for each worker, of the times at which its last `window` batches were delivered. at_once:
   workers start at the start of an epoch, not when they did in the record. */
static enum dlq_status run_owners(struct dlq_arena *arena, struct replayed *replayed,
                                  const struct dlq_measured_run *measured,
                                  const struct dlq_measured_overheads *overheads, bool at_once)
{
    size_t servers = measured->ranks * (size_t)measured->workers, *counts;
    size_t prefetch = (size_t)measured->prefetch, window = prefetch < measured->batches ? prefetch : measured->batches;
    double now = 0, *ends, *deliveries;
    NEW(arena, ends, servers);
    NEW(arena, deliveries, servers * window);
    NEW(arena, counts, servers);
    for (size_t e = 0; e < measured->epochs && window > 0; e++) {
        double ready = now, requested = dlq_measured_requested(measured, measured->begins[e]);
        memset(counts, 0, servers * sizeof *counts);
        for (size_t j = measured->begins[e]; j < measured->begins[e + 1]; j++) {
            double last = now;
            for (size_t r = 0; r < measured->ranks; r++) {
                size_t place = r * measured->batches + measured->delivered[r * measured->batches + j];
                size_t server = r * (size_t)measured->workers + measured->worker[place], count = counts[server]++;
                double *delivery = &deliveries[server * window + count % window], begin;
                if (count == 0)
                    begin = ready + (at_once ? overheads->dispatch : measured->sent[place].load_start - requested);
                else
                    begin = fmax(ends[server], count < window ? -INFINITY : *delivery + overheads->dispatch);
                ends[server] = begin + replayed->loads[place];
                *delivery = fmax(now, ends[server] + overheads->deliver) + overheads->receive;
                last = fmax(last, *delivery);
            }
            replayed->delivered[j] = last + overheads->barrier;
            now = replayed->finished[j] = replayed->delivered[j] + replayed->steps[j];
        }
    }
    return DLQ_OK;
}

/* Runs the recursion from time 0, the first request. Workers start when they did in the record; with `pure`, or where
   that is unknown, at the first request of an epoch. Between two loads a busy worker has a gap, which the recursion
   does not know: except with `pure`, the gap counts as a part of the next load. */
static enum dlq_status run_recursion(struct dlq_arena *arena, struct replayed *replayed,
                                     const struct dlq_measured_run *measured,
                                     const struct dlq_measured_overheads *overheads, bool pure)
{
    bool gaps = !pure && measured->has_starts, at_once = !gaps || measured->loaders == 0;
    double other_work = measured->loaders == 0 ? overheads->receive : 0; /* of a trainer that loads for itself */
    for (size_t i = 0; i < measured->ranks * measured->batches; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        double credit = measured->credit[i], before = measured->before[i];
        double sent = isfinite(credit) ? credit : batch->dispatched; /* without a credit, the recorded dispatch */
        bool idle = isfinite(sent) && sent + overheads->dispatch >= before;
        replayed->loads[i] =
            fmax(0, batch->load + (gaps && !idle ? fmax(0, batch->load_start - before) : 0)) + other_work;
    }
    if (measured->loader->order == DLQ_ORDER_COMPLETION && measured->loader->assign == DLQ_ASSIGN_OWNER &&
        measured->workers > 0 && measured->prefetch > 0)
        return run_owners(arena, replayed, measured, overheads, at_once);
    const struct dlq_recursion_pipeline pipeline = pipeline_of(measured, overheads);
    struct dlq_recursion *recursion = dlq_recursion_new(&pipeline);
    if (recursion == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    dlq_recursion_reset(recursion, pipeline.receive);
    for (size_t e = 0; e < measured->epochs; e++) {
        size_t begin = measured->begins[e];
        size_t n = measured->begins[e + 1] - begin;
        double ready = begin == 0 ? 0 : replayed->finished[begin - 1];
        /* Workers start one by one, as recorded; the first load of all starts at ready + dispatch, which may lie before
           the first request of the epoch. */
        double first = INFINITY;
        size_t servers = (size_t)measured->servers, started = n < servers ? n : servers;
        for (size_t r = 0; r < measured->ranks; r++)
            for (size_t w = 0; w < started; w++)
                first = fmin(first, measured->sent[r * measured->batches + begin + w].load_start);
        for (size_t r = 0; r < measured->ranks; r++)
            for (size_t w = 0; w < started; w++)
                replayed->phases[r * servers + w] =
                    measured->sent[r * measured->batches + begin + w].load_start - first + overheads->dispatch;
        if (!at_once)
            ready += first - overheads->dispatch - dlq_measured_requested(measured, begin);
        dlq_recursion_epoch(recursion, ready, at_once ? NULL : replayed->phases, (long)n);
        dlq_recursion_advance(recursion, replayed->loads + begin, measured->batches, replayed->steps + begin, n,
                              replayed->delivered + begin, replayed->finished + begin);
    }
    dlq_recursion_free(recursion);
    return DLQ_OK;
}

/* Fills mean and 99 % quantile of the waits (sorts them); returns the rate, batches/s, over `seconds` from the first
   request to the end of the last step. */
static double summarize_waits(double *waits, size_t n, double seconds, double *mean, double *p99)
{
    *mean = dlq_mean_of(waits, n);
    *p99 = dlq_quantile(waits, n, 0.99);
    return seconds > 0 ? (double)n / seconds : NAN;
}

/* Allocates a replay, and fills its steps, which include all other work of the trainer. */
static enum dlq_status prepare_replay(struct dlq_arena *arena, struct replayed *replayed,
                                      const struct dlq_measured_run *measured)
{
    const size_t batches = measured->batches;
    NEW(arena, replayed->loads, batches * measured->ranks);
    NEW(arena, replayed->steps, batches);
    NEW(arena, replayed->phases, measured->ranks * (size_t)measured->servers);
    NEW(arena, replayed->delivered, batches);
    NEW(arena, replayed->finished, batches);
    for (size_t j = 0; j < batches; j++)
        replayed->steps[j] = fmax(0, dlq_measured_requested(measured, j + 1) - dlq_measured_last_received(measured, j));
    return DLQ_OK;
}

/* Replays a run with the overheads that are estimated from it. */
static enum dlq_status replay_measured(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                                       struct dlq_measured_overheads *overheads, struct replayed *replayed)
{
    double *scratch;
    NEW(arena, scratch, 3 * measured->batches * measured->ranks);
    TRY(prepare_replay(arena, replayed, measured));
    dlq_overheads_estimate(measured, scratch, overheads);
    return run_recursion(arena, replayed, measured, overheads, false);
}

static enum dlq_status replay_trace(struct dlq_arena *arena, const struct dlq_trace *trace,
                                    const struct dlq_pipeline_hint *hint, struct dlq_replay *replay)
{
    const struct dlq_measured_overheads none = {0};
    struct dlq_measured_run measured;
    struct replayed replayed;
    double *waits, seconds;
    TRY(dlq_measured_make(arena, &measured, trace, hint));
    const size_t batches = measured.batches;
    NEW(arena, waits, batches);
    *replay = (struct dlq_replay){
        .loader = measured.loader->name,
        .loaders = measured.loaders,
        .prefetch = measured.prefetch,
        .ranks = (long)measured.ranks,
        .batches = (long)batches,
    };
    for (size_t e = 0; e < measured.epochs && measured.epochs > 1; e++)
        if ((long)(measured.begins[e + 1] - measured.begins[e]) > replay->epoch_batches)
            replay->epoch_batches = (long)(measured.begins[e + 1] - measured.begins[e]);
    TRY(replay_measured(arena, &measured, &replay->overheads, &replayed));
    for (size_t j = 0; j < batches; j++)
        waits[j] = replayed.delivered[j] - (j > 0 ? replayed.finished[j - 1] : 0);
    replay->predicted = summarize_waits(waits, batches, replayed.finished[batches - 1], &replay->wait_predicted,
                                        &replay->wait_p99_predicted);
    for (size_t j = 0; j < batches; j++)
        waits[j] = dlq_measured_last_received(&measured, j) - dlq_measured_requested(&measured, j);
    seconds = dlq_measured_requested(&measured, batches) - dlq_measured_requested(&measured, 0);
    for (size_t e = 1; e < measured.epochs; e++)
        replay->pauses += dlq_measured_pause(&measured, 0, e);
    replay->measured = summarize_waits(waits, batches, seconds, &replay->wait_measured, &replay->wait_p99_measured);
    if (!(replay->measured > 0))
        return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                             "the last step of the run does not end after its first request: no throughput to replay "
                             "(are the epochs numbered in order?)");
    TRY(run_recursion(arena, &replayed, &measured, &none, true));
    seconds = replayed.finished[batches - 1];
    replay->without_overheads = seconds > 0 ? (double)batches / seconds : NAN;
    replay->error = replay->predicted / replay->measured - 1;
    if (!(replay->predicted > 0 && replay->without_overheads > 0))
        return dlq_error_add(arena->error, DLQ_NO_ANSWER, "too short a run to replay: its %zu batches take no time",
                             batches);
    return dlq_reasons(arena, &measured, replay);
}

enum dlq_status dlq_replay(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                           struct dlq_replay *replay, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "replaying a trace"};
    struct dlq_replay made;
    TRY(replay_trace(&arena, trace, hint, &made));
    *replay = made;
    return DLQ_OK;
}

enum dlq_status dlq_replay_times(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint, size_t begin,
                                 struct dlq_replay_times *times, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "replaying a trace"};
    struct dlq_measured_run measured;
    struct dlq_measured_overheads overheads;
    struct replayed replayed;
    TRY(dlq_measured_make(&arena, &measured, trace, hint));
    const size_t n = measured.batches;
    if (measured.ranks != 1 || begin >= n)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "the times of a replay are told of one rank, from one of its batches on");
    TRY(replay_measured(&arena, &measured, &overheads, &replayed)); /* fills loads and steps */
    struct dlq_replay_times made = {.count = n - begin};
    made.loads = malloc(made.count * sizeof *made.loads);
    made.steps = malloc(made.count * sizeof *made.steps);
    if (made.loads == NULL || made.steps == NULL) {
        dlq_replay_times_free(&made);
        return dlq_error_memory(error, arena.doing);
    }
    memcpy(made.loads, replayed.loads + begin, made.count * sizeof *made.loads);
    memcpy(made.steps, replayed.steps + begin, made.count * sizeof *made.steps);
    double pauses = 0;
    for (size_t e = 1; e < measured.epochs; e++)
        if (measured.begins[e] > begin) {
            const double pause = dlq_measured_pause(&measured, 0, e);
            double *step = &made.steps[measured.begins[e] - 1 - begin];
            *step = fmax(0, *step - pause);
            pauses += pause;
        }
    made.rate =
        (double)made.count / (dlq_measured_requested(&measured, n) - dlq_measured_requested(&measured, begin) - pauses);
    *times = made;
    return DLQ_OK;
}

void dlq_replay_times_free(struct dlq_replay_times *times)
{
    free(times->loads);
    free(times->steps);
    *times = (struct dlq_replay_times){0};
}

enum { PAIRINGS = 20 };

/* Each of PAIRINGS replays gives the slow rank the loads of another rank, shifted by some batches: two ranks that had
   the same loads at the same time would never wait for one another. */
enum dlq_status dlq_replay_alike(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint, long slow,
                                 struct dlq_estimate *speedup, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "replaying ranks that load alike"};
    struct dlq_measured_run measured;
    struct dlq_measured_overheads overheads;
    struct replayed replayed;
    struct dlq_batch *sent;
    double speedups[PAIRINGS];
    TRY(dlq_measured_make(&arena, &measured, trace, hint));
    const size_t n = measured.batches, ranks = measured.ranks;
    size_t slow_index = 0;
    while (slow_index < ranks && trace->ranks[slow_index].number != slow)
        slow_index++;
    if (ranks < 2 || slow_index == ranks || n <= PAIRINGS)
        return dlq_error_add(error, DLQ_NO_ANSWER, "no ranks to compare, or too few batches");
    NEW(&arena, sent, n * ranks);
    TRY(replay_measured(&arena, &measured, &overheads, &replayed));
    const double recorded = replayed.finished[n - 1];
    memcpy(sent, measured.sent, n * ranks * sizeof *sent);
    struct dlq_measured_run alike = measured;
    alike.sent = sent;
    for (size_t i = 0; i < PAIRINGS; i++) {
        const size_t other = (slow_index + 1 + i % (ranks - 1)) % ranks, shift = (i + 1) * n / (PAIRINGS + 1);
        for (size_t k = 0; k < n; k++)
            sent[slow_index * n + k].load = measured.sent[other * n + (k + shift) % n].load;
        TRY(run_recursion(&arena, &replayed, &alike, &overheads, false));
        speedups[i] = recorded / replayed.finished[n - 1];
    }
    gsl_sort(speedups, 1, PAIRINGS);
    *speedup = (struct dlq_estimate){dlq_mean_of(speedups, PAIRINGS), speedups[0], speedups[PAIRINGS - 1]};
    return DLQ_OK;
}
