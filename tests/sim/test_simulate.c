/* Simulation as a whole: closed results, waves, warnings, interruption, refusals. */
#include "systems.h"

#include "sim/kernel.h"

#include <gsl/gsl_randist.h>

/* Deterministic, order index, start together: X = min(N/s, K/(a + s + e + c), 1/(t + c)) exactly. The barrier and
   receiving come on top of each step. */
static void deterministic(void)
{
    static const struct {
        const char *text;
        double throughput, wait, stalled, first; /* NAN: not looked at */
    } rows[] = {
        {"loaders = 7\n[load]\nmean = 700ms\n", 10, 0, 0, 0.7},
        {"loaders = 6\n[load]\nmean = 700ms\n", 6 / 0.7, 0.1 / 6, 1.0 / 6, 0.7},
        {"loaders = 0\n[load]\nmean = 700ms\n", 1 / 0.8, 0.7, 1, 0.7},
        {"loaders = 0\n[load]\nmean = 100ms\n[overheads]\nreceive = 50ms\n", 5, 0.1, 1, 0.1},
        {"loaders = 6\n[load]\nmean = 200ms\n[overheads]\nreceive = 25ms\n", 1 / 0.125, 0.025, 0, 0.225},
        {"loaders = 6\nwindow = 3\n[load]\nmean = 700ms\n[overheads]\ndispatch = 20ms\ndeliver = 30ms\nreceive = 9ms\n",
         3 / 0.759, 0.153, NAN, 0.759},
        {"loader = pool-ordered\nloaders = 6\n[load]\nmean = 700ms\n", 6 / 0.7, 0.1 / 6, 1.0 / 6, 0.7},
        {"loader = dali\nloaders = 5\n[load]\nmean = 700ms\n", 5 / 0.7, 0.04, 1, 0.14},
        {"loader = ffcv\nloaders = 5\n[load]\nmean = 300ms\n", 10, 0, 0, 0.06},
        {"loader = grain\nloaders = 5\n[load]\nmean = 700ms\n", 5 / 0.7, 0.04, 0.2, 0.7},
        {"loader = tfdata\nloaders = 5\n[load]\nmean = 700ms\n", 5 / 0.7, 0.04, 0.2, 0.7},
        {"loader = mxnet\nloaders = 5\n[load]\nmean = 700ms\n", 5 / 0.7, 0.04, 0.2, 0.7},
        /* one slow loader holds all of them, in order; by completion it is only a slow loader */
        {"loaders = 4\nslow_loaders = 1\nslow_factor = 3\nprefetch = 5\n[load]\nmean = 700ms\n", 4 / 2.1, 0.425, NAN,
         2.1},
        {"loader = pytorch-unordered\nloaders = 4\nslow_loaders = 1\nslow_factor = 3\n[load]\nmean = 700ms\n",
         3 / 0.7 + 1 / 2.1, NAN, NAN, 0.7},
        {"loader = pool\nloaders = 4\nslow_loaders = 1\nslow_factor = 3\n[load]\nmean = 700ms\n", 3 / 0.7 + 1 / 2.1,
         NAN, NAN, 0.7},
        {"loaders = 4\nslow_ranks = 1\nslow_factor = 3\n[load]\nmean = 700ms\n", 4 / 2.1, 0.425, 0.25, 2.1},
        /* 10 batches an epoch: 0.3 s, the first load, 5 rounds of two 0.55 s apart, the last two steps */
        {"loaders = 2\nepoch_batches = 10\n[overheads]\nstartup = 300ms\n[load]\nmean = 550ms\n",
         10 / (0.3 + 5 * 0.55 + 0.2), NAN, 0.5, 0.85},
        {"loaders = 2\n[load]\nmean = 510ms\n[simulate]\nresolution = 100ms\n", 2 / 0.6, 0.2, 0.5, 0.6},
        {"loaders = 7\nranks = 3\n[overheads]\nbarrier = 15ms\nreceive = 5ms\n[load]\nmean = 300ms\n", 1 / 0.12, 0.02,
         0, 0.32},
        {"loaders = 7\nranks = 1\n[overheads]\nbarrier = 15ms\nreceive = 5ms\n[load]\nmean = 300ms\n", 1 / 0.105, 0.005,
         0, 0.305},
        {"loaders = 0\nranks = 3\n[overheads]\nbarrier = 15ms\n[load]\nmean = 300ms\n", 1 / 0.415, 0.315, 1, 0.315},
        {"loaders = 4\nranks = 3\nslow_ranks = 1\nslow_factor = 3\n[load]\nmean = 400ms\n", 1 / 0.3, 0.2, 0.25, 1.2},
        {"loader = pool\nloaders = 4\nranks = 3\nslow_ranks = 3\nslow_factor = 3\n[load]\nmean = 400ms\n", 1 / 0.3, 0.2,
         0.25, 1.2},
        {"loaders = 5\nranks = 3\nslow_ranks = 1\nslow_factor = 2\n[load]\nmean = 250ms\n", 10, 0, 0, 0.5},
        {"loader = tfdata\nloaders = 4\nranks = 2\nslow_ranks = 1\nslow_factor = 3\n[load]\nmean = 400ms\n", 1 / 0.3,
         0.2, 0.25, 1.2},
        /* 4 ranks on 6 cores: 1.5 each, 3 loads on them take twice as long; pinned besides */
        {"loaders = 3\nranks = 4\n[host]\ncores = 6\n[load]\nmean = 600ms\nuses = cpu\n", 1 / 0.4, 0.3, 1.0 / 3, 1.2},
        {"loaders = 7\nranks = 4\n[overheads]\npin_time = 140ms\n[load]\nmean = 300ms\n", 1 / 0.14, 0.04, 1, 0.44},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "[step]\nmean = 100ms\n[simulate]\nbatches = 42000\n[pipeline]\nbatch_size = 32\n%s", rows[i].text);
        struct dlq_simulation result = simulate_text(text);
        const char *at = strstr(text, "\nranks = ");
        double ranks = at != NULL ? strtod(at + strlen("\nranks = "), NULL) : 1;
        CHECK(test_relative(result.throughput.value, rows[i].throughput, 1e-4), "%s: X = %.9g, expected %.9g",
              rows[i].text, result.throughput.value, rows[i].throughput);
        CHECK_REL(result.utilization.value, 0.1 * result.throughput.value, 1e-11);
        CHECK_REL(result.samples_per_second.value, 32 * ranks * result.throughput.value, 1e-12);
        CHECK(isnan(rows[i].wait) || fabs(result.wait_mean.value - rows[i].wait) <= 1e-4, "%s: wait %g", rows[i].text,
              result.wait_mean.value);
        CHECK(isnan(rows[i].stalled) || fabs(result.stalled_steps.value - rows[i].stalled) <= 1e-3, "%s: stalled %g",
              rows[i].text, result.stalled_steps.value);
        CHECK(test_relative(result.time_to_first_batch.value, rows[i].first, 1e-9), "%s: first %.12g", rows[i].text,
              result.time_to_first_batch.value);
        CHECK_INT(result.replications, 1);
    }
}

