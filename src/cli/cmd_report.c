/* dlqueue report: one HTML page. */
#include "command.h"
#include "dlqueue/explore.h"
#include "dlqueue/fit.h"
#include "dlqueue/plan.h"
#include "draw/file.h"
#include "draw/memory.h"
#include "inputs.h"
#include "logs.h"
#include "report/description.h"
#include "report/page/page.h"
#include "report/pictures/pictures.h"
#include "report/plan_report.h"
#include "report/sweep.h"
#include "result_files.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 512, PARAMETERS = 1024, CAUTION = 512 };

/* All that one report of the page is made of. */
struct subject {
    struct dlq_model *model;
    struct dlq_solve_answer *solved;
    struct dlq_plan plan;
    struct dlq_explore grid;
    struct dlq_timeline_answer timeline;
    struct dlq_trace *trace; /* of a log; owned by `timeline` once that has it */
    struct dlq_diagnosed *diagnosed;
    struct dlq_fit fit;
    struct dlq_fit_answer fit_answer;
    char *fitted; /* the configuration that fit wrote */
    bool has_timeline;
    char name[NAME], parameters[PARAMETERS], seed[32], file[NAME], chart_note[CAUTION],
        caution[DLQ_PAGE_NOTES][CAUTION];
    const char *cautions[DLQ_PAGE_NOTES];
    char *commands, *text, *configuration;
    struct dlq_page_report report;
};

/* What the page says beside the verdict. */
static void add_caution(struct subject *subject, const char *text)
{
    size_t *count = &subject->report.caution_count;
    if (text[0] == '\0' || *count == DLQ_PAGE_NOTES)
        return;
    snprintf(subject->caution[*count], CAUTION, "%s", text);
    subject->cautions[*count] = subject->caution[*count];
    ++*count;
}

/* A part that is missing leaves the page without it; what it is missing for stands in its place. Only an interrupt, or
   no memory, ends the work. */
static enum dlq_status without_part(struct subject *subject, enum dlq_status status, const char *part,
                                    const struct dlq_error *error)
{
    char text[CAUTION];
    if (status == DLQ_OK || status == DLQ_INTERRUPTED)
        return status;
    snprintf(text, sizeof text, "%s: %.*s", part, (int)strcspn(error->text, "\n"), error->text);
    add_caution(subject, text);
    return DLQ_OK;
}

/* -- texts -- */

/* What writes to the stream, as a text of its own; null: no memory. */
static char *text_of(const struct dlq_session *session, const struct subject *subject,
                     enum dlq_status (*write)(FILE *stream, const struct dlq_session *session,
                                              const struct subject *subject))
{
    struct dlq_memory memory;
    if (!dlq_memory_begin(&memory))
        return NULL;
    enum dlq_status status = write(memory.stream, session, subject);
    char *text = dlq_memory_end(&memory);
    if (status == DLQ_OK)
        return text;
    free(text);
    return NULL;
}

static enum dlq_status write_commands(FILE *stream, const struct dlq_session *session, const struct subject *subject)
{
    static const char *const of_config[] = {"report", "solve", "plan", "sweep", "timeline", NULL};
    static const char *const of_log[] = {"diagnose", "fit", NULL};
    const char *const *names = subject->diagnosed != NULL ? of_log : of_config;
    if (subject->diagnosed != NULL) {
        fputs("dlqueue report", stream);
        for (size_t i = 0; i < session->operand_count; i++)
            fprintf(stream, " --log %s", session->operands[i]);
        fputc('\n', stream);
    }
    for (size_t i = 0; names[i] != NULL; i++) {
        fprintf(stream, "dlqueue %s", names[i]);
        dlq_config_write_arguments(stream, session, NULL);
        fputc('\n', stream);
    }
    return DLQ_OK;
}

