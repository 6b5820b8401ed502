/* dlqueue fit */
#include "base/quantity.h"
#include "command.h"
#include "dlqueue/fit.h"
#include "draw/file.h"
#include "draw/memory.h"
#include "draw/text.h"
#include "logs.h"
#include "report/diagnose_report.h"
#include "report/fit_report.h"
#include "report/phrase.h"
#include "report/pictures/pictures.h"
#include "result_files.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

enum { LOGS_TEXT = 512 };

/* What the command is about, from its line and its logs. */
struct job {
    struct dlq_invocation *session;
    struct dlq_model *model; /* owns the texts of plot */
    struct dlq_plot_options plot;
    struct dlq_trace *trace; /* null: stopwatches */
    struct dlq_traces also;
    struct dlq_fit_options options;
    char loader[DLQ_LOG_LOADER];
    char logs[LOGS_TEXT], read[LOGS_TEXT]; /* the files; what was found in them */
    char *stem;
    char *configuration;
    struct dlq_file config; /* where it has a file of its own */
    struct dlq_result_files files;
};

/* -- options -- */

static enum dlq_status take_overrides(struct job *job)
{
    const struct dlq_log_settings settings = {job->session->command->keys,
                                              "is found by the fit; change it in the configuration that it writes"};
    return dlq_log_charts_read(job->session, &settings, &job->model, &job->plot);
}

/* What the options say of the pipeline, and of the draws. */
static void take_hint(struct job *job)
{
    struct dlq_setting setting;
    const struct dlq_args *args = job->session->args;
    struct dlq_pipeline_hint *hint = &job->options.hint;
    struct dlq_fit_change *change = &job->options.change;
    dlq_log_hint(job->session, job->model, job->loader, hint);
    for (size_t i = 0; i < args->override_count; i++) {
        const struct dlq_override *override = &args->overrides[i];
        if (strncmp(override->origin, "--set", 5) != 0)
            continue;
        if (strcmp(override->path, "pipeline.loaders") == 0) {
            change->has_loaders = true;
            change->loaders = hint->loaders;
            hint->loaders = -1;
        }
        if (strcmp(override->path, "pipeline.loader") == 0) {
            change->loader = hint->loader;
            hint->loader = NULL;
        }
        if (strcmp(override->path, "pipeline.prefetch") == 0) {
            change->prefetch = hint->prefetch;
            hint->prefetch = 0;
        }
    }
    const struct {
        const char *section, *key;
        enum dlq_unit unit;
        double *value;
    } changes[] = {{"load", "mean", DLQ_UNIT_TIME, &change->load},
                   {"step", "mean", DLQ_UNIT_TIME, &change->step},
                   {"host", "cores", DLQ_UNIT_NUMBER, &change->cores},
                   {"simulate", "batches", DLQ_UNIT_COUNT, &change->batches}};
    char why[256]; /* the model has checked them */
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (dlq_log_setting(job->session, job->model, changes[i].section, changes[i].key, &setting))
            dlq_quantity_parse(setting.value, changes[i].unit, changes[i].value, why, sizeof why);
    change->has_persistent = dlq_log_setting(job->session, job->model, "pipeline", "persistent", &setting);
    change->persistent = change->has_persistent && strcmp(setting.value, "yes") == 0;
    if (dlq_log_setting(job->session, job->model, "simulate", "seed", &setting)) {
        job->session->run.seed = strtoull(setting.value, NULL, 10);
        job->session->run.has_seed = true;
    }
}

static enum dlq_status take_stopwatch(const struct job *job, const char *name, const char *text,
                                      struct dlq_stopwatch *stopwatch)
{
    char why[256];
    if (text == NULL || dlq_stopwatch_parse(text, stopwatch, why, sizeof why))
        return DLQ_OK;
    return dlq_error_add(job->session->error, DLQ_INVALID, "--%s: %s", name, why);
}

