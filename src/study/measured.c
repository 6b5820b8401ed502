/* From the records of a trace to batches in order: by epoch, by dispatch, by delivery. */
#include "study/measured.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* -- which records can be replayed -- */

static bool has_load(const struct dlq_batch *batch)
{
    return isfinite(batch->load);
}

static bool has_received(const struct dlq_batch *batch)
{
    return isfinite(batch->received);
}

static bool has_end(const struct dlq_batch *batch)
{
    return isfinite(batch->step_end);
}

static bool is_single(const struct dlq_batch *batch)
{
    return batch->count <= 1;
}

static const struct {
    bool (*has)(const struct dlq_batch *batch);
    const char *what;
} needs[] = {
    {is_single, "a record of their own (the log shows several iterations together)"},
    {has_load, "a load time (load_start and load_end, or load_time)"},
    {has_received, "a time of reception (received)"},
    {has_end, "an end of the step (step_end)"},
};

enum { NEEDS = sizeof needs / sizeof *needs };

static bool is_whole(const struct dlq_batch *batch)
{
    for (size_t i = 0; i < NEEDS; i++)
        if (!needs[i].has(batch))
            return false;
    return true;
}

/* Batches of all ranks together that are replayed: what a replay keeps of each takes some 250 bytes. */
enum { MOST_REPLAYED = 1 << 16 };

/* All records up to the last whole one: what follows was under way when the log ended. The first of many. */
static size_t usable(const struct dlq_trace *trace, const struct dlq_rank *rank)
{
    size_t most = MOST_REPLAYED / trace->rank_count;
    size_t count = rank->count < most ? rank->count : most;
    while (count > 0 && !is_whole(&rank->batches[count - 1]))
        count--;
    return count;
}

static enum dlq_status check_rank(const struct dlq_trace *trace, const struct dlq_rank *rank, struct dlq_error *error)
{
    size_t count = usable(trace, rank);
    size_t looked = count > 0 ? count : rank->count;
    if (rank->count == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER, "rank %ld has no batches to replay", rank->number);
    for (size_t i = 0; i < NEEDS; i++) {
        size_t lacking = 0;
        for (size_t k = 0; k < looked; k++)
            lacking += needs[i].has(&rank->batches[k]) ? 0 : 1;
        if (lacking > 0)
            return dlq_error_add(error, DLQ_NO_ANSWER,
                                 "a replay needs load times, receptions and step ends of every batch: %zu of %zu "
                                 "batches of rank %ld are without %s",
                                 lacking, looked, rank->number, needs[i].what);
    }
    return DLQ_OK;
}

/* -- by epoch, by delivery -- */

/* A batch by its key; the j-th delivered of its epoch. */
struct place {
    double key;
    size_t j;
};

static int by_key(const void *left, const void *right)
{
    const struct place *a = left;
    const struct place *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->j > b->j) - (a->j < b->j);
}

/* Rank r's records are rows[first[r]]..rows[first[r + 1] - 1]. */
struct rows {
    struct dlq_batch *rows;
    size_t *first;
    double *keys; /* scratch, as many as rows */
    struct place *places;
};

static void rows_free(struct rows *rows)
{
    free(rows->rows);
    free(rows->first);
    free(rows->keys);
    free(rows->places);
}

static int by_epoch_and_reception(const void *left, const void *right)
{
    const struct dlq_batch *a = left;
    const struct dlq_batch *b = right;
    if (a->epoch != b->epoch)
        return a->epoch < b->epoch ? -1 : 1;
    return (a->received > b->received) - (a->received < b->received);
}

/* Where the log names no epoch, another batch 0 begins one. */
static void number_epochs(struct dlq_batch *rows, size_t n)
{
    int32_t epoch = -1;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].epoch >= 0)
            return;
        if (rows[i].index == 0)
            epoch++;
        rows[i].epoch = epoch;
    }
}

static bool rows_make(struct rows *rows, const struct dlq_trace *trace)
{
    size_t total = 1; /* nothing is not allocated */
    for (size_t r = 0; r < trace->rank_count; r++)
        total += usable(trace, &trace->ranks[r]);
    rows->rows = calloc(total, sizeof *rows->rows);
    rows->first = calloc(trace->rank_count + 1, sizeof *rows->first);
    rows->keys = calloc(total, sizeof *rows->keys);
    rows->places = calloc(total, sizeof *rows->places);
    if (rows->rows == NULL || rows->first == NULL || rows->keys == NULL || rows->places == NULL)
        return false;
    for (size_t r = 0; r < trace->rank_count; r++) {
        size_t n = usable(trace, &trace->ranks[r]);
        struct dlq_batch *own = rows->rows + rows->first[r];
        memcpy(own, trace->ranks[r].batches, n * sizeof *own);
        number_epochs(own, n);
        qsort(own, n, sizeof *own, by_epoch_and_reception);
        rows->first[r + 1] = rows->first[r] + n;
    }
    return true;
}

/* The end of the epoch that begins at `at`. */
static size_t epoch_end(const struct dlq_batch *rows, size_t at, size_t n)
{
    size_t end = at;
    while (end < n && rows[end].epoch == rows[at].epoch)
        end++;
    return end;
}

