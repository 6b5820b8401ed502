/* Builds the report of a log: its diagnosis, the fitted model, and the advice. */
#include "report_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_answer(struct dlq_page_subject *subject, const char *command, const struct dlq_figures *figures,
                       const void *answer)
{
    subject->page.answers[subject->page.answer_count++] = (struct dlq_page_answer){command, figures, answer};
}

/* Fits a model to the log: adds the answer of fit, its warnings, and subject->model as read from the configuration that
   fit writes. If one of these fails, the page has a note that says why, and the status is DLQ_OK. */
static enum dlq_status fit_log(struct dlq_invocation *invocation, struct dlq_page_subject *subject,
                               const struct dlq_run *run, const struct dlq_fit_options *options)
{
    enum dlq_status status = dlq_fit(subject->trace, options, run, &subject->fit, &subject->error);
    if (!dlq_page_succeeded(subject, status, "No model was fitted", NULL))
        return DLQ_OK;
    subject->fitted = dlq_fit_configuration(&subject->fit, subject->page.name, subject->page.name);
    FILE *stream = subject->fitted != NULL ? fmemopen(subject->fitted, strlen(subject->fitted), "r") : NULL;
    if (stream == NULL)
        return dlq_error_memory(invocation->error, "fitting");
    subject->fit_answer = dlq_fit_answer_of(&subject->fit, subject->fitted);
    add_answer(subject, "fit", &dlq_figures_fit, &subject->fit_answer);
    for (size_t i = 0; i < subject->fit_answer.warning_count; i++)
        dlq_page_add_caution(subject, subject->fit_answer.warnings[i]);
    status = dlq_model_read(&subject->model, "fitted.ini", stream, &subject->error);
    fclose(stream);
    if (status == DLQ_OK)
        status = dlq_model_check(subject->model, &subject->error);
    snprintf(subject->page.file, DLQ_PAGE_TEXT, "fitted.ini");
    if (subject->model != NULL)
        TRY(dlq_keep(invocation, subject->model, dlq_model_release));
    if (!dlq_page_succeeded(subject, status, "The fitted model can't be solved", NULL))
        subject->model = NULL;
    return DLQ_OK;
}

/* Fills the timeline of the player with the recorded run. */
static enum dlq_status add_timeline(struct dlq_invocation *invocation, struct dlq_page_subject *subject,
                                    const struct dlq_pipeline_hint *hint)
{
    struct dlq_timeline_answer *answer = &subject->timeline;
    struct dlq_timeline *timeline = &answer->timeline;
    enum dlq_status status = dlq_timeline_of_trace(subject->trace, hint, 0, INFINITY, timeline, &subject->error);
    if (!dlq_page_succeeded(subject, status, "There is no run to watch", NULL))
        return DLQ_OK;
    for (size_t r = 0; r < timeline->rank_count; r++)
        if (timeline->ranks[r].stepped > DLQ_PLAYER_STEPS)
            timeline->until = fmin(timeline->until, timeline->ranks[r].batches[DLQ_PLAYER_STEPS - 1].step_end);
    snprintf(answer->name, sizeof answer->name, "%.199s", subject->page.name);
    TRY(dlq_timeline_answer_fill(answer, invocation->error));
    subject->page.timeline = answer;
    return DLQ_OK;
}

/* Why the fitted model is left out of the page: the log tells too little, or the answers of the model contradict the
   log. "": the model is shown. Before the model is solved only the first kind of reason is found. */
static const char *why_model_is_left_out(const struct dlq_page_subject *subject, char why[DLQ_PAGE_TEXT])
{
    static const double near = 0.1;
    const struct dlq_solve_answer *solved = subject->page.solved;
    const struct dlq_diagnosis *log = &subject->diagnosed->diagnosis;
    const struct dlq_phase *last = dlq_lasting_phase(log);
    const double measured = subject->fit.measured, iteration = last != NULL ? last->iter : log->steady_iter;
    const double fitted = solved != NULL ? solved->solution.simulation.throughput.value : NAN;
    const double step = solved != NULL ? 1 / solved->solution.bounds.step : NAN;
    why[0] = '\0';
    if (!subject->fit.loaders_known)
        snprintf(why, DLQ_PAGE_TEXT, "the number of loaders is unknown; give --loaders N");
    else if (!subject->advises || subject->advised.advice.kind == DLQ_ADVICE_RECORD)
        snprintf(why, DLQ_PAGE_TEXT, "the log cannot tell what to change");
    else if (fabs(fitted / measured - 1) > near)
        snprintf(why, DLQ_PAGE_TEXT, "the fitted model makes %s batches/s, but the log has %s", SAY_RATE(fitted),
                 SAY_RATE(measured));
    else if (fabs(step / (iteration * (1 - log->lasting_lost_share)) - 1) > near)
        snprintf(why, DLQ_PAGE_TEXT, "a step takes %s in the fitted model, but %s in the log", SAY_TIME(step, 3),
                 SAY_TIME(iteration * (1 - log->lasting_lost_share), 3));
    return why;
}

