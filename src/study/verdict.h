/* What binds, what it costs, and in one sentence why. */
#ifndef DLQ_STUDY_VERDICT_H
#define DLQ_STUDY_VERDICT_H

#include "dlqueue/solve.h"
#include "model/model.h"
#include "sim/options.h"

/* The rule of the interface but for its last step: the bound that rules, "step", "serial", or null where what is lost
   below the step bound must decide (dlq_losses). */
const char *dlq_bound_by(const struct dlq_system *system, const struct dlq_bounds *bounds,
                         const struct dlq_simulation *simulation);

/* What each cause costs, for n systems that share their draws, simulated with the same options: losses[i * DLQ_LOSSES
   ..] of systems[i], counts[i] of them. */
enum dlq_status dlq_losses(const struct dlq_system *const *systems, const struct dlq_simulation *simulations, size_t n,
                           const struct dlq_simulate_options *options, const struct dlq_run *run,
                           struct dlq_loss *losses, size_t *counts, struct dlq_error *error);

/* The cause whose removal gains most on a throughput. Where that is less than a quarter of what it lacks to the rate of
   the step, or than 0.1 %, the cause is "several"; "step" where there is no such rate (NAN). Of causes that gain the
   same, but for rounding, the first. */
struct dlq_loss dlq_worst_loss(const struct dlq_loss *losses, size_t count, double throughput, double step);

/* The loaders that would be enough if the host were not in the way; see dlq_verdict. 0 where no count of loaders is the
   question: nothing waits for them, or it would take too long to find out. */
enum { DLQ_MOST_ENOUGH = 512 };
enum dlq_status dlq_enough_loaders(const struct dlq_system *system, const char *bound_by, const struct dlq_run *run,
                                   long *loaders, struct dlq_error *error);

/* Text and headroom; all else is set already. */
void dlq_verdict_say(const struct dlq_system *system, const struct dlq_bounds *bounds,
                     const struct dlq_simulation *simulation, struct dlq_verdict *verdict);

#endif
