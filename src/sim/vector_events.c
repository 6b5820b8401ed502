/* Loads that share cores or bandwidth, or that a serial thread pins, by events: see kernel_events.c. Delivered in order
   of index, batch i loaded by loader i mod N. Each lane is at an event of its own: a turn takes every lane that needs
   its next batch through one. */
#include "sim/events_rows.h"
#include "sim/vector.h"

#include <string.h>

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
    vector work, spent, count, demand, rate, real, clock;
    vector_mask natural;
};

/* What changes with each event, of one vector of lanes, and of the turn: which stage ends first on each resource, in
   its own time, and where. */
struct lanes {
    vector_mask delivered, due, turn, idle, arrival_at;
    vector arrival, head, pinned;
    struct resource resources[DLQ_EVENTS_RESOURCES];
    vector earliest[DLQ_EVENTS_RESOURCES];
    vector_mask earliest_at[DLQ_EVENTS_RESOURCES];
};

INLINE int used(const struct rank *rank)
{
    return rank->single ? 1 : rank->rows.used;
}

INLINE double *field(const struct rank *rank, enum dlq_events_of_loader which)
{
    return rank->rows.loaders + ((rank->single ? 1 : rank->rows.fields) + (long)which) * DLQ_LANES;
}

INLINE vector_mask choose_index(vector_mask mask, vector_mask yes, vector_mask no)
{
    return ((yes ^ no) & mask) ^ no;
}

/* -- a resource: the formulas of resource.c -- */

INLINE vector virtual_at(const struct resource *resource, vector now)
{
    return resource->clock + (now - resource->real) * resource->rate;
}

INLINE void set_rate(struct resource *resource, double capacity, vector_mask mask, vector now)
{
    vector_mask enough = resource->demand <= same(capacity * (1 + 1e-12));
    vector rate = choose(enough, same(1), same(capacity) / choose(enough, same(1), resource->demand));
    vector_mask changed = mask & (rate != resource->rate);
    resource->clock = choose(changed, virtual_at(resource, now), resource->clock);
    resource->real = choose(changed, now, resource->real);
    resource->rate = choose(changed, rate, resource->rate);
    resource->natural &= ~changed;
}

INLINE void leave_resource(const struct rank *rank, int r, struct resource *resource, vector_mask mask, vector now,
                           vector demand)
{
    if (!rank->rows.limited[r])
        return;
    resource->count -= where(mask, same(1));
    resource->demand -= where(mask, demand);
    vector_mask empty = mask & (resource->count == 0);
    set_rate(resource, rank->rows.capacity[r], mask, now);
    if (!any(empty))
        return;
    resource->demand = where(~empty, resource->demand);
    resource->rate = choose(empty, same(1), resource->rate);
    resource->real = where(~empty, resource->real);
    resource->clock = where(~empty, resource->clock);
    resource->natural |= empty;
}

/* When a load that comes now will leave, in the resource's time. */
INLINE vector enter_resource(const struct rank *rank, int r, struct resource *resource, vector_mask mask, vector now,
                             vector work, vector end, vector demand)
{
    if (!rank->rows.limited[r])
        return end;
    resource->count += where(mask, same(1));
    resource->demand += where(mask, demand);
    set_rate(resource, rank->rows.capacity[r], mask, now);
    return choose(resource->natural, end, virtual_at(resource, now) + work);
}

/* -- loaders -- */

INLINE vector load_time(const struct rank *rank, vector draw, vector_mask loader)
{
    const struct dlq_point *point = rank->point;
    vector time = draw * rank->scale;
    if (point->slow_servers > 0)
        time = choose(loader < point->slow_servers * rank->rows.loader * DLQ_LANES, time * point->slow_factor, time);
    if (point->resolution > 0) {
        vector ticks = time / point->resolution - 1e-9;
        for (int k = 0; k < WIDTH; k++)
            ticks[k] = __builtin_ceil(ticks[k]);
        time = point->resolution * ticks;
    }
    return time;
}

/* The batch that an idle loader waits for arrives then, before all others if earlier: those come in order of index. */
INLINE void expect(struct lanes *lanes, vector_mask mask, vector_mask loader, vector arrival)
{
    vector_mask first = mask & (arrival < lanes->arrival);
    lanes->arrival = choose(first, arrival, lanes->arrival);
    lanes->arrival_at = choose_index(first, loader, lanes->arrival_at);
}

