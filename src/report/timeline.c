/* A timeline in words: title, parameters, report. */
#include "report/timeline.h"

#include "report/causes.h"
#include "report/report.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_sort_ulong.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rank that waits least at the barrier arrives last. Of equal ranks the first counts. */
size_t dlq_timeline_ranks(const struct dlq_timeline_answer *answer, size_t most, size_t *places)
{
    const struct dlq_timeline_summary *summaries = answer->summaries;
    size_t count = 0;
    for (size_t r = 0; r < answer->timeline.rank_count; r++) {
        size_t at = count;
        while (at > 0 && summaries[places[at - 1]].barrier > summaries[r].barrier)
            at--;
        if (at == most)
            continue;
        count += count < most;
        memmove(places + at + 1, places + at, (count - at - 1) * sizeof *places);
        places[at] = r;
    }
    gsl_sort_ulong(places, 1, count);
    return count;
}

/* -- words -- */

/* A share of the time; rounding errors of sums count as 0. */
#define SHARE_OF_TIME(share) SAY_SHARE(fabs(share) < 5e-7 ? 0 : (share))

/* "3 stalls, the longest 1.85 s"; "" without stalls. "in all": the stall reaches beyond the shown time. */
static const char *say_stalls(const struct dlq_timeline_summary *summary, char *text, size_t size)
{
    bool outside = summary->longest_stall > (summary->waiting + summary->receiving) * (1 + 1e-9);
    text[0] = '\0';
    if (summary->stalls > 0)
        snprintf(text, size, "%s stall%s, the longest %s%s", SAY_COUNT(summary->stalls), PLURAL(summary->stalls),
                 SAY_TIME(summary->longest_stall, 3), outside ? " in all" : "");
    return text;
}

/* A point in time to the precision of a picture of `span` seconds: "2 s", "200,000.5 s". */
static const char *say_moment(double time, double span, char text[DLQ_TEXT_NUMBER + 4])
{
    char number[DLQ_TEXT_NUMBER];
    if (time < 100 * span)
        return dlq_quantity_readable(time, DLQ_UNIT_TIME, 3, text);
    snprintf(text, DLQ_TEXT_NUMBER + 4, "%s s", dlq_text_fixed(time, dlq_text_decimals(span, 2), number));
    return text;
}

#define MOMENT(time, span) say_moment((time), (span), (char[DLQ_TEXT_NUMBER + 4]){0})

/* -- the title -- */

/* The trainer counts as busy if less than this share of the time is idle, as in the verdict of solve. */
static const double little_idle = 0.05;
/* The idle share of the shown time is named only if it differs by more from that of the whole run. */
static const double idle_apart = 0.02;
/* The cv of loads above which variance is named as hiding a rhythm. */
static const double hiding_cv = 0.1;

/* Whether training halts regularly: in logs a period is also found where the autocorrelation is weak. */
static bool halts(const struct dlq_timeline_answer *answer)
{
    static const double clear = 0.3;
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    if (rhythm->count == 0 || isnan(rhythm->period))
        return false;
    return !answer->timeline.measured || rhythm->acf[(size_t)rhythm->period] > clear;
}

size_t dlq_timeline_blurred(const struct dlq_rhythm *rhythm)
{
    static const double beyond = 3; /* times the band of chance */
    const size_t turn = rhythm->loaders > 1 && isnan(rhythm->period) ? (size_t)rhythm->loaders : 0;
    size_t largest = 2;
    if (turn == 0 || turn >= rhythm->acf_count)
        return 0;
    for (size_t lag = 2; lag < rhythm->acf_count && lag <= 4 * turn; lag++)
        largest = rhythm->acf[lag] > rhythm->acf[largest] ? lag : largest;
    return largest % turn == 0 && rhythm->acf[turn] > beyond * rhythm->band ? turn : 0;
}

