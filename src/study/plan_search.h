/* The search for a plan's answer among its candidates. */
#ifndef DLQ_STUDY_PLAN_SEARCH_H
#define DLQ_STUDY_PLAN_SEARCH_H

#include "study/plan_trials.h"

struct dlq_plan_search {
    struct dlq_trials *trials;
    long *existing; /* values of 1..at_most that can be simulated, ascending; owned */
    size_t count;
    size_t covered; /* of them, those that the curve has come by */
    long shown;     /* a curve goes at least so far */
};

/* False in *any where there is no candidate at all. */
enum dlq_status dlq_plan_search_begin(struct dlq_plan_search *search, struct dlq_trials *trials, bool *any,
                                      struct dlq_error *error);
void dlq_plan_search_end(struct dlq_plan_search *search);

/* Tries candidates over the range in which something happens; again, once more is known of it, what is then missing. */
enum dlq_status dlq_plan_curve(struct dlq_plan_search *search, struct dlq_error *error);
/* The least (or most) candidate that fits and meets the target, verified with its neighbors; *met false: none, and
 *value is the least that fits and is as good as the best, but for 0.1 %. Where none fits: the least. */
enum dlq_status dlq_plan_settle(struct dlq_plan_search *search, bool *met, long *value, struct dlq_error *error);
/* The candidate that comes before in what is wanted: smaller, or with more ranks. Null: there is none. */
const struct dlq_trial *dlq_plan_next_better(const struct dlq_plan_search *search, long value);

#endif
