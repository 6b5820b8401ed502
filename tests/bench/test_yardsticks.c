/* What stands beside dlqueue is right: event loop, its random numbers, bare recursions, GSL's laws, other programs. */
#include "child.h"
#include "harness.h"
#include "stats/stats.h"
#include "subject.h"
#include "variates.h"
#include "yardsticks.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* -- the event loop -- */

#define EXPONENTIAL(...) BENCH_EXPONENTIAL, __VA_ARGS__, 1
#define LOGNORMAL(...) BENCH_LOGNORMAL, __VA_ARGS__
#define CONSTANT(...) BENCH_CONSTANT, __VA_ARGS__, 0
#define PIPELINE(ASSIGN, ORDER, LOADERS, PREFETCH, LOAD, STEP)                                                         \
    {                                                                                                                  \
        BENCH_##ASSIGN, ORDER, LOADERS, PREFETCH, {LOAD},                                                              \
        {                                                                                                              \
            STEP                                                                                                       \
        }                                                                                                              \
    }

/* Throughputs: of long simulations with their standard error, or exact. */
static const struct {
    const char *name;
    struct bench_pipeline pipeline;
    double throughput, error;
} loops[] = {
    {"in order", PIPELINE(ROUND_ROBIN, true, 8, 2, EXPONENTIAL(0.7), CONSTANT(0.1)), 6.40699, 0.00036},
    {"lognormal load", PIPELINE(ROUND_ROBIN, true, 8, 2, LOGNORMAL(0.7, 1), CONSTANT(0.1)), 6.31239, 0.00054},
    {"exponential both", PIPELINE(ROUND_ROBIN, true, 8, 2, EXPONENTIAL(0.7), EXPONENTIAL(0.1)), 6.31958, 0.00035},
    /* by hand, as Markov chains */
    {"one loader", PIPELINE(ROUND_ROBIN, true, 1, 1, EXPONENTIAL(1), EXPONENTIAL(1)), 2.0 / 3, 0},
    {"two loaders", PIPELINE(ROUND_ROBIN, true, 2, 1, EXPONENTIAL(1), EXPONENTIAL(1)), 14.0 / 17, 0},
    {"two ahead", PIPELINE(ROUND_ROBIN, true, 2, 2, EXPONENTIAL(0.2), EXPONENTIAL(0.1)), 370.0 / 53, 0},
    {"one owner", PIPELINE(OWNER, false, 1, 1, EXPONENTIAL(1), EXPONENTIAL(1)), 2.0 / 3, 0},
    {"owners", PIPELINE(OWNER, false, 4, 2, EXPONENTIAL(0.32), EXPONENTIAL(0.1)), 9.366842, 0.0063},
    {"slow owners", PIPELINE(OWNER, false, 3, 2, EXPONENTIAL(0.6), CONSTANT(0.1)), 4.970821, 0.004},
    {"pool in order", PIPELINE(POOL, true, 8, 8, LOGNORMAL(0.4, 1), CONSTANT(0.1)), 9.987423, 0.0017},
    /* product forms, Gordon and Newell 1967 */
    {"pool", PIPELINE(POOL, false, 8, 2, EXPONENTIAL(0.7), EXPONENTIAL(0.1)), 9.713319422, 0},
    {"pool of seven", PIPELINE(POOL, false, 7, 2, EXPONENTIAL(0.7), EXPONENTIAL(0.1)), 9.1679, 0.00003},
    {"load binds", PIPELINE(ROUND_ROBIN, true, 5, 2, CONSTANT(2.385), CONSTANT(0.1)), 5 / 2.385, 0},
    {"step binds", PIPELINE(POOL, true, 5, 2, CONSTANT(0.3), CONSTANT(0.1)), 10, 0},
};

