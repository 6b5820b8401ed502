/* The explorer of a page: the command that it shows at a stop of a slider asks for the point that it looks up there. */
#include "cli/args.h"
#include "report/page/page.h"
#include "sim/simulate.h"
#include "study/model.h"
#include "study/models.h"

enum { MOST_WORDS = 32 };

/* Configurations that are written in other ways than those that come with the program: their settings, and the axes. */
static const struct {
    const char *settings, *axes;
} written[] = {
    {"load.mean=300ms load.cv=0.5 step.mean=100ms pipeline.load_scale=2", "loaders prefetch load delivery "},
    {"load.mean=5ms load.cv=1 load.per=sample step.mean=100ms pipeline.batch_size=32 pipeline.threads=4",
     "loaders prefetch load delivery "},
    {"load.mean=5ms load.per=sample load.uses=storage load.bytes=1MB load.stream_rate=300MB/s step.mean=100ms "
     "pipeline.batch_size=32",
     "loaders prefetch load delivery "},
    {"load.uses=storage load.bytes=30MB load.stream_rate=300MB/s step.mean=100ms", "loaders prefetch load delivery "},
    {"load.get.uses=storage load.get.bytes=1MB load.get.mean=20ms load.get.per=sample load.get.stream_rate=60MB/s "
     "load.mix.mean=10ms step.mean=100ms pipeline.batch_size=8 storage.bandwidth=100MB/s pipeline.threads=2",
     "loaders prefetch "}, /* samples that share are simulated one by one: more axes take too long */
    {"load.median=300ms load.p99=900ms load.distribution=lognormal step.mean=100ms pipeline.loader=pool",
     "loaders prefetch load step "},
    {"load.distribution=uniform load.min=0.1s load.max=0.5s step.mean=100ms pipeline.loader=grain",
     "loaders prefetch load step "},
    {"load.mean=300ms load.sd=100ms step.median=90ms step.p99=200ms step.distribution=lognormal "
     "pipeline.loader=mxnet",
     "loaders load step "},
    {"load.mean=300ms load.distribution=exponential step.a.distribution=uniform step.a.min=10ms step.a.max=90ms "
     "step.b.mean=50ms step.b.sd=30ms pipeline.loader=keras",
     "loaders prefetch load step "},
    {"load.one.mean=300ms load.one.cv=0.7 step.mean=100ms pipeline.loader=tfdata-unordered",
     "loaders prefetch load cv "},
    {"load.mean=300ms load.cv=0.5 step.a.mean=60ms step.log.mean=100ms step.log.every=5 step.log.pause=no",
     "loaders prefetch load delivery "},
    {"load.mean=300ms load.distribution=exponential step.mean=100ms step.distribution=exponential "
     "pipeline.loader=pool simulate.method=markov pipeline.prefetch=1",
     "loaders prefetch load step "},
};

static struct dlq_model *model_from(const char *config, const char *settings, struct dlq_error *error)
{
    return config != NULL ? model_of_config(config, "", error) : model_with("pipeline.loaders=3", settings, error);
}

/* A few batches show whether two systems are the same: they take the same draws. */
static struct dlq_simulation run_of(const struct dlq_model *model, const struct dlq_system *system, const char *what)
{
    struct dlq_error error = {0};
    struct dlq_run run = run_with(1);
    struct dlq_simulation result = {.replications = 0};
    struct dlq_simulate_options options = model->simulate;
    options.precision = 0;
    options.replications = DLQ_WAVE;
    options.method = DLQ_METHOD_SIMULATE;
    options.batches = test_full() ? 400 : 40;
    options.warmup = 10;
    options.horizon = fmin(options.horizon, 5); /* NAN: there is none */
    CHECK(dlq_simulate_systems(&system, 1, &options, &(struct dlq_simulate_request){.histogram_bits = 3}, &run, &result,
                               &error) == DLQ_OK,
          "%s: %s", what, error.text);
    return result;
}

