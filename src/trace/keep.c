/* Taking records in: what their points in time say, sums, and the first of them as they are. */
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BATCHES = 16, FIRST_RANKS = 8 };

/* -- ranks of the log at hand -- */

/* Found or made; null: no memory, or too many. Rows of ranks often take turns. */
static struct dlq_rank *rank_of(struct dlq_rank_list *list, long number)
{
    for (size_t i = list->recent; i < list->count && i < list->recent + 2; i++)
        if (list->ranks[i].number == number) {
            list->recent = i;
            return &list->ranks[i];
        }
    size_t place = dlq_rank_place(list->ranks, list->count, number);
    list->recent = place;
    if (place < list->count && list->ranks[place].number == number)
        return &list->ranks[place];
    if (list->count == DLQ_MOST_RANKS)
        return NULL;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? FIRST_RANKS : 2 * list->capacity;
        struct dlq_rank *grown = realloc(list->ranks, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        list->ranks = grown;
        list->capacity = capacity;
    }
    struct dlq_rank *made = list->ranks + place;
    memmove(made + 1, made, (list->count - place) * sizeof *made);
    *made = (struct dlq_rank){.number = number, .last_end = NAN, .last_epoch = -1, .whole = true};
    list->count++;
    return made;
}

void dlq_trace_break(struct dlq_trace *trace)
{
    for (size_t i = 0; i < trace->fresh.count; i++)
        trace->fresh.ranks[i].last_end = NAN;
}

/* -- one record -- */

static bool fits(const struct dlq_record *record, char why[DLQ_LOG_WHY])
{
    const struct {
        const char *name;
        long value;
    } fields[] = {
        {"rank", record->rank},   {"epoch", record->epoch}, {"worker", record->worker},
        {"index", record->index}, {"count", record->count},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].value < -1 || fields[i].value > INT32_MAX) {
            snprintf(why, DLQ_LOG_WHY, "%s %ld is not in 0..%d", fields[i].name, fields[i].value, INT32_MAX);
            return false;
        }
    return true;
}

static struct dlq_batch batch_of(const struct dlq_record *record)
{
    return (struct dlq_batch){
        .data = record->data,
        .iter = record->iter,
        .step = record->step,
        .load = record->load,
        .dispatched = record->dispatched,
        .load_start = record->load_start,
        .load_end = record->load_end,
        .request = record->request,
        .received = record->received,
        .step_end = record->step_end,
        .epoch = (int32_t)record->epoch,
        .worker = (int32_t)record->worker,
        .index = (int32_t)record->index,
        .count = (int32_t)record->count,
    };
}

/* *time = to - from, where it is not known yet; false: a clock that runs backward. */
static bool derive(double *time, const char *first, double from, const char *second, double to, char why[DLQ_LOG_WHY])
{
    if (isnan(*time))
        *time = to - from;
    else
        return true;
    if (!(*time < 0))
        return true;
    snprintf(why, DLQ_LOG_WHY, "%s, %.15g, is before %s, %.15g", second, to, first, from);
    return false;
}

/* What is left of the iteration. Where the log has both, it may have rounded them. */
static bool derive_rest(struct dlq_batch *batch, bool measured, char why[DLQ_LOG_WHY])
{
    const double share = 0.01, least = 1e-4;
    if (!isnan(batch->step))
        return true;
    batch->step = batch->iter - batch->data;
    if (!(batch->step < 0))
        return true;
    if (!measured || -batch->step <= share * batch->iter + least) {
        batch->step = 0;
        return true;
    }
    snprintf(why, DLQ_LOG_WHY, "data time %g s is longer than the iteration, %g s", batch->data, batch->iter);
    return false;
}

/* No time is infinite: sums could not bear it. */
static bool is_finite(const struct dlq_batch *batch, char why[DLQ_LOG_WHY])
{
    return dlq_log_time("data time", batch->data, why) && dlq_log_time("iteration", batch->iter, why) &&
           dlq_log_time("step", batch->step, why) && dlq_log_time("load", batch->load, why);
}

/* What the log does not say of a record but its points in time do. */
static bool complete(const struct dlq_rank *rank, struct dlq_batch *batch, char why[DLQ_LOG_WHY])
{
    bool follows = rank->last_epoch == batch->epoch && !isnan(rank->last_end);
    bool told = !isnan(batch->iter);
    if (follows && !told && batch->count > 0 && batch->step_end == rank->last_end &&
        (batch->data > 0 || batch->received > batch->request)) {
        snprintf(why, DLQ_LOG_WHY, "step_end, %.15g, is that of the iteration before: is the row there twice?",
                 batch->step_end);
        return false;
    }
    if (!derive(&batch->load, "load_start", batch->load_start, "load_end", batch->load_end, why) ||
        !derive(&batch->data, "request", batch->request, "received", batch->received, why) ||
        !derive(&batch->step, "received", batch->received, "step_end", batch->step_end, why))
        return false;
    bool right =
        follows ? derive(&batch->iter, "that of the iteration before", rank->last_end, "step_end", batch->step_end, why)
                : derive(&batch->iter, "request", batch->request, "step_end", batch->step_end, why);
    if (!right)
        return false;
    if (isnan(batch->iter))
        batch->iter = batch->data + batch->step;
    return derive_rest(batch, !told, why);
}