static enum dlq_status check_inputs(const struct job *job)
{
    struct dlq_error *error = job->session->error;
    const struct dlq_args *args = job->session->args;
    bool stopwatch = args->steps != NULL || args->loads != NULL;
    if (stopwatch && job->session->operand_count + args->log_count > 0)
        return dlq_error_add(error, DLQ_INVALID, "fit: either logs or --steps and --loads");
    if (stopwatch && (args->steps == NULL || args->loads == NULL))
        return dlq_error_add(error, DLQ_INVALID,
                             "fit: --steps and --loads belong together, e.g. --steps 100/12s --loads 100/40s");
    if (!stopwatch && job->session->operand_count == 0)
        return dlq_error_add(
            error, DLQ_INVALID,
            "fit needs a log (dlqueue fit trace.csv) or two stopwatch runs: dlqueue fit --steps 100/12s "
            "--loads 100/40s --loaders 8");
    return DLQ_OK;
}

static enum dlq_status read_line(struct job *job)
{
    const struct dlq_args *args = job->session->args;
    enum dlq_status status = check_inputs(job);
    enum dlq_status taken = take_overrides(job);
    status = status == DLQ_OK ? taken : status;
    taken = take_stopwatch(job, "steps", args->steps, &job->options.steps);
    status = status == DLQ_OK ? taken : status;
    taken = take_stopwatch(job, "loads", args->loads, &job->options.loads);
    status = status == DLQ_OK ? taken : status;
    if (job->model != NULL)
        take_hint(job);
    return status;
}

/* -- logs -- */

static void name_logs(struct job *job)
{
    struct dlq_invocation *session = job->session;
    struct dlq_phrase phrase = {.text = job->logs, .size = sizeof job->logs, .separator = ", "};
    for (size_t i = 0; i < session->operand_count && i < 4; i++)
        dlq_phrase_add(&phrase, "%s", session->operands[i]);
    if (session->operand_count > 4)
        dlq_phrase_add(&phrase, "and %zu more", session->operand_count - 4);
    if (session->operand_count == 0)
        dlq_phrase_add(&phrase, "--steps %s --loads %s", session->args->steps, session->args->loads);
    dlq_text_clean(job->logs);
}

static enum dlq_status read_logs(struct job *job)
{
    struct dlq_trace_facts facts;
    struct dlq_invocation *session = job->session;
    job->stem = strdup("stopwatch");
    snprintf(job->read, sizeof job->read, "two stopwatch runs");
    if (session->operand_count > 0) {
        free(job->stem);
        job->stem = dlq_file_stem(session->operands[0]);
    }
    if (job->stem == NULL)
        return dlq_error_memory(session->error, "reading logs");
    name_logs(job);
    if (session->operand_count == 0)
        return DLQ_OK;
    enum dlq_status status = dlq_logs_read(session, &job->trace);
    if (status != DLQ_OK)
        return status;
    struct dlq_invocation others = dlq_logs_session(session);
    if (others.operand_count > 0)
        status = dlq_logs_read_runs(&others, &job->also);
    if (status != DLQ_OK)
        return status;
    job->options.also = job->also.first;
    dlq_trace_facts(job->trace, &facts);
    dlq_logs_say(&facts, job->read, sizeof job->read);
    return DLQ_OK;
}

/* -- output -- */

/* The configuration's own file; null: it is on standard output. */
static const char *config_path(const struct dlq_invocation *session)
{
    const char *path = session->args->output;
    return session->args->json || path == NULL || strcmp(path, "-") == 0 ? NULL : path;
}

/* Before the work, so that places that can't be written to cost none. */
static enum dlq_status begin_files(struct job *job)
{
    static const char *const products[] = {"load", "step", NULL};
    struct dlq_invocation *session = job->session;
    enum dlq_status status = DLQ_OK;
    if (session->args->plot)
        status = dlq_result_files_begin(&job->files, session, &job->plot, job->plot.directory, products);
    if (status == DLQ_OK && config_path(session) != NULL)
        status = dlq_file_begin(&job->config, config_path(session), session->error);
    return status;
}

static enum dlq_status draw(struct job *job, const struct dlq_fit *fit)
{
    static const struct dlq_picture_row rows[] = {{"load", dlq_fit_picture}, {"step", dlq_fit_picture}};
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; status == DLQ_OK && i < 2; i++) {
        const struct dlq_fit_law *law = i == 0 ? &fit->load : &fit->step;
        const struct dlq_fit_subject subject = {rows[i].name, job->read, law};
        if (law->point_count > 0)
            status = dlq_result_files_picture(&job->files, job->session, &rows[i], &subject);
    }
    return status;
}

