/* Loaders with a queue of batches each, delivered by completion: see kernel_completion.c. Rows [w * p + k] are when the
   k-th oldest batch of loader w is done. */
#include "sim/vector.h"

/* K batches are dispatched with the epoch, to one loader after the other. */
INLINE void open(struct dlq_lane_state *state, const struct dlq_lane_block *block)
{
    const long depth = state->slots;
    const long servers = state->point->servers;
    const struct numbers made = numbers_of(state);
    const struct numbers *numbers = &made;
    if (state->dispatched > 0)
        return;
    for (; state->dispatched < state->server_rows; state->dispatched++) {
        long turn = state->dispatched / servers;
        double *row = state->servers + (state->dispatched % servers * depth + turn) * DLQ_LANES;
        EACH_VECTOR(v)
        {
            vector free_since = load(turn > 0 ? row - DLQ_LANES : row, v);
            vector done = same(NEVER);
            if (state->dispatched < state->batches)
                done = load_from(numbers, load(state->credits, v), free_since,
                                 block->loads + state->dispatched * DLQ_LANES, v);
            store(row, v, done);
        }
    }
}

/* The loader whose oldest batch was taken moves the others up and gets the next one, which is there at `available` and
   takes `time`. Equal times: the lowest loader. */
INLINE void refill(double *row, const double *last_row, const long depth, const vector first[VECTORS],
                   const vector available[VECTORS], const vector time[VECTORS])
{
    vector_mask left[VECTORS];
    EACH_VECTOR(v) left[v] = ~(vector_mask){0};
    for (; row < last_row; row += depth * DLQ_LANES) {
        EACH_VECTOR(v)
        {
            vector batch = load(row, v);
            vector_mask here = (batch == first[v]) & left[v];
            left[v] &= ~here;
            for (long k = 0; k + 1 < depth; k++) {
                vector younger = load(row + (k + 1) * DLQ_LANES, v);
                store(row + k * DLQ_LANES, v, choose(here, younger, batch));
                batch = younger;
            }
            store(row + (depth - 1) * DLQ_LANES, v, choose(here, larger(available[v], batch) + time[v], batch));
        }
    }
}

INLINE void owner_of_depth(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                           const double *loads, const double *steps, enum dlq_lane_measure measure, double *waits,
                           const long depth)
{
    const bool more = state->dispatched < state->batches;
    double *rows = state->servers;
    double *last_row = rows + state->server_rows * DLQ_LANES;
    vector first[VECTORS];
    vector available[VECTORS];
    vector time[VECTORS];
    loads += state->server_rows * DLQ_LANES;
    EACH_VECTOR(v) first[v] = load(rows, v);
    for (const double *row = rows + depth * DLQ_LANES; row < last_row; row += depth * DLQ_LANES)
        EACH_VECTOR(v) first[v] = smaller(first[v], load(row, v));
    EACH_VECTOR(v)
    {
        vector begin = take(numbers, &sums[v], v, first[v] + numbers->deliver, steps, measure, waits);
        available[v] = begin + numbers->dispatch;
        time[v] = more ? load(loads, v) * numbers->scale : same(NEVER);
    }
    refill(rows, last_row, depth, first, available, time);
}

#define DEPTH(depth)                                                                                                   \
    INLINE void owner_##depth(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,          \
                              const double *loads, const double *steps, enum dlq_lane_measure measure, double *waits)  \
    {                                                                                                                  \
        owner_of_depth(state, numbers, sums, loads, steps, measure, waits, depth);                                     \
    }                                                                                                                  \
    DEFINE_ADVANCE(queues_of_##depth, open, owner_##depth)
DEPTH(1)
DEPTH(2)
DEPTH(3)
DEPTH(4)

extern const dlq_lane_advances DLQ_FOR_SET(dlq_owner);
const dlq_lane_advances DLQ_FOR_SET(dlq_owner) = {queues_of_1, queues_of_2, queues_of_3, queues_of_4};
