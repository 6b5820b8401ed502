/* Loaders that share one queue (a pool): the loader that is free first loads the next batch. The times at which loaders
   become free are kept sorted, and a new time is inserted by a chain of minima and maxima. With many loaders each lane
   has a tree of blocks of eight times instead: an entry of an inner block is the least of the block below. */
#include "sim/vector.h"

/* The blocks of a lane lie one after the other; the block below entry i has the entries from 8 (i + 1) on. The eight
   entries of the root are rows 1 to 8 of `servers`; row 0 is the least of them. */
enum { FAN = DLQ_TREE_FAN };

/* The first entry equal to x, which must exist. */
static inline size_t find_entry(const double *block, double x)
{
#if defined(__AVX512F__)
    return (size_t)__builtin_ctz(_mm512_cmp_pd_mask(_mm512_load_pd(block), _mm512_set1_pd(x), _CMP_EQ_OQ));
#else
    size_t at = 0;
    for (size_t k = FAN; k-- > 0;)
        at = block[k] == x ? k : at;
    return at;
#endif
}

/* Sets entry k of a block to x, and returns the least entry. */
static inline double replace_entry(double *block, size_t k, double x)
{
#if defined(__AVX512F__)
    const __m512d times = _mm512_mask_mov_pd(_mm512_load_pd(block), (__mmask8)(1U << k), _mm512_set1_pd(x));
    _mm512_store_pd(block, times);
    return _mm512_reduce_min_pd(times);
#else
    double least = block[k] = x;
    for (size_t i = 0; i < FAN; i++)
        least = dlq_smaller(least, block[i]);
    return least;
#endif
}

/* Replaces the least time by x. Level by level for all lanes, so that the lanes hide each other's memory latency. */
static void replace_root(const struct dlq_lane_state *state, const vector x[VECTORS])
{
    double *const rows = state->servers + DLQ_LANES;
    const size_t entries = (size_t)state->tree_blocks * FAN;
    _Alignas(vector) double time[DLQ_LANES];
    _Alignas(vector) size_t below[DLQ_LANES]; /* first entry of the block below the lane's current entry */
    EACH_VECTOR(v)
    {
        vector at = splat(0);
        for (int k = 1; k < FAN; k++)
            at = choose(load(rows + k * DLQ_LANES, v) == load(state->servers, v), splat(k), at);
        *(vector_mask *)(below + v * WIDTH) = __builtin_convertvector((at + 1) * FAN, vector_mask);
        store(time, v, x[v]);
    }
    for (long first = 1; first <= state->tree_leaves; first = FAN * first + 1) {
        const double *tree = state->tree;
#pragma GCC unroll 2
        for (size_t lane = 0; lane < DLQ_LANES; lane++, tree += entries)
            below[lane] = FAN * (below[lane] + 1 + find_entry(tree + below[lane], state->servers[lane]));
    }
    for (long first = 1; first <= state->tree_leaves; first = FAN * first + 1) {
        double *tree = state->tree;
#pragma GCC unroll 2
        for (size_t lane = 0; lane < DLQ_LANES; lane++, tree += entries) {
            const size_t entry = below[lane] / FAN - 1;
            below[lane] = entry / FAN * FAN;
            time[lane] = replace_entry(tree + below[lane], entry % FAN, time[lane]);
        }
    }
    EACH_VECTOR(v)
    {
        vector least = splat(NEVER);
        for (int k = 0; k < FAN; k++) {
            const vector_mask here = *(const vector_mask *)(below + v * WIDTH) == (k + 1) * FAN;
            const vector row = choose(here, load(time, v), load(rows + k * DLQ_LANES, v));
            store(rows + k * DLQ_LANES, v, row);
            least = smaller(row, least);
        }
        store(state->servers, v, least);
    }
}

INLINE void open_tree(struct dlq_lane_state *state, const struct dlq_block *block)
{
    (void)block;
    for (long i = 0; i < state->tree_blocks * FAN * DLQ_LANES; i += FAN)
        __builtin_prefetch(state->tree + i);
    if (state->tree_leaves == 0 || state->dispatched > 0)
        return;
    const size_t entries = (size_t)state->tree_blocks * FAN, first = (size_t)state->tree_leaves * FAN;
    const size_t end = first + (size_t)state->server_rows;
    double *tree = state->tree;
    for (size_t lane = 0; lane < DLQ_LANES; lane++, tree += entries) {
        for (size_t i = 0; i < entries; i++)
            tree[i] = i >= first && i < end ? state->servers[(i - first) * DLQ_LANES + lane] : NEVER;
        for (size_t i = entries - FAN; i > 0; i -= FAN)
            tree[i / FAN - 1] = replace_entry(tree + i, 0, tree[i]);
        state->servers[lane] = replace_entry(tree, 0, tree[0]);
        for (size_t k = 0; k < FAN; k++)
            state->servers[(k + 1) * DLQ_LANES + lane] = tree[k];
    }
}

