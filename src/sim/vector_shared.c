/* Loads of one stage that share cores or bandwidth, delivered in order of index; loader i mod N loads batch i. Batch by
   batch, where events.c goes event by event.

   In the resource's virtual time V (resource.h) a load ends once the previous load of its loader has ended and its own
   work is done, which is known at dispatch. The slope of V changes only when a loader becomes idle, or an idle one
   begins, and only while the demand slows loads; all loaders are visited only then. */
#include "sim/vector.h"

/* -- sets of lanes -- */

/* A set of lanes: a mask register if the instruction set has them. COMPARE: `how` is the operator for AVX-512. PICK:
   `yes` in the lanes of the mask, `no` in the others. ADD_WHERE: adds `time` in the lanes of the mask. SOME: whether
   any lane is in the mask. */
#if defined(__AVX512F__)
typedef __mmask8 lane_mask;
#define COMPARE(a, operator, b, how) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), how)
#define PICK(mask, yes, no) (vector) _mm512_mask_blend_pd(mask, (__m512d)(no), (__m512d)(yes))
#define ADD_WHERE(mask, to, time) (vector) _mm512_mask_add_pd((__m512d)(to), mask, (__m512d)(to), (__m512d)(time))
#define SOME(mask) ((mask) != 0)
#else
typedef vector_mask lane_mask;
#define COMPARE(a, operator, b, how) ((a) operator(b))
#define PICK(mask, yes, no) choose(mask, yes, no)
#define ADD_WHERE(mask, to, time) ((to) + where(mask, time))
#define SOME(mask) any(mask)
#endif
#define NOT(mask) ((lane_mask) ~(mask))

INLINE lane_mask less(vector a, vector b)
{
    return COMPARE(a, <, b, _CMP_LT_OQ);
}

INLINE lane_mask at_most(vector a, vector b)
{
    return COMPARE(a, <=, b, _CMP_LE_OQ);
}

INLINE lane_mask equal(vector a, vector b)
{
    return COMPARE(a, ==, b, _CMP_EQ_OQ);
}

/* dlq_pace_even of each lane. Lanes at full speed divide by 1, as their demand may be 0. full: the demand up to which
   loads have full speed, with an allowance for rounding. */
INLINE vector even_pace(vector demand, double capacity, double full)
{
    const lane_mask whole = at_most(demand, splat(full));
    return PICK(whole, splat(1), splat(capacity) / PICK(whole, splat(1), demand));
}

/* -- the resource -- */

/* V = clock + (t - real) * rate, in one vector of lanes. */
struct slope {
    vector rate, real, clock;
    vector count;  /* busy loaders; an upper bound while rate is 1 */
    vector next;   /* while rate < 1: a lower bound of V when the next loader becomes idle */
    vector excess; /* s that loads took beyond their work, until `real` */
};

/* The state of a rank. Rows: dlq_shared_register; for each loader V when its last batch ends; for each place V when its
   batch ends, and when the batch ended (only with has_latency). */
struct sharer {
    const struct dlq_point *point;
    double *registers, *loaders, *ends, *done;
    int64_t window, servers;
    vector scale, demand;
    double capacity;
    const double *paces; /* dlq_lane_state.paces */
    double full;         /* the demand up to which loads have full speed, with an allowance for rounding */
    bool has_latency;    /* batches may arrive at the trainer after the slope under which they ended */
};

INLINE struct slope slope_load(const struct sharer *rank, int v)
{
    const double *rows = rank->registers;
    return (struct slope){load(rows + DLQ_SHARED_RATE * DLQ_LANES, v),  load(rows + DLQ_SHARED_REAL * DLQ_LANES, v),
                          load(rows + DLQ_SHARED_CLOCK * DLQ_LANES, v), load(rows + DLQ_SHARED_COUNT * DLQ_LANES, v),
                          load(rows + DLQ_SHARED_NEXT * DLQ_LANES, v),  load(rows + DLQ_SHARED_EXCESS * DLQ_LANES, v)};
}

INLINE void slope_store(const struct sharer *rank, int v, const struct slope *slope)
{
    double *rows = rank->registers;
    store(rows + DLQ_SHARED_RATE * DLQ_LANES, v, slope->rate);
    store(rows + DLQ_SHARED_REAL * DLQ_LANES, v, slope->real);
    store(rows + DLQ_SHARED_CLOCK * DLQ_LANES, v, slope->clock);
    store(rows + DLQ_SHARED_COUNT * DLQ_LANES, v, slope->count);
    store(rows + DLQ_SHARED_NEXT * DLQ_LANES, v, slope->next);
    store(rows + DLQ_SHARED_EXCESS * DLQ_LANES, v, slope->excess);
}

