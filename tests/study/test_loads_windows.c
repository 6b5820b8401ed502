/* Load times from means over windows, and from totals. */
#include "model/model.h"
#include "pipelines.h"
#include "study/fit/fit.h"
#include "study/what_if/what_if.h"

/* Windows of 20 out of 5,000 steps tell the mean, and how much loads vary. */
static void many_windows(void)
{
    static const struct {
        struct truth truth;
        double tolerance, cv_tolerance;
    } cases[] = {
        {{4, 2, 5000, "constant", 0.6, 0, 0.1, 0, 0, 0, 0}, 0.01, 0.05},
        {{4, 2, 5000, "gamma", 0.48, 0.1, 0.1, 0.1, 0, 0, 0}, 0.02, 0.05},
        {{4, 2, 5000, "lognormal", 0.40, 0.5, 0.1, 0.1, 0, 0, 0}, 0.05, 0.15},
        {{8, 4, 5000, "gamma", 0.84, 0.3, 0.1, 0.1, 0, 0, 0}, 0.05, 0.1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct truth *truth = &cases[i].truth;
        struct pipeline_log log = log_of(truth, 7);
        struct dlq_pipeline_hint hint = {NULL, truth->loaders, truth->prefetch};
        struct dlq_load_question question = question_of(&log, &hint);
        struct dlq_load_evidence found = {0};
        struct dlq_error error = {0};
        make_windows(&log, 20);
        CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_MEAN, &found, &error), DLQ_OK);
        CHECK_REL(found.fitted[0].mean, log.mean, cases[i].tolerance);
        CHECK_ABS(found.fitted[0].cv, truth->cv, cases[i].cv_tolerance);
        CHECK(found.mean_low <= truth->load && truth->load <= found.mean_high, "case %zu: %g..%g", i, found.mean_low,
              found.mean_high);
        CHECK(found.source == DLQ_FIT_WINDOWS && found.note_count > 0, "case %zu: source", i);
        dlq_load_evidence_free(&found);
        free(log.batches);
    }
}

/* Ten windows do not tell how much loads vary: the range says so and holds the truth. */
static void few_windows(void)
{
    static const double cvs[] = {0.1, 0.5, 1};
    for (size_t i = 0; i < sizeof cvs / sizeof *cvs; i++) {
        const struct truth truth = {4, 2, 500, "gamma", 0.44, cvs[i], 0.1, 0.1, 0, 0, 0};
        struct pipeline_log log = log_of(&truth, 7);
        struct dlq_pipeline_hint hint = {NULL, 4, 2};
        struct dlq_load_question question = question_of(&log, &hint);
        struct dlq_load_evidence found = {0};
        struct dlq_error error = {0};
        make_windows(&log, 50);
        CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_MEAN, &found, &error), DLQ_OK);
        CHECK(found.mean_low <= log.mean && log.mean <= found.mean_high * 1.01, "cv %g: %g not in %g..%g", cvs[i],
              log.mean, found.mean_low, found.mean_high);
        CHECK(found.mean_low == 0, "a lower limit that the log does not tell: %g", found.mean_low);
        CHECK_INT(found.notes[0].kind, DLQ_NOTE_SPREAD_UNKNOWN);
        dlq_load_evidence_free(&found);
        free(log.batches);
    }
}

/* A slow tail: with few windows its mean load is far below that of loads which hardly vary. */
static void few_windows_of_a_tail(void)
{
    const struct truth truth = {8, 2, 600, "lognormal", 0.2, 0.1, 0.1, 0, 0.02, 40, 0};
    struct pipeline_log log = log_of(&truth, 7);
    struct dlq_pipeline_hint hint = {NULL, 8, 2};
    struct dlq_load_question question = question_of(&log, &hint);
    struct dlq_load_evidence found = {0};
    struct dlq_error error = {0};
    make_windows(&log, 600);
    CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_TOTAL, &found, &error), DLQ_OK);
    CHECK(found.mean_low <= log.mean && log.mean <= found.mean_high, "%g not in %g..%g", log.mean, found.mean_low,
          found.mean_high);
    CHECK_INT(found.notes[0].kind, DLQ_NOTE_SPREAD_UNKNOWN);
    dlq_load_evidence_free(&found);
    free(log.batches);
}

