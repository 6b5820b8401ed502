/* dlqueue timeline */
#include "command.h"
#include "draw/file.h"
#include "inputs.h"
#include "logs.h"
#include "report/figures.h"
#include "report/pictures/pictures.h"
#include "report/timeline.h"
#include "result_files.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- the command line -- */

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), own = strlen(ending);
    return length >= own && strcmp(text + length - own, ending) == 0;
}

/* What gnuplot makes of it is a GIF, whatever it is called. */
static bool is_no_gif(const char *path)
{
    static const char *const endings[] = {".png", ".svg", ".pdf", ".jpg", ".mp4", ".webm", ".webp", ".apng"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(path, endings[i]))
            return true;
    return false;
}

static bool is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Standard output holds one thing, and a terminal no GIF. */
static void check_standard_output(const struct dlq_args *args, struct dlq_error *error)
{
    bool gif = is_standard_output(args->animate), trace = is_standard_output(args->chrome);
    bool result = (args->json || args->csv) && (args->output == NULL || is_standard_output(args->output));
    const char *name = gif ? "animate" : "chrome";
    if (gif && trace)
        dlq_error_add(error, DLQ_INVALID, "--animate - and --chrome - exclude each other: name a file");
    else if ((gif || trace) && result)
        dlq_error_add(error, DLQ_INVALID, "--%s - and --%s exclude each other: name a file", name,
                      args->json ? "json" : "csv");
    else if (gif && isatty(STDOUT_FILENO) == 1)
        dlq_error_add(error, DLQ_INVALID, "--animate -: a GIF is not for a terminal: name a file");
}

static enum dlq_status check_line(const struct dlq_invocation *session)
{
    const struct dlq_args *args = session->args;
    struct dlq_error *error = session->error;
    int before = error->count;
    if (args->log_count > 0 && session->operand_count > 0)
        dlq_error_add(error, DLQ_INVALID, "timeline: either a configuration or --log");
    if (!isnan(args->until) && !(args->until > (isnan(args->from) ? 0 : args->from)))
        dlq_error_add(error, DLQ_INVALID, "--until must be later than %s", isnan(args->from) ? "0" : "--from");
    if (args->animate != NULL && is_no_gif(args->animate))
        dlq_error_add(error, DLQ_INVALID, "--animate writes a GIF: give a name that ends in .gif, not %s",
                      args->animate);
    if (args->path && (args->waits || args->csv))
        dlq_error_add(error, DLQ_INVALID, "--path is part of the chart and of --json: not with --%s",
                      args->waits ? "waits" : "csv");
    if (!isnan(args->speed) && args->animate == NULL)
        dlq_error_add(error, DLQ_INVALID, "--speed belongs to --animate");
    check_standard_output(args, error);
    return error->count > before ? DLQ_INVALID : DLQ_OK;
}

/* Of the whole measured run, unless a span is asked for. Only --waits can't do without one. */
static enum dlq_status find_rhythm(struct dlq_invocation *session, struct dlq_timeline_answer *answer)
{
    const struct dlq_args *args = session->args;
    bool span = args->waits && (!isnan(args->from) || !isnan(args->until));
    struct dlq_error error = {0};
    struct dlq_error *told = args->waits ? session->error : &error;
    enum dlq_status status = answer->trace != NULL || span
                                 ? dlq_rhythm_of_timeline(&answer->timeline, &answer->rhythm, told)
                                 : dlq_rhythm_simulate(answer->model, &session->run, &answer->rhythm, told);
    if (status == DLQ_FAILURE && !args->waits)
        return dlq_error_add(session->error, status, "%s", error.text);
    return args->waits || status == DLQ_INTERRUPTED ? status : DLQ_OK;
}

/* -- from a configuration -- */

static double from_of(const struct dlq_args *args)
{
    return isnan(args->from) ? 0 : args->from;
}

/* At least so many batches make a table: fewer tell little of the loads. */
enum { TABLE_BATCHES = 1000 };

