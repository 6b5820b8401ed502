#include "sim/simulate.h"

#include "base/arena.h"
#include "dist/dist.h"
#include "sim/session.h"

#include <stdio.h>

bool dlq_simulate_accepts(const struct dlq_system *system, char *why, size_t size)
{
    long window = dlq_system_window(system);
    long kept = dlq_kernel_keeps(system);
    if (window > DLQ_MOST_WINDOW && window != DLQ_UNBOUNDED)
        snprintf(why, size,
                 "a window of %ld batches is more than is simulated: at most %d; lower prefetch or window, or give "
                 "window = unbounded",
                 window, DLQ_MOST_WINDOW);
    else if (kept > DLQ_MOST_KEPT / system->pipeline.ranks)
        snprintf(why, size,
                 "ranks = %ld, each with %ld batches in flight or loaders, are more than is simulated: at most %d of "
                 "them in all; lower ranks, prefetch, window or loaders",
                 system->pipeline.ranks, kept, DLQ_MOST_KEPT);
    else if (dlq_kernel_for(system) == &dlq_kernel_events && !dlq_slowdowns_are_steps_of_ranks(system->slowdowns))
        snprintf(why, size,
                 "loaders: where loads share cores or bandwidth, or are pinned one by one, a slowdown is not "
                 "simulated that is linear or of single loaders");
    else
        return true;
    return false;
}

/* Points with as many lanes, gathered; where[i]: their places among the caller's. */
struct share {
    const struct dlq_system **systems;
    struct dlq_point *points;
    const struct dlq_lane_kernel **kernels;
    struct dlq_simulation *results;
    double **seconds;
    size_t *where;
    size_t count;
};

static enum dlq_status share_begin(struct share *share, size_t count, struct dlq_arena *arena)
{
    NEW(arena, share->points, count);
    NEW(arena, share->results, count);
    NEW(arena, share->seconds, count);
    NEW(arena, share->where, count);
    share->systems = dlq_arena_take(arena, count, sizeof(const struct dlq_system *));
    share->kernels = dlq_arena_take(arena, count, sizeof(const struct dlq_lane_kernel *));
    if (share->systems == NULL || share->kernels == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    return DLQ_OK;
}

/* Lanes need draws that vary, whole blocks of steps, and a discipline that is written for them. */
static const struct dlq_lane_kernel *lanes_for(const struct dlq_session *session, const struct dlq_point *point)
{
    const struct dlq_simulate_options *options = session->options;
    bool random = isnan(dlq_source_constant(&session->sources->load)) ||
                  isnan(dlq_source_constant(&session->sources->step)) || options->start == DLQ_START_RANDOM;
    bool continuous = dlq_source_is_continuous(&session->sources->load);
    if (!random)
        return NULL;
    return isnan(options->horizon) ? dlq_lane_kernel_for(point, continuous) : dlq_lane_kernel_within(point, continuous);
}

/* Ranks whose loads all take the same time do the same: one of them tells of all, and one of the slow ones. */
static void take_alike(const struct dlq_session *session, struct dlq_point *point)
{
    if (isnan(dlq_source_constant(&session->sources->load)) || point->start == DLQ_START_RANDOM ||
        point->slowdowns != NULL)
        return;
    /* Kernels of one rank send the next batch out when the step begins, which a barrier puts off. And how much sharing
       slows the loads is a mean over all ranks. */
    if (point->barrier > 0 || (point->slow_ranks > 0 && point->kernel == &dlq_kernel_events))
        return;
    point->slow_ranks = point->slow_ranks > 0 ? 1 : 0;
    point->ranks = 1 + point->slow_ranks;
}

static void deal(const struct dlq_session *session, struct share *lanes, struct share *others)
{
    const struct dlq_simulate_options *options = session->options;
    double *seconds = session->wishes->seconds;
    for (size_t i = 0; i < session->count; i++) {
        struct dlq_point point;
        dlq_point_make(&point, session->systems[i], options->resolution, (enum dlq_start)options->start);
        take_alike(session, &point);
        const struct dlq_lane_kernel *kernel = lanes_for(session, &point);
        struct share *share = kernel != NULL ? lanes : others;
        share->systems[share->count] = session->systems[i];
        share->points[share->count] = point;
        share->kernels[share->count] = kernel != NULL ? kernel : &dlq_one_replication;
        share->seconds[share->count] = seconds != NULL ? seconds + i * (size_t)options->replications : NULL;
        share->where[share->count++] = i;
    }
}

static enum dlq_status run_share(const struct dlq_session *whole, size_t lanes, const struct share *share,
                                 struct dlq_error *error)
{
    struct dlq_session session = *whole;
    session.lanes = lanes;
    session.systems = share->systems;
    session.points = share->points;
    session.kernels = share->kernels;
    session.seconds = whole->wishes->seconds != NULL ? share->seconds : NULL;
    session.count = share->count;
    return share->count > 0 ? dlq_session_run(&session, share->results, error) : DLQ_OK;
}

static enum dlq_status run_both(const struct dlq_session *whole, struct dlq_simulation *results,
                                struct dlq_arena *arena)
{
    struct share shares[2] = {{.count = 0}, {.count = 0}};
    const size_t lanes[2] = {DLQ_LANES, 1};
    TRY(share_begin(&shares[0], whole->count, arena));
    TRY(share_begin(&shares[1], whole->count, arena));
    deal(whole, &shares[0], &shares[1]);
    enum dlq_status status = DLQ_OK;
    for (int k = 0; k < 2 && status == DLQ_OK; k++)
        status = run_share(whole, lanes[k], &shares[k], arena->error);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < shares[k].count && (status == DLQ_OK || status == DLQ_INTERRUPTED); i++)
            if (shares[k].results[i].replications > 0)
                results[shares[k].where[i]] = shares[k].results[i];
    return status;
}

