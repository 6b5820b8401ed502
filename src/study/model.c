/* Models of callers: reading, changing key by key, and checking them; option help; checks of a run. */
#include "study/model.h"

#include "analytic/analytic.h"
#include "base/utf8.h"
#include "dlqueue/distributions.h"

#include <stdlib.h>
#include <string.h>

enum dlq_status dlq_model_new(struct dlq_model **model, struct dlq_error *error)
{
    struct dlq_model *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
        dlq_error_memory(error, "making a model");
        return DLQ_FAILURE;
    }
    *model = fresh;
    return DLQ_OK;
}

static enum dlq_status check_entry(struct dlq_entry *entry, struct dlq_error *error)
{
    struct dlq_section sections[DLQ_SECTIONS];
    return dlq_option_check(sections, dlq_sections(sections), dlq_foreign_names, entry, error);
}

enum dlq_status dlq_model_read(struct dlq_model **model, const char *name, FILE *stream, struct dlq_error *error)
{
    struct dlq_model *fresh = NULL;
    *model = NULL;
    TRY(dlq_model_new(&fresh, error));
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    const char *dot = strrchr(base, '.');
    fresh->file = dlq_utf8_clean(strdup(name));
    fresh->directory = slash == NULL ? NULL : strndup(name, (size_t)(slash - name));
    fresh->stem = dlq_utf8_clean(dot == NULL || dot == base ? strdup(base) : strndup(base, (size_t)(dot - base)));
    if (fresh->file == NULL || fresh->stem == NULL || (slash != NULL && fresh->directory == NULL)) {
        dlq_model_free(fresh);
        return dlq_error_memory(error, "reading a configuration");
    }
    enum dlq_status status = dlq_ini_read(&fresh->entries, fresh->file, stream, error);
    for (size_t i = 0; i < fresh->entries.count; i++) {
        enum dlq_status entry = check_entry(&fresh->entries.rows[i], error);
        status = status == DLQ_OK ? entry : status;
    }
    *model = fresh;
    return status;
}

enum dlq_status dlq_model_set_from(struct dlq_model *model, const char *origin, const char *path, const char *value,
                                   struct dlq_error *error)
{
    const char *dot = strrchr(path, '.');
    if (dot == NULL || dot == path || dot[1] == '\0')
        return dlq_error_add(error, DLQ_INVALID, "%s: '%s' is not section.key (e.g. pipeline.loaders=8)", origin, path);
    if (*value == '\0')
        return dlq_error_add(error, DLQ_INVALID, "%s: %s has no value (e.g. pipeline.loaders=8)", origin, path);
    /* load.mean of a load of several stages sets the factor that scales all stages to that mean. */
    char scale[DLQ_QUANTITY_TEXT], why[160];
    double time;
    bool stages = false;
    for (size_t i = 0; i < model->entries.count && strcmp(path, "load.mean") == 0; i++)
        stages = stages || strncmp(model->entries.rows[i].section, "load.", 5) == 0;
    if (stages && dlq_quantity_parse(value, DLQ_UNIT_TIME, &time, why, sizeof why) && time > 0 &&
        dlq_model_check(model, NULL) == DLQ_OK && model->system.load.mean > 0) {
        snprintf(scale, sizeof scale, "%.17g", model->system.pipeline.load_scale * time / model->system.load.mean);
        return dlq_model_set_from(model, origin, "pipeline.load_scale", scale, error);
    }
    char *section = strndup(path, (size_t)(dot - path));
    struct dlq_entry *entry =
        section == NULL ? NULL : dlq_entries_add(&model->entries, section, dot + 1, value, origin, 0);
    free(section);
    if (entry == NULL)
        return dlq_error_memory(error, "setting an option");
    model->checked = false;
    return check_entry(entry, error);
}

enum dlq_status dlq_model_set(struct dlq_model *model, const char *path, const char *value, struct dlq_error *error)
{
    size_t before = model->entries.count;
    enum dlq_status status = dlq_model_set_from(model, "set", path, value, error);
    if (status != DLQ_OK && model->entries.count > before)
        model->entries.count--;
    return status;
}

const char *dlq_model_file(const struct dlq_model *model)
{
    return model->file != NULL ? model->file : "configuration";
}

