/* Delivery in order of index: serial, round-robin, pool, relay. Every time is known as soon as the batch is reached. */
#include "sim/ranks_advance.h"
#include "sim/server_heap.h"

#include <stdlib.h>

/* The credits' ring holds what A_{i+K} will be: G_i, or F_i for release at request (then K + 1 places: A_i =
   F_{i-K-1}). An unbounded window is a ring of one place that keeps the start. */
struct by_index {
    const struct dlq_point *point;
    double *credits;
    long places, place;
    double *done;          /* round-robin: D of each server's last batch; relay: G of the last `prefetch` batches */
    struct dlq_slot *free; /* pool: when each server is free */
    long server;           /* round-robin: whose turn it is; relay: place in done */
    double moved;          /* relay: P of the last batch */
    bool begun;            /* serial: the epoch has */
    struct dlq_calendar *calendar; /* null: nothing slows the loads */
    struct dlq_kernel_log *log;    /* null: not watched */
};

static long ring_places(const struct dlq_point *point)
{
    if (point->window == DLQ_UNBOUNDED)
        return 1;
    return point->window + (point->loader->release == DLQ_RELEASE_REQUEST ? 1 : 0);
}

static void state_free(void *own)
{
    struct by_index *state = own;
    if (state == NULL)
        return;
    free(state->credits);
    free(state->done);
    free(state->free);
    free(state);
}

static void *state_new(const struct dlq_point *point)
{
    struct by_index *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    long done = point->servers > point->prefetch ? point->servers : point->prefetch;
    state->point = point;
    state->places = ring_places(point);
    state->credits = calloc((size_t)state->places, sizeof *state->credits);
    state->done = calloc((size_t)done, sizeof *state->done);
    state->free = calloc((size_t)point->servers, sizeof *state->free);
    if (state->credits != NULL && state->done != NULL && state->free != NULL)
        return state;
    state_free(state);
    return NULL;
}

static void state_epoch(void *own, double ready, const double *phase, long batches)
{
    struct by_index *state = own;
    (void)batches;
    for (long i = 0; i < state->places; i++)
        state->credits[i] = ready;
    for (long w = 0; w < state->point->servers; w++) {
        state->done[w] = ready + phase[w];
        dlq_heap_push(state->free, (size_t)w, (struct dlq_slot){.time = ready + phase[w], .number = w});
    }
    state->place = 0;
    state->server = 0;
    state->begun = false;
}

static void relay_epoch(void *own, double ready, const double *phase, long batches)
{
    struct by_index *state = own;
    state_epoch(state, ready, phase, batches);
    for (long i = 0; i < state->point->prefetch; i++)
        state->done[i] = ready;
    state->moved = ready;
}

static void watch(void *own, struct dlq_kernel_log *log)
{
    struct by_index *state = own;
    state->log = log;
}

/* The trainer takes each batch as soon as it is reached. No log where none is compiled in. */
static inline void note(struct dlq_kernel_log *log, double available, double start, double done, double ready,
                        long server)
{
    if (log == NULL)
        return;
    dlq_kernel_log_load(log, available, start, done, ready, server);
    log->taken = log->dispatched - 1;
}

static void slow(void *own, struct dlq_calendar *calendar)
{
    struct by_index *state = own;
    state->calendar = calendar;
}

static size_t nothing_ahead(const struct dlq_point *point)
{
    (void)point;
    return 0;
}

/* G_i = F_{i-1} + S_i + c */
static inline double serial(struct by_index *state, const struct dlq_block *block, size_t at, double ended,
                            struct dlq_kernel_log *log)
{
    double begin = ended;
    if (!state->begun)
        begin = dlq_larger(ended, state->credits[0]);
    state->begun = true;
    double done = dlq_load_end(state->point, state->calendar, block, at, begin, 0);
    note(log, begin, begin, done, done, 0);
    return done;
}

static void serial_deliver(void *own, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct by_index *state = own;
    (void)state;
    (void)block;
    (void)at;
    (void)begin;
    (void)end;
}

/* What the ring keeps of a batch. */
static inline double credit(const struct dlq_point *point, double kept, double delivered, double finished)
{
    if (point->window == DLQ_UNBOUNDED)
        return kept;
    return point->loader->release == DLQ_RELEASE_REQUEST ? finished : delivered;
}

/* Time that is left to a load, as if its server were not slow. */
static inline double slack_of(const struct dlq_point *point, double left, long server)
{
    return server < point->slow_servers ? left / point->slow_factor : left;
}

static inline long following(long place, long count)
{
    return place + 1 == count ? 0 : place + 1;
}

/* L_i = max(A_i + a, D_{i-N}), D_i = L_i + S_i, G_i = max(F_{i-1}, D_i + e) + c, F_i = G_i + T_i (theory 1) */
static inline double round_robin(struct by_index *state, const struct dlq_block *block, size_t at, double ended,
                                 struct dlq_kernel_log *log)
{
    const struct dlq_point *point = state->point;
    double *done = &state->done[state->server];
    double available = state->credits[state->place];
    double start = dlq_larger(available + point->dispatch, *done);
    if (block->slack != NULL)
        block->slack[at] = slack_of(point, ended - point->deliver - start, state->server);
    *done = dlq_load_end(point, state->calendar, block, at, start, state->server);
    note(log, available, start, *done, *done + point->deliver, state->server);
    state->server = following(state->server, point->servers);
    return *done + point->deliver;
}

/* Starts the next batch on the server that is free first; returns when it is done. Where slack is not null it is filled
   for a batch that is wanted at `due` (theory 3). */
