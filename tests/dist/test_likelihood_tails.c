/* Distributions with a tail; of measured times of a real loader see tests/study/test_fit.c. */
#include "fits.h"

enum { MOST = 5000 };

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
    struct dlq_observed *observed = malloc(MOST * sizeof *observed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t seed = 0; seed < seeds; seed++) {
            struct dlq_dist usual = dist_of(rows[i].usual, 0.03, rows[i].cv);
            struct fits fits;
            observe(&usual, rows[i].share, rows[i].ratio, observed, rows[i].n, 100 * (uint32_t)i + seed);
            if (!fit(&fits, observed, rows[i].n))
                continue;
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
    free(observed);
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
    uint32_t seeds = test_long() ? 30 : 2;
    struct dlq_observed observed[1000];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t seed = 0; seed < seeds; seed++, all++) {
            struct dlq_parameters ends = {NO, NO, NO, NO, NO, NO, NO, NO, 0.2, 1, NULL};
            struct dlq_dist dist;
            struct fits fits;
            if (strcmp(rows[i].family, "uniform") == 0)
                dist_make(&dist, "uniform", &ends);
            else
                dist = dist_of(rows[i].family, 0.7, rows[i].cv);
            observe(&dist, 0, 1, observed, rows[i].n, 100 * (uint32_t)i + seed);
            tails += fit(&fits, observed, rows[i].n) && fits.fitted[0].has_tail;
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
        struct fits fits;
        observe(&usual, 0, 1, observed, TIMES, 500);
        for (int i = 0; i < slow; i++)
            observed[5 * i] = measured(280 * observed[5 * i].low);
        if (!fit(&fits, observed, TIMES))
            continue;
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
    struct fits fits;
    observe(&usual, 0.05, 20, observed, 1000, 1);
    for (size_t i = 0; i < 1000; i++) {
        observed[i].low = floor(observed[i].low / 0.02) * 0.02;
        observed[i].high = observed[i].low + 0.02;
    }
    if (!fit(&fits, observed, 1000))
        return;
    CHECK(fits.fitted[0].has_tail, "%s without a tail", fits.fitted[0].family->name);
    CHECK_REL(fits.fitted[0].dist.mean, 0.2, 0.05);
    CHECK_ABS(fits.fitted[0].tail_probability, 0.05, 0.03);
    CHECK_REL(fits.fitted[0].tail.mean, 3.8, 0.2);
}

/* Equal times, as a coarse clock gives them: the usual distribution does not become a spike. */
static void ties(void)
{
    struct dlq_observed observed[100];
    struct fits fits;
    for (int i = 0; i < 100; i++)
        observed[i] = measured(i < 80 ? 0.1 : 0.2 + 0.01 * (i - 80));
    if (fit(&fits, observed, 100))
        for (size_t i = 0; i < fits.count; i++)
            CHECK(fits.fitted[i].cv > 1e-3 && (!fits.fitted[i].has_tail || fits.fitted[i].dist.mean < 0.11),
                  "%s: usually %g s", fits.fitted[i].family->name, fits.fitted[i].dist.mean);
}

static const struct test_case cases[] = {
    {"slow batches are found", slow_batches_are_found},
    {"chance makes no tail", chance_makes_no_tail},
    {"few slow times", few_slow_times},
    {"tail of bounded times", tail_of_bounded_times},
    {"ties", ties},
    {NULL, NULL},
};
const struct test_suite suite_likelihood_tails = {"likelihood_tails", cases};
