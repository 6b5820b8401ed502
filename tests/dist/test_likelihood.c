/* Plain distributions of times that are known exactly; what is refused. */
#include "draws.h"
#include "fits.h"

enum { MOST = 5000 };

/* spread: sd of ln cv (of ln alpha for a Pareto distribution) times sqrt(n), roughly. */
static const struct fit_case {
    const char *family;
    struct dlq_parameters given;
    double cv, spread;
} fit_cases[] = {
    {"exponential", {2.4, NO, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1, 0.1},
    {"gamma", {0.7, 0.1, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.1, 0.8},
    {"gamma", {3e-6, 0.5, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.5, 0.8},
    {"gamma", {0.7, 2, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 2, 0.8},
    {"lognormal", {0.7, 0.1, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.1, 0.8},
    {"lognormal", {3e5, 1, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 1, 1},
    {"lognormal", {0.7, 3, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 3, 2},
    {"weibull", {0.7, 0.2, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.2, 1},
    {"weibull", {0.7, 2, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 2, 1.5},
    {"pareto", {0.9, NO, NO, NO, NO, NO, 2.5, NO, NO, NO, NULL}, 0.894427, 1},
    {"pareto", {0.9, NO, NO, NO, NO, NO, 6, NO, NO, NO, NULL}, 0.204124, 1},
    {"uniform", {NO, NO, NO, NO, NO, NO, NO, NO, 0.2, 1, NULL}, 0.3849, 0.2},
    {"normal", {0.7, 0.1, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.1, 0.8},
    {"normal", {0.7, 0.5, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 0.5, 0.8},
    {"hyperexponential", {0.7, 2, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 2, 2.5},
    {"hyperexponential", {0.7, 5, NO, NO, NO, NO, NO, NO, NO, NO, NULL}, 5, 5},
};

static bool recovered(const struct fit_case *row, const struct dlq_dist *dist, const struct dlq_fitted *found, size_t n)
{
    double root = sqrt((double)n), allowed = 5 * row->spread / root;
    if (strcmp(row->family, "pareto") == 0)
        return fabs(log(found->parameters.alpha / row->given.alpha)) < allowed &&
               fabs(dlq_dist_quantile(&found->dist, 0) / dlq_dist_quantile(dist, 0) - 1) < 10 / (double)n;
    return fabs(found->mean / dist->mean - 1) < 5 * row->cv / root && fabs(log(found->cv / row->cv)) < allowed &&
           fabs(found->median / dlq_dist_quantile(dist, 0.5) - 1) < 5 * 2.5 * row->cv / root;
}

/* Returns whether the true family, or one that can't be told from it, comes first. */
static bool check_recovered(const struct fit_case *row, struct dlq_observed *observed, size_t n, uint32_t seed)
{
    struct dlq_dist dist;
    struct fits fits;
    dist_make(&dist, row->family, &row->given);
    observe(&dist, 0, 1, observed, n, seed);
    if (!fit(&fits, observed, n))
        return false;
    const struct dlq_fitted *found = plain_fit(&fits, row->family);
    CHECK(found != NULL, "no %s distribution, seed %u", row->family, seed);
    if (found == NULL)
        return false;
    CHECK(recovered(row, &dist, found, n), "%s, mean %g, cv %g, %zu times, seed %u: mean %g, cv %g, median %g",
          row->family, dist.mean, row->cv, n, seed, found->mean, found->cv, found->median);
    CHECK(found->ks < 1.8 / sqrt((double)n), "%s: distance %g of %zu times", row->family, found->ks, n);
    return found->aic < fits.fitted[0].aic + 4 && !fits.fitted[0].has_tail;
}

static void every_family_is_found(void)
{
    static const size_t sizes[] = {400, MOST};
    uint32_t seeds = test_long() ? 10 : 1;
    struct dlq_observed *observed = malloc(MOST * sizeof *observed);
    for (size_t i = 0; i < sizeof fit_cases / sizeof *fit_cases; i++)
        for (size_t j = 0; j < 2; j++) {
            uint32_t first = 0;
            for (uint32_t seed = 0; seed < seeds; seed++)
                first += check_recovered(&fit_cases[i], observed, sizes[j], 100 * (uint32_t)i + seed);
            CHECK(first + (j == 0 ? 2 : 1) >= seeds, "%s (row %zu), %zu times: first in %u of %u samples",
                  fit_cases[i].family, i, sizes[j], first, seeds);
        }
    free(observed);
}

/* Check values of the equations for 1, 2, 3, 4, 5 by bisection in double precision; the Pareto distribution's for
   10..14. */
static void known_statistics(void)
{
    static const struct {
        const char *family;
        double first, mean, cv;
    } rows[] = {
        {"exponential", 1, 3, 1},
        {"gamma", 1, 3, 0.5197598001144298},
        {"weibull", 1, 3.0069612532389702, 0.462199162397483},
        {"lognormal", 1, 3.061935545624847, 0.6175762638374688},
        {"normal", 1, 3, 0.47140452079103173},
        {"uniform", 1, 3, 0.5773502691896258}, /* 0..6: a gap of 1 beyond either end */
        {"pareto", 10, 11.707787935779994, 0.217523302193},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_observed observed[5];
        struct fits fits;
        for (int j = 0; j < 5; j++)
            observed[j] = measured(rows[i].first + j);
        if (!fit(&fits, observed, 5))
            continue;
        const struct dlq_fitted *found = plain_fit(&fits, rows[i].family);
        CHECK(found != NULL, "no %s distribution", rows[i].family);
        if (found == NULL)
            continue;
        CHECK(test_relative(found->mean, rows[i].mean, 5e-6), "%s: mean %.12g", rows[i].family, found->mean);
        CHECK(test_relative(found->cv, rows[i].cv, 5e-6), "%s: cv %.12g", rows[i].family, found->cv);
    }
    struct dlq_observed two[] = {measured(1), measured(3)};
    struct fits fits;
    if (fit(&fits, two, 2)) /* -n (1 + ln mean) */
        CHECK_REL(plain_fit(&fits, "exponential")->log_likelihood, -2 * (1 + M_LN2), 1e-14);
}

/* Times 1, 3, 4 and one that ended after 2: the curve of Kaplan and Meier falls to 3/4, 3/8 and 0. */
static void distances(void)
{
    static const double ends[] = {1, 3, 4}, before[] = {1, 0.75, 0.375}, after[] = {0.75, 0.375, 0};
    struct dlq_observed observed[] = {measured(4), {2, INFINITY, 1}, measured(1), measured(3)};
    struct dlq_dist dist = dist_of("gamma", 0.3, 0.5);
    struct dlq_observed many[300];
    double values[300];
    struct fits fits;
    if (fit(&fits, observed, 4))
        for (size_t i = 0; i < fits.count; i++) {
            double largest = 0;
            for (int j = 0; j < 3; j++) {
                double survival = dlq_dist_survival(&fits.fitted[i].dist, ends[j]);
                largest = fmax(largest, fmax(fabs(survival - before[j]), fabs(survival - after[j])));
            }
            CHECK_REL(fits.fitted[i].ks, largest, 1e-12);
        }
    observe(&dist, 0, 1, many, 300, 1);
    for (size_t i = 0; i < 300; i++)
        values[i] = many[i].low;
    if (fit(&fits, many, 300))
        for (size_t i = 0; i < fits.count; i++)
            CHECK_REL(fits.fitted[i].ks, distance(&fits.fitted[i].dist, values, 300), 1e-10);
}

/* Merged times give what all of them give. */
static void very_many(void)
{
    enum { MANY = 100000 };
    struct dlq_dist dist = dist_of("lognormal", 0.08, 0.6);
    struct dlq_observed *observed = malloc(MANY * sizeof *observed);
    double mean = 0, logs = 0, squares = 0;
    struct fits fits;
    observe(&dist, 0, 1, observed, MANY, 2);
    for (size_t i = 0; i < MANY; i++) {
        mean += observed[i].low / MANY;
        logs += log(observed[i].low) / MANY;
    }
    for (size_t i = 0; i < MANY; i++)
        squares += pow(log(observed[i].low) - logs, 2) / MANY;
    if (fit(&fits, observed, MANY)) {
        const struct dlq_fitted *lognormal = plain_fit(&fits, "lognormal");
        CHECK(lognormal == &fits.fitted[0], "%s is before lognormal", fits.fitted[0].family->name);
        CHECK_REL(lognormal->mean, exp(logs + squares / 2), 1e-6);
        CHECK_REL(lognormal->cv, sqrt(expm1(squares)), 1e-6);
        CHECK_REL(plain_fit(&fits, "gamma")->mean, mean, 5e-6);
        CHECK_REL(lognormal->log_likelihood, -MANY * (logs + log(2 * M_PI * squares) / 2 + 0.5), 1e-6);
    }
    free(observed);
}

/* Times in other units; times listed twice or with a weight of 2. */
static void units_and_weights(void)
{
    enum { N = 120 };
    struct dlq_dist dist = dist_of("weibull", 1, 0.6);
    struct dlq_observed plain[N], scaled[N], weighted[N + 1], twice[2 * N];
    struct fits one, other;
    observe(&dist, 0, 1, plain, N, 4);
    for (size_t i = 0; i < N; i++) {
        scaled[i] = measured(plain[i].low * 4096);
        weighted[i] = (struct dlq_observed){plain[i].low, plain[i].high, 2};
        twice[2 * i] = twice[2 * i + 1] = plain[i];
    }
    weighted[N] = (struct dlq_observed){1e6, 1e6, 0};
    if (fit(&one, plain, N) && fit(&other, scaled, N))
        for (size_t i = 0; i < one.count; i++) {
            CHECK(one.fitted[i].family == other.fitted[i].family, "other order");
            CHECK_REL(other.fitted[i].mean, 4096 * one.fitted[i].mean, 1e-4);
            CHECK_ABS(other.fitted[i].log_likelihood, one.fitted[i].log_likelihood - N * log(4096), 1e-3);
        }
    if (fit(&one, weighted, N + 1) && fit(&other, twice, 2 * N)) {
        CHECK_INT(one.count, other.count);
        for (size_t i = 0; i < one.count; i++)
            CHECK_REL(one.fitted[i].log_likelihood, other.fitted[i].log_likelihood, 1e-9);
    }
}

static void constants(void)
{
    static const struct {
        struct dlq_observed observed[3];
        size_t n;
        double value;
    } rows[] = {
        {{{0.7, 0.7, 1}}, 1, 0.7},
        {{{0.7, 0.7, 1}, {0.7, 0.7, 1}, {0.7, 0.7, 1}}, 3, 0.7},
        {{{0.7, 0.7, 1}, {0.7001, 0.7001, 1}}, 2, 0.70005},
        {{{0, 0, 1}, {0, 0, 1}}, 2, 0},
        {{{0.5, 1.5, 1}}, 1, 1},
        {{{0.5, 1.5, 1}, {1, INFINITY, 1}, {0, 1.2, 3}}, 3, 1.1},
        {{{0.7, 0.7, 1}, {0.3, INFINITY, 1}}, 2, 0.7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fits fits;
        if (!fit(&fits, rows[i].observed, rows[i].n))
            continue;
        const struct dlq_fitted *found = &fits.fitted[0];
        CHECK(fits.count == 1 && strcmp(found->family->name, "constant") == 0, "row %zu: %s", i, found->family->name);
        CHECK(test_relative(found->mean, rows[i].value, 1e-12), "row %zu: %g", i, found->mean);
        CHECK(isnan(found->aic) && found->cv == 0 && found->median == found->mean && found->p99 == found->mean,
              "row %zu: more than a value", i);
    }
}

/* Few, zeros, ties, extremes: distributions come out, and no bare number. */
static void awkward_times(void)
{
    static const struct {
        struct dlq_observed observed[6];
        size_t n;
    } rows[] = {
        {{{1, 1, 1}, {2, 2, 1}}, 2},
        {{{1, 1, 1}, {1, 1, 1}, {2, 2, 1}}, 3},
        {{{1e-6, 1e-6, 1}, {1e6, 1e6, 1}}, 2},
        {{{1e-6, 1e-6, 1}, {1e-3, 1e-3, 1}, {1, 1, 1}, {1e3, 1e3, 1}, {1e6, 1e6, 1}}, 5},
        {{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}}, 3},
        {{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {1, 1, 1}}, 4},
        {{{1e-13, 1e-13, 1}, {1, 1, 1}, {3, 3, 1}}, 3},
        {{{1e12, 1e12, 1}, {1e11, 1e11, 1}, {3e11, 3e11, 1}}, 3},
        {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {50, 50, 1}}, 6},
        {{{0, 1, 1}, {2, 3, 1}}, 2},
        {{{1, 1, 1}, {2, INFINITY, 1}}, 2},
        {{{1, 2, 1}, {3, INFINITY, 5}, {0, INFINITY, 5}}, 3},
        {{{1, 1, 1e-9}, {2, 2, 1e9}}, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fits fits;
        bool fitted = fit(&fits, rows[i].observed, rows[i].n);
        CHECK(fitted && isfinite(fits.fitted[0].median) && fits.fitted[0].mean > 0, "row %zu", i);
    }
}

/* The output is left alone. */
static void refused(void)
{
    static const struct {
        struct dlq_observed observed[2];
        size_t n;
        enum dlq_status status;
        const char *part;
    } rows[] = {
        {{{1, INFINITY, 1}, {2, INFINITY, 1}}, 2, DLQ_NO_ANSWER, "upper bound"},
        {{{0, 1, 1}, {0, 2, 1}}, 2, DLQ_NO_ANSWER, "lower bound"},
        {{{0, INFINITY, 1}}, 1, DLQ_NO_ANSWER, "upper bound"},
        {{{1, 1, 0}}, 1, DLQ_NO_ANSWER, "no time was measured"},
        {{{1, 1, 1}}, 0, DLQ_NO_ANSWER, "no time was measured"},
        {{{1, 1, 1}, {-1, 1, 1}}, 2, DLQ_INVALID, "time 2"},
        {{{2, 1, 1}}, 1, DLQ_INVALID, "time 1"},
        {{{NAN, 1, 1}}, 1, DLQ_INVALID, "time 1"},
        {{{1, NAN, 1}}, 1, DLQ_INVALID, "time 1"},
        {{{INFINITY, INFINITY, 1}}, 1, DLQ_INVALID, "time 1"},
        {{{1, 1e13, 1}}, 1, DLQ_INVALID, "time 1"},
        {{{1, 1, -1}}, 1, DLQ_INVALID, "weight of -1"},
        {{{1, 1, NAN}}, 1, DLQ_INVALID, "weight of"},
        {{{1, 1, INFINITY}}, 1, DLQ_INVALID, "weight of inf"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_fitted fitted[DLQ_MOST_FITTED] = {{.mean = 99}};
        struct dlq_error error = {0};
        size_t count = 77;
        enum dlq_status status = dlq_fit_distributions(rows[i].observed, rows[i].n, fitted, &count, &error);
        CHECK(status == rows[i].status && error.status == status, "row %zu: status %d", i, status);
        CHECK(strstr(error.text, rows[i].part) != NULL, "row %zu: '%s' does not say '%s'", i, error.text, rows[i].part);
        CHECK(count == 77 && fitted[0].mean == 99, "row %zu: the output was touched", i);
    }
}

static const struct test_case cases[] = {
    {"every family is found", every_family_is_found},
    {"known statistics", known_statistics},
    {"distances", distances},
    {"very many", very_many},
    {"units and weights", units_and_weights},
    {"constants", constants},
    {"awkward times", awkward_times},
    {"refused", refused},
    {NULL, NULL},
};
const struct test_suite suite_likelihood = {"likelihood", cases};
