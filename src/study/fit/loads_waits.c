/* Load times from every wait of a loader that delivers in order, where most loads are hidden. Stochastic EM (Celeux &
   Diebolt 1985, "The SEM algorithm", Comput. Stat. Quarterly 2): loads that were not measured are drawn from a
   distribution, and the distribution is fitted to them; from there on a simplex finds the largest likelihood of the
   waits. Where there may be a tail of slow loads, several distributions are worth beginning with. */
#include "base/elementary.h"
#include "stats/stats.h"
#include "study/fit/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Iterations of imputing and fitting: from a first guess; with resampled loads, for the interval. */
enum { FIRST_ITERATIONS = 6, SPREAD_BURN = 10, SPREAD_ITERATIONS = 60 };
/* Stalls without which nothing but a bound is told. */
enum { LEAST_STALLS = 8 };

/* Number of a distribution with a tail; plain ones have that of dlq_fit_plain. */
enum { TAILED = DLQ_PLAIN_FITS, MOST_CANDIDATES = DLQ_PLAIN_FITS + DLQ_TAIL_STARTS };

/* A distribution on its way to the best one of its kind. */
struct candidate {
    size_t plain;
    struct dlq_fitted fitted;
    double likelihood;
};

struct search {
    const struct dlq_links *links;
    struct dlq_imputer imputer;
    gsl_rng *rng;
    uint64_t seed;
    struct dlq_observed *completed, *parts; /* loads as imputed last, and split; room for all that count */
    size_t n;                               /* of them */
    struct candidate candidates[MOST_CANDIDATES];
    size_t count;
};

static double mean_of(const struct dlq_fitted *fitted)
{
    return fitted->dist.mean + (fitted->has_tail ? fitted->tail_probability * fitted->tail.mean : 0);
}

/* -- iterations of stochastic EM -- */

/* Takes the imputed loads that count, all of weight 1, or of exponential weights: then what is fitted to them is a draw
   from what the parameters may be (Rubin 1981, "The Bayesian bootstrap", Ann. Stat. 9). */
static void complete(struct search *search, bool resample)
{
    search->n = 0;
    for (size_t i = 0; i < search->links->count; i++)
        if (search->links->links[i].counts) {
            double load = search->imputer.loads[i];
            double weight = resample ? -dlq_log(gsl_rng_uniform_pos(search->rng)) : 1;
            search->completed[search->n++] = (struct dlq_observed){load, load, weight};
        }
}

/* A plain family by number, to times that are exact. */
static enum dlq_fit_result fit_plain(size_t which, const struct dlq_observed *observed, size_t n,
                                     struct dlq_fitted *fitted)
{
    struct dlq_arena arena = {.error = NULL, .doing = "fitting a family"};
    struct dlq_observations seen, few;
    enum dlq_status status = dlq_observations_make(&arena, &seen, observed, n);
    if (status == DLQ_OK)
        status = dlq_observations_thin(&arena, &few, &seen);
    enum dlq_fit_result result = status == DLQ_FAILURE ? DLQ_NO_MEMORY : DLQ_NOT_FITTED;
    if (status == DLQ_OK)
        result = dlq_fit_plain(which, &seen, &few, fitted);
    dlq_arena_end(&arena);
    return result;
}

static double total_weight(const struct dlq_observed *observed, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += observed[i].weight;
    return sum;
}

/* One part of a distribution with a tail; where all its times are the same to within what the family can be, a
   constant. */
static enum dlq_fit_result fit_part(const struct dlq_family *family, const struct dlq_observed *observed, size_t n,
                                    struct dlq_fitted *fitted)
{
    static const char *const names[DLQ_PLAIN_FITS] = {"exponential", "gamma",   "lognormal", "weibull",
                                                      "pareto",      "uniform", "normal",    "hyperexponential"};
    size_t which = 0;
    while (which < DLQ_PLAIN_FITS && strcmp(names[which], family->name) != 0)
        which++;
    enum dlq_fit_result result = which < DLQ_PLAIN_FITS ? fit_plain(which, observed, n, fitted) : DLQ_NOT_FITTED;
    if (result != DLQ_NOT_FITTED)
        return result;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += observed[i].weight * observed[i].low;
    *fitted = dlq_fitted_of("constant", sum / total_weight(observed, n), 0);
    return fitted->family != NULL ? DLQ_FITTED : DLQ_NOT_FITTED;
}

