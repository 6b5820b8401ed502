/* Laws fitted to measured times by maximum likelihood. */
#ifndef DLQ_DIST_LIKELIHOOD_H
#define DLQ_DIST_LIKELIHOOD_H

#include "dist/distribution.h"
#include "dlqueue/error.h"

/* A time that was measured (low == high), or is known to lie between: 0 <= low <= high <= INFINITY, in seconds. An
   exact 0 is taken as "below half of the least other time": most laws have no density there. weight >= 0: how many
   there are.
 */
struct dlq_observed {
    double low, high, weight;
};

/* A law fitted to observations: one family, or a usual law and, in a share of the batches, a tail on top of it (what a
   configuration writes as [load.usual] and [load.tail] with `probability`). Times in seconds. */
struct dlq_fitted {
    const struct dlq_family *family;  /* of the plain or the usual law */
    struct dlq_parameters parameters; /* dlq_dist_make makes `dist` of them */
    struct dlq_dist dist;
    const struct dlq_family *tail_family; /* the tail's: only where has_tail */
    struct dlq_parameters tail_parameters;
    struct dlq_dist tail;
    double tail_probability;      /* up to 0.5 */
    double mean, cv, median, p99; /* of the whole law; cv INFINITY for Pareto laws with alpha <= 2 */
    double log_likelihood, aic;   /* of densities in 1/s; NAN for a constant */
    /* Kolmogorov-Smirnov distance to the exact ones; to the Kaplan-Meier curve where some have no upper bound; NAN
       where more than a tenth lie between two bounds. A usual law is no narrower than 1 %, so that the
       distance is large where usual times are narrower. */
    double ks;
    int free_parameters;
    bool has_tail;
};

enum { DLQ_MOST_FITTED = 16 };

/* All laws that can be fitted, the least AIC (Akaike's information criterion) first. A law with a tail is listed only
   where its AIC is clearly below that of every plain law. `constant` alone where cv < 1e-3, or where one value agrees
   with all bounds. n >= 1. Times above 1e12 s or bounds that are none: DLQ_INVALID; DLQ_NO_ANSWER where no observation
   has an upper bound, or none a lower one, for then no law is best; or where
   the bounds let every law run away to infinity. */
enum dlq_status dlq_fit_laws(const struct dlq_observed *observed, size_t n, struct dlq_fitted fitted[DLQ_MOST_FITTED],
                             size_t *count, struct dlq_error *error);

#endif
