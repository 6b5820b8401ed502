/* The critical path of a record. Its shares are derivatives: with one mean a little longer, on the same draws, a step
   ends later by that part of the time that the path spends there. */
#include "made_timelines.h"
#include "models.h"

#define LOADS "load.mean=200ms load.cv=0.6 "
#define STEPS "step.train.mean=40ms step.train.cv=0.2 "

/* To be freed. */
static struct dlq_timeline_path path_of(const struct dlq_timeline *timeline)
{
    struct dlq_timeline_path path = {.count = 0};
    struct dlq_error error = {0};
    CHECK(dlq_timeline_find_path(timeline, &path, &error) == DLQ_OK, "%s", error.text);
    return path;
}

/* The derivative in a mean of the time when step n ends, over that time. */
static double derivative(const char *settings, const char *key, double mean, long n, double ends)
{
    const double little = 1e-6;
    char text[1024];
    snprintf(text, sizeof text, "%s %s=%.12gs", settings, key, mean * (1 + little));
    OWN(dlq_timeline) timeline = recorded(text, 0, ends * 1.01);
    double later = timeline.ranks[0].batches[n].step_end;
    CHECK(timeline.ranks[0].batches[n].step == n, "step %ld", timeline.ranks[0].batches[n].step);
    return (later - ends) / (little * ends);
}

