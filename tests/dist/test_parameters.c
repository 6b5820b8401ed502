#include "cases.h"
#include "dist/dist.h"

#include <stddef.h>

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
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
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
    gsl_rng_free(rng);
}

/* A parameter that the family has not is named and refused, whatever its value. */
static void foreign_parameters(void)
{
    size_t count;
    const struct dlq_family *families = dlq_families(&count);
    struct dlq_empirical data = {.sorted = (double[]){1, 2}, .count = 2, .mean = 1.5, .variance = 0.25};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < FIELDS; k++) {
            struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL};
            if (families[i].allowed & fields[k].bit)
                continue;
            *field(&given, k) = 0.5;
            struct answer answer = ask(families[i].name, &given);
            check_refused(&answer, families[i].name, "a foreign parameter");
            CHECK_INT(answer.fault, fields[k].bit);
        }
        struct dlq_parameters given = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, &data};
        if (!(families[i].allowed & DLQ_FILE)) {
            struct answer answer = ask(families[i].name, &given);
            check_refused(&answer, families[i].name, "a file");
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

static const struct test_case cases[] = {
    {"awkward values", awkward_values},
    {"foreign parameters", foreign_parameters},
    {"refusals", refusals},
    {NULL, NULL},
};
const struct test_suite suite_parameters = {"parameters", cases};
