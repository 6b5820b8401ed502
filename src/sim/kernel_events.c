/* Every discipline by events: where loads slow each other down, or a serial thread pins batches, no batch's times are
   known when it is dispatched. With ample cores and no pinning it gives the recursions' results to the bit. */
#include "sim/kernel.h"
#include "sim/resource.h"

#include <stdlib.h>

enum { RESOURCES = 3, NO_BATCH = -1 };

/* A batch between dispatch and delivery. The one dispatched when it is delivered takes its place: with delivery in
   order of index batch i is at i % places; with delivery by completion an old batch may stay while others come and go.
   Queues and servers speak of places. */
struct flight {
    long batch;     /* its index */
    double arrival; /* when its server can begin: A + a */
    double ready;   /* when the trainer can take it; of use once done */
    bool done;
    long server;
    long next; /* in its queue; NO_BATCH: last */
};

struct queue {
    long first, last; /* NO_BATCH: empty */
};

/* What a server does: the stage of its batch under way. Stages that nothing slows end at base + their sum, computed as
   the recursion computes it. */
struct server {
    long batch; /* its place; NO_BATCH: none, or not ready yet */
    bool busy;
    size_t stage;
    double base, begun, work; /* work: of the stage, at full speed */
};

struct dlq_kernel_state {
    const struct dlq_point *point;
    struct flight *flights;
    double *sums;   /* their stages' cumulative times */
    long *arrivals; /* places in order of dispatch: batch i's at i % places */
    long places;
    struct server *servers;
    struct queue *queues;      /* one per server; pool: the first alone */
    struct dlq_slot *idle;     /* pool: servers free, since when */
    struct dlq_slot *finished; /* order of completion: done, not taken */
    size_t idle_count, finished_count;
    struct dlq_resource resources[RESOURCES];     /* by enum dlq_uses */
    long dispatched, arrived, delivered, batches; /* of the epoch */
    double now, end, pinned;                      /* end: F of the step before */
    double *taken;                                /* relay: G of the last `prefetch` batches */
    double moved, slot;                           /* relay: P of the batch before, Q of the next */
    double ready;
};

static bool is_pool(const struct dlq_point *point)
{
    return point->loader->assign == DLQ_ASSIGN_POOL;
}

static bool is_serial(const struct dlq_point *point)
{
    return point->loader->assign == DLQ_ASSIGN_TRAINER;
}

static bool at_request(const struct dlq_point *point)
{
    return is_serial(point) || point->loader->release == DLQ_RELEASE_REQUEST;
}

/* Batches dispatched at the start of an epoch; a relay takes the first one's slot at once. */
static long opening(const struct dlq_point *point)
{
    if (is_serial(point))
        return 1;
    long window = point->window < DLQ_EVENTS_AHEAD ? point->window : DLQ_EVENTS_AHEAD;
    return window + (at_request(point) || point->loader->relay ? 1 : 0);
}

static size_t ahead(const struct dlq_point *point)
{
    return (size_t)opening(point);
}

static void state_free(struct dlq_kernel_state *state)
{
    if (state == NULL)
        return;
    for (int i = 0; i < RESOURCES; i++)
        dlq_resource_free(&state->resources[i]);
    free(state->flights);
    free(state->sums);
    free(state->arrivals);
    free(state->servers);
    free(state->queues);
    free(state->idle);
    free(state->finished);
    free(state->taken);
    free(state);
}

