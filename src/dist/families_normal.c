/* The families normal (cut off at 0) and lognormal. */
#include "base/elementary.h"
#include "dist/families.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>

/* The hazard of the standard normal distribution at z, phi(z)/Q(z). */
static double hazard(double z)
{
    return dlq_exp(-z * z / 2) / 2.5066282746310002 / dlq_normal_survival_at(z);
}

/* The normal distribution with mu = -z sigma, cut off below 0, has mean = sigma (h - z) and variance = sigma^2 (1 + z h
   - h^2), h the hazard at z (Johnson, Kotz & Balakrishnan 1994, Continuous Univariate Distributions 1, eq. 13.134-135).
   z = 0: cv = sqrt(pi/2 - 1) = 0.755511. Returns how much this cv exceeds the given one. */
static double cv_excess(double z, void *cv)
{
    double h = hazard(z);
    return sqrt(1 + z * h - h * h) / (h - z) - *(double *)cv;
}

/* a = mu, b = sigma in units of the mean; c = share of the normal distribution that is below 0, d = 1 - c. */
void dlq_normal_set(struct dlq_dist *dist, double mean, double cv, double z)
{
    dlq_set_moments(dist, mean, cv);
    dist->b = 1 / (hazard(z) - z);
    dist->a = -z * dist->b;
    dist->c = dlq_normal_survival_at(-z);
    dist->d = dlq_normal_survival_at(z);
}

static bool normal_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    double cv;
    if (!dlq_set_mean_and_cv(dist, given, DLQ_CV_LEAST, 0.75, &cv, refusal))
        return false;
    if (cv == 0)
        return true;
    double z = dlq_root(cv_excess, &cv, -1 / cv - 1, 0.1, 0, 1e-15); /* the cv rises with z; NAN: not found */
    if (!isfinite(z))
        return dlq_refuse(refusal, DLQ_CV, "no normal law cut off at 0 has a cv of %g", cv);
    dlq_normal_set(dist, given->mean, cv, z);
    return true;
}

static double normal_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    double z = (x / dist->scale - dist->a) / dist->b;
    if (upper)
        return fmin(dlq_normal_survival_at(z) / dist->d, 1);
    return fmin(fmax((dlq_normal_survival_at(-z) - dist->c) / dist->d, 0), 1);
}

/* Inverts the smaller tail of the normal distribution, whose probability has more exact digits. */
static double normal_quantile(const struct dlq_dist *dist, double p, bool upper)
{
    double below = dist->c + (upper ? 1 - p : p) * dist->d, above = (upper ? p : 1 - p) * dist->d;
    double z = below < above ? -dlq_normal_upper_at(below) : dlq_normal_upper_at(above);
    return dist->scale * fmax(dist->a + dist->b * z, 0);
}

static double normal_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    double u;
    do
        u = dist->a + gsl_ran_gaussian_ziggurat(rng, dist->b);
    while (u < 0);
    return dist->scale * u;
}

static double normal_log_density(const struct dlq_dist *dist, bool constant_terms, double ratio)
{
    double z = (ratio - dist->a) / dist->b;
    return constant_terms ? -dlq_log(dist->b * sqrt(2 * M_PI)) - dlq_log(dist->d) : -z * z / 2;
}

const struct dlq_family dlq_normal_family = DLQ_FAMILY(
    "normal", DLQ_MEAN, DLQ_MEAN | DLQ_CV | DLQ_SD, "mean; cv or sd", "symmetric, cut off at 0; cv up to 0.75",
    normal_make, normal, normal_quantile, normal_log_density, 1, DLQ_SETS(dlq_vector_normal));

/* -- lognormal: a = mu, b = sigma of ln(X/mean). cv^2 = exp(sigma^2) - 1, mu = -sigma^2/2; median = exp(mu), and p99 is
   exp(2.3263479 sigma) times it (Johnson, Kotz & Balakrishnan 1994, ch. 14). cv = 1: sigma = 0.832555. -- */