static enum dlq_status write_text(FILE *stream, const struct dlq_session *session, const struct subject *subject)
{
    enum dlq_status status = DLQ_OK;
    char read[NAME];
    if (subject->diagnosed != NULL)
        status = dlq_diagnose_report(stream, false, false, subject->name, subject->diagnosed, session->error);
    if (status == DLQ_OK && subject->report.fit != NULL) {
        fputc('\n', stream);
        dlq_fit_report(stream, false, &subject->fit, dlq_logs_say(&subject->diagnosed->facts, read, sizeof read));
    }
    if (status == DLQ_OK && subject->diagnosed == NULL)
        status = dlq_report_solution(stream, false, subject->solved, session->error);
    if (status != DLQ_OK || subject->report.plan == NULL)
        return status;
    fputc('\n', stream);
    return dlq_plan_report(stream, false, &subject->plan, session->error);
}

static enum dlq_status write_configuration(FILE *stream, const struct dlq_session *session,
                                           const struct subject *subject)
{
    struct dlq_setting setting;
    char section[64] = "";
    (void)session;
    for (size_t i = 0; dlq_model_setting(subject->model, i, &setting); i++) {
        if (setting.value[0] == '\0' || (!setting.given && strcmp(setting.section, "simulate") == 0))
            continue;
        if (strcmp(section, setting.section) != 0)
            fprintf(stream, "%s[%s]\n", section[0] != '\0' ? "\n" : "", setting.section);
        snprintf(section, sizeof section, "%s", setting.section);
        fprintf(stream, "%s = %s\n", setting.key, setting.value);
    }
    return DLQ_OK;
}

/* -- charts -- */