static bool allocate(struct dlq_kernel_state *state)
{
    const struct dlq_point *point = state->point;
    size_t places = (size_t)state->places;
    size_t servers = (size_t)point->servers;
    state->flights = calloc(places, sizeof *state->flights);
    state->sums = calloc(places * point->stages, sizeof *state->sums);
    state->arrivals = calloc(places, sizeof *state->arrivals);
    state->finished = calloc(places, sizeof *state->finished);
    state->servers = calloc(servers, sizeof *state->servers);
    state->queues = calloc(servers, sizeof *state->queues);
    state->idle = calloc(servers, sizeof *state->idle);
    state->taken = calloc((size_t)point->prefetch + 1, sizeof *state->taken);
    return dlq_resource_begin(&state->resources[DLQ_USES_NOTHING], INFINITY, point->servers) &&
           dlq_resource_begin(&state->resources[DLQ_USES_CPU], point->cores, point->servers) &&
           dlq_resource_begin(&state->resources[DLQ_USES_STORAGE], point->bandwidth, point->servers) &&
           state->flights != NULL && state->sums != NULL && state->arrivals != NULL && state->finished != NULL &&
           state->servers != NULL && state->queues != NULL && state->idle != NULL && state->taken != NULL;
}

static struct dlq_kernel_state *state_new(const struct dlq_point *point)
{
    struct dlq_kernel_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->point = point;
    state->places = opening(point);
    if (allocate(state))
        return state;
    state_free(state);
    return NULL;
}

static void state_reset(struct dlq_kernel_state *state)
{
    state->end = 0;
    state->pinned = 0;
    for (int i = 0; i < RESOURCES; i++)
        state->resources[i].work = state->resources[i].spent = 0;
}

/* Servers begin as if busy until they are ready. */
static void state_epoch(struct dlq_kernel_state *state, double ready, const double *phase, long batches)
{
    state->dispatched = state->arrived = state->delivered = 0;
    state->batches = batches;
    state->idle_count = state->finished_count = 0;
    state->now = state->ready = state->moved = state->slot = ready;
    for (int i = 0; i < RESOURCES; i++)
        dlq_resource_reset(&state->resources[i]);
    for (long i = 0; i <= state->point->prefetch; i++)
        state->taken[i] = ready;
    for (long w = 0; w < state->point->servers; w++) {
        state->queues[w] = (struct queue){NO_BATCH, NO_BATCH};
        state->servers[w] = (struct server){.batch = NO_BATCH, .busy = true};
        dlq_resource_enter(&state->resources[DLQ_USES_NOTHING], ready, phase[w], ready + phase[w], 0,
                           (struct dlq_slot){.number = w - state->point->servers, .server = w});
    }
}

static double *sums_of(struct dlq_kernel_state *state, long place)
{
    return &state->sums[(size_t)place * state->point->stages];
}

/* The next batch leaves at `time` for the server that its discipline names; its draws are `draw` into the block. */
static void dispatch(struct dlq_kernel_state *state, const struct dlq_block *block, long draw, double time, long server,
                     long place)
{
    const struct dlq_point *point = state->point;
    long batch = state->dispatched++;
    double *sums = sums_of(state, place);
    for (size_t k = 0; k < point->stages; k++)
        sums[k] = block->cumulative[k][draw];
    state->arrivals[batch % state->places] = place;
    state->flights[place] =
        (struct flight){.batch = batch, .arrival = time + point->dispatch, .server = server, .next = NO_BATCH};
}

/* Begins the stages of a batch at `now`, from the server's stage on; those of no length are passed over. True: the
   batch is done. */
static bool begin_stage(struct dlq_kernel_state *state, long w)
{
    const struct dlq_point *point = state->point;
    struct server *server = &state->servers[w];
    const double *sums = sums_of(state, server->batch);
    double before = server->stage == 0 ? 0 : dlq_load_time(point, sums[server->stage - 1], w);
    for (; server->stage < point->stages; server->stage++) {
        double after = dlq_load_time(point, sums[server->stage], w);
        if (after <= before)
            continue;
        server->begun = state->now;
        server->work = after - before;
        dlq_resource_enter(&state->resources[point->uses[server->stage]], state->now, server->work,
                           server->base + after, point->demand[server->stage],
                           (struct dlq_slot){.number = state->flights[server->batch].batch, .server = w});
        return false;
    }
    return true;
}

