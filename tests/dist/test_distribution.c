/* Families: moments, quantiles and tails by formulas and quadrature; what is refused. */
#include "cases.h"
#include "dist/families.h"

#include <float.h>
#include <gsl/gsl_integration.h>
#include <stddef.h>
#include <string.h>

struct moment {
    const struct dlq_dist *dist;
    bool second;
};

/* In y = ln x: P(X > x) x dy, and 2 x times that. */
static double integrand(double y, void *context)
{
    const struct moment *moment = context;
    double x = exp(y), value = dlq_dist_survival(moment->dist, x) * x;
    return moment->second ? 2 * x * value : value;
}

/* E[X] or E[X^2] from the survival function alone, by panels between quantiles. */
static double integrate(const struct dlq_dist *dist, bool second)
{
    static const double uppers[] = {0.999, 0.9, 0.5, 0.1, 1e-2, 1e-4, 1e-8, 1e-15, 1e-30, 1e-60, 1e-120, 1e-250};
    struct moment moment = {dist, second};
    gsl_function function = {integrand, &moment};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(200);
    double left = fmax(dlq_dist_quantile(dist, 1e-9), dist->scale * 1e-18), sum = second ? left * left : left;
    for (size_t i = 0; i < sizeof uppers / sizeof *uppers; i++) {
        double right = dlq_dist_upper(dist, uppers[i]), part = 0, error;
        if (!(right > left) || !isfinite(right))
            continue;
        gsl_integration_qag(&function, log(left), log(right), 0, 1e-10, 200, GSL_INTEG_GAUSS31, workspace, &part,
                            &error);
        sum += part;
        left = right;
    }
    gsl_integration_workspace_free(workspace);
    return sum;
}

/* By formulas, and by quadrature. */
static void moments(void)
{
    struct dlq_dist dist;
    for (size_t i = 0; dist_case(i, &dist); i++) {
        const struct dist_case *row = &dist_cases[i];
        CHECK_REL(dist.mean, row->mean, 1e-8);
        CHECK_REL(dist.scale, dist.mean, 1e-15);
        CHECK(test_relative(dlq_dist_cv(&dist), row->cv, 1e-9), "case %zu (%s): cv %.12g, expected %.12g", i,
              row->family, dlq_dist_cv(&dist), row->cv);
        CHECK(!dlq_dist_is_constant(&dist), "case %zu is constant", i);
        double mean = integrate(&dist, false), second = integrate(&dist, true);
        CHECK(test_relative(mean, dist.mean, 2e-8), "case %zu (%s): mean %.12g, by quadrature %.12g", i, row->family,
              dist.mean, mean);
        if (isfinite(dist.variance))
            CHECK(test_relative(second, dist.variance + dist.mean * dist.mean, 2e-7),
                  "case %zu (%s): E[X^2] %.12g, by quadrature %.12g", i, row->family,
                  dist.variance + dist.mean * dist.mean, second);
    }
}

static const double shares[] = {1e-12, 1e-9, 1e-6, 1e-3, 0.02, 0.1, 0.25, 0.5, 0.77, 0.9, 0.99, 0.999};
enum { SHARES = sizeof shares / sizeof *shares };

static void quantiles_invert(void)
{
    struct dlq_dist dist;
    for (size_t i = 0; dist_case(i, &dist); i++) {
        const struct dist_case *row = &dist_cases[i];
        bool vanishes = dlq_dist_cv(&dist) > 9; /* small quantiles are below the smallest double */
        double rounding = 2e-15 / fmin(dlq_dist_cv(&dist), 1), before = 0;
        for (size_t k = 0; k < SHARES; k++) {
            double p = shares[k], x = dlq_dist_quantile(&dist, p), y = dlq_dist_upper(&dist, p);
            double back = dlq_dist_cdf(&dist, x), above = dlq_dist_survival(&dist, y);
            CHECK(fabs(back - p) <= 1e-9 * p + rounding || (x == 0 && vanishes),
                  "case %zu (%s): cdf(quantile(%g)) = %.12g", i, row->family, p, back);
            CHECK(fabs(above - p) <= 1e-9 * p + rounding || (y == 0 && vanishes),
                  "case %zu (%s): survival(upper(%g)) = %.12g", i, row->family, p, above);
            CHECK(x >= before && isfinite(x) && isfinite(y), "case %zu (%s): quantile(%g) = %g", i, row->family, p, x);
            CHECK_ABS(dlq_dist_cdf(&dist, x) + dlq_dist_survival(&dist, x), 1, 1e-11);
            before = x;
        }
    }
}

