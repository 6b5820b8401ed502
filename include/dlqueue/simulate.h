/* Simulation of a model: what comes out, and how a run is controlled. */
#ifndef DLQUEUE_SIMULATE_H
#define DLQUEUE_SIMULATE_H

#include "dlqueue/error.h"
#include "dlqueue/estimate.h"

#include <signal.h>
#ifdef __cplusplus
#include <atomic>
using std::atomic_long;
typedef std::atomic<double> dlq_atomic_double;
#else
#include <stdatomic.h>
typedef _Atomic double dlq_atomic_double;
#endif
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* DLQ_PROGRESS_UNIT: one simulated replication of one configuration. */
#define DLQ_PROGRESS_UNIT 100000000000L

/* How far a long computation has come, in units of its own; written by workers, read by anyone. 0: not known. */
struct dlq_progress {
    atomic_long done, total;
    atomic_long part, parts;                  /* of the simulation under way, by DLQ_PROGRESS_UNIT */
    atomic_long simulations;                  /* begun so far: `part` began anew with each */
    atomic_long configurations, replications; /* of that one */
    dlq_atomic_double batches, horizon;       /* of its replications: so many, or so many seconds; the other is 0 */
    dlq_atomic_double upper;                  /* batches/s of one rank at most, of the configuration as it was read */
};

enum { DLQ_RUN_THREADS = 256 /* at most */ };

/* Threads, seed and interruption are the caller's. Results depend on the seed alone, to the bit. */
struct dlq_run {
    int threads;   /* 1..DLQ_RUN_THREADS; else every function that is given the run returns DLQ_INVALID */
    uint64_t seed; /* used where has_seed; else the model's own */
    bool has_seed;
    const volatile sig_atomic_t
        *interrupted;              /* polled often: non-zero ends the call with DLQ_INTERRUPTED; may be null */
    struct dlq_progress *progress; /* may be null */
};

/* DLQ_INVALID where the threads of the run are out of range. Every function that is given a run checks this first. */
enum dlq_status dlq_accept_run(const struct dlq_run *run, struct dlq_error *error);
/* The seed of a run that is about no model. */
static inline uint64_t dlq_seed_of(const struct dlq_run *run)
{
    return run->has_seed ? run->seed : 1;
}

/* From which on a trainer counts as busy, and which enough loaders reach. */
#define DLQ_TARGET_UTILIZATION 0.95

/* Times in seconds, rates per second, shares 0..1, with 95 % intervals over replications; NAN where there is no value.
   With method = markov: exact, intervals of no width, 0 replications. */
struct dlq_simulation {
    struct dlq_estimate throughput;         /* batches/s of one rank */
    struct dlq_estimate samples_per_second; /* throughput * batch size * ranks */
    struct dlq_estimate utilization;        /* steps by their own times / all time: X E[T], whatever stretches them */
    struct dlq_estimate stepping;    /* share of time from the begin of a step to its end; NAN: none shares cores */
    struct dlq_estimate au;          /* MLPerf Storage: step times / (wall time - first step), first steps left out */
    struct dlq_estimate pause_share; /* of the time; NAN: no pauses */
    struct dlq_estimate wait_mean;
    double wait_p50, wait_p90, wait_p99, wait_max; /* over all measured steps of all replications */
    struct dlq_estimate stalled_steps;             /* share with W - c - b > 0.1 % of E[T] (of E[S] if T = 0) */
    double period;                                 /* steps; NAN: none found, or not asked for */
    struct dlq_estimate batches;                   /* counted within the horizon; NAN without one */
    struct dlq_estimate time_to_first_batch;
    struct dlq_estimate epoch_seconds;     /* NAN without epochs */
    double cpu_slowdown, storage_slowdown; /* mean time in such stages / their time at full speed; NAN: not shared */
    double missed; /* s per batch: at most what loads or steps too rare for the experiment add, as the intervals allow
                      for; 0: nothing to speak of */
    double rare_events;  /* where something is missed: how often that is expected to occur in the experiment; else NAN
                          */
    double rare_batches; /* batches in all replications together that it would take; else NAN; may be infinite */
    double
        outside_bound; /* the bound on the throughput (1/s) that its interval contradicts, an error of ours; else NAN */
    long replications, batches_per_replication;
    bool precision_reached, still_warming_up, heavy_tail;
    bool lockstep; /* nothing varies, so that loads begin and end together, and share worse than real ones */
    double variance_reduction; /* NAN: no control variates */
};

/* A single run has none, unless nothing varies: the ends of its estimates are the values. */
bool dlq_simulation_has_intervals(const struct dlq_simulation *simulation);

#ifdef __cplusplus
}
#endif

#endif
