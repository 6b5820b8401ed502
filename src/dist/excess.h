/* Mean excesses of a law over many thresholds. */
#ifndef DLQ_DIST_EXCESS_H
#define DLQ_DIST_EXCESS_H

#include "dist/law.h"

/* excess[k] = E[(X - threshold)+], threshold = low + k * cell, k = 0..count-1 >= 1; low and cell are chosen so that a
   share of about 1e-5 of the law lies beyond either end. Owned. */
struct dlq_excess {
    double low, cell;
    size_t count;
    double *excess;
};

/* Relative error, of the mean: 1e-7 for smooth laws; 1e-4 at most for those on a grid. The law's mean must be finite;
   DLQ_NO_ANSWER: the law does not vary; DLQ_FAILURE: no memory. */
enum dlq_status dlq_excess_make(struct dlq_excess *table, const struct dlq_law *law);
void dlq_excess_free(struct dlq_excess *table);

#endif