/* Nothing is prefetched over the end of an epoch; persistent workers start once. 5 batches, 2 loaders of 0.55 s, steps
   of 0.1 s: 0.55, 1.1 and 1.65 s, then the last step. 2 epochs of 4 steps: start-up 0.3 s each, slow loads, steps. */
static void epochs(void)
{
    static const struct {
        const char *persistent, *more;
        double seconds, first;
        long batches;
    } rows[] = {
        {"no", "loaders = 2\nepoch_batches = 5\n[load]\nmean = 550ms\n[simulate]\nbatches = 20\n", 2.05, 0.85, 20},
        {"yes", "loaders = 2\nepoch_batches = 5\n[load]\nmean = 550ms\n[simulate]\nbatches = 20\n", 1.75 + 0.3 / 4,
         0.85, 20},
        {"no",
         "loaders = 4\nranks = 3\nslow_ranks = 2\nslow_factor = 2\nepoch_batches = 4\n[overheads]\nbarrier = 20ms\n"
         "[load]\nmean = 400ms\n[simulate]\nbatches = 8\n",
         0.3 + 0.8 + 4 * 0.12, 1.12, 8},
        {"yes",
         "loaders = 4\nranks = 3\nslow_ranks = 2\nslow_factor = 2\nepoch_batches = 4\n[overheads]\nbarrier = 20ms\n"
         "[load]\nmean = 400ms\n[simulate]\nbatches = 8\n",
         0.15 + 0.8 + 4 * 0.12, 1.12, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "[overheads]\nstartup = 300ms\n[step]\nmean = 100ms\n[pipeline]\npersistent = %s\n%s",
                 rows[i].persistent, rows[i].more);
        struct dlq_simulation result = simulate_text(text);
        CHECK_REL(result.epoch_seconds.value, rows[i].seconds, 1e-12);
        CHECK_REL(result.time_to_first_batch.value, rows[i].first, 1e-12);
        CHECK_INT(result.batches_per_replication, rows[i].batches);
    }
}

