/* Series: autocorrelations against their sums, and periods of made series. */
#include "harness.h"
#include "stats/stats.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

enum { LONG = 4096 };

static long period_of(const double *x, size_t n, long loaders)
{
    struct dlq_error error = {0};
    long period = -1;
    CHECK(dlq_period(x, n, loaders, &period, &error) == DLQ_OK, "%s", error.text);
    return period;
}

static void direct(const double *x, size_t n, size_t lags, double *acf)
{
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t k = 0; k <= lags; k++) {
        acf[k] = 0;
        for (size_t i = 0; i + k < n; i++)
            acf[k] += (x[i] - mean) * (x[i + k] - mean);
    }
    for (size_t k = lags + 1; k-- > 0;)
        acf[k] /= acf[0];
}

/* x_i = rho x_{i-1} + noise, from its stationary law. */
static void fill_ar1(double *x, size_t n, double rho, unsigned long seed)
{
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    x[0] = gsl_ran_ugaussian(rng) / sqrt(1 - rho * rho);
    for (size_t i = 1; i < n; i++)
        x[i] = rho * x[i - 1] + gsl_ran_ugaussian(rng);
}

static void equals_direct_sums(void)
{
    static const size_t lengths[] = {2, 3, 64, 65, 1000, 1023};
    DLQ_ARENA arena = {.doing = "testing"};
    double x[1023], got[200], want[200];
    fill_ar1(x, 1023, 0.6, 11);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i], lags = n - 1 < 150 ? n - 1 : 150;
        CHECK(dlq_autocorrelation(&arena, x, n, lags, got) == DLQ_OK, "n = %zu refused", n);
        direct(x, n, lags, want);
        for (size_t k = 0; k <= lags; k++)
            CHECK(fabs(got[k] - want[k]) < 1e-12, "n = %zu, lag %zu: %.15g, expected %.15g", n, k, got[k], want[k]);
    }
}

static void refusals_leave_the_output(void)
{
    DLQ_ARENA arena = {.doing = "testing"};
    double constant[50], bad[50], x[3] = {1, 2, 4}, acf[60];
    for (size_t i = 0; i < 50; i++) {
        constant[i] = 1e-3 + 1e-12 * (double)(i % 3); /* rounding of a clock */
        bad[i] = i == 20 ? NAN : (double)i;
    }
    acf[0] = 7;
    CHECK(dlq_autocorrelation(&arena, constant, 50, 10, acf) == DLQ_NO_ANSWER, "constant");
    CHECK(dlq_autocorrelation(&arena, bad, 50, 10, acf) == DLQ_NO_ANSWER, "NAN");
    CHECK(dlq_autocorrelation(&arena, x, 3, 3, acf) == DLQ_NO_ANSWER, "as many lags as values");
    CHECK(dlq_autocorrelation(&arena, x, 1, 0, acf) == DLQ_NO_ANSWER &&
              dlq_autocorrelation(&arena, x, 0, 0, acf) == DLQ_NO_ANSWER,
          "too short");
    CHECK(acf[0] == 7, "the output was touched");
}

static void periods(void)
{
    static double x[LONG];
    static const struct {
        long period, loaders;
        double noise;
    } cases[] = {{7, 7, 0}, {7, 7, 0.2}, {2, 2, 0}, {16, 4, 0}, {16, 32, 0.1}, {3, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill_ar1(x, LONG, 0, i);
        for (long j = 0; j < LONG; j++)
            x[j] = (j % cases[i].period == 0 ? 1.3 : 0) + cases[i].noise * fabs(x[j]);
        CHECK_INT(period_of(x, LONG, cases[i].loaders), cases[i].period);
        CHECK_INT(period_of(x, 120, cases[i].loaders), cases[i].period);
    }
}

/* 1.3, 0, 0, 0.6, 0, 0: half the period comes near (0.66) and does not count. Noise has none, nor has what is constant,
   beyond 4 loaders, or too short. */
static void no_period(void)
{
    static double noise[LONG], comb[LONG], flat[LONG], half[LONG], third[LONG];
    for (size_t i = 0; i < LONG; i++) {
        comb[i] = i % 7 == 0 ? 1.3 : 0;
        flat[i] = 0.25;
        half[i] = i % 6 == 0 ? 1.3 : i % 6 == 3 ? 0.6 : 0;
        third[i] = i % 6 == 0 ? 1.3 : i % 6 == 3 ? 1.2 : 0;
    }
    const struct {
        const double *x;
        size_t n;
        long loaders, period;
    } rows[] = {{half, 600, 8, 6}, {third, 600, 8, 3}, {comb, LONG, 1, 0}, {comb, 15, 7, 0},
                {comb, 2, 7, 0},   {comb, LONG, 0, 0}, {flat, LONG, 7, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_INT(period_of(rows[i].x, rows[i].n, rows[i].loaders), rows[i].period);
    for (unsigned long seed = 1; seed <= 20; seed++) {
        fill_ar1(noise, LONG, 0, seed);
        CHECK_INT(period_of(noise, LONG, 8), 0);
        CHECK_INT(period_of(noise, 25, 8), 0);
    }
}

TEST_SUITE(series, CASE(equals_direct_sums), CASE(refusals_leave_the_output), CASE(periods), CASE(no_period));
