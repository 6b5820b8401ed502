/* Simulates systems that share their draws, in waves of replications over threads. */
#ifndef DLQ_SIM_SIMULATE_H
#define DLQ_SIM_SIMULATE_H

#include "dlqueue/simulate.h"
#include "model/model.h"
#include "sim/options.h"

/* What a caller wants beyond the means. */
struct dlq_wishes {
    int histogram_bits; /* resolution of the quantiles of W: 2^-bits */
    bool period;
    bool whole_rounds; /* batches are so many, or somewhat more: a multiple of each system's loaders */
    bool plain;        /* no control variates: what is simulated, to the last bit */
    double longest;    /* batches of all replications to which a run may be lengthened for rare events; 0: none */
    /* Null, or [system * options->replications + replication]: seconds per batch (with a horizon, of the batches within
       it), adjusted for control variates (dlq_control_adjust); NAN where it did not run. Nothing random: all that of
       the first. For comparisons in pairs, by dlq_gain_of. */
    double *seconds;
};

/* Whether a system is simulated at all; false with the reason, which begins with the key of [pipeline] or speaks of the
   window. */
bool dlq_simulate_accepts(const struct dlq_system *system, char *why, size_t size);

/* results[i] of systems[i]. The systems' loads and steps differ in their means alone (the shape is taken from
   systems[0]), so that all use the same draws, kept for the most ranks and as far ahead as any needs: a point's result
   does not depend on which others are simulated with it. DLQ_INVALID where a system is not accepted, DLQ_INTERRUPTED
   where run->interrupted was raised: the results of points whose first waves were finished are of those then, others
   stay as they were. */
enum dlq_status dlq_simulate_systems(const struct dlq_system *const *systems, size_t count,
                                     const struct dlq_simulate_options *options, const struct dlq_wishes *wishes,
                                     const struct dlq_run *run, struct dlq_simulation *results,
                                     struct dlq_error *error);

#endif
