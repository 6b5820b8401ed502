/* Every discipline by events: where loads slow each other down, a serial thread pins batches, or the trainer needs a
   core, no batch's times are known when it is dispatched. With ample cores and no pinning it gives the recursions'
   results to the bit. */
#include "sim/calendar.h"
#include "sim/resource.h"

#include <limits.h>

/* By enum dlq_uses, and one more for loaders that start later while slowdowns slow all stages. */
enum { RESOURCES = 4, STARTING = 3, NO_BATCH = -1 };

/* A batch between dispatch and delivery. The one dispatched when it is delivered takes its place: with delivery in
   order of index batch i is at i % places; with delivery by completion an old batch may stay while others come and go.
   Queues and servers speak of places. */
struct flight {
    long batch;     /* its index */
    double arrival; /* when its server can begin: A + a */
    double ready;   /* when the trainer can take it; of use once done */
    bool done;
    long server;
    long next; /* in its queue; NO_BATCH: last */
};

/* What a server does: the stage of its batch under way. Stages that nothing slows end at base + their sum, computed as
   the recursion computes it. */
struct server {
    long batch; /* its place; NO_BATCH: none, or not ready yet */
    bool busy;
    size_t stage;
    double base;
    long first, last; /* batches that wait for it, a pool's all for the first one; NO_BATCH: none */
};

struct events {
    struct dlq_loading rank;
    struct flight *flights;
    double *sums;   /* their stages' cumulative times */
    long *arrivals; /* places in order of dispatch, a ring */
    long places;
    struct server *servers;
    struct dlq_slot *idle;     /* pool: servers free, since when */
    struct dlq_slot *finished; /* order of completion: done, not taken */
    size_t idle_count, finished_count;
    struct dlq_resource resources[RESOURCES];
    long dispatched, arrived, delivered, batches; /* of the epoch */
    long due;                                     /* place of the next batch by index */
    long turn;                                    /* server of the next batch by index */
    long chosen;                                  /* place of the batch that is delivered next */
    double now, pinned;
    double *taken;      /* relay: G of the last `prefetch` batches */
    double moved, slot; /* relay: P of the batch before, Q of the next */
    double ready;
    bool working; /* the trainer has work on the cores */
};

static bool is_serial(const struct dlq_point *point)
{
    return point->loader->assign == DLQ_ASSIGN_TRAINER;
}

static bool at_request(const struct dlq_point *point)
{
    return is_serial(point) || dlq_point_at_request(point);
}

/* Batches dispatched at the start of an epoch; a relay takes the first one's slot at once. */
static size_t opening(const struct dlq_point *point)
{
    if (is_serial(point))
        return 1;
    long window = point->window < DLQ_EVENTS_AHEAD ? point->window : DLQ_EVENTS_AHEAD;
    return (size_t)(window + (at_request(point) || point->loader->relay));
}

static enum dlq_status events_begin(struct dlq_arena *arena, const struct dlq_point *point, struct dlq_loading **rank)
{
    const size_t places = opening(point), servers = (size_t)point->servers;
    const double capacities[RESOURCES] = {INFINITY, point->cores, point->bandwidth, INFINITY};
    struct events *state;
    NEW(arena, state, 1);
    state->rank.point = point;
    state->places = (long)places;
    NEW(arena, state->flights, places);
    NEW(arena, state->sums, places * point->stages);
    NEW(arena, state->arrivals, places);
    NEW(arena, state->finished, places);
    NEW(arena, state->servers, servers);
    NEW(arena, state->idle, servers);
    NEW(arena, state->taken, (size_t)point->prefetch + 1);
    for (int i = 0; i < RESOURCES; i++) /* on the cores the trainer, too */
        TRY(dlq_resource_begin(arena, &state->resources[i], capacities[i], point->servers + 1));
    if (point->core_affinity > 0 && !isinf(point->cores))
        TRY(dlq_resource_keep(arena, &state->resources[DLQ_USES_CPU], point->core_affinity,
                              (long)fmax(1, round(point->cores))));
    *rank = &state->rank;
    return DLQ_OK;
}

void dlq_events_reset(struct dlq_loading *rank)
{
    struct events *state = (struct events *)rank;
    state->pinned = 0;
    for (int i = 0; i < RESOURCES; i++)
        state->resources[i].work = state->resources[i].spent = 0;
}

