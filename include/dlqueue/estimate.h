/* A result and its uncertainty. */
#ifndef DLQUEUE_ESTIMATE_H
#define DLQUEUE_ESTIMATE_H

/* A value with its 95 % interval low..high; all NAN: no estimate. */
struct dlq_estimate {
    double value, low, high;
};

#endif
