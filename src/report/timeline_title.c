#include "report/timeline.h"

#include "analytic/analytic.h"
#include "report/phrase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this share of the time without a step the trainer counts as busy, as in the verdict of solve. */
static const double busy = 0.05;
/* Loads that vary less are said to jitter. */
static const double little = 0.1;
/* A part of the waiting that is longer is its cause; where loading can't keep up, only nearly all of it is. */
static const double most = 0.5, nearly_all = 0.75;

/* Idle over the whole measured run, else over what is shown. */
static double idle_of(const struct dlq_timeline_answer *answer)
{
    const struct dlq_timeline_summary *summary = &answer->summaries[answer->worst];
    if (answer->rhythm.count > 0)
        return answer->rhythm.idle;
    return summary->span > 0 ? 1 - (summary->stepping + summary->pausing) / summary->span : NAN;
}

/* "7 loaders of 2 s can't feed a step of 100 ms": what binds. */
static const char *limit_of(const struct dlq_timeline_answer *answer, char *text, size_t size)
{
    const struct dlq_description *of = &answer->description;
    if (dlq_causes[answer->bottleneck].limit != NULL)
        snprintf(text, size, "%s", dlq_causes[answer->bottleneck].limit);
    else if (of->slow_loaders > 0)
        snprintf(text, size, "%ld slow loader%s among %ld", of->slow_loaders, PLURAL(of->slow_loaders), of->loaders);
    else if (of->slow_ranks > 0)
        snprintf(text, size, "%ld slow rank%s among %ld", of->slow_ranks, PLURAL(of->slow_ranks), of->ranks);
    else
        snprintf(text, size, "%ld loader%s of %s", of->loaders, PLURAL(of->loaders), SAY_TIME(of->load_mean, 3));
    return text;
}

/* What makes a bottleneck hard to see where there is no rhythm. */
static const char *mask_of(const struct dlq_timeline_answer *answer)
{
    if (answer->description.load_cv >= little)
        return "variance hides the bottleneck";
    return answer->out_of_phase ? "loaders out of phase hide the bottleneck" : "jitter hides the bottleneck";
}

/* Waits that begin an epoch are more than this part of all. */
static bool waits_at_epochs(const struct dlq_timeline_answer *answer, double part)
{
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    const struct dlq_timeline_rank *rank = &answer->timeline.ranks[answer->worst];
    double waiting = 0, all = 0; /* s */
    long count = 0, epoch = answer->description.epoch_batches;
    for (size_t i = 0; i < rank->stepped && answer->trace != NULL; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        bool first = i > 0 ? batch->epoch != batch[-1].epoch : batch->index <= 0;
        double wait = isnan(batch->request) ? 0 : batch->received - batch->request;
        all += wait;
        waiting += first ? wait : 0;
        count += first;
    }
    for (size_t i = 0; i < rhythm->count && epoch > 0; i++) {
        bool first = (rhythm->first + (long)i) % epoch == 0;
        all += rhythm->waits[i];
        waiting += first ? rhythm->waits[i] : 0;
        count += first;
    }
    return count > 1 && waiting > part * all;
}

/* In logs a rhythm is told from far weaker signs, of which a halt is none. */
static bool halts(const struct dlq_timeline_answer *answer)
{
    static const double clear = 0.3;
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    if (rhythm->count == 0 || isnan(rhythm->period))
        return false;
    return answer->trace == NULL || rhythm->acf[(size_t)rhythm->period] > clear;
}

/* Nothing hides why loading can't keep up: loads one after the other, say, have no rhythm that anything could hide. */
static bool is_bare(const struct dlq_timeline_answer *answer)
{
    return answer->timeline.workers == 1 || (!answer->out_of_phase && answer->description.load_cv < little);
}

#define SAY(...) dlq_phrase_add(phrase, __VA_ARGS__)

/* Loading can't keep up, whatever the order and the luck. */
static void say_limited(const struct dlq_timeline_answer *answer, const char *idle, struct dlq_phrase *phrase)
{
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    const struct dlq_description *of = &answer->description;
    char limit[120], step[80];
    limit_of(answer, limit, sizeof limit);
    snprintf(step, sizeof step, "a step of %s", SAY_TIME(of->step_mean, 3));
    if (halts(answer) && rhythm->period > (double)answer->timeline.workers &&
        rhythm->period == (double)of->epoch_batches)
        SAY("Waits repeat with each epoch of %.0f batches: %s can't feed %s", rhythm->period, limit, step);
    else if (halts(answer))
        SAY("Training halts every %.0f batches: %s can't feed %s", rhythm->period, limit, step);
    else if (is_bare(answer) && rhythm->count > 0 && rhythm->stalled > 0.9)
        SAY("Nearly every step waits: %s can't feed %s", limit, step);
    /* There is no rhythm, but nothing that hides one either: epochs, or steps too few, keep it from showing. */
    else if (rhythm->count == 0 || answer->timeline.workers == 1 ||
             (is_bare(answer) && of->load_cv == 0 && of->step_cv == 0))
        SAY("Idle %s of the time: %s can't feed %s", idle, limit, step);
    else
        SAY("No rhythm, yet %s idle: %s, %s", idle, mask_of(answer), limit);
}

