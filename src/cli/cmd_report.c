/* dlqueue report: one HTML page about configurations or a log. */
#include "cli/logs/child.h"
#include "cli/logs/report_log.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void release_subject(void *object)
{
    struct dlq_page_subject *subject = object;
    for (size_t i = 0; i < subject->page.chart_count; i++) {
        free(subject->page.charts[i].wide);
        free(subject->page.charts[i].narrow);
    }
    json_decref(subject->page.waiting);
    dlq_plan_free(&subject->planned.plan);
    dlq_explore_free(&subject->grid);
    dlq_timeline_answer_free(&subject->timeline);
    dlq_timeline_answer_free(&subject->orders);
    free(subject->fitted);
    free(subject->page.commands);
    free(subject->page.text);
    free(subject->page.configuration);
}

/* -- parts that are missing -- */

void dlq_page_add_caution(struct dlq_page_subject *subject, const char *text)
{
    struct dlq_page_report *page = &subject->page;
    if (text[0] != '\0' && page->caution_count < DLQ_PAGE_NOTES)
        snprintf(page->cautions[page->caution_count++], DLQ_PAGE_TEXT, "%s", text);
}

bool dlq_page_is_interrupted(struct dlq_page_subject *subject, enum dlq_status status)
{
    if (status != DLQ_INTERRUPTED)
        return false;
    if (!subject->interrupted)
        dlq_page_add_caution(subject, "Interrupted: this page holds what was finished by then.");
    subject->interrupted = true;
    return true;
}

bool dlq_page_succeeded(struct dlq_page_subject *subject, enum dlq_status status, const char *part, char *note)
{
    char text[DLQ_PAGE_TEXT];
    const char *why = subject->error.text;
    snprintf(text, sizeof text, "%s: %.*s", part, (int)strcspn(why, "\n"), why);
    subject->exhausted = subject->exhausted || dlq_error_is_memory(&subject->error);
    subject->error = (struct dlq_error){0};
    if (status == DLQ_OK || dlq_page_is_interrupted(subject, status))
        return status == DLQ_OK;
    if (note != NULL)
        snprintf(note, DLQ_PAGE_TEXT, "%s", text);
    else
        dlq_page_add_caution(subject, text);
    return false;
}

/* -- charts -- */

enum dlq_status dlq_page_add_chart(const struct dlq_invocation *invocation, struct dlq_page_subject *subject,
                                   const struct dlq_picture_row *row, const void *drawn)
{
    struct dlq_page_chart *chart = &subject->page.charts[subject->page.chart_count];
    *chart = (struct dlq_page_chart){.label = row->label};
    enum dlq_status status = dlq_result_svg(invocation, row, drawn, 1040, 590, &chart->wide);
    if (status == DLQ_OK)
        status = dlq_result_svg(invocation, row, drawn, 320, 440, &chart->narrow);
    subject->page.chart_count += status == DLQ_OK;
    if (status != DLQ_OK) {
        free(chart->wide);
        free(chart->narrow);
    }
    return status;
}

void dlq_page_note_missing_charts(struct dlq_page_subject *subject, const struct dlq_invocation *invocation,
                                  enum dlq_status status)
{
    char *note = subject->page.chart_note;
    note[0] = '\0';
    if (!dlq_page_succeeded(subject, status, "There are no charts", note) && note[0] != '\0')
        dlq_message(invocation, "warning: the page has no charts%s", strchr(note, ':'));
}

/* -- parts that are computed from a model -- */

/* Records a run of about DLQ_PLAYER_STEPS steps: its length in s, rounded down to one digit, is at least what
   `timeline` shows by default and at most the horizon. If the model has slow phases but none begins in that time, the
   run is ten times as long. */
