/* dlqueue diagnose: shows how much, when and why training waits for data, by its logs. */
#include "base/utf8.h"
#include "logs.h"
#include "logs/report/report.h"
#include "result_files.h"

#include <math.h>

/* The answer; runs and files have an element per trace. */
struct answer {
    struct dlq_traces *traces;
    struct dlq_diagnosed *runs;
    struct dlq_result_files *files;
    struct dlq_log_settings settings;
};

const struct dlq_picture_row dlq_diagnose_pictures[] = {
    {"waits", dlq_picture_waits, dlq_picture_waits_fits, "waits for data over the iterations, and by their length"},
    {"ranks", dlq_picture_ranks, dlq_picture_ranks_fits, "data time by rank"},
    {.name = NULL}};

enum dlq_status dlq_diagnosed_draw(const char *name, const struct dlq_diagnosed *diagnosed,
                                   struct dlq_result_files *files)
{
    char text[600], read[300];
    struct dlq_phrase subtitle = {.text = text, .size = sizeof text, .separator = " · "};
    const struct dlq_diagnosis *diagnosis = &diagnosed->diagnosis;
    struct dlq_diagnose_subject subject = {diagnosis, text};
    dlq_phrase_add(&subtitle, "%s", name);
    dlq_phrase_add(&subtitle, "%s", dlq_logs_say(&diagnosed->facts, read, sizeof read));
    if (diagnosis->loaders > 0)
        dlq_phrase_add(&subtitle, "%ld loader%s", diagnosis->loaders, PLURAL(diagnosis->loaders));
    if (!isnan(diagnosis->iter_time.mean))
        dlq_phrase_add(&subtitle, "iteration %s", SAY_TIME(diagnosis->iter_time.mean, 3));
    if (!isnan(diagnosis->step_time.mean))
        dlq_phrase_add(&subtitle, "step %s", SAY_TIME(diagnosis->step_time.mean, 3));
    for (const struct dlq_picture_row *row = dlq_diagnose_pictures; row->name != NULL; row++)
        if (diagnosis->log_length > DLQ_LOG_TOO_SHORT && row->fits(diagnosis))
            TRY(dlq_result_files_draw(files, row, &subject));
    return DLQ_OK;
}

void dlq_diagnosed_undrawn(const struct dlq_invocation *invocation)
{
    dlq_message(invocation, "no chart: the log is too short, or its waits hardly differ");
}

/* Draws the charts of a run. The heading names the operands if there is one run, else the logs of the run. */
static enum dlq_status draw(struct dlq_invocation *invocation, struct answer *answer, size_t run)
{
    char heading[200];
    dlq_logs_name(invocation, heading, sizeof heading);
    if (answer->traces->count > 1)
        snprintf(heading, sizeof heading, "%s", answer->runs[run].facts.name);
    return dlq_diagnosed_draw(dlq_utf8_clean(heading), &answer->runs[run], &answer->files[run]);
}

static enum dlq_status write_answer(struct dlq_invocation *invocation, const struct answer *answer)
{
    size_t count = answer->traces->count;
    struct dlq_diagnosed *runs = answer->runs;
    const struct dlq_diagnosis *first = &runs->diagnosis;
    char heading[400];
    if (invocation->args->json && count == 1)
        return dlq_result_json(invocation, &dlq_figures_diagnosis, runs);
    if (invocation->args->json)
        return dlq_result_list(invocation, "logs", &dlq_figures_diagnosis, runs, count, sizeof *runs);
    if (invocation->args->csv && count == 1)
        return dlq_result_rows(
            invocation, NULL,
            dlq_result_table(&dlq_figures_ranks, first->ranks, first->rank_count, sizeof *first->ranks, first));
    for (size_t i = 0; i < count && count > 1; i++) {
        double time = runs[i].diagnosis.iter_time.mean;
        runs[i].rate = time > 0 ? 1 / time : NAN;
        runs[i].speedup = time > 0 ? first->iter_time.mean / time : NAN;
    }
    if (count > 1) {
        struct dlq_table *table = dlq_result_table(&dlq_figures_runs, runs, count, sizeof *runs, NULL);
        TRY(dlq_result_rows(invocation, NULL, table));
        if (invocation->args->csv)
            return DLQ_OK;
        fputc('\n', invocation->out);
        dlq_text_wrap(invocation->out,
                      "Each line is a run. speed-up: iterations/s divided by those of the first run; lost: the share "
                      "of the time that training waits for data. Logs are ranks of one run if their names differ in "
                      "the rank alone (rank0.log, rank1.log), or with --ranks.",
                      0, dlq_text_columns(invocation->out));
        for (size_t i = 0; i < count; i++)
            dlq_result_files_list(&answer->files[i], 1);
        bool single = runs->facts.logs == 1;
        struct dlq_invocation one = dlq_invocation_of(invocation, invocation->operands, single ? 1 : 0);
        dlq_config_next(&one, single ? "diagnose" : "diagnose LOG...", NULL, "");
        return DLQ_OK;
    }
    TRY(dlq_diagnose_report(invocation->out, invocation->color, invocation->args->all,
                            dlq_logs_name(invocation, heading, sizeof heading), runs, invocation->error));
    dlq_result_files_list(answer->files, 1);
    bool unknown = answer->settings.hint.loaders < 0 && first->loaders == 0 && isnan(first->load_mean);
    if (first->has_data && first->log_length != DLQ_LOG_TOO_SHORT)
        dlq_config_next(invocation, "fit", NULL, unknown ? "--loaders <your num_workers>" : "");
    else
        fprintf(invocation->out,
                "\n  next: dlqueue fit --steps 100/12s --loads 100/40s   with two times that you measure: of steps\n"
                "        on one batch in memory, and of batches loaded without steps\n");
    return DLQ_OK;
}

