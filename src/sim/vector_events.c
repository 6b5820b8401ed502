/* Loads that share cores or bandwidth, or that a serial thread pins, by events: see kernel_events.c. Delivered in order
   of index, batch i loaded by loader i mod N. Each lane is at an event of its own: a turn takes every lane that needs
   its next batch through one. */
#include "sim/events_rows.h"
#include "sim/vector.h"

#include <string.h>

/* Which lanes: a register of its own where the instruction set has them. */
#if defined(__AVX512F__)
typedef __mmask8 lane_mask;
typedef vector_mask index;
#define COMPARE(name, type, intrinsic, cast, how)                                                                      \
    INLINE lane_mask name(type a, type b)                                                                              \
    {                                                                                                                  \
        return intrinsic((cast)a, (cast)b, how);                                                                       \
    }
COMPARE(less, vector, _mm512_cmp_pd_mask, __m512d, _CMP_LT_OQ)
COMPARE(at_most, vector, _mm512_cmp_pd_mask, __m512d, _CMP_LE_OQ)
COMPARE(equal, vector, _mm512_cmp_pd_mask, __m512d, _CMP_EQ_OQ)
COMPARE(below, index, _mm512_cmp_epi64_mask, __m512i, _MM_CMPINT_LT)
COMPARE(identical, index, _mm512_cmp_epi64_mask, __m512i, _MM_CMPINT_EQ)
INLINE vector pick(lane_mask mask, vector yes, vector no)
{
    return (vector)_mm512_mask_blend_pd(mask, (__m512d)no, (__m512d)yes);
}
INLINE index pick_index(lane_mask mask, index yes, index no)
{
    return (index)_mm512_mask_blend_epi64(mask, (__m512i)no, (__m512i)yes);
}
INLINE index add_where(lane_mask mask, index to, int64_t count)
{
    return (index)_mm512_mask_add_epi64((__m512i)to, mask, (__m512i)to, _mm512_set1_epi64(count));
}
INLINE vector add_time_where(lane_mask mask, vector to, vector time)
{
    return (vector)_mm512_mask_add_pd((__m512d)to, mask, (__m512d)to, (__m512d)time);
}
INLINE bool some(lane_mask mask)
{
    return mask != 0;
}
INLINE lane_mask not(lane_mask mask)
{
    return (lane_mask)~mask;
}
#define EVERY ((lane_mask)0xff)
#else
typedef vector_mask lane_mask;
typedef vector_mask index;
#define COMPARE(name, type, operator)                                                                                  \
    INLINE lane_mask name(type a, type b)                                                                              \
    {                                                                                                                  \
        return a operator b;                                                                                           \
    }
COMPARE(less, vector, <)
COMPARE(at_most, vector, <=)
COMPARE(equal, vector, ==)
COMPARE(below, index, <)
COMPARE(identical, index, ==)
INLINE vector pick(lane_mask mask, vector yes, vector no)
{
    return choose(mask, yes, no);
}
INLINE index pick_index(lane_mask mask, index yes, index no)
{
    return ((yes ^ no) & mask) ^ no;
}
INLINE index add_where(lane_mask mask, index to, int64_t count)
{
    return to + (mask & count);
}
INLINE vector add_time_where(lane_mask mask, vector to, vector time)
{
    return to + where(mask, time);
}
INLINE bool some(lane_mask mask)
{
    return any(mask);
}
INLINE lane_mask not(lane_mask mask)
{
    return ~mask;
}
#define EVERY all(-1)
#endif

/* A rank: its rows, and what all of its lanes share. `single` is a constant wherever it is asked for: loads have one
   stage, on one resource. */
struct rank {
    const struct dlq_point *point;
    struct dlq_events_rows rows;
    const double *loads[DLQ_MOST_STAGES]; /* cumulative; the first row is that of batch `first` */
    int64_t first, batches;
    int64_t ring, loaders; /* offsets of the dummies: beyond the last place, and the last loader */
    vector scale;
    bool single;
};

/* A resource, as resource.h has it: count, demand, rate, and the slope of its time since it last changed. */
struct resource {
    vector work, spent, count, demand, rate, real, clock, natural; /* natural: 1 or 0 */
};

