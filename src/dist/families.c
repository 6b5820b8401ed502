/* The table of families, functions that families share, and the public functions of one distribution. */
#include "dist/families.h"

#include "base/elementary.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_roots.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct dlq_parameters dlq_no_parameters = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL};

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
    const double rounding = 1e-9; /* sd / mean may miss a limit by this share */
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

/* -- uniform on a..b (in units of the mean): mean (a + b)/2, variance (b - a)^2/12 -- */

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

static double uniform_log_density(const struct dlq_dist *dist, bool constant, double u)
{
    if (constant)
        return -dlq_log(dist->b - dist->a);
    return u < dist->a || u > dist->b ? -INFINITY : 0;
}

const struct dlq_family dlq_uniform_family =
    DLQ_FAMILY("uniform", DLQ_MINIMUM | DLQ_MAXIMUM, DLQ_MINIMUM | DLQ_MAXIMUM, "min; max",
               "anything between two times, equally likely", uniform_make, uniform, uniform_quantile,
               uniform_log_density, 1, DLQ_SETS(dlq_vector_uniform));

/* -- the table -- */

#define ROW(name) &dlq_##name##_family,
static const struct dlq_family *const families[] = {DLQ_FAMILIES(ROW)};
#define ONE_MORE(name) +1
enum { FAMILIES = 0 DLQ_FAMILIES(ONE_MORE) };

const struct dlq_family *const *dlq_families(size_t *count)
{
    *count = FAMILIES;
    return families;
}

const struct dlq_family *dlq_family_find(const char *name)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i];
    return NULL;
}

bool dlq_dist_make(struct dlq_dist *dist, const struct dlq_family *family, const struct dlq_parameters *given,
                   unsigned *fault, char *why, size_t size)
{
    const struct dlq_refusal refusal = {fault, why, size};
    struct dlq_dist made = {.family = family};
    const struct {
        unsigned bit;
        const char *name;
        double value, least, most;
    } rows[] = {
        {DLQ_MEAN, "mean", given->mean, DLQ_TIME_LEAST, DLQ_TIME_MOST},
        {DLQ_CV, "cv", given->cv, 0, DLQ_TIME_MOST},
        {DLQ_SD, "sd", given->sd, 0, DLQ_TIME_MOST},
        {DLQ_MEDIAN, "median", given->median, DLQ_TIME_LEAST, DLQ_TIME_MOST},
        {DLQ_P99, "p99", given->p99, DLQ_TIME_LEAST, DLQ_TIME_MOST},
        {DLQ_SHAPE, "shape", given->shape, DLQ_SHAPE_LEAST, DLQ_SHAPE_MOST},
        {DLQ_ALPHA, "alpha", given->alpha, 0, 1e4},
        {DLQ_STAGES, "stages", given->stages, 1, 1e6},
        {DLQ_MINIMUM, "min", given->minimum, DLQ_TIME_LEAST, DLQ_TIME_MOST},
        {DLQ_MAXIMUM, "max", given->maximum, DLQ_TIME_LEAST, DLQ_TIME_MOST},
        {DLQ_FILE, "file", given->data == NULL ? NAN : 0, 0, 0},
    };
    unsigned missing = family->required;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const unsigned bit = rows[i].bit;
        /* a constant and the minimum of a uniform distribution may be 0 */
        bool zero = rows[i].value == 0 && (bit == DLQ_MINIMUM || family == &dlq_constant_family);
        if (isnan(rows[i].value))
            continue;
        missing &= ~bit;
        if (!(family->allowed & bit))
            return dlq_refuse(&refusal, bit, "%s has no %s (it takes %s)", family->name, rows[i].name,
                              family->parameters);
        if (!zero && !(rows[i].value >= rows[i].least && rows[i].value <= rows[i].most))
            return dlq_refuse(&refusal, bit, "%g is out of range (%g to %g)", rows[i].value, rows[i].least,
                              rows[i].most);
    }
    if (missing != 0) /* the lowest bit is that of the first row */
        return dlq_refuse(&refusal, missing & ~(missing - 1), "is missing");
    if (!family->make(&made, given, &refusal))
        return false;
    *dist = made;
    return true;
}

double dlq_dist_cdf(const struct dlq_dist *dist, double x)
{
    return x < 0 ? 0 : dist->family->cdf(dist, x, false);
}

double dlq_dist_survival(const struct dlq_dist *dist, double x)
{
    return x < 0 ? 1 : dist->family->cdf(dist, x, true);
}

/* A family without a formula: bisects ln x, which cannot fail, for the x where the distribution function passes p.
   Bisects the distribution of scale 1, so that the result scales exactly. */
static double quantile(const struct dlq_dist *dist, double p, bool upper)
{
    struct dlq_dist unit = *dist;
    double low = DBL_MIN_EXP * M_LN2, high = DBL_MAX_EXP * M_LN2;
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (dist->family->quantile != NULL)
        return dist->family->quantile(dist, p, upper);
    if (p > 0.5)
        return quantile(dist, 1 - p, !upper);
    if (p <= 0)
        return upper ? INFINITY : 0;
    unit.scale = 1;
    for (int i = 0; i < 64; i++) {
        double middle = (low + high) / 2, u = dlq_exp(middle);
        double share = unit.family->cdf(&unit, u, upper);
        if (upper ? share > p : share < p)
            low = middle;
        else
            high = middle;
    }
    return low == DBL_MIN_EXP * M_LN2 ? 0 : dist->scale * dlq_exp((low + high) / 2);
}

double dlq_dist_quantile(const struct dlq_dist *dist, double p)
{
    return quantile(dist, p, false);
}

double dlq_dist_upper(const struct dlq_dist *dist, double q)
{
    return quantile(dist, q, true);
}

double dlq_dist_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->family->sample(dist, rng);
}

/* A distribution times 0 becomes the constant 0, so that no family divides by a scale of 0. */
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

bool dlq_dist_is_same(const struct dlq_dist *one, const struct dlq_dist *other)
{
    return one->family == other->family && one->scale == other->scale && one->a == other->a && one->b == other->b &&
           one->c == other->c && one->d == other->d && one->data == other->data;
}
