/* Simulates systems that share their draws. */
#pragma once

#include "dlqueue/simulate.h"
#include "model/model.h"
#include "sim/options.h"

/* How long each replication of one system is, in batches. */
struct dlq_length {
    long batches; /* that are measured */
    long warmup;  /* before these; -1: by rule */
    bool brief;   /* means of slowdowns leave the warm-up out, which would weigh more than what is measured */
};

/* What to simulate beyond the options of [simulate]. */
struct dlq_simulate_request {
    int histogram_bits; /* quantiles of waits are exact to 2^-bits; 0: they are not wanted */
    bool period;        /* find the period of the waits */
    bool whole_rounds;  /* round batches up to a multiple of each system's loaders */
    bool plain;         /* no control variates */
    /* Null, or of each system, instead of the batches and the warm-up of the options. */
    const struct dlq_length *lengths;
    /* Null, or of each system a throughput (batches/s; NAN: none) on whose side alone the answer depends. Its
       replications come in waves of DLQ_DECIDING, and end as soon as dlq_is_decided and the interval is as narrow as
       `enough`. */
    const double *targets;
    double enough;   /* relative half-width */
    long most_alone; /* replications of systems that are simulated one by one, not in lanes; 0: as many as of others */
    double longest;  /* batches of all replications to which a run may be lengthened for rare events; 0: not at all */
    /* Null, or output [system * options->replications + replication]: seconds per batch, adjusted for control variates
       (dlq_control_adjust), for comparisons in pairs (dlq_gain_of). NAN: the replication was not simulated. Where
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

/* Whether a wave of options->batches takes so long that fewer are to be simulated: sets options->batches and, unless it
   is given, options->warmup and options->spread. effort: of a batch of all ranks; unit: that of a batch of one rank in
   lanes. */
bool dlq_simulate_shorten(const struct dlq_system *system, double effort, struct dlq_simulate_options *options);

/* results[i] of systems[i]. All systems use the same draws, so their loads and steps may differ in their means alone
   (the shape is that of systems[0]). The result of a system does not depend on the others. DLQ_INVALID: a system cannot
   be simulated. DLQ_INTERRUPTED: run->interrupted was raised; systems with finished waves have the results of these,
   other results are unchanged. */
enum dlq_status dlq_simulate_systems(const struct dlq_system *const *systems, size_t count,
                                     const struct dlq_simulate_options *options,
                                     const struct dlq_simulate_request *request, const struct dlq_run *run,
                                     struct dlq_simulation *results, struct dlq_error *error);
