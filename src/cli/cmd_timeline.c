/* dlqueue timeline */
#include "cli/logs/logs.h"
#include "draw/gnuplot.h"
#include "report/timeline.h"
#include "result_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- the command line -- */

static bool is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static enum dlq_status check_line(const struct dlq_invocation *session)
{
    const struct dlq_args *args = session->args;
    struct dlq_error *error = session->error;
    int before = error->count;
    if (args->logs.count > 0 && session->operand_count > 0)
        dlq_error_add(error, DLQ_INVALID, "timeline: either a configuration or --log");
    if (!isnan(args->until) && !(args->until > (isnan(args->from) ? 0 : args->from)))
        dlq_error_add(error, DLQ_INVALID, "--until must be later than %s", isnan(args->from) ? "0" : "--from");
    const char *dot = args->animate != NULL ? strrchr(args->animate, '.') : NULL;
    if (dot != NULL && strchr(dot, '/') == NULL && strcmp(dot, ".gif") != 0) /* whatever gnuplot would call it */
        dlq_error_add(error, DLQ_INVALID, "--animate writes a GIF: give a name that ends in .gif, not %s",
                      args->animate);
    if (args->path && (args->waits || args->csv))
        dlq_error_add(error, DLQ_INVALID, "--path is part of the chart and of --json: not with --%s",
                      args->waits ? "waits" : "csv");
    if (!isnan(args->speed) && args->animate == NULL)
        dlq_error_add(error, DLQ_INVALID, "--speed belongs to --animate");
    /* Standard output holds one thing, and a terminal no GIF. */
    bool gif = is_standard_output(args->animate), trace = is_standard_output(args->chrome);
    bool result = (args->json || args->csv) && (args->output == NULL || is_standard_output(args->output));
    if (gif && trace)
        dlq_error_add(error, DLQ_INVALID, "--animate - and --chrome - exclude each other: name a file");
    else if ((gif || trace) && result)
        dlq_error_add(error, DLQ_INVALID, "--%s - and --%s exclude each other: name a file", gif ? "animate" : "chrome",
                      args->json ? "json" : "csv");
    else if (gif && isatty(STDOUT_FILENO) == 1)
        dlq_error_add(error, DLQ_INVALID, "--animate -: a GIF is not for a terminal: name a file");
    return error->count > before ? DLQ_INVALID : DLQ_OK;
}

/* Of the whole measured run, unless a span is asked for. Only --waits can't do without one. */
static enum dlq_status find_rhythm(struct dlq_invocation *session, struct dlq_timeline_answer *answer)
{
    const struct dlq_args *args = session->args;
    bool span = args->waits && (!isnan(args->from) || !isnan(args->until));
    struct dlq_error error = {0};
    struct dlq_error *told = args->waits ? session->error : &error;
    enum dlq_status status = answer->timeline.measured || span
                                 ? dlq_rhythm_of_timeline(&answer->timeline, &answer->rhythm, told)
                                 : dlq_rhythm_simulate(answer->model, &session->run, &answer->rhythm, told);
    if (status == DLQ_FAILURE && !args->waits)
        return dlq_error_add(session->error, status, "%s", error.text);
    return args->waits || status == DLQ_INTERRUPTED ? status : DLQ_OK;
}

/* -- from a configuration -- */

static enum dlq_status make_simulated(struct dlq_invocation *session, struct dlq_timeline_answer *answer)
{
    struct dlq_bounds bounds;
    struct dlq_setting setting;
    const struct dlq_args *args = session->args;
    double from = isnan(args->from) ? 0 : args->from, until = args->until;
    TRY(dlq_config_read(session, 0, NULL, &answer->model));
    TRY(dlq_model_describe(answer->model, &answer->description, session->error));
    TRY(dlq_bounds(answer->model, &bounds, session->error));
    answer->bottleneck = bounds.bottleneck;
    answer->out_of_phase =
        dlq_config_setting(answer->model, "simulate", "start", &setting) && strcmp(setting.value, "together") != 0;
    snprintf(answer->name, sizeof answer->name, "%s", answer->description.name);
    if (isnan(until)) { /* where nothing is said, a few rounds of the loaders */
        TRY(dlq_timeline_usual(answer->model, &until, session->error));
        enum { TABLE_BATCHES = 1000 }; /* at least so many make a table: fewer tell little of the loads */
        double rate = bounds.lower > 0 ? bounds.lower : bounds.upper / 2;
        double most = DLQ_TIMELINE_BATCHES / 4.0 / (double)answer->description.ranks;
        double seconds = fmin(TABLE_BATCHES, most) / rate;
        until = from + (args->csv && isfinite(seconds) ? fmax(until, seconds) : until);
    }
    struct dlq_progress_bar *bar = dlq_progress_begin(session);
    enum dlq_status status =
        dlq_timeline_simulate(answer->model, from, until, &session->run, &answer->timeline, session->error);
    if (status == DLQ_OK)
        status = find_rhythm(session, answer);
    dlq_progress_end(bar);
    return status;
}

/* -- from logs -- */

