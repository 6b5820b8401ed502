#include "models.h"

static const char good[] = "[pipeline]\nname = a test\nloaders = 7\nprefetch = 3 ; of each\n\n[load]\n"
                           "distribution = gamma\nmean = 238.5ms\ncv = 0.3\n\n[step]\nmean = 102ms\n";

static void describes_itself(void)
{
    struct dlq_error error = {0};
    struct dlq_description description;
    OWN_MODEL *model = model_of(good, &error);
    CHECK_INT(dlq_model_describe(model, &description, &error), DLQ_OK);
    CHECK_TEXT(description.name, "a test");
    CHECK_TEXT(description.loader, "pytorch");
    CHECK_INT(description.window, 21);
    CHECK_INT(description.batch_size, 1);
    CHECK(!description.has_batch_size, "no batch size was given");
    CHECK_REL(description.load_ratio, 0.2385 / (7 * 0.102), 1e-12);
    CHECK_REL(description.load_cv, 0.3, 1e-9);
    CHECK_TEXT(description.load_text, "gamma, cv 0.3");
}

static void names_come_from_the_file(void)
{
    struct dlq_error error = {0};
    struct dlq_description description = {.name = ""};
    struct dlq_model *model;
    FILE *stream = stream_of("[pipeline]\nloaders=1\n[load]\nmean=1s\n[step]\nmean=1s\n");
    CHECK_INT(dlq_model_read(&model, "some/where/own.name.ini", stream, &error), DLQ_OK);
    fclose(stream);
    CHECK_INT(dlq_model_describe(model, &description, &error), DLQ_OK);
    CHECK_TEXT(description.name, "own.name");
    dlq_model_free(model);
}

static void settings_override_the_file(void)
{
    struct dlq_error error = {0};
    struct dlq_description description = {.loaders = 0};
    OWN_MODEL *model = model_of(good, &error);
    set_all(model, "pipeline.loaders=5 pipeline.loaders=9 load.mean=2.385s", &error);
    CHECK_INT(dlq_model_describe(model, &description, &error), DLQ_OK);
    CHECK_INT(description.loaders, 9);
    CHECK_REL(description.load_mean, 2.385, 1e-15);
}

/* What a model may have besides, in the heading of every report. */
static void describes_what_it_has(void)
{
    static const struct {
        const char *settings, *load, *rest;
    } rows[] = {
        {"pipeline.batch_size=64 pipeline.threads=16 load.per=sample load.mean=60ms load.distribution=exponential",
         "64 samples of 60 ms on 16 threads, cv 0.2", ""},
        {"slowdown.interval=300s slowdown.duration=6s slowdown.speed=0 slowdown.scope=rank", "",
         "slowdown: interval 5min, duration 6s, speed 0%, scope rank"},
        {"load.uses=storage load.bytes=1MB pipeline.batch_size=10 pipeline.epoch_batches=100 cache.size=300MB", "",
         "pipeline: epoch_batches 100 · cache: size 300MB"},
        {"load.uses=cpu step.uses=cpu host.cores=2 host.core_affinity=50%", "",
         "step: uses cpu · host: core_affinity 50%"},
        {"step.gpu.mean=80ms step.save.mean=20s step.save.every=100 overheads.receive=3.4ms simulate.start=random", "",
         "overheads: receive 3.4ms · step.save: mean 20s, every 100 · simulate: start random"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_description description = {.load_text = ""};
        OWN_MODEL *model = model_with("pipeline.loaders=4 load.mean=100ms ", rows[i].settings, &error);
        if (strstr(rows[i].settings, "step.gpu") == NULL)
            set_all(model, "step.mean=100ms", &error);
        CHECK(dlq_model_describe(model, &description, &error) == DLQ_OK, "%s: %s", rows[i].settings, error.text);
        CHECK(strncmp(description.load_text, rows[i].load, strlen(rows[i].load)) == 0, "%s: '%s'", rows[i].settings,
              description.load_text);
        CHECK_TEXT(description.other_text, rows[i].rest);
    }
}

/* Of several stages a load time scales all alike, and a key says by how much; of one it is the mean. */
static void a_load_time_scales_all_stages(void)
{
    static const char stages[] = "[pipeline]\nloaders=4\n[load.read]\nmean=30ms\n[load.tail]\nmean=1s\nprobability=5%\n"
                                 "[step]\nmean=100ms\n";
    struct dlq_error error = {0};
    struct dlq_description description;
    struct dlq_setting setting;
    OWN_MODEL *model = model_of(stages, &error);
    CHECK_INT(dlq_model_set(model, "load.mean", "160ms", &error), DLQ_OK);
    CHECK_INT(dlq_model_set(model, "load.mean", "200ms", &error), DLQ_OK);
    CHECK_INT(dlq_model_describe(model, &description, &error), DLQ_OK);
    CHECK_REL(description.load_mean, 0.2, 1e-14);
    CHECK(strstr(description.load_text, "tail") != NULL, "%s", description.load_text);
    bool told = false;
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++)
        told =
            told || (strcmp(setting.key, "load_scale") == 0 && test_relative(strtod(setting.value, NULL), 2.5, 1e-14));
    CHECK(told, "no load_scale = 2.5");
    CHECK_INT(dlq_model_set(model, "load.mean", "0", &error), DLQ_INVALID);
}

