/* What the lengths of steps and iterations show: long steps, in which one rank of several waits for the others; and in
   logs of iteration times alone, long iterations at equal distances, or iterations of two kinds. */
#include "logs/calibration.h"
#include "logs/study/diagnose/diagnose.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

struct times {
    double *at; /* s, in the order of the log */
    struct dlq_sample sorted;
    double iterations; /* s, the sum of all iterations */
};

/* Times of the iterations (with `steps`: of the steps) of the rank that waits most, without starts of epochs. */
static enum dlq_status fill_times(const struct dlq_diagnosing *diagnosing, bool steps, struct times *times)
{
    const struct dlq_rank *rank = diagnosing->waits_most;
    size_t count = 0;
    *times = (struct times){.iterations = 0};
    NEW(diagnosing->arena, times->at, rank->count + 1);
    NEW(diagnosing->arena, times->sorted.values, rank->count + 1);
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        const double time = batch->iter - (steps ? batch->data : 0);
        if (batch->count <= 0 || isnan(batch->iter) || dlq_is_start(rank, i, diagnosing->result->start_wait))
            continue;
        times->iterations += batch->iter;
        if (!isnan(time))
            times->at[count++] = time;
    }
    times->sorted.count = count;
    memcpy(times->sorted.values, times->at, count * sizeof *times->at);
    gsl_sort(times->sorted.values, 1, count);
    return DLQ_OK;
}

/* The time of steps beyond twice their median, as a share of all time, if it is large and a few steps are very long. Of
   300 steps of 0.1 s and 100 of 0.6 s, without waits: 100 (0.6 - 0.2) / 90 = 0.444. */
static enum dlq_status find_long_steps(const struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    struct times steps;
    double excess = 0;
    if (!result->one_rank || !result->has_data || (result->pause_count > 0 && !result->pauses_in_data))
        return DLQ_OK;
    TRY(fill_times(diagnosing, true, &steps));
    if ((double)steps.sorted.count < (result->single_iterations ? dlq_calibration.enough : dlq_calibration.few))
        return DLQ_OK;
    const double median = dlq_sample_quantile(&steps.sorted, 0.5), p99 = dlq_sample_quantile(&steps.sorted, 0.99);
    const double least = result->single_iterations ? median : steps.sorted.values[0], all = steps.iterations;
    for (size_t i = 0; i < steps.sorted.count; i++)
        excess += fmax(0, steps.at[i] - 2 * median);
    if (!(excess >= dlq_calibration.long_steps * all) || !(p99 >= dlq_calibration.long_step * least))
        return DLQ_OK;
    result->long_steps =
        (struct dlq_long_steps){.excess_share = excess / all, .median = median, .p99 = p99, .least = least};
    return DLQ_OK;
}

/* Finds long iterations at equal distances: most gaps are equal, and nearly all are multiples of the median gap. The
   gaps of independent long iterations would be geometric. gaps: scratch. */
static void find_rhythm(struct dlq_diagnosis *result, const struct times *times, double *gaps)
{
    const double median = dlq_sample_quantile(&times->sorted, 0.5), n = (double)times->sorted.count;
    size_t last = 0, count = 0, equal = 0, multiple = 0;
    double sum = 0, beyond = 0;
    for (size_t i = 0; i < times->sorted.count; i++) {
        if (!(times->at[i] > dlq_calibration.slow_clearly * median))
            continue;
        if (count > 0)
            gaps[count - 1] = (double)(i - last);
        sum += times->at[i];
        beyond += times->at[i] - median;
        last = i;
        count++;
    }
    if ((double)count < dlq_calibration.few)
        return;
    const long every = lround(dlq_median(gaps, count - 1));
    for (size_t i = 0; i + 1 < count; i++) {
        equal += (long)gaps[i] == every;
        multiple += (long)gaps[i] % every == 0;
    }
    const double gap_count = (double)(count - 1), share = (double)count / n;
    const double chance = share * pow(1 - share, (double)(every - 1));
    if (every < 2 || (double)equal < dlq_calibration.large_part * gap_count ||
        (double)multiple < dlq_calibration.nearly_all * gap_count ||
        !(gsl_cdf_binomial_Q((unsigned)equal - 1, chance, (unsigned)gap_count) < dlq_calibration.improbable))
        return;
    result->kinds = (struct dlq_iteration_kinds){
        .every = every, .usual = median, .longer = sum / (double)count, .excess_share = beyond / times->iterations};
}

/* Finds iterations of two kinds: the largest ratio of neighbors among the sorted times divides them. */
static void find_kinds(struct dlq_diagnosis *result, const struct times *times)
{
    const size_t few = (size_t)dlq_calibration.few;
    const double *sorted = times->sorted.values;
    const size_t count = times->sorted.count;
    size_t best = 0;
    double sum = 0;
    for (size_t i = few; i + few <= count; i++)
        if (sorted[i - 1] > 0 && (best == 0 || sorted[i] / sorted[i - 1] > sorted[best] / sorted[best - 1]))
            best = i;
    if (best == 0 || !(sorted[best] >= dlq_calibration.dominates * sorted[best - 1]))
        return;
    const double usual = sorted[(best - 1) / 2];
    for (size_t i = best; i < count; i++)
        sum += sorted[i] - usual;
    result->kinds = (struct dlq_iteration_kinds){.usual = usual,
                                                 .longer = sorted[best + (count - best - 1) / 2],
                                                 .long_fraction = (double)(count - best) / (double)count,
                                                 .excess_share = sum / times->iterations};
}

enum dlq_status dlq_diagnose_steps(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    struct times times;
    double *gaps;
    if (diagnosing->waits_most == NULL || result->numbers == DLQ_NUMBERS_TOTAL)
        return DLQ_OK;
    TRY(find_long_steps(diagnosing));
    if (result->has_data || !result->single_iterations)
        return DLQ_OK;
    TRY(fill_times(diagnosing, false, &times));
    if ((double)times.sorted.count < dlq_calibration.fewest_times)
        return DLQ_OK;
    NEW(diagnosing->arena, gaps, times.sorted.count);
    find_rhythm(result, &times, gaps);
    if (isnan(result->kinds.excess_share))
        find_kinds(result, &times);
    return DLQ_OK;
}