static enum dlq_status record_run(const struct dlq_invocation *invocation, struct dlq_page_subject *subject,
                                  struct dlq_error *error)
{
    const struct dlq_solution *solution = &subject->solved->solution;
    struct dlq_timeline_answer *answer = &subject->timeline;
    double least, until = DLQ_PLAYER_STEPS / solution->simulation.throughput.value,
                  decade = pow(10, floor(log10(until)));
    TRY(dlq_timeline_default_end(subject->model, &least, error));
    until = isfinite(until) ? fmax(floor(until / decade * (1 + 1e-9)) * decade, least) : least;
    until = fmin(until, solution->description.horizon); /* fmin ignores NAN: no horizon */
    answer->description = solution->description;
    answer->bottleneck = solution->bounds.bottleneck;
    snprintf(answer->name, sizeof answer->name, "%s", solution->description.name);
    TRY(dlq_timeline_simulate(subject->model, 0, until, &invocation->run, &answer->timeline, error));
    struct dlq_setting setting;
    bool slows = false; /* there are slow phases, but none is recorded */
    for (size_t i = 0; !slows && dlq_model_setting(subject->model, i, &setting); i++)
        slows = strncmp(setting.section, "slowdown", strlen("slowdown")) == 0 && setting.given;
    for (size_t r = 0; slows && r < answer->timeline.rank_count; r++)
        slows = answer->timeline.ranks[r].slow_count == 0;
    if (slows) {
        dlq_timeline_free(&answer->timeline);
        until = fmin(10 * until, solution->description.horizon);
        TRY(dlq_timeline_simulate(subject->model, 0, until, &invocation->run, &answer->timeline, error));
    }
    TRY(dlq_rhythm_simulate(subject->model, &invocation->run, &answer->rhythm, error));
    return dlq_timeline_answer_fill(answer, error);
}

/* Draws a few rounds of the loaders with both orders of delivery, if the loader has both and some batch is late when
   delivered in order. */
static enum dlq_status add_orders(const struct dlq_invocation *invocation, struct dlq_page_subject *subject)
{
    static const struct dlq_picture_row row = {.draw = dlq_picture_timeline, .label = "in order against as completed"};
    struct dlq_timeline_answer *answer = &subject->orders;
    struct dlq_error refusal = {0}, *error = invocation->error;
    double until;
    answer->model = subject->as_completed.model = subject->model;
    answer->description = subject->as_completed.description = subject->solved->solution.description;
    answer->bottleneck = subject->solved->solution.bounds.bottleneck;
    snprintf(answer->name, sizeof answer->name, "%s", answer->description.name);
    TRY(dlq_timeline_default_end(subject->model, &until, error));
    enum dlq_status status = dlq_timeline_reorder(subject->model, false, 0, until, &invocation->run,
                                                  &subject->as_completed.timeline, &refusal);
    if (status != DLQ_OK) /* DLQ_INVALID: there is one order only */
        return status == DLQ_INVALID ? DLQ_OK : dlq_error_add(error, status, "%s", refusal.text);
    answer->against = &subject->as_completed;
    TRY(dlq_timeline_simulate(subject->model, 0, until, &invocation->run, &answer->timeline, error));
    TRY(dlq_timeline_answer_fill(answer, error));
    return answer->lateness.count > 0 ? dlq_page_add_chart(invocation, subject, &row, answer) : DLQ_OK;
}

enum dlq_status dlq_page_solve(struct dlq_invocation *invocation, struct dlq_page_subject *subject)
{
    NEW(&invocation->call->arena, subject->solved, 1);
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    enum dlq_status status = dlq_solve(subject->model, &invocation->run, &subject->solved->solution, invocation->error);
    const bool solved = status == DLQ_OK;
    if (solved)
        status = dlq_plan(subject->model, &invocation->run, &subject->planned.plan, &subject->error);
    dlq_progress_end(bar);
    if (!solved)
        return status;
    subject->solved->ratio = 1;
    dlq_verdict_text(subject->model, &subject->solved->solution, subject->solved->verdict);
    subject->page.solved = subject->solved;
    for (size_t i = 0; i < subject->solved->solution.warning_count; i++)
        dlq_page_add_caution(subject, subject->solved->solution.warnings[i]);
    const bool no_plan = status == DLQ_INVALID || status == DLQ_NO_ANSWER; /* as the model allows none */
    if (!no_plan && dlq_page_succeeded(subject, status, "There is no plan", NULL)) {
        dlq_plan_text(subject->model, &subject->planned.plan, subject->planned.text);
        subject->page.plan = &subject->planned;
    }
    subject->error = (struct dlq_error){0};
    if (!subject->interrupted)
        dlq_page_succeeded(subject,
                           dlq_waterfall(subject->model, &subject->solved->solution, &invocation->run,
                                         subject->page.falls, &subject->page.fall_count, &subject->error),
                           "There is no waterfall", NULL);
    return DLQ_OK;
}