/* Many at a time: the same bits as one by one. */
static void many_survivals(void)
{
    enum { MANY = 301 };
    struct dlq_dist dist;
    double x[MANY], got[MANY];
    for (size_t i = 0; dist_case(i, &dist); i++)
        for (int wide = 0; wide < 3; wide++) { /* to 6 means; to 1e290 means; to 1e-310 s */
            for (int k = 0; k < MANY; k++)
                got[k] = x[k] = wide == 0   ? dist.mean * (k - 1) / 50.0
                                : wide == 1 ? dist.mean * exp((k - 20) * 2.385)
                                            : 1e-310 * (k - 1) / MANY;
            dlq_dist_survivals(&dist, got, MANY);
            for (int k = 0; k < MANY; k++)
                CHECK(got[k] == dlq_dist_survival(&dist, x[k]), "case %zu (%s): P(X > %.17g) = %.17g", i,
                      dist_cases[i].family, x[k], got[k]);
        }
}

static void ends(void)
{
    struct dlq_dist dist;
    for (size_t i = 0; dist_case(i, &dist); i++) {
        const struct dist_case *row = &dist_cases[i];
        double low = dlq_dist_quantile(&dist, 0), high = dlq_dist_upper(&dist, 0);
        CHECK(low >= 0 && low <= dist.mean, "case %zu (%s): quantile(0) = %g", i, row->family, low);
        CHECK(high >= dist.mean && high == dlq_dist_quantile(&dist, 1), "case %zu (%s): upper(0) = %g", i, row->family,
              high);
        CHECK(dlq_dist_upper(&dist, 1) == low, "case %zu (%s): upper(1)", i, row->family);
        CHECK(dlq_dist_cdf(&dist, -1) == 0 && dlq_dist_survival(&dist, -1) == 1, "case %zu: below 0", i);
        CHECK(dlq_dist_cdf(&dist, 0) <= 1e-12 && dlq_dist_survival(&dist, INFINITY) == 0, "case %zu: 0, infinity", i);
        CHECK(isnan(dlq_dist_quantile(&dist, -0.1)) && isnan(dlq_dist_quantile(&dist, 1.1)) &&
                  isnan(dlq_dist_quantile(&dist, NAN)) && isnan(dlq_dist_upper(&dist, 2)),
              "case %zu: a quantile outside 0..1", i);
    }
}

/* Values that are known independently. */
static void check_values(void)
{
    struct dlq_dist dist = dist_of("lognormal", 1, 1);
    CHECK_REL(dlq_dist_quantile(&dist, 0.5), sqrt(0.5), 1e-14);
    dist = dist_of("hyperexponential", 1, 2);
    CHECK_REL(dist.a, 0.8872983346207417, 1e-14);
    CHECK_REL(dist.a + dist.b, 1, 1e-15);
    CHECK_REL(dist.a / dist.c, dist.b / dist.d, 1e-14);
    dist = dist_of("weibull", 1, 0.5227232008770633);
    CHECK_REL(dist.b, 2, 1e-10);
    dist = dist_of("normal", 1, 0.05);
    CHECK_REL(dlq_dist_quantile(&dist, 0.975), 1 + 0.05 * 1.959963984540054, 1e-12);
    struct dlq_parameters given = {3, NO, NO, NO, NO, NO, NO, 3, NO, NO, NULL};
    dist_make(&dist, "erlang", &given);
    CHECK_REL(dlq_dist_cdf(&dist, 3), 1 - 8.5 * exp(-3), 1e-13);
    given = (struct dlq_parameters){NO, NO, NO, 0.25, 1.75, NO, NO, NO, NO, NO, NULL};
    dist_make(&dist, "lognormal", &given);
    CHECK_REL(dlq_dist_quantile(&dist, 0.5), 0.25, 1e-12);
    CHECK_REL(dlq_dist_quantile(&dist, 0.99), 1.75, 1e-12);
}

