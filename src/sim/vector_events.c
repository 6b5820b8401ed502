/* Loads that share cores or bandwidth, or that a serial thread pins, by events: see events.c. Delivered in order
   of index, batch i loaded by loader i mod N.

   Each lane is at an event of its own; a turn takes every lane through one or two. What a delivery does to the loaders
   is that the batch dispatched with it reaches its loader, so a delivery is held back until no stage ends before that:
   then all happens in order of time, and batch b waits at its loader exactly if b < delivered + K. */
#include "sim/vector_resource.h"

#include <string.h>

/* What changes with each event, of one vector of lanes. */
struct lanes {
    index delivered, due, turn, lap;
    vector head,
        pinned; /* when the trainer can take batch `delivered`, NEVER: it is not done; when pinning is through */
    struct resource resources[DLQ_EVENTS_RESOURCES];
};

/* The stage that ends first on each resource, in its time, and at which loader. */
struct first {
    vector end[DLQ_EVENTS_RESOURCES];
    index loader[DLQ_EVENTS_RESOURCES];
};

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

/* What a loader is at. */
struct progress {
    index batch, stage;
    vector base, before; /* when the batch began, as if nothing had slowed it; how long the stages before take */
    vector end, sum;     /* of the stage, in its resource's time; the stages up to it */
    index on;            /* resource */
};

/* The batches of these lanes are done: pinned in order of completion, then on their way to the trainer. Returns the
   lanes whose loader has another batch by now, which becomes theirs. A place holds when the trainer can take its
   batch, the sign telling the laps round the places apart. */
INLINE lane_mask complete(const struct rank *rank, struct lanes *lanes, int v, lane_mask mask, struct progress *at,
                          vector now)
{
    const struct dlq_events_rows *rows = &rank->rows;
    vector ready = now;
    if (rank->point->pin > 0) {
        ready = larger(now, lanes->pinned) + rank->point->pin;
        lanes->pinned = pick(mask, ready, lanes->pinned);
    }
    ready += rank->point->deliver;
    index place = (at->batch - lanes->delivered) * DLQ_LANES + lanes->due;
    lane_mask here = below(place, all(rank->ring));
    place = add_where(not(here), place, -rank->ring);
    index lap = pick_index(here, lanes->lap, lanes->lap ^ INT64_MIN);
    scatter_where(mask, rows->places, place, v, (vector)((index)ready ^ lap));
    lanes->head = pick(mask & identical(at->batch, lanes->delivered), ready, lanes->head);
    at->batch = add_where(mask, at->batch, rows->servers);
    return mask & below(at->batch, lanes->delivered + rows->count) & below(at->batch, all(rank->batches));
}

/* Loaders of the lanes in `mask` go on at `now`; `finished`: those beyond the last stage, with their next batch. Stages
   of no length are passed over. */
INLINE void proceed(const struct rank *rank, struct lanes *lanes, int v, const lane_mask mask, lane_mask finished,
                    index loader, struct progress at, vector now)
{
    const struct dlq_events_rows *rows = &rank->rows;
    const int64_t stages = (int64_t)rank->point->stages;
    at.end = same(NEVER);
    for (lane_mask left = mask; some(left); finished = left) {
        if (some(finished)) {
            lane_mask more = complete(rank, lanes, v, finished, &at, now);
            left &= not(finished) | more;
            at.stage = pick_index(more, all(0), at.stage);
            at.base = pick(finished, now, at.base);
            at.before = pick(finished, same(0), at.before);
        }
        for (int64_t k = 0; k < stages; k++) {
            const int r = rows->resource_of[k];
            lane_mask here = left & identical(at.stage, all(k));
            if (!some(here))
                continue;
            index draw_at = (at.batch - rank->first) * DLQ_LANES;
            vector after = load_time(rank, gather_where(here, rank->loads[k], draw_at, v), loader);
            vector work = after - at.before;
            lane_mask enters = here & less(at.before, after);
            vector end = enter_resource(rank, r, &lanes->resources[r], enters, now, work, at.base + after,
                                        same(rows->demand[k]));
            at.sum = pick(enters, after, at.sum);
            at.end = pick(enters, end, at.end);
            at.on = pick_index(enters, all(r), at.on);
            left &= not(enters);
            at.stage = add_where(here & not(enters), at.stage, 1);
        }
    }
    scatter_where(mask, field(rank, DLQ_EVENTS_BATCH), loader, v, (vector)at.batch);
    for (int r = 0; r < rank->rows.used; r++)
        scatter_where(mask, rows->loaders + r * DLQ_LANES, loader, v,
                      pick(identical(at.on, all(r)), at.end, same(NEVER)));
    scatter_where(mask, field(rank, DLQ_EVENTS_STAGE), loader, v, (vector)at.stage);
    scatter_where(mask, field(rank, DLQ_EVENTS_BASE), loader, v, at.base);
    scatter_where(mask, field(rank, DLQ_EVENTS_SUM), loader, v, at.sum);
}

