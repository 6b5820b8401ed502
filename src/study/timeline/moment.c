/* What the loaders, the queue and the trainer of a rank do at one moment of a timeline. */
#include "study/timeline/timeline.h"

#include <stdlib.h>

double dlq_timeline_receive_start(const struct dlq_timeline *timeline, const struct dlq_timeline_batch *batch)
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

/* Fills in the loads under way and the queue: batches in order of their steps, then batches without a step, in order of
   dispatch or, with delivery by completion, of readiness. at: the first step that has not ended. */
static void show_batches(const struct dlq_timeline *timeline, const struct dlq_timeline_rank *rank, size_t at,
                         struct dlq_moment *moment)
{
    const double time = moment->time;
    bool chain = true; /* all batches before this one have arrived */
    size_t trained = 0;
    for (size_t i = at; i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        const double taken = dlq_timeline_receive_start(timeline, batch), ready = dlq_timeline_ready(batch);
        const bool waits = ready <= time && time < taken;
        if (batch->worker >= 0 && batch->worker < timeline->workers && batch->load_start <= time &&
            !(batch->load_end <= time))
            moment->loaders[batch->worker] =
                (struct dlq_moment_loader){batch, (time - batch->load_start) / (batch->load_end - batch->load_start)};
        if (waits) {
            const bool sorted = i >= rank->stepped && !timeline->in_order;
            size_t place = moment->queue_count++;
            for (; sorted && place > trained && dlq_timeline_ready(moment->queue[place - 1].batch) > ready; place--)
                moment->queue[place] = moment->queue[place - 1];
            moment->queue[place] = (struct dlq_moment_batch){batch, timeline->in_order && !chain};
            trained += i < rank->stepped ? 1 : 0;
        }
        chain = chain && (waits || taken <= time);
    }
}

void dlq_moment_free(struct dlq_moment *moment)
{
    free(moment->loaders);
    free(moment->queue);
    *moment = (struct dlq_moment){0};
}

enum dlq_status dlq_timeline_at(const struct dlq_timeline *timeline, size_t rank, double time,
                                struct dlq_moment *moment, struct dlq_error *error)
{
    struct dlq_moment made = {.time = time, .loader_count = (size_t)timeline->workers};
    if (rank >= timeline->rank_count || isnan(time))
        return dlq_error_add(error, DLQ_INVALID, "the timeline has no rank %zu, or no such time", rank);
    const struct dlq_timeline_rank *this_rank = &timeline->ranks[rank];
    made.loaders = calloc(made.loader_count + 1, sizeof *made.loaders);
    made.queue = calloc(this_rank->count + 1, sizeof *made.queue);
    if (made.loaders == NULL || made.queue == NULL) {
        dlq_moment_free(&made);
        return dlq_error_memory(error, "looking at a timeline");
    }
    size_t at = 0; /* the first step that has not ended */
    double stepping = 0;
    for (size_t i = 0; i < this_rank->stepped && i <= at; i++) {
        const struct dlq_timeline_batch *batch = &this_rank->batches[i];
        at += batch->step_end <= time ? 1 : 0;
        stepping += dlq_timeline_part(dlq_timeline_step_begin(batch), batch->step_end, timeline->from, time);
    }
    made.idle = time > timeline->from ? fmax(0, 1 - stepping / (time - timeline->from)) : (double)NAN;
    if (this_rank->stepped > 0)
        made.steps = at > 0 ? this_rank->batches[at - 1].step + 1 : this_rank->batches[0].step;
    show_batches(timeline, this_rank, at, &made);
    /* After the last recorded step the trainer waits, or is done. */
    const double end = dlq_timeline_last_end(this_rank);
    bool waits = !timeline->measured && end < timeline->until && time <= timeline->until;
    bool known = waits && timeline->in_order;
    made.trainer = waits ? DLQ_TRAINER_WAITS : DLQ_TRAINER_DONE;
    made.state_start = this_rank->stepped > 0 ? end : timeline->from;
    made.progress = NAN;
    if (at < this_rank->stepped) {
        const struct dlq_timeline_batch *batch = &this_rank->batches[at];
        double ends[] = {batch->request, dlq_timeline_receive_start(timeline, batch), batch->received,
                         dlq_timeline_step_begin(batch), batch->step_end};
        size_t state = DLQ_TRAINER_WAITS;
        while (state < DLQ_TRAINER_STEPS && time >= ends[state + 1])
            state++;
        known = state != DLQ_TRAINER_WAITS || timeline->in_order;
        made.trainer = (enum dlq_trainer_state)state;
        made.state_start = fmin(ends[state], time);
        if (ends[state + 1] > ends[state] && time >= ends[state])
            made.progress = (time - ends[state]) / (ends[state + 1] - ends[state]);
    }
    made.batch = known && at < this_rank->count ? &this_rank->batches[at] : NULL;
    dlq_moment_free(moment);
    *moment = made;
    return DLQ_OK;
}
