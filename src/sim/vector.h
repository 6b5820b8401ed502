/* Vectors of doubles as wide as the instruction set of the copy that includes this, and what is measured of a step. */
#ifndef DLQ_SIM_VECTOR_H
#define DLQ_SIM_VECTOR_H

#include "sim/lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif

enum { VECTORS = DLQ_LANES / WIDTH };

typedef double vector __attribute__((vector_size(WIDTH * sizeof(double))));
typedef int64_t vector_mask __attribute__((vector_size(WIDTH * sizeof(double))));

/* Where speed is not asked for, neither inlined nor unrolled: it would be most of what a build takes; and gcc -O0,
   which does not follow the pointers to functions below, refuses what it cannot inline. */
#if defined(NDEBUG) && !defined(__NO_INLINE__)
#define INLINE static inline __attribute__((always_inline))
#define EACH_VECTOR(v) _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++)
#else
#define INLINE static inline
#define EACH_VECTOR(v) for (int v = 0; v < VECTORS; v++)
#endif

INLINE vector load(const double *row, int v)
{
    return *(const vector *)(row + v * WIDTH);
}

INLINE void store(double *row, int v, vector value)
{
    *(vector *)(row + v * WIDTH) = value;
}

INLINE vector same(double value)
{
    return (vector){0} + value;
}

/* Written by element: compilers make one instruction of it, since nothing is NAN or -0 here. */
INLINE vector larger(vector a, vector b)
{
    vector result = a;
    for (int k = 0; k < WIDTH; k++)
        result[k] = a[k] > b[k] ? a[k] : b[k];
    return result;
}

INLINE vector smaller(vector a, vector b)
{
    vector result = a;
    for (int k = 0; k < WIDTH; k++)
        result[k] = a[k] < b[k] ? a[k] : b[k];
    return result;
}

/* value where the mask is set, else 0 */
INLINE vector where(vector_mask mask, vector value)
{
    return (vector)((vector_mask)value & mask);
}

INLINE vector choose(vector_mask mask, vector yes, vector no)
{
    return (vector)((((vector_mask)yes ^ (vector_mask)no) & mask) ^ (vector_mask)no);
}

INLINE vector_mask all(int64_t value)
{
    return (vector_mask){0} + value;
}

INLINE bool any(vector_mask mask)
{
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_pd((__m256d)mask) != 0;
#else
    int64_t set = 0;
    for (int k = 0; k < WIDTH; k++)
        set |= mask[k];
    return set != 0;
#endif
}

/* Into each lane's own row: `offset` from the first, rows * DLQ_LANES. */
INLINE void scatter(double *rows, vector_mask offset, int v, vector value)
{
    for (int k = 0; k < WIDTH; k++)
        rows[offset[k] + v * WIDTH + k] = value[k];
}

/* Sums of one vector of lanes while a block is under way, in registers. */
struct sums {
    vector end, wait_sum, wait_max, stalled, step_draws, within, over, late;
    vector begin; /* of the last step, when the trainer had its batch */
};

INLINE struct sums sums_load(const struct dlq_lane_sums *from, int v)
{
    return (struct sums){.end = load(from->end, v),
                         .wait_sum = load(from->wait_sum, v),
                         .wait_max = load(from->wait_max, v),
                         .stalled = load(from->stalled, v),
                         .step_draws = load(from->step_draws, v),
                         .within = load(from->within, v),
                         .over = load(from->over, v),
                         .late = load(from->late, v)};
}

INLINE void sums_store(struct dlq_lane_sums *to, int v, const struct sums *sums)
{
    store(to->end, v, sums->end);
    store(to->wait_sum, v, sums->wait_sum);
    store(to->wait_max, v, sums->wait_max);
    store(to->stalled, v, sums->stalled);
    store(to->step_draws, v, sums->step_draws);
    store(to->within, v, sums->within);
    store(to->over, v, sums->over);
    store(to->late, v, sums->late);
}

INLINE void open_nothing(struct dlq_lane_state *state, const struct dlq_lane_block *block)
{
    (void)state, (void)block;
}

INLINE long next_of(long place, long places)
{
    return place + 1 == places ? 0 : place + 1;
}

