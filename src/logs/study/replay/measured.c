/* Arranges the records of a trace as batches in order of epoch, dispatch and delivery. Fills what logs leave out:
   requests, clock differences between ranks, the load before on each worker. Then finds loader, workers and prefetch,
   and checks these against the hint. */
#include "logs/calibration.h"
#include "logs/study/replay/replay.h"

#include <gsl/gsl_sort.h>
#include <stdlib.h>
#include <string.h>

/* -- which records can be replayed -- */

static const struct {
    size_t offset; /* of a time in struct dlq_batch; row 0 tests the count instead */
    const char *what;
} needs[] = {
    {0, "a record of their own (the log shows several iterations together)"},
    {offsetof(struct dlq_batch, load), "a load time (load_start and load_end, or load_time)"},
    {offsetof(struct dlq_batch, received), "a time of reception (received)"},
    {offsetof(struct dlq_batch, step_end), "an end of the step (step_end)"},
};

enum { NEEDS = sizeof needs / sizeof *needs };

static bool lacks(const struct dlq_batch *batch, size_t what)
{
    return what == 0 ? batch->count > 1
                     : !isfinite(*(const double *)(const void *)((const char *)batch + needs[what].offset));
}

/* Most batches of all ranks together: a replay needs about 290 bytes for each. */
enum { MOST_REPLAYED = 1 << 16 };

/* How many records of a rank are replayed: of long logs the first ones, up to the last complete one, since batches
   after it were unfinished when the log ended. */
static size_t usable_records(const struct dlq_trace *trace, const struct dlq_rank *rank)
{
    size_t most = MOST_REPLAYED / trace->rank_count;
    for (size_t count = rank->count < most ? rank->count : most; count > 0; count--) {
        bool complete = true;
        for (size_t i = 0; i < NEEDS; i++)
            complete = complete && !lacks(&rank->batches[count - 1], i);
        if (complete)
            return count;
    }
    return 0;
}

/* -- records by epoch and delivery -- */

/* The j-th delivered batch of its epoch, with a key to sort by. */
struct place {
    double key;
    size_t j;
};

