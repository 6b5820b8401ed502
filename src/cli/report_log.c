/* What the page of logs is made of. */
#include "logs.h"
#include "report_subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum dlq_status draw_log(struct dlq_invocation *session, struct dlq_subject *subject, const char *subtitle)
{
    static const struct {
        struct dlq_picture_row row;
        bool (*fits)(const struct dlq_diagnosis *diagnosis);
        const char *label;
    } rows[] = {
        {{"waits", dlq_picture_waits}, dlq_picture_waits_fits, "waits for data over the iterations"},
        {{"distribution", dlq_picture_shares}, dlq_picture_shares_fits, "distribution of the waits"},
        {{"ranks", dlq_picture_ranks}, dlq_picture_ranks_fits, "data time by rank"},
    };
    const struct dlq_diagnose_subject drawn = {&subject->diagnosed->diagnosis, subtitle};
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == DLQ_OK; i++)
        if (rows[i].fits(&subject->diagnosed->diagnosis))
            status = dlq_subject_chart(session, subject, rows[i].label, &rows[i].row, &drawn);
    return status;
}

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
    if (status == DLQ_OK)
        return DLQ_OK;
    dlq_model_free(subject->model);
    subject->model = NULL;
    dlq_subject_without(subject, status, "The fitted model can't be solved", &error);
    return DLQ_OK;
}

/* The change to make; without an answer, why stands in the page. */
static void advise_log(struct dlq_invocation *session, struct dlq_subject *subject,
                       const struct dlq_pipeline_hint *hint)
{
    struct dlq_error error = {0};
    struct dlq_run run = session->run;
    run.progress = NULL;
    const struct dlq_fit *fit = subject->report.fit != NULL ? &subject->fit : NULL;
    subject->advised.diagnosed = subject->diagnosed;
    enum dlq_status status =
        dlq_advise(subject->trace, hint, &subject->diagnosed->diagnosis, fit, &run, &subject->advised.advice, &error);
    if (status != DLQ_OK) {
        dlq_subject_without(subject, status, "There is no advice", &error);
        return;
    }
    dlq_advise_say(&subject->advised);
    subject->report.advised = &subject->advised;
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
    answer->trace = subject->trace; /* which it frees */
    subject->trace = NULL;
    status = dlq_timeline_answer_fill(answer, session->error);
    subject->has_timeline = status == DLQ_OK;
    subject->report.timeline = subject->has_timeline ? answer : NULL;
    return status;
}

enum dlq_status dlq_subject_measured(struct dlq_invocation *session, struct dlq_subject *subject)
{
    static const char *const taken[] = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "plot.", NULL};
    static const struct dlq_log_settings settings = {taken, "is what the log tells; give a configuration instead"};
    struct dlq_invocation logs = dlq_logs_session(session);
    struct dlq_plot_options plot;
    struct dlq_pipeline_hint hint;
    struct dlq_model *options = NULL;
    char loader[DLQ_LOG_LOADER], read[DLQ_SUBJECT_NAME];
    struct dlq_invocation quiet = *session;
    struct dlq_error error = {0};
    enum dlq_status status = dlq_log_charts_read(session, &settings, &options, &plot);
    if (status == DLQ_OK)
        status = dlq_logs_read(&logs, &subject->trace);
    if (status == DLQ_OK) {
        dlq_log_hint(session, options, loader, &hint);
        subject->diagnosed = calloc(1, sizeof *subject->diagnosed);
        status = subject->diagnosed != NULL
                     ? dlq_diagnose(subject->trace, &hint, &subject->diagnosed->diagnosis, session->error)
                     : dlq_error_memory(session->error, "reading logs");
    }
    if (status != DLQ_OK) {
        dlq_model_free(options);
        return status;
    }
    dlq_trace_facts(subject->trace, &subject->diagnosed->facts);
    dlq_diagnosed_say(subject->diagnosed);
    dlq_logs_name(&logs, subject->name, DLQ_SUBJECT_NAME);
    dlq_logs_say(&subject->diagnosed->facts, read, sizeof read);
    snprintf(subject->parameters, DLQ_SUBJECT_PARAMETERS, "%s", read);
    subject->report.diagnosed = subject->diagnosed;
    for (size_t i = 0; i < subject->diagnosed->note_count; i++)
        dlq_subject_caution(subject, subject->diagnosed->notes[i]);
    quiet.error = &error;
    dlq_subject_no_charts(subject, session, draw_log(&quiet, subject, read), &error);
    status = fit_log(session, subject, &hint);
    if (status == DLQ_OK)
        advise_log(session, subject, &hint);
    if (status == DLQ_OK)
        status = watch_log(session, subject, &hint);
    bool watched = subject->has_timeline;
    subject->has_timeline = true; /* the recorded run, or none */
    if (status == DLQ_OK && subject->model != NULL) {
        status = dlq_subject_solve(session, subject);
        if (status == DLQ_OK)
            dlq_subject_look_around(session, subject);
        else if (dlq_subject_interrupted(subject, status))
            status = DLQ_OK;
    }
    subject->has_timeline = watched;
    dlq_model_free(options);
    return status;
}
