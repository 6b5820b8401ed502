#include "study/effort.h"

#include "sim/lane_work.h"

#include <math.h>

/* A batch that is advanced alone takes about 25 times as long as one in lanes (bench, group kernels); fewer batches
   than these, or than a few windows of them, say little of a steady state. WARM_WINDOWS: the warm-up by rule of a
   system with twice the window. */
enum { ALONE = 25, LEAST_BATCHES = 1000, LEAST_WINDOWS = 10, WARM_WINDOWS = 40 };

double dlq_effort_of_batch(const struct dlq_system *system, const struct dlq_simulate_options *options)
{
    struct dlq_point point;
    dlq_point_make(&point, system, options->resolution, (enum dlq_start)options->start);
    const struct dlq_lane_kernel *kernel = isnan(options->horizon) ? dlq_lane_kernel_for(&point, true) : NULL;
    return (double)system->pipeline.ranks * (kernel != NULL ? kernel->effort : ALONE);
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

/* The rule would take less of a run that is shortened, and cores that are shared settle within some K^2 batches (16
   loaders of resnet50-a100: 0.14 % too slow after 20 K, 0.06 % after 2 K^2). */
long dlq_effort_warmup(const struct dlq_simulate_options *full, const struct dlq_system *system)
{
    double window = (double)dlq_kernel_keeps(system), tenth = floor((double)full->batches / 10);
    if (full->warmup >= 0 || system->pipeline.epoch_batches > 0 || tenth < WARM_WINDOWS * window)
        return full->warmup;
    return (long)fmin(tenth, fmax(WARM_WINDOWS * window, 4 * window * window));
}

long dlq_effort_whole_rounds(long batches, const struct dlq_system *system)
{
    long round = system->pipeline.loaders > 0 ? 2 * system->pipeline.loaders : 1;
    return (batches + round - 1) / round * round;
}

struct dlq_simulate_options dlq_effort_limited(const struct dlq_simulate_options *options,
                                               const struct dlq_system *system, double effort)
{
    struct dlq_simulate_options limited = *options;
    double batches = effort / (DLQ_WAVE * dlq_effort_of_batch(system, options)) - warmup_of(system, options);
    double least = fmax(LEAST_BATCHES, LEAST_WINDOWS * (double)dlq_kernel_keeps(system));
    batches = fmax(batches, least);
    if (isnan(options->horizon) && batches < (double)options->batches) {
        limited.batches = (long)batches;
        limited.warmup = dlq_effort_warmup(options, system);
    }
    return limited;
}
