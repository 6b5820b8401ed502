/* What servers do with the batches that reach them: stages on resources, queues, completion. */
#include "sim/events.h"
#include "sim/ranks_advance.h"

/* A resource that stands idle does not follow its calendar. */
static inline void change_speed(struct dlq_events *state, int use)
{
    struct dlq_resource *resource = &state->resources[use];
    double until;
    if (state->calendar == NULL || (resource->count > 0 && state->now < resource->change))
        return;
    double speed = dlq_calendar_speed(state->calendar, use, state->now, &until);
    dlq_resource_slow(resource, state->now, speed, until);
}

/* Begins the stages of a batch at `now`, from the server's stage on; those of no length are passed over. True: the
   batch is done. */
static bool begin_stage(struct dlq_events *state, long w)
{
    const struct dlq_point *point = state->point;
    struct server *server = &state->servers[w];
    const double *sums = dlq_events_sums(state, server->batch);
    double before = server->stage == 0 ? 0 : dlq_load_time(point, sums[server->stage - 1], w);
    for (; server->stage < point->stages; server->stage++) {
        double after = dlq_load_time(point, sums[server->stage], w);
        if (after <= before)
            continue;
        change_speed(state, (int)point->uses[server->stage]);
        dlq_resource_enter(&state->resources[point->uses[server->stage]], state->now, after - before,
                           server->base + after, point->demand[server->stage],
                           (struct dlq_slot){.number = state->flights[server->batch].batch, .server = w});
        return false;
    }
    return true;
}

static void complete(struct dlq_events *state, long w);

static void start_load(struct dlq_events *state, long w, long batch)
{
    if (state->log != NULL)
        dlq_events_note_start(state, w, batch);
    state->servers[w] = (struct server){.batch = batch, .busy = true, .base = state->now};
    if (begin_stage(state, w))
        complete(state, w);
}

static void enqueue(struct dlq_events *state, struct queue *queue, long batch)
{
    if (queue->first == NO_BATCH)
        queue->first = batch;
    else
        state->flights[queue->last].next = batch;
    queue->last = batch;
}

static long dequeue(struct dlq_events *state, struct queue *queue)
{
    long batch = queue->first;
    queue->first = state->flights[batch].next;
    return batch;
}

/* A server is free now: it takes what waits for it alone; a pool's server waits to be matched. */
static void become_free(struct dlq_events *state, long w)
{
    state->servers[w].busy = false;
    if (dlq_events_is_pool(state->point)) {
        dlq_heap_push(state->idle, state->idle_count++, (struct dlq_slot){.time = state->now, .number = w});
        return;
    }
    struct queue *queue = &state->queues[w];
    if (queue->first != NO_BATCH)
        start_load(state, w, dequeue(state, queue));
}

/* The batch of server w is done: pinned in order of completion, then on its way to the trainer. */
static void complete(struct dlq_events *state, long w)
{
    const struct dlq_point *point = state->point;
    long batch = state->servers[w].batch;
    struct flight *done = &state->flights[batch];
    done->ready = state->now;
    if (point->pin > 0)
        done->ready = state->pinned = dlq_larger(state->now, state->pinned) + point->pin;
    done->ready += point->deliver;
    done->done = true;
    if (state->log != NULL)
        dlq_events_note_end(state, done);
    if (point->loader->order == DLQ_ORDER_COMPLETION)
        dlq_heap_push(state->finished, state->finished_count++,
                      (struct dlq_slot){.time = state->now, .number = done->batch, .server = batch});
    become_free(state, w);
}

static void leave(struct dlq_events *state, struct dlq_resource *resource)
{
    const struct dlq_point *point = state->point;
    state->now = resource->next;
    long w = resource->heap[0].server;
    struct server *server = &state->servers[w];
    if (w == point->servers) {
        dlq_resource_leave(resource, 1);
        state->working = false;
        return;
    }
    if (server->batch == NO_BATCH) {
        dlq_resource_leave(resource, 0);
        become_free(state, w);
        return;
    }
    dlq_resource_leave(resource, point->demand[server->stage]);
    const double *sums = dlq_events_sums(state, server->batch);
    double sum = dlq_load_time(point, sums[server->stage], w);
    if (state->now != server->base + sum)
        server->base = state->now - sum;
    server->stage++;
    if (begin_stage(state, w))
        complete(state, w);
}

static void arrive(struct dlq_events *state)
{
    long batch = state->arrivals[state->arrival_out];
    state->arrival_out = dlq_events_step(state->arrival_out, state->places);
    state->arrived++;
    const struct flight *arrival = &state->flights[batch];
    state->now = arrival->arrival;
    for (int i = 0; i < RESOURCES; i++)
        dlq_resource_arrive(&state->resources[i], state->now);
    bool pool = dlq_events_is_pool(state->point);
    if (!pool && !state->servers[arrival->server].busy)
        start_load(state, arrival->server, batch);
    else
        enqueue(state, &state->queues[pool ? 0 : arrival->server], batch);
}

/* By comparison: fmin and fmax are calls. */
static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

double dlq_events_next_leave(const struct dlq_events *state)
{
    return smaller(smaller(state->resources[0].next, state->resources[STARTING].next),
                   smaller(state->resources[1].next, state->resources[2].next));
}

bool dlq_events_match(struct dlq_events *state)
{
    struct queue *queue = &state->queues[0];
    if (state->idle_count == 0 || queue->first == NO_BATCH || dlq_events_next_leave(state) <= state->now)
        return false;
    long w = state->idle[0].number;
    dlq_heap_pop(state->idle, state->idle_count--);
    start_load(state, w, dequeue(state, queue));
    return true;
}

void dlq_events_next(struct dlq_events *state)
{
    double leaving = dlq_events_next_leave(state);
    bool arrival = state->arrived < state->dispatched;
    if (arrival && state->flights[state->arrivals[state->arrival_out]].arrival < leaving) {
        arrive(state);
        return;
    }
    for (int i = 0; i < RESOURCES; i++) {
        if (state->resources[i].next != leaving)
            continue;
        if (state->resources[i].leaves > leaving) {
            state->now = leaving;
            change_speed(state, i);
        } else {
            leave(state, &state->resources[i]);
        }
        return;
    }
}
