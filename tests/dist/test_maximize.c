/* Zeros and largest values of functions that are known. */
#include "dist/families.h"
#include "dist/likelihood.h"
#include "harness.h"

#include <float.h>

/* Largest at (1, 2, 3, ...): value 7. No value where the first is below 0. */
static double bowl(const double *at, void *context)
{
    size_t dimensions = *(size_t *)context;
    double sum = 7;
    for (size_t i = 0; i < dimensions; i++)
        sum -= (double)(i + 1) * pow(at[i] - (double)(i + 1), 2);
    return at[0] < 0 ? NAN : sum;
}

static void bowls(void)
{
    for (size_t dimensions = 1; dimensions <= DLQ_MOST_DIMENSIONS; dimensions++) {
        struct dlq_objective objective = {bowl, &dimensions, dimensions, 1e-7};
        double at[DLQ_MOST_DIMENSIONS] = {0}, value = 0;
        CHECK(dlq_maximize(&objective, at, 1e-12, &value), "no memory");
        CHECK_REL(value, 7, 1e-6);
        for (size_t i = 0; i < dimensions; i++)
            CHECK_REL(at[i], (double)(i + 1), 1e-3);
    }
}

static double line(double x, void *params)
{
    return x - *(double *)params;
}

/* Flat at its root, steep besides. */
static double cube(double x, void *params)
{
    double away = x - *(double *)params;
    return 1e6 * away * away * away;
}

static void roots(void)
{
    static const double wanted[] = {-2.5, 0.1, 3, -4, 4};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        double want = wanted[i];
        CHECK_REL(dlq_root(line, &want, -4, 4, 1e-12, 0), want, 1e-9);
        CHECK_REL(dlq_root(line, &want, -4, 4, 0, 1e-15), want, 4 * DBL_EPSILON);
        CHECK_ABS(dlq_root(cube, &want, -4, 4, 1e-9, 0), want, 1e-9);
    }
    double outside = 5, unknown = NAN;
    CHECK(isnan(dlq_root(line, &outside, -4, 4, 1e-12, 0)), "a root where there is none");
    CHECK(isnan(dlq_root(line, &unknown, -4, 4, 1e-12, 0)), "a root of what is no number");
}

static const struct test_case cases[] = {
    {"bowls", bowls},
    {"roots", roots},
    {NULL, NULL},
};
const struct test_suite suite_maximize = {"maximize", cases};
