/* A result and its uncertainty. */
#ifndef DLQUEUE_ESTIMATE_H
#define DLQUEUE_ESTIMATE_H

/* 95 % interval low..high around value; all NAN: no value. */
struct dlq_estimate {
    double value, low, high;
};

#endif
