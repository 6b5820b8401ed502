/* The distributions that tests go through, and the Kolmogorov-Smirnov test. */
#pragma once

#include "dist/dist.h"
#include "harness.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>

#define NO NAN

/* cv INFINITY: no variance. */
struct dist_case {
    const char *family;
    struct dlq_parameters given;
    double mean, cv;
};

/*   family, {mean, cv, sd, median, p99, shape, alpha, stages, min, max, data}, mean, cv */
static const struct dist_case dist_cases[] = {
    {"exponential", {2.385, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 2.385, 1},
    {"exponential", {1e-5, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1e-5, 1},
    {"gamma", {0.7, 0.2, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.7, 0.2},
    {"gamma", {0.7, NO, 1.05, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.7, 1.5},
    {"gamma", {3.1, 10, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 3.1, 10},
    {"gamma", {3.1, 0.003, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 3.1, 0.003},
    {"gamma", {3.1, 0.0001, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 3.1, 0.0001},
    {"erlang", {0.385, NO, NO, NO, NO, NO, NO, 3, NO, NO, NULL}, 0.385, 0.5773502691896258},
    {"erlang", {0.385, NO, NO, NO, NO, NO, NO, 1, NO, NO, NULL}, 0.385, 1},
    {"lognormal", {0.7, 0.3, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.7, 0.3},
    {"lognormal", {0.7, NO, 0.7, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.7, 1},
    {"lognormal", {0.7, 100, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.7, 100},
    {"lognormal", {NO, NO, NO, 0.25, 1.75, NO, NO, NO, NO, NO, NULL}, 0.354709211806066, 1.00652769412535},
    {"weibull", {1.7, 0.3, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1.7, 0.3},
    {"weibull", {1.7, NO, NO, NO, NO, 2, NO, NO, NO, NO, NULL}, 1.7, 0.5227232008770633},
    {"weibull", {1.7, NO, NO, NO, NO, 0.5, NO, NO, NO, NO, NULL}, 1.7, 2.23606797749979},
    {"weibull", {1.7, 0.0001, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1.7, 0.0001},
    {"weibull", {1.7, NO, NO, NO, NO, 1500, NO, NO, NO, NO, NULL}, 1.7, 0.0008546171608657791},
    {"weibull", {1.7, 20, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1.7, 20},
    {"pareto", {0.9, NO, NO, NO, NO, NO, 3, NO, NO, NO, NULL}, 0.9, 0.5773502691896258},
    {"pareto", {0.9, NO, NO, NO, NO, NO, 1.5, NO, NO, NO, NULL}, 0.9, INFINITY},
    {"pareto", {0.9, NO, NO, NO, NO, NO, 2, NO, NO, NO, NULL}, 0.9, INFINITY},
    {"pareto", {0.9, NO, NO, NO, NO, NO, 30, NO, NO, NO, NULL}, 0.9, 0.03450327796711771},
    {"uniform", {NO, NO, NO, NO, NO, NO, NO, NO, 0.2, 0.7, NULL}, 0.45, 0.3207501495497921},
    {"uniform", {NO, NO, NO, NO, NO, NO, NO, NO, 0, 3.5, NULL}, 1.75, 0.5773502691896258},
    {"normal", {0.7, 0.05, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.7, 0.05},
    {"normal", {0.7, 0.4, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.7, 0.4},
    {"normal", {0.7, NO, 0.525, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.7, 0.75},
    {"hyperexponential", {0.35, 1, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.35, 1},
    {"hyperexponential", {0.35, 2, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.35, 2},
    {"hyperexponential", {0.35, 20, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.35, 20},
};
enum { DIST_CASES = sizeof dist_cases / sizeof *dist_cases };

static inline bool dist_make(struct dlq_dist *dist, const char *family, const struct dlq_parameters *given)
{
    unsigned fault = 0;
    char why[256] = "";
    bool made = dlq_dist_make(dist, dlq_family_find(family), given, &fault, why, sizeof why);
    CHECK(made, "%s (fault %u): %s", family, fault, why);
    return made;
}

/* Case i; false: there are no more. */
static inline bool dist_case(size_t i, struct dlq_dist *dist)
{
    return i < DIST_CASES && dist_make(dist, dist_cases[i].family, &dist_cases[i].given);
}

/* Of measured times, which `data` owns then. */
static inline struct dlq_dist dist_of_times(struct dlq_empirical *data, const double *times, size_t n)
{
    struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, data};
    struct dlq_dist dist = {.family = NULL};
    CHECK(dlq_empirical_from(data, times, n, false, NULL) == DLQ_OK, "measured times are refused");
    dist_make(&dist, "empirical", &given);
    return dist;
}

/* mean with cv; cv NAN for families that have none. */
static inline struct dlq_dist dist_of(const char *family, double mean, double cv)
{
    struct dlq_parameters given = {mean, cv, NO, NO, NO, NO, NO, NO, NO, NO, NULL};
    struct dlq_dist dist = {.family = NULL};
    dist_make(&dist, family, &given);
    return dist;
}

/* P(D >= d) for n values (Stephens 1970; Press et al., Numerical Recipes, sec. 14.3). n d^2 = 1.8495 gives 0.05. */
static inline double kolmogorov(double d, double n)
{
    double root = sqrt(n), lambda = (root + 0.12 + 0.11 / root) * d, sum = 0;
    if (lambda < 0.2)
        return 1;
    for (int k = 1; k <= 100; k++)
        sum += (k % 2 == 1 ? 2 : -2) * exp(-2 * k * k * lambda * lambda);
    return fmin(fmax(sum, 0), 1);
}

/* The largest distance of two empirical distribution functions; ties are passed on both sides together. */
static inline double two_sample(double *left, double *right, size_t n)
{
    double largest = 0;
    gsl_sort(left, 1, n);
    gsl_sort(right, 1, n);
    for (size_t i = 0, j = 0; i < n && j < n;) {
        double x = fmin(left[i], right[j]);
        while (i < n && left[i] <= x)
            i++;
        while (j < n && right[j] <= x)
            j++;
        largest = fmax(largest, fabs((double)i - (double)j) / (double)n);
    }
    return largest;
}

/* The statistic of Kolmogorov and Smirnov; sorts the values. */
static inline double distance(const struct dlq_dist *dist, double *values, size_t n)
{
    double largest = 0;
    gsl_sort(values, 1, n);
    for (size_t i = 0; i < n; i++) {
        double cdf = dlq_dist_cdf(dist, values[i]);
        largest = fmax(largest, fmax(cdf - (double)i / (double)n, (double)(i + 1) / (double)n - cdf));
    }
    return largest;
}
