/* Simulation of a model: its result, its progress, and the settings of a run. */
#pragma once

#include "dlqueue/error.h"
#include "dlqueue/estimate.h"

#include <signal.h>
#ifdef __cplusplus
#include <atomic>
typedef std::atomic<long> dlq_atomic_long;
typedef std::atomic<double> dlq_atomic_double;
#else
#include <stdatomic.h>
typedef atomic_long dlq_atomic_long;
typedef _Atomic double dlq_atomic_double;
#endif
#include <stdbool.h>
#include <stdint.h>

DLQ_DECLARATIONS_BEGIN

/* The units of dlq_progress.part for one complete replication of one configuration. */
#define DLQ_PROGRESS_UNIT 100000000000L

/* The progress of a long computation. Worker threads write, any thread may read. 0: not known. */
struct dlq_progress {
    dlq_atomic_long done, total;                  /* in units that depend on the computation */
    dlq_atomic_long part, parts;                  /* of the current simulation, in DLQ_PROGRESS_UNIT */
    dlq_atomic_long simulations;                  /* simulations started; `part` restarts at 0 with each */
    dlq_atomic_long configurations, replications; /* of the current simulation */
    dlq_atomic_double batches, horizon;           /* length of its replications, in batches or in s; the other is 0 */
    dlq_atomic_double upper; /* bound on the throughput of the configuration as read, batches/s of one rank */
};

enum { DLQ_RUN_THREADS = 256 /* at most */ };

/* How to run a computation. Results depend on the seed alone, to the bit: not on threads. */
struct dlq_run {
    int threads;   /* 1..DLQ_RUN_THREADS; else every function that is given the run returns DLQ_INVALID */
    uint64_t seed; /* if has_seed; else the seed of the model is used */
    bool has_seed;
    /* Polled often: non-zero ends the call with DLQ_INTERRUPTED; may be null. */
    const volatile sig_atomic_t *interrupted;
    struct dlq_progress *progress; /* may be null */
};

/* DLQ_INVALID: the number of threads is out of range. Every function that is given a run checks this first. */
enum dlq_status dlq_validate_run(const struct dlq_run *run, struct dlq_error *error);
/* The seed of a computation without a model. */
static inline uint64_t dlq_run_seed(const struct dlq_run *run)
{
    return run->has_seed ? run->seed : 1;
}

/* The utilization from which on a trainer counts as busy, and that a sufficient number of loaders reaches. */
#define DLQ_TARGET_UTILIZATION 0.95

/* The result of a simulation. Times in s, rates in 1/s, shares 0..1; estimates have 95 % intervals over replications;
   NAN: no value. With method = markov: exact values, intervals of width 0, 0 replications. */
struct dlq_simulation {
    struct dlq_estimate throughput;         /* batches/s of one rank */
    struct dlq_estimate samples_per_second; /* throughput * batch size * ranks */
    struct dlq_estimate utilization;        /* share of time that the steps take at full speed, without pauses */
    struct dlq_estimate stepping;           /* share of time in steps as slowed by sharing; NAN: no shared cores */
    struct dlq_estimate au;                 /* AU of MLPerf Storage: utilization without the first step of each epoch */
    struct dlq_estimate pause_share;        /* share of time in pauses; NAN: no pauses */
    struct dlq_estimate wait_mean;
    double wait_p50, wait_p90, wait_p99, wait_max; /* over all measured steps of all replications */
    struct dlq_estimate stalled_steps;             /* share whose wait, without receive and barrier, is over 0.1 % of
                                                      the mean step (of the mean load, if that is 0) */
    double period;                                 /* of the waits, in steps; NAN: none found, or not requested */
    struct dlq_estimate batches;                   /* within the horizon; NAN: no horizon */
    struct dlq_estimate time_to_first_batch;
    struct dlq_estimate epoch_seconds; /* NAN: no epochs */
    /* Mean time of stages that use cpu, or storage, / their time at full speed; NAN: not shared. */
    double cpu_slowdown, storage_slowdown;
    double rare_time;     /* upper bound on the time per batch (s) that events too rare for these replications add; the
                             intervals include it; 0: negligible */
    double rare_events;   /* expected number of these events in all replications; NAN: rare_time is 0 */
    double rare_batches;  /* batches in all replications at which rare_time would be 0; may be INFINITY; NAN: rare_time
                             is 0 */
    double outside_bound; /* the bound (1/s) that the throughput violates: a bug of dlqueue; NAN: none */
    long replications, batches_per_replication;
    bool precision_reached;
    bool still_warming_up; /* halves of a run differ, or runs are too short for the states or the window to settle */
    bool heavy_tail;       /* load or step has an infinite variance: the intervals are not to be trusted */
    bool lockstep;         /* nothing varies: loads begin and end together, and share resources worse than real loads */
    double variance_reduction; /* factor by which control variates divide the variance; NAN: none */
};

/* Whether the estimates have intervals: not those of a single replication, unless nothing varies. Without intervals low
   and high equal the value. */
bool dlq_simulation_has_intervals(const struct dlq_simulation *simulation);

DLQ_DECLARATIONS_END
