/* Means, medians and 99th percentiles of data, iteration and step times. */
#include "logs/calibration.h"
#include "logs/study/diagnose/diagnose.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

bool dlq_is_single(const struct dlq_batch *batch)
{
    return batch->count == 1 && !isnan(batch->data);
}

long dlq_first_place(const struct dlq_rank *rank)
{
    const struct dlq_batch *first = rank->batches;
    const bool counted = rank->count > 0 && first->epoch < 0 && first->index >= 0;
    return counted ? (long)first->index - (first->count > 0 ? first->count : 1) + 2 : 1;
}

/* The index is 0; or it is unknown, and the run begins here or the epoch changes. */
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

enum dlq_log_length dlq_log_length(long iterations)
{
    return (double)iterations < dlq_calibration.few      ? DLQ_LOG_TOO_SHORT
           : (double)iterations < dlq_calibration.enough ? DLQ_LOG_SHORT
                                                         : DLQ_LOG_LONG_ENOUGH;
}

long dlq_steady_iterations(const struct dlq_rank *rank)
{
    long iterations = rank->iterations;
    for (size_t i = 0; i < rank->count; i++)
        iterations -= dlq_is_epoch_start(rank, i) ? 1 : 0;
    return iterations;
}

/* A rank with an unknown wait counts as waiting least. */
const struct dlq_rank *dlq_slowest_rank(const struct dlq_trace *trace)
{
    const struct dlq_rank *slowest = NULL;
    double most = NAN;
    for (size_t i = 0; i < trace->rank_count; i++) {
        double wait = dlq_spread_mean(&trace->ranks[i].data);
        if (slowest != NULL && !(wait > most || (isnan(most) && !isnan(wait))))
            continue;
        slowest = &trace->ranks[i];
        most = wait;
    }
    return slowest;
}

static double field_of(const struct dlq_batch *batch, size_t field)
{
    return *(const double *)((const char *)batch + field);
}

/* All kept values of a field of some ranks' records, ascending; empty for logs of totals. */
static enum dlq_status sample_kept(const struct dlq_diagnosing *diagnosing, const struct dlq_rank *ranks, size_t count,
                                   size_t field, struct dlq_sample *sample)
{
    size_t room = 1;
    *sample = (struct dlq_sample){0};
    if (diagnosing->result->numbers == DLQ_NUMBERS_TOTAL)
        return DLQ_OK;
    for (size_t r = 0; r < count; r++)
        room += ranks[r].count;
    NEW(diagnosing->arena, sample->values, room);
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < ranks[r].count; i++)
            if (ranks[r].batches[i].count > 0 && !isnan(field_of(&ranks[r].batches[i], field)))
                sample->values[sample->count++] = field_of(&ranks[r].batches[i], field);
    gsl_sort(sample->values, 1, sample->count);
    return DLQ_OK;
}

/* Values of a field of all ranks' records, ascending; if some are not kept, evenly spaced quantiles of all. */
static enum dlq_status sample_all(const struct dlq_diagnosing *diagnosing, size_t field,
                                  const struct dlq_histogram *histogram, struct dlq_sample *sample)
{
    enum { QUANTILES = 1000 };
    if (diagnosing->result->numbers == DLQ_NUMBERS_TOTAL || diagnosing->result->all_kept || diagnosing->medians_of_kept)
        return sample_kept(diagnosing, diagnosing->trace->ranks, diagnosing->trace->rank_count, field, sample);
    *sample = (struct dlq_sample){.count = histogram->count == 0 ? 0 : QUANTILES};
    NEW(diagnosing->arena, sample->values, QUANTILES);
    for (size_t i = 0; i < sample->count; i++)
        sample->values[i] = dlq_histogram_quantile(histogram, ((double)i + 1) / QUANTILES);
    return DLQ_OK;
}

double dlq_sample_quantile(const struct dlq_sample *sample, double share)
{
    const double place = ceil(share * (double)sample->count * (1 - 1e-15));
    return sample->values[(size_t)fmax(place, 1) - 1];
}

static struct dlq_times times_of(double mean, const struct dlq_sample *sample)
{
    if (sample->count == 0)
        return (struct dlq_times){mean, NAN, NAN};
    return (struct dlq_times){mean, dlq_sample_quantile(sample, 0.5), dlq_sample_quantile(sample, 0.99)};
}