/* Replaces the least time by x. */
INLINE void replace_first(const struct dlq_lane_state *state, const vector x[VECTORS])
{
    double *row = state->servers;
    const long n = state->server_rows;
    vector carry[VECTORS];
    if (state->tree_leaves > 0) {
        replace_root(state, x);
        return;
    }
    EACH_VECTOR(v) carry[v] = x[v];
    for (const double *last = row + (n - 1) * DLQ_LANES; row < last; row += DLQ_LANES) {
        EACH_VECTOR(v)
        {
            vector above = load(row + DLQ_LANES, v);
            store(row, v, smaller(above, carry[v]));
            carry[v] = larger(above, x[v]);
        }
    }
    EACH_VECTOR(v) store(row, v, carry[v]);
}

/* Order of completion: dispatches the first loads of an epoch, one on each server. */
INLINE void open_completion(struct dlq_lane_state *state, const struct dlq_block *block)
{
    const struct numbers made = numbers_of(state, block, false);
    const struct numbers *numbers = &made;
    open_tree(state, block);
    for (; state->dispatched < state->server_rows; state->dispatched++) {
        vector x[VECTORS];
        EACH_VECTOR(v)
        {
            vector ready = load(state->credits, v);
            x[v] = splat(NEVER);
            if (state->dispatched < state->batches)
                x[v] = load_from(numbers, ready, ready, block->loads + state->dispatched * DLQ_LANES, v);
        }
        replace_first(state, x); /* idle servers come first: no load ends before the start of the epoch */
    }
}

/* The j-th batch delivered is the j-th load done. Its server then loads batch j + N, which was dispatched when batch
   j + N - K was delivered. */
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
        vector begin =
            deliver_and_step(numbers, &sums[v], v, plus(numbers, done, numbers->deliver), steps, measure, record.waits);
        if (bounded)
            store(credits, v, at_request ? sums[v].end : begin);
        next[v] = splat(NEVER);
        if (more)
            next[v] = load_from(numbers, load(available, v), done, loads + state->server_rows * DLQ_LANES, v);
    }
    replace_first(state, next);
}

/* Order of index: the server that is free first loads the batch that is delivered next. The trainer waits for that
   batch from `due` on. */
INLINE void load_in_order(struct dlq_lane_state *state, const struct numbers *numbers, const double *loads,
                          const vector due[VECTORS], vector done[VECTORS], double *slack)
{
    const double *available = state->credits + state->place * DLQ_LANES;
    EACH_VECTOR(v)
    {
        vector start = larger(plus(numbers, load(available, v), numbers->dispatch), load(state->servers, v));
        if (slack != NULL)
            store(slack, v, (numbers->plain ? due[v] : due[v] - numbers->deliver) - start);
        done[v] = start + time_of_load(numbers, loads, v);
    }
    replace_first(state, done);
}

INLINE void ordered(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums, const double *loads,
                    const double *steps, enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const bool at_request = state->point->loader->release == DLQ_RELEASE_REQUEST;
    double *credits = state->credits + state->place * DLQ_LANES;
    vector due[VECTORS], done[VECTORS];
    EACH_VECTOR(v) due[v] = sums[v].end;
    load_in_order(state, numbers, loads, due, done, measure == DLQ_LANE_SERIES ? record.slack : NULL);
    EACH_VECTOR(v)
    {
        vector begin = deliver_and_step(numbers, &sums[v], v, plus(numbers, done[v], numbers->deliver), steps, measure,
                                        record.waits);
        store(credits, v, at_request ? sums[v].end : begin);
    }
}

/* Q_j = max(P_{j-1}, G_{j-p}), P_j = max(Q_j, D_j + e), A_{j+K} = Q_j, G_j = max(F_{j-1}, P_j) + c (theory 4) */
INLINE void relay(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums, const double *loads,
                  const double *steps, enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    double *credits = state->credits + state->place * DLQ_LANES;
    double *buffer = state->buffer + state->slot * DLQ_LANES;
    vector slot[VECTORS], due[VECTORS], done[VECTORS];
    EACH_VECTOR(v)
    {
        slot[v] = larger(load(state->moved, v), load(buffer, v));
        due[v] = larger(sums[v].end, slot[v]);
    }
    load_in_order(state, numbers, loads, due, done, measure == DLQ_LANE_SERIES ? record.slack : NULL);
    EACH_VECTOR(v)
    {
        vector moved = larger(slot[v], plus(numbers, done[v], numbers->deliver));
        store(state->moved, v, moved);
        store(credits, v, slot[v]);
        store(buffer, v, deliver_and_step(numbers, &sums[v], v, moved, steps, measure, record.waits));
    }
}

DEFINE_ADVANCE(advance_completion, open_completion, completion)
DEFINE_ADVANCE(advance_ordered, open_tree, ordered)
DEFINE_ADVANCE(advance_relay, open_tree, relay)

const dlq_lane_advances DLQ_FOR_SET(dlq_pool) = {
    [DLQ_BY_COMPLETION] = advance_completion, [DLQ_IN_ORDER] = advance_ordered, [DLQ_RELAYED] = advance_relay};
