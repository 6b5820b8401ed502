/* Rhythm, tails, trends, batches that were ahead: found where they are, and not invented. */
#include "made_logs.h"
#include "study/diagnose/diagnose.h"

/* -- rhythm -- */

static long rhythm_of(const double *waits, size_t n, long most, long loaders)
{
    struct dlq_error error = {0};
    long rhythm = -1;
    CHECK(dlq_rhythm(waits, n, most, loaders, &rhythm, &error) == DLQ_OK, "%s", error.text);
    return rhythm;
}

/* Independent waits of many kinds, and correlated ones without a rhythm. */
static double noise(gsl_rng *random, int kind, double *state)
{
    double normal = gsl_ran_gaussian(random, 1);
    switch (kind) {
    case 0:
        return gsl_ran_exponential(random, 0.07);
    case 1:
        return 0.003 * exp(1.5 * normal);
    case 2:
        return gsl_rng_uniform(random) < 0.05 ? 2 : 1e-4;
    case 3:
        return fmax(0, gsl_ran_exponential(random, 1) - 1);
    default:
        *state = 0.8 * *state + normal;
        return fabs(*state);
    }
}

static void no_rhythm_in_noise(void)
{
    enum { KINDS = 5, RUNS = 1000, LONGEST = 1000 };
    static const size_t lengths[] = {60, 400, 1000};
    static double x[LONGEST];
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(random, 11);
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            long found = 0;
            for (long run = 0; run < RUNS; run++) {
                double state = 0;
                for (size_t i = 0; i < lengths[k]; i++)
                    x[i] = noise(random, kind, &state);
                found += rhythm_of(x, lengths[k], DLQ_MOST_PERIOD, run % 2 == 0 ? 0 : 8) > 0;
            }
            CHECK(found <= RUNS / 100, "kind %d, %zu values: %ld of %d have a rhythm", kind, lengths[k], found, RUNS);
        }
    gsl_rng_free(random);
}

static void no_rhythm_in_drift(void)
{
    double x[600];
    for (size_t i = 0; i < 600; i++)
        x[i] = 0.1 + 1e-3 * (double)i;
    CHECK_INT(rhythm_of(x, 600, 64, 0), 0);
    for (size_t i = 0; i < 600; i++)
        x[i] = i < 300 ? 0.1 : 0.4;
    CHECK_INT(rhythm_of(x, 600, 64, 0), 0);
    for (size_t i = 0; i < 600; i++)
        x[i] = 0.25;
    CHECK_INT(rhythm_of(x, 600, 64, 4), 0);
    CHECK_INT(rhythm_of(x, 3, 64, 4), 0);
    CHECK_INT(rhythm_of(x, 0, 64, 4), 0);
}

/* N loaders in order, p = 2, loads of that cv, step 0.1 s: what PyTorch's loader does (README). */
static void fill_turns(gsl_rng *random, size_t loaders, double load, double cv, double *waits, size_t n)
{
    double done[64] = {0}, given[128] = {0}, now = 0;
    for (size_t i = 0; i < n; i++) {
        double start = fmax(i < loaders ? 0 : done[i % loaders], i < 2 * loaders ? 0 : given[i % (2 * loaders)]);
        double time = cv > 0 ? gsl_ran_gamma(random, 1 / (cv * cv), load * cv * cv) : load;
        done[i % loaders] = start + time;
        waits[i] = fmax(0, done[i % loaders] - now);
        given[i % (2 * loaders)] = now + waits[i];
        now += waits[i] + 0.1;
    }
}

