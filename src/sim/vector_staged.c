/* Loads of several stages, some of which share cores or bandwidth, delivered in order of index; loader i mod N loads
   batch i. Event by event, as in events.c: each lane of a vector takes the next event of its own, which is found by
   visiting all loaders. */
#include "sim/vector_masks.h"

/* A rank: its rows, and what is the same in all lanes. */
struct staged {
    const struct dlq_point *point;
    /* Rows, of which each has a number for each lane:
       registers  of each resource (enum dlq_staged_register)
       event      the next event (struct event)
       ends       [stage * servers + loader] when the loader ends the stage, in the virtual time of the stage's
                  resource; NEVER: it is not in the stage
       bases      [loader] when its load would have begun if nothing had slowed it
       numbers    [loader] its batch; of an idle one, the batch that it waits for
       times      [stage * window + place] the time of the batch up to the end of the stage
       done       [place] when the batch was done */
    double *registers, *event, *ends, *bases, *numbers, *times, *done;
    int64_t servers, window, stages;
    double capacity[3], full[3]; /* by enum dlq_uses; full: the demand up to which loads have full speed */
    bool limited[3];             /* whether the demand can exceed the capacity */
    double scale;
};

/* The next event of each lane: a loader ends a stage. */
struct event {
    vector time, end, row, use; /* end: in the virtual time of the resource; row: stage * servers + loader */
};

/* Batches that enter a stage, one in each lane. base: of its loader, as in `bases`; before, time: its work up to the
   stage, and up to the end of the stage. */
struct entry {
    vector place, stage, base, before, time;
};

INLINE double *row_of(double *rows, int64_t row)
{
    return rows + row * DLQ_LANES;
}

/* The offsets of rows. Adding 2^52 puts a whole number into the low bits, for which AVX2 has no instruction. */
INLINE vector_mask rows_at(vector row)
{
    return ((vector_mask)(row + 0x1p52) - (vector_mask)splat(0x1p52)) * DLQ_LANES;
}

/* Offsets of the numbers that the lanes of vector number v have, each in a row of its own: lane k in row[k]. */
INLINE vector_mask offsets(vector row, int v)
{
    vector_mask lanes;
    for (int k = 0; k < WIDTH; k++)
        lanes[k] = k;
    return rows_at(row) + (lanes + (int64_t)v * WIDTH);
}

/* Returns in lane k the number that this lane has in row[k]. */
INLINE vector gather(const double *rows, vector row, int v)
{
    const vector_mask at = offsets(row, v);
#if defined(__AVX512F__)
    return (vector)_mm512_i64gather_pd((__m512i)at, rows, sizeof *rows);
#else
    vector result;
    for (int k = 0; k < WIDTH; k++)
        result[k] = rows[at[k]];
    return result;
#endif
}

INLINE void scatter_where(double *rows, lane_mask mask, vector row, int v, vector value)
{
    const vector_mask at = offsets(row, v);
#if defined(__AVX512F__)
    _mm512_mask_i64scatter_pd(rows, mask, (__m512i)at, (__m512d)value, sizeof *rows);
#else
    for (int k = 0; k < WIDTH; k++)
        if (mask[k])
            rows[at[k]] = value[k];
#endif
}

INLINE void store_where(double *row, int v, lane_mask mask, vector value)
{
    store(row, v, PICK(mask, value, load(row, v)));
}

/* -- resources: each function as in resource.c; `clock` is V at `now` (struct dlq_resource) -- */

INLINE double *register_of(const struct staged *rank, int use, enum dlq_staged_register number)
{
    return rank->registers + ((use - 1) * DLQ_STAGED_REGISTERS + (int)number) * DLQ_LANES;
}

INLINE void account(const struct staged *rank, int use, int v, lane_mask mask, vector now)
{
    double *since = register_of(rank, use, DLQ_STAGED_SINCE), *work = register_of(rank, use, DLQ_STAGED_WORK);
    double *spent = register_of(rank, use, DLQ_STAGED_SPENT);
    const vector taken = load(register_of(rank, use, DLQ_STAGED_COUNT), v) * (now - load(since, v));
    store(spent, v, ADD_WHERE(mask, load(spent, v), taken));
    store(work, v, ADD_WHERE(mask, load(work, v), taken * load(register_of(rank, use, DLQ_STAGED_RATE), v)));
    store_where(since, v, mask, now);
}

INLINE vector even_rate(const struct staged *rank, int use, vector demand)
{
    return even_pace(demand, rank->capacity[use], rank->full[use]);
}

