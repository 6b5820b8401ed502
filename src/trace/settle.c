/* After a log: its ranks join those of the logs before. And how much of each is kept. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* -- room -- */

static void cut(struct dlq_trace *trace, struct dlq_rank *rank, size_t most)
{
    if (rank->count <= most)
        return;
    trace->kept -= rank->count - most;
    rank->count = most;
    rank->whole = false;
    struct dlq_batch *less = most > 0 ? realloc(rank->batches, most * sizeof *less) : NULL;
    if (less == NULL)
        return;
    rank->batches = less;
    rank->capacity = most;
}

static void drop_from(struct dlq_trace *trace, struct dlq_rank *rank, size_t limit)
{
    size_t left = 0;
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].index < (int32_t)limit)
            rank->batches[left++] = rank->batches[i];
    cut(trace, rank, left);
}

/* What is done to each rank, those of the log at hand too. */
static void each(struct dlq_trace *trace, void (*act)(struct dlq_trace *, struct dlq_rank *, size_t), size_t most)
{
    for (size_t i = 0; i < trace->rank_count; i++)
        act(trace, &trace->ranks[i], most);
    for (size_t i = 0; i < trace->fresh.count; i++)
        act(trace, &trace->fresh.ranks[i], most);
}

static int32_t largest_index(const struct dlq_rank *ranks, size_t count)
{
    int32_t largest = -1;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < ranks[i].count; k++)
            if (ranks[i].batches[k].index > largest)
                largest = ranks[i].batches[k].index;
    return largest;
}

/* Halves the range of indices that are kept. Where that is of no use, none are any more. */
static bool make_room_joined(struct dlq_trace *trace)
{
    enum { ENOUGH = DLQ_MOST_RECORDS - DLQ_MOST_RECORDS / 8 };
    int32_t settled = largest_index(trace->ranks, trace->rank_count);
    int32_t fresh = largest_index(trace->fresh.ranks, trace->fresh.count);
    trace->index_limit = settled > fresh ? settled : fresh;
    while (trace->kept > ENOUGH && trace->index_limit > 1) {
        trace->index_limit = (trace->index_limit + 1) / 2;
        each(trace, drop_from, (size_t)trace->index_limit);
    }
    if (trace->kept <= ENOUGH)
        return true;
    trace->index_limit = -1;
    return false;
}

bool dlq_trace_make_room(struct dlq_trace *trace, const struct dlq_format *format, size_t count)
{
    if (format->joins)
        return make_room_joined(trace);
    size_t share = DLQ_MOST_RECORDS;
    while (share > 1 && share * (trace->rank_count + trace->fresh.count) > DLQ_MOST_RECORDS)
        share /= 2;
    each(trace, cut, share);
    return count < share;
}

/* -- records of one batch -- */

static int by(double left, double right)
{
    return (left > right) - (left < right);
}

/* A load begins before its batch is received. */
static double time_of(const struct dlq_batch *batch)
{
    double time = batch->count == 0 ? batch->load_start : batch->received;
    return isnan(time) ? -INFINITY : time;
}

static int by_index(const void *left, const void *right)
{
    const struct dlq_batch *a = left, *b = right;
    if (a->index != b->index)
        return by(a->index, b->index);
    if (time_of(a) != time_of(b))
        return by(time_of(a), time_of(b));
    return a->epoch != b->epoch ? by(a->epoch, b->epoch) : by(a->count, b->count);
}

static int by_epoch(const void *left, const void *right)
{
    const struct dlq_batch *a = left, *b = right;
    if (a->epoch != b->epoch)
        return by(a->epoch, b->epoch);
    return a->index != b->index ? by(a->index, b->index) : by(time_of(a), time_of(b));
}

/* The load of a batch, and the iteration that has it. */
static bool belong(const struct dlq_batch *load, const struct dlq_batch *batch)
{
    return load->index >= 0 && load->index == batch->index && load->count == 0 && batch->count > 0 &&
           isnan(batch->load);
}

