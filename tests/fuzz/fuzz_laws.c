/* Laws of raw parameters, and files of measured times.
   Moments, distribution functions, quantiles and draws of both samplers: draws are finite and >= 0, functions rise and
   belong together, and GSL never objects. */
#include "fuzz.h"

#include <gsl/gsl_errno.h>

/* What GSL objects to was not checked before. Underflow is a 0, and no objection. */
static void object(const char *reason, const char *file, int line, int number)
{
    EXPECT(number == GSL_EUNDRFLW, "GSL: %s:%d: %s (%d)", file, line, reason, number);
}

static void begin(void)
{
    gsl_set_error_handler(object);
}

/* The shares below and above x, after those of a smaller x. */
static void check_shares(const struct dlq_dist *dist, double x, double *below, double *above)
{
    double cdf = dlq_dist_cdf(dist, x), survival = dlq_dist_survival(dist, x);
    EXPECT(fabs(cdf + survival - 1) < 1e-9, "at %.17g: %.17g + %.17g", x, cdf, survival);
    /* GSL's gamma functions have other formulas on either side of some points. */
    IN(fmax(0, *below - 1e-9), 1, cdf);
    IN(0, fmin(1, *above + 1e-9), survival);
    *below = cdf;
    *above = survival;
}

static void check_quantile(const struct dlq_dist *dist, double p, double *least)
{
    double x = dlq_dist_quantile(dist, p), upper = dlq_dist_upper(dist, 1 - p);
    IN(*least * (1 - 1e-9), p == 1 ? INFINITY : DBL_MAX, x);
    /* Nearer to 0 or 1 the share itself is rounded. */
    EXPECT(!(p >= 0.01 && p <= 0.99) || fabs(x - upper) <= 1e-6 * x + 1e-300, "quantile %g is %.17g or %.17g", p, x,
           upper);
    *least = x;
    /* Laws that have steps pass a share by more than a little; one as narrow as cv 1e-4 has shares that change by 1e-9
       with the last bits of x. */
    if (!dlq_dist_is_constant(dist) && dist->data == NULL && isfinite(x) && x > 1e-290)
        IN(p - 1e-6, p + 1e-6, dlq_dist_cdf(dist, x));
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
    for (int i = 0; i < DRAWS; i++)
        IN(0, DBL_MAX, dlq_dist_sample(dist, rng));
    gsl_rng_free(rng);
    if (!dlq_dist_in_blocks(dist))
        return;
    dlq_fill_dist(&lanes, dist, seed % 1000, DRAWS, draws);
    for (int i = 0; i < DRAWS * LANES; i++)
        IN(0, DBL_MAX, draws[i]);
}

static void try_law(struct bytes *bytes, const struct dlq_empirical *data)
{
    struct dlq_dist dist;
    const struct law law = law_take(bytes);
    if (!law_make(&law, data, &dist))
        return;
    double x = bytes_double(bytes);
    fuzz_subject = law.family->name;
    IN(0, DBL_MAX, dist.mean);
    IN(0, INFINITY, dist.variance, dlq_dist_cv(&dist));
    check_functions(&dist, x);
    check_draws(&dist, (uint64_t)bytes_next(bytes) << 56 | bytes_next(bytes));
    /* Scaled by a power of 2, quantiles are so too, to the bit; measured ones are as they were measured until then. */
    struct dlq_dist twice = dist;
    dlq_dist_rescale(&twice, 2);
    double low = dlq_dist_quantile(&dist, 0.4), high = dlq_dist_quantile(&twice, 0.4);
    EXPECT(fabs(high - 2 * low) <= (dist.data != NULL ? 1e-12 * high : 0) || low < 1e-300, "%.17g scaled is %.17g", low,
           high);
    dlq_dist_rescale(&twice, 0);
    EXPECT(twice.mean == 0 && dlq_dist_is_constant(&twice), "scaled by 0: %g", twice.mean);
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
    enum dlq_status status =
        dlq_empirical_read(&data, "fuzz.csv", stream, columns[bytes->at[0] % 2], bytes->at[0] / 2 % 2, &error);
    fclose(stream);
    if (!GOOD(status, &error))
        return;
    IN(1, DBL_MAX, data.count);
    IN(0, DBL_MAX, data.sorted[0]);
    IN(data.sorted[0], DBL_MAX, data.sorted[data.count - 1]);
    IN(0, DBL_MAX, data.mean);
    IN(0, INFINITY, data.variance);
    try_law(&none, &data);
    dlq_empirical_free(&data);
}

static void run(struct bytes *bytes)
{
    struct dlq_empirical empirical = {0};
    if (bytes_next(bytes) == 'f') {
        try_file(bytes);
        return;
    }
    law_measured(&empirical);
    try_law(bytes, &empirical);
    dlq_empirical_free(&empirical);
}

const struct target target_laws = {.name = "laws", .longest = 256, .begin = begin, .run = run};
