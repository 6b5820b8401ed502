/* What may hold a pipeline back: a row per cause, with its name in JSON and the words that sentences are made of. */
#include "analytic/analytic.h"

const struct dlq_cause_words dlq_causes[DLQ_CAUSES] = {
    [DLQ_CAUSE_LOAD] = {"load", "The loaders", "loading", NULL},
    [DLQ_CAUSE_WINDOW] = {"window", "The window", "the number of batches in flight", "the window of batches in flight"},
    [DLQ_CAUSE_STEP] = {"step", "The step", "the step itself", NULL},
    [DLQ_CAUSE_RECEIVE] = {"receive", "Receiving batches in the training process", "what it takes to receive a batch",
                           NULL},
    [DLQ_CAUSE_CORES] = {"cores", "The cores", "the cores", "the cores of the host"},
    [DLQ_CAUSE_HOST_BANDWIDTH] = {"host_bandwidth", "The host's bandwidth", NULL, "the bandwidth of the host"},
    [DLQ_CAUSE_STORAGE] = {"storage", "The storage", NULL, "the bandwidth of the storage"},
    [DLQ_CAUSE_PIN] = {"pin", "The pinning thread", "the pinning thread", "the pinning of batches"},
    [DLQ_CAUSE_SERIAL] = {"serial", "Loading in the training process", NULL, NULL},
    [DLQ_CAUSE_ORDER] = {"order", "Delivery in order", "delivery in order", NULL},
    [DLQ_CAUSE_BARRIER] = {"barrier", "Waiting for the other ranks", "the wait for the slowest rank", NULL},
    [DLQ_CAUSE_STARTUP] = {"startup", "The start of each epoch", "the start of each epoch", NULL},
    [DLQ_CAUSE_VARIANCE] = {"variance", "The variance of the load", "the variance of the load", NULL},
    [DLQ_CAUSE_PAUSE] = {"pause", "The pausing of the trainer", "the pauses of the trainer", NULL},
    [DLQ_CAUSE_SLOWDOWN] = {"slowdown", "The slowing down of loads", "slow phases of the loads", NULL},
    [DLQ_CAUSE_SEVERAL] = {"several", "No single cause", "several causes together", NULL},
    [DLQ_CAUSE_NOTHING] = {"none", NULL, "none", NULL},
    [DLQ_CAUSE_LOADERS] = {"loaders", NULL, "loading", NULL},
    [DLQ_CAUSE_BANDWIDTH] = {"bandwidth", NULL, "the bandwidth", NULL},
    [DLQ_CAUSE_MEMORY] = {"memory", NULL, "the host's memory", NULL},
    [DLQ_CAUSE_SHM] = {"shm", NULL, "/dev/shm", NULL},
};

const char *dlq_cause_name(enum dlq_cause cause)
{
    return dlq_causes[cause].name;
}