/* Computed with 30 digits (power series of the incomplete gamma function). */
static void gamma_of_large_shape(void)
{
    static const struct {
        double shape, u, cdf, survival;
    } rows[] = {
        {1e6, 1, 0.50013298076087259, 0.49986701923912741},
        {101000, 0.99, 0.0007171560507130487, 0.99928284394928695},
        {101000, 1.005, 0.94379265032845774, 0.056207349671542265},
        {20000, 0.975, 0.00018327005188799396, 0.99981672994811201},
        {20000, 1.03, 0.99998684700177773, 1.3152998222272686e-5},
        {1e8, 0.9998, 0.022744732581593558, 0.97725526741840644},
        {1e8, 1.0003, 0.99864891989839804, 0.0013510801016019576},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_dist dist = dist_of("gamma", 1, 1 / sqrt(rows[i].shape));
        CHECK_REL(dlq_dist_cdf(&dist, rows[i].u), rows[i].cdf, 1e-10);
        CHECK_REL(dlq_dist_survival(&dist, rows[i].u), rows[i].survival, 1e-10);
    }
}

static void scaling_is_exact(void)
{
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    for (size_t i = 0; i < DIST_CASES; i++) {
        struct dlq_dist dist, scaled;
        if (!dist_make(&dist, dist_cases[i].family, &dist_cases[i].given))
            continue;
        scaled = dist;
        dlq_dist_rescale(&scaled, 4);
        CHECK(scaled.mean == 4 * dist.mean && scaled.variance == 16 * dist.variance, "case %zu: moments", i);
        for (uint32_t k = 0; k < 50; k++) {
            dlq_stream_start(rng, 1, k, 0, DLQ_PURPOSE_TEST);
            double one = dlq_dist_sample(&dist, rng);
            dlq_stream_start(rng, 1, k, 0, DLQ_PURPOSE_TEST);
            CHECK(dlq_dist_sample(&scaled, rng) == 4 * one, "case %zu: draw %u", i, k);
        }
        for (size_t k = 0; k < SHARES; k++)
            CHECK(dlq_dist_quantile(&scaled, shares[k]) == 4 * dlq_dist_quantile(&dist, shares[k]) &&
                      dlq_dist_upper(&scaled, shares[k]) == 4 * dlq_dist_upper(&dist, shares[k]),
                  "case %zu: quantile(%g)", i, shares[k]);
        dlq_dist_rescale(&scaled, 0);
        CHECK(scaled.mean == 0 && dlq_dist_is_constant(&scaled) && dlq_dist_sample(&scaled, rng) == 0 &&
                  dlq_dist_cdf(&scaled, 0) == 1 && dlq_dist_cv(&scaled) == 0,
              "case %zu: times 0", i);
    }
}

static void no_variance_is_constant(void)
{
    static const char *const names[] = {"gamma", "lognormal", "weibull", "normal", "hyperexponential"};
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dlq_parameters by_cv = {2.385, 0, NO, NO, NO, NO, NO, NO, NO, NO, NULL},
                              by_sd = {2.385, NO, 0, NO, NO, NO, NO, NO, NO, NO, NULL};
        struct dlq_dist dist[2];
        dist_make(&dist[0], names[i], &by_cv);
        dist_make(&dist[1], names[i], &by_sd);
        for (size_t k = 0; k < 2; k++)
            CHECK(dlq_dist_is_constant(&dist[k]) && dist[k].mean == 2.385 && dlq_dist_sample(&dist[k], rng) == 2.385 &&
                      dlq_dist_quantile(&dist[k], 0.3) == 2.385 && dlq_dist_upper(&dist[k], 0.3) == 2.385,
                  "%s", names[i]);
    }
    struct dlq_parameters point = {NO, NO, NO, NO, NO, NO, NO, NO, 0.7, 0.7, NULL},
                          same = {NO, NO, NO, 0.7, 0.7, NO, NO, NO, NO, NO, NULL};
    struct dlq_dist dist;
    CHECK(dist_make(&dist, "uniform", &point) && dlq_dist_is_constant(&dist) && dist.mean == 0.7, "min = max");
    CHECK(dist_make(&dist, "lognormal", &same) && dlq_dist_is_constant(&dist) && dist.mean == 0.7, "median = p99");
    dist = dist_of("constant", 0, NO);
    CHECK(dlq_dist_cdf(&dist, 0) == 1 && dlq_dist_survival(&dist, 0) == 0 && dlq_dist_sample(&dist, rng) == 0, "zero");
    dist = dist_of("constant", 0.7, NO);
    CHECK(dlq_dist_cdf(&dist, 0.69) == 0 && dlq_dist_cdf(&dist, 0.7) == 1 && dlq_dist_survival(&dist, 0.69) == 1,
          "a step at 0.7");
}