enum dlq_status dlq_report_log(struct dlq_invocation *invocation, struct dlq_invocation *logs,
                               struct dlq_page_subject *subject, const struct dlq_pipeline_hint *hint)
{
    struct dlq_invocation for_charts = *invocation; /* its errors become notes of the page */
    struct dlq_run run = invocation->run;
    const struct dlq_fit_options options = {.hint = *hint};
    enum dlq_status status = DLQ_OK;
    NEW(&invocation->call->arena, subject->diagnosed, 1);
    TRY(dlq_logs_read(logs, &subject->trace));
    TRY(dlq_diagnosed_fill(invocation, subject->trace, hint, subject->diagnosed));
    dlq_logs_name(logs, subject->page.name, DLQ_PAGE_TEXT);
    dlq_logs_say(&subject->diagnosed->facts, subject->page.parameters, DLQ_PAGE_TEXT);
    subject->page.of_log = true;
    add_answer(subject, "diagnose", &dlq_figures_diagnosis, subject->diagnosed);
    if (!isnan(subject->diagnosed->diagnosis.ratio)) {
        subject->page.waiting = dlq_diagnosed_waiting(&subject->diagnosed->diagnosis);
        if (subject->page.waiting == NULL)
            return dlq_error_memory(invocation->error, "writing a page");
    }
    for (size_t i = 0; i < subject->diagnosed->caution_count; i++)
        if (strcmp(subject->diagnosed->cautions[i].name, "reading") != 0) /* these are shown beside the fit */
            dlq_page_add_caution(subject, subject->diagnosed->cautions[i].text);
    for (size_t i = 0; i < subject->diagnosed->note_count; i++)
        dlq_page_add_caution(subject, subject->diagnosed->notes[i]);
    for_charts.error = &subject->error;
    run.progress = NULL;
    const struct dlq_diagnosis *diagnosis = &subject->diagnosed->diagnosis;
    const struct dlq_diagnose_subject drawn = {diagnosis, subject->page.parameters};
    for (const struct dlq_picture_row *row = dlq_diagnose_pictures; row->name != NULL && status == DLQ_OK; row++)
        if (row->fits(diagnosis))
            status = dlq_page_add_chart(&for_charts, subject, row, &drawn);
    dlq_page_note_missing_charts(subject, invocation, status);
    TRY(fit_log(invocation, subject, &run, &options));
    subject->advised.diagnosed = subject->diagnosed;
    status = dlq_advise(subject->trace, &options, diagnosis, subject->fitted != NULL ? &subject->fit : NULL, &run,
                        &subject->advised.advice, &subject->error);
    if (dlq_page_succeeded(subject, status, "There is no advice", NULL)) {
        dlq_advise_say(&subject->advised);
        subject->advises = true;
        add_answer(subject, "advise", &dlq_figures_advice, &subject->advised);
    }
    TRY(add_timeline(invocation, subject, hint));
    if (subject->model == NULL)
        return DLQ_OK;
    char why[DLQ_PAGE_TEXT], text[DLQ_PAGE_TEXT];
    const size_t cautions = subject->page.caution_count;
    status = why_model_is_left_out(subject, why)[0] == '\0' ? dlq_page_solve(invocation, subject) : DLQ_OK;
    if (status == DLQ_OK && why_model_is_left_out(subject, why)[0] != '\0') {
        subject->page.solved = NULL;
        subject->page.plan = NULL;
        subject->page.caution_count = cautions;
        snprintf(text, sizeof text, "This page has no gains, no sliders and no plan: %.400s", why);
        dlq_page_add_caution(subject, text);
    } else if (status == DLQ_OK)
        dlq_page_add_views(invocation, subject);
    return dlq_page_is_interrupted(subject, status) ? DLQ_OK : status;
}

enum dlq_status dlq_report_compare(struct dlq_invocation *invocation, const struct dlq_page_subject subjects[2],
                                   struct dlq_page_comparison *comparison)
{
    struct dlq_compare_answer *answer;
    struct dlq_traces *sides;
    NEW(&invocation->call->arena, answer, 1);
    NEW(&invocation->call->arena, sides, 2);
    for (size_t i = 0; i < 2; i++) {
        sides[i] = (struct dlq_traces){subjects[i].trace, 1};
        answer->sides[i] = &sides[i];
        snprintf(i == 0 ? answer->before : answer->after, sizeof answer->before, "%.299s", subjects[i].page.name);
    }
    TRY(dlq_compare(&sides[0], &sides[1], &invocation->run, &answer->comparison, invocation->error));
    answer->gate.gated.limit = NAN;
    dlq_compare_say(answer);
    *comparison = (struct dlq_page_comparison){{"compare", &dlq_figures_compare, answer}, answer->verdict};
    return DLQ_OK;
}
