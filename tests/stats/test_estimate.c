/* Intervals against tables, gains of pairs, differences. */
#include "harness.h"
#include "stats/stats.h"

/* Tables of Student's t; the last is the normal law's. */
static void student_of_tables(void)
{
    static const struct {
        double p, degrees, want;
    } cases[] = {
        {0.975, 1, 12.706204736174693},
        {0.975, 2, 4.302652729749462},
        {0.975, 19, 2.093024054408263},
        {0.995, 7, 3.499483297350493},
        {0.5, 4, 0},
        {0.025, 19, -2.093024054408263},
        {0.975, 1e9, 1.959963984540054},
        {0, 5, NAN},
        {1, 5, NAN},
        {-1, 5, NAN},
        {2, 5, NAN},
        {NAN, 5, NAN},
        {0.9, 0, NAN},
        {0.9, -3, NAN},
        {0.9, NAN, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double got = dlq_student(cases[i].p, cases[i].degrees), want = cases[i].want;
        CHECK(isnan(want) ? isnan(got) : fabs(got - want) <= 1e-8 * (1 + fabs(want)),
              "t(%g, %g) = %.12g, expected %.12g", cases[i].p, cases[i].degrees, got, want);
    }
}

static void interval_of_known_values(void)
{
    /* mean 2.5, sd sqrt(5/3), error sqrt(5/12), t(3) = 3.182446305284263 */
    static const double values[] = {1, 2, 3, 4};
    double half = 3.182446305284263 * sqrt(5.0 / 12);
    struct dlq_estimate estimate = dlq_estimate_of(values, 4);
    CHECK_REL(estimate.value, 2.5, 1e-15);
    CHECK_REL(estimate.low, 2.5 - half, 1e-9);
    CHECK_REL(estimate.high, 2.5 + half, 1e-9);
    CHECK_REL(dlq_estimate_half_width(&estimate), half, 1e-9);
    static const double far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
    estimate = dlq_estimate_of(far, 4);
    CHECK_REL(dlq_estimate_half_width(&estimate), half, 1e-6);
}

static void points_and_nothing(void)
{
    static const double equal[] = {0.1, 0.1, 0.1}, bad[] = {1, NAN, 2}, infinite[] = {1, INFINITY};
    struct dlq_estimate one = dlq_estimate_of(equal, 1), same = dlq_estimate_of(equal, 3);
    CHECK(one.value == 0.1 && one.low == 0.1 && one.high == 0.1, "one value: %g %g %g", one.value, one.low, one.high);
    CHECK(same.value == 0.1 && same.low == 0.1 && same.high == 0.1, "equal values: %.17g %.17g %.17g", same.value,
          same.low, same.high);
    CHECK(isnan(dlq_estimate_of(equal, 0).value), "no values have an estimate");
    CHECK(isnan(dlq_estimate_of(bad, 3).low), "NAN has an estimate");
    CHECK(isnan(dlq_estimate_of(infinite, 2).high), "infinity has an estimate");
    CHECK(isnan(dlq_no_estimate.value) && isnan(dlq_no_estimate.low) && isnan(dlq_no_estimate.high), "not NAN");
}

static void differences(void)
{
    static const double clear[] = {1.0, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98, 1.01}, around[] = {1, -1.1, 0.9, -0.8, 0.3},
                        constant[] = {0.25, 0.25, 0.25}, zero[] = {0, 0, 0};
    static const struct {
        const double *values;
        size_t n;
        double relevant;
        bool want;
    } cases[] = {
        {clear, 8, 0, true},    {clear, 8, 0.9, true},     {clear, 8, 1.2, false},
        {clear, 1, 0, false},   {clear, 0, 0, false},      {around, 5, 0, false},
        {constant, 3, 0, true}, {constant, 3, 0.3, false}, {zero, 3, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(dlq_differs(cases[i].values, cases[i].n, 0.999, cases[i].relevant) == cases[i].want, "case %zu", i);
    double negative[8];
    for (size_t i = 0; i < 8; i++)
        negative[i] = -clear[i];
    CHECK(dlq_differs(negative, 8, 0.999, 0.9), "the test is two-sided");
    CHECK(!dlq_differs(clear, 8, NAN, 0) && !dlq_differs(clear, 8, 1, 0), "levels out of range");
}

static void gain_of_known_values(void)
{
    const double before[] = {2, 3, 4}, after[] = {1, 2, 2}, half[] = {1, 1.5, 2}, hole[] = {1, NAN, 2};
    const double endless[] = {1, INFINITY, 2};
    struct dlq_estimate gain = dlq_gain_of(before, after, 3, 0);
    CHECK_REL(gain.value, 0.8, 1e-14);
    CHECK_REL(dlq_estimate_half_width(&gain), 0.788689272927411, 1e-9);
    /* Pairs in proportion: the gain is known exactly, however much they vary. */
    gain = dlq_gain_of(before, half, 3, 1);
    CHECK_REL(gain.value, 1, 1e-15);
    CHECK(gain.low == gain.value && gain.high == gain.value, "%g..%g", gain.low, gain.high);
    gain = dlq_gain_of(before, after, 1, 4);
    CHECK_REL(gain.high, 1, 1e-15);
    CHECK(dlq_gain_of(before, after, 3, 2).high == INFINITY, "no degree of freedom is left");
    CHECK(isnan(dlq_gain_of(before, hole, 3, 0).value), "a replication is missing");
    CHECK(isnan(dlq_gain_of(before, endless, 3, 0).value), "a replication that never ends is no gain of -100 %%");
    CHECK(isnan(dlq_gain_of(endless, before, 3, 0).value), "from a replication that never ends");
    CHECK(isnan(dlq_gain_of(before, after, 0, 0).value), "no replications");
}

/* Of sums, whose pairs lie four numbers apart. */
static void share_of_known_values(void)
{
    const double pairs[] = {2, 1, 0, 0, 3, 2, 0, 0, 4, 2, 0, 0}, none[] = {0, 0};
    struct dlq_estimate share = dlq_share_of(pairs, pairs + 1, 4, 3);
    CHECK_REL(share.value, 1.8, 1e-14);
    CHECK_REL(dlq_estimate_half_width(&share), 0.788689272927411, 1e-9);
    share = dlq_share_of(pairs, pairs + 1, 4, 1);
    CHECK(share.value == 2 && share.low == 2 && share.high == 2, "%g: %g..%g", share.value, share.low, share.high);
    CHECK(isnan(dlq_share_of(none, none, 1, 2).low), "a share of nothing");
}

/* -- groups of times -- */

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

TEST_SUITE(estimate, CASE(gain_of_known_values), CASE(share_of_known_values), CASE(student_of_tables),
           CASE(interval_of_known_values), CASE(points_and_nothing), CASE(differences), CASE(medians_and_quantiles),
           CASE(a_steady_mean_is_a_mean_without_outliers), CASE(welch), CASE(rank_correlation), CASE(counts_up_to));
