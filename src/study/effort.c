#include "study/effort.h"

#include "sim/lane_work.h"

#include <math.h>

/* A batch that is advanced alone takes about 25 times as long as one in lanes (bench, group kernels); fewer batches
   than these, or than a few windows of them, say little of a steady state. */
enum { ALONE = 25, LEAST_BATCHES = 1000, LEAST_WINDOWS = 10 };

double dlq_effort_of_batch(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    struct dlq_point point;
    dlq_point_make(&point, system, options->resolution, (enum dlq_start)options->start);
    bool in_lanes = isnan(options->horizon) && dlq_lane_kernel_for(&point, true) != NULL;
    return (double)system->pipeline.ranks * (in_lanes ? 1 : ALONE);
}

/* As dlq_extent_make has it by rule. */
static double warmup_of(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    if (options->warmup >= 0 || system->pipeline.epoch_batches > 0)
        return fmax(0, (double)options->warmup);
    return fmax((double)options->batches / 10, 20 * (double)dlq_kernel_keeps(system));
}

double dlq_effort_of_wave(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    if (!isnan(options->horizon))
        return 0;
    return DLQ_WAVE * dlq_effort_of_batch(system, options) * ((double)options->batches + warmup_of(system, options));
}

struct dlq_simulate_options dlq_effort_limited(const struct dlq_simulate_options *options,
                                               const struct dlq_system *system, double effort)
{
    struct dlq_simulate_options limited = *options;
    double batches = effort / (DLQ_WAVE * dlq_effort_of_batch(system, options)) - warmup_of(system, options);
    double least = fmax(LEAST_BATCHES, LEAST_WINDOWS * (double)dlq_kernel_keeps(system));
    batches = fmax(batches, least);
    if (isnan(options->horizon) && batches < (double)options->batches)
        limited.batches = (long)batches;
    return limited;
}
