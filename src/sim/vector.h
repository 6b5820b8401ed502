/* What all vector_*.c share: vectors of doubles, as wide as the instruction set for which the copy is compiled, and the
   loop over the steps of a block with what is measured of each step. */
#pragma once

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

/* Without optimization nothing is inlined or unrolled: that would take most of the time of a build, and gcc -O0 cannot
   inline through the function pointers below. */
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

/* Where the hardware does not prefetch: across ranks. */
INLINE void prefetch_row(const double *row)
{
    enum { LINE = 8 }; /* doubles of a cache line */
    for (long l = 0; l < DLQ_LANES; l += LINE)
        __builtin_prefetch(row + l);
}

INLINE vector splat(double value)
{
    return (vector){0} + value;
}

/* Compilers turn the loop into one instruction, since no value is NAN or -0 here. */
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

/* yes where the mask is set, else no */
INLINE vector choose(vector_mask mask, vector yes, vector no)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (vector)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
#else
    return (vector)((((vector_mask)yes ^ (vector_mask)no) & mask) ^ (vector_mask)no);
#endif
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

/* Stores each lane into a row of its own: offset[lane] = row * DLQ_LANES. */
INLINE void scatter(double *rows, vector_mask offset, int v, vector value)
{
    for (int k = 0; k < WIDTH; k++)
        rows[offset[k] + v * WIDTH + k] = value[k];
}

