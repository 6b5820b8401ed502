/* Loads of several stages, some of which share cores or bandwidth, delivered in order of index; loader i mod N loads
   batch i. Event by event, as in events.c, one lane after the other, as each has other events. Vectors find the load
   that leaves first. */
#include "sim/vector.h"

/* Constants of a point, for all ranks and lanes. */
struct staged {
    const struct dlq_point *point;
    int64_t ranks, servers, window, stages, row; /* row: elements of a stage in `ends` */
    int64_t place_step;                          /* places from a loader's batch to its next one */
    double capacity[3], full[3]; /* by enum dlq_uses; full: the demand up to which loads have full speed */
    bool limited[3];             /* whether the demand can exceed the capacity */
    double dispatch, deliver, receive;
};

/* The work of a batch in a stage that it enters. base: of its loader, as in `bases`; before, time: its work up to the
   stage, and up to the end of the stage. */
struct entry {
    int64_t place, stage;
    double base, before, time;
};

/* -- resources: each function as in resource.c -- */

INLINE double even_rate(const struct staged *staged, int use, double demand)
{
    return demand <= staged->full[use] ? 1 : staged->capacity[use] / demand;
}

INLINE void account(struct dlq_staged_resource *resource, double now)
{
    const double taken = resource->count * (now - resource->since);
    resource->spent += taken;
    resource->work += taken * resource->slope.rate;
    resource->since = now;
}

INLINE void set_rate(struct dlq_staged_resource *resource, double rate, double now, double clock)
{
    if (rate != resource->slope.rate)
        resource->slope = (struct dlq_staged_slope){rate, now, clock, false};
}

INLINE void find_next(struct dlq_staged_resource *resource)
{
    const struct dlq_staged_slope *slope = &resource->slope;
    resource->next = resource->first;
    if (!slope->natural && resource->first < NEVER)
        resource->next = slope->real + (resource->first - slope->clock) / slope->rate;
}

/* The index of the first element that is set in the mask, which is not empty. Elements are loaders here, not lanes. */
INLINE int first_set(vector_mask mask)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return __builtin_ctz((unsigned)_mm256_movemask_pd((__m256d)mask));
#else
    int element = 0;
    while (mask[element] == 0)
        element++;
    return element;
#endif
}

/* Finds the load that leaves a resource first; of several at one time the load in the lowest stage, and of
   these the load of the lowest loader. */
INLINE void find_first(const struct staged *staged, const struct dlq_staged_rank *rank, int use)
{
    struct dlq_staged_resource *resource = &rank->resources[use];
    vector least = splat(NEVER);
    for (int64_t s = 0; s < staged->stages; s++)
        for (int64_t i = 0; (int)staged->point->uses[s] == use && i < staged->row; i += WIDTH)
            least = smaller(least, load(rank->ends + s * staged->row + i, 0));
    double first = least[0];
    for (int k = 1; k < WIDTH; k++)
        first = least[k] < first ? least[k] : first;
    resource->first = first;
    for (int64_t s = 0; first < NEVER && s < staged->stages; s++) {
        for (int64_t i = 0; (int)staged->point->uses[s] == use && i < staged->row; i += WIDTH) {
            const vector_mask found = (vector_mask)(load(rank->ends + s * staged->row + i, 0) == splat(first));
            if (!any(found))
                continue;
            resource->stage = s;
            resource->loader = i + first_set(found);
            return;
        }
    }
}

INLINE void leave(const struct staged *staged, struct dlq_staged_resource *resource, int use, double now, double demand)
{
    account(resource, now);
    resource->left_at = now;
    resource->left_clock = resource->first;
    resource->old = resource->slope;
    resource->count -= 1;
    resource->demand = resource->count > 0 ? resource->demand - demand : 0;
    set_rate(resource, even_rate(staged, use, resource->demand), now, resource->first);
}

/* Returns the virtual time V at which the batch leaves; end: when it would leave if nothing slowed it. */
INLINE double enter(const struct staged *staged, struct dlq_staged_resource *resource, int use, double now, double work,
                    double end, double demand)
{
    account(resource, now);
    resource->demand += demand;
    resource->count += 1;
    const double rate = even_rate(staged, use, resource->demand);
    const struct dlq_staged_slope *slope = &resource->slope;
    double clock = slope->natural ? now : slope->clock + (now - slope->real) * slope->rate;
    if (now == resource->left_at) {
        clock = resource->left_clock;
        if (rate == resource->old.rate)
            resource->slope = resource->old;
    }
    set_rate(resource, rate, now, clock);
    resource->left_at = -1;
    return slope->natural ? end : clock + work;
}

/* -- loads -- */

/* Finds the first stage from `from` on in which the batch has work, and sets stage and time of the entry. False: there
   is none. */
INLINE bool find_stage(const struct staged *staged, const struct dlq_staged_rank *rank, int64_t from,
                       struct entry *entry)
{
    for (int64_t s = from; s < staged->stages; s++) {
        const double time = rank->times[s * staged->window + entry->place];
        if (time > entry->before) {
            entry->stage = s;
            entry->time = time;
            return true;
        }
    }
    return false;
}

