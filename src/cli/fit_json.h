/* A fit as JSON. */
#ifndef DLQ_CLI_FIT_JSON_H
#define DLQ_CLI_FIT_JSON_H

#include "dlqueue/fit.h"
#include "object.h"

void dlq_fit_put(struct dlq_object *object, const struct dlq_fit *fit);

#endif
