/* dlqueue diagnose */
#include "command.h"
#include "draw/json.h"
#include "draw/text.h"
#include "inputs.h"
#include "logs.h"
#include "report/diagnose_report.h"
#include "report/figures.h"
#include "report/phrase.h"
#include "report/pictures/pictures.h"
#include "report/report.h"
#include "result_files.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything that an answer is made of. */
struct answer {
    struct dlq_traces traces;
    struct dlq_diagnosed *runs;     /* one per trace */
    struct dlq_result_files *files; /* likewise; of the first there are some before there is a trace */
    size_t diagnosed;
    struct dlq_model *model; /* owns the texts of plot */
    struct dlq_pipeline_hint hint;
    struct dlq_plot_options plot;
};

static const struct {
    struct dlq_picture_row row;
    bool (*fits)(const struct dlq_diagnosis *diagnosis);
} pictures[] = {
    {{"waits", dlq_picture_waits}, dlq_picture_waits_fits},
    {{"distribution", dlq_picture_shares}, dlq_picture_shares_fits},
    {{"ranks", dlq_picture_ranks}, dlq_picture_ranks_fits},
};

/* What its logs are called: by the operands where there is no other run. */
static const char *name_of(const struct dlq_invocation *session, const struct answer *answer, size_t run, char *text,
                           size_t size)
{
    if (answer->traces.count == 1)
        return dlq_logs_name(session, text, size);
    snprintf(text, size, "%s", answer->runs[run].facts.name);
    return dlq_text_clean(text);
}

static enum dlq_status draw(struct dlq_invocation *session, struct answer *answer, size_t run)
{
    char text[600];
    char heading[200];
    struct dlq_phrase subtitle = {.text = text, .size = sizeof text, .separator = " · "};
    const struct dlq_diagnosis *diagnosis = &answer->runs[run].diagnosis;
    struct dlq_diagnose_subject subject = {diagnosis, text};
    char read[300], time[DLQ_TEXT_NUMBER];
    enum dlq_status status = DLQ_OK;
    dlq_phrase_add(&subtitle, "%s", name_of(session, answer, run, heading, sizeof heading));
    dlq_phrase_add(&subtitle, "%s", dlq_logs_say(&answer->runs[run].facts, read, sizeof read));
    if (diagnosis->loaders > 0)
        dlq_phrase_add(&subtitle, "%ld loader%s", diagnosis->loaders, diagnosis->loaders == 1 ? "" : "s");
    if (!isnan(diagnosis->iter_time.mean))
        dlq_phrase_add(&subtitle, "iteration %s", dlq_text_time(diagnosis->iter_time.mean, 3, time));
    if (!isnan(diagnosis->step_time.mean))
        dlq_phrase_add(&subtitle, "step %s", dlq_text_time(diagnosis->step_time.mean, 3, time));
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && status == DLQ_OK; i++)
        if (diagnosis->enough > DLQ_TOO_FEW && pictures[i].fits(diagnosis))
            status = dlq_result_files_picture(&answer->files[run], session, &pictures[i].row, &subject);
    return status;
}

static enum dlq_status begin_files(struct dlq_invocation *session, struct answer *answer, size_t run, size_t operand)
{
    static const char *const products[] = {"waits", "distribution", "ranks", NULL};
    const char *output = session->args->output;
    bool named = output != NULL && strcmp(output, "-") != 0;
    if (!session->args->plot)
        return DLQ_OK;
    return dlq_result_files_begin_for(&answer->files[run], session, operand, &answer->plot,
                                      named ? output : answer->plot.directory, products);
}

static enum dlq_status draw_all(struct dlq_invocation *session, struct answer *answer)
{
    size_t drawn = 0;
    enum dlq_status status = DLQ_OK;
    if (!session->args->plot)
        return DLQ_OK;
    for (size_t i = 0; i < answer->traces.count && status == DLQ_OK; i++) {
        if (i > 0)
            status = begin_files(session, answer, i, answer->runs[i].facts.first);
        if (status == DLQ_OK)
            status = draw(session, answer, i);
        drawn += answer->files[i].path_count;
    }
    if (status == DLQ_OK && drawn == 0 && !session->args->quiet)
        fprintf(stderr, "dlqueue: no chart: the log shows too few waits that differ\n");
    return status;
}

