/* Plain distributions of times of which only bounds are known. */
#include "fits.h"

enum { MOST = 5000 };

/* A bounded time of hardly any weight sends all families to the simplex. */
static void simplex_against_closed_form(void)
{
    static const char *const families[] = {"exponential", "gamma", "lognormal", "weibull"};
    static const double cvs[] = {0.15, 1.5};
    struct dlq_observed observed[151];
    for (size_t i = 0; i < sizeof cvs / sizeof *cvs; i++) {
        struct dlq_dist dist = dist_of("gamma", 0.02, cvs[i]);
        struct fits closed, simplex;
        observe(&dist, 0, 1, observed, 150, (uint32_t)i);
        observed[150] = (struct dlq_observed){1e-9, INFINITY, 1e-9};
        if (!fit(&closed, observed, 150) || !fit(&simplex, observed, 151))
            continue;
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
    struct dlq_observed *observed = malloc(MOST * sizeof *observed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t n = 500; n <= MOST; n *= 10) {
            struct dlq_dist dist = dist_of(rows[i].family, 0.04, rows[i].cv);
            double argument = rows[i].argument > 0 ? rows[i].argument * dist.mean : dlq_dist_quantile(&dist, 0.6);
            struct fits fits;
            observe(&dist, 0, 1, observed, n, (uint32_t)i);
            for (size_t j = 0; j < n; j++)
                observed[j] = rows[i].bound(observed[j].low, argument);
            if (!fit(&fits, observed, n))
                continue;
            const struct dlq_fitted *found = plain_fit(&fits, rows[i].family);
            double cv = dlq_dist_cv(&dist), allowed = 10 * cv / sqrt((double)n);
            CHECK(found != NULL && fabs(found->mean / dist.mean - 1) < allowed, "row %zu, %zu times: mean %g of %g", i,
                  n, found == NULL ? NAN : found->mean, dist.mean);
            CHECK(n < MOST || (found != NULL && found->aic < fits.fitted[0].aic + 4), "row %zu: %s is before %s", i,
                  fits.fitted[0].family->name, rows[i].family);
            CHECK(isnan(fits.fitted[0].ks) == (rows[i].bound == rounded), "row %zu: distance %g", i, fits.fitted[0].ks);
        }
    free(observed);
}

/* Bounds that all differ are thinned out; what is known of a time does not depend on its length alone, so that the mean
   is off by little. */
static void mixed_bounds(void)
{
    struct dlq_dist dist = dist_of("lognormal", 0.5, 0.4);
    struct dlq_observed *observed = malloc(MOST * sizeof *observed);
    struct fits fits;
    observe(&dist, 0, 1, observed, MOST, 3);
    for (size_t i = 0; i < MOST; i++)
        observed[i] = varied(observed[i].low, 0.013);
    if (fit(&fits, observed, MOST)) {
        CHECK_REL(plain_fit(&fits, "lognormal")->mean, 0.5, 0.05);
        CHECK_REL(plain_fit(&fits, "lognormal")->cv, 0.4, 0.15);
    }
    free(observed);
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
        struct fits fits;
        if (!fit(&fits, rows[i].observed, rows[i].n))
            continue;
        CHECK(plain_fit(&fits, "exponential") != NULL, "row %zu: no exponential distribution", i);
        for (size_t j = 0; j < fits.count; j++)
            CHECK(fits.fitted[j].mean < 1e5 && (fits.fitted[j].cv == INFINITY || fits.fitted[j].cv < 99),
                  "row %zu: %s of mean %g, cv %g", i, fits.fitted[j].family->name, fits.fitted[j].mean,
                  fits.fitted[j].cv);
    }
}

static const struct test_case cases[] = {
    {"simplex against closed form", simplex_against_closed_form},
    {"bounded times", bounded_times},
    {"mixed bounds", mixed_bounds},
    {"runaways", runaways},
    {NULL, NULL},
};
const struct test_suite suite_likelihood_bounds = {"likelihood_bounds", cases};
