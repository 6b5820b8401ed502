/* dlqueue timeline: shows one run, simulated or recorded, as a chart, an animation, a table or events. */
#include "cli/logs/logs.h"
#include "draw/gnuplot.h"
#include "result_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- the command line -- */

static const char by_completion[] = "completion", in_order[] = "order"; /* words of --against */

static bool is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static enum dlq_status check_options(const struct dlq_invocation *invocation)
{
    const struct dlq_args *args = invocation->args;
    struct dlq_error *error = invocation->error;
    int before = error->count;
    if (args->logs.count > 0 && invocation->operand_count > 0)
        dlq_error_add(error, DLQ_INVALID, "timeline: either a configuration or --log");
    if (!isnan(args->until) && !(args->until > (isnan(args->from) ? 0 : args->from)))
        dlq_error_add(error, DLQ_INVALID, "--until must be later than %s", isnan(args->from) ? "0" : "--from");
    const char *dot = args->animate != NULL ? strrchr(args->animate, '.') : NULL;
    if (dot != NULL && strchr(dot, '/') == NULL && strcmp(dot, ".gif") != 0)
        dlq_error_add(error, DLQ_INVALID, "--animate writes a GIF: give a name that ends in .gif, not %s",
                      args->animate);
    if (args->path && (args->waits || args->csv))
        dlq_error_add(error, DLQ_INVALID, "--path is part of the chart and of --json: not with --%s",
                      args->waits ? "waits" : "csv");
    if (!isnan(args->speed) && args->animate == NULL)
        dlq_error_add(error, DLQ_INVALID, "--speed belongs to --animate");
    /* Only one of the GIF, the events and the result can go to standard output; a terminal cannot show a GIF. */
    bool gif = is_standard_output(args->animate), events = is_standard_output(args->chrome);
    bool result = (args->json || args->csv) && (args->output == NULL || is_standard_output(args->output));
    if (gif && events)
        dlq_error_add(error, DLQ_INVALID, "--animate - and --chrome - exclude each other: name a file");
    else if ((gif || events) && result)
        dlq_error_add(error, DLQ_INVALID, "--%s - and --%s exclude each other: name a file", gif ? "animate" : "chrome",
                      args->json ? "json" : "csv");
    else if (gif && isatty(STDOUT_FILENO) == 1)
        dlq_error_add(error, DLQ_INVALID, "--animate -: a GIF is not for a terminal: name a file");
    return error->count > before ? DLQ_INVALID : DLQ_OK;
}

/* --against shows two runs in one chart, and excludes options that show a single run. */
static enum dlq_status check_against(const struct dlq_invocation *invocation)
{
    const struct dlq_args *args = invocation->args;
    const struct {
        const char *name;
        bool given;
    } single[] = {{"log", args->logs.count > 0},      {"waits", args->waits},           {"path", args->path},
                  {"animate", args->animate != NULL}, {"chrome", args->chrome != NULL}, {"csv", args->csv}};
    int before = invocation->error->count;
    if (args->against == NULL)
        return DLQ_OK;
    if (strcmp(args->against, by_completion) != 0 && strcmp(args->against, in_order) != 0)
        dlq_error_add(invocation->error, DLQ_INVALID, "--against: '%s' is not one of %s, %s", args->against,
                      by_completion, in_order);
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (single[i].given)
            dlq_error_add(invocation->error, DLQ_INVALID, "--against and --%s exclude each other", single[i].name);
    return invocation->error->count > before ? DLQ_INVALID : DLQ_OK;
}

/* Finds the rhythm of the whole run or, with --waits, of the given span. If there is none, that is an error only with
   --waits. */
static enum dlq_status find_rhythm(struct dlq_invocation *invocation, struct dlq_timeline_answer *answer)
{
    const struct dlq_args *args = invocation->args;
    bool span = args->waits && (!isnan(args->from) || !isnan(args->until));
    struct dlq_error minor = {0}, *error = args->waits ? invocation->error : &minor;
    enum dlq_status status = answer->timeline.measured || span
                                 ? dlq_rhythm_of_timeline(&answer->timeline, &answer->rhythm, error)
                                 : dlq_rhythm_simulate(answer->model, &invocation->run, &answer->rhythm, error);
    if (status == DLQ_FAILURE && !args->waits)
        return dlq_error_add(invocation->error, status, "%s", minor.text);
    return args->waits || status == DLQ_INTERRUPTED ? status : DLQ_OK;
}

/* -- from a configuration -- */