static void complete(struct dlq_kernel_state *state, long w);

static void start_load(struct dlq_kernel_state *state, long w, long batch)
{
    state->servers[w] = (struct server){.batch = batch, .busy = true, .base = state->now};
    if (begin_stage(state, w))
        complete(state, w);
}

static void enqueue(struct dlq_kernel_state *state, struct queue *queue, long batch)
{
    if (queue->first == NO_BATCH)
        queue->first = batch;
    else
        state->flights[queue->last].next = batch;
    queue->last = batch;
}

static long dequeue(struct dlq_kernel_state *state, struct queue *queue)
{
    long batch = queue->first;
    queue->first = state->flights[batch].next;
    return batch;
}

/* A server is free now: it takes what waits for it alone; a pool's server waits to be matched. */
static void become_free(struct dlq_kernel_state *state, long w)
{
    state->servers[w].busy = false;
    if (is_pool(state->point)) {
        dlq_heap_push(state->idle, state->idle_count++, (struct dlq_slot){.time = state->now, .number = w});
        return;
    }
    struct queue *queue = &state->queues[w];
    if (queue->first != NO_BATCH)
        start_load(state, w, dequeue(state, queue));
}

/* The batch of server w is done: pinned in order of completion, then on its way to the trainer. */
static void complete(struct dlq_kernel_state *state, long w)
{
    const struct dlq_point *point = state->point;
    long batch = state->servers[w].batch;
    struct flight *done = &state->flights[batch];
    done->ready = state->now;
    if (point->pin > 0)
        done->ready = state->pinned = fmax(state->now, state->pinned) + point->pin;
    done->ready += point->deliver;
    done->done = true;
    if (point->loader->order == DLQ_ORDER_COMPLETION)
        dlq_heap_push(state->finished, state->finished_count++,
                      (struct dlq_slot){.time = state->now, .number = done->batch, .server = batch});
    become_free(state, w);
}

static void leave(struct dlq_kernel_state *state, struct dlq_resource *resource)
{
    const struct dlq_point *point = state->point;
    state->now = resource->next;
    long w = resource->heap[0].server;
    struct server *server = &state->servers[w];
    if (server->batch == NO_BATCH) {
        dlq_resource_leave(resource, 0);
        become_free(state, w);
        return;
    }
    dlq_resource_leave(resource, point->demand[server->stage]);
    const double *sums = sums_of(state, server->batch);
    double sum = dlq_load_time(point, sums[server->stage], w);
    resource->work += server->work;
    resource->spent += state->now - server->begun;
    if (state->now != server->base + sum)
        server->base = state->now - sum;
    server->stage++;
    if (begin_stage(state, w))
        complete(state, w);
}

static void arrive(struct dlq_kernel_state *state)
{
    long batch = state->arrivals[state->arrived++ % state->places];
    const struct flight *arrival = &state->flights[batch];
    state->now = arrival->arrival;
    bool pool = is_pool(state->point);
    if (!pool && !state->servers[arrival->server].busy)
        start_load(state, arrival->server, batch);
    else
        enqueue(state, &state->queues[pool ? 0 : arrival->server], batch);
}

static double next_leave(const struct dlq_kernel_state *state)
{
    return fmin(state->resources[0].next, fmin(state->resources[1].next, state->resources[2].next));
}

/* The first batch that waits goes to the server that was free first, once all that end at this moment have ended. */
static bool match(struct dlq_kernel_state *state)
{
    struct queue *queue = &state->queues[0];
    if (state->idle_count == 0 || queue->first == NO_BATCH || next_leave(state) <= state->now)
        return false;
    long w = state->idle[0].number;
    dlq_heap_pop(state->idle, state->idle_count--);
    start_load(state, w, dequeue(state, queue));
    return true;
}

