/* Cloud instances: what a host of that name has. */
#ifndef DLQ_MODEL_INSTANCE_H
#define DLQ_MODEL_INSTANCE_H

#include "model/host.h"

/* NAN: not known. Cores are the vendor's vCPU: hyper-threads on x86, so half as many physical cores. */
struct dlq_instance {
    const char *name, *gpu;
    long gpus;
    double cores, memory; /* memory in bytes */
    double bandwidth;     /* network, bytes/s */
    double price;         /* per hour, US dollars on demand */
};

/* "none", then the instances, null-terminated: the words of [host] instance. */
extern const char *const dlq_instance_names[];
/* The instance of that word; null for "none". */
const struct dlq_instance *dlq_instance_at(int word);
/* Fills what `host` has not (NAN, 0 ranks_per_host) from its instance, a rank per GPU. */
void dlq_instance_fill(struct dlq_host *host);

#endif
