/* Expected maxima against closed forms, sums and brute force. */
#include "analytic/analytic.h"
#include "dist/dist.h"
#include "harness.h"

#include <gsl/gsl_sf_gamma.h>
#include <stdlib.h>

/* A distribution of one part; a copy of `name` with what is given. */
static struct dlq_sum dist_of(const char *name, struct dlq_parameters parameters, double probability, long units)
{
    struct dlq_sum total = {.on_grid = false};
    struct dlq_part part = {.probability = probability, .units = units};
    struct dlq_error error = {0};
    unsigned fault = 0;
    char why[200] = "";
    CHECK(dlq_dist_make(&part.dist, dlq_family_find(name), &parameters, &fault, why, sizeof why), "%s: %s", name, why);
    CHECK(dlq_sum_make(&total, &part, 1, &error) == DLQ_OK, "%s: %s", name, error.text);
    return total;
}

/* `count` copies of offset + i * spacing + factor * a draw. */
struct group {
    long count;
    double factor, offset, spacing;
};

static void add_groups(const struct dlq_sum *total, double scale, const struct group *groups, size_t count, long copies,
                       struct dlq_term *terms)
{
    for (size_t k = 0; k < count; k++)
        terms[k] = (struct dlq_term){
            total, groups[k].factor * scale, groups[k].offset, groups[k].spacing, groups[k].count, (double)copies};
}

/* E[max(floor, all copies)], each group `copies` times. */
static bool maximum_of(const struct dlq_sum *total, double scale, double floor, const struct group *groups,
                       size_t count, long copies, double *value)
{
    struct dlq_term terms[DLQ_MOST_TERMS + 1];
    add_groups(total, scale, groups, count, copies, terms);
    return dlq_expected_maximum(terms, count, floor, value);
}

/* The floor is floor + floor_scale * (a draw of floor_time). */
static bool maximum_above(const struct dlq_sum *floor_time, double floor_scale, double floor,
                          const struct dlq_sum *total, double scale, const struct group *group, long copies,
                          double *value)
{
    struct dlq_term terms[2];
    add_groups(total, scale, group, 1, copies, terms);
    terms[1] = (struct dlq_term){.time = floor_time, .scale = floor_scale, .offset = floor, .count = 1, .copies = 1};
    return dlq_expected_maximum(terms, 2, floor, value);
}

/* The mean and whatever else a family asks for. */
enum other { NOTHING, CV, SHAPE, ALPHA };

static struct dlq_parameters given(double mean, enum other other, double value)
{
    return (struct dlq_parameters){
        .mean = mean,
        .cv = other == CV ? value : NAN,
        .sd = NAN,
        .median = NAN,
        .p99 = NAN,
        .shape = other == SHAPE ? value : NAN,
        .alpha = other == ALPHA ? value : NAN,
        .stages = NAN,
        .minimum = NAN,
        .maximum = NAN,
    };
}

static struct dlq_parameters between(double minimum, double maximum)
{
    struct dlq_parameters parameters = given(NAN, NOTHING, 0);
    parameters.minimum = minimum;
    parameters.maximum = maximum;
    return parameters;
}

static double harmonic(long n)
{
    double sum = 0;
    for (long k = n; k > 0; k--)
        sum += 1 / (double)k;
    return sum;
}

/* E[max of n] of exponential times: the harmonic number; E[max(u, X)] = u + e^-u. */
static void test_exponential(void)
{
    struct dlq_sum total = dist_of("exponential", given(1, NOTHING, 0), 1, 1);
    const long counts[] = {1, 2, 7, 64, 4096, 262144};
    double value = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct group group = {.count = counts[i], .factor = 1};
        CHECK(maximum_of(&total, 0.73, 0, &group, 1, 1, &value), "n = %ld", counts[i]);
        CHECK_REL(value, 0.73 * harmonic(counts[i]), 1e-9);
    }
    const double floors[] = {1e-3, 0.4, 1, 2.385, 17, 60, 900};
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        struct group group = {.count = 1, .factor = 1};
        CHECK(maximum_of(&total, 1, floors[i], &group, 1, 1, &value), "u = %g", floors[i]);
        CHECK_REL(value, floors[i] + exp(-floors[i]), 1e-11);
    }
    struct group group = {.count = 3, .factor = 2, .offset = 0.31};
    CHECK(maximum_of(&total, 1, 0, &group, 1, 4, &value), "copies");
    CHECK_REL(value, 0.31 + 2 * harmonic(12), 1e-9);
}

