/* dlqueue advise */
#include "command.h"
#include "draw/text.h"
#include "inputs.h"
#include "logs.h"
#include "report/advise.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

/* What the answer is made of. */
struct job {
    struct dlq_model *model;
    struct dlq_trace *trace;
    struct dlq_diagnosed diagnosed;
    struct dlq_fit fit;
    struct dlq_advise_answer answer;
};

/* A fit that has no answer is none; what the log lacks the advice says. */
static enum dlq_status fit_log(struct dlq_invocation *session, struct job *job, const struct dlq_pipeline_hint *hint,
                               bool *fitted)
{
    struct dlq_error unanswered = {0};
    const struct dlq_fit_options options = {.hint = *hint};
    struct dlq_progress_bar *bar = dlq_progress_begin(session);
    enum dlq_status status = dlq_fit(job->trace, &options, &session->run, &job->fit, &unanswered);
    dlq_progress_end(bar);
    *fitted = status == DLQ_OK;
    return status == DLQ_OK || status == DLQ_NO_ANSWER ? DLQ_OK
                                                       : dlq_error_add(session->error, status, "%s", unanswered.text);
}

static enum dlq_status write_answer(struct dlq_invocation *session, const struct dlq_advise_answer *answer)
{
    char heading[400];
    const struct dlq_args *args = session->args;
    bool told = answer->advice.kind != DLQ_ADVICE_RECORD;
    if (args->json) {
        enum dlq_status status =
            dlq_json_write(dlq_figures_json(&dlq_figures_advice, answer, "advise"), session->out, session->error);
        return status == DLQ_OK && !told ? DLQ_NO_ANSWER : status;
    }
    if (args->summary || args->markdown) {
        dlq_advise_summary(session->out, args->markdown, answer);
    } else {
        dlq_advise_report(session->out, session->color, dlq_logs_name(session, heading, sizeof heading), answer);
        dlq_config_next(session, told ? "fit" : "diagnose", NULL, "");
    }
    return told ? DLQ_OK : DLQ_NO_ANSWER;
}

static enum dlq_status advise(struct dlq_invocation *session, struct job *job)
{
    const struct dlq_log_settings settings = {
        session->command->keys,
        "is of a model, and a log needs none; loaders, prefetch and loader alone can be set here"};
    struct dlq_plot_options plot;
    struct dlq_pipeline_hint hint;
    struct dlq_setting seed;
    char loader[DLQ_LOG_LOADER];
    bool fitted = false;
    enum dlq_status status = dlq_log_charts_read(session, &settings, &job->model, &plot);
    if (session->operand_count == 0)
        status = dlq_error_add(session->error, DLQ_INVALID,
                               "advise needs a log: dlqueue advise train.log, or - for standard input");
    if (status == DLQ_OK)
        status = dlq_logs_read(session, &job->trace);
    if (status != DLQ_OK)
        return status;
    dlq_log_hint(session, job->model, loader, &hint);
    if (dlq_log_setting(session, job->model, "simulate", "seed", &seed)) {
        session->run.seed = strtoull(seed.value, NULL, 10);
        session->run.has_seed = true;
    }
    dlq_trace_facts(job->trace, &job->diagnosed.facts);
    status = dlq_diagnose(job->trace, &hint, &job->diagnosed.diagnosis, session->error);
    if (status != DLQ_OK)
        return status;
    dlq_diagnosed_say(&job->diagnosed);
    status = fit_log(session, job, &hint, &fitted);
    if (status == DLQ_OK)
        status = dlq_advise(job->trace, &hint, &job->diagnosed.diagnosis, fitted ? &job->fit : NULL, &session->run,
                            &job->answer.advice, session->error);
    if (status != DLQ_OK)
        return status;
    job->answer.diagnosed = &job->diagnosed;
    dlq_advise_say(&job->answer);
    return write_answer(session, &job->answer);
}

enum dlq_status dlq_run_advise(struct dlq_invocation *session)
{
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return dlq_error_memory(session->error, "advising");
    enum dlq_status status = advise(session, job);
    dlq_diagnosis_free(&job->diagnosed.diagnosis);
    dlq_trace_free(job->trace);
    dlq_model_free(job->model);
    free(job);
    return status;
}
