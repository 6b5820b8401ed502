/* What the loaders of a rank do, in every discipline. Where loads depend on each other - they share cores, a serial
   thread pins batches, or the trainer needs a core - no batch's times are known when it is dispatched: by events. Else
   all are, by the recursion of the discipline (theory 1-4), to the same bits; and in order of index a batch need not be
   looked at before the trainer asks for it. */
#include "sim/events.h"

#include <string.h>

static bool is_serial(const struct dlq_point *point)
{
    return point->loader->assign == DLQ_ASSIGN_TRAINER;
}

static inline bool depends(const struct dlq_point *point)
{
    return point->discipline == DLQ_DEPENDENT;
}

/* Batches are dispatched as the trainer asks for them. */
static inline bool on_demand(const struct dlq_point *point)
{
    return !depends(point) && point->loader->order == DLQ_ORDER_INDEX;
}

/* Batches dispatched at the start of an epoch; a relay takes the first one's slot at once, which dependent loads count
   among what the relay does later. With an unbounded window independent servers never wait for the trainer: those that
   matter are the N under way, or the next one by index. */
static long opening(const struct dlq_point *point)
{
    if (is_serial(point))
        return 1;
    if (point->window == DLQ_UNBOUNDED && !depends(point))
        return on_demand(point) ? 1 : point->servers;
    const long window = depends(point) ? dlq_least(point->window, DLQ_EVENTS_AHEAD) : point->window;
    return window + (dlq_point_at_request(point) || (point->loader->relay && !depends(point)));
}

/* Of dependent loads a relay moves batches, and dispatches others, while the trainer steps: up to a full buffer. */
size_t dlq_loading_ahead(const struct dlq_point *point)
{
    const long buffered = point->loader->relay && depends(point) ? point->prefetch + 1 : 0;
    return on_demand(point) ? 0 : (size_t)(opening(point) + buffered);
}

enum dlq_status dlq_loading_begin(struct dlq_arena *arena, const struct dlq_point *point, struct dlq_loading **rank)
{
    const size_t servers = (size_t)point->servers, places = on_demand(point) ? 1 : dlq_loading_ahead(point);
    const double capacities[RESOURCES] = {INFINITY, point->cores, point->bandwidth, INFINITY};
    struct events *state;
    NEW(arena, state, 1);
    state->rank.point = point;
    state->places = (long)places;
    state->stages = point->stages > 0 ? point->stages : 1;
    NEW(arena, state->flights, places);
    NEW(arena, state->sums, places * state->stages);
    state->each = point->samples > 0 ? point->threads : 1;
    NEW(arena, state->samples, places * point->sample_stages * (size_t)point->samples + 1);
    NEW(arena, state->threads, servers * (size_t)state->each);
    NEW(arena, state->free_at, (size_t)state->each);
    NEW(arena, state->arrivals, places);
    NEW(arena, state->finished, places);
    NEW(arena, state->servers, servers);
    NEW(arena, state->idle, servers);
    NEW(arena, state->taken, (size_t)point->prefetch + 1);
    state->on_demand = on_demand(point);
    state->endless = point->window == DLQ_UNBOUNDED && !depends(point) && !is_serial(point);
    state->credit_places = state->on_demand ? opening(point) : 1;
    NEW(arena, state->credits, (size_t)state->credit_places);
    for (int i = 0; i < RESOURCES; i++) /* on the cores the trainer, too */
        TRY(dlq_resource_begin(arena, &state->resources[i], capacities[i], point->servers * state->each + 1));
    if (point->core_affinity > 0 && !isinf(point->cores))
        TRY(dlq_resource_keep(arena, &state->resources[DLQ_USES_CPU], point->core_affinity,
                              (long)fmax(1, round(point->cores)), state->each));
    *rank = &state->rank;
    return DLQ_OK;
}

void dlq_loading_reset(struct dlq_loading *rank)
{
    struct events *state = (struct events *)rank;
    state->pinned = 0;
    for (int i = 0; i < RESOURCES; i++)
        state->resources[i].work = state->resources[i].spent = 0;
}

