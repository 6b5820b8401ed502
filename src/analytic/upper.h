/* Upper bounds by operational laws, each with the data it needs. */
#ifndef DLQ_ANALYTIC_UPPER_H
#define DLQ_ANALYTIC_UPPER_H

#include "dlqueue/bounds.h"
#include "model/system.h"

/* Fills all but lower: NAN where not configured or not applicable. */
void dlq_system_upper(const struct dlq_system *system, struct dlq_bounds *bounds);

/* What a batch costs the training process besides the step: c + b; one rank has no barrier. */
double dlq_system_extra(const struct dlq_system *system);
/* Loaders and ranks that are slow, and by how much: 1 where none is. */
double dlq_system_slowest_loader(const struct dlq_system *system);
double dlq_system_slowest_rank(const struct dlq_system *system);

#endif