/* Whether what is expected of single waits is worth finding out. */
static bool wants_slack(const struct dlq_system *const *systems, size_t count,
                        const struct dlq_simulate_options *options)
{
    bool wanted = false;
    for (size_t i = 0; i < count; i++)
        wanted = wanted || (dlq_kernel_for(systems[i])->gives_slack && systems[i]->pipeline.ranks == 1);
    return wanted && options->measure == DLQ_MEASURE_ALL && isnan(options->horizon);
}

enum dlq_status dlq_simulate_systems(const struct dlq_system *const *systems, size_t count,
                                     const struct dlq_simulate_options *options, const struct dlq_wishes *wishes,
                                     const struct dlq_run *run, struct dlq_simulation *results, struct dlq_error *error)
{
    const enum dlq_sampler sampler = (enum dlq_sampler)options->sampler;
    const enum dlq_instructions set = dlq_instructions_best();
    struct dlq_sources sources = {.pausing = 0};
    struct dlq_expectations expectations = {0};
    char why[256];
    if (count == 0)
        return DLQ_OK;
    for (size_t i = 0; i < count; i++)
        if (!dlq_simulate_accepts(systems[i], why, sizeof why))
            return dlq_error_add(error, DLQ_INVALID, "[pipeline] %s", why);
    enum dlq_status status = dlq_sources_begin(&sources, systems[0], sampler, set, error);
    if (status == DLQ_OK && !wishes->plain)
        status = dlq_expectations_begin(&expectations, &sources.load, &sources.step,
                                        wants_slack(systems, count, options), set, error);
    struct dlq_session session = {
        .systems = systems,
        .count = count,
        .sources = &sources,
        .expectations = &expectations,
        .options = options,
        .wishes = wishes,
        .run = run,
        .set = set,
    };
    struct dlq_arena arena = {.error = error, .doing = "preparing the simulation"};
    if (status == DLQ_OK)
        status = run_both(&session, results, &arena);
    dlq_arena_end(&arena);
    dlq_expectations_free(&expectations);
    dlq_sources_free(&sources);
    return status;
}
