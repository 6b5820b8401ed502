/* Delivery in order of completion: pool and owner. The trainer takes the smallest D among the batches outstanding. */
#include "sim/ranks_advance.h"
#include "sim/server_heap.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* With an unbounded window the servers never wait for the trainer: the next load starts where the last one ended, so
   the batches outstanding that matter are the N under way, and completions come out sorted. */
struct completion {
    const struct dlq_point *point;
    struct dlq_slot *outstanding; /* by D, then by index; owner: [servers][depth] rings, as each ends in turn */
    struct dlq_slot *free;        /* when each server is free; owner: indexed by server, no heap */
    struct dlq_slot *heads;       /* owner: [leaves] the first of each ring; of none: never */
    uint32_t *winners;            /* owner: [2 leaves] a tree over the servers: whose head is first; [1]: of all */
    size_t *first_of, *held;      /* owner: of each ring */
    size_t depth, leaves;
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

static void state_free(void *own)
{
    struct completion *state = own;
    if (state == NULL)
        return;
    free(state->outstanding);
    free(state->free);
    free(state->heads);
    free(state->winners);
    free(state->first_of);
    free(state);
}

/* False: no memory. */
static bool rings_begin(struct completion *state)
{
    size_t servers = (size_t)state->point->servers;
    state->depth = (state->places + servers - 1) / servers;
    for (state->leaves = 1; state->leaves < servers;)
        state->leaves *= 2;
    state->outstanding = calloc(servers * state->depth, sizeof *state->outstanding);
    state->heads = calloc(state->leaves, sizeof *state->heads);
    state->winners = calloc(2 * state->leaves, sizeof *state->winners);
    state->first_of = calloc(2 * servers, sizeof *state->first_of);
    if (state->first_of != NULL)
        state->held = state->first_of + servers;
    return state->heads != NULL && state->winners != NULL && state->first_of != NULL;
}

static const struct dlq_slot never = {.time = INFINITY, .number = LONG_MAX};

static void rings_empty(struct completion *state)
{
    memset(state->held, 0, (size_t)state->point->servers * sizeof *state->held);
    for (size_t w = 0; w < state->leaves; w++) {
        state->heads[w] = never;
        state->winners[state->leaves + w] = (uint32_t)w;
    }
    for (size_t node = state->leaves; --node > 0;)
        state->winners[node] = state->winners[2 * node];
}

/* Times are never negative: their bits have their order, and integers can be chosen without a branch, which could not
   be foretold. */
static inline int64_t bits_of(double time)
{
    int64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

/* The head of a ring has changed: the matches on its way to the root are played again. */
static inline void settle(struct completion *state, size_t server)
{
    int64_t time = bits_of(state->heads[server].time), number = state->heads[server].number;
    size_t winner = server;
    for (size_t node = state->leaves + server; node > 1; node /= 2) {
        size_t other = state->winners[node ^ 1];
        int64_t other_time = bits_of(state->heads[other].time), other_number = state->heads[other].number;
        int64_t earlier = -(int64_t)((other_time < time) | ((other_time == time) & (other_number < number)));
        time ^= (time ^ other_time) & earlier;
        number ^= (number ^ other_number) & earlier;
        winner ^= (winner ^ other) & (size_t)earlier;
        state->winners[node / 2] = (uint32_t)winner;
    }
}

static inline void ring_push(struct completion *state, struct dlq_slot batch)
{
    size_t server = (size_t)batch.server, place = state->first_of[server] + state->held[server]++;
    state->outstanding[server * state->depth + (place < state->depth ? place : place - state->depth)] = batch;
    if (state->held[server] == 1)
        state->heads[server] = batch;
    settle(state, server);
}

static inline void ring_pop(struct completion *state, size_t server)
{
    size_t next = state->first_of[server] + 1 < state->depth ? state->first_of[server] + 1 : 0;
    state->first_of[server] = next;
    state->heads[server] = --state->held[server] > 0 ? state->outstanding[server * state->depth + next] : never;
}

/* The batch that is delivered next. */
static inline const struct dlq_slot *due(const struct completion *state)
{
    return is_owner(state->point) ? &state->heads[state->winners[1]] : &state->outstanding[0];
}

static void *state_new(const struct dlq_point *point)
{
    struct completion *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->point = point;
    state->places = outstanding_places(point);
    bool begun = true;
    if (is_owner(point))
        begun = rings_begin(state);
    else
        state->outstanding = calloc(state->places, sizeof *state->outstanding);
    state->free = calloc((size_t)point->servers, sizeof *state->free);
    if (begun && state->outstanding != NULL && state->free != NULL)
        return state;
    state_free(state);
    return NULL;
}

static void state_epoch(void *own, double ready, const double *phase, long batches)
{
    struct completion *state = own;
    for (long w = 0; w < state->point->servers; w++) {
        struct dlq_slot slot = {.time = ready + phase[w], .number = w};
        if (is_owner(state->point))
            state->free[w] = slot;
        else
            dlq_heap_push(state->free, (size_t)w, slot);
    }
    if (is_owner(state->point))
        rings_empty(state);
    state->count = 0;
    state->left = batches;
    state->dispatched = 0;
    state->ready = ready;
    state->first = batches < (long)state->places ? batches : (long)state->places;
}

static void watch(void *own, struct dlq_kernel_log *log)
{
    struct completion *state = own;
    state->log = log;
}

/* Sends the next batch, whose load the block has at `at`, to a server (owner: this one; pool: the one free first) at
   time `available`. */
static inline void dispatch(struct completion *state, const struct dlq_block *block, size_t at, double available,
                            long server, struct dlq_kernel_log *log)
{
    const struct dlq_point *point = state->point;
    struct dlq_slot slot = state->free[is_owner(point) ? server : 0];
    double start = available + point->dispatch > slot.time ? available + point->dispatch : slot.time;
    slot.time = dlq_load_end(point, state->calendar, block, at, start, slot.number);
    if (log != NULL)
        dlq_kernel_log_load(log, available, start, slot.time, slot.time + point->deliver, slot.number);
    struct dlq_slot batch = {.time = slot.time, .number = state->dispatched++, .server = slot.number};
    if (is_owner(point)) {
        state->free[server] = slot;
        ring_push(state, batch);
    } else {
        dlq_heap_down(state->free, (size_t)point->servers, 0, slot);
        dlq_heap_push(state->outstanding, state->count, batch);
    }
    state->count++;
    state->left--;
}

static inline double next_with(struct completion *state, const struct dlq_block *block, size_t at,
                               struct dlq_kernel_log *log)
{
    for (; state->first > 0; state->first--)
        dispatch(state, block, at + state->count, state->ready, state->dispatched % state->point->servers, log);
    return due(state)->time + state->point->deliver;
}

static inline void deliver_with(struct completion *state, const struct dlq_block *block, size_t at, double begin,
                                double end, struct dlq_kernel_log *log)
{
    const struct dlq_point *point = state->point;
    long server = due(state)->server;
    double credit = at_request(point) ? end : begin;
    const size_t draw = at + state->count; /* behind those of the batches outstanding */
    if (log != NULL)
        log->taken = due(state)->number;
    if (is_owner(point))
        ring_pop(state, (size_t)server);
    else
        dlq_heap_pop(state->outstanding, state->count);
    state->count--;
    if (state->left == 0 && is_owner(point))
        settle(state, (size_t)server);
    if (state->left > 0)
        dispatch(state, block, draw, point->window == DLQ_UNBOUNDED ? state->ready : credit, server, log);
}

static double next(void *own, const struct dlq_block *block, size_t at, double ended)
{
    struct completion *state = own;
    (void)ended;
    return next_with(state, block, at, NULL);
}

static void deliver(void *own, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct completion *state = own;
    deliver_with(state, block, at, begin, end, NULL);
}

static double watched_next(void *own, const struct dlq_block *block, size_t at, double ended)
{
    struct completion *state = own;
    (void)ended;
    return next_with(state, block, at, state->log);
}

static void watched_deliver(void *own, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct completion *state = own;
    deliver_with(state, block, at, begin, end, state->log);
}

static void alone(struct dlq_ranks *ranks, const struct dlq_block *block, size_t n, double *delivered, double *finished)
{
    dlq_ranks_advance(ranks, 1, block, n, delivered, finished, next, deliver);
}

static void slow(void *own, struct dlq_calendar *calendar)
{
    struct completion *state = own;
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
