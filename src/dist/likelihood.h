/* Distributions fitted to measured times by maximum likelihood, and what the files that do so share. */
#ifndef DLQ_DIST_LIKELIHOOD_H
#define DLQ_DIST_LIKELIHOOD_H

#include "dist/dist.h"

/* -- log densities of the families, and of a usual distribution with a tail on top of it -- */

/* A distribution and what all its densities have in common. */
struct dlq_density {
    struct dlq_dist dist;
    double constant; /* NAN: the family has no density */
};

void dlq_density_of(struct dlq_density *density, const struct dlq_dist *dist);
/* ln of the density in 1/s at x > 0; -INFINITY outside of the distribution's support, NAN without a density. */
double dlq_log_density(const struct dlq_density *density, double x);

enum { DLQ_TAIL_NODES = 12 };

/* Usual + Bernoulli(probability) * tail; probability 0: the usual distribution alone. The sum of both is a weighted
   mean over nodes of the narrower of the two. */
struct dlq_tailed {
    struct dlq_density usual, tail;
    double probability;
    const struct dlq_density *wide;
    int nodes;
    double node[DLQ_TAIL_NODES], weight[DLQ_TAIL_NODES]; /* s; the weights sum to 1 */
};

/* `wide` points into the struct: not to be copied. tail NULL: none. */
void dlq_tailed_of(struct dlq_tailed *tailed, const struct dlq_dist *usual, const struct dlq_dist *tail,
                   double probability);
double dlq_tailed_log_density(const struct dlq_tailed *tailed, double x);
/* Above x, or up to it. */
double dlq_tailed_share(const struct dlq_tailed *tailed, double x, bool above);
double dlq_tailed_quantile(const struct dlq_tailed *tailed, double p);

/* -- fits -- */

/* A time that was measured (low == high), or is known to lie between: 0 <= low <= high <= INFINITY, in seconds. An
   exact 0 is taken as "below half of the least other time": most distributions have no density there. weight >= 0: how
   many there are. */
struct dlq_observed {
    double low, high, weight;
};

enum { DLQ_MOST_FITTED = 16, DLQ_FIT_DIMENSIONS = 5 };

/* A distribution fitted to observations: one family, or a usual distribution and, in a share of the batches, a tail on
   top of it (what a configuration writes as [load.usual] and [load.tail] with `probability`). Times in seconds. */
struct dlq_fitted {
    const struct dlq_family *family;  /* of the plain or the usual distribution */
    struct dlq_parameters parameters; /* dlq_dist_make makes `dist` of them */
    struct dlq_dist dist;
    const struct dlq_family *tail_family; /* the tail's: only where has_tail */
    struct dlq_parameters tail_parameters;
    struct dlq_dist tail;
    double tail_probability;      /* up to 0.5 */
    double mean, cv, median, p99; /* of the whole distribution; cv INFINITY for Pareto distributions with alpha <= 2 */
    double log_likelihood, aic;   /* of densities in 1/s; NAN for a constant */
    /* Kolmogorov-Smirnov distance to the exact ones; to the Kaplan-Meier curve where some have no upper bound; NAN
       where more than a tenth lie between two bounds. A usual distribution is no narrower than 1 %, so that the
       distance is large where usual times are narrower. */
    double ks;
    int free_parameters;
    bool has_tail;
    int row;                       /* of the table of fits, and where its search ended: for dlq_fit_again */
    double at[DLQ_FIT_DIMENSIONS]; /* logarithms of its parameters */
};

/* Fills mean, cv, median and 99 % quantile by dist and tail; no ks. */
void dlq_fitted_summarize(struct dlq_fitted *fitted);
int dlq_by_aic(const void *left, const void *right); /* for qsort, the least first */

/* All distributions that can be fitted, the least AIC (Akaike's information criterion) first. A distribution with a
   tail is listed only where its AIC is clearly below that of every plain distribution. `constant` alone where cv <
   1e-3, or where one value agrees with all bounds. n >= 1. Times above 1e12 s or bounds that are none: DLQ_INVALID;
   DLQ_NO_ANSWER where no observation has an upper bound, or none a lower one, for then no distribution is best; or
   where the bounds let every distribution run away to infinity. */
enum dlq_status dlq_fit_distributions(const struct dlq_observed *observed, size_t n,
                                      struct dlq_fitted fitted[DLQ_MOST_FITTED], size_t *count,
                                      struct dlq_error *error);

/* -- observed times, made ready for fits: checked, sorted, merged where they are many -- */

/* exact: low == high > 0, rising. bounded: rising low. least and most: the smallest and largest value that the
   distribution must reach (an exact one; for bounded ones the smallest `high` and the largest `low`). mean and cv take
   bounded ones at the middle, or at `low` where `high` is infinite. */
struct dlq_observations {
    struct dlq_observed *exact, *bounded; /* in an arena, one behind the other */
    size_t exacts, bounds;
    double weight, exact_weight;
    double mean, cv, mean_log; /* mean_log: of the exact ones */
    double least, most;
};

/* In the arena. Refuses with a reason what no distribution can be fitted to. At most about 20,000 exact ones are left,
   1,000 bounded. */
enum dlq_status dlq_observations_make(struct dlq_arena *arena, struct dlq_observations *seen,
                                      const struct dlq_observed *observed, size_t n);
/* A few hundred that stand for all, for functions that are taken many times. */
enum dlq_status dlq_observations_thin(struct dlq_arena *arena, struct dlq_observations *few,
                                      const struct dlq_observations *seen);
/* Where a bounded one is taken to be, for moments. */
double dlq_observed_middle(const struct dlq_observed *observed);

/* -- parts of a fit -- */

/* Sum of weight * ln density, or ln of the probability between the bounds; -INFINITY where the distribution forbids
   one. */
double dlq_log_likelihood(const struct dlq_observations *seen, const struct dlq_tailed *tailed);

/* A fit by number; false: there is none by that name or number, or no such distribution. Sets family, parameters, dist
   (and the tail) and free_parameters. `few` stands for `seen` where functions are taken many times. */
enum dlq_fit_result { DLQ_FITTED, DLQ_NOT_FITTED, DLQ_NO_MEMORY };

enum { DLQ_PLAIN_FITS = 8, DLQ_TAILED_FITS = 6 };
enum dlq_fit_result dlq_fit_plain(size_t which, const struct dlq_observations *seen, const struct dlq_observations *few,
                                  struct dlq_fitted *fitted);
/* Not fitted where its log likelihood less its free parameters can't become more than `bar`. */
enum dlq_fit_result dlq_fit_tailed(size_t which, const struct dlq_observations *few, double bar,
                                   struct dlq_fitted *fitted);
/* The same distribution, which is no constant, to other times, from where it is; its AIC stays. */
enum dlq_fit_result dlq_fit_again(const struct dlq_observations *seen, const struct dlq_observations *few,
                                  struct dlq_fitted *fitted);

#endif
