#include "timeline_report.h"

#include "dlqueue/text.h"
#include "report.h"
#include "timeline_phrases.h"

#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 18, TIME_WIDTH = 10, SHARE_WIDTH = 9 };

/* -- words -- */

/* "  waits for data       4.4 s     74 %   in 3 stalls" */
static void write_part(FILE *out, const char *name, double seconds, double span, const char *more)
{
    char time[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER];
    fprintf(out, "    %-*s%*s %*s", NAME_WIDTH, name, TIME_WIDTH, dlq_text_time(seconds, 3, time), SHARE_WIDTH - 1,
            dlq_text_share(seconds / span, 3, share));
    fprintf(out, more[0] != '\0' ? "   %s\n" : "%s\n", more);
}

static void write_trainer(FILE *out, const struct dlq_timeline_summary *summary)
{
    char stalls[120], more[160], steps[DLQ_TEXT_NUMBER];
    snprintf(more, sizeof more, "%s batch%s trained", dlq_text_fixed((double)summary->steps, 0, steps),
             summary->steps == 1 ? "" : "es");
    write_part(out, "steps", summary->stepping, summary->span, more);
    write_part(out, "waits for data", summary->waiting, summary->span,
               dlq_timeline_stalls(summary, stalls, sizeof stalls));
    if (summary->receiving > 0)
        write_part(out, "receives", summary->receiving, summary->span, "");
    if (summary->barrier > 0)
        write_part(out, "waits for ranks", summary->barrier, summary->span, "");
    double rest = summary->span - summary->stepping - summary->waiting - summary->receiving - summary->barrier;
    if (rest > 1e-3 * summary->span)
        write_part(out, "elsewhere", rest, summary->span, "between a step and the next request");
}

/* With as many digits as tell the two apart. */
static void write_span(FILE *out, double begin, double end)
{
    enum { FEWEST = 3, MOST = 9 };
    char from[DLQ_TEXT_NUMBER], until[DLQ_TEXT_NUMBER];
    for (int digits = FEWEST; digits <= MOST; digits++) {
        dlq_text_time(begin, digits, from);
        dlq_text_time(end, digits, until);
        if (strcmp(from, until) != 0)
            break;
    }
    fprintf(out, "\n\n  From %s to %s", from, until);
}

/* "    loaders load               98 %   of their time" */
static void write_figure(FILE *out, const char *name, const char *figure, const char *more)
{
    fprintf(out, "    %-*s%*s   %s\n", NAME_WIDTH, name, TIME_WIDTH + SHARE_WIDTH, figure, more);
}

/* What the trainer loads for itself is never in a queue. */
static void write_loaders(FILE *out, const struct dlq_timeline *timeline, const struct dlq_timeline_summary *summary)
{
    char figure[DLQ_TEXT_NUMBER], most[DLQ_TEXT_NUMBER], more[120];
    if (!isnan(summary->loading))
        write_figure(out, "loaders load", dlq_text_share(summary->loading, 3, figure), "of their time");
    if (!isnan(summary->queue_mean) && timeline->loaders != 0) {
        snprintf(more, sizeof more, "batches ready on average, at most %s",
                 dlq_text_fixed((double)summary->queue_most, 0, most));
        write_figure(out, "queue", dlq_text_number(summary->queue_mean, 2, figure), more);
    }
    if (summary->held > 0)
        write_figure(out, "held up", dlq_text_share(summary->held, 2, figure),
                     "of the waiting: batches are there, behind a late one");
}

void dlq_timeline_report(FILE *out, bool color, const struct dlq_timeline_answer *answer)
{
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_summary *summary = &answer->summaries[answer->worst];
    if (answer->trace == NULL)
        dlq_report_head(out, color, &answer->description);
    else
        dlq_text_wrap(out, answer->parameters, 0, DLQ_REPORT_WIDTH);
    fputc('\n', out);
    dlq_text_styled(out, color, DLQ_STYLE_BOLD, "  %s.", answer->title);
    write_span(out, timeline->from, timeline->from + summary->span);
    if (timeline->rank_count > 1)
        fprintf(out, ", rank %ld of %zu, which waits for its data longest", timeline->ranks[answer->worst].number,
                timeline->rank_count);
    fputc('\n', out);
    write_trainer(out, summary);
    write_loaders(out, timeline, summary);
}

/* -- JSON -- */

static json_t *rank_of(const struct dlq_timeline_rank *rank, const struct dlq_timeline_summary *summary)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "rank", (double)rank->number);
    dlq_object_number(&object, "steps", (double)summary->steps);
    dlq_object_number(&object, "stalls", (double)summary->stalls);
    dlq_object_number(&object, "longest_stall", summary->longest_stall);
    dlq_object_number(&object, "stepping", summary->stepping);
    dlq_object_number(&object, "waiting", summary->waiting);
    dlq_object_number(&object, "receiving", summary->receiving);
    dlq_object_number(&object, "barrier", summary->barrier);
    dlq_object_number(&object, "loading", summary->loading);
    dlq_object_number(&object, "queue_mean", summary->queue_mean);
    dlq_object_number(&object, "queue_most", (double)summary->queue_most);
    dlq_object_number(&object, "held", summary->held);
    return dlq_object_end(&object);
}

static json_t *rhythm_of(const struct dlq_rhythm *rhythm)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "steps", (double)rhythm->count);
    dlq_object_number(&object, "period", rhythm->period);
    dlq_object_number(&object, "idle", rhythm->idle);
    dlq_object_number(&object, "stalled_steps", rhythm->stalled);
    dlq_object_list(&object, "autocorrelation");
    for (size_t k = 0; rhythm->varies && k <= rhythm->lags; k++)
        dlq_object_append(&object, "autocorrelation", dlq_json_number(rhythm->acf[k]));
    return dlq_object_end(&object);
}

void dlq_timeline_put(struct dlq_object *object, const struct dlq_timeline_answer *answer)
{
    const struct dlq_timeline *timeline = &answer->timeline;
    dlq_object_text(object, "name", answer->name);
    dlq_object_text(object, "finding", answer->title);
    dlq_object_flag(object, "measured", timeline->measured);
    dlq_object_text(object, "loader", timeline->loader);
    dlq_object_number(object, "loaders", timeline->workers > 0 ? (double)timeline->loaders : NAN);
    dlq_object_number(object, "from", timeline->from);
    dlq_object_number(object, "until", timeline->until);
    dlq_object_list(object, "ranks");
    for (size_t r = 0; r < timeline->rank_count; r++)
        dlq_object_append(object, "ranks", rank_of(&timeline->ranks[r], &answer->summaries[r]));
    if (answer->rhythm.count > 0)
        dlq_object_put(object, "rhythm", rhythm_of(&answer->rhythm));
    else
        dlq_object_put(object, "rhythm", json_null());
}