/* The batch that the trainer takes next, or NO_BATCH while that is not known. */
static long choose(const struct dlq_kernel_state *state)
{
    if (state->point->loader->order == DLQ_ORDER_INDEX) {
        long due = state->delivered % state->places;
        return state->delivered < state->dispatched && state->flights[due].done ? due : NO_BATCH;
    }
    /* A batch that ends at the same moment may have a lower index. */
    bool known = state->finished_count > 0 && state->finished[0].time < next_leave(state);
    return known ? state->finished[0].server : NO_BATCH;
}

/* G and F of the batch taken; the credit that it frees sends the next one out. */
static void deliver(struct dlq_kernel_state *state, const struct dlq_block *block, long first, long batch, double step,
                    double *delivered)
{
    const struct dlq_point *point = state->point;
    const struct flight *taken = &state->flights[batch];
    double ready = taken->ready;
    long server = point->loader->assign == DLQ_ASSIGN_OWNER || point->loader->order == DLQ_ORDER_COMPLETION
                      ? taken->server
                      : state->dispatched % point->servers;
    if (point->loader->order == DLQ_ORDER_COMPLETION)
        dlq_heap_pop(state->finished, state->finished_count--);
    if (point->loader->relay)
        ready = state->moved = fmax(state->slot, ready);
    *delivered = fmax(state->end, ready) + point->receive;
    state->end = *delivered + step;
    double credit = at_request(point) ? state->end : *delivered;
    if (point->loader->relay) {
        state->taken[state->delivered % point->prefetch] = *delivered;
        credit = state->slot = fmax(state->moved, state->taken[(state->delivered + 1) % point->prefetch]);
    }
    state->delivered++;
    if (state->dispatched < state->batches)
        dispatch(state, block, state->dispatched - first, credit, server, batch);
}

static void open_epoch(struct dlq_kernel_state *state, const struct dlq_block *block)
{

    double time = is_serial(state->point) ? fmax(state->end, state->ready) : state->ready;
    while (state->dispatched < state->places && state->dispatched < state->batches)
        dispatch(state, block, state->dispatched, time, state->dispatched % state->point->servers, state->dispatched);
}

static void next_event(struct dlq_kernel_state *state)
{
    double leaving = next_leave(state);
    bool arrival = state->arrived < state->dispatched;
    if (arrival && state->flights[state->arrivals[state->arrived % state->places]].arrival < leaving) {
        arrive(state);
        return;
    }
    for (int i = 0; i < RESOURCES; i++) {
        if (state->resources[i].next == leaving) {
            leave(state, &state->resources[i]);
            return;
        }
    }
}

static void advance(struct dlq_kernel_state *state, const struct dlq_block *block, size_t n, double *delivered,
                    double *finished)
{
    long first = state->delivered;
    if (state->dispatched == 0)
        open_epoch(state, block);
    for (size_t i = 0; i < n;) {
        long batch = choose(state);
        if (batch != NO_BATCH) {
            deliver(state, block, first, batch, block->steps[i] * state->point->step_scale, &delivered[i]);
            finished[i++] = state->end;
        } else if (!match(state)) {
            next_event(state);
        }
    }
}

static void slowdown(const struct dlq_kernel_state *state, double *cpu, double *storage)
{
    const struct dlq_resource *resources = state->resources;
    *cpu = resources[DLQ_USES_CPU].work > 0 ? resources[DLQ_USES_CPU].spent / resources[DLQ_USES_CPU].work : NAN;
    *storage = resources[DLQ_USES_STORAGE].work > 0
                   ? resources[DLQ_USES_STORAGE].spent / resources[DLQ_USES_STORAGE].work
                   : NAN;
}

const struct dlq_kernel dlq_kernel_events = {
    .name = "events",
    .new = state_new,
    .free = state_free,
    .reset = state_reset,
    .epoch = state_epoch,
    .advance = advance,
    .ahead = ahead,
    .slowdown = slowdown,
    .needs_stages = true,
};
