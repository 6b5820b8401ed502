/* Diagnoses of logs with known ills: every verdict, the borders between them, and what is said. */
#include "made_logs.h"

/* -- waits alone -- */

enum { LENGTH = 400 };

static double healthy(gsl_rng *random, long i)
{
    (void)i;
    return 2e-4 + 1e-4 * gsl_rng_uniform(random);
}

/* 8 loaders of 1.2 s: a wait of 0.4 s every 8 steps of 0.1 s. */
static double in_turns(gsl_rng *random, long i)
{
    return i % 8 == 0 ? 0.4 + 0.01 * gsl_rng_uniform(random) : 2e-4;
}

static double rare(gsl_rng *random, long i)
{
    (void)i;
    return gsl_rng_uniform(random) < 0.03 ? 4 + gsl_rng_uniform(random) : 3e-4;
}

static double all_wait(gsl_rng *random, long i)
{
    (void)i;
    return 0.04 + 0.01 * gsl_rng_uniform(random);
}

static double moderate(gsl_rng *random, long i)
{
    return 0.35 * all_wait(random, i);
}

static double slight(gsl_rng *random, long i)
{
    return 0.15 * all_wait(random, i);
}

static double small(gsl_rng *random, long i)
{
    return 0.06 * all_wait(random, i);
}

static double first_long(gsl_rng *random, long i)
{
    return i == 0 ? 5.3 : healthy(random, i);
}

static double zero(gsl_rng *random, long i)
{
    (void)random, (void)i;
    return 0;
}

static void waits_alone(void)
{
    static const struct {
        double (*wait)(gsl_rng *random, long i);
        const char *bound_by, *severity, *text;
    } rows[] = {
        {healthy, "step", "none", "Loading is not the bottleneck: 0.249 % of each iteration"},
        {zero, "step", "none", "Loading is not the bottleneck: 0 % of each iteration (0 of 100 ms)"},
        {small, "step", "small", "Without that training could run 1.03x faster"},
        {slight, "load", "slight", "Loading slows training down a little: 6.31 % of each iteration"},
        {moderate, "load", "moderate", "Loading slows training down: 13.6 % of each iteration"},
        {all_wait, "load", "severe", "Loading is the bottleneck: 31.1 % of each iteration (45 of 145 ms)"},
        {in_turns, "load", "severe", ", in a rhythm of 8 batches: 8 loaders, it seems, that take turns"},
        {rare, "variance", "severe", "most batches are there in time, few come very late"},
        {first_long, "startup", "moderate", "Only the start waits: the first batch takes 5.3 s"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "data_time,iter_time", r + 1);
        for (long i = 0; i < LENGTH; i++)
            measured_wait(&log, rows[r].wait(log.random, i));
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_TEXT(result.verdict.bound_by, rows[r].bound_by);
        CHECK_TEXT(dlq_severity_name(result.severity), rows[r].severity);
        CHECK(strstr(result.verdict.text, rows[r].text) != NULL, "'%s' is not in '%s'", rows[r].text,
              result.verdict.text);
        CHECK_INT(result.iterations, LENGTH);
        dlq_diagnosis_free(&result);
    }
}

