/* [load] and [step]: their option rows, and reading them. */
#include "model/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The options of a stage as they are written. */
struct written {
    int per, distribution, uses;
    struct dlq_parameters given;
    double probability, bytes, stream_rate;
    const char *file, *column;
    int order;
    long every;
    bool pause;
};

static const char *const per_words[] = {"batch", "sample", NULL};
static const char *const order_words[] = {"independent", "recorded", NULL};
static const char *const uses_words[] = {"nothing", "cpu", "storage", NULL};
#define NAME(name) #name,
static const char *const family_words[] = {DLQ_FAMILIES(NAME) NULL};
static const char *const other_families[] = {"gaussian", "normal", "deterministic", "constant", "fixed",
                                             "constant", NULL};

#define AT(field) offsetof(struct written, field)
#define ROW(key, unit, minimum, maximum, field, help)                                                                  \
    DLQ_QUANTITY_ROW(key, unit, minimum, maximum, NULL, AT(field), help)

#define SHARED_ROWS(least_mean)                                                                                        \
    DLQ_WORD_ROW("per", per_words, "batch", AT(per), "mean and cv are of a"),                                          \
        DLQ_NAMED_ROW("distribution", family_words, other_families, AT(distribution),                                  \
                      "distribution of times: see dlqueue distributions (default: constant, or lognormal where cv or " \
                      "sd is given)"),                                                                                 \
        ROW("mean", DLQ_UNIT_TIME, least_mean, 1e9, given.mean, "mean time"),                                          \
        ROW("cv", DLQ_UNIT_RATIO, 0, 100, given.cv, "coefficient of variation: standard deviation / mean"),            \
        ROW("sd", DLQ_UNIT_TIME, 0, 1e11, given.sd, "standard deviation, instead of cv"),                              \
        ROW("median", DLQ_UNIT_TIME, 1e-9, 1e9, given.median, "median, for lognormal with p99"),                       \
        ROW("p99", DLQ_UNIT_TIME, 1e-9, 1e9, given.p99, "99 % quantile, for lognormal with median"),                   \
        ROW("shape", DLQ_UNIT_NUMBER, 0.1, 1e4, given.shape, "shape, for weibull"),                                    \
        ROW("alpha", DLQ_UNIT_NUMBER, 1e-3, 1e4, given.alpha, "tail index above 1, for pareto"),                       \
        ROW("stages", DLQ_UNIT_COUNT, 1, 10000, given.stages, "number of stages, for erlang"),                         \
        ROW("min", DLQ_UNIT_TIME, 0, 1e9, given.minimum, "smallest time, for uniform"),                                \
        ROW("max", DLQ_UNIT_TIME, 0, 1e9, given.maximum, "largest time, for uniform"),                                 \
        DLQ_TEXT_ROW("file", AT(file),                                                                                 \
                     "CSV file of measured times in s, for empirical; relative to the configuration"),                 \
        DLQ_TEXT_ROW("column", AT(column), "column of that file (default: the first)"),                                \
        DLQ_WORD_ROW("order", order_words, "independent", AT(order),                                                   \
                     "recorded: the times of the file follow one another, from a random one on, the same one for "     \
                     "loads and steps"),                                                                               \
        DLQ_QUANTITY_ROW("probability", DLQ_UNIT_SHARE, 1e-9, 1, "100%", AT(probability),                              \
                         "share of batches or samples that have this stage")

static const struct dlq_option load_options[] = {
    SHARED_ROWS(1e-9),
    DLQ_WORD_ROW("uses", uses_words, "nothing", AT(uses), "resource of the host that the stage shares"),
    ROW("bytes", DLQ_UNIT_SIZE, 1, 1e15, bytes, "size of a sample, for a stage that uses storage"),
    ROW("stream_rate", DLQ_UNIT_RATE, 1, 1e15, stream_rate,
        "read rate of one loader; the mean is then bytes / stream_rate"),
};

static const char *const every_words[] = {"epoch", NULL}; /* DLQ_EVERY_EPOCH */

static const char *const step_uses_words[] = {"nothing", "cpu", NULL};

static const struct dlq_option step_options[] = {
    SHARED_ROWS(0),
    DLQ_WORD_ROW("uses", step_uses_words, "nothing", AT(uses), "cpu: the stage needs a core of the host"),
    DLQ_COUNT_ROW("every", 1, 1e9, NULL, every_words, AT(every),
                  "the stage occurs once in so many steps; epoch: at the end of each epoch (default: all)"),
    DLQ_FLAG_ROW("pause", NULL, AT(pause),
                 "a checkpoint or validation, not counted as training (default: yes where every is given, else no)"),
};

const struct dlq_section dlq_load_section = DLQ_SECTION(
    "load", load_options, .help = "loading of a batch: one stage, or several stages [load.read], [load.decode], ...",
    .named = true);

const struct dlq_section dlq_step_section = DLQ_SECTION(
    "step", step_options, .help = "one training step: one stage, or several stages [step.NAME]", .named = true);

