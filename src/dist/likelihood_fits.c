/* Families fitted to observed times: closed forms where all times are exact and there is one, else by the simplex from
   the logs of parameters. A usual distribution with a tail in a share of the batches: from the best way to part the
   usual from the slow times. */
#include "base/elementary.h"
#include "dist/families.h"
#include "dist/likelihood.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 400, MOST_STARTS = 4 };

struct row {
    const char *family, *tail;
    int free_parameters; /* and dimensions */
    bool closed;         /* where all times are exact, where the search would begin is the best */
    void (*start)(const struct row *row, const struct dlq_observations *seen, double *at);
    void (*parameters_at)(const struct row *row, const struct dlq_observations *seen, const double *at,
                          struct dlq_parameters *parameters);
    double least_cv, low, high; /* cv = least_cv + exp(at[1]), which begins within low..high; not fitted to less */
};

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* -- mean and cv -- */

static void moments_at(const struct row *row, const struct dlq_observations *seen, const double *at,
                       struct dlq_parameters *parameters)
{
    (void)seen;
    parameters->mean = dlq_exp(at[0]);
    if (row->free_parameters > 1)
        parameters->cv = row->least_cv + dlq_exp(at[1]);
}

/* A normal distribution cut off at 0 is an exponential family of x and x^2: the best one has their means, so the mean
   and the cv of the sample. */
static void start_moments(const struct row *row, const struct dlq_observations *seen, double *at)
{
    bool exact = row->closed && seen->bounds == 0;
    at[0] = dlq_log(seen->mean);
    at[1] = dlq_log(exact ? seen->cv : clamp(seen->cv - row->least_cv, row->low, row->high));
}

static void start_lognormal(const struct row *row, const struct dlq_observations *seen, double *at)
{
    double squares = 0;
    if (seen->bounds > 0) {
        start_moments(row, seen, at);
        return;
    }
    for (size_t i = 0; i < seen->exacts; i++)
        squares += seen->exact[i].weight * dlq_square(dlq_log(seen->exact[i].low) - seen->mean_log);
    at[0] = seen->mean_log + squares / seen->weight / 2;
    at[1] = dlq_log(dlq_expm1(squares / seen->weight)) / 2;
}

/* -- distributions whose likelihood is largest at their end: the end is put where it is expected, a mean gap between
   values outside of the outermost, not at that value -- */

/* at: ln of (alpha - 1), ln of what the minimum's log lies lower still than it is expected: a factor exp(1/(n alpha))
   below the least value, as that is what the least of n lies above it on average. */
static void pareto_at(const struct row *row, const struct dlq_observations *seen, const double *at,
                      struct dlq_parameters *parameters)
{
    const double least_alpha = 1.05, most_alpha = 1e4, alpha = clamp(1 + dlq_exp(at[0]), least_alpha, most_alpha);
    (void)row;
    parameters->alpha = alpha;
    parameters->mean = seen->least * dlq_exp(-1 / (seen->weight * alpha) - dlq_exp(at[1])) * alpha / (alpha - 1);
}

/* alpha = n / sum ln(x / min) (Johnson, Kotz & Balakrishnan 1994, ch. 20). */
static void start_pareto(const struct row *row, const struct dlq_observations *seen, double *at)
{
    bool exact = seen->bounds == 0;
    (void)row;
    at[0] = dlq_log(exact ? fmax(1 / (seen->mean_log - dlq_log(seen->least)) - 1, 0) : 1 + 1 / fmax(seen->cv, 0.01));
    at[1] = exact ? -INFINITY : dlq_log(0.1);
}

/* at: ln of how far the ends lie beyond where they are expected, in ranges of the times. */
static void uniform_at(const struct row *row, const struct dlq_observations *seen, const double *at,
                       struct dlq_parameters *parameters)
{
    double range = seen->most - seen->least, gap = range / fmax(seen->weight - 1, 1);
    double minimum = seen->least - gap - dlq_exp(at[0]) * range;
    (void)row;
    parameters->minimum = minimum < DLQ_TIME_LEAST ? 0 : minimum;
    parameters->maximum = seen->most + gap + dlq_exp(at[1]) * range;
}

static void start_uniform(const struct row *row, const struct dlq_observations *seen, double *at)
{
    (void)row;
    at[0] = at[1] = seen->bounds == 0 ? -INFINITY : dlq_log(0.1);
}