static double seconds_for_table(const struct dlq_timeline_answer *answer, const struct dlq_bounds *bounds)
{
    double rate = bounds->lower > 0 ? bounds->lower : bounds->upper / 2;
    double most = DLQ_TIMELINE_BATCHES / 4.0 / (double)answer->description.ranks;
    double seconds = fmin(TABLE_BATCHES, most) / rate;
    return seconds > 0 && isfinite(seconds) ? seconds : 0;
}

/* Where nothing is said, a few rounds of the loaders. */
static enum dlq_status find_until(const struct dlq_invocation *session, const struct dlq_timeline_answer *answer,
                                  const struct dlq_bounds *bounds, double *until)
{
    const struct dlq_args *args = session->args;
    *until = args->until;
    if (!isnan(args->until))
        return DLQ_OK;
    enum dlq_status status = dlq_timeline_usual(answer->model, until, session->error);
    if (args->csv)
        *until = fmax(*until, seconds_for_table(answer, bounds));
    *until += from_of(args);
    return status;
}

static enum dlq_status simulate(struct dlq_invocation *session, struct dlq_timeline_answer *answer,
                                const struct dlq_bounds *bounds)
{
    const struct dlq_args *args = session->args;
    double until;
    enum dlq_status status = find_until(session, answer, bounds, &until);
    if (status != DLQ_OK)
        return status;
    struct dlq_progress_bar *bar = dlq_progress_begin(session);
    status =
        dlq_timeline_simulate(answer->model, from_of(args), until, &session->run, &answer->timeline, session->error);
    dlq_progress_end(bar);
    if (status != DLQ_OK)
        return status;
    return find_rhythm(session, answer);
}

static enum dlq_status make_simulated(struct dlq_invocation *session, struct dlq_timeline_answer *answer)
{
    struct dlq_bounds bounds;
    struct dlq_setting setting;
    enum dlq_status status = dlq_config_read(session, 0, &answer->model);
    if (status == DLQ_OK)
        status = dlq_model_describe(answer->model, &answer->description, session->error);
    if (status == DLQ_OK)
        status = dlq_bounds(answer->model, &bounds, session->error);
    if (status != DLQ_OK)
        return status;
    answer->bottleneck = bounds.bottleneck;
    answer->out_of_phase =
        dlq_config_setting(answer->model, "simulate", "start", &setting) && strcmp(setting.value, "together") != 0;
    snprintf(answer->name, sizeof answer->name, "%s", answer->description.name);
    return simulate(session, answer, &bounds);
}

/* -- from logs -- */

static enum dlq_status read_plot(struct dlq_invocation *session, struct dlq_timeline_answer *answer)
{
    static const char *const taken[] = {"pipeline.loaders", "pipeline.prefetch", "pipeline.loader", "plot.", NULL};
    static const struct dlq_log_settings settings = {taken,
                                                     "is what the log tells; a configuration may be given instead"};
    struct dlq_plot_options plot;
    return dlq_log_charts_read(session, &settings, &answer->model, &plot);
}

/* A whole log is a rainbow: where nothing is said, charts show a few rounds of the loaders, or some iterations. */
static void shorten(struct dlq_timeline *timeline)
{
    enum { ROUNDS = 8, FEWEST = 40 };
    long wanted = ROUNDS * timeline->workers > FEWEST ? ROUNDS * timeline->workers : FEWEST;
    for (size_t r = 0; r < timeline->rank_count; r++)
        if ((long)timeline->ranks[r].stepped > wanted)
            timeline->until = fmin(timeline->until, timeline->ranks[r].batches[wanted - 1].step_end);
}

static bool draws_all(const struct dlq_args *args)
{
    return !isnan(args->until) || args->waits || args->csv || args->json || args->chrome != NULL ||
           args->animate != NULL;
}