/* A stage that is being read. */
struct reading {
    struct dlq_reading base;
    const struct dlq_section *section;
    long batch_size; /* 0: not given */
    const char *base_directory;
    struct dlq_data *data;
};

/* Adds an empty table; null: no memory. */
static struct dlq_empirical *add_table(struct dlq_data *data)
{
    struct dlq_empirical **files = realloc(data->files, (data->count + 1) * sizeof(struct dlq_empirical *));
    struct dlq_empirical *fresh = files != NULL ? calloc(1, sizeof *fresh) : NULL;
    if (files != NULL)
        data->files = files;
    if (fresh != NULL)
        files[data->count++] = fresh;
    return fresh;
}

static enum dlq_status read_times(const struct reading *reading, const struct written *written,
                                  const struct dlq_empirical **times)
{
    char path[4096];
    struct stat entry;
    const bool absolute = written->file[0] == '/' || reading->base_directory == NULL, in_order = written->order != 0;
    const struct dlq_given_times *given = reading->data->columns;
    while (given != NULL && (strcmp(given->file, written->file) != 0 || written->column == NULL ||
                             strcmp(given->column, written->column) != 0))
        given = given->next;
    struct dlq_empirical *fresh = add_table(reading->data);
    *times = fresh;
    if (fresh == NULL)
        return dlq_error_memory(reading->base.error, "reading measured times");
    if (given != NULL)
        return dlq_empirical_from(fresh, given->times, given->count, in_order, reading->base.error);
    if (snprintf(path, sizeof path, "%s%s%s", absolute ? "" : reading->base_directory, absolute ? "" : "/",
                 written->file) >= (int)sizeof path)
        return dlq_reading_refuse(&reading->base, "file", "name too long");
    /* Only regular files: a pipe without writer would block forever, a device would never end. */
    if (stat(path, &entry) == 0 && !S_ISREG(entry.st_mode))
        return dlq_reading_refuse(&reading->base, "file", "%s is not a file", path);
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return dlq_reading_refuse(&reading->base, "file", "%s: %s", strerror(errno), path);
    enum dlq_status status = dlq_empirical_read(fresh, path, stream, written->column, in_order, reading->base.error);
    fclose(stream);
    return status;
}

static enum dlq_status read_distribution(const struct reading *reading, const struct written *written,
                                         struct dlq_stage *stage)
{
    /* By the bits of enum dlq_parameter. */
    static const char *const keys[] = {"mean",  "cv",     "sd",  "median", "p99",  "shape",
                                       "alpha", "stages", "min", "max",    "file", "column"};
    char why[256];
    unsigned fault = 0;
    /* A mean of 0 (of a step) leaves nothing to vary. */
    const char *family = written->given.mean == 0                               ? "constant"
                         : dlq_reading_has(&reading->base, "distribution")      ? family_words[written->distribution]
                         : isnan(written->given.cv) && isnan(written->given.sd) ? "constant"
                                                                                : "lognormal";
    stage->family = dlq_family_find(family);
    stage->parameters = written->given;
    if (written->given.mean == 0)
        stage->parameters.cv = stage->parameters.sd = NAN;
    bool empirical = stage->family->allowed & DLQ_FILE;
    if (empirical != (written->file != NULL))
        return dlq_reading_refuse(&reading->base, "file", "%s",
                                  empirical ? "missing: which CSV file holds the measured times"
                                            : "only distribution = empirical reads a file");
    if (written->order != 0 && (!empirical || stage->per_sample))
        return dlq_reading_refuse(&reading->base, "order", "recorded: only of the times of batches in a file");
    if (empirical)
        TRY(read_times(reading, written, &stage->parameters.data));
    if (dlq_dist_make(&stage->dist, stage->family, &stage->parameters, &fault, why, sizeof why))
        return DLQ_OK;
    return dlq_reading_refuse(&reading->base, keys[__builtin_ctz(fault)], "%s", why);
}

/* A missing mean follows from bytes / stream_rate, a missing rate from bytes / mean. A stage may take longer than bytes
   / stream_rate (by latency), but not shorter. */
