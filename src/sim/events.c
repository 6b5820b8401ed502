/* The loaders of one rank, in every discipline: the reference for the vector kernels. Loads that depend on each other
   (they share cores, one thread pins them, or the trainer needs a core) are simulated event by event, because their
   times are not known at dispatch. Independent loads follow the recursion of the discipline (theory 1-4), which gives
   the same bits. */
#include "sim/events.h"

#include <string.h>

static inline bool depends(const struct dlq_point *point)
{
    return point->discipline == DLQ_DEPENDENT;
}

/* Independent loads in order of index need not be simulated before the trainer asks for them. */
static inline bool on_demand(const struct dlq_point *point)
{
    return !depends(point) && point->loader->order == DLQ_ORDER_INDEX;
}

/* Batches dispatched at the start of an epoch. A relay has room in its buffer for its first batch at once and so
   dispatches one more; with dependent loads relay() does that. With an unbounded window servers of independent loads
   never wait for the trainer: only the N batches under way matter, or the next one in order of index. */
static long batches_at_start(const struct dlq_point *point)
{
    if (dlq_loader_is_serial(point->loader))
        return 1;
    if (point->window == DLQ_UNBOUNDED && !depends(point))
        return on_demand(point) ? 1 : point->servers;
    const long window = depends(point) ? dlq_least(point->window, DLQ_EVENTS_AHEAD) : point->window;
    return window + (dlq_point_at_request(point) || (point->loader->relay && !depends(point)));
}

/* With dependent loads a relay moves batches, and dispatches others, during a step, until its buffer is full. */
size_t dlq_loading_ahead(const struct dlq_point *point)
{
    const long buffered = point->loader->relay && depends(point) ? point->prefetch + 1 : 0;
    return on_demand(point) ? 0 : (size_t)(batches_at_start(point) + buffered);
}

enum dlq_status dlq_loading_begin(struct dlq_arena *arena, const struct dlq_point *point, struct dlq_loading **result)
{
    const size_t servers = (size_t)point->servers, places = on_demand(point) ? 1 : dlq_loading_ahead(point);
    const struct dlq_pace none = {.capacity = INFINITY};
    const struct dlq_pace *const paces[RESOURCES] = {&none, &point->cores, &point->bandwidth, &none};
    struct dlq_loading *rank;
    NEW(arena, rank, 1);
    rank->point = point;
    rank->places = (long)places;
    rank->stages = point->stages > 0 ? point->stages : 1;
    NEW(arena, rank->flights, places);
    NEW(arena, rank->sums, places * rank->stages);
    rank->each = point->samples > 0 ? point->threads : 1;
    NEW(arena, rank->samples, places * point->sample_stages * (size_t)point->samples + 1);
    NEW(arena, rank->threads, servers * (size_t)rank->each);
    NEW(arena, rank->free_at, (size_t)rank->each);
    NEW(arena, rank->arrivals, places);
    NEW(arena, rank->finished, places);
    NEW(arena, rank->servers, servers);
    NEW(arena, rank->idle, servers);
    NEW(arena, rank->received, (size_t)point->prefetch + 1);
    rank->on_demand = on_demand(point);
    rank->endless = point->window == DLQ_UNBOUNDED && !depends(point) && !dlq_loader_is_serial(point->loader);
    rank->credit_places = rank->on_demand ? batches_at_start(point) : 1;
    NEW(arena, rank->credits, (size_t)rank->credit_places);
    for (int i = 0; i < RESOURCES; i++) /* + 1: the trainer */
        TRY(dlq_resource_begin(arena, &rank->resources[i], paces[i], point->servers * rank->each + 1));
    if (point->core_affinity > 0 && !isinf(point->cores.capacity))
        TRY(dlq_resource_bind(arena, &rank->resources[DLQ_USES_CPU], point->core_affinity,
                              (long)fmax(1, round(point->cores.capacity)), rank->each));
    *result = rank;
    return DLQ_OK;
}

void dlq_loading_reset(struct dlq_loading *rank)
{
    rank->pinned = 0;
    dlq_loading_forget_slowdown(rank);
}

void dlq_loading_forget_slowdown(struct dlq_loading *rank)
{
    for (int i = 0; i < RESOURCES; i++)
        rank->resources[i].work = rank->resources[i].spent = 0;
}