/* A target that is a rate is no share, and would be refused as one. */
static void a_rate_is_written_as_a_number(void)
{
    struct dlq_error error = {0};
    struct dlq_setting setting;
    int found = 0;
    OWN_MODEL *model = model_of(good, &error);
    CHECK_INT(dlq_model_set(model, "plan.of", "samples_per_second", &error), DLQ_OK);
    CHECK_INT(dlq_model_set(model, "plan.target", "0.5", &error), DLQ_OK);
    CHECK_INT(dlq_model_check(model, &error), DLQ_OK);
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++)
        if (strcmp(setting.section, "plan") == 0 && strcmp(setting.key, "target") == 0) {
            CHECK_TEXT(setting.value, "0.5");
            found++;
        }
    CHECK_INT(found, 1);
}

/* What is wrong, and what the message must say; of the sections of the model: tests/model/test_mistakes.c. */
static const struct {
    const char *settings, *expected;
} wrong[] = {
    {"load.mean=70", "set: [load] mean: '70'"},
    {"pipeline.laoders=7", "did you mean 'loaders'"},
    {"sweep.loaders=1..4 sweep.load=1s,2s sweep.step=1s,2s", "[sweep] step: a sweep has one or two axes"},
    {"simulate.horizon=3s simulate.batches=100", "not together with horizon"},
    {"simulate.method=markov simulate.horizon=3s", "not together with method = markov"},
    {"plot.format=gif", "'gif' is not a list of png, svg, pdf"},
    {"plot.size=100x100", "'100x100' is not a size"},
    {"plot.size=1600x", "is not a size"},
};

static void reports_what_is_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct dlq_error error = {0};
        OWN_MODEL *model = model_of(good, &error);
        set_all(model, wrong[i].settings, &error);
        bool refused = error.count > 0;
        CHECK(dlq_model_check(model, &error) == DLQ_INVALID || refused, "case %zu: passes", i);
        CHECK(strstr(error.text, wrong[i].expected) != NULL, "case %zu: '%s' has no '%s'", i, error.text,
              wrong[i].expected);
    }
}

/* What set refuses leaves the model as it was; what a file says wrong is told to each who asks. */
static void refusals_do_not_stick(void)
{
    static const char *const paths[][2] = {{"load.mean", "3"},  {"load.mean", "-1s"}, {"laod.mean", "1s"},
                                           {"load.maen", "1s"}, {"load.mean", ""},    {"x", "1"}};
    struct dlq_bounds before, after;
    struct dlq_error error = {0};
    struct dlq_model *model = model_of(good, &error);
    CHECK_INT(dlq_bounds(model, &before, &error), DLQ_OK);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct dlq_error refused = {0};
        CHECK_INT(dlq_model_set(model, paths[i][0], paths[i][1], &refused), DLQ_INVALID);
        CHECK_INT(refused.count, 1);
        CHECK(dlq_bounds(model, &after, &error) == DLQ_OK, "%s=%s: %s", paths[i][0], paths[i][1], error.text);
        CHECK_REL(after.upper, before.upper, 0);
    }
    dlq_model_free(model);
    model = model_of("[pipeline]\nloaders = 2\n[load]\nmean = 3\n[step]\nmean = 1s\n", &error);
    for (int i = 0; i < 2; i++) {
        struct dlq_error again = {0};
        CHECK_INT(dlq_bounds(model, &after, &again), DLQ_INVALID);
        CHECK(strstr(again.text, ":4: [load] mean: '3' was refused") != NULL, "'%s'", again.text);
    }
    dlq_model_free(model);
}