static void rhythm_of_loaders(void)
{
    static const struct {
        size_t loaders, n;
        double load, cv;
    } rows[] = {{2, 60, 0.31, 0},   {7, 99, 2, 0},       {7, 400, 2, 0.15},  {8, 200, 1.6, 0.1},
                {8, 600, 1.7, 0.3}, {24, 800, 3.7, 0.2}, {40, 1200, 5, 0.05}};
    static double x[2000];
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(random, 5);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        fill_turns(random, rows[r].loaders, rows[r].load, rows[r].cv, x, rows[r].n);
        CHECK_INT(rhythm_of(x + 1, rows[r].n - 1, DLQ_MOST_PERIOD, 0), rows[r].loaders);
        CHECK_INT(rhythm_of(x + 1, rows[r].n - 1, DLQ_MOST_PERIOD, (long)rows[r].loaders), rows[r].loaders);
    }
    /* Beyond the longest that is looked for. */
    fill_turns(random, 24, 3.7, 0, x, 800);
    CHECK_INT(rhythm_of(x + 1, 799, 20, 0), 0);
    gsl_rng_free(random);
}

/* -- through the whole diagnosis -- */

/* Too few loaders that take turns, with loads that vary too much for a rhythm: most waits are 0, one in about as many
   as there are loaders is long, and that is no tail. */
static void turns(void)
{
    enum { LOADERS = 16 };
    struct measured log;
    struct dlq_diagnosis result;
    double done[LOADERS] = {0}, given[2 * LOADERS] = {0}, ended = 0;
    measured_begin(&log, "data_time,iter_time", 3);
    for (long i = 0; i < 2000; i++) {
        double begun = fmax(done[i % LOADERS], given[i % (2 * LOADERS)]);
        done[i % LOADERS] = begun + 2.4 * gsl_ran_gamma(log.random, 0.5, 2);
        double got = fmax(ended, done[i % LOADERS]);
        given[i % (2 * LOADERS)] = got;
        measured_wait(&log, got - ended);
        ended = got + 0.1;
    }
    if (!measured_diagnose(&log, &result))
        return;
    CHECK(isnan(result.period) && result.median_over_mean < 0.2 && result.tail_cost > 0.1, "period %g", result.period);
    CHECK_INT(result.cause, DLQ_DIAGNOSIS_LOAD);
    dlq_diagnosis_free(&result);
}

static void no_trend_in_noise(void)
{
    enum { RUNS = 300 };
    long found = 0;
    for (unsigned long run = 0; run < RUNS; run++) {
        struct measured log;
        struct dlq_diagnosis result;
        double state = 0;
        measured_begin(&log, "data_time,iter_time", run + 1);
        for (long i = 0; i < 120; i++)
            measured_wait(&log, noise(log.random, (int)(run % 5), &state));
        if (!measured_diagnose(&log, &result))
            return;
        found += !isnan(result.trend);
        dlq_diagnosis_free(&result);
    }
    /* 1 % of 300, five standard deviations and the correlated fifth of them */
    CHECK(found <= 3 + 9, "%ld of %d runs have a trend", found, RUNS);
}

/* Epochs do not hide the rhythm within them. */
static void rhythm_over_epochs(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    measured_begin(&log, "epoch,index,data_time,iter_time", 9);
    for (long i = 0; i < 600; i++) {
        long epoch = i / 120;
        measured_put(&log, (double)epoch);
        measured_put(&log, (double)(i % 120));
        measured_wait(&log, i % 120 == 0 ? 2 : i % 6 == 0 ? 0.3 : 1e-4);
    }
    if (!measured_diagnose(&log, &result))
        return;
    CHECK_REL(result.period, 6, 0);
    CHECK_INT(result.cause, DLQ_DIAGNOSIS_LOAD);
    CHECK_INT(result.epoch_starts, 5);
    dlq_diagnosis_free(&result);
}

static const struct test_case cases[] = {
    {"no rhythm in noise", no_rhythm_in_noise},
    {"no rhythm in drift", no_rhythm_in_drift},
    {"rhythm of loaders", rhythm_of_loaders},
    {"turns", turns},
    {"no trend in noise", no_trend_in_noise},
    {"rhythm over epochs", rhythm_over_epochs},
    {NULL, NULL},
};

const struct test_suite suite_diagnose_series = {"diagnose_series", cases};