/* -- sums -- */

static void add_pending(struct dlq_histogram *histogram, struct dlq_pending *pending, double value)
{
    if (!(value >= 0))
        return;
    pending->values[pending->count++] = value;
    if (pending->count < DLQ_AT_ONCE)
        return;
    dlq_histogram_add(histogram, pending->values, pending->count);
    pending->count = 0;
}

static double first_known(double single, double mean, double median)
{
    if (!isnan(single))
        return single;
    return isnan(mean) ? median : mean;
}

static void add_known(struct dlq_spread *spread, double value, double weight)
{
    if (!isnan(value))
        dlq_spread_add(spread, value, weight);
}

static void add_times(struct dlq_trace *trace, struct dlq_rank *rank, const struct dlq_batch *batch,
                      const struct dlq_record *record)
{
    double weight = batch->count;
    bool first = batch->epoch != rank->last_epoch || rank->iterations == 0;
    rank->iterations += batch->count;
    add_known(&rank->data, batch->data, weight);
    add_known(&rank->iter, batch->iter, weight);
    add_known(&rank->step, batch->step, weight);
    if (first && batch->count == 1)
        add_known(&rank->first_data, batch->data, 1);
    add_pending(&trace->data, &trace->pending_data, first_known(record->data_single, batch->data, record->data_median));
    add_pending(&trace->iter, &trace->pending_iter, first_known(record->iter_single, batch->iter, record->iter_median));
}

/* Room for the spreads of workers up to this one; false: no memory. */
static bool reach_worker(struct dlq_trace *trace, struct dlq_rank *rank, size_t worker)
{
    size_t needed = worker + 1;
    if (needed <= rank->worker_count)
        return true;
    struct dlq_spread *grown = realloc(rank->workers, needed * sizeof *grown);
    if (grown == NULL)
        return false;
    memset(grown + rank->worker_count, 0, (needed - rank->worker_count) * sizeof *grown);
    trace->spreads += needed - rank->worker_count;
    rank->workers = grown;
    rank->worker_count = needed;
    return true;
}

static bool add_load(struct dlq_trace *trace, struct dlq_rank *rank, const struct dlq_batch *batch)
{
    if (isnan(batch->load))
        return true;
    dlq_spread_add(&rank->load, batch->load, 1);
    if (batch->worker < 0 || batch->worker >= DLQ_MOST_WORKERS)
        return true;
    size_t worker = (size_t)batch->worker;
    if (worker >= rank->worker_count && trace->spreads + worker + 1 - rank->worker_count > DLQ_MOST_SPREADS)
        return true;
    if (!reach_worker(trace, rank, worker))
        return false;
    dlq_spread_add(&rank->workers[worker], batch->load, 1);
    return true;
}

/* -- records as they are -- */

static bool grow_batches(struct dlq_rank *rank)
{
    size_t capacity = rank->capacity == 0 ? FIRST_BATCHES : rank->capacity + rank->capacity / 2;
    struct dlq_batch *grown = realloc(rank->batches, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    rank->batches = grown;
    rank->capacity = capacity;
    return true;
}

static bool is_wanted(struct dlq_trace *trace, const struct dlq_format *format, const struct dlq_rank *rank,
                      const struct dlq_batch *batch)
{
    if (format->joins ? batch->index >= trace->index_limit : !rank->whole)
        return false;
    if (trace->kept < DLQ_MOST_RECORDS)
        return true;
    return dlq_trace_make_room(trace, format, rank->count) && (!format->joins || batch->index < trace->index_limit);
}

static bool keep_batch(struct dlq_trace *trace, const struct dlq_format *format, struct dlq_rank *rank,
                       const struct dlq_batch *batch)
{
    if (!is_wanted(trace, format, rank, batch)) {
        rank->whole = false;
        return true;
    }
    if (rank->count == rank->capacity && !grow_batches(rank))
        return false;
    rank->batches[rank->count++] = *batch;
    trace->kept++;
    return true;
}

enum dlq_taken dlq_trace_keep(struct dlq_trace *trace, const struct dlq_format *format, long number,
                              const struct dlq_record *record, char why[DLQ_LOG_WHY])
{
    if (!fits(record, why))
        return DLQ_TAKEN_BAD;
    struct dlq_rank *rank = rank_of(&trace->fresh, number);
    if (rank == NULL && trace->fresh.count == DLQ_MOST_RANKS) {
        snprintf(why, DLQ_LOG_WHY, "more than %d ranks", DLQ_MOST_RANKS);
        return DLQ_TAKEN_BAD;
    }
    if (rank == NULL)
        return DLQ_TAKEN_FAILED;
    struct dlq_batch batch = batch_of(record);
    bool right = complete(rank, &batch, why) && is_finite(&batch, why);
    if (right && batch.count > 0)
        add_times(trace, rank, &batch, record);
    if (batch.count > 0) {
        rank->last_end = batch.step_end;
        rank->last_epoch = batch.epoch;
    }
    if (!right)
        return DLQ_TAKEN_BAD;
    bool kept = add_load(trace, rank, &batch) && keep_batch(trace, format, rank, &batch);
    return kept ? DLQ_TAKEN_RECORD : DLQ_TAKEN_FAILED;
}
