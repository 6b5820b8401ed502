#include "models.h"

#include <inttypes.h>

#define LAWLESS "pipeline.loaders=3 load.mean=500ms step.mean=104ms simulate.batches=1500 simulate.precision=5% "
#define GAMMA "load.distribution=gamma load.cv=0.4 "

static const char base[] = LAWLESS GAMMA;

/* All points of a sweep, to be freed; the test ends where there are none. */
static struct dlq_sweep_point *collect(struct dlq_model *model, const struct dlq_run *run, size_t *count,
                                       struct dlq_error *error)
{
    struct dlq_sweep *sweep = NULL;
    *count = 0;
    if (dlq_sweep_begin(&sweep, model, run, error) != DLQ_OK)
        CU_FAIL_FATAL("no sweep");
    size_t size = dlq_sweep_size(sweep);
    struct dlq_sweep_point *points = calloc(size + 1, sizeof *points);
    for (bool more = true; more && dlq_sweep_next(sweep, &points[*count], &more, error) == DLQ_OK;)
        *count += more ? 1 : 0;
    CHECK_INT(*count, size);
    dlq_sweep_end(sweep);
    return points;
}

static const struct {
    const char *settings;
    size_t axes;
    const char *names[2];
    size_t counts[2];
    double first[2], last[2];
} layouts[] = {
    {"", 2, {"loaders", "load"}, {10, 24}, {1, 0.125}, {10, 1}},
    {"load.mean=5s", 2, {"loaders", "load"}, {64, 24}, {1, 1.25}, {64, 10}},
    {"load.mean=80ms", 2, {"loaders", "load"}, {8, 24}, {1, 0.02}, {8, 0.16}},
    {"pipeline.loader=serial pipeline.loaders=0", 1, {"load", NULL}, {24, 0}, {0.125, 0}, {1, 0}},
    {"sweep.prefetch=1,2,4", 1, {"prefetch", NULL}, {3, 0}, {1, 0}, {4, 0}},
    {"sweep.load=1s,2s sweep.loaders=2..9", 2, {"load", "loaders"}, {2, 8}, {1, 2}, {2, 9}},
    {"sweep.loaders=2..9 sweep.load=1s,2s", 2, {"loaders", "load"}, {8, 2}, {2, 1}, {9, 2}},
    {"sweep.ranks=1,2,64 sweep.loaders=2..9", 2, {"ranks", "loaders"}, {3, 8}, {1, 2}, {64, 9}},
    {"sweep.cv=0.1,0.5 sweep.step=50ms,60ms,70ms", 2, {"cv", "step"}, {2, 3}, {0.1, 0.05}, {0.5, 0.07}},
};

static void lays_out_axes(void)
{
    struct dlq_run run = run_with(1);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        struct dlq_error error = {0};
        OWN_MODEL *model = model_with(base, layouts[i].settings, &error);
        struct dlq_sweep *sweep = NULL;
        const struct dlq_axis *axes;
        CHECK(dlq_sweep_begin(&sweep, model, &run, &error) == DLQ_OK, "case %zu: %s", i, error.text);
        size_t count = sweep == NULL ? 0 : dlq_sweep_axes(sweep, &axes);
        CHECK(count == layouts[i].axes, "case %zu: %zu axes", i, count);
        for (size_t a = 0; a < count; a++) {
            CHECK_TEXT(axes[a].name, layouts[i].names[a]);
            CHECK(axes[a].count == layouts[i].counts[a], "case %zu, axis %zu: %zu values", i, a, axes[a].count);
            CHECK_REL(axes[a].values[0], layouts[i].first[a], 1e-12);
            CHECK_REL(axes[a].values[axes[a].count - 1], layouts[i].last[a], 1e-12);
        }
        dlq_sweep_end(sweep);
    }
}

/* Every point of the grid comes once, and those of the line besides. */
static void visits_every_point_once(void)
{
    static const char *const settings[] = {"sweep.loaders=1..5 sweep.load=0.2s,0.4s,0.9s",
                                           "sweep.loaders=1..5 sweep.cv=0,0.3,0.9", "sweep.cv=0.2,0.3 sweep.load=1s,2s",
                                           "sweep.step=0,50ms,100ms sweep.prefetch=1..3",
                                           "sweep.loaders=1..5 sweep.ranks=1,2,3"};
    struct dlq_run run = run_with(2);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct dlq_error error = {0};
        OWN_MODEL *model = model_with(base, settings[i], &error);
        size_t count;
        FREED struct dlq_sweep_point *points = collect(model, &run, &count, &error);
        int seen[5][3] = {{0}};
        size_t line = 0;
        for (size_t k = 0; k < count; k++) {
            line += points[k].on_grid ? 0 : 1;
            seen[points[k].index[0]][points[k].index[1]] += points[k].on_grid ? 1 : 0;
        }
        for (size_t k = 0; k < count; k++)
            CHECK(seen[points[k].index[0]][points[k].index[1]] == 1, "sweep %zu: point %zu", i, k);
        CHECK(error.count == 0 && line > 0, "sweep %zu: %s", i, error.text);
    }
}