static enum dlq_status simulate(struct dlq_invocation *invocation, struct dlq_timeline_answer *answer)
{
    struct dlq_bounds bounds;
    struct dlq_setting setting;
    const struct dlq_args *args = invocation->args;
    double from = isnan(args->from) ? 0 : args->from, until = args->until;
    TRY(dlq_config_read(invocation, 0, NULL, &answer->model));
    TRY(dlq_model_describe(answer->model, &answer->description, invocation->error));
    TRY(dlq_bounds(answer->model, &bounds, invocation->error));
    answer->bottleneck = bounds.bottleneck;
    answer->out_of_phase =
        dlq_config_setting(answer->model, "simulate", "start", &setting) && strcmp(setting.value, "together") != 0;
    snprintf(answer->name, sizeof answer->name, "%s", answer->description.name);
    if (isnan(until)) { /* by default a few rounds of the loaders */
        TRY(dlq_timeline_default_end(answer->model, &until, invocation->error));
        /* A table has TABLE_BATCHES of each rank, but at most a quarter of DLQ_TIMELINE_BATCHES in all: few batches say
           little about the loads. */
        enum { TABLE_BATCHES = 1000 };
        /* Batches/s, rather too low than too high. */
        double rate = bounds.lower > 0 ? bounds.lower : bounds.upper / 2;
        double most = DLQ_TIMELINE_BATCHES / 4.0 / (double)answer->description.ranks;
        double seconds = fmin(TABLE_BATCHES, most) / rate;
        until = from + (args->csv && isfinite(seconds) ? fmax(until, seconds) : until);
    }
    if (args->against != NULL)
        NEW(&invocation->call->arena, answer->against, 1);
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    enum dlq_status status =
        dlq_timeline_simulate(answer->model, from, until, &invocation->run, &answer->timeline, invocation->error);
    if (status == DLQ_OK && isnan(args->until) && !args->csv) { /* show whole slow loads */
        status = dlq_timeline_long_load_end(&answer->timeline, &until, invocation->error);
        if (status == DLQ_OK && until > answer->timeline.until) {
            dlq_timeline_free(&answer->timeline);
            status = dlq_timeline_simulate(answer->model, from, until, &invocation->run, &answer->timeline,
                                           invocation->error);
        }
    }
    if (status == DLQ_OK)
        status = find_rhythm(invocation, answer);
    if (status == DLQ_OK && args->against != NULL) {
        answer->against->model = answer->model;
        answer->against->description = answer->description;
        status = dlq_timeline_reorder(answer->model, strcmp(args->against, in_order) == 0, from, until,
                                      &invocation->run, &answer->against->timeline, invocation->error);
    }
    dlq_progress_end(bar);
    return status;
}

/* -- from logs -- */

static enum dlq_status read_logs(struct dlq_invocation *invocation, struct dlq_timeline_answer *answer)
{
    struct dlq_log_settings settings;
    struct dlq_invocation logs = dlq_invocation_of_logs(invocation);
    const struct dlq_args *args = invocation->args;
    bool shows_all =
        !isnan(args->until) || args->waits || args->csv || args->json || args->chrome != NULL || args->animate != NULL;
    TRY(dlq_log_settings_read(invocation, &settings));
    answer->model = settings.model;
    struct dlq_trace *trace;
    TRY(dlq_logs_read(&logs, &trace));
    TRY(dlq_timeline_of_trace(trace, &settings.hint, isnan(args->from) ? 0 : args->from,
                              isnan(args->until) ? INFINITY : args->until, &answer->timeline, invocation->error));
    dlq_logs_name(&logs, answer->name, sizeof answer->name);
    enum dlq_status status = find_rhythm(invocation, answer);
    /* By default charts of a log show a few rounds of the loaders, or some iterations. */
    enum { ROUNDS = 8, FEWEST = 40 };
    struct dlq_timeline *timeline = &answer->timeline;
    long shown = ROUNDS * timeline->workers > FEWEST ? ROUNDS * timeline->workers : FEWEST;
    for (size_t r = 0; !shows_all && r < timeline->rank_count; r++)
        if ((long)timeline->ranks[r].stepped > shown)
            timeline->until = fmin(timeline->until, timeline->ranks[r].batches[shown - 1].step_end);
    return status == DLQ_OK && !shows_all ? dlq_timeline_long_load_end(timeline, &timeline->until, invocation->error)
                                          : status;
}

/* -- output -- */

static const struct dlq_picture_row timeline_pictures[] = {{.name = "timeline", .draw = dlq_picture_timeline},
                                                           {.name = NULL}},
                                    rhythm_pictures[] = {{.name = "waits", .draw = dlq_picture_rhythm}, {.name = NULL}},
                                    order_pictures[] = {{.name = "order", .draw = dlq_picture_timeline},
                                                        {.name = NULL}};