/* Within four standard errors; rounding alone where nothing varies. */
static void test_event_loop(void)
{
    enum { RUNS = 32, WARMUP = 2000 };
    const long steps = test_long() ? 1000000 : 30000;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        double values[RUNS];
        for (uint64_t run = 0; run < RUNS; run++) {
            struct bench_event_loop *loop = bench_event_loop_new(&loops[i].pipeline, run);
            CU_ASSERT_PTR_NOT_NULL_FATAL(loop);
            double begin = bench_event_loop_run(loop, WARMUP);
            values[run] = (double)steps / (bench_event_loop_run(loop, steps) - begin);
            bench_event_loop_free(loop);
        }
        const struct dlq_estimate got = dlq_estimate_of(values, RUNS);
        double error = (got.value - got.low) / dlq_student(0.975, RUNS - 1);
        double allowed = 4 * hypot(error, loops[i].error) + 1e-3 * (error == 0);
        CHECK(fabs(got.value - loops[i].throughput) <= allowed, "%s: %.6f, expected %.6f within %.6f", loops[i].name,
              got.value, loops[i].throughput, allowed);
        CHECK(error < 0.01 * got.value, "%s: a standard error of %g says nothing", loops[i].name, error);
    }
}

/* The generator, and moments up to the fourth of 4e5 normal draws: 0, 1, 0, 3, with standard errors
   sqrt(1, 2, 15, 96) / sqrt(n). */
static void test_random(void)
{
    enum { N = 400000 };
    static const double moments[] = {0, 1, 0, 3}, variances[] = {1, 2, 15, 96};
    double sums[4] = {0};
    struct bench_random random = {.state = {1, 2, 3, 4}};
    CHECK_INT(bench_bits(&random), 41943041);
    bench_seed(&random, 7);
    for (int i = 0; i < N; i++) {
        double x = bench_normal(&random);
        for (int k = 0; k < 4; k++)
            sums[k] += pow(x, k + 1);
    }
    for (int k = 0; k < 4; k++)
        CHECK_ABS(sums[k] / N, moments[k], 4 * sqrt(variances[k] / N));
}

/* -- bare recursions -- */

enum { LOADS = 1 << 12, BATCHES = 1 << 15, MOST_LANES = 32, MOST_LOADERS = 64, MOST_WINDOW = 128 };

static int least_of(const double *values, int n)
{
    int least = 0;
    for (int i = 1; i < n; i++)
        if (values[i] < values[least])
            least = i;
    return least;
}

/* One lane, in the plainest way: when its last batch is received. In order batch i is loaded by loader i mod N. In a
   pool batch j + N begins on the loader whose batch is the jth to be delivered; the first N begin at 0, and their loads
   are 0 as in the bare recursion. */
static double plain_lane(const struct bench_bare *bare, bool pool, double mean)
{
    double done[MOST_LOADERS] = {0}, received[MOST_WINDOW] = {0}, end = 0, last = 0;
    for (long i = 0; i < BATCHES; i++) {
        const double load = mean * bare->loads[i % bare->load_count];
        double *d = &done[pool ? least_of(done, bare->loaders) : i % bare->loaders];
        double *g = &received[i % bare->window];
        if (!pool)
            *d = fmax(*g, *d) + load;
        last = *g = fmax(end, *d);
        end = last + bare->step;
        if (pool)
            *d = fmax(received[(i + bare->loaders) % bare->window], *d) + load;
    }
    return last;
}

static void test_bare(void)
{
    static const struct bench_bare_case cases[] = {
        {bench_bare_index, 8, BENCH_INDEX_LANES, 16, 0.7, 0.1},
        {bench_bare_index, 3, BENCH_INDEX_LANES, 7, 0.2385, 0.1},
        {bench_bare_index, 64, BENCH_INDEX_LANES, 128, 5.6, 0.1},
        {bench_bare_pool, BENCH_POOL_LOADERS, BENCH_POOL_LANES, 16, 0.7, 0.1},
        {bench_bare_pool, BENCH_POOL_LOADERS, BENCH_POOL_LANES, 11, 0.7, 0.1},
    };
    static double loads[LOADS];
    struct bench_random random;
    bench_seed(&random, 11);
    for (int i = 0; i < LOADS; i++)
        loads[i] = bench_exponential(&random, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double means[MOST_LANES], delivered[MOST_LANES];
        for (int lane = 0; lane < cases[i].lanes; lane++)
            means[lane] = cases[i].load * (0.51 + 0.037 * lane);
        const struct bench_bare bare = {cases[i].loaders, cases[i].window, loads, LOADS, means, cases[i].step};
        CU_ASSERT_TRUE_FATAL(cases[i].recur(&bare, BATCHES, delivered));
        for (int lane = 0; lane < cases[i].lanes; lane++)
            CHECK_REL(delivered[lane], plain_lane(&bare, cases[i].recur == bench_bare_pool, means[lane]), 1e-9);
    }
}

