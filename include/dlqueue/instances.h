/* Cloud instances that are known: what a host of that name has. */
#ifndef DLQUEUE_INSTANCES_H
#define DLQUEUE_INSTANCES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NAN, or null: not known. */
struct dlq_instance {
    const char *name, *provider, *gpu;
    long gpus;
    double vcpus;         /* hyper-threads on x86: half as many physical cores */
    double memory;        /* bytes */
    double bandwidth;     /* of the network, bytes/s */
    double local_storage; /* NVMe drives, bytes */
    double price;         /* US dollars per hour on demand */
    const char *source;   /* of the figures, and when they were retrieved */
};

/* All rows; *count of them. */
const struct dlq_instance *dlq_instances(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