/* Servers of dependent loads are busy at first, until they are ready. */
void dlq_loading_epoch(struct dlq_loading *rank, double ready, const double *phase, long batches)
{
    const struct dlq_point *point = rank->point;
    rank->dispatched = rank->arrived = rank->delivered = 0;
    rank->due = rank->turn = rank->credit = rank->chosen = rank->relayed = 0;
    rank->has_slot = false;
    rank->batches = batches;
    rank->idle_count = rank->finished_count = 0;
    rank->now = rank->ready = rank->moved = rank->slot = ready;
    for (int i = 0; i < RESOURCES; i++)
        dlq_resource_reset(&rank->resources[i]);
    for (long i = 0; i <= point->prefetch; i++)
        rank->received[i] = ready;
    for (long i = 0; i < rank->credit_places; i++)
        rank->credits[i] = ready;
    for (long w = 0; w < point->servers; w++) {
        rank->servers[w].dealt = 0;
        rank->idle[w] = (struct dlq_slot){.time = ready + phase[w], .number = w};
        if (!depends(point)) {
            if (dlq_point_is_pool(point))
                dlq_heap_push(rank->idle, (size_t)w, rank->idle[w]);
            continue;
        }
        rank->servers[w] = (struct server){.batch = NO_BATCH, .busy = true, .first = NO_BATCH};
        dlq_resource_enter(&rank->resources[rank->calendar != NULL ? STARTING : DLQ_USES_NOTHING], ready, phase[w],
                           ready + phase[w], 0,
                           (struct dlq_slot){.number = w - point->servers, .server = w * rank->each});
    }
}

/* The cumulative stage times of the batch at a place. */
static inline double *sums_of(const struct dlq_loading *rank, long place)
{
    return &rank->sums[(size_t)place * rank->stages];
}

/* Sets the calendar's speed on a resource that was idle or whose speed has just ended. */
static inline void change_speed(struct dlq_loading *rank, int use)
{
    struct dlq_resource *resource = &rank->resources[use];
    double until;
    if (rank->calendar == NULL || (resource->count > 0 && rank->now < resource->change))
        return;
    double speed = dlq_calendar_speed(rank->calendar, use, rank->now, &until);
    dlq_resource_slow(resource, rank->now, speed, until);
}

/* -- samples that are simulated one by one: each goes to the thread of the server that is free first -- */

/* s at full speed that server w needs for a stage of a sample of the batch at `place`. */
static inline double sample_time(const struct dlq_loading *rank, long w, long place, size_t stage, long sample)
{
    const struct dlq_point *point = rank->point;
    const size_t row = (size_t)place * point->sample_stages + stage;
    return dlq_work_seconds(point, rank->samples[row * (size_t)point->samples + (size_t)sample], w);
}

/* Lets thread t of server w continue at `now` with its sample, from its current stage, or start the next sample.
   false: no sample is left. */
static bool load_samples(struct dlq_loading *rank, long w, long t)
{
    const struct dlq_point *point = rank->point;
    struct server *server = &rank->servers[w];
    struct thread *thread = &rank->threads[w * rank->each + t];
    for (;; thread->stage++) {
        if (thread->stage == point->sample_stages) {
            if (server->samples == point->samples)
                return false;
            *thread = (struct thread){.sample = server->samples++};
        }
        const double work = sample_time(rank, w, server->batch, thread->stage, thread->sample);
        if (work <= 0)
            continue;
        change_speed(rank, (int)point->uses[thread->stage]);
        dlq_resource_enter(
            &rank->resources[point->uses[thread->stage]], rank->now, work, rank->now + work,
            point->demand[thread->stage],
            (struct dlq_slot){.number = rank->flights[server->batch].batch, .server = w * rank->each + t});
        return true;
    }
}

/* When server w, which begins the batch at `place` at `start`, has loaded its samples; for independent loads. */
static double makespan_of(const struct dlq_loading *rank, long w, long place, double start)
{
    const struct dlq_point *point = rank->point;
    double end = start, times[DLQ_MOST_STAGES] = {0};
    for (long t = 0; t < rank->each; t++)
        rank->free_at[t] = (struct dlq_slot){.time = start, .number = t};
    for (long sample = 0; sample < point->samples; sample++) {
        struct dlq_slot first = rank->free_at[0];
        for (size_t k = 0; k < point->sample_stages; k++)
            times[k] = (k > 0 ? times[k - 1] : 0) + sample_time(rank, w, place, k, sample);
        if (rank->calendar == NULL)
            first.time += times[point->sample_stages - 1];
        else
            first.time = dlq_calendar_end(rank->calendar, w * rank->each + first.number, first.time, times, 0,
                                          point->sample_stages);
        end = dlq_larger(end, first.time);
        dlq_heap_down(rank->free_at, (size_t)rank->each, first);
    }
    return end;
}

