/* The settings of the model that a fit is: keys and values of its configuration. */
#include "base/quantity.h"
#include "study/fit/fit.h"
#include "study/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 6, OVERHEAD_DIGITS = 3 };

static void add(struct dlq_fit *fit, const char *section, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void add(struct dlq_fit *fit, const char *section, const char *key, const char *format, ...)
{
    size_t last = fit->setting_count < DLQ_FIT_SETTINGS ? fit->setting_count++ : DLQ_FIT_SETTINGS - 1;
    va_list arguments;
    fit->settings[last] = (struct dlq_fit_setting){.section = section, .key = key};
    va_start(arguments, format);
    vsnprintf(fit->settings[last].value, sizeof fit->settings[last].value, format, arguments);
    va_end(arguments);
}

static void add_time(struct dlq_fit *fit, const char *section, const char *key, double seconds, int digits)
{
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {1e-6, 1e-6, "us"}, {0, 1e-9, "ns"}};
    size_t i = 0;
    while (seconds < units[i].least)
        i++;
    add(fit, section, key, "%.*g%s", digits, seconds / units[i].unit, units[i].name);
}

static void add_distribution(struct dlq_fit *fit, const char *section, const struct dlq_family *family,
                             const struct dlq_parameters *parameters)
{
    add(fit, section, "distribution", "%s", family->name);
    for (size_t i = 0; i < DLQ_PARAMETER_ROWS; i++) {
        const struct dlq_parameter_row *row = &dlq_parameter_rows[i];
        double value = dlq_parameter_of(parameters, row);
        if (!isnan(value) && row->is_time)
            add_time(fit, section, row->name, value, DIGITS);
        else if (!isnan(value))
            add(fit, section, row->name, "%.*g", DIGITS, value);
    }
}

/* sections: where there is one stage, and the two where there is a tail. Loads that exclude one another share one core,
   as far as the model goes. */
static void add_work(struct dlq_fit *fit, const char *const sections[3], double mean, const struct dlq_fitted *fitted,
                     bool shares_core)
{
    bool tailed = fitted != NULL && fitted->has_tail;
    if (fitted == NULL)
        add_time(fit, sections[0], "mean", mean, DIGITS);
    else
        add_distribution(fit, sections[tailed ? 1 : 0], fitted->family, &fitted->parameters);
    if (shares_core)
        add(fit, sections[tailed ? 1 : 0], "uses", "cpu");
    if (!tailed)
        return;
    add(fit, sections[2], "probability", "%.*g%%", DIGITS, fitted->tail_probability / 0.01);
    add_distribution(fit, sections[2], fitted->tail_family, &fitted->tail_parameters);
    if (shares_core)
        add(fit, sections[2], "uses", "cpu");
}

void dlq_fit_settings(struct dlq_fit *fit, const struct dlq_fit_recipe *recipe)
{
    static const char *const load[] = {"load", "load.usual", "load.tail"};
    static const char *const step[] = {"step", "step.usual", "step.tail"};
    const struct {
        const char *key;
        double value;
    } overheads[] = {
        {"startup", fit->overheads.startup}, {"dispatch", fit->overheads.dispatch}, {"deliver", fit->overheads.deliver},
        {"receive", fit->overheads.receive}, {"barrier", fit->overheads.barrier},
    };
    add(fit, "pipeline", "loader", "%s", fit->loader);
    add(fit, "pipeline", "loaders", "%ld", fit->loaders);
    if (fit->loaders > 0 && fit->prefetch > 0)
        add(fit, "pipeline", "prefetch", "%ld", fit->prefetch);
    if (fit->ranks > 1)
        add(fit, "pipeline", "ranks", "%ld", fit->ranks);
    if (fit->has_replay && fit->loaders > 0 && fit->replay.epoch_batches > 0) {
        add(fit, "pipeline", "epoch_batches", "%ld", fit->replay.epoch_batches);
        add(fit, "pipeline", "persistent", fit->overheads.persistent ? "yes" : "no");
    }
    if (recipe->slow_loaders > 0) {
        add(fit, "pipeline", "slow_loaders", "%ld", recipe->slow_loaders);
        add(fit, "pipeline", "slow_factor", "%.*g", DIGITS, recipe->slow_factor);
    }
    for (size_t i = 0; i < sizeof overheads / sizeof *overheads; i++)
        if (overheads[i].value > 0)
            add_time(fit, "overheads", overheads[i].key, overheads[i].value, OVERHEAD_DIGITS);
    add_work(fit, load, fit->load.mean, recipe->load, fit->one_by_one);
    add_work(fit, step, fit->step.mean, recipe->step, false);
    if (fit->one_by_one)
        add(fit, "host", "cores", "1");
}

/* As a user would have it read: so what is predicted is what the configuration gives. */
enum dlq_status dlq_fit_model(const struct dlq_fit *fit, struct dlq_model **model, struct dlq_error *error)
{
    char text[DLQ_FIT_SETTINGS * 100];
    size_t used = 0;
    for (size_t i = 0; i < fit->setting_count; i++) {
        const struct dlq_fit_setting *setting = &fit->settings[i];
        if (i == 0 || strcmp(setting->section, setting[-1].section) != 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "[%s]\n", setting->section);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s = %s\n", setting->key, setting->value);
    }
    FILE *stream = fmemopen(text, used, "r");
    if (stream == NULL)
        return dlq_error_memory(error, "reading the fitted configuration");
    enum dlq_status status = dlq_model_read(model, "the fitted configuration", stream, error);
    if (status == DLQ_OK)
        status = dlq_model_check(*model, error);
    fclose(stream);
    return status;
}
