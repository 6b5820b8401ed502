#include "event_loop.h"

#include "event_queue.h"
#include "harness.h"
#include "stats/stats.h"
#include "variates.h"

enum { RUNS = 32, WARMUP = 2000 };

#define EXPONENTIAL(MEAN)                                                                                              \
    {                                                                                                                  \
        BENCH_EXPONENTIAL, (MEAN), 1                                                                                   \
    }
#define LOGNORMAL(MEAN, CV)                                                                                            \
    {                                                                                                                  \
        BENCH_LOGNORMAL, (MEAN), (CV)                                                                                  \
    }
#define CONSTANT(MEAN)                                                                                                 \
    {                                                                                                                  \
        BENCH_CONSTANT, (MEAN), 0                                                                                      \
    }

/* Throughputs: of long simulations with their standard error, or exact. */
static const struct {
    const char *name;
    struct bench_pipeline pipeline;
    double throughput, error;
} cases[] = {
    {"in order, exponential load", {BENCH_ROUND_ROBIN, true, 8, 2, EXPONENTIAL(0.7), CONSTANT(0.1)}, 6.40699, 0.00036},
    {"in order, lognormal load", {BENCH_ROUND_ROBIN, true, 8, 2, LOGNORMAL(0.7, 1), CONSTANT(0.1)}, 6.31239, 0.00054},
    {"in order, exponential both",
     {BENCH_ROUND_ROBIN, true, 8, 2, EXPONENTIAL(0.7), EXPONENTIAL(0.1)},
     6.31958,
     0.00035},
    /* by hand, as Markov chains */
    {"one loader", {BENCH_ROUND_ROBIN, true, 1, 1, EXPONENTIAL(1), EXPONENTIAL(1)}, 2.0 / 3, 0},
    {"two loaders", {BENCH_ROUND_ROBIN, true, 2, 1, EXPONENTIAL(1), EXPONENTIAL(1)}, 14.0 / 17, 0},
    {"two loaders ahead", {BENCH_ROUND_ROBIN, true, 2, 2, EXPONENTIAL(0.2), EXPONENTIAL(0.1)}, 370.0 / 53, 0},
    {"one owner", {BENCH_OWNER, false, 1, 1, EXPONENTIAL(1), EXPONENTIAL(1)}, 2.0 / 3, 0},
    {"owners", {BENCH_OWNER, false, 4, 2, EXPONENTIAL(0.32), EXPONENTIAL(0.1)}, 9.366842, 0.0063},
    {"slow owners", {BENCH_OWNER, false, 3, 2, EXPONENTIAL(0.6), CONSTANT(0.1)}, 4.970821, 0.004},
    {"pool in order", {BENCH_POOL, true, 8, 8, LOGNORMAL(0.4, 1), CONSTANT(0.1)}, 9.987423, 0.0017},
    /* Gordon and Newell 1967 */
    {"pool, product form", {BENCH_POOL, false, 8, 2, EXPONENTIAL(0.7), EXPONENTIAL(0.1)}, 9.713319422, 0},
    {"pool of seven, product form", {BENCH_POOL, false, 7, 2, EXPONENTIAL(0.7), EXPONENTIAL(0.1)}, 9.1679, 0.00003},
    {"constant, load binds", {BENCH_ROUND_ROBIN, true, 5, 2, CONSTANT(2.385), CONSTANT(0.1)}, 5 / 2.385, 0},
    {"constant, step binds", {BENCH_POOL, true, 5, 2, CONSTANT(0.3), CONSTANT(0.1)}, 10, 0},
};

static struct dlq_estimate measure(const struct bench_pipeline *pipeline, long steps)
{
    double values[RUNS];
    for (uint64_t run = 0; run < RUNS; run++) {
        struct bench_event_loop *loop = bench_event_loop_new(pipeline, run);
        CU_ASSERT_PTR_NOT_NULL_FATAL(loop);
        double begin = bench_event_loop_run(loop, WARMUP);
        values[run] = (double)steps / (bench_event_loop_run(loop, steps) - begin);
        bench_event_loop_free(loop);
    }
    return dlq_estimate_of(values, RUNS);
}

/* Within four standard errors; rounding alone where nothing varies. */
static void test_throughput(void)
{
    const long steps = test_long() ? 1000000 : 30000;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_estimate got = measure(&cases[i].pipeline, steps);
        double error = (got.value - got.low) / dlq_student(0.975, RUNS - 1);
        double allowed = 4 * sqrt(error * error + cases[i].error * cases[i].error) + 1e-3 * (error == 0);
        CHECK(fabs(got.value - cases[i].throughput) <= allowed, "%s: %.6f, expected %.6f within %.6f", cases[i].name,
              got.value, cases[i].throughput, allowed);
        CHECK(error < 0.01 * got.value, "%s: a standard error of %g says nothing", cases[i].name, error);
    }
}

/* Loaders that own their window never wait for each other: faster than in order, slower than a pool. */
static void test_owner_between(void)
{
    struct bench_pipeline pipeline = {BENCH_OWNER, false, 8, 2, EXPONENTIAL(0.7), EXPONENTIAL(0.1)};
    struct dlq_estimate owner = measure(&pipeline, 20000);
    CHECK(owner.low > 6.31958 && owner.high < 9.713319422, "%g (%g..%g)", owner.value, owner.low, owner.high);
}

static void test_queue_sorts(void)
{
    enum { N = 37 };
    struct bench_event events[N + 1];
    struct bench_event_queue queue = {.events = events};
    struct bench_random random;
    bench_seed(&random, 5);
    for (int i = 0; i < N; i++)
        bench_event_push(&queue, bench_uniform(&random), i);
    double before = 0;
    for (int i = 0; i < N; i++) {
        struct bench_event event = bench_event_pop(&queue);
        CHECK(event.time >= before, "%g after %g", event.time, before);
        before = event.time;
    }
    CHECK_INT(queue.count, 0);
}

static void test_generator(void)
{
    struct bench_random random = {.state = {1, 2, 3, 4}};
    CHECK_INT(bench_bits(&random), 41943041);
}

/* Moments up to the fourth of 4e5 normal draws: 0, 1, 0, 3, with standard errors sqrt(1, 2, 15, 96) / sqrt(n). */
static void test_normal(void)
{
    enum { N = 400000 };
    static const double moments[] = {0, 1, 0, 3};
    static const double variances[] = {1, 2, 15, 96};
    double sums[4] = {0};
    struct bench_random random;
    bench_seed(&random, 7);
    for (int i = 0; i < N; i++) {
        double x = bench_normal(&random);
        for (int k = 0; k < 4; k++)
            sums[k] += pow(x, k + 1);
    }
    for (int k = 0; k < 4; k++)
        CHECK_ABS(sums[k] / N, moments[k], 4 * sqrt(variances[k] / N));
}

static const struct test_case tests[] = {
    {"throughput", test_throughput},   {"owner between", test_owner_between},
    {"queue sorts", test_queue_sorts}, {"generator", test_generator},
    {"normal", test_normal},           {NULL, NULL},
};

const struct test_suite suite_event_loop = {"event_loop", tests};
