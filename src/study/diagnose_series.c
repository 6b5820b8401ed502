/* What the order of the iterations tells: epoch starts, rhythm, trend, batches that were ahead. */
#include "base/elementary.h"
#include "stats/stats.h"
#include "study/diagnose_parts.h"

#include <math.h>
#include <stdlib.h>

/* -- epoch starts -- */

struct sums {
    double data, iter, iterations;
};

static void add(struct sums *sums, const struct dlq_batch *batch)
{
    if (isnan(batch->data) || isnan(batch->iter))
        return;
    sums->data += batch->data * batch->count;
    sums->iter += batch->iter * batch->count;
    sums->iterations += batch->count;
}

/* Of all records, kept or not, without the first ones that are kept. */
static struct sums without(const struct dlq_trace *trace, const struct sums *first)
{
    struct dlq_spread data = {0}, iter = {0};
    for (size_t r = 0; r < trace->rank_count; r++) {
        dlq_spread_merge(&data, &trace->ranks[r].data);
        dlq_spread_merge(&iter, &trace->ranks[r].iter);
    }
    return (struct sums){dlq_spread_sum(&data) - first->data, dlq_spread_sum(&iter) - first->iter,
                         iter.count - first->iterations};
}

/* Long waits: far above what is usual, and not far below the longest but for the first, which may be anything. Four of
   them in a row at one distance are no chance. */
static void find_regular(struct dlq_inquiry *inquiry)
{
    enum { FEWEST_GAPS = 3 };
    const struct dlq_diagnosis *result = inquiry->result;
    const struct dlq_rank *rank = inquiry->latest;
    double usual = 5 * fmax(result->data_time.median, 0.2 * result->step_time.median), longest = 0;
    for (size_t i = 1; rank != NULL && i < rank->count; i++) {
        if (dlq_is_epoch_start(rank, i))
            return;
        if (dlq_is_single(&rank->batches[i]))
            longest = fmax(longest, rank->batches[i].data);
    }
    double level = fmax(usual, longest / 3);
    struct dlq_spread gaps = dlq_stall_gaps(inquiry, level);
    if (!(gaps.count >= FEWEST_GAPS) || !(gaps.mean > DLQ_MOST_PERIOD) || !(gaps.mean > 4 * (double)result->loaders) ||
        !(dlq_spread_cv(&gaps) < 0.01))
        return;
    inquiry->regular = round(gaps.mean);
    inquiry->start_wait = level;
}

void dlq_diagnose_starts(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    struct sums first = {0}, rest = {0};
    find_regular(inquiry);
    for (size_t r = 0; r < inquiry->trace->rank_count; r++) {
        const struct dlq_rank *rank = &inquiry->trace->ranks[r];
        long starts = 0;
        for (size_t i = 0; i < rank->count; i++) {
            bool start = dlq_is_start(rank, i, inquiry->start_wait);
            starts += start ? 1 : 0;
            add(start ? &first : &rest, &rank->batches[i]);
        }
        if (starts > result->epoch_starts)
            result->epoch_starts = starts;
    }
    if (!inquiry->whole)
        rest = without(inquiry->trace, &first);
    if (first.iterations > 0) {
        result->epoch_start_mean = first.data / first.iterations;
        if (first.iter + rest.iter > 0)
            result->epoch_start_cost = first.data / (first.iter + rest.iter);
        if (rest.iter > 0)
            result->steady_ratio = rest.data / rest.iter;
    }
    inquiry->steady_iter = rest.iterations > 0 ? rest.iter / rest.iterations : result->iter_time.mean;
}

/* -- the waits of one rank, in order -- */

struct waits {
    double *values, *weights; /* without first iterations of epochs */
    size_t count;
};

static enum dlq_status collect(const struct dlq_rank *rank, double start_wait, struct waits *waits,
                               struct dlq_error *error)
{
    size_t room = rank->count + 1;
    waits->values = malloc(2 * room * sizeof *waits->values);
    if (waits->values == NULL)
        return dlq_error_memory(error, "diagnosing logs");
    waits->weights = waits->values + room;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        if (batch->count <= 0 || isnan(batch->data) || dlq_is_start(rank, i, start_wait))
            continue;
        waits->values[waits->count] = batch->data;
        waits->weights[waits->count++] = batch->count;
    }
    return DLQ_OK;
}

/* -- trend -- */

enum { BLOCKS = 10 };

/* Means of BLOCKS stretches of equal length: nearly independent, whatever the single waits are (batch means). */
static struct dlq_spread block_means(const double *values, const double *weights, size_t count)
{
    struct dlq_spread blocks = {0};
    for (size_t b = 0; b < BLOCKS; b++) {
        struct dlq_spread block = {0};
        for (size_t i = b * count / BLOCKS; i < (b + 1) * count / BLOCKS; i++)
            dlq_spread_add(&block, values[i], weights[i]);
        dlq_spread_add(&blocks, dlq_spread_mean(&block), 1);
    }
    return blocks;
}

/* Welch's test at 99 % on the block means of the first and the last third, and a difference that matters: over 10 % of
   the wait and 1 % of the iteration. */