void dlq_page_add_views(struct dlq_invocation *invocation, struct dlq_page_subject *subject)
{
    static const struct dlq_picture_row throughput = {.draw = dlq_picture_throughput, .label = "throughput"};
    static const struct dlq_picture_row utilization = {.draw = dlq_picture_utilization, .label = "utilization"};
    struct dlq_invocation quiet = *invocation;
    struct dlq_sweep *sweep = NULL;
    struct dlq_sweep_grid grid = {0};
    const struct dlq_plan *plan = subject->page.plan != NULL ? &subject->planned.plan : NULL;
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    if (!invocation->args->no_explore && isfinite(subject->solved->solution.simulation.throughput.value)) {
        long loaders = plan != NULL && plan->met ? plan->answer.loaders : 0;
        enum dlq_status explored =
            dlq_explore(subject->model, loaders, &invocation->run, &subject->grid, &subject->error);
        if (dlq_page_succeeded(subject, explored, "There is nothing to explore", NULL))
            subject->page.grid = &subject->grid;
    }
    if (subject->diagnosed == NULL && /* else the player shows the recorded run */
        dlq_page_succeeded(subject, record_run(invocation, subject, &subject->error), "There is no run to watch", NULL))
        subject->page.timeline = &subject->timeline;
    quiet.error = &subject->error;
    enum dlq_status status = dlq_sweep_begin(&sweep, subject->model, &quiet.run, quiet.error);
    if (status == DLQ_OK)
        status = dlq_sweep_grid_init(&grid, subject->model, sweep, quiet.error);
    if (status == DLQ_OK)
        status = dlq_sweep_grid_solve(&grid, sweep, quiet.error);
    dlq_progress_end(bar);
    if (status == DLQ_OK)
        status = dlq_page_add_chart(&quiet, subject, &throughput, &grid);
    /* Several reports on a page leave out the map of utilization, which is half a page high. */
    if (status == DLQ_OK && invocation->operand_count < 2 && !isnan(grid.cells[0].simulation.utilization.value))
        status = dlq_page_add_chart(&quiet, subject, &utilization, &grid);
    dlq_sweep_grid_free(&grid);
    dlq_sweep_end(sweep);
    if (status == DLQ_OK && subject->diagnosed == NULL)
        status = add_orders(&quiet, subject);
    dlq_page_note_missing_charts(subject, invocation, status);
}

/* -- texts -- */