/* -- events -- */

/* Ties go to the lowest batch. */
INLINE void find_first_of_tied(const struct rank *rank, struct first *first, int v, int r)
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
    first->end[r] = earliest;
    first->loader[r] = at;
}

/* Of `count` vectors from `v` on: whose loaders' stages end first on each resource. */
INLINE void find_first(const struct rank *rank, struct first *first, const int v, const int count)
{
    const int64_t stride = rank->rows.loader * DLQ_LANES;
    for (int r = 0; r < rank->rows.used; r++) {
        const double *ends = rank->rows.loaders + r * DLQ_LANES;
        vector earliest[VECTORS];
        index at[VECTORS];
        lane_mask tied = NONE;
        _Pragma("GCC unroll 8") for (int k = 0; k < count; k++)
        {
            earliest[k] = same(0.5 * NEVER);
            at[k] = all(0);
        }
        for (int64_t loader = 0; loader < rank->loaders; loader += stride) {
            _Pragma("GCC unroll 8") for (int k = 0; k < count; k++)
            {
                vector end = load(ends + loader, v + k);
                tied |= equal(end, earliest[k]);
                at[k] = pick_index(less(end, earliest[k]), all(loader), at[k]);
                earliest[k] = smaller(end, earliest[k]);
            }
        }
        _Pragma("GCC unroll 8") for (int k = 0; k < count; k++)
        {
            first[k].end[r] = earliest[k];
            first[k].loader[r] = at[k];
            if (some(tied))
                find_first_of_tied(rank, &first[k], v + k, r);
        }
    }
}

/* When, in real time, and on which resource the next stage ends; NEVER or later: none is under way. */
INLINE vector next_leave(const struct rank *rank, const struct lanes *lanes, const struct first *first, index *on)
{
    vector leaving = same(NEVER);
    *on = all(0);
    for (int r = 0; r < rank->rows.used; r++) {
        const struct resource *resource = &lanes->resources[r];
        vector next = first->end[r];
        if (rank->rows.limited[r])
            next = resource->real + (next - resource->clock) / resource->rate;
        *on = pick_index(less(next, leaving), all(r), *on);
        leaving = smaller(next, leaving);
    }
    return leaving;
}

/* In these lanes a stage ends at `now`. */
INLINE void leave(const struct rank *rank, struct lanes *lanes, int v, lane_mask mask, const struct first *first,
                  index on, vector now)
{
    const int64_t stages = (int64_t)rank->point->stages;
    index loader = first->loader[0];
    for (int r = 1; r < rank->rows.used; r++)
        loader = pick_index(identical(on, all(r)), first->loader[r], loader);
    struct progress at = {.batch = (index)gather_where(mask, field(rank, DLQ_EVENTS_BATCH), loader, v), .base = now};
    index stage = (index)gather_where(mask, field(rank, DLQ_EVENTS_STAGE), loader, v);
    vector base = gather_where(mask, field(rank, DLQ_EVENTS_BASE), loader, v), demand = same(rank->rows.demand[0]);
    at.before = gather_where(mask, field(rank, DLQ_EVENTS_SUM), loader, v);
    at.base = pick(equal(now, base + at.before), base, now - at.before);
    at.stage = stage + 1;
    for (int64_t k = 1; k < stages; k++)
        demand = pick(identical(stage, all(k)), same(rank->rows.demand[k]), demand);
    for (int r = 0; r < rank->rows.used; r++)
        leave_resource(rank, r, &lanes->resources[r], mask & identical(on, all(r)), now, first->end[r], demand);
    proceed(rank, lanes, v, mask, mask & identical(at.stage, all(stages)), loader, at, now);
    for (int r = 0; r < rank->rows.used; r++)
        lanes->resources[r].leaves = NONE;
}