/* What changes with each event, of one vector of lanes, and of the turn: which stage ends first on each resource, in
   its own time, and where. */
struct lanes {
    index delivered, due, turn, idle, arrival_at;
    vector arrival, head, pinned;
    struct resource resources[DLQ_EVENTS_RESOURCES];
    vector earliest[DLQ_EVENTS_RESOURCES];
    index earliest_at[DLQ_EVENTS_RESOURCES];
};

INLINE int used(const struct rank *rank)
{
    return rank->single ? 1 : rank->rows.used;
}

INLINE double *field(const struct rank *rank, enum dlq_events_of_loader which)
{
    return rank->rows.loaders + ((rank->single ? 1 : rank->rows.fields) + (long)which) * DLQ_LANES;
}

/* -- a resource: the formulas of resource.c -- */

INLINE vector virtual_at(const struct resource *resource, vector now)
{
    return resource->clock + (now - resource->real) * resource->rate;
}

INLINE void set_rate(struct resource *resource, double capacity, lane_mask mask, vector now)
{
    lane_mask enough = at_most(resource->demand, same(capacity * (1 + 1e-12)));
    vector rate = pick(enough, same(1), same(capacity) / pick(enough, same(1), resource->demand));
    lane_mask changed = mask & not(equal(rate, resource->rate));
    resource->clock = pick(changed, virtual_at(resource, now), resource->clock);
    resource->real = pick(changed, now, resource->real);
    resource->rate = pick(changed, rate, resource->rate);
    resource->natural = pick(changed, same(0), resource->natural);
}

INLINE void leave_resource(const struct rank *rank, int r, struct resource *resource, lane_mask mask, vector now,
                           vector demand)
{
    if (!rank->rows.limited[r])
        return;
    resource->count = add_time_where(mask, resource->count, same(-1));
    resource->demand = add_time_where(mask, resource->demand, -demand);
    lane_mask empty = mask & equal(resource->count, same(0));
    set_rate(resource, rank->rows.capacity[r], mask, now);
    if (!some(empty))
        return;
    resource->demand = pick(empty, same(0), resource->demand);
    resource->rate = pick(empty, same(1), resource->rate);
    resource->real = pick(empty, same(0), resource->real);
    resource->clock = pick(empty, same(0), resource->clock);
    resource->natural = pick(empty, same(1), resource->natural);
}

/* When a load that comes now will leave, in the resource's time. */
INLINE vector enter_resource(const struct rank *rank, int r, struct resource *resource, lane_mask mask, vector now,
                             vector work, vector end, vector demand)
{
    if (!rank->rows.limited[r])
        return end;
    resource->count = add_time_where(mask, resource->count, same(1));
    resource->demand = add_time_where(mask, resource->demand, demand);
    set_rate(resource, rank->rows.capacity[r], mask, now);
    return pick(equal(resource->natural, same(1)), end, virtual_at(resource, now) + work);
}

/* -- loaders -- */

INLINE vector load_time(const struct rank *rank, vector draw, index loader)
{
    const struct dlq_point *point = rank->point;
    vector time = draw * rank->scale;
    if (point->slow_servers > 0)
        time = pick(below(loader, all(point->slow_servers * rank->rows.loader * DLQ_LANES)), time * point->slow_factor,
                    time);
    if (point->resolution > 0) {
        vector ticks = time / point->resolution - 1e-9;
        for (int k = 0; k < WIDTH; k++)
            ticks[k] = __builtin_ceil(ticks[k]);
        time = point->resolution * ticks;
    }
    return time;
}

/* The batch that an idle loader waits for arrives then, before all others if earlier: those come in order of index. */
INLINE void expect(struct lanes *lanes, lane_mask mask, index loader, vector arrival)
{
    lane_mask first = mask & less(arrival, lanes->arrival);
    lanes->arrival = pick(first, arrival, lanes->arrival);
    lanes->arrival_at = pick_index(first, loader, lanes->arrival_at);
}

/* What a loader is at, once the events of a turn are through: the stage under way, or an idle loader's next batch. */
struct progress {
    index batch, stage;
    vector base, before; /* when the batch began, as if nothing had slowed it; how long the stages before take */
    vector begun, takes, sum, end;
    index on; /* resource */
};

