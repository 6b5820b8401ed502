/* State of one rank's loaders during a simulation. */
#pragma once

#include "sim/calendar.h"
#include "sim/resource.h"

/* Resources are numbered by enum dlq_uses. Servers that start late spend the time before on DLQ_USES_NOTHING or, with
   slowdowns, on STARTING, which is not slowed. */
enum { RESOURCES = 4, STARTING = 3, NO_BATCH = -1 };

/* A batch between dispatch and delivery, at a place of the array `flights`. When a batch is delivered, the next one
   dispatched gets its place. With delivery in order of index, batch i is at i % places. Queues and servers refer to
   batches by place. */
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
    long dealt;            /* batches of the epoch that the server has loaded, where loads are independent */
    long first, last;      /* places of the queue of waiting batches; a pool uses that of server 0; NO_BATCH: empty */
};

/* The loaders of one rank. Loads are independent or dependent (DLQ_DEPENDENT). */
struct dlq_loading {
    const struct dlq_point *point;
    struct dlq_calendar *calendar; /* of slowdowns; null: none */
    struct dlq_kernel_log *log;    /* where each batch is logged, from the start of an epoch; null: not wanted */
    struct flight *flights;
    double *sums;             /* cumulative stage times of each flight, `stages` each */
    size_t stages;            /* at least 1: the whole load */
    double *samples;          /* [flight][stage][sample]: draws of the samples of each flight */
    struct thread *threads;   /* of all servers */
    struct dlq_slot *free_at; /* scratch: when the threads of a server become free */
    long each;                /* threads of a server; thread t of server w is w * each + t, the trainer comes last */
    long *arrivals;           /* ring: places of batches in order of dispatch */
    long places;              /* of flights and arrivals */
    struct server *servers;
    struct dlq_slot *idle;     /* dependent loads: the free servers of a pool, a heap by when they became free;
                                  independent loads: when each server becomes free, a heap if a pool */
    struct dlq_slot *finished; /* order of completion: batches that are done and not delivered */
    size_t idle_count, finished_count;
    struct dlq_resource resources[RESOURCES];
    long dispatched, arrived, delivered, batches; /* of the epoch */
    long due;                                     /* place of the next batch in order of index */
    long turn;                                    /* server of the next dispatch in order of index */
    long chosen;                                  /* place of the batch delivered next */
    double now, pinned;                           /* pinned: when the pinning thread becomes free */
    double *credits; /* independent loads in order of index: ring of the times A of later batches */
    long credit_places, credit;
    double *received;   /* relay: G of the last `prefetch` batches */
    double moved, slot; /* relay: P of the previous batch, Q of the next */
    long relayed;       /* dependent loads: the next batch that the relay moves */
    bool has_slot;      /* whether Q of that batch is known */
    const struct dlq_block *block;
    size_t draws_at; /* index in the block of the load of the batch delivered next */
    double ready;    /* when the epoch starts */
    bool working;    /* the trainer does work on the cores */
    bool on_demand;  /* batches are dispatched when the trainer asks for them */
    bool endless;    /* the window is unbounded: no batch waits for a credit */
};