static enum dlq_status add_chart(const struct dlq_session *session, struct subject *subject, const char *label,
                                 const struct dlq_picture_row *row, const void *drawn)
{
    struct dlq_page_chart *chart = &subject->report.charts[subject->report.chart_count];
    *chart = (struct dlq_page_chart){.label = label};
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

/* The page without charts is a page: what is in their way is said there, and on standard error. */
static enum dlq_status note_charts(struct subject *subject, const struct dlq_session *session, enum dlq_status status,
                                   const struct dlq_error *error)
{
    if (status == DLQ_OK || status == DLQ_INTERRUPTED)
        return status;
    int length = (int)strcspn(error->text, "\n");
    snprintf(subject->chart_note, CAUTION, "There are no charts: %.*s", length, error->text);
    subject->report.chart_note = subject->chart_note;
    if (!session->args->quiet)
        fprintf(stderr, "dlqueue: warning: the page has no charts: %.*s\n", length, error->text);
    return DLQ_OK;
}

static enum dlq_status draw_sweep(struct dlq_session *session, struct subject *subject)
{
    static const struct dlq_picture_row throughput = {"throughput", dlq_picture_throughput},
                                        utilization = {"utilization", dlq_picture_utilization};
    struct dlq_sweep *sweep = NULL;
    struct dlq_sweep_grid grid;
    enum dlq_status status = dlq_sweep_begin(&sweep, subject->model, &session->run, session->error);
    if (status != DLQ_OK)
        return status;
    status = dlq_sweep_grid_begin(&grid, subject->model, sweep, session->error);
    if (status == DLQ_OK) {
        status = dlq_sweep_grid_collect(&grid, sweep, session->error);
        if (status == DLQ_OK)
            status = add_chart(session, subject, "throughput", &throughput, &grid);
        if (status == DLQ_OK && !isnan(grid.cells[0].simulation.utilization.value))
            status = add_chart(session, subject, "utilization", &utilization, &grid);
        dlq_sweep_grid_free(&grid);
    }
    dlq_sweep_end(sweep);
    return status;
}

/* -- a configuration -- */

/* Steps that the player shows, about. */
static const double player_steps = 400;

static enum dlq_status record_run(const struct dlq_session *session, struct subject *subject, struct dlq_error *error)
{
    const struct dlq_solution *solution = &subject->solved->solution;
    static const double nice[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    double least, until = player_steps / solution->simulation.throughput.value;
    enum dlq_status status = dlq_timeline_usual(subject->model, &least, error);
    if (status != DLQ_OK)
        return status;
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
    status = dlq_timeline_simulate(subject->model, 0, until, &session->run, &answer->timeline, error);
    struct dlq_error none = {0};
    if (status == DLQ_OK)
        dlq_rhythm_simulate(subject->model, &session->run, &answer->rhythm, &none);
    if (status == DLQ_OK)
        status = dlq_timeline_answer_fill(answer, error);
    subject->has_timeline = status == DLQ_OK;
    return status;
}

static enum dlq_status solve_model(struct dlq_session *session, struct subject *subject)
{
    struct dlq_run run = session->run;
    run.progress = NULL; /* how long it takes is not known beforehand */
    struct dlq_error error = {0};
    subject->solved = calloc(1, sizeof *subject->solved);
    if (subject->solved == NULL)
        return dlq_error_memory(session->error, "solving");
    enum dlq_status status = dlq_solve(subject->model, &run, &subject->solved->solution, session->error);
    if (status != DLQ_OK)
        return status;
    subject->solved->ratio = 1;
    dlq_verdict_text(subject->model, &subject->solved->solution, subject->solved->verdict);
    subject->report.solved = subject->solved;
    for (size_t i = 0; i < subject->solved->solution.warning_count; i++)
        add_caution(subject, subject->solved->solution.warnings[i]);
    status = dlq_plan(subject->model, &run, &subject->plan, &error);
    if (status == DLQ_OK)
        subject->report.plan = &subject->plan;
    if (status == DLQ_INTERRUPTED || status == DLQ_FAILURE)
        return without_part(subject, status, "There is no plan", &error);
    return DLQ_OK;
}

/* The explorer, the player and the charts: where one of them is missing, the page still says what it knows. */
static enum dlq_status look_around(struct dlq_session *session, struct subject *subject)
{
    struct dlq_error error = {0};
    enum dlq_status status = DLQ_OK;
    if (!session->args->no_explore && isfinite(subject->solved->solution.simulation.throughput.value)) {
        long enough = subject->report.plan != NULL && subject->plan.met ? subject->plan.answer.loaders : 0;
        struct dlq_progress_bar *bar = dlq_progress_begin(session);
        status = dlq_explore(subject->model, enough, &session->run, &subject->grid, &error);
        dlq_progress_end(bar);
        if (status == DLQ_OK)
            subject->report.grid = &subject->grid;
        status = without_part(subject, status, "There is nothing to explore", &error);
    }
    if (status == DLQ_OK && !subject->has_timeline) {
        error = (struct dlq_error){0};
        status = record_run(session, subject, &error);
        if (status == DLQ_OK)
            subject->report.timeline = &subject->timeline;
        status = without_part(subject, status, "There is no run to watch", &error);
    }
    if (status != DLQ_OK)
        return status;
    struct dlq_session quiet = *session;
    error = (struct dlq_error){0};
    quiet.error = &error;
    quiet.run.progress = NULL;
    return note_charts(subject, session, draw_sweep(&quiet, subject), &error);
}

static enum dlq_status describe(struct dlq_session *session, struct subject *subject)
{
    struct dlq_description description;
    struct dlq_phrase phrase = {.text = subject->parameters, .size = PARAMETERS};
    enum dlq_status status = dlq_model_describe(subject->model, &description, session->error);
    if (status != DLQ_OK)
        return status;
    if (subject->name[0] == '\0')
        snprintf(subject->name, NAME, "%s", description.name);
    char *all = subject->parameters;
    dlq_parameters_add(&phrase, &description, NULL);
    size_t own = strlen(description.name);
    if (strncmp(all, description.name, own) == 0 && strncmp(all + own, " · ", 4) == 0)
        memmove(all, all + own + 4, strlen(all + own + 4) + 1); /* the name stands before it */
    snprintf(subject->seed, sizeof subject->seed, "%llu", (unsigned long long)description.seed);
    return DLQ_OK;
}

static enum dlq_status finish(const struct dlq_session *session, struct subject *subject)
{
    struct dlq_page_report *report = &subject->report;
    subject->commands = text_of(session, subject, write_commands);
    subject->text = text_of(session, subject, write_text);
    if (subject->model != NULL)
        subject->configuration = text_of(session, subject, write_configuration);
    if (subject->commands == NULL || subject->text == NULL ||
        (subject->model != NULL && subject->configuration == NULL))
        return dlq_error_memory(session->error, "writing a page");
    report->name = subject->name;
    report->parameters = subject->parameters;
    report->file = subject->file;
    report->model = subject->model;
    report->verdict = subject->diagnosed != NULL ? subject->diagnosed->verdict : subject->solved->verdict;
    report->cautions = subject->cautions;
    report->commands = subject->commands;
    report->text = subject->text;
    report->configuration = subject->fitted != NULL ? subject->fitted : subject->configuration;
    report->seed = subject->seed[0] != '\0' ? subject->seed : NULL;
    return DLQ_OK;
}

/* The session as if operand i were its only one. */
static struct dlq_session of_operand(const struct dlq_session *session, size_t i)
{
    struct dlq_session one = *session;
    one.operands += session->operand_count > 0 ? i : 0;
    one.operand_count = session->operand_count > 0;
    return one;
}

static enum dlq_status make_configured(struct dlq_session *session, struct subject *subject, size_t i)
{
    struct dlq_session one = of_operand(session, i);
    struct dlq_memory memory;
    if (!dlq_memory_begin(&memory))
        return dlq_error_memory(session->error, "writing a page");
    dlq_config_write_arguments(memory.stream, &one, NULL);
    char *arguments = dlq_memory_end(&memory);
    if (arguments == NULL)
        return dlq_error_memory(session->error, "writing a page");
    snprintf(subject->file, NAME, "%s", arguments + (arguments[0] == ' '));
    free(arguments);
    enum dlq_status status = describe(session, subject);
    if (status == DLQ_OK)
        status = solve_model(session, subject);
    if (status == DLQ_OK)
        status = look_around(session, subject);
    return status == DLQ_OK ? finish(&one, subject) : status;
}

/* -- a log -- */

static enum dlq_status draw_log(struct dlq_session *session, struct subject *subject, const char *subtitle)
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
            status = add_chart(session, subject, rows[i].label, &rows[i].row, &drawn);
    return status;
}

/* The configuration that was fitted, as a model; without an answer, why stands in the page. */
static enum dlq_status fit_log(struct dlq_session *session, struct subject *subject,
                               const struct dlq_pipeline_hint *hint)
{
    struct dlq_error error = {0};
    const struct dlq_fit_options options = {.hint = *hint};
    struct dlq_run run = session->run;
    run.progress = NULL;
    enum dlq_status status = dlq_fit(subject->trace, &options, &run, &subject->fit, &error);
    if (status != DLQ_OK)
        return without_part(subject, status, "No model was fitted", &error);
    subject->fitted = dlq_fit_configuration(&subject->fit, subject->name, subject->name);
    if (subject->fitted == NULL)
        return dlq_error_memory(session->error, "fitting");
    subject->fit_answer = dlq_fit_answer_of(&subject->fit, subject->fitted);
    subject->report.fit = &subject->fit_answer;
    for (size_t i = 0; i < subject->fit_answer.warning_count; i++)
        add_caution(subject, subject->fit_answer.warnings[i]);
    FILE *stream = fmemopen(subject->fitted, strlen(subject->fitted), "r");
    if (stream == NULL)
        return dlq_error_memory(session->error, "fitting");
    status = dlq_model_read(&subject->model, "fitted.ini", stream, &error);
    fclose(stream);
    if (status == DLQ_OK)
        status = dlq_model_check(subject->model, &error);
    snprintf(subject->file, NAME, "fitted.ini");
    if (status == DLQ_OK)
        return DLQ_OK;
    dlq_model_free(subject->model);
    subject->model = NULL;
    return without_part(subject, status, "The fitted model can't be solved", &error);
}

static enum dlq_status watch_log(struct dlq_session *session, struct subject *subject,
                                 const struct dlq_pipeline_hint *hint)
{
    struct dlq_error error = {0};
    struct dlq_timeline_answer *answer = &subject->timeline;
    enum dlq_status status = dlq_timeline_of_trace(subject->trace, hint, 0, INFINITY, &answer->timeline, &error);
    if (status != DLQ_OK)
        return without_part(subject, status, "There is no run to watch", &error);
    for (size_t r = 0; r < answer->timeline.rank_count; r++)
        if ((double)answer->timeline.ranks[r].stepped > player_steps)
            answer->timeline.until =
                fmin(answer->timeline.until, answer->timeline.ranks[r].batches[(size_t)player_steps - 1].step_end);
    snprintf(answer->name, sizeof answer->name, "%.199s", subject->name);
    answer->trace = subject->trace; /* which it frees */
    subject->trace = NULL;
    status = dlq_timeline_answer_fill(answer, session->error);
    subject->has_timeline = status == DLQ_OK;
    subject->report.timeline = subject->has_timeline ? answer : NULL;
    return status;
}

static enum dlq_status make_measured(struct dlq_session *session, struct subject *subject)
{
    static const char *const taken[] = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "plot.", NULL};
    static const struct dlq_log_settings settings = {taken, "is what the log tells; give a configuration instead"};
    struct dlq_session logs = dlq_logs_session(session);
    struct dlq_plot_options plot;
    struct dlq_pipeline_hint hint;
    struct dlq_model *options = NULL;
    char loader[DLQ_LOG_LOADER], read[NAME];
    struct dlq_session quiet = *session;
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
    dlq_logs_name(&logs, subject->name, NAME);
    dlq_logs_say(&subject->diagnosed->facts, read, sizeof read);
    snprintf(subject->parameters, PARAMETERS, "%s", read);
    subject->report.diagnosed = subject->diagnosed;
    for (size_t i = 0; i < subject->diagnosed->note_count; i++)
        add_caution(subject, subject->diagnosed->notes[i]);
    quiet.error = &error;
    status = note_charts(subject, session, draw_log(&quiet, subject, read), &error);
    if (status == DLQ_OK)
        status = fit_log(session, subject, &hint);
    if (status == DLQ_OK)
        status = watch_log(session, subject, &hint);
    bool watched = subject->has_timeline;
    subject->has_timeline = true; /* the recorded run, or none */
    if (status == DLQ_OK && subject->model != NULL)
        status = solve_model(session, subject);
    if (status == DLQ_OK && subject->model != NULL)
        status = look_around(session, subject);
    subject->has_timeline = watched;
    dlq_model_free(options);
    return status == DLQ_OK ? finish(&logs, subject) : status;
}

