/* The overheads of the recursion, estimated from a run itself. */
#ifndef DLQ_STUDY_OVERHEADS_H
#define DLQ_STUDY_OVERHEADS_H

#include "study/measured.h"

/* When the trainer of all ranks asked for its j-th batch, F_{j-1} (the mean of the ranks); j = batches: when its last
   step ended. And when the last rank received it. */
double dlq_measured_asked(const struct dlq_measured_run *measured, size_t j);
double dlq_measured_last_received(const struct dlq_measured_run *measured, size_t j);

/* When the load at sent[rank * batches + place] could begin by the recursion, where its worker was busy until then: the
   end of its load before. NAN: it was not, or that is unknown. */
double dlq_measured_busy_until(const struct dlq_measured_run *measured, size_t rank, size_t epoch, size_t k,
                               double dispatch);

/* What each of them is, s; robust means, never below 0:
   dispatch  load start - A, of loads whose worker was idle at A
   receive   received - request, of batches that were ready before the request
   deliver   such that received = max(request, load end + deliver) + receive in the mean
   startup   first load start - first request, mean of the epochs and ranks
   barrier   with several ranks: from the request to the last rank's reception where all were ready, less receive: what
             the last of several receptions takes longer than their mean, and how far apart ranks leave the barrier
   scratch: three times as many values as the trace has batches, of all ranks. */
void dlq_overheads_estimate(const struct dlq_measured_run *measured, double *scratch,
                            struct dlq_measured_overheads *overheads);

#endif
