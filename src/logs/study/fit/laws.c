/* Predicts from several runs of a job with different numbers of loaders, by the average over laws of how loads that run
   side by side slow one another (theory: prediction from a trace): laws with a sharp limit (infinite sharpness), and
   smooth laws (finite sharpness). A law has more weight the less the work of loads varies under it, and the closer it
   comes to the rates of all runs. */
#include "logs/study/fit/resample.h"

#include "base/elementary.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

static const double sharpnesses[] = {1, 1.5, 2, 3, 5, INFINITY};
enum {
    SHARPNESSES = sizeof sharpnesses / sizeof *sharpnesses,
    CAPACITIES = 28, /* of each sharpness */
    LAWS = SHARPNESSES * CAPACITIES + 1,
    OF_SHARPNESS = 2, /* laws of each sharpness that are tried: the heaviest */
    OF_ALL = 4,       /* further laws that are tried: the heaviest of all others */
};

struct weighed {
    struct dlq_corrected_law corrected; /* factor: recorded rate over replayed rate of runs[0] (nearest in loaders) */
    double log_weight;
    bool selected; /* for a trial by try_law */
    double rate;   /* batches/s of the record in the predicted pipeline, times the factor */
};

/* The law of an index. n loads side by side take ((1 + (n/C)^k) / (1 + C^-k))^(1/k) times as long as one, which is
   dlq_load_pace with capacity (1 + C^k)^(1/k), for each sharpness k with C from 0.5 to 6 in steps of 0.25, then 7, 8,
   10, 12, 16. The last law: loads do not slow one another. */
static struct dlq_load_law law_of(size_t index)
{
    static const double large[] = {7, 8, 10, 12, 16};
    const size_t place = index % CAPACITIES;
    const double c = place < 23 ? 0.5 + DLQ_CAPACITY_STEP * (double)place : large[place - 23]; /* C */
    const double k = index < LAWS - 1 ? sharpnesses[index / CAPACITIES] : INFINITY;
    if (index == LAWS - 1)
        return (struct dlq_load_law){INFINITY, k};
    return (struct dlq_load_law){isinf(k) ? c : dlq_pow(1 + dlq_pow(c, k), 1 / k), k};
}

/* The winsorized variance: the 2 % of values at each end are set to the nearest other value. Sorts the values. */
static double variance_of(double *logs, size_t n)
{
    qsort(logs, n, sizeof *logs, dlq_ascending);
    const size_t cut = n / 50;
    for (size_t i = 0; i < cut; i++) {
        logs[i] = logs[cut];
        logs[n - 1 - i] = logs[n - 1 - cut];
    }
    return gsl_stats_variance(logs, 1, n);
}

/* Sets the log weights: -n log(V/V_min) / temper for n loads, V the variance of the logarithms of their work and V_min
   the least of all laws; smooth laws have a third of the weight. */
static enum dlq_status weigh(struct dlq_arena *arena, const struct dlq_measured_run *runs, size_t count,
                             struct weighed laws[LAWS])
{
    double variances[LAWS], least = INFINITY, *logs;
    size_t n, **orders;
    TRY(dlq_load_orders(arena, runs, count, &orders, &n));
    NEW(arena, logs, n);
    for (size_t k = 0; k < LAWS; k++) {
        laws[k] = (struct weighed){.corrected.law = law_of(k)};
        dlq_log_work(runs, orders, count, &laws[k].corrected.law, logs);
        variances[k] = variance_of(logs, n);
        least = fmin(least, variances[k]);
    }
    for (size_t k = 0; k < LAWS; k++)
        laws[k].log_weight = -(double)n * dlq_log(variances[k] / least) / dlq_calibration.law_temper -
                             (isinf(laws[k].corrected.law.sharpness) ? 0 : dlq_log(dlq_calibration.law_smooth));
    return DLQ_OK;
}

/* Selects the `count` heaviest laws of laws[begin..end) that are not selected yet. */
static void select_heaviest(struct weighed laws[LAWS], size_t begin, size_t end, size_t count)
{
    for (; count > 0; count--) {
        size_t best = end;
        for (size_t k = begin; k < end; k++)
            if (!laws[k].selected && (best == end || laws[k].log_weight > laws[best].log_weight))
                best = k;
        if (best < end)
            laws[best].selected = true;
    }
}

