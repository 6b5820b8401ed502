#include "timeline_answer.h"

#include "config.h"
#include "log_charts.h"
#include "logs.h"
#include "progress.h"
#include "timeline_phrases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the whole measured run, unless a span is asked for. Only --waits can't do without one. */
static enum dlq_status find_rhythm(struct dlq_session *session, struct dlq_timeline_answer *answer)
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
static enum dlq_status find_until(const struct dlq_session *session, const struct dlq_timeline_answer *answer,
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

static enum dlq_status simulate(struct dlq_session *session, struct dlq_timeline_answer *answer,
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

static enum dlq_status make_simulated(struct dlq_session *session, struct dlq_timeline_answer *answer)
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

static enum dlq_status read_plot(struct dlq_session *session, struct dlq_timeline_answer *answer)
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

static enum dlq_status make_measured(struct dlq_session *session, struct dlq_timeline_answer *answer)
{
    struct dlq_pipeline_hint hint;
    struct dlq_session logs = dlq_logs_session(session);
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

/* -- both -- */

static enum dlq_status summarize(struct dlq_timeline_answer *answer, struct dlq_error *error)
{
    const struct dlq_timeline *timeline = &answer->timeline;
    enum dlq_status status = DLQ_OK;
    answer->levels = calloc(timeline->rank_count, sizeof *answer->levels);
    answer->summaries = calloc(timeline->rank_count, sizeof *answer->summaries);
    if (answer->levels == NULL || answer->summaries == NULL)
        return dlq_error_memory(error, "summing up a timeline");
    for (size_t r = 0; r < timeline->rank_count && status == DLQ_OK; r++) {
        status = dlq_timeline_queue(timeline, r, &answer->levels[r], error);
        if (status == DLQ_OK)
            dlq_timeline_summarize(timeline, r, &answer->levels[r], &answer->summaries[r]);
        if (answer->summaries[r].waiting > answer->summaries[answer->worst].waiting)
            answer->worst = r;
    }
    return status == DLQ_OK ? dlq_timeline_order(answer->summaries, timeline->rank_count, &answer->order, error)
                            : status;
}

enum dlq_status dlq_timeline_answer_make(struct dlq_session *session, struct dlq_timeline_answer *answer)
{
    bool measured = session->args->log_count > 0;
    answer->of_waits = session->args->waits;
    enum dlq_status status = measured ? make_measured(session, answer) : make_simulated(session, answer);
    if (status == DLQ_OK)
        status = summarize(answer, session->error);
    if (status == DLQ_OK)
        dlq_timeline_phrases_fill(answer);
    return status;
}

void dlq_timeline_answer_free(struct dlq_timeline_answer *answer)
{
    for (size_t r = 0; answer->levels != NULL && r < answer->timeline.rank_count; r++)
        dlq_queue_levels_free(&answer->levels[r]);
    free(answer->levels);
    free(answer->summaries);
    free(answer->order);
    dlq_rhythm_free(&answer->rhythm);
    dlq_timeline_free(&answer->timeline);
    dlq_trace_free(answer->trace);
    dlq_model_free(answer->model);
}

struct dlq_timeline_subject dlq_timeline_answer_subject(const struct dlq_timeline_answer *answer)
{
    return (struct dlq_timeline_subject){.timeline = &answer->timeline,
                                         .name = answer->name,
                                         .title = answer->title,
                                         .subtitle = answer->subtitle,
                                         .order = answer->order};
}
