/* Plain distributions of times that are known exactly; what is refused. */
#include "dist/cases.h"
#include "logs/stats/likelihood.h"

#include <stdlib.h>

enum { MOST = 5000 };

struct fits {
    struct dlq_fitted fitted[DLQ_MOST_FITTED];
    size_t count;
};

/* The fits are in order, their criterion is that of their likelihood, and their parameters make their distribution. */
static struct fits fit(const struct dlq_observed *observed, size_t n)
{
    struct fits fits = {.count = 0};
    struct dlq_error error = {0};
    enum dlq_status status = dlq_fit_distributions(observed, n, fits.fitted, &fits.count, &error);
    CHECK(status == DLQ_OK && fits.count >= 1, "status %d: %s", status, error.text);
    if (status != DLQ_OK)
        test_skip("no distribution");
    for (size_t i = 0; i < fits.count; i++) {
        const struct dlq_fitted *one = &fits.fitted[i];
        struct dlq_dist dist;
        CHECK(dist_make(&dist, one->family->name, &one->parameters) && dist.mean == one->dist.mean &&
                  dist.variance == one->dist.variance,
              "%s: other parameters", one->family->name);
        CHECK(i == 0 || one->aic >= fits.fitted[i - 1].aic, "%s: out of order", one->family->name);
        CHECK(fits.count == 1 || one->aic == 2 * one->free_parameters - 2 * one->log_likelihood, "%s: aic %g",
              one->family->name, one->aic);
        CHECK(isfinite(one->mean) && one->median <= one->p99 && one->free_parameters >= 1, "%s: mean %g",
              one->family->name, one->mean);
        CHECK(!(one->ks < 0 || one->ks > 1), "%s: distance %g", one->family->name, one->ks);
        if (one->has_tail)
            CHECK(dist_make(&dist, one->tail_family->name, &one->tail_parameters) && dist.mean == one->tail.mean &&
                      one->tail_probability > 0 && one->tail_probability <= 0.5,
                  "%s: other tail", one->tail_family->name);
    }
    return fits;
}

/* Ends the test where it is not among them. */
static const struct dlq_fitted *plain_fit(const struct fits *fits, const char *family)
{
    for (size_t i = 0; i < fits->count; i++)
        if (!fits->fitted[i].has_tail && strcmp(fits->fitted[i].family->name, family) == 0)
            return &fits->fitted[i];
    CHECK(false, "no %s distribution", family);
    test_skip("no distribution");
}

static struct dlq_observed measured(double x)
{
    return (struct dlq_observed){x, x, 1};
}

/* n draws, another sample for each number; in a share of them `ratio` times as long. */
static void observe(const struct dlq_dist *dist, double share, double ratio, struct dlq_observed *observed, size_t n,
                    uint32_t sample)
{
    OWN_RNG *rng = gsl_rng_alloc(dlq_stream_type);
    dlq_stream_start(rng, 1, sample, 0, DLQ_PURPOSE_TEST);
    for (size_t i = 0; i < n; i++) {
        double x = dlq_dist_sample(dist, rng);
        if (share > 0 && gsl_rng_uniform(rng) < share)
            x *= ratio;
        observed[i] = measured(x);
    }
}

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
    dist_make(&dist, row->family, &row->given);
    observe(&dist, 0, 1, observed, n, seed);
    const struct fits fits = fit(observed, n);
    const struct dlq_fitted *found = plain_fit(&fits, row->family);
    CHECK(recovered(row, &dist, found, n), "%s, mean %g, cv %g, %zu times, seed %u: mean %g, cv %g, median %g",
          row->family, dist.mean, row->cv, n, seed, found->mean, found->cv, found->median);
    CHECK(found->ks < 1.8 / sqrt((double)n), "%s: distance %g of %zu times", row->family, found->ks, n);
    return found->aic < fits.fitted[0].aic + 4 && !fits.fitted[0].has_tail;
}