/* Writes the commands that print what the page shows. */
static enum dlq_status write_commands(FILE *stream, const struct dlq_invocation *invocation,
                                      const struct dlq_page_subject *subject)
{
    static const char *const of_config[] = {"report", "solve", "plan", "sweep", "timeline", NULL};
    static const char *const of_log[] = {"report", "diagnose", "fit", NULL};
    const struct dlq_invocation options_alone = dlq_invocation_of(invocation, NULL, 0);
    bool log = subject->diagnosed != NULL;
    for (const char *const *name = log ? of_log : of_config; *name != NULL; name++) {
        const bool both = invocation->args->compare && strcmp(*name, "report") == 0;
        const struct dlq_invocation inputs = both ? dlq_invocation_of_logs(invocation) : *invocation;
        fprintf(stream, "dlqueue %s", *name);
        for (size_t i = 0; i < inputs.operand_count; i++) {
            const char *path = inputs.operands[i], *slash = strrchr(path, '/');
            if (strcmp(path, "-") == 0) /* a pipe cannot be read again */
                path = log ? "LOG" : "CONFIG";
            else if (path[0] == '/' && slash[1] != '\0')
                path = slash + 1; /* the page does not depend on the directory */
            fprintf(stream, "%s ", log && strcmp(*name, "report") == 0 ? " --log" : "");
            dlq_config_write_word(stream, path);
        }
        fputs(both ? " --compare" : "", stream);
        dlq_config_write_arguments(stream, &options_alone, NULL);
        /* The commands that the sliders show read fitted.ini. */
        fputs(strcmp(*name, "fit") == 0 ? " -o fitted.ini\n" : "\n", stream);
    }
    return DLQ_OK;
}

static enum dlq_status write_text(FILE *stream, const struct dlq_invocation *invocation,
                                  const struct dlq_page_subject *subject)
{
    if (subject->diagnosed != NULL)
        TRY(dlq_diagnose_report(stream, false, false, subject->page.name, subject->diagnosed, invocation->error));
    else
        TRY(dlq_report_solution(stream, false, subject->solved, invocation->error));
    if (subject->fitted != NULL) {
        fputc('\n', stream);
        dlq_fit_report(stream, false, &subject->fit_answer, subject->page.parameters);
    }
    if (subject->page.plan == NULL)
        return DLQ_OK;
    fputc('\n', stream);
    return dlq_plan_report(stream, false, &subject->planned, invocation->error);
}

static enum dlq_status write_configuration(FILE *stream, const struct dlq_invocation *invocation,
                                           const struct dlq_page_subject *subject)
{
    struct dlq_setting setting;
    char section[64] = "";
    (void)invocation;
    if (subject->fitted != NULL)
        fputs(subject->fitted, stream);
    if (subject->fitted != NULL || subject->model == NULL)
        return DLQ_OK;
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

/* Writes the texts of a report. The invocation has the operands of this report alone. */
static enum dlq_status write_texts(const struct dlq_invocation *invocation, struct dlq_page_subject *subject)
{
    struct dlq_page_report *page = &subject->page;
    const struct {
        char **text;
        enum dlq_status (*write)(FILE *stream, const struct dlq_invocation *invocation,
                                 const struct dlq_page_subject *subject);
    } texts[] = {
        {&page->commands, write_commands}, {&page->text, write_text}, {&page->configuration, write_configuration}};
    if (subject->exhausted)
        return dlq_error_memory(invocation->error, "writing a page");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct dlq_memory memory;
        bool opened = dlq_memory_begin(&memory);
        enum dlq_status status = opened ? texts[i].write(memory.stream, invocation, subject) : DLQ_FAILURE;
        *texts[i].text = opened ? dlq_memory_end(&memory) : NULL;
        if (status != DLQ_OK || *texts[i].text == NULL)
            return dlq_error_memory(invocation->error, "writing a page");
    }
    static const char first[] = "dlqueue report "; /* the first command; its operands and options become page.file */
    const char *arguments = subject->page.commands + strlen(first);
    if (subject->diagnosed == NULL)
        snprintf(subject->page.file, DLQ_PAGE_TEXT, "%.*s", (int)strcspn(arguments, "\n"), arguments);
    page->model = subject->model;
    page->verdict = subject->diagnosed != NULL ? subject->diagnosed->verdict : subject->solved->verdict;
    return DLQ_OK;
}

/* -- the page -- */

/* Builds one report of all logs or, with --compare (*count is 2), one of each log; sets *count to the number of reports
   whose log was read and diagnosed before an interrupt. hint: the pipeline of the logs. */
