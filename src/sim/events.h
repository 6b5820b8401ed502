/* The event kernel from inside: batches in flight, servers, queues. */
#ifndef DLQ_SIM_EVENTS_H
#define DLQ_SIM_EVENTS_H

#include "sim/calendar.h"
#include "sim/kernel.h"
#include "sim/resource.h"

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

struct queue {
    long first, last; /* NO_BATCH: empty */
};

/* What a server does: the stage of its batch under way. Stages that nothing slows end at base + their sum, computed as
   the recursion computes it. */
struct server {
    long batch; /* its place; NO_BATCH: none, or not ready yet */
    bool busy;
    size_t stage;
    double base;
};

struct dlq_events {
    const struct dlq_point *point;
    struct flight *flights;
    double *sums;   /* their stages' cumulative times */
    long *arrivals; /* places in order of dispatch, a ring */
    long places;
    struct server *servers;
    struct queue *queues;      /* one per server; pool: the first alone */
    struct dlq_slot *idle;     /* pool: servers free, since when */
    struct dlq_slot *finished; /* order of completion: done, not taken */
    size_t idle_count, finished_count;
    struct dlq_resource resources[RESOURCES];
    struct dlq_calendar *calendar;                /* null: nothing is slowed */
    long dispatched, arrived, delivered, batches; /* of the epoch */
    long arrival_in, arrival_out;                 /* where `arrivals` is written and read */
    long due;                                     /* place of the next batch by index */
    long turn;                                    /* server of the next batch by index */
    long chosen;                                  /* place of the batch that is delivered next */
    double now, pinned;
    double *taken;      /* relay: G of the last `prefetch` batches */
    double moved, slot; /* relay: P of the batch before, Q of the next */
    double ready;
    bool working;               /* the trainer has work on the cores */
    struct dlq_kernel_log *log; /* null: not watched */
};

static inline bool dlq_events_is_pool(const struct dlq_point *point)
{
    return point->loader->assign == DLQ_ASSIGN_POOL;
}

static inline bool dlq_events_is_serial(const struct dlq_point *point)
{
    return point->loader->assign == DLQ_ASSIGN_TRAINER;
}

/* The next of `count` places in a ring. */
static inline long dlq_events_step(long place, long count)
{
    return place + 1 == count ? 0 : place + 1;
}

/* The cumulative stage times of the batch at a place. */
static inline double *dlq_events_sums(const struct dlq_events *state, long place)
{
    return &state->sums[(size_t)place * state->point->stages];
}

/* When the next stage ends; INFINITY: none is under way. */
double dlq_events_next_leave(const struct dlq_events *state);
/* The first batch that waits goes to the pool's server that was free first, once all that end at this moment have
   ended; false: nothing to match. */
bool dlq_events_match(struct dlq_events *state);
/* The next arrival or end of a stage. */
void dlq_events_next(struct dlq_events *state);

/* What a watched state's log is told: server w begins a batch now; it is done now. Apart from the events, which stay
   small enough to be compiled into one another. */
void dlq_events_note_start(const struct dlq_events *state, long w, long batch);
void dlq_events_note_end(const struct dlq_events *state, const struct flight *done);

#endif