static enum dlq_status read_stage(const struct reading *reading, struct dlq_stage *stage)
{
    struct written written = {.per = 0};
    const double batch_size = (double)reading->batch_size;
    if (dlq_entries_are_bad(reading->base.entries, reading->base.name))
        return DLQ_INVALID;
    written.bytes = written.stream_rate = NAN;
    dlq_options_apply(reading->section, reading->base.name, reading->base.entries, &written);
    const char *dot = strchr(reading->base.name, '.');
    snprintf(stage->name, sizeof stage->name, "%s", dot == NULL ? "" : dot + 1);
    stage->per_sample = written.per == 1;
    stage->probability = written.probability;
    stage->uses = (enum dlq_uses)written.uses;
    stage->every = written.every == 0 ? 1 : written.every;
    stage->pause = dlq_reading_has(&reading->base, "pause") ? written.pause : written.every != 0;
    if (stage->per_sample && reading->batch_size == 0)
        return dlq_reading_refuse(&reading->base, "per", "sample needs [pipeline] batch_size");
    if (stage->uses != DLQ_USES_NOTHING && (stage->pause || stage->every != 1))
        return dlq_reading_refuse(&reading->base, "uses",
                                  "not together with every or pause: cores are shared by what every step has");
    bool storage = stage->uses == DLQ_USES_STORAGE, mean = !isnan(written.given.mean),
         rate = !isnan(written.stream_rate);
    if (!storage && (!isnan(written.bytes) || rate))
        return dlq_reading_refuse(&reading->base, isnan(written.bytes) ? "stream_rate" : "bytes",
                                  "only a stage with uses = storage reads bytes");
    if (!storage)
        return read_distribution(reading, &written, stage);
    if (isnan(written.bytes))
        return dlq_reading_refuse(&reading->base, "bytes",
                                  "missing: a stage with uses = storage says how much it reads per sample");
    if (!mean && !rate && !dlq_reading_has(&reading->base, "distribution"))
        return dlq_reading_refuse(&reading->base, "mean", "missing: give mean or stream_rate");
    stage->bytes = written.bytes * fmax(1, batch_size);
    const double unit_bytes = stage->per_sample ? written.bytes : stage->bytes,
                 least = unit_bytes / written.stream_rate;
    bool other = !isnan(written.given.median) || !isnan(written.given.minimum) || !isnan(written.given.maximum);
    stage->time_follows = !mean && rate && !other && written.file == NULL;
    stage->rate_follows = !rate;
    if (stage->time_follows)
        written.given.mean = least;
    TRY(read_distribution(reading, &written, stage));
    stage->stream_rate =
        rate ? written.stream_rate : stage->bytes / (stage->per_sample ? batch_size : 1) / stage->dist.mean;
    if (!(stage->dist.mean < least * (1 - 1e-9)))
        return DLQ_OK;
    char time[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(least, DLQ_UNIT_TIME, 3, time);
    return dlq_reading_refuse(&reading->base, "mean", "shorter than bytes / stream_rate = %s", time);
}

enum dlq_status dlq_work_read(struct dlq_work *work, const struct dlq_section *section,
                              const struct dlq_entries *entries, long batch_size, const char *base_directory,
                              struct dlq_data *data, struct dlq_error *error)
{
    struct dlq_work read = {.batch_size = batch_size > 0 ? batch_size : 1};
    struct reading reading = {{entries, section->name, error}, section, batch_size, base_directory, data};
    enum dlq_status status = DLQ_OK;
    bool plain = false;
    const char *staged = NULL;
    for (size_t i = 0; i < entries->count; i++) {
        if (!dlq_entries_begin(entries, i, section->name))
            continue;
        const bool whole = strcmp(entries->rows[i].section, section->name) == 0;
        plain = plain || whole;
        staged = whole ? staged : entries->rows[i].section;
    }
    reading.base.name = section->name;
    if (plain && staged != NULL)
        return dlq_reading_refuse(&reading.base, "mean", "either [%s] or stages such as [%s], not both", section->name,
                                  staged);
    for (size_t i = 0; i < entries->count; i++) {
        if (!dlq_entries_begin(entries, i, section->name))
            continue;
        reading.base.name = entries->rows[i].section;
        if (read.count == DLQ_MOST_STAGES)
            return dlq_reading_refuse(&reading.base, "mean", "too many stages (at most 16)");
        enum dlq_status stage = read_stage(&reading, &read.stages[read.count++]);
        status = status == DLQ_OK ? stage : status;
    }
    TRY(status);
    if (read.count == 0)
        return dlq_reading_refuse(&reading.base, "mean", "missing (e.g. mean = 100ms)");
    dlq_work_refresh(&read);
    *work = read;
    return DLQ_OK;
}

enum dlq_status dlq_data_law(struct dlq_data *data, const double *times, size_t n, bool in_order, double mean,
                             struct dlq_dist *law, struct dlq_error *error)
{
    struct dlq_parameters parameters = dlq_no_parameters;
    struct dlq_empirical *table = add_table(data);
    char why[128];
    unsigned fault;
    if (table == NULL)
        return dlq_error_memory(error, "changing a distribution");
    TRY(dlq_empirical_from(table, times, n, in_order, error));
    parameters.data = table;
    parameters.mean = mean;
    if (!dlq_dist_make(law, dlq_family_find("empirical"), &parameters, &fault, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "changing a distribution: %s", why);
    return DLQ_OK;
}

void dlq_data_free(struct dlq_data *data)
{
    for (size_t i = 0; i < data->count; i++) {
        dlq_empirical_free(data->files[i]);
        free(data->files[i]);
    }
    free(data->files);
    free(data->slowdowns);
    free(data->written);
    free(data->threaded);
    for (struct dlq_samples *next; data->samples != NULL; data->samples = next) {
        next = data->samples->next;
        free(data->samples);
    }
    dlq_laws_free(&data->laws);
    dlq_kept_free(&data->kept);
    *data = (struct dlq_data){0};
}
