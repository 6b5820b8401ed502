/* Prediction: what a single run of the fitted model will measure, how far runs lie apart, and what more loaders would
   do. */
#include "dist/dist.h"
#include "sim/simulate.h"
#include "study/fit/fit.h"
#include "study/model.h"
#include "study/what_if/what_if.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

enum { MOST_DRAWS = 1 << 22, FEWEST_RUNS = 48 };

/* A run without epochs is one of its own; the run asked for may be longer than those simulated. */
enum dlq_status dlq_predict(const struct dlq_system *system, long batches, const struct dlq_run *run,
                            struct dlq_estimate *throughput, struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "predicting a run"};
    struct dlq_system made = *system;
    const struct dlq_system *all = &made;
    struct dlq_simulation result;
    char why[256];
    long most = MOST_DRAWS / made.pipeline.ranks;
    most = most > DLQ_PREDICT_BATCHES ? DLQ_PREDICT_BATCHES : most > 0 ? most : 1;
    struct dlq_simulate_options options = {
        .horizon = NAN,
        .batches = batches < most ? batches : most,
        .seed = dlq_seed_of(run),
        .start = DLQ_START_TOGETHER,
        .method = DLQ_METHOD_SIMULATE,
        .measure = DLQ_MEASURE_THROUGHPUT,
    };
    *throughput = dlq_no_estimate;
    if (batches < 1 || !dlq_simulate_accepts(&made, why, sizeof why))
        return DLQ_OK;
    if (made.pipeline.epoch_batches == 0)
        made.pipeline.epoch_batches = options.batches;
    options.replications = 2 * MOST_DRAWS / (made.pipeline.ranks * options.batches);
    if (options.replications > DLQ_PREDICT_RUNS)
        options.replications = DLQ_PREDICT_RUNS;
    if (options.replications < FEWEST_RUNS)
        options.replications = FEWEST_RUNS;
    struct dlq_wishes wishes = {.plain = true};
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    size_t runs = (size_t)options.replications;
    NEW(&arena, wishes.seconds, runs);
    enum dlq_status status = dlq_simulate_systems(&all, 1, &options, &wishes, &quiet, &result, error);
    if (status == DLQ_OK) {
        double narrower = sqrt(fmax(1, (double)batches / (double)options.batches)), *rates = wishes.seconds;
        for (size_t i = 0; i < runs; i++)
            rates[i] = 1 / rates[i];
        gsl_sort(rates, 1, runs);
        double mean = gsl_stats_mean(rates, 1, runs);
        double low = gsl_stats_quantile_from_sorted_data(rates, 1, runs, 0.025);
        double high = gsl_stats_quantile_from_sorted_data(rates, 1, runs, 0.975);
        *throughput = (struct dlq_estimate){mean, mean + (low - mean) / narrower, mean + (high - mean) / narrower};
    }
    dlq_arena_end(&arena);
    return status;
}

/* -- the fitted model, asked -- */

enum { MOST_SUFFICING = 512 };

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
        static const char *const names[] = {"lognormal", "gamma", "exponential", "constant", NULL};
        const struct dlq_fit_tried *tried = &load->tried[i];
        struct dlq_system other = *system;
        size_t at = 0;
        /* Where another law of one mean and one cv explains the waits nearly as well (within 6 of AIC; Burnham and
           Anderson 2002, 2.6: up to 7 it is plausible), or is one of those that windows leave open (NAN), its loads:
           the tail, which decides how many loaders wait, is the law's. */
        while (names[at] != NULL && strcmp(tried->distribution, names[at]) != 0)
            at++;
        if (i > 0 && (names[at] == NULL || tried->aic_above >= 6))
            continue;
        if (i > 0) {
            const struct dlq_fitted law = dlq_fitted_of(names[at], tried->mean, at < 2 ? tried->cv : 0);
            other.load.count = 1;
            other.load.stages[0].family = law.family;
            other.load.stages[0].dist = law.dist;
            other.load.stages[0].probability = 1;
            dlq_work_refresh(&other.load);
        }
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
    if (status == DLQ_OK && model != NULL)
        status = dlq_predict(&model->system, batches, run, &fit->predicted, error);
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
