/* What single changes gain, as JSON. */
#ifndef DLQ_CLI_LEVERS_JSON_H
#define DLQ_CLI_LEVERS_JSON_H

#include "dlqueue/levers.h"
#include "object.h"

/* Puts "levers": [{"change", "throughput", "gain", "proven"}] into the object. */
void dlq_levers_put(struct dlq_object *object, const struct dlq_levers *levers);

#endif
