/* dlqueue fit: fits a configuration to logs, or predicts a changed run. */
#include "base/utf8.h"
#include "logs.h"
#include "logs/report/report.h"
#include "result_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOGS_TEXT = 512, TIMES_NAME = 240 /* within DLQ_FIT_TEXT and NAME_MAX */ };

/* The inputs of the command, and its files. */
struct job {
    struct dlq_invocation *invocation;
    struct dlq_log_settings settings;
    struct dlq_trace *trace; /* null: two stopwatch runs */
    struct dlq_fit_options options;
    struct dlq_trace_facts facts;
    struct dlq_diagnosed *diagnosed;                   /* null: not needed */
    char logs[LOGS_TEXT], read[LOGS_TEXT];             /* names of the logs; summary of their contents */
    char *stem;                                        /* name of the first log without directory and ending */
    char *configuration;                               /* text */
    struct dlq_file *config;                           /* the file of the configuration; null: standard output */
    char times_file[TIMES_NAME], times_path[PATH_MAX]; /* name and path of the file of recorded times */
    struct dlq_result_files files;
};

static const struct dlq_picture_row pictures[] = {
    {.name = "load", .draw = dlq_fit_picture}, {.name = "step", .draw = dlq_fit_picture}, {.name = NULL}};

/* -- options -- */