/* The i-th value of an axis: as the explorer sets it, and as its command does. */
static void check_stop(const char *config, const char *settings, const struct dlq_model *model,
                       const struct dlq_explore_axis *axis, size_t i)
{
    char option[512], words[512], what[1024], why[256];
    char *argv[MOST_WORDS] = {"dlqueue"}, *rest = words;
    int count = 1;
    struct dlq_phrase phrase = {.text = option, .size = sizeof option, .separator = " "};
    struct dlq_args args;
    struct dlq_error error = {0};
    struct dlq_system system = model->system;
    enum dlq_axis_name kind = DLQ_AXIS_LOADERS;
    while (strcmp(dlq_axis_key(kind), axis->key) != 0)
        kind++;
    CHECK(dlq_axis_set(kind, &system, axis->values[i], why, sizeof why), "%s", why);
    dlq_page_option(&model->system, axis, i, &phrase);
    snprintf(what, sizeof what, "%s %s", config != NULL ? config : settings, option);
    snprintf(words, sizeof words, "%s", option);
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        argv[count++] = word;
    CHECK(dlq_args_parse(count, argv, &args, &error) == DLQ_OK && args.override_count > 0, "%s: %s", what, error.text);
    OWN_MODEL *told = model_from(config, settings, &error);
    for (size_t k = 0; k < args.override_count; k++)
        dlq_model_set(told, args.overrides[k].path, args.overrides[k].value, &error);
    CHECK(dlq_model_check(told, &error) == DLQ_OK && dlq_model_accept(told, &told->system, &error) == DLQ_OK, "%s: %s",
          what, error.text);
    if (error.count == 0) {
        const struct dlq_simulation shown = run_of(model, &system, what), run = run_of(told, &told->system, what);
        CHECK(test_relative(run.throughput.value, shown.throughput.value, 1e-4), "%s: %g, shown %g batches/s", what,
              run.throughput.value, shown.throughput.value);
        CHECK(test_relative(run.utilization.value, shown.utilization.value, 1e-4) || isnan(shown.utilization.value),
              "%s: utilization %g, shown %g", what, run.utilization.value, shown.utilization.value);
    }
    dlq_args_free(&args);
}

/* Each stop of each slider with --full, else the last. */
static void check_stops(const char *config, const char *settings, const char *axes)
{
    struct dlq_error error = {0};
    struct dlq_explore grid;
    char keys[128] = "";
    struct dlq_phrase phrase = {.text = keys, .size = sizeof keys};
    OWN_MODEL *model = model_from(config, settings, &error);
    CHECK(dlq_explore(model, 0, NULL, &grid, &error) == DLQ_OK, "%s: %s", settings, error.text);
    for (size_t a = 0; a < grid.axis_count && error.count == 0; a++) {
        dlq_phrase_add(&phrase, "%s ", grid.axes[a].key);
        for (size_t i = 0; i < grid.axes[a].count; i++)
            if (i != grid.axes[a].configured && (test_full() || i + 1 == grid.axes[a].count))
                check_stop(config, settings, model, &grid.axes[a], i);
    }
    if (axes != NULL)
        CHECK_TEXT(keys, axes);
}

static void configs_that_come_with_the_program(void)
{
    glob_t configs;
    CHECK(glob(PROJECT_SOURCE "/configs/*.ini", 0, NULL, &configs) == 0 && configs.gl_pathc >= 19, "no configs");
    for (size_t k = 0; k < configs.gl_pathc; k += test_every(1)) {
        char name[128];
        snprintf(name, sizeof name, "%s", strrchr(configs.gl_pathv[k], '/') + 1);
        *strrchr(name, '.') = '\0';
        check_stops(name, "", NULL);
    }
    globfree(&configs);
}

static void other_ways_to_write_one(void)
{
    for (size_t i = 0; i < sizeof written / sizeof *written; i += test_every(1))
        check_stops(NULL, written[i].settings, written[i].axes);
}

TEST_SUITE(explorer, CASE(configs_that_come_with_the_program), CASE(other_ways_to_write_one));