/* Where a plan by this configuration would be wrong, what to do instead; else null. */
static const char *instead_of_plan(const struct dlq_fit *fit)
{
    if (!fit->loaders_known)
        return "the same with --loaders <your num_workers>: a plan by the assumed one is wrong";
    if (fit->rhythm > 0)
        return "a log of the loads (python/dlqueue_probe.py): a plan by batches that come at once is wrong";
    return NULL;
}

/* The report as comments of the configuration below it: the whole is a configuration. */
static enum dlq_status write_commented(struct job *job, const struct dlq_fit *fit)
{
    struct dlq_memory memory;
    if (!dlq_memory_begin(&memory))
        return dlq_error_memory(job->session->error, "writing a configuration");
    dlq_fit_report(memory.stream, false, fit, job->read);
    char *text = dlq_memory_end(&memory);
    if (text == NULL)
        return dlq_error_memory(job->session->error, "writing a configuration");
    for (const char *line = text; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        fprintf(job->session->out, length > 0 ? "; %.*s\n" : ";%.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    const char *instead = instead_of_plan(fit);
    fprintf(job->session->out, "\n%s\n; next: %s\n", job->configuration,
            instead != NULL ? instead : "dlqueue plan my.ini, with all of this saved there (-o my.ini does that)");
    free(text);
    return DLQ_OK;
}

static enum dlq_status write_text(struct job *job, const struct dlq_fit *fit)
{
    const char *path = config_path(job->session);
    FILE *out = job->session->out;
    if (path == NULL)
        return write_commented(job, fit);
    fputs(job->configuration, job->config.stream);
    enum dlq_status status = dlq_file_commit(&job->config, job->session->error);
    if (status != DLQ_OK)
        return status;
    dlq_fit_report(out, job->session->color, fit, job->read);
    fprintf(out, "\n  %s\n", path);
    for (size_t i = 0; i < job->files.path_count; i++)
        fprintf(out, "  %s\n", job->files.paths[i]);
    const char *instead = instead_of_plan(fit);
    fprintf(out, "\n  next: %s%s\n", instead != NULL ? instead : "dlqueue plan ", instead != NULL ? "" : path);
    return DLQ_OK;
}

static enum dlq_status write_json(struct job *job, const struct dlq_fit *fit)
{
    const struct dlq_fit_answer answer = dlq_fit_answer_of(fit, job->configuration);
    return dlq_json_write(dlq_figures_json(&dlq_figures_fit, &answer, "fit"), job->session->out, job->session->error);
}

static void write_warnings(const struct dlq_fit *fit)
{
    char warnings[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT];
    size_t count = dlq_fit_warnings(fit, warnings);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "dlqueue: warning: %s\n", warnings[i]);
}

static enum dlq_status write_result(struct job *job, const struct dlq_fit *fit)
{
    enum dlq_status drawn = DLQ_OK;
    job->configuration = dlq_fit_configuration(fit, job->stem, job->logs);
    if (job->configuration == NULL)
        return dlq_error_memory(job->session->error, "writing a configuration");
    if (!job->session->args->quiet)
        write_warnings(fit);
    if (job->session->args->plot)
        drawn = draw(job, fit);
    enum dlq_status written = job->session->args->json ? write_json(job, fit) : write_text(job, fit);
    if (drawn == DLQ_OK && job->session->args->output == NULL && !job->session->args->quiet)
        for (size_t i = 0; i < job->files.path_count; i++)
            fprintf(stderr, "dlqueue: %s\n", job->files.paths[i]);
    return drawn != DLQ_OK ? drawn : written;
}

enum dlq_status dlq_run_fit(struct dlq_invocation *session)
{
    struct job job = {.session = session};
    struct dlq_fit fit = {0};
    enum dlq_status status = read_line(&job);
    if (status == DLQ_OK)
        status = read_logs(&job);
    if (status == DLQ_OK)
        status = begin_files(&job);
    if (status == DLQ_OK) {
        struct dlq_progress_bar *bar = dlq_progress_begin(session);
        status = dlq_fit(job.trace, &job.options, &session->run, &fit, session->error);
        dlq_progress_end(bar);
    }
    if (status == DLQ_OK)
        status = write_result(&job, &fit);
    dlq_file_abandon(&job.config);
    dlq_result_files_free(&job.files);
    free(job.configuration);
    dlq_trace_free(job.trace);
    dlq_traces_free(&job.also);
    dlq_model_free(job.model);
    free(job.stem);
    return status;
}
