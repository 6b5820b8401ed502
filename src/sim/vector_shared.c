/* Loads of one piece that share cores or bandwidth, delivered in order of index, batch i loaded by loader i mod N: what
   events.c does event by event, here batch by batch in all lanes at once.

   In the resource's time (resource.h) a load ends when those before it at its loader have, and its own work is done:
   that is known as it is dispatched. Only where a loader falls idle, or an idle one begins, a slope of that time may
   end, and only while there are too many loads for all of them to go at full speed; then the lanes look at all loaders.
 */
#include "sim/vector.h"

/* Which lanes: a register of its own where the instruction set has them. */
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
INLINE vector pick(lane_mask mask, vector yes, vector no)
{
    return PICK(mask, yes, no);
}
INLINE vector add_time_where(lane_mask mask, vector to, vector time)
{
    return ADD_WHERE(mask, to, time);
}
INLINE bool some(lane_mask mask)
{
    return SOME(mask);
}
INLINE lane_mask not(lane_mask mask)
{
    return (lane_mask)~mask;
}

/* Of one vector of lanes: V = clock + (t - real) * rate. */
struct slope {
    vector rate, real, clock;
    vector count;  /* of loaders that load; at rate 1: at most */
    vector next;   /* at rate below 1: V when the next one may fall idle, not later than it does */
    vector excess; /* s that loads took beyond their work, up to `real` */
};

