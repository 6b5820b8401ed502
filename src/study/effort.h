/* How long to simulate where many systems are compared. */
#ifndef DLQ_STUDY_EFFORT_H
#define DLQ_STUDY_EFFORT_H

#include "model/model.h"
#include "sim/options.h"

/* Time that a simulated batch of all ranks takes, in those of one rank that lanes advance. */
double dlq_effort_of_batch(const struct dlq_system *system, const struct dlq_simulate_options *options);

/* Of one wave of such runs, the warm-up included. A horizon: 0. */
double dlq_effort_of_wave(const struct dlq_system *system, const struct dlq_simulate_options *options);

/* [simulate] warmup for a run that is shorter than [simulate] says: about as long as for the whole; -1: by rule. */
long dlq_effort_warmup(const struct dlq_simulate_options *full, const struct dlq_system *system);

/* So many batches, or somewhat more: whole rounds of the loaders, and of twice as many. Of a short run one that is cut
   shows, as a round may have a single stall, at its begin. */
long dlq_effort_whole_rounds(long batches, const struct dlq_system *system);

/* [simulate] with fewer batches, if `effort` does not pay for all of them in one wave; no fewer than a steady state
   needs. A horizon, and what [simulate] says of fewer batches, stays. */
struct dlq_simulate_options dlq_effort_limited(const struct dlq_simulate_options *options,
                                               const struct dlq_system *system, double effort);

#endif