/* Divides the settings: options such as --loaders describe the logged run (hint), --set the predicted run (change). */
static void read_settings(struct job *job)
{
    struct dlq_setting setting;
    const struct dlq_args *args = job->invocation->args;
    const struct dlq_model *model = job->settings.model;
    struct dlq_pipeline_hint *hint = &job->options.hint;
    struct dlq_fit_change *change = &job->options.change;
    const long given = dlq_log_count(job->invocation, "pipeline.prefetch", false);
    *hint = job->settings.hint;
    hint->loaders = dlq_log_loaders(job->invocation, false);
    change->loaders = dlq_log_loaders(job->invocation, true);
    change->has_loaders = change->loaders >= 0;
    if (dlq_override_find(args, "pipeline.loader", true) != NULL) {
        change->loader = hint->loader;
        hint->loader = NULL;
    }
    if (dlq_override_find(args, "pipeline.prefetch", true) != NULL) {
        change->prefetch = hint->prefetch;
        hint->prefetch = given > 0 ? given : 0;
    }
    const struct {
        const char *section, *key;
        enum dlq_unit unit;
        double *value;
    } changes[] = {{"load", "mean", DLQ_UNIT_TIME, &change->load},
                   {"step", "mean", DLQ_UNIT_TIME, &change->step},
                   {"host", "cores", DLQ_UNIT_NUMBER, &change->cores},
                   {"simulate", "batches", DLQ_UNIT_COUNT, &change->batches}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        dlq_log_number(job->invocation, model, changes[i].section, changes[i].key, changes[i].unit, changes[i].value);
    change->has_persistent = dlq_log_setting(job->invocation, model, "pipeline", "persistent", &setting);
    change->persistent = change->has_persistent && strcmp(setting.value, "yes") == 0;
}

/* -- output -- */

/* The path of the configuration's file; null: standard output, or JSON. */
static const char *config_path(const struct dlq_invocation *invocation)
{
    const char *path = invocation->args->output;
    return invocation->args->json || path == NULL || strcmp(path, "-") == 0 ? NULL : path;
}

/* Names the file of recorded times, beside that of the configuration; no file if the latter is a device or the like. */
static enum dlq_status name_times(struct job *job)
{
    struct stat entry;
    const char *path = config_path(job->invocation), *slash = path != NULL ? strrchr(path, '/') : NULL;
    const int directory = slash != NULL ? (int)(slash + 1 - path) : 0;
    if (path == NULL || (stat(path, &entry) == 0 && !S_ISREG(entry.st_mode)))
        return DLQ_OK;
    char *stem = dlq_file_stem(path);
    if (stem == NULL)
        return dlq_error_memory(job->invocation->error, "writing a configuration");
    for (char *byte = stem; *byte != '\0'; byte++)
        if (strchr(";#\"'", *byte) != NULL || (byte == stem && *byte == ' ')) /* no INI value can have these */
            *byte = '_';
    const int length = snprintf(job->times_file, sizeof job->times_file, "%s.times.csv", stem);
    free(stem);
    if (length < (int)sizeof job->times_file &&
        snprintf(job->times_path, sizeof job->times_path, "%.*s%s", directory, path, job->times_file) < PATH_MAX)
        job->options.times_file = job->times_file;
    return DLQ_OK;
}

static enum dlq_status write_times(struct job *job, const struct dlq_fit *fit)
{
    const struct dlq_pipeline_hint hint = {fit->loader, fit->loaders, fit->prefetch};
    struct dlq_replay_times times;
    struct dlq_file *file;
    struct dlq_error *error = job->invocation->error;
    TRY(dlq_inputs_check_product(job->invocation, job->times_path));
    TRY(dlq_result_open(job->invocation, job->times_path, true, &file));
    TRY(dlq_replay_times(job->trace, &hint, (size_t)fit->prediction.begin, &times, error));
    dlq_fit_times_write(file->stream, &times, job->logs);
    dlq_replay_times_free(&times);
    return dlq_file_commit(file, error);
}

/* Writes the report; with --all also the table of ranks. */
static enum dlq_status write_report(FILE *stream, bool color, const struct job *job,
                                    const struct dlq_fit_answer *answer)
{
    dlq_fit_report(stream, color, answer, job->read);
    return job->invocation->args->all && job->diagnosed != NULL
               ? dlq_ranks_write(stream, true, &job->diagnosed->diagnosis, job->invocation->error)
               : DLQ_OK;
}

static enum dlq_status write_text(struct job *job, const struct dlq_fit_answer *answer)
{
    const struct dlq_fit *fit = answer->fit;
    const char *path = config_path(job->invocation), *ini = path != NULL ? path : "", *counts = "";
    const char *next =
        path != NULL ? "dlqueue plan " : "dlqueue plan my.ini, with all of this saved there (-o my.ini does that)";
    FILE *out = job->invocation->out;
    struct dlq_memory memory;
    /* The next command is a plan, unless a plan with this configuration would be wrong. */
    if (!fit->loaders_known || fit->rhythm > 0) {
        next = fit->loaders_known
                   ? "a log of the loads (`dlqueue run`): a plan from batches that arrive at once is wrong"
                   : "the same with --loaders <your num_workers>: a plan from the assumed number is wrong";
        ini = "";
    } else if (fit->prediction.batches > 0) { /* fit itself has counted loaders by the recorded loads */
        counts = "        which counts loaders by the fitted distribution\n";
    }
    if (path != NULL) {
        if (fit->carries_times)
            TRY(write_times(job, fit));
        fputs(job->configuration, job->config->stream);
        TRY(dlq_file_commit(job->config, job->invocation->error));
        TRY(write_report(out, job->invocation->color, job, answer));
        fprintf(out, "\n  %s\n", path);
        if (fit->carries_times)
            fprintf(out, "  %s\n", job->times_path);
        for (size_t i = 0; i < job->files.path_count; i++)
            fprintf(out, "  %s\n", job->files.paths[i]);
        fprintf(out, "\n  next: %s%s\n%s", next, ini, counts);
        return DLQ_OK;
    }
    /* The report becomes comments, so that the whole output is a configuration. */
    bool opened = dlq_memory_begin(&memory);
    const enum dlq_status reported = opened ? write_report(memory.stream, false, job, answer) : DLQ_OK;
    char *text = opened ? dlq_memory_end(&memory) : NULL;
    if (text == NULL || reported != DLQ_OK) {
        free(text);
        return dlq_error_memory(job->invocation->error, "writing a configuration");
    }
    for (const char *line = text; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        fprintf(out, length > 0 ? "; %.*s\n" : ";%.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    fprintf(out, "\n%s\n; next: %s\n%s%s", job->configuration, next, counts[0] != '\0' ? ";" : "", counts);
    free(text);
    return DLQ_OK;
}

static enum dlq_status write_result(struct job *job, const struct dlq_fit *fit)
{
    enum dlq_status drawn = DLQ_OK;
    struct dlq_fit_answer *answer;
    const struct dlq_args *args = job->invocation->args;
    NEW(&job->invocation->call->arena, answer, 1);
    job->configuration = dlq_fit_configuration(fit, job->stem, job->logs);
    if (job->configuration == NULL)
        return dlq_error_memory(job->invocation->error, "writing a configuration");
    TRY(dlq_keep(job->invocation, job->configuration, free));
    *answer = dlq_fit_answer_of(fit, job->configuration);
    if (job->trace != NULL)
        dlq_fit_answer_doubt(answer, &job->facts);
    for (size_t i = 0; i < answer->warning_count; i++)
        dlq_message(job->invocation, "warning: %s", answer->warnings[i]);
    for (size_t i = 0; i < 2 && args->plot && drawn == DLQ_OK; i++) {
        const struct dlq_fit_law *law = i == 0 ? &fit->load : &fit->step;
        const struct dlq_fit_subject subject = {pictures[i].name, job->read, law, fit};
        if (law->point_count > 0)
            drawn = dlq_result_files_draw(&job->files, &pictures[i], &subject);
    }
    if (args->plot && job->files.path_count == 0)
        dlq_message(job->invocation, "no chart: no distribution was fitted to times that were measured one by one");
    enum dlq_status written =
        args->json ? dlq_result_json(job->invocation, &dlq_figures_fit, answer) : write_text(job, answer);
    if (drawn == DLQ_OK && args->output == NULL)
        for (size_t i = 0; i < job->files.path_count; i++)
            dlq_message(job->invocation, "%s", job->files.paths[i]);
    return drawn != DLQ_OK ? drawn : written;
}

enum dlq_status dlq_run_fit(struct dlq_invocation *invocation)
{
    enum { MOST_NAMED = 4 };
    struct job *job;
    struct dlq_fit *fit;
    struct dlq_also also;
    size_t count = invocation->operand_count;
    if (invocation->args->table != NULL || invocation->args->at != NULL)
        return dlq_run_table(invocation);
    NEW(&invocation->call->arena, job, 1);
    NEW(&invocation->call->arena, fit, 1);
    job->invocation = invocation;
    int before = invocation->error->count;
    if (!dlq_stopwatches_given(invocation->args) && count == 0)
        dlq_error_add(invocation->error, DLQ_INVALID,
                      "fit needs a log (dlqueue fit trace.csv) or two stopwatch runs: dlqueue fit --steps 100/12s "
                      "--loads 100/40s --loaders 8");
    dlq_stopwatches_read(invocation, &job->options);
    TRY(dlq_log_settings_read(invocation, &job->settings));
    if (invocation->error->count > before)
        return DLQ_INVALID;
    read_settings(job);
    job->stem = count > 0 ? dlq_file_stem(invocation->operands[0]) : strdup("stopwatch");
    if (job->stem == NULL)
        return dlq_error_memory(invocation->error, "reading logs");
    TRY(dlq_keep(invocation, job->stem, free));
    snprintf(job->read, sizeof job->read, "two stopwatch runs");
    struct dlq_phrase phrase = {.text = job->logs, .size = sizeof job->logs, .separator = ", "};
    for (size_t i = 0; i < count && i < MOST_NAMED; i++)
        dlq_phrase_add(&phrase, "%s", invocation->operands[i]);
    if (count > MOST_NAMED)
        dlq_phrase_add(&phrase, "and %zu more", count - MOST_NAMED);
    if (count == 0)
        dlq_phrase_add(&phrase, "--steps %s --loads %s", invocation->args->steps, invocation->args->loads);
    dlq_utf8_clean(job->logs);
    if (count > 0) {
        TRY(dlq_logs_read(invocation, &job->trace));
        dlq_hint_complete(&job->options.hint, job->trace);
        TRY(dlq_logs_read_also(invocation, &job->options, &also));
        if (also.count > 0 || invocation->args->all) {
            NEW(&invocation->call->arena, job->diagnosed, 1);
            TRY(dlq_diagnosed_fill(invocation, job->trace, &job->options.hint, job->diagnosed));
        }
        if (also.count > 0 && dlq_also_rates_alone(&also, job->diagnosed))
            return dlq_run_table_of_runs(invocation, &job->settings, job->diagnosed, &also);
        dlq_trace_facts(job->trace, &job->facts);
        dlq_logs_say(&job->facts, job->read, sizeof job->read);
    }
    if (invocation->args->plot)
        TRY(dlq_result_files_prepare(&job->files, invocation, 0, job->settings.model, pictures));
    if (config_path(invocation) != NULL)
        TRY(dlq_result_open(invocation, config_path(invocation), false, &job->config));
    TRY(name_times(job));
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    enum dlq_status status = dlq_fit(job->trace, &job->options, &invocation->run, fit, invocation->error);
    dlq_progress_end(bar);
    TRY(status);
    return write_result(job, fit);
}
