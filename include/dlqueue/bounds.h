/* Bounds and closed forms of the throughput, in batches per second of one rank. */
#pragma once

#include "dlqueue/declarations.h"

#include <stdbool.h>

DLQ_DECLARATIONS_BEGIN

/* Causes that limit the throughput of a pipeline. A row: the identifier; the name in JSON; 1 if a change, which the
   comment "removed" names, removes this cause and nothing else: its gain is the loss by the cause (struct dlq_loss). */
#define DLQ_EACH_CAUSE(ROW)                                                                                            \
    ROW(NONE, NULL, 0) /* not known */                                                                                 \
    /* Causes that have a bound in struct dlq_bounds: the one with the smallest bound limits. */                       \
    ROW(LOAD, "load", 0)                                                                                               \
    ROW(WINDOW, "window", 0)                                                                                           \
    ROW(STEP, "step", 0)                                                                                               \
    ROW(RECEIVE, "receive", 1)       /* removed: nothing to receive */                                                 \
    ROW(CORES, "cores", 1)           /* removed: unlimited cores for the trainer */                                    \
    ROW(CONTENTION, "contention", 1) /* removed: loads do not slow one another */                                      \
    ROW(HOST_BANDWIDTH, "host_bandwidth", 0)                                                                           \
    ROW(STORAGE, "storage", 0)                                                                                         \
    ROW(PIN, "pin", 0)                                                                                                 \
    ROW(SERIAL, "serial", 0)                                                                                           \
    /* Causes of throughput below the bounds. RECEIVE and CORES may also be such causes. */                            \
    ROW(ORDER, "order", 1)             /* removed: delivery by completion */                                           \
    ROW(BARRIER, "barrier", 1)         /* removed: one rank */                                                         \
    ROW(STARTUP, "startup", 1)         /* removed: an endless epoch; a horizon that starts at the first batch */       \
    ROW(VARIANCE, "variance", 1)       /* removed: constant loads */                                                   \
    ROW(PAUSE, "pause", 1)             /* removed: no pauses */                                                        \
    ROW(SLOWDOWN, "slowdown", 1)       /* removed: no slow phases */                                                   \
    ROW(FIRST_EPOCH, "first_epoch", 1) /* the cache is empty in the first epoch; removed: only later epochs */         \
    ROW(SEVERAL, "several", 0)         /* no single cause */                                                           \
    ROW(NOTHING, "none", 0)            /* no throughput is lost */                                                     \
    /* Why a candidate of a plan misses its target. */                                                                 \
    ROW(LOADERS, "loaders", 0)                                                                                         \
    ROW(BANDWIDTH, "bandwidth", 0)                                                                                     \
    ROW(MEMORY, "memory", 0)                                                                                           \
    ROW(SHM, "shm", 0)

#define DLQ_CAUSE_ID(id, name, has_loss) DLQ_CAUSE_##id,
enum dlq_cause { DLQ_EACH_CAUSE(DLQ_CAUSE_ID) DLQ_CAUSES };
#undef DLQ_CAUSE_ID

/* "host_bandwidth", as in JSON; null: DLQ_CAUSE_NONE. */
const char *dlq_cause_name(enum dlq_cause cause);

/* NAN: not configured, or not applicable. Upper bounds are operational laws (Denning & Buzen 1978); `lower` holds for
   independent loads of any distribution. lower <= upper. s: mean load; t: mean step, pauses and occasional stages
   averaged over all steps; N': loaders that may load at once; K: window; a, e, c, b: the overheads dispatch, deliver,
   receive, barrier. cpu time is the time of cores, in seconds. */
struct dlq_bounds {
    double serial; /* 1/(s + pin time + t): the training process itself loads, and receives nothing */
    double load;   /* N'/s */
    double window; /* Little's law: batches in flight (K, or more with release at request or a relay)/(a + s + e + c) */
    double step;   /* 1/t */
    double receive;        /* 1/(t + c + b) */
    double cores;          /* cores of a rank / cpu time of a batch */
    double contention;     /* cpu time that a rank's loads get per second under contention / cpu time of a batch */
    double host_bandwidth; /* host bandwidth of a rank / bytes of a batch */
    double storage;        /* storage bandwidth of a rank / bytes of a batch */
    double pin;            /* 1/time to pin a batch */
    double upper, lower;
    bool exact;                /* constant load and step, in order: upper is the throughput */
    enum dlq_cause bottleneck; /* the cause of the smallest bound; the step if its bound is at most 1 % above */
};

/* value NAN: no such form. exact: the form is the throughput of this model, not an approximation. */
struct dlq_closed_form {
    double value;
    bool exact;
};

struct dlq_closed_forms {
    struct dlq_closed_form product_form; /* Gordon & Newell 1967; exact for `pool`, exponential load and step */
    struct dlq_closed_form diffusion;    /* regulated Brownian motion, Harrison 1985 */
    struct dlq_closed_form autotune;     /* tf.data's M/M/1/n estimate */
    struct dlq_closed_form markov;       /* Markov chain of the same loads and steps in order; NAN: no such chain, or
                                            the solution would take more than some hundredths of a second */
};

DLQ_DECLARATIONS_END
