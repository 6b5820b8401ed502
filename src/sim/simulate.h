/* Simulates systems that share their draws. */
#pragma once

#include "dlqueue/simulate.h"
#include "model/model.h"
#include "sim/options.h"

/* How long each replication of one system is, in batches. */
struct dlq_length {
    long batches;   /* measured */
    long warmup;    /* before the measured ones; -1: by rule */
    bool shortened; /* as dlq_extent.shortened */
};

/* What to simulate beyond the options of [simulate]. */
struct dlq_simulate_request {
    int histogram_bits; /* quantiles of waits are exact to 2^-bits; 0: they are not wanted */
    bool period;        /* find the period of the waits */
    bool whole_rounds;  /* round batches up to a multiple of each system's loaders */
    bool plain;         /* no control variates */
    /* [system], instead of the batches and the warm-up of the options; may be null. */
    const struct dlq_length *lengths;
    /* [system] batches/s (NAN: none), may be null: it suffices to know on which side of it the throughput lies. Then
       waves have DLQ_DECIDING replications, and end as soon as dlq_is_decided and the interval has `half_width`. */
    const double *targets;
    double half_width; /* relative half-width */
    /* replications of systems that are simulated one by one, not in lanes; 0: as many as of others */
    long most_alone;
    double longest; /* batches of all replications to which a run may be lengthened for rare events; 0: not at all */
    /* Output [system * options->replications + replication], may be null: seconds per batch, adjusted for control
       variates (dlq_control_adjust), for comparisons in pairs (dlq_gain_of). NAN: the replication was not simulated. If
       nothing is random all are equal. */
    double *seconds;
};

enum { DLQ_DECIDING = 4 };

/* Whether the mean of so many replications, which comes with its 95 % interval, shows on which side of the target the
   throughput lies, after a check of every DLQ_DECIDING ones. All checks together err in at most 2.5 % of cases: the
   k-th in 2.5 % / (k (k + 1)). */
bool dlq_is_decided(struct dlq_estimate throughput, double target, long replications);

/* Whether a system can be simulated; if not, `why` gets the reason, which begins with a key of [pipeline] or names the
   window. */
bool dlq_simulate_accepts(const struct dlq_system *system, char *why, size_t size);

/* Whether a wave of options->batches takes so long that fewer batches are simulated: sets options->batches and, unless
   it is given, options->warmup and options->under_way. effort: of a batch of all ranks, as dlq_lane_kernel.effort. */
bool dlq_simulate_shorten(const struct dlq_system *system, double effort, struct dlq_simulate_options *options);

/* Simulates all systems; results[i] is that of systems[i]. All use the same draws, so their loads and steps may differ
   in their means alone (the shape is that of systems[0]). The result of a system does not depend on the others.
   DLQ_INVALID: a system cannot be simulated. DLQ_INTERRUPTED: run->interrupted was raised; systems with finished waves
   have the results of these, other results are unchanged. */
enum dlq_status dlq_simulate_systems(const struct dlq_system *const *systems, size_t count,
                                     const struct dlq_simulate_options *options,
                                     const struct dlq_simulate_request *request, const struct dlq_run *run,
                                     struct dlq_simulation *results, struct dlq_error *error);
