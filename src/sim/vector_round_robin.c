/* Round-robin loaders of one rank, delivered in order of index. */
#include "sim/vector.h"

/* L_i = max(A_i + a, D_{i-N}), D_i = L_i + S_i, G_i = max(F_{i-1}, D_i + e) + c, F_i = G_i + T_i */
INLINE void round_robin(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                        const double *loads, const double *steps, enum dlq_lane_measure measure,
                        struct dlq_lane_record record)
{
    double *server = state->servers + state->server * DLQ_LANES, *credit = state->credits + state->place * DLQ_LANES;
    const bool is_slow = !numbers->plain && state->server < state->point->slow_servers;
    const vector slow = splat(is_slow ? state->point->slow_factor : 1);
    EACH_VECTOR(v)
    {
        vector start = larger(plus(numbers, load(credit, v), numbers->dispatch), load(server, v));
        vector time = load(loads, v) * numbers->scale, done;
        if (measure == DLQ_LANE_SERIES)
            store(record.slack, v,
                  numbers->plain ? sums[v].end - start : (sums[v].end - numbers->deliver - start) / slow);
        if (numbers->plain)
            done = start + time;
        else
            done = end_of_load(state, 0, state->server, v, start, round_up(numbers, time * slow));
        store(server, v, done);
        store(credit, v,
              deliver_and_step(numbers, &sums[v], v, plus(numbers, done, numbers->deliver), steps, measure,
                               record.waits));
    }
    state->server = next_of(state->server, state->server_rows);
}

DEFINE_ADVANCE(advance_round_robin, open_nothing, round_robin)

const dlq_lane_advances DLQ_FOR_SET(dlq_round_robin) = {advance_round_robin};