static int by_key(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
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

static int by_epoch_and_reception(const void *left, const void *right)
{
    const struct dlq_batch *a = left, *b = right;
    if (a->epoch != b->epoch)
        return a->epoch < b->epoch ? -1 : 1;
    return (a->received > b->received) - (a->received < b->received);
}

static enum dlq_status make_rows(struct dlq_arena *arena, struct rows *rows, const struct dlq_trace *trace)
{
    size_t total = 1;
    for (size_t r = 0; r < trace->rank_count; r++)
        total += usable_records(trace, &trace->ranks[r]);
    NEW(arena, rows->rows, total);
    NEW(arena, rows->first, trace->rank_count + 1);
    NEW(arena, rows->keys, total);
    NEW(arena, rows->places, total);
    for (size_t r = 0; r < trace->rank_count; r++) {
        size_t n = usable_records(trace, &trace->ranks[r]);
        struct dlq_batch *own = rows->rows + rows->first[r];
        memcpy(own, trace->ranks[r].batches, n * sizeof *own);
        /* Where the log has no epochs, each batch of index 0 begins one. */
        int32_t epoch = -1;
        for (size_t i = 0; i < n && own[i].epoch < 0; i++)
            own[i].epoch = epoch += own[i].index == 0;
        qsort(own, n, sizeof *own, by_epoch_and_reception);
        rows->first[r + 1] = rows->first[r] + n;
    }
    return DLQ_OK;
}

/* One past the last of the n rows that has the epoch of row `begin`. */
static size_t epoch_end(const struct dlq_batch *rows, size_t begin, size_t n)
{
    size_t end = begin;
    while (end < n && rows[end].epoch == rows[begin].epoch)
        end++;
    return end;
}

/* Finds the epochs that all ranks have. An epoch is cut to the number of batches of the rank that has fewest of it. */
static void common_epochs(struct dlq_measured_run *measured, const struct rows *rows)
{
    measured->epochs = SIZE_MAX;
    for (size_t r = 0; r < measured->ranks; r++) {
        const struct dlq_batch *own = rows->rows + rows->first[r];
        size_t n = rows->first[r + 1] - rows->first[r];
        size_t epoch = 0;
        for (size_t begin = 0; begin < n && epoch < measured->epochs; epoch++) {
            size_t end = epoch_end(own, begin, n);
            size_t *length = &measured->begins[epoch + 1];
            if (r == 0 || end - begin < *length)
                *length = end - begin;
            begin = end;
        }
        if (epoch < measured->epochs)
            measured->epochs = epoch;
    }
    for (size_t e = 0; e < measured->epochs; e++)
        measured->begins[e + 1] += measured->begins[e];
    measured->batches = measured->begins[measured->epochs];
}

/* Sorts the batches of each epoch by index; without indices by time of dispatch; without either they were dispatched in
   the order of their reception. */
static void place_rank(struct dlq_measured_run *measured, struct rows *rows, size_t rank)
{
    const struct dlq_batch *delivered = rows->rows + rows->first[rank];
    size_t left = rows->first[rank + 1] - rows->first[rank];
    for (size_t e = 0; e < measured->epochs; e++) {
        size_t begin = measured->begins[e], n = measured->begins[e + 1] - begin;
        size_t base = rank * measured->batches + begin;
        for (size_t j = 0; j < n; j++)
            rows->places[j] = (struct place){measured->has_index        ? delivered[j].index
                                             : measured->has_dispatched ? delivered[j].dispatched
                                                                        : delivered[j].received,
                                             j};
        qsort(rows->places, n, sizeof *rows->places, by_key);
        for (size_t k = 0; k < n; k++) {
            measured->sent[base + k] = delivered[rows->places[k].j];
            measured->delivered[base + rows->places[k].j] = begin + k;
        }
        size_t all = epoch_end(delivered, 0, left);
        delivered += all;
        left -= all;
    }
}

/* Fills unknown requests: reception less the wait; without a wait the end of the step before; of the first batch of an
   epoch the earliest of its times. */
static void fill_requests(struct dlq_measured_run *measured, size_t rank)
{
    size_t first = rank * measured->batches;
    for (size_t e = 0; e < measured->epochs; e++) {
        for (size_t j = measured->begins[e]; j < measured->begins[e + 1]; j++) {
            struct dlq_batch *batch = &measured->sent[first + measured->delivered[first + j]];
            if (isfinite(batch->request))
                continue;
            if (isfinite(batch->data))
                batch->request = batch->received - batch->data;
            else if (j > measured->begins[e])
                batch->request = dlq_measured_delivered(measured, rank, j - 1)->step_end;
            else
                batch->request = fmin(batch->received, fmin(batch->dispatched, batch->load_start)); /* not NAN */
        }
    }
}

/* Numbers the workers of each epoch 0, 1, ... (where one is unknown, all are), and fills `before`. keys, ends: scratch
   of a value for each batch of a rank. */
static void find_workers(struct dlq_measured_run *measured, double *keys, double *ends)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++) {
            size_t base = r * measured->batches + measured->begins[e], count = 0;
            size_t n = measured->begins[e + 1] - measured->begins[e];
            for (size_t k = 0; k < n; k++)
                keys[k] = measured->sent[base + k].worker;
            gsl_sort(keys, 1, n);
            for (size_t k = 0; k < n && keys[0] >= 0; k++)
                if (count == 0 || keys[k] != keys[count - 1])
                    keys[count++] = keys[k];
            for (size_t w = 0; w < count; w++)
                ends[w] = NAN;
            for (size_t k = 0; k < n; k++) {
                const struct dlq_batch *batch = &measured->sent[base + k];
                size_t worker = count > 0 ? dlq_count_up_to(keys, count, batch->worker) - 1 : 0;
                measured->worker[base + k] = worker;
                measured->before[base + k] = count > 0 ? ends[worker] : NAN;
                ends[worker] = batch->load_end;
            }
            least = count < least ? count : least;
            most = count > most ? count : most;
        }
    measured->workers = least > 0 ? (long)most : 0;
}

