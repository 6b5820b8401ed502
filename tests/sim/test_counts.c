/* Counts within a horizon, the sleep benchmark, and the rhythm of waits: what others measured or derived. */
#include "systems.h"

#define THIRTY "[pipeline]\nloaders = 7\n[step]\nmean = 100ms\n[simulate]\nhorizon = 30s\n"

/* 98: the first load ends at 2 s, and 7 batches come every 2 s until 28 s. 293: 7 every 0.7 s, the last step ends at
   exactly 30 s and counts. 296: the step rules after 0.35 s. */
static void constant_loads(void)
{
    static const struct {
        const char *load;
        double count;
    } rows[] = {{"2s", 98}, {"700ms", 293}, {"350ms", 296}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text, THIRTY "[load]\nmean = %s\n", rows[i].load);
        struct dlq_simulation result = simulate_text(text);
        CHECK_ABS(result.batches.value, rows[i].count, 0);
        CHECK_ABS(result.batches.high - result.batches.low, 0, 0);
        CHECK_ABS(result.throughput.value, rows[i].count / 30, 1e-12);
        CHECK_INT(result.batches_per_replication, (long)rows[i].count);
        CHECK_INT(result.replications, 1);
        CHECK(result.precision_reached && !result.still_warming_up, "a constant needs one run");
    }
}

/* Mean and standard deviation of one run's count. */
static void check_spread(const char *text, double mean, double mean_within, double sd, double sd_within)
{
    struct dlq_simulation result = simulate_text(text);
    double error = standard_error(&result.batches, result.replications);
    CHECK(result.replications >= 256, "%ld replications", result.replications);
    CHECK(fabs(result.batches.value - mean) <= 4 * error + mean_within, "%s: %.3f +- %.3f, expected %.3f", text,
          result.batches.value, error, mean);
    CHECK_ABS(error * sqrt((double)result.replications), sd, sd_within * sd);
}

/* Gamma, cv 0.2: 95.1 +- 3.5, 277.35 +- 4.9, 295.9 +- 0.7, given with as many digits. */
static void gamma_loads(void)
{
    static const struct {
        const char *load;
        double mean, sd, digit;
    } rows[] = {{"2s", 95.1, 3.5, 0.05}, {"700ms", 277.35, 4.9, 0.005}, {"350ms", 295.9, 0.7, 0.05}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 THIRTY "replications = 1024\nprecision = 0\n[load]\nmean = %s\ndistribution = gamma\ncv = 0.2\n",
                 rows[i].load);
        check_spread(text, rows[i].mean, rows[i].digit, rows[i].sd, 0.15);
    }
}

/* A blog post that counts in ticks of 100 ms: normal loads of cv 5 %, rounded up, a pool that never waits for the
   trainer. In 29.9 s, as its trainer looks before the loaders move, one count less each, or two. */
static void blog_ticks(void)
{
    static const struct {
        const char *load, *horizon;
        double mean, sd;
    } rows[] = {{"2s", "30s", 98.2, 0.4},   {"700ms", "30s", 275.2, 1.2},   {"350ms", "30s", 296.0, 0.1},
                {"2s", "29.9s", 98.1, NAN}, {"700ms", "29.9s", 274.3, NAN}, {"350ms", "29.9s", 295.0, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "[pipeline]\nloader = pool\nloaders = 7\nwindow = unbounded\n[load]\ndistribution = normal\n"
                 "mean = %s\ncv = 0.05\n[step]\nmean = 100ms\n"
                 "[simulate]\nhorizon = %s\nresolution = 100ms\nprecision = 0\nreplications = 1024\n",
                 rows[i].load, rows[i].horizon);
        struct dlq_simulation result = simulate_text(text);
        double error = standard_error(&result.batches, result.replications);
        CHECK(fabs(result.batches.value - rows[i].mean) <= 0.05 + 4 * error, "%s in %s: %.3f +- %.3f, expected %.1f",
              rows[i].load, rows[i].horizon, result.batches.value, error, rows[i].mean);
        if (!isnan(rows[i].sd))
            CHECK_ABS(error * sqrt((double)result.replications), rows[i].sd, 0.05 + 0.1 * rows[i].sd);
    }
}