static void every_family_is_found(void)
{
    static const size_t sizes[] = {400, MOST};
    uint32_t seeds = test_long() ? 10 : 1;
    FREED struct dlq_observed *observed = malloc(MOST * sizeof *observed);
    for (size_t i = 0; i < sizeof fit_cases / sizeof *fit_cases; i++)
        for (size_t j = test_long() ? 0 : i % 2; j < 2; j += test_long() ? 1 : 2) {
            uint32_t first = 0;
            for (uint32_t seed = 0; seed < seeds; seed++)
                first += check_recovered(&fit_cases[i], observed, sizes[j], 100 * (uint32_t)i + seed);
            CHECK(first + (j == 0 ? 2 : 1) >= seeds, "%s (row %zu), %zu times: first in %u of %u samples",
                  fit_cases[i].family, i, sizes[j], first, seeds);
        }
}

/* Check values of the equations for 1, 2, 3, 4, 5 by bisection in double precision; the Pareto's for 10..14. */
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
        for (int j = 0; j < 5; j++)
            observed[j] = measured(rows[i].first + j);
        const struct fits fits = fit(observed, 5);
        const struct dlq_fitted *found = plain_fit(&fits, rows[i].family);
        CHECK(test_relative(found->mean, rows[i].mean, 5e-6), "%s: mean %.12g", rows[i].family, found->mean);
        CHECK(test_relative(found->cv, rows[i].cv, 5e-6), "%s: cv %.12g", rows[i].family, found->cv);
    }
    struct dlq_observed two[] = {measured(1), measured(3)};
    const struct fits fits = fit(two, 2); /* -n (1 + ln mean) */
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
    struct fits fits = fit(observed, 4);
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
    fits = fit(many, 300);
    for (size_t i = 0; i < fits.count; i++)
        CHECK_REL(fits.fitted[i].ks, distance(&fits.fitted[i].dist, values, 300), 1e-10);
}

/* Merged times give what all of them give. */
static void very_many(void)
{
    enum { MANY = 100000 };
    struct dlq_dist dist = dist_of("lognormal", 0.08, 0.6);
    FREED struct dlq_observed *observed = malloc(MANY * sizeof *observed);
    double mean = 0, logs = 0, squares = 0;
    observe(&dist, 0, 1, observed, MANY, 2);
    for (size_t i = 0; i < MANY; i++) {
        mean += observed[i].low / MANY;
        logs += log(observed[i].low) / MANY;
    }
    for (size_t i = 0; i < MANY; i++)
        squares += pow(log(observed[i].low) - logs, 2) / MANY;
    const struct fits fits = fit(observed, MANY);
    const struct dlq_fitted *lognormal = plain_fit(&fits, "lognormal");
    CHECK(lognormal == &fits.fitted[0], "%s is before lognormal", fits.fitted[0].family->name);
    CHECK_REL(lognormal->mean, exp(logs + squares / 2), 1e-6);
    CHECK_REL(lognormal->cv, sqrt(expm1(squares)), 1e-6);
    CHECK_REL(plain_fit(&fits, "gamma")->mean, mean, 5e-6);
    CHECK_REL(lognormal->log_likelihood, -MANY * (logs + log(2 * M_PI * squares) / 2 + 0.5), 1e-6);
}

/* No time of the few stands for some below and some above a gap. */
static void gaps_stay(void)
{
    enum { N = 1000 };
    struct dlq_observed times[N];
    for (size_t usual = 497; usual < 503; usual++) {
        struct dlq_error error = {0};
        DLQ_ARENA arena = {.error = &error, .doing = "fitting"};
        struct dlq_observations seen, few;
        for (size_t i = 0; i < N; i++)
            times[i] = measured((i < usual ? 0.1 : 1) + 1e-6 * (double)i);
        CHECK_INT(dlq_observations_make(&arena, &seen, &few, times, N), DLQ_OK);
        for (size_t i = 0; i < few.exacts; i++)
            CHECK(few.exact[i].low < 0.11 || few.exact[i].low > 0.99, "%zu: %g s", usual, few.exact[i].low);
    }
}

