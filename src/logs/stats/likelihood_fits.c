/* Fits one distribution to observed times: in closed form if there is one and all times are exact, else by Nelder and
   Mead's simplex search over the logarithms of the parameters. The search for a usual distribution with a tail starts
   from the most likely split into usual and slow times. */
#include "base/elementary.h"
#include "dist/families.h"
#include "logs/stats/likelihood.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 400, MOST_STARTS = 4 };

/* A search for the parameters of a row. Its points `at` are logarithms of parameters, which parameters_at explains. */
struct search {
    const struct row *row;
    const struct dlq_observations *seen;
};

struct row {
    const char *family, *tail; /* tail null: none */
    int free_parameters;       /* also the dimensions of the search */
    bool closed;               /* if all times are exact, the start of the search is the best fit */
    void (*start)(const struct search *search, double *at);
    void (*parameters_at)(const struct search *search, const double *at, struct dlq_parameters *parameters);
    double least_cv, low, high; /* cv = least_cv + exp(at[1]); the search starts with exp(at[1]) in low..high */
};

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* -- families with mean and cv: at[0] is ln of the mean, at[1] ln of (cv - least_cv) -- */

static void moments_at(const struct search *search, const double *at, struct dlq_parameters *parameters)
{
    parameters->mean = dlq_exp(at[0]);
    if (search->row->free_parameters > 1)
        parameters->cv = search->row->least_cv + dlq_exp(at[1]);
}

/* Starts from mean and cv of the sample. These are the best fit of a normal distribution truncated at 0, which is an
   exponential family in x and x^2: the best fit has the sample's means of x and x^2. */
static void start_moments(const struct search *search, double *at)
{
    const struct row *row = search->row;
    double cv = search->seen->cv;
    bool exact = row->closed && search->seen->bounds == 0;
    at[0] = dlq_log(search->seen->mean);
    at[1] = dlq_log(exact ? cv : clamp(cv - row->least_cv, row->low, row->high));
}

static void start_lognormal(const struct search *search, double *at)
{
    const struct dlq_observations *seen = search->seen;
    double squares = 0;
    if (seen->bounds > 0) {
        start_moments(search, at);
        return;
    }
    for (size_t i = 0; i < seen->exacts; i++)
        squares += seen->exact[i].weight * dlq_square(dlq_log(seen->exact[i].low) - seen->mean_log);
    at[0] = seen->mean_log + squares / seen->weight / 2;
    at[1] = dlq_log(dlq_expm1(squares / seen->weight)) / 2;
}

/* -- families with a finite end of the support. The likelihood is largest with the end at the outermost value; instead,
   the fitted end lies beyond this value by the expected gap between the end and the outermost of n values -- */

/* The least of n values is on average a factor exp(1/(n alpha)) above the minimum. at[0]: ln of (alpha - 1). at[1]: ln
   of a further shift, by which ln of the minimum is lower. */
static void pareto_at(const struct search *search, const double *at, struct dlq_parameters *parameters)
{
    const struct dlq_observations *seen = search->seen;
    const double least_alpha = 1.05, most_alpha = 1e4, alpha = clamp(1 + dlq_exp(at[0]), least_alpha, most_alpha);
    parameters->alpha = alpha;
    parameters->mean = seen->least * dlq_exp(-1 / (seen->weight * alpha) - dlq_exp(at[1])) * alpha / (alpha - 1);
}

/* alpha = n / sum ln(x / min) over n values x (Johnson, Kotz & Balakrishnan 1994, ch. 20). */
static void start_pareto(const struct search *search, double *at)
{
    const struct dlq_observations *seen = search->seen;
    bool exact = seen->bounds == 0;
    at[0] = dlq_log(exact ? fmax(1 / (seen->mean_log - dlq_log(seen->least)) - 1, 0) : 1 + 1 / fmax(seen->cv, 0.01));
    at[1] = exact ? -INFINITY : dlq_log(0.1);
}

/* at: ln of the distances between the ends and the expected ends, as shares of the range of the times. */
static void uniform_at(const struct search *search, const double *at, struct dlq_parameters *parameters)
{
    const struct dlq_observations *seen = search->seen;
    double range = seen->most - seen->least, gap = range / fmax(seen->weight - 1, 1);
    double minimum = seen->least - gap - dlq_exp(at[0]) * range;
    parameters->minimum = minimum < DLQ_TIME_LEAST ? 0 : minimum;
    parameters->maximum = seen->most + gap + dlq_exp(at[1]) * range;
}

static void start_uniform(const struct search *search, double *at)
{
    at[0] = at[1] = search->seen->bounds == 0 ? -INFINITY : dlq_log(0.1);
}

/* The rows with a tail come last. */
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

/* -- the likelihood at a point -- */

/* Limits of distributions with a tail. least_slow: expected number of slow times. least_usual_cv: narrower, the usual
   distribution would cover only equal times, and the tail all others. most_usual_cv: wider, its density may be infinite
   at 0, and the tail could shift this peak. least_separation: a tail with a shorter mean, in standard deviations of the
   usual distribution, is part of the shape of that distribution. */