#define VARYING "[pipeline]\nloaders = 4\n[load]\nmean = 400ms\ndistribution = exponential\n[step]\nmean = 100ms\n"

/* Loads that all take the same time make ranks alike; those that vary by one in 10,000, on the same steps, do not. */
static void alike_ranks(void)
{
    static const char *const rows[] = {
        "loaders = 2\nprefetch = 1\nranks = 4\n[load]\nmean = 600ms\n[overheads]\nbarrier = 100ms\n",
        "loader = pool\nloaders = 2\nprefetch = 1\nranks = 4\n[load]\nmean = 600ms\n[overheads]\nbarrier = 100ms\n",
        "loader = tfdata\nloaders = 3\nranks = 5\nslow_ranks = 2\nslow_factor = 2\n[load]\nmean = 300ms\n",
        "loaders = 6\nprefetch = 1\nranks = 3\n[load]\nmean = 590ms\n",
        "loaders = 4\nranks = 8\nslow_ranks = 2\nslow_factor = 3\n[host]\ncores = 24\n[load]\nuses = cpu\nmean = 1s\n",
        "loaders = 4\nranks = 6\n[host]\ncores = 18\n[load]\nmean = 400ms\nuses = cpu\n",
    };
    static const char *const loads[] = {"distribution = constant", "distribution = lognormal\ncv = 1e-4"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_simulation results[2];
        for (size_t k = 0; k < 2; k++) {
            char text[600];
            const char *load = strstr(rows[i], "[load]\n") + strlen("[load]\n");
            snprintf(
                text, sizeof text,
                "[step]\nmean = 100ms\ncv = 0.2\n[simulate]\nreplications = 4\nbatches = 600\n[pipeline]\n%.*s%s\n%s",
                (int)(load - rows[i]), rows[i], loads[k], load);
            results[k] = simulate_text(text);
        }
        CHECK_REL(results[0].throughput.value, results[1].throughput.value, 3e-3);
        CHECK_REL(results[0].utilization.value, results[1].utilization.value, 3e-3);
        CHECK(isnan(results[1].cpu_slowdown) || test_relative(results[0].cpu_slowdown, results[1].cpu_slowdown, 3e-3),
              "%s: slowdown %.9g, %.9g", rows[i], results[0].cpu_slowdown, results[1].cpu_slowdown);
    }
}

/* Waves of 16 until the half-width is small enough, or replications run out. */
static void waves(void)
{
    static const struct {
        const char *options;
        long replications; /* 0: a multiple of 16 */
        bool reached;
    } rows[] = {
        {"precision = 5%\n", 16, true},
        {"precision = 0.05%\nbatches = 1500\n", 0, true},
        {"precision = 0\nreplications = 40\n", 40, false},
        {"precision = 0.001%\nreplications = 20\n", 20, false},
        {"precision = 5%\nreplications = 5\n", 5, true},
        {"precision = 5%\nreplications = 1\n", 1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text, VARYING "[simulate]\n%s", rows[i].options);
        struct dlq_simulation result = simulate_text(text);
        CHECK(result.precision_reached == rows[i].reached, "%s: reached %d", rows[i].options, result.precision_reached);
        if (rows[i].replications > 0)
            CHECK_INT(result.replications, rows[i].replications);
        else
            CHECK(result.replications % 16 == 0 && result.replications > 16 && result.replications < 256,
                  "%ld replications", result.replications);
    }
}

