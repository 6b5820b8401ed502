/* A timeline summed up and put into words: the order of its ranks, its parameters, its report. */
#include "report/timeline.h"

#include "report/description.h"
#include "report/phrase.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- the order of ranks -- */

/* The later a rank receives, the less it waits for others. */
struct lateness {
    double barrier;
    size_t rank;
};

static int by_barrier(const void *left, const void *right)
{
    const struct lateness *a = left, *b = right;
    if (a->barrier != b->barrier)
        return a->barrier < b->barrier ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

enum dlq_status dlq_timeline_order(const struct dlq_timeline_summary *summaries, size_t count, size_t **order,
                                   struct dlq_error *error)
{
    struct lateness *ranks = calloc(count + 1, sizeof *ranks);
    size_t *places = calloc(count + 1, sizeof *places);
    bool enough = ranks != NULL && places != NULL;
    for (size_t r = 0; enough && r < count; r++)
        ranks[r] = (struct lateness){summaries[r].barrier, r};
    if (enough)
        qsort(ranks, count, sizeof *ranks, by_barrier);
    for (size_t r = 0; enough && r < count; r++)
        places[r] = ranks[r].rank;
    free(ranks);
    if (enough)
        *order = places;
    else
        free(places);
    return enough ? DLQ_OK : dlq_error_memory(error, "summing up a timeline");
}

static int ascending(const void *left, const void *right)
{
    const size_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

size_t dlq_timeline_subject_ranks(const struct dlq_timeline_subject *subject, size_t most, size_t *places)
{
    size_t count = subject->timeline->rank_count < most ? subject->timeline->rank_count : most;
    for (size_t i = 0; i < count; i++)
        places[i] = subject->order != NULL ? subject->order[i] : i;
    qsort(places, count, sizeof *places, ascending);
    return count;
}

/* -- the answer -- */

enum dlq_status dlq_timeline_answer_fill(struct dlq_timeline_answer *answer, struct dlq_error *error)
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
    if (status == DLQ_OK)
        status = dlq_timeline_order(answer->summaries, timeline->rank_count, &answer->order, error);
    if (status == DLQ_OK && answer->of_path)
        status = dlq_timeline_find_path(timeline, &answer->path, error);
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
    dlq_timeline_path_free(&answer->path);
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

/* -- words -- */

static void fill_parameters(struct dlq_timeline_answer *answer)
{
    struct dlq_phrase phrase = {.text = answer->parameters, .size = sizeof answer->parameters};
    const struct dlq_timeline *timeline = &answer->timeline;
    if (answer->trace == NULL) {
        dlq_parameters_add(&phrase, &answer->description, NULL);
        return;
    }
    phrase.separator = " · ";
    dlq_phrase_add(&phrase, "%s", answer->name);
    if (timeline->loader != NULL && timeline->workers > 0)
        dlq_phrase_add(&phrase, "%s", timeline->loader);
    if (timeline->workers > 0)
        dlq_phrase_add(&phrase, "%ld loader%s", timeline->loaders, timeline->loaders == 1 ? "" : "s");
    else
        dlq_phrase_add(&phrase, "loads not recorded");
    if (timeline->rank_count > 1)
        dlq_phrase_add(&phrase, "%zu ranks", timeline->rank_count);
}

/* Sums of many times are never quite nothing. */
const char *dlq_timeline_share(double share, char text[DLQ_TEXT_NUMBER])
{
    return dlq_text_share(fabs(share) < 5e-7 ? 0 : share, text);
}

const char *dlq_timeline_stalls(const struct dlq_timeline_summary *summary, char *text, size_t size)
{
    char longest[DLQ_TEXT_NUMBER], count[DLQ_TEXT_NUMBER];
    text[0] = '\0';
    bool outside = summary->longest_stall > (summary->waiting + summary->receiving) * (1 + 1e-9);
    if (summary->stalls > 0)
        snprintf(text, size, "%s stall%s, the longest %s%s", dlq_text_fixed((double)summary->stalls, 0, count),
                 summary->stalls == 1 ? "" : "s", dlq_text_time(summary->longest_stall, 3, longest),
                 outside ? " in all" : "");
    return text;
}

const char *dlq_timeline_moment(double time, double span, char text[DLQ_TEXT_NUMBER + 4])
{
    char number[DLQ_TEXT_NUMBER];
    if (time < 100 * span)
        return dlq_text_time(time, 3, text);
    snprintf(text, DLQ_TEXT_NUMBER + 4, "%s s", dlq_text_fixed(time, dlq_text_decimals(span, 2), number));
    return text;
}

/* "first 6 s: idle 4.5 s (75 %), 3 stalls, the longest 2 s, 15 batches" */
static void fill_seen(struct dlq_timeline_answer *answer)
{
    char time[DLQ_TEXT_NUMBER + 4], span[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER], stalls[120];
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_summary *summary = &answer->summaries[answer->worst];
    struct dlq_phrase phrase = {.text = answer->seen, .size = sizeof answer->seen};
    double idle = summary->span - summary->stepping - summary->pausing;
    dlq_text_time(summary->span, 3, span);
    if (timeline->rank_count > 1)
        dlq_phrase_add(&phrase, "rank %ld, ", timeline->ranks[answer->worst].number);
    if (timeline->from > 0)
        dlq_phrase_add(&phrase, "%s from %s on", span, dlq_timeline_moment(timeline->from, summary->span, time));
    else
        dlq_phrase_add(&phrase, "first %s", span);
    dlq_phrase_add(&phrase, ": idle %s (%s)", dlq_text_time(idle, 2, time),
                   dlq_timeline_share(idle / summary->span, share));
    if (dlq_timeline_stalls(summary, stalls, sizeof stalls)[0] != '\0')
        dlq_phrase_add(&phrase, ", %s", stalls);
    dlq_phrase_add(&phrase, ", %s batch%s", dlq_text_fixed((double)summary->steps, 0, time),
                   summary->steps == 1 ? "" : "es");
}

void dlq_timeline_phrases_fill(struct dlq_timeline_answer *answer)
{
    dlq_timeline_title_fill(answer);
    fill_parameters(answer);
    fill_seen(answer);
    /* What does not fit is cut off at the end. */
    snprintf(answer->subtitle, sizeof answer->subtitle, "%s · %s", answer->seen, answer->parameters);
}

/* -- the report -- */

enum { NAME_WIDTH = 18, TIME_WIDTH = 10, SHARE_WIDTH = 9 };

/* Of the critical path. */
struct path_share {
    double share;
    const char *name;
};

/* -- words -- */

/* "  waits for data       4.4 s     74 %   in 3 stalls" */
static void write_part(FILE *out, const char *name, double seconds, double span, const char *more)
{
    char time[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER];
    fprintf(out, "    %-*s%*s %*s", NAME_WIDTH, name, TIME_WIDTH,
            dlq_text_time(seconds < 5e-7 * span ? 0 : seconds, 3, time), SHARE_WIDTH - 1,
            dlq_timeline_share(seconds / span, share));
    fprintf(out, more[0] != '\0' ? "   %s\n" : "%s\n", more);
}

static void write_trainer(FILE *out, const struct dlq_timeline_summary *summary)
{
    char stalls[120], more[160], steps[DLQ_TEXT_NUMBER];
    snprintf(more, sizeof more, "%s batch%s trained", dlq_text_fixed((double)summary->steps, 0, steps),
             summary->steps == 1 ? "" : "es");
    write_part(out, "steps", summary->stepping, summary->span, more);
    if (summary->pausing > 0)
        write_part(out, "pauses", summary->pausing, summary->span, "");
    write_part(out, "waits for data", summary->waiting, summary->span,
               dlq_timeline_stalls(summary, stalls, sizeof stalls));
    if (summary->receiving > 0)
        write_part(out, "receives", summary->receiving, summary->span, "");
    if (summary->barrier > 0)
        write_part(out, "waits for ranks", summary->barrier, summary->span, "");
    double rest =
        summary->span - summary->stepping - summary->pausing - summary->waiting - summary->receiving - summary->barrier;
    if (rest > 1e-3 * summary->span)
        write_part(out, "elsewhere", rest, summary->span, "between a step and the next request");
}

/* "    loaders load               98 %   of their time" */
static void write_figure(FILE *out, const char *name, const char *figure, const char *more)
{
    fprintf(out, "    %-*s%*s   %s\n", NAME_WIDTH, name, TIME_WIDTH + SHARE_WIDTH, figure, more);
}

static void write_loaders(FILE *out, const struct dlq_timeline *timeline, const struct dlq_timeline_summary *summary)
{
    char figure[DLQ_TEXT_NUMBER], most[DLQ_TEXT_NUMBER], more[120];
    if (timeline->loaders == 0)
        return;
    if (!isnan(summary->loading))
        write_figure(out, "loaders load", dlq_text_share(summary->loading, figure), "of their time");
    if (!isnan(summary->queue_mean)) {
        snprintf(more, sizeof more, "batches ready on average, at most %s",
                 dlq_text_fixed((double)summary->queue_most, 0, most));
        write_figure(out, "queue", dlq_text_number(summary->queue_mean, 2, figure), more);
    }
    if (summary->held > 0)
        write_figure(out, "held up", dlq_text_share(summary->held, figure),
                     "of the waiting: batches are there, behind a late one");
}

static int by_share(const void *left, const void *right)
{
    const struct path_share *a = left, *b = right;
    return (a->share < b->share) - (a->share > b->share);
}

/* "    loads 61.2 % · steps 30.1 %", the largest first, none below a thousandth. */
static void write_shares(FILE *out, const struct dlq_timeline_path *path)
{
    static const char *const names[] = {
        [DLQ_PATH_STEP] = "steps",        [DLQ_PATH_PAUSE] = "pauses",        [DLQ_PATH_BARRIER] = "barrier",
        [DLQ_PATH_RECEIVE] = "receiving", [DLQ_PATH_DELIVERY] = "deliveries", [DLQ_PATH_LOAD] = "loads",
        [DLQ_PATH_SLOWDOWN] = "slowdown", [DLQ_PATH_STARTUP] = "start-up",    [DLQ_PATH_OTHER] = "other",
    };
    struct path_share shares[DLQ_PATH_PARTS];
    char text[400], share[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .separator = " · "};
    for (size_t i = 0; i < DLQ_PATH_PARTS; i++)
        shares[i] = (struct path_share){path->share[i], names[i]};
    qsort(shares, DLQ_PATH_PARTS, sizeof *shares, by_share);
    for (size_t i = 0; i < DLQ_PATH_PARTS && shares[i].share >= 1e-3; i++)
        dlq_phrase_add(&phrase, "%s %s", shares[i].name, dlq_text_share(shares[i].share, share));
    fprintf(out, "\n  Where the time goes, on the critical path\n    %s\n", text);
}

/* "    31 slow batches (2 % of all, over twice the median load) take 46 %: batch 17 6.1 s, batch 203 5.8 s" */
static void write_slow(FILE *out, const struct dlq_timeline_path *path)
{
    char text[400], number[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER], part[DLQ_TEXT_NUMBER];
    if (path->slow_share < 1e-3)
        return;
    snprintf(text, sizeof text, "%s slow batch%s (%s of all, over twice the median load) take%s %s",
             dlq_text_fixed((double)path->slow_count, 0, number), path->slow_count > 1 ? "es" : "",
             dlq_text_share(path->slow_part, part), path->slow_count > 1 ? "" : "s",
             dlq_text_share(path->slow_share, share));
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .used = strlen(text), .separator = ": "};
    for (size_t i = 0; i < path->longest_count; i++) {
        const struct dlq_path_piece *piece = &path->longest[i];
        if (piece->step < 0)
            continue;
        dlq_phrase_add(&phrase, "batch %ld %s", piece->step, dlq_text_time(piece->until - piece->from, 3, number));
        phrase.separator = ", ";
    }
    dlq_text_wrap(out, text, 4, dlq_report_width(out));
}

/* "    through worker 3 11 %, worker 5 10.2 %", as the record counts them. */
static void write_workers(FILE *out, const struct dlq_timeline *timeline, const struct dlq_timeline_path *path)
{
    enum { MOST = 4 };
    char text[400], rank[40] = "", share[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .separator = " · "};
    if (path->worker_count == 0 || timeline->rank_count * (size_t)timeline->workers < 2)
        return;
    for (size_t i = 0; i < path->worker_count && i < MOST; i++) {
        const struct dlq_path_worker *worker = &path->workers[i];
        if (timeline->rank_count > 1)
            snprintf(rank, sizeof rank, "rank %ld, ", worker->rank);
        dlq_phrase_add(&phrase, "%s%s%s %ld %s", i == 0 ? "through " : "", rank,
                       timeline->measured ? "worker" : "loader", worker->worker + (timeline->measured ? 0 : 1),
                       dlq_text_share(worker->share, share));
    }
    dlq_text_wrap(out, text, 4, dlq_report_width(out));
}

static void write_path(FILE *out, const struct dlq_timeline *timeline, const struct dlq_timeline_path *path)
{
    if (path->count == 0)
        return;
    write_shares(out, path);
    write_slow(out, path);
    write_workers(out, timeline, path);
}

static void write_head(FILE *out, bool color, const struct dlq_timeline_answer *answer)
{
    if (answer->trace == NULL)
        dlq_report_head(out, color, &answer->description);
    else
        dlq_text_wrap(out, answer->parameters, 0, dlq_report_width(out));
    fputc('\n', out);
    dlq_text_styled(out, color, DLQ_STYLE_BOLD, "  %s.", answer->title);
    fputs("\n\n", out);
}

void dlq_timeline_report(FILE *out, bool color, const struct dlq_timeline_answer *answer)
{
    char from[DLQ_TEXT_NUMBER + 4], until[DLQ_TEXT_NUMBER + 4];
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_summary *summary = &answer->summaries[answer->worst];
    write_head(out, color, answer);
    fprintf(out, "  From %s to %s", dlq_timeline_moment(timeline->from, summary->span, from),
            dlq_timeline_moment(timeline->from + summary->span, summary->span, until));
    if (timeline->rank_count > 1)
        fprintf(out, ", rank %ld of %zu, which waits for its data longest", timeline->ranks[answer->worst].number,
                timeline->rank_count);
    fputc('\n', out);
    write_trainer(out, summary);
    write_loaders(out, timeline, summary);
    write_path(out, timeline, &answer->path);
}

static double mean_wait(const struct dlq_rhythm *rhythm)
{
    double sum = 0;
    for (size_t i = 0; i < rhythm->count; i++)
        sum += rhythm->waits[i];
    return sum / (double)rhythm->count;
}

static void write_period(FILE *out, const struct dlq_rhythm *rhythm)
{
    char figure[DLQ_TEXT_NUMBER], more[120];
    if (isnan(rhythm->period)) {
        write_figure(out, "rhythm", "none",
                     rhythm->varies ? "the autocorrelation of the waits has no clear peak" : "all waits are equal");
        return;
    }
    size_t period = (size_t)rhythm->period;
    snprintf(figure, sizeof figure, "%zu", period);
    snprintf(more, sizeof more, "batches; the autocorrelation there is %.2f", rhythm->acf[period]);
    write_figure(out, "rhythm", figure, more);
}

void dlq_timeline_report_rhythm(FILE *out, bool color, const struct dlq_timeline_answer *answer)
{
    char figure[DLQ_TEXT_NUMBER], first[DLQ_TEXT_NUMBER];
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    write_head(out, color, answer);
    fprintf(out, "  %s batches", dlq_text_fixed((double)rhythm->count, 0, figure));
    if (rhythm->first > 0)
        fprintf(out, ", from batch %s on", dlq_text_fixed((double)rhythm->first, 0, first));
    fputc('\n', out);
    write_figure(out, "idle", dlq_timeline_share(rhythm->idle, figure), "of the time");
    write_figure(out, "wait per step", dlq_text_time(mean_wait(rhythm), 3, figure), "on average");
    write_figure(out, "stalled steps", dlq_timeline_share(rhythm->stalled, figure), "of all");
    write_period(out, rhythm);
}