static enum dlq_status make_measured(struct dlq_invocation *session, struct dlq_timeline_answer *answer)
{
    struct dlq_pipeline_hint hint;
    struct dlq_invocation logs = dlq_logs_session(session);
    char loader[DLQ_LOG_LOADER];
    const struct dlq_args *args = session->args;
    enum dlq_status status = read_plot(session, answer);
    if (status == DLQ_OK)
        status = dlq_logs_read(&logs, &answer->trace);
    if (status != DLQ_OK)
        return status;
    dlq_log_hint(session, answer->model, loader, &hint);
    status = dlq_timeline_of_trace(answer->trace, &hint, from_of(args), isnan(args->until) ? INFINITY : args->until,
                                   &answer->timeline, session->error);
    if (status != DLQ_OK)
        return status;
    dlq_logs_name(&logs, answer->name, sizeof answer->name);
    status = find_rhythm(session, answer);
    if (!draws_all(args))
        shorten(&answer->timeline);
    return status;
}

static enum dlq_status make_answer(struct dlq_invocation *session, struct dlq_timeline_answer *answer)
{
    bool measured = session->args->log_count > 0;
    answer->of_waits = session->args->waits;
    answer->of_path = session->args->path;
    enum dlq_status status = measured ? make_measured(session, answer) : make_simulated(session, answer);
    return status != DLQ_OK ? status : dlq_timeline_answer_fill(answer, session->error);
}

/* -- what is made -- */

/* A configuration's name, or that of the first log, is part of the files' names. */
static enum dlq_status begin_files(struct dlq_invocation *session, const struct dlq_timeline_answer *answer,
                                   struct dlq_result_files *files)
{
    struct dlq_plot_options plot;
    const char *const products[] = {session->args->waits ? "waits" : "timeline", NULL};
    struct dlq_invocation logs = dlq_logs_session(session);
    const char *output = session->args->output;
    bool directory = output != NULL && strcmp(output, "-") != 0 && !session->args->json;
    enum dlq_status status = dlq_model_plot(answer->model, &plot, session->error);
    if (status != DLQ_OK)
        return status;
    if (directory && dlq_result_files_names_picture(output))
        return dlq_result_files_begin_picture(files, session, &plot, output, products[0]);
    return dlq_result_files_begin(files, answer->trace != NULL ? &logs : session, &plot,
                                  directory ? output : plot.directory, products);
}

/* A sheet as high as its rows need, unless its size was asked for. */
static enum dlq_status draw_timeline(struct dlq_invocation *session, const struct dlq_timeline_answer *answer,
                                     struct dlq_result_files *files)
{
    static const struct dlq_picture_row row = {"timeline", dlq_picture_timeline};
    struct dlq_timeline_drawing *drawing = NULL;
    enum dlq_status status = dlq_timeline_drawing_new(answer, &drawing, session->error);
    if (status != DLQ_OK)
        return status;
    struct dlq_setting setting;
    if (!dlq_config_setting(answer->model, "plot", "size", &setting) || !setting.given)
        files->plot.height = dlq_timeline_drawing_height(drawing, files->plot.width, files->plot.height);
    status = dlq_result_files_picture(files, session, &row, drawing);
    dlq_timeline_drawing_free(drawing);
    return status;
}

static enum dlq_status draw_rhythm(struct dlq_invocation *session, const struct dlq_timeline_answer *answer,
                                   struct dlq_result_files *files)
{
    static const struct dlq_picture_row row = {"waits", dlq_picture_rhythm};
    return dlq_result_files_picture(files, session, &row, answer);
}

/* A chart: that of --waits, or the timeline where no other form of it is asked for, or its place is given. */
static bool has_chart(const struct dlq_args *args)
{
    bool named = args->output != NULL && !is_standard_output(args->output);
    bool other = args->animate != NULL || args->chrome != NULL;
    return !args->csv && !args->json && (args->waits || named || !other);
}

static enum dlq_status write_chrome(struct dlq_invocation *session, const struct dlq_timeline_subject *subject)
{
    struct dlq_file file;
    if (is_standard_output(session->args->chrome))
        return dlq_timeline_chrome(subject, stdout, session->error);
    enum dlq_status status = dlq_file_begin(&file, session->args->chrome, session->error);
    if (status != DLQ_OK)
        return status;
    status = dlq_timeline_chrome(subject, file.stream, session->error);
    if (status == DLQ_OK)
        return dlq_file_commit(&file, session->error);
    dlq_file_abandon(&file);
    return status;
}

