/* What the loaders, the queue and the trainer of a rank do at one moment of a timeline. */
#include "base/arena.h"
#include "study/timeline/timeline.h"

#include <stdlib.h>

double dlq_timeline_taken(const struct dlq_timeline *timeline, const struct dlq_timeline_batch *batch)
{
    double ready = dlq_timeline_ready(batch);
    if (batch->step < 0)
        return INFINITY;
    if (isnan(batch->request))
        return batch->received;
    if (isnan(ready))
        ready = batch->received - timeline->receive;
    return fmin(fmax(batch->request, ready), batch->received);
}

struct view {
    const struct dlq_timeline *timeline;
    const struct dlq_timeline_rank *rank;
    double time;
};

size_t dlq_timeline_first_after(const struct dlq_timeline_rank *rank, enum dlq_step_moment moment, double time)
{
    size_t low = 0;
    for (size_t high = rank->stepped; low < high;) {
        size_t middle = low + (high - low) / 2;
        const struct dlq_timeline_batch *batch = &rank->batches[middle];
        double at = moment == DLQ_STEP_REQUEST    ? batch->request
                    : moment == DLQ_STEP_RECEIVED ? batch->received
                                                  : batch->step_end;
        if (at <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* -- queue -- */

/* By when they became ready. */
static int sooner(const void *left, const void *right)
{
    const struct dlq_timeline_batch *a = *(const struct dlq_timeline_batch *const *)left;
    const struct dlq_timeline_batch *b = *(const struct dlq_timeline_batch *const *)right;
    double first = dlq_timeline_ready(a), second = dlq_timeline_ready(b);
    if (first != second)
        return first < second ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* The loads under way, and the batches that wait: in order of the steps, then what is not trained on, in order of
   dispatch or as it became ready. */
static void show_batches(const struct view *view, struct dlq_moment *moment, const struct dlq_timeline_batch **waiting)
{
    const struct dlq_timeline *timeline = view->timeline;
    const struct dlq_timeline_rank *rank = view->rank;
    const double time = view->time;
    bool chain = true; /* no batch that is due before is missing */
    size_t trained = 0;
    for (size_t i = dlq_timeline_first_after(rank, DLQ_STEP_RECEIVED, time); i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        const double taken = dlq_timeline_taken(timeline, batch);
        const bool waits = dlq_timeline_ready(batch) <= time && time < taken;
        if (batch->worker >= 0 && batch->worker < timeline->workers && batch->load_start <= time &&
            !(batch->load_end <= time))
            moment->loaders[batch->worker] = (struct dlq_moment_loader){
                .state = DLQ_LOADER_LOADING,
                .index = batch->index,
                .progress = (time - batch->load_start) / (batch->load_end - batch->load_start),
            };
        if (waits) {
            trained += i < rank->stepped ? 1 : 0;
            waiting[moment->queue_count] = batch;
            moment->queue[moment->queue_count++].held = timeline->in_order && !chain;
        }
        chain = chain && (waits || taken <= time);
    }
    if (!timeline->in_order)
        qsort(waiting + trained, moment->queue_count - trained, sizeof(struct dlq_timeline_batch *), sooner);
    for (size_t i = 0; i < moment->queue_count; i++) {
        moment->queue[i].worker = waiting[i]->worker;
        moment->queue[i].index = waiting[i]->index;
    }
}

/* -- trainer -- */

static void show_batch(const struct view *view, const struct dlq_timeline_batch *batch, struct dlq_moment *moment)
{
    double taken = dlq_timeline_taken(view->timeline, batch), begin = dlq_timeline_step_begin(batch);
    const struct {
        enum dlq_trainer_state state;
        double begin, end;
    } states[] = {
        {DLQ_TRAINER_WAITS, batch->request, taken},
        {DLQ_TRAINER_RECEIVES, taken, batch->received},
        {DLQ_TRAINER_BARRIER, batch->received, begin},
        {DLQ_TRAINER_STEPS, begin, batch->step_end},
    };
    size_t at = 0;
    while (at + 1 < sizeof states / sizeof *states && view->time >= states[at].end)
        at++;
    bool known = at > 0 || view->timeline->in_order;
    moment->trainer = states[at].state;
    moment->worker = known ? batch->worker : -1;
    moment->index = known ? batch->index : -1;
    moment->since = fmin(states[at].begin, view->time);
    bool begun = states[at].end > states[at].begin && view->time >= states[at].begin;
    moment->progress = begun ? (view->time - states[at].begin) / (states[at].end - states[at].begin) : (double)NAN;
}

static void show_trainer(const struct view *view, struct dlq_moment *moment)
{
    const struct dlq_timeline_rank *rank = view->rank;
    double from = view->timeline->from, stepping = 0;
    size_t at = dlq_timeline_first_after(rank, DLQ_STEP_END, view->time);
    if (at < rank->stepped) {
        show_batch(view, &rank->batches[at], moment);
    } else { /* behind the last step of the record */
        const struct dlq_timeline *timeline = view->timeline;
        double end = dlq_timeline_last_end(rank);
        bool waits = !timeline->measured && end < timeline->until && view->time <= timeline->until;
        bool known = waits && timeline->in_order && rank->count > rank->stepped;
        const struct dlq_timeline_batch *next = known ? &rank->batches[rank->stepped] : NULL;
        moment->trainer = waits ? DLQ_TRAINER_WAITS : DLQ_TRAINER_DONE;
        moment->worker = known ? next->worker : -1;
        moment->index = known ? next->index : -1;
        moment->since = rank->stepped > 0 ? end : timeline->from;
        moment->progress = NAN;
    }
    if (rank->stepped > 0)
        moment->steps = at > 0 ? rank->batches[at - 1].step + 1 : rank->batches[0].step;
    for (size_t i = 0; i < rank->stepped && i <= at; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        stepping += dlq_timeline_part(dlq_timeline_step_begin(batch), batch->step_end, from, view->time);
    }
    moment->idle = view->time > from ? fmax(0, 1 - stepping / (view->time - from)) : (double)NAN;
}

/* -- the whole -- */

void dlq_moment_free(struct dlq_moment *moment)
{
    free(moment->loaders);
    free(moment->queue);
    *moment = (struct dlq_moment){0};
}

enum dlq_status dlq_timeline_at(const struct dlq_timeline *timeline, size_t rank, double time,
                                struct dlq_moment *moment, struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "looking at a timeline"};
    struct dlq_moment made = {.time = time};
    if (rank >= timeline->rank_count || isnan(time))
        return dlq_error_add(error, DLQ_INVALID, "the timeline has no rank %zu, or no such time", rank);
    const struct view view = {.timeline = timeline, .rank = &timeline->ranks[rank], .time = time};
    const struct dlq_timeline_batch **waiting =
        dlq_arena_take(&arena, view.rank->count + 1, sizeof(const struct dlq_timeline_batch *));
    made.loader_count = (size_t)timeline->workers;
    made.loaders = calloc(made.loader_count + 1, sizeof *made.loaders);
    made.queue = calloc(view.rank->count + 1, sizeof *made.queue);
    bool room = waiting != NULL && made.loaders != NULL && made.queue != NULL;
    for (size_t w = 0; room && w < made.loader_count; w++)
        made.loaders[w].index = -1;
    if (room) {
        show_batches(&view, &made, waiting);
        show_trainer(&view, &made);
    }
    dlq_arena_end(&arena);
    dlq_moment_free(room ? moment : &made);
    if (room)
        *moment = made;
    return room ? DLQ_OK : dlq_error_memory(error, "looking at a timeline");
}
