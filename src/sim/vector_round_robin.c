/* Round-robin loaders, delivered in order of index: see events.c. */
#include "sim/vector.h"

/* L_i = max(A_i + a, D_{i-N}), D_i = L_i + S_i, G_i = max(F_{i-1}, D_i + e) + c, F_i = G_i + T_i */
INLINE void round_robin(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                        const double *loads, const double *steps, enum dlq_lane_measure measure,
                        struct dlq_lane_record record)
{
    double *server = state->servers + state->server * DLQ_LANES, *credit = state->credits + state->place * DLQ_LANES;
    const bool is_slow = !numbers->plain && state->server < state->point->slow_servers;
    const vector slow = same(is_slow ? state->point->slow_factor : 1);
    EACH_VECTOR(v)
    {
        vector start = larger(with(numbers, load(credit, v), numbers->dispatch), load(server, v));
        vector time = load(loads, v) * numbers->scale, done;
        if (measure == DLQ_LANE_SERIES)
            store(record.slack, v,
                  numbers->plain ? sums[v].end - start : (sums[v].end - numbers->deliver - start) / slow);
        if (numbers->plain)
            done = start + time;
        else
            done = end_of_load(state, 0, state->server, v, start, in_ticks(numbers, time * slow));
        store(server, v, done);
        store(credit, v,
              take(numbers, &sums[v], v, with(numbers, done, numbers->deliver), steps, measure, record.waits));
    }
    state->server = next_of(state->server, state->server_rows);
}

DEFINE_ADVANCE(advance_round_robin, open_nothing, round_robin)

extern const dlq_lane_advances DLQ_FOR_SET(dlq_round_robin);
const dlq_lane_advances DLQ_FOR_SET(dlq_round_robin) = {advance_round_robin};
