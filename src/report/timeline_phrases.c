#include "report/timeline_phrases.h"

#include "report/parameters.h"
#include "report/phrase.h"
#include "report/timeline_title.h"

#include <math.h>
#include <string.h>

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
    double idle = summary->span - summary->stepping;
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
