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

static enum dlq_status write_commands(FILE *stream, const struct dlq_invocation *session,
                                      const struct dlq_subject *subject)
{
    static const char *const of_config[] = {"report", "solve", "plan", "sweep", "timeline", NULL};
    static const char *const of_log[] = {"report", "diagnose", "fit", NULL};
    const struct dlq_invocation rest = dlq_session_of(session, NULL, 0);
    bool log = subject->diagnosed != NULL;
    for (const char *const *name = log ? of_log : of_config; *name != NULL; name++) {
        fprintf(stream, "dlqueue %s", *name);
        for (size_t i = 0; i < session->operand_count; i++) {
            const char *path = session->operands[i], *slash = strrchr(path, '/');
            if (strcmp(path, "-") == 0) /* what came in by a pipe is gone */
                path = log ? "LOG" : "CONFIG";
            else if (path[0] == '/' && slash[1] != '\0')
                path = slash + 1; /* the same page wherever the file lies */
            fprintf(stream, "%s ", log && strcmp(*name, "report") == 0 ? " --log" : "");
            dlq_config_write_word(stream, path);
        }
        dlq_config_write_arguments(stream, &rest, NULL);
        fputc('\n', stream);
    }
    return DLQ_OK;
}

static enum dlq_status write_text(FILE *stream, const struct dlq_invocation *session, const struct dlq_subject *subject)
{
    char read[DLQ_SUBJECT_NAME];
    if (subject->diagnosed != NULL)
        TRY(dlq_diagnose_report(stream, false, false, subject->name, subject->diagnosed, session->error));
    else
        TRY(dlq_report_solution(stream, false, subject->solved, session->error));
    if (subject->report.fit != NULL) {
        fputc('\n', stream);
        dlq_fit_report(stream, false, &subject->fit, dlq_logs_say(&subject->diagnosed->facts, read, sizeof read));
    }
    if (subject->report.plan == NULL)
        return DLQ_OK;
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

/* `session`: with the operands that this subject alone was made of. */
static enum dlq_status finish(const struct dlq_invocation *session, struct dlq_subject *subject)
{
    struct dlq_page_report *report = &subject->report;
    if (subject->failure[0] != '\0')
        return dlq_error_add(session->error, DLQ_FAILURE, "%s", subject->failure);
    subject->commands = text_of(session, subject, write_commands);
    subject->text = text_of(session, subject, write_text);
    if (subject->model != NULL)
        subject->configuration = text_of(session, subject, write_configuration);
    if (subject->commands == NULL || subject->text == NULL ||
        (subject->model != NULL && subject->configuration == NULL))
        return dlq_error_memory(session->error, "writing a page");
    static const char first[] = "dlqueue report "; /* the arguments are what the first command has */
    if (subject->diagnosed == NULL)
        snprintf(subject->file, DLQ_SUBJECT_NAME, "%.*s", (int)strcspn(subject->commands + strlen(first), "\n"),
                 subject->commands + strlen(first));
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

/* DIR/STEM-report.html, or --output; null: no memory, or a place that can't be. */
static char *path_of(struct dlq_invocation *session, const struct dlq_subject *first)
{
    const char *output = session->args->output;
    struct dlq_plot_options plot = {.directory = "plots"};
    if (output != NULL)
        return strdup(output);
    if (first->model != NULL && dlq_model_plot(first->model, &plot, session->error) != DLQ_OK)
        return NULL;
    bool logs = session->args->logs.count > 0;
    char *stem = dlq_file_stem(logs                         ? session->args->logs.words[0]
                               : session->operand_count > 0 ? session->operands[0]
                                                            : "dlqueue");
    char *path = NULL;
    if (stem != NULL && dlq_file_directory(plot.directory, session->error) == DLQ_OK)
        path = dlq_file_join(plot.directory, stem, "report.html");
    free(stem);
    return path;
}

/* Of a log; or of configurations: *count is how many there are to be, and then how many were made before an interrupt.
 */
static enum dlq_status make_subjects(struct dlq_invocation *session, struct dlq_subject *subjects, size_t *count)
{
    if (session->args->logs.count > 0) {
        const struct dlq_invocation logs = dlq_logs_session(session);
        TRY(dlq_subject_measured(session, subjects));
        return finish(&logs, subjects);
    }
    for (size_t i = 0; i < *count; i++) {
        const struct dlq_invocation one = dlq_session_of(
            session, session->operands + (session->operand_count > 0 ? i : 0), session->operand_count > 0);
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

DLQ_RELEASE(release, dlq_file_abandon)

enum dlq_status dlq_run_report(struct dlq_invocation *session)
{
    const char *output = session->args->output;
    bool to_stream = output != NULL && strcmp(output, "-") == 0, interrupted = false;
    size_t count = session->operand_count > 1 ? session->operand_count : 1, made = count;
    struct dlq_model **models = NULL;
    struct dlq_subject *subjects;
    struct dlq_file *file;
    struct dlq_page_report *reports;
    char title[DLQ_SUBJECT_NAME + 32];
    if (session->args->logs.count > 0 && session->operand_count > 0)
        return dlq_error_add(session->error, DLQ_INVALID, "report: either configurations or --log");
    NEW(&session->call->arena, subjects, count);
    NEW(&session->call->arena, file, 1);
    NEW(&session->call->arena, reports, count);
    if (session->args->logs.count == 0)
        TRY(dlq_configs_read(session, &models, count));
    for (size_t i = 0; i < count; i++) {
        subjects[i].model = models != NULL ? models[i] : NULL;
        TRY(dlq_keep(session, &subjects[i], dlq_subject_release));
    }
    char *path = path_of(session, &subjects[0]);
    if (path == NULL)
        return session->error->count > 0 ? DLQ_FAILURE : dlq_error_memory(session->error, "naming a page");
    TRY(dlq_keep(session, path, free));
    if (!to_stream) {
        TRY((output != NULL ? dlq_file_begin : dlq_file_begin_product)(file, path, session->error));
        TRY(dlq_keep(session, file, release));
    }
    TRY(make_subjects(session, subjects, &made));
    for (size_t i = 0; i < made; i++)
        reports[i] = subjects[i].report;
    snprintf(title, sizeof title, "%s%s · dlqueue", subjects[0].name, made > 1 ? " and others" : "");
    TRY(dlq_page_write(to_stream ? session->out : file->stream, title, reports, made, session->error));
    if (!to_stream) {
        TRY(dlq_file_commit(file, session->error));
        fprintf(session->out, "%s\n", path);
    }
    for (size_t i = 0; i < count; i++)
        interrupted = interrupted || subjects[i].interrupted;
    return interrupted ? dlq_error_add(session->error, DLQ_INTERRUPTED, "interrupted") : DLQ_OK;
}
