#include "report/timeline.h"

#include "analytic/analytic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this share of the time without a step the trainer counts as busy, as in the verdict of solve. */
static const double busy = 0.05;
/* Loads that vary less are said to jitter. */
static const double little = 0.1;
/* A part of the waiting that is longer is its cause; where loading can't keep up, only nearly all of it is. */
static const double most = 0.5, nearly_all = 0.75;

/* -- the finding -- */

struct finding {
    const struct dlq_timeline_answer *answer;
    const struct dlq_timeline_summary *worst; /* of the rank that waits longest */
    double idle;
    char share[DLQ_TEXT_NUMBER];
};

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
    char load[DLQ_TEXT_NUMBER];
    const struct dlq_description *of = &answer->description;
    long slow_ranks = of->slow_ranks, slow_loaders = of->slow_loaders;
    if (slow_loaders > 0)
        snprintf(text, size, "%ld slow loader%s among %ld", slow_loaders, slow_loaders == 1 ? "" : "s", of->loaders);
    else if (slow_ranks > 0)
        snprintf(text, size, "%ld slow rank%s among %ld", slow_ranks, slow_ranks == 1 ? "" : "s", of->ranks);
    else
        snprintf(text, size, "%ld loader%s of %s", of->loaders, of->loaders == 1 ? "" : "s",
                 dlq_text_time(of->load_mean, 3, load));
    if (dlq_causes[answer->bottleneck].limit != NULL)
        snprintf(text, size, "%s", dlq_causes[answer->bottleneck].limit);
    return text;
}

static const char *step_of(const struct dlq_timeline_answer *answer, char *text, size_t size)
{
    char time[DLQ_TEXT_NUMBER];
    snprintf(text, size, "a step of %s", dlq_text_time(answer->description.step_mean, 3, time));
    return text;
}

/* What makes a bottleneck hard to see where there is no rhythm. */
static const char *mask_of(const struct dlq_timeline_answer *answer)
{
    if (answer->description.load_cv >= little)
        return "variance hides the bottleneck";
    return answer->out_of_phase ? "loaders out of phase hide the bottleneck" : "jitter hides the bottleneck";
}

static bool is_serial(const struct finding *finding)
{
    const struct dlq_timeline *timeline = &finding->answer->timeline;
    return timeline->loader != NULL && timeline->loaders == 0 && timeline->workers > 0;
}

static void say_serial(const struct finding *finding, char *text, size_t size)
{
    snprintf(text, size, "The trainer loads for itself: idle %s of the time", finding->share);
}

/* More of what is shown than what is waited for. */
static bool pauses(const struct finding *finding)
{
    return finding->worst->pausing > busy * finding->worst->span &&
           finding->worst->pausing > finding->idle * finding->worst->span;
}

static void say_pauses(const struct finding *finding, char *text, size_t size)
{
    char share[DLQ_TEXT_NUMBER], waits[DLQ_TEXT_NUMBER];
    const struct dlq_timeline_summary *worst = finding->worst;
    snprintf(text, size, "Pauses of the training take %s of this time, waits for data %s",
             dlq_text_share(worst->pausing / worst->span, share),
             dlq_timeline_share(worst->waiting / worst->span, waits));
}

static bool is_busy(const struct finding *finding)
{
    return finding->idle < busy;
}

/* What is shown may be a bad moment, the beginning above all. */
static void add_here(const struct finding *finding, char *text, size_t size)
{
    char share[DLQ_TEXT_NUMBER];
    double here = 1 - (finding->worst->stepping + finding->worst->pausing) / finding->worst->span;
    size_t used = strlen(text);
    if (!finding->answer->of_waits && here - finding->idle > 2 * busy)
        snprintf(text + used, size - used, ", here %s", dlq_text_share(here, share));
}

static void say_busy(const struct finding *finding, char *text, size_t size)
{
    char load[DLQ_TEXT_NUMBER], step[80];
    const struct dlq_description *of = &finding->answer->description;
    if (finding->answer->trace != NULL)
        snprintf(text, size, "The loaders keep the trainer busy: idle %s of the time", finding->share);
    else
        snprintf(text, size, "%ld loader%s of %s keep%s %s fed: idle %s of the time", of->loaders,
                 of->loaders == 1 ? "" : "s", dlq_text_time(of->load_mean, 3, load), of->loaders == 1 ? "s" : "",
                 step_of(finding->answer, step, sizeof step), finding->share);
    add_here(finding, text, size);
}