/* Where loads depend on each other servers begin as if busy until they are ready. */
void dlq_loading_epoch(struct dlq_loading *rank, double ready, const double *phase, long batches)
{
    struct events *state = (struct events *)rank;
    const struct dlq_point *point = rank->point;
    state->dispatched = state->arrived = state->delivered = 0;
    state->due = state->turn = state->credit = state->chosen = state->relayed = 0;
    state->has_slot = false;
    state->batches = batches;
    state->idle_count = state->finished_count = 0;
    state->now = state->ready = state->moved = state->slot = ready;
    for (int i = 0; i < RESOURCES; i++)
        dlq_resource_reset(&state->resources[i]);
    for (long i = 0; i <= point->prefetch; i++)
        state->taken[i] = ready;
    for (long i = 0; i < state->credit_places; i++)
        state->credits[i] = ready;
    for (long w = 0; w < point->servers; w++) {
        state->servers[w].dealt = 0;
        state->idle[w] = (struct dlq_slot){.time = ready + phase[w], .number = w};
        if (!depends(point)) {
            if (dlq_point_is_pool(point))
                dlq_heap_push(state->idle, (size_t)w, state->idle[w]);
            continue;
        }
        state->servers[w] = (struct server){.batch = NO_BATCH, .busy = true, .first = NO_BATCH};
        dlq_resource_enter(&state->resources[rank->calendar != NULL ? STARTING : DLQ_USES_NOTHING], ready, phase[w],
                           ready + phase[w], 0,
                           (struct dlq_slot){.number = w - point->servers, .server = w * state->each});
    }
}

/* -- what servers do with the batches that reach them -- */

static void become_free(struct events *state, long w);
static void relay(struct events *state);

/* The load at a place is done: pinned in order of completion, then on its way to the trainer. */
static inline void complete(struct events *state, long place)
{
    const struct dlq_point *point = state->rank.point;
    struct flight *done = &state->flights[place];
    done->ready = state->now;
    if (point->pin > 0)
        done->ready = state->pinned = dlq_larger(state->now, state->pinned) + point->pin;
    done->ready += point->deliver;
    done->done = true;
    if (state->rank.log != NULL) {
        struct dlq_logged *logged = dlq_kernel_log_find(state->rank.log, done->batch);
        logged->load_end = state->now;
        if (!point->loader->relay) /* When that moves is known once the trainer comes to it. */
            logged->ready = done->ready;
    }
    if (point->loader->relay && depends(point))
        relay(state);
    if (point->loader->order == DLQ_ORDER_COMPLETION)
        dlq_heap_push(state->finished, state->finished_count++,
                      (struct dlq_slot){.time = state->now, .number = done->batch, .server = place});
}

/* Begins the stages of a server's batch at `now`, from its stage on; those of no length are passed over. */
static void begin_stage(struct events *state, long w)
{
    const struct dlq_point *point = state->rank.point;
    struct server *server = &state->servers[w];
    const double *sums = sums_of(state, server->batch);
    double before = server->stage == 0 ? 0 : dlq_load_time(point, sums[server->stage - 1], w);
    for (; server->stage < point->stages; server->stage++) {
        double after = dlq_load_time(point, sums[server->stage], w);
        if (after <= before)
            continue;
        change_speed(state, (int)point->uses[server->stage]);
        dlq_resource_enter(&state->resources[point->uses[server->stage]], state->now, after - before,
                           server->base + after, point->demand[server->stage],
                           (struct dlq_slot){.number = state->flights[server->batch].batch, .server = w * state->each});
        return;
    }
    complete(state, server->batch);
    become_free(state, w);
}

/* Once all samples are loaded: what the batch as a whole takes. */
static void end_samples(struct events *state, long w)
{
    struct server *server = &state->servers[w];
    server->stage = state->rank.point->sample_stages;
    server->base = state->now - dlq_load_time(state->rank.point, sums_of(state, server->batch)[server->stage - 1], w);
    begin_stage(state, w);
}

/* Samples go to the threads of the server. */
static void begin_samples(struct events *state, long w)
{
    struct server *server = &state->servers[w];
    server->samples = server->loading = 0;
    for (long t = 0; t < state->each; t++) {
        state->threads[w * state->each + t].stage = state->rank.point->sample_stages;
        server->loading += dlq_events_load_samples(state, w, t);
    }
    if (server->loading == 0)
        end_samples(state, w);
}

static void log_start(const struct events *state, long w, long place, double start)
{
    if (state->rank.log == NULL)
        return;
    struct dlq_logged *logged = dlq_kernel_log_find(state->rank.log, state->flights[place].batch);
    logged->worker = w;
    logged->load_start = start;
}

static void start_load(struct events *state, long w, long place)
{
    struct server *server = &state->servers[w];
    log_start(state, w, place, state->now);
    server->batch = place;
    server->busy = true;
    server->stage = 0;
    server->base = state->now;
    if (state->rank.point->samples > 0)
        begin_samples(state, w);
    else
        begin_stage(state, w);
}

