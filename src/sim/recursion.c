/* Loads that do not depend on each other, one rank, batch by batch: every time is known as soon as a batch is reached.
   The disciplines in order of index (serial, round-robin, pool, relay), and those by completion. */
#include "sim/kernel.h"

struct recursion {
    struct dlq_loading rank;
    /* In order of index a ring of what A_{i+K} will be: G_i, F_i for release at request (then K + 1 places: A_i =
       F_{i-K-1}), Q_i of a relay. An unbounded window is a ring of one place that keeps the start. */
    double *credits;
    double *given;            /* relay: G of the last `prefetch` batches */
    long places, place, turn; /* in credits; whose turn it is, or of a relay the place in given */
    struct dlq_slot *free;    /* when each server is free; a pool's, as a heap */
    /* By completion: batches not yet delivered, a heap by D, then by index. With an unbounded window the servers never
       wait for the trainer: the next load starts where the last one ended, so those that matter are the N under way. */
    struct dlq_slot *outstanding;
    size_t count;
    long dispatched, batches, opening; /* of the epoch; opening: those that wait for their first dispatch */
    double ready, moved;               /* moved: of a relay, P of the last batch */
};

static size_t window_ahead(const struct dlq_point *point)
{
    return (size_t)(point->window == DLQ_UNBOUNDED ? point->servers : point->window + dlq_point_at_request(point));
}

static enum dlq_status recursion_begin(struct dlq_arena *arena, const struct dlq_point *point,
                                       struct dlq_loading **rank)
{
    const bool by_index = point->loader->order == DLQ_ORDER_INDEX;
    const size_t ahead = window_ahead(point);
    struct recursion *state;
    NEW(arena, state, 1);
    state->rank.point = point;
    state->places = by_index && point->window != DLQ_UNBOUNDED ? (long)ahead : 1;
    NEW(arena, state->credits, (size_t)state->places);
    NEW(arena, state->given, (size_t)point->prefetch + 1);
    NEW(arena, state->free, (size_t)point->servers);
    NEW(arena, state->outstanding, by_index ? 1 : ahead);
    *rank = &state->rank;
    return DLQ_OK;
}

static void recursion_epoch(struct dlq_loading *rank, double ready, const double *phase, long batches)
{
    struct recursion *state = (struct recursion *)rank;
    const struct dlq_point *point = rank->point;
    const long ahead = (long)window_ahead(point);
    for (long i = 0; i < state->places; i++)
        state->credits[i] = ready;
    for (long i = 0; i < point->prefetch; i++)
        state->given[i] = ready;
    for (long w = 0; w < point->servers; w++) {
        state->free[w] = (struct dlq_slot){.time = ready + phase[w], .number = w};
        if (dlq_point_is_pool(point))
            dlq_heap_push(state->free, (size_t)w, state->free[w]);
    }
    state->place = state->turn = state->dispatched = 0;
    state->count = 0;
    state->ready = state->moved = ready;
    state->batches = batches;
    state->opening = batches < ahead ? batches : ahead;
}

static inline long following(long place, long count)
{
    return place + 1 == count ? 0 : place + 1;
}

/* L = max(A + a, when the server is free), D = L + S. `server`: a pool's first is the one that is free first. Slack is
   that of a batch wanted at `due`. */
static inline double load(struct recursion *state, const struct dlq_block *block, size_t at, double available,
                          long server, double due)
{
    const struct dlq_point *point = state->rank.point;
    struct dlq_slot first = state->free[server];
    const double start = dlq_larger(available + point->dispatch, first.time), left = due - point->deliver - start;
    if (block->slack != NULL)
        block->slack[at] = first.number < point->slow_servers ? left / point->slow_factor : left;
    first.time = state->rank.calendar != NULL ? dlq_load_slowed(&state->rank, block, at, start, first.number)
                                              : start + dlq_load_time(point, block->loads[at], first.number);
    if (state->rank.log != NULL) {
        dlq_kernel_log_load(state->rank.log, available, start, first.time, first.time + point->deliver, first.number);
        state->rank.log->taken = state->rank.log->dispatched - 1; /* in order of index */
    }
    if (dlq_point_is_pool(point))
        dlq_heap_down(state->free, (size_t)point->servers, 0, first);
    else
        state->free[server] = first;
    return first.time;
}

/* -- in order of index -- */