static void fill_in(struct dlq_batch *batch, const struct dlq_batch *load)
{
    batch->load = load->load;
    batch->load_start = load->load_start;
    batch->load_end = load->load_end;
    if (isnan(batch->dispatched))
        batch->dispatched = load->dispatched;
    if (batch->worker < 0)
        batch->worker = load->worker;
}

/* In time an index comes up once per epoch: its load, then its iteration. */
static void join(struct dlq_trace *trace, struct dlq_rank *rank)
{
    size_t left = 0;
    if (rank->count == 0)
        return;
    qsort(rank->batches, rank->count, sizeof *rank->batches, by_index);
    for (size_t i = 0; i < rank->count; i++) {
        struct dlq_batch batch = rank->batches[i];
        if (left > 0 && belong(&rank->batches[left - 1], &batch))
            fill_in(&batch, &rank->batches[--left]);
        rank->batches[left++] = batch;
    }
    trace->kept -= rank->count - left;
    rank->count = left;
    qsort(rank->batches, rank->count, sizeof *rank->batches, by_epoch);
}

/* -- a rank of two logs -- */

static bool merge_workers(struct dlq_trace *trace, struct dlq_rank *into, struct dlq_rank *from)
{
    if (from->worker_count > into->worker_count) {
        struct dlq_spread *grown = realloc(into->workers, from->worker_count * sizeof *grown);
        if (grown == NULL)
            return false;
        memset(grown + into->worker_count, 0, (from->worker_count - into->worker_count) * sizeof *grown);
        trace->spreads += from->worker_count - into->worker_count;
        into->workers = grown;
        into->worker_count = from->worker_count;
    }
    for (size_t i = 0; i < from->worker_count; i++)
        dlq_spread_merge(&into->workers[i], &from->workers[i]);
    return true;
}

/* What is kept stays the first of the rank, or, joined, those of all indices up to one. */
static bool merge_batches(struct dlq_rank *into, struct dlq_rank *from, bool joins)
{
    if (from->count == 0 || (!into->whole && !joins))
        return true;
    struct dlq_batch *grown = realloc(into->batches, (into->count + from->count) * sizeof *grown);
    if (grown == NULL)
        return false;
    memcpy(grown + into->count, from->batches, from->count * sizeof *grown);
    into->batches = grown;
    into->count += from->count;
    into->capacity = into->count;
    from->count = 0;
    return true;
}

static bool merge(struct dlq_trace *trace, struct dlq_rank *into, struct dlq_rank *from, bool joins)
{
    if (!merge_workers(trace, into, from) || !merge_batches(into, from, joins))
        return false;
    into->iterations += from->iterations;
    dlq_spread_merge(&into->data, &from->data);
    dlq_spread_merge(&into->iter, &from->iter);
    dlq_spread_merge(&into->step, &from->step);
    dlq_spread_merge(&into->load, &from->load);
    dlq_spread_merge(&into->first_data, &from->first_data);
    into->whole = into->whole && from->whole;
    return true;
}

/* -- ranks -- */

static void forget(struct dlq_trace *trace, struct dlq_rank *rank)
{
    trace->kept -= rank->count;
    trace->spreads -= rank->worker_count;
    free(rank->batches);
    free(rank->workers);
}

void dlq_trace_drop(struct dlq_trace *trace)
{
    for (size_t i = 0; i < trace->fresh.count; i++)
        forget(trace, &trace->fresh.ranks[i]);
    free(trace->fresh.ranks);
    trace->fresh = (struct dlq_rank_list){0};
}

