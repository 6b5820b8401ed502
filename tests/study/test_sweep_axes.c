/* Any two axes in either order: a point of a sweep is what the configuration with these values is. */
#include "models.h"

/* Five stages of a load and three of a step, so that nothing that an axis changes goes unseen. */
#define BASE                                                                                                           \
    "pipeline.loaders=3 pipeline.ranks=2 overheads.startup=10ms overheads.startup_per_loader=3ms host.cores=5 "        \
    "host.bandwidth=90MB/s storage.bandwidth=210MB/s host.memory=30MB host.batch_bytes=700kB host.ranks_per_host=1 "   \
    "step.all.distribution=gamma step.all.cv=0.2 step.val.mean=9ms step.val.per=sample step.val.cv=0.4 "               \
    "step.val.every=7 step.val.pause=no step.save.mean=61ms step.save.every=11 "                                       \
    "simulate.batches=60 simulate.replications=2 simulate.precision=0 simulate.measure=throughput "
#define STAGES                                                                                                         \
    "load.open.mean=13ms load.open.uses=storage load.open.bytes=41kB load.head.stream_rate=17MB/s "                    \
    "load.head.uses=storage load.head.bytes=23kB load.read.mean=7ms load.read.cv=0.6 load.read.per=sample "            \
    "load.read.uses=storage load.read.bytes=110kB load.read.probability=70% load.dec.mean=9ms load.dec.cv=0.3 "        \
    "load.dec.per=sample load.dec.uses=cpu load.join.mean=21ms load.join.distribution=gamma load.join.cv=0.5 "
#define ONE "load.mean=11ms load.distribution=gamma load.cv=0.4 load.per=sample load.uses=storage load.bytes=110kB "

enum {
    LOADERS,
    LOAD,
    PREFETCH,
    RANKS,
    STEP,
    CV,
    CORES,
    BANDWIDTH,
    STARTUP,
    STARTUP_PER_LOADER,
    BATCH_SIZE,
    CACHE,
    THREADS,
    CONTENTION,
    STORAGE,
    STEP_CV,
    RECEIVE,
    PIN_TIME,
    BARRIER,
    AXES
};

/* An axis: a value of its own, and what says it in a configuration; write_both says the rest. */
static const struct {
    const char *key, *value, *path;
} axes[AXES] = {
    [LOADERS] = {"loaders", "5", "pipeline.loaders=5 "},
    [LOAD] = {"load", "55ms", ""},
    [PREFETCH] = {"prefetch", "3", "pipeline.prefetch=3 "},
    [RANKS] = {"ranks", "3", "pipeline.ranks=3 "},
    [STEP] = {"step", "23ms", ""},
    [CV] = {"cv", "0.9", "load.cv=0.9 "},
    [CORES] = {"cores", "2", "host.cores=2 "},
    [BANDWIDTH] = {"bandwidth", "31MB/s", "host.bandwidth=31MB/s "},
    [STARTUP] = {"startup", "70ms", "overheads.startup=70ms "},
    [STARTUP_PER_LOADER] = {"startup_per_loader", "17ms", "overheads.startup_per_loader=17ms "},
    [BATCH_SIZE] = {"batch_size", "9", "pipeline.batch_size=9 pipeline.epoch_batches=26 host.batch_bytes=1.05MB "},
    [CACHE] = {"cache", "35%", "cache.share=35% "},
    [THREADS] = {"threads", "4", "pipeline.threads=4 "},
    [CONTENTION] = {"contention", "15%", "host.contention=15% "},
    [STORAGE] = {"storage", "47MB/s", "storage.bandwidth=47MB/s "},
    [STEP_CV] = {"step_cv", "0.7", "step.all.cv=0.7 "},
    [RECEIVE] = {"receive", "4ms", "overheads.receive=4ms "},
    [PIN_TIME] = {"pin_time", "6ms", "overheads.pin_time=6ms "},
    [BARRIER] = {"barrier", "5ms", "overheads.barrier=5ms "},
};
/* The mean load of the settings, by their description. */
static double load_mean(const char *settings)
{
    struct dlq_error error = {0};
    struct dlq_description description = {.load_mean = NAN};
    OWN_MODEL *model = model_with(settings, "", &error);
    CHECK(dlq_model_describe(model, &description, &error) == DLQ_OK, "%s: %s", settings, error.text);
    return description.load_mean;
}

