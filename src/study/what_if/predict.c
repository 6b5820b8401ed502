/* The spread of the throughputs of single runs of a model. */
#include "study/what_if/what_if.h"

#include "stats/stats.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { MOST_DRAWS = 1 << 22, FEWEST_RUNS = 48, MOST_RUNS = 400, MOST_BATCHES = 50000 };

/* A run without epochs is simulated as one epoch. The interval of a run longer than those simulated is narrowed. */
enum dlq_status dlq_predict_run(struct dlq_model *model, long batches, const struct dlq_run *run,
                                struct dlq_estimate *throughput, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "predicting a run"};
    TRY(dlq_validate_run(run, error));
    TRY(dlq_model_check(model, error));
    struct dlq_system made = model->system;
    const struct dlq_system *all = &made;
    struct dlq_simulation result;
    char why[256];
    long most = MOST_DRAWS / made.pipeline.ranks;
    most = most > MOST_BATCHES ? MOST_BATCHES : most > 0 ? most : 1;
    struct dlq_simulate_options options = {
        .horizon = NAN,
        .batches = batches < most ? batches : most,
        .seed = dlq_run_seed(run),
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
    if (options.replications > MOST_RUNS)
        options.replications = MOST_RUNS;
    if (options.replications < FEWEST_RUNS)
        options.replications = FEWEST_RUNS;
    struct dlq_simulate_request request = {.plain = true};
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    size_t runs = (size_t)options.replications;
    NEW(&arena, request.seconds, runs);
    TRY(dlq_simulate_systems(&all, 1, &options, &request, &quiet, &result, error));
    double narrower = sqrt(fmax(1, (double)batches / (double)options.batches)), *rates = request.seconds;
    for (size_t i = 0; i < runs; i++)
        rates[i] = 1 / rates[i];
    gsl_sort(rates, 1, runs);
    double low = gsl_stats_quantile_from_sorted_data(rates, 1, runs, 0.025);
    double high = gsl_stats_quantile_from_sorted_data(rates, 1, runs, 0.975);
    double mean = fmin(fmax(gsl_stats_mean(rates, 1, runs), low), high); /* one run in 1,000 may dominate the mean */
    *throughput = (struct dlq_estimate){mean, mean + (low - mean) / narrower, mean + (high - mean) / narrower};
    return DLQ_OK;
}
