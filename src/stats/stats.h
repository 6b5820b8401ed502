/* Statistics of replications, and of streams of values. */
#ifndef DLQ_STATS_STATS_H
#define DLQ_STATS_STATS_H

#include "base/arena.h"
#include "dlqueue/estimate.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- from independent replications to value and 95 % interval -- */

extern const struct dlq_estimate dlq_no_estimate; /* all NAN */

/* Mean and Student t interval of n values; n = 1, or all equal: a point. n = 0 or any NAN: no estimate. */
struct dlq_estimate dlq_estimate_of(const double *values, size_t n);
double dlq_estimate_half_width(const struct dlq_estimate *estimate);
double dlq_student(double p, double degrees); /* quantile of Student's t */
/* How much faster a thing is after than before, before/after - 1 of the mean times, from n replications in pairs on the
   same random numbers, of which `lost` degrees of freedom were spent before (of values that were adjusted for p
   controls, 2p: those of the regression, and what the controls' leverage costs its residuals). With d_i = before_i - (1
   + g) after_i the half-width is that of the mean of d over the mean of after (the delta method; Fieller 1954, "Some
   problems in interval estimation", Journal of the Royal Statistical Society B 16(2), for small relative errors). Check
   value: before 2, 3, 4, after 1, 2, 2, lost 0: 0.8 -+ 0.788689273. One replication, or d all 0: a point. No value
   where a mean is not finite or below 0; nothing is slower by more than all, -1. */
struct dlq_estimate dlq_gain_of(const double *before, const double *after, size_t n, size_t lost);
/* The ratio of two sums over n replications, parts[i * stride] and wholes[i * stride], with an interval as above. The
   mean of n ratios is off, where parts and wholes vary together, by as much as that of one: by about the squared cv of
   the wholes, however large n is. n = 1: a point. No value where a mean is not finite, or that of the wholes 0. */
struct dlq_estimate dlq_share_of(const double *parts, const double *wholes, size_t stride, size_t n);
/* Two-sided: is the mean of n paired differences other than 0 at that level (0.999), and by more than `relevant`? */
bool dlq_differs(const double *differences, size_t n, double level, double relevant);

/* For qsort: of doubles, or of structs that begin with one. */
static inline int dlq_ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* -- control variates: means of replications made more exact by what is known of their random numbers -- */

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
};

/* Mean and 95 % interval of the values by linear regression on their controls. Controls without variance, far from
   their expectation, or that others explain are left out; with too few degrees of freedom left all are, and it is the
   plain Student interval. Few events make either wider. No values, or one that is not finite: no estimate. */
void dlq_control(const struct dlq_controlled_sample *sample, struct dlq_controlled *result);

/* What each replication adds to the estimate of dlq_control: adjusted[n], whose mean it is, with its variance (up to
   their mean's share of it) as the sum of squares about the mean over n (n - 1). They can be compared in pairs with
   those of another sample of the same replications. Where no control is used: the values. */
void dlq_control_adjust(const struct dlq_controlled_sample *sample, double *adjusted);

/* -- quantiles of many non-negative values in fixed memory: bins on a logarithmic scale, merged in any order to the
   same result -- */

/* 2^bits bins per octave between 2^-30 s and 2^30 s; below: zero; above: the last bin. Each bin keeps its largest
   value, so that a quantile is a value that occurred, at most 2^-bits relative above the exact one, and exact where one
   value repeats (constant waits). */
struct dlq_bin {
    uint64_t count;
    double largest;
};

struct dlq_histogram {
    int bits;
    uint64_t count, zeros;
    double maximum;
    struct dlq_bin *bins; /* owned */
};

bool dlq_histogram_begin(struct dlq_histogram *histogram, int bits); /* 0..16; false: no memory */
void dlq_histogram_add(struct dlq_histogram *histogram, const double *values, size_t n);
void dlq_histogram_merge(struct dlq_histogram *into, const struct dlq_histogram *from);
/* The smallest value with at least that share at or below it; NAN where empty. */
double dlq_histogram_quantile(const struct dlq_histogram *histogram, double share);
void dlq_histogram_free(struct dlq_histogram *histogram);

/* -- series of waits: autocorrelation and period -- */

/* acf[k], k = 0..lags < n, biased estimate sum (x_i - m)(x_{i+k} - m) / sum (x_i - m)^2, by FFT.
   DLQ_NO_ANSWER: no variance; DLQ_FAILURE: no memory. */
enum dlq_status dlq_autocorrelation(const double *x, size_t n, size_t lags, double *acf);

/* The smallest lag in 2..4*loaders whose autocorrelation exceeds 0.5 and 4/sqrt(n) and is within 0.05 of the
   largest in that range; 0: none. */
