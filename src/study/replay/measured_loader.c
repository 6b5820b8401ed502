/* Which loader a trace shows, with how many workers and how far ahead; and whether that is what was told. */
#include "model/model.h"
#include "study/replay/replay.h"

#include <gsl/gsl_sort.h>

/* s: what clocks and the writing of a log may differ by. */
static const double TICK = 1e-3;
/* Shares of the batches: that a pattern is kept by, and that make it a rule. */
static const double NEARLY_ALL = 0.99;
static const double MOST = 0.75;

enum { MOST_TRIED = 16 };

/* -- order of delivery -- */

size_t dlq_measured_out_of_index(const struct dlq_measured_run *measured)
{
    size_t count = 0;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++) {
            /* Walking back: the smallest place still outstanding after the j-th delivery. */
            size_t smallest = measured->batches;
            for (size_t j = measured->begins[e + 1]; j-- > measured->begins[e];) {
                size_t place = measured->taken[r * measured->batches + j];
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
            double soonest = INFINITY; /* of the loads outstanding after the j-th delivery */
            for (size_t j = measured->begins[e + 1]; j-- > measured->begins[e];) {
                const struct dlq_batch *batch = dlq_measured_taken(measured, r, j);
                if (soonest + slack < batch->request && batch->load_end > batch->request + slack)
                    count++;
                soonest = fmin(soonest, batch->load_end);
            }
        }
    return count;
}

/* -- how many loaders -- */

static enum dlq_status find_loaders(struct dlq_measured_run *measured, const struct dlq_loader *row, long told,
                                    struct dlq_error *error)
{
    bool single = row != NULL && row->assign == DLQ_ASSIGN_SINGLE, enough = false;
    /* The trainer loads for itself where no worker is named, and loads lie between request and reception. */
    size_t inside = 0, places = measured->ranks * measured->batches;
    for (size_t i = 0; i < places && measured->workers == 0 && measured->has_starts; i++)
        inside += measured->sent[i].load_start >= measured->sent[i].request - TICK &&
                  measured->sent[i].load_end <= measured->sent[i].received + TICK;
    bool serial = inside > 0 && (double)inside >= NEARLY_ALL * (double)places;
    /* Workers that the trace shows, all of them where an epoch has batches enough; -1: it does not say. */
    long seen = single ? -1 : serial ? 0 : measured->workers > 0 ? measured->workers : -1;
    if (row != NULL && dlq_loader_is_serial(row) && told < 0)
        told = 0;
    for (size_t e = 0; e < measured->epochs; e++)
        enough = enough || (long)(measured->begins[e + 1] - measured->begins[e]) >= told;
    if (told >= 0 && seen >= 0 && told != seen && (told < seen || seen == 0 || enough))
        return dlq_error_add(error, DLQ_INVALID, "told %ld loaders, but the trace shows %ld%s", told, seen,
                             seen == 0 ? ": the training process loads for itself" : "");
    measured->loaders = told >= 0 ? told : single && seen < 0 ? 1 : seen;
    if (measured->loaders < 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "the trace does not say which worker loaded each batch: tell the number of loaders");
    if (measured->loaders > DLQ_MOST_LOADERS)
        return dlq_error_add(error, DLQ_INVALID, "%ld loaders are more than %d", measured->loaders, DLQ_MOST_LOADERS);
    return DLQ_OK;
}

/* -- how far ahead -- */

/* Batches dispatched and not yet delivered, seen in `agreed` of `looked` places. */
struct flight {
    long window;
    size_t looked, agreed;
    long least; /* where no epoch was long enough to tell: at least so many */
};

/* After each delivery, up to the next request, one more batch has been dispatched: K = dispatched - delivered, while
   there are batches left. */
static enum dlq_status find_flight(struct dlq_arena *arena, const struct dlq_measured_run *measured,
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
                double asked = dlq_measured_taken(measured, r, begin + j + 1)->request;
                while (sent < n && dispatched[sent] < asked)
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

/* The smallest prefetch whose window is at least K, or the one below where that is closer. */
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

/* Could so few batches have been in flight: does none of the loads begin before the request of the batch whose delivery
   made room for it? */
static bool is_consistent(const struct dlq_measured_run *measured, long prefetch)
{
    size_t window = (size_t)measured->loader->window(measured->loaders, prefetch);
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t k = measured->begins[e] + window; k < measured->begins[e + 1]; k++)
                if (measured->sent[r * measured->batches + k].load_start <
                    dlq_measured_taken(measured, r, k - window)->request - TICK)
                    return false;
    return true;
}