/* -- what is refused -- */

/* The parameter fields, to go through them all. */
static const struct {
    unsigned bit;
    size_t offset;
} fields[] = {
    {DLQ_MEAN, offsetof(struct dlq_parameters, mean)},       {DLQ_CV, offsetof(struct dlq_parameters, cv)},
    {DLQ_SD, offsetof(struct dlq_parameters, sd)},           {DLQ_MEDIAN, offsetof(struct dlq_parameters, median)},
    {DLQ_P99, offsetof(struct dlq_parameters, p99)},         {DLQ_SHAPE, offsetof(struct dlq_parameters, shape)},
    {DLQ_ALPHA, offsetof(struct dlq_parameters, alpha)},     {DLQ_STAGES, offsetof(struct dlq_parameters, stages)},
    {DLQ_MINIMUM, offsetof(struct dlq_parameters, minimum)}, {DLQ_MAXIMUM, offsetof(struct dlq_parameters, maximum)},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static double *field(struct dlq_parameters *given, size_t i)
{
    return (double *)(void *)((char *)given + fields[i].offset);
}

struct answer {
    bool made;
    unsigned fault;
    char why[256];
    struct dlq_dist dist;
};

static struct answer ask(const char *family, const struct dlq_parameters *given)
{
    struct answer answer = {.fault = 0, .dist = {.mean = -7}};
    answer.made =
        dlq_dist_make(&answer.dist, dlq_family_find(family), given, &answer.fault, answer.why, sizeof answer.why);
    return answer;
}

static void check_refused(const struct answer *answer, const char *family, const char *what)
{
    CHECK(!answer->made, "%s: %s was accepted", family, what);
    CHECK(answer->made || (answer->fault != 0 && answer->why[0] != '\0'), "%s: %s has no reason", family, what);
    CHECK(answer->made || answer->dist.mean == -7, "%s: %s touched the output", family, what);
}

/* Whatever was accepted answers with numbers, and its draws end. */
static void check_sound(const struct dlq_dist *dist, gsl_rng *rng, const char *what)
{
    static const double points[] = {0, 1e-300, 1e-12, 0.1, 0.5, 0.9, 1 - 1e-12, 1};
    CHECK(isfinite(dist->mean) && dist->mean >= 0 && dist->variance >= 0, "%s: mean %g, variance %g", what, dist->mean,
          dist->variance);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        double p = points[i], x = dlq_dist_quantile(dist, p), y = dlq_dist_upper(dist, p);
        double cdf = dlq_dist_cdf(dist, p * 2 * dist->mean), above = dlq_dist_survival(dist, p * 2 * dist->mean);
        CHECK(x >= 0 && y >= 0, "%s: quantile %g, upper %g of %g", what, x, y, p);
        CHECK(cdf >= 0 && cdf <= 1 && above >= 0 && above <= 1, "%s: cdf %g, survival %g", what, cdf, above);
    }
    for (int i = 0; i < 20; i++)
        CHECK(dlq_dist_sample(dist, rng) >= 0, "%s: a draw below 0 or NAN", what);
}

/* Each field of each distribution in turn takes each awkward value: refused with a reason, or sound. */
static void awkward_values(void)
{
    static const double awkward[] = {NAN,   -1,   -1e-300, 0,     1e-300, 1e-13, 1e-6, 0.00099, 0.5,      1,
                                     1.001, 0.99, 10.001,  99.99, 101,    1e6,   1e12, 1e300,   INFINITY, -INFINITY};
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    dlq_stream_start(rng, 17, 0, 0, DLQ_PURPOSE_TEST);
    for (size_t i = 0; i < DIST_CASES; i++) {
        for (size_t k = 0; k < FIELDS; k++) {
            for (size_t j = 0; j < sizeof awkward / sizeof *awkward; j++) {
                struct dlq_parameters given = dist_cases[i].given;
                char what[100];
                *field(&given, k) = awkward[j];
                snprintf(what, sizeof what, "%s case %zu, field %zu = %g", dist_cases[i].family, i, k, awkward[j]);
                struct answer answer = ask(dist_cases[i].family, &given);
                if (answer.made)
                    check_sound(&answer.dist, rng, what);
                else
                    check_refused(&answer, dist_cases[i].family, what);
                CHECK(!answer.made || (awkward[j] >= 0 && awkward[j] <= 1e12) || isnan(awkward[j]), "%s", what);
            }
        }
    }
}

