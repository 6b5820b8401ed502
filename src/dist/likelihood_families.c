/* Plain families: in closed form or by one root where all times are exact, by the simplex where some are bounded. */
#include "base/elementary.h"
#include "dist/families.h"
#include "dist/likelihood.h"

#include <math.h>

/* A Pareto distribution's mean is a guess below: alpha - 1 is what the mean is divided by. */
static const double least_alpha = 1.05, most_alpha = 1e4;

/* One row per family; Without a distribution to give `direct` leaves a parameter NAN. */
struct fit_row {
    const char *family;
    int free_parameters;
    void (*direct)(const struct dlq_observations *seen, struct dlq_parameters *parameters);
    /* for the simplex: from the logs of parameters, and where it begins */
    void (*parameters_at)(const struct fit_row *row, const struct dlq_observations *seen, const double *at,
                          struct dlq_parameters *parameters);
    void (*start)(const struct fit_row *row, const struct dlq_observations *seen, double *at);
    double least_cv, low, high; /* cv = least_cv + exp(at[1]), which begins within low..high; not fitted to less */
};

bool dlq_fitted_make(const char *family, const struct dlq_parameters *parameters, struct dlq_dist *dist)
{
    return dlq_dist_make(dist, dlq_family_find(family), parameters, NULL, NULL, 0) && !dlq_dist_is_constant(dist);
}

/* -- mean and cv -- */

static void moments_at(const struct fit_row *row, const struct dlq_observations *seen, const double *at,
                       struct dlq_parameters *parameters)
{
    (void)seen;
    parameters->mean = dlq_exp(at[0]);
    if (row->free_parameters == 2)
        parameters->cv = row->least_cv + dlq_exp(at[1]);
}

static void start_moments(const struct fit_row *row, const struct dlq_observations *seen, double *at)
{
    at[0] = dlq_log(seen->mean);
    at[1] = row->free_parameters == 2 ? dlq_log(fmin(fmax(seen->cv - row->least_cv, row->low), row->high)) : 0;
}

static void exponential_direct(const struct dlq_observations *seen, struct dlq_parameters *parameters)
{
    parameters->mean = seen->mean;
}

/* A normal distribution cut off at 0 is an exponential family of x and x^2: the best one has their means, so the mean
   and the cv of the sample. */
static void normal_direct(const struct dlq_observations *seen, struct dlq_parameters *parameters)
{
    parameters->mean = seen->mean;
    parameters->cv = seen->cv;
}

static void lognormal_direct(const struct dlq_observations *seen, struct dlq_parameters *parameters)
{
    double squares = 0;
    for (size_t i = 0; i < seen->exacts; i++)
        squares += seen->exact[i].weight * dlq_square(dlq_log(seen->exact[i].low) - seen->mean_log);
    double variance = squares / seen->weight;
    parameters->mean = dlq_exp(seen->mean_log + variance / 2);
    parameters->cv = sqrt(dlq_expm1(variance));
}

/* ln k - psi(k), the digamma function by its series above 10 (Abramowitz & Stegun 1964, 6.3.18), below by psi(k + 1) =
   psi(k) + 1/k. k = 1: 0.5772156649015329. */
static double log_less_digamma(double k)
{
    double at = k, sum = 0;
    while (at < 10) {
        sum += 1 / at;
        at += 1;
    }
    double square = 1 / (at * at);
    return dlq_log(k / at) + sum + 1 / (2 * at) +
           square *
               (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240 - square * (1.0 / 132)))));
}

static double gamma_excess(double log_shape, void *difference)
{
    return log_less_digamma(dlq_exp(log_shape)) - *(double *)difference;
}

/* ln k - psi(k) = ln mean - mean ln (Johnson, Kotz & Balakrishnan 1994, ch. 17). Difference 0.5772156649: k = 1. */
static void gamma_direct(const struct dlq_observations *seen, struct dlq_parameters *parameters)
{
    double difference = dlq_log(seen->mean) - seen->mean_log;
    double root = dlq_root(gamma_excess, &difference, dlq_log(1e-3), dlq_log(1e8), 1e-12, 0);
    parameters->mean = seen->mean;
    parameters->cv = dlq_exp(-root / 2);
}

static double weibull_excess(double log_shape, void *context)
{
    const struct dlq_observations *seen = context;
    double shape = dlq_exp(log_shape), powers = 0, products = 0;
    for (size_t i = 0; i < seen->exacts; i++) {
        double below = dlq_log(seen->exact[i].low / seen->most), power = seen->exact[i].weight * dlq_exp(shape * below);
        powers += power;
        products += power * below;
    }
    return products / powers - (seen->mean_log - dlq_log(seen->most)) - 1 / shape;
}

/* sum x^k ln x / sum x^k - mean ln x = 1/k and lambda^k = mean x^k (Johnson, Kotz & Balakrishnan 1994, ch. 21); x in
   units of the largest, so that no power overflows. */
static void weibull_direct(const struct dlq_observations *seen, struct dlq_parameters *parameters)
{
    double shape = dlq_exp(dlq_root(weibull_excess, (void *)seen, dlq_log(0.05), dlq_log(2e4), 1e-12, 0)), powers = 0;
    for (size_t i = 0; i < seen->exacts; i++)
        powers += seen->exact[i].weight * dlq_exp(shape * dlq_log(seen->exact[i].low / seen->most));
    double gamma = dlq_log_gamma(1 + 1 / shape);
    parameters->mean = seen->most * dlq_pow(powers / seen->weight, 1 / shape) * dlq_exp(gamma);
    parameters->cv = sqrt(dlq_expm1(dlq_log_gamma(1 + 2 / shape) - 2 * gamma));
}

