/* Ranks: which one is slow, and what the ranks cost one another. */
#include "base/elementary.h"
#include "logs/study/diagnose/diagnose.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

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
            if (!(wait > level) || dlq_is_start(&trace->ranks[r], i, result->start_wait))
                continue;
            bool other = last_rank < trace->rank_count && last_rank != r;
            close += other && i - last <= CLOSE ? 1 : 0;
            stalls++;
            longest = fmax(longest, wait);
            last = i;
            last_rank = r;
        }
    if (close < FEWEST || !(step > 0))
        return;
    double chance = 1 - dlq_exp(-(double)CLOSE * stalls / (double)count);
    if (!(gsl_cdf_binomial_Q(close - 1, chance, stalls - 1) < rare))
        return;
    result->shared_stalls = (double)close / (stalls - 1);
    result->longest_stall = longest / step;
}

/* Ranks that wait for one another differ from rank 0 in how long they wait for data, not in how long an iteration
   takes: iteration by iteration, or, where these cannot be set side by side, by the means of the ranks. */
static void find_barrier(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    const struct dlq_rank *ranks = inquiry->trace->ranks, *first = &ranks[0];
    double data = 0, iter = 0, longest = 0, all = 0;
    size_t steady = 0;
    bool aligned = result->whole && result->singles && first->count > 2;
    for (size_t r = 1; r < result->rank_count; r++)
        aligned = aligned && ranks[r].count == first->count;
    for (size_t i = 0; aligned && i < first->count; i++) {
        double most = 0;
        if (dlq_is_start(first, i, result->start_wait))
            continue;
        for (size_t r = 0; aligned && r < result->rank_count; r++) {
            const struct dlq_batch *batch = &ranks[r].batches[i], *own = &first->batches[i];
            aligned = dlq_is_single(batch) && !isnan(batch->iter) && batch->index == own->index;
            if (!aligned)
                break;
            most = fmax(most, batch->data);
            data += fabs(batch->data - own->data);
            iter += fabs(batch->iter - own->iter);
        }
        steady++;
        longest += most;
        all += first->batches[i].iter;
    }
    if (aligned && steady > 0) {
        find_shared_stalls(inquiry);
    } else {
        data = iter = longest = 0;
        all = result->iter_time.mean;
        for (size_t r = 0; r < result->rank_count; r++) {
            data += fabs(result->ranks[r].data_time.mean - result->ranks[0].data_time.mean);
            iter += fabs(result->ranks[r].iter_time.mean - result->ranks[0].iter_time.mean);
            longest = fmax(longest, result->ranks[r].data_time.mean);
        }
    }
    result->keeps_step = data / (double)(result->rank_count - 1) / all > 0.01 && iter < 0.5 * data;
    if (result->keeps_step)
        result->together_ratio = dlq_waiting_share(longest, all);
}

/* Each record counts once: a window's mean is one value. The interval is that of the means of stretches of equal
   length: nearly independent, whatever the single waits are (batch means). */
static enum dlq_status find_steady_wait(const struct dlq_inquiry *inquiry, size_t r, struct dlq_spread *records)
{
    enum { BLOCKS = 10 };
    const struct dlq_rank *rank = &inquiry->trace->ranks[r];
    struct dlq_estimate *wait = &inquiry->result->ranks[r].steady_wait;
    struct dlq_spread blocks[BLOCKS] = {0};
    double *waits, means[BLOCKS];
    size_t count = 0;
    NEW(inquiry->arena, waits, rank->count);
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].count > 0 && !isnan(rank->batches[i].data) &&
            !dlq_is_start(rank, i, inquiry->result->start_wait)) {
            waits[count++] = rank->batches[i].data;
            dlq_spread_add(records, rank->batches[i].data, 1);
        }
    const size_t block_count = count < BLOCKS ? count : BLOCKS;
    for (size_t i = 0; i < count; i++)
        dlq_spread_add(&blocks[i * block_count / count], waits[i], 1);
    for (size_t b = 0; b < block_count; b++)
        means[b] = dlq_spread_mean(&blocks[b]);
    *wait = block_count > 1 ? dlq_estimate_of(means, block_count) : dlq_no_estimate;
    wait->value = dlq_spread_mean(records);
    wait->low = fmax(0, wait->low);
    return DLQ_OK;
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
        TRY(find_steady_wait(inquiry, r, &records[r]));
        if (records[r].count > 0)
            means[known++] = dlq_spread_mean(&records[r]);
    }
    /* Told against the lower one of the middle two: one of two ranks can be slow. */
    const double median = dlq_quantile(means, known, 0.5);
    result->median_rank_wait = known > 2 ? dlq_median(means, known) : median;
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
        result->ranks[r].slow = mean > 1.5 * median &&
                                mean - median > dlq_severity_from(DLQ_SEVERITY_SMALL) * result->iter_time.mean &&
                                mean - dlq_spread_mean(&others) > 4 * error;
    }
    find_barrier(inquiry);
    return DLQ_OK;
}