/* Servers begin as if busy until they are ready. */
static void events_epoch(struct dlq_loading *rank, double ready, const double *phase, long batches)
{
    struct events *state = (struct events *)rank;
    const struct dlq_point *point = rank->point;
    state->dispatched = state->arrived = state->delivered = 0;
    state->due = state->turn = 0;
    state->batches = batches;
    state->idle_count = state->finished_count = 0;
    state->now = state->ready = state->moved = state->slot = ready;
    for (int i = 0; i < RESOURCES; i++)
        dlq_resource_reset(&state->resources[i]);
    for (long i = 0; i <= point->prefetch; i++)
        state->taken[i] = ready;
    for (long w = 0; w < point->servers; w++) {
        state->servers[w] = (struct server){.batch = NO_BATCH, .busy = true, .first = NO_BATCH};
        dlq_resource_enter(&state->resources[rank->calendar != NULL ? STARTING : DLQ_USES_NOTHING], ready, phase[w],
                           ready + phase[w], 0, (struct dlq_slot){.number = w - point->servers, .server = w});
    }
}

/* -- what servers do with the batches that reach them -- */

/* The cumulative stage times of the batch at a place. */
static inline double *sums_of(const struct events *state, long place)
{
    return &state->sums[(size_t)place * state->rank.point->stages];
}

/* A resource that stands idle does not follow its calendar. */
static inline void change_speed(struct events *state, int use)
{
    struct dlq_resource *resource = &state->resources[use];
    double until;
    if (state->rank.calendar == NULL || (resource->count > 0 && state->now < resource->change))
        return;
    double speed = dlq_calendar_speed(state->rank.calendar, use, state->now, &until);
    dlq_resource_slow(resource, state->now, speed, until);
}

static void become_free(struct events *state, long w);

/* The batch of server w is done: pinned in order of completion, then on its way to the trainer. */
static void complete(struct events *state, long w)
{
    const struct dlq_point *point = state->rank.point;
    long place = state->servers[w].batch;
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
    if (point->loader->order == DLQ_ORDER_COMPLETION)
        dlq_heap_push(state->finished, state->finished_count++,
                      (struct dlq_slot){.time = state->now, .number = done->batch, .server = place});
    become_free(state, w);
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
                           (struct dlq_slot){.number = state->flights[server->batch].batch, .server = w});
        return;
    }
    complete(state, w);
}

static void start_load(struct events *state, long w, long place)
{
    struct server *server = &state->servers[w];
    if (state->rank.log != NULL) {
        struct dlq_logged *logged = dlq_kernel_log_find(state->rank.log, state->flights[place].batch);
        logged->worker = w;
        logged->load_start = state->now;
    }
    server->batch = place;
    server->busy = true;
    server->stage = 0;
    server->base = state->now;
    begin_stage(state, w);
}

static void enqueue(struct events *state, struct server *queue, long place)
{
    *(queue->first == NO_BATCH ? &queue->first : &state->flights[queue->last].next) = place;
    queue->last = place;
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

/* -- events -- */

static void leave(struct events *state, struct dlq_resource *resource)
{
    const struct dlq_point *point = state->rank.point;
    state->now = resource->next;
    long w = resource->heap[0].server;
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
    dlq_resource_leave(resource, point->demand[server->stage]);
    double sum = dlq_load_time(point, sums_of(state, server->batch)[server->stage], w);
    if (state->now != server->base + sum)
        server->base = state->now - sum;
    server->stage++;
    begin_stage(state, w);
}

static void arrive(struct events *state)
{
    long place = state->arrivals[state->arrived++ % state->places];
    const struct flight *arrival = &state->flights[place];
    state->now = arrival->arrival;
    for (int i = 0; i < RESOURCES; i++)
        dlq_resource_arrive(&state->resources[i], state->now);
    bool pool = dlq_point_is_pool(state->rank.point);
    if (!pool && !state->servers[arrival->server].busy)
        start_load(state, arrival->server, place);
    else
        enqueue(state, &state->servers[pool ? 0 : arrival->server], place);
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
        arrive(state);
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
static void dispatch(struct events *state, const struct dlq_block *block, size_t draw, double time, long server,
                     long place)
{
    const struct dlq_point *point = state->rank.point;
    for (size_t k = 0; k < point->stages; k++)
        sums_of(state, place)[k] = block->cumulative[point->last[k]][draw];
    state->arrivals[state->dispatched % state->places] = place;
    state->turn = (state->turn + 1) % point->servers;
    if (state->rank.log != NULL)
        dlq_kernel_log_load(state->rank.log, time, NAN, NAN, NAN, -1);
    state->flights[place] = (struct flight){
        .batch = state->dispatched++, .arrival = time + point->dispatch, .server = server, .next = NO_BATCH};
}

/* The batch that the trainer takes next, or NO_BATCH while that is not known. */
static long choose(const struct events *state)
{
    if (state->rank.point->loader->order == DLQ_ORDER_INDEX) {
        bool done = state->delivered < state->dispatched && state->flights[state->due].done;
        return done ? state->due : NO_BATCH;
    }
    /* A batch that ends at the same moment may have a lower index. */
    bool known = state->finished_count > 0 && state->finished[0].time < next_leave(state);
    return known ? state->finished[0].server : NO_BATCH;
}

static double next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended)
{
    struct events *state = (struct events *)rank;
    double open = is_serial(rank->point) ? dlq_larger(ended, state->ready) : state->ready;
    const bool opens = state->dispatched == 0;
    while (opens && state->dispatched < state->batches && state->dispatched < state->places)
        dispatch(state, block, at + (size_t)state->dispatched, open, state->turn, state->dispatched);
    while ((state->chosen = choose(state)) == NO_BATCH)
        advance(state);
    double ready = state->flights[state->chosen].ready;
    if (rank->point->loader->relay)
        ready = state->moved = dlq_larger(state->slot, ready);
    if (rank->log != NULL) {
        rank->log->taken = state->flights[state->chosen].batch;
        dlq_kernel_log_find(rank->log, rank->log->taken)->ready = ready;
    }
    return ready;
}

/* The credit that the batch frees sends the next one out. */
static void send_next(struct events *state, const struct dlq_block *block, size_t at, double begin, double end)
{
    const struct dlq_point *point = state->rank.point;
    bool completion = point->loader->order == DLQ_ORDER_COMPLETION;
    bool owner = point->loader->assign == DLQ_ASSIGN_OWNER || completion;
    long server = owner ? state->flights[state->chosen].server : state->turn;
    size_t draw = at + (size_t)(state->dispatched - state->delivered);
    if (completion)
        dlq_heap_pop(state->finished, state->finished_count--);
    double credit = at_request(point) ? end : begin;
    if (point->loader->relay) {
        state->taken[state->delivered % point->prefetch] = begin;
        credit = state->slot = dlq_larger(state->moved, state->taken[(state->delivered + 1) % point->prefetch]);
    }
    state->delivered++;
    state->due = (state->due + 1) % state->places;
    if (state->dispatched < state->batches)
        dispatch(state, block, draw, credit, server, state->chosen);
}

static void deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin, double end)
{
    struct events *state = (struct events *)rank;
    send_next(state, block, at, begin, end);
    /* The slowdown counts what is done until that batch arrives. */
    while (state->arrived < state->dispatched)
        advance(state);
}

