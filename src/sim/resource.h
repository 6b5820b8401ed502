/* A resource under egalitarian processor sharing, in virtual time: O(log n) per load; or cores that processes keep to,
   O(n). */
#ifndef DLQ_SIM_RESOURCE_H
#define DLQ_SIM_RESOURCE_H

#include "sim/kernel.h"

/* Loads under way advance by the same dV = min(1, capacity / demand) dt, so each leaves when V reaches the value that
   was known as it came (Parekh & Gallager 1993, virtual time). While nothing is slowed V equals real time, to the bit.
 */
struct dlq_resource {
    double capacity; /* in units of demand; INFINITY: none */
    double demand;
    double rate;                /* dV/dt */
    double speed, change;       /* at which it works, slowed or not; until when. INFINITY: for good */
    double real, virtual_clock; /* V = virtual_clock + (t - real) * rate */
    bool natural;               /* V == t */
    /* Of the load that left last: when, at which V, and the slope of V until then, which goes on where another one
       takes its place at once. NAN: nobody does. */
    double left_at, left_clock, left_real, left_base, left_rate;
    bool left_natural;
    double leaves, next;   /* real time at which the first leaves, and at which something happens; INFINITY: never */
    struct dlq_slot *heap; /* time: V at which it leaves; number: batch; server */
    size_t count;
    double work, spent; /* s at full speed, and s taken, of all loads up to the last change, which was at `since` */
    double since;
    /* Cores that processes keep to: the share of a process's speed that comes from its own, and the demand at each.
       Then the heap is none but for its first, and the times in it are the work that is left. */
    double affinity, *crowd;
    long cores, threads; /* of a process */
};

/* In the arena, as what dlq_resource_keep takes. */
enum dlq_status dlq_resource_begin(struct dlq_arena *arena, struct dlq_resource *resource, double capacity,
                                   long servers);
/* Before it is used: process w, whose threads are w * threads and those that follow, keeps to core w mod cores, by that
   share, 0 < affinity <= 1. */
enum dlq_status dlq_resource_keep(struct dlq_arena *arena, struct dlq_resource *resource, double affinity, long cores,
                                  long threads);
/* Empties it; the clock is natural again. */
void dlq_resource_reset(struct dlq_resource *resource);

/* At time now a load comes that needs `work` s at full speed, and would end at `end` if nothing slowed it. */
void dlq_resource_enter(struct dlq_resource *resource, double now, double work, double end, double demand,
                        struct dlq_slot load);
/* What comes from now on takes nobody's place; what was done until now is in work and spent. */
void dlq_resource_arrive(struct dlq_resource *resource, double now);
/* From time `now` on it works at that share of its speed, until then. */
void dlq_resource_slow(struct dlq_resource *resource, double now, double speed, double until);
/* The one that leaves at resource->next. */
void dlq_resource_leave(struct dlq_resource *resource, double demand);

#endif
