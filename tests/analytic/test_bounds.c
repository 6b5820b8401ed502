/* Bounds of systems by hand, and what they share. */
#include "systems.h"

#include <gsl/gsl_sf_gamma.h>
#include <stddef.h>

#define CONSTANT(pipeline, load, step) "[pipeline]\n" pipeline "\n[load]\nmean=" load "\n[step]\nmean=" step "\n"
#define EXPONENTIAL(pipeline, load, step)                                                                              \
    "[pipeline]\n" pipeline "\n[load]\ndistribution=exponential\nmean=" load "\n[step]\nmean=" step "\n"

/* A bound of a text, by its place in struct dlq_bounds. */
struct row {
    const char *text;
    size_t at;
    double want;
};
#define AT(bound) offsetof(struct dlq_bounds, bound)

static void check_rows(const struct row *rows, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++) {
        struct dlq_bounds bounds = bounds_of(rows[i].text);
        double got = *(const double *)(const void *)((const char *)&bounds + rows[i].at);
        CHECK(isnan(rows[i].want) ? isnan(got) : test_relative(got, rows[i].want, tolerance),
              "row %zu: %.12g, expected %.12g\n%s", i, got, rows[i].want, rows[i].text);
    }
}

#define HOST                                                                                                           \
    "[host]\ncores=4\nbandwidth=1GB/s\n[storage]\nbandwidth=3GB/s\n[load.read]\nuses=storage\nbytes=10MB\n"            \
    "stream_rate=100MB/s\n[load.decode]\nuses=cpu\nmean=300ms\n[step]\nmean=100ms\n"

