/* What binds, and what each cause costs. */
#include "sim/kernel.h"
#include "sim/simulate.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum dlq_cause dlq_bound_by(const struct dlq_system *system, const struct dlq_bounds *bounds,
                            const struct dlq_simulation *simulation)
{
    if (dlq_system_is_serial(system))
        return DLQ_CAUSE_SERIAL;
    bool trainer = bounds->bottleneck == DLQ_CAUSE_STEP || bounds->bottleneck == DLQ_CAUSE_RECEIVE;
    if (!trainer)
        return bounds->bottleneck;
    return simulation->utilization.value >= 0.95 ? DLQ_CAUSE_STEP : DLQ_CAUSE_NONE;
}

/* Each takes one cause away; false: it is not there. */
static bool remove_order(struct dlq_system *system)
{
    return dlq_system_set_unordered(system);
}

static bool remove_barrier(struct dlq_system *system)
{
    return dlq_system_set_one_rank(system);
}

/* Within a horizon the wait for the first batch goes, too: see without_first_batch. */
static bool remove_startup(struct dlq_system *system)
{
    bool there = system->pipeline.epoch_batches > 0;
    system->pipeline.epoch_batches = 0;
    return there;
}

static bool remove_receive(struct dlq_system *system)
{
    bool there = system->overheads.receive > 0;
    system->overheads.receive = 0;
    return there;
}

static bool remove_variance(struct dlq_system *system)
{
    bool there = !dlq_work_is_constant(&system->load);
    dlq_work_make_constant(&system->load);
    return there;
}

static const struct {
    enum dlq_cause cause;
    bool (*remove)(struct dlq_system *system);
} causes[DLQ_LOSSES] = {
    {DLQ_CAUSE_ORDER, remove_order},     {DLQ_CAUSE_BARRIER, remove_barrier},   {DLQ_CAUSE_STARTUP, remove_startup},
    {DLQ_CAUSE_RECEIVE, remove_receive}, {DLQ_CAUSE_VARIANCE, remove_variance},
};

/* One cause taken away from all systems that have it, simulated together. */
struct variants {
    struct dlq_system *systems;
    const struct dlq_system **pointers;
    size_t *of; /* which system a variant belongs to */
    struct dlq_simulation *results;
    size_t count;
};

static enum dlq_status simulate_cause(size_t cause, const struct dlq_system *const *systems, size_t n,
                                      struct variants *variants, const struct dlq_simulate_options *options,
                                      const struct dlq_run *run, struct dlq_error *error)
{
    const struct dlq_wishes wishes = {.histogram_bits = 4};
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    variants->count = 0;
    for (size_t i = 0; i < n; i++) {
        struct dlq_system *variant = &variants->systems[variants->count];
        *variant = *systems[i];
        if (!causes[cause].remove(variant))
            continue;
        variants->pointers[variants->count] = variant;
        variants->of[variants->count++] = i;
    }
    if (variants->count == 0)
        return DLQ_OK;
    return dlq_simulate_systems(variants->pointers, variants->count, options, &wishes, &quiet, variants->results,
                                error);
}

/* Batches that arrive within a horizon arrive after the first of them. */
static double without_first_batch(double throughput, double horizon, const struct dlq_simulation *simulation)
{
    double first = simulation->time_to_first_batch.value;
    return first < horizon ? throughput * horizon / (horizon - first) : NAN;
}

static void add_loss(struct dlq_loss *losses, size_t *count, enum dlq_cause cause, double throughput)
{
    if (isfinite(throughput))
        losses[(*count)++] = (struct dlq_loss){cause, throughput};
}

/* What a cause costs each of the systems that have it. */
static void add_losses(enum dlq_cause cause, const struct variants *variants, const struct dlq_simulation *simulations,
                       size_t n, double horizon, struct dlq_loss *losses, size_t *counts)
{
    bool first_batch = cause == DLQ_CAUSE_STARTUP && !isnan(horizon);
    for (size_t i = 0, k = 0; i < n; i++) {
        bool varied = k < variants->count && variants->of[k] == i;
        double throughput = varied ? variants->results[k++].throughput.value : simulations[i].throughput.value;
        if (first_batch)
            throughput = without_first_batch(throughput, horizon, &simulations[i]);
        if (varied || first_batch)
            add_loss(&losses[i * DLQ_LOSSES], &counts[i], cause, throughput);
    }
}