/* -- distributions whose likelihood is largest at their end: the end is put where it is expected, a mean gap between
   values outside of the outermost, not at that value -- */

/* The minimum lies a factor exp(1/(n alpha)) below the least value: that is what the least of n lies above it on
   average. at: ln of (alpha - 1), ln of what the minimum's log lies lower still. */
static void pareto_parameters(const struct dlq_observations *seen, double alpha, double lower,
                              struct dlq_parameters *parameters)
{
    alpha = fmin(fmax(alpha, least_alpha), most_alpha);
    parameters->alpha = alpha;
    parameters->mean = seen->least * dlq_exp(-1 / (seen->weight * alpha) - lower) * alpha / (alpha - 1);
}

static void pareto_at(const struct fit_row *row, const struct dlq_observations *seen, const double *at,
                      struct dlq_parameters *parameters)
{
    (void)row;
    pareto_parameters(seen, 1 + dlq_exp(at[0]), dlq_exp(at[1]), parameters);
}

static void start_pareto(const struct fit_row *row, const struct dlq_observations *seen, double *at)
{
    (void)row;
    at[0] = dlq_log(1 + 1 / fmax(seen->cv, 0.01));
    at[1] = dlq_log(0.1);
}

/* alpha = n / sum ln(x / min) (Johnson, Kotz & Balakrishnan 1994, ch. 20). */
static void pareto_direct(const struct dlq_observations *seen, struct dlq_parameters *parameters)
{
    pareto_parameters(seen, 1 / (seen->mean_log - dlq_log(seen->least)), 0, parameters);
}

static void uniform_ends(const struct dlq_observations *seen, double lower, double higher,
                         struct dlq_parameters *parameters)
{
    double range = seen->most - seen->least, gap = range / fmax(seen->weight - 1, 1);
    double minimum = seen->least - gap - lower * range;
    parameters->minimum = minimum < DLQ_TIME_LEAST ? 0 : minimum;
    parameters->maximum = seen->most + gap + higher * range;
}

static void uniform_at(const struct fit_row *row, const struct dlq_observations *seen, const double *at,
                       struct dlq_parameters *parameters)
{
    (void)row;
    uniform_ends(seen, dlq_exp(at[0]), dlq_exp(at[1]), parameters);
}

static void start_uniform(const struct fit_row *row, const struct dlq_observations *seen, double *at)
{
    (void)row, (void)seen;
    at[0] = at[1] = dlq_log(0.1);
}

static void uniform_direct(const struct dlq_observations *seen, struct dlq_parameters *parameters)
{
    uniform_ends(seen, 0, 0, parameters);
}

static const struct fit_row rows[DLQ_PLAIN_FITS] = {
    {"exponential", 1, exponential_direct, moments_at, start_moments, 0, 0, 0},
    {"gamma", 2, gamma_direct, moments_at, start_moments, 0, 0.01, 3},
    {"lognormal", 2, lognormal_direct, moments_at, start_moments, 0, 0.01, 3},
    {"weibull", 2, weibull_direct, moments_at, start_moments, 0, 0.01, 3},
    {"pareto", 2, pareto_direct, pareto_at, start_pareto, 0, 0, 0},
    {"uniform", 2, uniform_direct, uniform_at, start_uniform, 0, 0, 0},
    {"normal", 2, normal_direct, moments_at, start_moments, 0, 0.01, 0.7},
    {"hyperexponential", 2, NULL, moments_at, start_moments, 1, 0.1, 5}, /* no closed form */
};

struct search {
    const struct fit_row *row;
    const struct dlq_observations *seen;
};

static double likelihood_at(const double *at, void *context)
{
    const struct search *search = context;
    struct dlq_parameters parameters = dlq_no_parameters;
    struct dlq_dist dist;
    struct dlq_tailed tailed;
    search->row->parameters_at(search->row, search->seen, at, &parameters);
    if (!dlq_fitted_make(search->row->family, &parameters, &dist))
        return -INFINITY;
    dlq_tailed_of(&tailed, &dist, NULL, 0);
    return dlq_log_likelihood(search->seen, &tailed);
}

enum dlq_fit_result dlq_fit_plain(size_t which, const struct dlq_observations *seen, const struct dlq_observations *few,
                                  struct dlq_fitted *fitted)
{
    const struct fit_row *row = &rows[which];
    struct dlq_fitted made = {.parameters = dlq_no_parameters, .tail_parameters = dlq_no_parameters};
    if (seen->cv < row->least_cv)
        return DLQ_NOT_FITTED;
    if (row->direct != NULL && seen->bounds == 0) {
        row->direct(seen, &made.parameters);
    } else {
        struct search search = {row, few};
        struct dlq_objective objective = {likelihood_at, &search, (size_t)row->free_parameters, 1e-5};
        double at[DLQ_MOST_DIMENSIONS], value;
        row->start(row, few, at);
        if (!dlq_maximize(&objective, at, 1e-3, &value))
            return DLQ_NO_MEMORY;
        if (isfinite(value))
            row->parameters_at(row, few, at, &made.parameters);
    }
    if (!dlq_fitted_make(row->family, &made.parameters, &made.dist))
        return DLQ_NOT_FITTED;
    made.family = made.dist.family;
    made.free_parameters = row->free_parameters;
    *fitted = made;
    return DLQ_FITTED;
}