/* Times in other units; times listed twice or with a weight of 2. */
static void units_and_weights(void)
{
    enum { N = 120 };
    struct dlq_dist dist = dist_of("weibull", 1, 0.6);
    struct dlq_observed plain[N], scaled[N], weighted[N + 1], twice[2 * N];
    observe(&dist, 0, 1, plain, N, 4);
    for (size_t i = 0; i < N; i++) {
        scaled[i] = measured(plain[i].low * 4096);
        weighted[i] = (struct dlq_observed){plain[i].low, plain[i].high, 2};
        twice[2 * i] = twice[2 * i + 1] = plain[i];
    }
    weighted[N] = (struct dlq_observed){1e6, 1e6, 0};
    struct fits one = fit(plain, N), other = fit(scaled, N);
    for (size_t i = 0; i < one.count; i++) {
        CHECK(one.fitted[i].family == other.fitted[i].family, "other order");
        CHECK_REL(other.fitted[i].mean, 4096 * one.fitted[i].mean, 1e-4);
        CHECK_ABS(other.fitted[i].log_likelihood, one.fitted[i].log_likelihood - N * log(4096), 1e-3);
    }
    one = fit(weighted, N + 1);
    other = fit(twice, 2 * N);
    CHECK_INT(one.count, other.count);
    for (size_t i = 0; i < one.count; i++)
        CHECK_REL(one.fitted[i].log_likelihood, other.fitted[i].log_likelihood, 1e-9);
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
        const struct fits fits = fit(rows[i].observed, rows[i].n);
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
        const struct fits fits = fit(rows[i].observed, rows[i].n);
        CHECK(isfinite(fits.fitted[0].median) && fits.fitted[0].mean > 0, "row %zu", i);
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

/* -- plain distributions of times of which only bounds are known -- */

/* A bounded time of hardly any weight sends all families to the simplex. */
static void simplex_against_closed_form(void)
{
    static const char *const families[] = {"exponential", "gamma", "lognormal", "weibull"};
    static const double cvs[] = {0.15, 1.5};
    struct dlq_observed observed[151];
    for (size_t i = 0; i < sizeof cvs / sizeof *cvs; i++) {
        struct dlq_dist dist = dist_of("gamma", 0.02, cvs[i]);
        observe(&dist, 0, 1, observed, 150, (uint32_t)i);
        observed[150] = (struct dlq_observed){1e-9, INFINITY, 1e-9};
        const struct fits closed = fit(observed, 150), simplex = fit(observed, 151);
        for (size_t j = 0; j < sizeof families / sizeof *families; j++) {
            const struct dlq_fitted *want = plain_fit(&closed, families[j]), *got = plain_fit(&simplex, families[j]);
            CHECK_REL(got->mean, want->mean, 1e-3);
            CHECK_REL(got->cv, want->cv, 1e-3);
            CHECK_ABS(got->log_likelihood, want->log_likelihood, 1e-3);
        }
    }
}

/* What is left of a time: see `rows` below. */
static struct dlq_observed cut_off(double x, double limit)
{
    return x < limit ? measured(x) : (struct dlq_observed){limit, INFINITY, 1};
}

static struct dlq_observed rounded(double x, double width)
{
    double low = floor(x / width) * width;
    return (struct dlq_observed){low, low + width, 1};
}

/* Whether it is known exactly, from above or from below goes round; the bounds differ from time to time. */
static struct dlq_observed varied(double x, double width)
{
    double part = x / width - floor(x / width);
    if (part < 0.4)
        return measured(x);
    return part < 0.7 ? (struct dlq_observed){0.8 * x, INFINITY, 1} : (struct dlq_observed){0, 1.3 * x, 1};
}

/* The information that is left makes the standard error at most about twice that of all times exact. */
static void bounded_times(void)
{
    static const struct {
        const char *family;
        double cv;
        struct dlq_observed (*bound)(double x, double argument);
        double argument; /* in units of the mean; 0: the 60 % quantile */
    } rows[] = {
        {"exponential", NO, cut_off, 0},
        {"gamma", 0.3, cut_off, 0},
        {"gamma", 1.5, cut_off, 0},
        {"lognormal", 0.3, cut_off, 0},
        {"weibull", 0.5, cut_off, 0},
        {"normal", 0.2, cut_off, 0},
        {"exponential", NO, rounded, 0.5},
        {"lognormal", 0.3, rounded, 0.2},
        {"gamma", 0.5, rounded, 0.6},
        {"weibull", 0.3, rounded, 0.1},
        {"hyperexponential", 3, rounded, 0.05},
    };
    FREED struct dlq_observed *observed = malloc(MOST * sizeof *observed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t n = test_long() || i % 2 == 0 ? 500 : MOST; n <= (test_long() || i % 2 == 1 ? MOST : 500);
             n *= 10) {
            struct dlq_dist dist = dist_of(rows[i].family, 0.04, rows[i].cv);
            double argument = rows[i].argument > 0 ? rows[i].argument * dist.mean : dlq_dist_quantile(&dist, 0.6);
            observe(&dist, 0, 1, observed, n, (uint32_t)i);
            for (size_t j = 0; j < n; j++)
                observed[j] = rows[i].bound(observed[j].low, argument);
            const struct fits fits = fit(observed, n);
            const struct dlq_fitted *found = plain_fit(&fits, rows[i].family);
            double cv = dlq_dist_cv(&dist), allowed = 10 * cv / sqrt((double)n);
            CHECK(found != NULL && fabs(found->mean / dist.mean - 1) < allowed, "row %zu, %zu times: mean %g of %g", i,
                  n, found == NULL ? NAN : found->mean, dist.mean);
            CHECK(n < MOST || (found != NULL && found->aic < fits.fitted[0].aic + 4), "row %zu: %s is before %s", i,
                  fits.fitted[0].family->name, rows[i].family);
            CHECK(isnan(fits.fitted[0].ks) == (rows[i].bound == rounded), "row %zu: distance %g", i, fits.fitted[0].ks);
        }
}

/* Bounds that all differ are thinned out; what is known of a time is not its length alone: the mean is off little. */
static void mixed_bounds(void)
{
    struct dlq_dist dist = dist_of("lognormal", 0.5, 0.4);
    FREED struct dlq_observed *observed = malloc(MOST * sizeof *observed);
    observe(&dist, 0, 1, observed, MOST, 3);
    for (size_t i = 0; i < MOST; i++)
        observed[i] = varied(observed[i].low, 0.013);
    const struct fits fits = fit(observed, MOST);
    CHECK_REL(plain_fit(&fits, "lognormal")->mean, 0.5, 0.05);
    CHECK_REL(plain_fit(&fits, "lognormal")->cv, 0.4, 0.15);
}

/* Fitted to other times from where it is, a distribution becomes what it is when it is fitted from nothing. */
static void fitted_again(void)
{
    enum { N = 1000 };
    static const struct {
        const char *usual;
        double cv, share, rounding;
    } rows[] = {{"gamma", 0.4, 0, 1e-9},
                {"gamma", 0.4, 0, 0.013},
                {"lognormal", 0.1, 0.05, 0},
                {"lognormal", 0.8, 0, 1e-9},
                {"hyperexponential", 1.5, 0, 0.013}};
    FREED struct dlq_observed *observed = malloc(N * sizeof *observed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fits fits[2];
        const struct dlq_fitted *fitted[2];
        for (uint32_t k = 0; k < 2; k++) {
            struct dlq_dist dist = dist_of(rows[i].usual, k == 0 ? 0.5 : 0.55, rows[i].cv);
            observe(&dist, rows[i].share, 20, observed, N, k);
            for (size_t j = 0; rows[i].rounding > 0 && j < N; j++)
                observed[j] = rounded(observed[j].low, rows[i].rounding);
            fits[k] = fit(observed, N);
            fitted[k] = rows[i].share > 0 ? &fits[k].fitted[0] : plain_fit(&fits[k], rows[i].usual);
        }
        struct dlq_error error = {0};
        DLQ_ARENA arena = {.error = &error, .doing = "fitting"};
        struct dlq_observations seen, few;
        struct dlq_fitted law = *fitted[0];
        CHECK(dlq_observations_make(&arena, &seen, &few, observed, N) == DLQ_OK &&
                  dlq_fit_again(&seen, &few, &law) == DLQ_FITTED && law.family == fitted[1]->family,
              "row %zu: %s", i, error.text);
        CHECK_REL(law.dist.mean, fitted[1]->dist.mean, 0.01);
        CHECK_REL(dlq_dist_cv(&law.dist), dlq_dist_cv(&fitted[1]->dist), 0.02);
        CHECK_REL(law.tail_probability, fitted[1]->tail_probability, 0.02);
    }
}

/* Bounds that hold the mean of some families only: what runs away is not among the distributions. */
static void runaways(void)
{
    static const struct {
        struct dlq_observed observed[3];
        size_t n;
    } rows[] = {
        {{{0, 1, 1}, {2, INFINITY, 1}}, 2},
        {{{0, 1, 5}, {2, INFINITY, 1}}, 2},
        {{{0, 1e-3, 1}, {10, INFINITY, 1}}, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fits fits = fit(rows[i].observed, rows[i].n);
        CHECK(plain_fit(&fits, "exponential") != NULL, "row %zu: no exponential distribution", i);
        for (size_t j = 0; j < fits.count; j++)
            CHECK(fits.fitted[j].mean < 1e5 && (fits.fitted[j].cv == INFINITY || fits.fitted[j].cv < 99),
                  "row %zu: %s of mean %g, cv %g", i, fits.fitted[j].family->name, fits.fitted[j].mean,
                  fits.fitted[j].cv);
    }
}

/* -- distributions with a tail; of measured times of a real loader see tests/study/test_fit.c -- */

/* 40, 10 and 2 times as long in 5, 2 and 10 % of the batches: the share is that of the sample, the ratio that of the
   means. */
static void slow_batches_are_found(void)
{
    static const struct {
        const char *usual;
        double cv, share, ratio;
        size_t n;
    } rows[] = {
        {"lognormal", 0.1, 0.05, 40, 300}, {"lognormal", 0.1, 0.05, 40, MOST}, {"gamma", 0.3, 0.02, 10, 600},
        {"gamma", 0.3, 0.02, 10, MOST},    {"lognormal", 0.15, 0.1, 2, 600},   {"lognormal", 0.2, 0.1, 2, MOST},
        {"gamma", 0.02, 0.4, 3, 300},      {"normal", 0.05, 0.05, 3, 1000},
    };
    uint32_t seeds = test_long() ? 10 : 1;
    FREED struct dlq_observed *observed = malloc(MOST * sizeof *observed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += test_every(2))
        for (uint32_t seed = 0; seed < seeds; seed++) {
            struct dlq_dist usual = dist_of(rows[i].usual, 0.03, rows[i].cv);
            observe(&usual, rows[i].share, rows[i].ratio, observed, rows[i].n, 100 * (uint32_t)i + seed);
            const struct fits fits = fit(observed, rows[i].n);
            const struct dlq_fitted *found = &fits.fitted[0];
            double slow = rows[i].share * (double)rows[i].n, ratio = 1 + found->tail.mean / found->dist.mean;
            CHECK(found->has_tail, "row %zu, seed %u: %s without a tail", i, seed, found->family->name);
            CHECK(fabs(found->tail_probability / rows[i].share - 1) < 5 / sqrt(slow), "row %zu, seed %u: share %g", i,
                  seed, found->tail_probability);
            CHECK(fabs(ratio / rows[i].ratio - 1) < 5 * (rows[i].cv + 0.05) / sqrt(slow), "row %zu, seed %u: ratio %g",
                  i, seed, ratio);
            CHECK(fabs(found->dist.mean / 0.03 - 1) < 6 * rows[i].cv / sqrt((double)rows[i].n),
                  "row %zu, seed %u: usually %g s", i, seed, found->dist.mean);
            CHECK_REL(found->mean, found->dist.mean + found->tail_probability * found->tail.mean, 1e-12);
        }
}

/* Distributions without a hump, and too few slow times: no tail before a plain distribution. The second have one that
   is due. */
static void chance_makes_no_tail(void)
{
    static const struct {
        const char *family;
        double cv;
        size_t n;
    } rows[] = {
        {"exponential", NO, 60}, {"exponential", NO, 1000}, {"gamma", 0.3, 60},           {"gamma", 2, 400},
        {"lognormal", 1, 60},    {"lognormal", 0.3, 1000},  {"weibull", 2, 400},          {"normal", 0.3, 400},
        {"uniform", NO, 400},    {"lognormal", 3, 400},     {"hyperexponential", 3, 400},
    };
    int tails = 0, all = 0;
    uint32_t seeds = test_long() ? 30 : 1;
    struct dlq_observed observed[1000];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t seed = 0; seed < seeds; seed++, all++) {
            struct dlq_parameters ends = {NO, NO, NO, NO, NO, NO, NO, NO, 0.2, 1, NULL};
            struct dlq_dist dist;
            if (strcmp(rows[i].family, "uniform") == 0)
                dist_make(&dist, "uniform", &ends);
            else
                dist = dist_of(rows[i].family, 0.7, rows[i].cv);
            observe(&dist, 0, 1, observed, rows[i].n, 100 * (uint32_t)i + seed);
            tails += fit(observed, rows[i].n).fitted[0].has_tail;
        }
    CHECK(tails <= all / 50, "%d tails in %d samples without one", tails, all);
}

/* Of 35 times so many are 280 times as long. A tail has four at least, and no more than there are. */
static void few_slow_times(void)
{
    enum { TIMES = 35 };
    struct dlq_dist usual = dist_of("gamma", 0.1, 0.2);
    for (int slow = 1; slow <= 7; slow++) {
        struct dlq_observed observed[TIMES];
        observe(&usual, 0, 1, observed, TIMES, 500);
        for (int i = 0; i < slow; i++)
            observed[5 * i] = measured(280 * observed[5 * i].low);
        const struct fits fits = fit(observed, TIMES);
        for (size_t k = 0; k < fits.count; k++)
            if (fits.fitted[k].has_tail)
                CHECK(slow > 3 && fits.fitted[k].tail_probability * TIMES < slow + 0.5, "%d are slow: %g of them", slow,
                      fits.fitted[k].tail_probability * TIMES);
        CHECK(fits.fitted[0].has_tail == (slow > 4), "%d are slow: %s %d", slow, fits.fitted[0].family->name,
              fits.fitted[0].has_tail);
    }
}

/* Times known to 20 ms: the tail is found. */
static void tail_of_bounded_times(void)
{
    struct dlq_dist usual = dist_of("lognormal", 0.2, 0.3);
    struct dlq_observed observed[1000];
    observe(&usual, 0.05, 20, observed, 1000, 1);
    for (size_t i = 0; i < 1000; i++) {
        observed[i].low = floor(observed[i].low / 0.02) * 0.02;
        observed[i].high = observed[i].low + 0.02;
    }
    const struct fits fits = fit(observed, 1000);
    CHECK(fits.fitted[0].has_tail, "%s without a tail", fits.fitted[0].family->name);
    CHECK_REL(fits.fitted[0].dist.mean, 0.2, 0.05);
    CHECK_ABS(fits.fitted[0].tail_probability, 0.05, 0.03);
    CHECK_REL(fits.fitted[0].tail.mean, 3.8, 0.2);
}

/* Equal times, as a coarse clock gives them: the usual distribution does not become a spike. */
static void ties(void)
{
    struct dlq_observed observed[100];
    for (int i = 0; i < 100; i++)
        observed[i] = measured(i < 80 ? 0.1 : 0.2 + 0.01 * (i - 80));
    const struct fits fits = fit(observed, 100);
    for (size_t i = 0; i < fits.count; i++)
        CHECK(fits.fitted[i].cv > 1e-3 && (!fits.fitted[i].has_tail || fits.fitted[i].dist.mean < 0.11),
              "%s: usually %g s", fits.fitted[i].family->name, fits.fitted[i].dist.mean);
}

TEST_SUITE(likelihood, SLOW_CASE(every_family_is_found), CASE(known_statistics), CASE(distances), CASE(very_many),
           CASE(units_and_weights), CASE(constants), CASE(awkward_times), CASE(refused),
           CASE(simplex_against_closed_form), CASE(bounded_times), CASE(mixed_bounds), SLOW_CASE(fitted_again),
           CASE(runaways), CASE(slow_batches_are_found), CASE(chance_makes_no_tail), CASE(few_slow_times),
           CASE(tail_of_bounded_times), CASE(ties), CASE(gaps_stay));
