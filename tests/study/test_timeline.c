/* Timelines and rhythms of simulated runs. */
#include "dlqueue/timeline.h"
#include "models.h"

#include <math.h>
#include <string.h>

#define TIMES "[load]\nmean = 200ms\ndistribution = lognormal\ncv = 0.3\n[step]\nmean = 31ms\n"
#define SIMULATE "[simulate]\nbatches = 500\nprecision = 0\nreplications = 1\n"

static struct dlq_model *model_or_complain(const char *text)
{
    struct dlq_error error = {0};
    struct dlq_model *model = model_of(text, &error);
    CHECK(model != NULL && error.count == 0, "no model: %s\n%s", error.text, text);
    return model;
}

static bool timeline_of(const char *text, double from, double until, struct dlq_timeline *timeline)
{
    struct dlq_error error = {0};
    struct dlq_run run = run_with(1);
    struct dlq_model *model = model_or_complain(text);
    *timeline = (struct dlq_timeline){.rank_count = 0};
    enum dlq_status status = dlq_timeline_simulate(model, from, until, &run, timeline, &error);
    CHECK(status == DLQ_OK, "status %d: %s\n%s", (int)status, error.text, text);
    dlq_model_free(model);
    return status == DLQ_OK;
}

static void what_it_says_of_the_system(void)
{
    static const struct {
        const char *pipeline, *loader;
        bool in_order;
        long loaders, workers, window;
        size_t ranks;
    } rows[] = {
        {"loaders = 7\n", "pytorch", true, 7, 7, 14, 1},
        {"loaders = 7\nloader = pytorch-unordered\nranks = 3\n", "pytorch-unordered", false, 7, 7, 14, 3},
        {"loaders = 0\n", "serial", true, 0, 1, 1, 1},
        {"loaders = 4\nloader = dali\n", "dali", true, 4, 1, 2, 1},
        {"loaders = 4\nloader = tfdata\n", "tfdata", true, 4, 4, 4, 1},
        {"loaders = 3\nwindow = unbounded\n", "pytorch", true, 3, 3, -1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct dlq_timeline timeline;
        snprintf(text, sizeof text, "[pipeline]\n%s[overheads]\nreceive = 2ms\nbarrier = 3ms\n" TIMES,
                 rows[i].pipeline);
        if (!timeline_of(text, 0.5, 2, &timeline))
            continue;
        CHECK(strcmp(timeline.loader, rows[i].loader) == 0 && timeline.in_order == rows[i].in_order, "row %zu: %s", i,
              timeline.loader);
        CHECK(timeline.loaders == rows[i].loaders && timeline.workers == rows[i].workers &&
                  timeline.window == rows[i].window && timeline.rank_count == rows[i].ranks && !timeline.measured,
              "row %zu: %ld loaders, %ld workers, window %ld, %zu ranks", i, timeline.loaders, timeline.workers,
              timeline.window, timeline.rank_count);
        CHECK(timeline.from == 0.5 && timeline.until == 2 && timeline.receive == 0.002, "row %zu", i);
        CHECK_REL(timeline.stall_above, 0.002 + (rows[i].ranks > 1 ? 0.003 : 0) + 31e-6, 1e-12);
        dlq_timeline_free(&timeline);
        CHECK(timeline.ranks == NULL, "row %zu: freed", i);
    }
}

/* Constant loads of 2 s on 7 loaders, steps of 0.1 s: by hand. Two rounds are dispatched at once; the first is there at
   2 s. */
static void by_hand(void)
{
    struct dlq_timeline timeline;
    if (!timeline_of("[pipeline]\nloaders = 7\n[load]\nmean = 2s\n[step]\nmean = 100ms\n", 0, 3, &timeline))
        return;
    const struct dlq_timeline_rank *rank = &timeline.ranks[0];
    CHECK(rank->stepped == 8 && rank->count == 21, "%zu stepped of %zu", rank->stepped, rank->count);
    for (long i = 0; i < (long)rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        bool second = i >= 7, stepped = i < 8, begun = i < 14;
        CHECK(batch->index == i && batch->epoch == 0 && batch->step == (stepped ? i : -1), "batch %ld: %ld, %ld", i,
              batch->index, batch->step);
        CHECK(batch->worker == (begun ? i % 7 : -1), "batch %ld on %ld", i, batch->worker);
        CHECK(begun ? batch->load_start == (second ? 2 : 0) && batch->load_end == (second ? 4 : 2)
                    : isnan(batch->load_start) && isnan(batch->ready),
              "batch %ld: %g to %g", i, batch->load_start, batch->load_end);
        if (i >= 14)
            CHECK_REL(batch->dispatched, 2 + 0.1 * (double)(i - 14), 1e-12);
        else
            CHECK(batch->dispatched == 0, "batch %ld: %g", i, batch->dispatched);
        if (stepped)
            CHECK_REL(batch->step_end, i < 7 ? 2.1 + 0.1 * (double)i : 4.1, 1e-12);
        else
            CHECK(isnan(batch->request) && isnan(batch->received) && isnan(batch->step_end), "batch %ld", i);
    }
    dlq_timeline_free(&timeline);
}

static void usual_times(void)
{
    static const struct {
        const char *text;
        double low, high;
    } rows[] = {
        {"[pipeline]\nloaders = 7\n[load]\nmean = 2s\n[step]\nmean = 100ms\n", 6, 6},
        {"[pipeline]\nloaders = 7\n[load]\nmean = 700ms\n[step]\nmean = 100ms\n", 2, 2.5},
        {"[pipeline]\nloaders = 7\n[load]\nmean = 700ms\n[step]\nmean = 100ms\n[simulate]\nhorizon = 1.7s\n", 1.7, 1.7},
        {"[pipeline]\nloaders = 64\n[load]\nmean = 1ms\n[step]\nmean = 100ms\n", 18, 30},
        {"[pipeline]\nloaders = 2\n[load]\nmean = 1ms\n[step]\nmean = 10ms\n", 0.18, 0.3},
        {"[pipeline]\nloaders = 2\n[load]\nmean = 1ms\n[step]\nmean = 0\n", 0.003, 0.003},
        {"[pipeline]\nloaders = 2\n[load]\nmean = 1ns\n[step]\nmean = 0\n", 1e-9, 1e-8},
        {"[pipeline]\nloaders = 0\n[load]\nmean = 300ms\n[step]\nmean = 200ms\n", 9, 10},
        {"[pipeline]\nloaders = 2\n[overheads]\nstartup = 11s\n[load]\nmean = 1s\n[step]\nmean = 10ms\n", 13, 15},
        {"[pipeline]\nloaders = 4\nslow_loaders = 1\nslow_factor = 3\n[load]\nmean = 1s\n[step]\nmean = 10ms\n", 8, 10},
        {"[pipeline]\nloaders = 4\n[load]\nmean = 1s\nuses = cpu\n[step]\nmean = 10ms\n[host]\ncores = 1\n", 10.8, 15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double until = 0;
        struct dlq_error error = {0};
        struct dlq_model *model = model_or_complain(rows[i].text);
        CHECK(dlq_timeline_usual(model, &until, &error) == DLQ_OK, "row %zu: %s", i, error.text);
        CHECK(until >= rows[i].low * (1 - 1e-12) && until <= rows[i].high * (1 + 1e-12), "row %zu: %g, expected %g..%g",
              i, until, rows[i].low, rows[i].high);
        dlq_model_free(model);
    }
}

/* Of the same waits as the timeline, the period that dlq_simulate finds. */
static void rhythms(void)
{
    static const char *const texts[] = {
        "[pipeline]\nloaders = 7\n[load]\nmean = 900ms\ncv = 0.1\n[step]\nmean = 100ms\n" SIMULATE,
        "[pipeline]\nloaders = 4\nloader = pool\n[load]\nmean = 500ms\n[step]\nmean = 100ms\n" SIMULATE,
        "[pipeline]\nloaders = 0\n" TIMES SIMULATE,
        "[pipeline]\nloaders = 3\nepoch_batches = 20\nranks = 2\n" TIMES SIMULATE,
        "[pipeline]\nloaders = 3\n" TIMES "[simulate]\nhorizon = 31s\nprecision = 0\nreplications = 1\n",
    };
    long found = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct dlq_error error = {0};
        struct dlq_run run = run_with(1);
        struct dlq_rhythm rhythm = {0};
        struct dlq_simulation result = {.period = NAN};
        struct dlq_timeline timeline = {0};
        struct dlq_model *model = model_or_complain(texts[i]);
        enum dlq_status status = dlq_rhythm_simulate(model, &run, &rhythm, &error);
        if (status == DLQ_OK)
            status = dlq_simulate(model, &run, &result, &error);
        if (status == DLQ_OK)
            status = dlq_timeline_simulate(model, 0, 200, &run, &timeline, &error);
        CHECK(status == DLQ_OK, "row %zu: %s", i, error.text);
        const struct dlq_timeline_rank *rank = &timeline.ranks[0];
        bool enough = status == DLQ_OK && (size_t)rhythm.first + rhythm.count <= rank->stepped && rhythm.count > 0;
        CHECK(enough, "row %zu: %ld + %zu waits", i, rhythm.first, rhythm.count);
        double waited = 0;
        for (size_t k = 0; enough && k < rhythm.count; k++) {
            const struct dlq_timeline_batch *batch = &rank->batches[(size_t)rhythm.first + k];
            CHECK(fabs(rhythm.waits[k] - (batch->step_begin - batch->request)) <= 1e-15 * batch->step_begin,
                  "row %zu, wait %zu: %g", i, k, rhythm.waits[k]);
            waited += rhythm.waits[k];
        }
        CHECK(enough && (result.period == rhythm.period || (isnan(result.period) && isnan(rhythm.period))),
              "row %zu: period %g, simulated %g", i, rhythm.period, result.period);
        CHECK(rhythm.stalled == result.stalled_steps.value, "row %zu: %g stalled", i, rhythm.stalled);
        CHECK_REL(rhythm.idle, waited / (waited + rhythm.step_mean * (double)rhythm.count), 1e-9);
        CHECK(rhythm.acf != NULL && rhythm.loaders == timeline.workers && rhythm.stall_above == timeline.stall_above,
              "row %zu", i);
        found += !isnan(rhythm.period);
        dlq_timeline_free(&timeline);
        dlq_rhythm_free(&rhythm);
        dlq_model_free(model);
    }
    CHECK(found >= 2, "%ld periods", found);
}

/* The chain solves for its own method; records need none. */
static void markov_models_are_recorded(void)
{
    struct dlq_timeline timeline;
    static const char text[] = "[pipeline]\nloaders = 2\n[load]\ndistribution = exponential\nmean = 50ms\n[step]\n"
                               "distribution = exponential\nmean = 31ms\n[simulate]\nmethod = markov\n";
    if (timeline_of(text, 0, 3, &timeline))
        CHECK(timeline.ranks[0].stepped > 30, "%zu steps", timeline.ranks[0].stepped);
    dlq_timeline_free(&timeline);
}

static void refusals(void)
{
    static volatile sig_atomic_t raised = 1;
    static const struct {
        const char *text;
        double from, until;
        bool interrupted;
        enum dlq_status status;
        const char *says;
    } rows[] = {
        {"[pipeline]\nloaders = 2\n[load]\nmean = 1us\n[step]\nmean = 1us\n", 0, 100, false, DLQ_INVALID, "1048576"},
        {"[pipeline]\nloaders = 2\n" TIMES, 0, 100, true, DLQ_INTERRUPTED, "interrupted"},
        {"[pipeline]\nloaders = 2\n" TIMES, 2, 1, false, DLQ_INVALID, "until"},
        {"[pipeline]\nloaders = 2\nwindow = 2000000\n" TIMES, 0, 1, false, DLQ_INVALID, "test.ini:3: [pipeline]"},
        {"[pipeline]\nloaders = 2\n", 0, 1, false, DLQ_INVALID, "[load]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_timeline timeline = {.loaders = 77};
        struct dlq_rhythm rhythm = {.loaders = 77};
        struct dlq_run run = run_with(1);
        run.interrupted = rows[i].interrupted ? &raised : NULL;
        struct dlq_model *model = model_or_complain(rows[i].text);
        enum dlq_status status = dlq_timeline_simulate(model, rows[i].from, rows[i].until, &run, &timeline, &error);
        CHECK(status == rows[i].status && timeline.loaders == 77 && strstr(error.text, rows[i].says) != NULL,
              "row %zu: status %d, '%s'", i, (int)status, error.text);
        if (i == 1 || i >= 3)
            CHECK(dlq_rhythm_simulate(model, &run, &rhythm, &error) == rows[i].status && rhythm.loaders == 77,
                  "row %zu: rhythm", i);
        if (i >= 3) {
            double until = 77;
            CHECK(dlq_timeline_usual(model, &until, &error) == DLQ_INVALID && until == 77, "row %zu: usual", i);
        }
        dlq_model_free(model);
    }
}

TEST_SUITE(timeline, CASE(what_it_says_of_the_system), CASE(by_hand), CASE(usual_times), CASE(rhythms),
           CASE(markov_models_are_recorded), CASE(refusals));