static void shares_are_derivatives(void)
{
    static const struct {
        const char *settings;
        double startup, receive, barrier, pause; /* s; 0: none */
    } rows[] = {
        {"pipeline.loaders=4 " LOADS STEPS, 0, 0, 0, 0},
        {"pipeline.loaders=6 " LOADS STEPS "overheads.startup=1s overheads.receive=3ms", 1, 3e-3, 0, 0},
        {"pipeline.loaders=3 pipeline.loader=pytorch-unordered " LOADS STEPS, 0, 0, 0, 0},
        {"pipeline.loaders=0 " LOADS STEPS, 0, 0, 0, 0},
        {"pipeline.loaders=5 pipeline.loader=tfdata " LOADS STEPS, 0, 0, 0, 0},
        {"pipeline.loaders=5 pipeline.loader=dali " LOADS STEPS, 0, 0, 0, 0},
        {"pipeline.loaders=5 pipeline.window=unbounded pipeline.epoch_batches=60 " LOADS STEPS, 0, 0, 0, 0},
        {"pipeline.loaders=5 pipeline.ranks=3 overheads.barrier=2ms overheads.receive=3ms " LOADS STEPS, 0, 3e-3, 2e-3,
         0},
        {"pipeline.loaders=5 pipeline.epoch_batches=25 overheads.startup=1s step.save.every=10 "
         "step.save.mean=300ms " LOADS STEPS,
         1, 0, 0, 0.3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *settings = rows[i].settings;
        struct dlq_timeline timeline = recorded(settings, 0, 12);
        long n = (long)timeline.ranks[0].stepped - 1;
        double ends = timeline.ranks[0].batches[n].step_end, sum = 0;
        dlq_timeline_free(&timeline);
        timeline = recorded(settings, 0, ends);
        OWN(dlq_timeline_path) path = path_of(&timeline);
        const struct {
            const char *key;
            double mean;
            enum dlq_path_part part;
        } means[] = {
            {"load.mean", 0.2, DLQ_PATH_LOAD},
            {"step.train.mean", 0.04, DLQ_PATH_STEP},
            {"overheads.startup", rows[i].startup, DLQ_PATH_STARTUP},
            {"overheads.receive", rows[i].receive, DLQ_PATH_RECEIVE},
            {"overheads.barrier", rows[i].barrier, DLQ_PATH_BARRIER},
            {"step.save.mean", rows[i].pause, DLQ_PATH_PAUSE},
        };
        CHECK(path.from == 0 && path.until == ends, "row %zu: %g to %g, not to %g", i, path.from, path.until, ends);
        for (size_t k = 0; k < sizeof means / sizeof *means; k++) {
            double want = means[k].mean > 0 ? derivative(settings, means[k].key, means[k].mean, n, ends) : 0;
            CHECK(fabs(path.share[means[k].part] - want) < 1e-6, "row %zu: %s: %.9g, not %.9g", i, means[k].key,
                  path.share[means[k].part], want);
        }
        for (size_t k = 0; k < DLQ_PATH_PARTS; k++)
            sum += path.share[k];
        CHECK(fabs(sum - 1) < 1e-12 && path.share[DLQ_PATH_LOAD] > 1e-3 && path.share[DLQ_PATH_STEP] > 1e-3,
              "row %zu: %.17g in all, %g loads, %g steps", i, sum, path.share[DLQ_PATH_LOAD],
              path.share[DLQ_PATH_STEP]);
        for (size_t k = 1; k < path.count; k++)
            CHECK(path.pieces[k].from == path.pieces[k - 1].until, "row %zu: a gap before piece %zu", i, k);
        dlq_timeline_free(&timeline);
    }
}

/* Piece by piece: "load 0 0-1" is a load of loader 0. */
static void of_made_ones(void)
{
    static const char *const names[] = {"step", "pause",    "barrier", "receive", "deliver",
                                        "load", "slowdown", "startup", "other"};
    static const struct {
        enum made made;
        const char *pieces; /* null: there is none */
    } rows[] = {
        {ORDERED, "load 1 0-3 receive -1 3-3.125 step -1 3.125-3.625 receive -1 3.625-3.75 step -1 3.75-4.25 receive "
                  "-1 4.25-4.375 step -1 4.375-4.875 receive -1 4.875-5 step -1 5-5.5"},
        {UNORDERED, "load 0 0-1 step -1 1-2.5 step -1 2.5-3 step -1 3-6 step -1 6-6.25"},
        {SERIAL, "load 0 0-1 receive -1 1-1.25 step -1 1.25-2 load 0 2-3.5 receive -1 3.5-3.75 step -1 3.75-4.5"},
        {LOGGED, "startup 0 0-0.5 load 0 0.5-1 receive -1 1-1.25 barrier -1 1.25-2 step -1 2-3 receive -1 3-3.25 step "
                 "-1 3.25-4 other -1 4-4.5 step -1 4.5-5"},
        {LONE, NULL},
        {EMPTY, NULL},
        {EMPTY_LOG, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_timeline_path path;
        struct dlq_error error = {0};
        char text[1000] = "";
        enum dlq_status status = dlq_timeline_find_path(made_timelines[rows[i].made], &path, &error);
        CHECK(status == (rows[i].pieces != NULL ? DLQ_OK : DLQ_NO_ANSWER), "row %zu: %d, %s", i, (int)status,
              error.text);
        if (status != DLQ_OK)
            continue;
        for (size_t k = 0; k < path.count; k++) {
            const struct dlq_path_piece *piece = &path.pieces[k];
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s %ld %g-%g", k > 0 ? " " : "", names[piece->part],
                     piece->worker, piece->from, piece->until);
        }
        CHECK(strcmp(text, rows[i].pieces) == 0, "row %zu: %s", i, text);
        dlq_timeline_path_free(&path);
    }
}

/* Slow batches and the loaders that they are on. */
static void costs_of_made_ones(void)
{
    struct dlq_timeline_path path = path_of(made_timelines[ORDERED]);
    /* One of 7 loads, of which the median takes 1 s, is on the path: 3 of 5.5 s. */
    CHECK_INT(path.slow_count, 1);
    CHECK_REL(path.slow_fraction, 1.0 / 7, 1e-12);
    CHECK_REL(path.slow_share, 3 / 5.5, 1e-12);
    CHECK(path.longest_count == 1 && path.longest[0].step == 1, "%zu slow, step %ld", path.longest_count,
          path.longest[0].step);
    CHECK(path.worker_count == 1 && path.workers[0].worker == 1, "%zu workers", path.worker_count);
    CHECK_REL(path.workers[0].share, 3 / 5.5, 1e-12);
    dlq_timeline_path_free(&path);
    path = path_of(made_timelines[SERIAL]);
    CHECK(path.slow_count == 0 && path.slow_share == 0, "%zu slow", path.slow_count);
    CHECK_REL(path.workers[0].share, 2.5 / 4.5, 1e-12);
    dlq_timeline_path_free(&path);
}

/* The path goes through the slow one of two ranks, and of its loaders through those of the longest loads. */
static void costs_of_a_slow_rank(void)
{
    double sum = 0, last = INFINITY;
    OWN(dlq_timeline)
    timeline = recorded("pipeline.loaders=4 pipeline.ranks=2 pipeline.slow_ranks=1 "
                        "pipeline.slow_factor=3 load.distribution=exponential load.mean=200ms "
                        "step.mean=40ms ",
                        0, 200);
    OWN(dlq_timeline_path) path = path_of(&timeline);
    CHECK(path.worker_count >= 4 && path.slow_count > 3, "%zu workers, %zu slow", path.worker_count, path.slow_count);
    for (size_t i = 0; i < path.worker_count; i++) {
        CHECK(path.workers[i].share <= last, "worker %zu: %g after %g", i, path.workers[i].share, last);
        last = path.workers[i].share;
        sum += path.workers[i].rank == 0 ? path.workers[i].share : 0;
    }
    CHECK(sum > 0.95 * path.share[DLQ_PATH_LOAD], "rank 0: %g of %g", sum, path.share[DLQ_PATH_LOAD]);
    CHECK_INT(path.longest_count, DLQ_PATH_LONGEST);
    for (size_t i = 0; i < DLQ_PATH_LONGEST; i++) {
        const struct dlq_path_piece *piece = &path.longest[i];
        const struct dlq_timeline_batch *batch = &timeline.ranks[piece->rank].batches[piece->step];
        CHECK_REL(piece->until - piece->from, batch->load_end - batch->load_start, 1e-9);
        CHECK(i == 0 || piece->until - piece->from <= path.longest[i - 1].until - path.longest[i - 1].from, "%zu", i);
    }
}

/* Between two moments, each within a piece. */
static void of_a_part(void)
{
    struct dlq_timeline timeline = made_ordered;
    timeline.from = 1;
    timeline.until = 3.25;
    OWN(dlq_timeline_path) path = path_of(&timeline);
    CHECK(path.count == 3 && path.from == 1 && path.until == 3.25, "%zu pieces from %g to %g", path.count, path.from,
          path.until);
    CHECK_REL(path.share[DLQ_PATH_LOAD], 2 / 2.25, 1e-12);
    CHECK_REL(path.share[DLQ_PATH_RECEIVE], 0.125 / 2.25, 1e-12);
    CHECK_REL(path.share[DLQ_PATH_STEP], 0.125 / 2.25, 1e-12);
}

/* A load takes its time at full speed and what its loader's slow phases take from it. */
static void slow_phases_explain_loads(void)
{
    static const char *const rows[] = {
        "slowdown.interval=2s slowdown.duration=700ms slowdown.speed=0 ",
        "slowdown.interval=2s slowdown.duration=700ms slowdown.speed=0.3 slowdown.scope=loader pipeline.ranks=3 ",
        ("slowdown.interval=1s slowdown.duration=1s slowdown.speed=0.5 slowdown.scope=rank pipeline.ranks=2 "
         "slowdown.b.interval=3s slowdown.b.duration=500ms slowdown.b.speed=0.2 slowdown.b.scope=loader "),
        "slowdown.times=0s,10s,20s slowdown.speeds=100%,40%,80% pipeline.epoch_batches=400 ",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        size_t slowed = 0;
        snprintf(text, sizeof text, "%s pipeline.loaders=3 load.mean=200ms step.mean=30ms", rows[i]);
        OWN(dlq_timeline) timeline = recorded(text, 0, 30);
        for (size_t r = 0; r < timeline.rank_count; r++) {
            const struct dlq_timeline_rank *rank = &timeline.ranks[r];
            for (size_t k = 0; k < rank->count; k++) {
                const struct dlq_timeline_batch *batch = &rank->batches[k];
                double takes = batch->load_end - batch->load_start;
                if (!(batch->load_end < timeline.until))
                    continue;
                slowed += takes > 0.2001;
                for (size_t j = 0; j < rank->slow_count; j++) {
                    const struct dlq_slow_phase *slow = &rank->slow[j];
                    double from = fmax(slow->from, batch->load_start), until = fmin(slow->until, batch->load_end);
                    if (slow->worker == batch->worker && from < until)
                        takes -= (1 - slow->speed) * (until - from);
                }
                CHECK(fabs(takes - 0.2) < 1e-9, "row %zu, rank %zu, batch %zu: %.12g s at full speed", i, r, k, takes);
            }
        }
        CHECK(slowed > 10, "row %zu: %zu slowed loads", i, slowed);
    }
}

static void pauses_are_recorded(void)
{
    OWN(dlq_timeline)
    timeline = recorded("pipeline.loaders=8 load.mean=200ms step.train.mean=40ms "
                        "step.save.every=10 step.save.mean=300ms",
                        0, 4.5);
    const struct dlq_timeline_rank *rank = &timeline.ranks[0];
    struct dlq_timeline_summary summary;
    for (size_t i = 0; i < rank->stepped; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        CHECK(batch->pause == (i % 10 == 9 ? 0.3 : 0), "step %zu pauses %g s", i, batch->pause);
        CHECK(fabs(batch->step_end - batch->step_begin - 0.04 - batch->pause) < 1e-12, "step %zu", i);
    }
    dlq_timeline_summarize(&timeline, 0, NULL, &summary);
    CHECK_REL(summary.pausing, 0.3 * floor((double)summary.steps / 10), 1e-9);
    CHECK(summary.steps >= 50, "%ld steps", summary.steps);
}

/* A clock that stands still: loads of one worker that take no time, all at once. */
static void equal_moments(void)
{
    enum { COUNT = 40 };
    struct dlq_timeline_batch batches[COUNT];
    struct dlq_timeline_rank rank = {.stepped = COUNT, .count = COUNT, .batches = batches};
    struct dlq_timeline timeline = {.measured = true, .workers = 1, .loaders = 1, .until = INFINITY, .rank_count = 1};
    for (int i = 0; i < COUNT; i++)
        batches[i] = (struct dlq_timeline_batch){.index = i,
                                                 .step = i,
                                                 .dispatched = NAN,
                                                 .ready = NAN,
                                                 .request = i,
                                                 .load_start = 20,
                                                 .load_end = 20,
                                                 .received = fmax(i, 20),
                                                 .step_begin = fmax(i, 20),
                                                 .step_end = i + 1};
    timeline.ranks = &rank;
    OWN(dlq_timeline_path) path = path_of(&timeline);
    CHECK(path.until == COUNT && path.from <= 20, "%g to %g", path.from, path.until);
}

static void shared_cores_have_none(void)
{
    struct dlq_timeline_path path;
    struct dlq_error error = {0};
    OWN(dlq_timeline) timeline = recorded("pipeline.loaders=4 host.cores=2 load.uses=cpu " LOADS STEPS, 0, 3);
    CHECK(dlq_timeline_find_path(&timeline, &path, &error) == DLQ_NO_ANSWER && strstr(error.text, "share") != NULL,
          "%s", error.text);
}

TEST_SUITE(timeline_path, CASE(shares_are_derivatives), CASE(of_made_ones), CASE(costs_of_made_ones),
           CASE(costs_of_a_slow_rank), CASE(of_a_part), CASE(slow_phases_explain_loads), CASE(pauses_are_recorded),
           CASE(equal_moments), CASE(shared_cores_have_none));
