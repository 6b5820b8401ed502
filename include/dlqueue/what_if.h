/* Single questions about a model: the throughput that a run will measure, and the number of loaders that suffices. */
#pragma once

#include "dlqueue/model.h"

DLQ_DECLARATIONS_BEGIN

/* *throughput: of one run of `batches` steps, in batches/s of a rank from time 0 to the end of the last step, start-up
   included: the mean, and the range low..high of 95 % of such runs. From at most 400 runs of at most 50,000 batches;
   for a longer run, the width of their range is divided by the square root of the ratio of the lengths. All NAN where
   the model cannot be simulated, or with batches < 1. DLQ_INVALID: model or run is refused; DLQ_INTERRUPTED,
   DLQ_FAILURE. */
enum dlq_status dlq_predict_run(struct dlq_model *model, long batches, const struct dlq_run *run,
                                struct dlq_estimate *throughput, struct dlq_error *error);

struct dlq_sufficient {
    long loaders;    /* 0: no count up to most_tried suffices */
    long most_tried; /* 0: the loads vary too much for a simulation to find the number */
};

/* The least number of loaders, from 1 to most, with which the simulated utilization reaches `target` (0..1). All
   numbers share their draws, so that the answer depends on the seed alone. A model without loaders gets those of
   pytorch. DLQ_INVALID: the model has no step, or cannot be simulated; DLQ_INTERRUPTED, DLQ_FAILURE. */
enum dlq_status dlq_sufficient_loaders(struct dlq_model *model, double target, long most, const struct dlq_run *run,
                                       struct dlq_sufficient *found, struct dlq_error *error);

DLQ_DECLARATIONS_END
