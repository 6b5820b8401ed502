/* Hosts: what ranks share. */
#ifndef DLQ_MODEL_HOST_H
#define DLQ_MODEL_HOST_H

#include "base/option.h"

/* NAN: not given, does not bind. */
struct dlq_host {
    int instance;        /* word of dlq_instance_names; 0: none */
    long ranks_per_host; /* 0: all ranks on one host */
    double cores;        /* may be a fraction */
    double memory, shm;  /* bytes */
    double bandwidth;    /* bytes/s */
    double loader_memory, batch_bytes;
    double price; /* per host and hour */
};

struct dlq_storage {
    double bandwidth; /* bytes/s, shared by all hosts */
};

extern const struct dlq_section dlq_host_section, dlq_storage_section;

#endif
