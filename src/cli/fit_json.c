#include "fit_json.h"

#include <math.h>

static json_t *parameters_json(const struct dlq_fit_law *law)
{
    struct dlq_object object = dlq_object_new();
    for (size_t i = 0; i < law->parameter_count; i++)
        dlq_object_number(&object, law->parameters[i].name, law->parameters[i].value);
    return dlq_object_end(&object);
}

static json_t *tried_json(const struct dlq_fit_tried *tried)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "distribution", tried->distribution);
    dlq_object_number(&object, "aic_above", tried->aic_above);
    dlq_object_number(&object, "ks", tried->ks);
    return dlq_object_end(&object);
}

static json_t *law_json(const struct dlq_fit_law *law)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "distribution", law->distribution[0] != '\0' ? law->distribution : NULL);
    dlq_object_put(&object, "parameters", parameters_json(law));
    dlq_object_number(&object, "mean", law->mean);
    dlq_object_number(&object, "cv", law->cv);
    dlq_object_number(&object, "median", law->median);
    dlq_object_number(&object, "p99", law->p99);
    dlq_object_number(&object, "ks", law->ks);
    dlq_object_number(&object, "n", (double)law->n);
    dlq_object_number(&object, "mean_low", law->mean_low);
    dlq_object_number(&object, "mean_high", law->mean_high);
    dlq_object_flag(&object, "only_bound", law->only_bound);
    dlq_object_list(&object, "tried");
    for (size_t i = 0; i < law->tried_count; i++)
        dlq_object_append(&object, "tried", tried_json(&law->tried[i]));
    return dlq_object_end(&object);
}

static json_t *overheads_json(const struct dlq_measured_overheads *overheads)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "dispatch", overheads->dispatch);
    dlq_object_number(&object, "deliver", overheads->deliver);
    dlq_object_number(&object, "receive", overheads->receive);
    dlq_object_number(&object, "startup", overheads->startup);
    dlq_object_number(&object, "barrier", overheads->barrier);
    return dlq_object_end(&object);
}

static json_t *reason_json(const struct dlq_reason *reason)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "cause", reason->cause);
    dlq_object_text(&object, "text", reason->text);
    return dlq_object_end(&object);
}

/* Where there was nothing to replay, the model's mean stands for it. */
static json_t *replay_json(const struct dlq_fit *fit)
{
    const struct dlq_replay *replay = &fit->replay;
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "measured", fit->has_replay ? replay->measured : fit->measured);
    dlq_object_number(&object, "predicted", fit->has_replay ? replay->predicted : fit->predicted.value);
    dlq_object_number(&object, "error", fit->has_replay ? replay->error : fit->predicted.value / fit->measured - 1);
    if (fit->has_replay) {
        dlq_object_number(&object, "without_overheads", replay->pure);
        dlq_object_number(&object, "batches", (double)replay->batches);
        dlq_object_number(&object, "wait_mean_measured", replay->wait_measured);
        dlq_object_number(&object, "wait_mean_predicted", replay->wait_predicted);
        dlq_object_number(&object, "wait_p99_measured", replay->wait_p99_measured);
        dlq_object_number(&object, "wait_p99_predicted", replay->wait_p99_predicted);
        dlq_object_list(&object, "reasons");
        for (size_t i = 0; i < replay->reason_count; i++)
            dlq_object_append(&object, "reasons", reason_json(&replay->reasons[i]));
    }
    return dlq_object_end(&object);
}

void dlq_fit_put(struct dlq_object *object, const struct dlq_fit *fit)
{
    static const char *const sources[] = {"trace", "waits", "windows", "stopwatch"};
    dlq_object_put(object, "load", law_json(&fit->load));
    dlq_object_put(object, "step", law_json(&fit->step));
    dlq_object_put(object, "overheads", overheads_json(&fit->overheads));
    dlq_object_put(object, "replay", replay_json(fit));
    dlq_object_text(object, "config", fit->config);
    dlq_object_text(object, "source", sources[fit->source]);
    dlq_object_text(object, "loader", fit->loader);
    dlq_object_number(object, "loaders", (double)fit->loaders);
    dlq_object_flag(object, "loaders_known", fit->loaders_known);
    dlq_object_number(object, "prefetch", fit->prefetch > 0 ? (double)fit->prefetch : NAN);
    dlq_object_number(object, "ranks", (double)fit->ranks);
    dlq_object_estimate(object, "predicted_run", fit->predicted);
    dlq_object_number(object, "suffices", fit->suffices > 0 ? (double)fit->suffices : NAN);
    double now = fit->loaders > 0 ? fmax(fit->load_pace, fit->step.mean) : fit->load_pace + fit->step.mean;
    dlq_object_number(object, "headroom", isnan(fit->load_pace) ? NAN : now / fit->step.mean);
    dlq_object_list(object, "warnings");
    for (size_t i = 0; i < fit->warning_count; i++)
        dlq_object_append(object, "warnings", dlq_json_text(fit->warnings[i]));
}
