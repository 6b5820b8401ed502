#include "dist/families.h"

#include "base/elementary.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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

/* On the law of scale 1, so that the result scales exactly. */
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
