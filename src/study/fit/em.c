/* Expectation-maximization where most loads are hidden. Stochastic EM (Celeux & Diebolt 1985, "The SEM algorithm",
   Comput. Stat. Quarterly 2): loads that were not measured are drawn from a distribution, and the distribution is
   fitted to them; from there on a simplex finds the largest likelihood of the waits. Where there may be a tail of slow
   loads, several distributions are worth beginning with. */
#include "base/elementary.h"
#include "stats/stats.h"
#include "study/fit/fit.h"

#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As dlq_fitted_make, which refuses constants. */
static bool make_dist(const struct dlq_family *family, const struct dlq_parameters *parameters, struct dlq_dist *dist)
{
    unsigned fault;
    char why[128];
    return dlq_dist_make(dist, family, parameters, &fault, why, sizeof why);
}

/* -- iterations of stochastic EM -- */

double dlq_fitted_mean(const struct dlq_fitted *fitted)
{
    return fitted->dist.mean + (fitted->has_tail ? fitted->tail_probability * fitted->tail.mean : 0);
}

void dlq_em_complete(struct dlq_em *em, bool resample)
{
    for (size_t i = 0; i < em->links->count; i++)
        if (em->links->links[i].counts) {
            double load = em->imputer.loads[i];
            double weight = resample ? -dlq_log(gsl_rng_uniform_pos(em->rng)) : 1;
            em->completed[em->count++] = (struct dlq_observed){load, load, weight};
        }
}

enum dlq_fit_result dlq_em_fit_plain(size_t which, const struct dlq_observed *observed, size_t n,
                                     struct dlq_fitted *fitted)
{
    struct dlq_observations seen, few;
    enum dlq_status status = dlq_observations_make(&seen, observed, n, NULL);
    if (status != DLQ_OK)
        return status == DLQ_FAILURE ? DLQ_NO_MEMORY : DLQ_NOT_FITTED;
    enum dlq_fit_result result = DLQ_NO_MEMORY;
    if (dlq_observations_thin(&few, &seen, NULL) == DLQ_OK) {
        result = dlq_fit_plain(which, &seen, &few, fitted);
        dlq_observations_free(&few);
    }
    dlq_observations_free(&seen);
    return result;
}

/* Chance that a time has the tail in it. */
static double tail_chance(const struct dlq_tailed *whole, const struct dlq_density *usual, double probability, double x)
{
    double without = dlq_log1p(-probability) + dlq_log_density(usual, x), all = dlq_tailed_log_density(whole, x);
    return isfinite(all) ? fmin(fmax(1 - dlq_exp(without - all), 0), 1) : 1;
}

/* Each time has the tail in it or not, by chance, given the distribution so far: what is left over the usual mean is
 * the tail's.
 */
static size_t split(struct dlq_em *em, const struct dlq_fitted *fitted, struct dlq_observed *usual, size_t *tails)
{
    struct dlq_tailed whole;
    struct dlq_density plain;
    size_t usuals = 0, n = em->count;
    dlq_tailed_of(&whole, &fitted->dist, &fitted->tail, fitted->tail_probability);
    dlq_density_of(&plain, &fitted->dist);
    *tails = 0;
    for (size_t i = 0; i < n; i++) {
        struct dlq_observed one = em->completed[i];
        bool tail = one.low > fitted->dist.mean &&
                    gsl_rng_uniform(em->rng) < tail_chance(&whole, &plain, fitted->tail_probability, one.low);
        if (tail) {
            one.low = one.high = one.low - fitted->dist.mean;
            usual[n - ++*tails] = one;
        } else {
            usual[usuals++] = one;
        }
    }
    return usuals;
}

static double total_weight(const struct dlq_observed *observed, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += observed[i].weight;
    return sum;
}

/* One part of a distribution with a tail; where all its times are the same to within what the family can be, a
 * constant. */
static enum dlq_fit_result fit_part(const struct dlq_family *family, const struct dlq_observed *observed, size_t n,
                                    struct dlq_fitted *fitted)
{
    static const char *const names[DLQ_PLAIN_FITS] = {"exponential", "gamma",   "lognormal", "weibull",
                                                      "pareto",      "uniform", "normal",    "hyperexponential"};
    size_t which = 0;
    while (which < DLQ_PLAIN_FITS && strcmp(names[which], family->name) != 0)
        which++;
    enum dlq_fit_result result = which < DLQ_PLAIN_FITS ? dlq_em_fit_plain(which, observed, n, fitted) : DLQ_NOT_FITTED;
    if (result != DLQ_NOT_FITTED)
        return result;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += observed[i].weight * observed[i].low;
    fitted->parameters = dlq_no_parameters;
    fitted->parameters.mean = sum / total_weight(observed, n);
    bool made = make_dist(dlq_family_find("constant"), &fitted->parameters, &fitted->dist);
    fitted->family = fitted->dist.family;
    return made ? DLQ_FITTED : DLQ_NOT_FITTED;
}

