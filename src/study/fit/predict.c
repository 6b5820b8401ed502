/* Prediction: what a single run of the fitted model will measure, how far runs lie apart, and what more loaders would
   do. */
#include "dist/dist.h"
#include "sim/draws.h"
#include "sim/group.h"
#include "study/fit/fit.h"
#include "study/model.h"
#include "study/what_if/what_if.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

enum { MOST_DRAWS = 1 << 22, FEWEST_RUNS = 40 };

/* One run after the other, each with all its draws in memory. */
struct prediction {
    struct dlq_point point;
    struct dlq_source load_source, step_source;
    struct dlq_draws load, step;
    struct dlq_group *group;
    size_t batches, stride;
    double *loads, *steps, *delivered, *finished;
};

/* The rate of a whole run, epoch by epoch, until its last step ends. */
static double run_once(struct prediction *prediction, uint64_t seed, uint32_t number)
{
    const struct dlq_point *point = &prediction->point;
    size_t epoch = point->epoch > 0 ? (size_t)point->epoch : prediction->batches;
    double ended = 0;
    dlq_draws_start(&prediction->load, seed, number);
    dlq_draws_start(&prediction->step, seed, number);
    for (size_t rank = 0; rank < (size_t)point->ranks; rank++)
        dlq_draws_next(&prediction->load, rank, prediction->stride, prediction->loads + rank * prediction->stride,
                       NULL);
    dlq_draws_next(&prediction->step, 0, prediction->batches, prediction->steps, NULL);
    dlq_group_reset(prediction->group);
    for (size_t at = 0; at < prediction->batches; at += epoch) {
        size_t n = prediction->batches - at < epoch ? prediction->batches - at : epoch;
        double ready = ended + (at == 0 || !point->persistent ? point->startup : 0);
        struct dlq_block block = {
            .loads = prediction->loads + at,
            .steps = prediction->steps + at,
            .stride = prediction->stride,
        };
        dlq_group_epoch(prediction->group, ready, NULL, 0, point->epoch > 0 ? point->epoch : LONG_MAX);
        dlq_group_advance(prediction->group, &block, n, prediction->delivered, prediction->finished);
        ended = prediction->finished[n - 1];
    }
    return (double)prediction->batches / ended;
}

/* Mean and quantiles of the runs; the run asked for may be `narrower` times as long as those simulated. */
static enum dlq_status run_all(struct dlq_arena *arena, struct prediction *prediction, const struct dlq_system *system,
                               size_t runs, double narrower, const struct dlq_run *run, struct dlq_estimate *throughput)
{
    enum dlq_instructions set = dlq_instructions_best();
    size_t ranks = (size_t)prediction->point.ranks;
    struct dlq_error *error = arena->error;
    double *rates;
    TRY(dlq_source_begin(&prediction->load_source, &system->load, DLQ_PURPOSE_LOAD, DLQ_SAMPLER_FAST, set, error));
    TRY(dlq_source_begin(&prediction->step_source, &system->step, DLQ_PURPOSE_STEP, DLQ_SAMPLER_FAST, set, error));
    TRY(dlq_draws_begin(&prediction->load, &prediction->load_source, 1, ranks, error));
    TRY(dlq_draws_begin(&prediction->step, &prediction->step_source, 1, 1, error));
    prediction->stride = prediction->batches + prediction->point.kernel->ahead(&prediction->point);
    NEW(arena, prediction->loads, ranks * prediction->stride);
    NEW(arena, prediction->steps, prediction->batches);
    NEW(arena, prediction->delivered, prediction->batches);
    NEW(arena, prediction->finished, prediction->batches);
    NEW(arena, rates, runs);
    prediction->group = dlq_group_new(&prediction->point);
    if (prediction->group == NULL)
        return dlq_error_memory(error, arena->doing);
    for (size_t i = 0; i < runs; i++) {
        TRY(dlq_go_on(run, error));
        rates[i] = run_once(prediction, run->has_seed ? run->seed : 1, (uint32_t)i);
    }
    double mean = gsl_stats_mean(rates, 1, runs);
    gsl_sort(rates, 1, runs);
    double low = gsl_stats_quantile_from_sorted_data(rates, 1, runs, 0.025);
    double high = gsl_stats_quantile_from_sorted_data(rates, 1, runs, 0.975);
    *throughput =
        (struct dlq_estimate){mean, mean + (low - mean) / sqrt(narrower), mean + (high - mean) / sqrt(narrower)};
    return DLQ_OK;
}

