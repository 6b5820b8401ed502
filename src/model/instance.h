/* Cloud instances: what a host of that name has. */
#ifndef DLQ_MODEL_INSTANCE_H
#define DLQ_MODEL_INSTANCE_H

#include "dlqueue/instances.h"
#include "model/host.h"

/* "none", then the names of dlq_instances, null-terminated: the words of [host] instance. */
extern const char *const dlq_instance_names[];
/* The instance of that word; null for "none". */
const struct dlq_instance *dlq_instance_at(int word);
/* Fills what `host` has not (NAN, 0 ranks_per_host) from its instance, a rank per GPU. */
void dlq_instance_fill(struct dlq_host *host);

#endif
