#include "dlqueue/solve.h"

#include "analytic/analytic.h"
#include "study/exact.h"
#include "study/host_use.h"
#include "study/levers.h"
#include "study/run.h"
#include "study/verdict.h"
#include "study/warnings.h"

#include <math.h>

/* LONGEST: batches of some seconds, with those that are simulated side by side. */
enum { SOLVE_BITS = 12, SOLVE_LONGEST = 1 << 28 };

/* Bounds and, where asked for, closed forms: all but the Markov chain's. */
static enum dlq_status formulas(struct dlq_model *model, struct dlq_bounds *bounds, struct dlq_closed_forms *forms,
                                struct dlq_error *error)
{
    struct dlq_bounds_context context = {0};
    struct dlq_system rounded;
    double resolution = model->simulate.resolution;
    enum dlq_status status = dlq_system_bounds(&model->system, resolution, &context, bounds, error);
    if (status == DLQ_OK)
        status = dlq_system_rounded(&model->system, resolution, &context, &rounded, error);
    if (status == DLQ_OK && forms != NULL)
        dlq_system_closed_forms(&rounded, bounds, forms);
    dlq_bounds_context_free(&context);
    return status;
}

enum dlq_status dlq_bounds(struct dlq_model *model, struct dlq_bounds *bounds, struct dlq_error *error)
{
    enum dlq_status status = dlq_model_check(model, error);
    return status == DLQ_OK ? formulas(model, bounds, NULL, error) : status;
}

enum dlq_status dlq_closed_forms(struct dlq_model *model, struct dlq_closed_forms *forms, struct dlq_error *error)
{
    struct dlq_bounds bounds;
    struct dlq_closed_forms found;
    enum dlq_status status = dlq_model_check(model, error);
    if (status == DLQ_OK)
        status = formulas(model, &bounds, &found, error);
    if (status == DLQ_OK)
        status = dlq_exact_form(model, &found.markov, error);
    if (status == DLQ_OK)
        *forms = found;
    return status;
}

static enum dlq_status simulate(const struct dlq_model *model, const struct dlq_bounds *bounds,
                                const struct dlq_run *run, struct dlq_simulation *result, struct dlq_error *error)
{
    const struct dlq_wishes wishes = {.histogram_bits = SOLVE_BITS, .period = true, .longest = SOLVE_LONGEST};
    const struct dlq_system *system = &model->system;
    enum dlq_status status = dlq_model_accept(model, system, error);
    if (status == DLQ_OK)
        status = dlq_answer_systems(model, &system, 1, &wishes, run, result, error);
    if (status == DLQ_OK)
        result->outside_bound = dlq_outside_bound(system, &model->simulate, bounds, result);
    return status;
}

enum dlq_status dlq_simulate(struct dlq_model *model, const struct dlq_run *run, struct dlq_simulation *result,
                             struct dlq_error *error)
{
    struct dlq_bounds bounds;
    enum dlq_status status = dlq_accept_run(run, error);
    if (status == DLQ_OK)
        status = dlq_bounds(model, &bounds, error);
    return status == DLQ_OK ? simulate(model, &bounds, run, result, error) : status;
}

/* Where the chain gave the answer, it need not be solved twice. */
static enum dlq_status markov_form(const struct dlq_model *model, const struct dlq_simulation *answer,
                                   struct dlq_closed_form *form, struct dlq_error *error)
{
    if (model->simulate.method != DLQ_METHOD_MARKOV)
        return dlq_exact_form(model, form, error);
    *form = (struct dlq_closed_form){answer->throughput.value, true};
    return DLQ_OK;
}