/* With `batches` given a point of a sweep is the same model solved alone, to the bit. */
static void points_equal_models(void)
{
    static const struct {
        const char *sweep, *point; /* a format of both values */
        double least;              /* of the model's lower bound, what the point's is at least */
    } rows[] = {
        {GAMMA "sweep.loaders=2,5,7 sweep.load=0.3s,0.5s,0.9s", "pipeline.loaders=%.17g load.mean=%.17gs", 0.9},
        {GAMMA "load.uses=cpu host.cores=2 sweep.cores=1,2,5 sweep.loaders=3,6",
         "host.cores=%.17g pipeline.loaders=%.17g", 0.9},
        {GAMMA "load.uses=storage load.bytes=20MB host.bandwidth=80MB/s sweep.bandwidth=50MB/s,80MB/s,1GB/s "
               "sweep.loaders=2,4",
         "host.bandwidth=%.17gB/s pipeline.loaders=%.17g", 0.9},
        {GAMMA "pipeline.epoch_batches=50 sweep.startup=0s,2s sweep.startup_per_loader=0s,100ms,3s",
         "overheads.startup=%.17gs overheads.startup_per_loader=%.17gs", 0.9},
        {GAMMA "load.per=sample load.mean=20ms pipeline.batch_size=8 sweep.threads=1,3 sweep.batch_size=4,16",
         "pipeline.threads=%.17g pipeline.batch_size=%.17g", 0.9},
        /* Ranks share draws: rank 0's are those of the point with one rank, whichever others the tile holds. */
        {GAMMA "overheads.barrier=3ms sweep.ranks=1,2,5 sweep.cv=0.3,0.9", "pipeline.ranks=%.17g load.cv=%.17g", 0.8},
        /* By the Markov chain. */
        {"load.distribution=exponential step.distribution=exponential simulate.method=markov sweep.loaders=1..5 "
         "sweep.load=0.1s,0.3s,0.9s",
         "pipeline.loaders=%.17g load.mean=%.17gs", 0.9},
    };
    struct dlq_run run = run_with(2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        OWN_MODEL *model = model_with(LAWLESS, rows[i].sweep, &error);
        size_t count;
        FREED struct dlq_sweep_point *points = collect(model, &run, &count, &error);
        CHECK(count > 3, "%s: %s", rows[i].sweep, error.text);
        for (size_t k = 0; k < count; k++) {
            char settings[400];
            struct dlq_bounds bounds;
            const char *all = strstr(rows[i].sweep, "sweep.");
            snprintf(settings, sizeof settings, "%.*s", (int)(all - rows[i].sweep), rows[i].sweep);
            size_t length = strlen(settings);
            snprintf(settings + length, sizeof settings - length, rows[i].point, points[k].value[0],
                     points[k].value[1]);
            OWN_MODEL *other = model_with(LAWLESS, settings, &error);
            const struct dlq_simulation alone = simulated(&run, LAWLESS, settings);
            CHECK_INT(dlq_bounds(other, &bounds, &error), DLQ_OK);
            CHECK_REL(points[k].simulation.throughput.value, alone.throughput.value, 0);
            CHECK_REL(points[k].simulation.utilization.low, alone.utilization.low, 0);
            CHECK_REL(points[k].simulation.wait_mean.value, alone.wait_mean.value, 0);
            CHECK(points[k].bounds.lower <= bounds.lower * (1 + 1e-9) &&
                      points[k].bounds.lower > rows[i].least * bounds.lower,
                  "%s: lower bound %.6g, alone %.6g", settings, points[k].bounds.lower, bounds.lower);
            CHECK_REL(points[k].bounds.upper, bounds.upper, 1e-12);
            CHECK(points[k].simulation.replications == alone.replications && points[k].bound_by != DLQ_CAUSE_NONE,
                  "%s: %ld replications", settings, points[k].simulation.replications);
        }
    }
}

static const struct {
    const char *settings, *expected;
} refused[] = {
    {"pipeline.ranks=3 pipeline.slow_ranks=3 sweep.ranks=2,3", "[sweep] ranks: slow_ranks = 3 is more than ranks = 2"},
    {"pipeline.prefetch=64 sweep.ranks=2,40000", "[pipeline] ranks = 40000, each with 192 batches in flight or"},
    {"load.distribution=exponential sweep.cv=0.1,0.2", "[sweep] cv:"},
    {"pipeline.loader=mxnet sweep.prefetch=1,2", "[sweep] prefetch: mxnet has no prefetch"},
    {"pipeline.loader=pool sweep.loaders=0..4", "[sweep] loaders: loaders = 0"},
    {"pipeline.batch_size=8 load.per=sample load.cv=1 sweep.cv=0.1,3 sweep.threads=1,2",
     "[sweep] cv: with threads, the cv"},
    {"sweep.threads=1,2", "threads: no stage of the load has per = sample"},
    {"pipeline.batch_size=4 sweep.batch_size=4,8", "batch_size: no stage of the load has per = sample"},
    {"pipeline.loader=dali load.per=sample pipeline.batch_size=4 sweep.threads=1,2", "of dali the loaders are threads"},
    {"sweep.cores=1,2", "[sweep] cores: give what the host has now in [host], too"},
    {"sweep.bandwidth=1GB/s,2GB/s", "[sweep] bandwidth: give what the host has now"},
    {"pipeline.slow_loaders=3 pipeline.slow_factor=2 sweep.loaders=2..4", "[sweep] loaders: slow_loaders = 3"},
};

