/* dlqueue diagnose */
#include "command.h"
#include "config.h"
#include "diagnose_pictures.h"
#include "diagnose_report.h"
#include "dlqueue/json.h"
#include "dlqueue/text.h"
#include "log_charts.h"
#include "logs.h"
#include "phrase.h"
#include "result_files.h"

#include <math.h>
#include <string.h>

/* Everything that an answer is made of. */
struct answer {
    struct dlq_trace *trace;
    struct dlq_trace_facts facts;
    struct dlq_diagnosis diagnosis;
    struct dlq_model *model; /* owns the texts of plot */
    struct dlq_pipeline_hint hint;
    struct dlq_plot_options plot;
    struct dlq_result_files files;
};

static const struct {
    struct dlq_picture_row row;
    bool (*fits)(const struct dlq_diagnosis *diagnosis);
} pictures[] = {
    {{"waits", dlq_picture_waits}, dlq_picture_waits_fits},
    {{"distribution", dlq_picture_shares}, dlq_picture_shares_fits},
    {{"ranks", dlq_picture_ranks}, dlq_picture_ranks_fits},
};

static enum dlq_status draw(struct dlq_session *session, struct answer *answer)
{
    char text[600];
    char heading[200];
    struct dlq_phrase subtitle = {.text = text, .size = sizeof text, .separator = " · "};
    const struct dlq_diagnosis *diagnosis = &answer->diagnosis;
    struct dlq_diagnose_subject subject = {diagnosis, text};
    char read[300], time[DLQ_TEXT_NUMBER];
    enum dlq_status status = DLQ_OK;
    dlq_phrase_add(&subtitle, "%s", dlq_logs_name(session, heading, sizeof heading));
    dlq_phrase_add(&subtitle, "%s", dlq_logs_say(&answer->facts, read, sizeof read));
    if (diagnosis->loaders > 0)
        dlq_phrase_add(&subtitle, "%ld loader%s", diagnosis->loaders, diagnosis->loaders == 1 ? "" : "s");
    if (!isnan(diagnosis->iter_time.mean))
        dlq_phrase_add(&subtitle, "iteration %s", dlq_text_time(diagnosis->iter_time.mean, 3, time));
    if (!isnan(diagnosis->step_time.mean))
        dlq_phrase_add(&subtitle, "step %s", dlq_text_time(diagnosis->step_time.mean, 3, time));
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && status == DLQ_OK; i++)
        if (diagnosis->enough > DLQ_TOO_FEW && pictures[i].fits(diagnosis))
            status = dlq_result_files_picture(&answer->files, session, &pictures[i].row, &subject);
    if (status == DLQ_OK && answer->files.path_count == 0 && !session->args->quiet)
        fprintf(stderr, "dlqueue: no chart: the log shows too few waits that differ\n");
    return status;
}

enum { MOST_NAMED = 8 };

/* What of the options a next command needs, and the loaders where the rhythm tells them. */
static void write_next(struct dlq_session *session, const struct answer *answer)
{
    char extra[120] = "";
    struct dlq_phrase phrase = {.text = extra, .size = sizeof extra, .separator = " "};
    const struct dlq_diagnosis *diagnosis = &answer->diagnosis;
    if (session->args->format != NULL)
        dlq_phrase_add(&phrase, "--format %s", answer->facts.format);
    if (session->args->skip_bad > 0)
        dlq_phrase_add(&phrase, "--skip-bad %ld", session->args->skip_bad);
    if (session->args->every > 0)
        dlq_phrase_add(&phrase, "--every %ld", session->args->every);
    bool named = session->operand_count <= MOST_NAMED; /* and with them what was set */
    bool unknown = answer->hint.loaders < 0 && diagnosis->loaders == 0;
    if (!named && answer->hint.loaders >= 0)
        dlq_phrase_add(&phrase, "--loaders %ld", answer->hint.loaders);
    if (!named && answer->hint.prefetch > 0)
        dlq_phrase_add(&phrase, "--prefetch %ld", answer->hint.prefetch);
    if (unknown && !isnan(diagnosis->period))
        dlq_phrase_add(&phrase, "--loaders %.0f", diagnosis->period);
    else if (unknown && isnan(diagnosis->load_mean))
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

static enum dlq_status write_report(struct dlq_session *session, const struct answer *answer)
{
    char heading[400];
    enum dlq_status status = dlq_diagnose_report(session, dlq_logs_name(session, heading, sizeof heading),
                                                 &answer->facts, &answer->diagnosis);
    if (status != DLQ_OK)
        return status;
    dlq_result_files_list(&answer->files, session->out);
    write_next(session, answer);
    return DLQ_OK;
}

static enum dlq_status write_answer(struct dlq_session *session, const struct answer *answer)
{
    if (session->args->json)
        return dlq_json_write(dlq_diagnose_json(&answer->facts, &answer->diagnosis), session->out, session->error);
    if (!session->args->csv)
        return write_report(session, answer);
    return dlq_result_csv(session, dlq_diagnose_table(&answer->diagnosis));
}

/* The words first: whatever happens to the charts, they are told. */
static enum dlq_status answer_all(struct dlq_session *session, struct answer *answer)
{
    enum dlq_status status = dlq_diagnose(answer->trace, &answer->hint, &answer->diagnosis, session->error);
    if (status != DLQ_OK)
        return status;
    enum dlq_status drawn = session->args->plot ? draw(session, answer) : DLQ_OK;
    enum dlq_status written = write_answer(session, answer);
    dlq_diagnosis_free(&answer->diagnosis);
    return drawn != DLQ_OK ? drawn : written;
}

static enum dlq_status prepare(struct dlq_session *session, struct answer *answer)
{
    if (session->operand_count == 0)
        return dlq_error_add(session->error, DLQ_INVALID,
                             "diagnose needs a log: dlqueue diagnose train.log, or - for standard input");
    static const char *const products[] = {"waits", "distribution", "ranks", NULL};
    const char *output = session->args->output;
    const struct dlq_log_settings settings = {
        session->command->keys,
        "is of a model, and a log needs none; loaders, prefetch and keys of [plot] alone can be set here"};
    enum dlq_status status = dlq_log_charts_read(session, &settings, &answer->model, &answer->plot);
    if (status == DLQ_OK)
        dlq_log_hint(session, answer->model, (char[DLQ_LOG_LOADER]){0}, &answer->hint);
    if (status != DLQ_OK || !session->args->plot)
        return status;
    bool named = output != NULL && strcmp(output, "-") != 0;
    return dlq_result_files_begin(&answer->files, session, &answer->plot, named ? output : answer->plot.directory,
                                  products);
}

enum dlq_status dlq_run_diagnose(struct dlq_session *session)
{
    struct answer answer = {0};
    enum dlq_status status = prepare(session, &answer);
    if (status == DLQ_OK)
        status = dlq_logs_read(session, &answer.trace);
    if (status == DLQ_OK) {
        dlq_trace_facts(answer.trace, &answer.facts);
        status = answer_all(session, &answer);
    }
    dlq_trace_free(answer.trace);
    dlq_result_files_free(&answer.files);
    dlq_model_free(answer.model);
    return status;
}
