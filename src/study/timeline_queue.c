/* How many batches are ready to be taken, or held behind one that is not, over time. */
#include "study/timeline_times.h"

#include <stdint.h>
#include <stdlib.h>

enum stage { ABSENT, WAITING, TAKEN };

struct event {
    double time;
    size_t place; /* of the batch */
    enum stage stage;
};

/* Batches lie in the order in which they are delivered. Those before `chain` are there, or were taken. */
struct sweep {
    const struct dlq_timeline *timeline;
    const struct dlq_timeline_rank *rank;
    struct event *events;
    size_t event_count;
    unsigned char *stages;
    size_t chain;
    long ready, held;
};

static int earlier(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void add_event(struct sweep *sweep, double time, size_t place, enum stage stage)
{
    if (isfinite(time))
        sweep->events[sweep->event_count++] = (struct event){time, place, stage};
}

/* Batches whose readiness is not known, or that were taken at once, never wait. */
static void add_events(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->rank->count; i++) {
        const struct dlq_timeline_batch *batch = &sweep->rank->batches[i];
        double ready = dlq_timeline_ready(batch), taken = dlq_timeline_taken(sweep->timeline, batch);
        if (ready < taken)
            add_event(sweep, ready, i, WAITING);
        add_event(sweep, taken, i, TAKEN);
    }
    qsort(sweep->events, sweep->event_count, sizeof *sweep->events, earlier);
}

static void pass(struct sweep *sweep, const struct event *event)
{
    enum stage before = sweep->stages[event->place];
    bool behind = sweep->timeline->in_order && event->place >= sweep->chain;
    long *level = behind ? &sweep->held : &sweep->ready;
    sweep->stages[event->place] = (unsigned char)event->stage;
    if (event->stage == WAITING)
        ++*level;
    else if (before == WAITING)
        --*level;
    for (; sweep->timeline->in_order && sweep->chain < sweep->rank->count; sweep->chain++) {
        if (sweep->stages[sweep->chain] == ABSENT)
            break;
        if (sweep->stages[sweep->chain] == WAITING) {
            sweep->held--;
            sweep->ready++;
        }
    }
}

static void put(struct dlq_queue_levels *levels, const struct sweep *sweep, double time)
{
    size_t last = levels->count - 1;
    double ready = (double)sweep->ready, held = (double)sweep->held;
    if (levels->count > 0 && levels->ready[last] == ready && levels->held[last] == held)
        return;
    levels->time[levels->count] = time;
    levels->ready[levels->count] = ready;
    levels->held[levels->count++] = held;
}

/* What happens at one moment by two ways of adding up: a batch that is taken as soon as it is there does not wait. */
static const double rounding = 1e-13;

static void run(struct sweep *sweep, double until, struct dlq_queue_levels *levels)
{
    double from = sweep->timeline->from;
    bool begun = false;
    for (size_t i = 0; i < sweep->event_count && sweep->events[i].time <= until;) {
        double time = sweep->events[i].time;
        if (time > from && !begun)
            put(levels, sweep, from);
        begun = time > from;
        for (; i < sweep->event_count && sweep->events[i].time - time <= rounding * fabs(time); i++)
            pass(sweep, &sweep->events[i]);
        if (begun)
            put(levels, sweep, time);
    }
    if (!begun)
        put(levels, sweep, from);
    if (levels->time[levels->count - 1] < until) {
        size_t end = levels->count++;
        levels->time[end] = until;
        levels->ready[end] = (double)sweep->ready;
        levels->held[end] = (double)sweep->held;
    }
}

static bool sweep_new(struct sweep *sweep)
{
    size_t count = sweep->rank->count;
    if (count > SIZE_MAX / (8 * sizeof *sweep->events))
        return false;
    sweep->events = malloc((2 * count + 1) * sizeof *sweep->events);
    sweep->stages = calloc(count + 1, 1);
    return sweep->events != NULL && sweep->stages != NULL;
}

enum dlq_status dlq_timeline_queue(const struct dlq_timeline *timeline, size_t rank, struct dlq_queue_levels *levels,
                                   struct dlq_error *error)
{
    struct dlq_queue_levels made = {0};
    if (rank >= timeline->rank_count)
        return dlq_error_add(error, DLQ_INVALID, "the timeline has no rank %zu", rank);
    struct sweep sweep = {.timeline = timeline, .rank = &timeline->ranks[rank]};
    double until = dlq_timeline_end(timeline, sweep.rank);
    enum dlq_status status = DLQ_OK;
    if (!sweep_new(&sweep)) {
        status = dlq_error_memory(error, "counting batches that are ready");
        goto cleanup;
    }
    add_events(&sweep);
    size_t room = sweep.event_count + 2;
    made.time = malloc(3 * room * sizeof *made.time);
    if (made.time == NULL) {
        status = dlq_error_memory(error, "counting batches that are ready");
        goto cleanup;
    }
    made.ready = made.time + room;
    made.held = made.ready + room;
    if (timeline->workers > 0)
        run(&sweep, until, &made);
    *levels = made;
cleanup:
    free(sweep.events);
    free(sweep.stages);
    return status;
}

void dlq_queue_levels_free(struct dlq_queue_levels *levels)
{
    free(levels->time);
    *levels = (struct dlq_queue_levels){0};
}
