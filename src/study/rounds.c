#include "study/rounds.h"

#include "base/elementary.h"
#include "dist/likelihood.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dlq_rounds_pool(struct dlq_rounds *rounds, bool resample)
{
    for (size_t i = 0; i < rounds->links->count; i++)
        if (rounds->links->links[i].counts) {
            double load = rounds->imputer.loads[i];
            double weight = resample ? -dlq_log(gsl_rng_uniform_pos(rounds->rng)) : 1;
            rounds->pool[rounds->pooled++] = (struct dlq_observed){load, load, weight};
        }
}

enum dlq_fit_result dlq_rounds_fit_plain(size_t which, const struct dlq_observed *observed, size_t n,
                                         struct dlq_fitted *law)
{
    struct dlq_observations seen, few;
    enum dlq_status status = dlq_observations_make(&seen, observed, n, NULL);
    if (status != DLQ_OK)
        return status == DLQ_FAILURE ? DLQ_NO_MEMORY : DLQ_NOT_FITTED;
    enum dlq_fit_result result = DLQ_NO_MEMORY;
    if (dlq_observations_thin(&few, &seen, NULL) == DLQ_OK) {
        result = dlq_fit_plain(which, &seen, &few, law);
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

/* Each time has the tail in it or not, by chance, given the law so far: what is left over the usual mean is the tail's.
 */
static size_t split(struct dlq_rounds *rounds, const struct dlq_fitted *law, struct dlq_observed *usual, size_t *tails)
{
    struct dlq_tailed whole;
    struct dlq_density plain;
    size_t usuals = 0, n = rounds->pooled;
    dlq_tailed_of(&whole, &law->dist, &law->tail, law->tail_probability);
    dlq_density_of(&plain, &law->dist);
    *tails = 0;
    for (size_t i = 0; i < n; i++) {
        struct dlq_observed one = rounds->pool[i];
        bool tail = one.low > law->dist.mean &&
                    gsl_rng_uniform(rounds->rng) < tail_chance(&whole, &plain, law->tail_probability, one.low);
        if (tail) {
            one.low = one.high = one.low - law->dist.mean;
            usual[n - ++*tails] = one;
        } else {
            usual[usuals++] = one;
        }
    }
    return usuals;
}

static size_t family_number(const struct dlq_family *family)
{
    static const char *const names[DLQ_PLAIN_FITS] = {"exponential", "gamma",   "lognormal", "weibull",
                                                      "pareto",      "uniform", "normal",    "hyperexponential"};
    for (size_t i = 0; i < DLQ_PLAIN_FITS; i++)
        if (strcmp(names[i], family->name) == 0)
            return i;
    return 2;
}

static double total_weight(const struct dlq_observed *observed, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += observed[i].weight;
    return sum;
}

/* One part of a law with a tail; where all its times are the same to within what the family can be, a constant. */
static enum dlq_fit_result fit_part(const struct dlq_family *family, const struct dlq_observed *observed, size_t n,
                                    struct dlq_fitted *law)
{
    bool constant = strcmp(family->name, "constant") == 0;
    enum dlq_fit_result result =
        constant ? DLQ_NOT_FITTED : dlq_rounds_fit_plain(family_number(family), observed, n, law);
    if (result != DLQ_NOT_FITTED)
        return result;
    unsigned fault;
    char why[128];
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += observed[i].weight * observed[i].low;
    law->parameters = dlq_no_parameters;
    law->parameters.mean = sum / total_weight(observed, n);
    bool made = dlq_dist_make(&law->dist, dlq_family_find("constant"), &law->parameters, &fault, why, sizeof why);
    law->family = law->dist.family;
    return made ? DLQ_FITTED : DLQ_NOT_FITTED;
}

static enum dlq_fit_result fit_tailed(struct dlq_rounds *rounds, struct dlq_fitted *law)
{
    struct dlq_fitted usual, tail;
    struct dlq_observed *parts = calloc(rounds->pooled + 1, sizeof *parts);
    enum dlq_fit_result result = DLQ_NO_MEMORY;
    if (parts == NULL)
        return result;
    size_t tails, usuals = split(rounds, law, parts, &tails);
    result = DLQ_NOT_FITTED;
    if (usuals > 4 && tails > 4)
        result = fit_part(law->family, parts, usuals, &usual);
    if (result == DLQ_FITTED)
        result = fit_part(law->tail_family, parts + usuals, tails, &tail);
    if (result == DLQ_FITTED) {
        double heavy = total_weight(parts + usuals, tails);
        law->dist = usual.dist;
        law->family = usual.family;
        law->tail_family = tail.family;
        law->parameters = usual.parameters;
        law->tail = tail.dist;
        law->tail_parameters = tail.parameters;
        law->tail_probability = fmin(heavy / (heavy + total_weight(parts, usuals)), 0.5);
    }
    free(parts);
    return result;
}

bool dlq_rounds_refit(struct dlq_rounds *rounds, struct dlq_candidate *candidate)
{
    struct dlq_fitted law = candidate->law;
    enum dlq_fit_result result = candidate->plain == DLQ_TAILED
                                     ? fit_tailed(rounds, &law)
                                     : dlq_rounds_fit_plain(candidate->plain, rounds->pool, rounds->pooled, &law);
    if (result == DLQ_FITTED)
        candidate->law = law;
    rounds->pooled = 0;
    return result != DLQ_NO_MEMORY;
}

double dlq_rounds_mean(const struct dlq_fitted *law)
{
    return law->dist.mean + (law->has_tail ? law->tail_probability * law->tail.mean : 0);
}

bool dlq_rounds_iterate(struct dlq_rounds *rounds, struct dlq_candidate *candidate, int count)
{
    bool enough = true;
    for (int k = 0; k < count && enough && !dlq_links_interrupted(rounds->links); k++) {
        dlq_impute(&rounds->imputer, &candidate->law);
        dlq_rounds_pool(rounds, false);
        enough = dlq_rounds_refit(rounds, candidate);
    }
    return enough;
}
