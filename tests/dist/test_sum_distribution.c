/* Sums of stages: moments, closed cases, quantiles, draws against direct sums. */
#include "cases.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <stdlib.h>

enum { DRAWS = 100000 };

/* family null: no more parts */
struct part_case {
    const char *family;
    double mean, cv, probability;
    long units;
};

static const struct part_case sums[][3] = {
    {{"lognormal", 0.0054, 0.3, 1, 65}},
    {{"lognormal", 0.0054, 0.3, 1, 256}},
    {{"lognormal", 0.0054, 2, 1, 512}},
    {{"weibull", 0.0054, 0.8, 1, 100}},
    {{"uniform", 0.0054, NO, 1, 128}},
    {{"pareto", 0.0054, 2.5, 1, 128}},
    {{"hyperexponential", 0.0054, 3, 0.4, 200}},
    {{"exponential", 0.3, NO, 0.02, 1}},
    {{"constant", 0.3, NO, 0.02, 100}},
    {{"lognormal", 0.005, 0.3, 1, 128}, {"exponential", 0.3, NO, 0.01, 128}},
    {{"lognormal", 0.2, 0.3, 1, 1}, {"gamma", 0.5, 0.7, 1, 1}},
    {{"constant", 0.1, NO, 1, 1}, {"normal", 0.2, 0.5, 1, 2}, {"exponential", 1.2, NO, 0.1, 1}},
};
enum { SUMS = sizeof sums / sizeof *sums };

static struct dlq_dist row_dist(const struct part_case *row)
{
    struct dlq_parameters given = {row->mean, row->cv, NO, NO, NO, NO, NO, NO, NO, NO, NULL};
    struct dlq_dist dist = {.family = NULL};
    if (strcmp(row->family, "uniform") == 0)
        given = (struct dlq_parameters){NO, NO, NO, NO, NO, NO, NO, NO, row->mean / 2, row->mean * 1.5, NULL};
    if (strcmp(row->family, "pareto") == 0)
        given = (struct dlq_parameters){row->mean, NO, NO, NO, NO, NO, row->cv, NO, NO, NO, NULL};
    dist_make(&dist, row->family, &given);
    return dist;
}

static size_t parts_of(const struct part_case rows[3], struct dlq_part parts[3])
{
    size_t count = 0;
    for (; count < 3 && rows[count].family != NULL; count++)
        parts[count] = (struct dlq_part){row_dist(&rows[count]), rows[count].probability, rows[count].units};
    return count;
}

static struct dlq_sum sum_of(const struct dlq_part *parts, size_t count)
{
    struct dlq_error error = {0};
    struct dlq_sum total = {.mean = NAN};
    CHECK(dlq_sum_make(&total, parts, count, &error) == DLQ_OK, "%s", error.text);
    return total;
}

static double direct_sum(const struct dlq_part *parts, size_t count, gsl_rng *rng)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (long k = 0; k < parts[i].units; k++)
            if (parts[i].probability >= 1 || gsl_rng_uniform(rng) < parts[i].probability)
                sum += dlq_dist_sample(&parts[i].dist, rng);
    return sum;
}

/* p of n draws of the distribution against n direct sums. A draw of an atom is spread over the cells beside it: both
   samples are rounded to whole multiples of `atom` where that is given. */
static double compare(const struct dlq_sum *total, const struct dlq_part *parts, size_t count, size_t n, uint32_t key,
                      double atom)
{
    double *left = malloc(n * sizeof *left), *right = malloc(n * sizeof *right);
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    dlq_stream_start(rng, 31, key, 0, DLQ_PURPOSE_TEST);
    for (size_t i = 0; i < n; i++) {
        left[i] = dlq_sum_sample(total, rng);
        right[i] = direct_sum(parts, count, rng);
        if (atom > 0) {
            left[i] = round(left[i] / atom);
            right[i] = round(right[i] / atom);
        }
    }
    double p = kolmogorov(two_sample(left, right, n), (double)n / 2);
    free(left);
    free(right);
    return p;
}