static enum dlq_fit_result fit_tailed(struct dlq_em *em, struct dlq_fitted *fitted)
{
    struct dlq_fitted usual, tail;
    struct dlq_observed *parts = calloc(em->count + 1, sizeof *parts);
    enum dlq_fit_result result = DLQ_NO_MEMORY;
    if (parts == NULL)
        return result;
    size_t tails, usuals = split(em, fitted, parts, &tails);
    result = DLQ_NOT_FITTED;
    if (usuals > 4 && tails > 4)
        result = fit_part(fitted->family, parts, usuals, &usual);
    if (result == DLQ_FITTED)
        result = fit_part(fitted->tail_family, parts + usuals, tails, &tail);
    if (result == DLQ_FITTED) {
        double heavy = total_weight(parts + usuals, tails);
        fitted->dist = usual.dist;
        fitted->family = usual.family;
        fitted->tail_family = tail.family;
        fitted->parameters = usual.parameters;
        fitted->tail = tail.dist;
        fitted->tail_parameters = tail.parameters;
        fitted->tail_probability = fmin(heavy / (heavy + total_weight(parts, usuals)), 0.5);
    }
    free(parts);
    return result;
}

bool dlq_em_refit(struct dlq_em *em, struct dlq_estimation *estimation)
{
    struct dlq_fitted fitted = estimation->fitted;
    enum dlq_fit_result result = estimation->plain == DLQ_TAILED
                                     ? fit_tailed(em, &fitted)
                                     : dlq_em_fit_plain(estimation->plain, em->completed, em->count, &fitted);
    if (result == DLQ_FITTED)
        estimation->fitted = fitted;
    em->count = 0;
    return result != DLQ_NO_MEMORY;
}

bool dlq_em_iterate(struct dlq_em *em, struct dlq_estimation *estimation, int count)
{
    bool enough = true;
    for (int k = 0; k < count && enough && !dlq_links_interrupted(em->links); k++) {
        dlq_impute(&em->imputer, &estimation->fitted);
        dlq_em_complete(em, false);
        enough = dlq_em_refit(em, estimation);
    }
    return enough;
}

/* -- the largest likelihood, and how sharp it is -- */

enum { MOST_PARAMETERS = 5, MOST_STEPS = 60, MOST_TAIL_STEPS = 90, TAIL_DESCENTS = 2, SEEDS = 3 };

/* A distribution as a point: the logs of its parameters; of alpha, of what it is above 1. */
struct point {
    struct dlq_imputer *imputer;
    uint64_t seed;
    const struct dlq_fitted *fitted;
    size_t dimensions;
    size_t fields[MOST_PARAMETERS]; /* of struct dlq_fitted, as offsets */
    double usual;                   /* ln mean of the usual part to begin with */
};

/* What is believed beforehand, for where most loads are hidden the waits tell neither: that hidden usual loads take
   what they are thought to take in the beginning, within a factor of a few (of ln mean); and that without a tail of its
   own a cv is not far above 1 (of ln cv). */
static const double usual_belief = 1, cv_belief = 0.5, most_cv = 10;

static double *field(struct dlq_fitted *fitted, size_t offset)
{
    return (double *)(void *)((char *)fitted + offset);
}

static double least_of(size_t offset)
{
    return offset == offsetof(struct dlq_fitted, parameters.alpha) ? 1 : 0;
}

static void begin_point(struct point *point, struct dlq_imputer *imputer, uint64_t seed,
                        const struct dlq_fitted *fitted)
{
    static const size_t all[] = {
        offsetof(struct dlq_fitted, parameters.mean),      offsetof(struct dlq_fitted, parameters.cv),
        offsetof(struct dlq_fitted, parameters.alpha),     offsetof(struct dlq_fitted, parameters.minimum),
        offsetof(struct dlq_fitted, parameters.maximum),   offsetof(struct dlq_fitted, tail_probability),
        offsetof(struct dlq_fitted, tail_parameters.mean), offsetof(struct dlq_fitted, tail_parameters.cv)};
    struct dlq_fitted copy = *fitted;
    size_t most = fitted->has_tail ? MOST_PARAMETERS : 2,
           fields = sizeof all / sizeof *all - (fitted->has_tail ? 0 : 3);
    *point = (struct point){.imputer = imputer, .seed = seed, .fitted = fitted};
    for (size_t i = 0; i < fields && point->dimensions < most; i++)
        if (*field(&copy, all[i]) > least_of(all[i]))
            point->fields[point->dimensions++] = all[i];
    point->usual = dlq_log(fitted->parameters.mean);
}

