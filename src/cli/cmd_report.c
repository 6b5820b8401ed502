/* dlqueue report: one HTML page. */
#include "draw/file.h"
#include "draw/memory.h"
#include "inputs.h"
#include "logs.h"
#include "report/plan_report.h"
#include "report_subject.h"

#include <stdlib.h>
#include <string.h>

/* -- texts -- */

/* What writes to the stream, as a text of its own; null: no memory. */
static char *text_of(const struct dlq_invocation *session, const struct dlq_subject *subject,
                     enum dlq_status (*write)(FILE *stream, const struct dlq_invocation *session,
                                              const struct dlq_subject *subject))
{
    struct dlq_memory memory;
    if (!dlq_memory_begin(&memory))
        return NULL;
    enum dlq_status status = write(memory.stream, session, subject);
    char *text = dlq_memory_end(&memory);
    if (status == DLQ_OK)
        return text;
    free(text);
    return NULL;
}

/* The same page wherever the file lies: an absolute path is not shown. */
static const char *shown_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return path[0] == '/' && slash[1] != '\0' ? slash + 1 : path;
}

/* Each operand after `option` and a blank. */
static void write_operands(FILE *stream, const struct dlq_invocation *session, const char *option)
{
    struct dlq_invocation rest = *session;
    for (size_t i = 0; i < session->operand_count; i++) {
        const char *path = strcmp(session->operands[i], "-") != 0 ? shown_path(session->operands[i])
                           : session->args->log_count > 0         ? "LOG"
                                                                  : "CONFIG"; /* what came in by a pipe is gone */
        fprintf(stream, "%s ", option);
        dlq_config_write_word(stream, path);
    }
    rest.operand_count = 0;
    dlq_config_write_arguments(stream, &rest, NULL);
}

static enum dlq_status write_commands(FILE *stream, const struct dlq_invocation *session,
                                      const struct dlq_subject *subject)
{
    static const char *const of_config[] = {"report", "solve", "plan", "sweep", "timeline", NULL};
    static const char *const of_log[] = {"report", "diagnose", "fit", NULL};
    bool log = subject->diagnosed != NULL;
    for (const char *const *name = log ? of_log : of_config; *name != NULL; name++) {
        fprintf(stream, "dlqueue %s", *name);
        write_operands(stream, session, log && strcmp(*name, "report") == 0 ? " --log" : "");
        fputc('\n', stream);
    }
    return DLQ_OK;
}

static enum dlq_status write_text(FILE *stream, const struct dlq_invocation *session, const struct dlq_subject *subject)
{
    enum dlq_status status = DLQ_OK;
    char read[DLQ_SUBJECT_NAME];
    if (subject->diagnosed != NULL)
        status = dlq_diagnose_report(stream, false, false, subject->name, subject->diagnosed, session->error);
    if (status == DLQ_OK && subject->report.fit != NULL) {
        fputc('\n', stream);
        dlq_fit_report(stream, false, &subject->fit, dlq_logs_say(&subject->diagnosed->facts, read, sizeof read));
    }
    if (status == DLQ_OK && subject->diagnosed == NULL)
        status = dlq_report_solution(stream, false, subject->solved, session->error);
    if (status != DLQ_OK || subject->report.plan == NULL)
        return status;
    fputc('\n', stream);
    return dlq_plan_report(stream, false, &subject->planned, session->error);
}

static enum dlq_status write_configuration(FILE *stream, const struct dlq_invocation *session,
                                           const struct dlq_subject *subject)
{
    struct dlq_setting setting;
    char section[64] = "";
    (void)session;
    for (size_t i = 0; dlq_model_setting(subject->model, i, &setting); i++) {
        if (setting.value[0] == '\0' || (!setting.given && strcmp(setting.section, "simulate") == 0))
            continue;
        if (strcmp(section, setting.section) != 0)
            fprintf(stream, "%s[%s]\n", section[0] != '\0' ? "\n" : "", setting.section);
        snprintf(section, sizeof section, "%s", setting.section);
        fprintf(stream, "%s = %s\n", setting.key, setting.value);
    }
    return DLQ_OK;
}