/* -- servers -- */

static void become_free(struct dlq_loading *rank, long w);
static void relay(struct dlq_loading *rank);

/* The load at a place is done at `now`: the batch is pinned, in order of completion, and sent to the trainer. */
static inline void complete(struct dlq_loading *rank, long place)
{
    const struct dlq_point *point = rank->point;
    struct flight *done = &rank->flights[place];
    done->ready = rank->now;
    if (point->pin > 0)
        done->ready = rank->pinned = dlq_larger(rank->now, rank->pinned) + point->pin;
    done->ready += point->deliver;
    done->done = true;
    if (rank->log != NULL) {
        struct dlq_logged *logged = dlq_kernel_log_find(rank->log, done->batch);
        logged->load_end = rank->now;
        if (!point->loader->relay) /* a relay logs the time at delivery */
            logged->ready = done->ready;
    }
    if (point->loader->relay && depends(point))
        relay(rank);
    if (point->loader->order == DLQ_ORDER_COMPLETION)
        dlq_heap_push(rank->finished, rank->finished_count++,
                      (struct dlq_slot){.time = rank->now, .number = done->batch, .server = place});
}

/* Starts the current stage of a server's batch at `now`, or the next one that takes time, or completes the batch. */
static void start_stage(struct dlq_loading *rank, long w)
{
    const struct dlq_point *point = rank->point;
    struct server *server = &rank->servers[w];
    const double *sums = sums_of(rank, server->batch);
    double before = server->stage == 0 ? 0 : dlq_load_time(point, sums[server->stage - 1], w);
    for (; server->stage < point->stages; server->stage++) {
        double after = dlq_load_time(point, sums[server->stage], w);
        if (after <= before)
            continue;
        change_speed(rank, (int)point->uses[server->stage]);
        dlq_resource_enter(&rank->resources[point->uses[server->stage]], rank->now, after - before,
                           server->base + after, point->demand[server->stage],
                           (struct dlq_slot){.number = rank->flights[server->batch].batch, .server = w * rank->each});
        return;
    }
    complete(rank, server->batch);
    become_free(rank, w);
}

/* All samples are loaded: starts the stages of the batch as a whole. */
static void end_samples(struct dlq_loading *rank, long w)
{
    struct server *server = &rank->servers[w];
    server->stage = rank->point->sample_stages;
    server->base = rank->now - dlq_load_time(rank->point, sums_of(rank, server->batch)[server->stage - 1], w);
    start_stage(rank, w);
}

static void start_samples(struct dlq_loading *rank, long w)
{
    struct server *server = &rank->servers[w];
    server->samples = server->loading = 0;
    for (long t = 0; t < rank->each; t++) {
        rank->threads[w * rank->each + t].stage = rank->point->sample_stages;
        server->loading += load_samples(rank, w, t);
    }
    if (server->loading == 0)
        end_samples(rank, w);
}

static void log_start(const struct dlq_loading *rank, long w, long place, double start)
{
    if (rank->log == NULL)
        return;
    struct dlq_logged *logged = dlq_kernel_log_find(rank->log, rank->flights[place].batch);
    logged->worker = w;
    logged->load_start = start;
}

static void start_load(struct dlq_loading *rank, long w, long place)
{
    struct server *server = &rank->servers[w];
    log_start(rank, w, place, rank->now);
    server->batch = place;
    server->busy = true;
    server->stage = 0;
    server->base = rank->now;
    if (rank->point->samples > 0)
        start_samples(rank, w);
    else
        start_stage(rank, w);
}

static long dequeue(struct dlq_loading *rank, struct server *queue)
{
    long place = queue->first;
    queue->first = rank->flights[place].next;
    return place;
}

/* A server is free at `now`: it loads the next batch of its queue. A pool's server waits for match(). */
static void become_free(struct dlq_loading *rank, long w)
{
    struct server *server = &rank->servers[w];
    server->busy = false;
    if (dlq_point_is_pool(rank->point))
        dlq_heap_push(rank->idle, rank->idle_count++, (struct dlq_slot){.time = rank->now, .number = w});
    else if (server->first != NO_BATCH)
        start_load(rank, w, dequeue(rank, server));
}

