/* Levers: single changes to a model, and the gain of each. */
#pragma once

#include "dlqueue/estimate.h"

#include <stdbool.h>
#include <stddef.h>

enum { DLQ_LEVERS = 40, DLQ_LEVER_TEXT = 72 };

/* Which change a lever makes; dlq_lever.change has its words. */
enum dlq_lever_change {
    DLQ_LEVER_STAGE_FREE, /* one of several stages of the load takes no time */
    DLQ_LEVER_ONE_MORE_LOADER,
    DLQ_LEVER_TWICE_THE_LOADERS,
    DLQ_LEVER_PREFETCH_DOUBLED,
    DLQ_LEVER_DELIVERY_BY_COMPLETION,
    DLQ_LEVER_LOAD_TIME_HALVED,
    DLQ_LEVER_LOAD_VARIANCE_HALVED,
    DLQ_LEVER_SLOW_TAIL_REMOVED,
    DLQ_LEVER_PERSISTENT_WORKERS,
    DLQ_LEVER_STEP_TIME_HALVED,
    DLQ_LEVER_RECEIVE_TIME_HALVED,
    DLQ_LEVER_PIN_TIME_HALVED,
    DLQ_LEVER_BARRIER_HALVED,
    DLQ_LEVER_TWICE_THE_CORES,
    DLQ_LEVER_TWICE_THE_CORES_AND_LOADERS,
    DLQ_LEVER_TWICE_THE_BANDWIDTH,
    DLQ_LEVER_BYTES_HALVED,
    DLQ_LEVER_NO_SLOW_LOADERS,
    DLQ_LEVER_NO_SLOW_RANKS,
    DLQ_LEVER_CACHE_DOUBLED,
    DLQ_LEVER_DATA_SET_CACHED,
    DLQ_LEVER_NO_SLOWDOWNS,
    DLQ_LEVER_NO_PAUSES,
    DLQ_LEVER_CHANGES
};

struct dlq_lever {
    enum dlq_lever_change id;
    char change[DLQ_LEVER_TEXT];    /* "twice the loaders", "read free" */
    struct dlq_estimate throughput; /* batches/s of a rank after the change: (1 + gain) times the one before */
    /* Relative gain of throughput: 1 is twice as fast. From pairs of runs on the same draws; the interval is wider by
       0.001 to both sides where the runs are shorter than [simulate] asks. NAN: the throughput before is 0. */
    struct dlq_estimate gain;
    double outside_bound; /* the bound (1/s) that the throughput violates: a bug of dlqueue; NAN: none */
    bool proven;          /* the interval of the gain does not include 0 */
};

/* In descending order of gain. */
struct dlq_levers {
    size_t count;
    struct dlq_lever rows[DLQ_LEVERS];
};
