#include "dist/likelihood.h"
#include "harness.h"

/* Largest at (1, 2, 3, ...): value 7. No value where the first is below 0. */
static double bowl(const double *at, void *context)
{
    size_t dimensions = *(size_t *)context;
    double sum = 7;
    for (size_t i = 0; i < dimensions; i++)
        sum -= (double)(i + 1) * pow(at[i] - (double)(i + 1), 2);
    return at[0] < 0 ? NAN : sum;
}

/* Rosenbrock's valley, turned over: 0 at (1, 1). */
static double valley(const double *at, void *context)
{
    (void)context;
    return -pow(1 - at[0], 2) - 100 * pow(at[1] - at[0] * at[0], 2);
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

static void curved_valley(void)
{
    struct dlq_objective objective = {valley, NULL, 2, 1e-8};
    double at[DLQ_MOST_DIMENSIONS] = {-1.2, 1}, value;
    CHECK(dlq_maximize(&objective, at, 1e-12, &value), "no memory");
    CHECK_REL(at[0], 1, 1e-4);
    CHECK_REL(at[1], 1, 1e-4);
}

static const struct test_case cases[] = {
    {"bowls", bowls},
    {"curved valley", curved_valley},
    {NULL, NULL},
};
const struct test_suite suite_maximize = {"maximize", cases};
