/* Sums of stages: moments, closed cases, quantiles, scaling, draws against direct sums. */
#include "dist/dist.h"
#include "laws.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
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

static struct dlq_dist dist_of(const struct part_case *row)
{
    struct dlq_parameters given = {row->mean, row->cv, NO, NO, NO, NO, NO, NO, NO, NO, NULL};
    struct dlq_dist dist = {.family = NULL};
    if (strcmp(row->family, "uniform") == 0)
        given = (struct dlq_parameters){NO, NO, NO, NO, NO, NO, NO, NO, row->mean / 2, row->mean * 1.5, NULL};
    if (strcmp(row->family, "pareto") == 0)
        given = (struct dlq_parameters){row->mean, NO, NO, NO, NO, NO, row->cv, NO, NO, NO, NULL};
    law_make(&dist, row->family, &given);
    return dist;
}

static size_t parts_of(const struct part_case rows[3], struct dlq_part parts[3])
{
    size_t count = 0;
    for (; count < 3 && rows[count].family != NULL; count++)
        parts[count] = (struct dlq_part){dist_of(&rows[count]), rows[count].probability, rows[count].units};
    return count;
}

static bool sum_up(struct dlq_law *law, const struct dlq_part *parts, size_t count)
{
    struct dlq_error error = {0};
    enum dlq_status status = dlq_law_make(law, parts, count, &error);
    CHECK(status == DLQ_OK, "%s", error.text);
    return status == DLQ_OK;
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

/* The largest distance of two empirical distribution functions; ties are passed on both sides together. */
static double two_sample(double *left, double *right, size_t n)
{
    double largest = 0;
    gsl_sort(left, 1, n);
    gsl_sort(right, 1, n);
    for (size_t i = 0, j = 0; i < n && j < n;) {
        double x = fmin(left[i], right[j]);
        while (i < n && left[i] <= x)
            i++;
        while (j < n && right[j] <= x)
            j++;
        largest = fmax(largest, fabs((double)i - (double)j) / (double)n);
    }
    return largest;
}

/* p of n draws of the law against n direct sums. A draw of an atom is spread over the cells beside it: both samples are
   rounded to whole multiples of `atom` where that is given. */
static double compare(const struct dlq_law *law, const struct dlq_part *parts, size_t count, size_t n, uint32_t key,
                      double atom)
{
    double *left = malloc(n * sizeof *left), *right = malloc(n * sizeof *right);
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    dlq_stream_start(rng, 31, key, 0, DLQ_PURPOSE_TEST);
    for (size_t i = 0; i < n; i++) {
        left[i] = dlq_law_sample(law, rng);
        right[i] = direct_sum(parts, count, rng);
        if (atom > 0) {
            left[i] = round(left[i] / atom);
            right[i] = round(right[i] / atom);
        }
    }
    double p = kolmogorov(two_sample(left, right, n), (double)n / 2);
    gsl_rng_free(rng);
    free(left);
    free(right);
    return p;
}

static void draws_follow_direct_sums(void)
{
    size_t n = DRAWS;
    for (uint32_t i = 0; i < SUMS; i++) {
        struct dlq_part parts[3];
        struct dlq_law law;
        size_t count = parts_of(sums[i], parts);
        if (!sum_up(&law, parts, count))
            continue;
        double atom = count == 1 && strcmp(sums[i][0].family, "constant") == 0 ? sums[i][0].mean : 0;
        double p = compare(&law, parts, count, n, i, atom);
        if (p < 1e-4)
            p = compare(&law, parts, count, 2 * n, 100 + i, atom);
        CHECK(law.on_grid, "sum %u is not on a grid", i);
        CHECK(p >= 1e-4, "sum %u: p = %g", i, p);
        dlq_law_free(&law);
    }
}

/* The law's own moments, from its steps: mean to rounding, variance to what the cells add. */
static void moments_of_the_grid(void)
{
    for (size_t i = 0; i < SUMS; i++) {
        struct dlq_part parts[3];
        struct dlq_law law;
        double mean = 0, second = 0, before = 0, exact, variance;
        size_t count = parts_of(sums[i], parts);
        if (!sum_up(&law, parts, count))
            continue;
        for (int j = 0; j < DLQ_LAW_GRID; j++) {
            double x = law.shift + j * law.cell, mass = law.cdf[j] - before;
            CHECK(mass >= 0, "sum %zu: mass %g in cell %d", i, mass, j);
            mean += mass * x;
            second += mass * (x - law.mean) * (x - law.mean);
            before = law.cdf[j];
        }
        dlq_parts_moments(parts, count, &exact, &variance);
        CHECK_REL(law.mean, exact, 1e-15);
        CHECK(test_relative(mean + law.tail_mean, exact, 1e-9), "sum %zu: mean %.12g + tail %g, expected %.12g", i,
              mean, law.tail_mean, exact);
        CHECK(law.tail_mean >= 0 && law.cdf[DLQ_LAW_GRID - 1] == 1, "sum %zu: the top", i);
        bool heavy = strcmp(sums[i][0].family, "pareto") == 0;
        CHECK(heavy || test_relative(second, variance, 2e-3), "sum %zu: variance %g, expected %g", i, second, variance);
        dlq_law_free(&law);
    }
}

static void moments_of_parts(void)
{
    /* 100 units of 40 %, mean 2, cv 0.5: 100 (0.4 (1 + 4) - 0.64) = 136 */
    struct dlq_part parts[2] = {{law_of("gamma", 2, 0.5), 0.4, 100}, {law_of("constant", 0.5, NO), 1, 4}};
    double mean, variance;
    dlq_parts_moments(parts, 2, &mean, &variance);
    CHECK_REL(mean, 82, 1e-14);
    CHECK_REL(variance, 136, 1e-14);
    dlq_parts_moments(parts, 0, &mean, &variance);
    CHECK(mean == 0 && variance == 0, "no parts");
    struct part_case pareto = {"pareto", 1, 1.5, 1, 1};
    parts[1] = (struct dlq_part){dist_of(&pareto), 0.5, 3};
    dlq_parts_moments(parts, 2, &mean, &variance);
    CHECK(isinf(variance), "variance %g", variance);
}

static void closed_cases(void)
{
    struct dlq_law law;
    struct dlq_part parts[3] = {{law_of("exponential", 1, NO), 1, 3}};
    CHECK(sum_up(&law, parts, 1) && !law.on_grid, "exponentials are closed");
    CHECK_REL(dlq_law_cdf(&law, 3), 1 - 8.5 * exp(-3), 1e-12);
    parts[1] = (struct dlq_part){law_of("gamma", 2, 1 / sqrt(2)), 1, 2}; /* shape 2, scale 1 */
    parts[2] = (struct dlq_part){law_of("constant", 0.25, NO), 1, 2};
    CHECK(sum_up(&law, parts, 3) && !law.on_grid, "gamma laws of one scale are closed");
    CHECK_REL(dlq_law_survival(&law, 7.5), gsl_cdf_gamma_Q(7, 7, 1), 1e-9);
    CHECK_REL(law.mean, 7.5, 1e-14);
    CHECK_REL(law.variance, 7, 1e-12);
    parts[0] = (struct dlq_part){law_of("normal", 0.7, 0.1), 1, 10};
    parts[1] = (struct dlq_part){law_of("normal", 1, 0.05), 1, 4};
    CHECK(sum_up(&law, parts, 2) && !law.on_grid, "normal laws are closed");
    CHECK_REL(dlq_law_quantile(&law, 0.9), 11 + sqrt(10 * 0.0049 + 4 * 0.0025) * 1.2815515655446004, 1e-9);
    CHECK_REL(dlq_law_upper(&law, 0.1), dlq_law_quantile(&law, 0.9), 1e-12);
    parts[0] = (struct dlq_part){law_of("lognormal", 0.7, 2), 1, 1};
    CHECK(sum_up(&law, parts, 1) && !law.on_grid && law.dist.family == parts[0].dist.family, "one plain stage");
    CHECK(law.mean == 0.7, "its mean");
}

static void constants_alone(void)
{
    struct dlq_part parts[2] = {{law_of("constant", 0.25, NO), 1, 3}, {law_of("constant", 0, NO), 0.5, 7}};
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    struct dlq_law law;
    for (size_t count = 0; count <= 2; count++) {
        double want = count == 0 ? 0 : 0.75;
        CHECK(sum_up(&law, parts, count) && !law.on_grid, "constants need no grid");
        CHECK(law.mean == want && law.variance == 0 && dlq_law_sample(&law, rng) == want, "count %zu", count);
        CHECK(dlq_law_cdf(&law, want) == 1 && dlq_law_cdf(&law, want - 0.01) == 0 &&
                  dlq_law_quantile(&law, 0.3) == want,
              "count %zu: a step", count);
    }
    gsl_rng_free(rng);
}

/* 64 and more Weibull times of shape 1 are exponential, but the program can't know: gamma laws to compare with. */
static void grid_against_gamma(void)
{
    static const long units[] = {1, 2, 3, 64, 100, 4097, 1000000};
    static const double shares[] = {1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-6};
    struct dlq_parameters given = {0.7, NO, NO, NO, NO, 1, NO, NO, NO, NO, NULL};
    struct dlq_dist dist;
    law_make(&dist, "weibull", &given);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct dlq_part parts[2] = {{dist, 1, units[i]}, {law_of("lognormal", 1e-9, 0.1), 1, 1}};
        struct dlq_dist exact = law_of("gamma", 0.7 * (double)units[i], 1 / sqrt((double)units[i]));
        struct dlq_law law;
        if (!sum_up(&law, parts, 2))
            continue;
        CHECK(law.on_grid, "%ld units", units[i]);
        CHECK(law.cell < sqrt(exact.variance) / 99, "%ld units: cells of %g", units[i], law.cell);
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
            double want = dlq_dist_quantile(&exact, shares[k]);
            CHECK_ABS(dlq_law_quantile(&law, shares[k]), want, 1.01 * law.cell);
            CHECK_ABS(dlq_law_upper(&law, 1 - shares[k]), dlq_dist_upper(&exact, 1 - shares[k]), 1.01 * law.cell);
            CHECK(dlq_law_cdf(&law, dlq_law_quantile(&law, shares[k])) >= shares[k], "%ld units: %g", units[i],
                  shares[k]);
        }
        CHECK(dlq_law_cdf(&law, law.shift - 1e-6) == 0 && dlq_law_survival(&law, 1e9) == 0, "outside");
        CHECK(dlq_law_cdf(&law, NAN) == 0 && isnan(dlq_law_quantile(&law, NAN)), "NAN");
        dlq_law_free(&law);
    }
}

