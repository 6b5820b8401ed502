/* A plan as JSON and as a table. */
#ifndef DLQ_CLI_PLAN_JSON_H
#define DLQ_CLI_PLAN_JSON_H

#include "dlqueue/plan.h"
#include "dlqueue/table.h"
#include "object.h"

/* Puts all keys of a plan into an object. */
void dlq_plan_put(struct dlq_object *object, const struct dlq_plan *plan, bool interrupted);
/* The candidates around the answer, for CSV: the keys of the JSON, estimates with _low and _high. Null: no memory. */
struct dlq_table *dlq_plan_columns(const struct dlq_plan *plan);

#endif
