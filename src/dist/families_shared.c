/* What families share: refusals, moments, the search for a root; and the families constant and uniform. */
#include "base/elementary.h"
#include "dist/families.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

bool dlq_refuse(const struct dlq_refusal *refusal, unsigned parameter, const char *format, ...)
{
    va_list arguments;
    if (refusal->parameter == NULL)
        return false;
    va_start(arguments, format);
    vsnprintf(refusal->why, refusal->size, format, arguments);
    va_end(arguments);
    *refusal->parameter = parameter;
    return false;
}

void dlq_set_moments(struct dlq_dist *dist, double mean, double cv)
{
    dist->mean = dist->scale = mean;
    dist->variance = mean * cv * (mean * cv);
}

bool dlq_set_mean_and_cv(struct dlq_dist *dist, const struct dlq_parameters *given, double least, double most,
                         double *cv, const struct dlq_refusal *refusal)
{
    const double rounding = 1e-9; /* a cv beyond a limit by this share becomes the limit */
    bool by_sd = !isnan(given->sd);
    if (by_sd && !isnan(given->cv))
        return dlq_refuse(refusal, DLQ_SD, "contradicts cv: give one of them");
    if (!by_sd && isnan(given->cv))
        return dlq_refuse(refusal, DLQ_CV, "is missing (or give sd)");
    *cv = by_sd ? given->sd / given->mean : given->cv;
    if (*cv > 0 && fabs(*cv / fmin(fmax(*cv, least), most) - 1) < rounding)
        *cv = fmin(fmax(*cv, least), most);
    if (!(*cv == 0 || (*cv >= least && *cv <= most)))
        return dlq_refuse(refusal, by_sd ? DLQ_SD : DLQ_CV,
                          "a cv of %g is out of range (0, or %g to %g for this distribution)", *cv, least, most);
    if (*cv == 0)
        dlq_constant_set(dist, given->mean);
    else
        dlq_set_moments(dist, given->mean, *cv);
    return true;
}

enum { STATE = 16 /* doubles that hold the state of GSL's solver */, MOST_ROOT_STEPS = 200 };

double dlq_root(double (*f)(double x, void *params), void *params, double low, double high, double absolute,
                double relative)
{
    double state[STATE], root = NAN;
    gsl_root_fsolver solver = {.type = gsl_root_fsolver_brent, .state = state};
    gsl_function function = {f, params};
    if (!(f(low, params) * f(high, params) <= 0) || solver.type->size > sizeof state ||
        gsl_root_fsolver_set(&solver, &function, low, high) != GSL_SUCCESS)
        return NAN;
    for (int i = 0; i < MOST_ROOT_STEPS && gsl_root_fsolver_iterate(&solver) == GSL_SUCCESS; i++) {
        root = gsl_root_fsolver_root(&solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(&solver), gsl_root_fsolver_x_upper(&solver), absolute,
                                   relative) == GSL_SUCCESS)
            break;
    }
    return root;
}

/* -- constant -- */

void dlq_constant_set(struct dlq_dist *dist, double value)
{
    *dist = (struct dlq_dist){.family = &dlq_constant_family, .mean = value, .scale = value};
}

static bool constant_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    (void)refusal;
    dlq_constant_set(dist, given->mean);
    return true;
}

static double constant_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    return (x >= dist->scale) != upper ? 1 : 0;
}

static double constant_quantile(const struct dlq_dist *dist, double p, bool upper)
{
    (void)p, (void)upper;
    return dist->scale;
}

static double constant_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    (void)rng;
    return dist->scale;
}

static void constant_draws(const struct dlq_dist *dist, const double *u, size_t stride, size_t n, double *x)
{
    (void)u, (void)stride;
    for (size_t i = 0; i < n; i++)
        x[i] = dist->scale;
}

const struct dlq_family dlq_constant_family =
    DLQ_FAMILY("constant", DLQ_MEAN, DLQ_MEAN, "mean", "always the same time", constant_make, constant,
               constant_quantile, NULL, 0, DLQ_ALIKE(constant_draws));

/* -- uniform on min..max: mean (min + max)/2, variance (max - min)^2/12; a, b: min, max in units of the mean -- */

static bool uniform_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    double minimum = given->minimum, maximum = given->maximum, mean = minimum / 2 + maximum / 2;
    if (maximum < minimum)
        return dlq_refuse(refusal, DLQ_MAXIMUM, "%g s is below min", maximum);
    if (maximum - minimum < DLQ_CV_LEAST * mean) {
        dlq_constant_set(dist, mean);
        return true;
    }
    dlq_set_moments(dist, mean, (maximum - minimum) / (mean * sqrt(12)));
    dist->a = minimum / mean;
    dist->b = maximum / mean;
    return true;
}

static double uniform_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    double u = x / dist->scale;
    return fmin(fmax((upper ? dist->b - u : u - dist->a) / (dist->b - dist->a), 0), 1);
}

static double uniform_quantile(const struct dlq_dist *dist, double p, bool upper)
{
    return dist->scale * (dist->a * (upper ? p : 1 - p) + dist->b * (upper ? 1 - p : p));
}

static double uniform_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->scale * (dist->a + gsl_rng_uniform(rng) * (dist->b - dist->a));
}

static double uniform_log_density(const struct dlq_dist *dist, bool constant_terms, double ratio)
{
    if (constant_terms)
        return -dlq_log(dist->b - dist->a);
    return ratio < dist->a || ratio > dist->b ? -INFINITY : 0;
}

const struct dlq_family dlq_uniform_family =
    DLQ_FAMILY("uniform", DLQ_MINIMUM | DLQ_MAXIMUM, DLQ_MINIMUM | DLQ_MAXIMUM, "min; max",
               "anything between two times, equally likely", uniform_make, uniform, uniform_quantile,
               uniform_log_density, 1, DLQ_SETS(dlq_vector_uniform));
