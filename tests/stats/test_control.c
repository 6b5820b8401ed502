/* Regression on control variates: known answers, controls that say nothing, and coverage of normal samples. */
#include "harness.h"
#include "stats/stats.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

enum { MOST = 64 };

static struct dlq_controlled regress(const double *values, const double *controls, size_t n, size_t count)
{
    struct dlq_controlled result;
    dlq_control(&(struct dlq_controlled_sample){values, controls, n, count, count, INFINITY, INFINITY}, &result);
    return result;
}

static void known_answer(void)
{
    const double values[] = {1, 2, 3, 5, 4, 6, 8, 7, 9, 11};
    const double controls[] = {-4, -3, -2, -1, 0, 1, 2, 3, 4, 5};
    struct dlq_controlled result = regress(values, controls, 10, 1);
    CHECK_REL(result.estimate.value, 5.084848484848485, 1e-14);
    CHECK_REL(dlq_estimate_half_width(&result.estimate),
              dlq_student(0.975, 7.1052056127752445) * sqrt(0.0503519764923077), 1e-12);
    CHECK_REL(result.variance_reduction, 20.389798736570174, 1e-12);
    /* Adjusted values have that variance, but for the share of their mean. */
    double rest[10];
    dlq_control_adjust(&(struct dlq_controlled_sample){values, controls, 10, 1, 1, INFINITY, INFINITY}, rest);
    struct dlq_estimate plain = dlq_estimate_of(rest, 10);
    CHECK_REL(plain.value, 5.084848484848485, 1e-14);
    CHECK_REL(dlq_estimate_half_width(&plain), dlq_student(0.975, 9) * sqrt(0.0503519764923077), 0.005);
}

/* values = 7.3 + 2.1 a - 0.4 b + noise; b is a stranger, c = a + b says nothing more, d is constant. */
static void fill(double *values, double (*controls)[4], size_t n, double noise, gsl_rng *rng)
{
    for (size_t i = 0; i < n; i++) {
        double a = gsl_ran_gaussian(rng, 0.31), b = gsl_ran_gaussian(rng, 1200);
        values[i] = 7.3 + 2.1 * a - 0.4e-3 * b + gsl_ran_gaussian(rng, noise);
        controls[i][0] = a;
        controls[i][1] = b;
        controls[i][2] = 3 * a + 1e-4 * b;
        controls[i][3] = 0.17;
    }
}

/* Which controls count, whatever their number and scale; without noise the regression is exact. */
static void left_out(void)
{
    static const struct {
        size_t n;
        bool used;
    } rows[] = {{9, false}, {10, false}, {11, true}, {16, true}, {40, true}};
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double values[MOST], controls[MOST][4];
        fill(values, controls, rows[k].n, 0, rng);
        struct dlq_controlled result = regress(values, controls[0], rows[k].n, 4);
        if (rows[k].used) {
            CHECK_REL(result.estimate.value, 7.3, 1e-13);
            CHECK(result.variance_reduction > 1e20, "perfect fit: %g", result.variance_reduction);
            continue;
        }
        struct dlq_estimate plain = dlq_estimate_of(values, rows[k].n);
        CHECK(plain.value == result.estimate.value && plain.low == result.estimate.low &&
                  plain.high == result.estimate.high,
              "%g from %g, plain %g from %g", result.estimate.value, result.estimate.low, plain.value, plain.low);
        CHECK(isnan(result.variance_reduction), "no control was used: %g", result.variance_reduction);
    }
}

