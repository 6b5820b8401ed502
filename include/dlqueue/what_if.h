/* Single questions about a model: what will a run of it measure, how many loaders are enough? */
#ifndef DLQUEUE_WHAT_IF_H
#define DLQUEUE_WHAT_IF_H

#include "dlqueue/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The throughput of one run of `batches` steps (batches/s of a rank, from time 0 to the end of the last step, start-up
   included): its mean, and low..high where 95 % of runs lie. From at most 400 independent runs of at most 50,000
   batches each; the interval of a longer run is narrower by the square root of the ratio. All NAN where the model
   cannot be simulated. */
enum dlq_status dlq_predict_run(struct dlq_model *model, long batches, const struct dlq_run *run,
                                struct dlq_estimate *throughput, struct dlq_error *error);

struct dlq_sufficient {
    long loaders;    /* 0: none up to the most tried */
    long most_tried; /* 0: the loads vary so much that the simulation can't tell a number */
};

/* The least number of loaders, from 1 to most, with which the simulated utilization reaches `target` (0..1). Another
   number of loaders meets the same draws, so that the answer depends on the seed alone. A model without loaders is
   given those of pytorch. DLQ_INVALID where the model has no step, or can't be simulated. */
enum dlq_status dlq_sufficient_loaders(struct dlq_model *model, double target, long most, const struct dlq_run *run,
                                       struct dlq_sufficient *found, struct dlq_error *error);

#ifdef __cplusplus
}
#endif

#endif