static enum dlq_status arrange(struct dlq_arena *arena, struct dlq_measured_run *measured,
                               const struct dlq_trace *trace)
{
    DLQ_ARENA scratch = {.error = arena->error, .doing = arena->doing};
    struct rows rows = {0};
    double *ends;
    TRY(make_rows(&scratch, &rows, trace));
    measured->ranks = trace->rank_count;
    measured->trace_ranks = trace->ranks;
    NEW(arena, measured->begins, rows.first[measured->ranks] + 1);
    common_epochs(measured, &rows);
    size_t places = measured->ranks * measured->batches + 1;
    NEW(arena, measured->sent, places);
    NEW(arena, measured->worker, places);
    NEW(arena, measured->delivered, places);
    NEW(arena, measured->before, places);
    NEW(&scratch, ends, measured->batches + 1);
    measured->has_index = measured->has_dispatched = measured->has_starts = true;
    for (size_t i = 0; i < rows.first[measured->ranks]; i++) {
        measured->has_index &= rows.rows[i].index >= 0;
        measured->has_dispatched &= isfinite(rows.rows[i].dispatched);
        measured->has_starts &= isfinite(rows.rows[i].load_start);
    }
    for (size_t r = 0; r < measured->ranks; r++) {
        place_rank(measured, &rows, r);
        fill_requests(measured, r);
    }
    /* Ranks end their steps together: the median difference between these ends is the difference of their clocks. */
    for (size_t r = 1; r < measured->ranks; r++) {
        for (size_t j = 0; j < measured->batches; j++)
            rows.keys[j] =
                dlq_measured_delivered(measured, r, j)->step_end - dlq_measured_delivered(measured, 0, j)->step_end;
        gsl_sort(rows.keys, 1, measured->batches);
        for (size_t k = 0; k < measured->batches; k++) {
            struct dlq_batch *batch = &measured->sent[r * measured->batches + k];
            double *const times[] = {&batch->dispatched, &batch->load_start, &batch->load_end,
                                     &batch->request,    &batch->received,   &batch->step_end};
            for (size_t i = 0; i < sizeof times / sizeof *times; i++)
                *times[i] -= rows.keys[measured->batches / 2];
        }
    }
    find_workers(measured, rows.keys, ends);
    return DLQ_OK;
}

size_t dlq_measured_out_of_index(const struct dlq_measured_run *measured)
{
    size_t count = 0;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++) {
            /* From the last delivery back: the smallest place that is outstanding after the j-th delivery. */
            size_t smallest = measured->batches;
            for (size_t j = measured->begins[e + 1]; j-- > measured->begins[e];) {
                size_t place = measured->delivered[r * measured->batches + j];
                if (smallest < place)
                    count++;
                else
                    smallest = place;
            }
        }
    return measured->has_index ? count : 0;
}

size_t dlq_measured_out_of_completion(const struct dlq_measured_run *measured, double slack)
{
    size_t count = 0;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++) {
            double earliest = INFINITY; /* end of the loads outstanding after the j-th delivery */
            for (size_t j = measured->begins[e + 1]; j-- > measured->begins[e];) {
                const struct dlq_batch *batch = dlq_measured_delivered(measured, r, j);
                if (earliest + slack < batch->request && batch->load_end > batch->request + slack)
                    count++;
                earliest = fmin(earliest, batch->load_end);
            }
        }
    return count;
}

static enum dlq_status find_loaders(struct dlq_measured_run *measured, const struct dlq_loader *row, long hinted,
                                    struct dlq_error *error)
{
    bool single = row != NULL && row->assign == DLQ_ASSIGN_SINGLE, long_epoch = false;
    /* The trainer loads for itself if no worker is named and loads lie between request and reception. */
    size_t inside = 0, places = measured->ranks * measured->batches;
    for (size_t i = 0; i < places && measured->workers == 0 && measured->has_starts; i++)
        inside += measured->sent[i].load_start >= measured->sent[i].request - dlq_calibration.tick &&
                  measured->sent[i].load_end <= measured->sent[i].received + dlq_calibration.tick;
    bool serial = inside > 0 && (double)inside >= (1 - dlq_calibration.severity_small) * (double)places;
    /* Workers in the trace, which may miss some if each epoch has fewer batches than workers; -1: unknown. */
    long seen = single ? -1 : serial ? 0 : measured->workers > 0 ? measured->workers : -1;
    if (row != NULL && dlq_loader_is_serial(row) && hinted < 0)
        hinted = 0;
    for (size_t e = 0; e < measured->epochs; e++)
        long_epoch = long_epoch || (long)(measured->begins[e + 1] - measured->begins[e]) >= hinted;
    if (hinted >= 0 && seen >= 0 && hinted != seen && (hinted < seen || seen == 0 || long_epoch))
        return dlq_error_add(error, DLQ_INVALID, "%ld loaders given, but the trace shows %ld%s", hinted, seen,
                             seen == 0 ? ": the training process loads for itself" : "");
    measured->loaders = hinted >= 0 ? hinted : single && seen < 0 ? 1 : seen;
    if (measured->loaders < 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "the trace does not say which worker loaded each batch: tell the number of loaders");
    if (measured->loaders > DLQ_MOST_LOADERS)
        return dlq_error_add(error, DLQ_INVALID, "%ld loaders are more than %d", measured->loaders, DLQ_MOST_LOADERS);
    return DLQ_OK;
}