/* What a loader is at, once the events of a turn are through: the stage under way, or an idle loader's next batch. */
struct progress {
    vector_mask batch, stage;
    vector base, before; /* when the batch began, as if nothing had slowed it; how long the stages before take */
    vector begun, takes, sum, end;
    vector_mask on; /* resource */
};

/* The batches of these lanes are done: pinned in order of completion, then on their way to the trainer. Returns the
   lanes whose loader has another batch by now, which becomes theirs. */
INLINE vector_mask complete(const struct rank *rank, struct lanes *lanes, int v, vector_mask mask, vector_mask loader,
                            struct progress *at, vector now)
{
    const struct dlq_events_rows *rows = &rank->rows;
    const int64_t ring = rank->ring;
    vector ready = now;
    if (rank->point->pin > 0) {
        ready = larger(now, lanes->pinned) + rank->point->pin;
        lanes->pinned = choose(mask, ready, lanes->pinned);
    }
    ready += rank->point->deliver;
    vector_mask place = (at->batch - lanes->delivered) * DLQ_LANES + lanes->due;
    place -= (place >= ring) & ring;
    scatter(rows->places, choose_index(mask, place, all(ring)), v, (vector)((vector_mask)ready | INT64_MIN));
    lanes->head = choose(mask & (at->batch == lanes->delivered), ready, lanes->head);
    vector_mask next = at->batch + rows->servers;
    vector_mask dispatched = mask & (next < lanes->delivered + rows->count) & (next < rank->batches);
    place += rows->servers % rows->count * DLQ_LANES;
    place -= (place >= ring) & ring;
    vector arrival = gather(rows->places, choose_index(dispatched, place, all(ring)), v);
    vector_mask more = dispatched & (arrival < now);
    vector_mask idle = mask & ~more;
    at->batch = choose_index(more, next, at->batch);
    if (any(idle)) {
        arrival = choose(dispatched, arrival, same(NEVER));
        at->batch = choose_index(idle, -1 - next, at->batch);
        at->begun = choose(idle, arrival, at->begun);
        at->end = choose(idle, same(NEVER), at->end);
        expect(lanes, idle & dispatched, loader, arrival);
        lanes->idle -= idle;
    }
    return more;
}

/* Loaders of the lanes in `mask` go on at `now`; those beyond the last stage with their next batch. Stages of no length
   are passed over. */
INLINE void proceed(const struct rank *rank, struct lanes *lanes, int v, const vector_mask mask, vector_mask loader,
                    struct progress at, vector now)
{
    const struct dlq_events_rows *rows = &rank->rows;
    const int64_t stages = rank->single ? 1 : (int64_t)rank->point->stages;
    vector_mask left = mask;
    do {
        vector_mask finished = left & (at.stage == stages);
        if (any(finished)) {
            vector_mask more = complete(rank, lanes, v, finished, loader, &at, now);
            left &= ~finished | more;
            at.stage &= ~finished;
            at.base = choose(finished, now, at.base);
            at.before = where(~finished, at.before);
        }
        for (int64_t k = 0; k < stages; k++) {
            const int r = rank->single ? 0 : rows->resource_of[k];
            vector_mask here = left & (at.stage == k);
            if (!rank->single && !any(here))
                continue;
            vector draw = gather(rank->loads[k], ((at.batch - rank->first) & here) * DLQ_LANES, v);
            vector after = load_time(rank, draw, loader), work = after - at.before;
            vector_mask enters = here & (after > at.before);
            vector end = enter_resource(rank, r, &lanes->resources[r], enters, now, work, at.base + after,
                                        same(rows->demand[k]));
            at.begun = choose(enters, now, at.begun);
            at.takes = choose(enters, work, at.takes);
            at.sum = choose(enters, after, at.sum);
            at.end = choose(enters, end, at.end);
            at.on = choose_index(enters, all(r), at.on);
            left &= ~enters;
            at.stage -= here & ~enters;
        }
    } while (any(left));
    loader = choose_index(mask, loader, all(rank->loaders));
    scatter(field(rank, DLQ_EVENTS_BATCH), loader, v, (vector)at.batch);
    scatter(field(rank, DLQ_EVENTS_BEGUN), loader, v, at.begun);
    scatter(field(rank, DLQ_EVENTS_TAKES), loader, v, at.takes);
    for (int r = 0; r < used(rank); r++)
        scatter(rows->loaders + r * DLQ_LANES, loader, v,
                rank->single ? at.end : choose(at.on == r, at.end, same(NEVER)));
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
    vector_mask at = all(0), batch = all(0);
    for (int64_t loader = 0; loader < rank->loaders; loader += rank->rows.loader * DLQ_LANES) {
        vector end = load(rank->rows.loaders + r * DLQ_LANES + loader, v);
        vector_mask number = (vector_mask)load(field(rank, DLQ_EVENTS_BATCH) + loader, v);
        vector_mask before = (end < earliest) | ((end == earliest) & (number < batch));
        at = choose_index(before, all(loader), at);
        batch = choose_index(before, number, batch);
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
        vector_mask at = all(0), tied = all(0);
        for (int64_t loader = 0; loader < rank->loaders; loader += stride) {
            vector end = load(ends + loader, v);
            tied |= end == earliest;
            at = choose_index(end < earliest, all(loader), at);
            earliest = smaller(end, earliest);
        }
        lanes->earliest[r] = earliest;
        lanes->earliest_at[r] = at;
        if (any(tied))
            find_earliest_of_tied(rank, lanes, v, r);
    }
}

