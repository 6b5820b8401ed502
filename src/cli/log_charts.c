#include "log_charts.h"

#include "config.h"

#include <stdlib.h>
#include <string.h>

/* A model's [plot] is checked with all the rest, which has to be there. */
static enum dlq_status fill_rest(struct dlq_model *model, struct dlq_error *error)
{
    static const char *const settings[][2] = {{"pipeline.loaders", "1"}, {"load.mean", "1s"}, {"step.mean", "1s"}};
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == DLQ_OK; i++)
        status = dlq_model_set(model, settings[i][0], settings[i][1], error);
    return status;
}

static bool is_taken(const struct dlq_log_settings *settings, const char *path)
{
    for (const char *const *prefix = settings->taken; *prefix != NULL; prefix++)
        if (strncmp(path, *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}

static enum dlq_status apply(const struct dlq_session *session, const struct dlq_log_settings *settings,
                             struct dlq_model *model)
{
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < session->args->override_count; i++) {
        const struct dlq_override *override = &session->args->overrides[i];
        enum dlq_status set;
        if (is_taken(settings, override->path))
            set = dlq_model_set_from(model, override->origin, override->path, override->value, session->error);
        else
            set = dlq_error_add(session->error, DLQ_INVALID, "%s: %s %s", override->origin, override->path,
                                settings->refusal);
        status = status == DLQ_OK ? set : status;
    }
    return status;
}

enum dlq_status dlq_log_charts_read(struct dlq_session *session, const struct dlq_log_settings *settings,
                                    struct dlq_model **model, struct dlq_plot_options *plot)
{
    struct dlq_model *made = NULL;
    enum dlq_status status = dlq_model_new(&made, session->error);
    if (status == DLQ_OK)
        status = fill_rest(made, session->error);
    if (status == DLQ_OK)
        status = apply(session, settings, made);
    if (status == DLQ_OK)
        status = dlq_model_plot(made, plot, session->error);
    if (status == DLQ_OK)
        *model = made;
    else
        dlq_model_free(made);
    return status;
}

bool dlq_log_setting(const struct dlq_session *session, const struct dlq_model *model, const char *section,
                     const char *key, struct dlq_setting *setting)
{
    char path[160];
    bool given = false;
    snprintf(path, sizeof path, "%s.%s", section, key);
    for (size_t i = 0; i < session->args->override_count; i++)
        given = given || strcmp(session->args->overrides[i].path, path) == 0;
    return given && dlq_config_setting(model, section, key, setting);
}

void dlq_log_hint(const struct dlq_session *session, const struct dlq_model *model, char loader[DLQ_LOG_LOADER],
                  struct dlq_pipeline_hint *hint)
{
    struct dlq_setting setting;
    *hint = (struct dlq_pipeline_hint){.loaders = -1};
    if (dlq_log_setting(session, model, "pipeline", "loaders", &setting))
        hint->loaders = strtol(setting.value, NULL, 10);
    if (dlq_log_setting(session, model, "pipeline", "prefetch", &setting))
        hint->prefetch = strtol(setting.value, NULL, 10);
    if (dlq_log_setting(session, model, "pipeline", "loader", &setting)) {
        snprintf(loader, DLQ_LOG_LOADER, "%s", setting.value);
        hint->loader = loader;
    }
}