/* A rank, and what a step does to it. */
struct sharer {
    const struct dlq_point *point;
    double *registers, *loaders, *ends, *done; /* rows: dlq_shared_register; V when the loader's last batch ends; of
                                                  each place, V when its batch ends, and when it ended */
    int64_t count, servers;
    vector scale, demand, capacity;
    double enough;
    bool notes; /* batches may come to the trainer after the slope under which they ended */
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

/* In these lanes V = clock at `now`, and from then on `count` loaders load. */
INLINE void turn(const struct sharer *rank, int v, struct slope *slope, lane_mask mask, vector now, vector clock,
                 vector count)
{
    const vector demand = count * rank->demand;
    const lane_mask enough = at_most(demand, same(rank->enough));
    const vector rate = pick(enough, same(1), rank->capacity / pick(enough, same(1), demand));
    const lane_mask changed = mask & not(equal(rate, slope->rate));
    if (rank->notes && some(changed))
        for (int64_t at = 0; at < rank->count * DLQ_LANES; at += DLQ_LANES) {
            const vector end = load(rank->ends + at, v);
            const lane_mask passed = changed & less(slope->clock, end) & at_most(end, clock);
            if (some(passed))
                store(rank->done + at, v, pick(passed, time_at(slope, end), load(rank->done + at, v)));
        }
    vector slowed = slope->count * (now - slope->real) * (same(1) - slope->rate);
    slope->excess = add_time_where(changed, slope->excess, slowed);
    slope->clock = pick(changed, clock, slope->clock);
    slope->real = pick(changed, now, slope->real);
    slope->rate = pick(changed, rate, slope->rate);
    slope->count = pick(mask, count, slope->count);
}

/* How many loaders load beyond `clock`; the first two of them to end are *first and *second. */
INLINE vector look(const struct sharer *rank, int v, vector clock, vector *first, vector *second)
{
    vector count = same(0);
    *first = *second = same(NEVER);
    for (int64_t w = 0; w < rank->servers * DLQ_LANES; w += DLQ_LANES) {
        const vector end = load(rank->loaders + w, v);
        const lane_mask loads = less(clock, end);
        const vector here = pick(loads, end, same(NEVER));
        count = add_time_where(loads, count, same(1));
        *second = smaller(*second, larger(*first, here));
        *first = smaller(*first, here);
    }
    return count;
}

/* Loaders that fall idle where loads are slowed, up to when batch `due` comes; when the next one can be at its loader,
   and in *ready when the trainer can take this one. */
INLINE vector fall_idle(const struct sharer *rank, int v, struct slope *slope, int64_t place, vector ended,
                        const struct numbers *numbers, vector *ready)
{
    const vector due = load(rank->ends + place, v);
    vector done = rank->notes ? load(rank->done + place, v) : same(0);
    for (;;) {
        /* A load of a slope that is over ended before the last step did, unless it was noted. */
        done = pick(less(slope->clock, due), time_at(slope, due), done);
        *ready = done + numbers->deliver;
        const vector arrival = larger(ended, *ready) + numbers->receive + numbers->dispatch;
        const lane_mask slowed = less(slope->rate, same(1));
        if (!some(slowed) || !some(slowed & at_most(time_at(slope, slope->next), arrival)))
            return arrival;
        vector second;
        const vector count = look(rank, v, slope->clock, &slope->next, &second);
        const vector leaving = time_at(slope, slope->next);
        const lane_mask idles = slowed & at_most(leaving, arrival);
        if (!some(idles))
            return arrival;
        turn(rank, v, slope, idles, leaving, slope->next, count - same(1));
        slope->next = pick(idles, second, slope->next);
    }
}

/* A batch reaches its loader, which begins it now or when those before are done. What ends at `due` in the resource's
   time has ended, though by rounding it may seem not to have. */
INLINE void begin(const struct sharer *rank, int v, struct slope *slope, int64_t place, int64_t loader, vector arrival,
                  vector due, vector draw)
{
    const vector time = draw * rank->scale;
    const vector work = loader < rank->point->slow_servers ? time * rank->point->slow_factor : time;
    const vector clock = slope->clock + (arrival - slope->real) * slope->rate;
    vector end = load(rank->loaders + loader * DLQ_LANES, v);
    const lane_mask idle = at_most(time_at(slope, end), arrival);
    if (some(idle)) {
        const lane_mask slowed = less(slope->rate, same(1));
        const lane_mask unsure = idle & not(slowed) & less(same(rank->enough), (slope->count + same(1)) * rank->demand);
        if (some(unsure)) {
            vector first, second, count = look(rank, v, larger(clock, due), &first, &second);
            slope->count = pick(unsure, count, slope->count);
        }
        turn(rank, v, slope, idle, arrival, clock, slope->count + same(1));
        /* Where loads are slowed from now on nobody has looked at what ends next. */
        slope->next = pick(idle & not(slowed), slope->clock, slope->next);
        end = pick(idle, clock, end);
    }
    end += work;
    slope->next = smaller(slope->next, end);
    store(rank->loaders + loader * DLQ_LANES, v, end);
    store(rank->ends + place, v, end);
    double *sum = rank->registers + DLQ_SHARED_WORK * DLQ_LANES;
    store(sum, v, load(sum, v) + work);
}

/* The first batches of an epoch reach their loaders one after the other, all at once. */
INLINE void open_rank(const struct sharer *rank, const double *draws, int64_t batches)
{
    for (int v = 0; v < VECTORS; v++) {
        struct slope slope = slope_load(rank, v);
        const vector now = load(rank->registers + DLQ_SHARED_NOW * DLQ_LANES, v);
        for (int64_t i = 0; i < rank->count && i < batches; i++)
            begin(rank, v, &slope, i * DLQ_LANES, i % rank->servers, now, same(0), load(draws + i * DLQ_LANES, v));
        slope_store(rank, v, &slope);
    }
}

INLINE struct sharer sharer_of(const struct dlq_lane_state *state)
{
    const struct dlq_point *point = state->point;
    const double capacity = point->uses[0] == DLQ_USES_CPU ? point->cores : point->bandwidth;
    return (struct sharer){
        .point = point,
        .registers = state->servers,
        .loaders = state->servers + DLQ_SHARED_REGISTERS * DLQ_LANES,
        .ends = state->credits,
        .done = state->credits + point->window * DLQ_LANES,
        .count = point->window,
        .servers = point->servers,
        .demand = same(point->demand[0]),
        .capacity = same(capacity),
        .enough = capacity * (1 + 1e-12),
        .notes = state->places > point->window,
    };
}

/* A rank among others, and back to the first. */
INLINE void move_to(struct sharer *rank, const struct dlq_lane_state *state, int64_t number)
{
    const struct dlq_point *point = state->point;
    const int64_t moved = number * (state->server_rows + state->places) * DLQ_LANES;
    rank->registers = state->servers + moved;
    rank->loaders = rank->registers + DLQ_SHARED_REGISTERS * DLQ_LANES;
    rank->ends = state->credits + moved;
    rank->done = rank->ends + point->window * DLQ_LANES;
    rank->scale = same(dlq_load_scale(point, number));
}

static void advance_point(struct dlq_lane_state *state, const struct dlq_lane_block *block, size_t n,
                          enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const struct dlq_point *point = state->point;
    const struct numbers numbers = numbers_of(state, block, false);
    struct sharer rank = sharer_of(state);
    struct sums sums[VECTORS];
    for (int64_t number = 0; state->dispatched == 0 && number < point->ranks; number++) {
        move_to(&rank, state, number);
        open_rank(&rank, block->loads + (size_t)number * block->rank_stride, state->batches);
    }
    EACH_VECTOR(v) sums[v] = sums_load(state->sums, v);
    for (size_t i = 0; i < n; i++) {
        const int64_t place = state->dispatched % rank.count * DLQ_LANES;
        const int64_t loader = (state->dispatched + rank.count) % rank.servers;
        const bool more = state->dispatched + rank.count < state->batches;
        const double *draws = block->loads + (i + (size_t)rank.count) * DLQ_LANES;
        for (int64_t number = 0; number < point->ranks; number++, draws += block->rank_stride) {
            move_to(&rank, state, number);
            for (int v = 0; v < VECTORS; v++) {
                struct slope slope = slope_load(&rank, v);
                vector ready, arrival = fall_idle(&rank, v, &slope, place, sums[v].end, &numbers, &ready);
                store(state->buffer, v, number == 0 ? ready : larger(load(state->buffer, v), ready));
                store(rank.registers + DLQ_SHARED_NOW * DLQ_LANES, v, arrival);
                if (more)
                    begin(&rank, v, &slope, place, loader, arrival, load(rank.ends + place, v), load(draws, v));
                slope_store(&rank, v, &slope);
            }
        }
        EACH_VECTOR(v)
        {
            take(&numbers, &sums[v], v, load(state->buffer, v), block->steps + i * DLQ_LANES, measure,
                 record.waits + i * DLQ_LANES);
        }
        state->dispatched++;
    }
    EACH_VECTOR(v) sums_store(state->sums, v, &sums[v]);
}

extern const dlq_lane_advances DLQ_FOR_SET(dlq_shared);
const dlq_lane_advances DLQ_FOR_SET(dlq_shared) = {advance_point};