/* -- what is told -- */

/* Those that were written. */
struct products {
    struct dlq_result_files files;
    const char *animation, *trace; /* null: none */
};

static void list_files(const struct dlq_invocation *session, const struct products *products)
{
    dlq_result_files_list(&products->files, session->out);
    if (products->files.path_count == 0 && (products->animation != NULL || products->trace != NULL))
        fputc('\n', session->out);
    if (products->animation != NULL)
        fprintf(session->out, "  %s\n", products->animation);
    if (products->trace != NULL)
        fprintf(session->out, "  %s\n", products->trace);
}

static void write_next(struct dlq_invocation *session, const struct dlq_timeline_answer *answer)
{
    struct dlq_invocation logs = dlq_logs_session(session);
    if (answer->trace == NULL) {
        dlq_config_next(session, session->args->waits ? "solve" : "timeline", NULL,
                        session->args->waits ? "" : "--waits");
        return;
    }
    dlq_config_next(&logs, answer->timeline.workers > 0 ? "fit" : "diagnose", NULL,
                    session->args->ranks ? "--ranks" : "");
}

static enum dlq_status write_answer(struct dlq_invocation *session, const struct dlq_timeline_answer *answer,
                                    const struct products *products)
{
    if (session->args->csv)
        return dlq_result_csv(session, dlq_timeline_table(&answer->timeline));
    if (session->args->json)
        return dlq_json_write(dlq_figures_json(&dlq_figures_timeline, answer, "timeline"), session->out,
                              session->error);
    if (is_standard_output(session->args->animate) || is_standard_output(session->args->chrome))
        return DLQ_OK; /* that is all there is to be */
    if (session->args->waits)
        dlq_timeline_report_rhythm(session->out, session->color, answer);
    else
        dlq_timeline_report(session->out, session->color, answer);
    list_files(session, products);
    write_next(session, answer);
    return DLQ_OK;
}

/* The words even where a picture fails. */
static enum dlq_status make_all(struct dlq_invocation *session, const struct dlq_timeline_answer *answer)
{
    const struct dlq_args *args = session->args;
    const struct dlq_timeline_subject subject = dlq_timeline_answer_subject(answer);
    const double speed = isnan(args->speed) ? 1 : args->speed;
    struct products products = {.animation = NULL};
    enum dlq_status made = DLQ_OK;
    bool no_font = false;
    if (has_chart(args))
        made = begin_files(session, answer, &products.files);
    if (made == DLQ_OK && args->animate != NULL)
        made = dlq_animate(&subject, speed, args->animate, session->run.interrupted, &no_font, session->error);
    if (no_font)
        dlq_result_warn_font(session);
    products.animation = made == DLQ_OK ? args->animate : NULL;
    if (made == DLQ_OK && args->chrome != NULL)
        made = write_chrome(session, &subject);
    products.trace = made == DLQ_OK ? args->chrome : NULL;
    if (made == DLQ_OK && has_chart(args))
        made = args->waits ? draw_rhythm(session, answer, &products.files)
                           : draw_timeline(session, answer, &products.files);
    enum dlq_status written = made == DLQ_OK || made == DLQ_FAILURE ? write_answer(session, answer, &products) : DLQ_OK;
    dlq_result_files_free(&products.files);
    return made != DLQ_OK ? made : written;
}

enum dlq_status dlq_run_timeline(struct dlq_invocation *session)
{
    struct dlq_timeline_answer answer = {0};
    enum dlq_status status = check_line(session);
    if (status == DLQ_OK)
        status = make_answer(session, &answer);
    if (status == DLQ_OK)
        status = make_all(session, &answer);
    dlq_timeline_answer_free(&answer);
    return status;
}
