/* The recursion on measured loads and steps. */
#include "dlqueue/replay.h"

#include "model/model.h"
#include "sim/group.h"
#include "stats/stats.h"
#include "study/replay/replay.h"

#include <string.h>

/* The draws of a replayed run, which are the measured times, and what the recursion makes of them. */
struct recursion {
    double *loads;  /* rank r's k-th dispatched: loads[r * batches + k] */
    double *steps;  /* F_j - max over ranks of G_j */
    double *phases; /* of an epoch: server w of rank r first starts at ready + phases[r * servers + w] */
    double *delivered, *finished;
    double *scratch;
};

/* A worker that is busy when its next batch is sent takes a moment from the end of one load to the start of the next
   (0.26 ms in torch). The recursion has no place for it: it counts as the beginning of that next load. */
static double load_of(const struct dlq_measured_run *measured, size_t rank, size_t epoch, size_t k, double dispatch)
{
    const struct dlq_batch *batch = &measured->sent[rank * measured->batches + measured->begins[epoch] + k];
    double busy = dlq_measured_busy_until(measured, rank, epoch, k, dispatch);
    double gap = batch->load_start - busy;
    return batch->load + (gap > 0 ? gap : 0);
}

static void fill_loads(struct recursion *recursion, const struct dlq_measured_run *measured, double dispatch, bool gaps)
{
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t k = 0; k < measured->begins[e + 1] - measured->begins[e]; k++) {
                size_t place = r * measured->batches + measured->begins[e] + k;
                recursion->loads[place] =
                    fmax(0, gaps ? load_of(measured, r, e, k, dispatch) : measured->sent[place].load);
            }
}

/* A step lasts from the last rank's reception to the next request: whatever the trainer does in between is part of it,
   with several ranks the barrier at its end too. */
static void fill_steps(struct recursion *recursion, const struct dlq_measured_run *measured)
{
    for (size_t j = 0; j < measured->batches; j++)
        recursion->steps[j] = fmax(0, dlq_measured_asked(measured, j + 1) - dlq_measured_last_received(measured, j));
}

/* Workers start one after the other: each server's first load begins when it did. The first of all begins at ready +
   dispatch; returns ready, s after the epoch's first request (before it, where loads began before that). */
static double fill_starts(struct recursion *recursion, const struct dlq_measured_run *measured, size_t epoch,
                          double dispatch)
{
    size_t servers = (size_t)measured->servers;
    size_t begin = measured->begins[epoch];
    size_t n = measured->begins[epoch + 1] - begin;
    double first = INFINITY;
    n = n < servers ? n : servers;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t w = 0; w < n; w++)
            first = fmin(first, measured->sent[r * measured->batches + begin + w].load_start);
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t w = 0; w < n; w++)
            recursion->phases[r * servers + w] =
                measured->sent[r * measured->batches + begin + w].load_start - first + dispatch;
    return first - dispatch - dlq_measured_asked(measured, begin);
}

static void make_point(struct dlq_point *point, const struct dlq_measured_run *measured,
                       const struct dlq_measured_overheads *overheads)
{
    struct dlq_system system = {
        .pipeline = {.loader = dlq_loader_index(measured->loader),
                     .loaders = measured->loaders,
                     .prefetch = measured->prefetch,
                     .ranks = (long)measured->ranks,
                     .slow_factor = 1},
        .overheads = {.dispatch = overheads->dispatch,
                      .deliver = overheads->deliver,
                      .receive = overheads->receive,
                      .barrier = overheads->barrier},
    };
    dlq_point_make(point, &system, 0, DLQ_START_TOGETHER);
    point->load_scale = point->step_scale = 1;
    /* More than the run's batches are never in flight; the owners' windows are alike. */
    long most = ((long)measured->batches / point->servers + 1) * point->servers;
    if (point->window > most)
        point->window = most;
}

/* Loaders that own their batches and deliver as these finish, by the recorded order of delivery. */
struct owners {
    const struct dlq_measured_run *measured;
    const struct dlq_measured_overheads *overheads;
    double *ends;       /* of a rank's worker's last load */
    double *deliveries; /* of its last `window` batches, in turn */
    size_t *counts;     /* of its loads */
    size_t window;      /* the prefetch, as far as it can matter */
    bool at_once;
};