/* An independent load: L = max(A + a, when the server is free), D = L + S, or later if the calendar slows the load. The
   server is the next in turn (theory 1), or a pool's first free one (theory 3). */
static inline void load_independently(struct dlq_loading *rank, struct flight *flight, long place)
{
    const struct dlq_point *point = rank->point;
    const double *sums = sums_of(rank, place);
    const bool pool = dlq_point_is_pool(point);
    struct dlq_slot *server = &rank->idle[pool ? 0 : flight->server], first = {0, server->number, 0};
    flight->server = first.number;
    flight->start = dlq_larger(flight->arrival, server->time);
    if (rank->calendar == NULL && point->samples == 0) {
        first.time = flight->start + dlq_load_time(point, sums[0], first.number);
    } else {
        double times[DLQ_MOST_STAGES] = {0};
        const size_t samples = point->sample_stages, count = point->staged || samples > 0 ? point->stages : 1;
        for (size_t k = 0; k < count; k++)
            times[k] = dlq_work_seconds(point, sums[k], first.number);
        first.time = samples > 0 ? makespan_of(rank, first.number, place, flight->start) : flight->start;
        if (rank->calendar != NULL)
            first.time = dlq_calendar_end(rank->calendar, first.number * rank->each, first.time, times, samples, count);
        else if (samples > 0)
            first.time = flight->start +
                         dlq_rounded(point, first.time - flight->start + (times[count - 1] - times[samples - 1]));
    }
    log_start(rank, first.number, place, flight->start);
    rank->now = first.time;
    complete(rank, place);
    if (pool)
        dlq_heap_down(rank->idle, (size_t)point->servers, first);
    else
        server->time = first.time;
}

/* -- events -- */

/* Ends the stage that ends first on a resource. */
static void end_stage(struct dlq_loading *rank, struct dlq_resource *resource)
{
    const struct dlq_point *point = rank->point;
    rank->now = resource->next;
    const long client = resource->heap[0].server, w = client / rank->each;
    struct server *server = &rank->servers[w];
    if (w == point->servers) { /* the trainer */
        dlq_resource_leave(resource, 1);
        rank->working = false;
        return;
    }
    if (server->batch == NO_BATCH) { /* a loader that started later */
        dlq_resource_leave(resource, 0);
        become_free(rank, w);
        return;
    }
    if (server->loading > 0) {
        struct thread *thread = &rank->threads[client];
        dlq_resource_leave(resource, point->demand[thread->stage++]);
        server->loading -= !load_samples(rank, w, client % rank->each);
        if (server->loading == 0)
            end_samples(rank, w);
        return;
    }
    dlq_resource_leave(resource, point->demand[server->stage]);
    double sum = dlq_load_time(point, sums_of(rank, server->batch)[server->stage], w);
    if (rank->now != server->base + sum)
        server->base = rank->now - sum;
    server->stage++;
    start_stage(rank, w);
}

/* When the next stage ends, or a resource changes its speed; INFINITY: never. */
static double next_end(const struct dlq_loading *rank)
{
    return dlq_smaller(dlq_smaller(rank->resources[0].next, rank->resources[STARTING].next),
                       dlq_smaller(rank->resources[1].next, rank->resources[2].next));
}

static double next_arrival(const struct dlq_loading *rank)
{
    return rank->arrived < rank->dispatched ? rank->flights[rank->arrivals[rank->arrived % rank->places]].arrival
                                            : INFINITY;
}

/* Gives the first waiting batch to the pool's server that became free first, once all stages that end at this moment
   have ended. false: none waits, or a stage still ends now. */
static bool match(struct dlq_loading *rank)
{
    if (rank->idle_count == 0 || rank->servers[0].first == NO_BATCH || next_end(rank) <= rank->now)
        return false;
    long w = rank->idle[0].number;
    dlq_heap_pop(rank->idle, rank->idle_count--);
    start_load(rank, w, dequeue(rank, &rank->servers[0]));
    return true;
}