enum { MOST_NAMED = 8 };

/* The options by which logs are read, for a next command. */
static void add_reading(const struct dlq_invocation *session, const char *format, struct dlq_phrase *phrase)
{
    if (session->args->ranks)
        dlq_phrase_add(phrase, "--ranks");
    if (session->args->format != NULL)
        dlq_phrase_add(phrase, "--format %s", format);
    if (session->args->skip_bad > 0)
        dlq_phrase_add(phrase, "--skip-bad %ld", session->args->skip_bad);
    if (session->args->every > 0)
        dlq_phrase_add(phrase, "--every %ld", session->args->every);
}

/* What of the options a next command needs. */
static void write_next(struct dlq_invocation *session, const struct answer *answer)
{
    char extra[120] = "";
    struct dlq_phrase phrase = {.text = extra, .size = sizeof extra, .separator = " "};
    const struct dlq_diagnosis *diagnosis = &answer->runs[0].diagnosis;
    add_reading(session, answer->runs[0].facts.format, &phrase);
    bool named = session->operand_count <= MOST_NAMED; /* and with them what was set */
    bool unknown = answer->hint.loaders < 0 && diagnosis->loaders == 0;
    if (!named && answer->hint.loaders >= 0)
        dlq_phrase_add(&phrase, "--loaders %ld", answer->hint.loaders);
    if (!named && answer->hint.prefetch > 0)
        dlq_phrase_add(&phrase, "--prefetch %ld", answer->hint.prefetch);
    if (unknown && isnan(diagnosis->load_mean))
        dlq_phrase_add(&phrase, "--loaders <your num_workers>");
    if (!diagnosis->has_data || diagnosis->enough == DLQ_TOO_FEW)
        fprintf(session->out,
                "\n  next: dlqueue fit --steps 100/12s --loads 100/40s   with two totals of your own: steps on a "
                "batch\n        that is there, and batches from the loaders without steps\n");
    else if (!named)
        fprintf(session->out, "\n  next: dlqueue fit LOG...%s%s   with the same logs\n", extra[0] != '\0' ? " " : "",
                extra);
    else
        dlq_config_next(session, "fit", NULL, extra);
}

static enum dlq_status write_report(struct dlq_invocation *session, const struct answer *answer)
{
    char heading[400];
    const struct dlq_diagnosed *run = &answer->runs[0];
    enum dlq_status status =
        dlq_diagnose_report(session->out, session->color, session->args->all,
                            name_of(session, answer, 0, heading, sizeof heading), run, session->error);
    if (status != DLQ_OK)
        return status;
    dlq_result_files_list(&answer->files[0], session->out);
    write_next(session, answer);
    return DLQ_OK;
}

static enum dlq_status write_runs(struct dlq_invocation *session, const struct answer *answer)
{
    char extra[120] = "";
    struct dlq_phrase phrase = {.text = extra, .size = sizeof extra, .separator = " "};
    struct dlq_invocation first = *session;
    struct dlq_table *table = dlq_diagnose_runs_table(answer->runs, answer->traces.count);
    bool written = table != NULL && dlq_table_write(table, session->out, 0, -1, NULL);
    dlq_table_free(table);
    if (!written)
        return dlq_error_memory(session->error, "comparing logs");
    fputc('\n', session->out);
    dlq_text_wrap(session->out,
                  "Each line is a run; speed-up: iterations/s over those of the first; lost: the share of the time "
                  "that waiting for data costs. Logs are ranks of one run where their names differ in the rank alone "
                  "(rank0.log, rank1.log), or with --ranks.",
                  0, dlq_report_width(session->out));
    for (size_t i = 0; i < answer->traces.count; i++)
        dlq_result_files_list(&answer->files[i], session->out);
    first.operand_count = 1;
    add_reading(session, answer->runs[0].facts.format, &phrase);
    if (answer->runs[0].facts.logs == 1)
        dlq_config_next(&first, "diagnose", NULL, extra);
    else
        fprintf(session->out, "\n  next: dlqueue diagnose LOG...%s%s   with the logs of one run\n",
                extra[0] != '\0' ? " " : "", extra);
    return DLQ_OK;
}

