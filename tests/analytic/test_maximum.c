/* Expected maxima against closed forms, and against plain sums over random terms. */
#include "../dist/cases.h"
#include "analytic/analytic.h"

#include <gsl/gsl_sf_gamma.h>
#include <stdlib.h>

static struct dlq_sum sum_of(const struct dlq_dist *dist, double probability)
{
    struct dlq_sum total = {.on_grid = false};
    const struct dlq_part part = {*dist, probability, 1};
    struct dlq_error error = {0};
    CHECK(dlq_sum_make(&total, &part, 1, &error) == DLQ_OK, "%s: %s", dist->family->name, error.text);
    return total;
}

static struct dlq_sum exponential(double probability)
{
    const struct dlq_dist dist = dist_of("exponential", 1, NO);
    return sum_of(&dist, probability);
}

/* E[max(floor, `count` times `copies` draws)]. */
static double maximum(const struct dlq_sum *total, double scale, double floor, long count, double copies)
{
    const struct dlq_term term = {.time = total, .scale = scale, .count = count, .copies = copies};
    double value = NAN;
    CHECK(dlq_expected_maximum(&term, 1, floor, &value), "%ld draws above %g", count, floor);
    return value;
}

/* E[max of n] of exponential times: the harmonic number; E[max(u, X)] = u + e^-u. */
static void test_exponential(void)
{
    static const double floors[] = {1e-3, 0.4, 1, 2.385, 17, 60, 900};
    struct dlq_sum total = exponential(1);
    double harmonic = 0;
    for (long n = 1, k = 1; n <= 262144; n *= 8) {
        for (; k <= n; k++)
            harmonic += 1 / (double)k;
        CHECK_REL(maximum(&total, 0.73, 0, n, 1), 0.73 * harmonic, 1e-9);
    }
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++)
        CHECK_REL(maximum(&total, 1, floors[i], 1, 1), floors[i] + exp(-floors[i]), 1e-11);
}

/* n! Gamma(1 - 1/a) / Gamma(n + 1 - 1/a), minimum 1. */
static void test_pareto(void)
{
    static const double alphas[] = {1.01, 1.1, 1.5, 2.5, 20};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        double a = alphas[i];
        const struct dlq_parameters given = {a / (a - 1), NO, NO, NO, NO, NO, a, NO, NO, NO, NULL};
        struct dlq_dist dist;
        dist_make(&dist, "pareto", &given);
        struct dlq_sum total = sum_of(&dist, 1);
        for (long n = 1; n <= 343; n *= 7) {
            double log_want = gsl_sf_lnfact((unsigned)n) + gsl_sf_lngamma(1 - 1 / a);
            CHECK_REL(maximum(&total, 1, 0, n, 1), exp(log_want - gsl_sf_lngamma((double)n + 1 - 1 / a)), 1e-8);
        }
    }
}

/* floor + the integral of 1 - product of all distribution functions, by the midpoint rule up to `end`. */
static double brute(const struct dlq_term *terms, size_t count, double floor, double end)
{
    enum { POINTS = 20000 };
    double width = (end - floor) / POINTS, sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double x = floor + (i + 0.5) * width, product = 1;
        for (size_t k = 0; k < count && product > 0; k++)
            for (long w = terms[k].count - 1; w >= 0 && product > 1e-20; w--) {
                double offset = terms[k].offset + (double)w * terms[k].spacing;
                product *= pow(dlq_sum_cdf(terms[k].time, (x - offset) / terms[k].scale), terms[k].copies);
            }
        sum += 1 - product;
    }
    return floor + sum * width;
}

/* Sums of one to three terms of random families, offsets and speeds, all of which end by 12 s: smooth distributions to
   the error of the sum; with a grid among them never below, and by little above. */
