/* What delivery in order costs a run: the same draws in the other order, and late batches, which delay others. */
#include "stats/stats.h"
#include "study/model.h"
#include "study/timeline/timeline.h"

#include <stdlib.h>

enum dlq_status dlq_timeline_reorder(struct dlq_model *model, bool in_order, double from, double until,
                                     const struct dlq_run *run, struct dlq_timeline *timeline, struct dlq_error *error)
{
    const struct dlq_record_span span = {.from = from, .until = until};
    TRY(dlq_validate_run(run, error));
    TRY(dlq_timeline_accept(model, error));
    struct dlq_model other = *model;
    char why[256];
    if (!(in_order ? dlq_system_set_ordered : dlq_system_set_unordered)(&other.system, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "%s", why);
    return dlq_timeline_record(&other, &span, run, timeline, error);
}

/* Twice the median of the rank's recorded loads, s; NAN: there are none. */
static enum dlq_status find_slow(const struct dlq_timeline_rank *rank, double *slow, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "finding late batches"};
    double *loads;
    size_t count = 0;
    NEW(&arena, loads, rank->count + 1);
    for (size_t i = 0; i < rank->count; i++) {
        double load = rank->batches[i].load_end - rank->batches[i].load_start;
        if (isfinite(load))
            loads[count++] = load;
    }
    *slow = count > 0 ? 2 * dlq_quantile(loads, count, 0.5) : (double)NAN;
    return DLQ_OK;
}

enum dlq_status dlq_timeline_long_load_end(const struct dlq_timeline *timeline, double *until, struct dlq_error *error)
{
    const double span = timeline->until - timeline->from;
    double end = timeline->until;
    for (size_t r = 0; r < timeline->rank_count; r++) {
        const struct dlq_timeline_rank *rank = &timeline->ranks[r];
        double slow;
        TRY(find_slow(rank, &slow, error));
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_timeline_batch *batch = &rank->batches[i];
            const double after = batch->load_end + 0.1 * span;
            const bool crosses = batch->load_start < timeline->until && batch->load_end > timeline->until;
            if (crosses && batch->load_end - batch->load_start > fmax(slow, span / 2) &&
                after <= timeline->from + 2 * span)
                end = fmax(end, after);
        }
    }
    *until = end;
    return DLQ_OK;
}

enum dlq_status dlq_timeline_find_late(const struct dlq_timeline *timeline, size_t rank,
                                       const struct dlq_queue_levels *levels, struct dlq_timeline_lateness *lateness,
                                       struct dlq_error *error)
{
    const struct dlq_timeline_rank *this_rank = &timeline->ranks[rank];
    struct dlq_timeline_lateness found = {.count = 0};
    double slow;
    size_t level = 0; /* waits are in order of time */
    TRY(find_slow(this_rank, &slow, error));
    found.batches = calloc(this_rank->stepped + 1, sizeof *found.batches);
    if (found.batches == NULL)
        return dlq_error_memory(error, "finding late batches");
    for (size_t i = 0; timeline->in_order && i < this_rank->stepped; i++) {
        const struct dlq_timeline_batch *batch = &this_rank->batches[i];
        const double taken = dlq_timeline_receive_start(timeline, batch);
        struct dlq_timeline_late late = {batch->epoch,
                                         batch->index,
                                         fmax(batch->request, timeline->from),
                                         fmin(taken, timeline->until),
                                         0,
                                         0,
                                         batch->load_end - batch->load_start > slow};
        if (!(batch->received - batch->request > timeline->stall_above) || !(late.end > late.begin))
            continue;
        while (level + 1 < levels->count && levels->time[level + 1] <= late.begin)
            level++;
        for (size_t k = level; k + 1 < levels->count && levels->time[k] < late.end; k++) {
            if (levels->held[k] == 0)
                continue;
            late.lost += dlq_timeline_part(late.begin, late.end, levels->time[k], levels->time[k + 1]);
            late.held = late.held > (long)levels->held[k] ? late.held : (long)levels->held[k];
        }
        if (late.lost < (late.end - late.begin) / 2)
            continue;
        found.lost += late.lost;
        found.held = found.held > late.held ? found.held : late.held;
        found.batches[found.count++] = late;
    }
    *lateness = found;
    return DLQ_OK;
}

static int compare(const void *left, const void *right)
{
    const struct dlq_timeline_late *a = left, *b = right;
    return a->epoch != b->epoch ? (a->epoch > b->epoch) - (a->epoch < b->epoch)
                                : (a->index > b->index) - (a->index < b->index);
}

const struct dlq_timeline_late *dlq_timeline_late_batch(const struct dlq_timeline_lateness *lateness, long epoch,
                                                        long index)
{
    const struct dlq_timeline_late wanted = {.epoch = epoch, .index = index};
    return lateness->count == 0 ? NULL : bsearch(&wanted, lateness->batches, lateness->count, sizeof wanted, compare);
}
