/* What the rows of the family table share. Private to the floor. */
#ifndef DLQ_DIST_FAMILIES_H
#define DLQ_DIST_FAMILIES_H

#include "base/quantity.h"
#include "dist/dist.h"

/* Where a family says which parameter it refuses, and why. */
struct dlq_refusal {
    unsigned *parameter;
    char *why;
    size_t size;
};

#define DLQ_FAMILY_FUNCTIONS(name)                                                                                     \
    bool dlq_##name##_make(struct dlq_dist *dist, const struct dlq_parameters *given,                                  \
                           const struct dlq_refusal *refusal);                                                         \
    double dlq_##name##_cdf(const struct dlq_dist *dist, double x, bool upper);                                        \
    double dlq_##name##_quantile(const struct dlq_dist *dist, double p, bool upper);                                   \
    double dlq_##name##_sample(const struct dlq_dist *dist, gsl_rng *rng);                                             \
    extern const struct dlq_blocks dlq_##name##_blocks

DLQ_FAMILY_FUNCTIONS(constant);
DLQ_FAMILY_FUNCTIONS(exponential);
DLQ_FAMILY_FUNCTIONS(gamma);
/* A gamma distribution otherwise. */
bool dlq_erlang_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal);
DLQ_FAMILY_FUNCTIONS(lognormal);
DLQ_FAMILY_FUNCTIONS(weibull);
DLQ_FAMILY_FUNCTIONS(pareto);
DLQ_FAMILY_FUNCTIONS(uniform);
DLQ_FAMILY_FUNCTIONS(normal);
DLQ_FAMILY_FUNCTIONS(hyperexponential);
DLQ_FAMILY_FUNCTIONS(empirical);

/* Beyond these a distribution is a mistake, and what GSL says about it can't be trusted. */
#define DLQ_TIME_LEAST 1e-12 /* and DLQ_TIME_MOST */
#define DLQ_CV_LEAST 1e-4    /* other than 0 */
#define DLQ_CV_MOST 100

/* Always false. */
bool dlq_refuse(const struct dlq_refusal *refusal, unsigned parameter, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Value number i of the data, i from 0, as the distribution has it. */
double dlq_empirical_value(const struct dlq_dist *dist, size_t i);
/* Shape k of a gamma distribution of that mean: a = k, b = 1/k in units of the mean. */
void dlq_gamma_set(struct dlq_dist *dist, double mean, double shape);
/* A normal distribution whose truncation at 0 does not matter. */
void dlq_normal_set(struct dlq_dist *dist, double mean, double cv);
bool dlq_normal_is_whole(const struct dlq_dist *dist);

bool dlq_given(double parameter);
bool dlq_is_positive_time(double value, unsigned parameter, const struct dlq_refusal *refusal);
/* Moments from the mean and one of cv and sd; cv 0, the constant, or least..most; false: refused. */
bool dlq_set_mean_and_cv(struct dlq_dist *dist, const struct dlq_parameters *given, double least, double most,
                         double *cv, const struct dlq_refusal *refusal);
/* mean and scale from the mean, variance from the cv. */
void dlq_set_moments(struct dlq_dist *dist, double mean, double cv);

/* The x where cdf of the family passes p: by bisection of ln x, which nothing can upset. */
double dlq_invert(const struct dlq_dist *dist, double p, bool upper);

/* The x in [low, high], at whose ends f has different signs, by Brent's method to an absolute and a relative error;
   NAN: their signs are the same. Nothing is allocated, so that a distribution never fails for want of memory. */
double dlq_root(double (*f)(double x, void *params), void *params, double low, double high, double absolute,
                double relative);

#endif
