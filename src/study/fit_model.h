/* The model that a fit is, asked. */
#ifndef DLQ_STUDY_FIT_MODEL_H
#define DLQ_STUDY_FIT_MODEL_H

#include "dlqueue/fit.h"

/* Reads the configuration back and fills what it says of a run of so many batches, and of more loaders: predicted,
   suffices, most_tried. */
enum dlq_status dlq_fit_ask_model(struct dlq_fit *fit, long batches, const struct dlq_run *run,
                                  struct dlq_error *error);

#endif
