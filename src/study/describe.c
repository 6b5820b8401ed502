/* What a model says, for reports: the description and the complete list of settings. */
#include "study/model.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* "lognormal, cv 0.3"; "256 samples of 5.4 ms, cv 0.3"; "read + decode, cv 0.12" */
static void describe_work(const struct dlq_work *work, char *text, size_t size)
{
    char mean[DLQ_QUANTITY_TEXT];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < work->count && length < size; i++) {
        const struct dlq_stage *stage = &work->stages[i];
        dlq_quantity_readable(stage->dist.mean, DLQ_UNIT_TIME, 3, mean);
        const char *plus = i == 0 ? "" : " + ";
        int written = 0;
        if (stage->per_sample)
            written = snprintf(text + length, size - length, "%s%s%s%ld samples of %s", plus, stage->name,
                               *stage->name ? " " : "", work->batch_size, mean);
        else
            written = snprintf(text + length, size - length, "%s%s%s%s", plus, stage->name, *stage->name ? " " : "",
                               stage->family->name);
        length += written > 0 ? (size_t)written : 0;
        if (stage->probability < 1 && length < size) {
            written = snprintf(text + length, size - length, " in %.3g %%", 100 * stage->probability);
            length += written > 0 ? (size_t)written : 0;
        }
    }
    if (!dlq_work_is_constant(work) && length < size)
        snprintf(text + length, size - length, ", cv %.2g", dlq_work_cv(work));
}

static double load_ratio(const struct dlq_system *system)
{
    double divisor = (double)system->pipeline.loaders * system->step.mean;
    return divisor > 0 ? system->load.mean / divisor : NAN;
}

static const char *model_name(const struct dlq_model *model)
{
    if (model->system.pipeline.name != NULL)
        return model->system.pipeline.name;
    return model->stem != NULL && strcmp(model->stem, "-") != 0 ? model->stem : "dlqueue";
}

enum dlq_status dlq_model_describe(struct dlq_model *model, struct dlq_description *description,
                                   struct dlq_error *error)
{
    enum dlq_status status = dlq_model_check(model, error);
    if (status != DLQ_OK)
        return status;
    const struct dlq_system *system = &model->system;
    const struct dlq_loader *loader = dlq_system_loader(system);
    long window = dlq_system_window(system);
    *description = (struct dlq_description){
        .name = model_name(model),
        .loader = loader->name,
        .prefetch_name = loader->prefetch_name,
        .loaders = system->pipeline.loaders,
        .prefetch = loader->prefetch_name == NULL ? 0 : system->pipeline.prefetch,
        .window = window == DLQ_UNBOUNDED ? -1 : window,
        .ranks = system->pipeline.ranks,
        .batch_size = system->pipeline.batch_size,
        .has_batch_size = system->has_batch_size,
        .epoch_batches = system->pipeline.epoch_batches,
        .seed = model->simulate.seed,
        .load_ratio = load_ratio(system),
        .load_mean = system->load.mean,
        .load_cv = dlq_work_cv(&system->load),
        .step_mean = system->step.mean,
        .step_cv = dlq_work_cv(&system->step),
        .cores = system->host.cores,
        .ranks_per_host = (double)dlq_system_ranks_per_host(system),
        .precision = model->simulate.precision,
        .horizon = model->simulate.horizon,
    };
    describe_work(&system->load, description->load_text, sizeof description->load_text);
    describe_work(&system->step, description->step_text, sizeof description->step_text);
    return DLQ_OK;
}

/* Is the entry the first of its section's name? */
static bool first_of_name(const struct dlq_entries *entries, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(entries->rows[i].section, entries->rows[at].section) == 0)
            return false;
    return true;
}

/* The names under which a section is used: its own, or those of its stages, in order of appearance. */
static const char *instance(const struct dlq_model *model, const struct dlq_section *section, size_t index)
{
    size_t length = strlen(section->name);
    size_t found = 0;
    for (size_t i = 0; section->named && i < model->entries.count; i++) {
        const char *name = model->entries.rows[i].section;
        bool ours = strncmp(name, section->name, length) == 0 && (name[length] == '.' || name[length] == '\0');
        if (ours && first_of_name(&model->entries, i) && found++ == index)
            return name;
    }
    return found == 0 && index == 0 ? section->name : NULL;
}

/* The value as written, in canonical form; computed defaults are told in the help. */
static void fill_setting(const struct dlq_model *model, const struct dlq_option *option, const char *section,
                         struct dlq_setting *setting)
{
    const struct dlq_entry *entry = dlq_entries_find(&model->entries, section, option->key);
    memset(setting, 0, sizeof *setting);
    setting->section = section;
    setting->key = option->key;
    setting->help = option->help;
    setting->given = entry != NULL;
    snprintf(setting->value, sizeof setting->value, "%s",
             entry != NULL              ? entry->value
             : option->standard == NULL ? ""
                                        : option->standard);
    if (entry != NULL)
        dlq_entry_place(entry, setting->origin, sizeof setting->origin);
    else
        snprintf(setting->origin, sizeof setting->origin, "default");
}

bool dlq_model_setting(const struct dlq_model *model, size_t index, struct dlq_setting *setting)
{
    struct dlq_section sections[DLQ_SECTIONS];
    size_t count = dlq_sections(sections);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0;; k++) {
            const char *name = instance(model, &sections[i], k);
            if (name == NULL)
                break;
            if (index < sections[i].count) {
                fill_setting(model, &sections[i].options[index], name, setting);
                return true;
            }
            index -= sections[i].count;
        }
    }
    return false;
}