/* G_i = F_{i-1} + S_i + c */
static double serial_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended)
{
    struct recursion *state = (struct recursion *)rank;
    return load(state, block, at, dlq_larger(ended, state->ready), 0, ended);
}

static void serial_deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin, double end)
{
    (void)rank, (void)block, (void)at, (void)begin, (void)end;
}

/* L_i = max(A_i + a, D_{i-N}), D_i = L_i + S_i, G_i = max(F_{i-1}, D_i + e) + c, F_i = G_i + T_i (theory 1) */
static double round_robin_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended)
{
    struct recursion *state = (struct recursion *)rank;
    double done = load(state, block, at, state->credits[state->place], state->turn, ended);
    state->turn = following(state->turn, rank->point->servers);
    return done + rank->point->deliver;
}

/* The same on the server that is free first (theory 3). */
static double pool_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended)
{
    struct recursion *state = (struct recursion *)rank;
    return load(state, block, at, state->credits[state->place], 0, ended) + rank->point->deliver;
}

static void deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct recursion *state = (struct recursion *)rank;
    (void)block, (void)at;
    if (rank->point->window != DLQ_UNBOUNDED)
        state->credits[state->place] = dlq_point_at_request(rank->point) ? end : begin;
    state->place = following(state->place, state->places);
}

/* Q_j = max(P_{j-1}, G_{j-p}), P_j = max(Q_j, D_j + e), A_{j+N} = Q_j, G_j = max(F_{j-1}, P_j) + c (theory 4) */
static double relay_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended)
{
    struct recursion *state = (struct recursion *)rank;
    double taken = dlq_larger(state->moved, state->given[state->turn]);
    double done = load(state, block, at, state->credits[state->place], 0, dlq_larger(ended, taken));
    state->moved = dlq_larger(taken, done + rank->point->deliver);
    if (rank->log != NULL)
        rank->log->batches[rank->log->count - 1].ready = state->moved;
    deliver(rank, block, at, taken, taken);
    return state->moved;
}

static void relay_deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct recursion *state = (struct recursion *)rank;
    (void)block, (void)at, (void)end;
    state->given[state->turn] = begin;
    state->turn = following(state->turn, rank->point->prefetch);
}

/* -- by completion: the trainer takes the smallest D of those outstanding -- */

/* The next batch, whose load the block has at `at`, goes to this server (a pool's: to the first) at `available`. */
static void dispatch(struct recursion *state, const struct dlq_block *block, size_t at, double available, long server)
{
    server = dlq_point_is_pool(state->rank.point) ? 0 : server;
    const long worker = state->free[server].number;
    double done = load(state, block, at, available, server, NAN);
    dlq_heap_push(state->outstanding, state->count++,
                  (struct dlq_slot){.time = done, .number = state->dispatched++, .server = worker});
}

static double completion_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended)
{
    struct recursion *state = (struct recursion *)rank;
    (void)ended;
    while (state->dispatched < state->opening)
        dispatch(state, block, at + state->count, state->ready, state->dispatched % rank->point->servers);
    return state->outstanding[0].time + rank->point->deliver;
}

static void completion_deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin,
                               double end)
{
    struct recursion *state = (struct recursion *)rank;
    const struct dlq_slot due = state->outstanding[0];
    const double credit = dlq_point_at_request(rank->point) ? end : begin;
    const size_t draw = at + state->count; /* behind those of the batches outstanding */
    dlq_heap_pop(state->outstanding, state->count--);
    if (state->dispatched < state->batches)
        dispatch(state, block, draw, rank->point->window == DLQ_UNBOUNDED ? state->ready : credit, due.server);
    if (rank->log != NULL)
        rank->log->taken = due.number;
}

#define ROW(name, next, deliver, ahead, gives_slack)                                                                   \
    const struct dlq_kernel dlq_kernel_##name = {#name,   recursion_begin, recursion_epoch, next,                      \
                                                 deliver, ahead,           false,           gives_slack};
ROW(serial, serial_next, serial_deliver, dlq_nothing_ahead, false)
ROW(round_robin, round_robin_next, deliver, dlq_nothing_ahead, true)
ROW(pool, pool_next, deliver, dlq_nothing_ahead, true)
ROW(relay, relay_next, relay_deliver, dlq_nothing_ahead, true)
ROW(completion, completion_next, completion_deliver, window_ahead, false)
