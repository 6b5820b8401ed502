/* How a caller wants things computed. */
#ifndef DLQ_STUDY_RUN_H
#define DLQ_STUDY_RUN_H

#include "dlqueue/error.h"
#include "dlqueue/simulate.h"

/* DLQ_INVALID where the run asks for what there is not. Every public function that takes a run asks this first. */
enum dlq_status dlq_accept_run(const struct dlq_run *run, struct dlq_error *error);

#endif