/* Medians hide what one in eight iterations waits for; where all wait they do as means. */
static void medians(void)
{
    static const struct {
        struct truth truth;
        enum dlq_status status;
    } cases[] = {
        {{8, 2, 4000, "constant", 1.2, 0, 0.1, 0, 0, 0, 0}, DLQ_NO_ANSWER},
        {{8, 2, 4000, "constant", 0.4, 0, 0.1, 0, 0, 0, 0.001}, DLQ_NO_ANSWER},
        {{1, 2, 4000, "gamma", 0.2, 0.1, 0.1, 0, 0, 0, 0}, DLQ_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct truth *truth = &cases[i].truth;
        struct pipeline_log log = log_of(truth, 7);
        struct dlq_pipeline_hint hint = {NULL, truth->loaders, truth->prefetch};
        struct dlq_load_question question = question_of(&log, &hint);
        struct dlq_load_evidence found = {.n = 77};
        struct dlq_error error = {0};
        make_windows(&log, 20);
        for (size_t k = 0; k < log.rank.count && truth->loaders > 1; k++) {
            log.batches[k].iter -= log.batches[k].data - truth->receive;
            log.batches[k].data = truth->receive;
        }
        CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_MEDIAN, &found, &error), cases[i].status);
        if (cases[i].status == DLQ_OK) {
            CHECK_REL(found.fitted[0].mean, log.mean, 0.02);
        } else {
            CHECK_INT(found.n, 77);
            CHECK(strstr(error.text, "medians") != NULL && strstr(error.text, "dlqueue_probe") != NULL, "%s",
                  error.text);
        }
        dlq_load_evidence_free(&found);
        free(log.batches);
    }
}

/* Single iterations beside the means tell it: by the share of them that stall. */
static void samples_tell_the_spread(void)
{
    const struct truth truth = {4, 2, 5000, "lognormal", 0.44, 0.5, 0.1, 0, 0, 0, 0};
    struct pipeline_log log = log_of(&truth, 7);
    struct dlq_pipeline_hint hint = {NULL, 4, 2};
    struct dlq_load_question question = question_of(&log, &hint);
    struct dlq_load_evidence found = {0};
    struct dlq_error error = {0};
    struct dlq_histogram singles;
    CHECK(dlq_histogram_begin(&singles, 8), "memory");
    for (size_t i = 0; i < log.rank.count; i++)
        dlq_histogram_add(&singles, &log.batches[i].data, 1);
    make_windows(&log, 250);
    question.singles = &singles;
    CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_SAMPLED, &found, &error), DLQ_OK);
    CHECK_REL(found.fitted[0].mean, log.mean, 0.05);
    CHECK_ABS(found.fitted[0].cv, 0.5, 0.15);
    dlq_histogram_free(&singles);
    dlq_load_evidence_free(&found);
    free(log.batches);
}

static void windows_bound(void)
{
    const struct truth truth = {4, 2, 1000, "gamma", 0.2, 0.1, 0.1, 0, 0, 0, 0.0005};
    struct pipeline_log log = log_of(&truth, 7);
    struct dlq_pipeline_hint hint = {NULL, 4, 2};
    struct dlq_load_question question = question_of(&log, &hint);
    make_windows(&log, 50);
    for (int without_data = 0; without_data < 2; without_data++) {
        struct dlq_load_evidence found = {0};
        struct dlq_error error = {0};
        CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_MEAN, &found, &error), DLQ_OK);
        CHECK(found.only_bound && found.fitted_count == 0, "a bound alone");
        CHECK_REL(found.mean_high, 0.402, 0.01);
        CHECK(found.note_count == 1 &&
                  found.notes[0].kind == (without_data ? DLQ_NOTE_NO_DATA_TIMES : DLQ_NOTE_HARDLY_WAITS),
              "note %d", (int)found.notes[0].kind);
        dlq_load_evidence_free(&found);
        for (size_t i = 0; i < log.rank.count; i++)
            log.batches[i].data = NAN;
    }
    struct dlq_load_evidence found = {.n = 77};
    struct dlq_error error = {0};
    hint.loaders = -1;
    CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_MEAN, &found, &error), DLQ_NO_ANSWER);
    CHECK_INT(found.n, 77);
    free(log.batches);
}