static enum dlq_status build_of_logs(struct dlq_invocation *invocation, const struct dlq_pipeline_hint *hint,
                                     struct dlq_page_subject *subjects, size_t *count)
{
    const struct dlq_words *words = &invocation->args->logs;
    const size_t all = *count;
    for (size_t i = 0; i < *count; i++) {
        struct dlq_invocation logs = dlq_invocation_of(invocation, words->words + i, all > 1 ? 1 : words->count);
        enum dlq_status status = dlq_report_log(invocation, &logs, &subjects[i], hint);
        if (status == DLQ_OK)
            status = write_texts(&logs, &subjects[i]);
        else if (*dlq_interrupt_flag() != 0) /* a signal makes the reading of a pipe fail with another status */
            status = DLQ_INTERRUPTED;
        if (i > 0 && dlq_page_is_interrupted(&subjects[0], status))
            *count = i;
        else
            TRY(status);
    }
    return DLQ_OK;
}

/* Builds the reports of *count configurations; sets *count to the number of configurations that were solved before an
   interrupt, whose reports may lack other parts. */
static enum dlq_status build_of_configurations(struct dlq_invocation *invocation, struct dlq_page_subject *subjects,
                                               size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        const struct dlq_invocation one = dlq_invocation_of(
            invocation, invocation->operands + (invocation->operand_count > 0 ? i : 0), invocation->operand_count > 0);
        struct dlq_page_subject *subject = &subjects[i];
        struct dlq_page_report *page = &subject->page;
        struct dlq_phrase phrase = {.text = page->parameters, .size = sizeof page->parameters};
        struct dlq_description description;
        TRY(dlq_model_describe(subject->model, &description, invocation->error));
        snprintf(page->name, DLQ_PAGE_TEXT, "%s", description.name);
        description.name = NULL;
        dlq_parameters_add(&phrase, &description, NULL);
        snprintf(page->seed, sizeof page->seed, "%llu", (unsigned long long)description.seed);
        enum dlq_status status = dlq_page_solve(invocation, subject);
        if (status == DLQ_OK) {
            dlq_page_add_views(invocation, subject);
            status = write_texts(&one, subject);
        }
        if (i > 0 && dlq_page_is_interrupted(&subjects[0], status))
            *count = i;
        else
            TRY(status);
    }
    return DLQ_OK;
}

static enum dlq_status open_page(const struct dlq_invocation *invocation, const char *path)
{
    const char *browser = getenv("BROWSER"), *program = browser != NULL && browser[0] != '\0' ? browser : "xdg-open";
    char *absolute = realpath(path, NULL), *const words[] = {(char *)program, absolute, NULL};
    const struct dlq_child_watch unwatched = {.seconds = 0};
    int status = 0;
    if (absolute == NULL) /* a pipe has no path */
        return dlq_error_add(invocation->error, DLQ_FAILURE, "%s: cannot be opened: %s", path, strerror(errno));
    fflush(invocation->out);
    const enum dlq_status run = dlq_child_run(words, &unwatched, &status, invocation->error);
    free(absolute);
    if (run == DLQ_OK && status != 0)
        return dlq_error_add(
            invocation->error, DLQ_FAILURE,
            "the page is written, but %s did not open it: set BROWSER to the name of a program that does", program);
    return run;
}

/* Prints what differs between two compared runs; without a comparison, the verdict of each report. */
static void say_verdicts(const struct dlq_invocation *invocation, const struct dlq_page_report *reports, size_t count,
                         const struct dlq_page_comparison *comparison)
{
    if (invocation->args->quiet)
        return;
    if (comparison != NULL)
        dlq_text_answer(invocation->out, invocation->color, comparison->verdict);
    for (size_t i = 0; i < count && comparison == NULL; i++) {
        if (count > 1)
            fprintf(invocation->out, "%s\n", reports[i].name);
        dlq_text_answer(invocation->out, invocation->color, reports[i].verdict);
    }
}