static bool fitted_at(const struct point *point, const double *at, struct dlq_fitted *fitted)
{
    *fitted = *point->fitted;
    for (size_t i = 0; i < point->dimensions; i++)
        *field(fitted, point->fields[i]) = least_of(point->fields[i]) + dlq_exp(at[i]);
    return fitted->has_tail ? dlq_tail_make(fitted)
                            : dlq_fitted_make(fitted->family->name, &fitted->parameters, &fitted->dist);
}

static void coordinates_of(const struct point *point, double *at)
{
    struct dlq_fitted fitted = *point->fitted;
    for (size_t i = 0; i < point->dimensions; i++)
        at[i] = dlq_log(*field(&fitted, point->fields[i]) - least_of(point->fields[i]));
}

static double doubt(const struct point *point, const struct dlq_fitted *fitted)
{
    double off = fitted->has_tail ? (dlq_log(fitted->parameters.mean) - point->usual) / usual_belief
                                  : dlq_log(fmin(fmax(dlq_dist_cv(&fitted->dist), 1), most_cv)) / cv_belief;
    return off * off / 2;
}

static double likelihood_at(const struct point *point, const double *at, uint32_t replication)
{
    struct dlq_fitted fitted;
    if (!fitted_at(point, at, &fitted))
        return -1e12;
    dlq_stream_start(point->imputer->rng, point->seed, replication, 1, DLQ_PURPOSE_LOAD);
    return dlq_waits_likelihood(point->imputer, &fitted) - doubt(point, &fitted);
}

/* With a tail of almost one time the likelihood depends much on which ends of loads the particles stand for: its mean
   over random numbers is taken, lest the best be a stroke of luck. */
static double cost(const gsl_vector *at, void *context)
{
    const struct point *point = context;
    const uint32_t seeds = point->fitted->has_tail ? SEEDS : 1;
    double sum = 0;
    for (uint32_t k = 0; k < seeds; k++)
        sum += likelihood_at(point, at->data, k);
    return -sum / seeds;
}

static void descend(gsl_multimin_fminimizer *simplex, struct point *point, const gsl_vector *from, gsl_vector *size)
{
    gsl_multimin_function function = {cost, point->dimensions, point};
    const size_t most = point->dimensions > 2 ? MOST_TAIL_STEPS : MOST_STEPS;
    gsl_vector_set_all(size, 0.15);
    gsl_multimin_fminimizer_set(simplex, &function, from, size);
    for (size_t k = 0; k < most && gsl_multimin_fminimizer_size(simplex) > 2e-3; k++)
        if (dlq_links_interrupted(point->imputer->links) || gsl_multimin_fminimizer_iterate(simplex) != 0)
            break;
}

bool dlq_likelihood_maximize(struct dlq_imputer *imputer, uint64_t seed, struct dlq_fitted *fitted, double *likelihood)
{
    struct point point;
    begin_point(&point, imputer, seed, fitted);
    gsl_multimin_fminimizer *simplex =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, point.dimensions);
    gsl_vector *at = gsl_vector_alloc(point.dimensions), *size = gsl_vector_alloc(point.dimensions);
    bool enough = simplex != NULL && at != NULL && size != NULL;
    if (enough)
        coordinates_of(&point, at->data);
    for (int k = 0; enough && k < (fitted->has_tail ? TAIL_DESCENTS : 1); k++) {
        descend(simplex, &point, at, size);
        gsl_vector_memcpy(at, simplex->x);
    }
    struct dlq_fitted best;
    if (enough && fitted_at(&point, at->data, &best)) {
        *fitted = best;
        *likelihood = -simplex->fval;
    }
    gsl_multimin_fminimizer_free(simplex);
    gsl_vector_free(at);
    gsl_vector_free(size);
    return enough;
}

/* Mean over random numbers. */
static double smooth_likelihood(const struct point *point, double first, double second)
{
    double at[MOST_PARAMETERS] = {0}, sum = 0;
    coordinates_of(point, at);
    at[0] += first;
    at[point->dimensions - 1] += second;
    for (uint32_t k = 0; k < SEEDS; k++)
        sum += likelihood_at(point, at, k) / SEEDS;
    return sum;
}