INLINE void set_rate(const struct staged *rank, int use, int v, lane_mask mask, vector rate, vector now, vector clock)
{
    double *old = register_of(rank, use, DLQ_STAGED_RATE);
    const lane_mask changed = mask & NOT(equal(rate, load(old, v)));
    if (!SOME(changed))
        return;
    store_where(old, v, changed, rate);
    store_where(register_of(rank, use, DLQ_STAGED_CLOCK), v, changed, clock);
    store_where(register_of(rank, use, DLQ_STAGED_REAL), v, changed, now);
    store_where(register_of(rank, use, DLQ_STAGED_NATURAL), v, changed, splat(0));
}

/* The registers from RATE on that leave() copies to those after them, and that enter() restores at the same moment. */
enum { KEPT = DLQ_STAGED_OLD_RATE - DLQ_STAGED_RATE };

INLINE void leave(const struct staged *rank, int use, int v, lane_mask mask, vector now, vector clock, vector demand)
{
    double *demands = register_of(rank, use, DLQ_STAGED_DEMAND), *counts = register_of(rank, use, DLQ_STAGED_COUNT);
    account(rank, use, v, mask, now);
    store_where(register_of(rank, use, DLQ_STAGED_LEFT_AT), v, mask, now);
    store_where(register_of(rank, use, DLQ_STAGED_LEFT_CLOCK), v, mask, clock);
    for (int i = 0; i < KEPT; i++) {
        double *row = register_of(rank, use, DLQ_STAGED_RATE + (enum dlq_staged_register)i);
        store_where(row_of(row, KEPT), v, mask, load(row, v));
    }
    const vector count = load(counts, v) - splat(1);
    const vector left = PICK(less(splat(0), count), load(demands, v) - demand, splat(0));
    store_where(counts, v, mask, count);
    store_where(demands, v, mask, left);
    set_rate(rank, use, v, mask, even_rate(rank, use, left), now, clock);
}

/* Returns the virtual time V at which the batch leaves; end: when it would leave if nothing slowed it. */
INLINE vector enter(const struct staged *rank, int use, int v, lane_mask mask, vector now, vector work, vector end,
                    vector demand)
{
    double *demands = register_of(rank, use, DLQ_STAGED_DEMAND), *counts = register_of(rank, use, DLQ_STAGED_COUNT);
    double *rates = register_of(rank, use, DLQ_STAGED_RATE), *left_at = register_of(rank, use, DLQ_STAGED_LEFT_AT);
    account(rank, use, v, mask, now);
    const vector all = load(demands, v) + demand, rate = even_rate(rank, use, all);
    store_where(demands, v, mask, all);
    store_where(counts, v, mask, load(counts, v) + splat(1));
    const vector real = load(register_of(rank, use, DLQ_STAGED_REAL), v);
    const lane_mask natural = less(splat(0), load(register_of(rank, use, DLQ_STAGED_NATURAL), v));
    vector clock = load(register_of(rank, use, DLQ_STAGED_CLOCK), v) + (now - real) * load(rates, v);
    clock = PICK(natural, now, clock);
    const lane_mask at_once = mask & equal(now, load(left_at, v));
    if (SOME(at_once)) {
        clock = PICK(at_once, load(register_of(rank, use, DLQ_STAGED_LEFT_CLOCK), v), clock);
        const lane_mask goes_on = at_once & equal(rate, load(row_of(rates, KEPT), v));
        for (int i = 0; i < KEPT; i++)
            store_where(row_of(rates, i), v, goes_on, load(row_of(rates, KEPT + i), v));
    }
    set_rate(rank, use, v, mask, rate, now, clock);
    store_where(left_at, v, mask, splat(-1));
    const lane_mask still = less(splat(0), load(register_of(rank, use, DLQ_STAGED_NATURAL), v));
    return PICK(still, end, clock + work);
}

/* -- loads -- */

/* Sets stage and time of the entry to those of the first stage after `from` in which the batch has work; if there is
   none, they stay. */
INLINE void find_stage(const struct staged *rank, int v, lane_mask mask, vector from, struct entry *entry)
{
    for (int64_t s = rank->stages - 1; s >= 0; s--) {
        const lane_mask later = mask & less(from, splat((double)s));
        if (!SOME(later))
            continue;
        const vector time = gather(row_of(rank->times, s * rank->window), entry->place, v);
        const lane_mask works = later & less(entry->before, time);
        entry->stage = PICK(works, splat((double)s), entry->stage);
        entry->time = PICK(works, time, entry->time);
    }
}

