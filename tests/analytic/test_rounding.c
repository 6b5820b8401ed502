/* Loads that end with a tick: the mean of the rounded distribution, and the bounds with it. */
#include "systems.h"

/* E[q ceil(S / q)], by hand: uniform 0..1 with q = 0.25 is 0.25, 0.5, 0.75, 1 with equal weights; exponential of mean
   1: q / (1 - exp(-q)). */
static const struct {
    const char *load;
    double q, mean;
} means[] = {
    {"mean = 750ms\n", 0.1, 0.8},
    {"mean = 700ms\n", 0.1, 0.7},
    {"mean = 0.35s\n", 0.1, 0.4},
    {"distribution = uniform\nmin = 0\nmax = 1s\n", 0.25, 0.625},
    {"distribution = exponential\nmean = 1s\n", 0.3, 1.1574887740530249},
    {"distribution = exponential\nmean = 1s\n", 2.385, 2.626909406711254},
    {"distribution = exponential\nmean = 1s\n", 1e-6, 1.0000005},
    /* q sum_k P(S > k q) = 4 q + xm^1.5 q^-0.5 zeta(1.5, 4), xm = 1/3 s. */
    {"distribution = pareto\nmean = 1s\nalpha = 1.5\n", 0.1, 1.048973252212203},
    /* Farther out than ticks are summed one by one: 16667 q + xm^1.5 q^-0.5 zeta(1.5, 16667). */
    {"distribution = pareto\nmean = 1s\nalpha = 1.5\n", 2e-5, 1.0000099999499983},
    /* A share of 1.3 % of the mean lies beyond ten million ticks. */
    {"distribution = lognormal\nmean = 700ms\ncv = 100\n", 6e-3, 0.7037923334230495},
};

/* Before and after rounding. */
static bool round_load(const char *load, double q, double *mean, double *rounded_mean)
{
    char text[256];
    struct built built;
    struct dlq_bounds_context context = {0};
    struct dlq_system rounded;
    struct dlq_error error = {0};
    snprintf(text, sizeof text, "[pipeline]\nloaders = 2\n[load]\n%s[step]\nmean = 100ms\n", load);
    if (!build(&built, text))
        return false;
    CHECK(dlq_system_rounded(&built.system, q, &context, &rounded, &error) == DLQ_OK, "%s", error.text);
    *mean = dlq_system_load_mean(&built.system);
    *rounded_mean = dlq_system_load_mean(&rounded);
    dlq_bounds_context_free(&context);
    unbuild(&built);
    return true;
}

static void rounded_means(void)
{
    double mean, rounded;
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        if (round_load(means[i].load, means[i].q, &mean, &rounded))
            CHECK_REL(rounded, means[i].mean, 1e-8);
}

/* 2 s in one of a hundred batches, more than a hundred thousand ticks: 0.01 q ceil(2 / q) at most, and the mean at
   least. */
static void steps_far_out(void)
{
    double mean, rounded;
    for (int i = 0; i < 34; i++) {
        double q = 1e-5 + 3e-7 * i;
        if (!round_load("probability = 1%\nmean = 2s\n", q, &mean, &rounded))
            return;
        CHECK(rounded >= mean && rounded <= 0.01 * q * ceil(2 / q), "q = %g: %.12g, mean %.12g", q, rounded, mean);
    }
}

/* The blog's clock: 7 loaders of 700 ms with ticks of 100 ms are exact as they stand; of 710 ms they take 800. */
static void bounds_of_ticks(void)
{
    static const struct {
        const char *load;
        double bound;
    } rows[] = {{"mean = 700ms\n", 10}, {"mean = 710ms\n", 8.75}, {"mean = 2s\n", 3.5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        struct built built;
        struct dlq_bounds_context context = {0};
        struct dlq_bounds bounds;
        struct dlq_error error = {0};
        snprintf(text, sizeof text, "[pipeline]\nloaders = 7\n[load]\n%s[step]\nmean = 50ms\n", rows[i].load);
        if (!build(&built, text))
            continue;
        CHECK(dlq_system_bounds(&built.system, 0.1, &context, &bounds, &error) == DLQ_OK, "%s", error.text);
        CHECK_REL(bounds.load, rows[i].bound, 1e-9);
        CHECK(bounds.exact && bounds.lower <= bounds.upper, "constant loads: lower %g, upper %g", bounds.lower,
              bounds.upper);
        dlq_bounds_context_free(&context);
        unbuild(&built);
    }
}

static const struct test_case cases[] = {
    {"rounded means", rounded_means},
    {"steps far out", steps_far_out},
    {"bounds of ticks", bounds_of_ticks},
    {NULL, NULL},
};

const struct test_suite suite_rounding = {"rounding", cases};
