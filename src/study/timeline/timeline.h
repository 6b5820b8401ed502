/* What the files of this folder share: points in time of a batch that follow from those recorded. */
#ifndef DLQ_STUDY_TIMELINE_TIMELINE_H
#define DLQ_STUDY_TIMELINE_TIMELINE_H

#include "dlqueue/timeline.h"
#include "sim/record.h"

#include <math.h>

/* When the trainer could take it; NAN: unknown, or never. */
static inline double dlq_timeline_ready(const struct dlq_timeline_batch *batch)
{
    return isnan(batch->ready) ? batch->load_end : batch->ready;
}

/* When the step began: where no barrier is known, with the reception. */
static inline double dlq_timeline_step_begin(const struct dlq_timeline_batch *batch)
{
    return isnan(batch->step_begin) ? batch->received : batch->step_begin;
}

/* When the last step ended; -INFINITY: there is none. */
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

/* dlq_timeline_simulate of a model that is checked, of any replication. */
enum dlq_status dlq_timeline_record(const struct dlq_model *model, const struct dlq_record_span *span,
                                    const struct dlq_run *run, struct dlq_timeline *timeline, struct dlq_error *error);

/* Checks a model that is to be recorded. Whatever its method: a record needs what simulation needs. */
enum dlq_status dlq_timeline_accept(struct dlq_model *model, struct dlq_error *error);

/* acf, lags, acf_count, band of a rhythm from waits, count and loaders. On failure nothing is touched. */
enum dlq_status dlq_rhythm_finish(struct dlq_rhythm *rhythm, struct dlq_error *error);

#endif
