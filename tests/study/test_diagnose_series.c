/* Rhythm, tails, trends, batches that were ahead: found where they are, and not invented. */
#include "made_logs.h"
#include "study/diagnose_parts.h"

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

static void tail(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    measured_begin(&log, "data_time,iter_time", 2);
    for (long i = 0; i < 1000; i++)
        measured_wait(&log, gsl_rng_uniform(log.random) < 0.02 ? 2.7 : 3e-4);
    if (!measured_diagnose(&log, &result))
        return;
    CHECK(has_note(&result, "half of the batches arrive within 0.3 ms, yet the mean wait is "), "%s", result.notes[0]);
    CHECK_REL(result.tail_cost, (result.data_time.mean - 3e-4) / result.iter_time.mean, 1e-6);
    CHECK(result.median_over_mean < 0.01, "%g", result.median_over_mean);
    CHECK(isnan(result.trend) && isnan(result.period), "invented: trend %g, period %g", result.trend, result.period);
    dlq_diagnosis_free(&result);
}

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
    CHECK_TEXT(result.verdict.bound_by, "load");
    CHECK(!has_note(&result, "half of the batches"), "%s", result.notes[0]);
    dlq_diagnosis_free(&result);
}

/* Starts of epochs in a log that tells of none: the advice is theirs, whatever else waits, and none where the long
   waits come by chance. */
static void regular(void)
{
    static const struct {
        double start, stalls; /* s; share of the other iterations that wait 0.3 s */
        bool by_chance;
        const char *bound_by;
    } rows[] = {
        {31, 0, false, "startup"},       {31, 0.03, false, "startup"}, {0.5, 0, false, "step"},
        {31, 0.1, false, "startup"},     {31, 0, true, "variance"},    {2.385, 0, true, "variance"},
        {2.385, 0.01, false, "startup"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "data_time,iter_time", 4 + r);
        for (long i = 0; i < 2600; i++) {
            bool begins = rows[r].by_chance ? gsl_rng_uniform(log.random) < 1.0 / 130 : i % 130 == 0;
            bool stalls = gsl_rng_uniform(log.random) < rows[r].stalls;
            measured_wait(&log, begins   ? rows[r].start * (0.9 + 0.2 * gsl_rng_uniform(log.random))
                                : stalls ? 0.3
                                         : 3e-4);
        }
        if (!measured_diagnose(&log, &result))
            continue;
        const char *text = result.verdict.text;
        CHECK_TEXT(result.verdict.bound_by, rows[r].bound_by);
        bool startup = strcmp(rows[r].bound_by, "startup") == 0;
        CHECK((strstr(text, "long waits every 130 iterations, as a rule the starts of epochs: 20 of ") != NULL) ==
                  startup,
              "%s", text);
        CHECK((strstr(text, "persistent_workers=True") != NULL) == startup, "%s", text);
        CHECK(has_note(&result, "a long wait every 130 iterations, 20 of ") == (rows[r].start < 1), "row %zu", r);
        CHECK((strstr(text, "the next shard, a fetch of so many batches at once, or so many loaders in turns.") !=
               NULL) == startup,
              "%s", text);
        CHECK((strstr(text, "in_order=False") != NULL) == rows[r].by_chance, "%s", text);
        dlq_diagnosis_free(&result);
    }
}

/* A fetch of 24 batches takes 12 s, and their steps 2.4 s: as 24 loaders in turns, if that is their number, and else
   not theirs, of which 24 may be a multiple. */
