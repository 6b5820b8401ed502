/* What single changes gain. */
#ifndef DLQ_STUDY_LEVERS_H
#define DLQ_STUDY_LEVERS_H

#include "dlqueue/levers.h"
#include "study/model.h"

/* Every change that a system made from the model admits, on the same draws as the system itself. The runs are no longer
   than they need be: [simulate] says how long at most. */
enum dlq_status dlq_levers_find(const struct dlq_model *model, const struct dlq_system *system,
                                const struct dlq_run *run, struct dlq_levers *levers, struct dlq_error *error);

#endif
