/* The events to come: a binary heap by time. */
#ifndef BENCH_EVENT_QUEUE_H
#define BENCH_EVENT_QUEUE_H

#include <stddef.h>

struct bench_event {
    double time;
    int actor; /* the loader whose load ends; the trainer is the number after the last loader */
};

/* Everyone has at most one event ahead, so that the room is known beforehand. events[1] is the first to come. */
struct bench_event_queue {
    struct bench_event *events;
    size_t count;
};

static inline void bench_event_push(struct bench_event_queue *queue, double time, int actor)
{
    size_t hole = ++queue->count;
    for (; hole > 1 && queue->events[hole / 2].time > time; hole /= 2)
        queue->events[hole] = queue->events[hole / 2];
    queue->events[hole] = (struct bench_event){.time = time, .actor = actor};
}

/* The queue must not be empty. */
static inline struct bench_event bench_event_pop(struct bench_event_queue *queue)
{
    struct bench_event *events = queue->events;
    struct bench_event first = events[1];
    struct bench_event last = events[queue->count--];
    size_t hole = 1;
    for (size_t child = 2; child <= queue->count; child = 2 * hole) {
        child += child < queue->count && events[child + 1].time < events[child].time;
        if (events[child].time >= last.time)
            break;
        events[hole] = events[child];
        hole = child;
    }
    events[hole] = last;
    return first;
}

#endif