/* -- others -- */

/* GSL draws the laws that dlqueue is compared on: mean 1 within four standard errors. */
static void test_laws(void)
{
    enum { DRAWS = 40000 };
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
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rng);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        double sum = 0, squares = 0;
        for (int k = 0; k < DRAWS; k++) {
            double x = laws[i].draw(rng);
            sum += x;
            squares += (x - 1) * (x - 1);
        }
        double mean = sum / DRAWS, cv = sqrt(squares / DRAWS), allowed = 4 * laws[i].cv / sqrt(DRAWS);
        CHECK(fabs(mean - 1) <= allowed && test_relative(cv, laws[i].cv, 0.1),
              "%s: mean %g, not 1 within %g; cv %g, expected %g", laws[i].name, mean, allowed, cv, laws[i].cv);
    }
    gsl_rng_free(rng);
}

static void test_child(void)
{
    static const struct {
        const char *arguments[4];
        enum dlq_status status;
    } cases[] = {
        {{"true"}, DLQ_OK},
        {{"false"}, DLQ_FAILURE},
        {{"sh", "-c", "kill -9 $$"}, DLQ_FAILURE},
        {{"/nowhere/program"}, DLQ_FAILURE},
    };
    static const char *const cat[] = {"cat", NULL};
    struct bench_child child;
    char line[16] = "";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_error error = {.status = DLQ_OK};
        enum dlq_status status = bench_child_start(&child, cases[i].arguments, false, &error);
        CHECK_INT(status == DLQ_OK ? bench_child_wait(&child, &error) : status, cases[i].status);
    }
    CU_ASSERT_EQUAL_FATAL(bench_child_start(&child, cat, true, NULL), DLQ_OK);
    CHECK(fputs("2.385\n", child.to) >= 0 && fflush(child.to) == 0, "nothing written");
    CHECK(fgets(line, sizeof line, child.from) != NULL, "nothing read");
    CHECK_TEXT(line, "2.385\n");
    CHECK_INT(bench_child_wait(&child, NULL), DLQ_OK);
}

/* Debian's NumPy is found where another python3 comes first in PATH. */
static void test_numpy(void)
{
    char directory[] = "/tmp/dlqueue-test-XXXXXX", first[64], path[4096];
    const char *usual = getenv("PATH");
    const struct bench_setup setup = {.detail = "exponential"};
    const struct bench_run run = {.threads = 1};
    void *state = NULL;
    if (usual == NULL || system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
        return;
    snprintf(path, sizeof path, "%s", usual);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
    snprintf(first, sizeof first, "%s/python3", directory);
    CHECK_INT(symlink("/bin/false", first), 0);
    setenv("PATH", directory, 1);
    signal(SIGPIPE, SIG_IGN); /* as the bench does: the false one does not read */
    CHECK_INT(bench_numpy.begin(&setup, &run, &state, NULL), DLQ_OK);
    if (state != NULL)
        bench_numpy.end(state);
    signal(SIGPIPE, SIG_DFL);
    setenv("PATH", path, 1);
    unlink(first);
    rmdir(directory);
}

TEST_SUITE(yardsticks, CASE(test_event_loop), CASE(test_random), CASE(test_bare), CASE(test_laws), CASE(test_child),
           CASE(test_numpy));
