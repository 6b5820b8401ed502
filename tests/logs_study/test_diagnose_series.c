/* Rhythm, tails, trends, batches that were ahead: found where they are, and not invented. */
#include "logs/study/diagnose/diagnose.h"
#include "made_logs.h"

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
    case 4: /* few slow batches, of about the same time */
        return gsl_rng_uniform(random) < 0.02 ? 1 + 0.1 * normal : 1e-4;
    default:
        *state = 0.8 * *state + normal;
        return fabs(*state);
    }
}

static void no_rhythm_in_noise(void)
{
    enum { KINDS = 6, RUNS = 1000, LONGEST = 1000 };
    static const size_t lengths[] = {60, 400, 1000};
    static double x[LONGEST];
    OWN_RNG *random = gsl_rng_alloc(gsl_rng_taus2);
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
            CHECK(found <= RUNS / 200, "kind %d, %zu values: %ld of %d have a rhythm", kind, lengths[k], found, RUNS);
        }
}

static void no_rhythm_in_drift(void)
{
    double x[600];
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < 600; i++)
            x[i] = kind == 0 ? 0.1 + 1e-3 * i : kind == 1 && i < 300 ? 0.1 : 0.4;
        CHECK_INT(rhythm_of(x, 600, 64, kind == 2 ? 4 : 0), 0);
    }
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
    OWN_RNG *random = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(random, 5);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        fill_turns(random, rows[r].loaders, rows[r].load, rows[r].cv, x, rows[r].n);
        CHECK_INT(rhythm_of(x + 1, rows[r].n - 1, DLQ_MOST_PERIOD, 0), rows[r].loaders);
        CHECK_INT(rhythm_of(x + 1, rows[r].n - 1, DLQ_MOST_PERIOD, (long)rows[r].loaders), rows[r].loaders);
    }
    /* Beyond the longest that is looked for. */
    fill_turns(random, 24, 3.7, 0, x, 800);
    CHECK_INT(rhythm_of(x + 1, 799, 20, 0), 0);
}

/* Too few loaders that take turns, with loads that vary too much for a rhythm: most waits are 0, one in about as many
   as there are loaders is long, and that is no tail. */
static void turns(void)
{
    static double waits[2000];
    struct measured log = measured_log("data_time,iter_time", 3);
    fill_turns(log.random, 16, 2.4, sqrt(2), waits, 2000);
    for (size_t i = 0; i < 2000; i++)
        measured_wait(&log, waits[i]);
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    CHECK(isnan(result.period) && result.median_over_mean < 0.2 && result.tail_cost > 0.1, "period %g", result.period);
    CHECK_INT(result.cause, DLQ_DIAGNOSIS_LOAD);
}

static void no_trend_in_noise(void)
{
    enum { RUNS = 300 };
    long found = 0;
    for (unsigned long run = 0; run < RUNS; run++) {
        double state = 0;
        struct measured log = measured_log("data_time,iter_time", run + 1);
        for (long i = 0; i < 120; i++)
            measured_wait(&log, noise(log.random, (int)(run % 5), &state));
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        found += !isnan(result.trend);
    }
    /* 1 % of 300, five standard deviations and the correlated fifth of them */
    CHECK(found <= 3 + 9, "%ld of %d runs have a trend", found, RUNS);
}

/* Loaders that take turns, of which a load takes `before`, and from half of the run on `after`. */
static struct dlq_diagnosis diagnose_change(double before, double after, double cv, size_t n, unsigned long seed)
{
    static double waits[2000], later[2000];
    struct measured log = measured_log("data_time,iter_time", seed);
    fill_turns(log.random, 8, before, cv, waits, n / 2);
    fill_turns(log.random, 8, after, cv, later, n - n / 2);
    for (size_t i = 0; i < n; i++)
        measured_wait(&log, 4e-4 + (i < n / 2 ? waits[i] : i - n / 2 < 16 ? 0 : later[i - n / 2]));
    return diagnosis_of(measured_trace(&log));
}

static void changes(void)
{
    static const struct {
        double before, after, cv;
    } rows[] = {{0.4, 3.2, 0.1}, {0.4, 3.2, 0.5}, {2.4, 0.4, 0.3}, {1.2, 2.4, 0.3}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        OWN(dlq_diagnosis) result = diagnose_change(rows[r].before, rows[r].after, rows[r].cv, 1000, r + 1);
        CHECK(fabs(result.changed_at - 500) < 40, "row %zu: at %g", r, result.changed_at);
        CHECK_ABS(result.phases[0].lost_share, fmax(0.004, 1 - 0.8 / rows[r].before), 0.06);
        CHECK_ABS(result.phases[1].lost_share, fmax(0.004, 1 - 0.8 / rows[r].after), 0.06);
        if (rows[r].after > 0.8)
            CHECK_REL(result.loaders_needed, 10 * rows[r].after, rows[r].cv > 0.4 ? 0.25 : 0.15); /* order costs, too */
    }
}

/* Waits that end shortly before the run does need not last; waits that begin there may. */
static void short_end(void)
{
    static const struct {
        size_t end; /* iterations */
        bool waits; /* at the end, else before it */
        double changed_at;
    } rows[] = {{84, false, NAN}, {96, false, 504}, {60, true, 540}};
    enum { N = 600 };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = measured_log("data_time,iter_time", r + 1);
        for (size_t i = 0; i < N; i++)
            measured_wait(&log, ((i >= N - rows[r].end) == rows[r].waits ? 0.06 : 0.001) *
                                    (0.5 + gsl_rng_uniform(log.random)));
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK(isnan(rows[r].changed_at) ? isnan(result.changed_at) : fabs(result.changed_at - rows[r].changed_at) < 5,
              "row %zu: at %g", r, result.changed_at);
    }
}

