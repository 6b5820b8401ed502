/* What is known of a rank's loaders while they are simulated: for events.c, and samples.c, which loads a batch's
   samples one by one. */
#ifndef DLQ_SIM_EVENTS_H
#define DLQ_SIM_EVENTS_H

#include "sim/calendar.h"
#include "sim/resource.h"

/* By enum dlq_uses, and one more for loaders that start later while slowdowns slow all stages. */
enum { RESOURCES = 4, STARTING = 3, NO_BATCH = -1 };

/* A batch between dispatch and delivery. The one dispatched when it is delivered takes its place: with delivery in
   order of index batch i is at i % places; with delivery by completion an old batch may stay while others come and go.
   Queues and servers speak of places. */
struct flight {
    long batch;     /* its index */
    double arrival; /* when its server can begin: A + a */
    double start;   /* L, of independent loads */
    double ready;   /* when the trainer can take it; of use once done */
    bool done;
    long server;
    long next; /* in its queue; NO_BATCH: last */
};

/* A sample that a thread of a server loads: its stage under way. */
struct thread {
    long sample;
    size_t stage;
};

/* What a server does: the stage of its batch under way. Stages that nothing slows end at base + their sum, computed as
   the recursion computes it. */
struct server {
    long batch; /* its place; NO_BATCH: none, or not ready yet */
    bool busy;
    size_t stage;
    double base;
    long samples, loading; /* of the batch: begun, and threads at work on them */
    long dealt;            /* batches of the epoch, where loads are independent */
    long first, last;      /* batches that wait for it, a pool's all for the first one; NO_BATCH: none */
};

struct events {
    struct dlq_loading rank;
    struct flight *flights;
    double *sums;             /* their stages' cumulative times, `stages` of each */
    size_t stages;            /* those of the point; where it has none, the load as a whole */
    double *samples;          /* of each flight, stage by stage, what each of its samples takes of it */
    struct thread *threads;   /* of all servers */
    struct dlq_slot *free_at; /* when a load's threads are, of independent loads */
    long each;      /* threads of a server; what is under way is known by its thread, the trainer comes last */
    long *arrivals; /* places in order of dispatch, a ring */
    long places;
    struct server *servers;
    struct dlq_slot *idle;     /* pool: servers free, since when; independent loads: when each server is, a pool's as a
                                  heap */
    struct dlq_slot *finished; /* order of completion: done, not taken */
    size_t idle_count, finished_count;
    struct dlq_resource resources[RESOURCES];
    long dispatched, arrived, delivered, batches; /* of the epoch */
    long due;                                     /* place of the next batch by index */
    long turn;                                    /* server of the next batch by index */
    long chosen;                                  /* place of the batch that is delivered next */
    double now, pinned;
    double *credits; /* independent loads by index: what A of later batches will be, a ring of credit_places */
    long credit_places, credit;
    double *taken;      /* relay: G of the last `prefetch` batches */
    double moved, slot; /* relay: P of the batch before, Q of the next */
    long relayed;       /* of dependent loads: the next batch that the relay moves, and whether its Q is known */
    bool has_slot;
    const struct dlq_block *block; /* of the step under way, and where it has the load of the batch delivered next */
    size_t draws_at;
    double ready;
    bool working;   /* the trainer has work on the cores */
    bool on_demand; /* batches are dispatched as the trainer asks for them */
    bool endless;   /* no batch waits for a credit */
};

/* The cumulative stage times of the batch at a place. */
static inline double *sums_of(const struct events *state, long place)
{
    return &state->sums[(size_t)place * state->stages];
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

/* A thread of a server goes on with its sample at `now`, from its stage on, or with the next one. false: no more. */
bool dlq_events_load_samples(struct events *state, long w, long t);
/* When the samples of a batch at a place are loaded that server w begins at `start`; of independent loads. */
double dlq_events_makespan(const struct events *state, long w, long place, double start);

#endif
