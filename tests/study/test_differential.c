/* Random pipelines with all keys in combination, as dlqueue simulates them and as the reference simulation does, which
   shares neither code nor draws with it: they differ by chance alone, and what is simulated is within the bounds. */

#include "harness.h"

#include "draw/scratch.h"
#include "models.h"
#include "reference_random.h"
#include "reference_simulation.h"
#include "stats/stats.h"

enum { REPLICATIONS = 48, AGAIN = 4 * REPLICATIONS, MOST_WAITS = 10000 };

enum figure { THROUGHPUT, UTILIZATION, IN_STEPS, PAUSES, WAIT, STALLED, FIRST_BATCH, LATE, FIGURES };

static const char *const figure_names[] = {"throughput", "utilization",   "stepping",    "pause share",
                                           "mean wait",  "stalled share", "first batch", "p99 of the waits"};

struct measured {
    double value, error;
};

/* The ratio of two means, with its standard error. */
static struct measured ratio(const double *over, const double *under, int n)
{
    double a = 0, b = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        a += over[i];
        b += under[i];
    }
    for (int i = 0; i < n; i++)
        squares += pow(over[i] - a / b * under[i], 2);
    return (struct measured){a / b, sqrt(squares / (n - 1.0) / n) / (b / n)};
}

/* room: what the two may differ by, relatively, beside chance: roundings, quantile tables. */
static double z_of(struct dlq_estimate estimate, struct measured reference, int n, double room)
{
    double error = (estimate.high - estimate.low) / 2 / dlq_student(0.975, n - 1.0);
    double rounding = room * fabs(reference.value) + 1e-9;
    return (estimate.value - reference.value) /
           sqrt(error * error + reference.error * reference.error + rounding * rounding);
}

/* By how much more than 1 % of the waits are longer than `most`, or fewer as long: quantiles themselves jump where many
   waits are alike. Both simulations have that error, or that of independent waits if it is more. */
static double z_of_quantile(const struct reference_run *runs, int n, double most)
{
    double longer[AGAIN] = {0}, as_long[AGAIN] = {0}, all[AGAIN], count = 0;
    for (int r = 0; r < n; r++) {
        all[r] = fmin(runs[r].batches, (double)runs[r].room);
        count += all[r];
        for (long i = 0; i < (long)all[r]; i++) {
            longer[r] += runs[r].waits[i] > most * (1 + 1e-3) + 1e-9;
            as_long[r] += runs[r].waits[i] >= most * (1 - 1e-3) - 1e-9;
        }
    }
    const struct measured high = ratio(longer, all, n), low = ratio(as_long, all, n);
    const double least = sqrt(0.01 / count);
    return fmax(0, fmax((high.value - 0.01) / fmax(least, high.error), (0.01 - low.value) / fmax(least, low.error))) /
           sqrt(2);
}

/* z of each figure; NAN: there is none. Returns the reference's throughput. */
static struct measured compare(const struct pipeline *pipeline, const struct dlq_simulation *simulation, int n,
                               uint64_t seed, double z[FIGURES])
{
    static struct reference_run runs[AGAIN];
    static double values[FIGURES][AGAIN], seconds[AGAIN], batches[AGAIN], ones[AGAIN];
    const long room = pipeline->horizon > 0 ? MOST_WAITS : pipeline->batches;
    FREED double *waits = malloc((size_t)(n * room) * sizeof *waits);
    struct measured throughput = {0};
    for (int r = 0; waits != NULL && r < n; r++) {
        runs[r] = reference_simulate(pipeline, seed * AGAIN + (uint64_t)r, &waits[r * room], room);
        const double row[] = {runs[r].batches, runs[r].trained, runs[r].stepped,    runs[r].paused,
                              runs[r].waited,  runs[r].stalled, runs[r].first_batch};
        for (int k = 0; k < LATE; k++)
            values[k][r] = row[k];
        seconds[r] = runs[r].seconds;
        batches[r] = runs[r].batches;
        ones[r] = 1;
    }
    const struct {
        struct dlq_estimate estimate;
        const double *per;
        double room;
    } rows[] = {{simulation->throughput, seconds, 2e-5},      {simulation->utilization, seconds, 2e-5},
                {simulation->stepping, seconds, 2e-5},        {simulation->pause_share, seconds, 1e-4},
                {simulation->wait_mean, batches, 1e-4},       {simulation->stalled_steps, batches, 1e-3},
                {simulation->time_to_first_batch, ones, 1e-4}};
    for (int k = 0; k < LATE; k++) {
        const struct measured reference = ratio(values[k], rows[k].per, n);
        z[k] = z_of(rows[k].estimate, reference, n, rows[k].room);
        throughput = k == THROUGHPUT ? reference : throughput;
        if (getenv("DLQ_TEST_SAY") != NULL)
            printf("\n    %-16s %12.7g, reference %12.7g +- %.2g, z %.2f", figure_names[k], rows[k].estimate.value,
                   reference.value, reference.error, z[k]);
    }
    if (pipeline->cache > 0 && pipeline->epochs == 0) /* dlqueue's is of a later epoch */
        z[FIRST_BATCH] = NAN;
    z[LATE] = z_of_quantile(runs, n, simulation->wait_p99);
    return throughput;
}

