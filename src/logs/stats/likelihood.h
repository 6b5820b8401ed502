/* Distributions fitted to measured times by maximum likelihood. */
#pragma once

#include "dist/dist.h"

/* -- log densities of families, and of a usual distribution with a tail -- */

struct dlq_density {
    struct dlq_dist dist;
    double constant; /* terms of the log density that do not depend on x; NAN: the family has no density */
};

/* Prepares the density of a distribution of times in s. */
void dlq_density_of(struct dlq_density *density, const struct dlq_dist *dist);
/* ln of the density in 1/s at x s; -INFINITY outside of the support, NAN if the family has no density. */
double dlq_log_density(const struct dlq_density *density, double x);

enum { DLQ_TAIL_NODES = 12 };

/* The distribution of usual + Bernoulli(probability) * tail; probability 0: usual alone. The density of usual + tail is
   approximated by a weighted mean of densities of the wider one, `wide`, each shifted by a node of the narrower one. */
struct dlq_tailed {
    struct dlq_density usual, tail;
    double probability;
    const struct dlq_density *wide;
    int nodes;
    double node[DLQ_TAIL_NODES], weight[DLQ_TAIL_NODES]; /* s; the weights sum to 1 */
};

/* `wide` points into the struct, which must not be copied. tail null: no tail. */
void dlq_tailed_of(struct dlq_tailed *tailed, const struct dlq_dist *usual, const struct dlq_dist *tail,
                   double probability);
double dlq_tailed_log_density(const struct dlq_tailed *tailed, double x); /* as dlq_log_density */
/* P(X > x s) if `above`, else P(X <= x s). */
double dlq_tailed_share(const struct dlq_tailed *tailed, double x, bool above);
double dlq_tailed_quantile(const struct dlq_tailed *tailed, double p); /* s; 0 < p < 1 */

/* -- fits -- */

/* A measured time (low == high), or bounds of a time: 0 <= low <= high <= INFINITY, s. A time of 0 is replaced
   by the bounds 0 and half of the least other time, since most distributions have no density at 0.
   weight >= 0: number of such observations. */
struct dlq_observed {
    double low, high, weight;
};

enum { DLQ_MOST_FITTED = 16, DLQ_FIT_DIMENSIONS = 5 };

/* A distribution fitted to observations: one family, or a usual distribution to which a share of the batches adds a
   tail (in a configuration [load.usual], and [load.tail] with `probability`). Times in seconds. */
struct dlq_fitted {
    const struct dlq_family *family;  /* of dist, the plain or the usual distribution */
    struct dlq_parameters parameters; /* of dist */
    struct dlq_dist dist;
    const struct dlq_family *tail_family; /* set if has_tail; likewise the next three */
    struct dlq_parameters tail_parameters;
    struct dlq_dist tail;
    double tail_probability;      /* up to 0.5 */
    double mean, cv, median, p99; /* of the whole distribution; cv INFINITY for Pareto distributions with alpha <= 2 */
    double log_likelihood, aic;   /* of densities in 1/s; NAN for a constant */
    /* Kolmogorov-Smirnov distance to the exact times, or to the Kaplan-Meier curve if some times have no upper bound;
       NAN if over a tenth of the times lie between two bounds. Large if usual times have a cv below 1 %, the least cv
       that is fitted. */
    double ks;
    int free_parameters;
    bool has_tail;
    int row;                       /* in the table of fits, for dlq_fit_again */
    double at[DLQ_FIT_DIMENSIONS]; /* end point of the search: logarithms of the parameters (likelihood_fits.c) */
};

/* Fills mean, cv, median and p99 from dist and tail; ks becomes NAN. */
void dlq_fitted_summarize(struct dlq_fitted *fitted);
int dlq_by_aic(const void *left, const void *right); /* for qsort, the least first */

/* Fits all distributions to n >= 1 observations and sorts them by AIC (Akaike's information criterion), the least
   first. A distribution with a tail is listed only if its AIC is lower than that of each plain distribution by 10. If
   the cv is below 1e-3 or one value agrees with all bounds, the only fit is `constant`. DLQ_INVALID: a time is above
   DLQ_TIME_MOST, or bounds are malformed. DLQ_NO_ANSWER: no observation has an upper bound, or none has a lower bound,
   so that no distribution is best; or the bounds allow arbitrarily long times. DLQ_FAILURE: no memory. */
enum dlq_status dlq_fit_distributions(const struct dlq_observed *observed, size_t n,
                                      struct dlq_fitted fitted[DLQ_MOST_FITTED], size_t *count,
                                      struct dlq_error *error);

/* -- observed times, prepared for fits: checked, sorted, and merged if they are many -- */

struct dlq_observations {
    struct dlq_observed *exact, *bounded; /* low == high > 0, and the others; ascending; one array in an arena */
    size_t exacts, bounds;                /* numbers of exact and bounded observations */
    double weight, exact_weight;          /* sums of weights: of all, of the exact observations */
    double mean, cv;                      /* of dlq_observed_middle; mean in s */
    double mean_log;                      /* mean of ln of the exact observations; NAN: none */
    double least, most; /* s: the least upper bound and the largest lower bound (of an exact time: the time); if most <=
                           least, all agree with one value between the two */
};

/* Prepares n observations in the arena: *seen has at most about 20,000 exact and 1,000 bounded observations, *few at
   most about 200 and 60, for functions that are evaluated many times. Errors as for dlq_fit_distributions. */
enum dlq_status dlq_observations_make(struct dlq_arena *arena, struct dlq_observations *seen,
                                      struct dlq_observations *few, const struct dlq_observed *observed, size_t n);
/* The middle between the bounds, or the lower bound if the upper bound is infinite, s. */
double dlq_observed_middle(const struct dlq_observed *observed);

/* -- parts of a fit -- */

/* Sum of weight * ln of the density or of the probability between bounds; -INFINITY: an observation is impossible. */
double dlq_log_likelihood(const struct dlq_observations *seen, const struct dlq_tailed *tailed);

/* DLQ_NOT_FITTED: the distribution cannot have produced the observations. */
enum dlq_fit_result { DLQ_FITTED, DLQ_NOT_FITTED, DLQ_NO_MEMORY };

/* Plain rows of the table of fits, and rows with a tail. */
enum { DLQ_PLAIN_FITS = 8, DLQ_TAILED_FITS = 6 };
/* Fits plain row `which`: sets family, parameters, dist, free_parameters, row and at. */
enum dlq_fit_result dlq_fit_plain(size_t which, const struct dlq_observations *seen, const struct dlq_observations *few,
                                  struct dlq_fitted *fitted);
/* Fits row `which` of those with a tail. DLQ_NOT_FITTED also if log_likelihood - free_parameters is below `bar`. */
enum dlq_fit_result dlq_fit_tailed(size_t which, const struct dlq_observations *few, double bar,
                                   struct dlq_fitted *fitted);
/* Fits the row of *fitted, not constant, to other observations, from the fitted parameters on. The AIC is unchanged. */
enum dlq_fit_result dlq_fit_again(const struct dlq_observations *seen, const struct dlq_observations *few,
                                  struct dlq_fitted *fitted);
