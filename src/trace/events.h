/* Events of a Chrome trace that tell of data loading. */
#ifndef DLQ_TRACE_EVENTS_H
#define DLQ_TRACE_EVENTS_H

#include "trace/values.h"

enum dlq_event_kind { DLQ_EVENT_STEP, DLQ_EVENT_WAIT, DLQ_EVENT_BEGIN, DLQ_EVENT_END };

/* Who recorded it; a step belongs to the profiler. */
enum dlq_event_source { DLQ_SOURCE_PROFILER, DLQ_SOURCE_COMPOSER };

struct dlq_json_event {
    enum dlq_event_kind kind;
    enum dlq_event_source source;
    double begin, duration; /* us; the duration of a wait or a step, else 0 */
    long process, thread;   /* numbers as they are, texts by their hash */
    long epoch, batch;      /* Composer tells; else -1 */
    long line;
};

struct dlq_json_events {
    struct dlq_values values;
    int where; /* in the file: begin with 0 */
    bool bare; /* an array alone, which need not be closed */
    long rank; /* distributedInfo tells; else -1 */
};

/* The struct is large: allocate it. */
void dlq_json_events_begin(struct dlq_json_events *events, struct dlq_input *input);
/* DLQ_TAKEN_RECORD: *event is filled; NOTHING: an event of no interest. log->line and why are set. */
enum dlq_taken dlq_json_events_next(struct dlq_json_events *events, struct dlq_log *log, struct dlq_json_event *event);

#endif
