/* A shared resource (cores, bandwidth): egalitarian processor sharing in virtual time, O(log n) per load; or cores with
   affinity, where each process is partly bound to one core, O(n) per load. */
#pragma once

#include "sim/kernel.h"

/* All loads advance by the same dV = pace(demand) * speed dt, so a load leaves when V reaches a value that is known
   when the load enters (Parekh & Gallager 1993, virtual time; theory 39). Until a load is slowed V equals real time, to
   the bit. */
struct dlq_resource {
    struct dlq_pace pace;
    double demand;
    double rate;                /* dV/dt */
    double speed, change;       /* share of full speed at which the resource works, and until when; INFINITY: forever */
    double real, virtual_clock; /* V = virtual_clock + (t - real) * rate */
    bool natural;               /* V == t */
    /* The load that left last: when, at which V, and (old_...) the slope of V until then. If a load enters at the same
       moment, that slope goes on. left_at NAN: no load can continue the slope. */
    double left_at, left_clock, old_real, old_clock, old_rate;
    bool old_natural;
    double leaves, next;   /* when the first load leaves; when it leaves or the speed changes; INFINITY: never */
    struct dlq_slot *heap; /* time: V at which the load leaves; number: batch; server: thread */
    size_t count;
    double work, spent; /* of all loads until `since`: s at full speed, and actual s */
    double since;
    /* Cores with affinity: the share of a process's speed that its own core gives, and the demand at each core, else
       null. The heap is then an unordered array except its first element, and `time` is the work left. */
    double affinity, *core_demand;
    long cores, threads; /* threads: of a process */
};

/* Allocates in the arena, for at most `servers` loads at a time. */
enum dlq_status dlq_resource_begin(struct dlq_arena *arena, struct dlq_resource *resource, const struct dlq_pace *pace,
                                   long servers);
/* Before the first load: binds process w, which has threads w * threads .. (w + 1) * threads - 1, to core w mod cores
   with 0 < affinity <= 1. */
enum dlq_status dlq_resource_bind(struct dlq_arena *arena, struct dlq_resource *resource, double affinity, long cores,
                                  long threads);
/* Removes all loads; V equals real time again. */
void dlq_resource_reset(struct dlq_resource *resource);

/* At `now` a load enters that needs `work` s at full speed, and would leave at `end` if nothing slowed it. */
void dlq_resource_enter(struct dlq_resource *resource, double now, double work, double end, double demand,
                        struct dlq_slot load);
/* A batch arrives at `now`: adds what was done so far to work and spent. A load that enters then does not continue
   the slope of one that has just left. */
void dlq_resource_arrive(struct dlq_resource *resource, double now);
/* Sets the speed from `now` to `until`. */
void dlq_resource_slow(struct dlq_resource *resource, double now, double speed, double until);
/* Removes the load that leaves at resource->next. */
void dlq_resource_leave(struct dlq_resource *resource, double demand);