/* Returns when the batches leave the stage, in the virtual time of its resource. */
INLINE vector enter_stage(const struct staged *rank, int v, lane_mask mask, const struct entry *entry, vector now)
{
    const vector work = entry->time - entry->before, end = entry->base + entry->time;
    vector ends = end;
    for (int64_t s = 0; s < rank->stages; s++) {
        const int use = (int)rank->point->uses[s];
        const lane_mask enters = mask & equal(entry->stage, splat((double)s));
        if (use == DLQ_USES_NOTHING || !SOME(enters))
            continue;
        if (rank->limited[use]) {
            ends = PICK(enters, enter(rank, use, v, enters, now, work, end, splat(rank->point->demand[s])), ends);
        } else { /* what is not limited slows nothing: only its sums are kept */
            double *sum = register_of(rank, use, DLQ_STAGED_WORK), *spent = register_of(rank, use, DLQ_STAGED_SPENT);
            store(sum, v, ADD_WHERE(enters, load(sum, v), work));
            store(spent, v, ADD_WHERE(enters, load(spent, v), work));
        }
    }
    return ends;
}

/* Finds the next event of each lane; of events at the same time that of the resource and the loader that come first. */
INLINE void find_event(const struct staged *rank, int v)
{
    struct event event = {.time = splat(NEVER), .end = splat(NEVER), .row = splat(0), .use = splat(0)};
    for (int use = 0; use < 3; use++) {
        vector first = splat(NEVER), row = splat(0);
        for (int64_t s = 0; s < rank->stages; s++) {
            if ((int)rank->point->uses[s] != use)
                continue;
            vector number = splat((double)(s * rank->servers));
            for (int64_t r = s * rank->servers; r < (s + 1) * rank->servers; r++, number += splat(1)) {
                const vector other = load(row_of(rank->ends, r), v);
                row = PICK(less(other, first), number, row);
                first = smaller(other, first);
            }
        }
        vector time = first;
        if (rank->limited[use]) {
            const vector real = load(register_of(rank, use, DLQ_STAGED_REAL), v);
            const vector clock = load(register_of(rank, use, DLQ_STAGED_CLOCK), v);
            const vector natural = load(register_of(rank, use, DLQ_STAGED_NATURAL), v);
            const lane_mask slowed = less(first, splat(NEVER)) & equal(natural, splat(0));
            time = PICK(slowed, real + (first - clock) / load(register_of(rank, use, DLQ_STAGED_RATE), v), first);
        }
        const lane_mask sooner = less(time, event.time);
        event.time = PICK(sooner, time, event.time);
        event.end = PICK(sooner, first, event.end);
        event.row = PICK(sooner, row, event.row);
        event.use = PICK(sooner, splat(use), event.use);
    }
    store(rank->event, v, event.time);
    store(row_of(rank->event, 1), v, event.end);
    store(row_of(rank->event, 2), v, event.row);
    store(row_of(rank->event, 3), v, event.use);
}

INLINE struct event event_load(const struct staged *rank, int v)
{
    return (struct event){load(rank->event, v), load(row_of(rank->event, 1), v), load(row_of(rank->event, 2), v),
                          load(row_of(rank->event, 3), v)};
}

/* number mod window. Adding and subtracting 1.5 * 2^52 rounds to an integer. */
INLINE vector place_of(const struct staged *rank, vector number)
{
    const vector window = splat((double)rank->window), round = splat(0x1.8p52);
    const vector place = number - (number / window + round - round) * window;
    return PICK(less(place, splat(0)), place + window, place);
}

/* Ends the stages of an event: their batches enter the next one, or are done, and their loaders begin the next batch if
   it has arrived. */