/* The batches of these lanes are done: pinned in order of completion, then on their way to the trainer. Returns the
   lanes whose loader has another batch by now, which becomes theirs. */
INLINE lane_mask complete(const struct rank *rank, struct lanes *lanes, int v, lane_mask mask, index loader,
                          struct progress *at, vector now)
{
    const struct dlq_events_rows *rows = &rank->rows;
    const int64_t ring = rank->ring;
    vector ready = now;
    if (rank->point->pin > 0) {
        ready = larger(now, lanes->pinned) + rank->point->pin;
        lanes->pinned = pick(mask, ready, lanes->pinned);
    }
    ready += rank->point->deliver;
    index place = (at->batch - lanes->delivered) * DLQ_LANES + lanes->due;
    place = add_where(not(below(place, all(ring))), place, -ring);
    scatter(rows->places, pick_index(mask, place, all(ring)), v, (vector)((index)ready | INT64_MIN));
    lanes->head = pick(mask & identical(at->batch, lanes->delivered), ready, lanes->head);
    index next = at->batch + rows->servers;
    lane_mask dispatched = mask & below(next, lanes->delivered + rows->count) & below(next, all(rank->batches));
    place += rows->servers % rows->count * DLQ_LANES;
    place = add_where(not(below(place, all(ring))), place, -ring);
    vector arrival = gather(rows->places, pick_index(dispatched, place, all(ring)), v);
    lane_mask more = dispatched & less(arrival, now);
    lane_mask idle = mask & not(more);
    at->batch = pick_index(more, next, at->batch);
    if (some(idle)) {
        arrival = pick(dispatched, arrival, same(NEVER));
        at->batch = pick_index(idle, -1 - next, at->batch);
        at->begun = pick(idle, arrival, at->begun);
        at->end = pick(idle, same(NEVER), at->end);
        expect(lanes, idle & dispatched, loader, arrival);
        lanes->idle = add_where(idle, lanes->idle, 1);
    }
    return more;
}

/* Loaders of the lanes in `mask` go on at `now`; those beyond the last stage with their next batch. Stages of no length
   are passed over. */
INLINE void proceed(const struct rank *rank, struct lanes *lanes, int v, const lane_mask mask, index loader,
                    struct progress at, vector now)
{
    const struct dlq_events_rows *rows = &rank->rows;
    const int64_t stages = rank->single ? 1 : (int64_t)rank->point->stages;
    lane_mask left = mask;
    do {
        lane_mask finished = left & identical(at.stage, all(stages));
        if (some(finished)) {
            lane_mask more = complete(rank, lanes, v, finished, loader, &at, now);
            left &= not(finished) | more;
            at.stage = pick_index(finished, all(0), at.stage);
            at.base = pick(finished, now, at.base);
            at.before = pick(finished, same(0), at.before);
        }
        for (int64_t k = 0; k < stages; k++) {
            const int r = rank->single ? 0 : rows->resource_of[k];
            lane_mask here = left & identical(at.stage, all(k));
            if (!rank->single && !some(here))
                continue;
            index draw_at = pick_index(here, at.batch - rank->first, all(0)) * DLQ_LANES;
            vector after = load_time(rank, gather(rank->loads[k], draw_at, v), loader), work = after - at.before;
            lane_mask enters = here & less(at.before, after);
            vector end = enter_resource(rank, r, &lanes->resources[r], enters, now, work, at.base + after,
                                        same(rows->demand[k]));
            at.begun = pick(enters, now, at.begun);
            at.takes = pick(enters, work, at.takes);
            at.sum = pick(enters, after, at.sum);
            at.end = pick(enters, end, at.end);
            at.on = pick_index(enters, all(r), at.on);
            left &= not(enters);
            at.stage = add_where(here & not(enters), at.stage, 1);
        }
    } while (some(left));
    loader = pick_index(mask, loader, all(rank->loaders));
    scatter(field(rank, DLQ_EVENTS_BATCH), loader, v, (vector)at.batch);
    scatter(field(rank, DLQ_EVENTS_BEGUN), loader, v, at.begun);
    scatter(field(rank, DLQ_EVENTS_TAKES), loader, v, at.takes);
    for (int r = 0; r < used(rank); r++)
        scatter(rows->loaders + r * DLQ_LANES, loader, v,
                rank->single ? at.end : pick(identical(at.on, all(r)), at.end, same(NEVER)));
    if (!rank->single) {
        scatter(field(rank, DLQ_EVENTS_STAGE), loader, v, (vector)at.stage);
        scatter(field(rank, DLQ_EVENTS_BASE), loader, v, at.base);
        scatter(field(rank, DLQ_EVENTS_SUM), loader, v, at.sum);
    }
}