static void scaling_is_exact(void)
{
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    for (size_t i = 0; i < SUMS; i++) {
        struct dlq_part parts[3];
        struct dlq_law law, scaled;
        if (!sum_up(&law, parts, parts_of(sums[i], parts)))
            continue;
        scaled = law;
        dlq_law_rescale(&scaled, 0.25);
        for (uint32_t k = 0; k < 100; k++) {
            dlq_stream_start(rng, 2, k, 0, DLQ_PURPOSE_TEST);
            double one = dlq_law_sample(&law, rng);
            dlq_stream_start(rng, 2, k, 0, DLQ_PURPOSE_TEST);
            CHECK(dlq_law_sample(&scaled, rng) == one / 4, "sum %zu, draw %u", i, k);
        }
        CHECK(scaled.mean == law.mean / 4 && scaled.variance == law.variance / 16, "sum %zu: moments", i);
        CHECK(dlq_law_quantile(&scaled, 0.3) == dlq_law_quantile(&law, 0.3) / 4, "sum %zu: quantile", i);
        CHECK(dlq_law_cdf(&scaled, law.mean / 4) == dlq_law_cdf(&law, law.mean), "sum %zu: cdf", i);
        dlq_law_free(&law);
    }
    gsl_rng_free(rng);
}

/* A generator that goes through evenly spaced numbers: means of draws without noise. */
enum { STRATA = 1 << 20 };

