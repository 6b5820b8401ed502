#include "log_charts.h"

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

static enum dlq_status apply(const struct dlq_session *session, struct dlq_model *model)
{
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < session->args->override_count; i++) {
        const struct dlq_override *override = &session->args->overrides[i];
        enum dlq_status set;
        if (strncmp(override->path, "plot.", strlen("plot.")) == 0)
            set = dlq_model_set_from(model, override->origin, override->path, override->value, session->error);
        else
            set = dlq_error_add(session->error, DLQ_INVALID,
                                "%s: %s is of a model, and a log needs none; keys of [plot] alone can be set here",
                                override->origin, override->path);
        status = status == DLQ_OK ? set : status;
    }
    return status;
}

enum dlq_status dlq_log_charts_read(struct dlq_session *session, struct dlq_model **model,
                                    struct dlq_plot_options *plot)
{
    struct dlq_model *made = NULL;
    enum dlq_status status = dlq_model_new(&made, session->error);
    if (status == DLQ_OK)
        status = fill_rest(made, session->error);
    if (status == DLQ_OK)
        status = apply(session, made);
    if (status == DLQ_OK)
        status = dlq_model_plot(made, plot, session->error);
    if (status == DLQ_OK)
        *model = made;
    else
        dlq_model_free(made);
    return status;
}
