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

/* A step counts as stalled above 0.1 % of the mean step; of the mean load where steps take no time. In the long run AU
   is the utilization: a first step counts for nothing. */
static void describe(const struct dlq_system *system, const struct dlq_markov *markov, struct dlq_simulation *result)
{
    double utilization = markov->step > 0 ? markov->throughput * markov->step : NAN;
    double stall = 1e-3 * (markov->step > 0 ? markov->step : markov->load);
    *result = (struct dlq_simulation){
        .throughput = exactly(markov->throughput),
        .samples_per_second =
            exactly(markov->throughput * (double)(system->pipeline.batch_size * system->pipeline.ranks)),
        .utilization = exactly(utilization),
        .au = exactly(utilization),
        .wait_mean = exactly(markov->waiting * markov->load),
        .wait_p50 = dlq_markov_wait_quantile(markov, 0.5),
        .wait_p90 = dlq_markov_wait_quantile(markov, 0.9),
        .wait_p99 = dlq_markov_wait_quantile(markov, 0.99),
        .wait_max = NAN,
        .stalled_steps = exactly(dlq_markov_wait_beyond(markov, stall)),
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
