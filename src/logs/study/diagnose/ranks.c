/* Ranks: which one is slow, and how much time the ranks lose to one another. */
#include "base/elementary.h"
#include "logs/calibration.h"
#include "logs/study/diagnose/diagnose.h"
#include "logs/study/replay/replay.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Stalls of two ranks are close if they are at most so many iterations apart. */
enum { REACH = 16 };

/* Looks for a cause of stalls that the ranks share: more stalls lie close to another rank's stall than chance allows.
   Independent stalls lie that close with probability 1 - exp(-r), r the mean number of stalls in REACH iterations, so
   that the number of close ones is binomial. Needs aligned iterations. */
static void find_shared_stalls(struct dlq_diagnosing *diagnosing)
{
    const struct dlq_trace *trace = diagnosing->trace;
    struct dlq_diagnosis *result = diagnosing->result;
    double step = result->iter_time.median,
           level = fmax(dlq_calibration.outlier * result->data_time.median, dlq_calibration.stall_of_step * step),
           longest = 0;
    size_t count = trace->ranks[0].count, last = 0, last_rank = trace->rank_count;
    unsigned stalls = 0, close = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < trace->rank_count; r++) {
            double wait = trace->ranks[r].batches[i].data;
            if (!(wait > level) || dlq_is_start(&trace->ranks[r], i, result->start_wait))
                continue;
            bool other = last_rank < trace->rank_count && last_rank != r;
            close += other && i - last <= REACH ? 1 : 0;
            stalls++;
            longest = fmax(longest, wait);
            last = i;
            last_rank = r;
        }
    if (close < dlq_calibration.fewest_alike || !(step > 0))
        return;
    double chance = 1 - dlq_exp(-(double)REACH * stalls / (double)count);
    if (!(gsl_cdf_binomial_Q(close - 1, chance, stalls - 1) < dlq_calibration.rare))
        return;
    result->shared_stalls = (double)close / (stalls - 1);
    result->longest_stall = longest / step;
}

/* Finds whether ranks wait for one another: then they differ from the first rank in data time but not in iteration
   time. Compares single iterations where the logs have the same ones, else the means of the ranks. */
static void find_barrier(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    const struct dlq_rank *ranks = diagnosing->trace->ranks, *first = &ranks[0];
    double data = 0, iter = 0, longest = 0, all = 0; /* s: differences from the first rank; longest waits; iterations */
    size_t steady = 0;                               /* compared iterations */
    const double level = dlq_calibration.severity_small * result->iter_time.mean;
    bool aligned = result->all_kept && result->single_iterations && first->count > 2;
    for (size_t r = 1; r < result->rank_count; r++)
        aligned = aligned && ranks[r].count == first->count;
    for (size_t i = 0; aligned && i < first->count; i++) {
        double most = 0;
        size_t latest = 0;
        if (dlq_is_start(first, i, result->start_wait))
            continue;
        for (size_t r = 0; aligned && r < result->rank_count; r++) {
            const struct dlq_batch *batch = &ranks[r].batches[i], *own = &first->batches[i];
            aligned = dlq_is_single(batch) && !isnan(batch->iter) && batch->index == own->index;
            if (!aligned)
                break;
            latest = batch->data > most ? r : latest;
            most = fmax(most, batch->data);
            data += fabs(batch->data - own->data);
            iter += fabs(batch->iter - own->iter);
        }
        steady++;
        longest += most;
        result->ranks[latest].longest_share += most;
        result->ranks[latest].longest_count += most > level;
        all += first->batches[i].iter;
    }
    const bool known = aligned && steady > 0;
    if (known) {
        result->together_wait = longest / (double)steady;
        find_shared_stalls(diagnosing);
    } else {
        data = iter = longest = 0;
        all = result->iter_time.mean;
        for (size_t r = 0; r < result->rank_count; r++) {
            data += fabs(result->ranks[r].data_time.mean - result->ranks[0].data_time.mean);
            iter += fabs(result->ranks[r].iter_time.mean - result->ranks[0].iter_time.mean);
            longest = fmax(longest, result->ranks[r].data_time.mean);
        }
    }
    result->keeps_step =
        data / (double)(result->rank_count - 1) / all > dlq_calibration.severity_small && 2 * iter < data;
    if (result->keeps_step)
        result->together_ratio = dlq_waiting_share(longest, all);
    for (size_t r = 0; r < result->rank_count; r++) {
        struct dlq_rank_diagnosis *rank = &result->ranks[r];
        const bool holds_up = known && result->keeps_step;
        rank->longest_share = holds_up ? rank->longest_share / longest : (double)NAN;
        rank->longest_count = holds_up ? rank->longest_count : 0;
    }
}

