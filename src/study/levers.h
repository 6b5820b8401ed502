/* What single changes gain. */
#ifndef DLQ_STUDY_LEVERS_H
#define DLQ_STUDY_LEVERS_H

#include "dlqueue/levers.h"
#include "study/model.h"

/* One wave, no longer than it need be: what single changes of a system are simulated by. */
struct dlq_simulate_options dlq_levers_options(const struct dlq_model *model, const struct dlq_system *system);

/* Every change that a system made from the model admits, on the same draws as the system itself. `throughput`: what the
   system reaches. */
enum dlq_status dlq_levers_find(const struct dlq_model *model, const struct dlq_system *system,
                                struct dlq_estimate throughput, const struct dlq_run *run, struct dlq_levers *levers,
                                struct dlq_error *error);

#endif