/* The next event: a match, an arrival, the end of a stage or a change of speed. */
static void next_event(struct dlq_loading *rank)
{
    if (match(rank))
        return;
    double end = next_end(rank); /* or change of speed */
    if (next_arrival(rank) < end) {
        long place = rank->arrivals[rank->arrived++ % rank->places];
        const struct flight *arrival = &rank->flights[place];
        rank->now = arrival->arrival;
        for (int i = 0; i < RESOURCES; i++)
            dlq_resource_arrive(&rank->resources[i], rank->now);
        bool pool = dlq_point_is_pool(rank->point);
        struct server *queue = &rank->servers[pool ? 0 : arrival->server];
        if (!pool && !queue->busy) {
            start_load(rank, arrival->server, place);
        } else {
            *(queue->first == NO_BATCH ? &queue->first : &rank->flights[queue->last].next) = place;
            queue->last = place;
        }
        return;
    }
    int i = 0;
    while (i < RESOURCES - 1 && rank->resources[i].next != end)
        i++;
    if (rank->resources[i].leaves > end) {
        rank->now = end;
        change_speed(rank, i);
    } else {
        end_stage(rank, &rank->resources[i]);
    }
}

/* -- dispatch and delivery -- */

/* Dispatches the next batch at `time` to a server; loads[draw] of the block is its load. */
static inline void dispatch(struct dlq_loading *rank, const struct dlq_block *block, size_t draw, double time,
                            long server, long place)
{
    const struct dlq_point *point = rank->point;
    struct dlq_kernel_log *log = rank->log;
    struct flight *flight = &rank->flights[place];
    const size_t stages = depends(point) || point->staged || point->samples > 0 ? point->stages : 0;
    const size_t samples = (size_t)point->samples;
    sums_of(rank, place)[0] = block->loads[draw];
    for (size_t k = 0; k < stages; k++)
        sums_of(rank, place)[k] = block->cumulative[point->last[k]][draw];
    for (size_t k = 0, from = 0; k < point->sample_stages; from = point->last[k++] + 1) {
        double *times = rank->samples + ((size_t)place * point->sample_stages + k) * samples;
        memcpy(times, block->samples[from] + draw * samples, samples * sizeof *times);
        for (size_t stage = from + 1; stage <= point->last[k]; stage++)
            for (size_t u = 0; u < samples; u++)
                times[u] += block->samples[stage][draw * samples + u];
    }
    rank->turn = rank->turn + 1 == point->servers ? 0 : rank->turn + 1;
    if (log != NULL)
        log->batches[log->count++] = (struct dlq_logged){log->dispatched++, -1, time, NAN, NAN, NAN, false};
    *flight = (struct flight){
        .batch = rank->dispatched++, .arrival = time + point->dispatch, .server = server, .next = NO_BATCH};
    if (depends(point)) {
        rank->arrivals[(rank->dispatched - 1) % rank->places] = place;
    } else {
        rank->arrived++;
        load_independently(rank, flight, place);
        rank->servers[flight->server].dealt++;
    }
}

/* Whether a server has loaded all batches of its queue: with an unbounded window all batches of an epoch are queued at
   its start, for one server after the other. */
static inline bool queue_is_empty(const struct dlq_loading *rank, long server)
{
    const long servers = rank->point->servers;
    return rank->endless && rank->point->loader->assign == DLQ_ASSIGN_OWNER && rank->batches != LONG_MAX &&
           rank->servers[server].dealt >= (rank->batches - server + servers - 1) / servers;
}

/* Dependent loads: moves all batches whose times are known. The buffer has room for batch r at Q_r = max(P_{r-1},
   G_{r-p}); then batch r + K is dispatched. Batch r is moved at P_r = max(Q_r, D_r + e) (theory 4, where K = N). */
static void relay(struct dlq_loading *rank)
{
    const struct dlq_point *point = rank->point;
    for (;;) {
        if (!rank->has_slot && rank->relayed - rank->delivered < point->prefetch) {
            rank->slot = dlq_larger(rank->moved, rank->received[rank->relayed % point->prefetch]);
            rank->has_slot = true;
            if (rank->dispatched < rank->batches)
                dispatch(rank, rank->block, rank->draws_at + (size_t)(rank->dispatched - rank->delivered), rank->slot,
                         rank->turn, rank->dispatched % rank->places);
        }
        struct flight *next = &rank->flights[rank->relayed % rank->places];
        if (!rank->has_slot || rank->relayed >= rank->dispatched || !next->done)
            return;
        next->ready = rank->moved = dlq_larger(rank->slot, next->ready);
        rank->relayed++;
        rank->has_slot = false;
    }
}

/* The place of the batch delivered next; NO_BATCH: not known yet. */
static long next_delivery(const struct dlq_loading *rank)
{
    if (rank->point->loader->order == DLQ_ORDER_INDEX) {
        bool done = rank->delivered < rank->dispatched && rank->flights[rank->due].done;
        return done ? rank->due : NO_BATCH;
    }
    /* A dependent load that ends at the same moment may have a lower index. */
    bool known = rank->finished_count > 0 && (!depends(rank->point) || rank->finished[0].time < next_end(rank));
    return known ? rank->finished[0].server : NO_BATCH;
}