/* -- events -- */

/* Ties go to the lowest batch. */
INLINE void find_earliest_of_tied(const struct rank *rank, struct lanes *lanes, int v, int r)
{
    vector earliest = same(0.5 * NEVER);
    index at = all(0), batch = all(0);
    for (int64_t loader = 0; loader < rank->loaders; loader += rank->rows.loader * DLQ_LANES) {
        vector end = load(rank->rows.loaders + r * DLQ_LANES + loader, v);
        index number = (index)load(field(rank, DLQ_EVENTS_BATCH) + loader, v);
        lane_mask before = less(end, earliest) | (equal(end, earliest) & below(number, batch));
        at = pick_index(before, all(loader), at);
        batch = pick_index(before, number, batch);
        earliest = smaller(end, earliest);
    }
    lanes->earliest[r] = earliest;
    lanes->earliest_at[r] = at;
}

/* Which loader's stage ends first on each resource. */
INLINE void find_earliest(const struct rank *rank, struct lanes *lanes, int v)
{
    const int64_t stride = rank->rows.loader * DLQ_LANES;
    for (int r = 0; r < used(rank); r++) {
        const double *ends = rank->rows.loaders + r * DLQ_LANES;
        vector earliest = same(0.5 * NEVER);
        index at = all(0);
        lane_mask tied = not(EVERY);
        for (int64_t loader = 0; loader < rank->loaders; loader += stride) {
            vector end = load(ends + loader, v);
            tied |= equal(end, earliest);
            at = pick_index(less(end, earliest), all(loader), at);
            earliest = smaller(end, earliest);
        }
        lanes->earliest[r] = earliest;
        lanes->earliest_at[r] = at;
        if (some(tied))
            find_earliest_of_tied(rank, lanes, v, r);
    }
}

/* When, in real time, and on which resource the next stage ends. */
INLINE vector next_leave(const struct rank *rank, const struct lanes *lanes, index *on)
{
    vector first = same(NEVER);
    *on = all(0);
    for (int r = 0; r < used(rank); r++) {
        const struct resource *resource = &lanes->resources[r];
        vector next = lanes->earliest[r];
        if (rank->rows.limited[r])
            next =
                pick(less(next, same(0.5 * NEVER)), resource->real + (next - resource->clock) / resource->rate, next);
        *on = pick_index(less(next, first), all(r), *on);
        first = smaller(next, first);
    }
    return first;
}

/* Which idle loader's batch arrives first; ties go to the lowest batch. */
INLINE void find_arrival(const struct rank *rank, struct lanes *lanes, int v)
{
    vector arrival = same(NEVER);
    index at = all(0), batch = all(0);
    for (int64_t loader = 0; loader < rank->loaders; loader += rank->rows.loader * DLQ_LANES) {
        vector begun = load(field(rank, DLQ_EVENTS_BEGUN) + loader, v);
        index number = (index)load(field(rank, DLQ_EVENTS_BATCH) + loader, v); /* -1 - the next one's */
        lane_mask before =
            below(number, all(0)) & (less(begun, arrival) | (equal(begun, arrival) & below(batch, number)));
        at = pick_index(before, all(loader), at);
        batch = pick_index(before, number, batch);
        arrival = pick(before, begun, arrival);
    }
    lanes->arrival = arrival;
    lanes->arrival_at = at;
}

/* The next event of the lanes in `mask`, whose next batch is not done: a batch reaches its idle loader, or a stage
   ends. */
