/* Delivery in order of completion: pool and owner. The trainer takes the smallest D among the batches outstanding. */
#include "sim/ranks_advance.h"
#include "sim/server_heap.h"

#include <stdlib.h>

/* With an unbounded window the servers never wait for the trainer: the next load starts where the last one ended, so
   the batches outstanding that matter are the N under way, and completions come out sorted. */
struct dlq_kernel_state {
    const struct dlq_point *point;
    struct dlq_slot *outstanding; /* by D, then by index */
    struct dlq_slot *free;        /* when each server is free; owner: indexed by server, no heap */
    size_t count, places;
    long left, dispatched; /* of the epoch */
    double ready;
    long first;                    /* batches that wait for their first dispatch */
    struct dlq_kernel_log *log;    /* null: not watched */
    struct dlq_calendar *calendar; /* null: nothing slows the loads */
};

static bool is_owner(const struct dlq_point *point)
{
    return point->loader->assign != DLQ_ASSIGN_POOL;
}

static bool at_request(const struct dlq_point *point)
{
    return point->loader->release == DLQ_RELEASE_REQUEST;
}

static size_t outstanding_places(const struct dlq_point *point)
{
    return (size_t)(point->window == DLQ_UNBOUNDED ? point->servers : point->window + (at_request(point) ? 1 : 0));
}

static void state_free(struct dlq_kernel_state *state)
{
    if (state == NULL)
        return;
    free(state->outstanding);
    free(state->free);
    free(state);
}

static struct dlq_kernel_state *state_new(const struct dlq_point *point)
{
    struct dlq_kernel_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->point = point;
    state->places = outstanding_places(point);
    state->outstanding = calloc(state->places, sizeof *state->outstanding);
    state->free = calloc((size_t)point->servers, sizeof *state->free);
    if (state->outstanding != NULL && state->free != NULL)
        return state;
    state_free(state);
    return NULL;
}

static void state_epoch(struct dlq_kernel_state *state, double ready, const double *phase, long batches)
{
    for (long w = 0; w < state->point->servers; w++) {
        struct dlq_slot slot = {.time = ready + phase[w], .number = w};
        if (is_owner(state->point))
            state->free[w] = slot;
        else
            dlq_heap_push(state->free, (size_t)w, slot);
    }
    state->count = 0;
    state->left = batches;
    state->dispatched = 0;
    state->ready = ready;
    state->first = batches < (long)state->places ? batches : (long)state->places;
}

static void watch(struct dlq_kernel_state *state, struct dlq_kernel_log *log)
{
    state->log = log;
}

/* Sends the next batch, whose load the block has at `at`, to a server (owner: this one; pool: the one free first) at
   time `available`. */
static inline void dispatch(struct dlq_kernel_state *state, const struct dlq_block *block, size_t at, double available,
                            long server, struct dlq_kernel_log *log)
{
    const struct dlq_point *point = state->point;
    struct dlq_slot slot = state->free[is_owner(point) ? server : 0];
    double start = available + point->dispatch > slot.time ? available + point->dispatch : slot.time;
    slot.time = dlq_load_end(point, state->calendar, block, at, start, slot.number);
    if (log != NULL)
        dlq_kernel_log_load(log, available, start, slot.time, slot.time + point->deliver, slot.number);
    if (is_owner(point))
        state->free[server] = slot;
    else
        dlq_heap_down(state->free, (size_t)point->servers, 0, slot);
    struct dlq_slot batch = {.time = slot.time, .number = state->dispatched++, .server = slot.number};
    dlq_heap_push(state->outstanding, state->count++, batch);
    state->left--;
}

static inline double next_with(struct dlq_kernel_state *state, const struct dlq_block *block, size_t at,
                               struct dlq_kernel_log *log)
{
    for (; state->first > 0; state->first--)
        dispatch(state, block, at + state->count, state->ready, state->dispatched % state->point->servers, log);
    return state->outstanding[0].time + state->point->deliver;
}

static inline void deliver_with(struct dlq_kernel_state *state, const struct dlq_block *block, size_t at, double begin,
                                double end, struct dlq_kernel_log *log)
{
    const struct dlq_point *point = state->point;
    long server = state->outstanding[0].server;
    double credit = at_request(point) ? end : begin;
    const size_t draw = at + state->count; /* behind those of the batches outstanding */
    if (log != NULL)
        log->taken = state->outstanding[0].number;
    dlq_heap_pop(state->outstanding, state->count--);
    if (state->left > 0)
        dispatch(state, block, draw, point->window == DLQ_UNBOUNDED ? state->ready : credit, server, log);
}

static double next(struct dlq_kernel_state *state, const struct dlq_block *block, size_t at, double ended)
{
    (void)ended;
    return next_with(state, block, at, NULL);
}

static void deliver(struct dlq_kernel_state *state, const struct dlq_block *block, size_t at, double begin, double end)
{
    deliver_with(state, block, at, begin, end, NULL);
}

static double watched_next(struct dlq_kernel_state *state, const struct dlq_block *block, size_t at, double ended)
{
    (void)ended;
    return next_with(state, block, at, state->log);
}

static void watched_deliver(struct dlq_kernel_state *state, const struct dlq_block *block, size_t at, double begin,
                            double end)
{
    deliver_with(state, block, at, begin, end, state->log);
}

static void alone(struct dlq_ranks *ranks, const struct dlq_block *block, size_t n, double *delivered, double *finished)
{
    dlq_ranks_advance(ranks, 1, block, n, delivered, finished, next, deliver);
}

static void slow(struct dlq_kernel_state *state, struct dlq_calendar *calendar)
{
    state->calendar = calendar;
}

static size_t ahead(const struct dlq_point *point)
{
    return outstanding_places(point);
}

const struct dlq_kernel dlq_kernel_completion = {
    .name = "completion",
    .new = state_new,
    .free = state_free,
    .epoch = state_epoch,
    .next = next,
    .deliver = deliver,
    .watch = watch,
    .slow = slow,
    .watched = {watched_next, watched_deliver},
    .alone = alone,
    .ahead = ahead,
};