static void test_random_terms(void)
{
    static const struct {
        const char *family;
        struct dlq_parameters given;
        double probability;
    } laws[] = {
        {"exponential", {0.3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1},
        {"lognormal", {1, 0.01, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1},
        {"lognormal", {0.7, 0.3, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1},
        {"gamma", {0.4, 0.6, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1},
        {"weibull", {0.5, NO, NO, NO, NO, 3, NO, NO, NO, NO, NULL}, 1},
        {"uniform", {NO, NO, NO, NO, NO, NO, NO, NO, 0.3, 1.7, NULL}, 1},
        {"normal", {1, 0.5, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1},
        {"constant", {0.8, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1},
        {"exponential", {0.3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.3},
    };
    enum { LAWS = sizeof laws / sizeof *laws };
    struct dlq_sum totals[LAWS];
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    for (size_t i = 0; i < LAWS; i++) {
        struct dlq_dist dist;
        dist_make(&dist, laws[i].family, &laws[i].given);
        totals[i] = sum_of(&dist, laws[i].probability);
    }
    for (int i = 0; i < (test_long() ? 1000 : 40); i++) {
        struct dlq_term terms[3];
        size_t count = 1 + gsl_rng_uniform_int(rng, 3);
        bool grid = false, jump = false;
        for (size_t k = 0; k < count; k++) {
            size_t law = gsl_rng_uniform_int(rng, LAWS);
            terms[k] = (struct dlq_term){.time = &totals[law],
                                         .scale = 0.3 + gsl_rng_uniform(rng),
                                         .offset = gsl_rng_uniform(rng) * (i % 2),
                                         .spacing = i % 3 == 0 ? 0.04 : 0,
                                         .count = 1 + (long)gsl_rng_uniform_int(rng, 12),
                                         .copies = i % 5 == 0 ? 3 : 1};
            grid = grid || totals[law].on_grid;
            jump = jump || totals[law].variance == 0;
        }
        double floor = i % 4 == 0 ? 0 : 2 * gsl_rng_uniform(rng), value = NAN, want = brute(terms, count, floor, 12);
        CHECK(dlq_expected_maximum(terms, count, floor, &value), "%d", i);
        CHECK(grid ? value >= want - 6e-4 * jump - 2e-6 && value <= want * 1.02
                   : fabs(value - want) < (jump ? 6e-4 : 2e-6),
              "%d: %zu terms above %g: %.12g, expected %.12g", i, count, floor, value, want);
    }
    for (size_t i = 0; i < LAWS; i++)
        dlq_sum_free(&totals[i]);
}

/* Offsets and speeds that differ: uniform distributions by hand, E[max(U1, 1/2 + U2)] = 1 + 1/48 (U on 0..1);
   exponentials against a sum over all subsets of the copies (inclusion and exclusion). */
static void test_groups(void)
{
    const struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, 0, 1, NULL};
    struct dlq_dist dist;
    dist_make(&dist, "uniform", &given);
    struct dlq_sum uniform = sum_of(&dist, 1), total = exponential(1);
    const struct dlq_term two = {.time = &uniform, .scale = 1, .spacing = 0.5, .count = 2, .copies = 1};
    double value = 0, floor = 0.9, want = floor;
    CHECK(dlq_expected_maximum(&two, 1, 0, &value), "uniform");
    CHECK_REL(value, 1 + 1.0 / 48, 1e-9);
    const struct dlq_term groups[] = {{&total, 0.7, 0.13, 0.1, 5, 1}, {&total, 2.1, 0.63, 0.1, 2, 1}};
    for (unsigned set = 1; set < 1U << 7; set++) {
        double rate = 0, exponent = 0, sign = -1;
        for (unsigned i = 0; i < 7; i++)
            if (set >> i & 1) {
                double scale = i < 5 ? 0.7 : 2.1;
                rate += 1 / scale;
                exponent += (0.13 + 0.1 * i) / scale;
                sign = -sign;
            }
        want += sign * exp(exponent - rate * floor) / rate;
    }
    CHECK(dlq_expected_maximum(groups, 2, floor, &value), "exponential");
    CHECK_REL(value, want, 1e-9);
}

/* A stage of three in ten batches. With w = q e^-u: u + sum_{k=1..n} (1 - (1 - w)^k)/k. Never below, and close. */
static void test_grid(void)
{
    static const double floors[] = {0, 0.2, 1, 9};
    OWN(dlq_sum) total = exponential(0.3);
    CHECK(total.on_grid, "on a grid");
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++)
        for (long n = 1; n <= 1000; n *= 10) {
            double want = floors[i], value = maximum(&total, 1, floors[i], n, 1);
            for (long k = 1; k <= n; k++)
                want += -expm1((double)k * log1p(-0.3 * exp(-floors[i]))) / (double)k;
            CHECK(value >= want * (1 - 1e-12), "n = %ld, u = %g: %.12g below %.12g", n, floors[i], value, want);
            CHECK_REL(value, want, 1e-3);
        }
}

/* Never below, and close: by parts that are there in half of the batches, over how many of n are; tails that no grid
   holds, looser; many Weibull times of shape 1, which add up to a gamma distribution that the program does not see. */
static void test_promise(void)
{
    static const long counts[] = {1, 2, 7, 64, 1000}, units[] = {64, 512, 100000, 1000000};
    const struct dlq_parameters pareto = {1, NO, NO, NO, NO, NO, 1.5, NO, NO, NO, NULL},
                                weibull = {0.01, NO, NO, NO, NO, 1, NO, NO, NO, NO, NULL};
    struct dlq_dist heavy[3] = {dist_of("lognormal", 1, 10), dist_of("weibull", 1, 5)};
    dist_make(&heavy[2], "pareto", &pareto);
    for (size_t i = 0; i < 3; i++) {
        struct dlq_sum whole = sum_of(&heavy[i], 1), half = sum_of(&heavy[i], 0.5);
        for (size_t c = 0; c < 3; c++) {
            long n = counts[c];
            double value = maximum(&half, 1, 0.5, n, 1), share = ldexp(1, (int)-n), want = 0.5 * share;
            for (long k = 1; k <= n; k++)
                want += (share *= (double)(n - k + 1) / (double)k) * maximum(&whole, 1, 0.5, k, 1);
            CHECK(value >= want * (1 - 1e-8) && value <= want * 1.06, "%s, maximum of %ld: %.12g for %.12g",
                  heavy[i].family->name, n, value, want);
        }
        dlq_sum_free(&half);
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct dlq_part part = {.probability = 1, .units = units[i]};
        struct dlq_dist gamma = dist_of("gamma", 0.01 * (double)units[i], 1 / sqrt((double)units[i]));
        struct dlq_sum total, exact = sum_of(&gamma, 1);
        dist_make(&part.dist, "weibull", &weibull);
        CHECK(dlq_sum_make(&total, &part, 1, NULL) == DLQ_OK && total.on_grid, "%ld units", units[i]);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            double value = maximum(&total, 1, 0, counts[c], 1), want = maximum(&exact, 1, 0, counts[c], 1);
            CHECK(value >= want * (1 - 1e-8) && value <= want * (1 + 1e-4),
                  "%ld units, maximum of %ld: %.12g for %.12g", units[i], counts[c], value, want);
        }
        dlq_sum_free(&total);
    }
}

/* Measured times: the largest of two of {1, 2, 4, 9}, by hand (1 + 3 * 2 + 5 * 4 + 7 * 9)/16 = 5.625. Of more values
   than steps are kept, from the safe side. */
static void test_measured(void)
{
    const double times[] = {4, 1, 9, 2};
    OWN(dlq_empirical) data;
    struct dlq_dist dist = dist_of_times(&data, times, 4);
    struct dlq_sum total = sum_of(&dist, 1);
    CHECK_REL(maximum(&total, 0.5, 0, 2, 1), 0.5 * 5.625, 1e-7);
    CHECK_REL(maximum(&total, 1, 3, 2, 1), (4 * 3 + 5 * 4 + 7 * 9) / 16.0, 1e-7);
    /* second copy at 2.5, 3.5, 5.5, 10.5 */
    const struct dlq_term spaced = {.time = &total, .scale = 1, .spacing = 1.5, .count = 2, .copies = 1};
    double want = (2.5 + 2.5 + 4 + 9 + 3.5 + 3.5 + 4 + 9 + 5.5 * 3 + 9 + 10.5 * 4) / 16, value = 0;
    CHECK(dlq_expected_maximum(&spaced, 1, 0, &value) && value >= want * (1 - 1e-12), "%.12g below %.12g", value, want);
    CHECK_REL(value, want, 2e-3);
}

/* Nothing to take the largest of; too many groups; a mean that is infinite. */
static void test_edges(void)
{
    struct dlq_sum total = exponential(1);
    struct dlq_term terms[9] = {{.time = &total, .scale = 1, .copies = 1}};
    double value = 0;
    CHECK(dlq_expected_maximum(terms, 1, 0.25, &value) && value == 0.25, "no copies: %g", value);
    CHECK(!dlq_expected_maximum(terms, 9, 0.25, &value) && value == 0.25, "nine groups");
    terms[0].count = 1;
    terms[0].scale = INFINITY;
    CHECK(!dlq_expected_maximum(terms, 1, 0, &value), "infinite scale: %g", value);
}

TEST_SUITE(maximum, CASE(test_exponential), CASE(test_pareto), CASE(test_random_terms), CASE(test_groups),
           CASE(test_grid), CASE(test_promise), CASE(test_measured), CASE(test_edges));
