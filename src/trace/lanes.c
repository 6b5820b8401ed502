#include "trace/lanes.h"

#include <stdlib.h>
#include <string.h>

#define MICRO 1e-6

void dlq_lanes_free(struct dlq_lanes *lanes)
{
    free(lanes->threads);
    free(lanes->lanes);
}

int dlq_lanes_thread(struct dlq_lanes *lanes, const struct dlq_json_event *event)
{
    size_t at = 0;
    while (at < lanes->thread_count &&
           (lanes->threads[at].number != event->thread || lanes->threads[at].process != event->process ||
            lanes->threads[at].source != event->source))
        at++;
    if (at == DLQ_MOST_THREADS)
        return -2;
    if (at == lanes->thread_count) {
        struct dlq_thread *grown = realloc(lanes->threads, (at + 1) * sizeof *grown);
        if (grown == NULL)
            return -1;
        lanes->threads = grown;
        grown[at] = (struct dlq_thread){
            .process = event->process, .number = event->thread, .source = event->source, .lane = -1};
        lanes->thread_count++;
    }
    if (event->kind == DLQ_EVENT_STEP)
        lanes->threads[at].steps++;
    else if (event->kind != DLQ_EVENT_END)
        lanes->threads[at].waits++;
    return (int)at;
}

/* Steps are marked by the training thread; else the one that waits most often is it. */
static bool is_likelier(const struct dlq_thread *one, const struct dlq_thread *other)
{
    if ((one->steps > 0) != (other->steps > 0))
        return one->steps > 0;
    return one->waits > other->waits;
}

static bool has_lane(const struct dlq_lanes *lanes, long process)
{
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->lanes[i].process == process)
            return true;
    return false;
}

static bool add_lane(struct dlq_lanes *lanes, long process)
{
    struct dlq_thread *best = NULL;
    for (size_t i = 0; i < lanes->thread_count; i++) {
        struct dlq_thread *thread = &lanes->threads[i];
        if (thread->process == process && thread->waits > 0 && (best == NULL || is_likelier(thread, best)))
            best = thread;
    }
    struct dlq_lane *grown = realloc(lanes->lanes, (lanes->count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    lanes->lanes = grown;
    best->lane = (int)lanes->count;
    grown[lanes->count++] = (struct dlq_lane){.process = process, .rank = -1};
    return true;
}

/* Composer's processes are numbered by rank; where there are several others, in their order. One alone is told by
   something else. */
static void number_ranks(struct dlq_lanes *lanes)
{
    bool by_composer = false;
    for (size_t i = 0; i < lanes->thread_count; i++)
        by_composer = by_composer || lanes->threads[i].source == DLQ_SOURCE_COMPOSER;
    for (size_t i = 0; i < lanes->count; i++) {
        struct dlq_lane *lane = &lanes->lanes[i];
        long smaller = 0;
        for (size_t j = 0; j < lanes->count; j++)
            smaller += lanes->lanes[j].process < lane->process;
        if (by_composer && lane->process >= 0)
            lane->rank = lane->process;
        else if (lanes->count > 1)
            lane->rank = smaller;
    }
}

bool dlq_lanes_choose(struct dlq_lanes *lanes)
{
    size_t before = lanes->count;
    for (size_t i = 0; i < lanes->thread_count; i++)
        if (lanes->threads[i].waits > 0 && !has_lane(lanes, lanes->threads[i].process) &&
            !add_lane(lanes, lanes->threads[i].process))
            return false;
    if (lanes->count > before)
        number_ranks(lanes);
    return true;
}

static void emit(struct dlq_lane *lane, double end, struct dlq_record *record)
{
    const struct dlq_wait *wait = &lane->pending;
    if (wait->epoch >= 0 && wait->epoch != lane->epoch) {
        lane->epoch = wait->epoch;
        lane->index = 0;
    }
    record->line = wait->line;
    record->rank = lane->rank;
    record->epoch = lane->epoch;
    record->index = lane->index++;
    record->request = wait->begin * MICRO;
    record->received = wait->end * MICRO;
    record->step_end = end >= wait->end ? end * MICRO : NAN;
    record->data = (wait->end - wait->begin) * MICRO;
    record->iter = record->step_end - record->request;
}

/* The next() that finds the end of an epoch is recorded like any other. Composer numbers batches: that of the next one
   is the same. In the profiler's steps, which as a rule hold one next() each, another follows within its step: that of
   the next epoch, or of a validation in between. */
static bool found_the_end(const struct dlq_lane *lane, const struct dlq_wait *wait)
{
    const struct dlq_wait *pending = &lane->pending;
    if (pending->batch >= 0 && wait->batch >= 0)
        return pending->batch == wait->batch;
    return wait->in_step && lane->step_waits > 1 && lane->single > lane->many;
}

static bool take_wait(struct dlq_lane *lane, struct dlq_wait wait, struct dlq_record *record)
{
    bool emitted = false;
    if (lane->pending.known && wait.begin < lane->pending.end)
        return false; /* within the other: an iterator that calls one */
    wait.in_step = lane->in_step && wait.begin < lane->step_end;
    wait.step_end = lane->step_end;
    lane->step_waits += wait.in_step;
    if (lane->pending.known && found_the_end(lane, &wait)) {
        if (lane->step_waits == 2 || !wait.in_step)
            lane->epoch++;
        lane->index = 0;
    } else if (lane->pending.known) {
        emit(lane, wait.begin, record);
        emitted = true;
    }
    lane->pending = wait;
    return emitted;
}

static void take_step(struct dlq_lane *lane, const struct dlq_json_event *event)
{
    lane->single += lane->step_waits == 1;
    lane->many += lane->step_waits > 1;
    lane->step_waits = 0;
    lane->in_step = true;
    lane->step_end = event->begin + event->duration;
    lane->steps++;
}

bool dlq_lanes_take(struct dlq_lanes *lanes, const struct dlq_json_event *event, int thread, struct dlq_record *record)
{
    if (lanes->threads[thread].lane < 0)
        return false;
    struct dlq_lane *lane = &lanes->lanes[lanes->threads[thread].lane];
    struct dlq_wait wait = {.known = true,
                            .begin = event->begin,
                            .end = event->begin + event->duration,
                            .epoch = event->epoch,
                            .batch = event->batch,
                            .line = event->line};
    switch (event->kind) {
    case DLQ_EVENT_STEP:
        take_step(lane, event);
        return false;
    case DLQ_EVENT_BEGIN:
        lane->open = wait;
        return false;
    case DLQ_EVENT_END:
        if (!lane->open.known)
            return false;
        wait = lane->open;
        wait.end = event->begin;
        lane->open.known = false;
        break;
    case DLQ_EVENT_WAIT:
        break;
    }
    return take_wait(lane, wait, record);
}

/* One that nothing follows may have found the end of the data: it is left out unless a step holds it. */
bool dlq_lanes_finish(struct dlq_lanes *lanes, size_t at, struct dlq_record *record)
{
    struct dlq_lane *lane = &lanes->lanes[at];
    if (!lane->pending.known || !lane->pending.in_step)
        return false;
    emit(lane, lane->pending.step_end, record);
    lane->pending.known = false;
    return true;
}