INLINE void enter_stage(const struct staged *staged, const struct dlq_staged_rank *rank, int64_t loader,
                        const struct entry *entry, double now)
{
    const int use = (int)staged->point->uses[entry->stage];
    const double work = entry->time - entry->before;
    struct dlq_staged_resource *resource = &rank->resources[use];
    double end = entry->base + entry->time;
    if (staged->limited[use]) {
        end = enter(staged, resource, use, now, work, end, staged->point->demand[entry->stage]);
    } else { /* what is not limited slows nothing: only its sums are kept */
        resource->work += work;
        resource->spent += work;
    }
    rank->ends[entry->stage * staged->row + loader] = end;
    const bool lower = entry->stage < resource->stage || (entry->stage == resource->stage && loader < resource->loader);
    if (end < resource->first || (end == resource->first && lower)) {
        resource->first = end;
        resource->stage = entry->stage;
        resource->loader = loader;
    }
    find_next(resource);
}

/* Removes the load that leaves a resource first: its batch enters the next stage, or is done, and its loader begins the
   next batch if that has arrived. */
INLINE void end_stage(const struct staged *staged, const struct dlq_staged_rank *rank, int use, int64_t arrived)
{
    struct dlq_staged_resource *resource = &rank->resources[use];
    const double now = resource->next;
    const int64_t stage = resource->stage, loader = resource->loader, place = rank->places[loader];
    struct entry entry = {.place = place, .base = rank->bases[loader]};
    if (staged->limited[use])
        leave(staged, resource, use, now, staged->point->demand[stage]);
    rank->ends[stage * staged->row + loader] = NEVER;
    find_first(staged, rank, use);
    find_next(resource);
    entry.before = rank->times[stage * staged->window + place];
    if (now != entry.base + entry.before) /* where the stage was slowed, the base moves */
        entry.base = now - entry.before;
    if (!find_stage(staged, rank, stage + 1, &entry)) {
        const int64_t next = rank->numbers[loader] + staged->servers, to = place + staged->place_step;
        rank->done[place] = now;
        rank->numbers[loader] = next;
        rank->places[loader] = entry.place = to < staged->window ? to : to - staged->window;
        if (next >= arrived)
            return;
        entry.base = now;
        entry.before = 0;
        find_stage(staged, rank, 0, &entry);
    }
    rank->bases[loader] = entry.base;
    enter_stage(staged, rank, loader, &entry, now);
}

/* Batch `number` arrives at its loader, and its load begins if the loader is idle. */
INLINE void arrive(const struct staged *staged, const struct dlq_staged_rank *rank, int64_t number, int64_t place,
                   int64_t loader, double arrival)
{
    for (int use = 1; use < 3; use++) {
        if (!staged->limited[use])
            continue;
        account(&rank->resources[use], arrival);
        rank->resources[use].left_at = -1;
    }
    if (rank->numbers[loader] != number)
        return;
    struct entry entry = {.place = place, .base = arrival};
    find_stage(staged, rank, 0, &entry);
    rank->bases[loader] = arrival;
    enter_stage(staged, rank, loader, &entry, arrival);
}

/* A batch is dispatched: its times, from the draws of the loads. */
INLINE void dispatch(const struct staged *staged, const struct dlq_staged_rank *rank, double scale, int64_t place,
                     int64_t loader, const struct dlq_block *block, size_t draw)
{
    const bool slow = loader < staged->point->slow_servers;
    for (int64_t s = 0; s < staged->stages; s++) {
        const double time = block->cumulative[staged->point->last[s]][draw] * scale;
        rank->times[s * staged->window + place] = slow ? time * staged->point->slow_factor : time;
    }
    rank->done[place] = NEVER;
}

/* Ends stages until the batch at `place` is done and, if there is a next batch (`more`), until that arrives at its
   loader. Returns when it arrives; *ready: when the batch at `place` can be received. arrived: how many batches of the
   epoch count as arrived; ended: when the last step ended. */
INLINE double advance_to_delivery(const struct staged *staged, const struct dlq_staged_rank *rank, int64_t place,
                                  int64_t arrived, bool more, double ended, double *ready)
{
    for (;;) {
        const double done = rank->done[place];
        *ready = done + staged->deliver;
        const double arrival = dlq_larger(ended, *ready) + staged->receive + staged->dispatch;
        int use = rank->resources[1].next < rank->resources[0].next;
        if (rank->resources[2].next < rank->resources[use].next)
            use = 2;
        /* NEVER / 2 is later than any event that happens. */
        if (rank->resources[use].next > (done < NEVER ? (more ? arrival : -1) : NEVER / 2))
            return arrival;
        end_stage(staged, rank, use, arrived);
    }
}