/* Independent loads, whose waits are not: none changes. */
static void no_change_in_turns(void)
{
    long runs = test_long() ? 400 : 60, found = 0;
    for (long run = 0; run < runs; run++) {
        double load = run % 3 == 0 ? 0.7 : run % 3 == 1 ? 0.9 : 2;
        OWN(dlq_diagnosis)
        result = diagnose_change(load, load, 0.1 + 0.2 * (double)(run % 5), 400 + 400 * (size_t)(run % 2),
                                 (unsigned long)run + 1);
        found += !isnan(result.changed_at);
    }
    CHECK(100 * found <= 2 * runs, "%ld of %ld runs change", found, runs);
}

/* Loads grow from 0.4 to 2.4 s: at the end 24 loaders would be needed. */
static void growth(void)
{
    double done[8] = {0}, given[16] = {0}, now = 0;
    struct measured log = measured_log("data_time,iter_time", 5);
    for (long i = 0; i < 2000; i++) {
        done[i % 8] =
            fmax(done[i % 8], given[i % 16]) + (0.4 + 0.001 * (double)i) * (0.9 + 0.2 * gsl_rng_uniform(log.random));
        double got = fmax(now, done[i % 8]);
        measured_wait(&log, got - now + 4e-4);
        given[i % 16] = got;
        now = got + 0.1004;
    }
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    CHECK(result.changed_at == 0, "at %g", result.changed_at);
    CHECK(result.phases[0].lost_share < 0.01 && result.phases[1].lost_share > 0.5, "%g, %g",
          result.phases[0].lost_share, result.phases[1].lost_share);
    CHECK_REL(result.loaders_needed, 23, 0.06);
}

static void pauses(void)
{
    struct measured log = measured_log("data_time,iter_time", 5);
    for (long i = 0; i < 600; i++) {
        double wait = 1e-3 * gsl_rng_uniform(log.random), step = 0.2 + 0.02 * gsl_rng_uniform(log.random);
        fprintf(log.stream, "%.9g,%.9g\n", wait, wait + step + ((i + 1) % 100 == 0 ? 20 : 0));
    }
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    CHECK_INT(result.pause_every, 100);
    CHECK_REL(result.pause, 20, 0.01);
    CHECK_REL(result.pause_share, 20 / 41.1, 0.02);
    CHECK(isnan(result.changed_at), "changes at %g", result.changed_at);
}

/* Epochs do not hide the rhythm within them. */
static void rhythm_over_epochs(void)
{
    struct measured log = measured_log("epoch,index,data_time,iter_time", 9);
    for (long i = 0; i < 600; i++) {
        fprintf(log.stream, "%ld,%ld,", i / 120, i % 120);
        measured_wait(&log, i % 120 == 0 ? 2 : i % 6 == 0 ? 0.3 : 1e-4);
    }
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    CHECK_REL(result.period, 6, 0);
    CHECK_INT(result.cause, DLQ_DIAGNOSIS_LOAD);
    CHECK_INT(result.epoch_starts, 5);
}

/* The waits of a few lines: turns where the first is one of them, none where another comes out of turn, where only the
   first is long, or where the log tells that it begins with the run. */
static void turns_of_few(void)
{
    static const struct {
        const char *header;
        double waits[11];
        double period;
    } rows[] = {
        {"data_time,iter_time", {13.3, 0, 0, 0, 0, 0, 0, 0, 0.6, 0, 0}, 8},
        {"data_time,iter_time", {13.3, 0, 0, 0, 2, 0, 0, 0, 0.6, 0, 0}, 4},
        {"data_time,iter_time", {13.3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0}, NAN},
        {"data_time,iter_time", {13.3, 0, 0, 0, 2, 0, 0, 0.6, 0, 0, 0}, NAN},
        {"data_time,iter_time", {13.3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, NAN},
        {"data_time,iter_time", {0, 0, 0, 0, 13.3, 0, 0, 0, 0.6, 0, 0}, NAN},
        {"index,data_time,iter_time", {13.3, 0, 0, 0, 0, 0, 0, 0, 0.6, 0, 0}, NAN},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct measured log = measured_log(rows[k].header, 1);
        for (size_t i = 0; i < 11; i++) {
            if (rows[k].header[0] == 'i')
                fprintf(log.stream, "%zu,", i);
            measured_wait(&log, rows[k].waits[i]);
        }
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK(isnan(rows[k].period) ? isnan(result.period) : result.period == rows[k].period, "row %zu: %g", k,
              result.period);
        CHECK(isnan(rows[k].period) || isnan(result.steady_ratio), "row %zu: the first is left out", k);
    }
}

TEST_SUITE(diagnose_series, CASE(no_rhythm_in_noise), CASE(no_rhythm_in_drift), CASE(rhythm_of_loaders), CASE(turns),
           CASE(no_trend_in_noise), CASE(changes), CASE(short_end), CASE(no_change_in_turns), CASE(growth),
           CASE(pauses), CASE(rhythm_over_epochs), CASE(turns_of_few));