/* Loading can't keep up, whatever the order and the luck. */
static bool is_limited(const struct finding *finding)
{
    enum dlq_cause bottleneck = finding->answer->bottleneck;
    return bottleneck != DLQ_CAUSE_NONE && bottleneck != DLQ_CAUSE_STEP && bottleneck != DLQ_CAUSE_RECEIVE;
}

/* -- waits that begin an epoch -- */

struct starts {
    double waiting, all; /* s */
    long count;
};

static void add_wait(struct starts *starts, double wait, bool first)
{
    starts->all += wait;
    starts->waiting += first ? wait : 0;
    starts->count += first ? 1 : 0;
}

static void add_measured(struct starts *starts, const struct dlq_timeline_rank *rank)
{
    for (size_t i = 0; i < rank->stepped; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        bool first = i > 0 ? batch->epoch != batch[-1].epoch : batch->index <= 0;
        add_wait(starts, isnan(batch->request) ? 0 : batch->received - batch->request, first);
    }
}

static bool waits_at_epochs(const struct finding *finding)
{
    const struct dlq_timeline_answer *answer = finding->answer;
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    struct starts starts = {0};
    long epoch = answer->description.epoch_batches;
    if (answer->trace != NULL)
        add_measured(&starts, &answer->timeline.ranks[answer->worst]);
    for (size_t i = 0; i < rhythm->count && epoch > 0; i++)
        add_wait(&starts, rhythm->waits[i], (rhythm->first + (long)i) % epoch == 0);
    return starts.count > 1 && starts.waiting > (is_limited(finding) ? nearly_all : most) * starts.all;
}

static void say_epochs(const struct finding *finding, char *text, size_t size)
{
    snprintf(text, size, "Each epoch begins with a wait: idle %s of the time", finding->share);
}

/* -- waits in between -- */

static bool receives(const struct finding *finding)
{
    const struct dlq_rhythm *rhythm = &finding->answer->rhythm;
    double waiting = 0, receiving = 0;
    for (size_t i = 0; i < rhythm->count; i++) {
        waiting += rhythm->waits[i];
        receiving += fmin(rhythm->waits[i], finding->answer->timeline.receive);
    }
    return receiving > most * waiting;
}

static void say_receives(const struct finding *finding, char *text, size_t size)
{
    char time[DLQ_TEXT_NUMBER];
    snprintf(text, size, "Receiving each batch takes %s: idle %s of the time",
             dlq_text_time(finding->answer->timeline.receive, 3, time), finding->share);
}

/* In logs a rhythm is told from far weaker signs, of which a halt is none. */
static bool halts(const struct finding *finding)
{
    static const double clear = 0.3;
    const struct dlq_rhythm *rhythm = &finding->answer->rhythm;
    if (rhythm->count == 0 || isnan(rhythm->period))
        return false;
    return finding->answer->trace == NULL || rhythm->acf[(size_t)rhythm->period] > clear;
}

static void say_halts(const struct finding *finding, char *text, size_t size)
{
    char limit[120], step[80];
    double period = finding->answer->rhythm.period;
    bool epoch = period > (double)finding->answer->timeline.workers &&
                 period == (double)finding->answer->description.epoch_batches;
    if (is_limited(finding) && epoch)
        snprintf(text, size, "Waits repeat with each epoch of %.0f batches: %s can't feed %s", period,
                 limit_of(finding->answer, limit, sizeof limit), step_of(finding->answer, step, sizeof step));
    else if (is_limited(finding))
        snprintf(text, size, "Training halts every %.0f batches: %s can't feed %s", period,
                 limit_of(finding->answer, limit, sizeof limit), step_of(finding->answer, step, sizeof step));
    else
        snprintf(text, size, "Training halts every %.0f batches: idle %s of the time", period, finding->share);
}

/* Loads one after the other have no rhythm that anything could hide. */
static bool is_single(const struct dlq_timeline_answer *answer)
{
    return answer->timeline.workers == 1;
}

/* Nothing hides it: a single loader, say. */
static bool waits_always(const struct finding *finding)
{
    const struct dlq_timeline_answer *answer = finding->answer;
    bool bare = !answer->out_of_phase && answer->description.load_cv < little;
    return is_limited(finding) && (bare || is_single(answer)) && answer->rhythm.count > 0 &&
           answer->rhythm.stalled > 0.9;
}

static void say_always(const struct finding *finding, char *text, size_t size)
{
    char limit[120], step[80];
    snprintf(text, size, "Nearly every step waits: %s can't feed %s", limit_of(finding->answer, limit, sizeof limit),
             step_of(finding->answer, step, sizeof step));
}

