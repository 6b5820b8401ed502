/* A plan for people: what it is about, in words, and its report. */
#ifndef DLQ_REPORT_PLAN_REPORT_H
#define DLQ_REPORT_PLAN_REPORT_H

#include "dlqueue/report.h"
#include "draw/phrase.h"

enum { DLQ_PLAN_WORDS = 256, DLQ_PLAN_REMEDY = 128 };

/* What may change. */
struct dlq_solved {
    const char *name;          /* as [plan] solve */
    const char *path;          /* of the configuration */
    const char *heading;       /* of a column */
    const char *axis;          /* of a chart */
    const char *before, *unit; /* around the amount; of counts an s follows where it is not 1 */
    const char *none;          /* "No loader count" */
    size_t rate;               /* where in a candidate, in bytes/s; 0: a count */
};

const struct dlq_solved *dlq_plan_solved(const struct dlq_plan *plan);
/* What is solved for: a count, or bytes/s. */
double dlq_plan_amount(const struct dlq_plan *plan, const struct dlq_candidate *candidate);
bool dlq_plan_of_share(const struct dlq_plan *plan);

/* "14 loaders", "1 rank", "prefetch 4", "1.03 GB/s of storage" */
const char *dlq_plan_say_choice(const struct dlq_plan *plan, const struct dlq_candidate *candidate,
                                char text[DLQ_PLAN_WORDS]);
/* "95.8 %", "2,012 samples/s": three digits, and as many more as it takes not to say 100 %, or the target, of what is
   less. */
const char *dlq_plan_say_figure(const struct dlq_plan *plan, double figure, char text[DLQ_PLAN_WORDS]);
/* Of an unmet target: false where another candidate has a larger figure, in three digits, which the answer, the
   smallest that is as good, comes up to within the intervals or 0.1 %. */
bool dlq_plan_is_best(const struct dlq_plan *plan);
/* The target as it was given: "95 %" */
const char *dlq_plan_say_level(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS]);

/* Whether the answer fits the host: else nothing does, and it is none. */
bool dlq_plan_has_answer(const struct dlq_plan *plan);
/* What to add to the command to get nearer to an unmet target, "--at-most 256" or ""; *except: the path of the
   configuration that it replaces. Returns `text`. */
const char *dlq_plan_remedy(const struct dlq_plan *plan, char text[DLQ_PLAN_REMEDY], const char **except);

/* A plan with its finding in words. */
struct dlq_plan_answer {
    struct dlq_plan plan;
    char text[DLQ_PLAN_TEXT];
};

/* The first clause of the text: a headline. */
const char *dlq_plan_title(const struct dlq_plan_answer *planned, char text[DLQ_PLAN_WORDS]);

/* Everything but the command to try next; of an interrupted plan the candidates alone. DLQ_FAILURE: no memory. */
enum dlq_status dlq_plan_report(FILE *stream, bool color, const struct dlq_plan_answer *planned,
                                struct dlq_error *error);

#endif