/* Replays all runs by a law, lowers its log weight by the errors of their rates, and finds its factor; then simulates
   the record in the predicted pipeline and sets the rate. */
static enum dlq_status try_law(struct dlq_arena *arena, const struct dlq_resampling *sampler,
                               const struct dlq_measured_run *runs, size_t count, struct weighed *law)
{
    for (size_t r = 0; r < count; r++) {
        struct dlq_resampling replayed = *sampler;
        const double seconds = dlq_measured_requested(&runs[r], runs[r].batches) - dlq_measured_requested(&runs[r], 0);
        dlq_resampling_set(&replayed, runs[r].loaders);
        TRY(dlq_demand_by_law(arena, &replayed, &runs[0], &law->corrected.law, false));
        const double log_error = dlq_log((double)runs[r].batches / seconds / dlq_simulate_record(&replayed));
        law->log_weight -= dlq_square(log_error / dlq_calibration.law_rate) / 2;
        law->corrected.factor = r == 0 ? dlq_exp(log_error) : law->corrected.factor;
    }
    struct dlq_resampling predicted = *sampler;
    TRY(dlq_demand_by_law(arena, &predicted, &runs[0], &law->corrected.law, false));
    law->rate = dlq_simulate_record(&predicted) * law->corrected.factor;
    return DLQ_OK;
}

static double weight_of(const struct weighed *law, const struct weighed *best)
{
    return law->selected ? dlq_exp(law->log_weight - best->log_weight) : 0;
}

/* The law at the 0.025 quantile of the weighed rates (sign 1) or at the 0.975 quantile (sign -1). */
static const struct dlq_corrected_law *quantile_of(const struct weighed laws[LAWS], const struct weighed *best,
                                                   double sign)
{
    const struct weighed *found = NULL;
    for (size_t k = 0; k < LAWS; k++) {
        double up_to = 0, all = 0; /* weights: of the laws up to the k-th in order of rate, and of all */
        for (size_t i = 0; i < LAWS; i++) {
            const double weight = weight_of(&laws[i], best);
            up_to += sign * laws[i].rate <= sign * laws[k].rate ? weight : 0;
            all += weight;
        }
        if (laws[k].selected && up_to >= 0.025 * all && (found == NULL || sign * laws[k].rate < sign * found->rate))
            found = &laws[k];
    }
    return &found->corrected;
}

enum dlq_status dlq_predict_by_laws(struct dlq_arena *arena, struct dlq_resampling *sampler,
                                    const struct dlq_measured_run *runs, size_t count, size_t m, size_t m_long,
                                    const struct dlq_run *run, struct dlq_fit_prediction *prediction)
{
    struct weighed *laws, *best = NULL;
    double sum = 0, log_rate = 0;
    NEW(arena, laws, LAWS);
    TRY(weigh(arena, runs, count, laws));
    for (size_t s = 0; s < SHARPNESSES; s++)
        select_heaviest(laws, s * CAPACITIES, (s + 1) * CAPACITIES, OF_SHARPNESS);
    select_heaviest(laws, 0, LAWS, OF_ALL);
    for (size_t k = 0; k < LAWS; k++)
        if (laws[k].selected) {
            TRY(dlq_check_interrupt(run, arena->error));
            TRY(try_law(arena, sampler, runs, count, &laws[k]));
            best = best == NULL || laws[k].log_weight > best->log_weight ? &laws[k] : best;
        }
    const struct dlq_corrected_law *const chosen[] = {&best->corrected, quantile_of(laws, best, 1),
                                                      quantile_of(laws, best, -1)};
    for (size_t k = 0; k < LAWS; k++) {
        const double weight = weight_of(&laws[k], best);
        sum += weight;
        log_rate += weight > 0 ? weight * dlq_log(laws[k].rate) : 0;
    }
    TRY(dlq_predict_by_three(arena, sampler, &runs[0], chosen, m, m_long, run, prediction));
    const double average = dlq_exp(log_rate / sum); /* of the rates of all laws */
    prediction->throughput.value = prediction->throughput.value * average / best->rate;
    prediction->long_run.value = prediction->long_run.value * average / best->rate;
    return DLQ_OK;
}
