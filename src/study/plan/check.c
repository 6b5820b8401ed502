/* Checks of [plan]. */
#include "study/plan/plan.h"

#include <stdio.h>
#include <string.h>

static enum dlq_status refuse(const struct dlq_model *model, const char *key, const char *why, struct dlq_error *error)
{
    return why == NULL ? DLQ_OK : dlq_model_refuse(model, "plan", key, why, error);
}

static enum dlq_status check_axis(const struct dlq_model *model, const struct dlq_plan_axis *axis,
                                  struct dlq_error *error)
{
    const struct dlq_pipeline *pipeline = &model->system.pipeline;
    const struct dlq_loader *loader = dlq_loader_at(pipeline->loader);
    const bool prefetch = axis->axis == DLQ_AXIS_PREFETCH;
    char text[160];
    const char *why = NULL;
    if (axis->axis == DLQ_AXIS_LOADERS && dlq_loader_is_serial(loader)) {
        snprintf(text, sizeof text, "loader %s has no loaders of its own: choose another loader", loader->name);
        why = text;
    } else if (axis->axis == DLQ_AXIS_CORES && dlq_system_cpu_work(&model->system) == 0) {
        why = "nothing needs cores: no stage has uses = cpu";
    } else if (axis->rate > 0 && dlq_work_time(&model->system.load, DLQ_USES_STORAGE) == 0) {
        why = "nothing is read: no stage of the load has uses = storage";
    } else if (prefetch && loader->prefetch_name == NULL) {
        snprintf(text, sizeof text, "%s has no prefetch", loader->name);
        why = text;
    } else if (prefetch && pipeline->loaders == 0) {
        why = "with 0 loaders there is no prefetch";
    } else if (prefetch && pipeline->window != 0 && !loader->relay) {
        why = "[pipeline] window is given, so that prefetch changes nothing";
    }
    return refuse(model, "solve", why, error);
}

/* Checks all keys, so that the error has a line for each mistake. axis_too: also whether there is something to solve
   for. */
static enum dlq_status check_keys(const struct dlq_model *model, bool axis_too, struct dlq_error *error)
{
    const struct dlq_plan_axis *axis = &dlq_plan_axes[model->plan.solve];
    const bool rate = model->plan.of == DLQ_OF_SAMPLES_PER_SECOND;
    const struct dlq_entry *entry = dlq_entries_find(&model->entries, "plan", "target");
    const double target = model->plan.target;
    char why[160] = "";
    if (!rate && target > 1)
        snprintf(why, sizeof why, "%g is not a share, as %s is: write 95%% or 0.95%s", target,
                 dlq_plan_of_name((enum dlq_plan_of)model->plan.of),
                 target > 100 ? " (a rate is planned with of = samples_per_second)" : "");
    else if (rate && entry != NULL && strchr(entry->value, '%') != NULL)
        snprintf(why, sizeof why, "%.20s is a share, and %s a rate: write how many samples/s, e.g. 2500", entry->value,
                 dlq_plan_of_name((enum dlq_plan_of)model->plan.of));
    else if (!(target > 0))
        snprintf(why, sizeof why, "any candidate reaches 0: give more");
    else if (rate && entry == NULL)
        snprintf(why, sizeof why, "missing (say how many samples/s, e.g. target = 2500)");
    enum dlq_status of_target = refuse(model, "target", why[0] != '\0' ? why : NULL, error);
    enum dlq_status of_solve = axis_too ? check_axis(model, axis, error) : DLQ_OK, of_at_most = DLQ_OK;
    const bool prefetch = axis->axis == DLQ_AXIS_PREFETCH;
    /* The most that [pipeline] allows; of ranks it allows as many as at_most can be. */
    long most = axis->axis == DLQ_AXIS_LOADERS ? DLQ_MOST_LOADERS : prefetch ? DLQ_MOST_PREFETCH : LONG_MAX;
    snprintf(why, sizeof why, "a count; bandwidths are tried up to what the loaders can take");
    if (axis->rate == 0)
        snprintf(why, sizeof why, "%ld is more than [pipeline] %s can be: at most %ld", model->plan.at_most,
                 dlq_plan_solve_words[model->plan.solve], most);
    if (axis->rate > 0 ? dlq_entries_find(&model->entries, "plan", "at_most") != NULL : model->plan.at_most > most)
        of_at_most = refuse(model, "at_most", why, error);
    return of_target != DLQ_OK ? of_target : of_solve != DLQ_OK ? of_solve : of_at_most;
}

enum dlq_status dlq_plan_check(struct dlq_model *model, struct dlq_error *error)
{
    TRY(dlq_model_check(model, error));
    size_t i = 0;
    while (i < model->entries.count && strcmp(model->entries.rows[i].section, "plan") != 0)
        i++;
    if (i == model->entries.count)
        return DLQ_OK;
    /* solve = loaders is the default: with a loader that has no workers it is no mistake. */
    return check_keys(model, model->plan.solve != DLQ_SOLVE_LOADERS, error);
}

enum dlq_status dlq_plan_accept(const struct dlq_model *model, struct dlq_error *error)
{
    const bool rate = model->plan.of == DLQ_OF_SAMPLES_PER_SECOND;
    TRY(check_keys(model, true, error));
    if (!rate && !(model->system.step.mean > 0))
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "%s: without a step there is no %s to plan for: give [step] mean, or plan for "
                             "samples_per_second",
                             dlq_model_file(model), dlq_plan_of_name((enum dlq_plan_of)model->plan.of));
    return DLQ_OK;
}