/* -- the file -- */

static void free_subject(struct subject *subject)
{
    for (size_t i = 0; i < subject->report.chart_count; i++) {
        free(subject->report.charts[i].wide);
        free(subject->report.charts[i].narrow);
    }
    dlq_explore_free(&subject->grid);
    dlq_timeline_answer_free(&subject->timeline);
    dlq_trace_free(subject->trace);
    dlq_model_free(subject->model);
    free(subject->fitted);
    free(subject->solved);
    free(subject->diagnosed);
    free(subject->commands);
    free(subject->text);
    free(subject->configuration);
}

/* DIR/STEM-report.html, or --output; null: no memory, or a place that can't be. */
static char *path_of(struct dlq_session *session, const struct subject *first)
{
    const char *output = session->args->output;
    struct dlq_plot_options plot = {.directory = "plots"};
    if (output != NULL)
        return strdup(output);
    if (first->model != NULL && dlq_model_plot(first->model, &plot, session->error) != DLQ_OK)
        return NULL;
    bool logs = session->args->log_count > 0;
    char *stem = dlq_file_stem(logs                         ? session->args->logs[0]
                               : session->operand_count > 0 ? session->operands[0]
                                                            : "dlqueue");
    char *path = NULL;
    if (stem != NULL && dlq_file_directory(plot.directory, session->error) == DLQ_OK)
        path = dlq_file_join(plot.directory, stem, "report.html");
    free(stem);
    return path;
}