static void draws_follow_direct_sums(void)
{
    size_t n = DRAWS;
    for (uint32_t i = 0; i < SUMS; i += (uint32_t)test_every(3)) {
        struct dlq_part parts[3];
        size_t count = parts_of(sums[i], parts);
        OWN(dlq_sum) total = sum_of(parts, count);
        double atom = count == 1 && strcmp(sums[i][0].family, "constant") == 0 ? sums[i][0].mean : 0;
        double p = compare(&total, parts, count, n, i, atom);
        if (p < 1e-4)
            p = compare(&total, parts, count, 2 * n, 100 + i, atom);
        CHECK(total.on_grid, "sum %u is not on a grid", i);
        CHECK(p >= 1e-4, "sum %u: p = %g", i, p);
    }
}

/* A distribution function, whose mean and second moment about that of the parts come from its steps. */
static void check_steps(const struct dlq_sum *total, const char *what, double *mean, double *second)
{
    double before = 0;
    bool rises = total->on_grid && total->cell > 0 && isfinite(total->cell) && total->shift >= 0;
    *mean = total->tail_mean;
    *second = 0;
    for (int j = 0; j < DLQ_SUM_GRID; j++) {
        double x = total->shift + j * total->cell, mass = total->cdf[j] - before;
        rises = rises && mass >= 0;
        *mean += mass * x;
        *second += mass * (x - total->mean) * (x - total->mean);
        before = total->cdf[j];
    }
    CHECK(rises && before == 1 && total->tail_mean >= 0, "%s: not a distribution function", what);
    CHECK(dlq_sum_cdf(total, total->shift - total->cell) == 0 && dlq_sum_survival(total, INFINITY) == 0, "outside");
    CHECK(dlq_sum_cdf(total, NAN) == 0 && isnan(dlq_sum_quantile(total, NAN)), "NAN");
}

/* Mean to rounding, variance to what the cells add; quantiles and shares belong together. */
static void moments_of_the_grid(void)
{
    for (size_t i = 0; i < SUMS; i++) {
        struct dlq_part parts[3];
        double mean, second, exact, variance;
        size_t count = parts_of(sums[i], parts);
        OWN(dlq_sum) total = sum_of(parts, count);
        check_steps(&total, sums[i][0].family, &mean, &second);
        dlq_parts_moments(parts, count, &exact, &variance);
        CHECK_REL(total.mean, exact, 1e-15);
        CHECK(test_relative(mean, exact, 1e-9), "sum %zu: mean %.12g, expected %.12g", i, mean, exact);
        bool heavy = strcmp(sums[i][0].family, "pareto") == 0;
        CHECK(heavy || test_relative(second, variance, 2e-3), "sum %zu: variance %g, expected %g", i, second, variance);
        for (int k = 0; k < 26; k++) {
            double p = 0.001 + 0.0385 * k, x = dlq_sum_quantile(&total, p);
            CHECK(dlq_sum_cdf(&total, x) >= p && (x == total.shift || dlq_sum_cdf(&total, x - total.cell) < p),
                  "sum %zu: quantile(%g) = %g", i, p, x);
            CHECK_ABS(dlq_sum_upper(&total, 1 - p), x, 1.01 * total.cell);
        }
    }
}

static void moments_of_parts(void)
{
    /* 100 units of 40 %, mean 2, cv 0.5: 100 (0.4 (1 + 4) - 0.64) = 136 */
    struct dlq_part parts[2] = {{dist_of("gamma", 2, 0.5), 0.4, 100}, {dist_of("constant", 0.5, NO), 1, 4}};
    double mean, variance;
    dlq_parts_moments(parts, 2, &mean, &variance);
    CHECK_REL(mean, 82, 1e-14);
    CHECK_REL(variance, 136, 1e-14);
    dlq_parts_moments(parts, 0, &mean, &variance);
    CHECK(mean == 0 && variance == 0, "no parts");
    struct part_case pareto = {"pareto", 1, 1.5, 1, 1};
    parts[1] = (struct dlq_part){row_dist(&pareto), 0.5, 3};
    dlq_parts_moments(parts, 2, &mean, &variance);
    CHECK(isinf(variance), "variance %g", variance);
}