/* Those with a tail come last. */
static const struct row rows[DLQ_PLAIN_FITS + DLQ_TAILED_FITS] = {
    {"exponential", NULL, 1, true, start_moments, moments_at, 0, 0.01, 3},
    {"gamma", NULL, 2, false, start_moments, moments_at, 0, 0.01, 3},
    {"lognormal", NULL, 2, true, start_lognormal, moments_at, 0, 0.01, 3},
    {"weibull", NULL, 2, false, start_moments, moments_at, 0, 0.01, 3},
    {"pareto", NULL, 2, true, start_pareto, pareto_at, 0, 0, 0},
    {"uniform", NULL, 2, true, start_uniform, uniform_at, 0, 0, 0},
    {"normal", NULL, 2, true, start_moments, moments_at, 0, 0.01, 0.7},
    {"hyperexponential", NULL, 2, false, start_moments, moments_at, 1, 0.1, 5},
    {"lognormal", "constant", 4, false, NULL, moments_at, 0, 0, 0},
    {"gamma", "constant", 4, false, NULL, moments_at, 0, 0, 0},
    {"lognormal", "exponential", 4, false, NULL, moments_at, 0, 0, 0},
    {"gamma", "exponential", 4, false, NULL, moments_at, 0, 0, 0},
    {"lognormal", "lognormal", 5, false, NULL, moments_at, 0, 0, 0},
    {"gamma", "lognormal", 5, false, NULL, moments_at, 0, 0, 0},
};

/* -- likelihood of a point -- */

/* Too few slow times tell nothing. A usual distribution narrower than 1 % would be a spike at equal times, and would
   leave to the tail what is just a little late; a wider one than most_usual_cv may have its own spike at 0, to be put
   anywhere by the tail. A tail within least_separation standard deviations of the usual one is its shape. */
static const double least_slow = 4, most_probability = 0.5, least_usual_cv = 0.01, most_usual_cv = 0.8,
                    least_tail_cv = 0.01, most_tail_cv = 3, least_separation = 2;

/* Behind the usual mean and cv of a distribution with a tail: the logit of probability / 0.5, ln of the tail's mean,
   and of its cv. false: no such distribution, or one that the guards above exclude. */
static bool fitted_at(const struct row *row, const struct dlq_observations *seen, const double *at,
                      struct dlq_fitted *fitted)
{
    const struct dlq_parameters none = dlq_no_parameters;
    struct dlq_parameters *usual = &fitted->parameters, *tail = &fitted->tail_parameters;
    *fitted = (struct dlq_fitted){
        .parameters = none, .tail_parameters = none, .free_parameters = row->free_parameters, .row = (int)(row - rows)};
    memcpy(fitted->at, at, (size_t)row->free_parameters * sizeof *at);
    row->parameters_at(row, seen, at, usual);
    if (row->tail != NULL) {
        usual->cv = fmax(usual->cv, least_usual_cv);
        fitted->tail_probability = most_probability / (1 + dlq_exp(-at[2]));
        tail->mean = dlq_exp(at[3]);
        if (row->free_parameters > 4)
            tail->cv = fmax(dlq_exp(at[4]), least_tail_cv);
        if (!(usual->cv <= most_usual_cv) || tail->cv > most_tail_cv ||
            fitted->tail_probability * seen->weight < least_slow ||
            tail->mean < least_separation * usual->mean * usual->cv ||
            !dlq_dist_make(&fitted->tail, dlq_family_find(row->tail), tail, NULL, NULL, 0))
            return false;
        fitted->has_tail = true;
        fitted->tail_family = fitted->tail.family;
    }
    if (!dlq_dist_make(&fitted->dist, dlq_family_find(row->family), usual, NULL, NULL, 0) ||
        dlq_dist_is_constant(&fitted->dist))
        return false;
    fitted->family = fitted->dist.family;
    return true;
}

struct search {
    const struct row *row;
    const struct dlq_observations *seen;
};

/* -INFINITY or NAN where the parameters make no distribution. */
static double likelihood_at(const struct search *search, const double *at)
{
    struct dlq_fitted fitted;
    struct dlq_tailed tailed;
    if (!fitted_at(search->row, search->seen, at, &fitted))
        return -INFINITY;
    dlq_tailed_of(&tailed, &fitted.dist, fitted.has_tail ? &fitted.tail : NULL, fitted.tail_probability);
    return dlq_log_likelihood(search->seen, &tailed);
}

/* The simplex wants numbers everywhere. */
static double negated(const gsl_vector *at, void *search)
{
    double value = likelihood_at(search, gsl_vector_const_ptr(at, 0));
    return isfinite(value) ? -value : 1e200;
}