static bool lognormal_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    double cv;
    bool by_quantiles = !isnan(given->median) || !isnan(given->p99);
    if (by_quantiles && (!isnan(given->mean) || !isnan(given->cv) || !isnan(given->sd)))
        return dlq_refuse(refusal, !isnan(given->median) ? DLQ_MEDIAN : DLQ_P99,
                          "contradicts mean, cv or sd: give mean with cv or sd, or median with p99");
    if (!by_quantiles) {
        if (isnan(given->mean))
            return dlq_refuse(refusal, DLQ_MEAN, "is missing");
        if (!dlq_set_mean_and_cv(dist, given, DLQ_CV_LEAST, DLQ_CV_MOST, &cv, refusal))
            return false;
        dist->a = -dlq_log1p(cv * cv) / 2;
        dist->b = sqrt(dlq_log1p(cv * cv));
        return true;
    }
    double most = sqrt(dlq_log1p(DLQ_CV_MOST * (double)DLQ_CV_MOST));
    if (isnan(given->median))
        return dlq_refuse(refusal, DLQ_MEDIAN, "is missing");
    if (!(given->p99 >= given->median))
        return dlq_refuse(refusal, DLQ_P99, "is missing or below the median");
    double sigma = dlq_log(given->p99 / given->median) / dlq_normal_upper_at(0.01);
    double mean = given->median * dlq_exp(sigma * sigma / 2);
    if (!(sigma <= most && mean <= DLQ_TIME_MOST))
        return dlq_refuse(refusal, DLQ_P99, "is too far above the median (at most %.0f times it)",
                          dlq_exp(most * dlq_normal_upper_at(0.01)));
    if (sigma < DLQ_CV_LEAST) {
        dlq_constant_set(dist, given->median);
        return true;
    }
    dlq_set_moments(dist, mean, sqrt(dlq_expm1(sigma * sigma)));
    dist->a = -sigma * sigma / 2;
    dist->b = sigma;
    return true;
}

static double lognormal_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    if (!(x > 0))
        return upper ? 1 : 0;
    double z = (dlq_log(x / dist->scale) - dist->a) / dist->b;
    return dlq_normal_survival_at(upper ? z : -z);
}

static void lognormal_survivals(const struct dlq_dist *dist, double *x, size_t n)
{
    bool usual = true; /* in the range of dlq_log_core */
    for (size_t i = 0; i < n; i++) {
        x[i] /= dist->scale;
        usual = usual && x[i] >= DBL_MIN && x[i] <= DBL_MAX;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = ((usual ? dlq_log_core(x[i]) : dlq_log(x[i])) - dist->a) / dist->b;
    dlq_normal_survivals(x, n);
}

static double lognormal_quantile(const struct dlq_dist *dist, double p, bool upper)
{
    double spread = dist->b * dlq_normal_upper_at(p);
    return dist->scale * dlq_exp(upper ? dist->a + spread : dist->a - spread);
}

static double lognormal_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->scale * dlq_exp(dist->a + gsl_ran_gaussian_ziggurat(rng, dist->b));
}

static double lognormal_log_density(const struct dlq_dist *dist, bool constant_terms, double ratio)
{
    if (constant_terms)
        return -dlq_log(dist->b * sqrt(2 * M_PI));
    double log_ratio = dlq_log(ratio), z = (log_ratio - dist->a) / dist->b;
    return -z * z / 2 - log_ratio;
}

const struct dlq_family dlq_lognormal_family = DLQ_FAMILY(
    "lognormal", 0, DLQ_MEAN | DLQ_CV | DLQ_SD | DLQ_MEDIAN | DLQ_P99, "mean and cv or sd; or median and p99",
    "the usual shape of load times: a body and a long tail", lognormal_make, lognormal, lognormal_quantile,
    lognormal_log_density, 1, DLQ_SETS(dlq_vector_lognormal), lognormal_survivals);
