/* A second simulator, as simple as can be: it goes from event to event, looks at every batch each time, and lets what
   is left of each load shrink at the rate of the moment (pinning in order of completion). Ranks share nothing but the
   beginning of the step: each is taken to where it has its batch, then all of them step. No relay. */
#ifndef TESTS_SIM_ORACLE_H
#define TESTS_SIM_ORACLE_H

#include "tapes.h"

enum oracle_state { COMING, QUEUED, LOADING, READY, TAKEN };

struct oracle_batch {
    enum oracle_state state;
    double arrives, left, done, ready;
    size_t stage;
    long server;
};

struct oracle {
    const struct dlq_point *point;
    const struct tape *tape;
    long rank;
    struct oracle_batch *batches;
    long dispatched, delivered, taken; /* taken: the batch received or stepped through */
    double now, pinned;
    double idle_since[64]; /* per server; INFINITY: at work */
    enum { WAITING, RECEIVING, MEETING, STEPPING } trainer;
    double busy_until; /* of a trainer that receives or steps */
};

static inline void oracle_dispatch(struct oracle *oracle, long server)
{
    struct oracle_batch *batch = &oracle->batches[oracle->dispatched++];
    *batch = (struct oracle_batch){.state = COMING, .arrives = oracle->now + oracle->point->dispatch, .server = server};
}

/* What stage k of a batch takes at full speed. */
static inline double oracle_work(const struct oracle *oracle, long i, size_t stage, long server)
{
    const struct dlq_point *point = oracle->point;
    const struct tape *tape = oracle->tape;
    long at = oracle->rank * (tape->steps + tape->ahead) + i;
    double u =
        tape->cumulative[point->last[stage]][at] - (stage == 0 ? 0 : tape->cumulative[point->last[stage - 1]][at]);
    double rank = oracle->rank < point->slow_ranks ? point->slow_factor : 1;
    return u * point->load_scale * rank * (server < point->slow_servers ? point->slow_factor : 1);
}

/* Egalitarian sharing: min(1, C / demand), from what is under way now. */
static inline double oracle_rate(const struct oracle *oracle, enum dlq_uses uses)
{
    const struct dlq_point *point = oracle->point;
    double demand = 0;
    double capacity = uses == DLQ_USES_CPU ? point->cores : uses == DLQ_USES_STORAGE ? point->bandwidth : INFINITY;
    for (long i = 0; i < oracle->dispatched; i++)
        if (oracle->batches[i].state == LOADING && point->uses[oracle->batches[i].stage] == uses)
            demand += point->demand[oracle->batches[i].stage];
    return demand > capacity ? capacity / demand : 1;
}

static inline double oracle_next(const struct oracle *oracle, const double rates[3])
{
    double next = oracle->trainer == RECEIVING || oracle->trainer == STEPPING ? oracle->busy_until : INFINITY;
    for (long w = 0; w < oracle->point->servers; w++)
        if (oracle->idle_since[w] > oracle->now)
            next = fmin(next, oracle->idle_since[w]);
    for (long i = 0; i < oracle->dispatched; i++) {
        const struct oracle_batch *batch = &oracle->batches[i];
        if (batch->state == COMING)
            next = fmin(next, batch->arrives);
        if (batch->state == LOADING)
            next = fmin(next, oracle->now + batch->left / rates[oracle->point->uses[batch->stage]]);
        if (batch->state == READY && batch->ready > oracle->now)
            next = fmin(next, batch->ready);
    }
    return next;
}

/* Loads go on until `next`; those that end there go to their next stage or to the pinning thread. */
static inline void oracle_load(struct oracle *oracle, double next, const double rates[3])
{
    for (long i = 0; i < oracle->dispatched; i++) {
        struct oracle_batch *batch = &oracle->batches[i];
        if (batch->state == COMING && batch->arrives <= next)
            batch->state = QUEUED;
        else if (batch->state == LOADING) {
            double rate = rates[oracle->point->uses[batch->stage]];
            bool ends = oracle->now + batch->left / rate <= next;
            batch->left -= (next - oracle->now) * rate;
            if (!ends)
                continue;
            if (++batch->stage < oracle->point->stages) {
                batch->left = oracle_work(oracle, i, batch->stage, batch->server);
                continue;
            }
            batch->state = READY;
            batch->done = next;
            oracle->pinned = fmax(oracle->pinned, next) + oracle->point->pin;
            batch->ready = (oracle->point->pin > 0 ? oracle->pinned : next) + oracle->point->deliver;
            oracle->idle_since[batch->server] = next;
        }
    }
}

/* Idle servers, the one longest idle first, take the first batch that waits for them. */
static inline void oracle_assign(struct oracle *oracle)
{
    bool pool = oracle->point->loader->assign == DLQ_ASSIGN_POOL;
    for (long i = 0; i < oracle->dispatched; i++) {
        struct oracle_batch *batch = &oracle->batches[i];
        long server = pool ? 0 : batch->server;
        if (batch->state != QUEUED)
            continue;
        for (long w = 1; pool && w < oracle->point->servers; w++)
            if (oracle->idle_since[w] < oracle->idle_since[server])
                server = w;
        if (oracle->idle_since[server] > oracle->now)
            continue;
        batch->state = LOADING;
        batch->server = server;
        batch->left = oracle_work(oracle, i, 0, server);
        oracle->idle_since[server] = INFINITY;
    }
}