static inline double pool_load(struct by_index *state, const struct dlq_block *block, size_t at, double available,
                               double due, double *slack, struct dlq_kernel_log *log)
{
    const struct dlq_point *point = state->point;
    struct dlq_slot first = state->free[0];
    double start = dlq_larger(available + point->dispatch, first.time);
    if (slack != NULL)
        *slack = slack_of(point, due - point->deliver - start, first.number);
    first.time = dlq_load_end(point, state->calendar, block, at, start, first.number);
    note(log, available, start, first.time, first.time + point->deliver, first.number);
    dlq_heap_down(state->free, (size_t)point->servers, 0, first);
    return first.time;
}

static inline double pool(struct by_index *state, const struct dlq_block *block, size_t at, double ended,
                          struct dlq_kernel_log *log)
{
    double *slack = block->slack != NULL ? &block->slack[at] : NULL;
    return pool_load(state, block, at, state->credits[state->place], ended, slack, log) + state->point->deliver;
}

static void deliver(void *own, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct by_index *state = own;
    (void)block;
    (void)at;
    double *place = &state->credits[state->place];
    *place = credit(state->point, *place, begin, end);
    state->place = following(state->place, state->places);
}

/* Q_j = max(P_{j-1}, G_{j-p}), P_j = max(Q_j, D_j + e), A_{j+N} = Q_j, G_j = max(F_{j-1}, P_j) + c (theory 4) */
static inline double relay(struct by_index *state, const struct dlq_block *block, size_t at, double ended,
                           struct dlq_kernel_log *log)
{
    const struct dlq_point *point = state->point;
    double *place = &state->credits[state->place];
    double taken = dlq_larger(state->moved, state->done[state->server]);
    double *slack = block->slack != NULL ? &block->slack[at] : NULL;
    double done = pool_load(state, block, at, *place, dlq_larger(ended, taken), slack, log);
    state->moved = dlq_larger(taken, done + point->deliver);
    if (log != NULL)
        log->batches[log->count - 1].ready = state->moved;
    if (point->window != DLQ_UNBOUNDED)
        *place = taken;
    state->place = following(state->place, state->places);
    return state->moved;
}

static void relay_deliver(void *own, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct by_index *state = own;
    (void)block;
    (void)at;
    (void)end;
    state->done[state->server] = begin;
    state->server = following(state->server, state->point->prefetch);
}

/* Each discipline with and without a log. */
#define NEXT(name)                                                                                                     \
    static double name##_next(void *own, const struct dlq_block *block, size_t at, double ended)                       \
    {                                                                                                                  \
        struct by_index *state = own;                                                                                  \
        return name(state, block, at, ended, NULL);                                                                    \
    }                                                                                                                  \
    static double name##_watched(void *own, const struct dlq_block *block, size_t at, double ended)                    \
    {                                                                                                                  \
        struct by_index *state = own;                                                                                  \
        return name(state, block, at, ended, state->log);                                                              \
    }

NEXT(serial)
NEXT(round_robin)
NEXT(pool)
NEXT(relay)

static void serial_alone(struct dlq_ranks *ranks, const struct dlq_block *block, size_t n, double *delivered,
                         double *finished)
{
    dlq_ranks_advance(ranks, 1, block, n, delivered, finished, serial_next, serial_deliver);
}

static void round_robin_alone(struct dlq_ranks *ranks, const struct dlq_block *block, size_t n, double *delivered,
                              double *finished)
{
    dlq_ranks_advance(ranks, 1, block, n, delivered, finished, round_robin_next, deliver);
}

static void pool_alone(struct dlq_ranks *ranks, const struct dlq_block *block, size_t n, double *delivered,
                       double *finished)
{
    dlq_ranks_advance(ranks, 1, block, n, delivered, finished, pool_next, deliver);
}

static void relay_alone(struct dlq_ranks *ranks, const struct dlq_block *block, size_t n, double *delivered,
                        double *finished)
{
    dlq_ranks_advance(ranks, 1, block, n, delivered, finished, relay_next, relay_deliver);
}

const struct dlq_kernel dlq_kernel_serial = {
    .name = "serial",
    .new = state_new,
    .free = state_free,
    .epoch = state_epoch,
    .next = serial_next,
    .deliver = serial_deliver,
    .watch = watch,
    .slow = slow,
    .watched = {serial_watched, serial_deliver},
    .alone = serial_alone,
    .ahead = nothing_ahead,
};

const struct dlq_kernel dlq_kernel_round_robin = {
    .name = "round-robin",
    .new = state_new,
    .free = state_free,
    .epoch = state_epoch,
    .next = round_robin_next,
    .deliver = deliver,
    .watch = watch,
    .slow = slow,
    .watched = {round_robin_watched, deliver},
    .alone = round_robin_alone,
    .ahead = nothing_ahead,
    .gives_slack = true,
};

const struct dlq_kernel dlq_kernel_pool = {
    .name = "pool",
    .new = state_new,
    .free = state_free,
    .epoch = state_epoch,
    .next = pool_next,
    .deliver = deliver,
    .watch = watch,
    .slow = slow,
    .watched = {pool_watched, deliver},
    .alone = pool_alone,
    .ahead = nothing_ahead,
    .gives_slack = true,
};

const struct dlq_kernel dlq_kernel_relay = {
    .name = "relay",
    .new = state_new,
    .free = state_free,
    .epoch = relay_epoch,
    .next = relay_next,
    .deliver = relay_deliver,
    .watch = watch,
    .slow = slow,
    .watched = {relay_watched, relay_deliver},
    .alone = relay_alone,
    .ahead = nothing_ahead,
    .gives_slack = true,
};