/* Ranks all of whose records were malformed. */
static void drop_empty(struct dlq_trace *trace)
{
    struct dlq_rank_list *fresh = &trace->fresh;
    size_t left = 0;
    for (size_t i = 0; i < fresh->count; i++) {
        const struct dlq_rank *rank = &fresh->ranks[i];
        if (rank->iterations > 0 || rank->load.count > 0 || rank->count > 0)
            fresh->ranks[left++] = *rank;
        else
            forget(trace, &fresh->ranks[i]);
    }
    fresh->count = left;
}

/* How many of the fresh ones are not among the ranks. */
static size_t count_new(const struct dlq_trace *trace)
{
    size_t found = 0;
    for (size_t i = 0; i < trace->fresh.count; i++)
        found += dlq_trace_rank(trace, trace->fresh.ranks[i].number) != NULL;
    return trace->fresh.count - found;
}

static bool add_rank(struct dlq_trace *trace, struct dlq_rank *from, bool joins)
{
    size_t place = dlq_rank_place(trace->ranks, trace->rank_count, from->number);
    struct dlq_rank *at = trace->ranks + place;
    if (place < trace->rank_count && at->number == from->number) {
        if (!merge(trace, at, from, joins))
            return false;
        forget(trace, from);
    } else {
        memmove(at + 1, at, (trace->rank_count - place) * sizeof *at);
        *at = *from;
        trace->rank_count++;
    }
    if (joins)
        join(trace, at);
    return true;
}

static void flush(struct dlq_histogram *histogram, struct dlq_pending *pending)
{
    dlq_histogram_add(histogram, pending->values, pending->count);
    pending->count = 0;
}

enum dlq_status dlq_trace_settle(struct dlq_trace *trace, const struct dlq_format *format, long named,
                                 struct dlq_error *error)
{
    struct dlq_rank_list *fresh = &trace->fresh;
    flush(&trace->data, &trace->pending_data);
    flush(&trace->iter, &trace->pending_iter);
    drop_empty(trace);
    if (fresh->count == 1 && named >= 0)
        fresh->ranks[0].number = named;
    size_t needed = trace->rank_count + count_new(trace);
    if (needed > DLQ_MOST_RANKS)
        return dlq_error_add(error, DLQ_INVALID, "the logs are of more than %d ranks", DLQ_MOST_RANKS);
    struct dlq_rank *grown = realloc(trace->ranks, (needed > 0 ? needed : 1) * sizeof *grown);
    if (grown == NULL)
        return dlq_error_memory(error, "reading a log");
    trace->ranks = grown;
    for (; fresh->count > 0; fresh->count--)
        if (!add_rank(trace, &fresh->ranks[fresh->count - 1], format->joins))
            return dlq_error_memory(error, "reading a log");
    dlq_trace_drop(trace);
    return DLQ_OK;
}

enum dlq_status dlq_trace_join(struct dlq_trace *trace, struct dlq_trace *from, struct dlq_error *error)
{
    trace->fresh = (struct dlq_rank_list){.ranks = from->ranks, .count = from->rank_count};
    from->ranks = NULL;
    from->rank_count = 0;
    trace->kept += from->kept;
    trace->spreads += from->spreads;
    if (from->index_limit < trace->index_limit) {
        trace->index_limit = from->index_limit;
        each(trace, drop_from, (size_t)trace->index_limit);
    }
    if (trace->kept > DLQ_MOST_RECORDS)
        dlq_trace_make_room(trace, trace->format, 0);
    dlq_histogram_merge(&trace->data, &from->data);
    dlq_histogram_merge(&trace->iter, &from->iter);
    trace->logs += from->logs;
    trace->records += from->records;
    trace->bad += from->bad;
    trace->other += from->other;
    for (const char *line = from->skipped.text; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        dlq_error_add(&trace->skipped, DLQ_INVALID, "%.*s", length, line);
        line += length + (line[length] == '\n');
    }
    long world = trace->shared.world;
    trace->shared = from->shared;
    trace->shared.world = world > from->shared.world ? world : from->shared.world;
    return dlq_trace_settle(trace, trace->format, -1, error);
}
