/* What the pictures of a timeline are drawn from. */
#ifndef DLQ_REPORT_TIMELINE_SUBJECT_H
#define DLQ_REPORT_TIMELINE_SUBJECT_H

#include "dlqueue/timeline.h"

struct dlq_timeline_subject {
    const struct dlq_timeline *timeline;
    const char *name;     /* short: of the configuration, or the logs */
    const char *title;    /* the finding */
    const char *subtitle; /* all parameters */
    const size_t *order;  /* places of all ranks, those that hold the others up most first; null: as they come */
};

/* The ranks' places by how little each waits for the others, into memory of the caller's. */
enum dlq_status dlq_timeline_order(const struct dlq_timeline_summary *summaries, size_t count, size_t **order,
                                   struct dlq_error *error);

/* The places of that many ranks (at most, of all), those that hold the others up most, ascending. Returns how many. */
size_t dlq_timeline_subject_ranks(const struct dlq_timeline_subject *subject, size_t most, size_t *places);

#endif