static enum dlq_status find_prefetch(struct dlq_arena *arena, struct dlq_measured_run *measured, long told)
{
    const struct dlq_loader *loader = measured->loader;
    struct flight flight = {0};
    measured->prefetch = 0;
    if (told > 0 && loader->prefetch_name == NULL)
        return dlq_error_add(arena->error, DLQ_INVALID, "told prefetch %ld, but %s has none", told, loader->name);
    if (told > DLQ_MOST_PREFETCH)
        return dlq_error_add(arena->error, DLQ_INVALID, "prefetch %ld is more than %d", told, DLQ_MOST_PREFETCH);
    if (loader->prefetch_name == NULL)
        return DLQ_OK;
    /* How much of a relay's buffer is full depends on the trainer: its dispatches do not tell. */
    if (measured->has_dispatched && !loader->relay)
        TRY(find_flight(arena, measured, &flight));
    bool sure = flight.looked > 0 && (double)flight.agreed >= MOST * (double)flight.looked;
    if (told > 0 && sure && prefetch_of_window(measured, flight.window) != told)
        return dlq_error_add(arena->error, DLQ_INVALID,
                             "told prefetch %ld (%ld batches in flight), but the trace shows %ld in flight: prefetch "
                             "%ld",
                             told, loader->window(measured->loaders, told), flight.window,
                             prefetch_of_window(measured, flight.window));
    measured->prefetch = loader->prefetch;
    if (told > 0)
        measured->prefetch = told;
    else if (flight.looked > 0)
        measured->prefetch = prefetch_of_window(measured, flight.window);
    else if (flight.least > loader->window(measured->loaders, loader->prefetch))
        measured->prefetch = prefetch_of_window(measured, flight.least);
    else if (!measured->has_dispatched && !loader->relay && measured->has_starts &&
             !is_consistent(measured, loader->prefetch))
        /* Of dispatches that are not known the starts of loads tell: the smallest that fits. */
        for (long prefetch = MOST_TRIED; prefetch > 0; prefetch--)
            measured->prefetch = is_consistent(measured, prefetch) ? prefetch : measured->prefetch;
    return DLQ_OK;
}

/* -- the whole -- */

enum dlq_status dlq_measured_loader(struct dlq_arena *arena, struct dlq_measured_run *measured,
                                    const struct dlq_pipeline_hint *hint)
{
    const struct dlq_loader *row = NULL;
    if (hint->loader != NULL && (row = dlq_loader_find(hint->loader)) == NULL)
        return dlq_error_add(arena->error, DLQ_INVALID, "no loader is called '%s'", hint->loader);
    TRY(find_loaders(measured, row, hint->loaders, arena->error));
    bool serial = measured->loaders == 0, as_told = row == NULL || dlq_loader_is_serial(row) == serial;
    bool by_index =
        (double)dlq_measured_out_of_index(measured) <= (1 - NEARLY_ALL) * (double)(measured->ranks * measured->batches);
    if (!as_told && !(serial && row == dlq_loader_find("pytorch")))
        return dlq_error_add(arena->error, DLQ_INVALID, "told %s, which %s; the trace has %ld loaders", row->name,
                             serial ? "needs loaders of its own" : "has none", measured->loaders);
    measured->loader = serial        ? dlq_loader_find("serial")
                       : row != NULL ? row
                                     : dlq_loader_find(by_index ? "pytorch" : "pytorch-unordered");
    TRY(find_prefetch(arena, measured, measured->loaders > 0 ? hint->prefetch : 0));
    bool single = measured->loader->assign == DLQ_ASSIGN_SINGLE;
    measured->servers = measured->loaders == 0 || single ? 1 : measured->loaders;
    measured->window = measured->loaders == 0 ? 1 : measured->loader->window(measured->loaders, measured->prefetch);
    size_t window = (size_t)measured->window;
    bool requested = measured->loader->release == DLQ_RELEASE_REQUEST;
    bool told = !measured->loader->relay && measured->loaders > 0;
    NEW(arena, measured->credit, measured->ranks * measured->batches + 1);
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t k = measured->begins[e]; k < measured->begins[e + 1]; k++) {
                size_t before = k - measured->begins[e];
                double *credit = &measured->credit[r * measured->batches + k];
                *credit = NAN;
                if (told && (requested ? before > window : before >= window)) {
                    const struct dlq_batch *room = dlq_measured_taken(measured, r, k - window);
                    *credit = requested ? room->request : room->received;
                }
            }
    return DLQ_OK;
}