/* Each time has the tail in it or not, by chance, given the distribution so far: what is left over the usual mean is
   the tail's. */
static enum dlq_fit_result fit_tailed(struct search *search, struct dlq_fitted *fitted)
{
    struct dlq_tailed whole;
    struct dlq_density plain;
    struct dlq_fitted usual, tail;
    struct dlq_observed *parts = search->parts;
    size_t usuals = 0, tails = 0, n = search->n;
    dlq_tailed_of(&whole, &fitted->dist, &fitted->tail, fitted->tail_probability);
    dlq_density_of(&plain, &fitted->dist);
    for (size_t i = 0; i < n; i++) {
        struct dlq_observed one = search->completed[i];
        double chance = 0;
        if (one.low > fitted->dist.mean) {
            double without = dlq_log1p(-fitted->tail_probability) + dlq_log_density(&plain, one.low);
            double all = dlq_tailed_log_density(&whole, one.low);
            chance = isfinite(all) ? fmin(fmax(1 - dlq_exp(without - all), 0), 1) : 1;
        }
        if (one.low > fitted->dist.mean && gsl_rng_uniform(search->rng) < chance) {
            one.low = one.high = one.low - fitted->dist.mean;
            parts[n - ++tails] = one;
        } else {
            parts[usuals++] = one;
        }
    }
    enum dlq_fit_result result = DLQ_NOT_FITTED;
    if (usuals > 4 && tails > 4)
        result = fit_part(fitted->family, parts, usuals, &usual);
    if (result == DLQ_FITTED)
        result = fit_part(fitted->tail_family, parts + usuals, tails, &tail);
    if (result != DLQ_FITTED)
        return result;
    double heavy = total_weight(parts + usuals, tails);
    fitted->dist = usual.dist;
    fitted->family = usual.family;
    fitted->tail_family = tail.family;
    fitted->parameters = usual.parameters;
    fitted->tail = tail.dist;
    fitted->tail_parameters = tail.parameters;
    fitted->tail_probability = fmin(heavy / (heavy + total_weight(parts, usuals)), 0.5);
    return DLQ_FITTED;
}

/* Imputes, and fits to that. Where a family has no distribution for the loads, it stays what it was. false: no memory.
 */
