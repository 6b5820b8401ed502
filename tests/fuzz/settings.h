/* Models made of settings, and the text of such a model. */
#ifndef TESTS_FUZZ_SETTINGS_H
#define TESTS_FUZZ_SETTINGS_H

#include "base/quantity.h"
#include "dlqueue/model.h"
#include "laws.h"

/* Keys with values that are mostly right: what is written is refused or answered. */
static const struct {
    const char *path;
    const char *const values[8];
} settings[] = {
    {"pipeline.loader", {"pytorch", "tfdata", "serial", "dali", "grain", "keras", "pool", "pytorch-unordered"}},
    {"pipeline.loaders", {"0", "1", "2", "4", "8", "16", "64", "1000"}},
    {"pipeline.prefetch", {"1", "2", "4", "8", "3", "100", "4096", "1"}},
    {"pipeline.window", {"unbounded", "1", "2", "8", "16", "100", "4096", "3"}},
    {"pipeline.ranks", {"1", "2", "8", "64", "1000", "65535", "3", "16"}},
    {"pipeline.batch_size", {"1", "7", "32", "256", "1024", "1", "2", "3"}},
    {"pipeline.epoch_batches", {"1", "2", "10", "100", "1000", "1e6", "3", "50"}},
    {"pipeline.slow_loaders", {"1", "2", "0", "3", "8", "1", "1", "1"}},
    {"pipeline.slow_factor", {"2", "1.5", "10", "1", "100", "1.01", "3", "4"}},
    {"pipeline.slow_ranks", {"1", "2", "0", "3", "8", "1", "1", "1"}},
    {"overheads.dispatch", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"overheads.deliver", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"overheads.receive", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"overheads.barrier", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"overheads.startup", {"1ms", "0", "1us", "1s", "10ms", "100ms", "10s", "5ms"}},
    {"overheads.pin_time", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"load.per", {"batch", "sample", "sample", "batch", "batch", "sample", "batch", "sample"}},
    {"load.probability", {"100%", "50%", "1%", "99%", "1e-9", "10%", "2%", "100%"}},
    {"load.uses", {"cpu", "nothing", "storage", "cpu", "cpu", "cpu", "storage", "storage"}},
    {"load.bytes", {"110KB", "1B", "1GB", "4MB", "1TB", "1KB", "2MB", "64KB"}},
    {"load.stream_rate", {"100MB/s", "1GB/s", "1B/s", "10Gb/s", "1e15B/s", "2GB/s", "1MB/s", "5MB/s"}},
    {"host.cores", {"1", "2", "8", "96", "0.5", "1.5", "4", "16"}},
    {"host.ranks_per_host", {"1", "2", "8", "4", "3", "16", "64", "1000"}},
    {"storage.bandwidth", {"1GB/s", "100Gb/s", "1MB/s", "1B/s", "10GB/s", "1TB/s", "2GB/s", "5GB/s"}},
    {"simulate.resolution", {"100ms", "0", "1ms", "1s", "10ms", "1us", "1ns", "7ms"}},
    {"step.per", {"batch", "sample", "batch", "batch", "batch", "sample", "batch", "sample"}},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static inline void set(struct dlq_model *model, const char *section, const char *key, const char *value)
{
    char path[128];
    struct dlq_error error = {0};
    snprintf(path, sizeof path, "%s.%s", section, key);
    dlq_model_set(model, path, value, &error);
}

/* One of the rows; those of the load, of the section that is named. */
static inline void set_any(struct dlq_model *model, const char *load, struct bytes *bytes)
{
    const unsigned row = bytes_next(bytes) % SETTINGS, value = bytes_next(bytes) % 8;
    const char *dot = strchr(settings[row].path, '.');
    char section[32];
    snprintf(section, sizeof section, "%.*s", (int)(dot - settings[row].path), settings[row].path);
    set(model, strcmp(section, "load") == 0 ? load : section, dot + 1, settings[row].values[value]);
}

/* A law as the option rows have it. */
static inline void set_parameters(struct dlq_model *model, const char *section, const struct dlq_family *family,
                                  struct dlq_parameters given)
{
    const struct {
        const char *key;
        enum dlq_unit unit;
        double value;
    } rows[] = {
        {"mean", DLQ_UNIT_TIME, given.mean},     {"cv", DLQ_UNIT_NUMBER, given.cv},
        {"sd", DLQ_UNIT_TIME, given.sd},         {"median", DLQ_UNIT_TIME, given.median},
        {"p99", DLQ_UNIT_TIME, given.p99},       {"shape", DLQ_UNIT_NUMBER, given.shape},
        {"alpha", DLQ_UNIT_NUMBER, given.alpha}, {"stages", DLQ_UNIT_COUNT, given.stages},
        {"min", DLQ_UNIT_TIME, given.minimum},   {"max", DLQ_UNIT_TIME, given.maximum},
    };
    if (family->allowed & DLQ_FILE)
        family = dlq_family_find("constant");
    set(model, section, "distribution", family->name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[DLQ_QUANTITY_TEXT];
        dlq_quantity_exact(rows[i].value, rows[i].unit, text);
        if (text[0] != '\0')
            set(model, section, rows[i].key, text);
    }
}

static inline void set_law(struct dlq_model *model, const char *section, struct bytes *bytes)
{
    struct dlq_parameters given;
    const struct dlq_family *family = law_take(bytes, &given, NULL);
    set_parameters(model, section, family, given);
}

/* Defaults that `dlqueue check` leaves in comments: they would mean something else once they are written. */
static inline bool setting_is_silent(const struct dlq_setting *setting)
{
    static const char *const silent[] = {"batch_size", "batches", "warmup"};
    for (size_t i = 0; !setting->given && i < sizeof silent / sizeof *silent; i++)
        if (strcmp(setting->key, silent[i]) == 0)
            return true;
    return setting->value[0] == '\0';
}

/* As a configuration, with where each came from; owned by the caller. */
static inline char *settings_written(const struct dlq_model *model, size_t *size)
{
    char *text = NULL;
    char section[80] = "";
    struct dlq_setting setting;
    FILE *stream = open_memstream(&text, size);
    if (stream == NULL)
        abort();
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++) {
        EXPECT(memchr(setting.value, '\0', sizeof setting.value) != NULL, "%s", setting.key);
        if (strcmp(section, setting.section) != 0)
            fprintf(stream, "[%s]\n", setting.section);
        snprintf(section, sizeof section, "%s", setting.section);
        if (!setting_is_silent(&setting))
            fprintf(stream, "%s = %s ; %s\n", setting.key, setting.value, setting.origin);
    }
    fclose(stream);
    return text;
}

#endif
