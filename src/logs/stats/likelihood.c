/* Computes log densities of families and of a usual distribution with a tail, and fits all distributions to observed
   times: log likelihood, AIC, and the distance to the Kaplan-Meier curve. */
#include "logs/stats/likelihood.h"
#include "base/elementary.h"
#include "dist/families.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- densities -- */

void dlq_density_of(struct dlq_density *density, const struct dlq_dist *dist)
{
    bool has_one = dist->family->log_density != NULL;
    *density = (struct dlq_density){*dist, has_one ? dist->family->log_density(dist, true, 0) : NAN};
    density->constant -= dlq_log(dist->scale);
}

double dlq_log_density(const struct dlq_density *density, double x)
{
    const struct dlq_dist *dist = &density->dist;
    if (isnan(density->constant))
        return NAN;
    return x > 0 ? density->constant + dist->family->log_density(dist, false, x / dist->scale) : -INFINITY;
}

/* -- a usual distribution with a tail -- */

/* The nodes represent the narrower distribution. They are quantiles of the lognormal distribution with its mean and cv,
   which are fast to compute, at p = t^2 (3 - 2 t) for equally spaced t, so that nodes are denser at both ends. The
   weights come from the density of the narrower distribution itself; a shift gives the nodes its mean. */
void dlq_tailed_of(struct dlq_tailed *tailed, const struct dlq_dist *usual, const struct dlq_dist *tail,
                   double probability)
{
    tailed->probability = tail == NULL ? 0 : probability;
    tailed->nodes = 0;
    tailed->wide = &tailed->usual;
    dlq_density_of(&tailed->usual, usual);
    if (tail == NULL)
        return;
    dlq_density_of(&tailed->tail, tail);
    if (dlq_dist_is_constant(tail)) {
        tailed->nodes = 1;
        tailed->node[0] = tail->mean;
        tailed->weight[0] = 1;
        return;
    }
    bool tail_is_wide = !(tail->variance < usual->variance);
    const struct dlq_density *narrow = tail_is_wide ? &tailed->usual : &tailed->tail;
    double square = dlq_log1p(narrow->dist.variance / (narrow->dist.mean * narrow->dist.mean));
    double mean = 0, sum = 0, spread = sqrt(square);
    tailed->wide = tail_is_wide ? &tailed->tail : &tailed->usual;
    tailed->nodes = DLQ_TAIL_NODES;
    for (int i = 0; i < DLQ_TAIL_NODES; i++) {
        double t = (i + 0.5) / DLQ_TAIL_NODES, z = -dlq_normal_upper_at(t * t * (3 - 2 * t));
        double x = narrow->dist.mean * dlq_exp(spread * z - square / 2);
        tailed->node[i] = x;
        tailed->weight[i] = t * (1 - t) * spread * x * dlq_exp(dlq_log_density(narrow, x) + z * z / 2);
        sum += tailed->weight[i];
        mean += tailed->weight[i] * x;
    }
    for (int i = 0; i < DLQ_TAIL_NODES; i++) {
        tailed->weight[i] /= sum;
        tailed->node[i] += narrow->dist.mean - mean / sum;
    }
}

double dlq_tailed_log_density(const struct dlq_tailed *tailed, double x)
{
    double usual = dlq_log_density(&tailed->usual, x), sum = 0;
    if (tailed->probability == 0)
        return usual;
    for (int i = 0; i < tailed->nodes; i++)
        if (x > tailed->node[i])
            sum += tailed->weight[i] * dlq_exp(dlq_log_density(tailed->wide, x - tailed->node[i]));
    return dlq_log((1 - tailed->probability) * dlq_exp(usual) + tailed->probability * sum);
}

double dlq_tailed_share(const struct dlq_tailed *tailed, double x, bool above)
{
    double (*const share)(const struct dlq_dist *dist, double x) = above ? dlq_dist_survival : dlq_dist_cdf;
    double sum = 0;
    for (int i = 0; i < tailed->nodes; i++)
        sum += tailed->weight[i] * share(&tailed->wide->dist, x - tailed->node[i]);
    return (1 - tailed->probability) * share(&tailed->usual.dist, x) + tailed->probability * sum;
}

