/* Predicts from several runs of a job with different numbers of loaders, by the average over laws of how loads that run
   side by side slow one another: capacities, and smooth laws (theory: prediction from a trace). A law counts the more,
   the less the work of loads then varies, and the better it gives the rates of all runs. */
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
    OF_SHARPNESS = 2, /* the best of each are tried, */
    OF_ALL = 4,       /* and of all others the best */
};

struct weighed {
    struct dlq_corrected_law by; /* factor: the recorded rate of runs[0], the nearest, over the replayed one */
    double log_weight;
    bool tried;
    double rate; /* batches/s that the record makes in the predicted pipeline, corrected */
};

/* The k-th law: capacities C of 0.5 (0.25) 6, 7, 8, 10, 12, 16 of the law ((1 + (n/C)^k)/(1 + C^-k))^(1/k), which is
   that of dlq_load_pace with capacity (1 + C^k)^(1/k); last the law of loads that do not slow one another. */
static struct dlq_load_law law_at(size_t at)
{
    static const double large[] = {7, 8, 10, 12, 16};
    const size_t c = at % CAPACITIES;
    const double capacity = c < 23 ? 0.5 + DLQ_CAPACITY_STEP * (double)c : large[c - 23];
    const double k = at < LAWS - 1 ? sharpnesses[at / CAPACITIES] : INFINITY;
    if (at == LAWS - 1)
        return (struct dlq_load_law){INFINITY, k};
    return (struct dlq_load_law){isinf(k) ? capacity : dlq_pow(1 + dlq_pow(capacity, k), 1 / k), k};
}

/* The variance without the 2 % at each end, which take the place of the nearest that stay. Sorts. */
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

/* Weighs all laws by the variances: -n log(V/V_min) / temper, and smooth laws count a third. */
static enum dlq_status weigh(struct dlq_arena *arena, const struct dlq_measured_run *runs, size_t count,
                             struct weighed laws[LAWS])
{
    double variances[LAWS], least = INFINITY, *logs;
    size_t n, **orders;
    TRY(dlq_load_orders(arena, runs, count, &orders, &n));
    NEW(arena, logs, n);
    for (size_t k = 0; k < LAWS; k++) {
        laws[k] = (struct weighed){.by.law = law_at(k)};
        dlq_log_work(runs, orders, count, &laws[k].by.law, logs);
        variances[k] = variance_of(logs, n);
        least = fmin(least, variances[k]);
    }
    for (size_t k = 0; k < LAWS; k++)
        laws[k].log_weight = -(double)n * dlq_log(variances[k] / least) / dlq_calibration.law_temper -
                             (isinf(laws[k].by.law.sharpness) ? 0 : dlq_log(dlq_calibration.law_smooth));
    return DLQ_OK;
}

/* Marks the heaviest laws of laws[begin..end) as tried, `count` of those that are not yet. */
static void try_best(struct weighed laws[LAWS], size_t begin, size_t end, size_t count)
{
    for (; count > 0; count--) {
        size_t best = end;
        for (size_t k = begin; k < end; k++)
            if (!laws[k].tried && (best == end || laws[k].log_weight > laws[best].log_weight))
                best = k;
        if (best < end)
            laws[best].tried = true;
    }
}

/* Replays all runs, and the predicted one, by a law. */
static enum dlq_status try_law(struct dlq_arena *arena, const struct dlq_resampling *from,
                               const struct dlq_measured_run *runs, size_t count, struct weighed *tried)
{
    for (size_t r = 0; r < count; r++) {
        struct dlq_resampling replayed = *from;
        const double seconds = dlq_measured_asked(&runs[r], runs[r].batches) - dlq_measured_asked(&runs[r], 0);
        dlq_resampling_set(&replayed, runs[r].loaders);
        TRY(dlq_demand_by_law(arena, &replayed, &runs[0], &tried->by.law, false));
        const double off = dlq_log((double)runs[r].batches / seconds / dlq_play_record(&replayed));
        tried->log_weight -= dlq_square(off / dlq_calibration.law_rate) / 2;
        tried->by.factor = r == 0 ? dlq_exp(off) : tried->by.factor;
    }
    struct dlq_resampling predicted = *from;
    TRY(dlq_demand_by_law(arena, &predicted, &runs[0], &tried->by.law, false));
    tried->rate = dlq_play_record(&predicted) * tried->by.factor;
    return DLQ_OK;
}

static double weight_of(const struct weighed *law, const struct weighed *best)
{
    return law->tried ? dlq_exp(law->log_weight - best->log_weight) : 0;
}

/* The law at the quantile .025 of the weighed rates; sign -1: .975. */
static const struct dlq_corrected_law *quantile_of(const struct weighed laws[LAWS], const struct weighed *best,
                                                   double sign)
{
    const struct weighed *found = NULL;
    for (size_t k = 0; k < LAWS; k++) {
        double up_to = 0, all = 0; /* weights of laws whose rate is no farther in, and of all */
        for (size_t i = 0; i < LAWS; i++) {
            const double weight = weight_of(&laws[i], best);
            up_to += sign * laws[i].rate <= sign * laws[k].rate ? weight : 0;
            all += weight;
        }
        if (laws[k].tried && up_to >= 0.025 * all && (found == NULL || sign * laws[k].rate < sign * found->rate))
            found = &laws[k];
    }
    return &found->by;
}

enum dlq_status dlq_predict_by_laws(struct dlq_arena *arena, struct dlq_resampling *from,
                                    const struct dlq_measured_run *runs, size_t count, size_t m, size_t more,
                                    const struct dlq_run *run, struct dlq_fit_prediction *prediction)
{
    struct weighed *laws, *best = NULL;
    double sum = 0, log_rate = 0;
    NEW(arena, laws, LAWS);
    TRY(weigh(arena, runs, count, laws));
    for (size_t s = 0; s < SHARPNESSES; s++)
        try_best(laws, s * CAPACITIES, (s + 1) * CAPACITIES, OF_SHARPNESS);
    try_best(laws, 0, LAWS, OF_ALL);
    for (size_t k = 0; k < LAWS; k++)
        if (laws[k].tried) {
            TRY(dlq_go_on(run, arena->error));
            TRY(try_law(arena, from, runs, count, &laws[k]));
            best = best == NULL || laws[k].log_weight > best->log_weight ? &laws[k] : best;
        }
    const struct dlq_corrected_law *const chosen[] = {&best->by, quantile_of(laws, best, 1),
                                                      quantile_of(laws, best, -1)};
    for (size_t k = 0; k < LAWS; k++) {
        const double weight = weight_of(&laws[k], best);
        sum += weight;
        log_rate += weight > 0 ? weight * dlq_log(laws[k].rate) : 0;
    }
    TRY(dlq_predict_by_three(arena, from, &runs[0], chosen, m, more, run, prediction));
    const double average = dlq_exp(log_rate / sum); /* of the rates of all laws */
    prediction->throughput.value = prediction->throughput.value * average / best->rate;
    prediction->long_run.value = prediction->long_run.value * average / best->rate;
    return DLQ_OK;
}