static enum dlq_status make_measured(struct dlq_invocation *session, struct dlq_timeline_answer *answer)
{
    struct dlq_log_settings settings;
    struct dlq_invocation logs = dlq_logs_session(session);
    const struct dlq_args *args = session->args;
    bool all =
        !isnan(args->until) || args->waits || args->csv || args->json || args->chrome != NULL || args->animate != NULL;
    TRY(dlq_log_settings_read(session, &settings));
    answer->model = settings.model;
    struct dlq_trace *trace;
    TRY(dlq_logs_read(&logs, &trace));
    TRY(dlq_timeline_of_trace(trace, &settings.hint, isnan(args->from) ? 0 : args->from,
                              isnan(args->until) ? INFINITY : args->until, &answer->timeline, session->error));
    dlq_logs_name(&logs, answer->name, sizeof answer->name);
    enum dlq_status status = find_rhythm(session, answer);
    /* Where nothing is said, charts of a log show a few rounds of the loaders, or some iterations. */
    enum { ROUNDS = 8, FEWEST = 40 };
    struct dlq_timeline *timeline = &answer->timeline;
    long wanted = ROUNDS * timeline->workers > FEWEST ? ROUNDS * timeline->workers : FEWEST;
    for (size_t r = 0; !all && r < timeline->rank_count; r++)
        if ((long)timeline->ranks[r].stepped > wanted)
            timeline->until = fmin(timeline->until, timeline->ranks[r].batches[wanted - 1].step_end);
    return status;
}

/* -- what is made -- */

static const struct dlq_picture_row timeline_pictures[] = {{.name = "timeline", .draw = dlq_picture_timeline},
                                                           {.name = NULL}},
                                    rhythm_pictures[] = {{.name = "waits", .draw = dlq_picture_rhythm}, {.name = NULL}};

/* The animation, or the events for Chrome, to a file or standard output. */
static enum dlq_status write_beside(struct dlq_invocation *session, const struct dlq_timeline_answer *answer,
                                    bool animation, struct dlq_result_files *files)
{
    const struct dlq_args *args = session->args;
    const char *path = animation ? args->animate : args->chrome;
    struct dlq_file *file = NULL;
    struct dlq_image image = {0};
    if (!is_standard_output(path))
        TRY(dlq_result_begin(session, path, false, &file));
    FILE *stream = file != NULL ? file->stream : stdout;
    enum dlq_status status = animation ? dlq_animate(answer, isnan(args->speed) ? 1 : args->speed,
                                                     session->run.interrupted, &image, session->error)
                                       : dlq_timeline_chrome(answer, stream, session->error);
    if (image.no_font)
        dlq_result_warn_font(session);
    if (status == DLQ_OK && image.bytes != NULL)
        fwrite(image.bytes, 1, image.size, stream);
    free(image.bytes);
    TRY(status);
    if (file != NULL)
        TRY(dlq_file_commit(file, session->error));
    dlq_result_files_add(files, path);
    return DLQ_OK;
}

/* -- what is told -- */

static enum dlq_status write_answer(struct dlq_invocation *session, const struct dlq_timeline_answer *answer,
                                    const struct dlq_result_files *files)
{
    const struct dlq_args *args = session->args;
    struct dlq_invocation logs = dlq_logs_session(session);
    if (args->csv)
        return dlq_result_csv(session, dlq_timeline_table(&answer->timeline));
    if (args->json)
        return dlq_result_json(session, &dlq_figures_timeline, answer);
    if (is_standard_output(args->animate) || is_standard_output(args->chrome))
        return DLQ_OK; /* that is all there is to be */
    if (args->waits)
        dlq_timeline_report_rhythm(session->out, session->color, answer);
    else
        dlq_timeline_report(session->out, session->color, answer);
    dlq_result_files_list(files, 1);
    if (answer->timeline.measured)
        dlq_config_next(&logs, answer->timeline.workers > 0 ? "fit" : "diagnose", NULL, "");
    else
        dlq_config_next(session, args->waits ? "solve" : "timeline", NULL, args->waits ? "" : "--waits");
    return DLQ_OK;
}

DLQ_RELEASE(release, dlq_timeline_answer_free)

enum dlq_status dlq_run_timeline(struct dlq_invocation *session)
{
    const struct dlq_args *args = session->args;
    const struct dlq_picture_row *pictures = args->waits ? rhythm_pictures : timeline_pictures;
    const bool named = args->output != NULL && !is_standard_output(args->output);
    /* A chart, where no other form of the answer is asked for, or it is named. */
    const bool chart =
        !args->csv && !args->json && (args->waits || named || (args->animate == NULL && args->chrome == NULL));
    struct dlq_timeline_answer *answer;
    struct dlq_result_files *files;
    struct dlq_setting setting;
    NEW(&session->call->arena, answer, 1);
    NEW(&session->call->arena, files, 1);
    files->session = session;
    TRY(check_line(session));
    TRY(dlq_keep(session, answer, release));
    answer->of_waits = args->waits;
    answer->of_path = args->path;
    TRY(args->logs.count > 0 ? make_measured(session, answer) : make_simulated(session, answer));
    /* A sheet as high as its rows need, unless its size was asked for. */
    answer->grows = !dlq_config_setting(answer->model, "plot", "size", &setting) || !setting.given;
    TRY(dlq_timeline_answer_fill(answer, session->error));
    if (chart) /* without its place there is no answer */
        TRY(dlq_result_files_begin(files, session, 0, answer->model, pictures));
    enum dlq_status made = DLQ_OK, written = DLQ_OK;
    if (args->animate != NULL)
        made = write_beside(session, answer, true, files);
    if (made == DLQ_OK && args->chrome != NULL)
        made = write_beside(session, answer, false, files);
    if (made == DLQ_OK && chart)
        made = dlq_result_files_draw(files, pictures, answer);
    if (made == DLQ_OK || made == DLQ_FAILURE) /* the words even where a picture fails */
        written = write_answer(session, answer, files);
    return made != DLQ_OK ? made : written;
}
