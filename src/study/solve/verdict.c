/* The cause that limits a system, and the throughput that the system would have without each cause. */
#include "analytic/analytic.h"
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
    return simulation->utilization.value >= DLQ_TARGET_UTILIZATION ? DLQ_CAUSE_STEP : DLQ_CAUSE_NONE;
}

enum dlq_status dlq_losses(const struct dlq_system *const *systems, const struct dlq_simulation *simulations,
                           const double *unordered, size_t n, const struct dlq_simulate_options *options,
                           const struct dlq_run *run, struct dlq_loss *losses, size_t *counts, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "comparing causes"};
    const struct dlq_simulate_request request = {.histogram_bits = 0};
    struct dlq_system *changed_ones;
    struct dlq_simulation *results;
    size_t count, *indices;
    const struct dlq_change *changes = dlq_changes(&count);
    double *throughputs;
    NEW(&arena, throughputs, n);
    NEW(&arena, changed_ones, n);
    NEW(&arena, indices, n);
    NEW(&arena, results, n);
    memset(counts, 0, n * sizeof *counts);
    for (size_t k = 0; k < count; k++) {
        const enum dlq_cause cause = changes[k].removes;
        bool no_startup = cause == DLQ_CAUSE_STARTUP && !isnan(options->horizon);
        if (cause == DLQ_CAUSE_NONE)
            continue;
        size_t made = 0;
        for (size_t i = 0; i < n; i++) {
            struct dlq_changed changed = {.system = &changed_ones[made], .error = error};
            bool known = cause == DLQ_CAUSE_ORDER && unordered != NULL && !isnan(unordered[i]);
            throughputs[i] = known ? unordered[i] : no_startup ? simulations[i].throughput.value : NAN;
            changed_ones[made] = *systems[i];
            const bool admitted = !known && changes[k].apply(&changed);
            TRY(changed.status);
            if (admitted && dlq_change_is_decided(changed.system, systems[i], options, simulations[i].throughput))
                throughputs[i] = simulations[i].throughput.value;
            else if (admitted && dlq_change_is_brief(changed.system, systems[i], options->horizon))
                indices[made++] = i;
        }
        TRY(dlq_variants_simulate(&arena, changed_ones, made, options, request, run, results, NULL));
        for (size_t v = 0; v < made; v++)
            throughputs[indices[v]] = results[v].throughput.value;
        for (size_t i = 0; i < n; i++) {
            /* Startup is not removed by a simulation: without it, the batches of a horizon arrive in the time from the
               first batch on. */
            double horizon = options->horizon, first = simulations[i].time_to_first_batch.value;
            if (no_startup)
                throughputs[i] = first < horizon ? throughputs[i] * horizon / (horizon - first) : NAN;
            if (isfinite(throughputs[i]) && counts[i] < DLQ_LOSSES)
                losses[i * DLQ_LOSSES + counts[i]++] = (struct dlq_loss){cause, throughputs[i]};
        }
    }
    return DLQ_OK;
}

/* A cause is named alone only if its removal gains least_share of the gap between throughput and rate of the step, and
   least_gain of the throughput. */
static const double least_share = 0.25, least_gain = 1e-3;
/* Two removals tie if their throughputs differ by less, as where both reach the rate of the step: 9 loaders of
   configs/tail.ini make 9.9995 without order and 10 without variance. The first one is named. */
static const double tie = 1e-4;

struct dlq_loss dlq_worst_loss(const struct dlq_loss *losses, size_t count, double throughput, double step)
{
    struct dlq_loss worst = {DLQ_CAUSE_NOTHING, throughput};
    for (size_t i = 0; i < count; i++)
        if (losses[i].throughput > worst.throughput * (1 + tie))
            worst = losses[i];
    if (worst.throughput - throughput < fmax(least_gain * throughput, least_share * (step - throughput)))
        worst.cause = isnan(step) ? DLQ_CAUSE_STEP : DLQ_CAUSE_SEVERAL;
    return worst;
}

/* Length of a short run, at least and at most, and windows of its warm-up. */
enum { LEAST_BATCHES = 160, BATCHES = 2000, WINDOWS = 4 };

/* The number of batches of a run, such that the run of no system exceeds an effort of effort_each, whether the system
   is as it is or delivers by completion; within LEAST_BATCHES..BATCHES. */
static long batches_for_causes(const struct dlq_system *const *systems, size_t count,
                               const struct dlq_simulate_options *options)
{
    const double effort_each = 2e7; /* see dlq_effort_of_batch */
    double most = 0;
    char why[256];
    for (size_t i = 0; i < count; i++) {
        struct dlq_system unordered = *systems[i];
        most = fmax(most, dlq_effort_of_batch(systems[i], options));
        if (dlq_system_set_unordered(&unordered, why, sizeof why))
            most = fmax(most, dlq_effort_of_batch(&unordered, options));
    }
    return (long)fmin(BATCHES, fmax(LEAST_BATCHES, effort_each / (DLQ_WAVE * most)));
}