static long dequeue(struct events *state, struct server *queue)
{
    long place = queue->first;
    queue->first = state->flights[place].next;
    return place;
}

/* A server is free now: it takes what waits for it alone; a pool's server waits to be matched. */
static void become_free(struct events *state, long w)
{
    struct server *server = &state->servers[w];
    server->busy = false;
    if (dlq_point_is_pool(state->rank.point))
        dlq_heap_push(state->idle, state->idle_count++, (struct dlq_slot){.time = state->now, .number = w});
    else if (server->first != NO_BATCH)
        start_load(state, w, dequeue(state, server));
}

/* L = max(A + a, when the server is free), D = L + S, or later where the rank's calendar slows the load: of the server
   whose turn it is (theory 1), or of a pool's that is free first (theory 3). */
static inline void load_at_once(struct events *state, struct flight *flight, long place)
{
    const struct dlq_point *point = state->rank.point;
    const double *sums = sums_of(state, place);
    const bool pool = dlq_point_is_pool(point);
    struct dlq_slot *server = &state->idle[pool ? 0 : flight->server], first = {0, server->number, 0};
    flight->server = first.number;
    flight->start = dlq_larger(flight->arrival, server->time);
    if (state->rank.calendar == NULL && point->samples == 0) {
        first.time = flight->start + dlq_load_time(point, sums[0], first.number);
    } else {
        double times[DLQ_MOST_STAGES] = {0};
        const size_t samples = point->sample_stages, count = point->staged || samples > 0 ? point->stages : 1;
        for (size_t k = 0; k < count; k++)
            times[k] = dlq_work_seconds(point, sums[k], first.number);
        first.time = samples > 0 ? dlq_events_makespan(state, first.number, place, flight->start) : flight->start;
        if (state->rank.calendar != NULL)
            first.time =
                dlq_calendar_end(state->rank.calendar, first.number * state->each, first.time, times, samples, count);
        else if (samples > 0)
            first.time = flight->start +
                         dlq_rounded(point, first.time - flight->start + (times[count - 1] - times[samples - 1]));
    }
    log_start(state, first.number, place, flight->start);
    state->now = first.time;
    complete(state, place);
    if (pool)
        dlq_heap_down(state->idle, (size_t)point->servers, first);
    else
        server->time = first.time;
}

/* -- events -- */

static void leave(struct events *state, struct dlq_resource *resource)
{
    const struct dlq_point *point = state->rank.point;
    state->now = resource->next;
    const long client = resource->heap[0].server, w = client / state->each;
    struct server *server = &state->servers[w];
    if (w == point->servers) { /* the trainer's work */
        dlq_resource_leave(resource, 1);
        state->working = false;
        return;
    }
    if (server->batch == NO_BATCH) { /* a loader that started later */
        dlq_resource_leave(resource, 0);
        become_free(state, w);
        return;
    }
    if (server->loading > 0) {
        struct thread *thread = &state->threads[client];
        dlq_resource_leave(resource, point->demand[thread->stage++]);
        server->loading -= !dlq_events_load_samples(state, w, client % state->each);
        if (server->loading == 0)
            end_samples(state, w);
        return;
    }
    dlq_resource_leave(resource, point->demand[server->stage]);
    double sum = dlq_load_time(point, sums_of(state, server->batch)[server->stage], w);
    if (state->now != server->base + sum)
        server->base = state->now - sum;
    server->stage++;
    begin_stage(state, w);
}

/* When the next stage ends; INFINITY: none is under way. */
static double next_leave(const struct events *state)
{
    return dlq_smaller(dlq_smaller(state->resources[0].next, state->resources[STARTING].next),
                       dlq_smaller(state->resources[1].next, state->resources[2].next));
}

static double next_arrival(const struct events *state)
{
    return state->arrived < state->dispatched ? state->flights[state->arrivals[state->arrived % state->places]].arrival
                                              : INFINITY;
}

/* The first batch that waits goes to the pool's server that was free first, once all that end at this moment have
   ended; false: nothing to match. */
static bool match(struct events *state)
{
    if (state->idle_count == 0 || state->servers[0].first == NO_BATCH || next_leave(state) <= state->now)
        return false;
    long w = state->idle[0].number;
    dlq_heap_pop(state->idle, state->idle_count--);
    start_load(state, w, dequeue(state, &state->servers[0]));
    return true;
}