INLINE void end_stages(const struct staged *rank, int v, lane_mask mask, const struct event *event, int64_t arrived)
{
    const vector servers = splat((double)rank->servers), window = splat((double)rank->window), now = event->time;
    vector stage = splat(0), demand = splat(rank->point->demand[0]);
    for (int64_t s = 1; s < rank->stages; s++) {
        const lane_mask within = at_most(splat((double)(s * rank->servers)), event->row);
        stage = PICK(within, splat((double)s), stage);
        demand = PICK(within, splat(rank->point->demand[s]), demand);
    }
    const vector loader = event->row - stage * servers, number = gather(rank->numbers, loader, v);
    for (int use = 1; use < 3; use++) {
        const lane_mask leaves = mask & equal(event->use, splat(use));
        if (rank->limited[use] && SOME(leaves))
            leave(rank, use, v, leaves, now, event->end, demand);
    }
    struct entry entry = {.place = place_of(rank, number), .base = gather(rank->bases, loader, v)};
    entry.before = gather(rank->times, stage * window + entry.place, v);
    /* Where the stage was slowed, the base moves. */
    lane_mask moved = mask & NOT(equal(now, entry.base + entry.before));
    entry.base = PICK(moved, now - entry.before, entry.base);
    entry.stage = splat(-1);
    entry.time = splat(0);
    find_stage(rank, v, mask, stage, &entry);
    lane_mask enters = mask & less(splat(-1), entry.stage);
    const lane_mask ends = mask & NOT(enters);
    if (SOME(ends)) {
        const vector next = number + servers;
        scatter_where(rank->done, ends, entry.place, v, now);
        scatter_where(rank->numbers, ends, loader, v, next);
        const lane_mask begins = ends & less(next, splat((double)arrived));
        entry.place = PICK(begins, place_of(rank, next), entry.place);
        entry.base = PICK(begins, now, entry.base);
        entry.before = PICK(begins, splat(0), entry.before);
        entry.stage = PICK(begins, splat(0), entry.stage);
        find_stage(rank, v, begins, splat(-1), &entry);
        enters = enters | begins;
        moved = moved | begins;
    }
    if (SOME(moved))
        scatter_where(rank->bases, moved, loader, v, entry.base);
    /* The row that the load leaves, and the one that it or the next load enters. Of no event: row 0, NEVER. */
    const vector end = enter_stage(rank, v, enters, &entry, now), left = PICK(mask, splat(NEVER), event->end);
    scatter(rank->ends, rows_at(event->row), v, left);
    scatter(rank->ends, rows_at(PICK(enters, entry.stage * servers + loader, event->row)), v, PICK(enters, end, left));
    find_event(rank, v);
}

/* Batch `number` arrives at its loader, and its load begins if the loader is idle. */
INLINE void arrive(const struct staged *rank, int v, int64_t number, vector arrival)
{
    const int64_t place = number % rank->window, loader = number % rank->servers;
    for (int use = 1; use < 3; use++) {
        if (!rank->limited[use])
            continue;
        account(rank, use, v, at_most(splat(0), splat(0)) /* all lanes */, arrival);
        store(register_of(rank, use, DLQ_STAGED_LEFT_AT), v, splat(-1));
    }
    const lane_mask idle = equal(load(row_of(rank->numbers, loader), v), splat((double)number));
    if (!SOME(idle))
        return;
    struct entry entry = {.place = splat((double)place), .base = arrival, .before = splat(0), .stage = splat(0)};
    entry.time = splat(0);
    find_stage(rank, v, idle, splat(-1), &entry);
    store_where(row_of(rank->bases, loader), v, idle, arrival);
    const vector row = entry.stage * splat((double)rank->servers) + splat((double)loader);
    scatter_where(rank->ends, idle, row, v, enter_stage(rank, v, idle, &entry, arrival));
    find_event(rank, v);
}

/* Batch `number` is dispatched: its times, from the draws of the loads. */
INLINE void dispatch(const struct staged *rank, int v, int64_t number, const struct dlq_block *block, size_t draw)
{
    const int64_t place = number % rank->window, loader = number % rank->servers;
    for (int64_t s = 0; s < rank->stages; s++) {
        const vector time = load(block->cumulative[rank->point->last[s]] + draw, v) * splat(rank->scale);
        store(row_of(rank->times, s * rank->window + place), v,
              loader < rank->point->slow_servers ? time * rank->point->slow_factor : time);
    }
    store(row_of(rank->done, place), v, splat(NEVER));
}

/* Ends stages until the batch at `place` is done and, if there is a next batch (`more`), until that arrives at its
   loader. Returns when it arrives; *ready: when the batch at `place` can be received. */
INLINE vector advance_to_delivery(const struct staged *rank, int v, int64_t place, int64_t arrived, bool more,
                                  vector ended, const struct numbers *numbers, vector *ready)
{
    for (;;) {
        const vector done = load(row_of(rank->done, place), v);
        *ready = done + numbers->deliver;
        const vector arrival = larger(ended, *ready) + numbers->receive + numbers->dispatch;
        const struct event event = event_load(rank, v);
        /* NEVER / 2: any event that comes, as only NEVER is later. */
        const vector until = PICK(less(done, splat(NEVER)), more ? arrival : splat(-1), splat(NEVER / 2));
        const lane_mask ends = at_most(event.time, until);
        if (!SOME(ends))
            return arrival;
        end_stages(rank, v, ends, &event, arrived);
    }
}