/* stas00's benchmark: 100 samples of 5 ms a batch (0.539 s measured), step 0.2 s, 10 batches, prefetch 2, start-up
   0.3 s. By hand for N = 4: S + start-up once; N = 2: 0.839, then a wait of 0.539 - 0.4 = 0.139 in every second. */
static void sleep_benchmark(void)
{
    static const double totals[] = {5.390, 3.890, 1.395, 0.839, 0.839};
    for (int n = 0; n <= 4; n++) {
        char text[300];
        snprintf(text, sizeof text,
                 "[pipeline]\nloaders = %d\nepoch_batches = 10\n[overheads]\nstartup = 300ms\n[load]\nmean = 539ms\n"
                 "[step]\nmean = 200ms\n[simulate]\nbatches = 10\n",
                 n);
        struct dlq_simulation result = simulate_text(text);
        CHECK_ABS(10 * result.wait_mean.value, totals[n], 5e-4);
        CHECK_ABS(result.time_to_first_batch.value, n == 0 ? 0.539 : 0.839, 1e-12);
        CHECK_ABS(result.epoch_seconds.value, 2 + totals[n], 5e-4);
    }
}

static const char *const rhythm =
    "[pipeline]\nloaders = %ld\nprefetch = %ld\n[overheads]\nreceive = %.17gs\n"
    "[load]\nmean = %.17gs\n[step]\nmean = 100ms\n[simulate]\nbatches = %ld\nstart = %s\n";

/* Load bound, K >= N: one wait of s - N (t + c) + c, then N - 1 of c, for ever, whatever the prefetch. */
static void waits_in_rhythm(void)
{
    static const struct {
        long loaders, prefetch;
        double load, receive;
    } rows[] = {{7, 2, 0.95, 0}, {7, 1, 0.95, 0}, {7, 5, 0.95, 0.01}, {3, 2, 2.385, 0.004}, {12, 3, 1.7, 0.002}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        double n = (double)rows[i].loaders;
        double c = rows[i].receive;
        snprintf(text, sizeof text, rhythm, rows[i].loaders, rows[i].prefetch, c, rows[i].load, 100 * rows[i].loaders,
                 "together");
        struct dlq_simulation result = simulate_text(text);
        double once = rows[i].load - n * (0.1 + c) + c;
        CHECK_REL(result.wait_max, once, 1e-9);
        CHECK_ABS(result.wait_p50, c, 1e-9);
        CHECK_REL(result.wait_mean.value, (once + (n - 1) * c) / n, 1e-9);
        CHECK_REL(result.stalled_steps.value, 1 / n, 1e-9);
        CHECK_ABS(result.period, n, 0);
        CHECK_REL(result.throughput.value, n / rows[i].load, 1e-9);
    }
}

/* Staggered loaders wait s/N - t at every step instead: no rhythm, the same loss. */
static void waits_staggered(void)
{
    char text[400];
    snprintf(text, sizeof text, rhythm, 7L, 2L, 0.0, 0.95, 700L, "staggered");
    struct dlq_simulation result = simulate_text(text);
    CHECK_REL(result.wait_max, 0.95 / 7 - 0.1, 1e-6);
    CHECK_REL(result.wait_p50, 0.95 / 7 - 0.1, 1e-6);
    CHECK_REL(result.wait_mean.value, 0.95 / 7 - 0.1, 1e-9);
    CHECK_REL(result.stalled_steps.value, 1.0, 0);
    CHECK(isnan(result.period), "period %g", result.period);
    CHECK_REL(result.throughput.value, 7 / 0.95, 1e-9);
}

TEST_SUITE(counts, CASE(constant_loads), CASE(gamma_loads), CASE(blog_ticks), CASE(sleep_benchmark),
           CASE(waits_in_rhythm), CASE(waits_staggered));
