/* Zeros of functions that are known. */
#include "dist/families.h"
#include "harness.h"

#include <float.h>

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
    {"roots", roots},
    {NULL, NULL},
};
const struct test_suite suite_maximize = {"maximize", cases};