/* When, in real time, and on which resource the next stage ends. */
INLINE vector next_leave(const struct rank *rank, const struct lanes *lanes, vector_mask *on)
{
    vector first = same(NEVER);
    *on = all(0);
    for (int r = 0; r < used(rank); r++) {
        const struct resource *resource = &lanes->resources[r];
        vector next = lanes->earliest[r];
        if (rank->rows.limited[r])
            next = choose(next < 0.5 * NEVER, resource->real + (next - resource->clock) / resource->rate, next);
        *on = choose_index(next < first, all(r), *on);
        first = smaller(next, first);
    }
    return first;
}

/* Which idle loader's batch arrives first; ties go to the lowest batch. */
INLINE void find_arrival(const struct rank *rank, struct lanes *lanes, int v)
{
    vector arrival = same(NEVER);
    vector_mask at = all(0), batch = all(0);
    for (int64_t loader = 0; loader < rank->loaders; loader += rank->rows.loader * DLQ_LANES) {
        vector begun = load(field(rank, DLQ_EVENTS_BEGUN) + loader, v);
        vector_mask number = (vector_mask)load(field(rank, DLQ_EVENTS_BATCH) + loader, v); /* -1 - the next one's */
        vector_mask before = (number < 0) & ((begun < arrival) | ((begun == arrival) & (number > batch)));
        at = choose_index(before, all(loader), at);
        batch = choose_index(before, number, batch);
        arrival = choose(before, begun, arrival);
    }
    lanes->arrival = arrival;
    lanes->arrival_at = at;
}

/* The next event of the lanes in `mask`, whose next batch is not done: a batch reaches its idle loader, or a stage
   ends. */
