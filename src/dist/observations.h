/* Observed times, made ready for fits: checked, sorted, merged where they are many. Private to the floor. */
#ifndef DLQ_DIST_OBSERVATIONS_H
#define DLQ_DIST_OBSERVATIONS_H

#include "dist/likelihood.h"

/* exact: low == high > 0, rising. bounded: rising low. least and most: the smallest and largest value that the law must
   reach (an exact one; for bounded ones the smallest `high` and the largest `low`). mean and cv take bounded ones at
   the middle, or at `low` where `high` is infinite. */
struct dlq_observations {
    struct dlq_observed *exact, *bounded; /* owned */
    size_t exacts, bounds;
    double weight, exact_weight;
    double mean, cv, mean_log; /* mean_log: of the exact ones */
    double least, most;
};

/* Refuses with a reason what no law can be fitted to. At most about 20,000 exact ones are left, 1,000 bounded. */
enum dlq_status dlq_observations_make(struct dlq_observations *seen, const struct dlq_observed *observed, size_t n,
                                      struct dlq_error *error);
/* A few hundred that stand for all, for functions that are taken many times. */
enum dlq_status dlq_observations_thin(struct dlq_observations *few, const struct dlq_observations *seen,
                                      struct dlq_error *error);
void dlq_observations_free(struct dlq_observations *seen);
/* Where a bounded one is taken to be, for moments. */
double dlq_observed_middle(const struct dlq_observed *observed);

#endif
