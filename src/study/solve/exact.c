/* Answers by the method of the model: simulation, or the exact solution of a Markov chain. */
#include "analytic/analytic.h"
#include "sim/kernel.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdio.h>

static enum dlq_status accept_chain(const struct dlq_model *model, const struct dlq_system *system,
                                    struct dlq_error *error)
{
    char reason[256];
    char why[320];
    if (model->simulate.method != DLQ_METHOD_MARKOV)
        return DLQ_OK;
    if (!dlq_markov_applies(system, reason, sizeof reason))
        snprintf(why, sizeof why, "there is no Markov chain %s; use auto", reason);
    else if (!dlq_markov_size(system).solvable)
        snprintf(why, sizeof why,
                 "%ld loaders with a window of %ld make a Markov chain of %.3g states, too large to solve; lower "
                 "loaders or prefetch, or use auto",
                 system->pipeline.loaders, dlq_system_window(system), dlq_markov_size(system).states);
    else
        return DLQ_OK;
    return dlq_model_refuse(model, "simulate", "method", why, error);
}

enum dlq_status dlq_model_accept(const struct dlq_model *model, const struct dlq_system *system,
                                 struct dlq_error *error)
{
    char why[256], place[512];
    struct dlq_bounds bounds;
    dlq_system_upper(system, &bounds);
    if (isinf(bounds.upper))
        return dlq_model_refuse(model, "cache", isnan(system->cache.share) ? "size" : "share",
                                "it holds all that is loaded, and nothing else takes time: give [step] mean", error);
    if (dlq_simulate_accepts(system, why, sizeof why))
        return accept_chain(model, system, error);
    /* Too many ranks, or too large a window: the error names the key in [pipeline] that set it. */
    const long window = dlq_system_window(system);
    const bool ranks = (window <= DLQ_MOST_WINDOW || window == DLQ_UNBOUNDED) &&
                       dlq_kernel_keeps(system) > DLQ_MOST_KEPT / system->pipeline.ranks;
    const struct dlq_entry *entry = dlq_entries_find(&model->entries, "pipeline", ranks ? "ranks" : "window");
    if (entry == NULL && !ranks)
        entry = dlq_entries_find(&model->entries, "pipeline", "prefetch");
    return dlq_error_add(error, DLQ_INVALID, "%s: [pipeline] %s",
                         entry != NULL ? dlq_entry_place(entry, place, sizeof place) : dlq_model_file(model), why);
}

const struct dlq_simulation dlq_no_simulation = {
    .throughput = {NAN, NAN, NAN},
    .samples_per_second = {NAN, NAN, NAN},
    .utilization = {NAN, NAN, NAN},
    .stepping = {NAN, NAN, NAN},
    .au = {NAN, NAN, NAN},
    .pause_share = {NAN, NAN, NAN},
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
    .rare_events = NAN,
    .rare_batches = NAN,
    .outside_bound = NAN,
    .variance_reduction = NAN,
};

/* An estimate whose interval has no width. */
static struct dlq_estimate exactly(double value)
{
    return (struct dlq_estimate){value, value, value};
}

/* Shortened runs of a system that takes long to simulate begin with loads under way, so that their first batch comes
   early. The time to the first batch is measured in other runs, of one window, which begin with nothing loaded. */
static enum dlq_status find_first_batches(const struct dlq_system *const *systems, const bool *chosen, size_t count,
                                          const struct dlq_simulate_options *options, const struct dlq_run *run,
                                          struct dlq_simulation *results, struct dlq_arena *arena)
{
    const struct dlq_simulate_request request = {.plain = true};
    struct dlq_simulate_options brief = *options;
    struct dlq_simulation *starts;
    bool *costly;
    NEW(arena, starts, count);
    NEW(arena, costly, count);
    brief.batches = 1;
    brief.batches_given = true;
    brief.warmup = 0;
    brief.precision = 0;
    brief.replications = DLQ_WAVE;
    brief.measure = DLQ_MEASURE_MEANS;
    for (size_t i = 0; i < count; i++)
        costly[i] = chosen[i] && systems[i]->pipeline.epoch_batches == 0 && dlq_effort_is_costly(systems[i], options);
    TRY(dlq_simulate_some(systems, costly, count, &brief, &request, run, starts, arena->error));
    for (size_t i = 0; i < count; i++)
        if (costly[i])
            results[i].time_to_first_batch = starts[i].time_to_first_batch;
    return DLQ_OK;
}

/* Simulates the systems that pilot runs do not decide. */
static enum dlq_status simulate(const struct dlq_model *model, const struct dlq_system *const *systems, size_t count,
                                const struct dlq_simulate_request *request, const struct dlq_run *run,
                                struct dlq_simulation *results, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "simulating"};
    bool *decided, *open;
    NEW(&arena, decided, count);
    NEW(&arena, open, count);
    TRY(dlq_pilot_runs(systems, count, &model->simulate, request, run, results, decided, error));
    for (size_t i = 0; i < count; i++)
        open[i] = !decided[i];
    TRY(dlq_simulate_some(systems, open, count, &model->simulate, request, run, results, error));
    if (model->simulate.under_way) /* candidates of a plan, whose first batches are not reported */
        return DLQ_OK;
    return find_first_batches(systems, open, count, &model->simulate, run, results, &arena);
}

enum dlq_status dlq_answer_systems(const struct dlq_model *model, const struct dlq_system *const *systems, size_t count,
                                   const struct dlq_simulate_request *request, const struct dlq_run *run,
                                   struct dlq_simulation *results, struct dlq_error *error)
{
    if (model->simulate.method != DLQ_METHOD_MARKOV)
        return simulate(model, systems, count, request, run, results, error);
    for (size_t i = 0; i < count; i++) {
        struct dlq_markov markov;
        TRY(dlq_markov_solve(systems[i], run->interrupted, &markov, error));
        const struct dlq_pipeline *pipeline = &systems[i]->pipeline;
        struct dlq_simulation *result = &results[i];
        *result = dlq_no_simulation;
        result->throughput = exactly(markov.throughput);
        result->samples_per_second = exactly(markov.throughput * (double)(pipeline->batch_size * pipeline->ranks));
        /* In the long run the first step of a run, which AU leaves out, has no weight. */
        result->utilization = result->au = exactly(markov.step > 0 ? markov.throughput * markov.step : NAN);
        result->wait_mean = exactly(markov.wait_mean);
        result->wait_p50 = markov.wait_p50;
        result->wait_p90 = markov.wait_p90;
        result->wait_p99 = markov.wait_p99;
        result->stalled_steps = exactly(markov.stalled);
        result->precision_reached = true;
        if (run->progress != NULL)
            atomic_fetch_add(&run->progress->done, DLQ_WAVE * DLQ_PROGRESS_UNIT);
    }
    return DLQ_OK;
}

enum dlq_status dlq_exact_form(const struct dlq_model *model, struct dlq_closed_form *form, struct dlq_error *error)
{
    char why[256];
    struct dlq_markov markov;
    const struct dlq_system *system = &model->system;
    *form = (struct dlq_closed_form){NAN, false};
    if (model->simulate.resolution != 0 || !dlq_markov_applies(system, why, sizeof why) ||
        (model->simulate.method != DLQ_METHOD_MARKOV && dlq_markov_size(system).work > DLQ_MARKOV_INSTANT) ||
        !dlq_markov_size(system).solvable)
        return DLQ_OK;
    TRY(dlq_markov_solve(system, NULL, &markov, error));
    *form = (struct dlq_closed_form){markov.throughput, true};
    return DLQ_OK;
}