/* Which of two batches that end within a moment of each other comes first is chance, and from there on a replay would
   part from the run: where loaders own their batches, the order and who loads what are kept. */
static bool has_owners(const struct dlq_measured_run *measured)
{
    return measured->loader->order == DLQ_ORDER_COMPLETION && measured->loader->assign == DLQ_ASSIGN_OWNER &&
           measured->workers > 0 && measured->prefetch > 0;
}

/* When the rank receives its j-th batch, asked for at `request`; the epoch's workers were ready at `ready`. */
static double receive_owned(const struct owners *owners, const struct recursion *recursion, size_t rank, size_t epoch,
                            size_t j, double ready, double request)
{
    const struct dlq_measured_run *measured = owners->measured;
    size_t batches = measured->batches, window = owners->window;
    size_t place = rank * batches + measured->taken[rank * batches + j];
    size_t server = rank * (size_t)measured->workers + measured->worker[place];
    size_t count = owners->counts[server]++;
    double *delivery = &owners->deliveries[server * window + count % window];
    double asked = dlq_measured_asked(measured, measured->begins[epoch]), begin;
    if (count == 0)
        begin = ready + (owners->at_once ? owners->overheads->dispatch : measured->sent[place].load_start - asked);
    else
        begin = fmax(owners->ends[server], count < window ? -INFINITY : *delivery + owners->overheads->dispatch);
    owners->ends[server] = begin + recursion->loads[place];
    *delivery = fmax(request, owners->ends[server] + owners->overheads->deliver) + owners->overheads->receive;
    return *delivery;
}

static enum dlq_status run_owners(struct dlq_arena *arena, struct recursion *recursion,
                                  const struct dlq_measured_run *measured,
                                  const struct dlq_measured_overheads *overheads, bool at_once)
{
    size_t servers = measured->ranks * (size_t)measured->workers;
    size_t prefetch = (size_t)measured->prefetch, window = prefetch < measured->batches ? prefetch : measured->batches;
    struct owners owners = {.measured = measured, .overheads = overheads, .window = window, .at_once = at_once};
    double now = 0;
    NEW(arena, owners.ends, servers);
    NEW(arena, owners.deliveries, servers * window);
    NEW(arena, owners.counts, servers);
    for (size_t e = 0; e < measured->epochs; e++) {
        double ready = now;
        memset(owners.counts, 0, servers * sizeof *owners.counts);
        for (size_t j = measured->begins[e]; j < measured->begins[e + 1]; j++) {
            double last = now;
            for (size_t r = 0; r < measured->ranks; r++)
                last = fmax(last, receive_owned(&owners, recursion, r, e, j, ready, now));
            recursion->delivered[j] = last + overheads->barrier;
            now = recursion->finished[j] = recursion->delivered[j] + recursion->steps[j];
        }
    }
    return DLQ_OK;
}

