/* Answers by the method that the model asks for: by simulation, or exactly by the Markov chain. */
#include "analytic/analytic.h"
#include "stats/stats.h"
#include "study/solve/solve.h"

#include <math.h>
#include <stdio.h>

static bool is_wanted(const struct dlq_model *model)
{
    return model->simulate.method == DLQ_METHOD_MARKOV;
}

static enum dlq_status refuse(const struct dlq_model *model, const char *why, struct dlq_error *error)
{
    return dlq_model_refuse(model, "simulate", "method", why, error);
}

enum dlq_status dlq_exact_accept(const struct dlq_model *model, const struct dlq_system *system,
                                 struct dlq_error *error)
{
    char reason[256];
    char why[320];
    if (!is_wanted(model))
        return DLQ_OK;
    if (!dlq_markov_applies(system, reason, sizeof reason)) {
        snprintf(why, sizeof why, "there is no Markov chain %s; use auto", reason);
        return refuse(model, why, error);
    }
    if (dlq_markov_is_solvable(system))
        return DLQ_OK;
    snprintf(
        why, sizeof why,
        "%ld loaders with a window of %ld make a Markov chain of %.3g states, too large to solve; lower loaders or "
        "prefetch, or use auto",
        system->pipeline.loaders, dlq_system_window(system), dlq_markov_states(system));
    return refuse(model, why, error);
}

static struct dlq_estimate exactly(double value)
{
    return (struct dlq_estimate){value, value, value};
}

/* In the long run AU is the utilization: a first step counts for nothing. */
static void describe(const struct dlq_system *system, const struct dlq_markov *markov, struct dlq_simulation *result)
{
    double utilization = markov->step > 0 ? markov->throughput * markov->step : NAN;
    *result = (struct dlq_simulation){
        .throughput = exactly(markov->throughput),
        .samples_per_second =
            exactly(markov->throughput * (double)(system->pipeline.batch_size * system->pipeline.ranks)),
        .utilization = exactly(utilization),
        .au = exactly(utilization),
        .pause_share = dlq_no_estimate,
        .wait_mean = exactly(markov->wait_mean),
        .wait_p50 = markov->wait_p50,
        .wait_p90 = markov->wait_p90,
        .wait_p99 = markov->wait_p99,
        .wait_max = NAN,
        .stalled_steps = exactly(markov->stalled),
        .period = NAN,
        .batches = dlq_no_estimate,
        .time_to_first_batch = dlq_no_estimate,
        .epoch_seconds = dlq_no_estimate,
        .cpu_slowdown = NAN,
        .storage_slowdown = NAN,
        .rare_events = NAN,
        .rare_batches = NAN,
        .outside_bound = NAN,
        .precision_reached = true,
        .variance_reduction = NAN,
    };
}

enum dlq_status dlq_answer_systems(const struct dlq_model *model, const struct dlq_system *const *systems, size_t count,
                                   const struct dlq_wishes *wishes, const struct dlq_run *run,
                                   struct dlq_simulation *results, struct dlq_error *error)
{
    if (!is_wanted(model))
        return dlq_simulate_systems(systems, count, &model->simulate, wishes, run, results, error);
    for (size_t i = 0; i < count; i++) {
        struct dlq_markov markov;
        enum dlq_status status = dlq_markov_solve(systems[i], run->interrupted, &markov, error);
        if (status != DLQ_OK)
            return status;
        describe(systems[i], &markov, &results[i]);
        if (run->progress != NULL)
            atomic_fetch_add(&run->progress->done, DLQ_WAVE);
    }
    return DLQ_OK;
}

enum dlq_status dlq_exact_form(const struct dlq_model *model, struct dlq_closed_form *form, struct dlq_error *error)
{
    char why[256];
    struct dlq_markov markov;
    const struct dlq_system *system = &model->system;
    *form = (struct dlq_closed_form){NAN, false};
    bool here = model->simulate.resolution == 0 && dlq_markov_applies(system, why, sizeof why);
    if (!here || (!is_wanted(model) && dlq_markov_work(system) > DLQ_MARKOV_INSTANT) || !dlq_markov_is_solvable(system))
        return DLQ_OK;
    enum dlq_status status = dlq_markov_solve(system, NULL, &markov, error);
    if (status == DLQ_OK)
        *form = (struct dlq_closed_form){markov.throughput, true};
    return status;
}