/* Minus the inverse of the matrix of second differences: its first element. With one parameter 1/a. */
double dlq_likelihood_variance(struct dlq_imputer *imputer, uint64_t seed, const struct dlq_fitted *fitted, double step)
{
    struct point point;
    begin_point(&point, imputer, seed, fitted);
    double h = step, middle = smooth_likelihood(&point, 0, 0);
    double a = (2 * middle - smooth_likelihood(&point, h, 0) - smooth_likelihood(&point, -h, 0)) / (h * h);
    if (point.dimensions < 2)
        return a > 0 ? 1 / a : NAN;
    double d = (2 * middle - smooth_likelihood(&point, 0, h) - smooth_likelihood(&point, 0, -h)) / (h * h);
    double both = (2 * middle - smooth_likelihood(&point, h, h) - smooth_likelihood(&point, -h, -h)) / (h * h);
    double b = (both - a - d) / 2, determinant = a * d - b * b;
    return a > 0 && determinant > 0 ? d / determinant : NAN;
}

/* -- distributions with a tail to begin with -- */

/* Fewer slow loads tell no distribution. Slow ones are longer than others by this factor. */
enum { LEAST_SLOW = 4 };
static const double least_gap = 1.5, usual_cv = 0.1, most_share = 0.4;

/* Usual loads that are hidden: somewhere between a tenth and all of what the loaders have time for. */
static const double hidden_share = 0.32;

bool dlq_tail_make(struct dlq_fitted *fitted)
{
    return fitted->tail_probability > 0 && fitted->tail_probability <= 0.5 &&
           dlq_fitted_make(fitted->family->name, &fitted->parameters, &fitted->dist) &&
           make_dist(fitted->tail_family, &fitted->tail_parameters, &fitted->tail);
}

static int rising(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The loads that ended while the trainer waited, rising: where they began is not always known, so at most these. null:
   no memory. */
static double *waited_for(const struct dlq_links *links, size_t *n)
{
    double *loads = calloc(links->exact + 1, sizeof *loads);
    *n = 0;
    for (size_t i = 0; loads != NULL && i < links->count; i++)
        if (links->links[i].exact && links->links[i].counts)
            loads[(*n)++] = links->links[i].done - links->links[i].ready;
    if (loads != NULL)
        qsort(loads, *n, sizeof *loads, rising);
    return loads;
}

/* How many are below the widest gap, in ratio; 0: there is none. */
static size_t below_gap(const double *loads, size_t n)
{
    double widest = least_gap;
    size_t below = 0;
    for (size_t i = 1; i + LEAST_SLOW <= n; i++)
        if (loads[i] > widest * loads[i - 1]) {
            widest = loads[i] / loads[i - 1];
            below = i;
        }
    return below;
}

/* usual: mean of what is below; slow: rising. */
static bool begin_with(struct dlq_fitted *fitted, double usual, const double *slow, size_t n, size_t all,
                       const char *family)
{
    struct dlq_spread spread = {0};
    for (size_t i = 0; i < n; i++)
        dlq_spread_add(&spread, slow[i], 1);
    bool constant = strcmp(family, "constant") == 0;
    *fitted = (struct dlq_fitted){.parameters = dlq_no_parameters,
                                  .tail_parameters = dlq_no_parameters,
                                  .family = dlq_family_find("lognormal"),
                                  .tail_family = dlq_family_find(family),
                                  .free_parameters = constant ? 4 : 5,
                                  .has_tail = true};
    double middle = constant ? slow[n / 2] : spread.mean;
    fitted->parameters.mean = fmin(usual, middle / 2);
    fitted->parameters.cv = usual_cv;
    fitted->tail_parameters.mean = middle - fitted->parameters.mean;
    if (!constant)
        fitted->tail_parameters.cv = fmin(fmax(dlq_spread_cv(&spread), 0.02), 2);
    fitted->tail_probability = fmin((double)n / (double)all, most_share);
    return dlq_tail_make(fitted);
}

bool dlq_tail_starts(const struct dlq_links *links, long loaders, struct dlq_fitted starts[DLQ_TAIL_STARTS],
                     size_t *count)
{
    static const char *const tails[] = {"constant", "lognormal"};
    size_t n;
    double *loads = waited_for(links, &n);
    *count = 0;
    if (loads == NULL)
        return false;
    size_t below[] = {0, below_gap(loads, n)};
    for (size_t k = 0; k < 2 && n >= LEAST_SLOW; k++) {
        if (k > 0 && below[k] == 0)
            continue;
        double sum = 0, hidden = hidden_share * (double)loaders * links->mean_step;
        for (size_t i = 0; i < below[k]; i++)
            sum += loads[i];
        double usual = below[k] > 0 ? sum / (double)below[k] : hidden;
        for (size_t t = 0; t < sizeof tails / sizeof *tails; t++)
            *count += begin_with(&starts[*count], usual, loads + below[k], n - below[k], links->counted, tails[t]);
    }
    free(loads);
    return true;
}