INLINE vector head_of(const struct lanes *lanes, vector place)
{
    index done = (index)place ^ lanes->lap;
    return pick(below(done, all(0)), same(NEVER), (vector)done);
}

/* Batch `delivered` of these lanes is: the next one, and the place and loader of that and of its successors. */
INLINE void count_delivery(const struct rank *rank, struct lanes *lanes, lane_mask mask)
{
    lanes->delivered = add_where(mask, lanes->delivered, 1);
    lanes->due = add_where(mask, lanes->due, DLQ_LANES);
    lane_mask round = identical(lanes->due, all(rank->ring));
    lanes->due = pick_index(round, all(0), lanes->due);
    lanes->lap = pick_index(round, lanes->lap ^ INT64_MIN, lanes->lap);
    lanes->turn = add_where(mask, lanes->turn, rank->rows.loader * DLQ_LANES);
    lanes->turn = pick_index(identical(lanes->turn, all(rank->loaders)), all(0), lanes->turn);
}

/* In these lanes a batch reaches its loader; those that begin it. */
INLINE lane_mask arrive(const struct rank *rank, struct lanes *lanes, int v, lane_mask mask, index batch, index loader,
                        vector now)
{
    for (int r = 0; r < rank->rows.used; r++)
        account(&lanes->resources[r], mask, now);
    const lane_mask idle = mask & identical((index)gather_where(mask, field(rank, DLQ_EVENTS_STAGE), loader, v),
                                            all((int64_t)rank->point->stages));
    if (some(idle))
        proceed(rank, lanes, v, idle, NONE, loader, (struct progress){.batch = batch, .base = now}, now);
    return idle;
}

/* -- memory -- */

/* Between a rank's rows and the lanes that are under way. */
INLINE void exchange(struct lanes *lanes, const struct rank *rank, int v, const bool keep)
{
    vector *const registers[] = {[DLQ_EVENTS_HEAD] = &lanes->head, [DLQ_EVENTS_PINNED] = &lanes->pinned};
    _Pragma("GCC unroll 8") for (int i = 0; i < DLQ_EVENTS_OF_RANK; i++)
    {
        double *row = rank->rows.registers + i * DLQ_LANES;
        if (keep)
            store(row, v, *registers[i]);
        else
            *registers[i] = load(row, v);
    }
    for (int r = 0; r < rank->rows.used; r++) {
        struct resource *resource = &lanes->resources[r];
        resource->leaves = NONE;
        vector *const values[] = {
            [DLQ_EVENTS_COUNT] = &resource->count, [DLQ_EVENTS_DEMAND] = &resource->demand,
            [DLQ_EVENTS_RATE] = &resource->rate,   [DLQ_EVENTS_REAL] = &resource->real,
            [DLQ_EVENTS_CLOCK] = &resource->clock, [DLQ_EVENTS_SINCE] = &resource->since,
            [DLQ_EVENTS_WORK] = &resource->work,   [DLQ_EVENTS_SPENT] = &resource->spent,
        };
        _Pragma("GCC unroll 8") for (int i = 0; i < DLQ_EVENTS_OF_RESOURCE; i++)
        {
            double *row = rank->rows.resources + (r * DLQ_EVENTS_OF_RESOURCE + i) * DLQ_LANES;
            if (keep)
                store(row, v, *values[i]);
            else
                *values[i] = load(row, v);
        }
    }
}

/* All lanes of a rank have had `delivered` batches. */
INLINE struct lanes lanes_at(const struct rank *rank, int64_t delivered, int v)
{
    const struct dlq_events_rows *rows = &rank->rows;
    int64_t ahead = delivered + rows->count; /* of the first K batches too, which are dispatched with the epoch */
    struct lanes lanes = {
        .delivered = all(delivered),
        .due = all(ahead % rows->count * DLQ_LANES),
        .turn = all(ahead % rows->servers * rows->loader * DLQ_LANES),
        .lap = all(ahead / rows->count % 2 == 1 ? 0 : INT64_MIN),
    };
    exchange(&lanes, rank, v, false);
    return lanes;
}

