/* The hosts of known cloud instances. */
#pragma once

#include "dlqueue/declarations.h"

#include <stddef.h>

DLQ_DECLARATIONS_BEGIN

/* NAN or null: not known. */
struct dlq_instance {
    const char *name, *provider, *gpu;
    long gpus;
    double vcpus;         /* on x86, hyper-threads: two for each physical core */
    double memory;        /* bytes */
    double bandwidth;     /* of the network, bytes/s */
    double local_storage; /* NVMe drives, bytes */
    double price;         /* US dollars per hour on demand */
    const char *source;   /* where and when the figures were retrieved */
};

/* The static table of *count instances. */
const struct dlq_instance *dlq_instances(size_t *count);

DLQ_DECLARATIONS_END