/* Nelder and Mead's simplex from `at`, of finite likelihood, begun anew until that gains no more than `gain`, or is
   still below `bar`. `at` and `value` become the best found, the simplex as small as `size`. false: no memory. */
static bool maximize(struct search *search, double size, double *at, double gain, double bar, double *value)
{
    const size_t dimensions = (size_t)search->row->free_parameters;
    gsl_multimin_function function = {negated, dimensions, search};
    gsl_multimin_fminimizer *minimizer = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, dimensions);
    double point[DLQ_FIT_DIMENSIONS], sizes[DLQ_FIT_DIMENSIONS];
    gsl_vector_view from = gsl_vector_view_array(point, dimensions), steps = gsl_vector_view_array(sizes, dimensions);
    if (minimizer == NULL)
        return false;
    memcpy(point, at, dimensions * sizeof *point);
    *value = likelihood_at(search, at);
    for (int i = 0; i < MOST_STARTS; i++) {
        gsl_vector_set_all(&steps.vector, ldexp(0.2, -i)); /* in the logs of the parameters */
        if (gsl_multimin_fminimizer_set(minimizer, &function, &from.vector, &steps.vector) == GSL_SUCCESS) {
            for (int k = 0; k < MOST_STEPS && gsl_multimin_fminimizer_iterate(minimizer) == GSL_SUCCESS &&
                            gsl_multimin_fminimizer_size(minimizer) >= size;
                 k++)
                ;
            gsl_vector_memcpy(&from.vector, gsl_multimin_fminimizer_x(minimizer));
        }
        double found = likelihood_at(search, point), more = found - *value;
        if (more > 0) {
            *value = found;
            memcpy(at, point, dimensions * sizeof *point);
        }
        if (!(more > gain && *value > bar))
            break;
    }
    gsl_multimin_fminimizer_free(minimizer);
    return true;
}

enum dlq_fit_result dlq_fit_plain(size_t which, const struct dlq_observations *seen, const struct dlq_observations *few,
                                  struct dlq_fitted *fitted)
{
    const struct row *row = &rows[which];
    struct search search = {row, seen->bounds == 0 ? seen : few};
    struct dlq_fitted made;
    double at[DLQ_FIT_DIMENSIONS], value = 0;
    if (seen->cv < row->least_cv)
        return DLQ_NOT_FITTED;
    row->start(row, search.seen, at);
    if (!(row->closed && seen->bounds == 0) && !maximize(&search, 1e-6, at, 1e-3, -INFINITY, &value))
        return DLQ_NO_MEMORY;
    if (!isfinite(value) || !fitted_at(row, search.seen, at, &made))
        return DLQ_NOT_FITTED;
    *fitted = made;
    return DLQ_FITTED;
}

/* -- where distributions with a tail begin -- */

/* Shares of slow times to begin with, besides the widest gap between times. */
static const double shares[] = {0.4,   0.3,   0.2,   0.14,  0.1,   0.07,  0.05,  0.035,
                                0.025, 0.017, 0.012, 0.008, 0.005, 0.003, 0.002, 0.001};
enum { SHARES = sizeof shares / sizeof *shares };

/* Of the times up to a threshold, or of those above it. */
struct side {
    double weight, mean, variance;
};

static void part(const struct dlq_observations *seen, double threshold, struct side sides[2])
{
    sides[0] = sides[1] = (struct side){0, 0, 0};
    for (size_t i = 0; i < seen->exacts + seen->bounds; i++) {
        const struct dlq_observed *one = &seen->exact[i];
        double x = dlq_observed_middle(one);
        struct side *side = &sides[x > threshold];
        side->weight += one->weight;
        double step = x - side->mean;
        side->mean += step * one->weight / side->weight;
        side->variance += one->weight * step * (x - side->mean);
    }
    for (int i = 0; i < 2; i++)
        if (sides[i].weight > 0)
            sides[i].variance /= sides[i].weight;
}

/* The lower of the two neighbors that are the furthest apart in ratio, with enough slow times above. */
static double widest_gap(const struct dlq_observed *sorted, size_t n, double weight)
{
    double below = 0, widest = 1, threshold = INFINITY;
    for (size_t i = 0; i + 1 < n; i++) {
        below += sorted[i].weight;
        double low = dlq_observed_middle(&sorted[i]), ratio = dlq_observed_middle(&sorted[i + 1]) / low;
        if (below < most_probability * weight || weight - below < least_slow || !(ratio > widest))
            continue;
        widest = ratio;
        threshold = low;
    }
    return threshold;
}

