/* The worker that is like the others. */
#ifndef DLQ_STUDY_MEDIAN_WORKER_H
#define DLQ_STUDY_MEDIAN_WORKER_H

#include "trace/trace.h"

/* Mean load of the median worker of a rank, s; of two the lower one: one of two workers can be slow. NAN: no loads are
   known by worker. scratch: worker_count values. */
double dlq_median_worker(const struct dlq_rank *rank, double *scratch);

#endif
