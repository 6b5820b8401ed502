/* What the event loop of a rank's loaders gives beside its row of kernels (kernel.h). */
#ifndef DLQ_SIM_EVENTS_H
#define DLQ_SIM_EVENTS_H

#include "sim/kernel.h"

/* Time 0 of another replication. */
void dlq_events_reset(struct dlq_loading *rank);
/* Step i of the block where step or receiving need a core: each rank has its own, a batch is dispatched before the step
   that it competes with, and of a step that needs a core for a part of it, that part is its last. before: F_{i-1};
   received: G of each rank. */
void dlq_events_on_cores(struct dlq_loading *const *ranks, const struct dlq_block *block, size_t i, double before,
                         double *received, double *delivered, double *finished);
/* Mean slowdown so far of stages that use that. */
double dlq_events_slowdown(const struct dlq_loading *rank, enum dlq_uses uses);

#endif
