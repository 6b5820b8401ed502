/* Lower bounds on throughput: delay events until a round of loads is done; by monotonicity the real system is only
 * faster. */
#ifndef DLQ_ANALYTIC_LOWER_H
#define DLQ_ANALYTIC_LOWER_H

#include "analytic/bounds.h"

/* NAN where none is known. */
enum dlq_status dlq_system_lower(const struct dlq_system *system, struct dlq_bounds_context *context, double *lower,
                                 struct dlq_error *error);

/* Batches of a round that are there while the loads of the next round run, all begun at its start or in step with the
   trainer; 0: not even one. */
long dlq_system_round(const struct dlq_system *system);

#endif