static void closed_cases(void)
{
    struct dlq_part parts[3] = {{dist_of("exponential", 1, NO), 1, 3}};
    struct dlq_sum total = sum_of(parts, 1);
    CHECK(!total.on_grid, "exponentials are closed");
    CHECK_REL(dlq_sum_cdf(&total, 3), 1 - 8.5 * exp(-3), 1e-12);
    parts[1] = (struct dlq_part){dist_of("gamma", 2, 1 / sqrt(2)), 1, 2}; /* shape 2, scale 1 */
    parts[2] = (struct dlq_part){dist_of("constant", 0.25, NO), 1, 2};
    total = sum_of(parts, 3);
    CHECK(!total.on_grid, "gamma distributions of one scale are closed");
    CHECK_REL(dlq_sum_survival(&total, 7.5), gsl_cdf_gamma_Q(7, 7, 1), 1e-9);
    CHECK_REL(total.mean, 7.5, 1e-14);
    CHECK_REL(total.variance, 7, 1e-12);
    parts[0] = (struct dlq_part){dist_of("normal", 0.7, 0.1), 1, 10};
    parts[1] = (struct dlq_part){dist_of("normal", 1, 0.05), 1, 4};
    total = sum_of(parts, 2);
    CHECK(!total.on_grid, "normal distributions are closed");
    CHECK_REL(dlq_sum_quantile(&total, 0.9), 11 + sqrt(10 * 0.0049 + 4 * 0.0025) * 1.2815515655446004, 1e-9);
    CHECK_REL(dlq_sum_upper(&total, 0.1), dlq_sum_quantile(&total, 0.9), 1e-12);
    parts[0] = (struct dlq_part){dist_of("lognormal", 0.7, 2), 1, 1};
    total = sum_of(parts, 1);
    CHECK(!total.on_grid && total.dist.family == parts[0].dist.family && total.mean == 0.7, "one plain stage");
}

static void constants_alone(void)
{
    struct dlq_part parts[2] = {{dist_of("constant", 0.25, NO), 1, 3}, {dist_of("constant", 0, NO), 0.5, 7}};
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    for (size_t count = 0; count <= 2; count++) {
        const double want = count == 0 ? 0 : 0.75;
        const struct dlq_sum total = sum_of(parts, count);
        CHECK(!total.on_grid, "constants need no grid");
        CHECK(total.mean == want && total.variance == 0 && dlq_sum_sample(&total, rng) == want, "count %zu", count);
        CHECK(dlq_sum_cdf(&total, want) == 1 && dlq_sum_cdf(&total, want - 0.01) == 0 &&
                  dlq_sum_quantile(&total, 0.3) == want,
              "count %zu: a step", count);
    }
}

/* Draws of evenly spaced uniforms have the mean, without noise. */
static void mean_of_strata(void)
{
    enum { STRATA = 1 << 20 };
    static double strata[STRATA];
    struct part_case heavy[3] = {{"pareto", 1, 1.5, 0.5, 1}};
    for (size_t i = 0; i <= SUMS; i++) {
        struct dlq_part parts[3];
        double sum = 0;
        OWN(dlq_sum) total = sum_of(parts, parts_of(i < SUMS ? sums[i] : heavy, parts));
        for (int k = 0; k < STRATA; k++)
            strata[k] = (k + 0.5) / STRATA;
        dlq_sum_invert(&total, STRATA, strata);
        for (int k = 0; k < STRATA; k++)
            sum += strata[k];
        double tolerance = i < SUMS ? 1e-4 * sqrt(total.variance) : 1e-3;
        CHECK(fabs(sum / STRATA - total.mean) <= tolerance, "sum %zu: %.12g, expected %.12g", i, sum / STRATA,
              total.mean);
        CHECK(i < SUMS || total.tail_mean > 3e-3, "the tail is too light to tell: %g", total.tail_mean);
    }
}

