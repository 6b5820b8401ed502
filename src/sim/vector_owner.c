/* Loaders with a short queue of batches each, delivered in order of completion. All loaders are alike, so they are kept
   sorted by when their oldest batch is done. Row [k * depth + j]: when the j-th oldest batch of the k-th loader is done
   (D); depth <= DLQ_LANE_VARIANTS: batches of a loader. */
#include "sim/vector.h"

/* A step of the insertion of `loader` into the sorted loaders: decides which loader gets the place at `row`. A loader
   is given by its batches, and compared by its oldest one. present: the loader that was at the place before the
   insertion (is_free: none). If the loader of the next place is no later than `loader`, it moves to this place; else
   `loader` gets the place if it is no earlier than `present`; else `present` stays. On return `present` is the loader
   that was at the next place. */
INLINE void settle(double *row, const long depth, int v, const vector *loader, vector *present, const bool is_free)
{
    const double *next_row = row + depth * DLQ_LANES;
    vector oldest = load(next_row, v);
    vector_mask earlier = oldest <= loader[0];
    vector_mask before = present[0] <= loader[0];
    for (long j = 1; j < depth; j++) {
        vector next = load(next_row + j * DLQ_LANES, v);
        vector stays = is_free ? loader[j] : choose(before, loader[j], present[j]);
        store(row + j * DLQ_LANES, v, choose(earlier, next, stays));
        present[j] = next;
    }
    store(row, v, smaller(oldest, is_free ? loader[0] : larger(present[0], loader[0])));
    present[0] = oldest;
}

/* Inserts a loader into the sorted loaders, whose places begin at `row`; the first place is free. */
INLINE void insert(double *row, long loaders, const long depth, int v, const vector *loader)
{
    vector present[DLQ_LANE_VARIANTS] = {{0}};
    if (loaders == 1) {
        for (long j = 0; j < depth; j++)
            store(row + j * DLQ_LANES, v, loader[j]);
        return;
    }
    settle(row, depth, v, loader, present, true);
    row += depth * DLQ_LANES;
    for (long k = 2; k < loaders; k++, row += depth * DLQ_LANES)
        settle(row, depth, v, loader, present, false);
    vector_mask before = present[0] <= loader[0];
    for (long j = 0; j < depth; j++)
        store(row + j * DLQ_LANES, v, choose(before, loader[j], present[j]));
}

/* Dispatches the first window of batches of an epoch, to one loader after the other. On entry the rows have the time
   from which on each loader is free. Not inlined into the loop of each depth and measure, which took gcc a quarter of
   the time to compile this file. */
static __attribute__((noinline)) void open_queues_of(const struct dlq_lane_state *state, const struct numbers *numbers,
                                                     double *rows, const double *loads)
{
    const long depth = state->slots;
    const long loaders = state->point->servers;
    const double *ready = rows + state->server_rows * DLQ_LANES;
    /* The last loader is inserted first, so that the places above each loader are sorted. Loaders without a batch in
       the epoch are all alike. Not unrolled: this runs once an epoch. */
    for (long w = loaders - 1; w >= 0; w--) {
        double *place = rows + w * depth * DLQ_LANES;
        for (int v = 0; v < VECTORS; v++) {
            vector queue[DLQ_LANE_VARIANTS] = {{0}};
            vector free_since = load(place, v);
            for (long j = 0; j < depth; j++) {
                const double *draw = loads + (j * loaders + w) * DLQ_LANES;
                free_since = j * loaders + w < state->batches ? load_from(numbers, load(ready, v), free_since, draw, v)
                                                              : splat(NEVER);
                queue[j] = free_since;
            }
            insert(place, w < state->batches ? loaders - w : 1, depth, v, queue);
        }
    }
}

INLINE void open_queues(struct dlq_lane_state *state, const struct dlq_block *block)
{
    struct numbers numbers = numbers_of(state, block, false);
    if (state->dispatched > 0)
        return;
    for (long rank = 0; rank < state->point->ranks; rank++) {
        numbers.scale = splat(dlq_load_scale(state->point, rank));
        open_queues_of(state, &numbers, dlq_rank_rows(state, rank), block->loads + (size_t)rank * block->rank_stride);
    }
    state->dispatched = state->server_rows;
}

/* Each rank receives the batch that is done first, and the step begins when the last rank has. */
INLINE void owner_of_depth(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                           const double *loads, const double *steps, enum dlq_lane_measure measure,
                           struct dlq_lane_record record, const long depth)
{
    const struct dlq_point *point = state->point;
    const bool more = state->dispatched < state->batches;
    struct numbers of_rank = *numbers;
    double *rows = state->servers;
    vector latest[VECTORS] = {{0}};
    loads += state->server_rows * DLQ_LANES;
    for (long rank = 0; rank < point->ranks; rank++) {
        of_rank.scale = splat(dlq_load_scale(point, rank));
        /* Not unrolled: the loop over the loaders is longer than the body around it. */
        for (int v = 0; v < VECTORS; v++) {
            vector queue[DLQ_LANE_VARIANTS] = {{0}};
            vector ready = plus(&of_rank, load(rows, v), of_rank.deliver);
            vector youngest = load(rows + (depth - 1) * DLQ_LANES, v);
            vector begin = plus(&of_rank, larger(sums[v].end, ready), of_rank.receive);
            latest[v] = larger(latest[v], ready);
            for (long j = 0; j + 1 < depth; j++)
                queue[j] = load(rows + (j + 1) * DLQ_LANES, v);
            queue[depth - 1] = more ? load_from(&of_rank, begin, youngest, loads, v) : splat(NEVER);
            insert(rows, point->servers, depth, v, queue);
        }
        rows += (state->server_rows + state->places) * DLQ_LANES;
        loads += numbers->rank_stride;
    }
    EACH_VECTOR(v) deliver_and_step(numbers, &sums[v], v, latest[v], steps, measure, record.waits);
}

#define DEPTH(depth)                                                                                                   \
    INLINE void owner_##depth(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,          \
                              const double *loads, const double *steps, enum dlq_lane_measure measure,                 \
                              struct dlq_lane_record record)                                                           \
    {                                                                                                                  \
        owner_of_depth(state, numbers, sums, loads, steps, measure, record, depth);                                    \
    }                                                                                                                  \
    DEFINE_ADVANCE(queues_of_##depth, open_queues, owner_##depth)
DEPTH(1)
DEPTH(2)
DEPTH(3)
DEPTH(4)

const dlq_lane_advances DLQ_FOR_SET(dlq_owner) = {queues_of_1, queues_of_2, queues_of_3, queues_of_4};
