/* Do two groups of times differ, and by how much: robust means and tests. */
#ifndef DLQ_STUDY_CONTRAST_H
#define DLQ_STUDY_CONTRAST_H

#include <stddef.h>

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