/* Bisection between the quantile of the usual distribution and a time with a share of at least p below. */
double dlq_tailed_quantile(const struct dlq_tailed *tailed, double p)
{
    double low = dlq_dist_quantile(&tailed->usual.dist, p), high = low;
    if (tailed->probability == 0)
        return low;
    high = fmax(high, tailed->usual.dist.mean);
    while (dlq_tailed_share(tailed, high, false) < p && high < 1e300)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = low + (high - low) / 2;
        if (dlq_tailed_share(tailed, middle, false) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* -- how well a distribution agrees with the observations -- */

/* If at most this share of the times lies between two bounds, the middle of its bounds replaces such a time. */
static const double few_between = 0.1;

/* This share of the times is assumed to be log-uniform between the extremes: a load that the machine delayed belongs
   neither to the usual distribution nor to the tail, and must not determine the tail (Huber 1964, "Robust estimation of
   a location parameter", contaminated distributions). Only for exact times and distributions with a tail: a plain
   distribution has no part that a single time could determine. */
static const double contamination = 0.01;

double dlq_log_likelihood(const struct dlq_observations *seen, const struct dlq_tailed *tailed)
{
    double sum = 0, range = 0;
    if (tailed->probability > 0 && seen->bounds == 0 && seen->exacts > 0)
        range = dlq_log(seen->exact[seen->exacts - 1].low / seen->exact[0].low);
    for (size_t i = 0; i < seen->exacts && sum > -INFINITY; i++) {
        double x = seen->exact[i].low, log_density = dlq_tailed_log_density(tailed, x);
        if (range > 0)
            log_density = dlq_log((1 - contamination) * dlq_exp(log_density) + contamination / (x * range));
        sum += seen->exact[i].weight * log_density;
    }
    for (size_t i = 0; i < seen->bounds && sum > -INFINITY; i++) {
        double low = seen->bounded[i].low, high = seen->bounded[i].high;
        double above = low > 0 ? dlq_tailed_share(tailed, low, true) : 1, between = above;
        /* Above the median, differences of survival functions cancel fewer digits than of distribution functions. */
        if (isfinite(high) && low > 0 && above < 0.5)
            between = above - dlq_tailed_share(tailed, high, true);
        else if (isfinite(high) || !(low > 0))
            between = dlq_tailed_share(tailed, high, false) - (low > 0 ? dlq_tailed_share(tailed, low, false) : 0);
        sum += seen->bounded[i].weight * dlq_log(fmax(between, 0));
    }
    return sum;
}

/* `ks` of struct dlq_fitted. Kaplan & Meier 1958, J. Am. Stat. Assoc. 53: at each value, the survival function is
   multiplied by 1 - (times that equal the value) / (times that are not smaller). A time without an upper bound is
   removed at its lower bound, after times that equal it. The middle of its bounds replaces a time between bounds. */
static double distance_of(const struct dlq_observations *seen, const struct dlq_tailed *tailed)
{
    double between = 0, at_risk = seen->weight, survival = 1, largest = 0;
    for (size_t i = 0; i < seen->bounds; i++)
        if (isfinite(seen->bounded[i].high))
            between += seen->bounded[i].weight;
    if (between > few_between * seen->weight)
        return NAN;
    for (size_t i = 0, b = 0; i < seen->exacts || b < seen->bounds;) {
        double exact = i < seen->exacts ? seen->exact[i].low : INFINITY;
        double bound = b < seen->bounds ? dlq_observed_middle(&seen->bounded[b]) : INFINITY;
        double x = fmin(exact, bound), equal = 0, censored = 0;
        for (; i < seen->exacts && seen->exact[i].low == x; i++)
            equal += seen->exact[i].weight;
        for (; b < seen->bounds && dlq_observed_middle(&seen->bounded[b]) <= x; b++)
            *(isfinite(seen->bounded[b].high) ? &equal : &censored) += seen->bounded[b].weight;
        double after = survival * fmax(1 - equal / at_risk, 0), fitted = dlq_tailed_share(tailed, x, true);
        if (equal > 0)
            largest = fmax(largest, fmax(fabs(fitted - survival), fabs(fitted - after)));
        survival = after;
        at_risk = fmax(at_risk - equal - censored, DBL_MIN);
    }
    return largest;
}

/* -- fits -- */

/* Times with a cv below least_cv are constant. A distribution with a tail fits random deviations better than its number
   of parameters suggests, as the tail may have any position: its AIC must be lower by least_gain. */
static const double least_cv = 1e-3, least_gain = 10;

/* A fit with a mean over most_mean times that of the observations, or a finite cv over most_cv, is not valid: the
   observations did not limit the search. No family, with a cv of at most DLQ_CV_MOST, reaches such a mean otherwise. */
static const double most_mean = 1e4, most_cv = 0.99 * DLQ_CV_MOST;

static void tailed_of_fitted(struct dlq_tailed *tailed, const struct dlq_fitted *fitted)
{
    dlq_tailed_of(tailed, &fitted->dist, fitted->has_tail ? &fitted->tail : NULL, fitted->tail_probability);
}

void dlq_fitted_summarize(struct dlq_fitted *fitted)
{
    struct dlq_tailed tailed;
    struct dlq_part parts[] = {{fitted->dist, 1, 1}, {fitted->tail, fitted->tail_probability, 1}};
    double variance;
    dlq_parts_moments(parts, fitted->has_tail ? 2 : 1, &fitted->mean, &variance);
    fitted->cv = fitted->mean > 0 ? sqrt(variance) / fitted->mean : 0;
    tailed_of_fitted(&tailed, fitted);
    fitted->median = dlq_tailed_quantile(&tailed, 0.5);
    fitted->p99 = dlq_tailed_quantile(&tailed, 0.99);
    fitted->ks = NAN;
}

/* Computes likelihood, AIC, summary and ks. False: the fit is not valid. */
static bool complete(struct dlq_fitted *fitted, const struct dlq_observations *seen)
{
    struct dlq_tailed tailed;
    tailed_of_fitted(&tailed, fitted);
    fitted->log_likelihood = dlq_log_likelihood(seen, &tailed);
    fitted->aic = 2 * fitted->free_parameters - 2 * fitted->log_likelihood;
    dlq_fitted_summarize(fitted);
    bool at_limit = isfinite(fitted->cv) && fitted->cv > most_cv;
    if (at_limit || !isfinite(fitted->log_likelihood) || !(fitted->mean <= most_mean * seen->mean))
        return false;
    fitted->ks = distance_of(seen, &tailed);
    return true;
}

/* Fits the value that agrees with all observations, else their mean. */
static void fit_constant(struct dlq_fitted *fitted, const struct dlq_observations *seen)
{
    struct dlq_tailed tailed;
    double value = seen->mean;
    if (seen->most <= seen->least)
        value = isfinite(seen->least) ? seen->most / 2 + seen->least / 2 : seen->most;
    if (value < DLQ_TIME_LEAST)
        value = 0;
    *fitted = (struct dlq_fitted){.parameters = dlq_no_parameters,
                                  .tail_parameters = dlq_no_parameters,
                                  .free_parameters = 1,
                                  .log_likelihood = NAN,
                                  .aic = NAN};
    fitted->parameters.mean = value;
    dlq_constant_set(&fitted->dist, value);
    fitted->family = fitted->dist.family;
    dlq_fitted_summarize(fitted);
    tailed_of_fitted(&tailed, fitted);
    fitted->ks = seen->most <= seen->least ? 0 : distance_of(seen, &tailed);
}

int dlq_by_aic(const void *left, const void *right)
{
    const struct dlq_fitted *a = left, *b = right;
    return (a->aic > b->aic) - (a->aic < b->aic);
}

enum dlq_status dlq_fit_distributions(const struct dlq_observed *observed, size_t n,
                                      struct dlq_fitted fitted[DLQ_MOST_FITTED], size_t *count, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "fitting distributions"};
    double plain = INFINITY, bar = -INFINITY;
    struct dlq_fitted found[DLQ_MOST_FITTED];
    struct dlq_observations seen, few;
    size_t kept = 0;
    TRY(dlq_observations_make(&arena, &seen, &few, observed, n));
    bool constant = seen.most <= seen.least || seen.cv < least_cv;
    if (constant)
        fit_constant(&found[kept++], &seen);
    for (size_t i = 0; !constant && i < DLQ_PLAIN_FITS + DLQ_TAILED_FITS; i++) {
        bool tailed = i >= DLQ_PLAIN_FITS;
        struct dlq_fitted *one = &found[kept];
        enum dlq_fit_result result = tailed ? dlq_fit_tailed(i - DLQ_PLAIN_FITS, &few, bar + least_gain / 2, one)
                                            : dlq_fit_plain(i, &seen, &few, one);
        if (result == DLQ_NO_MEMORY)
            return dlq_error_memory(error, arena.doing);
        if (result == DLQ_NOT_FITTED || !complete(one, &seen))
            continue;
        if (!tailed) {
            struct dlq_tailed without_tail;
            tailed_of_fitted(&without_tail, one);
            plain = fmin(plain, one->aic);
            bar = fmax(bar, dlq_log_likelihood(&few, &without_tail) - one->free_parameters);
        }
        kept += !tailed || one->aic < plain - least_gain;
    }
    if (kept == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER, "no distribution can be fitted to %g times of mean %g s",
                             seen.weight, seen.mean);
    qsort(found, kept, sizeof *found, dlq_by_aic);
    memcpy(fitted, found, kept * sizeof *found);
    *count = kept;
    return DLQ_OK;
}
