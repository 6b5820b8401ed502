/* The number of batches that are ready, or held behind a batch that is not, over time; and sums over a timeline. */
#include "study/timeline/timeline.h"

#include "stats/stats.h"

#include <stdlib.h>

/* The end of the sums: of the timeline, or of its last step if the record is measured or unlimited. */
static double end_of(const struct dlq_timeline *timeline, const struct dlq_timeline_rank *rank)
{
    if (timeline->measured || isinf(timeline->until))
        return fmax(timeline->from, fmin(timeline->until, dlq_timeline_last_end(rank)));
    return timeline->until;
}

/* Changes of the numbers of ready and held batches at a time. */
struct event {
    double time, ready, held;
};

/* A batch arrives when it is ready, is held until all batches before it have arrived, and leaves when the trainer takes
   it. A batch whose readiness is not known arrives when it is taken. Returns the number of events. */
static size_t find_events(const struct dlq_timeline *timeline, const struct dlq_timeline_rank *rank,
                          struct event *events)
{
    size_t count = 0;
    double due = -INFINITY;
    for (size_t i = 0; i < rank->count; i++) {
        double ready = dlq_timeline_ready(&rank->batches[i]),
               taken = dlq_timeline_receive_start(timeline, &rank->batches[i]);
        double arrives = isfinite(ready) && ready < taken ? ready : taken;
        due = timeline->in_order ? fmax(due, arrives) : arrives;
        if (due > arrives) {
            events[count++] = (struct event){arrives, 0, 1};
            events[count++] = (struct event){fmin(due, taken), 0, -1};
        }
        events[count++] = (struct event){fmin(due, taken), 1, 0};
        events[count++] = (struct event){taken, -1, 0};
    }
    return count;
}

enum dlq_status dlq_timeline_queue(const struct dlq_timeline *timeline, size_t rank, struct dlq_queue_levels *levels,
                                   struct dlq_error *error)
{
    /* Times that differ by less (relative) are one moment: a batch that is taken when it is ready does not wait. */
    static const double rounding = 1e-13;
    if (rank >= timeline->rank_count)
        return dlq_error_add(error, DLQ_INVALID, "the timeline has no rank %zu", rank);
    const struct dlq_timeline_rank *this_rank = &timeline->ranks[rank];
    const double from = timeline->from, until = end_of(timeline, this_rank);
    DLQ_ARENA arena = {.error = error, .doing = "counting batches that are ready"};
    struct event *events;
    NEW(&arena, events, 4 * this_rank->count + 1);
    size_t count = timeline->workers > 0 ? find_events(timeline, this_rank, events) : 0, last = 0;
    double *times = calloc(3 * (count + 2), sizeof *times), ready = 0, held = 0;
    if (times == NULL)
        return dlq_error_memory(error, arena.doing);
    *levels = (struct dlq_queue_levels){.time = times, .ready = times + count + 2, .held = times + 2 * (count + 2)};
    qsort(events, count, sizeof *events, dlq_ascending);
    levels->time[0] = from;
    for (size_t i = 0; i < count && events[i].time <= until;) {
        double time = events[i].time;
        for (; i < count && events[i].time - time <= rounding * fabs(time); i++) {
            ready += events[i].ready;
            held += events[i].held;
        }
        if (time > from && ready == levels->ready[last] && held == levels->held[last])
            continue;
        last += time > from;
        levels->time[last] = fmax(time, from);
        levels->ready[last] = ready;
        levels->held[last] = held;
    }
    if (timeline->workers == 0)
        return DLQ_OK;
    if (levels->time[last] < until) {
        levels->time[last + 1] = until;
        levels->ready[last + 1] = ready;
        levels->held[last + 1] = held;
        last++;
    }
    levels->count = last + 1;
    return DLQ_OK;
}

void dlq_queue_levels_free(struct dlq_queue_levels *levels)
{
    free(levels->time);
    *levels = (struct dlq_queue_levels){0};
}

/* -- sums -- */

/* Adds the trainer's times between from and until; returns the time of its waits in which a batch is held, s. */
static double add_steps(const struct dlq_timeline *timeline, const struct dlq_timeline_rank *rank, double until,
                        const struct dlq_queue_levels *levels, struct dlq_timeline_summary *summary)
{
    const double from = timeline->from;
    double held = 0;
    size_t level = 0; /* in which the last wait began; waits are in order of time */
    for (size_t i = 0; i <= rank->stepped; i++) {
        /* After the last recorded step the trainer of a simulated run waits. */
        double request = timeline->measured ? (double)NAN : rank->stepped > 0 ? dlq_timeline_last_end(rank) : from;
        double taken = until, received = until;
        if (i < rank->stepped) {
            const struct dlq_timeline_batch *batch = &rank->batches[i];
            double begin = dlq_timeline_step_begin(batch), trained = batch->step_end - batch->pause;
            request = batch->request;
            taken = dlq_timeline_receive_start(timeline, batch);
            received = batch->received;
            summary->steps += batch->step_end >= from && batch->step_end <= until ? 1 : 0;
            summary->barrier += dlq_timeline_part(received, begin, from, until);
            summary->stepping += dlq_timeline_part(begin, trained, from, until);
            summary->pausing += dlq_timeline_part(trained, batch->step_end, from, until);
        }
        if (isnan(request) || !(request < until) || !(received > from))
            continue;
        summary->waiting += dlq_timeline_part(request, taken, from, until);
        summary->receiving += dlq_timeline_part(taken, received, from, until);
        const double begin = fmax(request, from), end = fmin(taken, until);
        while (levels != NULL && level + 1 < levels->count && levels->time[level + 1] <= begin)
            level++;
        for (size_t k = level; levels != NULL && k + 1 < levels->count && levels->time[k] < end; k++)
            if (levels->held[k] > 0)
                held += dlq_timeline_part(begin, end, levels->time[k], levels->time[k + 1]);
        if (received - request > timeline->stall_above) { /* counted whole, even beyond from and until */
            summary->stalls++;
            summary->longest_stall = fmax(summary->longest_stall, received - request);
        }
    }
    return held;
}

void dlq_timeline_summarize(const struct dlq_timeline *timeline, size_t rank, const struct dlq_queue_levels *levels,
                            struct dlq_timeline_summary *summary)
{
    const struct dlq_timeline_rank *this_rank = &timeline->ranks[rank];
    const double until = end_of(timeline, this_rank);
    *summary = (struct dlq_timeline_summary){
        .rank = this_rank->number, .span = until - timeline->from, .queue_mean = NAN, .held = NAN};
    double held = add_steps(timeline, this_rank, until, levels, summary);
    bool known = false;
    double loading = 0, time = (double)timeline->workers * summary->span;
    for (size_t i = 0; i < this_rank->count; i++) {
        const struct dlq_timeline_batch *batch = &this_rank->batches[i];
        double end = isnan(batch->load_end) ? INFINITY : batch->load_end;
        known = known || !isnan(batch->load_start);
        loading += dlq_timeline_part(batch->load_start, end, timeline->from, until);
    }
    summary->loading = known && time > 0 ? loading / time : (double)NAN;
    if (levels == NULL || levels->count == 0 || !(summary->span > 0))
        return;
    double sum = 0, most = 0;
    for (size_t i = 0; i + 1 < levels->count; i++) {
        sum += levels->ready[i] * (levels->time[i + 1] - levels->time[i]);
        most = fmax(most, levels->ready[i]);
    }
    summary->queue_mean = sum / summary->span;
    summary->queue_most = (long)most;
    summary->held = summary->waiting > 0 ? held / summary->waiting : (double)NAN;
}