/* Time 0 is the first request. Workers begin when they did, or (`at_once`) all with the first request of an epoch. */
static enum dlq_status run_recursion(struct dlq_arena *arena, struct recursion *recursion,
                                     const struct dlq_measured_run *measured,
                                     const struct dlq_measured_overheads *overheads, bool at_once)
{
    struct dlq_point point;
    if (has_owners(measured))
        return run_owners(arena, recursion, measured, overheads, at_once);
    make_point(&point, measured, overheads);
    struct dlq_group *group = dlq_group_new(&point);
    if (group == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    dlq_group_reset(group);
    for (size_t e = 0; e < measured->epochs; e++) {
        size_t at = measured->begins[e];
        size_t n = measured->begins[e + 1] - at;
        struct dlq_block block = {
            .loads = recursion->loads + at, .steps = recursion->steps + at, .stride = measured->batches};
        double ready = at == 0 ? 0 : recursion->finished[at - 1];
        if (!at_once)
            ready += fill_starts(recursion, measured, e, overheads->dispatch);
        dlq_group_epoch(group, ready, at_once ? NULL : recursion->phases, (size_t)measured->servers, (long)n);
        dlq_group_advance(group, &block, n, recursion->delivered + at, recursion->finished + at);
    }
    dlq_group_free(group);
    return DLQ_OK;
}

static double rate_of(const struct dlq_measured_run *measured, double seconds)
{
    return seconds > 0 ? (double)measured->batches / seconds : NAN;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* From the first request to the last step's end: so F is counted, in the measured run and in the replayed. */
static void measure(struct dlq_replay *replay, const struct dlq_measured_run *measured, double *waits)
{
    size_t n = measured->batches;
    for (size_t j = 0; j < n; j++)
        waits[j] = dlq_measured_last_received(measured, j) - dlq_measured_asked(measured, j);
    replay->measured = rate_of(measured, dlq_measured_asked(measured, n) - dlq_measured_asked(measured, 0));
    replay->wait_measured = mean_of(waits, n);
    replay->wait_p99_measured = dlq_quantile(waits, n, 0.99);
}

static enum dlq_status predict(struct dlq_arena *arena, struct dlq_replay *replay,
                               const struct dlq_measured_run *measured, struct recursion *recursion)
{
    const struct dlq_measured_overheads *overheads = &replay->overheads;
    size_t n = measured->batches;
    fill_loads(recursion, measured, overheads->dispatch, measured->has_starts);
    fill_steps(recursion, measured);
    bool at_once = !measured->has_starts || measured->loaders == 0;
    TRY(run_recursion(arena, recursion, measured, overheads, at_once));
    for (size_t j = 0; j < n; j++)
        recursion->scratch[j] = recursion->delivered[j] - (j > 0 ? recursion->finished[j - 1] : 0);
    replay->predicted = rate_of(measured, recursion->finished[n - 1]);
    replay->error = replay->predicted / replay->measured - 1;
    replay->wait_predicted = mean_of(recursion->scratch, n);
    replay->wait_p99_predicted = dlq_quantile(recursion->scratch, n, 0.99);
    return DLQ_OK;
}

static enum dlq_status predict_pure(struct dlq_arena *arena, struct dlq_replay *replay,
                                    const struct dlq_measured_run *measured, struct recursion *recursion)
{
    const struct dlq_measured_overheads none = {0};
    fill_loads(recursion, measured, 0, false);
    fill_steps(recursion, measured);
    TRY(run_recursion(arena, recursion, measured, &none, true));
    replay->pure = rate_of(measured, recursion->finished[measured->batches - 1]);
    return DLQ_OK;
}

static enum dlq_status make_replay(struct dlq_arena *arena, const struct dlq_trace *trace,
                                   const struct dlq_pipeline_hint *hint, struct dlq_replay *replay)
{
    struct dlq_measured_run measured;
    struct recursion recursion;
    TRY(dlq_measured_make(arena, &measured, trace, hint));
    size_t batches = measured.batches, places = batches * measured.ranks;
    NEW(arena, recursion.loads, places);
    NEW(arena, recursion.steps, batches);
    NEW(arena, recursion.phases, measured.ranks * (size_t)measured.servers);
    NEW(arena, recursion.delivered, batches);
    NEW(arena, recursion.finished, batches);
    NEW(arena, recursion.scratch, 3 * places);
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
    dlq_overheads_estimate(&measured, recursion.scratch, &replay->overheads);
    measure(replay, &measured, recursion.scratch);
    if (!(replay->measured > 0))
        return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                             "the last step of the run does not end after its first request: no throughput to replay "
                             "(are the epochs numbered in order?)");
    TRY(predict_pure(arena, replay, &measured, &recursion));
    TRY(predict(arena, replay, &measured, &recursion));
    if (!(replay->predicted > 0 && replay->pure > 0))
        return dlq_error_add(arena->error, DLQ_NO_ANSWER, "too short a run to replay: its %zu batches take no time",
                             batches);
    return dlq_reasons(arena, &measured, replay);
}

enum dlq_status dlq_replay(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                           struct dlq_replay *replay, struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "replaying a trace"};
    struct dlq_replay made;
    enum dlq_status status = make_replay(&arena, trace, hint, &made);
    dlq_arena_end(&arena);
    if (status == DLQ_OK)
        *replay = made;
    return status;
}
