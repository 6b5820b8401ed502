/* The families gamma and erlang. GSL 2.7.1 computes single draws, and the distribution function up to shape 1e4 (above
   9e4 some values are wrong in the seventh digit). GSL's quantiles are not used: they fail silently for shapes below
   0.1 and above 1e4. */
#include "base/elementary.h"
#include "dist/families.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_log.h>
#include <math.h>

static const double most_cv = 10, least_shape_of_series = 1e4;

void dlq_gamma_set(struct dlq_dist *dist, double mean, double shape)
{
    dlq_set_moments(dist, mean, 1 / sqrt(shape));
    dist->a = shape;
    dist->b = 1 / shape;
}

/* cv = 1/sqrt(k): Johnson, Kotz & Balakrishnan 1994, Continuous Univariate Distributions 1, ch. 17. */
static bool gamma_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    double cv;
    if (!dlq_set_mean_and_cv(dist, given, DLQ_CV_LEAST, most_cv, &cv, refusal))
        return false;
    if (cv > 0)
        dlq_gamma_set(dist, given->mean, 1 / (cv * cv));
    return true;
}

static bool erlang_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    if (given->stages != floor(given->stages))
        return dlq_refuse(refusal, DLQ_STAGES, "%g is not a whole number", given->stages);
    dlq_gamma_set(dist, given->mean, given->stages);
    return true;
}

/* Temme 1979, "The asymptotic expansion of the incomplete gamma functions", SIAM J. Math. Anal. 10; DLMF 8.12.3-10:
       P = erfc(-eta sqrt(k/2))/2 - S,  Q = erfc(eta sqrt(k/2))/2 + S,  S ~ exp(-k eta^2/2)/sqrt(2 pi k) (c0 + c1/k),
   k the shape, u the time in units of the mean, eta has the sign of u - 1 and eta^2/2 = u - 1 - ln u, c0 = 1/(u - 1) -
   1/eta, c1 = -1/540 - eta/288 near eta = 0, where alone S matters. Error below 1e-12 for k >= 1e4. k = 1e6, u = 1:
   P = 0.50013298076087. Smaller shapes use GSL's functions, which return NAN at infinity and near infinity. */
static double gamma_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    double u = x / dist->scale;
    if (u > 1e300)
        return upper ? 0 : 1;
    const double shape = dist->a;
    if (shape <= least_shape_of_series)
        return upper ? gsl_cdf_gamma_Q(u, shape, dist->b) : gsl_cdf_gamma_P(u, shape, dist->b);
    if (u <= 0)
        return upper ? 1 : 0;
    double eta = sqrt(2 * (fabs(u - 1) < 0.5 ? -gsl_sf_log_1plusx_mx(u - 1) : u - 1 - dlq_log(u)));
    if (u < 1)
        eta = -eta;
    double c0 = fabs(eta) < 1e-3 ? -1.0 / 3 + eta * (1.0 / 12 - eta * 2 / 135) : 1 / (u - 1) - 1 / eta;
    double c1 = -1.0 / 540 - eta / 288;
    double s = dlq_exp(-shape * eta * eta / 2) / sqrt(2 * M_PI * shape) * (c0 + c1 / shape);
    double value = upper ? erfc(eta * sqrt(shape / 2)) / 2 + s : erfc(-eta * sqrt(shape / 2)) / 2 - s;
    return fmin(fmax(value, 0), 1);
}

/* The next uniform of SplitMix64 (Steele, Lea & Flood 2014). */
static double uniform_after(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t mixed = *state;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    return ((double)(mixed >> 11) + 0.5) * 0x1p-53;
}

/* Marsaglia & Tsang 2000, "A simple method for generating gamma variables", ACM TOMS 26: d, c and v are theirs. */
double dlq_gamma_anew(double shape, double u)
{
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    uint64_t state = (uint64_t)(u * 0x1p53);
    for (;;) {
        double z = dlq_normal_upper_at(uniform_after(&state)), base = 1 + c * z, v = base * base * base;
        if (base > 0 && dlq_log(uniform_after(&state)) < z * z / 2 + d - d * v + d * dlq_log(v))
            return d * v;
    }
}

static double gamma_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dist->scale * gsl_ran_gamma(rng, dist->a, dist->b);
}

static double gamma_log_density(const struct dlq_dist *dist, bool constant_terms, double ratio)
{
    if (constant_terms)
        return dist->a * dlq_log(dist->a) - dlq_log_gamma(dist->a);
    return (dist->a - 1) * dlq_log(ratio) - dist->a * ratio;
}

const struct dlq_family dlq_gamma_family =
    DLQ_FAMILY("gamma", DLQ_MEAN, DLQ_MEAN | DLQ_CV | DLQ_SD, "mean; cv or sd", "light tail; cv up to 10", gamma_make,
               gamma, NULL, gamma_log_density, DLQ_UNIFORMS_BY_SHAPE, DLQ_SETS(dlq_vector_gamma));
const struct dlq_family dlq_erlang_family =
    DLQ_FAMILY("erlang", DLQ_MEAN | DLQ_STAGES, DLQ_MEAN | DLQ_STAGES, "mean; stages",
               "a sum of that many exponential times; cv 1/sqrt(stages)", erlang_make, gamma, NULL, gamma_log_density,
               DLQ_UNIFORMS_BY_SHAPE, DLQ_SETS(dlq_vector_gamma));