static bool iterate(struct search *search, struct candidate *candidate, bool resample)
{
    struct dlq_fitted fitted = candidate->fitted;
    dlq_impute(&search->imputer, &candidate->fitted);
    complete(search, resample);
    enum dlq_fit_result result = candidate->plain == TAILED
                                     ? fit_tailed(search, &fitted)
                                     : fit_plain(candidate->plain, search->completed, search->n, &fitted);
    if (result == DLQ_FITTED)
        candidate->fitted = fitted;
    return result != DLQ_NO_MEMORY;
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
    double at[MOST_PARAMETERS];     /* the distribution itself */
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

static struct point point_of(struct search *search, const struct dlq_fitted *fitted)
{
    static const size_t all[] = {
        offsetof(struct dlq_fitted, parameters.mean),      offsetof(struct dlq_fitted, parameters.cv),
        offsetof(struct dlq_fitted, parameters.alpha),     offsetof(struct dlq_fitted, parameters.minimum),
        offsetof(struct dlq_fitted, parameters.maximum),   offsetof(struct dlq_fitted, tail_probability),
        offsetof(struct dlq_fitted, tail_parameters.mean), offsetof(struct dlq_fitted, tail_parameters.cv)};
    struct dlq_fitted copy = *fitted;
    size_t most = fitted->has_tail ? MOST_PARAMETERS : 2,
           fields = sizeof all / sizeof *all - (fitted->has_tail ? 0 : 3);
    struct point point = {.imputer = &search->imputer, .seed = search->seed, .fitted = fitted};
    for (size_t i = 0; i < fields && point.dimensions < most; i++)
        if (*field(&copy, all[i]) > least_of(all[i])) {
            point.at[point.dimensions] = dlq_log(*field(&copy, all[i]) - least_of(all[i]));
            point.fields[point.dimensions++] = all[i];
        }
    return point;
}

static bool fitted_at(const struct point *point, const double *at, struct dlq_fitted *fitted)
{
    *fitted = *point->fitted;
    for (size_t i = 0; i < point->dimensions; i++)
        *field(fitted, point->fields[i]) = least_of(point->fields[i]) + dlq_exp(at[i]);
    return fitted->has_tail ? dlq_tail_make(fitted)
                            : dlq_fitted_make(fitted->family->name, &fitted->parameters, &fitted->dist);
}

static double likelihood_at(const struct point *point, const double *at, uint32_t replication)
{
    struct dlq_fitted fitted;
    if (!fitted_at(point, at, &fitted))
        return -1e12;
    dlq_stream_start(point->imputer->rng, point->seed, replication, 1, DLQ_PURPOSE_LOAD);
    double usual = dlq_log(point->fitted->parameters.mean);
    double off = fitted.has_tail ? (dlq_log(fitted.parameters.mean) - usual) / usual_belief
                                 : dlq_log(fmin(fmax(dlq_dist_cv(&fitted.dist), 1), most_cv)) / cv_belief;
    return dlq_waits_likelihood(point->imputer, &fitted) - off * off / 2;
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

/* Most loads hidden, and a law that ends or piles up where none was seen, or has a tail of its own: there it fits
   chance in more ways than its parameters tell, so that its AIC has to be lower by this. */
static const double least_gain = 10;

/* The best parameters of a family, with the same random numbers for all of them; its AIC. false: no memory. */
static bool maximize(struct search *search, struct candidate *candidate)
{
    static const char *const daring[] = {"pareto", "uniform", "hyperexponential"};
    struct dlq_fitted best, *fitted = &candidate->fitted;
    struct point point = point_of(search, fitted);
    gsl_multimin_function function = {cost, point.dimensions, &point};
    gsl_multimin_fminimizer *simplex =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, point.dimensions);
    gsl_vector *at = gsl_vector_alloc(point.dimensions), *size = gsl_vector_alloc(point.dimensions);
    const size_t most = point.dimensions > 2 ? MOST_TAIL_STEPS : MOST_STEPS;
    bool enough = simplex != NULL && at != NULL && size != NULL;
    if (enough)
        memcpy(at->data, point.at, point.dimensions * sizeof *point.at);
    for (int k = 0; enough && k < (fitted->has_tail ? TAIL_DESCENTS : 1); k++) {
        gsl_vector_set_all(size, 0.15);
        gsl_multimin_fminimizer_set(simplex, &function, at, size);
        for (size_t step = 0; step < most && gsl_multimin_fminimizer_size(simplex) > 2e-3; step++)
            if (dlq_links_interrupted(search->links) || gsl_multimin_fminimizer_iterate(simplex) != 0)
                break;
        gsl_vector_memcpy(at, simplex->x);
    }
    if (enough && fitted_at(&point, at->data, &best)) {
        *fitted = best;
        candidate->likelihood = -simplex->fval;
    }
    gsl_multimin_fminimizer_free(simplex);
    gsl_vector_free(at);
    gsl_vector_free(size);
    bool dares = fitted->has_tail;
    for (size_t i = 0; i < sizeof daring / sizeof *daring; i++)
        dares = dares ||
                (2 * search->links->exact < search->links->counted && strcmp(fitted->family->name, daring[i]) == 0);
    fitted->log_likelihood = candidate->likelihood;
    fitted->aic = 2 * fitted->free_parameters - 2 * candidate->likelihood + (dares ? least_gain : 0);
    return enough;
}

/* Mean over random numbers. */
static double smooth_likelihood(const struct point *point, double first, double second)
{
    double at[MOST_PARAMETERS], sum = 0;
    memcpy(at, point->at, sizeof at);
    at[0] += first;
    at[point->dimensions - 1] += second;
    for (uint32_t k = 0; k < SEEDS; k++)
        sum += likelihood_at(point, at, k) / SEEDS;
    return sum;
}

/* Variance of ln mean from the curvature at a plain distribution, looked at on the scale h of ln mean: minus the
   inverse of the matrix of second differences, its first element; with one parameter 1/a. NAN where the likelihood does
   not fall to all sides. */
static double likelihood_variance(struct search *search, const struct dlq_fitted *fitted, double h)
{
    const struct point point = point_of(search, fitted);
    double middle = smooth_likelihood(&point, 0, 0);
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
    unsigned fault;
    char why[128];
    return fitted->tail_probability > 0 && fitted->tail_probability <= 0.5 &&
           dlq_fitted_make(fitted->family->name, &fitted->parameters, &fitted->dist) &&
           dlq_dist_make(&fitted->tail, fitted->tail_family, &fitted->tail_parameters, &fault, why, sizeof why);
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

enum dlq_status dlq_tail_starts(struct dlq_arena *arena, const struct dlq_links *links, long loaders,
                                struct dlq_fitted starts[DLQ_TAIL_STARTS], size_t *count)
{
    size_t n = 0, gap = 0;
    double *loads, sum = 0, widest = least_gap, usual = hidden_share * (double)loaders * links->mean_step;
    *count = 0;
    /* Loads that ended while the trainer waited: where they began is not always known, so at most these. */
    NEW(arena, loads, links->exact + 1);
    for (size_t i = 0; i < links->count; i++)
        if (links->links[i].exact && links->links[i].counts)
            loads[n++] = links->links[i].done - links->links[i].ready;
    gsl_sort(loads, 1, n);
    for (size_t i = 1; i + LEAST_SLOW <= n; i++)
        if (loads[i] > widest * loads[i - 1]) {
            widest = loads[i] / loads[i - 1];
            gap = i;
        }
    for (size_t below = 0; n >= LEAST_SLOW; below = gap) {
        *count += begin_with(&starts[*count], usual, loads + below, n - below, links->counted, "constant");
        *count += begin_with(&starts[*count], usual, loads + below, n - below, links->counted, "lognormal");
        if (below == gap)
            break;
        for (size_t i = 0; i < gap; i++)
            sum += loads[i];
        usual = sum / (double)gap;
    }
    return DLQ_OK;
}

/* -- the search -- */

/* Plain families, from two sides, since iterations of imputing move slowly where most loads are hidden. Those with a
   tail that are not hopeless from the beginning: a search gains no more than some, and they need a gain. */
static bool try_all(struct search *search, const struct dlq_fitted *tails, size_t tail_count, long loaders)
{
    static const double most_gained = 12;
    const struct dlq_links *links = search->links;
    /* As the loads are that ended while the trainer waited: too long, where few did, but as exact as they are where
       loads are all the same. */
    struct dlq_spread known = {0};
    for (size_t i = 0; i < links->count; i++)
        if (links->links[i].exact && links->links[i].first && links->links[i].counts)
            dlq_spread_add(&known, links->links[i].done - links->links[i].ready, 1);
    bool told = known.count >= 2;
    double mean = told ? known.mean : links->mean_iteration;
    double cv = told ? fmin(fmax(dlq_spread_cv(&known), 1e-3), 3) : 0.1;
    struct candidate sides[] = {{2, dlq_fitted_of("lognormal", 0.9 * links->mean_iteration * (double)loaders, 0.5), 0},
                                {2, dlq_fitted_of("lognormal", mean, cv), 0}};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < FIRST_ITERATIONS && !dlq_links_interrupted(search->links); i++)
            if (!iterate(search, &sides[k], false))
                return false;
        if (!maximize(search, &sides[k]))
            return false;
    }
    const struct dlq_fitted *start = &sides[sides[0].likelihood > sides[1].likelihood ? 0 : 1].fitted;
    dlq_impute(&search->imputer, start);
    complete(search, false);
    double best = -INFINITY;
    for (size_t which = 0; which < TAILED + tail_count; which++) {
        struct candidate *next = &search->candidates[search->count];
        bool plain = which < TAILED;
        *next = (struct candidate){plain ? which : TAILED, plain ? *start : tails[which - TAILED], 0};
        if (plain ? fit_plain(which, search->completed, search->n, &next->fitted) != DLQ_FITTED
                  : dlq_waits_likelihood(&search->imputer, &next->fitted) < best + least_gain / 2 - most_gained)
            continue;
        if (!maximize(search, next))
            return false;
        best = fmax(best, next->likelihood);
        search->count++;
    }
    return true;
}

