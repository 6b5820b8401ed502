/* From independent replications to value and 95 % interval. */
#ifndef DLQ_STATS_ESTIMATE_H
#define DLQ_STATS_ESTIMATE_H

#include "dlqueue/estimate.h"

#include <stdbool.h>
#include <stddef.h>

extern const struct dlq_estimate dlq_no_estimate; /* all NAN */

/* Mean and Student t interval of n values; n = 1, or all equal: a point. n = 0 or any NAN: no estimate. */
struct dlq_estimate dlq_estimate_of(const double *values, size_t n);
double dlq_estimate_half_width(const struct dlq_estimate *estimate);
/* Quantile of Student's t: P(T <= t) = p. */
double dlq_student(double p, double degrees);
/* Two-sided: is the mean of n paired differences different from 0 at that level (0.999), and by more than `relevant`?
 */
bool dlq_differs(const double *differences, size_t n, double level, double relevant);

#endif