/* An interval after the first wave that is as narrow as was asked for is looked at again, unless it is narrow by far.
 */
static void second_looks(void)
{
    static const struct {
        double asked; /* of the half-width after a wave */
        long replications;
    } rows[] = {{1.2, 32}, {2.5, 32}, {3.5, 16}};
    const struct dlq_simulation first = simulate_text(VARYING "[simulate]\nbatches = 200\nreplications = 16\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        double asked = rows[i].asked * dlq_estimate_half_width(&first.throughput) / first.throughput.value;
        snprintf(text, sizeof text, VARYING "[simulate]\nbatches = 200\nprecision = %.9g\n", asked);
        CHECK_INT(simulate_text(text).replications, rows[i].replications);
    }
}

/* Of two short runs that differ much the interval of the mean time reaches 0, and its inverse has no end there: the
   slope of 1/x tells how far up it is. What is bounded stays within its bounds. */
static void wide_intervals(void)
{
    struct dlq_simulation result = simulate_text(
        "[pipeline]\nloaders = 2\n[load]\nmean = 100ms\ndistribution = lognormal\ncv = 5\n[step]\nmean = 0\n"
        "[simulate]\nreplications = 2\nbatches = 10\nwarmup = 0\n");
    const struct dlq_estimate *x = &result.throughput;
    CHECK(x->low > 0 && x->low < x->value && x->high - x->value > x->value - x->low, "%g from %g to %g", x->value,
          x->low, x->high);
    CHECK(!result.precision_reached, "half of %g to %g", result.throughput.low, result.throughput.high);
}

/* At rho = 1 with low cv the queue fills for K^2 batches: without a warm-up the halves differ. Phases of 400 s outlast
   runs of 100 batches. */
