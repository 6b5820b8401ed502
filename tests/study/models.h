/* Models for tests, from a text of settings. */
#ifndef TESTS_STUDY_MODELS_H
#define TESTS_STUDY_MODELS_H

#include "dlqueue/dlqueue.h"
#include "harness.h"

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

/* From settings alone. */
static inline struct dlq_model *model_with(const char *settings, struct dlq_error *error)
{
    struct dlq_model *model = NULL;
    if (dlq_model_new(&model, error) == DLQ_OK)
        set_all(model, settings, error);
    return model;
}

static inline struct dlq_run run_with(int threads)
{
    return (struct dlq_run){.threads = threads};
}

static inline double half_width(struct dlq_estimate estimate)
{
    return (estimate.high - estimate.low) / 2;
}

#endif
