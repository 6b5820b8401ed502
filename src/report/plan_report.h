/* Plans in words, and their report. */
#pragma once

#include "dlqueue/report.h"
#include "draw/phrase.h"

enum { DLQ_PLAN_WORDS = 256, DLQ_PLAN_REMEDY = 128 };

/* The words for the quantity that a plan solves for. */
struct dlq_quantity_words {
    const char *path;          /* its key, "pipeline.loaders" */
    const char *heading;       /* of a column */
    const char *axis;          /* of a chart */
    const char *before, *unit; /* around the amount; "s" is added to the unit of counts other than 1; unit null: none */
    const char *none;          /* "No loader count" */
    size_t rate;               /* offset in struct dlq_candidate of a rate in bytes/s; 0: a count */
};

const struct dlq_quantity_words *dlq_plan_quantity(const struct dlq_plan *plan);
/* A candidate's count, or rate in bytes/s, of the quantity that is solved for. */
double dlq_plan_amount(const struct dlq_plan *plan, const struct dlq_candidate *candidate);
/* The candidate of plan->held. */
const struct dlq_candidate *dlq_plan_held(const struct dlq_plan *plan);
/* Whether the target is a share of the time; else it is in samples/s. */
bool dlq_plan_of_share(const struct dlq_plan *plan);

/* "14 loaders", "1 rank", "prefetch 4", "1.03 GB/s of storage" */
const char *dlq_plan_say_choice(const struct dlq_plan *plan, const struct dlq_candidate *candidate,
                                char text[DLQ_PLAN_WORDS]);
/* "95.8 %", "2,012 samples/s": three digits, or as many more as keep a figure below 100 %, or below the target, from
   being rounded up to it. */
const char *dlq_plan_say_figure(const struct dlq_plan *plan, double figure, char text[DLQ_PLAN_WORDS]);
/* Where the target is not met: false if another candidate of the table has a larger figure in three digits. The answer
   is then the smallest candidate whose figure equals the best within the intervals or 0.1 %. */
bool dlq_plan_is_best(const struct dlq_plan *plan);
/* The target as it was given: "95 %" */
const char *dlq_plan_say_target(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS]);

/* Whether the target is met, or the answer has a figure and fits the host. */
bool dlq_plan_has_answer(const struct dlq_plan *plan);
/* An option that brings an unmet target into reach, or allows more ranks where as many as allowed meet it, "--at-most
   256", or "". *except: the key that the option replaces. Returns `text`. */
const char *dlq_plan_remedy(const struct dlq_plan *plan, char text[DLQ_PLAN_REMEDY], const char **except);

/* A plan and its dlq_plan_text. */
struct dlq_plan_answer {
    struct dlq_plan plan;
    char text[DLQ_PLAN_TEXT];
};

/* The first clause of the text, for a headline. Returns `text`. */
const char *dlq_plan_title(const struct dlq_plan_answer *planned, char text[DLQ_PLAN_WORDS]);

/* Writes all but the command to try next; of an interrupted plan only the candidates. DLQ_FAILURE: no memory. */
enum dlq_status dlq_plan_report(FILE *stream, bool color, const struct dlq_plan_answer *planned,
                                struct dlq_error *error);