/* The numbers by hand: waits 0.7 s, then 0.4 every 8th and 0 between, step 0.1. */
static void numbers(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    measured_begin(&log, "data_time,iter_time", 1);
    for (long i = 0; i < LENGTH; i++)
        measured_wait(&log, i == 0 ? 0.7 : i % 8 == 0 ? 0.4 : 0);
    if (!measured_diagnose(&log, &result))
        return;
    double waited = 0.7 + 49 * 0.4, total = waited + 0.1 * LENGTH;
    CHECK_REL(result.data_time.mean, waited / LENGTH, 1e-9);
    CHECK_REL(result.iter_time.mean, total / LENGTH, 1e-9);
    CHECK_REL(result.step_time.mean, 0.1, 1e-9);
    CHECK_REL(result.ratio, waited / total, 1e-9);
    CHECK_ABS(result.data_time.median, 0, 0);
    CHECK_REL(result.data_time.p99, 0.4, 1e-9);
    CHECK_REL(result.iter_time.p99, 0.5, 1e-9);
    CHECK_REL(result.steady_ratio, 49 * 0.4 / (49 * 0.4 + 0.1 * (LENGTH - 1)), 1e-9);
    CHECK_REL(result.lost, result.steady_ratio, 1e-12);
    CHECK_INT(result.epoch_starts, 1);
    CHECK_REL(result.epoch_start_mean, 0.7, 1e-9);
    CHECK_REL(result.epoch_start_cost, 0.7 / total, 1e-9);
    CHECK_REL(result.stalled, 49.0 / (LENGTH - 1), 1e-9);
    CHECK_REL(result.tail_cost, waited / total, 1e-9);
    CHECK_ABS(result.median_over_mean, 0, 0);
    CHECK_REL(result.period, 8, 0);
    CHECK_REL(result.needed, 8 / (1 - result.lost), 1e-9);
    CHECK(has_note(&result, "the first batch takes 700 ms"), "the start is not told");
    CHECK(!has_note(&result, "half of the batches"), "a rhythm is no tail");
    CHECK(result.point_count > 0 && result.points[0].iteration == 1 && result.points[0].longest == 0.7, "points");
    CHECK_REL(result.shares[result.share_count - 1].time, 1, 1e-12);
    CHECK_REL(result.shares[result.share_count - 1].iterations, 1, 1e-12);
    dlq_diagnosis_free(&result);
}

/* Shares around each threshold: the word changes there and not before. */
static void thresholds(void)
{
    static const struct {
        double share;
        const char *severity, *bound_by;
    } rows[] = {
        {0.0098, "none", "step"},  {0.0102, "small", "step"},   {0.049, "small", "step"},    {0.051, "slight", "load"},
        {0.098, "slight", "load"}, {0.102, "moderate", "load"}, {0.198, "moderate", "load"}, {0.203, "severe", "load"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "data_time,iter_time", 1);
        for (long i = 0; i < 60; i++) {
            measured_put(&log, 0.2385 * rows[r].share * (1 + 1e-3 * (double)(i % 2)));
            measured_put(&log, 0.2385);
        }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_TEXT(dlq_severity_name(result.severity), rows[r].severity);
        CHECK_TEXT(result.verdict.bound_by, rows[r].bound_by);
        dlq_diagnosis_free(&result);
    }
}

/* Hardly anything to go by: no verdict that it does not bear. */
static void few_iterations(void)
{
    static const struct {
        const char *rows;
        const char *bound_by, *text;
    } rows[] = {
        {"0.5,0.6\n", "unknown", "The log has 1 iteration, those that wait for the loaders to start among them"},
        {"0.5,0.6\n0.2,0.3\n0.2,0.3\n", "unknown", "3 iterations, those that wait"},
        {"0.5,0.6\n0.2,0.3\n0.2,0.3\n0.2,0.3\n0.2,0.3\n", "unknown", "too few to tell whether training waits"},
        {"0.5,0.6\n0.2,0.3\n0.2,0.3\n0.2,0.3\n0.2,0.3\n0.2,0.3\n", "load",
         "That is from 6 iterations alone, too few to be sure."},
        {"0,0.1\n0,0.1\n0,0.1\n0,0.1\n0,0.1\n0,0.1\n", "step", "from 6 iterations alone"},
        {"0,0\n0,0\n0,0\n", "unknown", "All times in the log are 0"},
        {"0.3,0.3\n0.3,0.3\n0.31,0.31\n0.3,0.3\n0.3,0.3\n0.3,0.3\n", "load", "The step takes next to nothing"},
        {",0.3\n,0.31\n,0.32\n", "unknown", "The log shows iteration times alone (310 ms on average)"},
        {"0.3,\n0.31,\n0.32,\n", "unknown", "not how long an iteration takes"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "data_time,iter_time", 1);
        fputs(rows[r].rows, log.stream);
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_TEXT(result.verdict.bound_by, rows[r].bound_by);
        CHECK(strstr(result.verdict.text, rows[r].text) != NULL, "'%s' is not in '%s'", rows[r].text,
              result.verdict.text);
        CHECK(isnan(result.period) && isnan(result.trend) && result.severity < DLQ_SEVERITY_SEVERE, "row %zu", r);
        dlq_diagnosis_free(&result);
    }
}