static enum dlq_status ranks_times(struct dlq_diagnosing *diagnosing)
{
    const struct dlq_trace *trace = diagnosing->trace;
    struct dlq_diagnosis *result = diagnosing->result;
    result->ranks = calloc(trace->rank_count + 1, sizeof *result->ranks);
    if (result->ranks == NULL)
        return dlq_error_memory(diagnosing->arena->error, diagnosing->arena->doing);
    result->rank_count = trace->rank_count;
    /* Single iterations are known where most records of the rank that waits most are of one iteration. A log of windows
       shows only some single iterations, the epoch starts always among them. */
    const struct dlq_rank *waits_most = diagnosing->waits_most = dlq_slowest_rank(trace);
    size_t singles = 0, records = 0;
    for (size_t i = 0; waits_most != NULL && i < waits_most->count; i++) {
        records += waits_most->batches[i].count > 0;
        singles += waits_most->batches[i].count == 1;
    }
    diagnosing->medians_of_kept = result->numbers == DLQ_NUMBERS_SAMPLED;
    result->single_iterations =
        (diagnosing->medians_of_kept || result->numbers == DLQ_NUMBERS_SINGLE) && 2 * singles > records;
    result->of_windows = records > 0 && !result->single_iterations;
    for (size_t r = 0; trace->ranks != NULL && r < trace->rank_count; r++) {
        const struct dlq_rank *rank = &trace->ranks[r];
        struct dlq_sample data, iter;
        TRY(sample_kept(diagnosing, rank, 1, offsetof(struct dlq_batch, data), &data));
        TRY(sample_kept(diagnosing, rank, 1, offsetof(struct dlq_batch, iter), &iter));
        bool both = rank->both_data.count > 0;
        double wait = dlq_spread_mean(both ? &rank->both_data : &rank->data), time = dlq_spread_mean(&rank->iter);
        result->ranks[r] = (struct dlq_rank_diagnosis){
            .rank = rank->number,
            .iterations = rank->iterations,
            .data_time = times_of(wait, &data),
            .iter_time = times_of(time, &iter),
            .ratio = dlq_waiting_share(wait, both ? dlq_spread_mean(&rank->both_iter) : time),
        };
        if (rank->iterations > result->iterations) {
            result->iterations = rank->iterations;
            result->log_length = dlq_log_length(dlq_steady_iterations(rank));
        }
    }
    return DLQ_OK;
}

enum dlq_status dlq_diagnose_times(struct dlq_diagnosing *diagnosing)
{
    const struct dlq_trace *trace = diagnosing->trace;
    struct dlq_diagnosis *result = diagnosing->result;
    struct dlq_sample *data = &diagnosing->data, iter, step;
    struct dlq_spread steps = {0}, waits = {0}, iterations = {0};
    double capped = 0; /* s: sum of the data times, each at most their median */
    for (size_t r = 0; r < trace->rank_count; r++) {
        dlq_spread_merge(&waits, &trace->ranks[r].data);
        dlq_spread_merge(&iterations, &trace->ranks[r].iter);
        dlq_spread_merge(&diagnosing->waits, &trace->ranks[r].both_data);
        dlq_spread_merge(&diagnosing->iterations, &trace->ranks[r].both_iter);
        dlq_spread_merge(&steps, &trace->ranks[r].step);
    }
    if (!(diagnosing->waits.count > 0)) {
        diagnosing->waits = waits;
        diagnosing->iterations = iterations;
    }
    double wait = dlq_spread_mean(&diagnosing->waits), time = dlq_spread_mean(&iterations);
    result->has_data = waits.count > 0;
    result->ratio = dlq_waiting_share(wait, dlq_spread_mean(&diagnosing->iterations));
    TRY(ranks_times(diagnosing));
    TRY(sample_all(diagnosing, offsetof(struct dlq_batch, data), &trace->data, data));
    TRY(sample_all(diagnosing, offsetof(struct dlq_batch, iter), &trace->iter, &iter));
    TRY(sample_kept(diagnosing, trace->ranks, trace->rank_count, offsetof(struct dlq_batch, step), &step));
    result->data_time = times_of(wait, data);
    result->iter_time = times_of(time, &iter);
    result->step_time = times_of(dlq_spread_mean(&steps), &step);
    if (!result->has_data && isnan(time))
        return dlq_error_add(diagnosing->arena->error, DLQ_NO_ANSWER,
                             "the logs show neither the time waiting for data nor that of an iteration");
    if (data->count == 0 || !result->single_iterations)
        return DLQ_OK;
    /* The tail: data time beyond the median, as a share of all iteration time. */
    for (size_t i = 0; i < data->count; i++)
        capped += fmin(data->values[i], result->data_time.median);
    if (wait > 0)
        result->median_over_mean = result->data_time.median / wait;
    if (time > 0)
        result->tail_cost = fmax(0, wait - capped / (double)data->count) / time;
    return DLQ_OK;
}