/* Waits of the measured run: in all; what of them is receiving. */
static void add_waits(const struct dlq_timeline_answer *answer, double *waiting, double *receiving)
{
    *waiting = *receiving = 0;
    for (size_t i = 0; i < answer->rhythm.count; i++) {
        *waiting += answer->rhythm.waits[i];
        *receiving += fmin(answer->rhythm.waits[i], answer->timeline.receive);
    }
}

/* What does not depend on a bottleneck. Returns whether what is shown may be a worse moment than the run. */
static bool say_unlimited(const struct dlq_timeline_answer *answer, const char *idle, struct dlq_phrase *phrase)
{
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    const struct dlq_timeline_summary *worst = &answer->summaries[answer->worst];
    double barrier = 0, waiting = 0, sum, receiving;
    add_waits(answer, &sum, &receiving);
    for (size_t r = 0; r < answer->timeline.rank_count; r++) {
        barrier += answer->summaries[r].barrier;
        waiting += answer->summaries[r].waiting;
    }
    /* Where the start counts, as with a horizon. */
    bool first =
        answer->trace == NULL && rhythm->count > 0 && rhythm->first == 0 && rhythm->waits[0] > nearly_all * sum;
    bool held = worst->held >= 0.5 && worst->waiting > worst->receiving;
    if (halts(answer))
        SAY("Training halts every %.0f batches: idle %s of the time", rhythm->period, idle);
    else if (first)
        SAY("Hardly more than the first batch is waited for, %s: idle %s of the time", SAY_TIME(rhythm->waits[0], 3),
            idle);
    else if (held)
        SAY("Late batches hold up those behind them: idle %s of the time", idle);
    else if (barrier > waiting)
        SAY("Ranks wait for one another: idle %s of the time", idle);
    else if (rhythm->count == 0)
        SAY("Idle %s of the time", idle);
    else if (rhythm->stalled > 0.9)
        SAY("Nearly every step waits for its batch: idle %s of the time", idle);
    else
        SAY("No rhythm, yet %s idle%s", idle,
            answer->trace == NULL ? ": the loaders are fast enough on average alone" : "");
    return !halts(answer) && (first || held || barrier > waiting);
}

void dlq_timeline_title_fill(struct dlq_timeline_answer *answer)
{
    struct dlq_phrase made = {.text = answer->title, .size = sizeof answer->title}, *phrase = &made;
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_summary *worst = &answer->summaries[answer->worst];
    const struct dlq_description *of = &answer->description;
    double idle_share = idle_of(answer), waiting, receiving;
    char idle[DLQ_TEXT_NUMBER];
    bool limited = answer->bottleneck != DLQ_CAUSE_NONE && answer->bottleneck != DLQ_CAUSE_STEP &&
                   answer->bottleneck != DLQ_CAUSE_RECEIVE;
    bool or_worse = idle_share < busy; /* what is shown may be a bad moment, the beginning above all */
    dlq_timeline_share(idle_share, idle);
    add_waits(answer, &waiting, &receiving);
    if (timeline->loader != NULL && timeline->loaders == 0 && timeline->workers > 0) {
        SAY("The trainer loads for itself: idle %s of the time", idle);
        or_worse = false;
    } else if (worst->pausing > fmax(busy, idle_share) * worst->span) {
        SAY("Pauses of the training take %s of this time, waits for data %s", SAY_SHARE(worst->pausing / worst->span),
            dlq_timeline_share(worst->waiting / worst->span, (char[DLQ_TEXT_NUMBER]){0}));
        or_worse = false;
    } else if (or_worse && answer->trace != NULL)
        SAY("The loaders keep the trainer busy: idle %s of the time", idle);
    else if (or_worse)
        SAY("%ld loader%s of %s keep%s a step of %s fed: idle %s of the time", of->loaders, PLURAL(of->loaders),
            SAY_TIME(of->load_mean, 3), of->loaders == 1 ? "s" : "", SAY_TIME(of->step_mean, 3), idle);
    else if (waits_at_epochs(answer, limited ? nearly_all : most))
        SAY("Each epoch begins with a wait: idle %s of the time", idle);
    else if (receiving > most * waiting)
        SAY("Receiving each batch takes %s: idle %s of the time", SAY_TIME(timeline->receive, 3), idle);
    else if (limited)
        say_limited(answer, idle, phrase);
    else
        or_worse = say_unlimited(answer, idle, phrase);
    double here = 1 - (worst->stepping + worst->pausing) / worst->span;
    if (or_worse && !answer->of_waits && here - idle_share > 2 * busy)
        SAY(", here %s", SAY_SHARE(here));
}