/* -- prefetch -- */

/* How many batches are in flight: dispatched and not yet delivered. */
struct flight {
    long window;           /* K: the median of `looked` counts, of which `agreed` equal it */
    size_t looked, agreed; /* 0: no epoch is longer than its window */
    long least;            /* batches of the longest epoch: then a lower bound of K */
};

/* Counts at each request, while batches of the epoch are left to dispatch: K = dispatched - delivered, since a dispatch
   follows each delivery before the next request. */
static enum dlq_status find_in_flight(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                                      struct flight *flight)
{
    double *dispatched, *seen;
    NEW(arena, dispatched, measured->batches + 1);
    NEW(arena, seen, measured->ranks * measured->batches + 1);
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++) {
            size_t begin = measured->begins[e], n = measured->begins[e + 1] - begin, sent = 0;
            for (size_t k = 0; k < n; k++)
                dispatched[k] = measured->sent[r * measured->batches + begin + k].dispatched;
            gsl_sort(dispatched, 1, n);
            for (size_t j = 0; j + 1 < n; j++) {
                double requested = dlq_measured_delivered(measured, r, begin + j + 1)->request;
                while (sent < n && dispatched[sent] < requested)
                    sent++;
                if (sent == n)
                    break;
                seen[flight->looked++] = (double)sent - (double)(j + 1);
            }
            flight->least = (long)n > flight->least ? (long)n : flight->least;
        }
    if (flight->looked > 0) {
        gsl_sort(seen, 1, flight->looked);
        flight->window = (long)seen[flight->looked / 2];
    }
    for (size_t i = 0; i < flight->looked; i++)
        flight->agreed += (long)seen[i] == flight->window ? 1 : 0;
    return DLQ_OK;
}

/* The prefetch whose window is closest to K from above, or from below if that is closer. */
static long prefetch_of_window(const struct dlq_measured_run *measured, long window)
{
    long (*rule)(long loaders, long prefetch) = measured->loader->window;
    long prefetch = 1;
    while (prefetch < DLQ_MOST_PREFETCH && rule(measured->loaders, prefetch) < window)
        prefetch++;
    if (prefetch > 1 && window - rule(measured->loaders, prefetch - 1) < rule(measured->loaders, prefetch) - window)
        prefetch--;
    return prefetch;
}

/* Whether the starts of loads allow a window as small as that of `prefetch`: no load starts before the request of the
   batch whose delivery made room for its dispatch. */
static bool is_consistent(const struct dlq_measured_run *measured, long prefetch)
{
    size_t window = (size_t)measured->loader->window(measured->loaders, prefetch);
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t k = measured->begins[e] + window; k < measured->begins[e + 1]; k++)
                if (measured->sent[r * measured->batches + k].load_start <
                    dlq_measured_delivered(measured, r, k - window)->request - dlq_calibration.tick)
                    return false;
    return true;
}

/* The largest prefetch that is tried where only the starts of loads can tell. */
enum { MOST_TRIED = 16 };

static enum dlq_status find_prefetch(struct dlq_arena *arena, struct dlq_measured_run *measured, long hinted)
{
    const struct dlq_loader *loader = measured->loader;
    struct flight flight = {0};
    measured->prefetch = 0;
    if (hinted > 0 && loader->prefetch_name == NULL)
        return dlq_error_add(arena->error, DLQ_INVALID, "prefetch %ld given, but %s has none", hinted, loader->name);
    if (hinted > DLQ_MOST_PREFETCH)
        return dlq_error_add(arena->error, DLQ_INVALID, "prefetch %ld is more than %d", hinted, DLQ_MOST_PREFETCH);
    if (loader->prefetch_name == NULL)
        return DLQ_OK;
    /* Dispatches of a relay do not show its window: its buffer is as full as the trainer leaves it. */
    if (measured->has_dispatched && !loader->relay)
        TRY(find_in_flight(arena, measured, &flight));
    bool sure = flight.looked > 0 && (double)flight.agreed >= dlq_calibration.large_part * (double)flight.looked;
    if (hinted > 0 && sure && prefetch_of_window(measured, flight.window) != hinted)
        return dlq_error_add(arena->error, DLQ_INVALID,
                             "prefetch %ld given (%ld batches in flight), but the trace shows %ld in flight: prefetch "
                             "%ld",
                             hinted, loader->window(measured->loaders, hinted), flight.window,
                             prefetch_of_window(measured, flight.window));
    measured->prefetch = loader->prefetch;
    if (hinted > 0)
        measured->prefetch = hinted;
    else if (flight.looked > 0)
        measured->prefetch = prefetch_of_window(measured, flight.window);
    else if (flight.least > loader->window(measured->loaders, loader->prefetch))
        measured->prefetch = prefetch_of_window(measured, flight.least);
    else if (!measured->has_dispatched && !loader->relay && measured->has_starts &&
             !is_consistent(measured, loader->prefetch))
        /* Without times of dispatch: the smallest prefetch that the starts of loads allow. */
        for (long prefetch = MOST_TRIED; prefetch > 0; prefetch--)
            measured->prefetch = is_consistent(measured, prefetch) ? prefetch : measured->prefetch;
    return DLQ_OK;
}

