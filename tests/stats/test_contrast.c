#include "harness.h"
#include "stats/stats.h"

enum { MANY = 1000 };

static void medians_and_quantiles(void)
{
    double odd[] = {3.5, -1, 2};
    double even[] = {4, 1, 2.5, 3};
    double many[MANY];
    for (size_t i = 0; i < MANY; i++)
        many[i] = (double)((i * 617) % MANY) + 1;
    CHECK_REL(dlq_median(odd, 3), 2, 0);
    CHECK_REL(dlq_median(even, 4), 2.75, 0);
    CHECK(isnan(dlq_median(odd, 0)) && isnan(dlq_quantile(odd, 0, 0.5)) && isnan(dlq_steady_mean(odd, 0)), "empty");
    CHECK_REL(dlq_quantile(many, MANY, 0.99), 990, 0);
    CHECK_REL(dlq_quantile(many, MANY, 0.9901), 991, 0);
    CHECK_REL(dlq_quantile(many, MANY, 0), 1, 0);
    CHECK_REL(dlq_quantile(many, MANY, 1), 1000, 0);
}

static void a_steady_mean_is_a_mean_without_outliers(void)
{
    double values[MANY];
    double few[] = {1, 2, 900};
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
    const struct dlq_group_moments few = {.mean = 1, .variance = 10, .count = 10};
    const struct dlq_group_moments sure = {.mean = 1 + 2.262157, .variance = 0, .count = 10};
    const struct dlq_group_moments many = {.mean = 1, .variance = 5e5, .count = 1e6};
    const struct dlq_group_moments more = {.mean = 1 + 1.959964, .variance = 5e5, .count = 1e6};
    const struct dlq_group_moments single = {.mean = 7, .variance = 0, .count = 1};
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

static void counts_up_to(void)
{
    const double sorted[] = {1, 2, 2, 2, 5};
    CHECK_INT(dlq_count_up_to(sorted, 5, 0.5), 0);
    CHECK_INT(dlq_count_up_to(sorted, 5, 1), 1);
    CHECK_INT(dlq_count_up_to(sorted, 5, 2), 4);
    CHECK_INT(dlq_count_up_to(sorted, 5, 4.9), 4);
    CHECK_INT(dlq_count_up_to(sorted, 5, 5), 5);
    CHECK_INT(dlq_count_up_to(sorted, 0, 5), 0);
}

static const struct test_case cases[] = {
    {"medians and quantiles", medians_and_quantiles},
    {"a steady mean is a mean without outliers", a_steady_mean_is_a_mean_without_outliers},
    {"Welch's test", welch},
    {"rank correlation", rank_correlation},
    {"counts up to", counts_up_to},
    {NULL, NULL},
};

const struct test_suite suite_contrast = {"contrast", cases};