/* Writes the animation, or the events for Chrome, to a file or standard output. */
static enum dlq_status write_beside(struct dlq_invocation *invocation, const struct dlq_timeline_answer *answer,
                                    bool animation, struct dlq_result_files *files)
{
    const struct dlq_args *args = invocation->args;
    const char *path = animation ? args->animate : args->chrome;
    struct dlq_file *file = NULL;
    struct dlq_image image = {0};
    if (!is_standard_output(path))
        TRY(dlq_result_open(invocation, path, false, &file));
    FILE *stream = file != NULL ? file->stream : stdout;
    enum dlq_status status = animation ? dlq_animate(answer, isnan(args->speed) ? 1 : args->speed,
                                                     invocation->run.interrupted, &image, invocation->error)
                                       : dlq_timeline_chrome(answer, stream, invocation->error);
    if (image.no_font)
        dlq_result_warn_font(invocation);
    if (status == DLQ_OK && image.bytes != NULL)
        fwrite(image.bytes, 1, image.size, stream);
    free(image.bytes);
    TRY(status);
    if (file != NULL)
        TRY(dlq_file_commit(file, invocation->error));
    dlq_result_files_add(files, path);
    return DLQ_OK;
}

static enum dlq_status write_answer(struct dlq_invocation *invocation, const struct dlq_timeline_answer *answer,
                                    const struct dlq_result_files *files)
{
    const struct dlq_args *args = invocation->args;
    struct dlq_invocation logs = dlq_invocation_of_logs(invocation);
    if (args->csv)
        return dlq_result_rows(invocation, NULL, dlq_timeline_table(&answer->timeline));
    if (args->json)
        return dlq_result_json(invocation, &dlq_figures_timeline, answer);
    if (is_standard_output(args->animate) || is_standard_output(args->chrome))
        return DLQ_OK;
    if (args->waits)
        dlq_timeline_report_rhythm(invocation->out, invocation->color, answer);
    else
        dlq_timeline_report(invocation->out, invocation->color, answer);
    dlq_result_files_list(files, 1);
    if (answer->timeline.measured)
        dlq_config_next(&logs, answer->timeline.workers > 0 ? "fit" : "diagnose", NULL, "");
    else
        dlq_config_next(invocation, args->waits ? "solve" : "timeline", NULL, args->waits ? "" : "--waits");
    return DLQ_OK;
}

DLQ_RELEASE(release, dlq_timeline_answer_free)

enum dlq_status dlq_run_timeline(struct dlq_invocation *invocation)
{
    const struct dlq_args *args = invocation->args;
    const struct dlq_picture_row *pictures = args->waits             ? rhythm_pictures
                                             : args->against != NULL ? order_pictures
                                                                     : timeline_pictures;
    const bool named = args->output != NULL && !is_standard_output(args->output);
    /* --csv and --json replace the chart. Else it is drawn with --waits, if --output names it, or if neither an
       animation nor events were requested. */
    const bool chart =
        !args->csv && !args->json && (args->waits || named || (args->animate == NULL && args->chrome == NULL));
    struct dlq_timeline_answer *answer;
    struct dlq_result_files *files;
    struct dlq_setting setting;
    NEW(&invocation->call->arena, answer, 1);
    NEW(&invocation->call->arena, files, 1);
    files->invocation = invocation;
    TRY(check_options(invocation));
    TRY(check_against(invocation));
    TRY(dlq_keep(invocation, answer, release));
    answer->of_waits = args->waits;
    answer->of_path = args->path;
    TRY(args->logs.count > 0 ? read_logs(invocation, answer) : simulate(invocation, answer));
    /* Without a given size the chart is as high as its rows need. */
    answer->grows = !dlq_config_setting(answer->model, "plot", "size", &setting) || !setting.given;
    TRY(dlq_timeline_answer_fill(answer, invocation->error));
    if (chart)
        TRY(dlq_result_files_prepare(files, invocation, 0, answer->model, pictures));
    enum dlq_status status = DLQ_OK, written = DLQ_OK;
    if (args->animate != NULL)
        status = write_beside(invocation, answer, true, files);
    if (status == DLQ_OK && args->chrome != NULL)
        status = write_beside(invocation, answer, false, files);
    if (status == DLQ_OK && chart)
        status = dlq_result_files_draw(files, pictures, answer);
    if (status == DLQ_OK || status == DLQ_FAILURE) /* the report even if a picture fails */
        written = write_answer(invocation, answer, files);
    return status != DLQ_OK ? status : written;
}