/* When the trainer has done that work, from `begin` on: a customer of the cores beside the loads. */
static double work_on_core(struct events *state, double begin, double work)
{
    if (!(work > 0))
        return begin;
    while (match(state) || dlq_smaller(next_leave(state), next_arrival(state)) < begin)
        if (dlq_smaller(next_leave(state), next_arrival(state)) < begin)
            advance(state);
    state->now = begin;
    state->working = true;
    dlq_resource_enter(&state->resources[DLQ_USES_CPU], begin, work, begin + work, 1,
                       (struct dlq_slot){.number = LONG_MAX, .server = state->rank.point->servers});
    while (state->working)
        advance(state);
    return state->now;
}

void dlq_events_on_cores(struct dlq_loading *const *ranks, const struct dlq_block *block, size_t i, double before,
                         double *received, double *delivered, double *finished)
{
    const struct dlq_point *point = ranks[0]->point;
    const size_t count = (size_t)point->ranks;
    double latest = 0, ended = 0, step = block->steps[i] * point->step_scale;
    double else_where = step * (1 - point->step_cpu) + (block->extras != NULL ? block->extras[i] : 0);
    for (size_t r = 0; r < count; r++) {
        struct events *state = (struct events *)ranks[r];
        double ready = next(ranks[r], block, r * block->stride + i, before);
        double begin = dlq_larger(before, ready) + point->receive * (1 - point->receive_cpu);
        received[r] = begin = work_on_core(state, begin, point->receive * point->receive_cpu);
        latest = r == 0 ? begin : dlq_larger(latest, begin);
        if (!at_request(point))
            send_next(state, block, r * block->stride + i, begin, NAN);
    }
    *delivered = latest + point->barrier;
    for (size_t r = 0; r < count; r++)
        ended =
            dlq_larger(ended, work_on_core((struct events *)ranks[r], *delivered + else_where, step * point->step_cpu));
    for (size_t r = 0; r < count && at_request(point); r++)
        send_next((struct events *)ranks[r], block, r * block->stride + i, received[r], ended);
    *finished = ended;
}

double dlq_events_slowdown(const struct dlq_loading *rank, enum dlq_uses uses)
{
    const struct dlq_resource *resource = &((const struct events *)rank)->resources[uses];
    return resource->work > 0 ? resource->spent / resource->work : NAN;
}

const struct dlq_kernel dlq_kernel_events = {"events", events_begin, events_epoch,        next,
                                             deliver,  opening,      .needs_stages = true};
