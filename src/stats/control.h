/* Control variates: means of replications made more exact by what is known of their random numbers. */
#ifndef DLQ_STATS_CONTROL_H
#define DLQ_STATS_CONTROL_H

#include "dlqueue/estimate.h"

#include <stdbool.h>
#include <stddef.h>

/* The most controls of one regression; and the fewest degrees of freedom that its interval is trusted with. */
enum { DLQ_MOST_CONTROLS = 8, DLQ_LEAST_DEGREES = 8 };

/* n replications: value i is values[i], its controls begin at controls[i * stride]: `count` deviations from known
   expectations. */
struct dlq_controlled_sample {
    const double *values, *controls;
    size_t n, stride, count;
    double events; /* rare events that all the differences between the values come from; INFINITY: not rare */
    double seen;   /* events whose sums the controls are: what they explain of fewer is not known; INFINITY: plenty */
};

struct dlq_controlled {
    struct dlq_estimate estimate;
    double variance_reduction; /* of the plain mean / of this estimate; NAN: no control was used */
    size_t used;
};

/* Mean and 95 % interval of the values by linear regression on their controls. Controls without variance, far from
   their expectation, or that others explain are left out; with too few degrees of freedom left all are, and it is the
   plain Student interval. Few events make either wider. No values, or one that is not finite: no estimate. */
void dlq_control(const struct dlq_controlled_sample *sample, struct dlq_controlled *result);

/* What each replication adds to the estimate of dlq_control: adjusted[n], whose mean it is, with its variance (up to
   their mean's share of it) as the sum of squares about the mean over n (n - 1). They can be compared in pairs with
   those of another sample of the same replications. Where no control is used: the values. */
void dlq_control_adjust(const struct dlq_controlled_sample *sample, double *adjusted);

#endif
