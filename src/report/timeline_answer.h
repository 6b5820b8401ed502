/* A timeline, simulated or read from logs, with what it says: all that the pictures and reports are made of. */
#ifndef DLQ_REPORT_TIMELINE_ANSWER_H
#define DLQ_REPORT_TIMELINE_ANSWER_H

#include "dlqueue/model.h"
#include "dlqueue/timeline.h"
#include "report/timeline_subject.h"

enum { DLQ_TIMELINE_TITLE = 200, DLQ_TIMELINE_SUBTITLE = 800 };

struct dlq_timeline_answer {
    struct dlq_model *model;            /* owned; beside logs it holds [plot] alone */
    struct dlq_trace *trace;            /* owned; null: simulated */
    struct dlq_description description; /* of a configuration */
    const char *bottleneck;             /* dlq_bounds' of a configuration; null: unknown */
    bool out_of_phase;                  /* [simulate] start is not `together` */
    struct dlq_timeline timeline;
    struct dlq_timeline_summary *summaries; /* [rank]; owned */
    struct dlq_queue_levels *levels;        /* [rank]; owned */
    size_t *order;                          /* dlq_timeline_subject's; owned */
    size_t worst;                           /* the rank that waits longest for data */
    bool of_waits;                          /* the waits of the measured run are shown, not a part of it */
    struct dlq_rhythm rhythm;               /* count 0: there is none */
    char name[200];
    char title[DLQ_TIMELINE_TITLE];
    char parameters[DLQ_TIMELINE_SUBTITLE]; /* all of the run's */
    char seen[DLQ_TIMELINE_SUBTITLE];       /* what happened between from and until */
    char subtitle[2 * DLQ_TIMELINE_SUBTITLE + 8];
};

/* Levels, summaries, order, worst and the texts, from the rest. */
enum dlq_status dlq_timeline_answer_fill(struct dlq_timeline_answer *answer, struct dlq_error *error);
void dlq_timeline_answer_free(struct dlq_timeline_answer *answer);

struct dlq_timeline_subject dlq_timeline_answer_subject(const struct dlq_timeline_answer *answer);

#endif