/* n! Gamma(1 - 1/a) / Gamma(n + 1 - 1/a), minimum 1. */
static void test_pareto(void)
{
    const double alphas[] = {1.01, 1.1, 1.5, 2.5, 20};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        double a = alphas[i];
        double value = 0;
        struct dlq_sum total = dist_of("pareto", given(a / (a - 1), ALPHA, a), 1, 1);
        for (long n = 1; n <= 343; n *= 7) {
            struct group group = {.count = n, .factor = 1};
            double want =
                exp(gsl_sf_lnfact((unsigned)n) + gsl_sf_lngamma(1 - 1 / a) - gsl_sf_lngamma((double)n + 1 - 1 / a));
            CHECK(maximum_of(&total, 1, 0, &group, 1, 1, &value), "alpha = %g", a);
            CHECK_REL(value, want, 1e-8);
        }
    }
}

/* Midpoint rule. */
static double brute(const struct dlq_sum *total, double floor, long n, double end)
{
    enum { POINTS = 400000 };
    double width = (end - floor) / POINTS;
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double x = floor + (i + 0.5) * width;
        sum += 1 - pow(dlq_sum_cdf(total, x), (double)n);
    }
    return floor + sum * width;
}

static void test_families(void)
{
    const struct {
        const char *name;
        struct dlq_parameters given;
        double floor, end, tolerance;
    } rows[] = {
        {"lognormal", given(1, CV, 1e-3), 0.5, 1.02, 1e-8},
        {"lognormal", given(0.7, CV, 0.3), 0, 8, 1e-8},
        {"lognormal", given(0.7, CV, 0.3), 1.1, 8, 1e-8},
        {"gamma", given(1, CV, 0.01), 0, 1.2, 1e-8},
        {"gamma", given(1, CV, 2), 0.1, 160, 2e-7},
        {"weibull", given(1, SHAPE, 0.8), 0, 80, 1e-6},
        {"uniform", between(0.3, 1.7), 0, 2, 1e-8},
        {"normal", given(1, CV, 0.5), 0.2, 8, 1e-8},
        {"hyperexponential", given(1, CV, 3), 0.2, 400, 1e-6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_sum total = dist_of(rows[i].name, rows[i].given, 1, 1);
        struct group group = {.count = 7, .factor = 1};
        double value = 0;
        CHECK(maximum_of(&total, 1, rows[i].floor, &group, 1, 1, &value), "%s", rows[i].name);
        CHECK_REL(value, brute(&total, rows[i].floor, 7, rows[i].end), rows[i].tolerance);
    }
}

/* Offsets and speeds that differ: uniform distributions by hand, E[max(U1, 1/2 + U2)] = 1 + 1/48 (U on 0..1);
   exponentials against a sum over all subsets of the copies (inclusion and exclusion). */
static void test_groups(void)
{
    struct dlq_sum uniform = dist_of("uniform", between(0, 1), 1, 1);
    struct group two = {.count = 2, .factor = 1, .spacing = 0.5};
    double value = 0;
    CHECK(maximum_of(&uniform, 1, 0, &two, 1, 1, &value), "uniform");
    CHECK_REL(value, 1 + 1.0 / 48, 1e-9);

    struct dlq_sum total = dist_of("exponential", given(1, NOTHING, 0), 1, 1);
    struct group groups[] = {{.count = 5, .factor = 0.7, .offset = 0.13, .spacing = 0.1},
                             {.count = 2, .factor = 2.1, .offset = 0.63, .spacing = 0.1}};
    double floor = 0.9;
    double want = floor;
    for (unsigned set = 1; set < 1U << 7; set++) {
        double rate = 0;
        double exponent = 0;
        double sign = -1;
        for (unsigned i = 0; i < 7; i++)
            if (set >> i & 1) {
                double scale = i < 5 ? 0.7 : 2.1;
                rate += 1 / scale;
                exponent += (0.13 + 0.1 * i) / scale;
                sign = -sign;
            }
        want += sign * exp(exponent - rate * floor) / rate;
    }
    CHECK(maximum_of(&total, 1, floor, groups, 2, 1, &value), "exponential");
    CHECK_REL(value, want, 1e-9);
}

/* Distributions with kinks, many copies apart: midpoint rule. */
static void test_kinks(void)
{
    enum { COPIES = 40, POINTS = 200000 };
    const struct {
        const char *name;
        struct dlq_parameters parameters;
        double end, tolerance;
    } rows[] = {
        {"uniform", between(0.5, 1.5), 2.8, 1e-8},
        {"pareto", given(1, ALPHA, 30), 8, 1e-7},
        {"weibull", given(1, SHAPE, 3), 8, 1e-8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_sum total = dist_of(rows[i].name, rows[i].parameters, 1, 1);
        struct group group = {.count = COPIES, .factor = 1, .spacing = 0.03};
        double value = 0;
        double want = 0;
        for (int j = 0; j < POINTS; j++) {
            double x = (j + 0.5) * rows[i].end / POINTS;
            double product = 1;
            for (int w = 0; w < COPIES && product > 1e-20; w++)
                product *= dlq_sum_cdf(&total, x - 0.03 * (COPIES - 1 - w));
            want += (1 - product) * rows[i].end / POINTS;
        }
        CHECK(maximum_of(&total, 1, 0, &group, 1, 1, &value), "%s", rows[i].name);
        CHECK_REL(value, want, rows[i].tolerance);
    }
}

/* max of two exponentials of rates 1 and 2 above a floor u; and a floor that is constant after all. */
static void test_random_floor(void)
{
    struct dlq_sum total = dist_of("exponential", given(1, NOTHING, 0), 1, 1);
    struct dlq_sum constant = dist_of("constant", given(1, NOTHING, 0), 1, 1);
    struct group group = {.count = 1, .factor = 1};
    double value = 0;
    CHECK(maximum_above(&total, 0.5, 0, &total, 1, &group, 1, &value), "exponential");
    CHECK_REL(value, 1 + 0.5 - 1.0 / 3, 1e-9);
    CHECK(maximum_above(&total, 0.5, 0.2, &total, 1, &group, 1, &value), "shifted");
    CHECK_REL(value, 0.7 + exp(-0.2) - exp(-0.2) / 3, 1e-9);
    CHECK(maximum_above(&constant, 0.9, 0.2, &total, 1, &group, 1, &value), "constant");
    CHECK_REL(value, 1.1 + exp(-1.1), 1e-11);
    group.count = 4;
    CHECK(maximum_above(&total, 0.5, 0.2, &constant, 1.25, &group, 64, &value), "constant load");
    CHECK_REL(value, 1.25 + 0.5 * exp(-2.1), 1e-9);
}

/* A stage that three in ten batches have. With w = q e^-u: u + sum_{k=1..n} (1 - (1 - w)^k)/k. Never below, and close.
 */
static void test_grid(void)
{
    struct dlq_sum total = dist_of("exponential", given(1, NOTHING, 0), 0.3, 1);
    const double floors[] = {0, 0.2, 1, 9};
    CHECK(total.on_grid, "on a grid");
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++)
        for (long n = 1; n <= 1000; n *= 10) {
            struct group group = {.count = n, .factor = 1};
            double want = floors[i];
            double value = 0;
            for (long k = 1; k <= n; k++)
                want += -expm1((double)k * log1p(-0.3 * exp(-floors[i]))) / (double)k;
            CHECK(maximum_of(&total, 1, floors[i], &group, 1, 1, &value), "n = %ld", n);
            CHECK(value >= want * (1 - 1e-12), "n = %ld, u = %g: %.12g below %.12g", n, floors[i], value, want);
            CHECK_REL(value, want, 1e-3);
        }
    dlq_sum_free(&total);
}

/* A mesh of groups on a grid, and of grid with a smooth floor: above the truth by little. */
static void test_mesh(void)
{
    struct dlq_sum grid = dist_of("exponential", given(1, NOTHING, 0), 0.3, 1);
    struct dlq_sum smooth = dist_of("exponential", given(1, NOTHING, 0), 1, 1);
    struct group spaced = {.count = 2, .factor = 1, .offset = 0.2, .spacing = 0.4};
    double value = 0;
    /* 0.6 + integral from 0.6 of 1 - (1 - q e^-(x-0.2))(1 - q e^-(x-0.6)) */
    double want = 0.6 + 0.3 * exp(-0.4) + 0.3 - 0.09 * exp(-0.4) / 2;
    CHECK(maximum_of(&grid, 1, 0.1, &spaced, 1, 1, &value), "spaced");
    CHECK(value >= want * (1 - 1e-9), "%.12g below %.12g", value, want);
    CHECK_REL(value, want, 5e-3);
    struct group one = {.count = 1, .factor = 1};
    want = 0.5 + 0.3 - 0.3 / 3; /* E[A] + E[S] - E[min], A of mean 1/2, S present with 0.3 */
    CHECK(maximum_above(&smooth, 0.5, 0, &grid, 1, &one, 1, &value), "floor");
    CHECK(value >= want * (1 - 1e-9), "%.12g below %.12g", value, want);
    CHECK_REL(value, want, 1e-2);
    dlq_sum_free(&grid);
}

static struct dlq_sum measured_sum(const struct dlq_empirical *data)
{
    struct dlq_parameters parameters = given(NAN, NOTHING, 0);
    parameters.data = data;
    return dist_of("empirical", parameters, 1, 1);
}

/* Measured times: the largest of two of {1, 2, 4, 9}, by hand (1 + 3 * 2 + 5 * 4 + 7 * 9)/16 = 5.625. */
static void test_measured(void)
{
    const double times[] = {4, 1, 9, 2};
    struct dlq_empirical data;
    struct dlq_error error = {0};
    double value = 0;
    CHECK(dlq_empirical_from(&data, times, 4, &error) == DLQ_OK, "%s", error.text);
    struct dlq_sum total = measured_sum(&data);
    struct group two = {.count = 2, .factor = 1};
    CHECK(maximum_of(&total, 0.5, 0, &two, 1, 1, &value), "measured");
    CHECK_REL(value, 0.5 * 5.625, 1e-12);
    CHECK(maximum_of(&total, 1, 3, &two, 1, 1, &value), "measured, floor");
    CHECK_REL(value, (4 * 3 + 5 * 4 + 7 * 9) / 16.0, 1e-12);
    struct group spaced = {.count = 2, .factor = 1, .spacing = 1.5};
    /* second copy at 2.5, 3.5, 5.5, 10.5 */
    double want = (2.5 + 2.5 + 4 + 9 + 3.5 + 3.5 + 4 + 9 + 5.5 * 3 + 9 + 10.5 * 4) / 16;
    CHECK(maximum_of(&total, 1, 0, &spaced, 1, 1, &value), "measured, spaced");
    CHECK(value >= want * (1 - 1e-12), "%.12g below %.12g", value, want);
    CHECK_REL(value, want, 2e-3);
    dlq_empirical_free(&data);
}

/* More values than steps are kept: from the safe side. */
static void test_many_measured(void)
{
    enum { VALUES = 50000 };
    double *times = malloc(VALUES * sizeof *times);
    struct dlq_empirical data;
    struct dlq_error error = {0};
    double value = 0;
    CHECK(times != NULL, "memory");
    if (times == NULL)
        return;
    for (int i = 0; i < VALUES; i++)
        times[i] = -log1p(-(i + 0.5) / VALUES);
    CHECK(dlq_empirical_from(&data, times, VALUES, &error) == DLQ_OK, "%s", error.text);
    struct dlq_sum total = measured_sum(&data);
    struct group seven = {.count = 7, .factor = 1};
    CHECK(maximum_of(&total, 1, 0, &seven, 1, 1, &value), "measured");
    double want = 0;
    double before = 0;
    for (int i = 0; i < VALUES; i++) {
        want += (times[i] - before) * (1 - pow((double)i / VALUES, 7));
        before = times[i];
    }
    CHECK(value >= want, "%.12g below %.12g", value, want);
    CHECK_REL(value, want, 1e-3);
    dlq_empirical_free(&data);
    free(times);
}

/* Nothing to take the largest of; too many groups; a mean that is infinite. */
static void test_edges(void)
{
    struct dlq_sum total = dist_of("exponential", given(1, NOTHING, 0), 1, 1);
    struct group groups[9] = {{.count = 0, .factor = 1}};
    double value = 0;
    CHECK(maximum_of(&total, 1, 0.25, groups, 1, 1, &value) && value == 0.25, "no copies: %g", value);
    CHECK(!maximum_of(&total, 1, 0.25, groups, 9, 1, &value) && value == 0.25, "nine groups");
    groups[0].count = 1;
    CHECK(!maximum_of(&total, INFINITY, 0, groups, 1, 1, &value), "infinite scale: %g", value);
}

static const struct test_case cases[] = {
    {"exponential: harmonic numbers", test_exponential},
    {"pareto: gamma functions", test_pareto},
    {"families: brute force", test_families},
    {"offsets and speeds", test_groups},
    {"kinks", test_kinks},
    {"random floor", test_random_floor},
    {"grid", test_grid},
    {"mesh", test_mesh},
    {"measured times", test_measured},
    {"many measured times", test_many_measured},
    {"edges", test_edges},
    {NULL, NULL},
};

const struct test_suite suite_maximum = {"maximum", cases};
