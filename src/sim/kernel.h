/* Kernels: the disciplines of real loaders, a batch at a time. Each is one row of a table. */
#ifndef DLQ_SIM_KERNEL_H
#define DLQ_SIM_KERNEL_H

#include "dlqueue/error.h"
#include "model/system.h"
#include "sim/options.h"

#include <math.h>

/* How far loaders may run ahead of the trainer with an unbounded window where loads are simulated by events: a trainer
   with that many batches ready does not wait. And the largest window that is simulated. */
enum { DLQ_EVENTS_AHEAD = 1 << 14, DLQ_MOST_WINDOW = 1 << 20 };

/* A system as the kernels see it: immutable while a simulation runs. */
struct dlq_point {
    const struct dlq_loader *loader;
    long servers;
    long window;                   /* K of the recursion; DLQ_UNBOUNDED */
    long prefetch;                 /* of a relay */
    double load_scale, step_scale; /* s: a batch takes load_scale * (draw of mean 1) on one server */
    double dispatch, deliver, receive, pin, startup, resolution;
    long slow_servers;
    double slow_factor;
    long epoch; /* batches; 0: endless */
    bool persistent;
    enum dlq_start start;
    double cores, bandwidth; /* of this rank; INFINITY: do not bind */
    size_t stages;
    enum dlq_uses uses[DLQ_MOST_STAGES];
    double demand[DLQ_MOST_STAGES]; /* cores, or bytes/s, that a load in that stage asks for */
    const struct dlq_kernel *kernel;
};

void dlq_point_make(struct dlq_point *point, const struct dlq_system *system, double resolution, enum dlq_start start);

/* Draws of mean 1 for the steps that follow: loads[i] and steps[i], i from 0 at the next batch; loads reach `ahead`
   batches further than steps. cumulative[k]: stages 0..k of the loads, for kernels that ask for stages; else null. */
struct dlq_block {
    const double *loads, *steps;
    const double *cumulative[DLQ_MOST_STAGES];
    /* Filled where the kernel gives slack; null: not wanted. slack[i] (s): how long load i may take without making the
       trainer wait, F_{i-1} - e - L_i (divided by the slow factor on a slow server). It depends on draws before i
       alone.
     */
    double *slack;
};

struct dlq_kernel_state; /* each kernel's own */

/* One row per discipline. All times are absolute; loads of a block are consumed in order of dispatch. */
struct dlq_kernel {
    const char *name;
    struct dlq_kernel_state *(*new)(const struct dlq_point *point); /* null: no memory */
    void (*free)(struct dlq_kernel_state *state);
    /* Forgets everything; time 0. */
    void (*reset)(struct dlq_kernel_state *state);
    /* An epoch of `batches` (LONG_MAX: endless) begins: workers are ready at `ready`, server w at ready + phase[w]. */
    void (*epoch)(struct dlq_kernel_state *state, double ready, const double *phase, long batches);
    /* The next n steps of the epoch: delivered[i] = G_i, finished[i] = F_i. */
    void (*advance)(struct dlq_kernel_state *state, const struct dlq_block *block, size_t n, double *delivered,
                    double *finished);
    /* Batches that may be dispatched ahead of the step. */
    size_t (*ahead)(const struct dlq_point *point);
    /* Mean slowdown so far of stages that use cpu and storage; null: nothing is shared. */
    void (*slowdown)(const struct dlq_kernel_state *state, double *cpu, double *storage);
    bool needs_stages, gives_slack;
};

extern const struct dlq_kernel dlq_kernel_serial, dlq_kernel_round_robin, dlq_kernel_pool, dlq_kernel_relay,
    dlq_kernel_completion, dlq_kernel_events;

/* The kernel that a system needs: by events where loads depend on each other or a serial thread pins them. */
const struct dlq_kernel *dlq_kernel_for(const struct dlq_system *system);

/* S of a batch whose draw is u, on server w: slow servers first, then the tick. */
static inline double dlq_load_time(const struct dlq_point *point, double u, long server)
{
    double time = u * point->load_scale;
    if (server < point->slow_servers)
        time *= point->slow_factor;
    if (point->resolution > 0)
        time = point->resolution * ceil(time / point->resolution - 1e-9);
    return time;
}

#endif