/* W = G_i - F_{i-1}; less than the clock's rounding is no wait. */
INLINE vector sums_add_wait(struct sums *sums, vector begin, vector above)
{
    vector wait = begin - sums->end;
    wait = where(wait > begin * same(1e-15), wait);
    sums->wait_sum += wait;
    sums->wait_max = larger(sums->wait_max, wait);
    sums->stalled += where(wait > above, same(1));
    return wait;
}

/* A point's numbers, in registers while a block is under way. */
struct numbers {
    vector scale, step, dispatch, deliver, receive, barrier, above, tick;
    bool plain;         /* no overheads, and step is the time of each step */
    bool ticks;         /* loads take whole ones */
    size_t rank_stride; /* of the loads of a block */
    size_t extras;      /* where a step has more than T: so far behind its draw; 0: nowhere */
};

INLINE struct numbers numbers_of(const struct dlq_lane_state *state, const struct dlq_lane_block *block, bool plain)
{
    const struct dlq_point *point = state->point;
    return (struct numbers){
        .scale = same(point->load_scale),
        .step = same(plain ? state->step : point->step_scale),
        .dispatch = same(point->dispatch),
        .deliver = same(point->deliver),
        .receive = same(point->receive),
        .barrier = same(point->barrier),
        .above = same(state->stall_above),
        .tick = same(point->resolution),
        .ticks = !plain && point->resolution > 0,
        .plain = plain,
        .rank_stride = block->rank_stride,
        .extras = plain ? 0 : block->extras,
    };
}

INLINE vector with(const struct numbers *numbers, vector time, vector overhead)
{
    return numbers->plain ? time : time + overhead;
}

INLINE vector step_time(const struct numbers *numbers, const double *steps, int v)
{
    vector time = numbers->plain ? numbers->step : load(steps, v) * numbers->step;
    return numbers->extras > 0 ? time + load(steps + numbers->extras, v) : time;
}

/* When loads end that begin at `start`: by the lanes' calendars where their speed changes meanwhile. */
INLINE vector end_of_load(const struct dlq_lane_state *state, long rank, long server, int v, vector start, vector time)
{
    if (state->steady == NULL)
        return start + time;
    const double *until = state->steady + (rank * state->point->servers + server) * 2 * DLQ_LANES;
    vector done = start + time / load(until + DLQ_LANES, v);
    if (!any((vector_mask)(done > load(until, v))))
        return done;
    double starts[WIDTH], times[WIDTH], ends[WIDTH];
    for (int k = 0; k < WIDTH; k++) {
        starts[k] = start[k];
        times[k] = time[k];
        ends[k] = done[k];
    }
    dlq_lane_slow(state, rank, server, v * WIDTH, WIDTH, starts, times, ends);
    for (int k = 0; k < WIDTH; k++)
        done[k] = ends[k];
    return done;
}

/* What follows once it is known when the trainer can have its batch: G, the wait, the step. */
INLINE vector take(const struct numbers *numbers, struct sums *sums, int v, vector ready, const double *steps,
                   enum dlq_lane_measure measure, double *waits)
{
    vector begin = with(numbers, with(numbers, larger(sums->end, ready), numbers->receive), numbers->barrier);
    if (measure != DLQ_LANE_TIMES) {
        vector wait = sums_add_wait(sums, begin, numbers->above);
        if (measure == DLQ_LANE_SERIES)
            store(waits, v, wait);
        if (!numbers->plain)
            sums->step_draws += load(steps, v);
    }
    sums->end = begin + step_time(numbers, steps, v);
    sums->begin = begin;
    return begin;
}

INLINE vector in_ticks(const struct numbers *numbers, vector time)
{
    if (!numbers->ticks)
        return time;
    vector count = time / numbers->tick - 1e-9;
    for (int k = 0; k < WIDTH; k++)
        count[k] = ceil(count[k]);
    return numbers->tick * count;
}

INLINE vector time_of_load(const struct numbers *numbers, const double *loads, int v)
{
    return in_ticks(numbers, load(loads, v) * numbers->scale);
}