INLINE void next_event(const struct rank *rank, struct lanes *lanes, int v, vector_mask mask)
{
    vector_mask on;
    find_earliest(rank, lanes, v);
    const vector leaving = next_leave(rank, lanes, &on);
    const vector_mask arrives = mask & (lanes->arrival < leaving), leaves = mask & ~arrives;
    const vector now = choose(arrives, lanes->arrival, leaving);
    vector_mask loader = lanes->earliest_at[0];
    for (int r = 1; r < used(rank); r++)
        loader = choose_index(on == r, lanes->earliest_at[r], loader);
    loader = choose_index(arrives, lanes->arrival_at, loader);
    const vector work = gather(field(rank, DLQ_EVENTS_TAKES), loader, v);
    const vector begun = gather(field(rank, DLQ_EVENTS_BEGUN), loader, v);
    struct progress at = {.batch = (vector_mask)gather(field(rank, DLQ_EVENTS_BATCH), loader, v),
                          .base = now,
                          .begun = begun,
                          .takes = work};
    at.batch = choose_index(arrives, -1 - at.batch, at.batch);
    vector demand = same(rank->rows.demand[0]);
    if (!rank->single) {
        vector_mask stage = (vector_mask)gather(field(rank, DLQ_EVENTS_STAGE), loader, v);
        vector sum = gather(field(rank, DLQ_EVENTS_SUM), loader, v);
        vector base = gather(field(rank, DLQ_EVENTS_BASE), loader, v);
        at.before = where(leaves, sum);
        at.base = choose(leaves, choose(now != base + sum, now - sum, base), now);
        at.stage = stage & leaves;
        for (size_t k = 1; k < rank->point->stages; k++)
            demand = choose(stage == (int64_t)k, same(rank->rows.demand[k]), demand);
    }
    at.stage -= leaves;
    for (int r = 0; r < used(rank); r++) {
        struct resource *resource = &lanes->resources[r];
        vector_mask here = rank->single ? leaves : leaves & (on == r);
        leave_resource(rank, r, resource, here, now, demand);
        resource->work += where(here, work);
        resource->spent += where(here, now - begun);
    }
    lanes->idle += arrives;
    if (any(arrives))
        lanes->arrival = choose(arrives, same(NEVER), lanes->arrival);
    proceed(rank, lanes, v, mask, loader, at, now);
    if (any(arrives))
        find_arrival(rank, lanes, v);
}

/* The batch that the trainer takes from these lanes is delivered at `begin`; the next one is dispatched. */
INLINE void deliver(const struct rank *rank, struct lanes *lanes, int v, vector_mask mask, vector begin)
{
    const struct dlq_events_rows *rows = &rank->rows;
    vector arrival = begin + rank->point->dispatch;
    vector_mask more = mask & (lanes->delivered + rows->count < rank->batches);
    scatter(rows->places, choose_index(mask, lanes->due, all(rank->ring)), v, arrival);
    if (any(more & (lanes->idle > 0))) {
        vector_mask loader = choose_index(more, lanes->turn, all(rank->loaders));
        vector_mask next = -1 - (vector_mask)gather(field(rank, DLQ_EVENTS_BATCH), loader, v);
        vector_mask awaited = more & (next == lanes->delivered + rows->count);
        scatter(field(rank, DLQ_EVENTS_BEGUN), choose_index(awaited, loader, all(rank->loaders)), v, arrival);
        expect(lanes, awaited, loader, arrival);
    }
    lanes->turn += more & (rows->loader * DLQ_LANES);
    lanes->turn &= ~(lanes->turn == rank->loaders);
    lanes->delivered -= mask;
    lanes->due += mask & DLQ_LANES;
    lanes->due &= ~(lanes->due == rank->ring);
    vector due = gather(rows->places, lanes->due, v);
    lanes->head =
        choose(mask, choose((vector_mask)due < 0, (vector)((vector_mask)due & INT64_MAX), same(NEVER)), lanes->head);
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
            vector_mask takes = (own->delivered < until) & (own->head < NEVER);
            if (any(takes)) {
                vector_mask at = (own->delivered - rank->first) * DLQ_LANES;
                vector begin = larger(ended[v], own->head) + numbers->receive;
                vector end = begin + gather(steps, at & takes, v) * numbers->step;
                ended[v] = choose(takes, end, ended[v]);
                scatter(ready, choose_index(takes, at, all((int64_t)n * DLQ_LANES)), v, own->head);
                deliver(rank, own, v, takes, begin);
            }
            vector_mask goes_on = own->delivered < until;
            vector_mask waits = goes_on & (own->head >= NEVER);
            if (any(waits))
                next_event(rank, own, v, waits);
            busy = busy || any(goes_on);
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
            vector_mask waits = lanes[v].head >= NEVER;
            if (any(waits)) {
                next_event(rank, &lanes[v], v, waits);
                busy = true;
            }
        }
    }
    for (int v = 0; v < VECTORS; v++) {
        vector head = lanes[v].head;
        store(latest, v, first ? head : larger(load(latest, v), head));
        deliver(rank, &lanes[v], v, all(-1), larger(sums[v].end, head) + numbers->receive);
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
