/* Observations drawn for fits, and what is asked of every fit. */
#ifndef TESTS_DIST_FITS_H
#define TESTS_DIST_FITS_H

#include "cases.h"
#include "dist/likelihood.h"

#include <stdlib.h>

struct fits {
    struct dlq_fitted fitted[DLQ_MOST_FITTED];
    size_t count;
};

/* The fits are in order, their criterion is that of their likelihood, and their parameters make their distribution. */
static inline bool fit(struct fits *fits, const struct dlq_observed *observed, size_t n)
{
    struct dlq_error error = {0};
    enum dlq_status status = dlq_fit_distributions(observed, n, fits->fitted, &fits->count, &error);
    CHECK(status == DLQ_OK && fits->count >= 1, "status %d: %s", status, error.text);
    if (status != DLQ_OK)
        return false;
    for (size_t i = 0; i < fits->count; i++) {
        const struct dlq_fitted *one = &fits->fitted[i];
        struct dlq_dist dist;
        CHECK(dist_make(&dist, one->family->name, &one->parameters) && dist.mean == one->dist.mean &&
                  dist.variance == one->dist.variance,
              "%s: other parameters", one->family->name);
        CHECK(i == 0 || one->aic >= fits->fitted[i - 1].aic, "%s: out of order", one->family->name);
        CHECK(fits->count == 1 || one->aic == 2 * one->free_parameters - 2 * one->log_likelihood, "%s: aic %g",
              one->family->name, one->aic);
        CHECK(isfinite(one->mean) && one->median <= one->p99 && one->free_parameters >= 1, "%s: mean %g",
              one->family->name, one->mean);
        CHECK(!(one->ks < 0 || one->ks > 1), "%s: distance %g", one->family->name, one->ks);
        if (one->has_tail)
            CHECK(dist_make(&dist, one->tail_family->name, &one->tail_parameters) && dist.mean == one->tail.mean &&
                      one->tail_probability > 0 && one->tail_probability <= 0.5,
                  "%s: other tail", one->tail_family->name);
    }
    return true;
}

/* NULL: not among them. */
static inline const struct dlq_fitted *plain_fit(const struct fits *fits, const char *family)
{
    for (size_t i = 0; i < fits->count; i++)
        if (!fits->fitted[i].has_tail && strcmp(fits->fitted[i].family->name, family) == 0)
            return &fits->fitted[i];
    return NULL;
}

static inline struct dlq_observed measured(double x)
{
    return (struct dlq_observed){x, x, 1};
}

/* n draws, another sample for each number; in a share of them `ratio` times as long. */
static inline void observe(const struct dlq_dist *dist, double share, double ratio, struct dlq_observed *observed,
                           size_t n, uint32_t sample)
{
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    dlq_stream_start(rng, 1, sample, 0, DLQ_PURPOSE_TEST);
    for (size_t i = 0; i < n; i++) {
        double x = dlq_dist_sample(dist, rng);
        if (share > 0 && gsl_rng_uniform(rng) < share)
            x *= ratio;
        observed[i] = measured(x);
    }
    gsl_rng_free(rng);
}

#endif
