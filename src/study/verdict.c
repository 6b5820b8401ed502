#include "study/verdict.h"

#include "sim/kernel.h"
#include "sim/simulate.h"
#include "study/suffices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *dlq_bound_by(const struct dlq_system *system, const struct dlq_bounds *bounds,
                         const struct dlq_simulation *simulation)
{
    if (dlq_system_is_serial(system))
        return "serial";
    bool trainer = strcmp(bounds->bottleneck, "step") == 0 || strcmp(bounds->bottleneck, "receive") == 0;
    if (!trainer)
        return bounds->bottleneck;
    return simulation->utilization.value >= 0.95 ? "step" : NULL;
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
    const char *cause;
    bool (*remove)(struct dlq_system *system);
} causes[DLQ_LOSSES] = {
    {"order", remove_order},     {"barrier", remove_barrier},   {"startup", remove_startup},
    {"receive", remove_receive}, {"variance", remove_variance},
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

enum dlq_status dlq_losses(const struct dlq_system *const *systems, size_t n,
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
        for (size_t i = 0; status == DLQ_OK && i < variants.count; i++) {
            size_t of = variants.of[i];
            losses[of * DLQ_LOSSES + counts[of]++] =
                (struct dlq_loss){causes[cause].cause, variants.results[i].throughput.value};
        }
    }
    free(variants.systems);
    free(variants.pointers);
    free(variants.of);
    free(variants.results);
    return status;
}

const char *dlq_worst_loss(const struct dlq_loss *losses, size_t count, double throughput)
{
    const char *worst = "step";
    double best = 1.001 * throughput;
    for (size_t i = 0; i < count; i++)
        if (losses[i].throughput > best * (1 + 1e-9)) {
            best = losses[i].throughput;
            worst = losses[i].cause;
        }
    return worst;
}

/* Too many ranks to try a dozen counts in a moment. */
enum { MOST_RANKS_TRIED = 64, MOST_KEPT = 1 << 14 };
static const double enough_share = 0.95;

/* Bounds that no loader moves. */
static bool loaders_matter(const char *bound_by)
{
    static const char *const others[] = {"step", "receive", "pin", "window", "startup"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], bound_by) == 0)
            return false;
    return true;
}

/* As many as are simulated in a moment with that prefetch: the warm-up goes with the batches in flight. */
static long most_tried(const struct dlq_system *system)
{
    char why[256];
    struct dlq_system many = *system;
    long most = DLQ_MOST_ENOUGH;
    dlq_suffices_give_loaders(&many);
    for (; most > 1; most /= 2)
        if (dlq_system_set_loaders(&many, most, why, sizeof why) &&
            many.pipeline.ranks * dlq_kernel_keeps(&many) <= MOST_KEPT)
            break;
    return most;
}

enum dlq_status dlq_enough_loaders(const struct dlq_system *system, const char *bound_by, const struct dlq_run *run,
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
