/* Families of non-negative random times: one row per family, over GSL. */
#ifndef DLQ_DIST_DISTRIBUTION_H
#define DLQ_DIST_DISTRIBUTION_H

#include "dist/empirical.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

/* Parameters as bits, for "which does the family have" and "which was at fault". */
enum dlq_parameter {
    DLQ_MEAN = 1,
    DLQ_CV = 2,
    DLQ_SD = 4,
    DLQ_MEDIAN = 8,
    DLQ_P99 = 16,
    DLQ_SHAPE = 32,
    DLQ_ALPHA = 64,
    DLQ_STAGES = 128,
    DLQ_MINIMUM = 256,
    DLQ_MAXIMUM = 512,
    DLQ_FILE = 1024,
    DLQ_COLUMN = 2048
};

/* NAN: not given. data: for empirical. */
struct dlq_parameters {
    double mean, cv, sd, median, p99, shape, alpha, stages, minimum, maximum; /* times in seconds */
    const struct dlq_empirical *data;
};

struct dlq_dist;
struct dlq_blocks; /* see dist/sampler.h */

/* The functions take laws that `make` has checked; x >= 0, 0 <= p <= 1. */
struct dlq_family {
    const char *name;
    unsigned allowed;       /* parameters that may be given */
    const char *parameters; /* for people: "mean; cv or sd" */
    const char *help;       /* one line: what it is good for */
    /* Fills mean, variance, a..d; false with the parameter at fault and the reason in why. */
    bool (*make)(struct dlq_dist *dist, const struct dlq_parameters *parameters, unsigned *fault, char *why,
                 size_t size);
    double (*cdf)(const struct dlq_dist *dist, double x);
    double (*survival)(const struct dlq_dist *dist, double x); /* 1 - cdf, accurate in the tail */
    double (*quantile)(const struct dlq_dist *dist, double p);
    double (*upper)(const struct dlq_dist *dist, double q); /* quantile of 1 - q, accurate for small q */
    double (*sample)(const struct dlq_dist *dist, gsl_rng *rng);
    const struct dlq_blocks *blocks;
};

/* A law: a value, nothing to free. mean in s, variance in s^2 (INFINITY for Pareto alpha <= 2); a..d are the family's
   own, in units of `scale`, so that scaling a law scales its draws and quantiles exactly. */
struct dlq_dist {
    const struct dlq_family *family;
    double mean, variance, scale;
    double a, b, c, d;
    const struct dlq_empirical *data;
};

const struct dlq_family *dlq_families(size_t *count);
const struct dlq_family *dlq_family_find(const char *name);

/* Checks and makes; the draws of a law with mean m are m times those of the law with mean 1 (same shape): scale carries
   the mean. Parameters that the family has not are refused. */
bool dlq_dist_make(struct dlq_dist *dist, const struct dlq_family *family, const struct dlq_parameters *parameters,
                   unsigned *fault, char *why, size_t size);
double dlq_dist_cdf(const struct dlq_dist *dist, double x);
double dlq_dist_survival(const struct dlq_dist *dist, double x);
double dlq_dist_quantile(const struct dlq_dist *dist, double p);
double dlq_dist_upper(const struct dlq_dist *dist, double q);
double dlq_dist_sample(const struct dlq_dist *dist, gsl_rng *rng);
void dlq_dist_rescale(struct dlq_dist *dist, double factor);
double dlq_dist_cv(const struct dlq_dist *dist);
bool dlq_dist_is_constant(const struct dlq_dist *dist);

#endif