static void fill_title(struct dlq_timeline_answer *answer)
{
    enum { LEAD = 160 };
    struct dlq_phrase phrase = {.text = answer->title, .size = sizeof answer->title};
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_summary *worst = &answer->summaries[answer->worst];
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    const struct dlq_description *of = &answer->description;
    const long slow = of->slow_loaders > 0 ? of->slow_loaders : of->slow_ranks;
    const bool varies = of->load_cv >= hiding_cv;
    const size_t blurred = dlq_timeline_blurred(rhythm);
    /* The idle share of the shown time, and if possible of the whole run. */
    double here = worst->span > 0 ? 1 - (worst->stepping + worst->pausing) / worst->span : NAN;
    double share = rhythm->count > 0 ? rhythm->idle : here;
    char idle[DLQ_TEXT_NUMBER], lead[LEAD] = "", shown[DLQ_TEXT_NUMBER + 8] = "";
    /* Whether the title names what limits. */
    bool limited = answer->bottleneck != DLQ_CAUSE_NONE && answer->bottleneck != DLQ_CAUSE_STEP &&
                   answer->bottleneck != DLQ_CAUSE_RECEIVE && !(share < little_idle);
    /* If loaders mostly do not load, the trainer waits for their start, not for more loaders. */
    if (answer->bottleneck == DLQ_CAUSE_LOAD && slow == 0 && worst->loading < 0.5)
        limited = false;
    snprintf(idle, sizeof idle, "%s", SHARE_OF_TIME(share));
    if (!answer->of_waits && fabs(here - share) > idle_apart)
        snprintf(shown, sizeof shown, ", here %s", SAY_SHARE(here));
    if (timeline->loader != NULL && timeline->loaders == 0 && timeline->workers > 0) {
        snprintf(lead, LEAD, "The trainer loads for itself");
        limited = false;
    } else if (share < little_idle)
        snprintf(lead, LEAD, "The loaders keep the trainer busy");
    else if (halts(answer))
        snprintf(lead, LEAD, "Training halts every %.0f batches", rhythm->period);
    else if (limited && blurred > 0)
        snprintf(lead, LEAD, "A rhythm of %zu batches, blurred (autocorrelation %.2f), %s idle", blurred,
                 rhythm->acf[blurred], idle);
    else if (limited && rhythm->count > 0 && timeline->workers > 1 && (varies || answer->out_of_phase))
        snprintf(lead, LEAD, "No rhythm, as %s hides it, yet %s idle", varies ? "variance" : "the phase of the loaders",
                 idle);
    else if (limited)
        snprintf(lead, LEAD, "Idle %s of the time%s", idle, shown);
    if (!limited) {
        dlq_phrase_add(&phrase, "%s%s %s of the time%s", lead, lead[0] != '\0' ? ": idle" : "Idle", idle, shown);
        return;
    }
    if (dlq_causes[answer->bottleneck].limit != NULL)
        dlq_phrase_add(&phrase, "%s: %s", lead, dlq_causes[answer->bottleneck].limit);
    else if (slow > 0)
        dlq_phrase_add(&phrase, "%s: %ld slow %s%s among %ld", lead, slow, of->slow_loaders > 0 ? "loader" : "rank",
                       PLURAL(slow), of->slow_loaders > 0 ? of->loaders : of->ranks);
    else
        dlq_phrase_add(&phrase, "%s: %ld loader%s of %s", lead, of->loaders, PLURAL(of->loaders),
                       SAY_TIME(of->load_mean, 3));
    dlq_phrase_add(&phrase, " can't feed a step of %s", SAY_TIME(of->step_mean, 3));
}

/* -- two orders of delivery -- */

const struct dlq_timeline_answer *dlq_timeline_delivered(const struct dlq_timeline_answer *answer, bool in_order)
{
    return answer->timeline.in_order == in_order ? answer : answer->against;
}

/* Adds "first 6 s", or "6 s from 2 s on". */
static void add_span(struct dlq_phrase *phrase, double from, double span)
{
    if (from > 0)
        dlq_phrase_add(phrase, "%s from %s on", SAY_TIME(span, 3), MOMENT(from, span));
    else
        dlq_phrase_add(phrase, "first %s", SAY_TIME(span, 3));
}