/* The mean wait of a rank with its interval by batch means: blocks of equal length are nearly independent even where
   single waits are not. A window counts as one record. */
static enum dlq_status find_steady_wait(const struct dlq_diagnosing *diagnosing, size_t r, struct dlq_spread *records)
{
    enum { BLOCKS = 10 };
    const struct dlq_rank *rank = &diagnosing->trace->ranks[r];
    struct dlq_estimate *wait = &diagnosing->result->ranks[r].steady_wait;
    struct dlq_spread blocks[BLOCKS] = {0};
    double *waits, means[BLOCKS];
    size_t count = 0;
    NEW(diagnosing->arena, waits, rank->count);
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].count > 0 && !isnan(rank->batches[i].data) &&
            !dlq_is_start(rank, i, diagnosing->result->start_wait)) {
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

const struct dlq_rank_diagnosis *dlq_slow_rank(const struct dlq_diagnosis *diagnosis)
{
    const struct dlq_rank_diagnosis *slow = NULL;
    for (size_t r = 0; r < diagnosis->rank_count; r++) {
        const struct dlq_rank_diagnosis *rank = &diagnosis->ranks[r];
        if (rank->slow && (slow == NULL || rank->steady_wait.value > slow->steady_wait.value))
            slow = rank;
    }
    return slow;
}

/* Sets speedup_if_alike where loads are recorded. Waits alone do not tell what the slow rank costs. */
static enum dlq_status find_alike(struct dlq_diagnosing *diagnosing)
{
    static const struct dlq_pipeline_hint unknown = {.loaders = -1};
    const struct dlq_rank_diagnosis *slow = dlq_slow_rank(diagnosing->result);
    struct dlq_error why = {0};
    if (slow == NULL || !diagnosing->result->keeps_step)
        return DLQ_OK;
    const struct dlq_pipeline_hint *hint = diagnosing->hint != NULL ? diagnosing->hint : &unknown;
    if (dlq_replay_alike(diagnosing->trace, hint, slow->rank, &diagnosing->result->speedup_if_alike, &why) ==
        DLQ_FAILURE)
        return dlq_error_memory(diagnosing->arena->error, diagnosing->arena->doing);
    return DLQ_OK;
}

enum dlq_status dlq_diagnose_ranks(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    struct dlq_spread *records;
    double *means;
    size_t known = 0;
    if (result->rank_count < 2 || !result->has_data)
        return DLQ_OK;
    NEW(diagnosing->arena, records, result->rank_count);
    NEW(diagnosing->arena, means, result->rank_count);
    for (size_t r = 0; r < result->rank_count; r++) {
        TRY(find_steady_wait(diagnosing, r, &records[r]));
        if (records[r].count > 0)
            means[known++] = dlq_spread_mean(&records[r]);
    }
    /* Of an even number of ranks the lower middle one, since one of two ranks can be slow. */
    const double median = dlq_quantile(means, known, 0.5);
    result->median_rank_wait = known > 2 ? dlq_median(means, known) : median;
    /* Slow: the wait exceeds that of the median rank by a factor and by a share of the iteration, and that of the other
       ranks by 4 standard errors of the difference (Welch 1947): by chance with probability 6e-5, a strict level since
       there are many ranks and waits are not independent. */
    for (size_t r = 0; r < result->rank_count; r++) {
        struct dlq_spread others = {0};
        double mean = dlq_spread_mean(&records[r]);
        for (size_t q = 0; q < result->rank_count; q++)
            if (q != r && !(dlq_spread_mean(&records[q]) > dlq_calibration.slow_clearly * median))
                dlq_spread_merge(&others, &records[q]);
        if (!(others.count > 0) || !(records[r].count >= dlq_calibration.fewest_alike))
            continue;
        double error =
            sqrt(dlq_spread_variance(&records[r]) / records[r].count + dlq_spread_variance(&others) / others.count);
        result->ranks[r].slow = mean > dlq_calibration.slow_clearly * median &&
                                mean - median > dlq_severity_from(DLQ_SEVERITY_SMALL) * result->iter_time.mean &&
                                mean - dlq_spread_mean(&others) > dlq_calibration.errors_clear * error;
    }
    find_barrier(diagnosing);
    return find_alike(diagnosing);
}