enum dlq_status dlq_run_report(struct dlq_invocation *invocation)
{
    const char *output = invocation->args->output;
    bool to_stream = output != NULL && strcmp(output, "-") == 0, interrupted = false;
    const bool compare = invocation->args->compare;
    size_t count = compare ? 2 : invocation->operand_count > 1 ? invocation->operand_count : 1, finished = count;
    struct dlq_page_comparison comparison;
    struct dlq_model **models = NULL;
    struct dlq_log_settings settings = {0};
    struct dlq_page_subject *subjects;
    struct dlq_result_files *files;
    struct dlq_file *file;
    struct dlq_page_report *reports;
    static const struct dlq_picture_row no_products = {.name = NULL};
    char title[DLQ_PAGE_TEXT + 32];
    if (invocation->args->logs.count > 0 && invocation->operand_count > 0)
        return dlq_error_add(invocation->error, DLQ_INVALID, "report: either configurations or --log");
    if (compare && invocation->args->logs.count != 2)
        return dlq_error_add(invocation->error, DLQ_INVALID,
                             "report --compare needs two logs: --log before.log --log after.log");
    if (invocation->args->open && to_stream)
        return dlq_error_add(invocation->error, DLQ_INVALID, "report --open needs a file: name one with --output");
    NEW(&invocation->call->arena, subjects, count);
    NEW(&invocation->call->arena, files, 1);
    NEW(&invocation->call->arena, reports, count);
    if (invocation->args->logs.count == 0)
        TRY(dlq_configs_read(invocation, &models, count));
    else
        TRY(dlq_log_settings_read(invocation, &settings));
    for (size_t i = 0; i < count; i++) {
        subjects[i].model = models != NULL ? models[i] : NULL;
        TRY(dlq_keep(invocation, &subjects[i], release_subject));
    }
    if (output == NULL) /* DIR/STEM-report.html */
        TRY(dlq_result_files_prepare(files, invocation, 0, models != NULL ? models[0] : settings.model, &no_products));
    /* A page of several configurations or logs has another name than a page of the first alone. */
    const size_t named = count > invocation->args->logs.count ? count : invocation->args->logs.count;
    snprintf(title, sizeof title, "and-%zu-more-report", named - 1);
    const char *path = output != NULL ? output : dlq_result_path(files, named > 1 ? title : "report", "html");
    if (path == NULL)
        return DLQ_FAILURE;
    if (!to_stream)
        TRY(dlq_result_open(invocation, path, output == NULL, &file));
    enum dlq_status built = invocation->args->logs.count > 0
                                ? build_of_logs(invocation, &settings.hint, subjects, &finished)
                                : build_of_configurations(invocation, subjects, &finished);
    bool compared = compare && built == DLQ_OK && finished == count;
    if (compared) {
        built = dlq_report_compare(invocation, subjects, &comparison);
        compared = !dlq_page_is_interrupted(&subjects[0], built);
        built = compared ? built : DLQ_OK;
    }
    if (built == DLQ_INTERRUPTED)
        dlq_message(invocation, "no page is written");
    TRY(built);
    for (size_t i = 0; i < finished; i++)
        reports[i] = subjects[i].page;
    snprintf(title, sizeof title, "%s%s · dlqueue", subjects[0].page.name, finished > 1 ? " and others" : "");
    TRY(dlq_page_write(to_stream ? invocation->out : file->stream, title, reports, finished,
                       compared ? &comparison : NULL, invocation->error));
    if (!to_stream) {
        TRY(dlq_file_commit(file, invocation->error));
        say_verdicts(invocation, reports, finished, compared ? &comparison : NULL);
        fprintf(invocation->out, "%s\n", path);
    }
    for (size_t i = 0; i < count; i++)
        interrupted = interrupted || subjects[i].interrupted;
    if (interrupted) {
        if (!to_stream)
            dlq_message(invocation, "what was finished is in %s", path);
        return dlq_error_add(invocation->error, DLQ_INTERRUPTED, "interrupted");
    }
    return invocation->args->open ? open_page(invocation, path) : DLQ_OK;
}