/* "One slow batch idles the trainer for 4.1 s while 14 finished ones wait: 14 batches trained in order, 55 as
   completed". */
static void fill_comparison(struct dlq_timeline_answer *answer)
{
    struct dlq_phrase phrase = {.text = answer->title, .size = sizeof answer->title};
    const struct dlq_timeline_lateness *lateness = &answer->lateness;
    const long ordered = dlq_timeline_delivered(answer, true)->summaries[answer->worst].steps,
               completed = dlq_timeline_delivered(answer, false)->summaries[answer->worst].steps;
    const bool one = lateness->count == 1, costs = completed > ordered && lateness->count > 0;
    if (completed == ordered) {
        dlq_phrase_add(&phrase, "Delivery in order costs nothing here: %s batch%s trained either way",
                       SAY_COUNT(ordered), ordered == 1 ? "" : "es");
        return;
    }
    if (costs)
        dlq_phrase_add(&phrase, "%s idle%s the trainer for %s while %s%s finished one%s wait%s: ",
                       !one                        ? "Late batches"
                       : lateness->batches[0].slow ? "One slow batch"
                                                   : "One late batch",
                       one ? "s" : "", SAY_TIME(lateness->lost, 2), one ? "" : "up to ", SAY_COUNT(lateness->held),
                       PLURAL(lateness->held), lateness->held == 1 ? "s" : "");
    dlq_phrase_add(&phrase, "%s batch%s trained in order, %s as completed", SAY_COUNT(ordered),
                   ordered == 1 ? "" : "es", SAY_COUNT(completed));
}

static enum dlq_status fill_against(struct dlq_timeline_answer *answer, struct dlq_error *error)
{
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_summary *summary = &answer->summaries[answer->worst];
    TRY(dlq_timeline_answer_fill(answer->against, error));
    answer->against->worst = answer->worst;
    const struct dlq_timeline_answer *ordered = dlq_timeline_delivered(answer, true);
    TRY(dlq_timeline_find_late(&ordered->timeline, answer->worst, &ordered->levels[answer->worst], &answer->lateness,
                               error));
    fill_comparison(answer);
    struct dlq_phrase phrase = {.text = answer->subtitle, .size = sizeof answer->subtitle};
    dlq_phrase_add(&phrase, "the same draws · ");
    if (timeline->rank_count > 1)
        dlq_phrase_add(&phrase, "rank %ld of %zu, ", summary->rank, timeline->rank_count);
    add_span(&phrase, timeline->from, summary->span);
    dlq_phrase_add(&phrase, " · %s", answer->parameters);
    return DLQ_OK;
}

/* -- the answer -- */

