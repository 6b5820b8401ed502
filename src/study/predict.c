#include "study/predict.h"

#include "dist/dist.h"
#include "sim/draws.h"
#include "sim/group.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

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

static bool allocate(struct prediction *prediction)
{
    size_t ranks = (size_t)prediction->point.ranks;
    prediction->stride = prediction->batches + prediction->point.kernel->ahead(&prediction->point);
    prediction->loads = calloc(ranks * prediction->stride, sizeof(double));
    prediction->steps = calloc(prediction->batches, sizeof(double));
    prediction->delivered = calloc(prediction->batches, sizeof(double));
    prediction->finished = calloc(prediction->batches, sizeof(double));
    prediction->group = dlq_group_new(&prediction->point);
    return prediction->loads != NULL && prediction->steps != NULL && prediction->delivered != NULL &&
           prediction->finished != NULL && prediction->group != NULL;
}

static void release(struct prediction *prediction)
{
    dlq_group_free(prediction->group);
    dlq_draws_free(&prediction->load);
    dlq_draws_free(&prediction->step);
    dlq_source_free(&prediction->load_source);
    dlq_source_free(&prediction->step_source);
    free(prediction->loads);
    free(prediction->steps);
    free(prediction->delivered);
    free(prediction->finished);
}

static enum dlq_status prepare(struct prediction *prediction, const struct dlq_system *system, struct dlq_error *error)
{
    enum dlq_instructions set = dlq_instructions_best();
    enum dlq_status status =
        dlq_source_begin(&prediction->load_source, &system->load, DLQ_PURPOSE_LOAD, DLQ_SAMPLER_FAST, set, error);
    if (status == DLQ_OK)
        status =
            dlq_source_begin(&prediction->step_source, &system->step, DLQ_PURPOSE_STEP, DLQ_SAMPLER_FAST, set, error);
    if (status == DLQ_OK)
        status =
            dlq_draws_begin(&prediction->load, &prediction->load_source, 1, (size_t)prediction->point.ranks, error);
    if (status == DLQ_OK)
        status = dlq_draws_begin(&prediction->step, &prediction->step_source, 1, 1, error);
    if (status == DLQ_OK && !allocate(prediction))
        status = dlq_error_memory(error, "predicting a run");
    return status;
}

/* The whole run, epoch by epoch; returns when its last step ends. */
static double play(struct prediction *prediction)
{
    const struct dlq_point *point = &prediction->point;
    size_t epoch = point->epoch > 0 ? (size_t)point->epoch : prediction->batches;
    double ended = 0;
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
    return ended;
}

static double run_once(struct prediction *prediction, uint64_t seed, uint32_t number)
{
    dlq_draws_start(&prediction->load, seed, number);
    dlq_draws_start(&prediction->step, seed, number);
    for (size_t rank = 0; rank < (size_t)prediction->point.ranks; rank++)
        dlq_draws_next(&prediction->load, rank, prediction->stride, prediction->loads + rank * prediction->stride,
                       NULL);
    dlq_draws_next(&prediction->step, 0, prediction->batches, prediction->steps, NULL);
    return (double)prediction->batches / play(prediction);
}

/* Quantiles of the runs; `narrower`: the run asked for is that many times as long as those that were simulated. */
static struct dlq_estimate summarize(double *rates, size_t runs, double narrower)
{
    double mean = gsl_stats_mean(rates, 1, runs);
    gsl_sort(rates, 1, runs);
    double low = gsl_stats_quantile_from_sorted_data(rates, 1, runs, 0.025);
    double high = gsl_stats_quantile_from_sorted_data(rates, 1, runs, 0.975);
    return (struct dlq_estimate){mean, mean + (low - mean) / sqrt(narrower), mean + (high - mean) / sqrt(narrower)};
}

static enum dlq_status run_all(struct prediction *prediction, size_t runs, double narrower, uint64_t seed,
                               const struct dlq_run *run, struct dlq_estimate *throughput, struct dlq_error *error)
{
    double *rates = calloc(runs, sizeof *rates);
    if (rates == NULL)
        return dlq_error_memory(error, "predicting a run");
    for (size_t i = 0; i < runs; i++) {
        if (run->interrupted != NULL && *run->interrupted != 0) {
            free(rates);
            return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
        }
        rates[i] = run_once(prediction, seed, (uint32_t)i);
    }
    *throughput = summarize(rates, runs, narrower);
    free(rates);
    return DLQ_OK;
}

enum dlq_status dlq_predict(const struct dlq_system *system, long batches, const struct dlq_run *run,
                            struct dlq_estimate *throughput, struct dlq_error *error)
{
    struct prediction prediction = {0};
    struct dlq_estimate none = {NAN, NAN, NAN};
    dlq_point_make(&prediction.point, system, 0, DLQ_START_TOGETHER);
    if (prediction.point.kernel->needs_stages || batches < 1) {
        *throughput = none;
        return DLQ_OK;
    }
    size_t most = MOST_DRAWS / (size_t)prediction.point.ranks;
    most = most > DLQ_PREDICT_BATCHES ? DLQ_PREDICT_BATCHES : most > 0 ? most : 1;
    prediction.batches = (size_t)batches < most ? (size_t)batches : most;
    size_t runs = 2 * (size_t)MOST_DRAWS / ((size_t)prediction.point.ranks * prediction.batches);
    runs = runs > DLQ_PREDICT_RUNS ? DLQ_PREDICT_RUNS : runs < FEWEST_RUNS ? FEWEST_RUNS : runs;
    enum dlq_status status = prepare(&prediction, system, error);
    if (status == DLQ_OK)
        status = run_all(&prediction, runs, (double)batches / (double)prediction.batches, run->has_seed ? run->seed : 1,
                         run, throughput, error);
    release(&prediction);
    return status;
}