static void serial_windows(void)
{
    const struct truth truth = {0, 0, 4000, "gamma", 0.3, 0.5, 0.1, 0.1, 0, 0, 0};
    struct pipeline_log log = log_of(&truth, 4);
    struct dlq_pipeline_hint hint = {"serial", 0, 0};
    struct dlq_load_question question = question_of(&log, &hint);
    struct dlq_load_evidence found = {0};
    struct dlq_error error = {0};
    make_windows(&log, 20);
    CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_MEAN, &found, &error), DLQ_OK);
    CHECK_REL(found.fitted[0].mean, log.mean, 1e-6);
    CHECK_REL(found.fitted[0].cv, 0.5, 0.15);
    CHECK(found.mean_low < 0.3 && 0.3 < found.mean_high, "%g..%g", found.mean_low, found.mean_high);
    CHECK(found.mean_low > 0.28 && found.mean_high < 0.32, "%g..%g", found.mean_low, found.mean_high);
    CHECK_REL(found.mean_high - log.mean, log.mean - found.mean_low, 1e-6);
    dlq_load_evidence_free(&found);
    /* Lines without a data time say nothing of its mean. */
    for (size_t k = 5; k < log.rank.count; k += 20)
        log.batches[k].data = NAN;
    CHECK_INT(dlq_loads_from_windows(&question, DLQ_NUMBERS_MEAN, &found, &error), DLQ_OK);
    CHECK(found.mean_low > 0.28 && found.mean_high < 0.32, "%g..%g", found.mean_low, found.mean_high);
    dlq_load_evidence_free(&found);
    free(log.batches);
}

/* A pool's batches can't be followed; a shared queue with constant loads is bound by N/s all the same. */
static void other_loaders(void)
{
    const struct truth truth = {4, 2, 1000, "constant", 0.6, 0, 0.1, 0, 0, 0, 0};
    struct pipeline_log log = log_of(&truth, 7);
    struct dlq_pipeline_hint hint = {"pool-ordered", 4, 2};
    struct dlq_load_question question = question_of(&log, &hint);
    struct dlq_load_evidence found = {0};
    struct dlq_error error = {0};
    CHECK_INT(dlq_loads_from_waits(&question, &found, &error), DLQ_OK);
    CHECK_REL(found.fitted[0].mean, 0.6, 0.01);
    CHECK_INT(found.notes[0].kind, DLQ_NOTE_MATCHED);
    dlq_load_evidence_free(&found);
    free(log.batches);
}

/* 100 steps in 100 s, 100 batches in 200 s: loading is the bottleneck, and twice as fast loads double the speed. */
static void stopwatch(void)
{
    static const long loaders[] = {0, 1, 4};
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
        const struct dlq_stopwatch steps = {100, 100}, loads = {100, 200};
        const struct dlq_pipeline_hint hint = {NULL, loaders[i], 0};
        struct dlq_load_evidence found = {0};
        struct dlq_error error = {0};
        double step = 0;
        CHECK_INT(dlq_loads_from_stopwatch(&steps, &loads, &hint, &found, &step, &error), DLQ_OK);
        CHECK_REL(step, 1, 1e-12);
        CHECK_REL(found.fitted[0].mean, loaders[i] > 0 ? 2.0 * (double)loaders[i] : 2, 1e-12);
        CHECK_TEXT(found.fitted[0].family->name, "constant");
        CHECK_INT(found.source, DLQ_FIT_STOPWATCH);
        dlq_load_evidence_free(&found);
    }
    const struct dlq_stopwatch good = {100, 100}, none = {0, 0}, negative = {100, -1};
    struct dlq_load_evidence found = {.n = 77};
    double step = 5;
    const struct dlq_pipeline_hint four = {NULL, 4, 0}, unknown = {NULL, -1, 0};
    CHECK_INT(dlq_loads_from_stopwatch(&none, &good, &four, &found, &step, NULL), DLQ_INVALID);
    CHECK_INT(dlq_loads_from_stopwatch(&good, &negative, &four, &found, &step, NULL), DLQ_INVALID);
    CHECK_INT(dlq_loads_from_stopwatch(&good, &good, &unknown, &found, &step, NULL), DLQ_NO_ANSWER);
    CHECK(found.n == 77 && step == 5, "untouched");
}

static const struct test_case tests[] = {
    {"many_windows", many_windows},
    {"few_windows", few_windows},
    {"few_windows_of_a_tail", few_windows_of_a_tail},
    {"medians", medians},
    {"samples_tell_the_spread", samples_tell_the_spread},
    {"windows_bound", windows_bound},
    {"serial_windows", serial_windows},
    {"other_loaders", other_loaders},
    {"stopwatch", stopwatch},
    {NULL, NULL},
};
const struct test_suite suite_loads_windows = {"loads_windows", tests};