static enum dlq_status write_arguments(FILE *stream, const struct dlq_invocation *session,
                                       const struct dlq_subject *subject)
{
    (void)subject;
    write_operands(stream, session, "");
    return DLQ_OK;
}

/* `session`: with the operands that this subject alone was made of. */
static enum dlq_status finish(const struct dlq_invocation *session, struct dlq_subject *subject)
{
    struct dlq_page_report *report = &subject->report;
    if (subject->failure[0] != '\0')
        return dlq_error_add(session->error, DLQ_FAILURE, "%s", subject->failure);
    if (subject->diagnosed == NULL) {
        char *arguments = text_of(session, subject, write_arguments);
        if (arguments == NULL)
            return dlq_error_memory(session->error, "writing a page");
        snprintf(subject->file, DLQ_SUBJECT_NAME, "%s", arguments + (arguments[0] == ' '));
        free(arguments);
    }
    subject->commands = text_of(session, subject, write_commands);
    subject->text = text_of(session, subject, write_text);
    if (subject->model != NULL)
        subject->configuration = text_of(session, subject, write_configuration);
    if (subject->commands == NULL || subject->text == NULL ||
        (subject->model != NULL && subject->configuration == NULL))
        return dlq_error_memory(session->error, "writing a page");
    report->name = subject->name;
    report->parameters = subject->parameters;
    report->file = subject->file;
    report->model = subject->model;
    report->verdict = subject->diagnosed != NULL ? subject->diagnosed->verdict : subject->solved->verdict;
    report->cautions = subject->cautions;
    report->commands = subject->commands;
    report->text = subject->text;
    report->configuration = subject->fitted != NULL ? subject->fitted : subject->configuration;
    report->seed = subject->seed[0] != '\0' ? subject->seed : NULL;
    return DLQ_OK;
}

/* The session as if operand i were its only one. */
static struct dlq_invocation of_operand(const struct dlq_invocation *session, size_t i)
{
    struct dlq_invocation one = *session;
    one.operands += session->operand_count > 0 ? i : 0;
    one.operand_count = session->operand_count > 0;
    return one;
}

/* -- the file -- */

/* DIR/STEM-report.html, or --output; null: no memory, or a place that can't be. */
static char *path_of(struct dlq_invocation *session, const struct dlq_subject *first)
{
    const char *output = session->args->output;
    struct dlq_plot_options plot = {.directory = "plots"};
    if (output != NULL)
        return strdup(output);
    if (first->model != NULL && dlq_model_plot(first->model, &plot, session->error) != DLQ_OK)
        return NULL;
    bool logs = session->args->log_count > 0;
    char *stem = dlq_file_stem(logs                         ? session->args->logs[0]
                               : session->operand_count > 0 ? session->operands[0]
                                                            : "dlqueue");
    char *path = NULL;
    if (stem != NULL && dlq_file_directory(plot.directory, session->error) == DLQ_OK)
        path = dlq_file_join(plot.directory, stem, "report.html");
    free(stem);
    return path;
}

static enum dlq_status write_page(FILE *stream, const struct dlq_invocation *session,
                                  const struct dlq_subject *subjects, size_t count)
{
    struct dlq_page_report *reports = calloc(count, sizeof *reports);
    char title[DLQ_SUBJECT_NAME + 32];
    if (reports == NULL)
        return dlq_error_memory(session->error, "writing a page");
    for (size_t i = 0; i < count; i++)
        reports[i] = subjects[i].report;
    snprintf(title, sizeof title, "%s%s · dlqueue", subjects[0].name, count > 1 ? " and others" : "");
    enum dlq_status status = dlq_page_write(stream, title, reports, count, session->error);
    free(reports);
    return status;
}