INLINE void next_event(const struct rank *rank, struct lanes *lanes, int v, lane_mask mask)
{
    index on;
    find_earliest(rank, lanes, v);
    const vector leaving = next_leave(rank, lanes, &on);
    const lane_mask arrives = mask & less(lanes->arrival, leaving), leaves = mask & not(arrives);
    const vector now = pick(arrives, lanes->arrival, leaving);
    index loader = lanes->earliest_at[0];
    for (int r = 1; r < used(rank); r++)
        loader = pick_index(identical(on, all(r)), lanes->earliest_at[r], loader);
    loader = pick_index(arrives, lanes->arrival_at, loader);
    const vector work = gather(field(rank, DLQ_EVENTS_TAKES), loader, v);
    const vector begun = gather(field(rank, DLQ_EVENTS_BEGUN), loader, v);
    struct progress at = {
        .batch = (index)gather(field(rank, DLQ_EVENTS_BATCH), loader, v), .base = now, .begun = begun, .takes = work};
    at.batch = pick_index(arrives, -1 - at.batch, at.batch);
    vector demand = same(rank->rows.demand[0]);
    if (!rank->single) {
        index stage = (index)gather(field(rank, DLQ_EVENTS_STAGE), loader, v);
        vector sum = gather(field(rank, DLQ_EVENTS_SUM), loader, v);
        vector base = gather(field(rank, DLQ_EVENTS_BASE), loader, v);
        at.before = pick(leaves, sum, same(0));
        at.base = pick(leaves, pick(equal(now, base + sum), base, now - sum), now);
        at.stage = pick_index(leaves, stage, all(0));
        for (size_t k = 1; k < rank->point->stages; k++)
            demand = pick(identical(stage, all((int64_t)k)), same(rank->rows.demand[k]), demand);
    }
    at.stage = add_where(leaves, at.stage, 1);
    for (int r = 0; r < used(rank); r++) {
        struct resource *resource = &lanes->resources[r];
        lane_mask here = rank->single ? leaves : leaves & identical(on, all(r));
        leave_resource(rank, r, resource, here, now, demand);
        resource->work = add_time_where(here, resource->work, work);
        resource->spent = add_time_where(here, resource->spent, now - begun);
    }
    lanes->idle = add_where(arrives, lanes->idle, -1);
    if (some(arrives))
        lanes->arrival = pick(arrives, same(NEVER), lanes->arrival);
    proceed(rank, lanes, v, mask, loader, at, now);
    if (some(arrives))
        find_arrival(rank, lanes, v);
}

/* The batch that the trainer takes from these lanes is delivered at `begin`; the next one is dispatched. */
INLINE void deliver(const struct rank *rank, struct lanes *lanes, int v, lane_mask mask, vector begin)
{
    const struct dlq_events_rows *rows = &rank->rows;
    vector arrival = begin + rank->point->dispatch;
    lane_mask more = mask & below(lanes->delivered + rows->count, all(rank->batches));
    scatter(rows->places, pick_index(mask, lanes->due, all(rank->ring)), v, arrival);
    if (some(more & below(all(0), lanes->idle))) {
        index loader = pick_index(more, lanes->turn, all(rank->loaders));
        index next = -1 - (index)gather(field(rank, DLQ_EVENTS_BATCH), loader, v);
        lane_mask awaited = more & identical(next, lanes->delivered + rows->count);
        scatter(field(rank, DLQ_EVENTS_BEGUN), pick_index(awaited, loader, all(rank->loaders)), v, arrival);
        expect(lanes, awaited, loader, arrival);
    }
    lanes->turn = add_where(more, lanes->turn, rows->loader * DLQ_LANES);
    lanes->turn = pick_index(identical(lanes->turn, all(rank->loaders)), all(0), lanes->turn);
    lanes->delivered = add_where(mask, lanes->delivered, 1);
    lanes->due = add_where(mask, lanes->due, DLQ_LANES);
    lanes->due = pick_index(identical(lanes->due, all(rank->ring)), all(0), lanes->due);
    vector due = gather(rows->places, lanes->due, v);
    vector done = pick(below((index)due, all(0)), (vector)((index)due & INT64_MAX), same(NEVER));
    lanes->head = pick(mask, done, lanes->head);
}

/* -- memory -- */