INLINE vector time_at(const struct slope *slope, vector clock)
{
    return slope->real + (clock - slope->clock) / slope->rate;
}

/* dlq_pace_at in the lanes of `mask`: without contention by its formula, else from the table. */
INLINE vector pace_of(const struct sharer *rank, lane_mask mask, vector count)
{
    const vector demand = count * rank->demand;
    if (rank->paces == NULL)
        return even_pace(demand, rank->capacity, rank->full);
    const vector known = PICK(mask, count, splat(0));
    vector pace = demand;
    for (int k = 0; k < WIDTH; k++)
        pace[k] = rank->paces[(long)known[k]];
    return pace;
}

/* From `now` on, where V = clock, `count` loaders are busy in the lanes of `mask`. */
INLINE void change_slope(const struct sharer *rank, int v, struct slope *slope, lane_mask mask, vector now,
                         vector clock, vector count)
{
    const vector rate = pace_of(rank, mask, count);
    const lane_mask changed = mask & NOT(equal(rate, slope->rate));
    if (rank->has_latency && SOME(changed))
        for (int64_t at = 0; at < rank->window * DLQ_LANES; at += DLQ_LANES) {
            const vector end = load(rank->ends + at, v);
            const lane_mask passed = changed & less(slope->clock, end) & at_most(end, clock);
            if (SOME(passed))
                store(rank->done + at, v, PICK(passed, time_at(slope, end), load(rank->done + at, v)));
        }
    vector slowed = slope->count * (now - slope->real) * (splat(1) - slope->rate);
    slope->excess = ADD_WHERE(changed, slope->excess, slowed);
    slope->clock = PICK(changed, clock, slope->clock);
    slope->real = PICK(changed, now, slope->real);
    slope->rate = PICK(changed, rate, slope->rate);
    slope->count = PICK(mask, count, slope->count);
}

/* The number of loaders that are busy after V = clock, and V when the first and the second of these become idle. */
INLINE vector count_busy(const struct sharer *rank, int v, vector clock, vector *first, vector *second)
{
    vector count = splat(0);
    *first = *second = splat(NEVER);
    for (int64_t w = 0; w < rank->servers * DLQ_LANES; w += DLQ_LANES) {
        const vector end = load(rank->loaders + w, v);
        const lane_mask loads = less(clock, end);
        const vector busy_until = PICK(loads, end, splat(NEVER));
        count = ADD_WHERE(loads, count, splat(1));
        *second = smaller(*second, larger(*first, busy_until));
        *first = smaller(*first, busy_until);
    }
    return count;
}

/* Changes the slope for each loader that becomes idle before the batch at `place` is delivered. Returns when the batch
   dispatched then arrives at its loader; *ready: when the batch at `place` can be received. */
INLINE vector advance_to_delivery(const struct sharer *rank, int v, struct slope *slope, int64_t place, vector ended,
                                  const struct numbers *numbers, vector *ready)
{
    const vector due = load(rank->ends + place, v);
    vector done = rank->has_latency ? load(rank->done + place, v) : splat(0);
    for (;;) {
        /* Without latency a load of an earlier slope ended before the last step did: 0 gives the same results. */
        done = PICK(less(slope->clock, due), time_at(slope, due), done);
        *ready = done + numbers->deliver;
        const vector arrival = larger(ended, *ready) + numbers->receive + numbers->dispatch;
        const lane_mask slowed = less(slope->rate, splat(1));
        if (!SOME(slowed) || !SOME(slowed & at_most(time_at(slope, slope->next), arrival)))
            return arrival;
        vector second;
        const vector count = count_busy(rank, v, slope->clock, &slope->next, &second);
        const vector leaving = time_at(slope, slope->next);
        const lane_mask idles = slowed & at_most(leaving, arrival);
        if (!SOME(idles))
            return arrival;
        change_slope(rank, v, slope, idles, leaving, slope->next, count - splat(1));
        slope->next = PICK(idles, second, slope->next);
    }
}

/* A batch arrives at its loader, and its load begins now or after the previous load. The load that ends at V = due has
   ended, even if rounding says otherwise. */
