/* The innermost loops of the control variates, for each instruction set. Private to controls.c. */
#ifndef DLQ_SIM_CONTROL_SUMS_H
#define DLQ_SIM_CONTROL_SUMS_H

#include "base/instructions.h"

#include <stddef.h>

/* Threshold number k is low + k * cell, 0 <= k <= top; excess[k] = H of it. A slack of x seconds is rounded to
   threshold number x * per_second + nearest, within the table; d lies `late` numbers above c. */
struct dlq_thresholds {
    const double *excess;
    double low, cell, top, per_second, nearest;
    int late;
};

struct dlq_control_sums {
    /* sums[lane] += draws[i * lanes + lane] - 1 */
    void (*draws)(const double *draws, size_t rows, size_t lanes, double *sums);
    /* wait[lane] += (u - c)+ - H(c), late[lane] += (u - d)+ - H(d), u = loads[i * lanes + lane] */
    void (*slack)(const struct dlq_thresholds *thresholds, const double *loads, const double *slack, size_t rows,
                  size_t lanes, double *wait, double *late);
};

DLQ_DECLARE_SETS(const struct dlq_control_sums, dlq_control_sums);

#endif
