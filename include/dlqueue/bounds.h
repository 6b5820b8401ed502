/* Bounds and closed forms of the throughput, in batches per second of one rank. */
#ifndef DLQUEUE_BOUNDS_H
#define DLQUEUE_BOUNDS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What limits the throughput of a pipeline. */
enum dlq_cause {
    DLQ_CAUSE_NONE, /* not known */
    /* The cause of the smallest bound; see struct dlq_bounds. */
    DLQ_CAUSE_LOAD,
    DLQ_CAUSE_WINDOW,
    DLQ_CAUSE_STEP,
    DLQ_CAUSE_RECEIVE,
    DLQ_CAUSE_CORES,
    DLQ_CAUSE_HOST_BANDWIDTH,
    DLQ_CAUSE_STORAGE,
    DLQ_CAUSE_PIN,
    DLQ_CAUSE_SERIAL,
    /* Causes of throughput below the bounds. RECEIVE and CORES may also be such causes. */
    DLQ_CAUSE_ORDER,
    DLQ_CAUSE_BARRIER,
    DLQ_CAUSE_STARTUP,
    DLQ_CAUSE_VARIANCE,
    DLQ_CAUSE_PAUSE,
    DLQ_CAUSE_SLOWDOWN,
    DLQ_CAUSE_FIRST_EPOCH, /* the cache is empty in the first epoch */
    DLQ_CAUSE_SEVERAL,     /* no single cause */
    DLQ_CAUSE_NOTHING,     /* no throughput is lost */
    /* Why a candidate of a plan misses its target. */
    DLQ_CAUSE_LOADERS,
    DLQ_CAUSE_BANDWIDTH,
    DLQ_CAUSE_MEMORY,
    DLQ_CAUSE_SHM,
    DLQ_CAUSES
};

/* "host_bandwidth", as in JSON; null: DLQ_CAUSE_NONE. */
const char *dlq_cause_name(enum dlq_cause cause);

/* NAN: not configured, or not applicable. Upper bounds are operational laws (Denning & Buzen 1978); `lower` holds for
   any dependence between loads of these distributions. lower <= upper. s: mean load, t: mean step including the mean of
   what not every step has, N' loaders in use, K window, a dispatch, e deliver, c receive, b barrier. */
struct dlq_bounds {
    double serial;         /* 1/(s + pin time + t): the training process itself loads, and receives nothing */
    double load;           /* N'/s */
    double window;         /* K/(a + s + e + c), Little's law */
    double step;           /* 1/t */
    double receive;        /* 1/(t + c + b) */
    double cores;          /* cores of a rank / cpu time of a batch */
    double host_bandwidth; /* host bandwidth of a rank / bytes of a batch */
    double storage;        /* storage bandwidth of a rank / bytes of a batch */
    double pin;            /* 1/pin time */
    double upper, lower;
    bool exact;                /* constant load and step, in order: upper is the throughput */
    enum dlq_cause bottleneck; /* the cause of the smallest bound; the step if its bound is within 1 % */
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

#ifdef __cplusplus
}
#endif

#endif