static int by_aic(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return (a->fitted.aic > b->fitted.aic) - (a->fitted.aic < b->fitted.aic);
}

/* Variance of ln mean: within the best family, over iterations of data augmentation (Tanner & Wong 1987, J. Am. Stat.
   Assoc. 82) or by the curvature of the likelihood, and between families, weighted by exp(-AIC/2) (Buckland, Burnham &
   Augustin 1997, Biometrics 53). Stalls are what it is told by: Student's t by their number. */
static bool find_interval(struct search *search, struct dlq_load_evidence *evidence)
{
    const struct candidate *best = &search->candidates[0];
    struct candidate drawn = *best;
    const double center = dlq_log(mean_of(&drawn.fitted));
    double sum = 0, squares = 0, weights = 0, between = 0, sharp = NAN;
    for (int k = 0; k < SPREAD_BURN + SPREAD_ITERATIONS; k++) {
        if (dlq_links_interrupted(search->links) || !iterate(search, &drawn, true))
            return false;
        double off = dlq_log(mean_of(&drawn.fitted)) - center;
        sum += k >= SPREAD_BURN ? off : 0;
        squares += k >= SPREAD_BURN ? off * off : 0;
    }
    double average = sum / SPREAD_ITERATIONS, within = squares / SPREAD_ITERATIONS - average * average;
    for (size_t i = 0; i < search->count; i++) {
        double weight = dlq_exp((best->fitted.aic - search->candidates[i].fitted.aic) / 2);
        double off = dlq_log(mean_of(&search->candidates[i].fitted)) - center;
        weights += weight;
        between += weight * off * off;
    }
    if (best->plain != TAILED)
        sharp = likelihood_variance(search, &best->fitted, 2 * sqrt(fmax(within, 1e-8)));
    within = fmax(within, isnan(sharp) ? 0 : fmin(sharp, 9 * within));
    double freedom = fmax((double)search->links->clear - 2, 1);
    double half = gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(within + between / weights);
    evidence->mean_low = dlq_exp(center - half);
    evidence->mean_high = dlq_exp(center + half);
    return true;
}