INLINE void arrive(const struct sharer *rank, int v, struct slope *slope, int64_t place, int64_t loader, vector arrival,
                   vector due, vector draw)
{
    const vector time = draw * rank->scale;
    const vector work = loader < rank->point->slow_servers ? time * rank->point->slow_factor : time;
    const vector clock = slope->clock + (arrival - slope->real) * slope->rate;
    vector end = load(rank->loaders + loader * DLQ_LANES, v);
    const lane_mask idle = at_most(time_at(slope, end), arrival);
    if (SOME(idle)) {
        const lane_mask slowed = less(slope->rate, splat(1));
        const lane_mask unsure = idle & NOT(slowed) & less(splat(rank->full), (slope->count + splat(1)) * rank->demand);
        if (SOME(unsure)) {
            vector first, second, count = count_busy(rank, v, larger(clock, due), &first, &second);
            slope->count = PICK(unsure, count, slope->count);
        }
        change_slope(rank, v, slope, idle, arrival, clock, slope->count + splat(1));
        /* When a slope falls below 1, it is not known yet which loader becomes idle next. */
        slope->next = PICK(idle & NOT(slowed), slope->clock, slope->next);
        end = PICK(idle, clock, end);
    }
    end += work;
    slope->next = smaller(slope->next, end);
    store(rank->loaders + loader * DLQ_LANES, v, end);
    store(rank->ends + place, v, end);
    double *sum = rank->registers + DLQ_SHARED_WORK * DLQ_LANES;
    store(sum, v, load(sum, v) + work);
}

/* The first batches of an epoch arrive at their loaders, all at one time, in order. */
INLINE void open_rank(const struct sharer *rank, const double *draws, int64_t batches)
{
    for (int v = 0; v < VECTORS; v++) {
        struct slope slope = slope_load(rank, v);
        const vector now = load(rank->registers + DLQ_SHARED_NOW * DLQ_LANES, v);
        for (int64_t i = 0; i < rank->window && i < batches; i++)
            arrive(rank, v, &slope, i * DLQ_LANES, i % rank->servers, now, splat(0), load(draws + i * DLQ_LANES, v));
        slope_store(rank, v, &slope);
    }
}

INLINE struct sharer sharer_of(const struct dlq_lane_state *state)
{
    const struct dlq_point *point = state->point;
    const struct dlq_pace *pace = point->uses[0] == DLQ_USES_CPU ? &point->cores : &point->bandwidth;
    const double alone = pace->contention > 0 ? 1 / pace->ranks : INFINITY;
    return (struct sharer){
        .point = point,
        .window = point->window,
        .servers = point->servers,
        .demand = splat(point->demand[0]),
        .capacity = pace->capacity,
        .paces = state->paces,
        .full = (pace->capacity < alone ? pace->capacity : alone) * (1 + 1e-12),
        .has_latency = state->places > point->window,
    };
}

INLINE void select_rank(struct sharer *rank, const struct dlq_lane_state *state, int64_t number)
{
    rank->registers = dlq_rank_rows(state, number);
    rank->loaders = rank->registers + DLQ_SHARED_REGISTERS * DLQ_LANES;
    rank->ends = rank->registers + state->server_rows * DLQ_LANES;
    rank->done = rank->ends + rank->window * DLQ_LANES;
    rank->scale = splat(dlq_load_scale(rank->point, number));
}

static void advance_point(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                          enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const struct dlq_point *point = state->point;
    const struct numbers numbers = numbers_of(state, block, false);
    struct sharer rank = sharer_of(state);
    struct sums sums[VECTORS];
    for (int64_t number = 0; state->dispatched == 0 && number < point->ranks; number++) {
        select_rank(&rank, state, number);
        open_rank(&rank, block->loads + (size_t)number * block->rank_stride, state->batches);
    }
    EACH_VECTOR(v) sums[v] = sums_load(state->sums, v);
    for (size_t i = 0; i < n; i++) {
        const int64_t place = state->dispatched % rank.window * DLQ_LANES;
        const int64_t loader = (state->dispatched + rank.window) % rank.servers;
        const bool more = state->dispatched + rank.window < state->batches;
        const double *draws = block->loads + (i + (size_t)rank.window) * DLQ_LANES;
        for (int64_t number = 0; number < point->ranks; number++, draws += block->rank_stride) {
            select_rank(&rank, state, number);
            prefetch_row(draws + 2 * block->rank_stride);
            for (int v = 0; v < VECTORS; v++) {
                struct slope slope = slope_load(&rank, v);
                vector ready, arrival = advance_to_delivery(&rank, v, &slope, place, sums[v].end, &numbers, &ready);
                store(state->buffer, v, number == 0 ? ready : larger(load(state->buffer, v), ready));
                store(rank.registers + DLQ_SHARED_NOW * DLQ_LANES, v, arrival);
                if (more)
                    arrive(&rank, v, &slope, place, loader, arrival, load(rank.ends + place, v), load(draws, v));
                slope_store(&rank, v, &slope);
            }
        }
        EACH_VECTOR(v)
        deliver_and_step(&numbers, &sums[v], v, load(state->buffer, v), block->steps + i * DLQ_LANES, measure,
                         record.waits + i * DLQ_LANES);
        state->dispatched++;
    }
    EACH_VECTOR(v) sums_store(state->sums, v, &sums[v]);
}

const dlq_lane_advances DLQ_FOR_SET(dlq_shared) = {advance_point};
