/* Models for tests, from a text of settings. */
#ifndef TESTS_STUDY_MODELS_H
#define TESTS_STUDY_MODELS_H

#include "dlqueue/dlqueue.h"
#include "harness.h"

#include <glob.h>
#include <stdlib.h>

/* A stream to read the text from; null where that can't be had. */
static inline FILE *stream_of(const char *text)
{
    FILE *stream = tmpfile();
    if (stream != NULL) {
        fputs(text, stream);
        rewind(stream);
    }
    return stream;
}

/* From an INI text; null with *error filled where it can't be read. The caller frees. */
static inline struct dlq_model *model_of(const char *text, struct dlq_error *error)
{
    struct dlq_model *model = NULL;
    FILE *stream = stream_of(text);
    if (stream == NULL)
        return NULL;
    dlq_model_read(&model, "test.ini", stream, error);
    fclose(stream);
    return model;
}

/* Sets "a.b=c" settings separated by blanks; values hold none. */
static inline void set_all(struct dlq_model *model, const char *settings, struct dlq_error *error)
{
    char copy[1024];
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

/* Likewise the record of its first replication, to be freed. */
static inline struct dlq_timeline recorded(const char *settings, double from, double until)
{
    struct dlq_error error = {0};
    struct dlq_run run = run_with(1);
    struct dlq_timeline timeline = {.rank_count = 0};
    struct dlq_model *model = model_with(settings, "", &error);
    CHECK(dlq_timeline_simulate(model, from, until, &run, &timeline, &error) == DLQ_OK && error.count == 0, "%s: %s",
          settings, error.text);
    dlq_model_free(model);
    return timeline;
}

/* A configuration that comes with the program; null, and a failed check, where it can't be read. */
static inline struct dlq_model *model_of_config(const char *name, const char *settings, struct dlq_error *error)
{
    char path[512];
    struct dlq_model *model = NULL;
    snprintf(path, sizeof path, PROJECT_SOURCE "/configs/%s.ini", name);
    FILE *stream = fopen(path, "r");
    CHECK(stream != NULL, "cannot read %s", path);
    if (stream == NULL)
        return NULL;
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

#endif