static void no_times(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    struct dlq_error error = {0};
    memset(&result, 7, sizeof result);
    measured_begin(&log, "index,load_time", 1);
    for (long i = 0; i < 10; i++) {
        measured_put(&log, (double)i);
        measured_put(&log, 0.3);
    }
    struct dlq_trace *trace = measured_trace(&log);
    if (trace == NULL)
        return;
    CHECK_INT(dlq_diagnose(trace, NULL, &result, &error), DLQ_NO_ANSWER);
    CHECK(strstr(error.text, "neither") != NULL, "%s", error.text);
    CHECK(((unsigned char *)&result)[9] == 7, "the output was touched");
    dlq_trace_free(trace);
}

/* -- epochs -- */

static void slow_starts(void)
{
    static const struct {
        double start, between;
        const char *bound_by, *text;
    } rows[] = {
        {3.1, 3e-4, "startup", "It is the starts of epochs that wait: 5 first batches of 3.1 s each take 23.6 %"},
        {0.3, 3e-4, "step", "Loading is not the bottleneck"},
        {3.1, 0.05, "load", "Loading is the bottleneck: 33.3 % of each iteration"},
        {3.1, 0.01, "startup", "5 first batches of 3.1 s each take 22.0 %"},
        {3.1, 0.02, "load", "Loading slows training down: 16.7 % of each iteration"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "epoch,index,data_time,iter_time", 1);
        for (long i = 0; i < 500; i++) {
            long epoch = i / 100;
            measured_put(&log, (double)epoch);
            measured_put(&log, (double)(i % 100));
            measured_wait(&log, i % 100 == 0 ? rows[r].start : rows[r].between * (1 + 1e-4 * (double)(i % 3)));
        }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_INT(result.epoch_starts, 5);
        CHECK_REL(result.epoch_start_mean, rows[r].start, 1e-9);
        CHECK_TEXT(result.verdict.bound_by, rows[r].bound_by);
        CHECK(strstr(result.verdict.text, rows[r].text) != NULL, "%s", result.verdict.text);
        bool advised = strstr(result.verdict.text, "persistent_workers=True") != NULL ||
                       has_note(&result, "persistent_workers=True");
        CHECK(advised == (rows[r].start > 0.05), "row %zu: %s", r, result.verdict.text);
        dlq_diagnosis_free(&result);
    }
}

/* -- loads -- */

/* A row of worker, load_start, load_end, request, received, step_end, after each other. */
static void put_batch(struct measured *log, double worker, const double points[5])
{
    measured_put(log, worker);
    for (size_t i = 0; i < 5; i++)
        measured_put(log, points[i]);
}

static const char points_header[] = "worker,load_start,load_end,request,received,step_end";

/* The training process loads: 0.1 s within each wait, step 0.05 s. */
static void serial(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    double now = 12.5;
    measured_begin(&log, points_header, 3);
    for (long i = 0; i < 80; i++) {
        double load = 0.09 + 0.02 * gsl_rng_uniform(log.random);
        put_batch(&log, -1, (double[]){now + 1e-4, now + load, now, now + load + 2e-4, now + load + 0.05});
        now += load + 0.05;
    }
    if (!measured_diagnose(&log, &result))
        return;
    CHECK_TEXT(result.verdict.bound_by, "serial");
    CHECK(strstr(result.verdict.text, "the training process loads each batch itself (100 ms)") != NULL &&
              strstr(result.verdict.text, "at least 2, could make it up to 3.0x faster") != NULL,
          "%s", result.verdict.text);
    CHECK_REL(result.needed, 2, 0.02);
    dlq_diagnosis_free(&result);
}