enum dlq_status dlq_period(const double *x, size_t n, long loaders, long *period, struct dlq_error *error);

enum {
    DLQ_MOST_PERIOD = 64,   /* the longest rhythm that is looked for where the loaders are unknown */
    DLQ_FEWEST_RHYTHM = 24, /* iterations that an autocorrelation needs */
};

/* Rhythm of a series of waits: 2..most, 0: none found. Sought within a trend; `loaders` > 0: that lag is looked at
   first, with the smaller error of a single question. */
enum dlq_status dlq_rhythm(const double *waits, size_t n, long most, long loaders, long *rhythm,
                           struct dlq_error *error);
/* The rule by which a log has a rhythm: none where waits are too short beside the mean iteration, or too much alike.
   NAN: the wait of an epoch's first batch, which becomes the mean, so that the rhythm keeps its beat. */
enum dlq_status dlq_rhythm_of_waits(double *waits, size_t n, double iteration, long loaders, long *rhythm,
                                    struct dlq_error *error);

/* Of how many values stretches that are drawn as a whole have to be, in the mean, so that means of drawn series vary as
   the series' own: 1 where they are independent. */
enum dlq_status dlq_block_length(struct dlq_arena *arena, const double *x, size_t n, double *block);

/* Places begin..end - 1 of a series, in stretches of `block` in the mean; 1: each by itself. */
struct dlq_stretches {
    size_t begin, end;
    double block;
};
/* Fills n places of the stationary bootstrap (Politis and Romano 1994): stretches of geometric length, which go on from
   the end at the beginning. */
void dlq_draw_stretches(const struct dlq_stretches *from, gsl_rng *rng, size_t n, size_t *into);

struct dlq_level_change {
    double p;             /* of so clear a change by chance; 1: fewer than 40 values */
    size_t at;            /* values from there on are others than those before */
    double before, after; /* medians */
    bool stepped;         /* two levels are nearer to the scores than a line: at once, not little by little */
};
/* The clearest change of level in a series, whose values may be correlated (theory 36). */
enum dlq_status dlq_change_find(struct dlq_arena *arena, const double *x, size_t n, struct dlq_level_change *change);

/* Where gaps between ascending places are all, to 1, multiples of one number of at least 2, and 70 % of them are it:
   that. 0: they are not, or there are fewer than four places. 99, 199, 300, 500, 600: 100. */
size_t dlq_even_gap(const size_t *places, size_t count);

/* -- count, mean, spread and largest of a stream of values -- */

/* All zero: empty. By Welford's recursion; weights are counts. */
struct dlq_spread {
    double count, mean, squares; /* squares: sum of weight (x - mean)^2 */
    double maximum;
};

void dlq_spread_add(struct dlq_spread *spread, double value, double weight);
void dlq_spread_merge(struct dlq_spread *into, const struct dlq_spread *from);
/* NAN where empty; divided by count - 1, 0 where count is 1. */
double dlq_spread_mean(const struct dlq_spread *spread);
double dlq_spread_variance(const struct dlq_spread *spread);
double dlq_spread_cv(const struct dlq_spread *spread); /* 0 where the mean is 0 */
double dlq_spread_sum(const struct dlq_spread *spread);

/* -- do two groups of times differ, and by how much -- */

/* These sort the values. NAN: there are none. */
double dlq_median(double *values, size_t n);
/* The smallest value with at least that share at or below it. */
double dlq_quantile(double *values, size_t n, double share);
/* The mean after the largest 1 % (rounded up) are set to the largest of the others, and the smallest likewise: the
   amount that adds up over a run, without what a single outlier of seconds would add. Under 5 values: the median. */
double dlq_steady_mean(double *values, size_t n);

/* Of n sorted values, how many are at or below `most`. */
size_t dlq_count_up_to(const double *sorted, size_t n, double most);

/* Two-sided probability of so large a difference between the means of two groups if there were none, whatever their
   variances: B. L. Welch, Biometrika 34 (1947). Means, variances and sizes; 1 where a size is below 2. */
struct dlq_group_moments {
    double mean, variance, count;
};
double dlq_welch(const struct dlq_group_moments *a, const struct dlq_group_moments *b);

/* Spearman's rank correlation of x and y, and the two-sided probability of so large a one if they were independent
   (Student's t with n - 2 degrees). With x = 0 and 1 for two groups, the rank test of Wilcoxon, Mann and Whitney.
   scratch: 2 n. Fewer than 10 values, or no variance: 0 and 1. */
struct dlq_rank_correlation {
    double r, probability;
};
struct dlq_rank_correlation dlq_rank_correlation(const double *x, const double *y, size_t n, double *scratch);

#endif