static enum dlq_status write_page(FILE *stream, const struct dlq_session *session, const struct subject *subjects,
                                  size_t count)
{
    struct dlq_page_report *reports = calloc(count, sizeof *reports);
    char title[NAME + 32];
    if (reports == NULL)
        return dlq_error_memory(session->error, "writing a page");
    for (size_t i = 0; i < count; i++)
        reports[i] = subjects[i].report;
    snprintf(title, sizeof title, "%s%s · dlqueue", subjects[0].name, count > 1 ? " and others" : "");
    enum dlq_status status = dlq_page_write(stream, title, reports, count, session->error);
    free(reports);
    return status;
}

static enum dlq_status make_all(struct dlq_session *session, struct subject *subjects, size_t count)
{
    if (session->args->log_count > 0)
        return make_measured(session, &subjects[0]);
    if (count > 1) { /* common draws */
        struct dlq_description description;
        enum dlq_status described = dlq_model_describe(subjects[0].model, &description, session->error);
        if (described != DLQ_OK)
            return described;
        session->run.seed = description.seed;
        session->run.has_seed = true;
    }
    for (size_t i = 0; i < count; i++) {
        enum dlq_status status = make_configured(session, &subjects[i], i);
        if (status != DLQ_OK)
            return status;
    }
    return DLQ_OK;
}

