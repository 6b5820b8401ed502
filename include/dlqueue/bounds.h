/* Closed forms: throughput bounds and estimates, in batches per second of one rank. */
#ifndef DLQUEUE_BOUNDS_H
#define DLQUEUE_BOUNDS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may hold a pipeline back. */
enum dlq_cause {
    DLQ_CAUSE_NONE, /* not known */
    /* The smallest bound; see struct dlq_bounds. */
    DLQ_CAUSE_LOAD,
    DLQ_CAUSE_WINDOW,
    DLQ_CAUSE_STEP,
    DLQ_CAUSE_RECEIVE,
    DLQ_CAUSE_CORES,
    DLQ_CAUSE_HOST_BANDWIDTH,
    DLQ_CAUSE_STORAGE,
    DLQ_CAUSE_PIN,
    DLQ_CAUSE_SERIAL,
    /* What costs throughput short of the bounds; receiving and the cores may, too. */
    DLQ_CAUSE_ORDER,
    DLQ_CAUSE_BARRIER,
    DLQ_CAUSE_STARTUP,
    DLQ_CAUSE_VARIANCE,
    DLQ_CAUSE_PAUSE,
    DLQ_CAUSE_SLOWDOWN,
    DLQ_CAUSE_FIRST_EPOCH, /* of a cache that is empty then */
    DLQ_CAUSE_SEVERAL,     /* no single one */
    DLQ_CAUSE_NOTHING,     /* there is no throughput that could be lost */
    /* What keeps a candidate of a plan from its target. */
    DLQ_CAUSE_LOADERS,
    DLQ_CAUSE_BANDWIDTH,
    DLQ_CAUSE_MEMORY,
    DLQ_CAUSE_SHM,
    DLQ_CAUSES
};

/* "host_bandwidth", as in JSON; null: DLQ_CAUSE_NONE. */
const char *dlq_cause_name(enum dlq_cause cause);

/* NAN: not configured, or not applicable. Upper bounds are operational laws (Denning & Buzen 1978); `lower` holds for
   any order in which loads of these laws may come. lower <= upper. */
struct dlq_bounds {
    double serial;  /* 1/(s + pin time + t): as if the training process loaded for itself, which receives nothing;
                       here and below t holds what not every step has, on average */
    double load;    /* N'/s */
    double window;  /* K/(a + s + e + c), Little's law */
    double step;    /* 1/t */
    double receive; /* 1/(t + c + b) */
    double cores;   /* cores of a rank / cpu time of a batch */
    double host_bandwidth; /* host bandwidth of a rank / bytes of a batch */
    double storage;        /* storage bandwidth of a rank / bytes of a batch */
    double pin;            /* 1/pin time */
    double upper, lower;
    bool exact;                /* constant load and step, in order, together: upper is the throughput */
    enum dlq_cause bottleneck; /* the smallest; ties within 1 % go to the step */
};

/* value NAN: none. exact: the model's own answer, not an approximation of it. */
struct dlq_closed_form {
    double value;
    bool exact;
};

struct dlq_closed_forms {
    struct dlq_closed_form product_form; /* Gordon & Newell 1967; exact for `pool`, exponential load and step */
    struct dlq_closed_form diffusion;    /* regulated Brownian motion, Harrison 1985 */
    struct dlq_closed_form autotune;     /* tf.data's M/M/1/n estimate */
    struct dlq_closed_form markov;       /* of the same loads and steps in order; NAN where there is no such chain, or
                                            where it takes more than some hundredths of a second */
};

#ifdef __cplusplus
}
#endif

#endif