static void set_stratum(void *state, unsigned long seed)
{
    *(unsigned long *)state = seed;
}

static unsigned long next_stratum(void *state)
{
    return (*(unsigned long *)state)++ % STRATA;
}

static double stratum(void *state)
{
    return ((double)next_stratum(state) + 0.5) / STRATA;
}

static const gsl_rng_type strata = {
    "strata", STRATA - 1, 0, sizeof(unsigned long), set_stratum, next_stratum, stratum,
};

static void mean_of_strata(void)
{
    gsl_rng *rng = gsl_rng_alloc(&strata);
    struct part_case heavy[3] = {{"pareto", 1, 1.5, 0.5, 1}};
    for (size_t i = 0; i <= SUMS; i++) {
        struct dlq_part parts[3];
        struct dlq_law law;
        double sum = 0;
        if (!sum_up(&law, parts, parts_of(i < SUMS ? sums[i] : heavy, parts)))
            continue;
        gsl_rng_set(rng, 0);
        for (int k = 0; k < STRATA; k++)
            sum += dlq_law_sample(&law, rng);
        double tolerance = i < SUMS ? 1e-4 * sqrt(law.variance) : 1e-3;
        CHECK(fabs(sum / STRATA - law.mean) <= tolerance, "sum %zu: %.12g, expected %.12g", i, sum / STRATA, law.mean);
        CHECK(i < SUMS || law.tail_mean > 3e-3, "the tail is too light to tell: %g", law.tail_mean);
        dlq_law_free(&law);
    }
    gsl_rng_free(rng);
}