/* struct dlq_lane_sums of one vector of lanes, in registers during a block. */
struct sums {
    vector end, wait_sum, wait_max, stalled, step_draws, within, over, late;
    vector begin; /* when the last step began */
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

/* For disciplines that dispatch nothing at the start of an epoch. */
INLINE void open_nothing(struct dlq_lane_state *state, const struct dlq_block *block)
{
    (void)state, (void)block;
}

INLINE long next_of(long place, long places)
{
    return place + 1 == places ? 0 : place + 1;
}

/* The wait: `begin` - F_{i-1}; a difference below the rounding error of the times counts as 0. */
INLINE vector sums_add_wait(struct sums *sums, vector begin, vector above)
{
    vector wait = begin - sums->end;
    wait = where(wait > begin * splat(1e-15), wait);
    sums->wait_sum += wait;
    sums->wait_max = larger(sums->wait_max, wait);
    sums->stalled += where(wait > above, splat(1));
    return wait;
}

/* Times and factors of a point, in registers during a block. */
struct numbers {
    vector scale, step, dispatch, deliver, receive, barrier, above, tick;
    bool plain;                 /* no overheads, and `step` is the time of each step */
    bool ticks;                 /* loads are rounded up to ticks */
    size_t rank_stride, extras; /* as in struct dlq_block */
};

INLINE struct numbers numbers_of(const struct dlq_lane_state *state, const struct dlq_block *block, bool plain)
{
    const struct dlq_point *point = state->point;
    return (struct numbers){
        .scale = splat(point->load_scale),
        .step = splat(plain ? state->step : point->step_scale),
        .dispatch = splat(point->dispatch),
        .deliver = splat(point->deliver),
        .receive = splat(point->receive),
        .barrier = splat(point->barrier),
        .above = splat(state->stall_above),
        .tick = splat(point->resolution),
        .ticks = !plain && point->resolution > 0,
        .plain = plain,
        .rank_stride = block->rank_stride,
        .extras = plain ? 0 : block->extras,
    };
}

INLINE vector plus(const struct numbers *numbers, vector time, vector overhead)
{
    return numbers->plain ? time : time + overhead;
}

INLINE vector step_time(const struct numbers *numbers, const double *steps, int v)
{
    vector time = numbers->plain ? numbers->step : load(steps, v) * numbers->step;
    return numbers->extras > 0 ? time + load(steps + numbers->extras, v) : time;
}

/* When loads end that begin at `start` and take `time` at full speed. If the speed changes before, the calendars of the
   lanes are asked. */
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

/* Delivers a batch that is ready at `ready`, measures the wait, does the step. Returns when the step begins, G + b. */
INLINE vector deliver_and_step(const struct numbers *numbers, struct sums *sums, int v, vector ready,
                               const double *steps, enum dlq_lane_measure measure, double *waits)
{
    vector begin = plus(numbers, plus(numbers, larger(sums->end, ready), numbers->receive), numbers->barrier);
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

INLINE vector round_up(const struct numbers *numbers, vector time)
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
    return round_up(numbers, load(loads, v) * numbers->scale);
}

/* D of loads that are dispatched at `available` to servers that are free from `free_since` on. */
INLINE vector load_from(const struct numbers *numbers, vector available, vector free_since, const double *loads, int v)
{
    return larger(plus(numbers, available, numbers->dispatch), free_since) + time_of_load(numbers, loads, v);
}

/* Undoes the last step in lanes where the step does not end within the horizon. */
INLINE void undo_beyond(struct sums *sums, const struct sums *before, vector limit)
{
    const vector_mask ends = (vector_mask)(before->over == 0) & (vector_mask)(sums->end <= limit);
    sums->late = choose(ends | (vector_mask)(before->over > 0), before->late, sums->begin);
    sums->over = choose(ends, splat(0), splat(1));
    sums->within = before->within + where(ends, splat(1));
    sums->end = choose(ends, sums->end, before->end);
    sums->wait_sum = choose(ends, sums->wait_sum, before->wait_sum);
    sums->wait_max = choose(ends, sums->wait_max, before->wait_max);
    sums->stalled = choose(ends, sums->stalled, before->stalled);
    sums->step_draws = choose(ends, sums->step_draws, before->step_draws);
}

/* Simulates one step of all lanes. */
typedef void discipline(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                        const double *loads, const double *steps, enum dlq_lane_measure measure,
                        struct dlq_lane_record record);

/* Simulates n steps of one point. */
INLINE void each_step(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                      const enum dlq_lane_measure measure, const bool plain, const bool within,
                      struct dlq_lane_record record, discipline *const step)
{
    const struct numbers numbers = numbers_of(state, block, plain);
    const vector limit = splat(state->horizon * (1 + 1e-9));
    struct dlq_lane_state current = *state; /* in registers */
    struct sums sums[VECTORS];
    EACH_VECTOR(v) sums[v] = sums_load(state->sums, v);
    for (size_t i = 0; i < n; i++) {
        struct sums before[VECTORS];
        EACH_VECTOR(v) before[v] = sums[v];
        step(&current, &numbers, sums, block->loads + i * DLQ_LANES, block->steps + i * DLQ_LANES, measure, record);
        EACH_VECTOR(v) if (within) undo_beyond(&sums[v], &before[v], limit);
        if (measure == DLQ_LANE_SERIES) {
            record.waits += DLQ_LANES;
            record.slack += DLQ_LANES;
        }
        current.place = next_of(current.place, current.places);
        current.slot = next_of(current.slot, current.slots);
        current.dispatched++;
    }
    *state = current;
    EACH_VECTOR(v) sums_store(state->sums, v, &sums[v]);
}

/* Compiles the loop once for each measure. */
INLINE void each_measure(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                         enum dlq_lane_measure measure, const bool plain, struct dlq_lane_record record,
                         discipline *const step)
{
    if (measure == DLQ_LANE_TIMES)
        each_step(state, block, n, DLQ_LANE_TIMES, plain, false, record, step);
    else if (measure == DLQ_LANE_WAITS)
        each_step(state, block, n, DLQ_LANE_WAITS, plain, false, record, step);
    else
        each_step(state, block, n, DLQ_LANE_SERIES, plain, false, record, step);
}

/* Defines the dlq_lane_advance of a discipline: open() dispatches the first batches of an epoch, step() is called for
   each step. -ffinite-math-only makes isfinite always true, so the horizon is compared with NEVER. */
#define DEFINE_ADVANCE(name, open, step)                                                                               \
    static void name(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,                            \
                     enum dlq_lane_measure measure, struct dlq_lane_record record)                                     \
    {                                                                                                                  \
        open(state, block);                                                                                            \
        if (state->horizon < NEVER)                                                                                    \
            each_step(state, block, n, measure == DLQ_LANE_SERIES ? measure : DLQ_LANE_WAITS, false, true, record,     \
                      step);                                                                                           \
        else if (state->plain)                                                                                         \
            each_measure(state, block, n, measure, true, record, step);                                                \
        else                                                                                                           \
            each_measure(state, block, n, measure, false, record, step);                                               \
    }
