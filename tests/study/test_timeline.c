/* Timelines and rhythms of simulated runs. */
#include "models.h"

#define TIMES "load.mean=200ms load.distribution=lognormal load.cv=0.3 step.mean=31ms "
#define SIMULATE "simulate.batches=500 simulate.precision=0 simulate.replications=1 "

static void what_it_says_of_the_system(void)
{
    static const struct {
        const char *pipeline, *loader;
        bool in_order;
        long loaders, workers, window;
        size_t ranks;
    } rows[] = {
        {"pipeline.loaders=7 ", "pytorch", true, 7, 7, 14, 1},
        {"pipeline.loaders=7 pipeline.loader=pytorch-unordered pipeline.ranks=3 ", "pytorch-unordered", false, 7, 7, 14,
         3},
        {"pipeline.loaders=0 ", "serial", true, 0, 1, 1, 1},
        /* The chain solves for its own method; records need none. */
        {"pipeline.loaders=2 simulate.method=markov ", "pytorch", true, 2, 2, 4, 1},
        {"pipeline.loaders=4 pipeline.loader=dali ", "dali", true, 4, 1, 2, 1},
        {"pipeline.loaders=4 pipeline.loader=tfdata ", "tfdata", true, 4, 4, 4, 1},
        {"pipeline.loaders=3 pipeline.window=unbounded ", "pytorch", true, 3, 3, -1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s overheads.receive=2ms overheads.barrier=3ms " TIMES, rows[i].pipeline);
        struct dlq_timeline timeline = recorded(text, 0.5, 2);
        CHECK(strcmp(timeline.loader, rows[i].loader) == 0 && timeline.in_order == rows[i].in_order, "row %zu: %s", i,
              timeline.loader);
        CHECK(timeline.loaders == rows[i].loaders && timeline.workers == rows[i].workers &&
                  timeline.window == rows[i].window && timeline.rank_count == rows[i].ranks && !timeline.measured,
              "row %zu: %ld loaders, %ld workers, window %ld, %zu ranks", i, timeline.loaders, timeline.workers,
              timeline.window, timeline.rank_count);
        const double receive = rows[i].loaders > 0 ? 0.002 : 0;
        CHECK(timeline.from == 0.5 && timeline.until == 2 && timeline.receive == receive, "row %zu", i);
        CHECK_REL(timeline.stall_above, receive + (rows[i].ranks > 1 ? 0.003 : 0) + 31e-6, 1e-12);
        dlq_timeline_free(&timeline);
        CHECK(timeline.ranks == NULL, "row %zu: freed", i);
    }
}

/* Constant loads of 2 s on 7 loaders, steps of 0.1 s: by hand. Two rounds are dispatched at once; the first: at 2 s. */
static void by_hand(void)
{
    OWN(dlq_timeline) timeline = recorded("pipeline.loaders=7 load.mean=2s step.mean=100ms ", 0, 3);
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
}

static void usual_times(void)
{
    static const struct {
        const char *text;
        double low, high;
    } rows[] = {
        {"pipeline.loaders=7 load.mean=2s step.mean=100ms ", 6, 6},
        {"pipeline.loaders=7 load.mean=700ms step.mean=100ms ", 2, 2.5},
        {"pipeline.loaders=7 load.mean=700ms step.mean=100ms simulate.horizon=1.7s ", 1.7, 1.7},
        {"pipeline.loaders=64 load.mean=1ms step.mean=100ms ", 18, 30},
        {"pipeline.loaders=2 load.mean=1ms step.mean=10ms ", 0.18, 0.3},
        {"pipeline.loaders=2 load.mean=1ms step.mean=0 ", 0.003, 0.003},
        {"pipeline.loaders=2 load.mean=1ns step.mean=0 ", 1e-9, 1e-8},
        {"pipeline.loaders=0 load.mean=300ms step.mean=200ms ", 9, 10},
        {"pipeline.loaders=2 overheads.startup=11s load.mean=1s step.mean=10ms ", 13, 15},
        {"pipeline.loaders=4 pipeline.slow_loaders=1 pipeline.slow_factor=3 load.mean=1s step.mean=10ms ", 8, 10},
        {"pipeline.loaders=4 load.mean=1s load.uses=cpu step.mean=10ms host.cores=1 ", 10.8, 15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double until = 0;
        struct dlq_error error = {0};
        OWN_MODEL *model = model_with(rows[i].text, "", &error);
        CHECK(dlq_timeline_default_end(model, &until, &error) == DLQ_OK, "row %zu: %s", i, error.text);
        CHECK(until >= rows[i].low * (1 - 1e-12) && until <= rows[i].high * (1 + 1e-12), "row %zu: %g, expected %g..%g",
              i, until, rows[i].low, rows[i].high);
    }
}

/* A slow load that begins within a timeline ends within its story; other loads that are cut are none. */
static void stories(void)
{
    static const struct {
        const char *text;
        double until, low, high;
    } rows[] = {
        /* Batch 9, from 0.5 to 5.5 s. */
        {"load.usual.mean=500ms load.tail.mean=4.5s load.tail.probability=2% ", 3, 5.8, 5.8},
        {"load.usual.mean=500ms load.tail.mean=4.5s load.tail.probability=2% ", 0.4, 0.4, 0.4},
        {"load.usual.mean=500ms load.tail.mean=4.5s load.tail.probability=2% ", 2.6, 2.6, 2.6}, /* too late */
        {"load.usual.mean=500ms load.tail.mean=1.2s load.tail.probability=2% ", 1.5, 2.35, 2.35},
        {"load.usual.mean=500ms load.tail.mean=450ms load.tail.probability=2% ", 1.2, 1.2, 1.2}, /* not slow */
        {"load.mean=700ms ", 3, 3, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_run run = run_with(1);
        OWN(dlq_timeline) timeline;
        OWN_MODEL *model = model_with("pipeline.loaders=8 step.mean=100ms ", rows[i].text, &error);
        double until = 0;
        CHECK(dlq_timeline_simulate(model, 0, rows[i].until, &run, &timeline, &error) == DLQ_OK, "%s", error.text);
        CHECK_INT(dlq_timeline_long_load_end(&timeline, &until, &error), DLQ_OK);
        CHECK(until >= rows[i].low * (1 - 1e-9) && until <= rows[i].high * (1 + 1e-9), "row %zu: until %g", i, until);
    }
}

/* Of the same waits as the timeline, the period that dlq_simulate finds. */
static void rhythms(void)
{
    static const char *const texts[] = {
        "pipeline.loaders=7 load.mean=900ms load.cv=0.1 step.mean=100ms " SIMULATE,
        "pipeline.loaders=4 pipeline.loader=pool load.mean=500ms step.mean=100ms " SIMULATE,
        "pipeline.loaders=0 " TIMES SIMULATE,
        "pipeline.loaders=3 pipeline.epoch_batches=20 pipeline.ranks=2 " TIMES SIMULATE,
        "pipeline.loaders=3 " TIMES "simulate.horizon=31s simulate.precision=0 simulate.replications=1 ",
    };
    long found = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct dlq_error error = {0};
        struct dlq_run run = run_with(1);
        OWN(dlq_rhythm) rhythm = {0};
        struct dlq_simulation result = {.period = NAN};
        OWN(dlq_timeline) timeline = {0};
        OWN_MODEL *model = model_with(texts[i], "", &error);
        enum dlq_status status = dlq_rhythm_simulate(model, &run, &rhythm, &error);
        if (status == DLQ_OK)
            status = dlq_simulate(model, &run, &result, &error);
        if (status == DLQ_OK)
            status = dlq_timeline_simulate(model, 0, 200, &run, &timeline, &error);
        CHECK(status == DLQ_OK, "row %zu: %s", i, error.text);
        const struct dlq_timeline_rank *rank = &timeline.ranks[0];
        bool enough = status == DLQ_OK && (size_t)rhythm.first_step + rhythm.count <= rank->stepped && rhythm.count > 0;
        CHECK(enough, "row %zu: %ld + %zu waits", i, rhythm.first_step, rhythm.count);
        double waited = 0;
        for (size_t k = 0; enough && k < rhythm.count; k++) {
            const struct dlq_timeline_batch *batch = &rank->batches[(size_t)rhythm.first_step + k];
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
    }
    CHECK(found >= 2, "%ld periods", found);
}

static void refusals(void)
{
    static const struct {
        const char *text;
        double from, until;
        enum dlq_status status;
        const char *says;
    } rows[] = {
        {"pipeline.loaders=2 load.mean=1us step.mean=1us ", 0, 100, DLQ_INVALID, "1048576"},
        {"pipeline.loaders=2 " TIMES, 2, 1, DLQ_INVALID, "until"},
        {"pipeline.loaders=2 pipeline.window=2000000 " TIMES, 0, 1, DLQ_INVALID, "set: [pipeline]"},
        {"pipeline.loaders=2 ", 0, 1, DLQ_INVALID, "[load]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_timeline timeline = {.loaders = 77};
        struct dlq_rhythm rhythm = {.loaders = 77};
        struct dlq_run run = run_with(1);
        OWN_MODEL *model = model_with(rows[i].text, "", &error);
        enum dlq_status status = dlq_timeline_simulate(model, rows[i].from, rows[i].until, &run, &timeline, &error);
        CHECK(status == rows[i].status && timeline.loaders == 77 && strstr(error.text, rows[i].says) != NULL,
              "row %zu: status %d, '%s'", i, (int)status, error.text);
        if (i >= 2) {
            double until = 77;
            CHECK(dlq_rhythm_simulate(model, &run, &rhythm, &error) == rows[i].status && rhythm.loaders == 77,
                  "row %zu: rhythm", i);
            CHECK(dlq_timeline_default_end(model, &until, &error) == DLQ_INVALID && until == 77, "row %zu: usual", i);
        }
    }
}

/* The same loads in both orders. By hand of each late batch: a batch behind it is held from when it is ready until the
   late one is taken. */
static void other_order(void)
{
    static const char *const rows[] = {
        "pipeline.loaders=8 load.usual.mean=500ms load.tail.mean=4.5s load.tail.probability=2% step.mean=100ms ",
        "pipeline.loaders=5 pipeline.loader=pool-ordered load.mean=239ms load.cv=1.3 step.mean=57ms ",
        "pipeline.loaders=3 pipeline.loader=grain load.mean=239ms load.cv=1.8 step.mean=97ms overheads.receive=7ms ",
    };
    static const double from = 2.385, until = 23.7;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        const struct dlq_run run = run_with(1);
        struct dlq_timeline ordered = recorded(rows[i], from, until), completed;
        OWN_MODEL *model = model_with(rows[i], "", &error);
        CHECK_INT(dlq_timeline_reorder(model, true, from, until, &run, &completed, &error), DLQ_INVALID);
        CHECK_INT(dlq_timeline_reorder(model, false, from, until, &run, &completed, &error), DLQ_OK);
        struct dlq_timeline_rank *own = &ordered.ranks[0], *other = &completed.ranks[0];
        CHECK(ordered.in_order && !completed.in_order, "row %zu", i);
        size_t same = 0;
        for (size_t k = 0; k < own->count; k++)
            for (size_t j = 0; j < other->count; j++) {
                const struct dlq_timeline_batch *a = &own->batches[k], *b = &other->batches[j];
                if (a->index != b->index || isnan(a->load_end) || isnan(b->load_end))
                    continue;
                CHECK_REL(a->load_end - a->load_start, b->load_end - b->load_start, 1e-9);
                same++;
            }
        CHECK(same > 3, "row %zu: %zu batches in both", i, same);
        OWN(dlq_queue_levels) levels;
        struct dlq_timeline_lateness lateness;
        CHECK_INT(dlq_timeline_queue(&ordered, 0, &levels, &error), DLQ_OK);
        CHECK_INT(dlq_timeline_find_late(&ordered, 0, &levels, &lateness, &error), DLQ_OK);
        CHECK(lateness.count > 0, "row %zu: %zu late batches", i, lateness.count);
        for (size_t k = 0; k < lateness.count; k++) {
            const struct dlq_timeline_late *late = &lateness.batches[k];
            double first = late->end;
            long held = 0;
            for (size_t j = 0; j < own->count; j++)
                if (own->batches[j].index > late->index && own->batches[j].ready < late->end) {
                    held++;
                    first = fmin(first, fmax(own->batches[j].ready, late->begin));
                }
            CHECK_INT(late->held, held);
            CHECK_REL(late->lost, late->end - first, 1e-9);
            CHECK(dlq_timeline_late_batch(&lateness, late->epoch, late->index) == late, "row %zu", i);
        }
        CHECK(dlq_timeline_late_batch(&lateness, 0, -1) == NULL, "row %zu", i);
        free(lateness.batches);
        CHECK_INT(dlq_timeline_find_late(&completed, 0, &levels, &lateness, &error), DLQ_OK);
        CHECK_INT(lateness.count, 0);
        free(lateness.batches);
        dlq_timeline_free(&ordered);
        dlq_timeline_free(&completed);
    }
}

TEST_SUITE(timeline, CASE(what_it_says_of_the_system), CASE(by_hand), CASE(usual_times), CASE(stories), CASE(rhythms),
           CASE(refusals), CASE(other_order));
