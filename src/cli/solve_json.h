/* A solution as JSON, in the order of the manual. */
#ifndef DLQ_CLI_SOLVE_JSON_H
#define DLQ_CLI_SOLVE_JSON_H

#include "dlqueue/solve.h"
#include "object.h"

/* Puts all keys of the solution into the object. */
void dlq_solution_put(struct dlq_object *object, const struct dlq_solution *solution);

#endif