static void nothing_to_do(void)
{
    double values[20], controls[20][4] = {{0}};
    for (size_t i = 0; i < 20; i++)
        values[i] = 2.385;
    struct dlq_controlled equal = regress(values, controls[0], 20, 4);
    CHECK(equal.estimate.value == 2.385 && equal.estimate.low == 2.385, "equal values: %g", equal.estimate.value);
    for (size_t i = 0; i < 20; i++) {
        values[i] = (double)(i * i % 7);
        controls[i][1] = i == 3 ? NAN : (double)i;
        controls[i][2] = i == 5 ? INFINITY : (double)i;
    }
    struct dlq_controlled odd = regress(values, controls[0], 20, 4);
    CHECK(isnan(odd.variance_reduction) && isfinite(odd.estimate.value), "controls that are not finite are used");
    values[7] = NAN;
    CHECK(isnan(regress(values, controls[0], 20, 4).estimate.value), "a value that is not finite");
    CHECK(isnan(regress(values, controls[0], 0, 4).estimate.value), "no values");
}

/* A control of rare events of which none has been seen: nearly constant, far from 0. A slope on it leads anywhere. */
static void unseen_events(void)
{
    double values[16], controls[16][2];
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t i = 0; i < 16; i++) {
        controls[i][0] = gsl_ran_gaussian(rng, 0.31);
        controls[i][1] = gsl_ran_gaussian(rng, 1e-8) - 2.3e-6;
        values[i] = 7.3 + controls[i][0] + gsl_ran_gaussian(rng, 0.01);
    }
    struct dlq_controlled result = regress(values, controls[0], 16, 2);
    CHECK(fabs(result.estimate.value - 7.3) < 0.01, "%g", result.estimate.value);
}

/* Normal samples of 16 with 2 controls, and residuals whose standard deviation is exp(control): the interval holds the
   truth in 95 % of 4000, within 4 standard errors, of the latter within 1.45 %. That for equal variances does so in 91
   % of the latter. The mean estimate is unbiased. */
static void coverage(void)
{
    enum { SAMPLES = 4000 };
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int unequal = 0; unequal < 2; unequal++) {
        int held = 0;
        double sum = 0, squares = 0;
        for (int k = 0; k < SAMPLES; k++) {
            double values[16], controls[16][4];
            fill(values, controls, 16, 0.25, rng);
            for (size_t i = 0; unequal && i < 16; i++) {
                controls[i][0] = gsl_ran_gaussian(rng, 1);
                values[i] = 7.3 + controls[i][0] + gsl_ran_gaussian(rng, exp(controls[i][0]));
            }
            struct dlq_controlled result;
            dlq_control(
                &(struct dlq_controlled_sample){values, controls[0], 16, 4, unequal ? 1 : 4, INFINITY, INFINITY},
                &result);
            held += result.estimate.low <= 7.3 && 7.3 <= result.estimate.high;
            sum += result.estimate.value - 7.3;
            squares += (result.estimate.value - 7.3) * (result.estimate.value - 7.3);
        }
        CHECK(fabs(held / (double)SAMPLES - 0.95) < (unequal ? 0.0145 : 4 * sqrt(0.95 * 0.05 / SAMPLES)), "%d of %d",
              held, SAMPLES);
        CHECK(fabs(sum) < 4 * sqrt(squares), "bias %g", sum / SAMPLES);
        /* sd^2 = noise^2 / n * (n - 2)/(n - 2 - controls): the price of not knowing the slopes. */
        if (!unequal)
            CHECK_REL(squares / SAMPLES, 0.25 * 0.25 / 16 * 14 / 12, 0.1);
    }
}

/* Values that differ by few events have the interval of fewer degrees of freedom, with and without controls. */
static void few_events(void)
{
    static const struct {
        size_t n;
        double events, degrees;
    } rows[] = {{9, INFINITY, 8},    {9, 24, 4},    {9, 2, 1},       {9, 0, 1},
                {16, INFINITY, NAN}, {16, 45, NAN}, {16, 2.385, NAN}};
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    double values[MOST], controls[MOST][4];
    fill(values, controls, 16, 0.25, rng);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct dlq_controlled_sample sample = {values, controls[0], rows[k].n, 4, 4, INFINITY, INFINITY};
        struct dlq_controlled many, few;
        dlq_control(&sample, &many);
        sample.events = rows[k].events;
        dlq_control(&sample, &few);
        double ratio = dlq_estimate_half_width(&few.estimate) / dlq_estimate_half_width(&many.estimate);
        CHECK(few.estimate.value == many.estimate.value, "%g, many events %g", few.estimate.value, many.estimate.value);
        if (rows[k].n == 9)
            CHECK_REL(ratio, dlq_student(0.975, rows[k].degrees) / dlq_student(0.975, 8), 1e-12);
        else
            CHECK(isinf(rows[k].events) ? ratio == 1 : ratio > 1.01 + 1 / rows[k].events, "%g events: %g times as wide",
                  rows[k].events, ratio);
    }
}