static enum dlq_status make_page(struct dlq_session *session, struct subject *subjects, size_t count)
{
    const char *output = session->args->output;
    bool to_stream = output != NULL && strcmp(output, "-") == 0;
    enum dlq_status status = DLQ_OK;
    if (session->args->log_count == 0)
        for (size_t i = 0; i < count; i++) { /* every mistake of every file before anything is computed */
            struct dlq_session one = of_operand(session, i);
            enum dlq_status read = dlq_config_read(&one, 0, &subjects[i].model);
            session->measured = one.measured;
            session->measured_count = one.measured_count;
            status = status == DLQ_OK ? read : status;
        }
    if (status != DLQ_OK)
        return status;
    char *path = path_of(session, &subjects[0]);
    struct dlq_file file = {0};
    if (path == NULL)
        return session->error->count > 0 ? DLQ_FAILURE : dlq_error_memory(session->error, "naming a page");
    if (!to_stream)
        status = output != NULL ? dlq_file_begin(&file, path, session->error)
                                : dlq_file_begin_product(&file, path, session->error);
    if (status == DLQ_OK)
        status = make_all(session, subjects, count);
    if (status == DLQ_OK)
        status = write_page(to_stream ? session->out : file.stream, session, subjects, count);
    if (status == DLQ_OK && !to_stream) {
        status = dlq_file_commit(&file, session->error);
        if (status == DLQ_OK)
            fprintf(session->out, "%s\n", path);
    }
    if (!to_stream)
        dlq_file_abandon(&file);
    free(path);
    return status;
}

enum dlq_status dlq_run_report(struct dlq_session *session)
{
    size_t count = session->operand_count > 1 ? session->operand_count : 1;
    if (session->args->log_count > 0 && session->operand_count > 0)
        return dlq_error_add(session->error, DLQ_INVALID, "report: either configurations or --log");
    struct subject *subjects = calloc(count, sizeof *subjects);
    if (subjects == NULL)
        return dlq_error_memory(session->error, "writing a page");
    enum dlq_status status = make_page(session, subjects, count);
    for (size_t i = 0; i < count; i++)
        free_subject(&subjects[i]);
    free(subjects);
    return status;
}
