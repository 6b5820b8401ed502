/* The description of a model for reports, and the complete list of its settings. */
#include "dlqueue/plan.h"
#include "study/model.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* "lognormal, cv 0.3"; "256 samples of 5.4 ms, cv 0.3"; "read + decode, cv 0.12"; "64 samples of 60 ms on 16 threads,
   cv 0.2". work: as it is written; made: with the makespans of its threads, whose cv is printed. */
static void describe_work(const struct dlq_work *work, const struct dlq_work *made, long threads, char *text,
                          size_t size)
{
    char mean[DLQ_QUANTITY_TEXT], number[DLQ_QUANTITY_TEXT];
    text[0] = '\0';
    for (size_t i = 0; i < work->count; i++) {
        const struct dlq_stage *stage = &work->stages[i];
        append(text, size, "%s%s%s", i == 0 ? "" : " + ", stage->name, *stage->name ? " " : "");
        if (stage->per_sample) {
            dlq_quantity_readable(stage->dist.mean, DLQ_UNIT_TIME, 3, mean);
            append(text, size, "%s sample%s of %s", dlq_text_fixed((double)work->batch_size, 0, number),
                   work->batch_size == 1 ? "" : "s", mean);
            if (threads > 1)
                append(text, size, " on %ld threads", threads);
        } else {
            append(text, size, "%s", stage->family->name);
        }
        if (stage->probability < 1)
            append(text, size, " in %.3g %%", 100 * stage->probability);
    }
    if (!dlq_work_is_constant(made) && isfinite(made->variance))
        append(text, size, ", cv %.3g", dlq_work_cv(made));
    else if (!dlq_work_is_constant(made))
        append(text, size, ", cv infinite");
}

/* Other settings that are given and influence the answer: "overheads: receive 3.4ms · host: bandwidth 2.62GB/s". */
static void describe_rest(const struct dlq_model *model, char *text, size_t size)
{
    static const struct {
        const char *section, *keys; /* of the section and of its stages; null: all keys */
    } shown[] = {
        {"pipeline", " slow_loaders slow_ranks slow_factor epoch_batches epochs persistent "},
        {"overheads", NULL},
        {"step", " uses "},
        {"host", " instance bandwidth core_affinity contention sharpness "},
        {"storage", " bandwidth "},
        {"cache", NULL},
        {"slowdown", NULL},
        {"simulate", " resolution start "},
    };
    struct dlq_setting setting;
    char last[DLQ_QUANTITY_TEXT] = "", key[DLQ_QUANTITY_TEXT];
    text[0] = '\0';
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++) {
        /* Print every key of a pause; pauses are not in step_text. */
        bool printed = setting.given && strncmp(setting.section, "step.", 5) == 0 &&
                       dlq_entries_find(&model->entries, setting.section, "every") != NULL;
        snprintf(key, sizeof key, " %s ", setting.key);
        for (size_t k = 0; setting.given && k < sizeof shown / sizeof *shown && !printed; k++)
            printed = strncmp(setting.section, shown[k].section, strlen(shown[k].section)) == 0 &&
                      (shown[k].keys == NULL || strstr(shown[k].keys, key) != NULL);
        if (!printed)
            continue;
        bool same = strncmp(setting.section, last, sizeof last - 1) == 0;
        append(text, size, "%s", same ? ", " : text[0] != '\0' ? " · " : "");
        if (!same)
            append(text, size, "%s: ", setting.section);
        append(text, size, "%s %s", setting.key, setting.value);
        snprintf(last, sizeof last, "%s", setting.section);
    }
}

enum dlq_status dlq_model_describe(struct dlq_model *model, struct dlq_description *description,
                                   struct dlq_error *error)
{
    TRY(dlq_model_check(model, error));
    const struct dlq_system *system = &model->system;
    const double divisor = (double)system->pipeline.loaders * system->step.mean;
    const struct dlq_loader *loader = dlq_system_loader(system);
    long window = dlq_system_window(system);
    *description = (struct dlq_description){
        .name = system->pipeline.name != NULL                          ? system->pipeline.name
                : model->stem != NULL && strcmp(model->stem, "-") != 0 ? model->stem
                                                                       : "dlqueue",
        .loader = loader->name,
        .prefetch_name = loader->prefetch_name,
        .loaders = system->pipeline.loaders,
        .prefetch = loader->prefetch_name == NULL ? 0 : system->pipeline.prefetch,
        .window = window == DLQ_UNBOUNDED ? -1 : window,
        .in_flight = window == DLQ_UNBOUNDED ? -1 : dlq_system_in_flight(system),
        .ranks = system->pipeline.ranks,
        .batch_size = system->pipeline.batch_size,
        .has_batch_size = system->has_batch_size,
        .epoch_batches = system->pipeline.epoch_batches,
        .slow_loaders = system->pipeline.slow_loaders,
        .slow_ranks = system->pipeline.slow_ranks,
        .seed = model->simulate.seed,
        .load_ratio = divisor > 0 ? system->load.mean / divisor : NAN,
        .load_mean = system->load.mean,
        .load_cv = dlq_work_cv(&system->load),
        .step_mean = system->step.mean,
        .step_cv = dlq_work_cv(&system->step),
        .cores = system->host.cores,
        .ranks_per_host = (double)dlq_system_ranks_per_host(system),
        .precision = model->simulate.precision,
        .horizon = model->simulate.horizon,
    };
    long threads = system->pipeline.threads;
    const struct dlq_work *written = threads > 1 && system->data != NULL ? system->data->written : &system->load;
    describe_work(written, &system->load, threads, description->load_text, sizeof description->load_text);
    describe_work(&system->step, &system->step, 1, description->step_text, sizeof description->step_text);
    describe_rest(model, description->other_text, sizeof description->other_text);
    return DLQ_OK;
}

