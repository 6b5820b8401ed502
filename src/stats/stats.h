/* Statistics of replications and of series of values. */
#pragma once

#include "base/arena.h"
#include "dlqueue/estimate.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- values and 95 % intervals of independent replications -- */

extern const struct dlq_estimate dlq_no_estimate; /* all NAN */

/* Mean and Student t interval of n values. n = 1 or equal values: interval of width 0; n = 0 or a NAN: no estimate. */
struct dlq_estimate dlq_estimate_of(const double *values, size_t n);
double dlq_estimate_half_width(const struct dlq_estimate *estimate);
double dlq_student(double p, double degrees); /* quantile of Student's t */
/* The gain in speed g = mean(before) / mean(after) - 1, where before and after are times of n replications in pairs on
   the same random numbers. `lost` degrees of freedom were used up before: 2p if the values were adjusted for p controls
   (for the slopes, and for the effect of the controls' leverage on residuals). With d_i = before_i - (1 + g) after_i
   the half-width is that of the mean of d, divided by the mean of after (the delta method; Fieller 1954, "Some problems
   in interval estimation", Journal of the Royal Statistical Society B 16(2), for small relative errors). Check value:
   before 2, 3, 4, after 1, 2, 2, lost 0: 0.8 -+ 0.788689273. One replication, or d all 0: an interval of width 0. No
   estimate if a mean is not finite or is negative. The lower end is at least -1. */
struct dlq_estimate dlq_gain_of(const double *before, const double *after, size_t n, size_t lost);
/* The ratio of two sums over n replications, parts[i * stride] and wholes[i * stride], with an interval as above. (A
   mean of n ratios would be biased by about the squared cv of the wholes, for any n.) No estimate if a mean is not
   finite or the mean of the wholes is 0. */
struct dlq_estimate dlq_share_of(const double *parts, const double *wholes, size_t stride, size_t n);
/* Whether the mean of n paired differences is not 0, two-sided at this level (such as 0.999), and its magnitude above
   `relevant`. */
bool dlq_differs(const double *differences, size_t n, double level, double relevant);

/* For qsort: compares doubles, or structs whose first member is a double. */
static inline int dlq_ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* -- control variates: known expectations of functions of the random numbers reduce the variance of a mean -- */

/* The most controls of one regression, and the least degrees of freedom for its interval. */
enum { DLQ_MOST_CONTROLS = 8, DLQ_LEAST_DEGREES = 8 };

/* n replications: replication i has the value values[i] and `count` controls from controls[i * stride] on, which are
   deviations from known expectations. */
struct dlq_controlled_sample {
    const double *values, *controls;
    size_t n, stride, count;
    double events; /* number of rare events that cause all differences between the values; INFINITY: not rare */
    double seen;   /* number of events that the controls sum up; INFINITY: many */
};

struct dlq_controlled {
    struct dlq_estimate estimate;
    double variance_reduction; /* variance of the plain mean / of this estimate; NAN: no control was used */
};

/* Mean and 95 % interval of the values by linear regression on their controls. Omits controls without variance, far
   from their expectation, or explained by other controls; if too few degrees of freedom are left, omits all and
   computes the plain Student interval. Few events widen either interval. No value, or one that is not finite: no
   estimate. */
void dlq_control(const struct dlq_controlled_sample *sample, struct dlq_controlled *result);

/* Sets adjusted[n], one number per replication, whose mean and variance of the mean are those of dlq_control's
   estimate. Differences to the adjusted values of another sample of the same replications are paired. Without controls:
   the values. */
void dlq_control_adjust(const struct dlq_controlled_sample *sample, double *adjusted);

/* -- quantiles of many non-negative values in fixed memory, by bins on a logarithmic scale -- */

/* 2^bits bins per octave between 2^-30 s and 2^30 s; smaller values count as zero, larger ones in the last bin. Each
   bin keeps its largest value, so that a quantile is a value that occurred, and at most 2^-bits (relative) above the
   exact quantile. */
struct dlq_bin {
    uint64_t count;
    double largest;
};

struct dlq_histogram {
    int bits;
    uint64_t count, zeros; /* values that are not NAN; those of them below 2^-30 s */
    double maximum;        /* s */
    struct dlq_bin *bins;  /* owned */
};

bool dlq_histogram_begin(struct dlq_histogram *histogram, int bits); /* bits in 0..16; false: no memory */
void dlq_histogram_add(struct dlq_histogram *histogram, const double *values, size_t n);
void dlq_histogram_merge(struct dlq_histogram *into, const struct dlq_histogram *from);
/* The smallest value v such that at least this share of all values is <= v; NAN: empty. */
double dlq_histogram_quantile(const struct dlq_histogram *histogram, double share);
void dlq_histogram_free(struct dlq_histogram *histogram);

/* -- series of waits: autocorrelation and period -- */

/* acf[k], k = 0..lags < n: the biased estimate sum (x_i - m)(x_{i+k} - m) / sum (x_i - m)^2. Uses memory of the arena.
   DLQ_NO_ANSWER: no variance. */
enum dlq_status dlq_autocorrelation(struct dlq_arena *arena, const double *x, size_t n, size_t lags, double *acf);

/* The smallest lag in 2..4*loaders whose autocorrelation exceeds 0.5 and 4/sqrt(n) and is within 0.05 of the
   largest in that range; 0: none. DLQ_FAILURE: no memory. */
enum dlq_status dlq_period(const double *x, size_t n, long loaders, long *period, struct dlq_error *error);

/* -- order statistics -- */

/* These two sort the values. NAN: n is 0. */
double dlq_median(double *values, size_t n);
/* The smallest value v such that at least this share of all values is <= v. */
double dlq_quantile(double *values, size_t n, double share);
/* How many of n ascending values are <= most. */
size_t dlq_count_up_to(const double *sorted, size_t n, double most);
