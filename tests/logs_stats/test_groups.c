/* Means without outliers, and tests whether groups differ. */
#include "harness.h"
#include "logs/stats/stats.h"

enum { MANY = 1000 };

static void a_steady_mean_is_a_mean_without_outliers(void)
{
    double values[MANY];
    double few[] = {1, 2, 900};
    CHECK(isnan(dlq_steady_mean(few, 0)), "empty");
    for (size_t i = 0; i < MANY; i++)
        values[i] = 0.001 * (double)(i % 7 + 1);
    CHECK_REL(dlq_steady_mean(values, MANY), 0.004, 2e-3);
    for (size_t i = 0; i < 10; i++)
        values[97 * i] = 5;
    CHECK_REL(dlq_steady_mean(values, MANY), 0.004, 0.02);
    CHECK_REL(dlq_steady_mean(few, 3), 2, 0);
    double tail[] = {1, 1, 1, 1, 2, 3, 4, 1, 1, 5000};
    CHECK_REL(dlq_steady_mean(tail, 10), 1.9, 1e-12);
}

/* Student's t at 2.262157 with 9 degrees, and 1.959964 with many, has 5 % beyond it on both sides. */
static void welch(void)
{
    const struct dlq_spread few = {.mean = 1, .squares = 90, .count = 10};
    const struct dlq_spread sure = {.mean = 1 + 2.262157, .count = 10};
    const struct dlq_spread many = {.mean = 1, .squares = 5e11, .count = 1e6};
    const struct dlq_spread more = {.mean = 1 + 1.959964, .squares = 5e11, .count = 1e6};
    const struct dlq_spread single = {.mean = 7, .count = 1};
    CHECK_REL(dlq_welch(&few, &sure), 0.05, 1e-6);
    CHECK_REL(dlq_welch(&sure, &few), 0.05, 1e-6);
    CHECK_REL(dlq_welch(&many, &more), 0.05, 1e-5);
    CHECK_REL(dlq_welch(&few, &few), 1, 0);
    CHECK_REL(dlq_welch(&few, &single), 1, 0);
    CHECK_REL(dlq_welch(&sure, &sure), 1, 0);
}

/* r = 1 - 6 sum d^2 / (n (n^2 - 1)): swapping neighbors, sum d^2 = 10, r = 1 - 60/990; t = r sqrt(8/(1 - r^2)). */
static void rank_correlation(void)
{
    double scratch[20];
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const double swapped[] = {20, 10, 400, 300, 6e3, 5e3, 8e4, 7e4, 1e6, 9e5};
    const double flat[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct dlq_rank_correlation found = dlq_rank_correlation(x, swapped, 10, scratch);
    CHECK_REL(found.r, 1 - 60.0 / 990, 1e-12);
    CHECK(found.probability < 1e-4 && found.probability > 1e-6, "%g", found.probability);
    found = dlq_rank_correlation(x, x, 10, scratch);
    CHECK(found.r > 0.999999 && found.probability < 1e-12, "%g %g", found.r, found.probability);
    found = dlq_rank_correlation(x, flat, 10, scratch);
    CHECK(found.r == 0 && found.probability == 1, "%g %g", found.r, found.probability);
    found = dlq_rank_correlation(x, swapped, 9, scratch);
    CHECK(found.r == 0 && found.probability == 1, "%g %g", found.r, found.probability);
}

TEST_SUITE(groups, CASE(a_steady_mean_is_a_mean_without_outliers), CASE(welch), CASE(rank_correlation));