static enum dlq_status write_json(struct dlq_invocation *session, const struct dlq_diagnosed *runs, size_t count)
{
    if (count == 1)
        return dlq_json_write(dlq_figures_json(&dlq_figures_diagnosis, runs, "diagnose"), session->out, session->error);
    struct dlq_object object = dlq_object_of_command("diagnose");
    dlq_object_list(&object, "logs");
    for (size_t i = 0; i < count; i++)
        dlq_object_append(&object, "logs", dlq_figures_json(&dlq_figures_diagnosis, &runs[i], NULL));
    return dlq_json_write(dlq_object_end(&object), session->out, session->error);
}

static enum dlq_status write_answer(struct dlq_invocation *session, const struct answer *answer)
{
    size_t count = answer->traces.count;
    if (session->args->json)
        return write_json(session, answer->runs, count);
    if (session->args->csv)
        return dlq_result_csv(session, count > 1 ? dlq_diagnose_runs_table(answer->runs, count)
                                                 : dlq_diagnose_table(&answer->runs[0].diagnosis));
    return count > 1 ? write_runs(session, answer) : write_report(session, answer);
}

static enum dlq_status diagnose_runs(struct dlq_invocation *session, struct answer *answer)
{
    enum dlq_status status = DLQ_OK;
    const struct dlq_trace *trace = answer->traces.first;
    for (; trace != NULL && status == DLQ_OK; trace = dlq_trace_next(trace)) {
        struct dlq_diagnosed *run = &answer->runs[answer->diagnosed];
        dlq_trace_facts(trace, &run->facts);
        status = dlq_diagnose(trace, &answer->hint, &run->diagnosis, session->error);
        if (status == DLQ_OK)
            dlq_diagnosed_say(run);
        answer->diagnosed += status == DLQ_OK;
        if (status == DLQ_NO_ANSWER && answer->traces.count > 1)
            dlq_error_add(session->error, status, "that is of %s", run->facts.name);
    }
    return status;
}

/* The words first: whatever happens to the charts, they are told. */
static enum dlq_status answer_all(struct dlq_invocation *session, struct answer *answer)
{
    enum dlq_status status = diagnose_runs(session, answer);
    if (status != DLQ_OK)
        return status;
    enum dlq_status drawn = draw_all(session, answer);
    enum dlq_status written = write_answer(session, answer);
    return drawn != DLQ_OK ? drawn : written;
}

static enum dlq_status prepare(struct dlq_invocation *session, struct answer *answer)
{
    if (session->operand_count == 0)
        return dlq_error_add(session->error, DLQ_INVALID,
                             "diagnose needs a log: dlqueue diagnose train.log, or - for standard input");
    const struct dlq_log_settings settings = {
        session->command->keys,
        "is of a model, and a log needs none; loaders, prefetch and keys of [plot] alone can be set here"};
    answer->runs = calloc(session->operand_count, sizeof *answer->runs);
    answer->files = calloc(session->operand_count, sizeof *answer->files);
    if (answer->runs == NULL || answer->files == NULL)
        return dlq_error_memory(session->error, "diagnosing logs");
    enum dlq_status status = dlq_log_charts_read(session, &settings, &answer->model, &answer->plot);
    if (status != DLQ_OK)
        return status;
    dlq_log_hint(session, answer->model, (char[DLQ_LOG_LOADER]){0}, &answer->hint);
    return begin_files(session, answer, 0, 0);
}

enum dlq_status dlq_run_diagnose(struct dlq_invocation *session)
{
    struct answer answer = {0};
    enum dlq_status status = prepare(session, &answer);
    if (status == DLQ_OK && session->args->follow)
        status = dlq_follow(session);
    if (status == DLQ_OK)
        status = dlq_logs_read_runs(session, &answer.traces);
    if (status == DLQ_OK)
        status = answer_all(session, &answer);
    for (size_t i = 0; i < answer.diagnosed; i++)
        dlq_diagnosis_free(&answer.runs[i].diagnosis);
    for (size_t i = 0; answer.files != NULL && i < session->operand_count; i++)
        dlq_result_files_free(&answer.files[i]);
    dlq_traces_free(&answer.traces);
    free(answer.runs);
    free(answer.files);
    dlq_model_free(answer.model);
    return status;
}
