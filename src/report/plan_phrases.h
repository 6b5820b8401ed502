/* What a plan is about, in words. */
#ifndef DLQ_REPORT_PLAN_PHRASES_H
#define DLQ_REPORT_PLAN_PHRASES_H

#include "dlqueue/plan.h"
#include "report/phrase.h"

enum { DLQ_PLAN_WORDS = 256 };

/* What may change. */
struct dlq_solved {
    const char *name;    /* as [plan] solve */
    const char *path;    /* of the configuration */
    const char *heading; /* of a column */
    const char *axis;    /* of a chart */
    const char *one, *many, *article;
    const char *none;                                      /* "No loader count" */
    double (*rate)(const struct dlq_candidate *candidate); /* bytes/s; null: a count */
};

const struct dlq_solved *dlq_plan_solved(const struct dlq_plan *plan);
/* Of what may change: a count, or of bandwidths the place in their order; the latter as it is drawn, in bytes/s. */
double dlq_plan_amount(const struct dlq_plan *plan, const struct dlq_candidate *candidate);
long dlq_plan_count(const struct dlq_plan *plan, const struct dlq_candidate *candidate);
/* "14", "1.03 GB/s" */
const char *dlq_plan_say_amount(const struct dlq_plan *plan, long count, char text[DLQ_PLAN_WORDS]);
/* Is it spoken of as one thing: a single loader, a prefetch, a bandwidth? */
bool dlq_plan_is_one(const struct dlq_plan *plan, long count);
/* "14 loaders", "1 rank", "a prefetch of 4", "1.03 GB/s of storage" */
const char *dlq_plan_say_count(const struct dlq_plan *plan, long count, char text[DLQ_PLAN_WORDS]);

bool dlq_plan_of_share(const struct dlq_plan *plan);
/* "95.8 %", "2,012 samples/s": three digits, and as many more as it takes not to say 100 %, or the target, of what is
   less. */
const char *dlq_plan_say_figure(const struct dlq_plan *plan, double figure, char text[DLQ_PLAN_WORDS]);
/* The target as it was given: "95 %" */
const char *dlq_plan_say_level(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS]);
/* "95 % utilization", "an au of 95 %", "2,000 samples/s" */
const char *dlq_plan_say_target(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS]);

/* "14 loaders keep the trainer 95.8 % busy": of the answer. */
void dlq_plan_say_reach(struct dlq_phrase *phrase, const struct dlq_plan *plan);
/* The first that would meet the target, had it room; null: there is none. */
const struct dlq_candidate *dlq_plan_outsize(const struct dlq_plan *plan);

/* The gain of a single change; NAN: none is proven. */
double dlq_plan_proven_gain(const struct dlq_plan *plan, const char *change);
/* What the figure of a candidate can't exceed, from its upper bound alone; NAN: no value. */
double dlq_plan_figure_bound(const struct dlq_plan *plan, const struct dlq_candidate *candidate);
/* Whether the answer fits the host: else nothing does, and it is none. */
bool dlq_plan_has_answer(const struct dlq_plan *plan);
/* The finding as a headline. */
const char *dlq_plan_title(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS]);

#endif