static void test_upper(void)
{
    static const struct row rows[] = {
        {CONSTANT("loaders=7", "0.7s", "0.1s"), AT(serial), 1.25},
        {CONSTANT("loaders=7", "0.7s", "0.1s") "[overheads]\nreceive=0.2s\n", AT(serial), 1.25},
        {CONSTANT("loaders=7", "0.7s", "0.1s"), AT(load), 10},
        {CONSTANT("loaders=7", "0.7s", "0.1s"), AT(window), 20},
        {CONSTANT("loaders=7", "0.7s", "0.1s"), AT(step), 10},
        {CONSTANT("loaders=7", "0.7s", "0.1s"), AT(receive), NAN},
        {CONSTANT("loaders=7", "0.7s", "0.1s"), AT(cores), NAN},
        {CONSTANT("loaders=7", "0.7s", "0.1s"), AT(pin), NAN},
        {CONSTANT("loaders=7", "0.7s", "0"), AT(step), NAN},
        {CONSTANT("loaders=7", "0.7s", "0") "[overheads]\nreceive=50ms\n", AT(receive), 20},
        {CONSTANT("loaders=7\nwindow=unbounded", "0.7s", "0.1s"), AT(window), NAN},
        {CONSTANT("loaders=7\nwindow=unbounded", "0.7s", "0.1s"), AT(load), 10},
        {CONSTANT("loaders=7\nwindow=4", "0.7s", "0.1s"), AT(load), 4 / 0.7},
        {CONSTANT("loaders=7\nranks=2", "0.7s", "0.1s") "[overheads]\nreceive=10ms\nbarrier=15ms\n", AT(receive), 8},
        {CONSTANT("loaders=7", "0.7s", "0.1s") "[overheads]\ndispatch=0.1s\ndeliver=0.2s\nreceive=0.4s\n", AT(window),
         10},
        {CONSTANT("loaders=7", "0.7s", "0.1s") "[overheads]\npin_time=125ms\n", AT(pin), 8},
        {CONSTANT("loader=keras\nloaders=7\nprefetch=3", "0.7s", "0.1s"), AT(window), 5 / 0.7},
        {CONSTANT("loader=keras\nloaders=7\nprefetch=3", "0.7s", "0.1s"), AT(load), 5 / 0.7},
        {CONSTANT("loader=tfdata\nloaders=7\nprefetch=3", "0.7s", "0.1s"), AT(window), 10 / 0.7},
        {CONSTANT("loader=dali\nloaders=7\nprefetch=3", "0.7s", "0.15s"), AT(serial), 4},
        {CONSTANT("loader=dali\nloaders=7\nprefetch=3", "0.7s", "0.1s"), AT(load), 10},
        {CONSTANT("loader=dali\nloaders=7\nprefetch=3", "0.7s", "0.1s"), AT(window), 30},
        {CONSTANT("loaders=0", "0.7s", "0.1s"), AT(load), NAN},
        {CONSTANT("loaders=0", "0.7s", "0.1s"), AT(window), NAN},
        {CONSTANT("loaders=0", "0.7s", "0.1s"), AT(upper), 1.25},
        {CONSTANT("loaders=0", "0.7s", "0.1s"), AT(step), 10},
        {CONSTANT("loaders=0", "0.7s", "0.1s") "[overheads]\npin_time=0.1s\nreceive=0.1s\n", AT(serial), 1 / 0.9},
        {CONSTANT("loaders=8\nslow_loaders=1\nslow_factor=3", "0.8s", "0.1s"), AT(load), 8 / 2.4},
        {CONSTANT("loaders=8\nslow_loaders=1\nslow_factor=3", "0.8s", "0.1s"), AT(window), 16},
        {CONSTANT("loaders=8\nslow_loaders=1\nslow_factor=3\nwindow=2", "0.8s", "0.1s"), AT(load), 2},
        {CONSTANT("loader=pool\nloaders=8\nslow_loaders=2\nslow_factor=4", "0.8s", "0.1s"), AT(load), 8.125},
        {CONSTANT("loader=pool\nloaders=8\nslow_loaders=2\nslow_factor=4\nwindow=7", "0.8s", "0.1s"), AT(load),
         6.25 / 0.8},
        {CONSTANT("loader=pool\nloaders=8\nslow_loaders=2\nslow_factor=4", "0.8s", "0.1s"), AT(window), 20},
        {CONSTANT("loader=pool\nloaders=8\nslow_loaders=8\nslow_factor=4", "0.8s", "0.1s"), AT(window), 5},
        {CONSTANT("loaders=8\nranks=3\nslow_ranks=1\nslow_factor=4", "0.8s", "0.1s"), AT(load), 2.5},
        {"[pipeline]\nloaders=8\nbatch_size=8\n" HOST, AT(cores), 4 / 0.3},
        {"[pipeline]\nloaders=8\nbatch_size=8\n" HOST, AT(host_bandwidth), 12.5},
        {"[pipeline]\nloaders=8\nbatch_size=8\n" HOST, AT(storage), 37.5},
        {"[pipeline]\nloaders=8\nbatch_size=8\nranks=4\n" HOST, AT(cores), 1 / 0.3},
        {"[pipeline]\nloaders=8\nbatch_size=8\nranks=4\n" HOST, AT(storage), 37.5 / 4},
        {"[pipeline]\nloaders=8\nbatch_size=8\nranks=4\n" HOST, AT(upper), 3.125},
    };
    check_rows(rows, sizeof rows / sizeof *rows, 1e-12);
}

