/* What a reader must know before trusting a simulated figure. */
#ifndef DLQ_STUDY_WARNINGS_H
#define DLQ_STUDY_WARNINGS_H

#include "dlqueue/solve.h"
#include "model/model.h"
#include "sim/options.h"

/* The bound that the throughput contradicts, a level of 1e-6 of its own error and what the bound does not promise of a
   finite run allowed for: an error of ours. NAN: none, or a single run of a system that varies. To be stored as
   simulation->outside_bound. */
double dlq_outside_bound(const struct dlq_system *system, const struct dlq_simulate_options *options,
                         const struct dlq_bounds *bounds, const struct dlq_simulation *simulation);

/* Adds to warnings[*count ..]: figures outside of their bounds, what is too rare to be seen, a heavy tail, a warm-up
   too short, a run that was lengthened, a precision that was not reached. */
void dlq_warnings_of(const struct dlq_simulation *simulation, const struct dlq_levers *levers,
                     const struct dlq_simulate_options *options, char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT],
                     size_t *count);
/* Adds one; none where there is no room. */
void dlq_warnings_add(const char *text, char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count);

#endif
