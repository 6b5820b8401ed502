/* A system prepared for simulation (struct dlq_point), the loaders of one rank simulated batch by batch (dlq_loading_*,
   events.c), and the small helpers that all simulation loops share.

   Letters in comments of this folder (theory 1-4). Of batch i: A_i when it is dispatched; L_i, D_i when its load begins
   and ends; G_i when the trainer has received it; F_i when its step ends; S_i, T_i the times of its load and its step;
   Q_i, P_i when the buffer of a relay has room for it, and when the relay has moved it there. The times of dispatch a,
   delivery e, receiving c, barrier b. N loaders of a rank, a window of K batches, a buffer of p batches. */
#pragma once

#include "model/model.h"
#include "sim/options.h"

#include <math.h>

/* Limits of the simulation. EVENTS_AHEAD: batches that loaders with an unbounded window may run ahead of the trainer
   where loads are simulated by events; a trainer with so many batches ready never waits. MOST_WINDOW: largest window.
   MOST_KEPT: batches in flight, or loaders, of all ranks together. MOST_SAMPLES_KEPT: samples times stages of all
   batches in flight, where samples are simulated one by one. */
enum {
    DLQ_EVENTS_AHEAD = 1 << 14,
    DLQ_MOST_WINDOW = 1 << 20,
    DLQ_MOST_KEPT = 1 << 21,
    DLQ_MOST_SAMPLES_KEPT = 1 << 25
};

/* -- the log of one rank's loaders, which record.c reads -- */

/* Times in s; NAN: not known yet. */
struct dlq_logged {
    long number; /* in its epoch, in order of dispatch, from 0 */
    long worker; /* -1: the load has not begun */
    double dispatched, load_start, load_end;
    double ready;  /* when the trainer can receive the batch: D + e, after pinning; with a relay P */
    bool recorded; /* set by the reader of the log, which may then drop the batch */
};

/* Batches in order of dispatch. The reader keeps enough room in `batches` before each step; the loaders only append. */
struct dlq_kernel_log {
    struct dlq_logged *batches;
    size_t count;
    long dispatched; /* batches of the epoch */
    long delivered;  /* number of the batch that was delivered last */
};

/* The entry of batch `number`; if the batch was dropped, the next entry. The log must not be empty. */
struct dlq_logged *dlq_kernel_log_find(const struct dlq_kernel_log *log, long number);

/* -- points -- */

/* Delivery in order of index: the trainer loads (SERIAL), loaders in turn (ROUND_ROBIN), the loader that is free first
   (POOL), or such a pool with a relay (RELAY). Delivery in order of completion (COMPLETION). Any of these with loads
   that depend on each other, as they share cores or bandwidth, or one thread pins their batches (DEPENDENT). */
enum dlq_discipline { DLQ_SERIAL, DLQ_ROUND_ROBIN, DLQ_POOL, DLQ_RELAY, DLQ_COMPLETION, DLQ_DEPENDENT };

/* One configuration, prepared for simulation; constant while the simulation runs. Times in s. */
struct dlq_point {
    const struct dlq_loader *loader;
    long ranks, slow_ranks;                     /* loads of the first slow_ranks ranks take slow_factor times as long */
    long servers;                               /* loaders of a rank that load at the same time */
    long window;                                /* K of the recursion; DLQ_UNBOUNDED */
    long prefetch;                              /* batches that a relay buffers */
    double load_scale, step_scale, extra_scale; /* time = scale * (draw of mean 1); extra: as dlq_system.extra */
    double load_mean; /* mean of a load; below load_scale where samples are simulated: load_scale is their total work */
    double dispatch, deliver, receive, barrier, pin, startup, resolution; /* barrier: 0 with one rank */
    long slow_servers;
    double slow_factor;
    long epoch;  /* batches; 0: endless */
    long epochs; /* epochs to measure, from the first on; 0: as many batches as the options say */
    bool persistent;
    enum dlq_start start;
    struct dlq_pace cores, bandwidth; /* of this rank */
    double core_affinity;
    double step_cpu,
        receive_cpu; /* mean share of a step, and of receiving, that needs a core; 0: cores are not shared */
    size_t stages; /* of a load, after neighbors with the same resource and the same demand have been merged into one */
    size_t last[DLQ_MOST_STAGES]; /* last drawn stage of each merged stage */
    /* Where the samples of a load are simulated one by one: samples of a load, threads that load them, and how many of
       the first `stages` belong to a sample. Else 0, 1 and 0. */
    long samples, threads;
    size_t sample_stages;
    enum dlq_uses uses[DLQ_MOST_STAGES];
    double demand[DLQ_MOST_STAGES]; /* cores, or bytes/s, that one load uses in the stage */
    enum dlq_discipline discipline;
    const struct dlq_slowdowns *slowdowns; /* null: none */
    long ranks_per_host;
    bool staged; /* slowdowns slow some stages and not others */
};

void dlq_point_make(struct dlq_point *point, const struct dlq_system *system, double resolution, enum dlq_start start);

