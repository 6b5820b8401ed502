/* The table of families, and the public functions of a distribution of any family. */
#include "dist/families.h"
#include "base/elementary.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <string.h>

const struct dlq_parameters dlq_no_parameters = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL};

#define ROW(name) &dlq_##name##_family,
static const struct dlq_family *const families[] = {DLQ_FAMILIES(ROW)};
#define COUNT(name) +1
enum { FAMILIES = 0 DLQ_FAMILIES(COUNT) };

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

void dlq_dist_survivals(const struct dlq_dist *dist, double *x, size_t n)
{
    size_t first = 0;
    while (first < n && (dist->family->survivals == NULL || !(x[first] > 0))) {
        x[first] = dlq_dist_survival(dist, x[first]);
        first++;
    }
    if (first < n)
        dist->family->survivals(dist, x + first, n - first);
}

/* For a family without a formula, bisects ln x, which cannot fail, for the x where the distribution function passes p.
   Bisects at scale 1, so that the result scales exactly. */
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
