/* A system as it is simulated, and the loaders of a rank, a batch at a time. */
#ifndef DLQ_SIM_KERNEL_H
#define DLQ_SIM_KERNEL_H

#include "model/model.h"
#include "sim/options.h"

#include <math.h>

/* How far loaders may run ahead of the trainer with an unbounded window where loads are simulated by events: a trainer
   with that many batches ready does not wait. The largest window that is simulated; and the most batches, or loaders,
   of all ranks together that are kept in memory. */
enum { DLQ_EVENTS_AHEAD = 1 << 14, DLQ_MOST_WINDOW = 1 << 20, DLQ_MOST_KEPT = 1 << 21 };
/* The most samples, each with its stages, of all ranks' batches together that are kept where they are told apart. */
enum { DLQ_MOST_SAMPLES_KEPT = 1 << 25 };

/* -- what the loaders of a rank do, batch by batch, as they note it for a recorder -- */

/* Times in s, NAN while they are not known. */
struct dlq_logged {
    long number; /* in its epoch, by dispatch, from 0 */
    long worker; /* -1: not begun */
    double dispatched, load_start, load_end;
    double ready; /* when the trainer could take it: D + e, behind pinning; moved by the relay */
    bool taken;   /* the recorder's: done with */
};

/* Batches in order of dispatch. Room for those to come is the recorder's to keep, so that nothing else allocates; it
   may drop some that were taken. */
struct dlq_kernel_log {
    struct dlq_logged *batches;
    size_t count;
    long dispatched; /* in the epoch */
    long taken;      /* number of the batch that the trainer took last */
};

/* A batch that is in the log. */
struct dlq_logged *dlq_kernel_log_find(const struct dlq_kernel_log *log, long number);

/* -- points -- */

/* What loaders do: in order of index by the trainer itself, by loaders in turn, by the one that is free first, or that
   through a relay; by completion; or any of these where loads depend on each other, because they share cores or
   bandwidth or a serial thread pins them. */
enum dlq_discipline { DLQ_SERIAL, DLQ_ROUND_ROBIN, DLQ_POOL, DLQ_RELAY, DLQ_COMPLETION, DLQ_DEPENDENT };

/* A system as it is simulated: immutable while a simulation runs. */
struct dlq_point {
    const struct dlq_loader *loader;
    long ranks, slow_ranks; /* the first slow_ranks take slow_factor times as long */
    long servers;
    long window;                   /* K of the recursion; DLQ_UNBOUNDED */
    long prefetch;                 /* of a relay */
    double load_scale, step_scale; /* s: a batch takes load_scale * (draw of mean 1) on one server */
    double load_mean;   /* s: of a load; where its samples are simulated, less than their work, which is drawn */
    double extra_scale; /* the same of what not every step has; 0: nothing */
    double dispatch, deliver, receive, barrier, pin, startup, resolution; /* barrier: 0 with one rank */
    long slow_servers;
    double slow_factor;
    long epoch;  /* batches; 0: endless */
    long epochs; /* that are measured, from the first on; 0: as many batches as asked for */
    bool persistent;
    enum dlq_start start;
    double cores, bandwidth; /* of this rank; INFINITY: do not bind */
    double core_affinity;
    double step_cpu, receive_cpu; /* shares of the step and of receiving that need a core, where cores are shared; of a
                                     step on average */
    size_t stages; /* of those that follow each other on one resource, and ask for as much of it, one is made */
    size_t last[DLQ_MOST_STAGES]; /* the last of the drawn load's stages in each */
    /* Where the samples of a load are simulated one by one: how many go to how many threads, and the first of `stages`,
       which are those of a sample. Else 0, 1 and 0. */
    long samples, threads;
    size_t sample_stages;
    enum dlq_uses uses[DLQ_MOST_STAGES];
    double demand[DLQ_MOST_STAGES]; /* cores, or bytes/s, that a load in that stage asks for */
    enum dlq_discipline discipline;
    const struct dlq_slowdowns *slowdowns; /* null: none */
    long ranks_per_host;
    bool staged; /* stages that are slowed differently */
};

void dlq_point_make(struct dlq_point *point, const struct dlq_system *system, double resolution, enum dlq_start start);

/* Draws of mean 1 for the steps that follow: steps[i], and loads[rank * stride + i] of each rank, i from 0 at the next
   batch; loads reach `ahead` batches further than steps. cumulative[k]: stages 0..k of the loads, where the
   point asks for stages; else not to be read. */
struct dlq_block {
    const double *loads, *steps;
    const double *on_cores;        /* what of each step needs a core; null: the point's share of it */
    const double *extras, *pauses; /* s: of each step, beside it, and those of them that are pauses; null: nothing */
    const double *cumulative[DLQ_MOST_STAGES];
    const double *samples[DLQ_MOST_STAGES]; /* stage k of sample u of load i: samples[k][i * samples of a load + u] */
    size_t stride;
    /* Filled where dlq_gives_slack; null: not wanted. slack[i] (s): how long load i may take without making the
       trainer wait, F_{i-1} - e - L_i (divided by the slow factor on a slow server), by draws before i alone. */
    double *slack;
};