/* Draws of mean 1 for the next steps of one lane or several: steps[i * lanes + lane] and, for rank r, loads[r *
   rank_stride + i * lanes + lane]; i = 0 is the next batch. There are `ahead` (of the kernel) more loads than steps. */
struct dlq_block {
    const double *loads, *steps;
    size_t rank_stride;
    /* Offsets from `steps`: to the s added to each step, and to the s of pauses among these; 0: nothing is added. */
    size_t extras, pauses;
    const double *cumulative[DLQ_MOST_STAGES]; /* sums of stages 0..k of the loads, where the point needs stages */
    /* The members below are set with one lane only. on_cores: the part of each step that needs a core; null: the
       point's share, step_cpu. samples[k][i * samples of a load + u]: stage k of sample u of load i. */
    const double *on_cores;
    const double *samples[DLQ_MOST_STAGES];
    /* Output where dlq_gives_slack(); null: not wanted. slack[i] (s): how long load i may take without making the
       trainer wait, F_{i-1} - e - L_i (divided by slow_factor on a slow server). Draws before i alone decide it. */
    double *slack;
};

/* -- the loaders of one rank (events.c); times are absolute, loads of a block are consumed in order of dispatch -- */

struct dlq_loading;

/* Allocates the loaders in the arena, which must outlive them. Borrows the point. */
enum dlq_status dlq_loading_begin(struct dlq_arena *arena, const struct dlq_point *point, struct dlq_loading **result);
/* Returns to time 0, for the next replication. */
void dlq_loading_reset(struct dlq_loading *rank);
/* Starts an epoch of `batches` (LONG_MAX: endless); server w can begin to load at ready + phase[w]. */
void dlq_loading_epoch(struct dlq_loading *rank, double ready, const double *phase, long batches);
/* Returns when the next batch can be received, D + e, if the trainer's last step ended at `ended`. A serial loader
   begins only then: max(F_{i-1}, ready) + S. loads[at] of the block is the load of the next batch by index. */
double dlq_loading_next(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double ended);
/* Delivers that batch at `begin`; dispatches another one at `credit`: `begin` or, with release at request, the step's
   end. */
void dlq_loading_deliver(struct dlq_loading *rank, const struct dlq_block *block, size_t at, double begin,
                         double credit);
/* Returns when the trainer has done `work` seconds on a core, from `begin` on, in competition with the loads. */
double dlq_loading_work(struct dlq_loading *rank, double begin, double work);
/* How many batches after that of the current step may be dispatched: a block has so many more loads than steps. */
size_t dlq_loading_ahead(const struct dlq_point *point);
/* Restarts the means of dlq_loading_slowdown. */
void dlq_loading_forget_slowdown(struct dlq_loading *rank);
/* Mean slowdown so far of the stages that use `uses`: time taken / time at full speed; NAN: no such stage. */
double dlq_loading_slowdown(const struct dlq_loading *rank, enum dlq_uses uses);

/* -- helpers -- */

/* The larger of batches in flight and loaders that a simulation keeps in memory for each rank. */
long dlq_kernel_keeps(const struct dlq_system *system);

enum dlq_discipline dlq_discipline_of(const struct dlq_system *system);

/* Whether dlq_block.slack can be computed. */
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

/* load_scale of the loads of one rank. */
static inline double dlq_load_scale(const struct dlq_point *point, long rank)
{
    return rank < point->slow_ranks ? point->load_scale * point->slow_factor : point->load_scale;
}

/* s that work takes on a server, before rounding up to ticks: of a `time` on usual ones, and of draw u. */
static inline double dlq_time_on(const struct dlq_point *point, double time, long server)
{
    return server < point->slow_servers ? time * point->slow_factor : time;
}

static inline double dlq_work_seconds(const struct dlq_point *point, double u, long server)
{
    return dlq_time_on(point, u * point->load_scale, server);
}

static inline double dlq_rounded(const struct dlq_point *point, double time)
{
    return point->resolution > 0 ? point->resolution * ceil(time / point->resolution - 1e-9) : time;
}

/* S of a batch of draw u on a server, rounded up to ticks. */
static inline double dlq_load_time(const struct dlq_point *point, double u, long server)
{
    return dlq_rounded(point, dlq_work_seconds(point, u, server));
}

/* Comparisons, because fmin and fmax are function calls. */
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

/* -- a binary heap: the earliest time first, of equal times the lowest number; inline, as inner loops use it -- */

struct dlq_slot {
    double time;
    long number;
    long server; /* not compared */
};

static inline bool dlq_slot_before(const struct dlq_slot *a, const struct dlq_slot *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

/* Replaces the first element. */
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

/* n: elements before the call. */
static inline void dlq_heap_push(struct dlq_slot *heap, size_t n, struct dlq_slot slot)
{
    size_t at = n;
    while (at > 0 && dlq_slot_before(&slot, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = slot;
}

/* Removes the first element; n: elements before the call. */
static inline void dlq_heap_pop(struct dlq_slot *heap, size_t n)
{
    if (n > 1)
        dlq_heap_down(heap, n - 1, heap[n - 1]);
}