static enum dlq_status judge(struct dlq_model *model, const struct dlq_run *run, struct dlq_solution *solution,
                             struct dlq_error *error)
{
    const struct dlq_system *system = &model->system;
    const struct dlq_simulate_options options = dlq_levers_options(model, system);
    struct dlq_verdict *verdict = &solution->verdict;
    enum dlq_status status =
        dlq_losses(&system, &solution->simulation, 1, &options, run, verdict->losses, &verdict->loss_count, error);
    if (status != DLQ_OK)
        return status;
    verdict->bound_by = dlq_bound_by(system, &solution->bounds, &solution->simulation);
    if (verdict->bound_by == NULL)
        verdict->bound_by = dlq_worst_loss(verdict->losses, verdict->loss_count, solution->simulation.throughput.value,
                                           solution->bounds.step)
                                .cause;
    /* Of a long run, in continuous time: another would need another count. */
    const struct dlq_simulate_options *given = &model->simulate;
    if (isnan(given->horizon) && given->resolution == 0 && isfinite(system->load.variance))
        status = dlq_enough_loaders(system, verdict->bound_by, run, &verdict->enough_loaders, error);
    if (status != DLQ_OK)
        return status;
    dlq_verdict_say(system, &solution->bounds, &solution->simulation, verdict);
    return DLQ_OK;
}

static const struct dlq_simulation nothing_simulated = {
    .throughput = {NAN, NAN, NAN},
    .samples_per_second = {NAN, NAN, NAN},
    .utilization = {NAN, NAN, NAN},
    .au = {NAN, NAN, NAN},
    .wait_mean = {NAN, NAN, NAN},
    .wait_p50 = NAN,
    .wait_p90 = NAN,
    .wait_p99 = NAN,
    .wait_max = NAN,
    .stalled_steps = {NAN, NAN, NAN},
    .period = NAN,
    .batches = {NAN, NAN, NAN},
    .time_to_first_batch = {NAN, NAN, NAN},
    .epoch_seconds = {NAN, NAN, NAN},
    .cpu_slowdown = NAN,
    .storage_slowdown = NAN,
    .variance_reduction = NAN,
};

/* What is known when the work is interrupted: the formulas, and what was simulated. */
static void keep_finished(const struct dlq_system *system, struct dlq_solution *solved)
{
    solved->interrupted = true;
    solved->verdict = (struct dlq_verdict){.headroom = NAN};
    solved->levers = (struct dlq_levers){0};
    dlq_host_use_of(system, &solved->simulation, &solved->host);
}

enum dlq_status dlq_solve(struct dlq_model *model, const struct dlq_run *run, struct dlq_solution *solution,
                          struct dlq_error *error)
{
    struct dlq_solution solved = {.simulation = nothing_simulated};
    enum dlq_status status = dlq_accept_run(run, error);
    if (status == DLQ_OK)
        status = dlq_model_describe(model, &solved.description, error);
    if (status == DLQ_OK && run->has_seed)
        solved.description.seed = run->seed;
    if (status == DLQ_OK)
        status = formulas(model, &solved.bounds, &solved.forms, error);
    if (status == DLQ_OK)
        status = simulate(model, &solved.bounds, run, &solved.simulation, error);
    if (status == DLQ_OK)
        status = markov_form(model, &solved.simulation, &solved.forms.markov, error);
    if (status == DLQ_OK)
        status = judge(model, run, &solved, error);
    if (status == DLQ_OK)
        status = dlq_levers_find(model, &model->system, solved.simulation.throughput, run, &solved.levers, error);
    if (status == DLQ_INTERRUPTED) {
        keep_finished(&model->system, &solved);
        *solution = solved;
    }
    if (status != DLQ_OK)
        return status;
    dlq_host_use_of(&model->system, &solved.simulation, &solved.host);
    dlq_warnings_of(&solved.simulation, &solved.levers, &model->simulate, solved.warnings, &solved.warning_count);
    if (!solved.host.fits)
        dlq_warnings_add("does not fit: the batches in flight need more memory or /dev/shm than the host has",
                         solved.warnings, &solved.warning_count);
    *solution = solved;
    return DLQ_OK;
}
