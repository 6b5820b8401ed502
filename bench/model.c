#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum dlq_status set_count(struct dlq_model *model, const char *path, long value, struct dlq_error *error)
{
    char text[32];
    if (value == 0)
        return DLQ_OK;
    snprintf(text, sizeof text, "%ld", value);
    return dlq_model_set(model, path, text, error);
}

/* No warm-up, which a horizon has none of, and no stop at a precision, so that the work is known. */
static enum dlq_status set_extent(struct dlq_model *model, const struct bench_setup *setup, struct dlq_error *error)
{
    enum dlq_status statuses[] = {
        strstr(setup->settings, "horizon") == NULL ? dlq_model_set(model, "simulate.warmup", "0", error) : DLQ_OK,
        dlq_model_set(model, "simulate.precision", "0", error),
        set_count(model, "simulate.batches", setup->batches, error),
        set_count(model, "simulate.replications", setup->replications, error),
        set_count(model, "pipeline.ranks", setup->ranks, error),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i] != DLQ_OK)
            return statuses[i];
    return DLQ_OK;
}

/* Takes `text` apart in place; nothing may stand behind the last semicolon. */
static enum dlq_status set_all(struct dlq_model *model, char *text, struct dlq_error *error)
{
    char *rest = NULL;
    for (char *path = strtok_r(text, ";", &rest); path != NULL; path = strtok_r(NULL, ";", &rest)) {
        path += strspn(path, " ");
        if (*path == '\0')
            continue;
        char *value = strchr(path, '=');
        if (value == NULL)
            return dlq_error_add(error, DLQ_INVALID, "'%s' is not section.key=value", path);
        *value++ = '\0';
        enum dlq_status status = dlq_model_set(model, path, value, error);
        if (status != DLQ_OK)
            return status;
    }
    return DLQ_OK;
}

static enum dlq_status fill(struct dlq_model *model, const struct bench_setup *setup, struct dlq_error *error)
{
    enum dlq_status status = set_extent(model, setup, error);
    if (status != DLQ_OK)
        return status;
    char *text = strdup(setup->settings);
    if (text == NULL)
        return dlq_error_memory(error, "setting up a model");
    status = set_all(model, text, error);
    free(text);
    return status == DLQ_OK ? dlq_model_check(model, error) : status;
}

enum dlq_status bench_model_new(struct dlq_model **model, const struct bench_setup *setup, struct dlq_error *error)
{
    struct dlq_model *fresh = NULL;
    enum dlq_status status = dlq_model_new(&fresh, error);
    if (status == DLQ_OK)
        status = fill(fresh, setup, error);
    if (status == DLQ_OK)
        *model = fresh;
    else
        dlq_model_free(fresh);
    return status;
}

struct dlq_run bench_library_run(const struct bench_setup *setup, const struct bench_run *run)
{
    return (struct dlq_run){
        .threads = setup->threads > 0 ? setup->threads : run->threads,
        .interrupted = run->interrupted,
    };
}

double bench_batches(const struct dlq_simulation *result, const struct bench_setup *setup)
{
    double batches = (double)result->replications * (double)result->batches_per_replication;
    return batches * (double)(setup->ranks > 1 ? setup->ranks : 1);
}
