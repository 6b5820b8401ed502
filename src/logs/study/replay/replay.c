/* The recursion on measured loads and steps. */
#include "logs/study/replay/replay.h"
#include "sim/recursion.h"

#include <gsl/gsl_sort.h>
#include <stdlib.h>
#include <string.h>

/* A replayed run: the measured times, which stand for draws, and the results of the recursion, s. */
struct replayed {
    double *loads;  /* rank r's k-th dispatched: loads[r * batches + k] */
    double *steps;  /* F_j - max over ranks of G_j */
    double *phases; /* of an epoch: server w of rank r first starts at ready + phases[r * servers + w] */
    double *delivered, *finished;
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
    /* No more batches than the run has are in flight; each server owns as many of the window. */
    long most = ((long)measured->batches / pipeline.servers + 1) * pipeline.servers;
    if (pipeline.window > most)
        pipeline.window = most;
    return pipeline;
}

/* Replays loaders that own their batches and deliver in order of completion, by the recorded order of delivery: the
   order of two loads that end almost together is chance, and a replay with another order would diverge from the run.
   deliveries: of the last `window` batches of each worker, in turn. */
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
        double ready = now, asked = dlq_measured_asked(measured, measured->begins[e]);
        memset(counts, 0, servers * sizeof *counts);
        for (size_t j = measured->begins[e]; j < measured->begins[e + 1]; j++) {
            double last = now;
            for (size_t r = 0; r < measured->ranks; r++) {
                size_t place = r * measured->batches + measured->delivered[r * measured->batches + j];
                size_t server = r * (size_t)measured->workers + measured->worker[place], count = counts[server]++;
                double *delivery = &deliveries[server * window + count % window], begin;
                if (count == 0)
                    begin = ready + (at_once ? overheads->dispatch : measured->sent[place].load_start - asked);
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
   that is unknown, at the first request of an epoch. A busy worker has a gap before its next load (0.26 ms in torch),
   which the recursion does not know: the gap counts as a part of that load. */
static enum dlq_status run_recursion(struct dlq_arena *arena, struct replayed *replayed,
                                     const struct dlq_measured_run *measured,
                                     const struct dlq_measured_overheads *overheads, bool pure)
{
    bool gaps = !pure && measured->has_starts, at_once = !gaps || measured->loaders == 0;
    double beside = measured->loaders == 0 ? overheads->receive : 0; /* other work of a trainer that loads for itself */
    for (size_t i = 0; i < measured->ranks * measured->batches; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        double credit = measured->credit[i], before = measured->before[i];
        double sent = isfinite(credit) ? credit : batch->dispatched; /* without a credit, the recorded dispatch */
        bool idle = isfinite(sent) && sent + overheads->dispatch >= before;
        replayed->loads[i] = fmax(0, batch->load + (gaps && !idle ? fmax(0, batch->load_start - before) : 0)) + beside;
    }
    if (measured->loader->order == DLQ_ORDER_COMPLETION && measured->loader->assign == DLQ_ASSIGN_OWNER &&
        measured->workers > 0 && measured->prefetch > 0)
        return run_owners(arena, replayed, measured, overheads, at_once);
    const struct dlq_recursion_pipeline pipeline = pipeline_of(measured, overheads);
    struct dlq_recursion *played = dlq_recursion_new(&pipeline);
    if (played == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    dlq_recursion_reset(played, pipeline.receive);
    for (size_t e = 0; e < measured->epochs; e++) {
        size_t at = measured->begins[e];
        size_t n = measured->begins[e + 1] - at;
        double ready = at == 0 ? 0 : replayed->finished[at - 1];
        /* Workers start one by one, as recorded; the first load of all starts at ready + dispatch, which may lie before
           the first request of the epoch. */
        double first = INFINITY;
        size_t servers = (size_t)measured->servers, started = n < servers ? n : servers;
        for (size_t r = 0; r < measured->ranks; r++)
            for (size_t w = 0; w < started; w++)
                first = fmin(first, measured->sent[r * measured->batches + at + w].load_start);
        for (size_t r = 0; r < measured->ranks; r++)
            for (size_t w = 0; w < started; w++)
                replayed->phases[r * servers + w] =
                    measured->sent[r * measured->batches + at + w].load_start - first + overheads->dispatch;
        if (!at_once)
            ready += first - overheads->dispatch - dlq_measured_asked(measured, at);
        dlq_recursion_epoch(played, ready, at_once ? NULL : replayed->phases, (long)n);
        dlq_recursion_advance(played, replayed->loads + at, measured->batches, replayed->steps + at, n,
                              replayed->delivered + at, replayed->finished + at);
    }
    dlq_recursion_free(played);
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

/* Allocates a replay, and fills its steps: from the last reception of the ranks to the next request, with all other
   work of the trainer and the barrier. */
static enum dlq_status begin_replay(struct dlq_arena *arena, struct replayed *replayed,
                                    const struct dlq_measured_run *measured)
{
    const size_t batches = measured->batches;
    NEW(arena, replayed->loads, batches * measured->ranks);
    NEW(arena, replayed->steps, batches);
    NEW(arena, replayed->phases, measured->ranks * (size_t)measured->servers);
    NEW(arena, replayed->delivered, batches);
    NEW(arena, replayed->finished, batches);
    for (size_t j = 0; j < batches; j++)
        replayed->steps[j] = fmax(0, dlq_measured_asked(measured, j + 1) - dlq_measured_last_received(measured, j));
    return DLQ_OK;
}

/* Replays a run with the overheads that are estimated from it. */
static enum dlq_status replay_measured(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                                       struct dlq_measured_overheads *overheads, struct replayed *replayed)
{
    double *scratch;
    NEW(arena, scratch, 3 * measured->batches * measured->ranks);
    TRY(begin_replay(arena, replayed, measured));
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
    size_t batches = measured.batches, places = batches * measured.ranks;
    NEW(arena, waits, 3 * places);
    TRY(begin_replay(arena, &replayed, &measured));
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
    dlq_overheads_estimate(&measured, waits, &replay->overheads);
    for (size_t j = 0; j < batches; j++)
        waits[j] = dlq_measured_last_received(&measured, j) - dlq_measured_asked(&measured, j);
    seconds = dlq_measured_asked(&measured, batches) - dlq_measured_asked(&measured, 0);
    replay->measured = summarize_waits(waits, batches, seconds, &replay->wait_measured, &replay->wait_p99_measured);
    if (!(replay->measured > 0))
        return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                             "the last step of the run does not end after its first request: no throughput to replay "
                             "(are the epochs numbered in order?)");
    TRY(run_recursion(arena, &replayed, &measured, &none, true));
    seconds = replayed.finished[batches - 1];
    replay->without_overheads = seconds > 0 ? (double)batches / seconds : NAN;
    TRY(run_recursion(arena, &replayed, &measured, &replay->overheads, false));
    for (size_t j = 0; j < batches; j++)
        waits[j] = replayed.delivered[j] - (j > 0 ? replayed.finished[j - 1] : 0);
    replay->predicted = summarize_waits(waits, batches, replayed.finished[batches - 1], &replay->wait_predicted,
                                        &replay->wait_p99_predicted);
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

/* -- the times of the replay -- */

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
        return dlq_error_add(error, DLQ_NO_ANSWER, "the times of a replay are told of one rank");
    TRY(replay_measured(&arena, &measured, &overheads, &replayed)); /* which fills loads and steps */
    struct dlq_replay_times made = {.count = n - begin};
    made.rate = (double)made.count / (dlq_measured_asked(&measured, n) - dlq_measured_asked(&measured, begin));
    made.loads = malloc(made.count * sizeof *made.loads);
    made.steps = malloc(made.count * sizeof *made.steps);
    if (made.loads == NULL || made.steps == NULL) {
        dlq_replay_times_free(&made);
        return dlq_error_memory(error, "replaying a trace");
    }
    memcpy(made.loads, replayed.loads + begin, made.count * sizeof *made.loads);
    memcpy(made.steps, replayed.steps + begin, made.count * sizeof *made.steps);
    *times = made;
    return DLQ_OK;
}

void dlq_replay_times_free(struct dlq_replay_times *times)
{
    free(times->loads);
    free(times->steps);
    *times = (struct dlq_replay_times){0};
}

/* -- ranks that load alike -- */

enum { PAIRINGS = 20 };

/* The loads of the slow rank become those of the other ranks in turn, at another place of the run: two ranks with the
   same loads at the same place would never wait for one another. */
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
    size_t place = 0;
    while (place < ranks && trace->ranks[place].number != slow)
        place++;
    if (ranks < 2 || place == ranks || n <= PAIRINGS)
        return dlq_error_add(error, DLQ_NO_ANSWER, "no ranks to compare");
    NEW(&arena, sent, n * ranks);
    TRY(replay_measured(&arena, &measured, &overheads, &replayed));
    const double recorded = replayed.finished[n - 1];
    memcpy(sent, measured.sent, n * ranks * sizeof *sent);
    struct dlq_measured_run alike = measured;
    alike.sent = sent;
    for (size_t i = 0; i < PAIRINGS; i++) {
        const size_t other = (place + 1 + i % (ranks - 1)) % ranks, shift = (i + 1) * n / (PAIRINGS + 1);
        for (size_t k = 0; k < n; k++)
            sent[place * n + k].load = measured.sent[other * n + (k + shift) % n].load;
        TRY(run_recursion(&arena, &replayed, &alike, &overheads, false));
        speedups[i] = recorded / replayed.finished[n - 1];
    }
    gsl_sort(speedups, 1, PAIRINGS);
    *speedup = (struct dlq_estimate){dlq_mean_of(speedups, PAIRINGS), speedups[0], speedups[PAIRINGS - 1]};
    return DLQ_OK;
}
