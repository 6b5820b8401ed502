/* Timelines of logs: all of a log, from its first request on. */
#ifndef DLQ_STUDY_TIMELINE_TRACE_H
#define DLQ_STUDY_TIMELINE_TRACE_H

#include "dlqueue/timeline.h"
#include "study/measured.h"

/* Room for the ranks, and for `count` batches of one of them. On failure what there is stays the caller's. */
enum dlq_status dlq_timeline_make_ranks(struct dlq_timeline *timeline, const struct dlq_trace *trace,
                                        struct dlq_error *error);
enum dlq_status dlq_timeline_make_batches(struct dlq_timeline_rank *rank, size_t count, struct dlq_error *error);

/* The trainer alone: data and iteration times one after the other. DLQ_NO_ANSWER: what the log lacks. */
enum dlq_status dlq_timeline_of_waits(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                                      struct dlq_timeline *timeline, struct dlq_error *error);

#endif