static void reports_all_errors_at_once(void)
{
    struct dlq_error error = {0};
    OWN_MODEL *model = model_of("[pipeline]\nloaders = many\n[laod]\nmean = 1s\n[load]\nmean = 3 parsecs\n"
                                "[step]\nmean = 1\n[plot]\nformat = jpg\n",
                                &error);
    dlq_model_check(model, &error);
    CHECK_INT(error.count, 5);
    static const char *const expected[] = {
        "test.ini:2: [pipeline] loaders:", "test.ini:4: [laod]",
        "test.ini:6: [load] mean:", "test.ini:8: [step] mean:", "test.ini:10: [plot] format:"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CHECK(strstr(error.text, expected[i]) != NULL, "'%s' has no '%s'", error.text, expected[i]);
}

static void refuses_paths_without_a_key(void)
{
    static const char *const paths[] = {"loaders", ".loaders", "pipeline.", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct dlq_error error = {0};
        OWN_MODEL *model = model_with("", "", &error);
        CHECK_INT(dlq_model_set_from(model, "--set #3", paths[i], "7", &error), DLQ_INVALID);
        CHECK(strncmp(error.text, "--set #3: ", 10) == 0, "'%s'", error.text);
    }
}

/* Every row of every section is there once, and what was given says where. */
static void lists_all_settings(void)
{
    struct dlq_error error = {0};
    struct dlq_setting setting;
    struct dlq_option_help help;
    OWN_MODEL *model = model_of(good, &error);
    size_t count = 0, given = 0;
    dlq_model_set_from(model, "--set #1", "simulate.seed", "12", &error);
    for (; dlq_model_setting(model, count, &setting); count++) {
        given += setting.given ? 1 : 0;
        if (strcmp(setting.key, "seed") == 0)
            CHECK_TEXT(setting.origin, "--set #1");
        if (strcmp(setting.key, "cv") == 0 && strcmp(setting.section, "load") == 0)
            CHECK_TEXT(setting.origin, "test.ini:9");
        if (strcmp(setting.key, "persistent") == 0)
            CHECK_TEXT(setting.value, "no");
    }
    size_t options = 0, unwritten = 0; /* unwritten: of sections that are there only where they are written */
    for (; dlq_option_help(options, &help); options++)
        unwritten += strcmp(help.section, "slowdown") == 0 || strcmp(help.section, "cache") == 0;
    CHECK_INT(count + unwritten, options);
    CHECK_INT(unwritten, 14);
    CHECK_INT(given, 8);
}

static enum dlq_status set_alone(const struct dlq_option_help *help, const char *value)
{
    struct dlq_error error = {0};
    OWN_MODEL *model = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s.%s", help->section, help->key);
    CHECK_INT(dlq_model_new(&model, &error), DLQ_OK);
    enum dlq_status status = dlq_model_set(model, path, value, &error);
    CHECK(status == DLQ_OK || strstr(error.text, help->key) != NULL, "%s", error.text);
    return status;
}

/* What help and manual say may be written is accepted, and what lies beyond is not. */
static void accepts_what_help_says(void)
{
    struct dlq_option_help help;
    size_t limited = 0;
    for (size_t i = 0; dlq_option_help(i, &help); i++) {
        char beyond[80];
        CHECK(help.kind != NULL && help.kind[0] != '\0' && help.help[0] != '\0', "%s.%s", help.section, help.key);
        CHECK(help.default_value == NULL || set_alone(&help, help.default_value) == DLQ_OK, "%s.%s", help.section,
              help.key);
        for (size_t k = 0; help.words != NULL && help.words[k] != NULL; k++)
            CHECK(set_alone(&help, help.words[k]) == DLQ_OK, "%s.%s = %s", help.section, help.key, help.words[k]);
        if (help.most[0] == '\0')
            continue;
        limited++;
        CHECK(set_alone(&help, help.least) == DLQ_OK, "%s.%s = %s", help.section, help.key, help.least);
        CHECK(set_alone(&help, help.most) == DLQ_OK, "%s.%s = %s", help.section, help.key, help.most);
        snprintf(beyond, sizeof beyond, "9%s", help.most);
        CHECK(set_alone(&help, beyond) == DLQ_INVALID, "%s.%s = %s", help.section, help.key, beyond);
        snprintf(beyond, sizeof beyond, "-%s", help.most);
        CHECK(set_alone(&help, beyond) == DLQ_INVALID, "%s.%s = %s", help.section, help.key, beyond);
    }
    CHECK(limited > 40, "%zu rows with limits", limited);
}

/* Two loaders in turn with a window of two and no step: F_i = max(F_(i-1), F_(i-2) + S_i), S = 10 or 30 ms. In order
   two batches take 30 ms. Independent, d = F_i - F_(i-1) is 0, 10, 20 or 30 ms in .4, 4/15, 2/15 and .2 of the batches:
   34/3 ms on average. A serial trainer needs the means. */
static void recorded_order(void)
{
    static const double loads[] = {0.01, 0.03}, steps[] = {0.001, 0.003};
    static const struct {
        const char *order, *loaders, *window, *step;
        double rate, error;
    } rows[] = {
        {"recorded", "2", "2", "0", 2 / 0.03, 1e-3},
        {"independent", "2", "2", "0", 3 / 0.034, 0.02},
        {"recorded", "0", NULL, "file", 1 / 0.022, 1e-3},
        {"independent", "0", NULL, "file", 1 / 0.022, 0.02},
    };
    const struct dlq_run run = run_with(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN_MODEL *model = NULL;
        struct dlq_error error = {0};
        const bool file = rows[i].step[0] == 'f';
        const char *const settings[][2] = {
            {"pipeline.loaders", rows[i].loaders},
            {"pipeline.window", rows[i].window},
            {"load.distribution", "empirical"},
            {"load.file", "given.csv"},
            {"load.column", "load"},
            {"load.order", rows[i].order},
            {file ? "step.distribution" : "step.mean", file ? "empirical" : "0"},
            {"step.file", file ? "given.csv" : NULL},
            {"step.column", file ? "step" : NULL},
            {"step.order", file ? rows[i].order : NULL},
        };
        CHECK_INT(dlq_model_new(&model, &error), DLQ_OK);
        CHECK_INT(dlq_model_set_times(model, "given.csv", "load", loads, 2, &error), DLQ_OK);
        CHECK_INT(dlq_model_set_times(model, "given.csv", "step", steps, 2, &error), DLQ_OK);
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
            if (settings[k][1] != NULL)
                CHECK(dlq_model_set(model, settings[k][0], settings[k][1], &error) == DLQ_OK, "%s", error.text);
        struct dlq_estimate rate;
        CHECK(dlq_predict_run(model, 4000, &run, &rate, &error) == DLQ_OK, "row %zu: %s", i, error.text);
        CHECK_REL(rate.value, rows[i].rate, rows[i].error);
        struct dlq_bounds bounds;
        CHECK_INT(dlq_bounds(model, &bounds, &error), DLQ_OK);
        CHECK(bounds.lower < rows[i].rate * 1.000001, "row %zu: lower bound %g", i, bounds.lower);
    }
}

TEST_SUITE(model, CASE(recorded_order), CASE(describes_itself), CASE(names_come_from_the_file),
           CASE(describes_what_it_has), CASE(settings_override_the_file), CASE(a_load_time_scales_all_stages),
           CASE(a_rate_is_written_as_a_number), CASE(refusals_do_not_stick), CASE(reports_what_is_wrong),
           CASE(reports_all_errors_at_once), CASE(refuses_paths_without_a_key), CASE(lists_all_settings),
           CASE(accepts_what_help_says));