/* The batch that the trainer would take: the one due, or the first that was done; -1: none. */
static inline long oracle_choice(const struct oracle *oracle)
{
    long choice = -1;
    if (oracle->point->loader->order == DLQ_ORDER_INDEX)
        return oracle->batches[oracle->delivered].state == READY ? oracle->delivered : -1;
    for (long i = 0; i < oracle->dispatched; i++)
        if (oracle->batches[i].state == READY && (choice < 0 || oracle->batches[i].done < oracle->batches[choice].done))
            choice = i;
    return choice;
}

/* What the trainer does now; it stops where it has a batch and the step has not begun. */
static inline void oracle_train(struct oracle *oracle)
{
    const struct dlq_point *point = oracle->point;
    bool serial = point->loader->assign == DLQ_ASSIGN_TRAINER;
    bool request = serial || point->loader->release == DLQ_RELEASE_REQUEST;
    bool completion = point->loader->order == DLQ_ORDER_COMPLETION;
    while (oracle->delivered < oracle->tape->steps && oracle->trainer != MEETING) {
        long choice = oracle_choice(oracle);
        if (oracle->trainer != WAITING && oracle->busy_until > oracle->now)
            return;
        long server = completion ? oracle->batches[oracle->taken].server : oracle->dispatched % point->servers;
        if (oracle->trainer == WAITING) {
            if (choice < 0 || oracle->batches[choice].ready > oracle->now)
                return;
            oracle->taken = choice;
            oracle->batches[choice].state = TAKEN;
            oracle->trainer = RECEIVING;
            oracle->busy_until = oracle->now + point->receive;
        } else if (oracle->trainer == RECEIVING) {
            oracle->trainer = MEETING;
            if (!request)
                oracle_dispatch(oracle, server);
        } else {
            oracle->delivered++;
            oracle->trainer = WAITING;
            if (request)
                oracle_dispatch(oracle, server);
        }
    }
}

static inline bool oracle_begin(struct oracle *oracle, const struct dlq_point *point, const struct tape *tape,
                                long rank)
{
    bool serial = point->loader->assign == DLQ_ASSIGN_TRAINER;
    bool request = point->loader->release == DLQ_RELEASE_REQUEST;
    double scale = point->load_scale * (rank < point->slow_ranks ? point->slow_factor : 1);
    *oracle = (struct oracle){.point = point, .tape = tape, .rank = rank, .trainer = WAITING, .now = point->startup};
    oracle->batches = calloc((size_t)(tape->steps + tape->ahead + 2), sizeof *oracle->batches);
    if (oracle->batches == NULL)
        return false;
    for (long w = 0; w < point->servers; w++)
        oracle->idle_since[w] = point->startup + tape->phase[rank * point->servers + w] * scale;
    for (long i = 0; i < (serial ? 1 : point->window + (request ? 1 : 0)); i++)
        oracle_dispatch(oracle, i % point->servers);
    return true;
}

/* Goes on until the trainer has its next batch: when; INFINITY: the system stands still. */
static inline double oracle_receive(struct oracle *oracle)
{
    for (oracle_train(oracle); oracle->trainer != MEETING; oracle_train(oracle)) {
        const double rates[3] = {oracle_rate(oracle, DLQ_USES_NOTHING), oracle_rate(oracle, DLQ_USES_CPU),
                                 oracle_rate(oracle, DLQ_USES_STORAGE)};
        double next = oracle_next(oracle, rates);
        if (isinf(next))
            return next;
        oracle_load(oracle, next, rates);
        oracle->now = next;
        oracle_assign(oracle);
    }
    return oracle->now;
}

enum { ORACLE_RANKS = 8 };

/* All steps of the tape, one endless epoch. false: no memory, or the system stands still. */
static inline bool oracle_run(const struct dlq_point *point, const struct tape *tape, double *delivered,
                              double *finished)
{
    struct oracle oracles[ORACLE_RANKS] = {0};
    bool well = true;
    for (long r = 0; r < point->ranks; r++)
        well = oracle_begin(&oracles[r], point, tape, r) && well;
    for (long i = 0; i < tape->steps && well; i++) {
        delivered[i] = 0;
        for (long r = 0; r < point->ranks; r++)
            delivered[i] = fmax(delivered[i], oracle_receive(&oracles[r]) + point->barrier);
        finished[i] = delivered[i] + tape->step[i] * point->step_scale;
        for (long r = 0; r < point->ranks; r++) {
            oracles[r].trainer = STEPPING;
            oracles[r].busy_until = finished[i];
        }
        well = isfinite(delivered[i]);
    }
    for (long r = 0; r < point->ranks; r++)
        free(oracles[r].batches);
    return well;
}

#endif