INLINE vector load_from(const struct numbers *numbers, vector available, vector free_since, const double *loads, int v)
{
    return larger(with(numbers, available, numbers->dispatch), free_since) + time_of_load(numbers, loads, v);
}

/* Takes back what a step has added that does not end within the horizon. */
INLINE void stop_at(struct sums *sums, const struct sums *before, vector limit)
{
    const vector_mask ends = (vector_mask)(before->over == 0) & (vector_mask)(sums->end <= limit);
    sums->late = choose(ends | (vector_mask)(before->over > 0), before->late, sums->begin);
    sums->over = choose(ends, same(0), same(1));
    sums->within = before->within + where(ends, same(1));
    sums->end = choose(ends, sums->end, before->end);
    sums->wait_sum = choose(ends, sums->wait_sum, before->wait_sum);
    sums->wait_max = choose(ends, sums->wait_max, before->wait_max);
    sums->stalled = choose(ends, sums->stalled, before->stalled);
    sums->step_draws = choose(ends, sums->step_draws, before->step_draws);
}

/* One step of all lanes. */
typedef void discipline(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                        const double *loads, const double *steps, enum dlq_lane_measure measure,
                        struct dlq_lane_record record);

/* n steps of one point. */
INLINE void each_step(struct dlq_lane_state *state, const struct dlq_lane_block *block, size_t n,
                      const enum dlq_lane_measure measure, const bool plain, const bool within,
                      struct dlq_lane_record record, discipline *const take_step)
{
    const struct numbers numbers = numbers_of(state, block, plain);
    const vector limit = same(state->horizon * (1 + 1e-9));
    struct dlq_lane_state own = *state; /* in registers */
    struct sums sums[VECTORS];
    EACH_VECTOR(v) sums[v] = sums_load(state->sums, v);
    for (size_t i = 0; i < n; i++) {
        struct sums before[VECTORS];
        EACH_VECTOR(v) before[v] = sums[v];
        take_step(&own, &numbers, sums, block->loads + i * DLQ_LANES, block->steps + i * DLQ_LANES, measure, record);
        EACH_VECTOR(v) if (within) stop_at(&sums[v], &before[v], limit);
        if (measure == DLQ_LANE_SERIES) {
            record.waits += DLQ_LANES;
            record.slack += DLQ_LANES;
        }
        own.place = next_of(own.place, own.places);
        own.slot = next_of(own.slot, own.slots);
        own.dispatched++;
    }
    *state = own;
    EACH_VECTOR(v) sums_store(state->sums, v, &sums[v]);
}

/* A discipline's loop, once for each measure and for plain points. */
#define DEFINE_ADVANCE(name, open, discipline)                                                                         \
    static void name(struct dlq_lane_state *state, const struct dlq_lane_block *block, size_t n,                       \
                     enum dlq_lane_measure measure, struct dlq_lane_record record)                                     \
    {                                                                                                                  \
        open(state, block);                                                                                            \
        if (state->horizon < NEVER) /* built with -ffinite-math-only: isfinite is always true */                       \
            each_step(state, block, n, measure == DLQ_LANE_SERIES ? measure : DLQ_LANE_WAITS, false, true, record,     \
                      discipline);                                                                                     \
        else if (state->plain && measure == DLQ_LANE_TIMES)                                                            \
            each_step(state, block, n, DLQ_LANE_TIMES, true, false, record, discipline);                               \
        else if (state->plain && measure == DLQ_LANE_WAITS)                                                            \
            each_step(state, block, n, DLQ_LANE_WAITS, true, false, record, discipline);                               \
        else if (state->plain)                                                                                         \
            each_step(state, block, n, DLQ_LANE_SERIES, true, false, record, discipline);                              \
        else if (measure == DLQ_LANE_TIMES)                                                                            \
            each_step(state, block, n, DLQ_LANE_TIMES, false, false, record, discipline);                              \
        else if (measure == DLQ_LANE_WAITS)                                                                            \
            each_step(state, block, n, DLQ_LANE_WAITS, false, false, record, discipline);                              \
        else                                                                                                           \
            each_step(state, block, n, DLQ_LANE_SERIES, false, false, record, discipline);                             \
    }

#endif
