/* Delivery in order of index: serial, round-robin, pool, relay. Every time is known as soon as the batch is reached. */
#include "sim/kernel.h"
#include "sim/server_heap.h"

#include <stdlib.h>

/* The credits' ring holds what A_{i+K} will be: G_i, or F_i for release at request (then K + 1 places: A_i =
   F_{i-K-1}). An unbounded window is a ring of one place that keeps the start. */
struct dlq_kernel_state {
    const struct dlq_point *point;
    double *credits;
    long places, place;
    double *done;          /* round-robin: D of each server's last batch; relay: G of the last `prefetch` batches */
    struct dlq_slot *free; /* pool: when each server is free */
    long server;           /* round-robin: whose turn it is; relay: place in done */
    double moved;          /* relay: P of the batch before */
    double finished;       /* F of the step before */
};

static long ring_places(const struct dlq_point *point)
{
    if (point->window == DLQ_UNBOUNDED)
        return 1;
    return point->window + (point->loader->release == DLQ_RELEASE_REQUEST ? 1 : 0);
}

static void state_free(struct dlq_kernel_state *state)
{
    if (state == NULL)
        return;
    free(state->credits);
    free(state->done);
    free(state->free);
    free(state);
}

static struct dlq_kernel_state *state_new(const struct dlq_point *point)
{
    struct dlq_kernel_state *state = calloc(1, sizeof *state);
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

static void state_reset(struct dlq_kernel_state *state)
{
    state->finished = 0;
}

static void state_epoch(struct dlq_kernel_state *state, double ready, const double *phase, long batches)
{
    (void)batches;
    for (long i = 0; i < state->places; i++)
        state->credits[i] = ready;
    for (long w = 0; w < state->point->servers; w++) {
        state->done[w] = ready + phase[w];
        dlq_heap_push(state->free, (size_t)w, (struct dlq_slot){.time = ready + phase[w], .number = w});
    }
    state->place = 0;
    state->server = 0;
}

static void relay_epoch(struct dlq_kernel_state *state, double ready, const double *phase, long batches)
{
    state_epoch(state, ready, phase, batches);
    for (long i = 0; i < state->point->prefetch; i++)
        state->done[i] = ready;
    state->moved = ready;
}

static size_t nothing_ahead(const struct dlq_point *point)
{
    (void)point;
    return 0;
}

/* G_i = F_{i-1} + S_i + c */
static void serial_advance(struct dlq_kernel_state *state, const struct dlq_block *block, size_t n, double *delivered,
                           double *finished)
{
    const struct dlq_point *point = state->point;
    double end = fmax(state->finished, state->credits[0]);
    for (size_t i = 0; i < n; i++) {
        double begin = end + dlq_load_time(point, block->loads[i], 0) + point->receive;
        end = begin + block->steps[i] * point->step_scale;
        delivered[i] = begin;
        finished[i] = end;
    }
    state->finished = end;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
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

/* L_i = max(A_i + a, D_{i-N}), D_i = L_i + S_i, G_i = max(F_{i-1}, D_i + e) + c, F_i = G_i + T_i */
static void round_robin_advance(struct dlq_kernel_state *state, const struct dlq_block *block, size_t n,
                                double *delivered, double *finished)
{
    const struct dlq_point *point = state->point;
    double *credits = state->credits;
    double *done = state->done;
    double end = state->finished;
    long place = state->place;
    long server = state->server;
    for (size_t i = 0; i < n; i++) {
        double start = larger(credits[place] + point->dispatch, done[server]);
        if (block->slack != NULL)
            block->slack[i] = slack_of(point, end - point->deliver - start, server);
        done[server] = start + dlq_load_time(point, block->loads[i], server);
        double begin = larger(end, done[server] + point->deliver) + point->receive;
        end = begin + block->steps[i] * point->step_scale;
        credits[place] = credit(point, credits[place], begin, end);
        place = place + 1 == state->places ? 0 : place + 1;
        server = server + 1 == point->servers ? 0 : server + 1;
        delivered[i] = begin;
        finished[i] = end;
    }
    state->finished = end;
    state->place = place;
    state->server = server;
}

/* Starts the next batch on the server that is free first; returns when it is done. Where slack is not null it is filled
   for a batch that is wanted at `due`. */
static inline double pool_load(struct dlq_kernel_state *state, double available, double draw, double due, double *slack)
{
    const struct dlq_point *point = state->point;
    struct dlq_slot first = state->free[0];
    double start = larger(available + point->dispatch, first.time);
    if (slack != NULL)
        *slack = slack_of(point, due - point->deliver - start, first.number);
    first.time = start + dlq_load_time(point, draw, first.number);
    dlq_heap_down(state->free, (size_t)point->servers, 0, first);
    return first.time;
}

static void pool_advance(struct dlq_kernel_state *state, const struct dlq_block *block, size_t n, double *delivered,
                         double *finished)
{
    const struct dlq_point *point = state->point;
    double end = state->finished;
    for (size_t i = 0; i < n; i++) {
        double *place = &state->credits[state->place];
        double done = pool_load(state, *place, block->loads[i], end, block->slack == NULL ? NULL : &block->slack[i]);
        double begin = larger(end, done + point->deliver) + point->receive;
        end = begin + block->steps[i] * point->step_scale;
        *place = credit(point, *place, begin, end);
        state->place = state->place + 1 == state->places ? 0 : state->place + 1;
        delivered[i] = begin;
        finished[i] = end;
    }
    state->finished = end;
}

/* Q_j = max(P_{j-1}, G_{j-p}), P_j = max(Q_j, D_j + e), A_{j+N} = Q_j, G_j = max(F_{j-1}, P_j) + c */
static void relay_advance(struct dlq_kernel_state *state, const struct dlq_block *block, size_t n, double *delivered,
                          double *finished)
{
    const struct dlq_point *point = state->point;
    double end = state->finished;
    for (size_t i = 0; i < n; i++) {
        double *place = &state->credits[state->place];
        double *buffer = &state->done[state->server];
        double taken = larger(state->moved, *buffer);
        double *slack = block->slack == NULL ? NULL : &block->slack[i];
        double done = pool_load(state, *place, block->loads[i], larger(end, taken), slack);
        state->moved = larger(taken, done + point->deliver);
        if (point->window != DLQ_UNBOUNDED)
            *place = taken;
        *buffer = larger(end, state->moved) + point->receive;
        end = *buffer + block->steps[i] * point->step_scale;
        delivered[i] = *buffer;
        finished[i] = end;
        state->place = state->place + 1 == state->places ? 0 : state->place + 1;
        state->server = state->server + 1 == point->prefetch ? 0 : state->server + 1;
    }
    state->finished = end;
}

const struct dlq_kernel dlq_kernel_serial = {
    .name = "serial",
    .new = state_new,
    .free = state_free,
    .reset = state_reset,
    .epoch = state_epoch,
    .advance = serial_advance,
    .ahead = nothing_ahead,
};

const struct dlq_kernel dlq_kernel_round_robin = {
    .name = "round-robin",
    .new = state_new,
    .free = state_free,
    .reset = state_reset,
    .epoch = state_epoch,
    .advance = round_robin_advance,
    .ahead = nothing_ahead,
    .gives_slack = true,
};

const struct dlq_kernel dlq_kernel_pool = {
    .name = "pool",
    .new = state_new,
    .free = state_free,
    .reset = state_reset,
    .epoch = state_epoch,
    .advance = pool_advance,
    .ahead = nothing_ahead,
    .gives_slack = true,
};

const struct dlq_kernel dlq_kernel_relay = {
    .name = "relay",
    .new = state_new,
    .free = state_free,
    .reset = state_reset,
    .epoch = relay_epoch,
    .advance = relay_advance,
    .ahead = nothing_ahead,
    .gives_slack = true,
};