/* Where hardly more than the tail makes the trainer wait, the usual loads are known by their bounds alone: those that
   were hidden may be nothing, or all that the loaders had time for. */
static const double heavy_cv = 1.5;

static enum dlq_status fit_links(struct dlq_arena *arena, const struct dlq_links *links, uint64_t seed,
                                 struct dlq_load_evidence *evidence)
{
    struct search *search;
    struct dlq_fitted tails[DLQ_TAIL_STARTS];
    size_t tail_count;
    NEW(arena, search, 1);
    NEW(arena, search->completed, links->counted);
    NEW(arena, search->parts, links->counted);
    search->links = links;
    search->seed = seed;
    TRY(dlq_stream_new(arena, seed, &search->rng));
    dlq_stream_start(search->rng, seed, 0, 0, DLQ_PURPOSE_LOAD);
    TRY(dlq_imputer_begin(arena, &search->imputer, links, search->rng));
    TRY(dlq_tail_starts(arena, links, evidence->loaders, tails, &tail_count));
    bool enough = try_all(search, tails, tail_count, evidence->loaders);
    if (enough) {
        qsort(search->candidates, search->count, sizeof *search->candidates, by_aic);
        enough = find_interval(search, evidence);
    }
    if (dlq_links_interrupted(links))
        return dlq_error_add(arena->error, DLQ_INTERRUPTED, "interrupted");
    if (!enough)
        return dlq_error_memory(arena->error, arena->doing);
    const struct dlq_fitted *best = &search->candidates[0].fitted;
    if (best->has_tail || dlq_dist_cv(&best->dist) > heavy_cv) {
        double hidden = 1 - (double)links->exact / (double)links->counted;
        double bound = links->mean_iteration * (double)evidence->loaders;
        double usual = best->has_tail ? (1 - best->tail_probability) * best->dist.mean : 0;
        evidence->mean_low = fmax(evidence->mean_low - hidden * usual, 0);
        evidence->mean_high += hidden * fmax(bound - mean_of(best), 0);
        if (hidden > 0.5)
            dlq_evidence_note(evidence, DLQ_NOTE_FEW_LONG, hidden, 0, 0);
    }
    for (size_t i = 0; i < search->count; i++) {
        evidence->fitted[i] = search->candidates[i].fitted;
        dlq_fitted_summarize(&evidence->fitted[i]);
    }
    evidence->fitted_count = search->count;
    return DLQ_OK;
}

