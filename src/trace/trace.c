#include "trace/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { HISTOGRAM_BITS = 7 };

enum dlq_status dlq_trace_new(struct dlq_trace **trace, const struct dlq_trace_options *options,
                              struct dlq_error *error)
{
    struct dlq_trace *made = calloc(1, sizeof *made);
    if (made == NULL || !dlq_histogram_begin(&made->data, HISTOGRAM_BITS) ||
        !dlq_histogram_begin(&made->iter, HISTOGRAM_BITS)) {
        dlq_trace_free(made);
        return dlq_error_memory(error, "reading logs");
    }
    made->options = *options;
    *trace = made;
    return DLQ_OK;
}

void dlq_trace_free(struct dlq_trace *trace)
{
    if (trace == NULL)
        return;
    for (size_t i = 0; i < trace->rank_count; i++) {
        free(trace->ranks[i].batches);
        free(trace->ranks[i].workers);
    }
    free(trace->ranks);
    dlq_histogram_free(&trace->data);
    dlq_histogram_free(&trace->iter);
    free(trace);
}

void dlq_trace_facts(const struct dlq_trace *trace, struct dlq_trace_facts *facts)
{
    *facts = (struct dlq_trace_facts){
        .format = trace->format != NULL ? trace->format->name : "",
        .logs = trace->logs,
        .ranks = trace->rank_count,
        .records = trace->records,
        .bad = trace->bad,
        .other = trace->other,
        .kept = trace->kept,
        .bad_text = trace->skipped.text,
    };
    for (size_t i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].iterations > facts->iterations)
            facts->iterations = trace->ranks[i].iterations;
}

/* The place of the rank, or where it belongs. */
static size_t place_of(const struct dlq_trace *trace, long number)
{
    size_t low = 0;
    size_t high = trace->rank_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->ranks[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct dlq_rank *dlq_trace_rank(const struct dlq_trace *trace, long number)
{
    size_t place = place_of(trace, number);
    bool found = place < trace->rank_count && trace->ranks[place].number == number;
    return found ? &trace->ranks[place] : NULL;
}

/* Found or made; null: no memory, or too many. */
static struct dlq_rank *rank_of(struct dlq_trace *trace, long number)
{
    size_t place = place_of(trace, number);
    if (place < trace->rank_count && trace->ranks[place].number == number)
        return &trace->ranks[place];
    if (trace->rank_count == DLQ_MOST_RANKS)
        return NULL;
    struct dlq_rank *grown = realloc(trace->ranks, (trace->rank_count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    trace->ranks = grown;
    memmove(grown + place + 1, grown + place, (trace->rank_count - place) * sizeof *grown);
    grown[place] = (struct dlq_rank){.number = number, .last_end = NAN, .last_epoch = -1, .whole = true};
    trace->rank_count++;
    return &grown[place];
}

static bool keep_batch(struct dlq_trace *trace, struct dlq_rank *rank, const struct dlq_batch *batch)
{
    if (trace->kept == DLQ_MOST_RECORDS)
        rank->whole = false;
    if (!rank->whole)
        return true;
    if (rank->count == rank->capacity) {
        size_t capacity = rank->capacity == 0 ? 256 : 2 * rank->capacity;
        struct dlq_batch *grown = realloc(rank->batches, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        rank->batches = grown;
        rank->capacity = capacity;
    }
    rank->batches[rank->count++] = *batch;
    trace->kept++;
    return true;
}

static bool add_load(struct dlq_rank *rank, const struct dlq_batch *batch)
{
    if (isnan(batch->load))
        return true;
    dlq_spread_add(&rank->load, batch->load, 1);
    if (batch->worker < 0 || batch->worker >= DLQ_MOST_WORKERS)
        return true;
    size_t needed = (size_t)batch->worker + 1;
    if (needed > rank->worker_count) {
        struct dlq_spread *grown = realloc(rank->workers, needed * sizeof *grown);
        if (grown == NULL)
            return false;
        memset(grown + rank->worker_count, 0, (needed - rank->worker_count) * sizeof *grown);
        rank->workers = grown;
        rank->worker_count = needed;
    }
    dlq_spread_add(&rank->workers[batch->worker], batch->load, 1);
    return true;
}

/* What the log does not say of a record but its points in time do. */
static struct dlq_batch batch_of(const struct dlq_rank *rank, const struct dlq_record *record)
{
    struct dlq_batch batch = {
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
    bool same_epoch = rank->last_epoch == batch.epoch;
    if (isnan(batch.load))
        batch.load = batch.load_end - batch.load_start;
    if (isnan(batch.data))
        batch.data = batch.received - batch.request;
    if (isnan(batch.step))
        batch.step = batch.step_end - batch.received;
    if (isnan(batch.iter))
        batch.iter = batch.step_end - (same_epoch && !isnan(rank->last_end) ? rank->last_end : batch.request);
    if (isnan(batch.iter))
        batch.iter = batch.data + batch.step;
    if (isnan(batch.step))
        batch.step = batch.iter - batch.data;
    return batch;
}

static void add_single(struct dlq_histogram *histogram, double value)
{
    if (value >= 0)
        dlq_histogram_add(histogram, &value, 1);
}

static void add_times(struct dlq_trace *trace, struct dlq_rank *rank, const struct dlq_batch *batch,
                      const struct dlq_record *record)
{
    double weight = batch->count;
    rank->iterations += batch->count;
    if (!isnan(batch->data))
        dlq_spread_add(&rank->data, batch->data, weight);
    if (!isnan(batch->iter))
        dlq_spread_add(&rank->iter, batch->iter, weight);
    if (!isnan(batch->step))
        dlq_spread_add(&rank->step, batch->step, weight);
    if (batch->count == 1 && !isnan(batch->data) && (batch->epoch != rank->last_epoch || rank->iterations == 1))
        dlq_spread_add(&rank->first_data, batch->data, 1);
    add_single(&trace->data, isnan(record->data_single) ? batch->data : record->data_single);
    add_single(&trace->iter, isnan(record->iter_single) ? batch->iter : record->iter_single);
}

bool dlq_trace_keep(struct dlq_trace *trace, const struct dlq_format *format, long number,
                    const struct dlq_record *record)
{
    struct dlq_rank *rank = rank_of(trace, number);
    (void)format;
    if (rank == NULL)
        return false;
    struct dlq_batch batch = batch_of(rank, record);
    if (record->count > 0)
        add_times(trace, rank, &batch, record);
    rank->last_end = batch.step_end;
    rank->last_epoch = batch.epoch;
    return add_load(rank, &batch) && keep_batch(trace, rank, &batch);
}

void dlq_trace_settle(struct dlq_trace *trace, const struct dlq_format *format)
{
    (void)trace;
    (void)format;
}

/* The digits after "rank", "rank_" or "rank-", or those that begin the name before "_output". */
long dlq_rank_of_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *file = slash != NULL ? slash + 1 : name;
    const char *word = strstr(file, "rank");
    const char *digits = word != NULL ? word + 4 : file;
    if (word != NULL && (*digits == '_' || *digits == '-' || *digits == '.'))
        digits++;
    char *end;
    if (!isdigit((unsigned char)*digits))
        return -1;
    long number = strtol(digits, &end, 10);
    bool told = word != NULL || strncmp(end, "_output", 7) == 0;
    return told && end - digits < 7 ? number : -1;
}
