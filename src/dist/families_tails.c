/* The families weibull, exponential, pareto and hyperexponential, which differ in their tails. */
#include "base/elementary.h"
#include "dist/families.h"

#include <gsl/gsl_randist.h>
#include <math.h>

/* -- Weibull: P(X > x) = exp(-(x/lambda)^k); a = lambda in units of the mean, b = k, c = 1/k -- */

/* ln(1 + cv^2) = ln Gamma(1 + 2 e) - 2 ln Gamma(1 + e), e = 1/k: Johnson, Kotz & Balakrishnan 1994, Continuous
   Univariate Distributions 1, ch. 21. k = 1: ln 2; k = 2: ln(4/pi). Falls with k. For small e, where the difference
   would lose digits, by the series of ln Gamma (DLMF 5.7.3): sum over j >= 2 of (-e)^j (2^j - 2) zeta(j)/j. */
static double log_second_moment(double shape)
{
    double e = 1 / shape;
    if (e > 1e-3)
        return dlq_log_gamma(1 + 2 * e) - 2 * dlq_log_gamma(1 + e);
    return e * e *
           (1.6449340668482264 -
            e * (2.4041138063191886 - e * (3.7881313179889835 - e * (6.2215665308602195 - e * 10.512544973839306))));
}

static double second_moment_excess(double log_shape, void *target)
{
    return log_second_moment(dlq_exp(log_shape)) - *(double *)target;
}

static bool weibull_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    double cv, shape = given->shape;
    if (!isnan(shape) && (!isnan(given->cv) || !isnan(given->sd)))
        return dlq_refuse(refusal, DLQ_SHAPE, "contradicts cv or sd: give one of them");
    if (isnan(shape)) {
        if (!dlq_set_mean_and_cv(dist, given, DLQ_CV_LEAST, DLQ_CV_MOST, &cv, refusal))
            return false;
        if (cv == 0)
            return true;
        double target = dlq_log1p(cv * cv);
        shape = dlq_exp(
            dlq_root(second_moment_excess, &target, dlq_log(DLQ_SHAPE_LEAST), dlq_log(DLQ_SHAPE_MOST), 1e-15, 0));
        if (isnan(shape))
            return dlq_refuse(refusal, DLQ_CV, "no Weibull distribution has a cv of %g", cv);
    }
    dlq_set_moments(dist, given->mean, sqrt(dlq_expm1(log_second_moment(shape))));
    dist->a = dlq_exp(-dlq_log_gamma(1 + 1 / shape));
    dist->b = shape;
    dist->c = 1 / shape;
    return true;
}

static double weibull_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    double power = -dlq_pow(x / (dist->scale * dist->a), dist->b);
    return upper ? dlq_exp(power) : -dlq_expm1(power);
}

static double weibull_quantile(const struct dlq_dist *dist, double p, bool upper)
{
    return dist->scale * (dist->a * dlq_pow(upper ? -dlq_log(p) : -dlq_log1p(-p), dist->c));
}

static double weibull_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->scale * (dist->b == 1 ? gsl_ran_exponential(rng, dist->a) : gsl_ran_weibull(rng, dist->a, dist->b));
}

static double weibull_log_density(const struct dlq_dist *dist, bool constant_terms, double ratio)
{
    if (constant_terms)
        return dlq_log(dist->b / dist->a);
    double log_z = dlq_log(ratio / dist->a);
    return (dist->b - 1) * log_z - dlq_exp(dist->b * log_z);
}

const struct dlq_family dlq_weibull_family =
    DLQ_FAMILY("weibull", DLQ_MEAN, DLQ_MEAN | DLQ_CV | DLQ_SD | DLQ_SHAPE, "mean; cv or sd or shape",
               "tail heavier (shape < 1) or lighter (> 1) than exponential", weibull_make, weibull, weibull_quantile,
               weibull_log_density, 1, DLQ_SETS(dlq_vector_weibull));

/* Exponential: Weibull of shape 1. */
static bool exponential_make(struct dlq_dist *dist, const struct dlq_parameters *given,
                             const struct dlq_refusal *refusal)
{
    (void)refusal;
    dlq_set_moments(dist, given->mean, 1);
    dist->a = dist->b = dist->c = 1;
    return true;
}

const struct dlq_family dlq_exponential_family =
    DLQ_FAMILY("exponential", DLQ_MEAN, DLQ_MEAN, "mean", "memoryless; cv 1; what most theory is about",
               exponential_make, weibull, weibull_quantile, weibull_log_density, 1, DLQ_SETS(dlq_vector_exponential));

