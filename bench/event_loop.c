#include "event_loop.h"

#include "variates.h"

#include <stdlib.h>

/* -- the events to come: a binary heap by time -- */

struct event {
    double time;
    int actor; /* the loader whose load ends; the trainer is the number after the last loader */
};

/* Everyone has at most one event ahead, so that the room is known beforehand. events[1] is the first to come. */
struct event_queue {
    struct event *events;
    size_t count;
};

static void push(struct event_queue *queue, double time, int actor)
{
    size_t hole = ++queue->count;
    for (; hole > 1 && queue->events[hole / 2].time > time; hole /= 2)
        queue->events[hole] = queue->events[hole / 2];
    queue->events[hole] = (struct event){.time = time, .actor = actor};
}

/* The queue must not be empty. */
static struct event pop(struct event_queue *queue)
{
    struct event *events = queue->events;
    struct event first = events[1];
    struct event last = events[queue->count--];
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

/* -- the pipeline -- */

/* What a loader is at: the batch it loads, and how many of its own wait for it (round robin and owner). */
struct loader {
    long batch;
    long waiting;
    bool busy;
};

/* A place in the window: by index in order, else a queue of what has finished. */
struct place {
    bool done;
    int loader;
};

struct sampler {
    enum bench_law law;
    double mean, location, spread;
};

struct bench_event_loop {
    struct bench_pipeline pipeline;
    struct sampler load, step;
    struct bench_random random;
    struct event_queue queue;
    struct loader *loaders;
    int *idle; /* pool: loaders that wait for work */
    int idle_count;
    struct place *window;
    long places;
    long dispatched, begun;           /* pool: batches begun, in order */
    long finished_place, taken_place; /* in order of delivery */
    long steps;
    bool stepping;
    double now, step_end;
};

/* Lognormal with mean m and variation c: ln S is normal with variance ln(1 + c^2) and mean ln m - variance / 2. */
static struct sampler sampler_of(const struct bench_time *time)
{
    double variance = log1p(time->cv * time->cv);
    return (struct sampler){
        .law = time->law, .mean = time->mean, .location = log(time->mean) - variance / 2, .spread = sqrt(variance)};
}

static inline double draw(const struct sampler *sampler, struct bench_random *random)
{
    if (sampler->law == BENCH_EXPONENTIAL)
        return bench_exponential(random, sampler->mean);
    if (sampler->law == BENCH_LOGNORMAL)
        return exp(sampler->location + sampler->spread * bench_normal(random));
    return sampler->mean;
}

static void begin_load(struct bench_event_loop *loop, int number, long batch)
{
    struct loader *loader = &loop->loaders[number];
    loader->busy = true;
    loader->batch = batch;
    push(&loop->queue, loop->now + draw(&loop->load, &loop->random), number);
}

/* Whoever is to load the next batch begins at once or has it waiting. */
static void dispatch(struct bench_event_loop *loop, int owner)
{
    long batch = loop->dispatched++;
    if (loop->pipeline.assign == BENCH_POOL) {
        if (loop->idle_count > 0)
            begin_load(loop, loop->idle[--loop->idle_count], loop->begun++);
        return;
    }
    int number = loop->pipeline.assign == BENCH_OWNER ? owner : (int)(batch % loop->pipeline.loaders);
    if (loop->loaders[number].busy)
        loop->loaders[number].waiting++;
    else
        begin_load(loop, number, batch);
}

static long next_place(const struct bench_event_loop *loop, long place)
{
    return place + 1 == loop->places ? 0 : place + 1;
}

/* The trainer takes the next batch if it is there; its place in the window goes to a new one. */
static void take(struct bench_event_loop *loop)
{
    struct place *place = &loop->window[loop->taken_place];
    loop->stepping = place->done;
    if (!place->done)
        return;
    place->done = false;
    loop->taken_place = next_place(loop, loop->taken_place);
    push(&loop->queue, loop->now + draw(&loop->step, &loop->random), loop->pipeline.loaders);
    dispatch(loop, place->loader);
}

static void end_step(struct bench_event_loop *loop)
{
    loop->steps++;
    loop->step_end = loop->now;
    take(loop);
}

static struct place *place_of(struct bench_event_loop *loop, long batch)
{
    if (loop->pipeline.in_order)
        return &loop->window[batch % loop->places];
    struct place *place = &loop->window[loop->finished_place];
    loop->finished_place = next_place(loop, loop->finished_place);
    return place;
}

/* Before the trainer, so that a batch that it makes room for queues behind those that wait. */
static void load_next(struct bench_event_loop *loop, int number)
{
    struct loader *loader = &loop->loaders[number];
    loader->busy = false;
    if (loop->pipeline.assign != BENCH_POOL) {
        if (loader->waiting > 0) {
            loader->waiting--;
            begin_load(loop, number, loader->batch + loop->pipeline.loaders);
        }
    } else if (loop->begun < loop->dispatched) {
        begin_load(loop, number, loop->begun++);
    } else {
        loop->idle[loop->idle_count++] = number;
    }
}

static void end_load(struct bench_event_loop *loop, int number)
{
    struct place *place = place_of(loop, loop->loaders[number].batch);
    place->done = true;
    place->loader = number;
    load_next(loop, number);
    if (!loop->stepping)
        take(loop);
}

double bench_event_loop_run(struct bench_event_loop *loop, long steps)
{
    for (long last = loop->steps + steps; loop->steps < last;) {
        struct event event = pop(&loop->queue);
        loop->now = event.time;
        if (event.actor == loop->pipeline.loaders)
            end_step(loop);
        else
            end_load(loop, event.actor);
    }
    return loop->step_end;
}

/* The window is full from the start. */
static void start(struct bench_event_loop *loop)
{
    int loaders = loop->pipeline.loaders;
    for (int number = loaders - 1; number >= 0; number--)
        loop->idle[loop->idle_count++] = number;
    for (long batch = 0; batch < loop->places; batch++)
        dispatch(loop, (int)(batch % loaders));
}

struct bench_event_loop *bench_event_loop_new(const struct bench_pipeline *pipeline, uint64_t seed)
{
    struct bench_event_loop *loop = calloc(1, sizeof *loop);
    if (loop == NULL)
        return NULL;
    size_t loaders = (size_t)pipeline->loaders;
    loop->pipeline = *pipeline;
    loop->load = sampler_of(&pipeline->load);
    loop->step = sampler_of(&pipeline->step);
    bench_seed(&loop->random, seed);
    loop->places = (long)pipeline->loaders * pipeline->prefetch;
    loop->queue.events = calloc(loaders + 2, sizeof *loop->queue.events);
    loop->loaders = calloc(loaders, sizeof *loop->loaders);
    loop->idle = calloc(loaders, sizeof *loop->idle);
    loop->window = calloc((size_t)loop->places, sizeof *loop->window);
    if (loop->queue.events == NULL || loop->loaders == NULL || loop->idle == NULL || loop->window == NULL) {
        bench_event_loop_free(loop);
        return NULL;
    }
    start(loop);
    return loop;
}

void bench_event_loop_free(struct bench_event_loop *loop)
{
    if (loop == NULL)
        return;
    free(loop->queue.events);
    free(loop->loaders);
    free(loop->idle);
    free(loop->window);
    free(loop);
}