/* Between a rank's rows and the lanes that are under way. */
INLINE void exchange(struct lanes *lanes, const struct rank *rank, int v, const bool keep)
{
    void *const registers[] = {
        [DLQ_EVENTS_DELIVERED] = &lanes->delivered, [DLQ_EVENTS_DUE] = &lanes->due,
        [DLQ_EVENTS_TURN] = &lanes->turn,           [DLQ_EVENTS_IDLE] = &lanes->idle,
        [DLQ_EVENTS_ARRIVAL] = &lanes->arrival,     [DLQ_EVENTS_ARRIVAL_AT] = &lanes->arrival_at,
        [DLQ_EVENTS_HEAD] = &lanes->head,           [DLQ_EVENTS_PINNED] = &lanes->pinned,
    };
    _Pragma("GCC unroll 8") for (int i = 0; i < DLQ_EVENTS_OF_RANK; i++)
    {
        double *row = rank->rows.registers + i * DLQ_LANES + v * WIDTH;
        memcpy(keep ? (void *)row : registers[i], keep ? registers[i] : (void *)row, sizeof(vector));
    }
    for (int r = 0; r < used(rank); r++) {
        struct resource *resource = &lanes->resources[r];
        void *const values[] = {
            [DLQ_EVENTS_WORK] = &resource->work,   [DLQ_EVENTS_SPENT] = &resource->spent,
            [DLQ_EVENTS_COUNT] = &resource->count, [DLQ_EVENTS_DEMAND] = &resource->demand,
            [DLQ_EVENTS_RATE] = &resource->rate,   [DLQ_EVENTS_REAL] = &resource->real,
            [DLQ_EVENTS_CLOCK] = &resource->clock, [DLQ_EVENTS_NATURAL] = &resource->natural,
        };
        _Pragma("GCC unroll 8") for (int i = 0; i < DLQ_EVENTS_OF_RESOURCE; i++)
        {
            double *row = rank->rows.resources + (r * DLQ_EVENTS_OF_RESOURCE + i) * DLQ_LANES + v * WIDTH;
            memcpy(keep ? (void *)row : values[i], keep ? values[i] : (void *)row, sizeof(vector));
        }
    }
}

INLINE struct rank rank_of(const struct dlq_lane_state *state, const struct dlq_lane_block *block, const bool single)
{
    const struct dlq_point *point = state->point;
    struct rank rank = {
        .point = point,
        .rows = dlq_events_rows_of(state, 0),
        .first = state->dispatched,
        .batches = state->batches,
        .single = single,
    };
    rank.ring = rank.rows.count * DLQ_LANES;
    rank.loaders = rank.rows.servers * rank.rows.loader * DLQ_LANES;
    for (size_t k = 0; k < point->stages; k++)
        rank.loads[k] = block->cumulative[k];
    return rank;
}

/* The next rank: its rows and draws lie behind those of the one before. */
INLINE void move_rank(struct rank *rank, long rows, size_t draws)
{
    rank->rows.registers += rows * DLQ_LANES;
    rank->rows.resources += rows * DLQ_LANES;
    rank->rows.loaders += rows * DLQ_LANES;
    rank->rows.places += rows * DLQ_LANES;
    for (size_t k = 0; k < rank->point->stages; k++)
        rank->loads[k] += draws;
}

/* -- steps -- */

/* One rank: each lane goes through its n steps by itself. When the trainer could have each batch goes into `ready`. */
INLINE void run_alone(const struct rank *rank, const double *ends, const double *steps, size_t n, double *ready,
                      const struct numbers *numbers)
{
    struct lanes lanes[VECTORS];
    vector ended[VECTORS];
    const int64_t until = rank->first + (int64_t)n;
    for (int v = 0; v < VECTORS; v++) {
        exchange(&lanes[v], rank, v, false);
        ended[v] = load(ends, v);
    }
    for (bool busy = true; busy;) {
        busy = false;
        for (int v = 0; v < VECTORS; v++) {
            struct lanes *own = &lanes[v];
            lane_mask takes = below(own->delivered, all(until)) & less(own->head, same(NEVER));
            if (some(takes)) {
                index at = (own->delivered - rank->first) * DLQ_LANES;
                vector begin = larger(ended[v], own->head) + numbers->receive;
                vector end = begin + gather(steps, pick_index(takes, at, all(0)), v) * numbers->step;
                ended[v] = pick(takes, end, ended[v]);
                scatter(ready, pick_index(takes, at, all((int64_t)n * DLQ_LANES)), v, own->head);
                deliver(rank, own, v, takes, begin);
            }
            lane_mask goes_on = below(own->delivered, all(until));
            lane_mask waits = goes_on & not(less(own->head, same(NEVER)));
            if (some(waits))
                next_event(rank, own, v, waits);
            busy = busy || some(goes_on);
        }
    }
    for (int v = 0; v < VECTORS; v++)
        exchange(&lanes[v], rank, v, true);
}