static enum dlq_status make_measured(struct dlq_invocation *session, struct dlq_subject *subject)
{
    const struct dlq_invocation logs = dlq_logs_session(session);
    enum dlq_status status = dlq_subject_measured(session, subject);
    return status == DLQ_OK ? finish(&logs, subject) : status;
}

/* `count`: how many there are to be, and then how many were made before an interrupt. */
static enum dlq_status make_configured(struct dlq_invocation *session, struct dlq_subject *subjects, size_t *count)
{
    if (*count > 1) { /* common draws */
        struct dlq_description description;
        enum dlq_status described = dlq_model_describe(subjects[0].model, &description, session->error);
        if (described != DLQ_OK)
            return described;
        session->run.seed = description.seed;
        session->run.has_seed = true;
    }
    for (size_t i = 0; i < *count; i++) {
        const struct dlq_invocation one = of_operand(session, i);
        enum dlq_status status = dlq_subject_configured(session, &subjects[i]);
        if (status == DLQ_OK)
            status = finish(&one, &subjects[i]);
        if (i > 0 && dlq_subject_interrupted(&subjects[0], status))
            *count = i;
        else if (status != DLQ_OK)
            return status;
    }
    return DLQ_OK;
}

static enum dlq_status make_page(struct dlq_invocation *session, struct dlq_subject *subjects, size_t count)
{
    const char *output = session->args->output;
    bool to_stream = output != NULL && strcmp(output, "-") == 0;
    enum dlq_status status = DLQ_OK;
    size_t made = count;
    bool interrupted = false;
    if (session->args->log_count == 0)
        for (size_t i = 0; i < count; i++) { /* every mistake of every file before anything is computed */
            struct dlq_invocation one = of_operand(session, i);
            enum dlq_status read = dlq_config_read(&one, 0, &subjects[i].model);
            session->measured = one.measured;
            session->measured_count = one.measured_count;
            status = status == DLQ_OK ? read : status;
        }
    if (status != DLQ_OK)
        return status;
    char *path = path_of(session, &subjects[0]);
    struct dlq_file file = {0};
    if (path == NULL)
        return session->error->count > 0 ? DLQ_FAILURE : dlq_error_memory(session->error, "naming a page");
    if (!to_stream)
        status = output != NULL ? dlq_file_begin(&file, path, session->error)
                                : dlq_file_begin_product(&file, path, session->error);
    if (status == DLQ_OK)
        status =
            session->args->log_count > 0 ? make_measured(session, subjects) : make_configured(session, subjects, &made);
    if (status == DLQ_OK)
        status = write_page(to_stream ? session->out : file.stream, session, subjects, made);
    if (status == DLQ_OK && !to_stream) {
        status = dlq_file_commit(&file, session->error);
        if (status == DLQ_OK)
            fprintf(session->out, "%s\n", path);
    }
    if (!to_stream)
        dlq_file_abandon(&file);
    free(path);
    for (size_t i = 0; i < count; i++)
        interrupted = interrupted || subjects[i].interrupted;
    return status == DLQ_OK && interrupted ? dlq_error_add(session->error, DLQ_INTERRUPTED, "interrupted") : status;
}

enum dlq_status dlq_run_report(struct dlq_invocation *session)
{
    size_t count = session->operand_count > 1 ? session->operand_count : 1;
    if (session->args->log_count > 0 && session->operand_count > 0)
        return dlq_error_add(session->error, DLQ_INVALID, "report: either configurations or --log");
    struct dlq_subject *subjects = calloc(count, sizeof *subjects);
    if (subjects == NULL)
        return dlq_error_memory(session->error, "writing a page");
    enum dlq_status status = make_page(session, subjects, count);
    for (size_t i = 0; i < count; i++)
        dlq_subject_free(&subjects[i]);
    free(subjects);
    return status;
}
