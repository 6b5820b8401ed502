/* The grid of an explorer: what its axes are, and that its points are what `solve` says of them. */
#include "models.h"

static const char base[] =
    "pipeline.loaders=3 load.mean=300ms load.distribution=lognormal load.cv=0.5 step.mean=100ms ";

/* To be freed; the test ends where there is none. Short runs. Settings that give the load are all that is given. */
static struct dlq_explore explored(const char *settings, long batches, long enough, int threads)
{
    struct dlq_explore grid;
    char given[64];
    struct dlq_error error = {0};
    struct dlq_progress progress = {0};
    struct dlq_run run = run_with(threads);
    run.progress = &progress;
    OWN_MODEL *model = model_with(strstr(settings, "load.mean") != NULL ? "" : base, settings, &error);
    snprintf(given, sizeof given, "simulate.batches=%ld simulate.warmup=%ld", batches, batches / 5);
    set_all(model, given, &error);
    enum dlq_status status = dlq_explore(model, enough, &run, &grid, &error);
    CHECK(status == DLQ_OK, "%s: %s", settings, error.text);
    if (status != DLQ_OK)
        test_skip("no grid");
    CHECK_INT(atomic_load(&progress.total), grid.points);
    CHECK(atomic_load(&progress.done) > 0 && atomic_load(&progress.done) <= (long)grid.points, "%ld points done",
          atomic_load(&progress.done)); /* less where some are the same, or none */
    return grid;
}

static const struct {
    const char *settings;
    long enough;
    size_t axes;
    const char *keys[DLQ_EXPLORE_AXES];
    double most_loaders;
} layouts[] = {
    {"", 20, 4, {"loaders", "prefetch", "load", "delivery"}, 30},
    {"pipeline.loader=pytorch-unordered", 0, 4, {"loaders", "prefetch", "load", "cv"}, 16},
    {"pipeline.window=9", 0, 3, {"loaders", "load", "delivery"}, 0},
    {"pipeline.loader=serial pipeline.loaders=0", 0, 2, {"load", "cv"}, 0},
    {"pipeline.loader=serial pipeline.loaders=0 load.mean=1s load.distribution=exponential step.mean=1s",
     0,
     2,
     {"load", "step"},
     0},
    {"step.mean=0 pipeline.loaders=12", 0, 4, {"loaders", "prefetch", "load", "delivery"}, 24},
    {"", 0, 4, {"loaders", "prefetch", "load", "delivery"}, 16},
    {"pipeline.loaders=40", 0, 4, {"loaders", "prefetch", "load", "delivery"}, 63},
};

/* The last two, of many points, only with scripts/test --long. */
static void lays_out_axes(void)
{
    const size_t count = sizeof layouts / sizeof *layouts - (test_long() ? 0 : 2);
    for (size_t i = 0; i < count; i += test_every(1)) {
        OWN(dlq_explore) grid = explored(layouts[i].settings, 10, layouts[i].enough, 1);
        size_t points = 1;
        CHECK_INT(grid.axis_count, layouts[i].axes);
        for (size_t a = 0; a < grid.axis_count; a++) {
            const struct dlq_explore_axis *axis = &grid.axes[a];
            CHECK_TEXT(axis->key, layouts[i].keys[a]);
            CHECK(axis->configured < axis->count, "case %zu, %s: own value", i, axis->key);
            for (size_t k = 1; k < axis->count; k++)
                CHECK(axis->values[k] > axis->values[k - 1], "case %zu, %s: ascending", i, axis->key);
            points *= axis->count;
        }
        CHECK_INT(grid.points, points);
        CHECK(points <= DLQ_EXPLORE_POINTS, "case %zu: %zu points", i, points);
        if (layouts[i].most_loaders > 0)
            CHECK(grid.axes[0].values[grid.axes[0].count - 1] == layouts[i].most_loaders, "case %zu: up to %g loaders",
                  i, grid.axes[0].values[grid.axes[0].count - 1]);
    }
}

/* By other draws, and far more of them: of those that vary all but a few lie within both intervals. */
static void points_are_solutions(void)
{
    OWN(dlq_explore) grid = explored("", 1000, 0, 2);
    int outside = 0, tried = 0;
    for (size_t k = 7; k < grid.points; k += grid.points / 100) {
        if (grid.throughput[k] > 9.9) /* the step binds, and nothing varies */
            continue;
        char settings[256];
        size_t at[DLQ_EXPLORE_AXES] = {0}, rest = k;
        for (size_t a = grid.axis_count; a-- > 0; rest /= grid.axes[a].count)
            at[a] = rest % grid.axes[a].count;
        snprintf(settings, sizeof settings,
                 "pipeline.loaders=%g pipeline.prefetch=%g load.mean=%.9gs %s simulate.seed=9",
                 grid.axes[0].values[at[0]], grid.axes[1].values[at[1]], grid.axes[2].values[at[2]],
                 at[3] == 1 ? "pipeline.loader=pytorch-unordered" : "");
        const struct dlq_run run = run_with(2);
        struct dlq_estimate alone = simulated(&run, base, settings).throughput;
        double apart = fabs(grid.throughput[k] - alone.value);
        CHECK(apart < 0.03 * alone.value, "%s: %g is not %g", settings, grid.throughput[k], alone.value);
        tried++;
        outside += apart > 1.2 * hypot(half_width(alone), grid.half_width[k]) + 1e-6;
        CHECK(grid.cause[k] < grid.cause_count, "%s: no cause", settings);
    }
    CHECK(outside * 5 <= tried && tried >= 10, "%d of %d points are outside of their intervals", outside, tried);
}

static void threads_do_not_matter(void)
{
    OWN(dlq_explore) one = explored("pipeline.window=9", 20, 0, 1);
    OWN(dlq_explore) two = explored("pipeline.window=9", 20, 0, 4);
    CHECK(memcmp(one.throughput, two.throughput, one.points * sizeof *one.throughput) == 0, "throughput");
    CHECK(memcmp(one.half_width, two.half_width, one.points * sizeof *one.half_width) == 0, "half");
    CHECK(memcmp(one.cause, two.cause, one.points) == 0, "cause");
}

static void refusals(void)
{
    struct dlq_explore grid = {.batches = 77};
    struct dlq_error error = {0};
    struct dlq_model *model = model_with("pipeline.loaders=3", "", &error);
    struct dlq_run run = run_with(1);
    CHECK(dlq_explore(model, 0, &run, &grid, &error) == DLQ_INVALID, "a model without a load");
    dlq_model_free(model);
    model = model_with(base, "", &error);
    CHECK_INT(dlq_explore(model, 0, &(struct dlq_run){.threads = 0}, &grid, &error), DLQ_INVALID);
    volatile sig_atomic_t raised = 1;
    run.interrupted = &raised;
    CHECK(dlq_explore(model, 0, &run, &grid, &error) == DLQ_INTERRUPTED && grid.batches == 77, "interrupted");
    dlq_model_free(model);
}

TEST_SUITE(explore, SLOW_CASE(lays_out_axes), CASE(points_are_solutions), CASE(threads_do_not_matter), CASE(refusals));
