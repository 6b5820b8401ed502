/* Means, medians and 99th percentiles of data, iteration and step times. */
#include "study/diagnose_parts.h"
#include "study/fit_times.h"

#include <math.h>
#include <stdlib.h>

bool dlq_is_single(const struct dlq_batch *batch)
{
    return batch->count == 1 && !isnan(batch->data);
}

/* Index 0, or unknown where the run begins or the epoch changes. */
bool dlq_is_epoch_start(const struct dlq_rank *rank, size_t index)
{
    const struct dlq_batch *batch = &rank->batches[index];
    size_t before = index;
    if (!dlq_is_single(batch) || batch->index > 0)
        return false;
    while (before > 0 && rank->batches[before - 1].count == 0)
        before--;
    return before == 0 || rank->batches[before - 1].epoch != batch->epoch;
}

bool dlq_is_start(const struct dlq_rank *rank, size_t index, double start_wait)
{
    if (isnan(start_wait))
        return dlq_is_epoch_start(rank, index);
    return dlq_is_single(&rank->batches[index]) && rank->batches[index].data > start_wait;
}

static double data_of(const struct dlq_batch *batch)
{
    return batch->data;
}

static double iter_of(const struct dlq_batch *batch)
{
    return batch->iter;
}

static double step_of(const struct dlq_batch *batch)
{
    return batch->step;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add_rank(const struct dlq_rank *rank, double (*field)(const struct dlq_batch *batch),
                     struct dlq_sample *sample)
{
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].count > 0 && !isnan(field(&rank->batches[i])))
            sample->values[sample->count++] = field(&rank->batches[i]);
}

enum dlq_status dlq_sample_kept(const struct dlq_rank *ranks, size_t count,
                                double (*field)(const struct dlq_batch *batch), struct dlq_sample *sample,
                                struct dlq_error *error)
{
    size_t room = 1;
    for (size_t r = 0; r < count; r++)
        room += ranks[r].count;
    struct dlq_sample made = {.values = malloc(room * sizeof(double))};
    if (made.values == NULL)
        return dlq_error_memory(error, "diagnosing logs");
    for (size_t r = 0; r < count; r++)
        add_rank(&ranks[r], field, &made);
    qsort(made.values, made.count, sizeof *made.values, ascending);
    *sample = made;
    return DLQ_OK;
}

double dlq_sample_quantile(const struct dlq_sample *sample, double share)
{
    if (sample->count == 0)
        return NAN;
    double place = ceil(share * (double)sample->count * (1 - 1e-15));
    return sample->values[place < 1 ? 0 : (size_t)place - 1];
}

/* Evenly spaced quantiles stand for values that were counted, not kept. */
static enum dlq_status sample_counted(const struct dlq_histogram *histogram, struct dlq_sample *sample,
                                      struct dlq_error *error)
{
    enum { QUANTILES = 1000 };
    struct dlq_sample made = {.values = malloc(QUANTILES * sizeof(double)), .count = QUANTILES};
    if (made.values == NULL)
        return dlq_error_memory(error, "diagnosing logs");
    if (histogram->count == 0)
        made.count = 0;
    for (size_t i = 0; i < made.count; i++)
        made.values[i] = dlq_histogram_quantile(histogram, ((double)i + 1) / QUANTILES);
    *sample = made;
    return DLQ_OK;
}

/* Over all ranks. Sums have no distribution. */
static enum dlq_status sample_all(const struct dlq_inquiry *inquiry, double (*field)(const struct dlq_batch *batch),
                                  const struct dlq_histogram *histogram, struct dlq_sample *sample,
                                  struct dlq_error *error)
{
    if (inquiry->numbers == DLQ_NUMBERS_TOTAL) {
        *sample = (struct dlq_sample){0};
        return DLQ_OK;
    }
    if (inquiry->whole || inquiry->of_kept)
        return dlq_sample_kept(inquiry->trace->ranks, inquiry->trace->rank_count, field, sample, error);
    return sample_counted(histogram, sample, error);
}

static struct dlq_times times_of(double mean, const struct dlq_sample *sample)
{
    return (struct dlq_times){mean, dlq_sample_quantile(sample, 0.5), dlq_sample_quantile(sample, 0.99)};
}

static enum dlq_status rank_times(const struct dlq_inquiry *inquiry, const struct dlq_rank *rank,
                                  struct dlq_rank_diagnosis *times, struct dlq_error *error)
{
    struct dlq_sample data = {0}, iter = {0};
    enum dlq_status status = DLQ_OK;
    if (inquiry->numbers != DLQ_NUMBERS_TOTAL)
        status = dlq_sample_kept(rank, 1, data_of, &data, error);
    if (status == DLQ_OK && inquiry->numbers != DLQ_NUMBERS_TOTAL)
        status = dlq_sample_kept(rank, 1, iter_of, &iter, error);
    *times = (struct dlq_rank_diagnosis){
        .rank = rank->number,
        .iterations = rank->iterations,
        .data_time = times_of(dlq_spread_mean(&rank->data), &data),
        .iter_time = times_of(dlq_spread_mean(&rank->iter), &iter),
    };
    times->ratio = times->iter_time.mean > 0 ? times->data_time.mean / times->iter_time.mean : NAN;
    free(data.values);
    free(iter.values);
    return status;
}

/* Waits of single iterations are known: all but few of the records of the rank that waits most are of one. What a log
   shows of single iterations now and then is not: the first ones of epochs are always among them. */
