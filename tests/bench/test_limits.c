#include "bare.h"

#include "harness.h"
#include "variates.h"
#include "yardsticks.h"

enum { LOADS = 1 << 12, BATCHES = 1 << 15, MOST_LANES = 32, MOST_LOADERS = 64, MOST_WINDOW = 128 };

/* One lane, in the plainest way: when its last batch is received. */
static double index_lane(const struct bench_bare *bare, double mean)
{
    double done[MOST_LOADERS] = {0};
    double received[MOST_WINDOW] = {0};
    double end = 0;
    double last = 0;
    for (long i = 0; i < BATCHES; i++) {
        double *d = &done[i % bare->loaders];
        double *g = &received[i % bare->window];
        *d = fmax(*g, *d) + mean * bare->loads[i % bare->load_count];
        last = *g = fmax(end, *d);
        end = last + bare->step;
    }
    return last;
}

static int least_of(const double *values, int n)
{
    int least = 0;
    for (int i = 1; i < n; i++)
        if (values[i] < values[least])
            least = i;
    return least;
}

/* Batch j + N begins on the loader whose batch is the jth to be delivered; the first N begin at 0, and their loads are
   0 as in the bare recursion. */
static double pool_lane(const struct bench_bare *bare, double mean)
{
    double busy[MOST_LOADERS] = {0};
    double received[MOST_WINDOW] = {0};
    double end = 0;
    double last = 0;
    for (long i = 0; i < BATCHES; i++) {
        int loader = least_of(busy, bare->loaders);
        last = fmax(end, busy[loader]);
        received[i % bare->window] = last;
        end = last + bare->step;
        double dispatched = received[(i + bare->loaders) % bare->window];
        busy[loader] = fmax(dispatched, busy[loader]) + mean * bare->loads[i % bare->load_count];
    }
    return last;
}

static const struct {
    const char *name;
    struct bench_bare_case which;
    double (*lane)(const struct bench_bare *bare, double mean);
} cases[] = {
    {"in order", {bench_bare_index, 8, BENCH_INDEX_LANES, 16, 0.7, 0.1}, index_lane},
    {"in order, odd sizes", {bench_bare_index, 3, BENCH_INDEX_LANES, 7, 0.2385, 0.1}, index_lane},
    {"in order, 64 loaders", {bench_bare_index, 64, BENCH_INDEX_LANES, 128, 5.6, 0.1}, index_lane},
    {"pool", {bench_bare_pool, BENCH_POOL_LOADERS, BENCH_POOL_LANES, 16, 0.7, 0.1}, pool_lane},
    {"pool, odd window", {bench_bare_pool, BENCH_POOL_LOADERS, BENCH_POOL_LANES, 11, 0.7, 0.1}, pool_lane},
};

static void test_lanes(void)
{
    static double loads[LOADS];
    struct bench_random random;
    bench_seed(&random, 11);
    for (int i = 0; i < LOADS; i++)
        loads[i] = bench_exponential(&random, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bench_bare_case *which = &cases[i].which;
        double means[MOST_LANES];
        double delivered[MOST_LANES];
        for (int lane = 0; lane < which->lanes; lane++)
            means[lane] = which->load * (0.51 + 0.037 * lane);
        struct bench_bare bare = {which->loaders, which->window, loads, LOADS, means, which->step};
        CU_ASSERT_TRUE_FATAL(which->recur(&bare, BATCHES, delivered));
        for (int lane = 0; lane < which->lanes; lane++) {
            double want = cases[i].lane(&bare, means[lane]);
            CHECK(test_relative(delivered[lane], want, 1e-9), "%s, lane %d: %.12g, expected %.12g", cases[i].name, lane,
                  delivered[lane], want);
        }
    }
}

static const struct {
    const char *name;
    double (*draw)(gsl_rng *rng);
    double cv;
} laws[] = {
    {"exponential", bench_gsl_exponential, 1},
    {"lognormal", bench_gsl_lognormal, 1},
    {"gamma", bench_gsl_gamma, 0.3},
    {"weibull", bench_gsl_weibull, 0.5227232}, /* sqrt(4 / pi - 1) */
    {"pareto", bench_gsl_pareto, 0.8944272},   /* 1 / sqrt(alpha (alpha - 2)) */
    {"normal", bench_gsl_normal, 0.2988},      /* after truncation at 0 */
    {"uniform", bench_gsl_uniform, 0.2886751}, /* 1 / sqrt(12) */
    {"hyperexponential", bench_gsl_hyperexponential, 2},
    {"256 samples", bench_gsl_samples, 0.01875},
};

/* GSL draws the laws that dlqueue is compared on: mean 1 within four standard errors. */
static void test_laws(void)
{
    enum { DRAWS = 40000 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rng);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        double sum = 0;
        double squares = 0;
        for (int k = 0; k < DRAWS; k++) {
            double x = laws[i].draw(rng);
            sum += x;
            squares += (x - 1) * (x - 1);
        }
        double mean = sum / DRAWS;
        double cv = sqrt(squares / DRAWS);
        double allowed = 4 * laws[i].cv / sqrt(DRAWS);
        CHECK(fabs(mean - 1) <= allowed, "%s: mean %g, not 1 within %g", laws[i].name, mean, allowed);
        CHECK(test_relative(cv, laws[i].cv, 0.1), "%s: cv %g, expected %g", laws[i].name, cv, laws[i].cv);
    }
    gsl_rng_free(rng);
}

static const struct test_case tests[] = {
    {"lanes", test_lanes},
    {"laws", test_laws},
    {NULL, NULL},
};

const struct test_suite suite_limits = {"limits", tests};
