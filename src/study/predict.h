/* Prediction: what a single run of a system will measure, and how far runs lie apart. */
#ifndef DLQ_STUDY_PREDICT_H
#define DLQ_STUDY_PREDICT_H

#include "dlqueue/error.h"
#include "dlqueue/estimate.h"
#include "dlqueue/simulate.h"
#include "model/model.h"

/* The throughput (batches/s of a rank, from time 0 to the end of the last step, start-up and all) of a run of
   `batches`: its mean, and low..high where 95 % of runs lie. By independent runs, of at most DLQ_PREDICT_BATCHES each
   (an interval for more narrows with the square root). All NAN where loads share the host's cores or bandwidth. */
enum { DLQ_PREDICT_RUNS = 400, DLQ_PREDICT_BATCHES = 50000 };
enum dlq_status dlq_predict(const struct dlq_system *system, long batches, const struct dlq_run *run,
                            struct dlq_estimate *throughput, struct dlq_error *error);

#endif
