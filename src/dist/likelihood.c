#include "dist/likelihood.h"

#include "dist/families.h"
#include "dist/fitting.h"
#include "dist/law.h"

#include <math.h>
#include <stdlib.h>

/* A cv below this is no spread. A law with a tail has more ways to fit chance than its parameters tell (its tail may
   lie anywhere), so that its AIC has to be lower by this. */
static const double least_cv = 1e-3, least_gain = 10;

/* A law whose mean is this many times that of the times has run away to where the bounds do not hold it: no family with
   a cv up to 100 does so otherwise. */
static const double most_mean = 1e4, most_cv = 0.99 * DLQ_CV_MOST;

static void whole_moments(struct dlq_fitted *fitted)
{
    struct dlq_part parts[] = {{fitted->dist, 1, 1}, {fitted->tail, fitted->tail_probability, 1}};
    double variance;
    dlq_parts_moments(parts, fitted->has_tail ? 2 : 1, &fitted->mean, &variance);
    fitted->cv = fitted->mean > 0 ? sqrt(variance) / fitted->mean : 0;
}

static double likelihood_of(const struct dlq_fitted *plain, const struct dlq_observations *seen)
{
    struct dlq_tailed law;
    dlq_tailed_of(&law, &plain->dist, NULL, 0);
    return dlq_log_likelihood(seen, &law);
}

/* false: the law forbids one of the times. */
static bool complete(struct dlq_fitted *fitted, const struct dlq_observations *seen)
{
    struct dlq_tailed law;
    dlq_tailed_of(&law, &fitted->dist, fitted->has_tail ? &fitted->tail : NULL, fitted->tail_probability);
    fitted->log_likelihood = dlq_log_likelihood(seen, &law);
    fitted->aic = 2 * fitted->free_parameters - 2 * fitted->log_likelihood;
    whole_moments(fitted);
    bool at_limit = isfinite(fitted->cv) && fitted->cv > most_cv;
    if (at_limit || !isfinite(fitted->log_likelihood) || !(fitted->mean <= most_mean * seen->mean))
        return false;
    fitted->median = dlq_tailed_quantile(&law, 0.5);
    fitted->p99 = dlq_tailed_quantile(&law, 0.99);
    fitted->ks = dlq_distance(seen, &law);
    return true;
}

static void fit_constant(struct dlq_fitted *fitted, const struct dlq_observations *seen)
{
    double value = seen->mean;
    if (seen->most <= seen->least)
        value = isfinite(seen->least) ? seen->most / 2 + seen->least / 2 : seen->most;
    if (value < DLQ_TIME_LEAST)
        value = 0;
    *fitted = (struct dlq_fitted){.parameters = dlq_no_parameters, .tail_parameters = dlq_no_parameters};
    fitted->parameters.mean = fitted->mean = fitted->median = fitted->p99 = value;
    dlq_constant_set(&fitted->dist, value);
    fitted->family = fitted->dist.family;
    fitted->free_parameters = 1;
    fitted->log_likelihood = fitted->aic = NAN;
    struct dlq_tailed law;
    dlq_tailed_of(&law, &fitted->dist, NULL, 0);
    fitted->ks = seen->most <= seen->least ? 0 : dlq_distance(seen, &law);
}

static int by_aic(const void *left, const void *right)
{
    const struct dlq_fitted *a = left, *b = right;
    return (a->aic > b->aic) - (a->aic < b->aic);
}

static bool fit_all(const struct dlq_observations *seen, const struct dlq_observations *few, struct dlq_fitted *fitted,
                    size_t *count)
{
    double plain = INFINITY, bar = -INFINITY;
    for (size_t i = 0; i < DLQ_PLAIN_FITS + DLQ_TAILED_FITS; i++) {
        bool tailed = i >= DLQ_PLAIN_FITS;
        struct dlq_fitted *one = &fitted[*count];
        enum dlq_fit_result result = tailed ? dlq_fit_tailed(i - DLQ_PLAIN_FITS, few, bar + least_gain / 2, one)
                                            : dlq_fit_plain(i, seen, few, one);
        if (result == DLQ_NO_MEMORY)
            return false;
        if (result == DLQ_NOT_FITTED || !complete(one, seen))
            continue;
        if (!tailed) {
            plain = fmin(plain, one->aic);
            bar = fmax(bar, likelihood_of(one, few));
        } else if (!(one->aic < plain - least_gain))
            continue;
        ++*count;
    }
    return true;
}

static enum dlq_status fit_spread(const struct dlq_observations *seen, struct dlq_fitted *fitted, size_t *count,
                                  struct dlq_error *error)
{
    struct dlq_observations few;
    enum dlq_status status = dlq_observations_thin(&few, seen, error);
    if (status != DLQ_OK)
        return status;
    *count = 0;
    if (!fit_all(seen, &few, fitted, count))
        status = dlq_error_memory(error, "fitting distributions");
    else if (*count == 0)
        status = dlq_error_add(error, DLQ_NO_ANSWER, "no distribution can be fitted to %g times of mean %g s",
                               seen->weight, seen->mean);
    else
        qsort(fitted, *count, sizeof *fitted, by_aic);
    dlq_observations_free(&few);
    return status;
}

enum dlq_status dlq_fit_laws(const struct dlq_observed *observed, size_t n, struct dlq_fitted fitted[DLQ_MOST_FITTED],
                             size_t *count, struct dlq_error *error)
{
    struct dlq_fitted found[DLQ_MOST_FITTED];
    size_t laws = 1;
    struct dlq_observations seen;
    enum dlq_status status = dlq_observations_make(&seen, observed, n, error);
    if (status != DLQ_OK)
        return status;
    if (seen.most <= seen.least || seen.cv < least_cv)
        fit_constant(found, &seen);
    else
        status = fit_spread(&seen, found, &laws, error);
    for (size_t i = 0; status == DLQ_OK && i < laws; i++)
        fitted[i] = found[i];
    if (status == DLQ_OK)
        *count = laws;
    dlq_observations_free(&seen);
    return status;
}