DLQ_RELEASE(release, dlq_diagnosis_free)

enum dlq_status dlq_diagnosed_fill(struct dlq_invocation *invocation, const struct dlq_trace *trace,
                                   const struct dlq_pipeline_hint *hint, struct dlq_diagnosed *diagnosed)
{
    struct dlq_pipeline_hint completed = *hint;
    dlq_hint_complete(&completed, trace);
    dlq_trace_facts(trace, &diagnosed->facts);
    TRY(dlq_diagnose(trace, &completed, &diagnosed->diagnosis, invocation->error));
    TRY(dlq_keep(invocation, &diagnosed->diagnosis, release));
    dlq_diagnosed_say(diagnosed);
    return DLQ_OK;
}

enum dlq_status dlq_run_diagnose(struct dlq_invocation *invocation)
{
    struct answer answer;
    size_t count = 0;
    if (invocation->operand_count == 0)
        return dlq_error_add(invocation->error, DLQ_INVALID,
                             "diagnose needs a log: dlqueue diagnose train.log, or - for standard input");
    NEW(&invocation->call->arena, answer.runs, invocation->operand_count);
    NEW(&invocation->call->arena, answer.files, invocation->operand_count);
    TRY(dlq_log_settings_read(invocation, &answer.settings));
    if (invocation->args->plot)
        TRY(dlq_result_files_prepare(answer.files, invocation, 0, answer.settings.model, dlq_diagnose_pictures));
    if (invocation->args->follow)
        TRY(dlq_follow(invocation, invocation->args->json || invocation->args->csv ? stderr : invocation->out));
    TRY(dlq_logs_read_runs(invocation, &answer.traces));
    const struct dlq_trace *trace = answer.traces->first;
    for (; trace != NULL; trace = dlq_trace_next(trace)) {
        struct dlq_diagnosed *run = &answer.runs[count++];
        enum dlq_status status = dlq_diagnosed_fill(invocation, trace, &answer.settings.hint, run);
        if (status == DLQ_NO_ANSWER && answer.traces->count > 1)
            dlq_error_add(invocation->error, status, "in the run of %s", run->facts.name);
        TRY(status);
    }
    /* The report is printed even if a chart fails. */
    enum dlq_status drawn = DLQ_OK;
    size_t charts = 0;
    for (size_t i = 0; invocation->args->plot && i < count && drawn == DLQ_OK; i++) {
        if (i > 0)
            drawn = dlq_result_files_prepare(&answer.files[i], invocation, answer.runs[i].facts.first,
                                             answer.settings.model, dlq_diagnose_pictures);
        if (drawn == DLQ_OK)
            drawn = draw(invocation, &answer, i);
        charts += answer.files[i].path_count;
    }
    if (invocation->args->plot && drawn == DLQ_OK && charts == 0)
        dlq_diagnosed_undrawn(invocation);
    enum dlq_status written = write_answer(invocation, &answer);
    return drawn != DLQ_OK ? drawn : written;
}
