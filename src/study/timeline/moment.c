/* What the loaders, the queue and the trainer of a rank do at one moment of a timeline. */
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

/* Batches from `first` on are not received by then; those from `end` on, up to the last that is trained on, are not
   dispatched. */
struct view {
    const struct dlq_timeline *timeline;
    const struct dlq_timeline_rank *rank;
    double time;
    size_t first, end;
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

static bool is_waiting(const struct view *view, const struct dlq_timeline_batch *batch)
{
    return dlq_timeline_ready(batch) <= view->time && view->time < dlq_timeline_taken(view->timeline, batch);
}

/* Shows the loads under way, finds `end`, and returns how many batches wait. No batch behind the end is dispatched yet:
   a simulation dispatches in order of the steps, where these are in order; else never more than the window. (Measured
   times need not be so exact, and a log is not long.) */
static size_t walk(struct view *view, struct dlq_moment *moment)
{
    const struct dlq_timeline *timeline = view->timeline;
    const struct dlq_timeline_rank *rank = view->rank;
    size_t waiting = 0, others = rank->count - rank->stepped;
    long outstanding = 0;
    view->end = rank->stepped;
    for (size_t k = 0; k < others + rank->stepped - view->first; k++) {
        size_t i = k < others ? rank->stepped + k : view->first + k - others;
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        bool behind = timeline->in_order ? batch->dispatched > view->time
                                         : timeline->window > 0 && outstanding >= timeline->window;
        if (k >= others && !timeline->measured && behind) {
            view->end = i;
            break;
        }
        if (batch->worker >= 0 && batch->worker < timeline->workers && batch->load_start <= view->time &&
            !(batch->load_end <= view->time))
            moment->loaders[batch->worker] = (struct dlq_moment_loader){
                .state = DLQ_LOADER_LOADING,
                .index = batch->index,
                .progress = (view->time - batch->load_start) / (batch->load_end - batch->load_start),
            };
        waiting += is_waiting(view, batch) ? 1 : 0;
        outstanding += batch->dispatched <= view->time ? 1 : 0;
    }
    return waiting;
}

/* -- queue -- */

struct place {
    double ready;
    struct dlq_moment_batch batch;
};

static int sooner(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->ready != b->ready)
        return a->ready < b->ready ? -1 : 1;
    return (a->batch.index > b->batch.index) - (a->batch.index < b->batch.index);
}

/* Those from `begin` to `end` that wait. *chain: none is missing before them. */
static size_t put_waiting(const struct view *view, size_t begin, size_t end, bool *chain, struct place *places)
{
    size_t count = 0;
    for (size_t i = begin; i < end; i++) {
        const struct dlq_timeline_batch *batch = &view->rank->batches[i];
        bool waits = is_waiting(view, batch);
        bool taken = dlq_timeline_taken(view->timeline, batch) <= view->time;
        if (waits)
            places[count++] = (struct place){dlq_timeline_ready(batch),
                                             {batch->worker, batch->index, view->timeline->in_order && !*chain}};
        *chain = *chain && (waits || taken);
    }
    return count;
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
    struct dlq_moment made = {.time = time};
    if (rank >= timeline->rank_count || isnan(time))
        return dlq_error_add(error, DLQ_INVALID, "the timeline has no rank %zu, or no such time", rank);
    struct view view = {.timeline = timeline, .rank = &timeline->ranks[rank], .time = time};
    view.first = dlq_timeline_first_after(view.rank, DLQ_STEP_RECEIVED, time);
    made.loader_count = (size_t)timeline->workers;
    made.loaders = calloc(made.loader_count + 1, sizeof *made.loaders);
    struct place *places = NULL;
    if (made.loaders == NULL)
        goto no_memory;
    for (size_t w = 0; w < made.loader_count; w++)
        made.loaders[w].index = -1;
    made.queue_count = walk(&view, &made);
    made.queue = calloc(made.queue_count + 1, sizeof *made.queue);
    places = calloc(made.queue_count + 1, sizeof *places);
    if (made.queue == NULL || places == NULL)
        goto no_memory;
    /* In order of the steps; then what is not trained on: in order of dispatch, or as it became ready. */
    bool chain = true;
    size_t stepped = put_waiting(&view, view.first, view.end, &chain, places);
    chain = chain && view.end == view.rank->stepped;
    size_t others = put_waiting(&view, view.rank->stepped, view.rank->count, &chain, places + stepped);
    if (!timeline->in_order && others > 1)
        qsort(places + stepped, others, sizeof *places, sooner);
    for (size_t i = 0; i < stepped + others; i++)
        made.queue[i] = places[i].batch;
    show_trainer(&view, &made);
    free(places);
    dlq_moment_free(moment);
    *moment = made;
    return DLQ_OK;
no_memory:
    free(places);
    dlq_moment_free(&made);
    return dlq_error_memory(error, "looking at a timeline");
}
