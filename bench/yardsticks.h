/* What the yardsticks take as the detail of their setup. */
#pragma once

#include "bare.h"
#include "event_loop.h"

#include <gsl/gsl_rng.h>

/* A bare recursion on lanes whose mean loads go from half to one and a half of `load`. */
struct bench_bare_case {
    bool (*recur)(const struct bench_bare *bare, long batches, double *delivered);
    int loaders, lanes;
    long window;
    double load, step;
};

struct bench_gsl_case {
    const gsl_rng_type *const *type;
    double (*draw)(gsl_rng *rng);
};

/* The laws that samplers are compared on, mean 1, as GSL draws them. */
double bench_gsl_exponential(gsl_rng *rng);
double bench_gsl_lognormal(gsl_rng *rng);
double bench_gsl_gamma(gsl_rng *rng);
double bench_gsl_weibull(gsl_rng *rng);
double bench_gsl_pareto(gsl_rng *rng);
double bench_gsl_normal(gsl_rng *rng);
double bench_gsl_uniform(gsl_rng *rng);
double bench_gsl_hyperexponential(gsl_rng *rng);
double bench_gsl_samples(gsl_rng *rng);
