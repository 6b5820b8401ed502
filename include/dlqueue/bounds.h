/* Closed forms: throughput bounds and estimates, in batches per second of one rank. */
#ifndef DLQUEUE_BOUNDS_H
#define DLQUEUE_BOUNDS_H

#include "dlqueue/error.h"

#include <stdbool.h>

/* NAN: not configured, or not applicable. Upper bounds are operational laws (Denning & Buzen 1978); `lower` holds for
   any order in which loads of these laws may come. lower <= upper. */
struct dlq_bounds {
    double serial;         /* 1/(s + t + c): no overlap */
    double load;           /* N'/s */
    double window;         /* K/(a + s + e + c), Little's law */
    double step;           /* 1/t */
    double receive;        /* 1/(t + c + b) */
    double cores;          /* cores of a rank / cpu time of a batch */
    double host_bandwidth; /* host bandwidth of a rank / bytes of a batch */
    double storage;        /* storage bandwidth of a rank / bytes of a batch */
    double pin;            /* 1/pin time */
    double upper, lower;
    bool exact;             /* constant load and step, in order, together: upper is the throughput */
    const char *bottleneck; /* the name above of the smallest; ties within 1 % go to "step" */
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

#endif