/* A match, or the next arrival or end of a stage. */
static void advance(struct events *state)
{
    if (match(state))
        return;
    double leaving = next_leave(state);
    if (next_arrival(state) < leaving) {
        long place = state->arrivals[state->arrived++ % state->places];
        const struct flight *arrival = &state->flights[place];
        state->now = arrival->arrival;
        for (int i = 0; i < RESOURCES; i++)
            dlq_resource_arrive(&state->resources[i], state->now);
        bool pool = dlq_point_is_pool(state->rank.point);
        struct server *queue = &state->servers[pool ? 0 : arrival->server];
        if (!pool && !queue->busy) {
            start_load(state, arrival->server, place);
        } else {
            *(queue->first == NO_BATCH ? &queue->first : &state->flights[queue->last].next) = place;
            queue->last = place;
        }
        return;
    }
    int i = 0;
    while (i < RESOURCES - 1 && state->resources[i].next != leaving)
        i++;
    if (state->resources[i].leaves > leaving) {
        state->now = leaving;
        change_speed(state, i);
    } else {
        leave(state, &state->resources[i]);
    }
}

/* -- what the trainer does -- */

/* The next batch leaves at `time` for its server; its load is `draw` into the block. */
static inline void dispatch(struct events *state, const struct dlq_block *block, size_t draw, double time, long server,
                            long place)
{
    const struct dlq_point *point = state->rank.point;
    struct dlq_kernel_log *log = state->rank.log;
    struct flight *flight = &state->flights[place];
    const size_t stages = depends(point) || point->staged || point->samples > 0 ? point->stages : 0;
    const size_t samples = (size_t)point->samples;
    sums_of(state, place)[0] = block->loads[draw];
    for (size_t k = 0; k < stages; k++)
        sums_of(state, place)[k] = block->cumulative[point->last[k]][draw];
    for (size_t k = 0, from = 0; k < point->sample_stages; from = point->last[k++] + 1) {
        double *own = state->samples + ((size_t)place * point->sample_stages + k) * samples;
        memcpy(own, block->samples[from] + draw * samples, samples * sizeof *own);
        for (size_t stage = from + 1; stage <= point->last[k]; stage++)
            for (size_t u = 0; u < samples; u++)
                own[u] += block->samples[stage][draw * samples + u];
    }
    state->turn = state->turn + 1 == point->servers ? 0 : state->turn + 1;
    if (log != NULL)
        log->batches[log->count++] = (struct dlq_logged){log->dispatched++, -1, time, NAN, NAN, NAN, false};
    *flight = (struct flight){
        .batch = state->dispatched++, .arrival = time + point->dispatch, .server = server, .next = NO_BATCH};
    if (depends(point)) {
        state->arrivals[(state->dispatched - 1) % state->places] = place;
    } else {
        state->arrived++;
        load_at_once(state, flight, place);
        state->servers[flight->server].dealt++;
    }
}

/* Of a window without limit all batches of an epoch are dealt to their servers, by turns, as it begins: none is left
   for one that has had all of its own. */
static inline bool has_had_all(const struct events *state, long server)
{
    const long servers = state->rank.point->servers;
    return state->endless && state->rank.point->loader->assign == DLQ_ASSIGN_OWNER && state->batches != LONG_MAX &&
           state->servers[server].dealt >= (state->batches - server + servers - 1) / servers;
}

/* Of dependent loads: what the relay does by what is known now. The slot of batch r is free at Q_r = max(P_{r-1},
   G_{r-p}), when the batch N further is dispatched; it is moved at P_r = max(Q_r, D_r + e) (theory 4). */
static void relay(struct events *state)
{
    const struct dlq_point *point = state->rank.point;
    for (;;) {
        if (!state->has_slot && state->relayed - state->delivered < point->prefetch) {
            state->slot = dlq_larger(state->moved, state->taken[state->relayed % point->prefetch]);
            state->has_slot = true;
            if (state->dispatched < state->batches)
                dispatch(state, state->block, state->draws_at + (size_t)(state->dispatched - state->delivered),
                         state->slot, state->turn, state->dispatched % state->places);
        }
        struct flight *next = &state->flights[state->relayed % state->places];
        if (!state->has_slot || state->relayed >= state->dispatched || !next->done)
            return;
        next->ready = state->moved = dlq_larger(state->slot, next->ready);
        state->relayed++;
        state->has_slot = false;
    }
}