/* There is no rhythm, but nothing that hides one either: epochs, or steps too few, keep it from showing. */
static bool is_plain(const struct finding *finding)
{
    const struct dlq_timeline_answer *answer = finding->answer;
    const struct dlq_description *of = &answer->description;
    bool constant = !answer->out_of_phase && of->load_cv == 0 && of->step_cv == 0;
    return is_limited(finding) && (constant || is_single(answer) || answer->rhythm.count == 0);
}

static void say_plain(const struct finding *finding, char *text, size_t size)
{
    char limit[120], step[80];
    snprintf(text, size, "Idle %s of the time: %s can't feed %s", finding->share,
             limit_of(finding->answer, limit, sizeof limit), step_of(finding->answer, step, sizeof step));
}

static void say_limited(const struct finding *finding, char *text, size_t size)
{
    char limit[120];
    snprintf(text, size, "No rhythm, yet %s idle: %s, %s", finding->share, mask_of(finding->answer),
             limit_of(finding->answer, limit, sizeof limit));
}

/* Where the start counts, as with a horizon. */
static bool waits_first(const struct finding *finding)
{
    const struct dlq_rhythm *rhythm = &finding->answer->rhythm;
    double sum = 0;
    for (size_t i = 0; i < rhythm->count; i++)
        sum += rhythm->waits[i];
    return finding->answer->trace == NULL && rhythm->count > 0 && rhythm->first == 0 &&
           rhythm->waits[0] > nearly_all * sum;
}

static void say_first(const struct finding *finding, char *text, size_t size)
{
    char time[DLQ_TEXT_NUMBER];
    snprintf(text, size, "Hardly more than the first batch is waited for, %s: idle %s of the time",
             dlq_text_time(finding->answer->rhythm.waits[0], 3, time), finding->share);
    add_here(finding, text, size);
}

static bool waits_for_ranks(const struct finding *finding)
{
    double barrier = 0, waiting = 0;
    for (size_t r = 0; r < finding->answer->timeline.rank_count; r++) {
        barrier += finding->answer->summaries[r].barrier;
        waiting += finding->answer->summaries[r].waiting;
    }
    return barrier > waiting;
}

static void say_ranks(const struct finding *finding, char *text, size_t size)
{
    snprintf(text, size, "Ranks wait for one another: idle %s of the time", finding->share);
    add_here(finding, text, size);
}

static bool is_held(const struct finding *finding)
{
    return finding->worst->held >= 0.5 && finding->worst->waiting > finding->worst->receiving;
}

static void say_held(const struct finding *finding, char *text, size_t size)
{
    snprintf(text, size, "Late batches hold up those behind them: idle %s of the time", finding->share);
    add_here(finding, text, size);
}

static bool always(const struct finding *finding)
{
    (void)finding;
    return true;
}

static void say_idle(const struct finding *finding, char *text, size_t size)
{
    const struct dlq_rhythm *rhythm = &finding->answer->rhythm;
    if (rhythm->count == 0)
        snprintf(text, size, "Idle %s of the time", finding->share);
    else if (rhythm->stalled > 0.9)
        snprintf(text, size, "Nearly every step waits for its batch: idle %s of the time", finding->share);
    else
        snprintf(text, size, "No rhythm, yet %s idle%s", finding->share,
                 finding->answer->trace == NULL ? ": the loaders are fast enough on average alone" : "");
}

/* The first that fits is the title. */
static const struct {
    bool (*fits)(const struct finding *finding);
    void (*say)(const struct finding *finding, char *text, size_t size);
} findings[] = {
    {is_serial, say_serial},   {pauses, say_pauses},     {is_busy, say_busy},        {waits_at_epochs, say_epochs},
    {receives, say_receives},  {halts, say_halts},       {waits_always, say_always}, {is_plain, say_plain},
    {is_limited, say_limited}, {waits_first, say_first}, {is_held, say_held},        {waits_for_ranks, say_ranks},
    {always, say_idle},
};

void dlq_timeline_title_fill(struct dlq_timeline_answer *answer)
{
    struct finding finding = {.answer = answer, .worst = &answer->summaries[answer->worst], .idle = idle_of(answer)};
    dlq_timeline_share(finding.idle, finding.share);
    size_t i = 0;
    while (!findings[i].fits(&finding))
        i++;
    findings[i].say(&finding, answer->title, sizeof answer->title);
}