enum dlq_status dlq_losses(const struct dlq_system *const *systems, const struct dlq_simulation *simulations, size_t n,
                           const struct dlq_simulate_options *options, const struct dlq_run *run,
                           struct dlq_loss *losses, size_t *counts, struct dlq_error *error)
{
    struct variants variants = {
        .systems = calloc(n, sizeof *variants.systems),
        .pointers = calloc(n, sizeof(const struct dlq_system *)),
        .of = calloc(n, sizeof *variants.of),
        .results = calloc(n, sizeof *variants.results),
    };
    bool enough =
        variants.systems != NULL && variants.pointers != NULL && variants.of != NULL && variants.results != NULL;
    enum dlq_status status = enough ? DLQ_OK : dlq_error_memory(error, "comparing causes");
    memset(counts, 0, n * sizeof *counts);
    for (size_t cause = 0; enough && cause < DLQ_LOSSES && status == DLQ_OK; cause++) {
        status = simulate_cause(cause, systems, n, &variants, options, run, error);
        if (status == DLQ_OK)
            add_losses(causes[cause].cause, &variants, simulations, n, options->horizon, losses, counts);
    }
    free(variants.systems);
    free(variants.pointers);
    free(variants.of);
    free(variants.results);
    return status;
}

/* Of the gap to the step's rate, where there is a step; a gain that is less is none. */
static const double least_share = 0.25, least_gain = 1e-3;

struct dlq_loss dlq_worst_loss(const struct dlq_loss *losses, size_t count, double throughput, double step)
{
    struct dlq_loss worst = {DLQ_CAUSE_NONE, throughput};
    for (size_t i = 0; i < count; i++)
        if (losses[i].throughput > worst.throughput * (1 + 1e-9))
            worst = losses[i];
    if (worst.throughput - throughput < fmax(least_gain * throughput, least_share * (step - throughput)))
        worst.cause = isnan(step) ? DLQ_CAUSE_STEP : DLQ_CAUSE_SEVERAL;
    return worst;
}

/* Too many ranks to try a dozen counts in a moment. MOST_EFFORT: of what is in flight; the warm-up goes with it. */
enum { MOST_RANKS_TRIED = 64, MOST_EFFORT = 1 << 15 };
static const double enough_share = 0.95;

/* Bounds that no loader moves. */
static bool loaders_matter(enum dlq_cause bound_by)
{
    return bound_by != DLQ_CAUSE_STEP && bound_by != DLQ_CAUSE_RECEIVE && bound_by != DLQ_CAUSE_PIN &&
           bound_by != DLQ_CAUSE_WINDOW && bound_by != DLQ_CAUSE_STARTUP;
}

/* As many as are simulated in a moment with that prefetch. */
static long most_tried(const struct dlq_system *system)
{
    static const struct dlq_simulate_options options = {.horizon = NAN, .start = DLQ_START_TOGETHER};
    char why[256];
    struct dlq_system many = *system;
    long most = DLQ_MOST_ENOUGH;
    dlq_suffices_give_loaders(&many);
    for (; most > 1; most /= 2)
        if (dlq_system_set_loaders(&many, most, why, sizeof why) &&
            (double)dlq_kernel_keeps(&many) * dlq_effort_of_batch(&many, &options) <= MOST_EFFORT)
            break;
    return most;
}

enum dlq_status dlq_enough_loaders(const struct dlq_system *system, enum dlq_cause bound_by, const struct dlq_run *run,
                                   long *loaders, struct dlq_error *error)
{
    struct dlq_system alone = *system;
    struct dlq_sufficient found = {.loaders = 0};
    *loaders = 0;
    alone.host.cores = alone.host.bandwidth = alone.storage.bandwidth = NAN;
    bool asked = loaders_matter(bound_by) && system->step.mean > 0 && system->pipeline.window <= 0 &&
                 system->pipeline.ranks <= MOST_RANKS_TRIED && system->pipeline.slow_loaders == 0;
    if (!asked)
        return DLQ_OK;
    enum dlq_status status = dlq_suffices(&alone, enough_share, most_tried(&alone), run, &found, error);
    if (status == DLQ_OK)
        *loaders = found.loaders;
    return status;
}
