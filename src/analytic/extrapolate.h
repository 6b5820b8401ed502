/* Fixed points of linear maps, by iteration and extrapolation. */
#ifndef DLQ_ANALYTIC_EXTRAPOLATE_H
#define DLQ_ANALYTIC_EXTRAPOLATE_H

#include "dlqueue/error.h"

#include <signal.h>

enum { DLQ_MOST_DIRECTIONS = 12 };

/* The shares x >= 0 of sum 1 with x = map(x), of a map that keeps the sum. It returns a figure of its argument that
   must come to rest, too: small shares may matter more than their size tells. */
struct dlq_fixed_point {
    size_t size;
    double (*map)(void *context, const double *from, double *to);
    void *context;
    int directions;   /* differences kept, 1..DLQ_MOST_DIRECTIONS: directions + 2 vectors besides `shares` */
    double tolerance; /* of sum |map(x) - x| */
    double rest;      /* of the figure, relative to it, from one application to the next */
    long most;        /* applications */
    const volatile sig_atomic_t *interrupted; /* may be null */
};

/* From `shares`, a first guess, to the fixed point and its figure. DLQ_FAILURE where `most` applications do not do;
 * DLQ_INTERRUPTED.
 */
enum dlq_status dlq_fixed_point_find(const struct dlq_fixed_point *problem, double *shares, double *figure,
                                     struct dlq_error *error);

#endif
