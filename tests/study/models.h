/* Models for tests, from a text of settings. */
#pragma once

#include "dlqueue/dlqueue.h"
#include "harness.h"

#include <glob.h>
#include <stdlib.h>

POINTER_FREED(dlq_model)
#define OWN_MODEL __attribute__((cleanup(dlq_model_pointer_free))) struct dlq_model

/* A stream to read the text from. */
static inline FILE *stream_of(const char *text)
{
    FILE *stream = tmpfile();
    fputs(text, stream);
    rewind(stream);
    return stream;
}

/* From an INI text; null with *error filled where it can't be read. The caller frees. */
static inline struct dlq_model *model_of(const char *text, struct dlq_error *error)
{
    struct dlq_model *model = NULL;
    FILE *stream = stream_of(text);
    dlq_model_read(&model, "test.ini", stream, error);
    fclose(stream);
    return model;
}

/* Sets "a.b=c" settings separated by blanks; values hold none. */
static inline void set_all(struct dlq_model *model, const char *settings, struct dlq_error *error)
{
    char copy[2048];
    char *rest = copy;
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *setting = strtok_r(copy, " ", &rest); setting != NULL; setting = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(setting, '=');
        *value = '\0';
        dlq_model_set(model, setting, value + 1, error);
    }
}

/* From settings alone, and some more. */
static inline struct dlq_model *model_with(const char *settings, const char *more, struct dlq_error *error)
{
    struct dlq_model *model = NULL;
    if (dlq_model_new(&model, error) == DLQ_OK) {
        set_all(model, settings, error);
        set_all(model, more, error);
    }
    return model;
}

static inline struct dlq_run run_with(int threads)
{
    return (struct dlq_run){.threads = threads};
}

/* What a simulation of those settings and some more finds; all zero, and a failed check, where there is none. */
static inline struct dlq_simulation simulated(const struct dlq_run *run, const char *settings, const char *more)
{
    struct dlq_error error = {0};
    struct dlq_simulation result = {.replications = 0};
    struct dlq_model *model = model_with(settings, more, &error);
    CHECK(dlq_simulate(model, run, &result, &error) == DLQ_OK && error.count == 0, "%s %s: %s", settings, more,
          error.text);
    dlq_model_free(model);
    return result;
}

/* Likewise the solution; all zero, and a failed check, where there is none. */
static inline struct dlq_solution solved(const char *settings, const char *more)
{
    struct dlq_error error = {0};
    struct dlq_run run = run_with(2);
    struct dlq_solution solution = {.warning_count = 0};
    struct dlq_model *model = model_with(settings, more, &error);
    CHECK(dlq_solve(model, &run, &solution, &error) == DLQ_OK && error.count == 0, "%s %s: %s", settings, more,
          error.text);
    dlq_model_free(model);
    return solution;
}

/* Likewise the record of its first replication, to be freed; the test ends where there is none. */
static inline struct dlq_timeline recorded(const char *settings, double from, double until)
{
    struct dlq_error error = {0};
    struct dlq_run run = run_with(1);
    struct dlq_timeline timeline = {.rank_count = 0};
    struct dlq_model *model = model_with(settings, "", &error);
    CHECK(dlq_timeline_simulate(model, from, until, &run, &timeline, &error) == DLQ_OK && error.count == 0, "%s: %s",
          settings, error.text);
    if (timeline.rank_count == 0)
        test_skip("no record");
    dlq_model_free(model);
    return timeline;
}

/* -- the functions that ask a model; outputs are freed -- */

typedef enum dlq_status ask_model(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error);

/* An output that is not touched on failure: `mark`, 77 before, is in it. What was interrupted may be told in part. */
#define ASK(name_, type_, mark, call, release)                                                                         \
    static inline enum dlq_status name_(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error)   \
    {                                                                                                                  \
        type_ made = {.mark = 77};                                                                                     \
        enum dlq_status status = call;                                                                                 \
        CHECK((made.mark == 77) == (status != DLQ_OK) || status == DLQ_INTERRUPTED, "%d: touched", (int)status);       \
        if (status == DLQ_OK)                                                                                          \
            release;                                                                                                   \
        return status;                                                                                                 \
    }

ASK(ask_simulate, struct dlq_simulation, replications, dlq_simulate(model, run, &made, error), (void)0)
ASK(ask_solve, struct dlq_solution, warning_count, dlq_solve(model, run, &made, error), (void)0)
ASK(ask_tornado, struct dlq_tornado, warning_count, dlq_tornado(model, run, &made, error), (void)0)
ASK(ask_plan, struct dlq_plan, at_most, dlq_plan(model, run, &made, error), dlq_plan_free(&made))
ASK(ask_timeline, struct dlq_timeline, loaders, dlq_timeline_simulate(model, 0.1, 2, run, &made, error),
    dlq_timeline_free(&made))
ASK(ask_rhythm, struct dlq_rhythm, loaders, dlq_rhythm_simulate(model, run, &made, error), dlq_rhythm_free(&made))

static inline enum dlq_status ask_sweep(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error)
{
    struct dlq_sweep *sweep = NULL;
    struct dlq_sweep_point point;
    enum dlq_status status = dlq_sweep_begin(&sweep, model, run, error);
    for (bool more = true; more && status == DLQ_OK;)
        status = dlq_sweep_next(sweep, &point, &more, error);
    dlq_sweep_end(sweep);
    return status;
}

/* A configuration that comes with the program; the test ends where there is none. */
static inline struct dlq_model *model_of_config(const char *name, const char *settings, struct dlq_error *error)
{
    char path[512];
    struct dlq_model *model = NULL;
    snprintf(path, sizeof path, PROJECT_SOURCE "/configs/%s.ini", name);
    FILE *stream = fopen(path, "r");
    CHECK(stream != NULL, "cannot read %s", path);
    if (stream == NULL)
        test_skip("no configuration");
    dlq_model_read(&model, path, stream, error);
    fclose(stream);
    set_all(model, settings, error);
    return model;
}

/* Each of them is in a table of `count` rows, which begin with a name. */
static inline void check_configs(const void *rows, size_t count, size_t size)
{
    glob_t configs;
    CHECK(glob(PROJECT_SOURCE "/configs/*.ini", 0, NULL, &configs) == 0 && configs.gl_pathc >= 19, "no configs");
    for (size_t k = 0; k < configs.gl_pathc; k++) {
        const char *name = strrchr(configs.gl_pathv[k], '/') + 1;
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            const char *row = *(const char *const *)((const char *)rows + i * size);
            found = found || (strlen(row) + strlen(".ini") == strlen(name) && strncmp(row, name, strlen(row)) == 0);
        }
        CHECK(found, "%s is not expected here", name);
    }
    globfree(&configs);
}

/* Settings that plans are made of. */
#define PLANNED                                                                                                        \
    "pipeline.loaders=4 pipeline.batch_size=32 load.mean=400ms load.distribution=lognormal load.cv=0.5 "               \
    "step.mean=100ms "

static inline double half_width(struct dlq_estimate estimate)
{
    return (estimate.high - estimate.low) / 2;
}