/* A rank's next batch in all lanes, which begins a step that others begin with it; `latest` of all ranks. */
INLINE void run_step(const struct rank *rank, const struct sums *sums, double *latest, bool first,
                     const struct numbers *numbers)
{
    struct lanes lanes[VECTORS];
    for (int v = 0; v < VECTORS; v++)
        exchange(&lanes[v], rank, v, false);
    for (bool busy = true; busy;) {
        busy = false;
        for (int v = 0; v < VECTORS; v++) {
            lane_mask waits = not(less(lanes[v].head, same(NEVER)));
            if (some(waits)) {
                next_event(rank, &lanes[v], v, waits);
                busy = true;
            }
        }
    }
    for (int v = 0; v < VECTORS; v++) {
        vector head = lanes[v].head;
        store(latest, v, first ? head : larger(load(latest, v), head));
        deliver(rank, &lanes[v], v, EVERY, larger(sums[v].end, head) + numbers->receive);
        exchange(&lanes[v], rank, v, true);
    }
}

INLINE void advance(struct dlq_lane_state *state, const struct dlq_lane_block *block, size_t n,
                    enum dlq_lane_measure measure, double *waits, const bool single)
{
    const struct dlq_point *point = state->point;
    const struct numbers numbers = numbers_of(state, false);
    const vector scale = same(point->load_scale), slow_scale = same(point->load_scale * point->slow_factor);
    struct rank first = rank_of(state, block, single);
    struct sums sums[VECTORS];
    EACH_VECTOR(v) sums[v] = sums_load(state->sums, v);
    if (point->ranks == 1) {
        first.scale = point->slow_ranks > 0 ? slow_scale : scale;
        run_alone(&first, state->sums->end, block->steps, n, state->buffer, &numbers);
    }
    for (size_t i = 0; i < n; i++) {
        double *ready = state->buffer + (point->ranks == 1 ? i * DLQ_LANES : 0);
        struct rank rank = first;
        for (long number = 0; point->ranks > 1 && number < point->ranks; number++) {
            rank.scale = number < point->slow_ranks ? slow_scale : scale;
            run_step(&rank, sums, ready, number == 0, &numbers);
            move_rank(&rank, state->server_rows + state->places, block->rank_stride);
        }
        EACH_VECTOR(v)
        {
            take(&numbers, &sums[v], v, load(ready, v), block->steps + i * DLQ_LANES, measure,
                 waits != NULL ? waits + i * DLQ_LANES : NULL);
        }
    }
    state->dispatched += (long)n;
    EACH_VECTOR(v) sums_store(state->sums, v, &sums[v]);
}

static void advance_single(struct dlq_lane_state *const *states, size_t count, const struct dlq_lane_block *block,
                           size_t n, enum dlq_lane_measure measure, const struct dlq_lane_record *records)
{
    for (size_t q = 0; q < count; q++)
        advance(states[q], block, n, measure, measure == DLQ_LANE_SERIES ? records[q].waits : NULL, true);
}

static void advance_staged(struct dlq_lane_state *const *states, size_t count, const struct dlq_lane_block *block,
                           size_t n, enum dlq_lane_measure measure, const struct dlq_lane_record *records)
{
    for (size_t q = 0; q < count; q++)
        advance(states[q], block, n, measure, measure == DLQ_LANE_SERIES ? records[q].waits : NULL, false);
}

extern const dlq_lane_advances DLQ_FOR_SET(dlq_events);
const dlq_lane_advances DLQ_FOR_SET(dlq_events) = {advance_single, advance_staged};