INLINE struct rank rank_of(const struct dlq_lane_state *state, const struct dlq_lane_block *block)
{
    const struct dlq_point *point = state->point;
    struct rank rank = {
        .point = point,
        .rows = dlq_events_rows_of(state, 0),
        .first = state->dispatched,
        .batches = state->batches,
    };
    rank.ring = rank.rows.count * DLQ_LANES;
    rank.loaders = rank.rows.servers * rank.rows.loader * DLQ_LANES;
    for (size_t k = 0; k < DLQ_MOST_STAGES; k++)
        rank.loads[k] = block->cumulative[point->last[k]];
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

/* The first batches of an epoch reach their loaders one after the other, all at the time that the head's row holds. */
INLINE void open_rank(const struct rank *rank)
{
    const int64_t count = rank->rows.count;
    const int64_t first = rank->batches < count ? rank->batches : count;
    for (int v = 0; v < VECTORS; v++) {
        struct lanes lanes = lanes_at(rank, -count, v);
        const vector now = lanes.head;
        for (int64_t batch = 0; batch < first; batch++) {
            index loader = lanes.turn;
            count_delivery(rank, &lanes, EVERY);
            arrive(rank, &lanes, v, EVERY, all(batch), loader, now);
        }
        lanes.lap = all(0);
        lanes.head = head_of(&lanes, load(rank->rows.places, v));
        exchange(&lanes, rank, v, true);
    }
}

/* One rank: each lane goes through its n steps by itself. When the trainer could have each batch goes into `ready`, if
   that is not null, and F of the last step into `ends`. */
INLINE void run_alone(const struct rank *rank, double *ends, const double *steps, size_t n, double *ready,
                      const struct numbers *numbers, const bool constant_steps)
{
    struct lanes lanes[VECTORS];
    vector ended[VECTORS];
    const int64_t until = rank->first + (int64_t)n;
    for (int v = 0; v < VECTORS; v++) {
        lanes[v] = lanes_at(rank, rank->first, v);
        ended[v] = load(ends, v);
    }
    for (bool busy = true; busy;) {
        struct first first[VECTORS];
        busy = false;
        find_first(rank, first, 0, VECTORS);
        for (int v = 0; v < VECTORS; v++) {
            struct lanes *own = &lanes[v];
            index on;
            vector leaving = next_leave(rank, own, &first[v], &on);
            lane_mask goes_on = below(own->delivered, all(until));
            vector begin = larger(ended[v], own->head) + numbers->receive;
            vector arrival = begin + numbers->dispatch;
            index batch = own->delivered + rank->rows.count;
            lane_mask more = below(batch, all(rank->batches));
            lane_mask delivers = goes_on & less(own->head, same(NEVER)) & (less(arrival, leaving) | not(more));
            if (some(delivers)) {
                index at = (own->delivered - rank->first) * DLQ_LANES, loader = own->turn;
                vector time = numbers->step;
                if (!constant_steps)
                    time *= gather_where(delivers, steps, at, v);
                if (numbers->extras > 0)
                    time += gather_where(delivers, steps + numbers->extras, at, v);
                ended[v] = pick(delivers, begin + time, ended[v]);
                if (ready != NULL)
                    scatter_where(delivers, ready, at, v, own->head);
                count_delivery(rank, own, delivers);
                own->head = pick(delivers, head_of(own, gather(rank->rows.places, own->due, v)), own->head);
                lane_mask begins = arrive(rank, own, v, delivers & more, batch, loader, arrival);
                goes_on = below(own->delivered, all(until)) & not(begins);
                arrival = larger(ended[v], own->head) + numbers->receive + numbers->dispatch;
                more = below(own->delivered + rank->rows.count, all(rank->batches));
                busy = busy || some(begins);
            }
            busy = busy || some(goes_on);
            lane_mask leaves = goes_on & not(less(own->head, same(NEVER)) & (less(arrival, leaving) | not(more)));
            if (some(leaves))
                leave(rank, own, v, leaves, &first[v], on, leaving);
        }
    }
    for (int v = 0; v < VECTORS; v++) {
        exchange(&lanes[v], rank, v, true);
        store(ends, v, ended[v]);
    }
}

/* A rank's next batch in all lanes, which begins a step that others begin with it; `latest` of all ranks. */
INLINE void run_step(const struct rank *rank, int64_t i, const struct sums *sums, double *latest, bool is_first,
                     const struct numbers *numbers)
{
    const lane_mask more = i + rank->rows.count < rank->batches ? EVERY : NONE;
    for (int v = 0; v < VECTORS; v++) {
        struct lanes lanes = lanes_at(rank, i, v);
        const index batch = all(i + rank->rows.count), loader = lanes.turn;
        vector arrival;
        for (;;) {
            struct first first;
            index on;
            find_first(rank, &first, v, 1);
            vector leaving = next_leave(rank, &lanes, &first, &on);
            arrival = larger(sums[v].end, lanes.head) + numbers->receive + numbers->dispatch;
            lane_mask leaves = not(less(lanes.head, same(NEVER)) & (less(arrival, leaving) | not(more)));
            if (!some(leaves))
                break;
            leave(rank, &lanes, v, leaves, &first, on, leaving);
        }
        store(latest, v, is_first ? lanes.head : larger(load(latest, v), lanes.head));
        count_delivery(rank, &lanes, EVERY);
        lanes.head = head_of(&lanes, load(rank->rows.places + (i + 1) % rank->rows.count * DLQ_LANES, v));
        if (some(more))
            arrive(rank, &lanes, v, EVERY, batch, loader, arrival);
        exchange(&lanes, rank, v, true);
    }
}

static void advance(struct dlq_lane_state *state, const struct dlq_lane_block *block, size_t n,
                    enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const struct dlq_point *point = state->point;
    const long rows = state->server_rows + state->places;
    const vector scale = same(point->load_scale), slow_scale = same(point->load_scale * point->slow_factor);
    struct numbers numbers = numbers_of(state, block, false);
    struct rank first = rank_of(state, block);
    struct sums sums[VECTORS];
    for (long number = 0; state->dispatched == 0 && number < point->ranks; number++) {
        struct rank rank = first;
        rank.scale = number < point->slow_ranks ? slow_scale : scale;
        move_rank(&rank, number * rows, (size_t)number * block->rank_stride);
        open_rank(&rank);
    }
    if (point->ranks == 1) {
        double ends[DLQ_LANES] __attribute__((aligned(64)));
        memcpy(ends, state->sums->end, sizeof ends);
        first.scale = point->slow_ranks > 0 ? slow_scale : scale;
        if (state->constant_steps)
            numbers.step = same(state->step);
        run_alone(&first, ends, block->steps, n, measure == DLQ_LANE_TIMES ? NULL : state->buffer, &numbers,
                  state->constant_steps);
        numbers.step = same(point->step_scale);
        if (measure == DLQ_LANE_TIMES)
            memcpy(state->sums->end, ends, sizeof ends);
    }
    EACH_VECTOR(v) sums[v] = sums_load(state->sums, v);
    for (size_t i = 0; i < n && (point->ranks > 1 || measure != DLQ_LANE_TIMES); i++) {
        double *ready = state->buffer + (point->ranks == 1 ? i * DLQ_LANES : 0);
        struct rank rank = first;
        for (long number = 0; point->ranks > 1 && number < point->ranks; number++) {
            rank.scale = number < point->slow_ranks ? slow_scale : scale;
            run_step(&rank, state->dispatched + (int64_t)i, sums, ready, number == 0, &numbers);
            move_rank(&rank, rows, block->rank_stride);
        }
        EACH_VECTOR(v)
        {
            take(&numbers, &sums[v], v, load(ready, v), block->steps + i * DLQ_LANES, measure,
                 record.waits + i * DLQ_LANES);
        }
    }
    state->dispatched += (long)n;
    EACH_VECTOR(v) sums_store(state->sums, v, &sums[v]);
}

extern const dlq_lane_advances DLQ_FOR_SET(dlq_events);
const dlq_lane_advances DLQ_FOR_SET(dlq_events) = {advance};
