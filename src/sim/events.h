/* State of one rank's loaders during a simulation: shared by events.c and by samples.c, which simulates the samples of
   a load one by one. */
#ifndef DLQ_SIM_EVENTS_H
#define DLQ_SIM_EVENTS_H

#include "sim/calendar.h"
#include "sim/resource.h"

/* Resources by enum dlq_uses, and one more: with slowdowns, servers that start late wait in STARTING, at full speed. */
enum { RESOURCES = 4, STARTING = 3, NO_BATCH = -1 };

/* A batch between dispatch and delivery, at a place of the array `flights`. When a batch is delivered, the next one
   dispatched gets its place. In order of index, batch i is at i % places. Queues and servers refer to batches by
   place. */
struct flight {
    long batch;     /* index */
    double arrival; /* when the server can begin to load: A + a */
    double start;   /* L, where loads are independent */
    double ready;   /* when the trainer can receive the batch, once done */
    bool done;
    long server;
    long next; /* place of the next batch in the same queue; NO_BATCH: last */
};

/* A thread of a server, with the sample that the thread loads and the sample's current stage. */
struct thread {
    long sample;
    size_t stage;
};

/* A server, with its batch and the batch's current stage. If nothing slows the load, stage k ends at base + the sum of
   stages 0..k, the same bits as in the recursion. */
struct server {
    long batch; /* place; NO_BATCH: none, or the server has not started */
    bool busy;
    size_t stage;
    double base;
    long samples, loading; /* samples begun; threads that load samples */
    long dealt;            /* batches of the epoch so far, where loads are independent */
    long first, last;      /* queue of waiting batches; a pool's queue is that of server 0; NO_BATCH: empty */
};

/* The loaders of one rank. Loads are independent or dependent (DLQ_DEPENDENT). */
struct dlq_loading {
    const struct dlq_point *point;
    struct dlq_calendar *calendar; /* slows the loads; null: nothing does */
    struct dlq_kernel_log *log;    /* where each batch is logged, from the start of an epoch; null: not wanted */
    struct flight *flights;
    double *sums;             /* cumulative stage times of each flight, `stages` each */
    size_t stages;            /* at least 1: the whole load */
    double *samples;          /* [flight][stage][sample]: draws of the samples of each flight */
    struct thread *threads;   /* of all servers */
    struct dlq_slot *free_at; /* scratch: when the threads of a server become free */
    long each;                /* threads of a server. Resources know a load by its thread; the trainer comes last */
    long *arrivals;           /* ring of places in order of dispatch */
    long places;
    struct server *servers;
    struct dlq_slot *idle;     /* dependent loads: the pool's free servers, a heap by the time since when; independent
                                  loads: when each server becomes free, a heap if a pool */
    struct dlq_slot *finished; /* order of completion: batches that are done and not delivered */
    size_t idle_count, finished_count;
    struct dlq_resource resources[RESOURCES];
    long dispatched, arrived, delivered, batches; /* of the epoch */
    long due;                                     /* place of the next batch in order of index */
    long turn;                                    /* server of the next batch in order of index */
    long chosen;                                  /* place of the batch delivered next */
    double now, pinned;                           /* pinned: when the pinning thread becomes free */
    double *credits; /* independent loads by index: ring of the times A at which later batches are dispatched */
    long credit_places, credit;
    double *received;   /* relay: G of the last `prefetch` batches */
    double moved, slot; /* relay: P of the previous batch, Q of the next */
    long relayed;       /* dependent loads: the next batch that the relay moves */
    bool has_slot;      /* whether Q of that batch is known */
    const struct dlq_block *block;
    size_t draws_at; /* index in the block of the load of the batch delivered next */
    double ready;
    bool working;   /* the trainer does work on the cores */
    bool on_demand; /* batches are dispatched when the trainer asks for them */
    bool endless;   /* no batch waits for a credit */
};

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

/* Lets thread t of server w continue at `now` with its sample, from its current stage, or start the next sample.
   false: no sample is left. */
bool dlq_events_load_samples(struct dlq_loading *rank, long w, long t);
/* When server w, which begins the batch at `place` at `start`, has loaded its samples; for independent loads. */
double dlq_events_makespan(const struct dlq_loading *rank, long w, long place, double start);

#endif