enum dlq_status dlq_timeline_answer_fill(struct dlq_timeline_answer *answer, struct dlq_error *error)
{
    char stalls[120], seen[DLQ_TIMELINE_SUBTITLE];
    const struct dlq_timeline *timeline = &answer->timeline;
    answer->levels = calloc(timeline->rank_count, sizeof *answer->levels);
    answer->summaries = calloc(timeline->rank_count, sizeof *answer->summaries);
    if (answer->levels == NULL || answer->summaries == NULL)
        return dlq_error_memory(error, "summing up a timeline");
    for (size_t r = 0; r < timeline->rank_count; r++) {
        TRY(dlq_timeline_queue(timeline, r, &answer->levels[r], error));
        dlq_timeline_summarize(timeline, r, &answer->levels[r], &answer->summaries[r]);
        if (answer->summaries[r].waiting > answer->summaries[answer->worst].waiting)
            answer->worst = r;
    }
    if (answer->of_path)
        TRY(dlq_timeline_find_path(timeline, &answer->path, error));
    fill_title(answer);
    /* The summary: "first 6 s: idle 4.5 s (75 %), 3 stalls, the longest 2 s, 15 batches". */
    const struct dlq_timeline_summary *summary = &answer->summaries[answer->worst];
    double idle = summary->span - summary->stepping - summary->pausing;
    struct dlq_phrase phrase = {.text = answer->parameters, .size = sizeof answer->parameters};
    if (!answer->timeline.measured) {
        dlq_parameters_add(&phrase, &answer->description, NULL);
    } else {
        phrase.separator = " · ";
        dlq_phrase_add(&phrase, "%s", answer->name);
        if (timeline->loader != NULL && timeline->workers > 0)
            dlq_phrase_add(&phrase, "%s", timeline->loader);
        dlq_phrase_add(&phrase, timeline->workers > 0 ? "%ld loader%s" : "loads not recorded", timeline->loaders,
                       PLURAL(timeline->loaders));
        if (timeline->rank_count > 1)
            dlq_phrase_add(&phrase, "%zu ranks", timeline->rank_count);
    }
    phrase = (struct dlq_phrase){.text = seen, .size = sizeof seen};
    if (timeline->rank_count > 1)
        dlq_phrase_add(&phrase, "rank %ld, ", timeline->ranks[answer->worst].number);
    add_span(&phrase, timeline->from, summary->span);
    dlq_phrase_add(&phrase, ": idle %s (%s)", SAY_TIME(idle, 2), SHARE_OF_TIME(idle / summary->span));
    if (say_stalls(summary, stalls, sizeof stalls)[0] != '\0')
        dlq_phrase_add(&phrase, ", %s", stalls);
    dlq_phrase_add(&phrase, ", %s batch%s", SAY_COUNT(summary->steps), summary->steps == 1 ? "" : "es");
    snprintf(answer->subtitle, sizeof answer->subtitle, "%s · %s", seen, answer->parameters);
    return answer->against != NULL ? fill_against(answer, error) : DLQ_OK;
}

void dlq_timeline_answer_free(struct dlq_timeline_answer *answer)
{
    for (size_t r = 0; answer->levels != NULL && r < answer->timeline.rank_count; r++)
        dlq_queue_levels_free(&answer->levels[r]);
    free(answer->levels);
    free(answer->summaries);
    dlq_rhythm_free(&answer->rhythm);
    dlq_timeline_path_free(&answer->path);
    free(answer->lateness.batches);
    if (answer->against != NULL)
        dlq_timeline_answer_free(answer->against);
    dlq_timeline_free(&answer->timeline);
}

/* -- the report -- */

/* "    loaders load               98 %   of their time" */
static void write_figure(FILE *out, const char *name, const char *figure, const char *more)
{
    char lead[120];
    snprintf(lead, sizeof lead, more[0] != '\0' ? "    %-18s%19s   " : "    %-18s%19s", name, figure);
    if (more[0] != '\0')
        dlq_text_wrap_item(out, lead, more, dlq_text_room(out));
    else
        fprintf(out, "%s\n", lead);
}

/* "    waits for data       4.4 s     74 %   in 3 stalls" */
static void write_part(FILE *out, const char *name, double seconds, double span, const char *more)
{
    char text[2 * DLQ_TEXT_NUMBER];
    snprintf(text, sizeof text, "%10s %8s", SAY_TIME(seconds < 5e-7 * span ? 0 : seconds, 3),
             SHARE_OF_TIME(seconds / span));
    write_figure(out, name, text, more);
}

void dlq_timeline_path_say(const struct dlq_timeline_path *path, size_t most, const char *separator,
                           struct dlq_phrase *phrase)
{
    static const char *const names[] = {
        [DLQ_PATH_STEP] = "steps",        [DLQ_PATH_PAUSE] = "pauses",        [DLQ_PATH_BARRIER] = "barrier",
        [DLQ_PATH_RECEIVE] = "receiving", [DLQ_PATH_DELIVERY] = "deliveries", [DLQ_PATH_LOAD] = "loads",
        [DLQ_PATH_SLOWDOWN] = "slowdown", [DLQ_PATH_STARTUP] = "start-up",    [DLQ_PATH_OTHER] = "other",
    };
    size_t order[DLQ_PATH_PARTS];
    gsl_sort_index(order, path->share, 1, DLQ_PATH_PARTS);
    for (size_t i = DLQ_PATH_PARTS; i-- > 0 && most-- > 0 && path->share[order[i]] >= 1e-3;)
        dlq_phrase_add(phrase, "%s%s %s", i + 1 < DLQ_PATH_PARTS ? separator : "", names[order[i]],
                       SAY_SHARE(path->share[order[i]]));
}