static void fetches(void)
{
    static const struct {
        long loaders; /* told; -1: not */
        const char *text, *lacks;
        bool needed;
    } rows[] = {
        {-1, ": 24 loaders, it seems, that take turns and can't keep up, or as many batches that are fetched at once",
         ". At least", true},
        {24, ": 24 loaders can't keep up, as a batch takes one of them about 12 s. At least 120 are needed", "fetch",
         true},
        {4,
         "in a rhythm of 24 batches, which 4 loaders in turns do not make: it seems that 24 batches are fetched at "
         "once "
         "(or make an epoch: a column epoch would tell). 24 batches take 12 s to come and 2.4 s to train on.",
         "needed", false},
        {7, "in a rhythm of 24 batches, which 7 loaders in turns do not make", "needed", false},
        {1, "in a rhythm of 24 batches, which 1 loader does not make", "needed", false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log;
        struct dlq_diagnosis result;
        struct dlq_error error = {0};
        struct dlq_pipeline_hint hint = {NULL, rows[r].loaders, 0};
        measured_begin(&log, "data_time,iter_time", 8);
        for (long i = 0; i < 1201; i++)
            measured_wait(&log, i > 0 && i % 24 == 0 ? 9.6 : 3e-6);
        struct dlq_trace *trace = measured_trace(&log);
        if (trace == NULL)
            return;
        CHECK(dlq_diagnose(trace, &hint, &result, &error) == DLQ_OK, "%s", error.text);
        CHECK_TEXT(result.verdict.bound_by, "load");
        CHECK_REL(result.period, 24, 0);
        CHECK(strstr(result.verdict.text, rows[r].text) != NULL, "%s", result.verdict.text);
        CHECK(strstr(result.verdict.text, rows[r].lacks) == NULL, "%s", result.verdict.text);
        CHECK(!isnan(result.needed) == rows[r].needed, "%ld told: %g loaders", rows[r].loaders, result.needed);
        dlq_diagnosis_free(&result);
        dlq_trace_free(trace);
    }
}

/* Waits that rise or fall; and the share of false alarms where they don't. */
static void trends(void)
{
    static const struct {
        double from, to;
        const char *note;
    } rows[] = {
        {0.02, 0.08, "waits get longer: "}, {0.09, 0.01, "waits get shorter: "}, {0, 0.06, "waits get longer: "}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "data_time,iter_time", 7 + r);
        for (long i = 0; i < 600; i++) {
            double mean = rows[r].from + (rows[r].to - rows[r].from) * (double)i / 600;
            measured_wait(&log, mean * (0.5 + gsl_rng_uniform(log.random)));
        }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK(has_note(&result, rows[r].note), "%s", result.note_count > 0 ? result.notes[0] : "no note");
        double expected = (rows[r].from + 5 * rows[r].to) / (5 * rows[r].from + rows[r].to);
        CHECK_REL(result.trend, expected, 0.15);
        dlq_diagnosis_free(&result);
    }
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

/* The first step takes long and the window fills: 16 batches are there, then every one waits. */
static void ahead(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    measured_begin(&log, "data_time,iter_time", 8);
    for (long i = 0; i < 300; i++)
        measured_wait(&log, i == 0 ? 1.1 : i <= 16 ? 2e-4 : 0.05 + 0.01 * gsl_rng_uniform(log.random));
    if (!measured_diagnose(&log, &result))
        return;
    CHECK_INT(result.ahead, 16);
    CHECK(has_note(&result, "the first 16 batches after the start were ready ahead"), "%s", result.notes[0]);
    CHECK(isnan(result.trend), "what was ahead is no trend: %g", result.trend);
    dlq_diagnosis_free(&result);
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
    CHECK_TEXT(result.verdict.bound_by, "load");
    CHECK_INT(result.epoch_starts, 5);
    dlq_diagnosis_free(&result);
}

static const struct test_case cases[] = {
    {"no rhythm in noise", no_rhythm_in_noise},
    {"no rhythm in drift", no_rhythm_in_drift},
    {"rhythm of loaders", rhythm_of_loaders},
    {"tail", tail},
    {"turns", turns},
    {"regular", regular},
    {"fetches", fetches},
    {"trends", trends},
    {"no trend in noise", no_trend_in_noise},
    {"ahead", ahead},
    {"rhythm over epochs", rhythm_over_epochs},
    {NULL, NULL},
};

const struct test_suite suite_diagnose_series = {"diagnose_series", cases};
