/* What the page of a configuration is made of. */
#include "report/description.h"
#include "report/sweep.h"
#include "report_subject.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dlq_subject_caution(struct dlq_subject *subject, const char *text)
{
    size_t *count = &subject->report.caution_count;
    if (text[0] == '\0' || *count == DLQ_PAGE_NOTES)
        return;
    snprintf(subject->caution[*count], DLQ_SUBJECT_CAUTION, "%s", text);
    subject->cautions[*count] = subject->caution[*count];
    ++*count;
}

bool dlq_subject_interrupted(struct dlq_subject *subject, enum dlq_status status)
{
    if (status != DLQ_INTERRUPTED)
        return false;
    if (!subject->interrupted)
        dlq_subject_caution(subject, "Interrupted: this page holds what was finished by then.");
    subject->interrupted = true;
    return true;
}

static bool is_settled(struct dlq_subject *subject, enum dlq_status status, const struct dlq_error *error)
{
    if (status != DLQ_FAILURE || strncmp(error->text, "out of memory", 13) != 0)
        return status == DLQ_OK || dlq_subject_interrupted(subject, status);
    snprintf(subject->failure, sizeof subject->failure, "%.*s", DLQ_SUBJECT_CAUTION - 1, error->text);
    return true;
}

void dlq_subject_without(struct dlq_subject *subject, enum dlq_status status, const char *part,
                         const struct dlq_error *error)
{
    char text[DLQ_SUBJECT_CAUTION];
    if (is_settled(subject, status, error))
        return;
    snprintf(text, sizeof text, "%s: %.*s", part, (int)strcspn(error->text, "\n"), error->text);
    dlq_subject_caution(subject, text);
}

enum dlq_status dlq_subject_chart(const struct dlq_invocation *session, struct dlq_subject *subject,
                                  const struct dlq_picture_row *row, const void *drawn)
{
    struct dlq_page_chart *chart = &subject->report.charts[subject->report.chart_count];
    *chart = (struct dlq_page_chart){.label = row->label};
    enum dlq_status status = dlq_result_svg(session, row, drawn, 1040, 590, &chart->wide);
    if (status == DLQ_OK)
        status = dlq_result_svg(session, row, drawn, 400, 520, &chart->narrow);
    subject->report.chart_count += status == DLQ_OK;
    if (status != DLQ_OK) {
        free(chart->wide);
        free(chart->narrow);
    }
    return status;
}

void dlq_subject_no_charts(struct dlq_subject *subject, const struct dlq_invocation *session, enum dlq_status status,
                           const struct dlq_error *error)
{
    if (is_settled(subject, status, error))
        return;
    int length = (int)strcspn(error->text, "\n");
    snprintf(subject->chart_note, DLQ_SUBJECT_CAUTION, "There are no charts: %.*s", length, error->text);
    subject->report.chart_note = subject->chart_note;
    dlq_tell(session, "warning: the page has no charts: %.*s", length, error->text);
}

/* Where reports stand side by side, the map of utilization is left out of each: it is half of a page. */
static enum dlq_status draw_sweep(struct dlq_invocation *session, struct dlq_subject *subject)
{
    static const struct dlq_picture_row rows[] = {
        {.name = "throughput", .draw = dlq_picture_throughput, .label = "throughput"},
        {.name = "utilization", .draw = dlq_picture_utilization, .label = "utilization"}};
    struct dlq_sweep *sweep = NULL;
    struct dlq_sweep_grid grid;
    TRY(dlq_sweep_begin(&sweep, subject->model, &session->run, session->error));
    enum dlq_status status = dlq_sweep_grid_begin(&grid, subject->model, sweep, session->error);
    if (status == DLQ_OK) {
        status = dlq_sweep_grid_collect(&grid, sweep, session->error);
        if (status == DLQ_OK)
            status = dlq_subject_chart(session, subject, &rows[0], &grid);
        bool alone = session->operand_count < 2;
        if (status == DLQ_OK && alone && !isnan(grid.cells[0].simulation.utilization.value))
            status = dlq_subject_chart(session, subject, &rows[1], &grid);
        dlq_sweep_grid_free(&grid);
    }
    dlq_sweep_end(sweep);
    return status;
}

