/* Waits of timelines and their rhythm: known answers. */
#include "made_timelines.h"
#include "models.h"

#include "study/timeline/timeline.h"

#include <stdlib.h>

static struct dlq_rhythm waits_of(const double *waits, size_t count, long loaders)
{
    struct dlq_rhythm rhythm = {.count = count, .loaders = loaders, .waits = calloc(count + 1, sizeof(double))};
    for (size_t i = 0; i < count; i++)
        rhythm.waits[i] = waits[i];
    return rhythm;
}

/* x = 1, 2, 3: acf = 1, 0, -1/2 (see stats/series.c). */
static void correlations(void)
{
    static const double rising[] = {1, 2, 3}, equal[] = {2, 2, 2, 2}, nearly[] = {1, 1 + 1e-8, 1}, one[] = {4};
    static const struct {
        const double *waits;
        size_t count, lags;
        bool varies;
        double last;
    } rows[] = {{rising, 3, 2, true, -0.5},
                {equal, 4, 3, false, 0},
                {nearly, 3, 2, false, 0},
                {one, 1, 0, false, 0},
                {one, 0, 0, false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_rhythm rhythm = waits_of(rows[i].waits, rows[i].count, 2);
        CHECK_INT(dlq_rhythm_finish(&rhythm, NULL), DLQ_OK);
        CHECK(rhythm.lags == rows[i].lags && (rhythm.acf_count > 0) == rows[i].varies, "row %zu: %zu lags", i,
              rhythm.lags);
        CHECK_ABS(rhythm.acf[rhythm.lags], rows[i].last, 1e-12);
        CHECK(rows[i].count > 0 ? fabs(rhythm.band - 1.96 / sqrt((double)rows[i].count)) < 1e-12 : isnan(rhythm.band),
              "row %zu: band %g", i, rhythm.band);
        dlq_rhythm_free(&rhythm);
        CHECK(rhythm.waits == NULL && rhythm.acf == NULL && rhythm.count == 0, "not forgotten");
    }
}

static void lags(void)
{
    static double waits[3000];
    static const struct {
        long loaders;
        size_t count, lags;
    } rows[] = {
        {0, 3000, 40},   {1, 3000, 40},   {6, 3000, 40},    {7, 3000, 42}, {16, 3000, 96}, {85, 3000, 510},
        {86, 3000, 512}, {128, 600, 512}, {400, 3000, 512}, {16, 50, 49},  {0, 2, 1},      {1 << 30, 100, 99},
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        waits[i] = (double)(i % 7);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_rhythm) rhythm = waits_of(waits, rows[i].count, rows[i].loaders);
        CHECK_INT(dlq_rhythm_finish(&rhythm, NULL), DLQ_OK);
        CHECK(rhythm.lags == rows[i].lags && rhythm.acf_count > 0 && rhythm.acf[0] == 1, "row %zu: %zu lags", i,
              rhythm.lags);
    }
}