double dlq_loading_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended)
{
    double open = dlq_loader_is_serial(rank->point->loader) ? dlq_larger(ended, rank->ready) : rank->ready;
    const bool opens = rank->dispatched == 0 && !rank->on_demand, relays = rank->point->loader->relay;
    rank->block = block;
    rank->draws_at = at;
    if (rank->on_demand)
        dispatch(rank, block, at, dlq_loader_is_serial(rank->point->loader) ? open : rank->credits[rank->credit],
                 rank->turn, 0);
    for (long i = 0, first = batches_at_start(rank->point); opens && i < first && i < rank->batches; i++)
        dispatch(rank, block, at + (size_t)i, open, rank->turn, i);
    if (opens && relays)
        relay(rank);
    while (!rank->on_demand && (rank->chosen = next_delivery(rank)) == NO_BATCH)
        next_event(rank);
    const struct flight *chosen = &rank->flights[rank->chosen];
    double ready = chosen->ready;
    if (block->slack != NULL) {
        const double due = relays ? dlq_larger(ended, rank->slot) : ended;
        const double left = due - rank->point->deliver - chosen->start;
        block->slack[at] = chosen->server < rank->point->slow_servers ? left / rank->point->slow_factor : left;
    }
    if (relays && rank->on_demand)
        ready = rank->moved = dlq_larger(rank->slot, ready);
    if (rank->log != NULL) {
        rank->log->delivered = chosen->batch;
        dlq_kernel_log_find(rank->log, rank->log->delivered)->ready = ready;
    }
    return ready;
}

/* The delivered batch makes room in the window, and the next batch is dispatched at the time `credit`; with a relay
   when its buffer has room (theory 4). */
void dlq_loading_deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin,
                         double credit)
{
    const struct dlq_point *point = rank->point;
    const size_t draw = at + (size_t)(rank->dispatched - rank->delivered);
    if (point->loader->relay)
        rank->received[rank->delivered % point->prefetch] = begin;
    if (point->loader->relay && rank->on_demand)
        credit = rank->slot = dlq_larger(rank->moved, rank->received[(rank->delivered + 1) % point->prefetch]);
    if (rank->endless)
        credit = rank->ready;
    rank->delivered++;
    if (rank->on_demand) {
        rank->credits[rank->credit] = credit;
        rank->credit = rank->credit + 1 == rank->credit_places ? 0 : rank->credit + 1;
        return;
    }
    const bool completion = point->loader->order == DLQ_ORDER_COMPLETION;
    const bool owner = point->loader->assign == DLQ_ASSIGN_OWNER || completion;
    const long server = owner ? rank->flights[rank->chosen].server : rank->turn;
    if (completion)
        dlq_heap_pop(rank->finished, rank->finished_count--);
    rank->due = rank->due + 1 == rank->places ? 0 : rank->due + 1;
    rank->draws_at++;
    if (point->loader->relay)
        relay(rank);
    else if (rank->dispatched < rank->batches && !queue_is_empty(rank, server))
        dispatch(rank, block, draw, credit, server, rank->chosen);
    /* Runs on until the dispatched batch arrives, so that mean slowdowns include the work done until then; not where
       the trainer computes on the cores, as its work may have to enter before. */
    while (rank->arrived < rank->dispatched && point->step_cpu == 0 && point->receive_cpu == 0)
        next_event(rank);
}

double dlq_loading_work(struct dlq_loading *rank, double begin, double work)
{
    if (!(work > 0))
        return begin;
    while (match(rank) || dlq_smaller(next_end(rank), next_arrival(rank)) < begin)
        if (dlq_smaller(next_end(rank), next_arrival(rank)) < begin)
            next_event(rank);
    rank->now = begin;
    rank->working = true;
    dlq_resource_enter(&rank->resources[DLQ_USES_CPU], begin, work, begin + work, 1,
                       (struct dlq_slot){.number = LONG_MAX, .server = rank->point->servers * rank->each});
    while (rank->working)
        next_event(rank);
    return rank->now;
}

double dlq_loading_slowdown(const struct dlq_loading *rank, enum dlq_uses uses)
{
    const struct dlq_resource *resource = &rank->resources[uses];
    return resource->work > 0 ? resource->spent / resource->work : NAN;
}