/* Writes three lines: the parts of the path, the largest first, without those below a thousandth;
   "31 slow batches (2 % of all, over twice the median load) take 46 %: batch 17 6.1 s, batch 203 5.8 s";
   "through worker 3 11 %, worker 5 10.2 %". */
static void write_path(FILE *out, const struct dlq_timeline *timeline, const struct dlq_timeline_path *path)
{
    enum { MOST = 4 };
    char text[400], rank[40] = "";
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    dlq_timeline_path_say(path, DLQ_PATH_PARTS, " · ", &phrase);
    fprintf(out, "\n  Where the time goes, on the critical path\n");
    dlq_text_wrap(out, text, 4, dlq_text_room(out));
    phrase = (struct dlq_phrase){.text = text, .size = sizeof text, .separator = ": "};
    if (path->slow_share >= 1e-3)
        dlq_phrase_add(&phrase, "%s slow batch%s (%s of all, over twice the median load) take%s %s",
                       SAY_COUNT(path->slow_count), path->slow_count > 1 ? "es" : "", SAY_SHARE(path->slow_fraction),
                       path->slow_count > 1 ? "" : "s", SAY_SHARE(path->slow_share));
    for (size_t i = 0; path->slow_share >= 1e-3 && i < path->longest_count; i++) {
        const struct dlq_path_piece *piece = &path->longest[i];
        if (piece->step < 0)
            continue;
        dlq_phrase_add(&phrase, "batch %ld %s", piece->step, SAY_TIME(piece->until - piece->from, 3));
        phrase.separator = ", ";
    }
    if (path->slow_share >= 1e-3)
        dlq_text_wrap(out, text, 4, dlq_text_columns(out));
    if (path->worker_count == 0 || timeline->rank_count * (size_t)timeline->workers < 2)
        return;
    phrase = (struct dlq_phrase){.text = text, .size = sizeof text, .separator = " · "};
    for (size_t i = 0; i < path->worker_count && i < MOST; i++) {
        const struct dlq_path_worker *worker = &path->workers[i];
        if (timeline->rank_count > 1)
            snprintf(rank, sizeof rank, "rank %ld, ", worker->rank);
        dlq_phrase_add(&phrase, "%s%s%s %ld %s", i == 0 ? "through " : "", rank,
                       timeline->measured ? "worker" : "loader", worker->worker + (timeline->measured ? 0 : 1),
                       SAY_SHARE(worker->share));
    }
    dlq_text_wrap(out, text, 4, dlq_text_columns(out));
}

static void write_head(FILE *out, bool color, const struct dlq_timeline_answer *answer)
{
    char first[sizeof answer->title + 2];
    snprintf(first, sizeof first, "%s.", answer->title);
    dlq_text_answer(out, color, first);
    if (!answer->timeline.measured)
        dlq_report_head(out, color, &answer->description, false, NULL);
    else
        dlq_text_wrap(out, answer->parameters, 0, dlq_text_columns(out));
    fputc('\n', out);
}

/* Writes what trainer, loaders and queue did. chosen_by: the run by which the rank was chosen; delivery: follows the
   span; may be empty. */
