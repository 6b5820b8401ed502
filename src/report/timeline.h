/* A timeline, simulated or read from logs: its words, its report, and its events for other programs. */
#ifndef DLQ_REPORT_TIMELINE_H
#define DLQ_REPORT_TIMELINE_H

#include "dlqueue/timeline.h"
#include "draw/table.h"
#include "draw/text.h"

enum { DLQ_TIMELINE_TITLE = 200, DLQ_TIMELINE_SUBTITLE = 800 };

struct dlq_timeline_answer {
    struct dlq_model *model;            /* beside logs it holds [plot] alone */
    struct dlq_description description; /* of a configuration */
    enum dlq_cause bottleneck;          /* dlq_bounds' of a configuration; none: unknown */
    bool out_of_phase;                  /* [simulate] start is not `together` */
    struct dlq_timeline timeline;
    struct dlq_timeline_summary *summaries; /* [rank]; owned */
    struct dlq_queue_levels *levels;        /* [rank]; owned */
    size_t worst;                           /* the rank that waits longest for data */
    bool of_waits;                          /* the waits of the measured run are shown, not a part of it */
    struct dlq_rhythm rhythm;               /* count 0: there is none */
    bool grows;                             /* its chart may be higher than asked for */
    bool of_path;                           /* the critical path is asked for */
    struct dlq_timeline_path path;          /* count 0: it is not */
    char name[200];
    char title[DLQ_TIMELINE_TITLE];
    char parameters[DLQ_TIMELINE_SUBTITLE];       /* all of the run's */
    char subtitle[2 * DLQ_TIMELINE_SUBTITLE + 8]; /* what happened between from and until, and the parameters */
};

/* Levels, summaries, worst and the texts, from the rest. */
enum dlq_status dlq_timeline_answer_fill(struct dlq_timeline_answer *answer, struct dlq_error *error);
void dlq_timeline_answer_free(struct dlq_timeline_answer *answer);

/* The places of that many ranks (at most, of all) that hold the others up most, ascending. Returns how many. */
size_t dlq_timeline_ranks(const struct dlq_timeline_answer *answer, size_t most, size_t *places);

/* The finding, and what trainer, loaders and queue did; of the rank that waits longest where there are several. */
void dlq_timeline_report(FILE *out, bool color, const struct dlq_timeline_answer *answer);
/* Where there is no clear period: the number of loaders, if the autocorrelation is largest there, or at multiples of
   it, and well beyond what chance explains: variance blurs their rhythm. 0: it is not. */
size_t dlq_timeline_blurred(const struct dlq_rhythm *rhythm);
/* The finding, and the waits of the measured run: what stands beside their chart. */
void dlq_timeline_report_rhythm(FILE *out, bool color, const struct dlq_timeline_answer *answer);

/* A row of the table. */
struct dlq_timeline_row {
    long rank;
    bool serial; /* the training process loads for itself */
    struct dlq_timeline_batch batch;
};
/* A row per batch that was trained on, its step ending between from and until, in order of steps and ranks: the columns
   of the csv log format, which fit and diagnose read. Null: no memory. */
struct dlq_table *dlq_timeline_table(const struct dlq_timeline *timeline);

/* Writes the events in Chrome's trace format, one a line: a process per rank, a thread per loader and one of the
   trainer, counters of the queue. Spans that reach beyond from and until are whole. DLQ_FAILURE: no memory;
   whoever gave the stream checks it. */
enum dlq_status dlq_timeline_chrome(const struct dlq_timeline_answer *answer, FILE *stream, struct dlq_error *error);

#endif
