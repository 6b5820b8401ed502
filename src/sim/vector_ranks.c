/* Several ranks of round-robin loaders that begin each step together. A load depends on the delivery K batches before,
   so up to K batches are loaded rank by rank, and then the steps of all ranks follow. */
#include "sim/vector.h"

#include <string.h>

/* `buffer` is common to all ranks: a row of F_{i-1} for each of the last K batches i, then a row for each of the next
   batches: when the last rank can receive it. */
INLINE double *latest_of(const struct dlq_lane_state *state)
{
    return state->buffer + state->places * DLQ_LANES;
}

/* Loads n batches of one rank, and prefetches the draws of the next rank, `stride` behind. A_i = G_{i-K} =
   max(F_{i-K-1}, D_{i-K} + e) + c, where the credits keep D + e; with `opening`, for the first K batches of an epoch,
   the credits keep A. alike: no slow servers, no slowdowns. */
INLINE void load_of_rank(const struct dlq_lane_state *state, const struct numbers *numbers, long rank, double *servers,
                         vector scale, const double *loads, size_t stride, size_t n, const bool opening,
                         const bool alike)
{
    const struct dlq_point *point = state->point;
    const vector receive = numbers->receive, dispatch = numbers->dispatch, deliver = numbers->deliver;
    double *const credits = servers + state->server_rows * DLQ_LANES;
    double *latest = latest_of(state);
    long server = state->server, place = state->place, rows;
    for (size_t i = 0; i < n; i += (size_t)rows) {
        double *credit = credits + place * DLQ_LANES, *busy = servers + server * DLQ_LANES;
        const double *before = state->buffer + place * DLQ_LANES;
        rows = dlq_least(dlq_least((long)(n - i), state->server_rows - server), alike ? state->places - place : 1);
        for (long k = 0; k < rows; k++) {
            prefetch_row(loads + stride);
            EACH_VECTOR(v)
            {
                vector available = load(credit, v);
                if (!opening)
                    available = larger(load(before, v), available) + receive;
                vector start = larger(available + dispatch, load(busy, v)), time = load(loads, v) * scale, done;
                if (!alike && server < point->slow_servers)
                    time *= point->slow_factor;
                done = alike ? start + time : end_of_load(state, rank, server, v, start, time);
                store(busy, v, done);
                vector ready = done + deliver;
                store(credit, v, ready);
                store(latest, v, larger(load(latest, v), ready));
            }
            credit += DLQ_LANES, before += DLQ_LANES, busy += DLQ_LANES, loads += DLQ_LANES, latest += DLQ_LANES;
        }
        server = server + rows == state->server_rows ? 0 : server + rows;
        place = place + rows == state->places ? 0 : place + rows;
    }
}

/* The steps of all ranks: F_i = max_r G_i^r + b + T_i (theory 2) */
INLINE void steps_of_ranks(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                           const double *steps, size_t n, enum dlq_lane_measure measure, double *waits)
{
    const double *latest = latest_of(state);
    for (size_t i = 0; i < n; i++, steps += DLQ_LANES) {
        double *before = state->buffer + state->place * DLQ_LANES;
        EACH_VECTOR(v)
        {
            store(before, v, sums[v].end);
            deliver_and_step(numbers, &sums[v], v, load(latest + i * DLQ_LANES, v), steps, measure,
                             waits + i * DLQ_LANES);
        }
        state->server = next_of(state->server, state->server_rows);
        state->place = next_of(state->place, state->places);
        state->dispatched++;
    }
}

INLINE void load_ranks(const struct dlq_lane_state *state, const struct numbers *numbers, const double *loads,
                       size_t stride, size_t n, const bool opening, const bool alike)
{
    memset(latest_of(state), 0, n * DLQ_LANES * sizeof(double));
    for (long rank = 0; rank < state->point->ranks; rank++)
        load_of_rank(state, numbers, rank, dlq_rank_rows(state, rank), splat(dlq_load_scale(state->point, rank)),
                     loads + (size_t)rank * stride, stride, n, opening, alike);
}

static void advance_ranks(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                          enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const struct numbers numbers = numbers_of(state, block, false);
    const bool alike = state->steady == NULL && state->point->slow_servers == 0;
    struct sums sums[VECTORS];
    EACH_VECTOR(v) sums[v] = sums_load(state->sums, v);
    for (size_t at = 0, piece; at < n; at += piece) {
        const double *loads = block->loads + at * DLQ_LANES;
        const bool opening = state->dispatched < state->places;
        size_t most = (size_t)(opening ? state->places - state->dispatched : state->places);
        piece = n - at < most ? n - at : most;
        if (opening || !alike)
            load_ranks(state, &numbers, loads, block->rank_stride, piece, opening, false);
        else
            load_ranks(state, &numbers, loads, block->rank_stride, piece, false, true);
        steps_of_ranks(state, &numbers, sums, block->steps + at * DLQ_LANES, piece, measure,
                       record.waits + at * DLQ_LANES);
    }
    EACH_VECTOR(v) sums_store(state->sums, v, &sums[v]);
}

const dlq_lane_advances DLQ_FOR_SET(dlq_ranks) = {advance_ranks};

/* Trainers that load for themselves, with one rank or several: G_i = F_{i-1} + max_r S_i^r + c */
static void advance_serial(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                           enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const struct dlq_point *point = state->point;
    const struct numbers numbers = numbers_of(state, block, false);
    const vector slow = splat(point->slow_servers > 0 ? point->slow_factor : 1);
    struct sums sums[VECTORS];
    for (long rank = 0; rank < point->ranks; rank++) {
        const double *loads = block->loads + (size_t)rank * block->rank_stride;
        const vector scale = splat(dlq_load_scale(point, rank));
        for (size_t i = 0; i < n; i++) {
            double *latest = state->buffer + i * DLQ_LANES;
            EACH_VECTOR(v)
            {
                vector time = load(loads + i * DLQ_LANES, v) * scale * slow;
                store(latest, v, rank == 0 ? time : larger(load(latest, v), time));
            }
        }
    }
    EACH_VECTOR(v) sums[v] = sums_load(state->sums, v);
    for (size_t i = 0; i < n; i++)
        EACH_VECTOR(v)
    deliver_and_step(&numbers, &sums[v], v, sums[v].end + load(state->buffer + i * DLQ_LANES, v),
                     block->steps + i * DLQ_LANES, measure, record.waits + i * DLQ_LANES);
    EACH_VECTOR(v) sums_store(state->sums, v, &sums[v]);
}

const dlq_lane_advances DLQ_FOR_SET(dlq_serial) = {advance_serial};
