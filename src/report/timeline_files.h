/* The events of a timeline, for other programs. */
#ifndef DLQ_REPORT_TIMELINE_FILES_H
#define DLQ_REPORT_TIMELINE_FILES_H

#include "draw/table.h"
#include "report/timeline_subject.h"

#include <stdio.h>

/* A row per batch that was trained on, its step ending between from and until, in order of steps and ranks: the columns
   of the csv log format, which fit and diagnose read. Null: no memory. */
struct dlq_table *dlq_timeline_table(const struct dlq_timeline *timeline);

/* Writes the events in Chrome's trace format, one a line: a process per rank, a thread per loader and one of the
   trainer, counters of the queue. Spans that reach beyond from and until are whole. DLQ_FAILURE: no memory;
   whoever gave the stream checks it. */
enum dlq_status dlq_timeline_chrome(const struct dlq_timeline_subject *subject, FILE *stream, struct dlq_error *error);

#endif
