#include "report/timeline_report.h"

#include "report/report.h"
#include "report/timeline_phrases.h"

#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 18, TIME_WIDTH = 10, SHARE_WIDTH = 9 };

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
