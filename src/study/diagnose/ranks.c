/* Ranks: which one is slow, and what the ranks cost one another. */
#include "base/elementary.h"
#include "study/diagnose/diagnose.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* What ranks differ by from rank 0, iteration by iteration: with a barrier in the data time alone. */
struct differences {
    double data, iter, longest, iter_sum;
};

/* Stalls that come close to another rank's, more of them than chance would have: were they anywhere, the next one would
   come that soon with 1 - exp(-rate), and their number were binomial. A cause that the ranks share makes them so. The
   ranks' iterations can be set side by side. */
static void find_shared_stalls(struct dlq_inquiry *inquiry)
{
    enum { CLOSE = 16, FEWEST = 3 };
    static const double rare = 0.005;
    const struct dlq_trace *trace = inquiry->trace;
    struct dlq_diagnosis *result = inquiry->result;
    double step = result->iter_time.median, level = fmax(5 * result->data_time.median, 0.2 * step), longest = 0;
    size_t count = trace->ranks[0].count, last = 0, last_rank = trace->rank_count;
    unsigned stalls = 0, close = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < trace->rank_count; r++) {
            double wait = trace->ranks[r].batches[i].data;
            if (!(wait > level) || dlq_is_start(&trace->ranks[r], i, inquiry->start_wait))
                continue;
            bool other = last_rank < trace->rank_count && last_rank != r;
            close += other && i - last <= CLOSE ? 1 : 0;
            stalls++;
            longest = fmax(longest, wait);
            last = i;
            last_rank = r;
        }
    if (close < FEWEST)
        return;
    double chance = 1 - dlq_exp(-(double)CLOSE * stalls / (double)count);
    if (!(gsl_cdf_binomial_Q(close - 1, chance, stalls - 1) < rare))
        return;
    result->shared_stalls = (double)close / (stalls - 1);
    result->longest_stall = longest / step;
}

/* false: the ranks' iterations can't be set side by side. */
static bool compare_iterations(const struct dlq_inquiry *inquiry, struct differences *sums)
{
    const struct dlq_trace *trace = inquiry->trace;
    const struct dlq_rank *first = &trace->ranks[0];
    if (!inquiry->result->whole || !inquiry->result->singles || first->count <= 2)
        return false;
    for (size_t r = 1; r < trace->rank_count; r++)
        if (trace->ranks[r].count != first->count)
            return false;
    bool any = false;
    for (size_t i = 0; i < first->count; i++) {
        double longest = 0;
        if (dlq_is_start(first, i, inquiry->start_wait))
            continue;
        for (size_t r = 0; r < trace->rank_count; r++) {
            const struct dlq_batch *batch = &trace->ranks[r].batches[i];
            if (!dlq_is_single(batch) || isnan(batch->iter) || batch->index != first->batches[i].index)
                return false;
            longest = fmax(longest, batch->data);
            sums->data += fabs(batch->data - first->batches[i].data);
            sums->iter += fabs(batch->iter - first->batches[i].iter);
        }
        any = true;
        sums->longest += longest;
        sums->iter_sum += first->batches[i].iter;
    }
    return any;
}

/* Ranks that wait for one another differ in how long they wait for data, not in how long an iteration takes. Where
   single iterations are not known, by the means of the ranks. */
static void find_barrier(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    struct differences sums = {0};
    if (compare_iterations(inquiry, &sums)) {
        find_shared_stalls(inquiry);
    } else {
        sums = (struct differences){.iter_sum = result->iter_time.mean};
        for (size_t r = 0; r < result->rank_count; r++) {
            sums.data += fabs(result->ranks[r].data_time.mean - result->ranks[0].data_time.mean);
            sums.iter += fabs(result->ranks[r].iter_time.mean - result->ranks[0].iter_time.mean);
            sums.longest = fmax(sums.longest, result->ranks[r].data_time.mean);
        }
    }
    double apart = sums.data / (double)(result->rank_count - 1) / sums.iter_sum;
    result->keeps_step = apart > 0.01 && sums.iter < 0.5 * sums.data;
    if (result->keeps_step)
        result->together_ratio = sums.longest / sums.iter_sum;
}

enum dlq_status dlq_diagnose_ranks(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    struct dlq_spread *records;
    double *means;
    size_t known = 0;
    if (result->rank_count < 2 || !result->has_data)
        return DLQ_OK;
    NEW(inquiry->arena, records, result->rank_count);
    NEW(inquiry->arena, means, result->rank_count);
    for (size_t r = 0; r < result->rank_count; r++) {
        const struct dlq_rank *rank = &inquiry->trace->ranks[r];
        for (size_t i = 0; i < rank->count; i++) /* each record counts once: a window's mean is one value */
            if (rank->batches[i].count > 0 && !isnan(rank->batches[i].data) &&
                !dlq_is_start(rank, i, inquiry->start_wait))
                dlq_spread_add(&records[r], rank->batches[i].data, 1);
        if (records[r].count > 0)
            means[known++] = dlq_spread_mean(&records[r]);
    }
    /* The lower one of two: one of two ranks can be slow. */
    result->median_rank_wait = dlq_quantile(means, known, 0.5);
    const double median = result->median_rank_wait;
    /* Slow: over 1.5 times the median rank, by over 1 % of the iteration, and 4 standard errors (Welch 1947) above the
       other ranks together: 6e-5 by chance, some for each of many ranks and for waits that are not independent. */
    for (size_t r = 0; r < result->rank_count; r++) {
        struct dlq_spread others = {0};
        double mean = dlq_spread_mean(&records[r]);
        for (size_t q = 0; q < result->rank_count; q++)
            if (q != r && !(dlq_spread_mean(&records[q]) > 1.5 * median))
                dlq_spread_merge(&others, &records[q]);
        if (!(others.count > 0) || !(records[r].count >= 3))
            continue;
        double error =
            sqrt(dlq_spread_variance(&records[r]) / records[r].count + dlq_spread_variance(&others) / others.count);
        result->ranks[r].slow = mean > 1.5 * median && mean - median > 0.01 * result->iter_time.mean &&
                                mean - dlq_spread_mean(&others) > 4 * error;
    }
    find_barrier(inquiry);
    return DLQ_OK;
}
