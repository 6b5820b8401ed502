/* dlqueue advise */
#include "inputs.h"
#include "logs.h"
#include "report/advise.h"
#include "result_files.h"
#include "terminal.h"

enum dlq_status dlq_run_advise(struct dlq_invocation *session)
{
    char heading[400];
    const struct dlq_args *args = session->args;
    struct dlq_log_settings settings;
    struct dlq_trace *trace;
    struct dlq_diagnosed *diagnosed;
    struct dlq_fit *fit;
    struct dlq_advise_answer *answer;
    struct dlq_error unanswered = {0}, *error = session->error;
    NEW(&session->call->arena, diagnosed, 1);
    NEW(&session->call->arena, fit, 1);
    NEW(&session->call->arena, answer, 1);
    enum dlq_status status = dlq_log_settings_read(session, &settings);
    if (session->operand_count == 0)
        return dlq_error_add(error, DLQ_INVALID,
                             "advise needs a log: dlqueue advise train.log, or - for standard input");
    TRY(status);
    TRY(dlq_logs_read(session, &trace));
    TRY(dlq_diagnosed_make(session, trace, &settings.hint, diagnosed));
    const struct dlq_fit_options options = {.hint = settings.hint};
    struct dlq_progress_bar *bar = dlq_progress_begin(session);
    status = dlq_fit(trace, &options, &session->run, fit, &unanswered);
    dlq_progress_end(bar);
    /* A fit that has no answer is none; what the log lacks the advice says. */
    if (status != DLQ_OK && status != DLQ_NO_ANSWER)
        return dlq_error_add(error, status, "%s", unanswered.text);
    TRY(dlq_advise(trace, &settings.hint, &diagnosed->diagnosis, status == DLQ_OK ? fit : NULL, &session->run,
                   &answer->advice, error));
    answer->diagnosed = diagnosed;
    dlq_advise_say(answer);
    bool told = answer->advice.kind != DLQ_ADVICE_RECORD;
    if (args->json) {
        TRY(dlq_result_json(session, &dlq_figures_advice, answer));
    } else if (args->summary || args->markdown) {
        dlq_advise_summary(session->out, args->markdown, answer);
    } else {
        dlq_advise_report(session->out, session->color, dlq_logs_name(session, heading, sizeof heading), answer);
        dlq_config_next(session, told ? "fit" : "diagnose", NULL, "");
    }
    return told ? DLQ_OK : DLQ_NO_ANSWER;
}
