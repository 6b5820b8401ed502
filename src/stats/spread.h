/* Count, mean, spread and extremes of a stream of values. */
#ifndef DLQ_STATS_SPREAD_H
#define DLQ_STATS_SPREAD_H

/* All zero: empty. By Welford's recursion; weights are counts. */
struct dlq_spread {
    double count, mean, squares; /* squares: sum of weight (x - mean)^2 */
    double minimum, maximum;
};

void dlq_spread_add(struct dlq_spread *spread, double value, double weight);
void dlq_spread_merge(struct dlq_spread *into, const struct dlq_spread *from);
/* NAN where empty; divided by count - 1, 0 where count is 1. */
double dlq_spread_mean(const struct dlq_spread *spread);
double dlq_spread_variance(const struct dlq_spread *spread);
double dlq_spread_cv(const struct dlq_spread *spread); /* 0 where the mean is 0 */
double dlq_spread_sum(const struct dlq_spread *spread);

#endif
