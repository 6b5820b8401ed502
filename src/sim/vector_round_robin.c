/* Round-robin loaders, delivered in order of index: see kernel_index.c for the recursion. Two points advance together,
   so that one's arithmetic fills the time in which the other's waits for its last result. */
#include "sim/vector.h"

/* Where a point's rings are while a block is under way. */
struct cursor {
    double *server, *first_server, *last_server;
    double *credit, *first_credit, *last_credit;
    struct dlq_lane_record record;
};

INLINE struct cursor cursor_of(const struct dlq_lane_state *state, struct dlq_lane_record record)
{
    return (struct cursor){
        .server = state->servers + state->server * DLQ_LANES,
        .first_server = state->servers,
        .last_server = state->servers + state->server_rows * DLQ_LANES,
        .credit = state->credits + state->place * DLQ_LANES,
        .first_credit = state->credits,
        .last_credit = state->credits + state->places * DLQ_LANES,
        .record = record,
    };
}

INLINE void next_row(struct cursor *cursor, bool keep)
{
    cursor->server += DLQ_LANES;
    if (cursor->server == cursor->last_server)
        cursor->server = cursor->first_server;
    cursor->credit += DLQ_LANES;
    if (cursor->credit == cursor->last_credit)
        cursor->credit = cursor->first_credit;
    if (keep) {
        cursor->record.waits += DLQ_LANES;
        cursor->record.slack += DLQ_LANES;
    }
}

/* L_i = max(A_i + a, D_{i-N}), D_i = L_i + S_i, G_i = max(F_{i-1}, D_i + e) + c, F_i = G_i + T_i */
INLINE void step(const struct dlq_lane_state *state, const struct cursor *cursor, const struct numbers *numbers,
                 struct sums *sums, int v, const double *loads, const double *steps, vector slow,
                 enum dlq_lane_measure measure)
{
    vector start = larger(with(numbers, load(cursor->credit, v), numbers->dispatch), load(cursor->server, v));
    vector time = load(loads, v) * numbers->scale;
    if (!numbers->plain)
        time *= slow;
    if (measure == DLQ_LANE_SERIES) {
        vector slack = numbers->plain ? sums->end - start : (sums->end - numbers->deliver - start) / slow;
        store(cursor->record.slack, v, slack);
    }
    vector done = start + time;
    if (!numbers->plain)
        done = end_of_load(state, 0, (cursor->server - cursor->first_server) / DLQ_LANES, v, start, time);
    store(cursor->server, v, done);
    vector ready = with(numbers, done, numbers->deliver);
    store(cursor->credit, v, take(numbers, sums, v, ready, steps, measure, cursor->record.waits));
}

INLINE vector slowness(const struct dlq_lane_state *state, const struct cursor *cursor)
{
    long server = (cursor->server - cursor->first_server) / DLQ_LANES;
    return same(server < state->point->slow_servers ? state->point->slow_factor : 1);
}

INLINE void advance(struct dlq_lane_state *const *states, const int count, const struct dlq_lane_block *block, size_t n,
                    const bool plain, const enum dlq_lane_measure measure, const struct dlq_lane_record *records)
{
    struct cursor cursors[DLQ_TOGETHER];
    struct numbers numbers[DLQ_TOGETHER];
    struct sums sums[DLQ_TOGETHER][VECTORS];
    const double *loads = block->loads;
    const double *steps = block->steps;
    for (int q = 0; q < count; q++) {
        cursors[q] = cursor_of(states[q], records[q]);
        numbers[q] = numbers_of(states[q], block, plain);
        EACH_VECTOR(v) sums[q][v] = sums_load(states[q]->sums, v);
    }
    for (size_t i = 0; i < n; i++) {
        _Pragma("GCC unroll 2") for (int q = 0; q < count; q++)
        {
            vector slow = plain ? same(1) : slowness(states[q], &cursors[q]);
            EACH_VECTOR(v) step(states[q], &cursors[q], &numbers[q], &sums[q][v], v, loads, steps, slow, measure);
            next_row(&cursors[q], measure == DLQ_LANE_SERIES);
        }
        loads += DLQ_LANES;
        steps += DLQ_LANES;
    }
    for (int q = 0; q < count; q++) {
        states[q]->server = (cursors[q].server - cursors[q].first_server) / DLQ_LANES;
        states[q]->place = (cursors[q].credit - cursors[q].first_credit) / DLQ_LANES;
        EACH_VECTOR(v) sums_store(states[q]->sums, v, &sums[q][v]);
    }
}

/* One copy of the loop for each kind of work, so that none does what it need not. */
#define COPY(name, count, plain, measure)                                                                              \
    static void name(struct dlq_lane_state *const *states, const struct dlq_lane_block *block, size_t n,               \
                     const struct dlq_lane_record *records)                                                            \
    {                                                                                                                  \
        advance(states, count, block, n, plain, measure, records);                                                     \
    }
COPY(one_plain_times, 1, true, DLQ_LANE_TIMES)
COPY(one_plain_waits, 1, true, DLQ_LANE_WAITS)
COPY(one_plain_series, 1, true, DLQ_LANE_SERIES)
COPY(one_times, 1, false, DLQ_LANE_TIMES)
COPY(one_waits, 1, false, DLQ_LANE_WAITS)
COPY(one_series, 1, false, DLQ_LANE_SERIES)
COPY(two_plain_times, 2, true, DLQ_LANE_TIMES)
COPY(two_plain_waits, 2, true, DLQ_LANE_WAITS)
COPY(two_plain_series, 2, true, DLQ_LANE_SERIES)
COPY(two_times, 2, false, DLQ_LANE_TIMES)
COPY(two_waits, 2, false, DLQ_LANE_WAITS)
COPY(two_series, 2, false, DLQ_LANE_SERIES)

typedef void copy(struct dlq_lane_state *const *states, const struct dlq_lane_block *block, size_t n,
                  const struct dlq_lane_record *records);

static copy *const copies[DLQ_TOGETHER][2][3] = {
    {{one_times, one_waits, one_series}, {one_plain_times, one_plain_waits, one_plain_series}},
    {{two_times, two_waits, two_series}, {two_plain_times, two_plain_waits, two_plain_series}},
};

static void advance_round_robin(struct dlq_lane_state *const *states, size_t count, const struct dlq_lane_block *block,
                                size_t n, enum dlq_lane_measure measure, const struct dlq_lane_record *records)
{
    bool plain = true;
    for (size_t q = 0; q < count; q++)
        plain = plain && states[q]->plain;
    copies[count - 1][plain][measure](states, block, n, records);
}

extern const dlq_lane_advances DLQ_FOR_SET(dlq_round_robin);
const dlq_lane_advances DLQ_FOR_SET(dlq_round_robin) = {advance_round_robin};
