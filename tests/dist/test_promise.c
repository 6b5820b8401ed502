/* What a distribution on a grid promises: expected maxima from it are never below the truth, and close to it. */
#include "cases.h"
#include "dist/dist.h"

#include <gsl/gsl_integration.h>

static const int copies[] = {1, 2, 7, 64, 1000};
enum { COPIES = sizeof copies / sizeof *copies };

/* u + integral from u to the top of 1 - F^n, exactly as F is a step function, + n tail_mean. */
static double maximum_of_grid(const struct dlq_sum *total, double u, int n)
{
    double value = u;
    for (int j = 0; j < DLQ_SUM_GRID - 1; j++) {
        double left = fmax(total->shift + j * total->cell, u), right = total->shift + (j + 1) * total->cell;
        if (right > left)
            value += (right - left) * (1 - pow(total->cdf[j], n));
    }
    return value + fmax(total->shift - u, 0) + n * total->tail_mean;
}

struct maximum {
    double (*survival)(double x, const void *context);
    const void *context;
    int n;
};

static double integrand(double y, void *context)
{
    const struct maximum *maximum = context;
    double x = exp(y);
    return -expm1(maximum->n * log1p(-maximum->survival(x, maximum->context))) * x;
}

/* u + integral of 1 - F^n in ln x, in short panels up to `end`. */
static double maximum_of(struct maximum *maximum, double u, double end)
{
    gsl_function function = {integrand, maximum};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(200);
    double sum = u > 0 ? u : end * 1e-12, ratio = pow(end / sum, 1.0 / 200), left = sum;
    for (int k = 0; k < 200; k++) {
        double part = 0, error;
        gsl_integration_qag(&function, log(left), log(left * ratio), 0, 1e-12, 200, GSL_INTEG_GAUSS31, workspace, &part,
                            &error);
        sum += part;
        left *= ratio;
    }
    gsl_integration_workspace_free(workspace);
    return sum;
}

static struct dlq_sum sum_of_parts(const struct dlq_part *parts, size_t count)
{
    struct dlq_sum total = {0};
    struct dlq_error error = {0};
    CHECK(dlq_sum_make(&total, parts, count, &error) == DLQ_OK && total.on_grid, "%s", error.text);
    return total;
}

static void check_promise(const char *name, double got, double truth, double looseness, int n)
{
    CHECK(got >= truth * (1 - 1e-9) && got <= truth * (1 + looseness), "%s, maximum of %d: %.12g for %.12g", name, n,
          got, truth);
}

static double of_dist(double x, const void *context)
{
    return dlq_dist_survival(context, x);
}

static double half_of_dist(double x, const void *context)
{
    return dlq_dist_survival(context, x) / 2;
}

/* Weibull times of shape 1 add up to a gamma distribution, which the program does not see. */
static void many_units(void)
{
    static const long units[] = {64, 512, 100000, 1000000};
    struct dlq_parameters given = {0.01, NO, NO, NO, NO, 1, NO, NO, NO, NO, NULL};
    struct dlq_part part = {.probability = 1};
    dist_make(&part.dist, "weibull", &given);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct dlq_dist gamma = dist_of("gamma", 0.01 * (double)units[i], 1 / sqrt((double)units[i]));
        part.units = units[i];
        struct dlq_sum total = sum_of_parts(&part, 1);
        for (size_t k = 0; total.on_grid && k < COPIES; k++) {
            struct maximum maximum = {of_dist, &gamma, copies[k]};
            double u = gamma.mean * (1 - 7 / sqrt((double)units[i])), end = gamma.mean + 40 * sqrt(gamma.variance);
            check_promise("many units", maximum_of_grid(&total, fmax(u, 0), copies[k]),
                          maximum_of(&maximum, fmax(u, 0), end), 1e-4, copies[k]);
        }
        dlq_sum_free(&total);
    }
}

/* Tails that no grid holds. Looser, but never below. */
static void heavy_tails(void)
{
    struct dlq_parameters pareto = {1, NO, NO, NO, NO, NO, 1.5, NO, NO, NO, NULL};
    struct dlq_part rows[3] = {{dist_of("lognormal", 1, 10), 0.5, 1}, {dist_of("weibull", 1, 5), 0.5, 1}};
    rows[2] = (struct dlq_part){.probability = 0.5, .units = 1};
    dist_make(&rows[2].dist, "pareto", &pareto);
    for (size_t i = 0; i < 3; i++) {
        struct dlq_sum total = sum_of_parts(&rows[i], 1);
        for (size_t k = 0; total.on_grid && k < 3; k++) {
            struct maximum maximum = {half_of_dist, &rows[i].dist, copies[k]};
            double truth = maximum_of(&maximum, 0.5, i == 2 ? 1e18 : 1e9);
            check_promise(rows[i].dist.family->name, maximum_of_grid(&total, 0.5, copies[k]), truth, 0.06, copies[k]);
        }
        dlq_sum_free(&total);
    }
}

/* Concentrated sums: the window lies around the mean, and its cells are fine. */
static void concentrated_sums(void)
{
    struct dlq_part part = {dist_of("lognormal", 0.0054, 0.01), 1, 100000};
    struct dlq_sum total = sum_of_parts(&part, 1);
    double sd = sqrt(total.variance);
    CHECK(total.shift > 0.99 * total.mean, "the window begins at %g", total.shift);
    CHECK(total.cell < sd / 100, "cells of %g for a deviation of %g", total.cell, sd);
    for (int z = -4; z <= 4; z++)
        CHECK_ABS(dlq_sum_cdf(&total, total.mean + z * sd), 0.5 * erfc(-z / sqrt(2)), 2e-3);
    CHECK(total.tail_mean < 1e-6 * sd, "tail %g", total.tail_mean);
    dlq_sum_free(&total);
}

static const struct test_case cases[] = {
    {"many units", many_units},
    {"heavy tails", heavy_tails},
    {"concentrated sums", concentrated_sums},
    {NULL, NULL},
};
const struct test_suite suite_promise = {"promise", cases};