/* Draws keep the mean, also where the tail lies above the grid. */
static void mean_of_draws(void)
{
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    for (uint32_t i = 0; i < SUMS; i++) {
        struct dlq_part parts[3];
        struct dlq_law law;
        double sum = 0;
        if (!sum_up(&law, parts, parts_of(sums[i], parts)))
            continue;
        dlq_stream_start(rng, 3, i, 0, DLQ_PURPOSE_TEST);
        for (int k = 0; k < DRAWS; k++)
            sum += dlq_law_sample(&law, rng);
        CHECK(fabs(sum / DRAWS - law.mean) <= 5 * sqrt(law.variance / DRAWS), "sum %u: %g, expected %g", i, sum / DRAWS,
              law.mean);
        dlq_law_free(&law);
    }
    gsl_rng_free(rng);
}

/* Every family, rare and nearly certain, few and many: a distribution function, and no mean lost. */
static void any_law_adds_up(void)
{
    static const struct {
        double probability;
        long units;
    } rows[] = {{1e-6, 3}, {0.9999, 1000}, {1e-12, 1000000}};
    for (size_t i = 0; i < LAW_CASES; i++) {
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            struct dlq_part part = {.probability = rows[k].probability, .units = rows[k].units};
            struct dlq_law law;
            if (!law_make(&part.dist, law_cases[i].family, &law_cases[i].given) || !sum_up(&law, &part, 1))
                continue;
            double mean = law.shift + law.tail_mean, before = 0;
            bool rises = law.on_grid && law.cell > 0 && isfinite(law.cell) && law.shift >= 0;
            for (int j = 0; j < DLQ_LAW_GRID; j++) {
                rises = rises && law.cdf[j] >= before && law.cdf[j] <= 1;
                mean += (law.cdf[j] - before) * j * law.cell;
                before = law.cdf[j];
            }
            CHECK(rises, "case %zu, row %zu: not a distribution function", i, k);
            CHECK(mean > law.mean * (1 - 1e-8) && mean < law.mean * (1 + 1e-3), "case %zu, row %zu: mean %g of %g", i,
                  k, mean, law.mean);
            dlq_law_free(&law);
        }
    }
}

static void nonsense_is_refused(void)
{
    struct dlq_part good = {law_of("gamma", 2, 0.5), 0.4, 100}, rows[6];
    for (size_t i = 0; i < 6; i++)
        rows[i] = good;
    rows[0].probability = 0;
    rows[1].probability = 1.1;
    rows[2].probability = NAN;
    rows[3].units = 0;
    rows[4].dist.mean = NAN;
    rows[5].dist.family = NULL;
    for (size_t i = 0; i < 6; i++) {
        struct dlq_part parts[2] = {good, rows[i]};
        struct dlq_error error = {0};
        struct dlq_law law = {.mean = -7};
        CHECK(dlq_law_make(&law, parts, 2, &error) == DLQ_INVALID, "row %zu", i);
        CHECK(law.mean == -7 && strstr(error.text, "stage 2") != NULL, "row %zu: '%s'", i, error.text);
    }
}

static const struct test_case cases[] = {
    {"draws follow direct sums", draws_follow_direct_sums},
    {"moments of the grid", moments_of_the_grid},
    {"moments of parts", moments_of_parts},
    {"closed cases", closed_cases},
    {"constants alone", constants_alone},
    {"grid against gamma", grid_against_gamma},
    {"scaling is exact", scaling_is_exact},
    {"mean of strata", mean_of_strata},
    {"mean of draws", mean_of_draws},
    {"any law adds up", any_law_adds_up},
    {"nonsense is refused", nonsense_is_refused},
    {NULL, NULL},
};
const struct test_suite suite_law = {"law", cases};