static enum dlq_status record_run(const struct dlq_invocation *session, struct dlq_subject *subject,
                                  struct dlq_error *error)
{
    const struct dlq_solution *solution = &subject->solved->solution;
    static const double nice[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    enum { LONGER = 10 }; /* where slow phases are rarer */
    double least, until = DLQ_SUBJECT_STEPS / solution->simulation.throughput.value;
    TRY(dlq_timeline_usual(subject->model, &least, error));
    double decade = pow(10, floor(log10(until)));
    size_t i = 0;
    while (i + 1 < sizeof nice / sizeof *nice && nice[i + 1] * decade <= until * (1 + 1e-9))
        i++;
    until = isfinite(until) ? fmax(nice[i] * decade, least) : least;
    if (!isnan(solution->description.horizon))
        until = fmin(until, solution->description.horizon);
    struct dlq_timeline_answer *answer = &subject->timeline;
    answer->description = solution->description;
    answer->bottleneck = solution->bounds.bottleneck;
    snprintf(answer->name, sizeof answer->name, "%s", solution->description.name);
    TRY(dlq_timeline_simulate(subject->model, 0, until, &session->run, &answer->timeline, error));
    struct dlq_setting setting;
    bool slows = false; /* with slow phases, of which the record shows none */
    for (i = 0; !slows && dlq_model_setting(subject->model, i, &setting); i++)
        slows = strncmp(setting.section, "slowdown", strlen("slowdown")) == 0 && setting.given;
    for (size_t r = 0; slows && r < answer->timeline.rank_count; r++)
        slows = answer->timeline.ranks[r].slow_count == 0;
    if (slows) {
        dlq_timeline_free(&answer->timeline);
        until = fmin(LONGER * until, solution->description.horizon);
        TRY(dlq_timeline_simulate(subject->model, 0, until, &session->run, &answer->timeline, error));
    }
    TRY(dlq_rhythm_simulate(subject->model, &session->run, &answer->rhythm, error));
    return dlq_timeline_answer_fill(answer, error);
}

enum dlq_status dlq_subject_solve(struct dlq_invocation *session, struct dlq_subject *subject)
{
    struct dlq_run run = session->run;
    run.progress = NULL; /* how long it takes is not known beforehand */
    struct dlq_error error = {0};
    NEW(&session->call->arena, subject->solved, 1);
    TRY(dlq_solve(subject->model, &run, &subject->solved->solution, session->error));
    subject->solved->ratio = 1;
    dlq_verdict_text(subject->model, &subject->solved->solution, subject->solved->verdict);
    subject->report.solved = subject->solved;
    for (size_t i = 0; i < subject->solved->solution.warning_count; i++)
        dlq_subject_caution(subject, subject->solved->solution.warnings[i]);
    enum dlq_status status = dlq_plan(subject->model, &run, &subject->planned.plan, &error);
    if (status == DLQ_OK) {
        dlq_plan_text(subject->model, &subject->planned.plan, subject->planned.text);
        subject->report.plan = &subject->planned;
    }
    if (status == DLQ_INTERRUPTED || status == DLQ_FAILURE)
        dlq_subject_without(subject, status, "There is no plan", &error);
    return DLQ_OK;
}

void dlq_subject_look_around(struct dlq_invocation *session, struct dlq_subject *subject)
{
    struct dlq_error error = {0};
    enum dlq_status status;
    if (!session->args->no_explore && isfinite(subject->solved->solution.simulation.throughput.value)) {
        long enough =
            subject->report.plan != NULL && subject->planned.plan.met ? subject->planned.plan.answer.loaders : 0;
        struct dlq_progress_bar *bar = dlq_progress_begin(session);
        status = dlq_explore(subject->model, enough, &session->run, &subject->grid, &error);
        dlq_progress_end(bar);
        if (status == DLQ_OK)
            subject->report.grid = &subject->grid;
        dlq_subject_without(subject, status, "There is nothing to explore", &error);
    }
    if (subject->diagnosed == NULL) { /* of a log it is the recorded run, or none */
        error = (struct dlq_error){0};
        status = record_run(session, subject, &error);
        if (status == DLQ_OK)
            subject->report.timeline = &subject->timeline;
        dlq_subject_without(subject, status, "There is no run to watch", &error);
    }
    struct dlq_invocation quiet = *session;
    error = (struct dlq_error){0};
    quiet.error = &error;
    quiet.run.progress = NULL;
    dlq_subject_no_charts(subject, session, draw_sweep(&quiet, subject), &error);
}

enum dlq_status dlq_subject_configured(struct dlq_invocation *session, struct dlq_subject *subject)
{
    struct dlq_description description;
    struct dlq_phrase phrase = {.text = subject->parameters, .size = DLQ_SUBJECT_PARAMETERS};
    TRY(dlq_model_describe(subject->model, &description, session->error));
    snprintf(subject->name, DLQ_SUBJECT_NAME, "%s", description.name);
    char *all = subject->parameters;
    dlq_parameters_add(&phrase, &description, NULL);
    size_t own = strlen(description.name);
    if (strncmp(all, description.name, own) == 0 && strncmp(all + own, " · ", 4) == 0)
        memmove(all, all + own + 4, strlen(all + own + 4) + 1); /* the name stands before it */
    snprintf(subject->seed, sizeof subject->seed, "%llu", (unsigned long long)description.seed);
    TRY(dlq_subject_solve(session, subject));
    dlq_subject_look_around(session, subject);
    return DLQ_OK;
}

void dlq_subject_release(void *object)
{
    struct dlq_subject *subject = object;
    for (size_t i = 0; i < subject->report.chart_count; i++) {
        free(subject->report.charts[i].wide);
        free(subject->report.charts[i].narrow);
    }
    dlq_plan_free(&subject->planned.plan);
    dlq_explore_free(&subject->grid);
    subject->timeline.trace = NULL; /* the session's */
    dlq_timeline_answer_free(&subject->timeline);
    free(subject->fitted);
    free(subject->commands);
    free(subject->text);
    free(subject->configuration);
}
