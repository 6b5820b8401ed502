/* Diagnoses of logs with known ills: their numbers. What is said of them: tests/report/test_diagnose_verdict.c. */
#include "made_logs.h"

/* -- waits alone -- */

enum { LENGTH = 400 };

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
        enum dlq_severity severity;
        bool waits;
    } rows[] = {
        {0.0098, DLQ_SEVERITY_NONE, false},   {0.0102, DLQ_SEVERITY_SMALL, false}, {0.049, DLQ_SEVERITY_SMALL, false},
        {0.051, DLQ_SEVERITY_SLIGHT, true},   {0.098, DLQ_SEVERITY_SLIGHT, true},  {0.102, DLQ_SEVERITY_MODERATE, true},
        {0.198, DLQ_SEVERITY_MODERATE, true}, {0.203, DLQ_SEVERITY_SEVERE, true},
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
        CHECK_INT(result.severity, rows[r].severity);
        CHECK_INT(result.cause, rows[r].waits ? DLQ_DIAGNOSIS_LOAD : DLQ_DIAGNOSIS_STEP);
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

TEST_SUITE(diagnose, CASE(numbers), CASE(thresholds), CASE(no_times));
