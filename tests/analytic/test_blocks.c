/* The lower bound by blocks: values that are known, and a plain simulation of the delayed system itself. */
#include "systems.h"

#include <gsl/gsl_randist.h>
#include <math.h>

static double blocks_of(const char *text)
{
    const struct dlq_system *system = &good(text, "")->system;
    struct dlq_error error = {0};
    OWN(dlq_bounds_context) context = {0};
    double lower = NAN, rate = NAN;
    CHECK(dlq_system_lower(system, &context, &lower, &error) == DLQ_OK, "%s: %s", text, error.text);
    CHECK(dlq_blocks_rate(system, &context, &rate, &error) == DLQ_OK, "%s: %s", text, error.text);
    return rate;
}

#define TAIL "[load.usual]\nmean=0.5s\n[load.slow]\nmean=4.5s\nprobability=2%\n[step]\nmean=0.1s\n"
#define EXPONENTIAL "[load]\nmean=0.8s\ndistribution=exponential\n[step]\nmean=0.1s\n"
#define LATENCIES "[overheads]\ndispatch=1ms\ndeliver=2ms\nreceive=3ms\n"

/* By a coarser grid, which rounds all values up: never above ours, at most 0.5 % below. Four ranks: 8.092 +- 0.010. */
static void known_values(void)
{
    static const struct {
        const char *text;
        double least;
    } rows[] = {
        {"[pipeline]\nloaders=8\nprefetch=4\n" TAIL, 6.217},
        {"[pipeline]\nloaders=8\nprefetch=8\n" TAIL, 7.1312},
        {"[pipeline]\nloaders=8\nprefetch=12\n" TAIL, 7.8987},
        {"[pipeline]\nloaders=8\nprefetch=16\n" TAIL, 8.5081},
        {"[pipeline]\nloaders=8\nprefetch=4\n" EXPONENTIAL, 5.048},
        {"[pipeline]\nloaders=8\nprefetch=8\n" EXPONENTIAL, 6.077},
        {"[pipeline]\nloaders=8\nprefetch=16\n" EXPONENTIAL, 6.9773},
        {"[pipeline]\nloaders=6\nprefetch=5\nranks=4\n[load]\nmean=0.3s\ndistribution=exponential\n[step]\nmean=0."
         "1s\n" LATENCIES,
         8.08},
        {"[pipeline]\nloaders=4\nprefetch=3\nranks=4\n[load]\nmean=0.4s\ndistribution=gamma\ncv=0.3\n[step]\n"
         "mean=0.1s\ndistribution=gamma\ncv=0.3\n" LATENCIES,
         7.0681},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double rate = blocks_of(rows[i].text);
        CHECK(rate >= rows[i].least && rate <= 1.005 * rows[i].least, "%s: %.5g, expected %.5g", rows[i].text, rate,
              rows[i].least);
    }
}

struct delayed {
    long loaders, prefetch, slow;
    double factor, load, step, dispatch, deliver, receive;
    bool random_step;
};

/* n over the mean length of a block of n batches, drawn. */
static double drawn_rate(const struct delayed *system, long n, gsl_rng *rng)
{
    enum { BLOCKS = 10000, MOST = 64 };
    long window = system->loaders * system->prefetch, free = window - n < n ? window - n : n;
    double sum = 0, stepped[MOST + 1] = {0};
    for (int k = 0; k < BLOCKS; k++) {
        for (long q = 0; q < n; q++)
            stepped[q + 1] = stepped[q] + system->receive +
                             (system->random_step ? gsl_ran_exponential(rng, system->step) : system->step);
        double longest = stepped[n];
        for (long w = 0; w < system->loaders; w++) {
            double end = 0;
            for (long q = w; q < n; q += system->loaders) {
                double load = gsl_ran_exponential(rng, system->load) * (w < system->slow ? system->factor : 1);
                double there = q < free ? 0 : stepped[q - free] + system->receive;
                end = fmax(end, there + system->dispatch) + load;
            }
            longest = fmax(longest, end + system->deliver);
        }
        sum += longest;
    }
    return (double)n * BLOCKS / sum;
}

/* The best of all n is at least the bound, and not far above it: steps and loads are taken as independent. */
static void drawn_blocks(void)
{
    static const struct delayed systems[] = {
        {4, 3, 0, 1, 0.4, 0.1, 0, 0, 0, false},           {3, 5, 0, 1, 0.3, 0.1, 0.01, 0.02, 0.005, false},
        {4, 3, 1, 2, 0.3, 0.1, 0, 0, 0, false},           {1, 6, 0, 1, 0.08, 0.1, 0.005, 0, 0, false},
        {4, 3, 0, 1, 0.3, 0.1, 0, 0.01, 0.01, true},      {5, 1, 0, 1, 0.4, 0.1, 0, 0, 0.01, true},
        {2, 12, 2, 1.5, 0.12, 0.1, 0.01, 0.01, 0, false},
    };
    OWN_RNG *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i += test_every(1)) {
        const struct delayed *system = &systems[i];
        char text[600];
        double best = 0;
        snprintf(text, sizeof text,
                 "[pipeline]\nloaders=%ld\nprefetch=%ld\nslow_loaders=%ld\nslow_factor=%g\n[load]\nmean=%gs\n"
                 "distribution=exponential\n[step]\nmean=%gs\ndistribution=%s\n[overheads]\ndispatch=%gs\ndeliver=%gs\n"
                 "receive=%gs\n",
                 system->loaders, system->prefetch, system->slow, system->factor, system->load, system->step,
                 system->random_step ? "exponential" : "constant", system->dispatch, system->deliver, system->receive);
        for (long n = system->loaders; n <= system->loaders * system->prefetch; n += system->loaders)
            best = fmax(best, drawn_rate(system, n, rng));
        double rate = blocks_of(text);
        CHECK(rate <= 1.01 * best && rate >= 0.93 * best, "%s: bound %.4g, drawn %.4g", text, rate, best);
    }
}

static void none(void)
{
    CHECK(blocks_of("[pipeline]\nloader=pytorch-unordered\nloaders=4\nprefetch=8\n" EXPONENTIAL) == 0, "order");
    CHECK(blocks_of("[pipeline]\nloader=serial\nloaders=0\n" EXPONENTIAL) == 0, "serial");
    CHECK(blocks_of("[pipeline]\nloader=pool-ordered\nloaders=4\n" EXPONENTIAL) == 0, "pool");
    CHECK(blocks_of("[pipeline]\nloaders=4\nwindow=3\n" EXPONENTIAL) == 0, "a window that is less than a round");
}

/* Pauses of .5 s every second step, and all of it slowed to half of the time: (1/2)/(.1 + .25). */
static void pauses_are_slowed(void)
{
    static const char text[] = "[pipeline]\nloaders=1\n[load]\nmean=0.1s\n[step.a]\nmean=0.1s\n[step.b]\nmean=0.5s\n"
                               "every=2\n[slowdown]\ninterval=1s\nduration=1s\n";
    OWN(dlq_bounds_context) context = {.blocks = true};
    struct dlq_error error = {0};
    double lower = NAN;
    CHECK(dlq_system_lower(&good(text, "")->system, &context, &lower, &error) == DLQ_OK, "%s", error.text);
    CHECK_REL(lower, 0.5 / 0.35, 1e-3);
}

TEST_SUITE(blocks, CASE(known_values), CASE(drawn_blocks), CASE(none), CASE(pauses_are_slowed));