INLINE struct staged staged_of(const struct dlq_lane_state *state)
{
    const struct dlq_point *point = state->point;
    struct staged staged = {.point = point,
                            .ranks = point->ranks,
                            .servers = point->servers,
                            .window = point->window,
                            .stages = (int64_t)point->stages,
                            .row = dlq_staged_row(point->servers),
                            .place_step = point->servers % point->window,
                            .capacity = {NEVER, point->cores.capacity, point->bandwidth.capacity},
                            .dispatch = point->dispatch,
                            .deliver = point->deliver,
                            .receive = point->receive};
    for (int use = 1; use < 3; use++) {
        staged.full[use] = staged.capacity[use] * (1 + 1e-12);
        for (size_t s = 0; s < point->stages; s++)
            staged.limited[use] =
                staged.limited[use] ||
                ((int)point->uses[s] == use && point->demand[s] * (double)point->servers > staged.capacity[use]);
    }
    return staged;
}

/* Prefetches the state of the next rank in the lane, and its draws. */
INLINE void fetch(const struct staged *staged, const struct dlq_lane_state *state, int64_t rank_number, int lane,
                  const struct dlq_block *block, size_t draw)
{
    enum { LINE = 8 }; /* doubles of a cache line */
    const double *rows = dlq_staged_rank_of(state, rank_number, lane).ends;
    for (int64_t i = 0; i < state->server_rows; i += LINE)
        __builtin_prefetch(rows + i, 1);
    for (int64_t s = 0; s < staged->stages; s++)
        __builtin_prefetch(block->cumulative[staged->point->last[s]] + draw);
}

/* The first batches of an epoch arrive at their loaders, all at one time, in order. */
INLINE void open_rank(const struct staged *staged, const struct dlq_lane_state *state, int64_t rank_number, int lane,
                      const struct dlq_block *block, size_t draw)
{
    const struct dlq_staged_rank rank = dlq_staged_rank_of(state, rank_number, lane);
    const double now = rank.resources[1].since, scale = dlq_load_scale(staged->point, rank_number);
    const int64_t first = state->batches < staged->window ? state->batches : staged->window;
    for (int64_t i = 0; i < first; i++)
        dispatch(staged, &rank, scale, i, i % staged->servers, block, draw + (size_t)i * DLQ_LANES);
    for (int64_t i = 0; i < first; i++)
        arrive(staged, &rank, i, i, i % staged->servers, now);
}

/* Delivers batch `number` to all ranks and returns when the last one can receive it. Each rank then dispatches the next
   batch of the same place. draw: index of that batch's load for the first rank. */
INLINE double deliver_batch(const struct staged *staged, const struct dlq_lane_state *state, int64_t number, int lane,
                            double ended, const struct dlq_block *block, size_t draw)
{
    const int64_t place = number % staged->window, next = number + staged->window, loader = next % staged->servers;
    const bool more = next < state->batches;
    double last = 0;
    for (int64_t r = 0; r < staged->ranks; r++, draw += block->rank_stride) {
        const struct dlq_staged_rank rank = dlq_staged_rank_of(state, r, lane);
        double ready;
        if (r + 1 < staged->ranks)
            fetch(staged, state, r + 1, lane, block, draw + block->rank_stride);
        const double arrival =
            advance_to_delivery(staged, &rank, place, more ? next : state->batches, more, ended, &ready);
        last = r == 0 ? ready : dlq_larger(last, ready);
        if (!more)
            continue;
        dispatch(staged, &rank, dlq_load_scale(staged->point, r), place, loader, block, draw);
        arrive(staged, &rank, next, place, loader, arrival);
    }
    return last;
}

/* Works on the sums of the whole vector that has the lane, and stores those of the lane only. */
static void advance_lane(struct dlq_lane_state *state, const struct staged *staged, const struct numbers *numbers,
                         int lane, const struct dlq_block *block, size_t n, enum dlq_lane_measure measure,
                         struct dlq_lane_record record)
{
    const int v = lane / WIDTH, k = lane % WIDTH;
    struct sums sums = sums_load(state->sums, v);
    struct dlq_lane_sums all = *state->sums;
    for (int64_t r = 0; state->dispatched == 0 && r < staged->ranks; r++)
        open_rank(staged, state, r, lane, block, (size_t)r * block->rank_stride + (size_t)lane);
    for (size_t i = 0; i < n; i++) {
        _Alignas(vector) double waits[DLQ_LANES];
        const size_t draw = (i + (size_t)staged->window) * DLQ_LANES + (size_t)lane;
        const double ready =
            deliver_batch(staged, state, state->dispatched + (int64_t)i, lane, sums.end[k], block, draw);
        deliver_and_step(numbers, &sums, v, splat(ready), block->steps + i * DLQ_LANES, measure, waits);
        if (measure == DLQ_LANE_SERIES)
            record.waits[i * DLQ_LANES + (size_t)lane] = waits[lane];
    }
    sums_store(&all, v, &sums);
    for (size_t i = 0; i < sizeof all / sizeof all.end; i++)
        ((double *)state->sums)[i * DLQ_LANES + (size_t)lane] = ((const double *)&all)[i * DLQ_LANES + (size_t)lane];
}

static void advance_point(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                          enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const struct staged staged = staged_of(state);
    const struct numbers numbers = numbers_of(state, block, false);
    for (int lane = 0; lane < state->lanes; lane++)
        advance_lane(state, &staged, &numbers, lane, block, n, measure, record);
    state->dispatched += (long)n;
}

const dlq_lane_advances DLQ_FOR_SET(dlq_staged) = {advance_point};