INLINE struct staged staged_of(const struct dlq_lane_state *state)
{
    const struct dlq_point *point = state->point;
    struct staged rank = {.point = point,
                          .servers = point->servers,
                          .window = point->window,
                          .stages = (int64_t)point->stages,
                          .capacity = {NEVER, point->cores.capacity, point->bandwidth.capacity}};
    for (int use = 1; use < 3; use++) {
        rank.full[use] = rank.capacity[use] * (1 + 1e-12);
        for (size_t s = 0; s < point->stages; s++)
            rank.limited[use] = rank.limited[use] || ((int)point->uses[s] == use &&
                                                      point->demand[s] * (double)point->servers > rank.capacity[use]);
    }
    return rank;
}

INLINE void move_to(struct staged *rank, const struct dlq_lane_state *state, int64_t number)
{
    rank->registers = dlq_rank_rows(state, number);
    rank->event = row_of(rank->registers, 2 * DLQ_STAGED_REGISTERS);
    rank->ends = row_of(rank->event, DLQ_STAGED_EVENT);
    rank->bases = row_of(rank->ends, rank->stages * rank->servers);
    rank->numbers = row_of(rank->bases, rank->servers);
    rank->times = row_of(rank->numbers, rank->servers);
    rank->done = row_of(rank->times, rank->stages * rank->window);
    rank->scale = dlq_load_scale(rank->point, number);
}

/* Many ranks are more than the nearest caches hold: fetches ahead the rows of the next rank, which lie behind these. */
INLINE void fetch_next_rank(const struct staged *rank, const struct dlq_block *block, size_t draw, int vectors,
                            bool more)
{
    enum { LINE = 8 };                                              /* doubles of a cache line */
    const size_t step = vectors * WIDTH <= LINE ? DLQ_LANES : LINE; /* lines of lanes that count */
    const double *end = row_of(rank->done, rank->window);
    const size_t rows = (size_t)(end - rank->registers);
    for (size_t i = 0; more && i < rows; i += step)
        __builtin_prefetch(end + i, 1);
    for (int64_t s = 0; more && s < rank->stages; s++)
        for (size_t i = 0; i < DLQ_LANES; i += step)
            __builtin_prefetch(block->cumulative[rank->point->last[s]] + draw + i);
}

/* The first batches of an epoch arrive at their loaders, one after the other at the same time. */
INLINE void open_rank(const struct staged *rank, int v, const struct dlq_block *block, size_t draws, int64_t batches)
{
    const vector now = load(register_of(rank, 1, DLQ_STAGED_SINCE), v);
    for (int64_t i = 0; i < rank->window && i < batches; i++)
        dispatch(rank, v, i, block, draws + (size_t)i * DLQ_LANES);
    for (int64_t i = 0; i < rank->window && i < batches; i++)
        arrive(rank, v, i, now);
}

static void advance_point(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                          enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const int64_t ranks = state->point->ranks;
    const int vectors = (state->lanes + WIDTH - 1) / WIDTH;
    const struct numbers numbers = numbers_of(state, block, false);
    struct staged rank = staged_of(state);
    struct sums sums[VECTORS];
    for (int64_t number = 0; state->dispatched == 0 && number < ranks; number++) {
        move_to(&rank, state, number);
        for (int v = 0; v < vectors; v++)
            open_rank(&rank, v, block, (size_t)number * block->rank_stride, state->batches);
    }
    for (int v = 0; v < vectors; v++)
        sums[v] = sums_load(state->sums, v);
    for (size_t i = 0; i < n; i++) {
        const int64_t place = state->dispatched % rank.window, next = state->dispatched + rank.window;
        const bool more = next < state->batches;
        size_t draw = (i + (size_t)rank.window) * DLQ_LANES;
        for (int64_t number = 0; number < ranks; number++, draw += block->rank_stride) {
            move_to(&rank, state, number);
            fetch_next_rank(&rank, block, draw + block->rank_stride, vectors, number + 1 < ranks);
            for (int v = 0; v < vectors; v++) {
                vector ready, arrival = advance_to_delivery(&rank, v, place, more ? next : state->batches, more,
                                                            sums[v].end, &numbers, &ready);
                /* The step begins when the last rank has its batch. */
                store(state->buffer, v, number == 0 ? ready : larger(load(state->buffer, v), ready));
                if (!more)
                    continue;
                dispatch(&rank, v, next, block, draw);
                arrive(&rank, v, next, arrival);
            }
        }
        for (int v = 0; v < vectors; v++)
            deliver_and_step(&numbers, &sums[v], v, load(state->buffer, v), block->steps + i * DLQ_LANES, measure,
                             record.waits + i * DLQ_LANES);
        state->dispatched++;
    }
    for (int v = 0; v < vectors; v++)
        sums_store(state->sums, v, &sums[v]);
}

const dlq_lane_advances DLQ_FOR_SET(dlq_staged) = {advance_point};
