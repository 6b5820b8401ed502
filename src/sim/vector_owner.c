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

/* The first of the batches that are done: which loader's, and when that loader's youngest will be. Equal times: the
   lowest loader. */
struct found {
    vector first, youngest, loader; /* loader: its number */
};

INLINE struct found find_first(const double *row, const double *last_row, const long depth, int v)
{
    const double *youngest = row + (depth - 1) * DLQ_LANES;
    struct found found = {.first = load(row, v), .youngest = load(youngest, v)};
    vector loader = {0};
    for (row += depth * DLQ_LANES; row < last_row; row += depth * DLQ_LANES) {
        vector oldest = load(row, v);
        vector_mask earlier = oldest < found.first;
        loader += 1;
        youngest += depth * DLQ_LANES;
        found.first = smaller(oldest, found.first);
        found.youngest = choose(earlier, load(youngest, v), found.youngest);
        found.loader = choose(earlier, loader, found.loader);
    }
    return found;
}

/* The loader whose batch was taken moves the others up and gets the next one. */
INLINE void refill(double *row, const double *last_row, const long depth, int v, vector taken, vector next)
{
    vector loader = {0};
    for (; row < last_row; row += depth * DLQ_LANES) {
        vector_mask here = loader == taken;
        vector batch = load(row, v);
        for (long k = 0; k + 1 < depth; k++) {
            vector younger = load(row + (k + 1) * DLQ_LANES, v);
            store(row + k * DLQ_LANES, v, choose(here, younger, batch));
            batch = younger;
        }
        store(row + (depth - 1) * DLQ_LANES, v, choose(here, next, batch));
        loader += 1;
    }
}

INLINE void owner_of_depth(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                           const double *loads, const double *steps, enum dlq_lane_measure measure,
                           struct dlq_lane_record record, const long depth)
{
    const bool more = state->dispatched < state->batches;
    double *rows = state->servers;
    double *last_row = rows + state->server_rows * DLQ_LANES;
    loads += state->server_rows * DLQ_LANES;
    EACH_VECTOR(v)
    {
        struct found found = find_first(rows, last_row, depth, v);
        vector begin = take(numbers, &sums[v], v, found.first + numbers->deliver, steps, measure, record.waits);
        vector next = more ? load_from(numbers, begin, found.youngest, loads, v) : same(NEVER);
        refill(rows, last_row, depth, v, found.loader, next);
    }
}

#define DEPTH(depth)                                                                                                   \
    INLINE void owner_##depth(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,          \
                              const double *loads, const double *steps, enum dlq_lane_measure measure,                 \
                              struct dlq_lane_record record)                                                           \
    {                                                                                                                  \
        owner_of_depth(state, numbers, sums, loads, steps, measure, record, depth);                                    \
    }                                                                                                                  \
    DEFINE_ADVANCE(queues_of_##depth, open, owner_##depth)
DEPTH(1)
DEPTH(2)
DEPTH(3)
DEPTH(4)

extern const dlq_lane_advances DLQ_FOR_SET(dlq_owner);
const dlq_lane_advances DLQ_FOR_SET(dlq_owner) = {queues_of_1, queues_of_2, queues_of_3, queues_of_4};
