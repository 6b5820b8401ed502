#include "subject.h"
#include "yardsticks.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>

enum { DRAWS = 16384 };

/* A cv of 1 except where said: the lognormal's spread is sqrt(ln 2) then. */
double bench_gsl_exponential(gsl_rng *rng)
{
    return gsl_ran_exponential(rng, 1);
}

double bench_gsl_lognormal(gsl_rng *rng)
{
    return gsl_ran_lognormal(rng, -0.34657359027997264, 0.83255461115769769);
}

/* cv 0.3: shape 1 / 0.09 */
double bench_gsl_gamma(gsl_rng *rng)
{
    return gsl_ran_gamma(rng, 1 / 0.09, 0.09);
}

/* shape 2: the mean of scale 1 is Gamma(1.5) */
double bench_gsl_weibull(gsl_rng *rng)
{
    return gsl_ran_weibull(rng, 1 / 0.88622692545275801, 2);
}

/* alpha 2.5: the mean is 2.5 / 1.5 of the scale */
double bench_gsl_pareto(gsl_rng *rng)
{
    return gsl_ran_pareto(rng, 2.5, 0.6);
}

/* cv 0.3, truncated at 0 */
double bench_gsl_normal(gsl_rng *rng)
{
    double x;
    do
        x = 1 + gsl_ran_gaussian_ziggurat(rng, 0.3);
    while (x < 0);
    return x;
}

double bench_gsl_uniform(gsl_rng *rng)
{
    return gsl_ran_flat(rng, 0.5, 1.5);
}

/* cv 2, balanced means: p = (1 + sqrt(3 / 5)) / 2 and means 1 / (2 p), 1 / (2 (1 - p)) */
double bench_gsl_hyperexponential(gsl_rng *rng)
{
    const double p = 0.88729833462074170;
    return gsl_ran_exponential(rng, gsl_rng_uniform(rng) < p ? 1 / (2 * p) : 1 / (2 * (1 - p)));
}

/* The sum of 256 lognormal samples of cv 0.3: ln S has variance ln 1.09. */
double bench_gsl_samples(gsl_rng *rng)
{
    double sum = 0;
    for (int i = 0; i < 256; i++)
        sum += gsl_ran_lognormal(rng, -0.043088848, 0.29356037);
    return sum / 256;
}

struct sampler {
    gsl_rng *rng;
    double (*draw)(gsl_rng *rng);
    double values[DRAWS];
};

static enum dlq_status gsl_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                 struct dlq_error *error)
{
    (void)run;
    const struct bench_gsl_case *which = setup->detail;
    struct sampler *sampler = calloc(1, sizeof *sampler);
    gsl_rng *rng = gsl_rng_alloc(*which->type);
    if (sampler == NULL || rng == NULL) {
        free(sampler);
        gsl_rng_free(rng);
        return dlq_error_memory(error, "setting up GSL's sampler");
    }
    sampler->rng = rng;
    sampler->draw = which->draw;
    *state = sampler;
    return DLQ_OK;
}

static enum dlq_status gsl_piece(void *state, double *amount, struct dlq_error *error)
{
    (void)error;
    struct sampler *sampler = state;
    for (size_t i = 0; i < DRAWS; i++)
        sampler->values[i] = sampler->draw(sampler->rng);
    *amount = DRAWS;
    return DLQ_OK;
}

static void gsl_end(void *state)
{
    struct sampler *sampler = state;
    gsl_rng_free(sampler->rng);
    free(sampler);
}

const struct bench_kind bench_gsl = {gsl_begin, gsl_piece, gsl_end};