/* -- Pareto: P(X > x) = (xm/x)^alpha; mean = alpha xm/(alpha - 1), cv^2 = 1/(alpha (alpha - 2)) (Johnson, Kotz &
   Balakrishnan 1994, ch. 20). alpha = 3: cv = 0.577350. a = xm in units of the mean, b = alpha. -- */

static bool pareto_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    double alpha = given->alpha;
    if (!(alpha > 1))
        return dlq_refuse(refusal, DLQ_ALPHA, "%g: a Pareto law has no mean unless alpha is above 1", alpha);
    dlq_set_moments(dist, given->mean, alpha > 2 ? 1 / sqrt(alpha * (alpha - 2)) : INFINITY);
    dist->a = (alpha - 1) / alpha;
    dist->b = alpha;
    return true;
}

static double pareto_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    double least = dist->scale * dist->a;
    if (!(x > least))
        return upper ? 1 : 0;
    return upper ? dlq_pow(least / x, dist->b) : -dlq_expm1(dist->b * dlq_log(least / x));
}

static double pareto_quantile(const struct dlq_dist *dist, double p, bool upper)
{
    return dist->scale * (dist->a * (upper ? dlq_pow(p, -1 / dist->b) : dlq_exp(-dlq_log1p(-p) / dist->b)));
}

static double pareto_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->scale * gsl_ran_pareto(rng, dist->b, dist->a);
}

static double pareto_log_density(const struct dlq_dist *dist, bool constant_terms, double ratio)
{
    if (constant_terms)
        return dlq_log(dist->b) + dist->b * dlq_log(dist->a);
    return ratio < dist->a ? -INFINITY : -(dist->b + 1) * dlq_log(ratio);
}

const struct dlq_family dlq_pareto_family =
    DLQ_FAMILY("pareto", DLQ_MEAN | DLQ_ALPHA, DLQ_MEAN | DLQ_ALPHA, "mean; alpha",
               "power-law tail; infinite variance where alpha <= 2", pareto_make, pareto, pareto_quantile,
               pareto_log_density, 1, DLQ_SETS(dlq_vector_pareto));

/* -- Hyperexponential with balanced means, p1 m1 = p2 m2 = m/2: p1 = (1 + r)/2 with r^2 = (cv^2 - 1)/(cv^2 + 1)
   (Tijms 1994, Stochastic Models, appendix B). cv = 2: p1 = 0.887298. a, b = p1, p2; c, d = rates times the mean. -- */

static bool hyperexponential_make(struct dlq_dist *dist, const struct dlq_parameters *given,
                                  const struct dlq_refusal *refusal)
{
    double cv;
    if (!dlq_set_mean_and_cv(dist, given, 1, DLQ_CV_MOST, &cv, refusal))
        return false;
    if (cv == 0)
        return true;
    double root = sqrt((cv * cv - 1) / (cv * cv + 1));
    dist->a = (1 + root) / 2;
    dist->b = 1 / ((cv * cv + 1) * (1 + root));
    dist->c = 2 * dist->a;
    dist->d = 2 * dist->b;
    return true;
}

static double hyperexponential_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    double u = x / dist->scale;
    if (upper)
        return dist->a * dlq_exp(-dist->c * u) + dist->b * dlq_exp(-dist->d * u);
    return -(dist->a * dlq_expm1(-dist->c * u) + dist->b * dlq_expm1(-dist->d * u));
}

static double hyperexponential_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    double rate = gsl_rng_uniform(rng) < dist->a ? dist->c : dist->d;
    return dist->scale * (gsl_ran_exponential(rng, 1) / rate);
}

/* The exponential of the slow branch is factored out, so that the logarithm stays finite for large ratios. */
static double hyperexponential_log_density(const struct dlq_dist *dist, bool constant_terms, double ratio)
{
    if (constant_terms)
        return 0;
    return dlq_log(dist->b * dist->d + dist->a * dist->c * dlq_exp(-(dist->c - dist->d) * ratio)) - dist->d * ratio;
}

const struct dlq_family dlq_hyperexponential_family =
    DLQ_FAMILY("hyperexponential", DLQ_MEAN, DLQ_MEAN | DLQ_CV | DLQ_SD, "mean; cv or sd",
               "two exponentials mixed; cv 1 and above", hyperexponential_make, hyperexponential, NULL,
               hyperexponential_log_density, 2, DLQ_SETS(dlq_vector_hyperexponential));
