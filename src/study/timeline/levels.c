/* How many batches are ready to be taken, or held behind one that is not, over time; and sums over a timeline. */
#include "base/arena.h"
#include "study/timeline/timeline.h"

#include <stdlib.h>

enum stage { ABSENT, WAITING, TAKEN };

struct event {
    double time;
    size_t place; /* of the batch */
    enum stage stage;
};

/* Batches lie in the order in which they are delivered. Those before `chain` are there, or were taken. */
struct walk {
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

/* The batch of the event becomes ready, or is taken; in order that may end what others were held for. */
static void pass(struct walk *walk, const struct event *event)
{
    enum stage before = walk->stages[event->place];
    bool in_order = walk->timeline->in_order;
    long *level = in_order && event->place >= walk->chain ? &walk->held : &walk->ready;
    walk->stages[event->place] = (unsigned char)event->stage;
    *level += event->stage == WAITING ? 1 : before == WAITING ? -1 : 0;
    for (; in_order && walk->chain < walk->rank->count && walk->stages[walk->chain] != ABSENT; walk->chain++)
        if (walk->stages[walk->chain] == WAITING) {
            walk->held--;
            walk->ready++;
        }
}

static void append(struct dlq_queue_levels *levels, const struct walk *walk, double time)
{
    levels->time[levels->count] = time;
    levels->ready[levels->count] = (double)walk->ready;
    levels->held[levels->count++] = (double)walk->held;
}

static void put(struct dlq_queue_levels *levels, const struct walk *walk, double time)
{
    size_t last = levels->count - 1;
    if (levels->count == 0 || levels->ready[last] != (double)walk->ready || levels->held[last] != (double)walk->held)
        append(levels, walk, time);
}

/* Two ways of adding up differ by this (relative) at one moment: a batch taken as soon as it is there does not wait. */
static const double rounding = 1e-13;

static void run(struct walk *walk, double until, struct dlq_queue_levels *levels)
{
    double from = walk->timeline->from;
    bool begun = false;
    for (size_t i = 0; i < walk->event_count && walk->events[i].time <= until;) {
        double time = walk->events[i].time;
        if (time > from && !begun)
            put(levels, walk, from);
        begun = time > from;
        for (; i < walk->event_count && walk->events[i].time - time <= rounding * fabs(time); i++)
            pass(walk, &walk->events[i]);
        if (begun)
            put(levels, walk, time);
    }
    if (!begun)
        put(levels, walk, from);
    if (levels->time[levels->count - 1] < until)
        append(levels, walk, until);
}

static enum dlq_status find_levels(struct dlq_arena *arena, struct walk *walk, struct dlq_queue_levels *levels)
{
    NEW(arena, walk->events, 2 * walk->rank->count + 1);
    NEW(arena, walk->stages, walk->rank->count + 1);
    /* Batches whose readiness is not known, or that were taken at once, never wait. */
    for (size_t i = 0; i < walk->rank->count; i++) {
        const struct dlq_timeline_batch *batch = &walk->rank->batches[i];
        double ready = dlq_timeline_ready(batch), taken = dlq_timeline_taken(walk->timeline, batch);
        if (ready < taken && isfinite(ready))
            walk->events[walk->event_count++] = (struct event){ready, i, WAITING};
        if (isfinite(taken))
            walk->events[walk->event_count++] = (struct event){taken, i, TAKEN};
    }
    qsort(walk->events, walk->event_count, sizeof *walk->events, earlier);
    size_t room = walk->event_count + 2;
    double *times = malloc(3 * room * sizeof *times);
    if (times == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    *levels = (struct dlq_queue_levels){.time = times, .ready = times + room, .held = times + 2 * room};
    if (walk->timeline->workers > 0)
        run(walk, dlq_timeline_end(walk->timeline, walk->rank), levels);
    return DLQ_OK;
}

enum dlq_status dlq_timeline_queue(const struct dlq_timeline *timeline, size_t rank, struct dlq_queue_levels *levels,
                                   struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "counting batches that are ready"};
    if (rank >= timeline->rank_count)
        return dlq_error_add(error, DLQ_INVALID, "the timeline has no rank %zu", rank);
    struct walk walk = {.timeline = timeline, .rank = &timeline->ranks[rank]};
    enum dlq_status status = find_levels(&arena, &walk, levels);
    dlq_arena_end(&arena);
    return status;
}

void dlq_queue_levels_free(struct dlq_queue_levels *levels)
{
    free(levels->time);
    *levels = (struct dlq_queue_levels){0};
}

/* -- sums -- */

/* Sums between from and until. */
struct summing {
    const struct dlq_timeline *timeline;
    const struct dlq_queue_levels *levels; /* null: unknown */
    double from, until;
    size_t level;     /* the interval of the levels that the last wait was looked up in */
    double held_time; /* s */
    struct dlq_timeline_summary *summary;
};

/* A wait for data and its receiving. Its length counts whole, also where it reaches beyond the ends. */
static void add_wait(struct summing *summing, double request, double taken, double received)
{
    struct dlq_timeline_summary *summary = summing->summary;
    double from = summing->from, until = summing->until;
    double length = received - request;
    summary->waiting += dlq_timeline_part(request, taken, from, until);
    summary->receiving += dlq_timeline_part(taken, received, from, until);
    /* Parts in which batches were held behind another. Waits come in order. */
    const struct dlq_queue_levels *levels = summing->levels;
    const double begin = fmax(request, from), end = fmin(taken, until);
    while (levels != NULL && end > begin && summing->level + 1 < levels->count &&
           levels->time[summing->level + 1] <= begin)
        summing->level++;
    for (size_t i = summing->level; levels != NULL && end > begin && i + 1 < levels->count && levels->time[i] < end;
         i++)
        if (levels->held[i] > 0)
            summing->held_time += dlq_timeline_part(begin, end, levels->time[i], levels->time[i + 1]);
    if (!(received > from) || !(request < until) || !(length > summing->timeline->stall_above))
        return;
    summary->stalls++;
    summary->longest_stall = fmax(summary->longest_stall, length);
}

static void add_steps(struct summing *summing, const struct dlq_timeline_rank *rank)
{
    struct dlq_timeline_summary *summary = summing->summary;
    double from = summing->from, until = summing->until;
    for (size_t i = 0; i < rank->stepped; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double begin = dlq_timeline_step_begin(batch);
        summary->steps += batch->step_end >= from && batch->step_end <= until ? 1 : 0;
        summary->barrier += dlq_timeline_part(batch->received, begin, from, until);
        summary->stepping += dlq_timeline_part(begin, batch->step_end - batch->pause, from, until);
        summary->pausing += dlq_timeline_part(batch->step_end - batch->pause, batch->step_end, from, until);
        if (!isnan(batch->request))
            add_wait(summing, batch->request, dlq_timeline_taken(summing->timeline, batch), batch->received);
    }
    double end = fmax(dlq_timeline_last_end(rank), rank->stepped > 0 ? -INFINITY : from);
    if (!summing->timeline->measured && end < until)
        add_wait(summing, end, until, until);
}

void dlq_timeline_summarize(const struct dlq_timeline *timeline, size_t rank, const struct dlq_queue_levels *levels,
                            struct dlq_timeline_summary *summary)
{
    const struct dlq_timeline_rank *own = &timeline->ranks[rank];
    struct summing summing = {
        .timeline = timeline,
        .levels = levels,
        .from = timeline->from,
        .until = dlq_timeline_end(timeline, own),
        .summary = summary,
    };
    *summary = (struct dlq_timeline_summary){.rank = own->number, .queue_mean = NAN, .held = NAN};
    summary->span = summing.until - summing.from;
    add_steps(&summing, own);
    bool known = false;
    double loading = 0, time = (double)timeline->workers * summary->span;
    for (size_t i = 0; i < own->count; i++) {
        const struct dlq_timeline_batch *batch = &own->batches[i];
        double end = isnan(batch->load_end) ? INFINITY : batch->load_end;
        known = known || !isnan(batch->load_start);
        loading += dlq_timeline_part(batch->load_start, end, summing.from, summing.until);
    }
    summary->loading = known && time > 0 ? loading / time : (double)NAN;
    double sum = 0, most = 0;
    if (levels == NULL || levels->count == 0 || !(summary->span > 0))
        return;
    for (size_t i = 0; i + 1 < levels->count; i++) {
        sum += levels->ready[i] * (levels->time[i + 1] - levels->time[i]);
        most = fmax(most, levels->ready[i]);
    }
    summary->queue_mean = sum / summary->span;
    summary->queue_most = (long)most;
    summary->held = summary->waiting > 0 ? summing.held_time / summary->waiting : (double)NAN;
}
