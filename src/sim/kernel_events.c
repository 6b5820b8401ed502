/* Every discipline by events: where loads slow each other down, or a serial thread pins batches, no batch's times are
   known when it is dispatched. With ample cores and no pinning it gives the recursions' results to the bit. */

#include "sim/events.h"
#include "sim/ranks_advance.h"

#include <stdlib.h>

static bool at_request(const struct dlq_point *point)
{
    return dlq_events_is_serial(point) || point->loader->release == DLQ_RELEASE_REQUEST;
}

/* Batches dispatched at the start of an epoch; a relay takes the first one's slot at once. */
static long opening(const struct dlq_point *point)
{
    if (dlq_events_is_serial(point))
        return 1;
    long window = point->window < DLQ_EVENTS_AHEAD ? point->window : DLQ_EVENTS_AHEAD;
    return window + (at_request(point) || point->loader->relay ? 1 : 0);
}

static size_t ahead(const struct dlq_point *point)
{
    return (size_t)opening(point);
}

static void state_free(void *own)
{
    struct dlq_events *state = own;
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

static bool allocate(struct dlq_events *state)
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
    struct dlq_resource *cores = &state->resources[DLQ_USES_CPU];
    return dlq_resource_begin(&state->resources[DLQ_USES_NOTHING], INFINITY, point->servers) &&
           dlq_resource_begin(&state->resources[STARTING], INFINITY, point->servers) &&
           dlq_resource_begin(cores, point->cores, point->servers + 1) && /* the trainer, too */
           (point->core_affinity == 0 || isinf(point->cores) ||
            dlq_resource_keep(cores, point->core_affinity, (long)fmax(1, round(point->cores)))) &&
           dlq_resource_begin(&state->resources[DLQ_USES_STORAGE], point->bandwidth, point->servers) &&
           state->flights != NULL && state->sums != NULL && state->arrivals != NULL && state->finished != NULL &&
           state->servers != NULL && state->queues != NULL && state->idle != NULL && state->taken != NULL;
}

static void *state_new(const struct dlq_point *point)
{
    struct dlq_events *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->point = point;
    state->places = opening(point);
    if (allocate(state))
        return state;
    state_free(state);
    return NULL;
}

static void state_reset(void *own)
{
    struct dlq_events *state = own;
    state->pinned = 0;
    for (int i = 0; i < RESOURCES; i++)
        state->resources[i].work = state->resources[i].spent = 0;
}

/* Servers begin as if busy until they are ready. */
static void state_epoch(void *own, double ready, const double *phase, long batches)
{
    struct dlq_events *state = own;
    state->dispatched = state->arrived = state->delivered = 0;
    state->arrival_in = state->arrival_out = state->due = state->turn = 0;
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
        dlq_resource_enter(&state->resources[state->calendar != NULL ? STARTING : DLQ_USES_NOTHING], ready, phase[w],
                           ready + phase[w], 0, (struct dlq_slot){.number = w - state->point->servers, .server = w});
    }
}

static void watch(void *own, struct dlq_kernel_log *log)
{
    struct dlq_events *state = own;
    state->log = log;
}

static void slow(void *own, struct dlq_calendar *calendar)
{
    struct dlq_events *state = own;
    state->calendar = calendar;
}

/* The next batch leaves at `time` for the server that its discipline names; its load is `draw` into the block. */
static void dispatch(struct dlq_events *state, const struct dlq_block *block, size_t draw, double time, long server,
                     long place)
{
    const struct dlq_point *point = state->point;
    long batch = state->dispatched++;
    double *sums = dlq_events_sums(state, place);
    for (size_t k = 0; k < point->stages; k++)
        sums[k] = block->cumulative[point->last[k]][draw];
    state->arrivals[state->arrival_in] = place;
    state->arrival_in = dlq_events_step(state->arrival_in, state->places);
    state->turn = dlq_events_step(state->turn, point->servers);
    if (state->log != NULL)
        dlq_kernel_log_dispatch(state->log, time);
    state->flights[place] =
        (struct flight){.batch = batch, .arrival = time + point->dispatch, .server = server, .next = NO_BATCH};
}

/* The batch that the trainer takes next, or NO_BATCH while that is not known. */
static long choose(const struct dlq_events *state)
{
    if (state->point->loader->order == DLQ_ORDER_INDEX) {
        bool done = state->delivered < state->dispatched && state->flights[state->due].done;
        return done ? state->due : NO_BATCH;
    }
    /* A batch that ends at the same moment may have a lower index. */
    bool known = state->finished_count > 0 && state->finished[0].time < dlq_events_next_leave(state);
    return known ? state->finished[0].server : NO_BATCH;
}

static void open_epoch(struct dlq_events *state, const struct dlq_block *block, size_t at, double ended)
{
    double time = dlq_events_is_serial(state->point) ? dlq_larger(ended, state->ready) : state->ready;
    while (state->dispatched < state->places && state->dispatched < state->batches)
        dispatch(state, block, at + (size_t)state->dispatched, time, state->turn, state->dispatched);
}

