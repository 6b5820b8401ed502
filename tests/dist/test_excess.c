/* Mean excesses over thresholds: other quadratures of the same, a sum on a grid, measured times. */
#include "cases.h"
#include "dist/dist.h"

#include <gsl/gsl_integration.h>

static bool one_part(struct dlq_sum *total, const struct dlq_dist *dist, double probability, long units)
{
    struct dlq_part part = {.dist = *dist, .probability = probability, .units = units};
    bool made = dlq_sum_make(total, &part, 1, NULL) == DLQ_OK;
    CHECK(made, "%s: no distribution", dist->family->name);
    return made;
}

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

static void families(void)
{
    gsl_integration_cquad_workspace *space = gsl_integration_cquad_workspace_alloc(100);
    for (size_t i = 0; i < DIST_CASES; i++) {
        struct dlq_dist dist;
        struct dlq_sum total;
        struct dlq_excess table;
        /* Tails whose last 1e-14 holds a part of the mean have no such sum; those without variance no table. */
        bool far = !(dist_cases[i].cv < 5);
        if (!dist_make(&dist, dist_cases[i].family, &dist_cases[i].given) || !one_part(&total, &dist, 1, 1))
            continue;
        bool made = dlq_excess_make(&table, &total) == DLQ_OK;
        CHECK(made, "row %zu: %s: no table", i, dist_cases[i].family);
        for (size_t k = 0; made && !far && k < table.count; k += 293)
            CHECK_ABS(table.excess[k], by_quadrature(&total, table.low + (double)k * table.cell, space),
                      1e-6 * dist.mean * dist_cases[i].cv);
        for (size_t k = 1; made && k < table.count; k++)
            CHECK(table.excess[k] <= table.excess[k - 1] && table.excess[k] >= 0, "row %zu: rises at %zu", i, k);
        if (made)
            dlq_excess_free(&table);
        dlq_sum_free(&total);
    }
    gsl_integration_cquad_workspace_free(space);
}

/* One stage that is there with 2 % probability: q E[(X - c)+]. */
static void sums(void)
{
    struct dlq_dist dist = dist_of("exponential", 0.7, NAN);
    struct dlq_sum total;
    struct dlq_excess table;
    if (one_part(&total, &dist, 0.02, 1) && dlq_excess_make(&table, &total) == DLQ_OK) {
        for (size_t k = 0; k < table.count; k += 37)
            CHECK_ABS(table.excess[k], 0.02 * 0.7 * exp(-(table.low + (double)k * table.cell) / 0.7),
                      1e-5 * total.mean);
        dlq_excess_free(&table);
        dlq_sum_free(&total);
    }
}

/* Exact for measured times, ties included. */
static void measured(void)
{
    const double times[] = {0.31, 0.35, 0.35, 0.48, 2.9};
    struct dlq_empirical data;
    struct dlq_dist dist = dist_of_times(&data, times, 5);
    struct dlq_sum total;
    struct dlq_excess table;
    if (one_part(&total, &dist, 1, 1) && dlq_excess_make(&table, &total) == DLQ_OK) {
        for (size_t k = 0; k < table.count; k += 7) {
            double want = 0;
            for (size_t i = 0; i < 5; i++)
                want += fmax(times[i] - (table.low + (double)k * table.cell), 0) / 5;
            CHECK_ABS(table.excess[k], want, 1e-12);
        }
        dlq_excess_free(&table);
        dlq_sum_free(&total);
    }
    dlq_empirical_free(&data);
}

static void constants(void)
{
    struct dlq_dist dist = dist_of("constant", 0.7, NAN);
    struct dlq_sum total;
    struct dlq_excess table = {.count = 17};
    if (one_part(&total, &dist, 1, 1))
        CHECK(dlq_excess_make(&table, &total) == DLQ_NO_ANSWER && table.count == 17, "a constant has no thresholds");
    dlq_sum_free(&total);
}

static const struct test_case cases[] = {
    {"families", families}, {"sums", sums}, {"measured", measured}, {"constants", constants}, {NULL, NULL},
};

const struct test_suite suite_excess = {"excess", cases};