static void find_trend(struct dlq_diagnosis *result, const struct waits *waits)
{
    size_t from = (size_t)result->ahead < waits->count ? (size_t)result->ahead : 0;
    size_t third = (waits->count - from) / 3, last = waits->count - third;
    if (third < BLOCKS)
        return;
    struct dlq_spread a = block_means(waits->values + from, waits->weights + from, third);
    struct dlq_spread b = block_means(waits->values + last, waits->weights + last, third);
    double apart = fabs(b.mean - a.mean);
    double va = dlq_spread_variance(&a) / BLOCKS, vb = dlq_spread_variance(&b) / BLOCKS;
    result->trend_first = a.mean;
    result->trend_last = b.mean;
    if (!(apart > 0.1 * fmax(a.mean, b.mean)) || !(apart > 0.01 * result->iter_time.mean))
        return;
    double degrees = va + vb > 0 ? (va + vb) * (va + vb) * (BLOCKS - 1) / (va * va + vb * vb) : BLOCKS;
    if (apart > dlq_student(0.995, degrees) * sqrt(va + vb))
        result->trend = a.mean > 0 ? b.mean / a.mean : INFINITY;
}

/* -- batches that were ahead -- */

/* The waits begin late: so many single iterations without one that chance, at the rate of stalls after them, would give
   them once in a thousand times. The loaders had filled the window while the first step took long. */
static void find_ahead(struct dlq_diagnosis *result, const struct waits *waits)
{
    enum { FEWEST = 4 };
    double small = 0.01 * result->iter_time.mean, stalls = 0, sum = 0;
    size_t run = 0;
    while (run < waits->count && waits->values[run] <= small)
        run++;
    double rest = (double)(waits->count - run);
    for (size_t i = run; i < waits->count; i++) {
        stalls += waits->values[i] > small ? 1 : 0;
        sum += waits->values[i];
    }
    if (run < FEWEST || rest < 3.0 * (double)run || sum / rest < 0.05 * result->iter_time.mean)
        return;
    bool rhythm = result->period > 0 && (double)run < 2 * result->period;
    if (!rhythm && dlq_pow(1 - stalls / rest, (double)run) < 1e-3)
        result->ahead = (long)run;
}

/* -- points of a chart -- */

static enum dlq_status make_points(struct dlq_diagnosis *result, const struct dlq_rank *rank, struct dlq_error *error)
{
    double before = 0;
    size_t used = 0;
    result->points = calloc(DLQ_WAIT_POINTS, sizeof *result->points);
    if (result->points == NULL)
        return dlq_error_memory(error, "diagnosing logs");
    for (size_t k = 0; k < DLQ_WAIT_POINTS; k++) {
        struct dlq_spread stretch = {0};
        double from = before;
        for (size_t i = k * rank->count / DLQ_WAIT_POINTS; i < (k + 1) * rank->count / DLQ_WAIT_POINTS; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            if (batch->count > 0 && !isnan(batch->data))
                dlq_spread_add(&stretch, batch->data, batch->count);
            before += batch->count > 0 ? batch->count : 0;
        }
        if (stretch.count > 0)
            result->points[used++] =
                (struct dlq_wait_point){floor(0.5 * (from + before + 1)), stretch.mean, stretch.maximum};
    }
    result->point_count = used;
    result->point_rank = rank->number;
    return DLQ_OK;
}

/* -- all of it -- */

static void count_stalls(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    double stalls = 0, singles = 0, level = 0.01 * result->iter_time.mean;
    for (size_t r = 0; r < inquiry->trace->rank_count; r++) {
        const struct dlq_rank *rank = &inquiry->trace->ranks[r];
        for (size_t i = 0; i < rank->count; i++) {
            if (!dlq_is_single(&rank->batches[i]) || dlq_is_start(rank, i, inquiry->start_wait))
                continue;
            singles++;
            stalls += rank->batches[i].data > level ? 1 : 0;
        }
    }
    if (singles > 0 && level > 0)
        result->stalled = stalls / singles;
}

struct dlq_spread dlq_stall_gaps(const struct dlq_inquiry *inquiry, double level)
{
    const struct dlq_rank *rank = inquiry->latest;
    double place = 0, last = NAN;
    struct dlq_spread gaps = {0};
    for (size_t i = 1; inquiry->singles && rank != NULL && i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        place += batch->count;
        if (!dlq_is_single(batch) || !(batch->data > level))
            continue;
        if (!isnan(last))
            dlq_spread_add(&gaps, place - last, 1);
        last = place;
    }
    return gaps;
}

enum dlq_status dlq_diagnose_series(struct dlq_inquiry *inquiry, struct dlq_error *error)
{
    struct dlq_diagnosis *result = inquiry->result;
    struct waits waits = {0};
    if (inquiry->latest == NULL || !result->has_data)
        return DLQ_OK;
    enum dlq_status status = collect(inquiry->latest, inquiry->start_wait, &waits, error);
    if (status == DLQ_OK) {
        bool singles = inquiry->singles;
        long rhythm = 0;
        if (singles)
            status = dlq_rhythm_of_rank(inquiry->latest, inquiry->start_wait, result->loaders, &rhythm, error);
        if (rhythm > 0)
            result->period = (double)rhythm;
        inquiry->fetches = result->loaders > 0 && isnan(result->load_mean) && rhythm > 0 && rhythm != result->loaders;
        if (singles) {
            find_ahead(result, &waits);
            count_stalls(inquiry);
        }
        find_trend(result, &waits);
        if (status == DLQ_OK)
            status = make_points(result, inquiry->latest, error);
    }
    free(waits.values);
    return status;
}