enum dlq_status dlq_predict(const struct dlq_system *system, long batches, const struct dlq_run *run,
                            struct dlq_estimate *throughput, struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "predicting a run"};
    struct prediction prediction = {0};
    dlq_point_make(&prediction.point, system, 0, DLQ_START_TOGETHER);
    if (prediction.point.kernel->needs_stages || batches < 1) {
        *throughput = dlq_no_estimate;
        return DLQ_OK;
    }
    size_t ranks = (size_t)prediction.point.ranks, most = MOST_DRAWS / ranks;
    most = most > DLQ_PREDICT_BATCHES ? DLQ_PREDICT_BATCHES : most > 0 ? most : 1;
    prediction.batches = (size_t)batches < most ? (size_t)batches : most;
    size_t runs = 2 * (size_t)MOST_DRAWS / (ranks * prediction.batches);
    runs = runs > DLQ_PREDICT_RUNS ? DLQ_PREDICT_RUNS : runs < FEWEST_RUNS ? FEWEST_RUNS : runs;
    double narrower = (double)batches / (double)prediction.batches;
    enum dlq_status status = run_all(&arena, &prediction, system, runs, narrower, run, throughput);
    dlq_group_free(prediction.group);
    dlq_draws_free(&prediction.load);
    dlq_draws_free(&prediction.step);
    dlq_source_free(&prediction.load_source);
    dlq_source_free(&prediction.step_source);
    dlq_arena_end(&arena);
    return status;
}

/* -- the fitted model, asked -- */

enum { MOST_SUFFICING = 512 };

/* Where another law of one mean and one cv explains the waits nearly as well (within 6 of AIC; Burnham and Anderson
   2002, 2.6: up to 7 it is plausible), or is one of those that windows leave open (NAN), its loads: the tail, which
   decides how many loaders wait, is the law's. */
static bool has_plausible(const struct dlq_fit_tried *tried, struct dlq_work *load)
{
    static const char *const names[] = {"lognormal", "gamma", "exponential", "constant"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (tried->aic_above >= 6 || strcmp(tried->distribution, names[i]) != 0)
            continue;
        const struct dlq_fitted law = dlq_fitted_of(names[i], tried->mean, i < 2 ? tried->cv : 0);
        load->count = 1;
        load->stages[0].family = law.family;
        load->stages[0].dist = law.dist;
        load->stages[0].probability = 1;
        dlq_work_refresh(load);
        return true;
    }
    return false;
}

/* The least loaders that suffice, by the law; and by the ends of the interval of its mean, of that law and of others
   that may be true, rounded outward. */
static enum dlq_status count_loaders(struct dlq_fit *fit, const struct dlq_system *system, const struct dlq_run *run,
                                     struct dlq_error *error)
{
    const struct dlq_fit_law *load = &fit->load;
    /* Of windows the laws are the ends. */
    bool windows = fit->source == DLQ_FIT_WINDOWS && load->tried_count > 1;
    const double ends[] = {windows ? 1 : load->mean_low / load->mean, windows ? 1 : load->mean_high / load->mean};
    struct dlq_sufficient found;
    double *target = &fit->prediction.target;
    TRY(dlq_suffices(system, *target, MOST_SUFFICING, run, &found, error));
    if (found.loaders == 0 && found.most_tried > 0 && system->overheads.receive > 0) {
        *target = dlq_target_beside_receiving(system->step.mean, system->overheads.receive);
        TRY(dlq_suffices(system, *target, MOST_SUFFICING, run, &found, error));
    }
    fit->suffices = found.loaders;
    fit->most_tried = found.most_tried;
    if (found.loaders <= 0 || !(ends[0] > 0 && load->mean_high > load->mean_low) || load->only_bound)
        return DLQ_OK;
    double point = (double)found.loaders, least = point, most = point;
    for (size_t i = 0; i < load->tried_count; i++) {
        struct dlq_system other = *system;
        if (i > 0 && !has_plausible(&load->tried[i], &other.load))
            continue;
        const double mean = other.load.mean;
        for (size_t k = 0; k < 2; k++) {
            dlq_work_set_mean(&other.load, ends[k] * mean);
            TRY(dlq_suffices(&other, *target, MOST_SUFFICING, run, &found, error));
            double count = found.loaders > 0 ? (double)found.loaders : MOST_SUFFICING;
            least = fmin(least, count);
            most = fmax(most, count);
        }
    }
    double more = point >= 8 ? 1 : 0;
    fit->prediction.recommended =
        (struct dlq_estimate){point, fmin(point, fmax(1, least - more)), fmin(MOST_SUFFICING, most + more)};
    return DLQ_OK;
}

enum dlq_status dlq_fit_ask_model(struct dlq_fit *fit, long batches, const struct dlq_run *run, struct dlq_error *error)
{
    struct dlq_model *model = NULL;
    enum dlq_status status = dlq_fit_model(fit, &model, error);
    if (status == DLQ_OK && model != NULL) {
        struct dlq_system system = model->system;
        if (fit->one_by_one) { /* what shares one core, batch after batch: one loader with the window of all */
            system.pipeline.window = dlq_system_window(&system);
            system.pipeline.loaders = 1;
            system.host.cores = NAN;
        }
        status = dlq_predict(&system, batches, run, &fit->predicted, error);
    }
    const struct dlq_estimate *recommended = &fit->prediction.recommended;
    if (fit->prediction.batches > 0) {
        fit->suffices = isfinite(recommended->value) ? lround(recommended->value) : 0;
        fit->most_tried = isnan(recommended->value) ? 0 : MOST_SUFFICING;
    } else if (status == DLQ_OK && model != NULL && fit->loaders > 0 && fit->loaders_known && !fit->one_by_one &&
               fit->rhythm == 0 && fit->step.mean > 0 && !fit->step.only_bound) {
        status = count_loaders(fit, &model->system, run, error);
    }
    dlq_model_free(model);
    return status;
}
