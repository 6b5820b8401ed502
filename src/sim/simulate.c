/* Which systems can be simulated, and in which kernels. */
#include "sim/simulate.h"

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
    else if (dlq_system_by_sample(system) && (double)kept * (double)system->pipeline.ranks *
                                                     (double)system->pipeline.batch_size *
                                                     (double)system->load.stages[0].samples->work.count >
                                                 DLQ_MOST_SAMPLES_KEPT)
        snprintf(why, size,
                 "batch_size = %ld: samples that share cores or bandwidth, or that a cache holds, are simulated one by "
                 "one, and those of all batches in flight are more than %d; lower batch_size, prefetch, window or "
                 "ranks, or give threads = 1",
                 system->pipeline.batch_size, DLQ_MOST_SAMPLES_KEPT);
    else if (dlq_discipline_of(system) == DLQ_DEPENDENT && !dlq_slowdowns_are_steps_of_ranks(system->slowdowns))
        snprintf(why, size,
                 "loaders: where loads share cores or bandwidth, or are pinned one by one, a slowdown is not "
                 "simulated that is linear or of single loaders");
    else
        return true;
    return false;
}

/* Simulates the points that have a kernel for lanes, then the others one replication at a time. Without random draws
   there is one replication, for which lanes are no use. */
static enum dlq_status simulate_both(struct dlq_simulation_run *simulation, struct dlq_simulation *results,
                                     struct dlq_arena *arena)
{
    const struct dlq_simulate_options *options = simulation->options;
    const struct dlq_source *load = &simulation->job.sources.load;
    const size_t count = simulation->job.count;
    const bool constant_load = !isnan(dlq_source_constant(load)), continuous = dlq_source_is_continuous(load);
    const bool random = !constant_load || isnan(dlq_source_constant(&simulation->job.sources.step)) ||
                        options->start == DLQ_START_RANDOM;
    struct dlq_point *points;
    NEW(arena, points, count);
    const struct dlq_lane_kernel **kernels = dlq_arena_take(arena, count, sizeof(const struct dlq_lane_kernel *));
    if (kernels == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    for (size_t i = 0; i < count; i++) {
        dlq_point_make(&points[i], simulation->systems[i], options->resolution, (enum dlq_start)options->start);
        /* With constant loads all ranks have the same times, and so do all slow ranks: one of each suffices. Not with a
           barrier, because kernels of one rank dispatch when the step begins, after the barrier; nor with slow ranks
           whose loads share cores, because mean slowdowns are over all ranks. */
        if (constant_load && options->start != DLQ_START_RANDOM && points[i].slowdowns == NULL &&
            points[i].barrier == 0 && (points[i].slow_ranks == 0 || points[i].discipline != DLQ_DEPENDENT)) {
            points[i].slow_ranks = points[i].slow_ranks > 0 ? 1 : 0;
            points[i].ranks = 1 + points[i].slow_ranks;
        }
        kernels[i] = random ? dlq_lane_kernel_for(&points[i], continuous, !isnan(options->horizon)) : NULL;
    }
    simulation->job.points = points;
    simulation->job.kernels = kernels;
    simulation->job.lanes = DLQ_LANES;
    TRY(dlq_simulate_points(simulation, results, arena->error));
    for (size_t i = 0; i < count; i++)
        kernels[i] = kernels[i] == NULL ? &dlq_one_replication : NULL;
    simulation->job.lanes = 1;
    return dlq_simulate_points(simulation, results, arena->error);
}

enum dlq_status dlq_simulate_systems(const struct dlq_system *const *systems, size_t count,
                                     const struct dlq_simulate_options *options,
                                     const struct dlq_simulate_request *request, const struct dlq_run *run,
                                     struct dlq_simulation *results, struct dlq_error *error)
{
    const enum dlq_sampler sampler = (enum dlq_sampler)options->sampler;
    const enum dlq_instructions set = dlq_instructions_best();
    DLQ_RELEASED_BY(dlq_sources_free) struct dlq_sources sources = {.pausing = 0};
    DLQ_RELEASED_BY(dlq_expectations_free) struct dlq_expectations expectations = {0};
    DLQ_ARENA arena = {.error = error, .doing = "preparing the simulation"};
    char why[256];
    if (count == 0)
        return DLQ_OK;
    bool slack = false; /* whether the controls of waits can be used */
    for (size_t i = 0; i < count; i++) {
        if (!dlq_simulate_accepts(systems[i], why, sizeof why))
            return dlq_error_add(error, DLQ_INVALID, "[pipeline] %s", why);
        if (options->resolution > 0 && dlq_system_by_sample(systems[i]) && dlq_system_shares(systems[i]))
            return dlq_error_add(error, DLQ_INVALID,
                                 "[simulate] resolution: not where the threads of a load share cores or bandwidth");
        slack = slack || (dlq_gives_slack(dlq_discipline_of(systems[i])) && systems[i]->pipeline.ranks == 1);
    }
    slack = slack && options->measure == DLQ_MEASURE_ALL && isnan(options->horizon);
    TRY(dlq_sources_begin(&sources, systems[0], sampler, set, error));
    dlq_sources_keep(&sources, systems[0]);
    if (!request->plain)
        TRY(dlq_expectations_begin(&expectations, &sources.load, &sources.step, slack, set, error));
    struct dlq_simulation_run simulation = {
        .job = {.count = count, .sources = sources, .expectations = &expectations, .run = run, .set = set},
        .systems = systems,
        .options = options,
        .request = request,
    };
    return simulate_both(&simulation, results, &arena);
}
