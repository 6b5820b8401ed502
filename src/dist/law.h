/* The law of a sum of stages: closed where one exists, else on a grid by FFT. */
#ifndef DLQ_DIST_LAW_H
#define DLQ_DIST_LAW_H

#include "dist/distribution.h"
#include "dlqueue/error.h"

enum { DLQ_LAW_GRID = 16384 };

/* `units` independent draws of `dist`, each present with `probability`. */
struct dlq_part {
    struct dlq_dist dist;
    double probability; /* 0 < probability <= 1 */
    long units;         /* >= 1 */
};

/* Sum = shift + closed law, or shift + grid: mass[j] at j * cell, j < DLQ_LAW_GRID, with `cdf` its running sum.
   The grid law has the true mean and is larger than the true sum in convex order (each mass is split between its two
   neighbors so that the mean stays), so E[max(u, max of n)] from it is never below the truth: lower bounds on
   throughput stay bounds. What lies above the grid is carried as tail_mean = E[(sum - top)+] >= 0. */
struct dlq_law {
    double mean, variance;
    double shift;
    bool on_grid;
    struct dlq_dist dist;
    double cell, tail_mean;
    double *cdf; /* DLQ_LAW_GRID values; owned */
    int *guide;  /* for sampling; owned */
};

/* Constant parts go into shift; one plain part, gamma-family sums (gamma, erlang, exponential of equal scale: units
   of one part; parts of equal scale) and sums of normals whose truncation does not matter are closed. */
enum dlq_status dlq_law_make(struct dlq_law *law, const struct dlq_part *parts, size_t count, struct dlq_error *error);
double dlq_law_cdf(const struct dlq_law *law, double x);
double dlq_law_survival(const struct dlq_law *law, double x);
double dlq_law_quantile(const struct dlq_law *law, double p);
double dlq_law_upper(const struct dlq_law *law, double q);
/* One draw of the sum; on a grid by its quantile table, spread evenly within a cell (mean kept). */
double dlq_law_sample(const struct dlq_law *law, gsl_rng *rng);
/* On a grid: the draw that a uniform 0 <= u < 1 stands for. */
double dlq_law_at(const struct dlq_law *law, double u);
/* Multiplies the law by a factor > 0: no new grid. */
void dlq_law_rescale(struct dlq_law *law, double factor);
void dlq_law_free(struct dlq_law *law);

/* Mean and variance of the sum, exactly: units * q m, units * (q (v + m^2) - q^2 m^2). */
void dlq_parts_moments(const struct dlq_part *parts, size_t count, double *mean, double *variance);

#endif
