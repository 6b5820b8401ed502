/* Answers in sentences. */
#pragma once

#include "dlqueue/plan.h"
#include "dlqueue/solve.h"

DLQ_DECLARATIONS_BEGIN

enum { DLQ_VERDICT_TEXT = 768, DLQ_PLAN_TEXT = 1024 };

/* Writes the verdict of a solution in two or three sentences: the bottleneck, its reason, and what helps; "" for an
   interrupted solution. model: the model that was solved. Returns text. */
const char *dlq_verdict_text(const struct dlq_model *model, const struct dlq_solution *solution,
                             char text[DLQ_VERDICT_TEXT]);

/* Writes the result of a plan in a few sentences; "" for an interrupted plan. model: the model that was planned for.
   Returns text. */
const char *dlq_plan_text(const struct dlq_model *model, const struct dlq_plan *plan, char text[DLQ_PLAN_TEXT]);

DLQ_DECLARATIONS_END
