/* Quantiles of histograms against those of sorted values; merging. */
#include "harness.h"
#include "stats/stats.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>

enum { COUNT = 20000, BITS = 7 };

static const double shares[] = {0.001, 0.07, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};
enum { SHARES = sizeof shares / sizeof *shares };

static double exact(const double *sorted, size_t n, double share)
{
    size_t rank = (size_t)ceil(share * (double)n - 1e-6);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static void fill_waits(double *values, double zeros, unsigned long seed)
{
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = gsl_rng_uniform(rng) < zeros ? 0 : gsl_ran_lognormal(rng, -3, 1.5);
}

static struct dlq_histogram histogram_of(int bits, const double *values, size_t n)
{
    struct dlq_histogram histogram = {0};
    if (!dlq_histogram_begin(&histogram, bits))
        test_skip("no memory");
    dlq_histogram_add(&histogram, values, n);
    return histogram;
}

/* A value that occurred, not below the exact quantile, at most 2^-bits above it. */
static void quantiles_of_sorted_data(void)
{
    static double values[COUNT];
    for (int bits = 2; bits <= 10; bits += 4) {
        for (int i = 0; i < 3; i++) {
            double zeros = 0.4 * i;
            fill_waits(values, zeros, 3);
            OWN(dlq_histogram) histogram = histogram_of(bits, values, COUNT);
            gsl_sort(values, 1, COUNT);
            for (size_t k = 0; k < SHARES; k++) {
                double got = dlq_histogram_quantile(&histogram, shares[k]), want = exact(values, COUNT, shares[k]);
                CHECK(got >= want && got <= want * (1 + ldexp(1, -bits)), "bits %d, zeros %g, share %g: %g for %g",
                      bits, zeros, shares[k], got, want);
            }
            CHECK(dlq_histogram_quantile(&histogram, 1) == values[COUNT - 1], "the maximum is exact");
            CHECK_INT(histogram.count, COUNT);
        }
    }
}

static void repeated_values_are_exact(void)
{
    static const double values[] = {0, 0, 0.7, 0.7, 0.7, 0.7, 0.7, 1.3, 1.3, 1.3};
    static const double want[][2] = {{0, 0}, {0.2, 0}, {0.21, 0.7}, {0.7, 0.7}, {0.71, 1.3}, {1, 1.3}};
    OWN(dlq_histogram) histogram = histogram_of(BITS, values, 10);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK(dlq_histogram_quantile(&histogram, want[i][0]) == want[i][1], "share %g: %.17g, expected %g", want[i][0],
              dlq_histogram_quantile(&histogram, want[i][0]), want[i][1]);
    CHECK(isnan(dlq_histogram_quantile(&histogram, NAN)), "share NAN");
}

/* 100 values 1..100: 0.07 * 100 is 7.000000000000001 in doubles, yet the rank is 7. */
static void whole_ranks(void)
{
    double values[100];
    for (int i = 1; i <= 100; i++)
        values[i - 1] = i;
    OWN(dlq_histogram) histogram = histogram_of(12, values, 100);
    for (int i = 1; i <= 100; i++)
        CHECK(dlq_histogram_quantile(&histogram, i / 100.0) == i, "share %d %%: %g", i,
              dlq_histogram_quantile(&histogram, i / 100.0));
}

static void merging_in_any_order(void)
{
    static double values[COUNT];
    struct dlq_histogram parts[4], merged[2];
    fill_waits(values, 0.3, 9);
    OWN(dlq_histogram) whole = histogram_of(BITS, values, COUNT);
    for (size_t i = 0; i < 4; i++)
        parts[i] = histogram_of(BITS, values + i * (COUNT / 4), COUNT / 4);
    for (size_t k = 0; k < 2; k++) {
        merged[k] = histogram_of(BITS, values, 0);
        for (size_t i = 0; i < 4; i++)
            dlq_histogram_merge(&merged[k], &parts[k == 0 ? i : 3 - i]);
        for (size_t i = 0; i < SHARES; i++)
            CHECK(dlq_histogram_quantile(&merged[k], shares[i]) == dlq_histogram_quantile(&whole, shares[i]),
                  "order %zu, share %g", k, shares[i]);
        CHECK(merged[k].count == whole.count && merged[k].zeros == whole.zeros && merged[k].maximum == whole.maximum,
              "order %zu: totals", k);
        dlq_histogram_free(&merged[k]);
    }
    for (size_t i = 0; i < 4; i++)
        dlq_histogram_free(&parts[i]);
}

static void extremes(void)
{
    static const double values[] = {NAN, 1e-10, 5e9, 1e300, INFINITY, 0x1p-30, 0x1p30};
    struct dlq_histogram histogram = histogram_of(0, values, 0);
    CHECK(isnan(dlq_histogram_quantile(&histogram, 0.5)), "empty");
    dlq_histogram_add(&histogram, values, sizeof values / sizeof *values);
    CHECK_INT(histogram.count, 6);
    CHECK_INT(histogram.zeros, 1);
    CHECK(dlq_histogram_quantile(&histogram, 0.3) == 0x1p-30, "the smallest bin");
    CHECK(isinf(dlq_histogram_quantile(&histogram, 1)), "the largest");
    dlq_histogram_free(&histogram);
    dlq_histogram_free(&histogram);
}

TEST_SUITE(histogram, CASE(quantiles_of_sorted_data), CASE(repeated_values_are_exact), CASE(whole_ranks),
           CASE(merging_in_any_order), CASE(extremes));