/* Fills loader, loaders, prefetch, window, servers and credit from the hint and the arrays. unordered: the log says
   that batches are delivered in order of completion, which the batches of a short run may not show. */
static enum dlq_status choose_loader(struct dlq_arena *arena, struct dlq_measured_run *measured,
                                     const struct dlq_pipeline_hint *hint, bool unordered)
{
    const struct dlq_loader *row = NULL;
    if (hint->loader != NULL && (row = dlq_loader_find(hint->loader)) == NULL)
        return dlq_error_add(arena->error, DLQ_INVALID, "no loader is called '%s'", hint->loader);
    TRY(find_loaders(measured, row, hint->loaders, arena->error));
    bool serial = measured->loaders == 0, agrees = row == NULL || dlq_loader_is_serial(row) == serial;
    bool by_index = (double)dlq_measured_out_of_index(measured) <=
                        dlq_calibration.severity_small * (double)(measured->ranks * measured->batches) &&
                    !unordered;
    if (!agrees && !(serial && row == dlq_loader_find("pytorch")))
        return dlq_error_add(arena->error, DLQ_INVALID, "loader %s given, which %s; the trace has %ld loaders",
                             row->name, serial ? "needs loaders of its own" : "has none", measured->loaders);
    measured->loader = serial        ? dlq_loader_find("serial")
                       : row != NULL ? row
                                     : dlq_loader_find(by_index ? "pytorch" : "pytorch-unordered");
    TRY(find_prefetch(arena, measured, measured->loaders > 0 ? hint->prefetch : 0));
    bool single = measured->loader->assign == DLQ_ASSIGN_SINGLE;
    measured->servers = measured->loaders == 0 || single ? 1 : measured->loaders;
    measured->window = measured->loaders == 0 ? 1 : measured->loader->window(measured->loaders, measured->prefetch);
    size_t window = (size_t)measured->window;
    bool requested = measured->loader->release == DLQ_RELEASE_REQUEST;
    bool has_credit = !measured->loader->relay && measured->loaders > 0;
    NEW(arena, measured->credit, measured->ranks * measured->batches + 1);
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t k = measured->begins[e]; k < measured->begins[e + 1]; k++) {
                size_t position = k - measured->begins[e];
                double *credit = &measured->credit[r * measured->batches + k];
                *credit = NAN;
                if (has_credit && (requested ? position > window : position >= window)) {
                    const struct dlq_batch *delivered = dlq_measured_delivered(measured, r, k - window);
                    *credit = requested ? delivered->request : delivered->received;
                }
            }
    return DLQ_OK;
}

enum dlq_status dlq_measured_make(struct dlq_arena *arena, struct dlq_measured_run *measured,
                                  const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint)
{
    struct dlq_measured_run made = {0};
    if (trace->rank_count == 0)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER, "the trace holds no batches");
    for (size_t r = 0; r < trace->rank_count; r++) {
        const struct dlq_rank *rank = &trace->ranks[r];
        size_t count = usable_records(trace, rank), looked = count > 0 ? count : rank->count;
        if (rank->count == 0)
            return dlq_error_add(arena->error, DLQ_NO_ANSWER, "rank %ld has no batches to replay", rank->number);
        for (size_t i = 0; i < NEEDS; i++) {
            size_t lacking = 0;
            for (size_t k = 0; k < looked; k++)
                lacking += lacks(&rank->batches[k], i);
            if (lacking > 0)
                return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                                     "a replay needs load times, receptions and step ends of every batch: %zu of %zu "
                                     "batches of rank %ld are without %s",
                                     lacking, looked, rank->number, needs[i].what);
        }
    }
    TRY(arrange(arena, &made, trace));
    TRY(choose_loader(arena, &made, hint, trace->shared.unordered));
    made.persistent = trace->shared.persistent;
    *measured = made;
    return DLQ_OK;
}