static double next(void *own, const struct dlq_block *block, size_t at, double ended)
{
    struct dlq_events *state = own;
    if (state->dispatched == 0)
        open_epoch(state, block, at, ended);
    while ((state->chosen = choose(state)) == NO_BATCH)
        if (!dlq_events_match(state))
            dlq_events_next(state);
    double ready = state->flights[state->chosen].ready;
    if (state->point->loader->relay)
        ready = state->moved = dlq_larger(state->slot, ready);
    return ready;
}

/* Loads are noted as they come: events_load.c. */
static double watched_next(void *own, const struct dlq_block *block, size_t at, double ended)
{
    struct dlq_events *state = own;
    double ready = next(state, block, at, ended);
    state->log->taken = state->flights[state->chosen].batch;
    dlq_kernel_log_find(state->log, state->log->taken)->ready = ready;
    return ready;
}

/* The credit that the batch frees sends the next one out. */
static void send_next(struct dlq_events *state, const struct dlq_block *block, size_t at, double begin, double end)
{
    const struct dlq_point *point = state->point;
    bool completion = point->loader->order == DLQ_ORDER_COMPLETION;
    bool owner = point->loader->assign == DLQ_ASSIGN_OWNER || completion;
    long server = owner ? state->flights[state->chosen].server : state->turn;
    size_t draw = at + (size_t)(state->dispatched - state->delivered);
    if (completion)
        dlq_heap_pop(state->finished, state->finished_count--);
    double credit = at_request(point) ? end : begin;
    if (point->loader->relay) {
        state->taken[state->delivered % point->prefetch] = begin;
        credit = state->slot = dlq_larger(state->moved, state->taken[(state->delivered + 1) % point->prefetch]);
    }
    state->delivered++;
    state->due = dlq_events_step(state->due, state->places);
    if (state->dispatched < state->batches)
        dispatch(state, block, draw, credit, server, state->chosen);
}

static void deliver(void *own, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct dlq_events *state = own;
    send_next(state, block, at, begin, end);
    /* The slowdown counts what is done until that batch arrives. */
    while (state->arrived < state->dispatched)
        if (!dlq_events_match(state))
            dlq_events_next(state);
}

/* -- a trainer that needs a core, too -- */

static double next_event(const struct dlq_events *state)
{
    double leaving = dlq_events_next_leave(state);
    bool arrival = state->arrived < state->dispatched;
    return arrival ? fmin(leaving, state->flights[state->arrivals[state->arrival_out]].arrival) : leaving;
}

/* When the trainer has done that work, from `begin` on: a customer of the cores beside the loads. */
static double work_on_core(struct dlq_events *state, double begin, double work)
{
    if (!(work > 0))
        return begin;
    while (dlq_events_match(state) || next_event(state) < begin)
        if (!dlq_events_match(state))
            dlq_events_next(state);
    state->now = begin;
    state->working = true;
    dlq_resource_enter(&state->resources[DLQ_USES_CPU], begin, work, begin + work, 1,
                       (struct dlq_slot){.number = LONG_MAX, .server = state->point->servers});
    while (state->working)
        if (!dlq_events_match(state))
            dlq_events_next(state);
    return state->now;
}

/* dlq_ranks_advance, but that a batch is dispatched before the step that it competes with; each rank has its own cores.
   Of a step that needs a core for a part of it, that part is its last. */
static void on_cores(struct dlq_ranks *ranks, const struct dlq_block *block, size_t n, double *delivered,
                     double *finished)
{
    const struct dlq_point *point = ranks->point;
    const size_t count = (size_t)point->ranks;
    for (size_t i = 0; i < n; i++) {
        double latest = 0, ended = 0, step = block->steps[i] * point->step_scale;
        double else_where = step * (1 - point->step_cpu) + (block->extras != NULL ? block->extras[i] : 0);
        for (size_t r = 0; r < count; r++) {
            struct dlq_events *state = ranks->states[r];
            const size_t at = r * block->stride + i;
            double ready = (state->log != NULL ? watched_next : next)(state, block, at, ranks->ended);
            double begin = dlq_larger(ranks->ended, ready) + point->receive * (1 - point->receive_cpu);
            begin = work_on_core(state, begin, point->receive * point->receive_cpu);
            ranks->delivered[r] = begin;
            latest = r == 0 ? begin : dlq_larger(latest, begin);
            if (!at_request(point))
                send_next(state, block, at, begin, NAN);
        }
        delivered[i] = latest + point->barrier;
        for (size_t r = 0; r < count; r++) {
            double end = work_on_core(ranks->states[r], delivered[i] + else_where, step * point->step_cpu);
            ended = dlq_larger(ended, end);
        }
        for (size_t r = 0; r < count && at_request(point); r++)
            send_next(ranks->states[r], block, r * block->stride + i, ranks->delivered[r], ended);
        finished[i] = ranks->ended = ended;
    }
}

static void slowdown(const void *own, double *cpu, double *storage)
{
    const struct dlq_events *state = own;
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
    .next = next,
    .deliver = deliver,
    .watch = watch,
    .slow = slow,
    .on_cores = on_cores,
    .watched = {watched_next, deliver},
    .ahead = ahead,
    .slowdown = slowdown,
    .needs_stages = true,
};