/* Loaded a second before; 20 ms to receive, step 0.1 s. */
static void receive(void)
{
    struct measured log;
    struct dlq_diagnosis result;
    double now = 3.25;
    measured_begin(&log, points_header, 4);
    for (long i = 0; i < 80; i++) {
        double got = now + 0.02 + 0.001 * gsl_rng_uniform(log.random);
        put_batch(&log, (double)(i % 4), (double[]){now - 1.3, now - 1, now, got, got + 0.1});
        now = got + 0.1;
    }
    if (!measured_diagnose(&log, &result))
        return;
    CHECK_TEXT(result.verdict.bound_by, "receive");
    CHECK(strstr(result.verdict.text, "receiving each takes 20 ms") != NULL ||
              strstr(result.verdict.text, "receiving each takes 21 ms") != NULL,
          "%s", result.verdict.text);
    CHECK_INT(result.loaders, 4);
    dlq_diagnosis_free(&result);
}

/* Loads and workers are known: N loaders of mean load s against a step of 0.1 s, whatever the waits look like. */
static void by_the_law(void)
{
    static const struct {
        double load;
        const char *bound_by, *text;
    } rows[] = {
        {0.8, "load", ": 4 loaders can't keep up, as a batch takes one of them 800 ms. At least 8 are needed"},
        {0.4, "load", ": 4 loaders could just keep up if every load took its mean, 400 ms, and loads vary."},
        {0.2, "variance", "although 4 loaders would keep up if every load took its mean, 200 ms"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log;
        struct dlq_diagnosis result;
        measured_begin(&log, "worker,load_time,data_time,iter_time", 5);
        for (long i = 0; i < 300; i++) {
            measured_put(&log, (double)(i % 4));
            measured_put(&log, rows[r].load * (0.95 + 0.1 * gsl_rng_uniform(log.random)));
            measured_wait(&log, gsl_ran_exponential(log.random, 0.1));
        }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_TEXT(result.verdict.bound_by, rows[r].bound_by);
        CHECK(strstr(result.verdict.text, rows[r].text) != NULL, "%s", result.verdict.text);
        bool assumed = strstr(result.verdict.text,
                              "That assumes that a load takes as long with more loaders, which this log cannot show: "
                              "where they share cores, storage or a lock it takes longer. One short run with another "
                              "number of them tells.") != NULL;
        CHECK(assumed == (rows[r].load == 0.8), "%s", result.verdict.text);
        CHECK_INT(result.slow_worker_count, 0);
        CHECK_REL(result.load_mean, rows[r].load, 0.02);
        dlq_diagnosis_free(&result);
    }
}

/* Four loaders of 1 s that take turns at a lock, and four that need 4 s each: later loads are the same. */
static void one_by_one(void)
{
    for (int locked = 0; locked < 2; locked++) {
        struct measured log;
        struct dlq_diagnosis result;
        double now = 0;
        measured_begin(&log, points_header, 6);
        for (long i = 0; i < 80; i++) {
            long round = 1 + i / 4;
            double end = locked ? (double)(i + 1) : 4.0 * (double)round + 0.01 * (double)(i % 4);
            double start = locked ? fmax(0, (double)(i - 3)) : end - 4, got = fmax(now, end) + 1e-3;
            put_batch(&log, (double)(i % 4), (double[]){start, end, now, got, got + 0.1});
            now = got + 0.1;
        }
        if (!measured_diagnose(&log, &result))
            continue;
        CHECK_TEXT(result.verdict.bound_by, "load");
        CHECK((strstr(result.verdict.text, "load one batch at a time") != NULL) == locked, "%s", result.verdict.text);
        CHECK((strstr(result.verdict.text, "are needed") == NULL) == locked, "%s", result.verdict.text);
        CHECK(isnan(result.needed) == locked, "%g loaders", result.needed);
        dlq_diagnosis_free(&result);
    }
}

static const struct test_case cases[] = {
    {"one by one", one_by_one},
    {"waits alone", waits_alone},
    {"numbers", numbers},
    {"thresholds", thresholds},
    {"few iterations", few_iterations},
    {"no times", no_times},
    {"slow starts", slow_starts},
    {"serial", serial},
    {"receive", receive},
    {"by the law", by_the_law},
    {NULL, NULL},
};

const struct test_suite suite_diagnose = {"diagnose", cases};