static void refuses_what_cannot_be_swept(void)
{
    struct dlq_run run = run_with(1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct dlq_error error = {0};
        struct dlq_sweep *sweep = NULL;
        OWN_MODEL *model =
            model_with("pipeline.loaders=3 load.mean=500ms step.mean=104ms", refused[i].settings, &error);
        CHECK(dlq_sweep_begin(&sweep, model, &run, &error) == DLQ_INVALID, "case %zu was not refused", i);
        CHECK(strstr(error.text, refused[i].expected) != NULL, "case %zu: '%s'", i, error.text);
        CHECK(sweep == NULL, "case %zu: the sweep was touched", i);
    }
}

/* Points that one short wave decides have intervals that hold: ranks of loads that hardly vary take long to settle. The
   throughputs come from 16 runs of a million batches, and are known to 1e-5. */
static void short_waves_hold(void)
{
    static const double known[] = {0.588059111, 1.763635397, 2.938854986};
    static const char settings[] = "pipeline.loaders=3 pipeline.ranks=8 load.distribution=lognormal load.mean=1.7s "
                                   "load.cv=0.02 step.mean=213ms sweep.loaders=1,3,5";
    const uint64_t seeds = test_full() ? 40 : 10;
    struct dlq_run run = run_with(2);
    run.has_seed = true;
    size_t held = 0;
    for (run.seed = 1; run.seed <= seeds; run.seed++) {
        struct dlq_error error = {0};
        OWN_MODEL *model = model_with(settings, "", &error);
        size_t count;
        FREED struct dlq_sweep_point *points = collect(model, &run, &count, &error);
        for (size_t i = 0; i < count && count == sizeof known / sizeof *known; i++) {
            const struct dlq_simulation *found = &points[i].simulation;
            const struct dlq_estimate *rate = &found->throughput;
            held += rate->low <= known[i] * (1 + 1e-5) && rate->high >= known[i] * (1 - 1e-5);
            CHECK(found->batches_per_replication < 6000 && found->replications == 16, "seed %" PRIu64 ", point %zu",
                  run.seed, i);
            CHECK(rate->high <= points[i].bounds.upper * (1 + 1e-12) && rate->high - rate->low < 0.01 * rate->value,
                  "seed %" PRIu64 ", point %zu: %.9g..%.9g", run.seed, i, rate->low, rate->high);
        }
    }
    CHECK((double)held >= 0.935 * 3 * (double)seeds, "%zu of %" PRIu64 " intervals hold", held, 3 * seeds);
}

static void stops_when_interrupted(void)
{
    struct dlq_error error = {0};
    volatile sig_atomic_t interrupted = 0;
    struct dlq_run run = {.threads = 2, .interrupted = &interrupted};
    OWN_MODEL *model = model_with(base, "", &error);
    struct dlq_sweep *sweep = NULL;
    struct dlq_sweep_point point;
    bool more = true;
    CHECK_INT(dlq_sweep_begin(&sweep, model, &run, &error), DLQ_OK);
    CHECK_INT(dlq_sweep_next(sweep, &point, &more, &error), DLQ_OK);
    interrupted = 1;
    enum dlq_status status = DLQ_OK;
    while (status == DLQ_OK && more)
        status = dlq_sweep_next(sweep, &point, &more, &error);
    CHECK_INT(status, DLQ_INTERRUPTED);
    dlq_sweep_end(sweep);
}

static void tells_its_progress(void)
{
    struct dlq_error error = {0};
    struct dlq_progress progress = {0};
    struct dlq_run run = {.threads = 2, .progress = &progress};
    OWN_MODEL *model = model_with(base, "sweep.loaders=1..70", &error);
    size_t count;
    FREED struct dlq_sweep_point *points = collect(model, &run, &count, &error);
    CHECK(points != NULL && atomic_load(&progress.total) > 16 * (long)count, "the first runs are all");
    CHECK_INT(atomic_load(&progress.done), atomic_load(&progress.total));
}

TEST_SUITE(sweep, CASE(lays_out_axes), CASE(visits_every_point_once), CASE(points_equal_models),
           CASE(refuses_what_cannot_be_swept), CASE(short_waves_hold), CASE(stops_when_interrupted),
           CASE(tells_its_progress));
