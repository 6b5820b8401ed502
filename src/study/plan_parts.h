/* The parts of a plan besides its search. */
#ifndef DLQ_STUDY_PLAN_PARTS_H
#define DLQ_STUDY_PLAN_PARTS_H

#include "study/plan_search.h"

/* [plan] against a checked model: a target that is none, nothing that may change, a figure without a value. */
enum dlq_status dlq_plan_accept(const struct dlq_model *model, struct dlq_error *error);

/* The loader count that each rule of thumb gives for the model: names and counts. Returns how many. */
size_t dlq_plan_rule_counts(const struct dlq_model *model, const char *names[DLQ_PLAN_RULES],
                            long counts[DLQ_PLAN_RULES]);
/* Simulates them, whether or not [plan] allows so many; those that can't be are left out. */
enum dlq_status dlq_plan_rules(struct dlq_trials *trials, struct dlq_plan *plan, struct dlq_error *error);

/* The values to be set side by side: the answer, some around it, the configured one. Returns how many, ascending. */
enum { DLQ_PLAN_TABLE_ROWS = 12 };
size_t dlq_plan_table(const struct dlq_plan_search *search, long answer, long values[DLQ_PLAN_TABLE_ROWS]);

/* What the text speaks of. */
struct dlq_plan_facts {
    const struct dlq_plan_search *search;
    const struct dlq_plan *plan;
    const struct dlq_trial *answer;
    const struct dlq_trial *before;  /* the next smaller (with most: larger) candidate; null: none */
    const struct dlq_trial *outsize; /* the first that meets the target and does not fit; null: none */
    struct dlq_system system;        /* of the answer */
    /* Where the target is not met: what the answer reaches with the prefetch doubled, and delivered by completion; NAN:
       there is no such thing, or it was not tried. */
    double doubled, unordered;
};

/* plan->binds, and what `facts` says of other candidates. */
enum dlq_status dlq_plan_bind(struct dlq_plan_facts *facts, struct dlq_plan *plan, struct dlq_error *error);
/* Whether a larger prefetch or another order would do. */
enum dlq_status dlq_plan_remedies(struct dlq_plan_facts *facts, struct dlq_error *error);
void dlq_plan_say(const struct dlq_plan_facts *facts, char *text, size_t size);

#endif
