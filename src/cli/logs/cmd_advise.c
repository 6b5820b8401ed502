/* dlqueue advise */
#include "logs.h"
#include "logs/report/advise.h"
#include "result_files.h"

enum dlq_status dlq_run_advise(struct dlq_invocation *session)
{
    char heading[400];
    const struct dlq_args *args = session->args;
    const bool stopwatches = dlq_stopwatches_given(args);
    struct dlq_log_settings settings;
    struct dlq_fit_options options = {.counts = false};
    struct dlq_trace *trace;
    struct dlq_diagnosed *diagnosed;
    struct dlq_fit *fit;
    struct dlq_advise_answer *answer;
    struct dlq_error unanswered = {0}, *error = session->error;
    NEW(&session->call->arena, diagnosed, 1);
    NEW(&session->call->arena, fit, 1);
    NEW(&session->call->arena, answer, 1);
    enum dlq_status status = dlq_log_settings_read(session, &settings);
    if (session->operand_count == 0 && !stopwatches)
        return dlq_error_add(error, DLQ_INVALID,
                             "advise needs a log: dlqueue advise train.log, or - for standard input");
    TRY(dlq_stopwatches_read(session, &options));
    TRY(status);
    options.hint = settings.hint;
    long given, asked;
    dlq_log_loaders(session, &given, &asked);
    if (given >= 0 && asked >= 0 && given != asked)
        return dlq_error_add(
            error, DLQ_INVALID,
            "--loaders %ld and --set pipeline.loaders=%ld: advise takes one number of loaders, that of "
            "the logs, and looks for the other itself",
            given, asked);
    TRY(stopwatches ? dlq_stopwatches_trace(session, &options, &trace) : dlq_logs_read(session, &trace));
    TRY(dlq_logs_read_also(session, &options));
    TRY(dlq_diagnosed_make(session, trace, &settings.hint, diagnosed));
    struct dlq_progress_bar *bar = dlq_progress_begin(session);
    status = dlq_fit(stopwatches ? NULL : trace, &options, &session->run, fit, &unanswered);
    dlq_progress_end(bar);
    /* A fit that has no answer is none; what the log lacks the advice says. */
    if (status != DLQ_OK && status != DLQ_NO_ANSWER)
        return dlq_error_add(error, status, "%s", unanswered.text);
    TRY(dlq_advise(trace, &options, &diagnosed->diagnosis, status == DLQ_OK ? fit : NULL, &session->run,
                   &answer->advice, error));
    if (stopwatches) /* however they were told to the diagnosis */
        diagnosed->facts.format = "stopwatch";
    answer->diagnosed = diagnosed;
    dlq_advise_say(answer);
    bool told = answer->advice.kind != DLQ_ADVICE_RECORD;
    if (args->json) {
        TRY(dlq_result_json(session, &dlq_figures_advice, answer));
    } else if (args->summary || args->markdown) {
        dlq_advise_summary(session->out, args->markdown, answer);
    } else {
        const char *name = stopwatches ? diagnosed->facts.name : dlq_logs_name(session, heading, sizeof heading);
        bool unknown = answer->advice.record[DLQ_EVIDENCE_LOADERS];
        bool refits = told || stopwatches || args->logs.count > 0;
        dlq_advise_report(session->out, session->color, name, answer);
        const char *next = unknown ? "advise" : refits ? "fit" : "diagnose";
        dlq_config_next(session, next, NULL, unknown ? "--loaders <your num_workers>" : "");
    }
    return told ? DLQ_OK : DLQ_NO_ANSWER;
}