static void waits_are_as_known(void)
{
    static const struct {
        enum made made;
        double from, until;
        double waits[5];
        size_t count;
        long first, loaders;
        double step_mean, stalled, idle;
    } rows[] = {
        {ORDERED, 0, 6, {1.125, 1.5, 0.125, 0.125, 0.125}, 5, 0, 2, 0.5, 0.4, 3.0 / 5.5},
        /* ends exactly at the borders count */
        {ORDERED, 1.625, 4.25, {1.125, 1.5, 0.125}, 3, 0, 2, 0.5, 2.0 / 3, 2.75 / 4.25},
        {ORDERED, 1.75, 4, {1.5}, 1, 1, 2, 0.5, 1, 0.75},
        {UNORDERED, 2.75, 6, {0, 0}, 2, 1, 2, 1.75, 0, 0},
        {SERIAL, 0, 4.5, {1.25, 1.75}, 2, 0, 0, 0.75, 1, 3.0 / 4.5},
        /* whose request is unknown has no wait, and what was waited for others is no step */
        {LOGGED, 0, INFINITY, {1.25, 0.25, 0}, 3, 10, 2, 2.25 / 3, 1.0 / 3, 1 - 2.25 / 4.5},
        {LONE, 0, 3, {1, 0.125}, 2, 0, 0, 0.9375, 0.5, 1.125 / 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_timeline timeline = *made_timelines[rows[i].made];
        OWN(dlq_rhythm) rhythm = {0};
        timeline.from = rows[i].from;
        timeline.until = rows[i].until;
        CHECK_INT(dlq_rhythm_of_timeline(&timeline, &rhythm, NULL), DLQ_OK);
        CHECK(rhythm.count == rows[i].count && rhythm.first_step == rows[i].first && rhythm.loaders == rows[i].loaders,
              "row %zu: %zu waits from %ld, %ld loaders", i, rhythm.count, rhythm.first_step, rhythm.loaders);
        for (size_t k = 0; k < rhythm.count && k < rows[i].count; k++)
            CHECK(rhythm.waits[k] == rows[i].waits[k], "row %zu: wait %zu: %g", i, k, rhythm.waits[k]);
        CHECK(fabs(rhythm.step_mean - rows[i].step_mean) < 1e-12 && fabs(rhythm.stalled - rows[i].stalled) < 1e-12 &&
                  fabs(rhythm.idle - rows[i].idle) < 1e-12,
              "row %zu: step %g, stalled %g, idle %g", i, rhythm.step_mean, rhythm.stalled, rhythm.idle);
        CHECK(isnan(rhythm.period) && rhythm.stall_above == timeline.stall_above && rhythm.lags + 1 == rhythm.count,
              "row %zu: period %g", i, rhythm.period);
    }
}

static void nothing_is_no_rhythm(void)
{
    struct dlq_rhythm rhythm = {.count = 77};
    struct dlq_error error = {0};
    struct dlq_timeline none = {.until = 1};
    struct dlq_timeline late = *made_timelines[ORDERED];
    late.from = 5.75;
    CHECK_INT(dlq_rhythm_of_timeline(&none, &rhythm, &error), DLQ_NO_ANSWER);
    CHECK_INT(dlq_rhythm_of_timeline(&late, &rhythm, &error), DLQ_NO_ANSWER);
    CHECK_INT(dlq_rhythm_of_timeline(made_timelines[EMPTY], &rhythm, &error), DLQ_NO_ANSWER);
    CHECK(rhythm.count == 77 && strstr(error.text, "no step ends between 5.75 s and 6 s") != NULL, "%s", error.text);
}

/* The rank that waits longest, not the first. */
static void longest_rank(void)
{
    struct dlq_timeline_rank ranks[] = {MADE_RANK(lone_batches, 2), MADE_RANK(ordered_batches, 5),
                                        MADE_RANK(unordered_batches, 4)};
    struct dlq_timeline timeline = *made_timelines[ORDERED];
    OWN(dlq_rhythm) rhythm = {0};
    timeline.rank_count = 3;
    timeline.ranks = ranks;
    CHECK_INT(dlq_rhythm_of_timeline(&timeline, &rhythm, NULL), DLQ_OK);
    CHECK(rhythm.count == 5 && rhythm.waits[1] == 1.5, "%zu waits", rhythm.count);
}

/* Three loaders that can't keep up halt the trainer at every third batch. */
static void turns_of_loaders(void)
{
    static const struct {
        const char *step;
        double period;
    } rows[] = {{"step.mean=1us", 3}, {"step.mean=4s", NAN}, {"step.mean=31.25ms", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[100];
        OWN(dlq_rhythm) rhythm = {0};
        double want = rows[i].period;
        snprintf(settings, sizeof settings, "pipeline.loaders=3 load.mean=1s %s", rows[i].step);
        OWN(dlq_timeline) timeline = recorded(settings, 0, 150);
        CHECK_INT(dlq_rhythm_of_timeline(&timeline, &rhythm, NULL), DLQ_OK);
        CHECK(rhythm.period == want || (isnan(rhythm.period) && isnan(want)), "row %zu: period %g", i, rhythm.period);
        CHECK(isnan(want) || rhythm.acf[3] > 0.7, "row %zu: acf %g", i, rhythm.acf[3]);
    }
}

TEST_SUITE(rhythm, CASE(correlations), CASE(lags), CASE(waits_are_as_known), CASE(nothing_is_no_rhythm),
           CASE(longest_rank), CASE(turns_of_loaders));
