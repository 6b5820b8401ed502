/* Laws of raw parameters, and files of measured times.
   Moments, distribution functions, quantiles and draws of both samplers: draws are finite and >= 0, functions rise and
   belong together, and GSL never objects. */
#include "dist/dist.h"
#include "laws.h"

#include <stdlib.h>

void target_begin(void)
{
    gsl_set_error_handler(law_objection);
}

static void check_moments(const struct dlq_dist *dist)
{
    EXPECT(dist->mean >= 0 && isfinite(dist->mean), "%s: mean %g", dist->family->name, dist->mean);
    EXPECT(dist->variance >= 0, "%s: variance %g", dist->family->name, dist->variance);
    EXPECT(dlq_dist_cv(dist) >= 0, "%s: cv %g", dist->family->name, dlq_dist_cv(dist));
}

static void check_shares(const struct dlq_dist *dist, double x, double *below, double *above)
{
    double cdf = dlq_dist_cdf(dist, x), survival = dlq_dist_survival(dist, x);
    EXPECT(cdf >= 0 && cdf <= 1 && survival >= 0 && survival <= 1, "%s at %.17g: %.17g, %.17g", dist->family->name, x,
           cdf, survival);
    EXPECT(fabs(cdf + survival - 1) < 1e-9, "%s at %.17g: %.17g + %.17g", dist->family->name, x, cdf, survival);
    /* GSL's gamma functions have other formulas on either side of some points. */
    EXPECT(cdf >= *below - 1e-9 && survival <= *above + 1e-9, "%s at %.17g: falls to %.17g, or rises to %.17g",
           dist->family->name, x, cdf, survival);
    *below = cdf;
    *above = survival;
}

/* Laws that have steps pass a share by more than a little. */
static bool is_smooth(const struct dlq_dist *dist)
{
    return !dlq_dist_is_constant(dist) && dist->data == NULL;
}

static void check_quantile(const struct dlq_dist *dist, double p, double *least)
{
    double x = dlq_dist_quantile(dist, p), upper = dlq_dist_upper(dist, 1 - p);
    EXPECT(x >= *least * (1 - 1e-9), "%s: quantile %g is %.17g, below %.17g", dist->family->name, p, x, *least);
    EXPECT(p == 1 || isfinite(x), "%s: quantile %g is %g", dist->family->name, p, x);
    /* Nearer to 0 or 1 the share itself is rounded. */
    EXPECT(!(p >= 0.01 && p <= 0.99) || fabs(x - upper) <= 1e-6 * x + 1e-300, "%s: quantile %g is %.17g or %.17g",
           dist->family->name, p, x, upper);
    *least = x;
    /* A law as narrow as cv 1e-4 has shares that change by 1e-9 with the last bits of x. */
    if (is_smooth(dist) && isfinite(x) && x > 1e-290)
        EXPECT(fabs(dlq_dist_cdf(dist, x) - p) < 1e-6, "%s: quantile %g is %.17g, below which lies %.17g",
               dist->family->name, p, x, dlq_dist_cdf(dist, x));
}

static void check_functions(const struct dlq_dist *dist, double x)
{
    static const double shares[] = {0, 1e-12, 1e-6, 0.01, 0.1, 0.5, 0.9, 0.99, 1 - 1e-6, 1};
    static const double factors[] = {0, 1e-9, 0.01, 0.3, 0.9, 0.9999, 1, 1.0001, 1.5, 4, 100, 1e9, 1e300};
    double below = 0, above = 1, least = 0;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        check_shares(dist, factors[i] * dist->mean, &below, &above);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        check_quantile(dist, shares[i], &least);
    below = 0, above = 1;
    if (x >= 0)
        check_shares(dist, x, &below, &above);
}

static void check_draws(const struct dlq_dist *dist, uint64_t seed)
{
    enum { DRAWS = 32, LANES = 3 };
    double draws[DRAWS * LANES];
    const struct dlq_lanes lanes = {.seed = seed, .purpose = DLQ_PURPOSE_TEST, .count = LANES};
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    EXPECT(rng != NULL, "no memory");
    dlq_stream_start(rng, seed, 0, 0, DLQ_PURPOSE_TEST);
    for (int i = 0; i < DRAWS; i++) {
        double x = dlq_dist_sample(dist, rng);
        EXPECT(x >= 0 && isfinite(x), "%s draws %g", dist->family->name, x);
    }
    gsl_rng_free(rng);
    if (!dlq_dist_in_blocks(dist))
        return;
    dlq_fill_dist(&lanes, dist, seed % 1000, DRAWS, draws);
    for (int i = 0; i < DRAWS * LANES; i++)
        EXPECT(draws[i] >= 0 && isfinite(draws[i]), "%s draws %g in blocks", dist->family->name, draws[i]);
}

/* Scaled by a power of 2, quantiles are so too, to the bit; measured ones are as they were measured until then. */
static void check_scale(const struct dlq_dist *dist)
{
    struct dlq_dist twice = *dist;
    dlq_dist_rescale(&twice, 2);
    double x = dlq_dist_quantile(dist, 0.4), y = dlq_dist_quantile(&twice, 0.4);
    EXPECT(fabs(y - 2 * x) <= (dist->data != NULL ? 1e-12 * y : 0) || x < 1e-300, "%s: %.17g scaled is %.17g",
           dist->family->name, x, y);
    dlq_dist_rescale(&twice, 0);
    EXPECT(twice.mean == 0 && dlq_dist_is_constant(&twice), "%s: scaled by 0: %g", dist->family->name, twice.mean);
}

static void try_law(struct bytes *bytes, const struct dlq_empirical *data)
{
    struct dlq_parameters parameters;
    struct dlq_dist dist;
    const struct dlq_family *family = law_take(bytes, &parameters, data);
    if (!law_make(family, &parameters, &dist))
        return;
    double x = bytes_double(bytes);
    check_moments(&dist);
    check_functions(&dist, x);
    check_draws(&dist, (uint64_t)bytes_next(bytes) << 56 | bytes_next(bytes));
    check_scale(&dist);
}

/* As it is read from a configuration's file of measured times, and its law. */
static void try_file(const struct bytes *bytes)
{
    static const char *const columns[] = {NULL, "load"};
    struct dlq_empirical data;
    struct dlq_error error = {0};
    struct bytes none = {(const uint8_t *)"\012\200", 2};
    if (bytes->left < 2)
        return;
    FILE *stream = fmemopen((void *)(bytes->at + 1), bytes->left - 1, "r");
    EXPECT(stream != NULL, "no memory");
    enum dlq_status status = dlq_empirical_read(&data, "fuzz.csv", stream, columns[bytes->at[0] % 2], &error);
    fclose(stream);
    EXPECT((status == DLQ_OK) == (error.count == 0), "status %d: %s", (int)status, error.text);
    if (status != DLQ_OK)
        return;
    EXPECT(data.count >= 1 && data.sorted[0] >= 0 && isfinite(data.sorted[data.count - 1]), "%zu values", data.count);
    EXPECT(isfinite(data.mean) && data.variance >= 0, "mean %g, variance %g", data.mean, data.variance);
    try_law(&none, &data);
    dlq_empirical_free(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 256 };
    struct bytes bytes = {data, size};
    struct dlq_empirical empirical = {0};
    if (size > LONGEST)
        return 0;
    if (bytes_next(&bytes) == 'f') {
        try_file(&bytes);
        return 0;
    }
    law_measured(&empirical);
    try_law(&bytes, &empirical);
    dlq_empirical_free(&empirical);
    return 0;
}