/* -- known loads and intervals -- */

static const double same = 2e-3; /* what times in a log are exact to */

/* Does one load time agree with all that the waits say, within what times in a log are exact to? Loads that are all the
   same and too slow are waited for once in every round of the loaders. */
static bool is_constant(const struct dlq_links *links, long loaders, double *value)
{
    double least = INFINITY, most = 0, sum = 0, ended = 0;
    size_t n = 0;
    for (size_t i = 0; i < links->count; i++)
        if (links->links[i].exact && links->links[i].first && links->links[i].counts) {
            double load = links->links[i].done - links->links[i].ready;
            least = fmin(least, load);
            most = fmax(most, load);
            sum += load;
            n++;
        }
    *value = sum / (double)n;
    bool agrees = n > 1 && 2 * n * (size_t)loaders >= links->counted && most - least <= same * *value;
    for (size_t i = 0; i < links->count && agrees; i++) {
        const struct dlq_link *link = &links->links[i];
        if (link->counts || !link->first) {
            ended = (link->first ? link->ready : fmax(link->ready, ended)) + *value;
            agrees = link->exact ? fabs(ended - link->done) <= same * *value : ended <= link->done + same * *value;
        }
        ended = link->exact || !link->counts ? fmin(ended, link->done) : ended;
    }
    return agrees;
}

enum dlq_status dlq_loads_from_links(struct dlq_arena *arena, const struct dlq_links *links, uint64_t seed,
                                     struct dlq_load_evidence *evidence)
{
    double value;
    NEW(arena, evidence->observed, links->counted + 1);
    for (size_t i = 0; i < links->count; i++) {
        const struct dlq_link *link = &links->links[i];
        struct dlq_observed observed = {.high = link->done - link->ready, .weight = 1};
        if (link->exact && (link->first || i == 0))
            observed.low = observed.high;
        else if (link->exact)
            observed.low = link->done - fmax(link->ready, link[-1].done);
        observed.low = fmin(fmax(observed.low, 0), observed.high);
        if (link->counts)
            evidence->observed[evidence->observed_count++] = observed;
    }
    evidence->n = (long)evidence->observed_count;
    evidence->receive = links->receive;
    if (links->shortened)
        dlq_evidence_note(evidence, DLQ_NOTE_SHORTENED, (double)links->iterations, 0, 0);
    if (is_constant(links, evidence->loaders, &value)) {
        dlq_evidence_lognormal(evidence, value, 0);
        evidence->mean_low = value * (1 - same);
        evidence->mean_high = value * (1 + same);
    } else if (links->clear < LEAST_STALLS) {
        dlq_evidence_bound(evidence, links->mean_iteration, (long)links->clear, links->iterations);
    } else {
        return fit_links(arena, links, seed, evidence);
    }
    return DLQ_OK;
}