static void test_bottleneck(void)
{
    static const struct {
        const char *text, *name;
    } rows[] = {
        {CONSTANT("loaders=7", "0.7s", "0.1s"), "step"},
        {CONSTANT("loaders=7", "0.706s", "0.1s"), "step"},
        {CONSTANT("loaders=7", "0.708s", "0.1s"), "load"},
        {CONSTANT("loaders=7", "0.6s", "0.1s"), "step"},
        {CONSTANT("loaders=7\nprefetch=1", "0.6s", "0.1s") "[overheads]\ndispatch=0.4s\n", "window"},
        {CONSTANT("loaders=7", "0.6s", "0.1s") "[overheads]\nreceive=9ms\n", "receive"},
        {CONSTANT("loaders=7", "0.6s", "0.1s") "[overheads]\nreceive=0.9ms\n", "step"},
        {CONSTANT("loaders=7", "0.6s", "0.1s") "[overheads]\npin_time=0.2s\n", "pin"},
        {CONSTANT("loaders=7", "0.6s", "0"), "load"},
        {CONSTANT("loaders=0", "0.6s", "0.1s"), "serial"},
        {CONSTANT("loaders=0", "1us", "0.1s"), "serial"},
        {"[pipeline]\nloaders=64\nbatch_size=8\nranks=4\n" HOST, "host_bandwidth"},
        {"[pipeline]\nloaders=64\nbatch_size=2\nranks=4\n" HOST, "cores"},
        {"[pipeline]\nloaders=64\nbatch_size=8\nranks=4\n[host]\nranks_per_host=1\n[storage]\nbandwidth=1GB/s\n"
         "[load]\nuses=storage\nbytes=10MB\nstream_rate=1GB/s\n[step]\nmean=10ms\n",
         "storage"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_bounds bounds = bounds_of(rows[i].text);
        CHECK(strcmp(dlq_cause_name(bounds.bottleneck), rows[i].name) == 0, "%s, expected %s\n%s",
              dlq_cause_name(bounds.bottleneck), rows[i].name, rows[i].text);
    }
}

static double harmonic(long n)
{
    double sum = 0;
    for (; n > 0; n--)
        sum += 1 / (double)n;
    return sum;
}

/* E[max(u, M)], M the largest of n exponential times of mean s: u + s sum (1 - (1 - e^(-u/s))^k)/k. */
static double largest(long n, double s, double u)
{
    double sum = 0;
    for (long k = 1; k <= n; k++)
        sum += -expm1((double)k * log1p(-exp(-u / s))) / (double)k;
    return u + s * sum;
}

static void test_lower(void)
{
    const struct row rows[] = {
        {EXPONENTIAL("loaders=7", "0.7s", "0.1s"), AT(lower), 7 / largest(7, 0.7, 0.7)},
        {EXPONENTIAL("loader=pool\nloaders=7\nwindow=unbounded", "0.7s", "0.1s"), AT(lower), 7 / largest(7, 0.7, 0.7)},
        {EXPONENTIAL("loaders=7\nranks=5", "0.7s", "0.1s"), AT(lower), 7 / largest(35, 0.7, 0.7)},
        {EXPONENTIAL("loaders=7", "0.7s", "0"), AT(lower), 7 / (0.7 * harmonic(7))},
        {EXPONENTIAL("loaders=7", "0.7s", "0.1s") "[overheads]\ndispatch=10ms\ndeliver=20ms\nreceive=30ms\n", AT(lower),
         7 / (0.03 + largest(7, 0.7, 0.88))},
        {EXPONENTIAL("loader=dali\nloaders=7", "0.7s", "0.1s"), AT(lower), 1 / largest(1, 0.1, 0.1)},
        {EXPONENTIAL("loader=pytorch-unordered\nloaders=8", "0.2s", "0.1s"), AT(lower), 8 / largest(8, 0.2, 0.8)},
        {EXPONENTIAL("loaders=0", "0.7s", "0.1s"), AT(lower), 1.25},
        {EXPONENTIAL("loaders=0\nranks=3", "0.7s", "0.1s"), AT(lower), 1 / (0.1 + 0.7 * harmonic(3))},
        {EXPONENTIAL("loaders=0\nranks=3\nslow_ranks=3\nslow_factor=2", "0.7s", "0.1s"), AT(lower),
         1 / (0.1 + 1.4 * harmonic(3))},
        {EXPONENTIAL("loaders=0", "0.7s", "0.1s") "[overheads]\npin_time=0.1s\nreceive=0.1s\n", AT(lower), 1 / 0.9},
        {EXPONENTIAL("loaders=7\nwindow=6", "0.7s", "0.1s"), AT(lower), 1.25},
        {EXPONENTIAL("loaders=7\nwindow=6\nranks=2", "0.7s", "0.1s"), AT(lower), 1 / (0.1 + 0.7 * 1.5)},
        {EXPONENTIAL("loaders=7", "0.7s", "0.1s") "[overheads]\npin_time=1us\n", AT(lower), NAN},
        {EXPONENTIAL("loaders=7\nepoch_batches=50", "0.7s", "0.1s") "[overheads]\nstartup=10s\ndispatch=0.1s\n",
         AT(lower), 50 / (10 + 50 * 0.9)},
        {EXPONENTIAL("loaders=7\nepoch_batches=50\nslow_loaders=1\nslow_factor=3", "0.7s", "0.1s"), AT(lower),
         1 / (0.1 + 2.1)},
        {EXPONENTIAL("loaders=0\nepoch_batches=50", "0.7s", "0.1s") "[overheads]\nstartup=10s\n", AT(lower), 1.25},
        {CONSTANT("loaders=7", "0.5s", "0.1s"), AT(lower), 10},
        {CONSTANT("loaders=7", "1.4s", "0.1s"), AT(lower), 5},
        {CONSTANT("loaders=7\nprefetch=1", "0.7s", "0.1s"), AT(lower), 7 / 1.3},
        {CONSTANT("loaders=7\nslow_loaders=2\nslow_factor=3", "0.7s", "0.1s"), AT(lower), 7 / 2.1},
        {CONSTANT("loader=pool\nloaders=7\nranks=4\nslow_ranks=2\nslow_factor=3", "0.7s", "0.1s"), AT(lower), 7 / 2.1},
        {"[pipeline]\nloaders=8\nbatch_size=8\nranks=2\n[host]\ncores=4\n[load]\nuses=cpu\nmean=0.3s\n[step]\nmean="
         "1s\n",
         AT(lower), 1 / 1.0},
        {"[pipeline]\nloaders=8\nbatch_size=8\nranks=2\n[host]\ncores=4\n[load]\nuses=cpu\nmean=0.3s\n[step]\nmean=0\n",
         AT(lower), 8 / 1.2},
        {"[pipeline]\nloaders=2\n[load]\nmean=0.5s\n[step]\ndistribution=exponential\nmean=0.1s\n", AT(lower),
         2 / (0.5 + 0.2 * exp(-5) + 0.1 * 5 * exp(-5))},
    };
    check_rows(rows, sizeof rows / sizeof *rows, 1e-8);
}

static double lower_of(struct dlq_system *system, struct dlq_bounds_context *context, double load, double step)
{
    struct dlq_bounds bounds = {.lower = NAN};
    struct dlq_error error = {0};
    dlq_work_set_mean(&system->load, load);
    dlq_work_set_mean(&system->step, step);
    CHECK(dlq_system_bounds(system, 0, context, &bounds, &error) == DLQ_OK, "%s", error.text);
    return bounds.lower;
}

/* One context for many points gives what fresh ones give: means, loaders and sharing change. */
static void test_context(void)
{
    const double means[] = {0.7, 1.3, 0.2};
    struct dlq_system *system = &good("[pipeline]\nloaders=4\nbatch_size=2\n[host]\ncores=6\n[load.a]\nmean=0.2s\n",
                                      "[load.b]\ndistribution=lognormal\ncv=0.7\nmean=1s\nuses=cpu\n[step]\n"
                                      "distribution=gamma\ncv=0.4\nmean=0.1s\n")
                                     ->system;
    struct dlq_bounds_context shared = {0};
    for (long loaders = 1; loaders <= 12; loaders++) {
        char why[200];
        CHECK(dlq_system_set_loaders(system, loaders, why, sizeof why), "%s", why);
        for (size_t i = 0; i < 3; i++) {
            OWN(dlq_bounds_context) fresh = {0};
            double kept = lower_of(system, &shared, means[i], means[2 - i]);
            double want = lower_of(system, &fresh, means[i], means[2 - i]);
            CHECK(test_relative(kept, want, 1e-12) && want > 0, "N = %ld: %.17g, fresh %.17g", loaders, kept, want);
        }
    }
    CHECK(lower_of(system, &shared, 0.7, 0) > 0, "a step of 0");
    dlq_bounds_context_free(&shared);
    CHECK(shared.load.units == 0 && shared.step_round.units == 0, "freed");
}

/* Heavy tails still have bounds: Pareto alpha = 1.2, N = 3, T = 0, E[M] = xm 3! Gamma(1 - 1/a)/Gamma(4 - 1/a). */
static void test_heavy(void)
{
    struct dlq_bounds bounds = bounds_of("[pipeline]\nloaders=3\n[load]\ndistribution=pareto\nalpha=1.2\nmean=0.6s\n"
                                         "[step]\nmean=0\n");
    double most = 0.1 * exp(gsl_sf_lnfact(3) + gsl_sf_lngamma(1 - 1 / 1.2) - gsl_sf_lngamma(4 - 1 / 1.2));
    CHECK_REL(bounds.lower, 3 / most, 1e-7);
    CHECK_REL(bounds.upper, 5, 1e-12);
}

/* A distribution that is not the load's crosses the bounds, a mean without end has no maximum: told, none touched. */
static void test_failures(void)
{
    struct dlq_system *system = &good(EXPONENTIAL("loaders=7", "0.7s", "0.1s"), "")->system;
    OWN(dlq_bounds_context) context = {0};
    struct dlq_bounds bounds = {.upper = -1};
    struct dlq_error error = {0};
    lower_of(system, &context, 0.7, 0.1);
    dlq_sum_rescale(&context.load.time, 1e-2);
    dlq_work_set_mean(&system->step, 0.01);
    CHECK_INT(dlq_system_bounds(system, 0, &context, &bounds, &error), DLQ_FAILURE);
    CHECK(strstr(error.text, "bounds crossed: lower ") != NULL && strstr(error.text, "(load)") != NULL, "%s",
          error.text);
    error = (struct dlq_error){0};
    system->load.mean = INFINITY;
    CHECK_INT(dlq_system_bounds(system, 0, &context, &bounds, &error), DLQ_FAILURE);
    CHECK(strstr(error.text, "quadrature") != NULL, "%s", error.text);
    CHECK(bounds.upper == -1, "touched: %g", bounds.upper);
}

#define EIGHT(load, more) "[pipeline]\nloaders=8\n[load]\n" load "\n[step.a]\nmean=100ms\n" more
#define FEW_CORES "[host]\ncores=2\n[load]\nuses=cpu\nmean=50ms\n[step]\nmean=5ms\nuses=cpu\n"

#define CONTENDED(step) "[host]\ncontention=5.714285714%\n[load]\nuses=cpu\nmean=50ms\n[step]\nmean=" step "\n"

/* A phase of 6 s in 300 stops all loads, and 17 batches are there then: 10 (1 - (6 - 1.7)/306). A loader at 7/8 of its
   speed, on average. Checkpoints of 5 s, every 100 steps, against the loads of eight exponential loaders: an
   independent quadrature. 3.259 and 3.846 are published with the model. 256 exponential samples on 16 threads
   are 18.3807 samples long. What the trainer needs of the cores counts, and where it competes for them there is no
   lower bound. 8 loads that each slow the others by 2/35 take 1.4 times as long, 16 of two ranks 1.857 times. */
static void test_extended(void)
{
    static const struct row rows[] = {
        {EIGHT("distribution=lognormal\nmean=600ms\ncv=0.3", "[slowdown]\ninterval=300s\nduration=6s\nspeed=0\n"),
         AT(upper), 9.859},
        {CONSTANT("loaders=4", "0.8s", "0") "[slowdown]\ninterval=30s\nduration=10s\nspeed=50%\n", AT(load), 4.375},
        {EIGHT("distribution=exponential\nmean=500ms", "[step.save]\nmean=5s\nevery=100\n"), AT(upper), 6.667},
        {EIGHT("distribution=exponential\nmean=500ms", "[step.save]\nmean=5s\nevery=100\n"), AT(lower), 4.60},
        {"[pipeline]\nloaders=1\nbatch_size=256\nthreads=16\n[load]\nper=sample\ndistribution=exponential\n"
         "mean=10ms\n[step]\nmean=0\n",
         AT(load), 1 / 0.183807},
        {EXPONENTIAL("loaders=7\nprefetch=1", "0.7s", "0.1s"), AT(lower), 3.259},
        {EXPONENTIAL("loaders=7", "0.7s", "0.1s"), AT(lower), 3.846},
        {"[pipeline]\nloaders=4\n" FEW_CORES, AT(cores), 2 / 0.055},
        {"[pipeline]\nloaders=4\n" FEW_CORES, AT(lower), NAN},
        {"[pipeline]\nloaders=1\n" FEW_CORES, AT(lower), 20},
        {"[pipeline]\nloaders=8\n" CONTENDED("0"), AT(contention), 8 / 1.4 / 0.05},
        {"[pipeline]\nloaders=8\n" CONTENDED("0"), AT(load), 160},
        {"[pipeline]\nloaders=8\n" CONTENDED("0"), AT(lower), 8 / 1.4 / 0.05},
        {"[pipeline]\nloaders=8\nranks=2\nslow_ranks=1\nslow_factor=2\n" CONTENDED("0"), AT(contention),
         8 / 1.857142857 / 0.05},
        {"[pipeline]\nloaders=4\n" CONTENDED("5ms\nuses=cpu"), AT(contention), 5 / 1.228571429 / 0.055},
        {"[pipeline]\nloaders=4\n" CONTENDED("5ms\nuses=cpu"), AT(lower), NAN},
        {"[pipeline]\nloaders=8\n" CONTENDED("0") "[slowdown]\ninterval=30s\nduration=10s\nspeed=50%\n", AT(contention),
         0.875 * 8 / 1.4 / 0.05},
    };
    check_rows(rows, sizeof rows / sizeof *rows, 1e-3);
    /* Loads without work, as where a rare slow stage is removed, are not stopped. */
    struct dlq_system *system =
        &good(EIGHT("mean=600ms", "[slowdown]\ninterval=300s\nduration=6s\nspeed=0\n"), "")->system;
    struct dlq_bounds bounds;
    dlq_work_set_mean(&system->load, 0);
    dlq_system_upper(system, &bounds);
    CHECK_REL(bounds.upper, 10, 1e-12);
}

/* Where constant times make the upper bound exact, and where they do not: credits that come back at request. */
static void test_exact(void)
{
    static const struct {
        const char *text;
        bool exact;
    } rows[] = {
        {"[pipeline]\nloaders=7\n[load]\nmean=2s\n[step]\nmean=100ms\n", true},
        {"[pipeline]\nloaders=7\nprefetch=1\n[load]\nmean=0.63s\n[step]\nmean=100ms\n[overheads]\ndispatch=30ms\n"
         "deliver=40ms\nreceive=20ms\n",
         true},
        {"[pipeline]\nloader=pool-ordered\nloaders=5\nwindow=8\n[load]\nmean=0.63s\n[step]\nmean=100ms\n"
         "[overheads]\ndispatch=200ms\ndeliver=40ms\nreceive=3ms\n",
         true},
        {"[pipeline]\nloader=dali\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=100ms\n[overheads]\ndispatch=70ms\n",
         true},
        {"[pipeline]\nloader=mxnet\nloaders=3\n[load]\nmean=0.5s\n[step]\nmean=100ms\n", true},
        {"[pipeline]\nloaders=3\nranks=3\n[load]\nmean=0.5s\n[step]\nmean=150ms\n[overheads]\nbarrier=30ms\n", true},
        {"[pipeline]\nloader=keras\nprefetch=1\nloaders=8\n[load]\nmean=0.5s\n[step]\nmean=300ms\n", true},
        {"[pipeline]\nloader=keras\nprefetch=1\nloaders=8\n[load]\nmean=0.9s\n[step]\nmean=300ms\n", false},
        {"[pipeline]\nloader=pool\nloaders=7\n[load]\nmean=0.7s\n[step]\nmean=100ms\n", false},
        {"[pipeline]\nloader=tfdata\nloaders=7\n[load]\nmean=0.7s\n[step]\nmean=100ms\n", false},
        {"[pipeline]\nloaders=7\nslow_loaders=1\nslow_factor=2\n[load]\nmean=0.7s\n[step]\nmean=100ms\n", false},
        {"[pipeline]\nloaders=7\n[load]\nmean=0.7s\ncv=0.2\ndistribution=gamma\n[step]\nmean=100ms\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(bounds_of(rows[i].text).exact == rows[i].exact, "exact: expected %d\n%s", rows[i].exact, rows[i].text);
}

#define RANDOM_STEP "\n[step]\ndistribution=exponential"

/* Rounds: N where a whole one fits twice; fewer for random steps where a loader with full hands idles beside work. */
static void test_round(void)
{
    static const struct {
        const char *pipeline;
        long round;
    } rows[] = {
        {"loaders=7", 7},
        {"loaders=7\nprefetch=1", 0},
        {"loaders=7\nwindow=13", 0},
        {"loaders=7\nwindow=unbounded", 7},
        {"loader=keras\nloaders=5\nprefetch=8", 5},
        {"loader=keras\nloaders=5\nprefetch=7", 0},
        {"loader=keras\nloaders=1\nwindow=1", 1},
        {"loader=tfdata\nloaders=4", 0},
        {"loader=tfdata\nloaders=4\nprefetch=4", 4},
        {"loader=tfdata\nloaders=4\nwindow=3\nprefetch=9", 0},
        {"loader=dali\nloaders=4\nprefetch=2", 1},
        {"loader=dali\nloaders=4\nprefetch=1", 0},
        {"loader=pytorch-unordered\nloaders=8", 8},
        {"loader=pytorch-unordered\nloaders=8\nprefetch=1", 0},
        {"loader=pytorch-unordered\nloaders=8" RANDOM_STEP, 5},
        {"loader=pytorch-unordered\nloaders=1\nprefetch=1" RANDOM_STEP, 0},
        {"loader=pytorch-unordered\nloaders=2\nprefetch=1" RANDOM_STEP, 1},
        {"loader=pytorch-unordered\nloaders=8\nprefetch=3" RANDOM_STEP, 6},
        {"loader=pytorch-unordered\nloaders=8\nprefetch=7" RANDOM_STEP, 7},
        {"loader=pytorch-unordered\nloaders=8\nprefetch=9" RANDOM_STEP, 8},
        {"loader=pytorch-unordered\nloaders=8\nwindow=unbounded" RANDOM_STEP, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        long round =
            dlq_system_round(&good("[step]\nmean=1s\n[load]\nmean=1s\n[pipeline]\n", rows[i].pipeline)->system);
        CHECK(round == rows[i].round, "%s: round of %ld, expected %ld", rows[i].pipeline, round, rows[i].round);
    }
}

/* -- loads that end with a tick: the mean of the rounded distribution, and the bounds with it -- */

/* E[q ceil(S / q)], by hand: uniform 0..1 with q = 0.25 is 0.25, 0.5, 0.75, 1 with equal weights; exponential of mean
   1: q / (1 - exp(-q)). */
static const struct {
    const char *load;
    double q, mean;
} means[] = {
    {"mean = 750ms\n", 0.1, 0.8},
    {"mean = 700ms\n", 0.1, 0.7},
    {"mean = 0.35s\n", 0.1, 0.4},
    {"distribution = uniform\nmin = 0\nmax = 1s\n", 0.25, 0.625},
    {"distribution = exponential\nmean = 1s\n", 0.3, 1.1574887740530249},
    {"distribution = exponential\nmean = 1s\n", 2.385, 2.626909406711254},
    {"distribution = exponential\nmean = 1s\n", 1e-6, 1.0000005},
    /* q sum_k P(S > k q) = 4 q + xm^1.5 q^-0.5 zeta(1.5, 4), xm = 1/3 s. */
    {"distribution = pareto\nmean = 1s\nalpha = 1.5\n", 0.1, 1.048973252212203},
    /* Farther out than ticks are summed one by one: 16667 q + xm^1.5 q^-0.5 zeta(1.5, 16667). */
    {"distribution = pareto\nmean = 1s\nalpha = 1.5\n", 2e-5, 1.0000099999499983},
    /* A share of 1.3 % of the mean lies beyond ten million ticks. */
    {"distribution = lognormal\nmean = 700ms\ncv = 100\n", 6e-3, 0.7037923334230495},
};

/* Before and after rounding. */
static void round_load(const char *load, double q, double *mean, double *rounded_mean)
{
    char text[256];
    OWN(dlq_bounds_context) context = {0};
    struct dlq_system rounded;
    struct dlq_error error = {0};
    snprintf(text, sizeof text, "[pipeline]\nloaders = 2\n[load]\n%s[step]\nmean = 100ms\n", load);
    const struct dlq_system *system = &good(text, "")->system;
    CHECK(dlq_system_rounded(system, q, &context, &rounded, &error) == DLQ_OK, "%s", error.text);
    *mean = dlq_system_load_mean(system);
    *rounded_mean = dlq_system_load_mean(&rounded);
}

static void rounded_means(void)
{
    double mean, rounded;
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        round_load(means[i].load, means[i].q, &mean, &rounded);
        CHECK_REL(rounded, means[i].mean, 1e-8);
    }
}

/* 2 s in one of a hundred batches, over a hundred thousand ticks: 0.01 q ceil(2 / q) at most, the mean at least. */
static void steps_far_out(void)
{
    double mean, rounded;
    for (int i = 0; i < 34; i++) {
        double q = 1e-5 + 3e-7 * i;
        round_load("probability = 1%\nmean = 2s\n", q, &mean, &rounded);
        CHECK(rounded >= mean && rounded <= 0.01 * q * ceil(2 / q), "q = %g: %.12g, mean %.12g", q, rounded, mean);
    }
}

/* The blog's clock: 7 loaders of 700 ms with ticks of 100 ms are exact as they stand; of 710 ms they take 800. */
static void bounds_of_ticks(void)
{
    static const struct {
        const char *load;
        double bound;
    } rows[] = {{"mean = 700ms\n", 10}, {"mean = 710ms\n", 8.75}, {"mean = 2s\n", 3.5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        OWN(dlq_bounds_context) context = {0};
        struct dlq_bounds bounds;
        struct dlq_error error = {0};
        snprintf(text, sizeof text, "[pipeline]\nloaders = 7\n[load]\n%s[step]\nmean = 50ms\n", rows[i].load);
        CHECK(dlq_system_bounds(&good(text, "")->system, 0.1, &context, &bounds, &error) == DLQ_OK, "%s", error.text);
        CHECK_REL(bounds.load, rows[i].bound, 1e-9);
        CHECK(bounds.exact && bounds.lower <= bounds.upper, "constant loads: lower %g, upper %g", bounds.lower,
              bounds.upper);
    }
}

TEST_SUITE(bounds, CASE(test_upper), CASE(test_bottleneck), CASE(test_lower), CASE(test_context), CASE(test_heavy),
           CASE(test_extended), CASE(test_exact), CASE(test_round), CASE(test_failures), CASE(rounded_means),
           CASE(steps_far_out), CASE(bounds_of_ticks));