static void warming_up(void)
{
    static const struct {
        const char *text;
        bool warming, heavy;
    } rows[] = {
        {"[pipeline]\nloaders = 4\nprefetch = 8\n[load]\nmean = 400ms\ncv = 0.3\n[simulate]\nwarmup = 0\nbatches = "
         "400\n",
         true, false},
        {"[slowdown]\ninterval = 400s\nduration = 400s\nspeed = 0.5\n[pipeline]\nloaders = 4\n[load]\nmean = "
         "400ms\ncv = 0.3\n[simulate]\nbatches = 100\n",
         true, false},
        {"[pipeline]\nloaders = 4\n[load]\nmean = 400ms\ndistribution = pareto\nalpha = 1.7\n[simulate]\n"
         "replications = 16\n",
         false, true}, /* no variance */
        {"[pipeline]\nloaders = 5\nwindow = unbounded\n[load]\nmean = 700ms\ncv = 1\n", true, false},
        {"[pipeline]\nloaders = 5\nprefetch = 1000\n[load]\nmean = 700ms\ncv = 1\n", true, false},
        {"[pipeline]\nloaders = 5\nprefetch = 8\n[load]\nmean = 700ms\ncv = 1\n", false, false},
        {"[pipeline]\nloaders = 9\nprefetch = 1000\n[load]\nmean = 700ms\ncv = 1\n", false, false},
        {"[pipeline]\nloaders = 4\n[load]\nmean = 400ms\ncv = 0.3\n", false, false},
        {"[slowdown]\ninterval = 4s\nduration = 4s\nspeed = 0.5\n[pipeline]\nloaders = 4\n[load]\nmean = 400ms\ncv "
         "= 0.3\n[simulate]\nbatches = 20000\n",
         false, false},
        {"[pipeline]\nloaders = 4\n[load]\nmean = 400ms\ncv = 0.3\n[simulate]\nhorizon = 30s\n", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s[step]\nmean = 100ms\n", rows[i].text);
        struct dlq_simulation result = simulate_text(text);
        CHECK(result.still_warming_up == rows[i].warming || rows[i].heavy, "%s: %d", rows[i].text,
              result.still_warming_up);
        CHECK(result.heavy_tail == rows[i].heavy, "%s: heavy tail %d", rows[i].text, result.heavy_tail);
    }
}

/* MLPerf's AU leaves the first step out and is higher than U then; figures that have no meaning are NAN. */
static void figures(void)
{
    struct dlq_simulation result =
        simulate_text("[pipeline]\nloaders = 2\nepoch_batches = 20\nbatch_size = 32\n[load]\n"
                      "mean = 190ms\n[step]\nmean = 100ms\n");
    /* the first step of an epoch takes 0.29 s, all others 0.1 s */
    CHECK_REL(result.au.value, 1.0, 1e-9);
    CHECK_REL(result.utilization.value, 2 / 2.19, 1e-9);
    CHECK_REL(result.samples_per_second.value, 32 * 20 / 2.19, 1e-9);
    CHECK(isnan(result.batches.value) && isnan(result.cpu_slowdown) && isnan(result.variance_reduction), "not NAN");
    result = simulate_text("[pipeline]\nloaders = 2\n[load]\nmean = 190ms\n[step]\nmean = 0\n");
    CHECK(isnan(result.utilization.value) && isnan(result.au.value) && isnan(result.epoch_seconds.value), "not NAN");
    CHECK_REL(result.stalled_steps.value, 0.5, 1e-9);
}

static enum dlq_status attempt(const char *text, const volatile sig_atomic_t *interrupted,
                               struct dlq_progress *progress, struct dlq_simulation *result, struct dlq_error *error)
{
    enum dlq_status status = DLQ_FAILURE;
    const struct dlq_simulate_request request = {.histogram_bits = 4};
    const struct dlq_run run = {
        .threads = 2, .has_seed = true, .seed = 7, .interrupted = interrupted, .progress = progress};
    OWN(built) built;
    if (build(&built, text)) {
        const struct dlq_system *system = &built.system;
        status = dlq_simulate_systems(&system, 1, &built.options, &request, &run, result, error);
    }
    return status;
}

/* Ends where it is told to, refuses what it can't do, and leaves the results alone then. */
static void failures(void)
{
    const volatile sig_atomic_t raised = 1;
    struct dlq_simulation result = {.replications = -5};
    struct dlq_error error = {0};
    CHECK_INT(attempt(VARYING, &raised, NULL, &result, &error), DLQ_INTERRUPTED);
    CHECK_TEXT(error.text, "interrupted");
    CHECK_INT(result.replications, -5);
    struct dlq_error refused = {0};
    CHECK_INT(attempt(VARYING "[pipeline]\nranks = 3\nwindow = 1e6\n", NULL, NULL, &result, &refused), DLQ_INVALID);
    CHECK(strstr(refused.text, "[pipeline] ranks = 3, each with 1000000 ") == refused.text, "%s", refused.text);
    CHECK_INT(attempt(VARYING "[pipeline]\nwindow = 2000000\n", NULL, NULL, &result, NULL), DLQ_INVALID);
    CHECK_INT(result.replications, -5);
}

/* The seed of the run outweighs that of the options; progress is counted for the first wave. */
static void control(void)
{
    const volatile sig_atomic_t quiet = 0;
    struct dlq_progress progress = {0};
    struct dlq_simulation seventh = {0};
    CHECK_INT(attempt(VARYING, &quiet, &progress, &seventh, NULL), DLQ_OK);
    CHECK_INT(atomic_load(&progress.done), 16 * DLQ_PROGRESS_UNIT);
    CHECK_INT(atomic_load(&progress.part), atomic_load(&progress.parts)); /* of the last waves */
    CHECK(atomic_load(&progress.batches) > 0 && atomic_load(&progress.horizon) == 0, "nothing is announced");
    struct dlq_simulation written = simulate_text(VARYING "[simulate]\nseed = 7\n");
    struct dlq_simulation first = simulate_text(VARYING);
    CHECK_REL(seventh.throughput.value, written.throughput.value, 0);
    CHECK(first.throughput.value != written.throughput.value, "the seed does not count");
}

/* Phases of the first epoch: loader w begins w s/N later, or at U(0, s). */
static void starts(void)
{
    static const char *const text = "[pipeline]\nloaders = 4\n[load]\nmean = 400ms\n[step]\nmean = 1ms\n"
                                    "[simulate]\nbatches = 400\nwarmup = 0\nstart = %s\n";
    static const struct {
        const char *start;
        double mean; /* of all waits but the first: 400 batches in 40 s */
        long replications;
    } rows[] = {{"together", 0.4, 1}, {"staggered", 0.4, 1}, {"random", 0.6, 16}};
    for (size_t i = 0; i < 3; i++) {
        char filled[300];
        snprintf(filled, sizeof filled, text, rows[i].start);
        struct dlq_simulation result = simulate_text(filled);
        double error = standard_error(&result.time_to_first_batch, result.replications);
        CHECK_INT(result.replications, rows[i].replications);
        CHECK_ABS(result.time_to_first_batch.value, rows[i].mean, 4 * error + 1e-12);
        CHECK(i < 2 || error > 0.01, "phases do not vary");
    }
}

/* The second epoch begins together: its 4 loads are all done after 0.4 s, and then there are 4 steps. In the first the
   last load is done after 0.7 s, and then there is one. */
static void phases_once(void)
{
    struct dlq_simulation result =
        simulate_text("[pipeline]\nloaders = 4\nepoch_batches = 4\n[load]\nmean = 400ms\n[step]\nmean = 1ms\n"
                      "[simulate]\nbatches = 8\nstart = staggered\n");
    CHECK_REL(result.epoch_seconds.value, (0.701 + 0.404) / 2, 1e-12);
}

/* A rank of one that is slow, or ranks that all are, are ranks of longer loads. */
static void all_slow(void)
{
    static const char *const loaders[] = {"pytorch", "pytorch-unordered", "pool", "pool-ordered", "tfdata", "dali"};
    static const char *const laws[] = {"constant", "exponential"};
    for (size_t i = 0; i < 4 * sizeof loaders / sizeof *loaders; i++) {
        struct dlq_simulation results[2];
        for (int slow = 0; slow < 2; slow++) {
            char text[500];
            long ranks = i % 4 < 2 ? 1 : 3;
            snprintf(text, sizeof text,
                     "[pipeline]\nloader = %s\nloaders = 4\nranks = %ld\nslow_ranks = %ld\nslow_factor = 8\n[load]\n"
                     "mean = %s\ndistribution = %s\n[step]\nmean = 100ms\n[simulate]\nbatches = 500\n"
                     "replications = 16\nprecision = 0\n",
                     loaders[i / 4], ranks, slow * ranks, slow ? "100ms" : "800ms", laws[i % 2]);
            results[slow] = simulate_text(text);
        }
        CHECK(same_simulation(&results[0], &results[1]), "%s, %zu: X = %.17g, as longer loads %.17g", loaders[i / 4],
              i % 4, results[1].throughput.value, results[0].throughput.value);
    }
}

/* What can't be kept in memory is refused, with what to change; just below it runs. */
static void refusals(void)
{
    static const struct {
        const char *text, *why; /* null: accepted */
    } rows[] = {
        {"loaders = 16\nranks = 65535\n", NULL},
        {"loaders = 17\nranks = 65535\n", "ranks = 65535, each with 34 batches in flight or loaders, are more than is "
                                          "simulated: at most 2097152 of them "
                                          "in all; lower ranks, prefetch, window or loaders"},
        {"loaders = 16\nprefetch = 3\nranks = 65535\n", "ranks = 65535, each with 48 "},
        {"loaders = 33\nwindow = 20\nranks = 65535\n", "ranks = 65535, each with 33 "},
        {"loaders = 32\nwindow = unbounded\nranks = 65535\n", NULL},
        {"loaders = 32\nwindow = unbounded\nranks = 200\n[overheads]\npin_time = 1ms\n",
         "ranks = 200, each with 16384 "},
        {"loaders = 4\nwindow = 1048576\nranks = 2\n", NULL},
        {"loaders = 4\nwindow = 1048576\nranks = 3\n", "ranks = 3, each with 1048576 "},
        {"loaders = 4\nwindow = 1048577\nranks = 3\n", "a window of 1048577 batches is more than is simulated"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        char why[256] = "";
        OWN(built) built;
        snprintf(text, sizeof text, "[load]\nmean = 1s\n[step]\nmean = 1s\n[pipeline]\n%s", rows[i].text);
        if (build(&built, text)) {
            bool accepted = dlq_simulate_accepts(&built.system, why, sizeof why);
            const char *wanted = rows[i].why != NULL ? rows[i].why : "";
            CHECK(accepted == (rows[i].why == NULL), "%s: accepted %d, %s", rows[i].text, accepted, why);
            CHECK(strncmp(why, wanted, strlen(wanted)) == 0, "%s: '%s'", rows[i].text, why);
        }
    }
}

/* As many ranks as there can be, in little memory: of constant loads all are alike. */
static void very_many(void)
{
    struct dlq_simulation result =
        simulate_text("[pipeline]\nloaders = 2\nranks = 65535\n[load]\nmean = 300ms\n[step]\nmean = 100ms\n"
                      "[simulate]\nbatches = 64\nwarmup = 8\n");
    CHECK_REL(result.throughput.value, 2 / 0.3, 1e-9);
}

/* Runs that take long are shortened, not below a few windows; others keep their length. */
static void first_looks(void)
{
    static const struct {
        long window;
        double effort;               /* of a batch of all ranks */
        long usual, batches, warmup; /* warmup -1: the run keeps its length */
    } rows[] = {
        {16, 1, 20000, 20000, -1},         {16, 8 * 25, 20000, 20000, -1},  {16, 256 * 1, 20000, 20000, -1},
        {16, 16 * 25, 20000, 2500, 512},   {16, 256 * 25, 20000, 160, 512}, {2, 256 * 25, 20000, 160, 40},
        {190, 256 * 25, 20000, 380, 1000}, {190, 4096 * 25, 100, 100, -1},  {16, 256 * 25, 700, 700, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_system system = {.pipeline = {.loaders = 1, .ranks = 1, .window = rows[i].window},
                                    .load.variance = 1};
        system.pipeline.loader = dlq_loader_index(dlq_loader_find("pytorch"));
        CHECK_INT(dlq_kernel_keeps(&system), rows[i].window);
        struct dlq_simulate_options options = {.batches = rows[i].usual, .warmup = -1};
        CHECK_INT(dlq_simulate_shorten(&system, rows[i].effort, &options), rows[i].warmup >= 0);
        CHECK_INT(options.batches, rows[i].batches);
        CHECK_INT(options.warmup, rows[i].warmup);
        CHECK(options.under_way == (rows[i].warmup >= 0), "row %zu: under way %d", i, options.under_way);
        /* Constant loads all begin at the start, and warm up for longer. */
        struct dlq_simulate_options together = {.batches = rows[i].usual, .warmup = -1};
        system.load.variance = 0;
        if (dlq_simulate_shorten(&system, rows[i].effort, &together))
            CHECK_INT(together.warmup, 2 * rows[i].warmup);
        CHECK(!together.under_way, "row %zu: constant loads under way", i);
    }
    /* Ranks that share nothing settle within fewer batches than the square of the window. */
    const struct dlq_system apart = {
        .pipeline = {.loader = dlq_loader_index(dlq_loader_find("pytorch")), .loaders = 1, .ranks = 4096, .window = 16},
        .load.variance = 1};
    struct dlq_simulate_options options = {.batches = 20000, .warmup = -1};
    CHECK(dlq_simulate_shorten(&apart, 4096, &options), "4096 ranks");
    CHECK_INT(options.batches, 244);
    CHECK_INT(options.warmup, 320);
    CHECK(!options.under_way, "loads of 4096 ranks under way");
}

#define UNDER_WAY                                                                                                      \
    "[step]\nmean = 100ms\n[simulate]\nbatches = 2000\nprecision = 0\nreplications = 16\n[pipeline]\nranks = 3\n"      \
    "loaders = 4\n"

/* Whether loads are under way when a run begins does not matter in the long run, but at once; and a system beside it
   that begins otherwise, or has other loaders, finds its own draws. */
static void loads_under_way(void)
{
    static const char *const rows[] = {
        UNDER_WAY "[load]\nmean = 400ms\ncv = 0.5\nuses = cpu\n[host]\ncores = 10\n",
        UNDER_WAY "[load.read]\nmean = 100ms\nuses = storage\nbytes = 10MB\n[load.decode]\nmean = 300ms\ncv = 0.5\n"
                  "uses = cpu\n[host]\ncores = 10\nbandwidth = 1GB/s\n",
        UNDER_WAY "loader = pytorch-unordered\n[load]\nmean = 400ms\ncv = 0.5\n",
        UNDER_WAY "[load]\nmean = 400ms\ncv = 0.5\n[overheads]\npin_time = 80ms\n",
        UNDER_WAY
        "batch_size = 4\nthreads = 2\n[load]\nper = sample\nmean = 100ms\ncv = 0.5\nuses = cpu\n[host]\ncores = 10\n",
    };
    const struct dlq_simulate_request request = {.histogram_bits = 2};
    const struct dlq_run run = {.threads = 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(built) built;
        if (build(&built, rows[i])) {
            struct dlq_system more = built.system;
            const struct dlq_system *systems[] = {&more, &built.system};
            struct dlq_simulation beside[2], together = simulate_built(&built, 1), spread;
            more.pipeline.loaders += 2;
            built.options.under_way = true;
            spread = simulate_built(&built, 1);
            CHECK(fabs(spread.throughput.value - together.throughput.value) <=
                      2 * (dlq_estimate_half_width(&spread.throughput) + dlq_estimate_half_width(&together.throughput)),
                  "%s: %g, together %g", rows[i], spread.throughput.value, together.throughput.value);
            CHECK(spread.time_to_first_batch.value < 0.9 * together.time_to_first_batch.value, "%s: first after %g, %g",
                  rows[i], spread.time_to_first_batch.value, together.time_to_first_batch.value);
            CHECK(dlq_simulate_systems(systems, 2, &built.options, &request, &run, beside, NULL) == DLQ_OK, "refused");
            CHECK_REL(beside[1].throughput.value, spread.throughput.value, 0);
            CHECK_REL(beside[1].time_to_first_batch.value, spread.time_to_first_batch.value, 0);
        }
    }
}

/* Of a throughput at its target, to either side of which it is equally likely to fall, all checks together put few on
   one side, whatever it varies by; and a throughput that is clearly beyond is decided at once. */
static void decisions_err_seldom(void)
{
    enum { RUNS = 4000, MOST = 32 };
    const double target = 23.85, spreads[] = {0.002, 0.3};
    OWN_RNG *random = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t k = 0; k < sizeof spreads / sizeof *spreads; k++) {
        int above = 0, below = 0, beyond = 0;
        for (int run = 0; run < RUNS; run++) {
            double values[MOST];
            bool decided = false;
            for (size_t i = 0; i < MOST; i++)
                values[i] = target * (1 + gsl_ran_gaussian(random, spreads[k]));
            for (size_t n = DLQ_DECIDING; n <= MOST && !decided; n += DLQ_DECIDING) {
                const struct dlq_estimate mean = dlq_estimate_of(values, n);
                decided = dlq_is_decided(mean, target, (long)n);
                above += decided && mean.value > target;
                below += decided && mean.value < target;
                beyond += n == DLQ_DECIDING && dlq_is_decided(mean, target * (1 - 8 * spreads[k]), (long)n);
            }
        }
        const double most = 0.025 * RUNS + 3 * sqrt(0.025 * RUNS);
        CHECK(above > 0 && above <= most && below > 0 && below <= most, "spread %g: %d above, %d below, of %d",
              spreads[k], above, below, RUNS);
        CHECK(beyond > RUNS * 0.9, "spread %g: %d of %d", spreads[k], beyond, RUNS);
    }
    CHECK(!dlq_is_decided((struct dlq_estimate){2, 2, 2}, NAN, 8) &&
              !dlq_is_decided((struct dlq_estimate){2, 2, 2}, 1, DLQ_DECIDING - 1),
          "nothing to decide");
}

TEST_SUITE(simulate, CASE(first_looks), CASE(loads_under_way), CASE(alike_ranks), CASE(deterministic), CASE(epochs),
           CASE(waves), CASE(second_looks), CASE(wide_intervals), CASE(warming_up), CASE(figures), CASE(failures),
           CASE(control), CASE(starts), CASE(phases_once), CASE(all_slow), CASE(refusals), CASE(very_many),
           CASE(decisions_err_seldom));
