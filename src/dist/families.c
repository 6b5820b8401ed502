/* The table of families, what they share, and questions about one distribution. */
#include "dist/families.h"

#include "base/elementary.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct dlq_parameters dlq_no_parameters = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL};

bool dlq_refuse(unsigned *fault, unsigned parameter, char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, size, format, arguments);
    va_end(arguments);
    *fault = parameter;
    return false;
}

bool dlq_given(double parameter)
{
    return !isnan(parameter);
}

void dlq_set_moments(struct dlq_dist *dist, double mean, double cv)
{
    dist->mean = dist->scale = mean;
    dist->variance = mean * cv * (mean * cv);
}

static bool positive_time(double value, unsigned parameter, unsigned *fault, char *why, size_t size)
{
    if (!dlq_given(value))
        return dlq_refuse(fault, parameter, why, size, "is missing");
    if (!(value >= DLQ_TIME_LEAST && value <= DLQ_TIME_MOST))
        return dlq_refuse(fault, parameter, why, size, "%g s is out of range (%g to %g s)", value, DLQ_TIME_LEAST,
                          DLQ_TIME_MOST);
    return true;
}

bool dlq_mean_and_cv(const struct dlq_parameters *parameters, double least, double most, double *mean, double *cv,
                     unsigned *fault, char *why, size_t size)
{
    const double rounding = 1e-9; /* sd / mean may miss a limit by as much */
    bool by_sd = dlq_given(parameters->sd);
    if (!positive_time(parameters->mean, DLQ_MEAN, fault, why, size))
        return false;
    if (by_sd && dlq_given(parameters->cv))
        return dlq_refuse(fault, DLQ_SD, why, size, "contradicts cv: give one of them");
    if (!by_sd && !dlq_given(parameters->cv))
        return dlq_refuse(fault, DLQ_CV, why, size, "is missing (or give sd)");
    double ratio = by_sd ? parameters->sd / parameters->mean : parameters->cv;
    if (ratio > 0 && fabs(ratio / fmin(fmax(ratio, least), most) - 1) < rounding)
        ratio = fmin(fmax(ratio, least), most);
    if (!(ratio == 0 || (ratio >= least && ratio <= most)))
        return dlq_refuse(fault, by_sd ? DLQ_SD : DLQ_CV, why, size,
                          "a cv of %g is out of range (0, or %g to %g for this distribution)", ratio, least, most);
    *mean = parameters->mean;
    *cv = ratio;
    return true;
}

/* On the distribution of scale 1, so that the result scales exactly. */
double dlq_invert(const struct dlq_dist *dist, double p, bool upper)
{
    struct dlq_dist unit = *dist;
    double low = DBL_MIN_EXP * M_LN2, high = DBL_MAX_EXP * M_LN2;
    if (p <= 0 || p >= 1)
        return (p <= 0) == upper ? INFINITY : 0;
    unit.scale = 1;
    for (int i = 0; i < 64; i++) {
        double middle = (low + high) / 2, u = dlq_exp(middle);
        bool below = upper ? unit.family->survival(&unit, u) > p : unit.family->cdf(&unit, u) < p;
        if (below)
            low = middle;
        else
            high = middle;
    }
    return low == DBL_MIN_EXP * M_LN2 ? 0 : dist->scale * dlq_exp((low + high) / 2);
}

/* -- constant -- */

void dlq_constant_set(struct dlq_dist *dist, double value)
{
    size_t count;
    *dist = (struct dlq_dist){.family = dlq_families(&count), .mean = value, .scale = value};
}

bool dlq_constant_make(struct dlq_dist *dist, const struct dlq_parameters *parameters, unsigned *fault, char *why,
                       size_t size)
{
    if (parameters->mean != 0 && !positive_time(parameters->mean, DLQ_MEAN, fault, why, size))
        return false;
    dlq_constant_set(dist, parameters->mean);
    return true;
}

double dlq_constant_cdf(const struct dlq_dist *dist, double x)
{
    return x >= dist->scale ? 1 : 0;
}

double dlq_constant_survival(const struct dlq_dist *dist, double x)
{
    return x >= dist->scale ? 0 : 1;
}

double dlq_constant_quantile(const struct dlq_dist *dist, double p)
{
    (void)p;
    return dist->scale;
}

double dlq_constant_upper(const struct dlq_dist *dist, double q)
{
    (void)q;
    return dist->scale;
}

double dlq_constant_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    (void)rng;
    return dist->scale;
}

/* -- exponential: P(X > x) = exp(-x/m) -- */

bool dlq_exponential_make(struct dlq_dist *dist, const struct dlq_parameters *parameters, unsigned *fault, char *why,
                          size_t size)
{
    if (!positive_time(parameters->mean, DLQ_MEAN, fault, why, size))
        return false;
    dlq_set_moments(dist, parameters->mean, 1);
    return true;
}

double dlq_exponential_cdf(const struct dlq_dist *dist, double x)
{
    return -dlq_expm1(-x / dist->scale);
}

double dlq_exponential_survival(const struct dlq_dist *dist, double x)
{
    return dlq_exp(-x / dist->scale);
}

double dlq_exponential_quantile(const struct dlq_dist *dist, double p)
{
    return -dist->scale * dlq_log1p(-p);
}

double dlq_exponential_upper(const struct dlq_dist *dist, double q)
{
    return -dist->scale * dlq_log(q);
}

double dlq_exponential_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->scale * gsl_ran_exponential(rng, 1);
}

/* -- uniform on a..b (in units of the mean): mean (a + b)/2, variance (b - a)^2/12 -- */

bool dlq_uniform_make(struct dlq_dist *dist, const struct dlq_parameters *parameters, unsigned *fault, char *why,
                      size_t size)
{
    double minimum = parameters->minimum, maximum = parameters->maximum, mean = minimum / 2 + maximum / 2;
    if (minimum != 0 && !positive_time(minimum, DLQ_MINIMUM, fault, why, size))
        return false;
    if (!positive_time(maximum, DLQ_MAXIMUM, fault, why, size))
        return false;
    if (maximum < minimum)
        return dlq_refuse(fault, DLQ_MAXIMUM, why, size, "%g s is below min", maximum);
    if (maximum - minimum < DLQ_CV_LEAST * mean) {
        dlq_constant_set(dist, mean);
        return true;
    }
    dlq_set_moments(dist, mean, (maximum - minimum) / (mean * sqrt(12)));
    dist->a = minimum / mean;
    dist->b = maximum / mean;
    return true;
}

double dlq_uniform_cdf(const struct dlq_dist *dist, double x)
{
    return fmin(fmax((x / dist->scale - dist->a) / (dist->b - dist->a), 0), 1);
}

double dlq_uniform_survival(const struct dlq_dist *dist, double x)
{
    return fmin(fmax((dist->b - x / dist->scale) / (dist->b - dist->a), 0), 1);
}

double dlq_uniform_quantile(const struct dlq_dist *dist, double p)
{
    return dist->scale * (dist->a * (1 - p) + dist->b * p);
}

double dlq_uniform_upper(const struct dlq_dist *dist, double q)
{
    return dist->scale * (dist->a * q + dist->b * (1 - q));
}

double dlq_uniform_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->scale * (dist->a + gsl_rng_uniform(rng) * (dist->b - dist->a));
}

/* -- the table -- */

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

/* Refuses what the family has not, and what no distribution can take. */
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

/* A distribution times 0 is the constant 0: no family has to divide by a scale of 0. */
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