/* The loaders of one rank (events.c). All times are absolute; loads of a block are consumed in order of dispatch. */
struct dlq_loading {
    const struct dlq_point *point;
    struct dlq_calendar *calendar; /* by which its loads are slowed (calendar.h), or null */
    struct dlq_kernel_log *log;    /* notes what becomes of each batch, from the beginning of an epoch on, or null */
};

/* All that they keep lies in the arena. */
enum dlq_status dlq_loading_begin(struct dlq_arena *arena, const struct dlq_point *point, struct dlq_loading **rank);
/* Time 0 of another replication. */
void dlq_loading_reset(struct dlq_loading *rank);
/* An epoch of `batches` (LONG_MAX: endless) begins: workers are ready at `ready`, server w at ready + phase[w]. */
void dlq_loading_epoch(struct dlq_loading *rank, double ready, const double *phase, long batches);
/* When the trainer, whose last step ended at `ended`, could have its next batch: D + e. The serial loader begins only
   then: max(F_{i-1}, ready) + S. `at` is where the block has the load of the batch that is next by index. */
double dlq_loading_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended);
/* That batch is delivered at `begin`; its credit comes back then, or, for release at request, as its step ends. */
void dlq_loading_deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin,
                         double credit);
/* When the trainer has done that work, from `begin` on, on a core: a customer of the cores beside the loads. A batch is
   dispatched before the step that it competes with. */
double dlq_loading_work(struct dlq_loading *rank, double begin, double work);
/* Batches that may be dispatched ahead of the step, as blocks have to reach. */
size_t dlq_loading_ahead(const struct dlq_point *point);
/* Mean slowdown so far of stages that use that. */
double dlq_loading_slowdown(const struct dlq_loading *rank, enum dlq_uses uses);

/* Batches or loaders, whichever are more, that a simulation of the system keeps in memory for each rank. */
long dlq_kernel_keeps(const struct dlq_system *system);

enum dlq_discipline dlq_discipline_of(const struct dlq_system *system);

/* Whether it is known how long each load may take without making the trainer wait. */
static inline bool dlq_gives_slack(enum dlq_discipline discipline)
{
    return discipline == DLQ_ROUND_ROBIN || discipline == DLQ_POOL || discipline == DLQ_RELAY;
}

static inline bool dlq_point_is_pool(const struct dlq_point *point)
{
    return point->loader->assign == DLQ_ASSIGN_POOL;
}

static inline bool dlq_point_at_request(const struct dlq_point *point)
{
    return point->loader->assign == DLQ_ASSIGN_TRAINER || point->loader->release == DLQ_RELEASE_REQUEST;
}

/* Of the loads of a rank. */
static inline double dlq_load_scale(const struct dlq_point *point, long rank)
{
    return rank < point->slow_ranks ? point->load_scale * point->slow_factor : point->load_scale;
}

/* Of work whose draw is u, on server w; before rounding. */
static inline double dlq_work_seconds(const struct dlq_point *point, double u, long server)
{
    double time = u * point->load_scale;
    return server < point->slow_servers ? time * point->slow_factor : time;
}

static inline double dlq_rounded(const struct dlq_point *point, double time)
{
    return point->resolution > 0 ? point->resolution * ceil(time / point->resolution - 1e-9) : time;
}

/* S of a batch whose draw is u, on server w: slow servers first, then the tick. */
static inline double dlq_load_time(const struct dlq_point *point, double u, long server)
{
    return dlq_rounded(point, dlq_work_seconds(point, u, server));
}

/* By comparison: fmin and fmax are calls. */
static inline double dlq_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double dlq_smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline long dlq_least(long a, long b)
{
    return a < b ? a : b;
}

/* -- a small heap of (time, number): earliest first, ties to the lowest number; inline: it is the inner loop -- */

struct dlq_slot {
    double time;
    long number;
    long server; /* carried along */
};

static inline bool dlq_slot_before(const struct dlq_slot *a, const struct dlq_slot *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

/* In place of the first. */
static inline void dlq_heap_down(struct dlq_slot *heap, size_t n, struct dlq_slot slot)
{
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && dlq_slot_before(&heap[child + 1], &heap[child]))
            child++;
        if (!dlq_slot_before(&heap[child], &slot))
            break;
        heap[at] = heap[child];
    }
    heap[at] = slot;
}

/* n: slots in the heap before. */
static inline void dlq_heap_push(struct dlq_slot *heap, size_t n, struct dlq_slot slot)
{
    size_t at = n;
    while (at > 0 && dlq_slot_before(&slot, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = slot;
}

/* Removes the first; n: slots before. */
static inline void dlq_heap_pop(struct dlq_slot *heap, size_t n)
{
    if (n > 1)
        dlq_heap_down(heap, n - 1, heap[n - 1]);
}

#endif
