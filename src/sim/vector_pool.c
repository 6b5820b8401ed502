/* Loaders that take the next batch from one queue: see recursion.c. Who is free first is the
   first of a sorted window of N times, into which the new one is put by a chain of minima and maxima. */
#include "sim/vector.h"

/* Replaces the first of the n ascending rows of a window by x. */
INLINE void replace_first(double *window, long n, const vector x[VECTORS])
{
    vector carry[VECTORS];
    EACH_VECTOR(v) carry[v] = x[v];
    for (const double *last = window + (n - 1) * DLQ_LANES; window < last; window += DLQ_LANES) {
        EACH_VECTOR(v)
        {
            vector above = load(window + DLQ_LANES, v);
            store(window, v, smaller(above, carry[v]));
            carry[v] = larger(above, x[v]);
        }
    }
    EACH_VECTOR(v) store(window, v, carry[v]);
}

/* By completion: the loads that begin with the epoch, one on each server. */
INLINE void open_completion(struct dlq_lane_state *state, const struct dlq_lane_block *block)
{
    const struct numbers made = numbers_of(state, block, false);
    const struct numbers *numbers = &made;
    if (state->dispatched > 0)
        return;
    for (; state->dispatched < state->server_rows; state->dispatched++) {
        EACH_VECTOR(v)
        {
            vector ready = load(state->credits, v);
            vector x = same(NEVER);
            if (state->dispatched < state->batches)
                x = load_from(numbers, ready, ready, block->loads + state->dispatched * DLQ_LANES, v);
            for (long k = 0; k < state->dispatched; k++) {
                vector other = load(state->servers + k * DLQ_LANES, v);
                store(state->servers + k * DLQ_LANES, v, smaller(other, x));
                x = larger(other, x);
            }
            store(state->servers + state->dispatched * DLQ_LANES, v, x);
        }
    }
}

/* The j-th batch delivered is the j-th load done. The server that did it starts batch j + N, which was dispatched when
   batch j + N - K was delivered. */
INLINE void completion(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                       const double *loads, const double *steps, enum dlq_lane_measure measure,
                       struct dlq_lane_record record)
{
    const bool at_request = state->point->loader->release == DLQ_RELEASE_REQUEST;
    const bool more = state->dispatched < state->batches, bounded = state->point->window != DLQ_UNBOUNDED;
    double *credits = state->credits + state->place * DLQ_LANES;
    const double *available = state->credits + state->slot * DLQ_LANES;
    vector next[VECTORS];
    EACH_VECTOR(v)
    {
        vector done = load(state->servers, v);
        vector begin = take(numbers, &sums[v], v, with(numbers, done, numbers->deliver), steps, measure, record.waits);
        if (bounded)
            store(credits, v, at_request ? sums[v].end : begin);
        next[v] = same(NEVER);
        if (more)
            next[v] = load_from(numbers, load(available, v), done, loads + state->server_rows * DLQ_LANES, v);
    }
    replace_first(state->servers, state->server_rows, next);
}

/* In order of index the server that is free first loads the batch that the trainer takes next, and wants at `due`. */
INLINE void load_in_order(struct dlq_lane_state *state, const struct numbers *numbers, const double *loads,
                          const vector due[VECTORS], vector done[VECTORS], double *slack)
{
    const double *available = state->credits + state->place * DLQ_LANES;
    EACH_VECTOR(v)
    {
        vector start = larger(with(numbers, load(available, v), numbers->dispatch), load(state->servers, v));
        if (slack != NULL)
            store(slack, v, (numbers->plain ? due[v] : due[v] - numbers->deliver) - start);
        done[v] = start + time_of_load(numbers, loads, v);
    }
    replace_first(state->servers, state->server_rows, done);
}

INLINE void ordered(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums, const double *loads,
                    const double *steps, enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const bool at_request = state->point->loader->release == DLQ_RELEASE_REQUEST;
    double *credits = state->credits + state->place * DLQ_LANES;
    vector due[VECTORS];
    vector done[VECTORS];
    EACH_VECTOR(v) due[v] = sums[v].end;
    load_in_order(state, numbers, loads, due, done, measure == DLQ_LANE_SERIES ? record.slack : NULL);
    EACH_VECTOR(v)
    {
        vector begin =
            take(numbers, &sums[v], v, with(numbers, done[v], numbers->deliver), steps, measure, record.waits);
        store(credits, v, at_request ? sums[v].end : begin);
    }
}

/* Q_j = max(P_{j-1}, G_{j-p}), P_j = max(Q_j, D_j + e), A_{j+N} = Q_j, G_j = max(F_{j-1}, P_j) + c */
INLINE void relay(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums, const double *loads,
                  const double *steps, enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    double *credits = state->credits + state->place * DLQ_LANES;
    double *buffer = state->buffer + state->slot * DLQ_LANES;
    vector taken[VECTORS];
    vector due[VECTORS];
    vector done[VECTORS];
    EACH_VECTOR(v)
    {
        taken[v] = larger(load(state->moved, v), load(buffer, v));
        due[v] = larger(sums[v].end, taken[v]);
    }
    load_in_order(state, numbers, loads, due, done, measure == DLQ_LANE_SERIES ? record.slack : NULL);
    EACH_VECTOR(v)
    {
        vector moved = larger(taken[v], with(numbers, done[v], numbers->deliver));
        store(state->moved, v, moved);
        store(credits, v, taken[v]);
        store(buffer, v, take(numbers, &sums[v], v, moved, steps, measure, record.waits));
    }
}

DEFINE_ADVANCE(advance_completion, open_completion, completion)
DEFINE_ADVANCE(advance_ordered, open_nothing, ordered)
DEFINE_ADVANCE(advance_relay, open_nothing, relay)

extern const dlq_lane_advances DLQ_FOR_SET(dlq_pool);
const dlq_lane_advances DLQ_FOR_SET(dlq_pool) = {
    [DLQ_BY_COMPLETION] = advance_completion, [DLQ_IN_ORDER] = advance_ordered, [DLQ_RELAYED] = advance_relay};