/* Epochs that all ranks have, each of as many batches as the shortest rank of it. begins has room for every batch. */
static void common_epochs(struct dlq_measured_run *measured, const struct rows *rows)
{
    measured->epochs = SIZE_MAX;
    for (size_t r = 0; r < measured->ranks; r++) {
        const struct dlq_batch *own = rows->rows + rows->first[r];
        size_t n = rows->first[r + 1] - rows->first[r];
        size_t epoch = 0;
        for (size_t at = 0; at < n && epoch < measured->epochs; epoch++) {
            size_t end = epoch_end(own, at, n);
            size_t *length = &measured->begins[epoch + 1];
            if (r == 0 || end - at < *length)
                *length = end - at;
            at = end;
        }
        if (epoch < measured->epochs)
            measured->epochs = epoch;
    }
    for (size_t e = 0; e < measured->epochs; e++)
        measured->begins[e + 1] += measured->begins[e];
    measured->batches = measured->begins[measured->epochs];
}

/* -- by dispatch -- */

static double index_of(const struct dlq_batch *batch)
{
    return batch->index >= 0 ? (double)batch->index : (double)NAN;
}

static double dispatch_of(const struct dlq_batch *batch)
{
    return batch->dispatched;
}

static double start_of(const struct dlq_batch *batch)
{
    return batch->load_start;
}

static bool all_have(const struct rows *rows, size_t ranks, double (*value)(const struct dlq_batch *batch))
{
    for (size_t i = 0; i < rows->first[ranks]; i++)
        if (!isfinite(value(&rows->rows[i])))
            return false;
    return true;
}

/* The order of dispatch is that of the index; else the time tells; else batches came as they were sent. */
static double sent_key(const struct dlq_measured_run *measured, const struct dlq_batch *batch)
{
    if (measured->has_index)
        return batch->index;
    return measured->has_dispatched ? batch->dispatched : batch->received;
}

static void place_epoch(struct dlq_measured_run *measured, struct rows *rows, size_t rank, size_t epoch,
                        const struct dlq_batch *delivered)
{
    size_t begin = measured->begins[epoch];
    size_t n = measured->begins[epoch + 1] - begin;
    size_t base = rank * measured->batches + begin;
    for (size_t j = 0; j < n; j++)
        rows->places[j] = (struct place){.key = sent_key(measured, &delivered[j]), .j = j};
    qsort(rows->places, n, sizeof *rows->places, by_key);
    for (size_t k = 0; k < n; k++) {
        measured->sent[base + k] = delivered[rows->places[k].j];
        measured->taken[base + rows->places[k].j] = begin + k;
    }
}

static void place_all(struct dlq_measured_run *measured, struct rows *rows)
{
    for (size_t r = 0; r < measured->ranks; r++) {
        const struct dlq_batch *own = rows->rows + rows->first[r];
        size_t n = rows->first[r + 1] - rows->first[r];
        size_t at = 0;
        for (size_t e = 0; e < measured->epochs; e++) {
            place_epoch(measured, rows, r, e, own + at);
            at = epoch_end(own, at, n);
        }
    }
}

/* -- the whole -- */

void dlq_measured_free(struct dlq_measured_run *measured)
{
    free(measured->begins);
    free(measured->sent);
    free(measured->worker);
    free(measured->taken);
    free(measured->before);
    *measured = (struct dlq_measured_run){0};
}

static bool arrange(struct dlq_measured_run *measured, struct rows *rows, const struct dlq_trace *trace)
{
    if (!rows_make(rows, trace))
        return false;
    measured->ranks = trace->rank_count;
    measured->begins = calloc(rows->first[measured->ranks] + 1, sizeof *measured->begins);
    if (measured->begins == NULL)
        return false;
    common_epochs(measured, rows);
    size_t places = measured->ranks * measured->batches + 1;
    measured->sent = calloc(places, sizeof *measured->sent);
    measured->worker = calloc(places, sizeof *measured->worker);
    measured->taken = calloc(places, sizeof *measured->taken);
    measured->before = calloc(places, sizeof *measured->before);
    double *ends = calloc(measured->batches + 1, sizeof *ends);
    bool made = measured->sent != NULL && measured->worker != NULL && measured->taken != NULL &&
                measured->before != NULL && ends != NULL;
    if (made) {
        measured->has_index = all_have(rows, measured->ranks, index_of);
        measured->has_dispatched = all_have(rows, measured->ranks, dispatch_of);
        measured->has_starts = all_have(rows, measured->ranks, start_of);
        place_all(measured, rows);
        dlq_measured_fill(measured, rows->keys, ends);
    }
    free(ends);
    return made;
}

enum dlq_status dlq_measured_make(struct dlq_measured_run *measured, const struct dlq_trace *trace,
                                  const struct dlq_pipeline_hint *hint, struct dlq_error *error)
{
    struct dlq_measured_run made = {0};
    struct rows rows = {0};
    enum dlq_status status = DLQ_OK;
    if (trace->rank_count == 0)
        status = dlq_error_add(error, DLQ_NO_ANSWER, "the trace holds no batches");
    for (size_t r = 0; r < trace->rank_count && status == DLQ_OK; r++)
        status = check_rank(trace, &trace->ranks[r], error);
    if (status == DLQ_OK && !arrange(&made, &rows, trace))
        status = dlq_error_memory(error, "replaying a trace");
    if (status == DLQ_OK)
        status = dlq_measured_loader(&made, hint, error);
    rows_free(&rows);
    if (status == DLQ_OK)
        *measured = made;
    else
        dlq_measured_free(&made);
    return status;
}