enum dlq_status dlq_model_check(struct dlq_model *model, struct dlq_error *error)
{
    if (model->checked)
        return DLQ_OK;
    /* An empty file gives one error, not one for each missing key; a file that could not be read gives no other. */
    if (model->entries.count == 0 && error != NULL && error->count > 0)
        return DLQ_INVALID;
    if (model->entries.count == 0)
        return dlq_error_add(error, DLQ_INVALID, "%s: holds no settings (dlqueue init writes a configuration)",
                             dlq_model_file(model));
    dlq_data_free(&model->data);
    model->data.columns = model->columns;
    enum dlq_status statuses[5] = {
        dlq_system_read(&model->system, &model->entries, model->directory, &model->data, error),
        dlq_simulate_options_read(&model->simulate, &model->entries, error),
    };
    dlq_options_apply(&dlq_sweep_section, "sweep", &model->entries, &model->sweep);
    char axes[200] = "a sweep has one or two axes, this is one too many:";
    for (size_t i = 0, count = 0; i < DLQ_AXES && statuses[2] == DLQ_OK; i++) {
        const char *key = dlq_axis_key((enum dlq_axis_name)i);
        if (model->sweep.axes[i].count == 0)
            continue;
        const size_t used = strlen(axes);
        snprintf(axes + used, sizeof axes - used, "%s %s", count > 0 ? "," : "", key);
        if (++count > 2)
            statuses[2] = dlq_model_refuse(model, "sweep", key, axes, error);
    }
    statuses[3] = dlq_plot_options_read(&model->plot, &model->entries, error);
    /* Report earlier refusals to a caller whose error holds none of them. */
    for (size_t i = 0; i < model->entries.count; i++) {
        char place[512];
        const struct dlq_entry *entry = &model->entries.rows[i];
        if (entry->bad)
            statuses[4] = DLQ_INVALID;
        if (entry->bad && error != NULL && error->count == 0)
            dlq_error_add(error, DLQ_INVALID, "%s: [%s] %s: '%s' was refused",
                          dlq_entry_place(entry, place, sizeof place), entry->section, entry->key, entry->value);
    }
    dlq_options_apply(&dlq_plan_section, "plan", &model->entries, &model->plan);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i] != DLQ_OK)
            return statuses[i];
    model->checked = true;
    return DLQ_OK;
}

enum dlq_status dlq_model_refuse(const struct dlq_model *model, const char *section, const char *key, const char *why,
                                 struct dlq_error *error)
{
    char place[512];
    const struct dlq_entry *entry = dlq_entries_find(&model->entries, section, key);
    return dlq_error_add(error, DLQ_INVALID, "%s: [%s] %s: %s",
                         entry != NULL ? dlq_entry_place(entry, place, sizeof place) : dlq_model_file(model), section,
                         key, why);
}

static void free_column(struct dlq_given_times *column)
{
    free(column->file);
    free(column->column);
    free(column->times);
    free(column);
}

enum dlq_status dlq_model_set_times(struct dlq_model *model, const char *file, const char *column, const double *times,
                                    size_t n, struct dlq_error *error)
{
    struct dlq_given_times *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL)
        return dlq_error_memory(error, "keeping measured times");
    *fresh = (struct dlq_given_times){strdup(file), strdup(column), malloc((n > 0 ? n : 1) * sizeof *times), n, NULL};
    if (fresh->file == NULL || fresh->column == NULL || fresh->times == NULL) {
        free_column(fresh);
        return dlq_error_memory(error, "keeping measured times");
    }
    memcpy(fresh->times, times, n * sizeof *times);
    fresh->next = model->columns;
    model->columns = fresh;
    model->checked = false;
    return DLQ_OK;
}

void dlq_model_free(struct dlq_model *model)
{
    if (model == NULL)
        return;
    dlq_entries_free(&model->entries);
    dlq_data_free(&model->data);
    for (struct dlq_given_times *next; model->columns != NULL; model->columns = next) {
        next = model->columns->next;
        free_column(model->columns);
    }
    free(model->file);
    free(model->directory);
    free(model->stem);
    free(model);
}

enum dlq_status dlq_model_plot(struct dlq_model *model, struct dlq_plot_options *options, struct dlq_error *error)
{
    TRY(dlq_model_check(model, error));
    *options = model->plot;
    return DLQ_OK;
}

bool dlq_option_help(size_t index, struct dlq_option_help *help)
{
    struct dlq_section sections[DLQ_SECTIONS];
    size_t count = dlq_sections(sections);
    for (size_t i = 0; i < count; i++) {
        if (index < sections[i].count) {
            const struct dlq_option *option = &sections[i].options[index];
            *help = (struct dlq_option_help){
                .section = sections[i].name,
                .section_help = sections[i].help,
                .key = option->key,
                .default_value = option->standard,
                .help = option->help,
                .words = option->words,
                .kind = dlq_option_noun(option),
                .range = option->kind == DLQ_KIND_RANGE,
                .in_named_sections = sections[i].named,
            };
            dlq_option_limits(option, help->least, help->most);
            return true;
        }
        index -= sections[i].count;
    }
    return false;
}

bool dlq_distribution_help(size_t index, struct dlq_distribution_help *help)
{
    size_t count;
    const struct dlq_family *const *families = dlq_families(&count);
    if (index >= count)
        return false;
    *help = (struct dlq_distribution_help){families[index]->name, families[index]->parameters, families[index]->help};
    return true;
}

void dlq_progress_of(const struct dlq_model *model, const struct dlq_run *run)
{
    struct dlq_bounds bounds;
    if (run->progress == NULL)
        return;
    dlq_system_upper(&model->system, &bounds);
    atomic_store(&run->progress->upper, bounds.upper);
}

enum dlq_status dlq_validate_run(const struct dlq_run *run, struct dlq_error *error)
{
    if (run->threads >= 1 && run->threads <= DLQ_RUN_THREADS)
        return DLQ_OK;
    return dlq_error_add(error, DLQ_INVALID, "threads of a run: %d is not from 1 to %d", run->threads, DLQ_RUN_THREADS);
}
