/* A timeline, simulated or read from logs, in words: title, report, table, and events for other programs. */
#pragma once

#include "dlqueue/timeline.h"
#include "draw/phrase.h"
#include "draw/table.h"

enum { DLQ_TIMELINE_TITLE = 200, DLQ_TIMELINE_SUBTITLE = 800 };

struct dlq_timeline_answer {
    struct dlq_model *model;            /* for a log only [plot] matters */
    struct dlq_description description; /* empty for a log */
    enum dlq_cause bottleneck;          /* from dlq_bounds; DLQ_CAUSE_NONE for a log */
    bool out_of_phase;                  /* [simulate] start is not `together` */
    struct dlq_timeline timeline;
    struct dlq_timeline_summary *summaries; /* [rank]; owned */
    struct dlq_queue_levels *levels;        /* [rank]; owned */
    size_t worst;                           /* the rank that waits longest for data */
    bool of_waits;                          /* --waits: only waits are shown */
    struct dlq_rhythm rhythm;               /* count 0: no rhythm was looked for */
    bool grows;                             /* the chart may be higher than its canvas */
    bool of_path;                           /* fill `path` */
    struct dlq_timeline_path path;          /* count 0: not filled */
    struct dlq_timeline_answer *against;    /* the other order of delivery, on the same draws; null: none */
    struct dlq_timeline_lateness lateness;  /* with `against`: of the run that delivers in order */
    char name[200];
    char title[DLQ_TIMELINE_TITLE];
    char parameters[DLQ_TIMELINE_SUBTITLE];       /* of the run */
    char subtitle[2 * DLQ_TIMELINE_SUBTITLE + 8]; /* a summary and the parameters */
};

/* Fills levels, summaries, worst, path, lateness and the texts from the other members, and those of `against`. */
enum dlq_status dlq_timeline_answer_fill(struct dlq_timeline_answer *answer, struct dlq_error *error);
void dlq_timeline_answer_free(struct dlq_timeline_answer *answer);

/* With `against`: the run of the two that delivers in order, or (in_order false) by completion. */
const struct dlq_timeline_answer *dlq_timeline_delivered(const struct dlq_timeline_answer *answer, bool in_order);

/* Finds up to `most` ranks that delay the others most: those with the least waits at the barrier. Writes their places
   in ascending order; returns their number. */
size_t dlq_timeline_ranks(const struct dlq_timeline_answer *answer, size_t most, size_t *places);

/* Adds up to `most` parts of the critical path, the largest first, without those below a thousandth: "loads 83 %". */
void dlq_timeline_path_say(const struct dlq_timeline_path *path, size_t most, const char *separator,
                           struct dlq_phrase *phrase);
/* Writes the finding and what trainer, loaders and queue did, for the rank that waits longest. */
void dlq_timeline_report(FILE *out, bool color, const struct dlq_timeline_answer *answer);
/* Without a clear period: the number of loaders if the autocorrelation is largest at a multiple of that number and well
   beyond chance, as variance blurs a rhythm; else 0. */
size_t dlq_timeline_blurred(const struct dlq_rhythm *rhythm);
/* Writes the finding and a summary of the waits, to go with their chart. */
void dlq_timeline_report_rhythm(FILE *out, bool color, const struct dlq_timeline_answer *answer);

/* A row of the table of batches. */
struct dlq_timeline_row {
    long rank;
    bool serial; /* the training process loads for itself */
    struct dlq_timeline_batch batch;
};
/* A row for each batch whose step ends between from and until, by steps, then ranks, with the columns of the csv log
   format. Null: no memory. */
struct dlq_table *dlq_timeline_table(const struct dlq_timeline *timeline);

/* Writes the events in Chrome's trace format, one per line: a process per rank, a thread per loader and one for the
   trainer, counters for the queue. Spans that only partly lie between from and until are written whole. DLQ_FAILURE: no
   memory; the caller checks the stream. */
enum dlq_status dlq_timeline_chrome(const struct dlq_timeline_answer *answer, FILE *stream, struct dlq_error *error);