/* The last point of the grid of such a sweep; false: it is refused. */
static bool last_point(const char *settings, const char *more, struct dlq_sweep_point *last)
{
    struct dlq_run run = run_with(1);
    struct dlq_error error = {0};
    struct dlq_sweep *sweep = NULL;
    OWN_MODEL *model = model_with(settings, more, &error);
    enum dlq_status status = dlq_sweep_begin(&sweep, model, &run, &error);
    for (bool there = status == DLQ_OK; there && status == DLQ_OK;)
        status = dlq_sweep_next(sweep, last, &there, &error);
    dlq_sweep_end(sweep);
    CHECK(status == DLQ_OK, "%s: %s", more, error.text);
    return status == DLQ_OK;
}

/* The configuration of both values, a < b; `fixed` is what no axis changes. */
static void write_both(const char *fixed, const char *cache, size_t a, size_t b, char *text, size_t size)
{
    /* The axis sets the mean of the whole stage of 6 samples, or of 9. */
    const double all = 23e-3 / (b == BATCH_SIZE ? 9 : 6), each = a == STEP || b == STEP ? all : 3e-3;
    int length = snprintf(text, size, "%s%sstep.all.mean=%.17gs step.all.per=sample %s%s", fixed,
                          a == CACHE || b == CACHE ? "" : cache, each, axes[a].path, axes[b].path);
    if (a == LOAD || b == LOAD)
        snprintf(text + length, size - (size_t)length, "pipeline.load_scale=%.17g ", 55e-3 / load_mean(text));
}

/* Axes that set a mean, which a configuration says in another way, differ from it by rounding; so do bytes and times
   of another batch. All else is the same to the bit. */
static void pair(const char *load, const char *cache, size_t a, size_t b)
{
    char fixed[1600], settings[2000], sweep[200];
    struct dlq_sweep_point swept, alone;
    snprintf(fixed, sizeof fixed, BASE "pipeline.batch_size=6 pipeline.epoch_batches=39 %s", load);
    write_both(fixed, cache, a, b, settings, sizeof settings);
    if (!last_point(settings, a == LOADERS ? "sweep.loaders=5" : "sweep.loaders=3", &alone))
        return;
    const bool rounded = a == LOAD || b == LOAD || a == STEP || b == STEP || a == BATCH_SIZE || b == BATCH_SIZE;
    snprintf(settings, sizeof settings, "%s%sstep.all.mean=3ms step.all.per=sample ", fixed, cache);
    for (int order = 0; order < 2; order++) {
        const size_t first = order == 0 ? a : b, second = order == 0 ? b : a;
        snprintf(sweep, sizeof sweep, "sweep.%s=%s sweep.%s=%s", axes[first].key, axes[first].value, axes[second].key,
                 axes[second].value);
        if (!last_point(settings, sweep, &swept))
            return;
        const double figures[][2] = {
            {swept.simulation.throughput.value, alone.simulation.throughput.value},
            {swept.bounds.upper, alone.bounds.upper},
            {swept.bounds.lower, alone.bounds.lower},
            {swept.bounds.load, alone.bounds.load},
            {swept.bounds.step, alone.bounds.step},
            {swept.bounds.cores, alone.bounds.cores},
            {swept.bounds.host_bandwidth, alone.bounds.host_bandwidth},
        };
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
            CHECK((isnan(figures[k][0]) && isnan(figures[k][1])) ||
                      test_relative(figures[k][0], figures[k][1], rounded ? 1e-12 : 0),
                  "%s, %s: figure %zu is %.17g, configured %.17g", sweep, cache, k, figures[k][0], figures[k][1]);
    }
}

static void any_two_in_either_order(void)
{
    static const char *const caches[] = {"cache.size=20MB ", "cache.size=free "};
    size_t count = 0;
    for (size_t a = 0; a < AXES; a++)
        for (size_t b = a + 1; b < AXES; b++) {
            const bool refused = (a == LOAD && (b == BATCH_SIZE || b == THREADS)) || (a == CV && b == THREADS);
            if (!refused && count++ % test_every(3) == 0)
                pair(a == CV || b == CV ? ONE : STAGES, caches[(a + b) % 2], a, b);
        }
}

/* A stage that takes as long for more bytes, at a rate that is given, too: as no configuration may say it. */
static void too_many_bytes(void)
{
    struct dlq_run run = run_with(1);
    struct dlq_error error = {0};
    struct dlq_sweep *sweep = NULL;
    OWN_MODEL *model = model_with(
        BASE STAGES, "pipeline.batch_size=6 load.head.mean=9ms step.all.mean=3ms sweep.batch_size=6,9", &error);
    CHECK_INT(dlq_sweep_begin(&sweep, model, &run, &error), DLQ_INVALID);
    CHECK(strstr(error.text, "[sweep] batch_size: with 9 samples bytes / stream_rate") != NULL, "%s", error.text);
}

TEST_SUITE(sweep_axes, CASE(any_two_in_either_order), CASE(too_many_bytes));
