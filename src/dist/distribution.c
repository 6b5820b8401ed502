#include "dist/distribution.h"

#include "dist/families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(name)                                                                                                \
    dlq_##name##_cdf, dlq_##name##_survival, dlq_##name##_quantile, dlq_##name##_upper, dlq_##name##_sample,           \
        &dlq_##name##_blocks

static const struct dlq_family families[] = {
    {"constant", DLQ_MEAN, "mean", "always the same time", dlq_constant_make, FUNCTIONS(constant)},
    {"exponential", DLQ_MEAN, "mean", "memoryless; cv 1; what most theory is about", dlq_exponential_make,
     FUNCTIONS(exponential)},
    {"gamma", DLQ_MEAN | DLQ_CV | DLQ_SD, "mean; cv or sd", "light tail; cv up to 10", dlq_gamma_make,
     FUNCTIONS(gamma)},
    {"erlang", DLQ_MEAN | DLQ_STAGES, "mean; stages", "a sum of that many exponential times; cv 1/sqrt(stages)",
     dlq_erlang_make, FUNCTIONS(gamma)},
    {"lognormal", DLQ_MEAN | DLQ_CV | DLQ_SD | DLQ_MEDIAN | DLQ_P99, "mean and cv or sd; or median and p99",
     "the usual shape of load times: a body and a long tail", dlq_lognormal_make, FUNCTIONS(lognormal)},
    {"weibull", DLQ_MEAN | DLQ_CV | DLQ_SD | DLQ_SHAPE, "mean; cv or sd or shape",
     "tail heavier (shape < 1) or lighter (> 1) than exponential", dlq_weibull_make, FUNCTIONS(weibull)},
    {"pareto", DLQ_MEAN | DLQ_ALPHA, "mean; alpha", "power-law tail; infinite variance where alpha <= 2",
     dlq_pareto_make, FUNCTIONS(pareto)},
    {"uniform", DLQ_MINIMUM | DLQ_MAXIMUM, "min; max", "anything between two times, equally likely", dlq_uniform_make,
     FUNCTIONS(uniform)},
    {"normal", DLQ_MEAN | DLQ_CV | DLQ_SD, "mean; cv or sd", "symmetric, cut off at 0; cv up to 0.75", dlq_normal_make,
     FUNCTIONS(normal)},
    {"hyperexponential", DLQ_MEAN | DLQ_CV | DLQ_SD, "mean; cv or sd", "two exponentials mixed; cv 1 and above",
     dlq_hyperexponential_make, FUNCTIONS(hyperexponential)},
    {"empirical", DLQ_FILE | DLQ_COLUMN | DLQ_MEAN, "file, column; mean to rescale", "measured times, resampled",
     dlq_empirical_make, FUNCTIONS(empirical)},
};

const struct dlq_family *dlq_families(size_t *count)
{
    *count = sizeof families / sizeof *families;
    return families;
}

const struct dlq_family *dlq_family_find(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].name, name) == 0)
            return &families[i];
    return NULL;
}

/* Refuses what the family has not, and what no law can take. */
static bool check(const struct dlq_family *family, const struct dlq_parameters *given, unsigned *fault, char *why,
                  size_t size)
{
    const struct {
        unsigned bit;
        const char *name;
        double value;
    } rows[] = {
        {DLQ_MEAN, "mean", given->mean},
        {DLQ_CV, "cv", given->cv},
        {DLQ_SD, "sd", given->sd},
        {DLQ_MEDIAN, "median", given->median},
        {DLQ_P99, "p99", given->p99},
        {DLQ_SHAPE, "shape", given->shape},
        {DLQ_ALPHA, "alpha", given->alpha},
        {DLQ_STAGES, "stages", given->stages},
        {DLQ_MINIMUM, "min", given->minimum},
        {DLQ_MAXIMUM, "max", given->maximum},
        {DLQ_FILE, "file", given->data == NULL ? NAN : 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!dlq_given(rows[i].value))
            continue;
        if (!(family->allowed & rows[i].bit))
            return dlq_refuse(fault, rows[i].bit, why, size, "%s has no %s (it takes %s)", family->name, rows[i].name,
                              family->parameters);
        if (!(rows[i].value >= 0 && rows[i].value <= DLQ_TIME_MOST))
            return dlq_refuse(fault, rows[i].bit, why, size, "%g is out of range (0 to %g)", rows[i].value,
                              DLQ_TIME_MOST);
    }
    return true;
}

bool dlq_dist_make(struct dlq_dist *dist, const struct dlq_family *family, const struct dlq_parameters *parameters,
                   unsigned *fault, char *why, size_t size)
{
    struct dlq_dist made = {.family = family};
    if (!check(family, parameters, fault, why, size) || !family->make(&made, parameters, fault, why, size))
        return false;
    *dist = made;
    return true;
}

double dlq_dist_cdf(const struct dlq_dist *dist, double x)
{
    return x < 0 ? 0 : dist->family->cdf(dist, x);
}

double dlq_dist_survival(const struct dlq_dist *dist, double x)
{
    return x < 0 ? 1 : dist->family->survival(dist, x);
}

double dlq_dist_quantile(const struct dlq_dist *dist, double p)
{
    return p >= 0 && p <= 1 ? dist->family->quantile(dist, p) : NAN;
}

double dlq_dist_upper(const struct dlq_dist *dist, double q)
{
    return q >= 0 && q <= 1 ? dist->family->upper(dist, q) : NAN;
}

double dlq_dist_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->family->sample(dist, rng);
}

/* A law times 0 is the constant 0: no family has to divide by a scale of 0. */
void dlq_dist_rescale(struct dlq_dist *dist, double factor)
{
    if (factor == 0) {
        dlq_constant_set(dist, 0);
        return;
    }
    dist->mean *= factor;
    dist->variance *= factor * factor;
    dist->scale *= factor;
}

double dlq_dist_cv(const struct dlq_dist *dist)
{
    return dist->mean > 0 ? sqrt(dist->variance) / dist->mean : 0;
}

bool dlq_dist_is_constant(const struct dlq_dist *dist)
{
    return dist->variance == 0;
}
