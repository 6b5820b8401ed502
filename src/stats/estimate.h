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
/* How much faster a thing is after than before, before/after - 1 of the mean times, from n replications in pairs on the
   same random numbers, of which `lost` degrees of freedom were spent before (of values that were adjusted for p
   controls, 2p: those of the regression, and what the controls' leverage costs its residuals). With d_i = before_i - (1
   + g) after_i the half-width is that of the mean of d over the mean of after (the delta method; Fieller 1954, "Some
   problems in interval estimation", Journal of the Royal Statistical Society B 16(2), for small relative errors). Check
   value: before 2, 3, 4, after 1, 2, 2, lost 0: 0.8 -+ 0.788689273. One replication, or d all 0: a point. No value
   where a mean is not finite or below 0; nothing is slower by more than all, -1. */
struct dlq_estimate dlq_gain_of(const double *before, const double *after, size_t n, size_t lost);
/* Two-sided: is the mean of n paired differences different from 0 at that level (0.999), and by more than `relevant`?
 */
bool dlq_differs(const double *differences, size_t n, double level, double relevant);

#endif
