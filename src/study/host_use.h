/* What a system takes of its host. */
#ifndef DLQ_STUDY_HOST_USE_H
#define DLQ_STUDY_HOST_USE_H

#include "dlqueue/solve.h"
#include "model/model.h"

void dlq_host_use_of(const struct dlq_system *system, const struct dlq_simulation *simulation,
                     struct dlq_host_use *use);

#endif
