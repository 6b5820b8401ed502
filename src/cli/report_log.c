/* What the page of logs is made of. */
#include "inputs.h"
#include "logs.h"
#include "report_subject.h"

#include <math.h>
#include <string.h>

/* The configuration that was fitted, as a model; without an answer, why stands in the page. */
static enum dlq_status fit_log(struct dlq_invocation *session, struct dlq_subject *subject,
                               const struct dlq_pipeline_hint *hint)
{
    struct dlq_error error = {0};
    const struct dlq_fit_options options = {.hint = *hint};
    struct dlq_run run = session->run;
    run.progress = NULL;
    enum dlq_status status = dlq_fit(subject->trace, &options, &run, &subject->fit, &error);
    if (status != DLQ_OK) {
        dlq_subject_without(subject, status, "No model was fitted", &error);
        return DLQ_OK;
    }
    subject->fitted = dlq_fit_configuration(&subject->fit, subject->name, subject->name);
    if (subject->fitted == NULL)
        return dlq_error_memory(session->error, "fitting");
    subject->fit_answer = dlq_fit_answer_of(&subject->fit, subject->fitted);
    subject->report.fit = &subject->fit_answer;
    for (size_t i = 0; i < subject->fit_answer.warning_count; i++)
        dlq_subject_caution(subject, subject->fit_answer.warnings[i]);
    FILE *stream = fmemopen(subject->fitted, strlen(subject->fitted), "r");
    if (stream == NULL)
        return dlq_error_memory(session->error, "fitting");
    status = dlq_model_read(&subject->model, "fitted.ini", stream, &error);
    fclose(stream);
    if (status == DLQ_OK)
        status = dlq_model_check(subject->model, &error);
    snprintf(subject->file, DLQ_SUBJECT_NAME, "fitted.ini");
    if (subject->model != NULL)
        TRY(dlq_keep(session, subject->model, dlq_model_release));
    if (status != DLQ_OK) {
        subject->model = NULL;
        dlq_subject_without(subject, status, "The fitted model can't be solved", &error);
    }
    return DLQ_OK;
}

static enum dlq_status watch_log(struct dlq_invocation *session, struct dlq_subject *subject,
                                 const struct dlq_pipeline_hint *hint)
{
    struct dlq_error error = {0};
    struct dlq_timeline_answer *answer = &subject->timeline;
    enum dlq_status status = dlq_timeline_of_trace(subject->trace, hint, 0, INFINITY, &answer->timeline, &error);
    if (status != DLQ_OK) {
        dlq_subject_without(subject, status, "There is no run to watch", &error);
        return DLQ_OK;
    }
    for (size_t r = 0; r < answer->timeline.rank_count; r++)
        if (answer->timeline.ranks[r].stepped > DLQ_SUBJECT_STEPS)
            answer->timeline.until =
                fmin(answer->timeline.until, answer->timeline.ranks[r].batches[DLQ_SUBJECT_STEPS - 1].step_end);
    snprintf(answer->name, sizeof answer->name, "%.199s", subject->name);
    answer->trace = subject->trace;
    TRY(dlq_timeline_answer_fill(answer, session->error));
    subject->report.timeline = answer;
    return DLQ_OK;
}

enum dlq_status dlq_subject_measured(struct dlq_invocation *session, struct dlq_subject *subject)
{
    struct dlq_invocation logs = dlq_logs_session(session), quiet = *session;
    struct dlq_log_settings settings;
    char read[DLQ_SUBJECT_NAME];
    struct dlq_error error = {0};
    NEW(&session->call->arena, subject->diagnosed, 1);
    TRY(dlq_log_settings_read(session, &settings));
    TRY(dlq_logs_read(&logs, &subject->trace));
    TRY(dlq_diagnosed_make(session, subject->trace, &settings.hint, subject->diagnosed));
    dlq_logs_name(&logs, subject->name, DLQ_SUBJECT_NAME);
    dlq_logs_say(&subject->diagnosed->facts, read, sizeof read);
    snprintf(subject->parameters, DLQ_SUBJECT_PARAMETERS, "%s", read);
    subject->report.diagnosed = subject->diagnosed;
    for (size_t i = 0; i < subject->diagnosed->note_count; i++)
        dlq_subject_caution(subject, subject->diagnosed->notes[i]);
    quiet.error = &error;
    const struct dlq_diagnosis *diagnosis = &subject->diagnosed->diagnosis;
    const struct dlq_diagnose_subject drawn = {diagnosis, read};
    enum dlq_status status = DLQ_OK;
    for (const struct dlq_picture_row *row = dlq_diagnose_pictures; row->name != NULL && status == DLQ_OK; row++)
        if (row->fits(diagnosis))
            status = dlq_subject_chart(&quiet, subject, row, &drawn);
    dlq_subject_no_charts(subject, session, status, &error);
    TRY(fit_log(session, subject, &settings.hint));
    /* The change to make; without an answer, why stands in the page. */
    struct dlq_run run = session->run;
    run.progress = NULL;
    error = (struct dlq_error){0};
    subject->advised.diagnosed = subject->diagnosed;
    status = dlq_advise(subject->trace, &settings.hint, diagnosis, subject->report.fit != NULL ? &subject->fit : NULL,
                        &run, &subject->advised.advice, &error);
    dlq_subject_without(subject, status, "There is no advice", &error);
    if (status == DLQ_OK) {
        dlq_advise_say(&subject->advised);
        subject->report.advised = &subject->advised;
    }
    TRY(watch_log(session, subject, &settings.hint));
    if (subject->model == NULL)
        return DLQ_OK;
    status = dlq_subject_solve(session, subject);
    if (status == DLQ_OK)
        dlq_subject_look_around(session, subject);
    return dlq_subject_interrupted(subject, status) ? DLQ_OK : status;
}