static void write_parts(FILE *out, const struct dlq_timeline_answer *answer,
                        const struct dlq_timeline_answer *chosen_by, const char *delivery)
{
    char text[160];
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_summary *summary = &answer->summaries[answer->worst];
    double span = summary->span, rest = span - summary->stepping - summary->pausing - summary->waiting -
                                        summary->receiving - summary->barrier;
    fprintf(out, "  From %s to %s%s", MOMENT(timeline->from, span), MOMENT(timeline->from + span, span), delivery);
    if (timeline->rank_count > 1)
        fprintf(out, ", rank %ld of %zu%s", timeline->ranks[answer->worst].number, timeline->rank_count,
                answer == chosen_by ? ", which waits for its data longest" : "");
    fputc('\n', out);
    snprintf(text, sizeof text, "%s batch%s trained", SAY_COUNT(summary->steps), summary->steps == 1 ? "" : "es");
    write_part(out, "steps", summary->stepping, span, text);
    if (summary->pausing > 0)
        write_part(out, "pauses", summary->pausing, span, "");
    write_part(out, "waits for data", summary->waiting, span, say_stalls(summary, text, sizeof text));
    if (summary->receiving > 0)
        write_part(out, "receives", summary->receiving, span, "");
    if (summary->barrier > 0)
        write_part(out, "waits for ranks", summary->barrier, span, "");
    if (rest > 1e-3 * span)
        write_part(out, "elsewhere", rest, span, "between a step and the next request");
    if (timeline->loaders != 0 && !isnan(summary->loading))
        write_figure(out, "loaders load", SAY_SHARE(summary->loading), "of their time");
    if (timeline->loaders != 0 && !isnan(summary->queue_mean)) {
        snprintf(text, sizeof text, "batches ready on average, at most %s", SAY_COUNT(summary->queue_most));
        write_figure(out, "queue", SAY_NUMBER(summary->queue_mean, 2), text);
    }
    if (timeline->loaders != 0 && summary->held > 0)
        write_figure(out, "held up", SAY_SHARE(summary->held), "of the waiting: loaded batches wait for a late one");
    if (answer->path.count > 0)
        write_path(out, timeline, &answer->path);
}

void dlq_timeline_report(FILE *out, bool color, const struct dlq_timeline_answer *answer)
{
    write_head(out, color, answer);
    if (answer->against == NULL) {
        write_parts(out, answer, answer, "");
        return;
    }
    write_parts(out, dlq_timeline_delivered(answer, true), answer, ", in order");
    fputc('\n', out);
    write_parts(out, dlq_timeline_delivered(answer, false), answer, ", by completion");
}

void dlq_timeline_report_rhythm(FILE *out, bool color, const struct dlq_timeline_answer *answer)
{
    char period[DLQ_TEXT_NUMBER] = "none", more[120];
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    double waits = 0;
    for (size_t i = 0; i < rhythm->count; i++)
        waits += rhythm->waits[i];
    write_head(out, color, answer);
    fprintf(out, "  %s batches", SAY_COUNT(rhythm->count));
    if (rhythm->first_step > 0)
        fprintf(out, ", from batch %s on", SAY_COUNT(rhythm->first_step));
    fputc('\n', out);
    write_figure(out, "idle", SHARE_OF_TIME(rhythm->idle), "of the time");
    write_figure(out, "wait per step", SAY_TIME(waits / (double)rhythm->count, 3), "on average");
    write_figure(out, "stalled steps", SHARE_OF_TIME(rhythm->stalled), "of all");
    snprintf(more, sizeof more, "%s",
             rhythm->acf_count > 0 ? "the autocorrelation of the waits has no clear peak" : "all waits are equal");
    const size_t blurred = dlq_timeline_blurred(rhythm);
    if (blurred > 0) {
        snprintf(period, sizeof period, "%zu", blurred);
        snprintf(more, sizeof more, "batches, blurred: the autocorrelation there is only %.2f", rhythm->acf[blurred]);
    }
    if (!isnan(rhythm->period)) {
        snprintf(period, sizeof period, "%.0f", rhythm->period);
        snprintf(more, sizeof more, "batches; the autocorrelation there is %.2f", rhythm->acf[(size_t)rhythm->period]);
    }
    write_figure(out, "rhythm", period, more);
}