/* A parameter that the family has not is named and refused, whatever its value. */
static void foreign_parameters(void)
{
    size_t count;
    const struct dlq_family *const *families = dlq_families(&count);
    struct dlq_empirical data = {.sorted = (double[]){1, 2}, .count = 2, .mean = 1.5, .variance = 0.25};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < FIELDS; k++) {
            struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL};
            if (families[i]->allowed & fields[k].bit)
                continue;
            *field(&given, k) = 0.5;
            struct answer answer = ask(families[i]->name, &given);
            check_refused(&answer, families[i]->name, "a foreign parameter");
            CHECK_INT(answer.fault, fields[k].bit);
        }
        struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, &data};
        if (!(families[i]->allowed & DLQ_FILE)) {
            struct answer answer = ask(families[i]->name, &given);
            check_refused(&answer, families[i]->name, "a file");
            CHECK_INT(answer.fault, DLQ_FILE);
        }
    }
}

static void refusals(void)
{
    static const struct {
        const char *family;
        struct dlq_parameters given;
        unsigned fault;
        const char *part; /* of the reason */
    } rows[] = {
        {"constant", {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_MEAN, "missing"},
        {"exponential", {0, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_MEAN, "out of range"},
        {"exponential", {1, 1, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_CV, "exponential has no cv"},
        {"gamma", {1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_CV, "missing"},
        {"gamma", {1, 0.5, 0.5, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_SD, "contradicts"},
        {"gamma", {1, 11, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_CV, "to 10"},
        {"gamma", {1, NO, 11, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_SD, "to 10"},
        {"erlang", {1, NO, NO, NO, NO, NO, NO, 2.5, NO, NO, NULL}, DLQ_STAGES, "whole"},
        {"erlang", {1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_STAGES, "missing"},
        {"lognormal", {1, 101, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_CV, "to 100"},
        {"lognormal", {1, NO, NO, 1, 2, NO, NO, NO, NO, NO, NULL}, DLQ_MEDIAN, "contradicts"},
        {"lognormal", {NO, NO, NO, 1, NO, NO, NO, NO, NO, NO, NULL}, DLQ_P99, "missing"},
        {"lognormal", {NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NULL}, DLQ_MEDIAN, "missing"},
        {"lognormal", {NO, NO, NO, 2, 1, NO, NO, NO, NO, NO, NULL}, DLQ_P99, "below the median"},
        {"lognormal", {NO, NO, NO, 1, 1e9, NO, NO, NO, NO, NO, NULL}, DLQ_P99, "too far"},
        {"weibull", {1, 0.5, NO, NO, NO, 2, NO, NO, NO, NO, NULL}, DLQ_SHAPE, "contradicts"},
        {"weibull", {1, NO, NO, NO, NO, 0.05, NO, NO, NO, NO, NULL}, DLQ_SHAPE, "out of range"},
        {"pareto", {1, NO, NO, NO, NO, NO, 1, NO, NO, NO, NULL}, DLQ_ALPHA, "no mean"},
        {"pareto", {1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_ALPHA, "missing"},
        {"uniform", {NO, NO, NO, NO, NO, NO, NO, NO, 2, 1, NULL}, DLQ_MAXIMUM, "below min"},
        {"uniform", {NO, NO, NO, NO, NO, NO, NO, NO, NO, 1, NULL}, DLQ_MINIMUM, "missing"},
        {"normal", {1, 0.76, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_CV, "to 0.75"},
        {"hyperexponential", {1, 0.9, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_CV, "1 to 100"},
        {"empirical", {1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, DLQ_FILE, "missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct answer answer = ask(rows[i].family, &rows[i].given);
        check_refused(&answer, rows[i].family, "nonsense");
        CHECK_INT(answer.fault, rows[i].fault);
        CHECK(strstr(answer.why, rows[i].part) != NULL, "row %zu: '%s' does not say '%s'", i, answer.why, rows[i].part);
    }
}

/* -- zeros of functions that are known -- */

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

TEST_SUITE(distribution, CASE(moments), CASE(quantiles_invert), CASE(many_survivals), CASE(ends), CASE(check_values),
           CASE(gamma_of_large_shape), CASE(scaling_is_exact), CASE(no_variance_is_constant), CASE(awkward_values),
           CASE(foreign_parameters), CASE(refusals), CASE(roots));