/* The batch that the trainer takes next, or NO_BATCH while that is not known. */
static long choose(const struct events *state)
{
    if (state->rank.point->loader->order == DLQ_ORDER_INDEX) {
        bool done = state->delivered < state->dispatched && state->flights[state->due].done;
        return done ? state->due : NO_BATCH;
    }
    /* Where loads depend on each other one that ends at the same moment may have a lower index. */
    bool known =
        state->finished_count > 0 && (!depends(state->rank.point) || state->finished[0].time < next_leave(state));
    return known ? state->finished[0].server : NO_BATCH;
}

double dlq_loading_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended)
{
    struct events *state = (struct events *)rank;
    double open = is_serial(rank->point) ? dlq_larger(ended, state->ready) : state->ready;
    const bool opens = state->dispatched == 0 && !state->on_demand, relays = rank->point->loader->relay;
    state->block = block;
    state->draws_at = at;
    if (state->on_demand)
        dispatch(state, block, at, is_serial(rank->point) ? open : state->credits[state->credit], state->turn, 0);
    for (long i = 0, first = opening(rank->point); opens && i < first && i < state->batches; i++)
        dispatch(state, block, at + (size_t)i, open, state->turn, i);
    if (opens && relays)
        relay(state);
    while (!state->on_demand && (state->chosen = choose(state)) == NO_BATCH)
        advance(state);
    const struct flight *chosen = &state->flights[state->chosen];
    double ready = chosen->ready;
    if (block->slack != NULL) {
        const double due = relays ? dlq_larger(ended, state->slot) : ended;
        const double left = due - rank->point->deliver - chosen->start;
        block->slack[at] = chosen->server < rank->point->slow_servers ? left / rank->point->slow_factor : left;
    }
    if (relays && state->on_demand)
        ready = state->moved = dlq_larger(state->slot, ready);
    if (rank->log != NULL) {
        rank->log->taken = chosen->batch;
        dlq_kernel_log_find(rank->log, rank->log->taken)->ready = ready;
    }
    return ready;
}

/* The credit that the batch frees sends the next one out; through a relay, of independent loads (theory 4). */
void dlq_loading_deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin,
                         double credit)
{
    struct events *state = (struct events *)rank;
    const struct dlq_point *point = rank->point;
    const size_t draw = at + (size_t)(state->dispatched - state->delivered);
    if (point->loader->relay)
        state->taken[state->delivered % point->prefetch] = begin;
    if (point->loader->relay && state->on_demand)
        credit = state->slot = dlq_larger(state->moved, state->taken[(state->delivered + 1) % point->prefetch]);
    if (state->endless)
        credit = state->ready;
    state->delivered++;
    if (state->on_demand) {
        state->credits[state->credit] = credit;
        state->credit = state->credit + 1 == state->credit_places ? 0 : state->credit + 1;
        return;
    }
    const bool completion = point->loader->order == DLQ_ORDER_COMPLETION;
    const bool owner = point->loader->assign == DLQ_ASSIGN_OWNER || completion;
    const long server = owner ? state->flights[state->chosen].server : state->turn;
    if (completion)
        dlq_heap_pop(state->finished, state->finished_count--);
    state->due = state->due + 1 == state->places ? 0 : state->due + 1;
    state->draws_at++;
    if (point->loader->relay)
        relay(state);
    else if (state->dispatched < state->batches && !has_had_all(state, server))
        dispatch(state, block, draw, credit, server, state->chosen);
    /* The slowdown counts what is done until that batch arrives. */
    while (state->arrived < state->dispatched && point->step_cpu == 0 && point->receive_cpu == 0)
        advance(state);
}

double dlq_loading_work(struct dlq_loading *rank, double begin, double work)
{
    struct events *state = (struct events *)rank;
    if (!(work > 0))
        return begin;
    while (match(state) || dlq_smaller(next_leave(state), next_arrival(state)) < begin)
        if (dlq_smaller(next_leave(state), next_arrival(state)) < begin)
            advance(state);
    state->now = begin;
    state->working = true;
    dlq_resource_enter(&state->resources[DLQ_USES_CPU], begin, work, begin + work, 1,
                       (struct dlq_slot){.number = LONG_MAX, .server = state->rank.point->servers * state->each});
    while (state->working)
        advance(state);
    return state->now;
}

double dlq_loading_slowdown(const struct dlq_loading *rank, enum dlq_uses uses)
{
    const struct dlq_resource *resource = &((const struct events *)rank)->resources[uses];
    return resource->work > 0 ? resource->spent / resource->work : NAN;
}
