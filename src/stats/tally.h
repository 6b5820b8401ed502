/* Count, mean, spread and extremes of a stream of values. */
#ifndef DLQ_STATS_TALLY_H
#define DLQ_STATS_TALLY_H

/* All zero: empty. By Welford's recursion; weights are counts. */
struct dlq_tally {
    double count, mean, squares; /* squares: sum of weight (x - mean)^2 */
    double minimum, maximum;
};

void dlq_tally_add(struct dlq_tally *tally, double value, double weight);
void dlq_tally_merge(struct dlq_tally *into, const struct dlq_tally *from);
/* NAN where empty; divided by count - 1, 0 where count is 1. */
double dlq_tally_mean(const struct dlq_tally *tally);
double dlq_tally_variance(const struct dlq_tally *tally);
double dlq_tally_cv(const struct dlq_tally *tally); /* 0 where the mean is 0 */
double dlq_tally_sum(const struct dlq_tally *tally);

#endif