static void find_singles(struct dlq_inquiry *inquiry)
{
    const struct dlq_rank *rank = inquiry->latest;
    size_t singles = 0, records = 0;
    for (size_t i = 0; rank != NULL && i < rank->count; i++) {
        records += rank->batches[i].count > 0 ? 1 : 0;
        singles += rank->batches[i].count == 1 ? 1 : 0;
    }
    bool each = inquiry->numbers == DLQ_NUMBERS_SINGLE || inquiry->numbers == DLQ_NUMBERS_SAMPLED;
    inquiry->singles = each && 2 * singles > records;
    inquiry->of_kept = inquiry->numbers == DLQ_NUMBERS_SAMPLED;
    inquiry->result->of_windows = records > 0 && !inquiry->singles;
}

static enum dlq_status ranks_times(struct dlq_inquiry *inquiry, struct dlq_error *error)
{
    const struct dlq_trace *trace = inquiry->trace;
    struct dlq_diagnosis *result = inquiry->result;
    result->ranks = calloc(trace->rank_count + 1, sizeof *result->ranks);
    if (result->ranks == NULL)
        return dlq_error_memory(error, "diagnosing logs");
    result->rank_count = trace->rank_count;
    inquiry->latest = dlq_slowest_rank(trace);
    find_singles(inquiry);
    for (size_t r = 0; r < trace->rank_count; r++) {
        const struct dlq_rank *rank = &trace->ranks[r];
        enum dlq_status status = rank_times(inquiry, rank, &result->ranks[r], error);
        if (status != DLQ_OK)
            return status;
        if (rank->iterations > result->iterations) {
            result->iterations = rank->iterations;
            result->enough = dlq_enough(dlq_steady_iterations(rank));
        }
    }
    return DLQ_OK;
}

/* Time beyond the median, of all iteration time, where single iterations are known. */
static void find_tail(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    const struct dlq_sample *data = &inquiry->data;
    double median = result->data_time.median, within = 0;
    for (size_t i = 0; i < data->count; i++)
        within += fmin(data->values[i], median);
    if (!inquiry->singles)
        return;
    if (data->count > 0 && result->data_time.mean > 0)
        result->median_over_mean = median / result->data_time.mean;
    if (data->count > 0 && result->iter_time.mean > 0)
        result->tail_cost = fmax(0, result->data_time.mean - within / (double)data->count) / result->iter_time.mean;
}

static void add_spreads(struct dlq_inquiry *inquiry)
{
    struct dlq_spread data = {0}, iter = {0}, step = {0};
    struct dlq_diagnosis *result = inquiry->result;
    for (size_t r = 0; r < inquiry->trace->rank_count; r++) {
        dlq_spread_merge(&data, &inquiry->trace->ranks[r].data);
        dlq_spread_merge(&iter, &inquiry->trace->ranks[r].iter);
        dlq_spread_merge(&step, &inquiry->trace->ranks[r].step);
    }
    result->data_time.mean = dlq_spread_mean(&data);
    result->iter_time.mean = dlq_spread_mean(&iter);
    result->step_time.mean = dlq_spread_mean(&step);
    result->has_data = data.count > 0;
    result->ratio = iter.mean > 0 && data.count > 0 ? data.mean / iter.mean : NAN;
}

enum dlq_status dlq_diagnose_times(struct dlq_inquiry *inquiry, struct dlq_error *error)
{
    struct dlq_diagnosis *result = inquiry->result;
    struct dlq_sample iter = {0}, step = {0};
    add_spreads(inquiry);
    enum dlq_status status = ranks_times(inquiry, error);
    if (status == DLQ_OK)
        status = sample_all(inquiry, data_of, &inquiry->trace->data, &inquiry->data, error);
    if (status == DLQ_OK)
        status = sample_all(inquiry, iter_of, &inquiry->trace->iter, &iter, error);
    if (status == DLQ_OK && inquiry->numbers != DLQ_NUMBERS_TOTAL)
        status = dlq_sample_kept(inquiry->trace->ranks, inquiry->trace->rank_count, step_of, &step, error);
    if (status == DLQ_OK) {
        result->data_time = times_of(result->data_time.mean, &inquiry->data);
        result->iter_time = times_of(result->iter_time.mean, &iter);
        result->step_time = times_of(result->step_time.mean, &step);
        find_tail(inquiry);
    }
    free(iter.values);
    free(step.values);
    return status;
}

/* Both curves rise from the least wait to 1; where many waits are alike, their last point counts. */
enum dlq_status dlq_diagnose_shares(struct dlq_inquiry *inquiry, struct dlq_error *error)
{
    struct dlq_diagnosis *result = inquiry->result;
    const struct dlq_sample *data = &inquiry->data;
    double total = 0, sum = 0;
    if (data->count == 0 || !inquiry->singles)
        return DLQ_OK;
    result->shares = calloc(DLQ_WAIT_SHARES, sizeof *result->shares);
    if (result->shares == NULL)
        return dlq_error_memory(error, "diagnosing logs");
    for (size_t i = 0; i < data->count; i++)
        total += data->values[i];
    size_t next = 0;
    for (size_t i = 0; i < data->count; i++) {
        sum += data->values[i];
        bool last = i + 1 == data->count;
        if (!last && i * (DLQ_WAIT_SHARES - 1) < next * data->count)
            continue;
        result->shares[result->share_count++] = (struct dlq_wait_share){
            data->values[i], (double)(i + 1) / (double)data->count, total > 0 ? sum / total : NAN};
        next++;
        if (result->share_count == DLQ_WAIT_SHARES)
            break;
    }
    return DLQ_OK;
}