/* The mean is the estimate, and what the controls bring is gone from each value. */
static void adjusted(void)
{
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    static const size_t sizes[] = {1, 2, 9, 11, 16, 40};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double values[MOST], controls[MOST][4], rest[MOST];
        fill(values, controls, sizes[k], 0.02, rng);
        const struct dlq_controlled_sample sample = {values, controls[0], sizes[k], 4, 4, INFINITY, INFINITY};
        struct dlq_controlled result;
        dlq_control(&sample, &result);
        dlq_control_adjust(&sample, rest);
        struct dlq_estimate plain = dlq_estimate_of(rest, sizes[k]);
        CHECK_REL(plain.value, result.estimate.value, 1e-13);
        const bool used = !isnan(result.variance_reduction);
        for (size_t i = 0; i < sizes[k]; i++)
            CHECK(fabs(rest[i] - (used ? 7.3 : values[i])) < (used ? 0.2 : 1e-300), "%zu: %g of %g", i, rest[i],
                  values[i]);
    }
    const double holed[] = {1, NAN, 3}, none[] = {0, 0, 0};
    double rest[3];
    dlq_control_adjust(&(struct dlq_controlled_sample){holed, none, 3, 1, 1, INFINITY, INFINITY}, rest);
    CHECK(rest[0] == 1 && isnan(rest[1]) && rest[2] == 3, "values stay as they are where there is no estimate");
}

/* Gains of pairs that were adjusted for controls of their own: 95 % of the intervals hold the truth. Without what the
   distance of the controls from their expectations costs, 91 % do with four of them. */
static void gains(void)
{
    enum { SAMPLES = 4000, PAIRS = 16, CONTROLS = 4 };
    static const double truth = 0.17 / 0.11 - 1;
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t count = 1; count <= CONTROLS; count += 3) {
        int held = 0;
        for (int k = 0; k < SAMPLES; k++) {
            double values[2][PAIRS], controls[PAIRS][CONTROLS], rest[2][PAIRS];
            for (size_t i = 0; i < PAIRS; i++) {
                double shared = gsl_ran_gaussian(rng, 0.005);
                for (size_t j = 0; j < CONTROLS; j++)
                    shared += 0.01 * (controls[i][j] = gsl_ran_gaussian(rng, 1));
                values[0][i] = 0.17 * (1 + shared + gsl_ran_gaussian(rng, 0.004));
                values[1][i] = 0.11 * (1 + shared + 0.003 * controls[i][0] + gsl_ran_gaussian(rng, 0.004));
            }
            for (int side = 0; side < 2; side++)
                dlq_control_adjust(&(struct dlq_controlled_sample){values[side], controls[0], PAIRS, CONTROLS, count,
                                                                   INFINITY, INFINITY},
                                   rest[side]);
            struct dlq_estimate gain = dlq_gain_of(rest[0], rest[1], PAIRS, 2 * count);
            held += gain.low <= truth && truth <= gain.high;
        }
        CHECK(fabs(held / (double)SAMPLES - 0.95) < 0.012, "%zu controls: %d of %d", count, held, SAMPLES);
    }
}

TEST_SUITE(control, CASE(gains), CASE(adjusted), CASE(known_answer), CASE(left_out), CASE(nothing_to_do),
           CASE(unseen_events), CASE(coverage), CASE(few_events));