/* Every family, rare and nearly certain, few and many: a distribution function, and no mean lost. */
static void any_distribution_adds_up(void)
{
    static const struct {
        double probability;
        long units;
    } rows[] = {{1e-6, 3}, {0.9999, 1000}, {1e-12, 1000000}};
    struct dlq_dist dist;
    for (size_t i = 0; dist_case(i, &dist); i++) {
        for (size_t k = test_long() ? 0 : i % 3; k < 3; k += test_long() ? 1 : 3) {
            OWN(dlq_sum) total = sum_of(&(struct dlq_part){dist, rows[k].probability, rows[k].units}, 1);
            double mean, second;
            check_steps(&total, dist.family->name, &mean, &second);
            CHECK(mean > total.mean * (1 - 1e-8) && mean < total.mean * (1 + 1e-3), "case %zu, row %zu: mean %g of %g",
                  i, k, mean, total.mean);
        }
    }
}

static void nonsense_is_refused(void)
{
    const struct dlq_dist good = dist_of("gamma", 2, 0.5), empty = {.family = good.family, .mean = NAN}, none = {0};
    const struct dlq_part rows[] = {{good, 0, 100}, {good, 1.1, 100},  {good, NAN, 100},
                                    {good, 0.4, 0}, {empty, 0.4, 100}, {none, 0.4, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_part parts[2] = {{good, 0.4, 100}, rows[i]};
        struct dlq_error error = {0};
        struct dlq_sum total = {.mean = -7};
        CHECK(dlq_sum_make(&total, parts, 2, &error) == DLQ_INVALID, "row %zu", i);
        CHECK(total.mean == -7 && strstr(error.text, "stage 2") != NULL, "row %zu: '%s'", i, error.text);
    }
}

/* Those that were asked for first, with whatever mean; the last one is made each time. */
static void laws_are_made_once(void)
{
    struct dlq_laws laws = {.count = 0};
    for (long k = 0; k < 2 * (DLQ_LAWS_KEPT + 1); k++) {
        const long row = k % (DLQ_LAWS_KEPT + 1);
        const struct dlq_part part = {dist_of("exponential", k == row ? 1 : 2.7, NO), row % 2 == 0 ? 1 : 0.5,
                                      row / 2 + 1};
        struct dlq_sum law = {.mean = NAN};
        bool kept = false;
        CHECK(dlq_laws_sum(&laws, &part, &law, &kept, NULL) == DLQ_OK && law.on_grid == (row % 2 == 1), "row %ld", row);
        CHECK_REL(law.mean, (double)part.units * part.probability * part.dist.mean, 1e-12);
        CHECK(kept == (row < DLQ_LAWS_KEPT) && (!kept || law.cdf == laws.sums[row].cdf), "row %ld", row);
        if (!kept)
            dlq_sum_free(&law);
    }
    dlq_laws_free(&laws);
}

/* -- mean excesses over thresholds: other quadratures of the same, a sum on a grid, measured times -- */

static double survival_of(double x, void *total)
{
    return dlq_sum_survival(total, x);
}

/* The integral of the survival function by doubly-adaptive quadrature (Gonnet 2010), in pieces that double. */
static double by_quadrature(struct dlq_sum *total, double c, gsl_integration_cquad_workspace *space)
{
    gsl_function survival = {.function = survival_of, .params = total};
    double end = dlq_sum_upper(total, 1e-15), sum = 0, width = sqrt(total->variance) / 2;
    while (c < end) {
        double piece = 0, to = fmin(c + width, end);
        gsl_integration_cquad(&survival, c, to, 0, 1e-9, space, &piece, NULL, NULL);
        sum += piece;
        width *= 1.5;
        c = to;
    }
    return sum;
}

static void excesses_of_families(void)
{
    gsl_integration_cquad_workspace *space = gsl_integration_cquad_workspace_alloc(100);
    for (size_t i = 0; i < DIST_CASES; i++) {
        struct dlq_part part = {.probability = 1, .units = 1};
        struct dlq_excess table;
        /* Tails whose last 1e-14 holds a part of the mean have no such sum; those without variance no table. */
        bool far = !(dist_cases[i].cv < 5);
        dist_case(i, &part.dist);
        OWN(dlq_sum) total = sum_of(&part, 1);
        bool made = dlq_excess_make(&table, &total) == DLQ_OK;
        CHECK(made, "row %zu: %s: no table", i, dist_cases[i].family);
        for (size_t k = 0; made && !far && k < table.count; k += 293)
            CHECK_ABS(table.excess[k], by_quadrature(&total, table.low + (double)k * table.cell, space),
                      1e-6 * part.dist.mean * dist_cases[i].cv);
        for (size_t k = 1; made && k < table.count; k++)
            CHECK(table.excess[k] <= table.excess[k - 1] && table.excess[k] >= 0, "row %zu: rises at %zu", i, k);
        if (made)
            dlq_excess_free(&table);
    }
    gsl_integration_cquad_workspace_free(space);
}

/* One stage that is there with 2 % probability: q E[(X - c)+]. */
static void excesses_of_sums(void)
{
    struct dlq_part part = {dist_of("exponential", 0.7, NAN), 0.02, 1};
    struct dlq_excess table;
    struct dlq_sum total = sum_of(&part, 1);
    if (dlq_excess_make(&table, &total) == DLQ_OK) {
        for (size_t k = 0; k < table.count; k += 37)
            CHECK_ABS(table.excess[k], 0.02 * 0.7 * exp(-(table.low + (double)k * table.cell) / 0.7),
                      1e-5 * total.mean);
        dlq_excess_free(&table);
        dlq_sum_free(&total);
    }
}

/* Exact for excesses_of_measured_times times, ties included. */
static void excesses_of_measured_times(void)
{
    const double times[] = {0.31, 0.35, 0.35, 0.48, 2.9};
    OWN(dlq_empirical) data;
    struct dlq_part part = {dist_of_times(&data, times, 5), 1, 1};
    struct dlq_excess table;
    struct dlq_sum total = sum_of(&part, 1);
    if (dlq_excess_make(&table, &total) == DLQ_OK) {
        for (size_t k = 0; k < table.count; k += 7) {
            double want = 0;
            for (size_t i = 0; i < 5; i++)
                want += fmax(times[i] - (table.low + (double)k * table.cell), 0) / 5;
            CHECK_ABS(table.excess[k], want, 1e-12);
        }
        dlq_excess_free(&table);
        dlq_sum_free(&total);
    }
}

static void excesses_of_constants(void)
{
    struct dlq_part part = {dist_of("constant", 0.7, NAN), 1, 1};
    struct dlq_excess table = {.count = 17};
    OWN(dlq_sum) total = sum_of(&part, 1);
    CHECK(dlq_excess_make(&table, &total) == DLQ_NO_ANSWER && table.count == 17, "a constant has no thresholds");
}

/* Concentrated sums: the window lies around the mean, and its cells are fine. */
static void concentrated_sums(void)
{
    struct dlq_part part = {dist_of("lognormal", 0.0054, 0.01), 1, 100000};
    OWN(dlq_sum) total = sum_of(&part, 1);
    double sd = sqrt(total.variance);
    CHECK(total.shift > 0.99 * total.mean, "the window begins at %g", total.shift);
    CHECK(total.cell < sd / 100, "cells of %g for a deviation of %g", total.cell, sd);
    for (int z = -4; z <= 4; z++)
        CHECK_ABS(dlq_sum_cdf(&total, total.mean + z * sd), 0.5 * erfc(-z / sqrt(2)), 2e-3);
    CHECK(total.tail_mean < 1e-6 * sd, "tail %g", total.tail_mean);
}

TEST_SUITE(sum_distribution, CASE(draws_follow_direct_sums), CASE(moments_of_the_grid), CASE(moments_of_parts),
           CASE(closed_cases), CASE(constants_alone), CASE(mean_of_strata), CASE(any_distribution_adds_up),
           CASE(nonsense_is_refused), CASE(laws_are_made_once), CASE(excesses_of_families), CASE(excesses_of_sums),
           CASE(excesses_of_measured_times), CASE(excesses_of_constants), CASE(concentrated_sums));
