/* Results in words. */
#ifndef DLQUEUE_REPORT_H
#define DLQUEUE_REPORT_H

#include "dlqueue/plan.h"
#include "dlqueue/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DLQ_VERDICT_TEXT = 768, DLQ_PLAN_TEXT = 1024 };

/* What binds, why, and what to do next, in two sentences or three; "" of a solution that was interrupted. The model is
   that which was solved. Returns `text`. */
const char *dlq_verdict_text(const struct dlq_model *model, const struct dlq_solution *solution,
                             char text[DLQ_VERDICT_TEXT]);

/* What a plan has found, in a few sentences; "" of one that was interrupted. The model is that which was planned.
   Returns `text`. */
const char *dlq_plan_text(const struct dlq_model *model, const struct dlq_plan *plan, char text[DLQ_PLAN_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