enum dlq_status dlq_worst_causes(const struct dlq_system *const *systems, size_t count,
                                 const struct dlq_simulate_options *options, const struct dlq_run *run,
                                 struct dlq_loss *worst, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "comparing causes"};
    const struct dlq_simulate_request request = {.histogram_bits = 0};
    struct dlq_simulate_options brief = *options;
    struct dlq_simulation *results;
    struct dlq_loss *losses;
    size_t *counts;
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    if (count == 0)
        return DLQ_OK;
    /* The runs are short: only the order of the causes and rough gains are wanted. So is the warm-up, if its length is
       left to the program. */
    if (brief.warmup < 0 && systems[0]->pipeline.epoch_batches == 0 && isnan(brief.horizon)) {
        brief.warmup = 0;
        for (size_t i = 0; i < count; i++) {
            long window = dlq_system_window(systems[i]);
            long batches = WINDOWS * (window == DLQ_UNBOUNDED ? dlq_system_servers(systems[i]) : window);
            brief.warmup = batches > brief.warmup ? batches : brief.warmup;
        }
    }
    const bool steady = systems[0]->pipeline.epoch_batches == 0 && isnan(brief.horizon);
    const long most = steady ? batches_for_causes(systems, count, options) : BATCHES;
    brief.batches = brief.batches < most ? brief.batches : most;
    brief.replications = brief.replications < DLQ_WAVE ? brief.replications : DLQ_WAVE;
    brief.measure = DLQ_MEASURE_THROUGHPUT;
    NEW(&arena, results, count);
    NEW(&arena, losses, count * DLQ_LOSSES);
    NEW(&arena, counts, count);
    TRY(dlq_simulate_systems(systems, count, &brief, &request, &quiet, results, error));
    TRY(dlq_losses(systems, results, NULL, count, &brief, run, losses, counts, error));
    for (size_t i = 0; i < count; i++) {
        double throughput = results[i].throughput.value;
        /* Where the trainer loads for itself there is no gap to the rate of the step. */
        bool steps = systems[i]->step.mean > 0 && !dlq_system_is_serial(systems[i]);
        worst[i] = dlq_worst_loss(&losses[i * DLQ_LOSSES], counts[i], throughput,
                                  steps ? 1 / dlq_system_step_mean(systems[i]) : NAN);
        worst[i].throughput /= throughput;
    }
    return DLQ_OK;
}

/* -- from the throughput to the rate of the step -- */

static int by_throughput(const void *a, const void *b)
{
    const struct dlq_loss *one = a, *other = b;
    if (one->throughput != other->throughput)
        return one->throughput > other->throughput ? -1 : 1;
    return (one->cause > other->cause) - (one->cause < other->cause);
}

/* Removes a cause from the system; *removed: whether the system admits that, and is simulated in a reasonable time. */
static enum dlq_status remove_cause(enum dlq_cause cause, const struct dlq_simulate_options *options,
                                    struct dlq_system *system, bool *removed, struct dlq_error *error)
{
    const struct dlq_system before = *system;
    struct dlq_changed changed = {.system = system, .error = error};
    size_t count, row = 0;
    const struct dlq_change *changes = dlq_changes(&count);
    while (row < count && changes[row].removes != cause)
        row++;
    *removed = row < count && changes[row].apply(&changed) && changed.status == DLQ_OK &&
               dlq_change_is_brief(system, &before, options->horizon);
    return changed.status;
}

enum dlq_status dlq_waterfall(const struct dlq_model *model, const struct dlq_solution *solution,
                              const struct dlq_run *run, struct dlq_loss falls[DLQ_LOSSES + 1], size_t *count,
                              struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "comparing causes"};
    const struct dlq_simulate_request request = {.histogram_bits = 0};
    const struct dlq_simulate_options options = dlq_levers_options(model, &model->system);
    const double step = solution->bounds.step;
    const size_t losses = solution->verdict.loss_count;
    double last = solution->simulation.throughput.value;
    struct dlq_loss sorted[DLQ_LOSSES];
    enum dlq_cause causes[DLQ_LOSSES + 1];
    struct dlq_system *systems;
    struct dlq_simulation *results;
    struct dlq_bounds bounds;
    size_t made = 1, found = 0;
    if (!(step > last * (1 + least_gain) && last > 0)) { /* also if there is no step */
        *count = 0;
        return DLQ_OK;
    }
    memcpy(sorted, solution->verdict.losses, sizeof sorted);
    qsort(sorted, losses, sizeof *sorted, by_throughput);
    NEW(&arena, systems, DLQ_LOSSES + 1);
    NEW(&arena, results, DLQ_LOSSES + 1);
    systems[0] = model->system;
    for (size_t i = 0; i < losses; i++) {
        bool removed;
        systems[made] = systems[made - 1];
        causes[made] = sorted[i].cause;
        if (sorted[i].cause == DLQ_CAUSE_PAUSE) /* `step` includes the pauses, which are no part of the gap */
            continue;
        TRY(remove_cause(sorted[i].cause, &options, &systems[made], &removed, error));
        made += removed;
    }
    TRY(dlq_variants_simulate(&arena, systems, made, &options, request, run, results, NULL));
    for (size_t k = 1; k < made; k++) {
        const double ratio = results[k].throughput.value / results[0].throughput.value;
        const double value = fmin(step, solution->simulation.throughput.value * ratio);
        if (!(value > last * (1 + least_gain)))
            continue;
        falls[found++] = (struct dlq_loss){causes[k], value};
        last = value;
    }
    dlq_system_upper(&systems[made - 1], &bounds);
    if (step > last * (1 + least_gain))
        falls[found++] =
            (struct dlq_loss){bounds.bottleneck == DLQ_CAUSE_STEP ? DLQ_CAUSE_SEVERAL : bounds.bottleneck, step};
    *count = found;
    return DLQ_OK;
}
