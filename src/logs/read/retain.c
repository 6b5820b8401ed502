/* Keeps records in bounded memory: sums over all records, and the first records in full. The records of a log are added
   one by one to a trace of this log alone, which then joins the trace of its run. */
#include "logs/calibration.h"
#include "logs/read/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- ranks -- */

/* The index of the rank in trace->ranks, or the index at which to insert it. */
static size_t index_of(const struct dlq_trace *trace, long number)
{
    size_t low = 0, high = trace->rank_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->ranks[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct dlq_rank *find_rank(const struct dlq_trace *trace, long number)
{
    size_t index = index_of(trace, number);
    bool found = index < trace->rank_count && trace->ranks[index].number == number;
    return found ? &trace->ranks[index] : NULL;
}

const struct dlq_rank *dlq_trace_rank(const struct dlq_trace *trace, long number)
{
    return find_rank(trace, number);
}

bool dlq_rank_has_records(const struct dlq_rank *rank)
{
    return rank->iterations > 0 || rank->load.count > 0 || rank->count > 0;
}

/* Finds the rank or adds it; null: no memory, or too many. */
static struct dlq_rank *find_or_add_rank(struct dlq_trace *trace, long number)
{
    struct dlq_rank *existing = find_rank(trace, number);
    if (existing != NULL || trace->rank_count == DLQ_MOST_RANKS)
        return existing;
    if (!dlq_grow(&trace->ranks, &trace->rank_capacity, trace->rank_count + 1, sizeof *trace->ranks))
        return NULL;
    size_t index = index_of(trace, number);
    struct dlq_rank *made = trace->ranks + index;
    memmove(made + 1, made, (trace->rank_count - index) * sizeof *made);
    *made = (struct dlq_rank){.number = number, .last_end = NAN, .last_epoch = -1, .whole = true};
    trace->rank_count++;
    return made;
}

/* -- the times that a record leaves out -- */

/* Sets *time = to - from if *time is unknown. False: `to` is before `from`, and `why` says so. */
static bool derive_time(double *time, const char *first, double from, const char *second, double to,
                        char why[DLQ_LOG_WHY])
{
    if (!isnan(*time))
        return true;
    *time = to - from;
    if (!(*time < 0))
        return true;
    snprintf(why, DLQ_LOG_WHY, "%s, %.15g, is before %s, %.15g", second, to, first, from);
    return false;
}

/* Computes unknown times of a batch from others. False: its times contradict each other or the iteration before. */
static bool complete_times(const struct dlq_rank *rank, struct dlq_batch *batch, char why[DLQ_LOG_WHY])
{
    bool follows = rank->last_epoch == batch->epoch && !isnan(rank->last_end);
    bool by_points = isnan(batch->iter);
    if (follows && by_points && batch->count > 0 && batch->step_end == rank->last_end &&
        (batch->data > 0 || batch->received > batch->request)) {
        snprintf(why, DLQ_LOG_WHY, "step_end, %.15g, is that of the iteration before: is the row there twice?",
                 batch->step_end);
        return false;
    }
    if (!derive_time(&batch->load, "load_start", batch->load_start, "load_end", batch->load_end, why) ||
        !derive_time(&batch->data, "request", batch->request, "received", batch->received, why) ||
        !derive_time(&batch->step, "received", batch->received, "step_end", batch->step_end, why) ||
        !derive_time(&batch->iter, follows ? "that of the iteration before" : "request",
                     follows ? rank->last_end : batch->request, "step_end", batch->step_end, why))
        return false;
    if (isnan(batch->iter))
        batch->iter = batch->data + batch->step;
    /* Points in time may be rounded: tolerates 1 % and 1 ms. Times recovered from rounded means may differ by more. */
    double rest = batch->iter - batch->data;
    if (by_points && -rest > dlq_calibration.severity_small * batch->iter + dlq_calibration.tick) {
        snprintf(why, DLQ_LOG_WHY, "data time %g s is longer than the iteration, %g s", batch->data, batch->iter);
        return false;
    }
    if (isnan(batch->step))
        batch->step = rest < 0 ? 0 : rest;
    return true;
}

/* -- sums -- */

/* Adds `shown`, or if that is NAN the value. */
static void add_first_known(struct dlq_histogram *histogram, double shown, double value)
{
    value = isnan(shown) ? value : shown;
    if (value >= 0)
        dlq_histogram_add(histogram, &value, 1);
}

static void add_known(struct dlq_spread *spread, double value, double weight)
{
    if (!isnan(value))
        dlq_spread_add(spread, value, weight);
}

/* Grows rank->workers to `count` spreads; false: no memory. */
static bool grow_workers(struct dlq_trace *trace, struct dlq_rank *rank, size_t count)
{
    if (count <= rank->worker_count)
        return true;
    if (!dlq_grow(&rank->workers, &rank->worker_capacity, count, sizeof *rank->workers))
        return false;
    trace->spreads += count - rank->worker_count;
    rank->worker_count = count;
    return true;
}

/* Adds a load to the spreads of its rank and its worker. Workers beyond the limits have no spread. False: no memory. */
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
    if (!grow_workers(trace, rank, worker + 1))
        return false;
    dlq_spread_add(&rank->workers[worker], batch->load, 1);
    return true;
}

/* -- full records, within the limit -- */

/* Drops all but the first `share` records of each rank; if the format joins, all records from trace->index_limit on: a
   limit of all ranks and logs, so that each kept load has its iteration. */
static void keep_share(struct dlq_trace *trace, bool joins, size_t share)
{
    for (size_t i = 0; i < trace->rank_count; i++) {
        struct dlq_rank *rank = &trace->ranks[i];
        size_t left = joins ? 0 : share;
        for (size_t k = 0; joins && k < rank->count; k++)
            if (rank->batches[k].index < trace->index_limit)
                rank->batches[left++] = rank->batches[k];
        if (rank->count <= left)
            continue;
        trace->kept -= rank->count - left;
        rank->count = left;
        rank->whole = false;
        struct dlq_batch *less = left > 0 ? realloc(rank->batches, left * sizeof *less) : NULL;
        if (less == NULL)
            continue;
        rank->batches = less;
        rank->capacity = left;
    }
}

/* Drops records: to equal shares of the ranks, or, if the format joins, to half of index_limit. Returns whether a rank
   with `count` kept records may keep one more. */
static bool make_room(struct dlq_trace *trace, bool joins, size_t count)
{
    size_t share = DLQ_MOST_RECORDS;
    if (joins) {
        for (; trace->kept >= DLQ_MOST_RECORDS && trace->index_limit > 1; keep_share(trace, true, 0))
            trace->index_limit /= 2;
        return trace->kept < DLQ_MOST_RECORDS;
    }
    while (share > 1 && share * trace->rank_count > DLQ_MOST_RECORDS)
        share /= 2;
    keep_share(trace, false, share);
    return count < share;
}

enum dlq_read dlq_trace_add(struct dlq_trace *trace, long number, const struct dlq_record *record,
                            char why[DLQ_LOG_WHY])
{
    struct dlq_batch batch = record->batch;
    bool joins = trace->format->joins;
    if (number > INT32_MAX) {
        snprintf(why, DLQ_LOG_WHY, "rank %ld is not in 0..%d", number, INT32_MAX);
        return DLQ_READ_BAD;
    }
    struct dlq_rank *rank = find_or_add_rank(trace, number);
    if (rank == NULL && trace->rank_count == DLQ_MOST_RANKS) {
        snprintf(why, DLQ_LOG_WHY, "more than %d ranks", DLQ_MOST_RANKS);
        return DLQ_READ_BAD;
    }
    if (rank == NULL)
        return DLQ_READ_FAILED;
    /* dlq_log_time refuses infinite times, which would make the sums infinite. */
    bool right = complete_times(rank, &batch, why) && dlq_log_time("data time", batch.data, why) &&
                 dlq_log_time("iteration", batch.iter, why) && dlq_log_time("step", batch.step, why) &&
                 dlq_log_time("load", batch.load, why);
    if (right && batch.count > 0) {
        rank->iterations += batch.count;
        add_known(&rank->data, batch.data, batch.count);
        add_known(&rank->iter, batch.iter, batch.count);
        add_known(&rank->step, batch.step, batch.count);
        if (!isnan(batch.data) && !isnan(batch.iter)) {
            dlq_spread_add(&rank->both_data, batch.data, batch.count);
            dlq_spread_add(&rank->both_iter, batch.iter, batch.count);
        }
        add_first_known(&trace->data, record->data_shown, batch.data);
        add_first_known(&trace->iter, record->iter_shown, batch.iter);
    }
    if (batch.count > 0) {
        rank->last_end = batch.step_end;
        rank->last_epoch = batch.epoch;
    }
    if (!right)
        return DLQ_READ_BAD;
    if (!add_load(trace, rank, &batch))
        return DLQ_READ_FAILED;
    bool kept = joins ? batch.index < trace->index_limit : rank->whole;
    if (kept && trace->kept >= DLQ_MOST_RECORDS)
        kept = make_room(trace, joins, rank->count) && (!joins || batch.index < trace->index_limit);
    if (!kept) {
        rank->whole = false;
        return DLQ_READ_RECORD;
    }
    if (!dlq_grow(&rank->batches, &rank->capacity, rank->count + 1, sizeof *rank->batches))
        return DLQ_READ_FAILED;
    rank->batches[rank->count++] = batch;
    trace->kept++;
    return DLQ_READ_RECORD;
}

/* -- records of one batch, of formats that join -- */

static int compare_numbers(double left, double right)
{
    return (left > right) - (left < right);
}

/* The start of a load or the reception of an iteration, for sorting: a load comes before its iteration. */
static double time_of(const struct dlq_batch *batch)
{
    double time = batch->count == 0 ? batch->load_start : batch->received;
    return isnan(time) ? -INFINITY : time;
}

static int by_index(const void *left, const void *right)
{
    const struct dlq_batch *a = left, *b = right;
    if (a->index != b->index)
        return compare_numbers(a->index, b->index);
    if (time_of(a) != time_of(b))
        return compare_numbers(time_of(a), time_of(b));
    return a->epoch != b->epoch ? compare_numbers(a->epoch, b->epoch) : compare_numbers(a->count, b->count);
}

static int by_epoch(const void *left, const void *right)
{
    const struct dlq_batch *a = left, *b = right;
    if (a->epoch != b->epoch)
        return compare_numbers(a->epoch, b->epoch);
    return a->index != b->index ? compare_numbers(a->index, b->index) : compare_numbers(time_of(a), time_of(b));
}

/* Merges each load into its iteration, the next record in time with its index. Returns the number of records left. */
static size_t join_loads(struct dlq_rank *rank)
{
    size_t left = 0;
    if (rank->count == 0)
        return 0;
    qsort(rank->batches, rank->count, sizeof *rank->batches, by_index);
    for (size_t i = 0; i < rank->count; i++) {
        struct dlq_batch batch = rank->batches[i];
        const struct dlq_batch *load = left > 0 ? &rank->batches[left - 1] : NULL;
        if (load != NULL && load->index >= 0 && load->index == batch.index && load->count == 0 && batch.count > 0 &&
            isnan(batch.load)) {
            batch.load = load->load;
            batch.load_start = load->load_start;
            batch.load_end = load->load_end;
            if (isnan(batch.dispatched))
                batch.dispatched = load->dispatched;
            if (batch.worker < 0)
                batch.worker = load->worker;
            left--;
        }
        rank->batches[left++] = batch;
    }
    rank->count = left;
    qsort(rank->batches, rank->count, sizeof *rank->batches, by_epoch);
    return left;
}

/* -- after a log -- */

/* Appends the sums and kept records of `from` to the same rank of earlier logs. The kept records stay the first of the
   rank, or those below index_limit if the format joins. False: no memory. */
static bool merge(struct dlq_trace *trace, struct dlq_rank *into, struct dlq_rank *from, bool joins)
{
    bool more = from->count > 0 && (into->whole || joins);
    if (!grow_workers(trace, into, from->worker_count) ||
        (more && !dlq_grow(&into->batches, &into->capacity, into->count + from->count, sizeof *into->batches)))
        return false;
    for (size_t i = 0; i < from->worker_count; i++)
        dlq_spread_merge(&into->workers[i], &from->workers[i]);
    if (more) {
        memcpy(into->batches + into->count, from->batches, from->count * sizeof *from->batches);
        into->count += from->count;
        from->count = 0;
    }
    into->iterations += from->iterations;
    dlq_spread_merge(&into->data, &from->data);
    dlq_spread_merge(&into->iter, &from->iter);
    dlq_spread_merge(&into->step, &from->step);
    dlq_spread_merge(&into->both_data, &from->both_data);
    dlq_spread_merge(&into->both_iter, &from->both_iter);
    dlq_spread_merge(&into->load, &from->load);
    into->whole = into->whole && from->whole;
    return true;
}

static void add_clock(struct dlq_clock *clock, const struct dlq_clock *other)
{
    clock->rows += other->rows;
    clock->iterations += other->iterations;
    clock->passed += other->passed;
    clock->timed += other->timed;
    clock->waited += other->waited;
    clock->transfer += other->transfer;
    clock->resolution = fmax(clock->resolution, other->resolution);
    clock->validation.count += other->validation.count;
    clock->validation.seconds += other->validation.seconds;
    clock->checkpoints.count += other->checkpoints.count;
    clock->checkpoints.seconds += other->checkpoints.seconds;
    clock->pauses.count += other->pauses.count;
    clock->pauses.seconds += other->pauses.seconds;
}

enum dlq_status dlq_trace_join(struct dlq_trace *trace, struct dlq_trace *from, struct dlq_error *error)
{
    const bool joins = from->format->joins; /* logs of a run may be of several formats */
    size_t needed = trace->rank_count;
    for (size_t i = 0; i < from->rank_count; i++)
        needed += dlq_rank_has_records(&from->ranks[i]) && dlq_trace_rank(trace, from->ranks[i].number) == NULL;
    if (needed > DLQ_MOST_RANKS)
        return dlq_error_add(error, DLQ_INVALID, "the logs are of more than %d ranks", DLQ_MOST_RANKS);
    for (size_t i = 0; i < from->rank_count; i++) {
        struct dlq_rank *own = &from->ranks[i];
        bool exists = dlq_trace_rank(trace, own->number) != NULL;
        if (!dlq_rank_has_records(own))
            continue;
        struct dlq_rank *into = find_or_add_rank(trace, own->number);
        if (into == NULL || (exists && !merge(trace, into, own, joins)))
            return dlq_error_memory(error, "reading a log");
        if (!exists) {
            *into = *own;
            *own = (struct dlq_rank){.number = into->number};
        }
    }
    if (from->index_limit < trace->index_limit)
        trace->index_limit = from->index_limit;
    trace->kept = trace->spreads = 0;
    for (size_t i = 0; i < trace->rank_count; i++) {
        trace->kept += trace->ranks[i].count;
        trace->spreads += trace->ranks[i].worker_count;
    }
    if (joins)
        keep_share(trace, true, 0);
    if (trace->kept > DLQ_MOST_RECORDS)
        make_room(trace, joins, 0);
    for (size_t i = 0; i < from->rank_count && joins; i++) {
        struct dlq_rank *rank = find_rank(trace, from->ranks[i].number);
        size_t before = rank != NULL ? rank->count : 0;
        if (rank != NULL)
            trace->kept -= before - join_loads(rank);
    }
    dlq_histogram_merge(&trace->data, &from->data);
    dlq_histogram_merge(&trace->iter, &from->iter);
    trace->logs += from->logs;
    trace->records += from->records;
    trace->bad += from->bad;
    trace->other += from->other;
    trace->rank_known |= from->rank_known;
    for (const char *line = from->skipped.text; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        dlq_error_add(&trace->skipped, DLQ_INVALID, "%.*s", length, line);
        line += length + (line[length] == '\n');
    }
    struct dlq_shared before = trace->shared;
    trace->shared = from->shared;
    trace->shared.validation_lines += before.validation_lines;
    trace->shared.repeated_headers += before.repeated_headers;
    add_clock(&trace->shared.clock, &before.clock);
    if (trace->shared.doubts[0] == '\0')
        memcpy(trace->shared.doubts, before.doubts, sizeof before.doubts);
    trace->shared.world = before.world > from->shared.world ? before.world : from->shared.world;
    trace->shared.persistent = before.persistent || from->shared.persistent;
    const struct dlq_log_host *one = &before.host, *other = &from->shared.host;
    trace->shared.host = (struct dlq_log_host){.cores = fmax(one->cores, other->cores),
                                               .memory = fmax(one->memory, other->memory),
                                               .shm = fmax(one->shm, other->shm),
                                               .batch_bytes = fmax(one->batch_bytes, other->batch_bytes),
                                               .ranks = one->ranks > other->ranks ? one->ranks : other->ranks};
    trace->shared.unit_unknown = before.unit_unknown || from->shared.unit_unknown;
    trace->shared.cuda = before.cuda || from->shared.cuda;
    trace->shared.synchronized = before.synchronized || from->shared.synchronized;
    return DLQ_OK;
}