static const double least_slow = 4, most_probability = 0.5, least_usual_cv = 0.01, most_usual_cv = 0.8,
                    least_tail_cv = 0.01, most_tail_cv = 3, least_separation = 2;

/* The distribution at a point of the search. With a tail, at[2] is the logit of probability / 0.5, at[3] and at[4] are
   ln of the mean and of the cv of the tail. False: no such distribution, or beyond the limits above. */
static bool fitted_at(const struct search *search, const double *at, struct dlq_fitted *fitted)
{
    const struct row *row = search->row;
    const struct dlq_parameters none = dlq_no_parameters;
    struct dlq_parameters *usual = &fitted->parameters, *tail = &fitted->tail_parameters;
    *fitted = (struct dlq_fitted){
        .parameters = none, .tail_parameters = none, .free_parameters = row->free_parameters, .row = (int)(row - rows)};
    memcpy(fitted->at, at, (size_t)row->free_parameters * sizeof *at);
    row->parameters_at(search, at, usual);
    if (row->tail != NULL) {
        usual->cv = fmax(usual->cv, least_usual_cv);
        fitted->tail_probability = most_probability / (1 + dlq_exp(-at[2]));
        tail->mean = dlq_exp(at[3]);
        if (row->free_parameters > 4)
            tail->cv = fmax(dlq_exp(at[4]), least_tail_cv);
        if (!(usual->cv <= most_usual_cv) || tail->cv > most_tail_cv ||
            fitted->tail_probability * search->seen->weight < least_slow ||
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

/* The log likelihood at a point; -INFINITY or NAN if the parameters define no distribution. */
static double likelihood_at(const struct search *search, const double *at)
{
    struct dlq_fitted fitted;
    struct dlq_tailed tailed;
    if (!fitted_at(search, at, &fitted))
        return -INFINITY;
    dlq_tailed_of(&tailed, &fitted.dist, fitted.has_tail ? &fitted.tail : NULL, fitted.tail_probability);
    return dlq_log_likelihood(search->seen, &tailed);
}

/* The function that the simplex minimizes, finite everywhere. */
static double negated(const gsl_vector *at, void *search)
{
    double value = likelihood_at(search, gsl_vector_const_ptr(at, 0));
    return isfinite(value) ? -value : 1e200;
}

/* Maximizes the log likelihood from `at`, where it is finite, until the simplex is smaller than `size`. Restarts from
   the best point as long as the last start gained more than `gain` and the log likelihood is above `bar`. Sets `at` and
   *value to the best point and its log likelihood. False: no memory. */
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
    row->start(&search, at);
    if (!(row->closed && seen->bounds == 0) && !maximize(&search, 1e-6, at, 1e-3, -INFINITY, &value))
        return DLQ_NO_MEMORY;
    if (!isfinite(value) || !fitted_at(&search, at, &made))
        return DLQ_NOT_FITTED;
    *fitted = made;
    return DLQ_FITTED;
}

/* -- starting points of distributions with a tail -- */

/* Shares of slow times to start from, besides the split at the widest gap between times. */
static const double shares[] = {0.4,   0.3,   0.2,   0.14,  0.1,   0.07,  0.05,  0.035,
                                0.025, 0.017, 0.012, 0.008, 0.005, 0.003, 0.002, 0.001};
enum { SHARES = sizeof shares / sizeof *shares };

/* Moments of the times on one side of a threshold. */
struct side {
    double weight, mean, variance;
};

/* Computes the moments of the times up to the threshold (sides[0]) and above (sides[1]). */
static void split(const struct dlq_observations *seen, double threshold, struct side sides[2])
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

/* The lower neighbor of the widest gap, by ratio, with half of the times below and least_slow above; INFINITY: none. */
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

/* Sets *best to the start of a search: a split at the widest gap, or the most likely one of `shares`. False: none. */
static bool choose_start(const struct search *search, bool gap, double *best)
{
    const struct dlq_observations *seen = search->seen;
    bool exact = seen->exacts > 0;
    const struct dlq_observed *sorted = exact ? seen->exact : seen->bounded;
    size_t n = exact ? seen->exacts : seen->bounds;
    double weight = exact ? seen->exact_weight : seen->weight, largest = -INFINITY;
    for (int i = 0; i < (gap ? 1 : SHARES); i++) {
        struct side sides[2];
        double threshold = gap ? widest_gap(sorted, n, weight) : 0, above = 0;
        for (size_t k = n; !gap && k > 0 && above <= shares[i] * weight; k--) { /* to the value with this share above */
            above += sorted[k - 1].weight;
            threshold = dlq_observed_middle(&sorted[k - 1]);
        }
        if (!(threshold < dlq_observed_middle(&sorted[n - 1]) && threshold > 0))
            continue;
        split(seen, threshold, sides);
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

/* A coarse search from both starting points, then a fine search from the better one, unless its likelihood cannot reach
   the bar. Refuses fits near the limit least_slow: the true number of slow times would be smaller. */
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
        if (!choose_start(&search, i == 0, starts[i]))
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
    if (!fitted_at(&search, at, &made) || made.tail_probability * few->weight < 1.1 * least_slow)
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
        fitted_at(&search, at, &made);
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
