/* Densities against differences of distribution functions and against many nodes. */
#include "dist/cases.h"
#include "logs/stats/likelihood.h"

/* The slope of the distribution function: central difference, from the nearer end. */
static double slope(const struct dlq_dist *dist, double x, double h)
{
    if (dlq_dist_cdf(dist, x) < 0.5)
        return (dlq_dist_cdf(dist, x + h) - dlq_dist_cdf(dist, x - h)) / (2 * h);
    return (dlq_dist_survival(dist, x - h) - dlq_dist_survival(dist, x + h)) / (2 * h);
}

static void density_is_the_slope(void)
{
    static const double shares[] = {0.03, 0.2, 0.5, 0.8, 0.97, 0.999};
    struct dlq_dist dist;
    for (size_t i = 0; dist_case(i, &dist); i++) {
        struct dlq_density density;
        dlq_density_of(&density, &dist);
        for (size_t j = 0; j < sizeof shares / sizeof *shares; j++) {
            double x = dlq_dist_quantile(&dist, shares[j]), h = 1e-4 * x * fmin(dist_cases[i].cv, 1);
            double want = slope(&dist, x, h), got = exp(dlq_log_density(&density, x));
            CHECK(test_relative(got, want, 1e-4), "case %zu (%s), share %g: %g, not %g", i, dist_cases[i].family,
                  shares[j], got, want);
        }
    }
}

/* Outside of the support; and far out, where the logarithm stays finite though the density itself is 0: exponential at
   2000 means, ln = -2000; hyperexponential: the slow branch alone. */
static void outside_and_far_out(void)
{
    struct dlq_dist hyper = dist_of("hyperexponential", 1, 2), constant = dist_of("constant", 1, NO);
    const double far_out = log(hyper.b * hyper.d) - 5000 * hyper.d;
    const struct {
        const char *family;
        struct dlq_parameters given;
        double x, log_density;
    } rows[] = {
        {"exponential", {1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0, -INFINITY},
        {"gamma", {1, 0.5, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, -1, -INFINITY},
        {"pareto", {3, NO, NO, NO, NO, NO, 1.5, NO, NO, NO, NULL}, 0.999, -INFINITY},
        {"uniform", {NO, NO, NO, NO, NO, NO, NO, NO, 1, 2, NULL}, 0.99, -INFINITY},
        {"uniform", {NO, NO, NO, NO, NO, NO, NO, NO, 1, 2, NULL}, 2.01, -INFINITY},
        {"exponential", {1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 2000, -2000},
        {"hyperexponential", {1, 2, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 5000, far_out},
    };
    struct dlq_density density;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_dist dist;
        dist_make(&dist, rows[i].family, &rows[i].given);
        dlq_density_of(&density, &dist);
        double got = dlq_log_density(&density, rows[i].x);
        CHECK(test_relative(got, rows[i].log_density, 1e-14), "row %zu: %g", i, got);
    }
    dlq_density_of(&density, &constant);
    CHECK(isnan(dlq_log_density(&density, 1)), "a constant has a density");
}

static const struct tailed_case {
    const char *usual;
    double mean, cv;
    const char *tail;
    double tail_mean, tail_cv, probability;
} tailed_cases[] = {
    {"lognormal", 1, 0.3, "constant", 9, NO, 0.02},   {"gamma", 1, 0.2, "lognormal", 1, 0.2, 0.1},
    {"gamma", 1, 0.6, "lognormal", 3, 0.2, 0.3},      {"lognormal", 1e-3, 0.1, "exponential", 0.04, NO, 0.05},
    {"lognormal", 10, 0.5, "lognormal", 30, 2, 0.25}, {"gamma", 1, 0.01, "lognormal", 40, 0.01, 0.05},
};

enum { NODES = 4000 };

/* P(usual + tail > x) as a mean over quantiles of the usual distribution. */
static double sum_survival(const double *nodes, const struct dlq_dist *tail, double x)
{
    double sum = 0;
    for (int i = 0; i < NODES; i++)
        sum += dlq_dist_survival(tail, x - nodes[i]) / NODES;
    return sum;
}

static void tailed_against_many_nodes(void)
{
    static const double shares[] = {0.01, 0.5, 0.9, 0.97, 0.99, 0.999};
    double nodes[NODES];
    for (size_t i = 0; i < sizeof tailed_cases / sizeof *tailed_cases; i++) {
        const struct tailed_case *row = &tailed_cases[i];
        struct dlq_dist usual = dist_of(row->usual, row->mean, row->cv),
                        tail = dist_of(row->tail, row->tail_mean, row->tail_cv);
        struct dlq_tailed tailed;
        dlq_tailed_of(&tailed, &usual, &tail, row->probability);
        for (int k = 0; k < NODES; k++)
            nodes[k] = dlq_dist_quantile(&usual, (k + 0.5) / NODES);
        for (size_t j = 0; j < sizeof shares / sizeof *shares; j++) {
            double x = dlq_tailed_quantile(&tailed, shares[j]), got = dlq_tailed_share(&tailed, x, true);
            double want = (1 - row->probability) * dlq_dist_survival(&usual, x) +
                          row->probability * sum_survival(nodes, &tail, x);
            CHECK(fabs(got - want) < 0.003 * row->probability, "row %zu, share %g: %g, not %g", i, shares[j], got,
                  want);
            CHECK_REL(got + dlq_tailed_share(&tailed, x, false), 1, 1e-12);
            CHECK_REL(1 - got, shares[j], 1e-9);
        }
    }
}

/* The density sums up to 1, and to the mean: the trapezoid rule in ln x. */
static void tailed_density_sums_up(void)
{
    for (size_t i = 0; i < sizeof tailed_cases / sizeof *tailed_cases; i++) {
        const struct tailed_case *row = &tailed_cases[i];
        struct dlq_dist usual = dist_of(row->usual, row->mean, row->cv),
                        tail = dist_of(row->tail, row->tail_mean, row->tail_cv);
        struct dlq_tailed tailed;
        double sum = 0, mean = 0, step = 1e-4;
        dlq_tailed_of(&tailed, &usual, &tail, row->probability);
        for (int k = 0; log(row->mean) - 8 + k * step < log(row->tail_mean) + 9; k++) {
            double y = log(row->mean) - 8 + k * step, mass = exp(dlq_tailed_log_density(&tailed, exp(y)) + y) * step;
            sum += mass;
            mean += mass * exp(y);
        }
        CHECK_REL(sum, 1, 1e-4);
        CHECK_REL(mean, row->mean + row->probability * row->tail_mean, 2e-3);
    }
}

TEST_SUITE(density, CASE(density_is_the_slope), CASE(outside_and_far_out), CASE(tailed_against_many_nodes),
           CASE(tailed_density_sums_up));
