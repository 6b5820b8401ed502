/* What happens at one moment of a timeline. */
#include "study/timeline_times.h"

#include <stdint.h>
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
struct moment {
    const struct dlq_timeline *timeline;
    const struct dlq_timeline_rank *rank;
    double time;
    size_t first, end;
};

/* The first of the steps whose point in time, which never falls, lies after `time`. */
static size_t first_after(const struct dlq_timeline_rank *rank, double time,
                          double (*point)(const struct dlq_timeline_batch *batch))
{
    size_t low = 0;
    for (size_t high = rank->stepped; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (point(&rank->batches[middle]) > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double received_of(const struct dlq_timeline_batch *batch)
{
    return batch->received;
}

static double step_end_of(const struct dlq_timeline_batch *batch)
{
    return batch->step_end;
}

static bool is_waiting(const struct moment *moment, const struct dlq_timeline_batch *batch)
{
    return dlq_timeline_ready(batch) <= moment->time && moment->time < dlq_timeline_taken(moment->timeline, batch);
}

/* -- loaders -- */

static bool is_loading(const struct moment *moment, const struct dlq_timeline_batch *batch)
{
    bool ended = batch->load_end <= moment->time;
    return batch->worker >= 0 && batch->worker < moment->timeline->workers && batch->load_start <= moment->time &&
           !ended;
}

static void show_load(const struct moment *moment, const struct dlq_timeline_batch *batch, struct dlq_scene *scene)
{
    if (!is_loading(moment, batch))
        return;
    double length = batch->load_end - batch->load_start;
    scene->loaders[batch->worker] = (struct dlq_scene_loader){
        .state = DLQ_LOADER_LOADING,
        .index = batch->index,
        .progress = (moment->time - batch->load_start) / length,
    };
}

/* May no batch behind this one be dispatched yet? A simulation dispatches in order of the steps, where these are in
   order; else never more than the window. (Measured times need not be so exact, and a log is not long.) */
static bool is_last(const struct moment *moment, const struct dlq_timeline_batch *batch, long outstanding)
{
    const struct dlq_timeline *timeline = moment->timeline;
    if (timeline->measured)
        return false;
    if (timeline->in_order)
        return batch->dispatched > moment->time;
    return timeline->window > 0 && outstanding >= timeline->window;
}

/* Shows the loads under way, finds `end`, and returns how many batches wait. */
static size_t walk(struct moment *moment, struct dlq_scene *scene)
{
    const struct dlq_timeline_rank *rank = moment->rank;
    size_t waiting = 0;
    long outstanding = 0;
    for (size_t i = rank->stepped; i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        show_load(moment, batch, scene);
        waiting += is_waiting(moment, batch) ? 1 : 0;
        outstanding += batch->dispatched <= moment->time ? 1 : 0;
    }
    size_t i = moment->first;
    for (; i < rank->stepped && !is_last(moment, &rank->batches[i], outstanding); i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        show_load(moment, batch, scene);
        waiting += is_waiting(moment, batch) ? 1 : 0;
        outstanding += batch->dispatched <= moment->time ? 1 : 0;
    }
    moment->end = i;
    return waiting;
}

/* -- queue -- */

struct place {
    double ready;
    struct dlq_scene_batch batch;
};

static int sooner(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->ready != b->ready)
        return a->ready < b->ready ? -1 : 1;
    return (a->batch.index > b->batch.index) - (a->batch.index < b->batch.index);
}

/* Those from `begin` to `end` that wait. *chain: none is missing before them. */
static size_t put_waiting(const struct moment *moment, size_t begin, size_t end, bool *chain, struct place *places)
{
    size_t count = 0;
    for (size_t i = begin; i < end; i++) {
        const struct dlq_timeline_batch *batch = &moment->rank->batches[i];
        bool waits = is_waiting(moment, batch);
        bool taken = dlq_timeline_taken(moment->timeline, batch) <= moment->time;
        if (waits)
            places[count++] = (struct place){dlq_timeline_ready(batch),
                                             {batch->worker, batch->index, moment->timeline->in_order && !*chain}};
        *chain = *chain && (waits || taken);
    }
    return count;
}

/* In order of the steps; then what is not trained on: in order of dispatch, or as it became ready. */
static void fill_queue(const struct moment *moment, struct place *places, struct dlq_scene *scene)
{
    bool chain = true;
    size_t stepped = put_waiting(moment, moment->first, moment->end, &chain, places);
    chain = chain && moment->end == moment->rank->stepped;
    size_t others = put_waiting(moment, moment->rank->stepped, moment->rank->count, &chain, places + stepped);
    if (!moment->timeline->in_order && others > 1)
        qsort(places + stepped, others, sizeof *places, sooner);
    for (size_t i = 0; i < stepped + others; i++)
        scene->queue[i] = places[i].batch;
}

/* -- trainer -- */

static double share(double time, double begin, double end)
{
    return end > begin && time >= begin ? (time - begin) / (end - begin) : (double)NAN;
}

static void show_batch(const struct moment *moment, const struct dlq_timeline_batch *batch, struct dlq_scene *scene)
{
    double taken = dlq_timeline_taken(moment->timeline, batch), begin = dlq_timeline_step_begin(batch);
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
    while (at + 1 < sizeof states / sizeof *states && moment->time >= states[at].end)
        at++;
    bool known = at > 0 || moment->timeline->in_order;
    scene->trainer = states[at].state;
    scene->worker = known ? batch->worker : -1;
    scene->index = known ? batch->index : -1;
    scene->since = fmin(states[at].begin, moment->time);
    scene->progress = share(moment->time, states[at].begin, states[at].end);
}

/* Behind the last step of the record. */
static void show_end(const struct moment *moment, struct dlq_scene *scene)
{
    const struct dlq_timeline *timeline = moment->timeline;
    const struct dlq_timeline_rank *rank = moment->rank;
    double end = dlq_timeline_last_end(rank);
    bool waits = !timeline->measured && end < timeline->until && moment->time <= timeline->until;
    bool known = waits && timeline->in_order && rank->count > rank->stepped;
    const struct dlq_timeline_batch *next = known ? &rank->batches[rank->stepped] : NULL;
    scene->trainer = waits ? DLQ_TRAINER_WAITS : DLQ_TRAINER_DONE;
    scene->worker = known ? next->worker : -1;
    scene->index = known ? next->index : -1;
    scene->since = rank->stepped > 0 ? end : timeline->from;
    scene->progress = NAN;
}

static void show_trainer(const struct moment *moment, struct dlq_scene *scene)
{
    const struct dlq_timeline_rank *rank = moment->rank;
    double from = moment->timeline->from, stepping = 0;
    size_t at = first_after(rank, moment->time, step_end_of);
    if (at < rank->stepped)
        show_batch(moment, &rank->batches[at], scene);
    else
        show_end(moment, scene);
    if (rank->stepped > 0)
        scene->steps = at > 0 ? rank->batches[at - 1].step + 1 : rank->batches[0].step;
    for (size_t i = 0; i < rank->stepped && i <= at; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        stepping += dlq_timeline_part(dlq_timeline_step_begin(batch), batch->step_end, from, moment->time);
    }
    scene->idle = moment->time > from ? fmax(0, 1 - stepping / (moment->time - from)) : (double)NAN;
}

/* -- the whole -- */

void dlq_scene_free(struct dlq_scene *scene)
{
    free(scene->loaders);
    free(scene->queue);
    *scene = (struct dlq_scene){0};
}

static bool fill(struct moment *moment, struct dlq_scene *scene)
{
    size_t workers = (size_t)moment->timeline->workers;
    scene->loaders = calloc(workers + 1, sizeof *scene->loaders);
    if (scene->loaders == NULL)
        return false;
    scene->loader_count = workers;
    for (size_t w = 0; w < workers; w++)
        scene->loaders[w].index = -1;
    scene->queue_count = walk(moment, scene);
    scene->queue = calloc(scene->queue_count + 1, sizeof *scene->queue);
    struct place *places = calloc(scene->queue_count + 1, sizeof *places);
    bool filled = scene->queue != NULL && places != NULL;
    if (filled) {
        fill_queue(moment, places, scene);
        show_trainer(moment, scene);
    }
    free(places);
    return filled;
}

enum dlq_status dlq_timeline_at(const struct dlq_timeline *timeline, size_t rank, double time, struct dlq_scene *scene,
                                struct dlq_error *error)
{
    struct dlq_scene made = {.time = time};
    if (rank >= timeline->rank_count || isnan(time))
        return dlq_error_add(error, DLQ_INVALID, "the timeline has no rank %zu, or no such time", rank);
    struct moment moment = {.timeline = timeline, .rank = &timeline->ranks[rank], .time = time};
    moment.first = first_after(moment.rank, time, received_of);
    if (!fill(&moment, &made)) {
        dlq_scene_free(&made);
        return dlq_error_memory(error, "looking at a timeline");
    }
    dlq_scene_free(scene);
    *scene = made;
    return DLQ_OK;
}