/* The index-th name of a section in the configuration: its own, or that of a stage; null: there is none. */
static const char *section_name(const struct dlq_model *model, const struct dlq_section *section, size_t index)
{
    size_t length = strlen(section->name);
    size_t found = 0;
    for (size_t i = 0; (section->named || section->optional) && i < model->entries.count; i++) {
        const char *name = model->entries.rows[i].section;
        bool ours = strncmp(name, section->name, length) == 0 && (name[length] == '.' || name[length] == '\0');
        for (size_t k = 0; k < i && ours; k++) /* the first entry of that name */
            ours = strcmp(model->entries.rows[k].section, name) != 0;
        if (ours && found++ == index)
            return name;
    }
    return found == 0 && index == 0 && !section->optional ? section->name : NULL;
}

/* Writes the value in canonical form, whatever unit it was written in. size: at least DLQ_QUANTITY_TEXT bytes. */
static void make_canonical(const struct dlq_option *option, const char *written, char *text, size_t size)
{
    char why[256];
    double value;
    struct dlq_range range;
    snprintf(text, size, "%s", written);
    if (option->kind == DLQ_KIND_RANGE) {
        if (dlq_range_parse(written, option->unit, option->minimum, option->maximum, &range, why, sizeof why))
            dlq_range_exact(&range, option->unit, text, size);
    } else if (option->kind == DLQ_KIND_QUANTITY || option->kind == DLQ_KIND_COUNT) {
        if (dlq_quantity_parse(written, option->unit, &value, why, sizeof why))
            dlq_quantity_exact(value, option->unit == DLQ_UNIT_RATE ? dlq_quantity_rate_unit(written) : option->unit,
                               text);
    }
}

/* Defaults that depend on other settings: the loader's own prefetch, the resources of an instance, and the family of a
   distribution. */
static void compute_default(const struct dlq_model *model, const char *section, const char *key,
                            struct dlq_setting *setting)
{
    const struct dlq_loader *loader = dlq_system_loader(&model->system);
    if (!model->checked)
        return;
    if (strcmp(section, "pipeline") == 0 && strcmp(key, "prefetch") == 0 && loader->prefetch_name != NULL) {
        snprintf(setting->value, sizeof setting->value, "%ld", model->system.pipeline.prefetch);
        snprintf(setting->origin, sizeof setting->origin, "default of %s", loader->name);
    }
    const struct dlq_host *host = &model->system.host;
    const struct dlq_option *option = dlq_option_find(&dlq_host_section, key);
    if (strcmp(section, "host") == 0 && host->instance != 0 && setting->value[0] == '\0' && option != NULL) {
        struct dlq_option printed = *option;
        printed.unit = printed.unit == DLQ_UNIT_RATE ? host->bandwidth_unit : printed.unit;
        dlq_option_print(&printed, host, setting->value, sizeof setting->value);
        if (setting->value[0] != '\0')
            snprintf(setting->origin, sizeof setting->origin, "default of %s%s", dlq_instance_names[host->instance],
                     strcmp(key, "cores") == 0 ? " (hyper-threads)" : "");
    }
    const struct dlq_work *works[] = {&model->system.load, &model->system.step};
    for (size_t i = 0; i < 2 && strcmp(key, "distribution") == 0; i++) {
        const char *work = i == 0 ? "load" : "step";
        const char *dot = strchr(section, '.');
        for (size_t k = 0; k < works[i]->count && strncmp(section, work, 4) == 0; k++)
            if (strcmp(works[i]->stages[k].name, dot == NULL ? "" : dot + 1) == 0)
                snprintf(setting->value, sizeof setting->value, "%s", works[i]->stages[k].family->name);
    }
}

bool dlq_model_setting(const struct dlq_model *model, size_t index, struct dlq_setting *setting)
{
    struct dlq_section sections[DLQ_SECTIONS];
    size_t count = dlq_sections(sections);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0;; k++) {
            const char *name = section_name(model, &sections[i], k);
            if (name == NULL)
                break;
            if (index < sections[i].count) {
                struct dlq_option option = sections[i].options[index];
                const struct dlq_entry *entry = dlq_entries_find(&model->entries, name, option.key);
                *setting = (struct dlq_setting){
                    .section = name, .key = option.key, .help = option.help, .given = entry != NULL};
                /* A target in samples/s is a plain number; written as a share it would be refused. */
                if (strcmp(name, "plan") == 0 && strcmp(option.key, "target") == 0 &&
                    model->plan.of == DLQ_OF_SAMPLES_PER_SECOND)
                    option.unit = DLQ_UNIT_NUMBER;
                if (entry != NULL) {
                    make_canonical(&option, entry->value, setting->value, sizeof setting->value);
                    dlq_entry_place(entry, setting->origin, sizeof setting->origin);
                    return true;
                }
                if (option.standard != NULL)
                    snprintf(setting->value, sizeof setting->value, "%s", option.standard);
                snprintf(setting->origin, sizeof setting->origin, "default");
                compute_default(model, name, option.key, setting);
                return true;
            }
            index -= sections[i].count;
        }
    }
    return false;
}
