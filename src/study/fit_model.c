#include "study/fit_model.h"

#include "study/model.h"
#include "study/predict.h"
#include "study/suffices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SUFFICING = 512 };

static const double target_utilization = 0.95;

static enum dlq_status read_back(const struct dlq_fit *fit, struct dlq_model **model, struct dlq_error *error)
{
    FILE *stream = fmemopen(fit->config, strlen(fit->config), "r");
    if (stream == NULL)
        return dlq_error_memory(error, "reading the fitted configuration");
    enum dlq_status status = dlq_model_read(model, "the fitted configuration", stream, error);
    if (status == DLQ_OK)
        status = dlq_model_check(*model, error);
    fclose(stream);
    return status;
}

/* What shares one core, batch after batch: one loader with the window of all. */
static struct dlq_system without_sharing(const struct dlq_system *system)
{
    struct dlq_system one = *system;
    one.pipeline.window = dlq_system_window(system);
    one.pipeline.loaders = 1;
    one.host.cores = NAN;
    return one;
}

enum dlq_status dlq_fit_ask_model(struct dlq_fit *fit, long batches, const struct dlq_run *run, struct dlq_error *error)
{
    struct dlq_model *model = NULL;
    enum dlq_status status = read_back(fit, &model, error);
    if (status == DLQ_OK && model != NULL) {
        struct dlq_system system = fit->one_by_one ? without_sharing(&model->system) : model->system;
        status = dlq_predict(&system, batches, run, &fit->predicted, error);
    }
    if (status == DLQ_OK && fit->loaders > 0 && fit->loaders_known && !fit->one_by_one && fit->rhythm == 0 &&
        fit->step.mean > 0 && !fit->step.only_bound) {
        struct dlq_sufficient found;
        status = dlq_suffices(&model->system, target_utilization, MOST_SUFFICING, run, &found, error);
        if (status == DLQ_OK) {
            fit->suffices = found.loaders;
            fit->most_tried = found.most_tried;
        }
    }
    dlq_model_free(model);
    return status;
}
