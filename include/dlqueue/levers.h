/* Levers: single changes to a model, and what each gains. */
#ifndef DLQUEUE_LEVERS_H
#define DLQUEUE_LEVERS_H

#include "dlqueue/estimate.h"

#include <stdbool.h>
#include <stddef.h>

enum { DLQ_LEVERS = 40, DLQ_LEVER_TEXT = 72 };

struct dlq_lever {
    char change[DLQ_LEVER_TEXT];    /* "twice the loaders", "read free" */
    struct dlq_estimate throughput; /* batches/s of a rank, after it: (1 + gain) times what it is before */
    /* Of throughput, as a share: 1 is twice as fast; from pairs on the same draws, and by 0.001 wider to both sides
       where runs had to be shorter than [simulate] says; NAN: none. */
    struct dlq_estimate gain;
    double outside_bound; /* the upper bound that the throughput contradicts, an error of ours; else NAN */
    bool proven;          /* the interval of the gain does not hold 0 */
};

/* In descending order of gain. */
struct dlq_levers {
    size_t count;
    struct dlq_lever rows[DLQ_LEVERS];
};

#endif