/* Long-run rates: what was in flight when measuring began may come on top, and the last round may be cut. */
static void check_bounds(const struct pipeline *pipeline, const struct dlq_bounds *bounds, struct measured throughput,
                         const char *text)
{
    const double batches = (double)pipeline->batches, servers = (double)pipeline->workers;
    const double in_flight =
        pipeline->window == UNBOUNDED ? batches : (double)(pipeline->window + pipeline->buffer + 1);
    const double error = 4 * throughput.error / throughput.value + 1e-6;
    if (pipeline->horizon > 0)
        return;
    for (int k = 0; k < pipeline->step_stages; k++) { /* what comes a few times may be far from its mean */
        const struct stage *stage = &pipeline->step[k];
        const double steps = (double)pipeline->batches / fmax(1, (double)stage->every);
        if (stage->every > 1 && steps * stage->probability < 20)
            return;
    }
    double above = error + servers / batches + (pipeline->warmup > 0 ? in_flight / batches : 0);
    CHECK(throughput.value <= bounds->upper * (1 + above), "%g is above upper = %g\n%s", throughput.value,
          bounds->upper, text);
    if (pipeline->epoch == 0 && (double)pipeline->warmup < servers)
        return; /* the loaders begin with nothing */
    CHECK(isnan(bounds->lower) || throughput.value >= bounds->lower * (1 - error - servers / batches),
          "%g is below lower = %g\n%s", throughput.value, bounds->lower, text);
}

/* false: dlqueue refuses it. */
static bool simulate_text(const char *text, int replications, uint64_t seed, struct dlq_simulation *simulation,
                          struct dlq_bounds *bounds)
{
    char more[100];
    struct dlq_error error = {0};
    const struct dlq_run run = run_with(1);
    OWN_MODEL *model = model_of(text, &error);
    snprintf(more, sizeof more, "simulate.replications=%d simulate.seed=%d", replications, (int)seed);
    if (model != NULL)
        set_all(model, more, &error);
    bool done = model != NULL && dlq_simulate(model, &run, simulation, &error) == DLQ_OK &&
                dlq_bounds(model, bounds, &error) == DLQ_OK;
    if (!done)
        printf("\n    %s", error.text);
    return done;
}

static void write_measured_times(const struct scratch *scratch)
{
    FILE *stream = fopen(scratch_path(scratch, "measured.csv", measured_file), "w");
    CHECK(stream != NULL, "%s", measured_file);
    fputs("time\n", stream);
    for (long row = 0; row < MEASURED_ROWS; row++)
        fprintf(stream, "%.17g\n", measured_row(row));
    CHECK_INT(fclose(stream), 0);
}

/* What differs by more than 3.5 standard errors is simulated again, four times as long, and must not be beyond 4 then:
   by chance that happens to one figure in 10^7. DLQ_TEST_FIRST, DLQ_TEST_COUNT: other pipelines, of which DLQ_TEST_SAY
   prints the figures. */
static void pipelines_agree(void)
{
    const char *first = getenv("DLQ_TEST_FIRST"), *given = getenv("DLQ_TEST_COUNT");
    const uint64_t begin = first != NULL ? strtoull(first, NULL, 10) : 0;
    const uint64_t count = given != NULL ? strtoull(given, NULL, 10) : test_long() ? 3000 : test_full() ? 300 : 36;
    double sum[FIGURES] = {0}, squares[FIGURES] = {0}, counted[FIGURES] = {0}, refused = 0;
    SCRATCH(scratch);
    write_measured_times(&scratch);
    for (uint64_t i = begin; i < begin + count; i += test_every(1)) {
        static char text[REFERENCE_TEXT];
        struct pipeline pipeline;
        struct dlq_simulation simulation;
        struct dlq_bounds bounds;
        double z[FIGURES], again[FIGURES];
        bool doubtful = false;
        make_pipeline(i, &pipeline, text);
        if (!simulate_text(text, REPLICATIONS, i + 1, &simulation, &bounds)) {
            refused++;
            continue;
        }
        check_bounds(&pipeline, &bounds, compare(&pipeline, &simulation, REPLICATIONS, i, z), text);
        for (int k = 0; k < FIGURES; k++) {
            doubtful = doubtful || fabs(z[k]) > 3.5;
            sum[k] += isnan(z[k]) ? 0 : z[k];
            squares[k] += isnan(z[k]) ? 0 : z[k] * z[k];
            counted[k] += !isnan(z[k]);
        }
        if (getenv("DLQ_TEST_SAY") != NULL)
            printf("\n%s\n", text);
        if (!doubtful || !simulate_text(text, AGAIN, i + 1000000, &simulation, &bounds))
            continue;
        compare(&pipeline, &simulation, AGAIN, i + 1000000, again);
        for (int k = 0; k < FIGURES; k++)
            CHECK(isnan(z[k]) || fabs(z[k]) <= 3.5 || fabs(again[k]) <= 4, "pipeline %d, %s: z = %.1f, again %.1f%s%s",
                  (int)i, figure_names[k], z[k], again[k], k == THROUGHPUT ? "\n" : "", k == THROUGHPUT ? text : "");
    }
    for (int k = 0; k < FIGURES; k++) {
        const double n = counted[k], mean = sum[k] / n, deviation = sqrt(squares[k] / n - mean * mean);
        if (test_full() || given != NULL)
            printf("\n    %-16s %5.0f pipelines: mean z %.3f, sd %.3f", figure_names[k], n, mean, deviation);
        if (k != THROUGHPUT || n < 30)
            continue;
        CHECK(fabs(mean) <= 4 / sqrt(n), "mean z of the throughput: %.3f of %g", mean, n);
        CHECK(deviation <= 1.1 + (n < 290 ? 3 / sqrt(2 * n) : 0), "sd of z: %.3f of %g", deviation, n);
    }
    CHECK(refused <= 1 + 0.01 * (double)count, "%g of %d are refused", refused, (int)count);
}

TEST_SUITE(differential, CASE(pipelines_agree));
