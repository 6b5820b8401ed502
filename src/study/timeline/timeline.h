/* Times of a batch that follow from the recorded ones, and functions that the files of this folder share. */
#pragma once

#include "dlqueue/timeline.h"
#include "sim/record.h"

#include <math.h>

/* When the trainer could receive the batch, s; NAN: unknown, or never. */
static inline double dlq_timeline_ready(const struct dlq_timeline_batch *batch)
{
    return isnan(batch->ready) ? batch->load_end : batch->ready;
}

/* When the step of the batch started, s; without a known barrier, when the batch was received. */
static inline double dlq_timeline_step_begin(const struct dlq_timeline_batch *batch)
{
    return isnan(batch->step_begin) ? batch->received : batch->step_begin;
}

/* When the last step of the rank ended, s; -INFINITY: there is none. */
static inline double dlq_timeline_last_end(const struct dlq_timeline_rank *rank)
{
    return rank->stepped > 0 ? rank->batches[rank->stepped - 1].step_end : -INFINITY;
}

/* The part of begin..end that lies between from and until, s; 0 where one of them is unknown. */
static inline double dlq_timeline_part(double begin, double end, double from, double until)
{
    double length = (end < until ? end : until) - (begin > from ? begin : from);
    return isnan(begin) || isnan(end) || !(length > 0) ? 0 : length;
}

/* dlq_timeline_simulate for any replication of a checked model. */
enum dlq_status dlq_timeline_record(const struct dlq_model *model, const struct dlq_record_span *span,
                                    const struct dlq_run *run, struct dlq_timeline *timeline, struct dlq_error *error);

/* Checks a model, and whether its system can be simulated, whatever the model's method. */
enum dlq_status dlq_timeline_accept(struct dlq_model *model, struct dlq_error *error);

/* Fills in acf, lags, acf_count and band of a rhythm from its waits, count and loaders. On failure the rhythm is
   untouched. */
enum dlq_status dlq_rhythm_finish(struct dlq_rhythm *rhythm, struct dlq_error *error);