/* At the widest gap, or the likeliest of the shares; false: there is none. */
static bool choose(const struct search *search, bool gap, double *best)
{
    const struct dlq_observations *seen = search->seen;
    bool exact = seen->exacts > 0;
    const struct dlq_observed *sorted = exact ? seen->exact : seen->bounded;
    size_t n = exact ? seen->exacts : seen->bounds;
    double weight = exact ? seen->exact_weight : seen->weight, largest = -INFINITY;
    for (int i = 0; i < (gap ? 1 : SHARES); i++) {
        struct side sides[2];
        double threshold = gap ? widest_gap(sorted, n, weight) : 0, above = 0;
        for (size_t k = n; !gap && k > 0 && above <= shares[i] * weight; k--) { /* the value with that share above */
            above += sorted[k - 1].weight;
            threshold = dlq_observed_middle(&sorted[k - 1]);
        }
        if (!(threshold < dlq_observed_middle(&sorted[n - 1]) && threshold > 0))
            continue;
        part(seen, threshold, sides);
        double usual = sides[0].mean, more = sqrt(fmax(sides[1].variance - sides[0].variance, 0));
        double share = clamp(sides[1].weight, 1.5 * least_slow, 0.45 * seen->weight) / seen->weight;
        double at[DLQ_FIT_DIMENSIONS] = {dlq_log(usual)};
        at[1] = dlq_log(clamp(sqrt(sides[0].variance) / usual, 2 * least_usual_cv, most_usual_cv / 2));
        at[2] = -dlq_log(most_probability / share - 1);
        double mean = fmax(sides[1].mean - usual, 1.5 * least_separation * dlq_exp(at[0] + at[1]));
        at[3] = dlq_log(mean);
        at[4] = dlq_log(clamp(more / mean, 5 * least_tail_cv, most_tail_cv / 2));
        double value = likelihood_at(search, at);
        if (isfinite(value) && value > largest) {
            largest = value;
            memcpy(best, at, sizeof at);
        }
    }
    return isfinite(largest);
}

/* From both roughly, and from the better one, while that is promising, to the end. At the edge of what is allowed fewer
   are slow, and each of them would count several times. */
enum dlq_fit_result dlq_fit_tailed(size_t which, const struct dlq_observations *few, double bar,
                                   struct dlq_fitted *fitted)
{
    const double rough = 0.03, fine = 1e-4, fine_gain = 0.01, close = 8, closer = 4;
    struct search search = {&rows[DLQ_PLAIN_FITS + which], few};
    double starts[2][DLQ_FIT_DIMENSIONS], *at = starts[0], largest = -INFINITY, value;
    struct dlq_fitted made;
    bar += search.row->free_parameters;
    if (few->weight < 2 * least_slow)
        return DLQ_NOT_FITTED;
    for (int i = 0; i < 2; i++) {
        if (!choose(&search, i == 0, starts[i]))
            continue;
        if (!maximize(&search, rough, starts[i], INFINITY, -INFINITY, &value))
            return DLQ_NO_MEMORY;
        at = value > largest ? starts[i] : at;
        largest = fmax(largest, value);
    }
    if (!(largest > bar - close))
        return DLQ_NOT_FITTED;
    if (!maximize(&search, fine, at, fine_gain, bar - closer, &value))
        return DLQ_NO_MEMORY;
    if (!fitted_at(search.row, few, at, &made) || made.tail_probability * few->weight < 1.1 * least_slow)
        return DLQ_NOT_FITTED;
    *fitted = made;
    return DLQ_FITTED;
}

enum dlq_fit_result dlq_fit_again(const struct dlq_observations *seen, const struct dlq_observations *few,
                                  struct dlq_fitted *fitted)
{
    const struct row *row = &rows[fitted->row];
    struct search search = {row, few};
    struct dlq_fitted made;
    enum dlq_fit_result result = DLQ_FITTED;
    double at[DLQ_FIT_DIMENSIONS], value;
    memcpy(at, fitted->at, sizeof at);
    if (isfinite(likelihood_at(&search, at)) && !(row->closed && seen->bounds == 0)) {
        if (!maximize(&search, 1e-3, at, INFINITY, -INFINITY, &value))
            return DLQ_NO_MEMORY;
        fitted_at(row, few, at, &made);
    } else {
        result = fitted->has_tail ? dlq_fit_tailed((size_t)fitted->row - DLQ_PLAIN_FITS, few, -INFINITY, &made)
                                  : dlq_fit_plain((size_t)fitted->row, seen, few, &made);
    }
    if (result == DLQ_FITTED) {
        made.aic = fitted->aic;
        dlq_fitted_summarize(&made);
        *fitted = made;
    }
    return result;
}
