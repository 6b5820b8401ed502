#include "timeline_title.h"

#include "timeline_phrases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this share of the time without a step the trainer counts as busy, as in the verdict of solve. */
static const double busy = 0.05;
/* Loads that vary less are said to jitter. */
static const double little = 0.1;

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
    return summary->span > 0 ? 1 - summary->stepping / summary->span : NAN;
}

/* "7 loaders of 2 s can't feed a 100 ms step": what binds, by its name among the bounds. */
static const struct {
    const char *bottleneck, *words;
} limits[] = {
    {"window", "the window of batches in flight"},
    {"cores", "the cores of the host"},
    {"host_bandwidth", "the bandwidth of the host"},
    {"storage", "the bandwidth of the storage"},
    {"pin", "the pinning of batches"},
};

static long setting_of(const struct dlq_model *model, const char *key)
{
    struct dlq_setting setting;
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++)
        if (strcmp(setting.section, "pipeline") == 0 && strcmp(setting.key, key) == 0)
            return strtol(setting.value, NULL, 10);
    return 0;
}

static const char *limit_of(const struct dlq_timeline_answer *answer, char *text, size_t size)
{
    char load[DLQ_TEXT_NUMBER];
    const struct dlq_description *of = &answer->description;
    long slow_ranks = setting_of(answer->model, "slow_ranks"), slow_loaders = setting_of(answer->model, "slow_loaders");
    if (slow_loaders > 0)
        snprintf(text, size, "%ld slow loader%s among %ld", slow_loaders, slow_loaders == 1 ? "" : "s", of->loaders);
    else if (slow_ranks > 0)
        snprintf(text, size, "%ld slow rank%s among %ld", slow_ranks, slow_ranks == 1 ? "" : "s", of->ranks);
    else
        snprintf(text, size, "%ld loader%s of %s", of->loaders, of->loaders == 1 ? "" : "s",
                 dlq_text_time(of->load_mean, 3, load));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(answer->bottleneck, limits[i].bottleneck) == 0)
            snprintf(text, size, "%s", limits[i].words);
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
    return finding->answer->timeline.loader != NULL && finding->answer->timeline.loaders == 0;
}

static void say_serial(const struct finding *finding, char *text, size_t size)
{
    snprintf(text, size, "The trainer loads for itself: idle %s of the time", finding->share);
}

static bool is_busy(const struct finding *finding)
{
    return finding->idle < busy;
}

/* What is shown may be a bad moment, the beginning above all. */
static void add_here(const struct finding *finding, char *text, size_t size)
{
    char share[DLQ_TEXT_NUMBER];
    double here = 1 - finding->worst->stepping / finding->worst->span;
    size_t used = strlen(text);
    if (here - finding->idle > 2 * busy)
        snprintf(text + used, size - used, ", here %s", dlq_text_share(here, 2, share));
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
    const char *bottleneck = finding->answer->bottleneck;
    return bottleneck != NULL && strcmp(bottleneck, "step") != 0 && strcmp(bottleneck, "receive") != 0;
}

/* In logs a rhythm is told from far weaker signs, of which a halt is none. */
static bool halts(const struct finding *finding)
{
    static const double clear = 0.3;
    const struct dlq_rhythm *rhythm = &finding->answer->rhythm;
    if (isnan(rhythm->period))
        return false;
    return !finding->answer->timeline.measured || rhythm->acf[(size_t)rhythm->period] > clear;
}

static void say_halts(const struct finding *finding, char *text, size_t size)
{
    char limit[120], step[80];
    double period = finding->answer->rhythm.period;
    if (is_limited(finding))
        snprintf(text, size, "Training halts every %.0f batches: %s can't feed %s", period,
                 limit_of(finding->answer, limit, sizeof limit), step_of(finding->answer, step, sizeof step));
    else
        snprintf(text, size, "Training halts every %.0f batches: idle %s of the time", period, finding->share);
}

/* Nothing hides it: a single loader, say. */
static bool waits_always(const struct finding *finding)
{
    const struct dlq_timeline_answer *answer = finding->answer;
    return is_limited(finding) && !answer->out_of_phase && answer->description.load_cv < little &&
           answer->rhythm.count > 0 && answer->rhythm.stalled > 0.9;
}

static void say_always(const struct finding *finding, char *text, size_t size)
{
    char limit[120], step[80];
    snprintf(text, size, "Nearly every step waits: %s can't feed %s", limit_of(finding->answer, limit, sizeof limit),
             step_of(finding->answer, step, sizeof step));
}

static void say_limited(const struct finding *finding, char *text, size_t size)
{
    char limit[120];
    snprintf(text, size, "No rhythm, yet %s idle: %s, %s", finding->share, mask_of(finding->answer),
             limit_of(finding->answer, limit, sizeof limit));
}

static bool receives(const struct finding *finding)
{
    return finding->worst->receiving > finding->worst->waiting + finding->worst->barrier;
}

static void say_receives(const struct finding *finding, char *text, size_t size)
{
    snprintf(text, size, "Receiving its batches keeps the trainer from stepping: idle %s of the time", finding->share);
}

static bool waits_for_ranks(const struct finding *finding)
{
    return finding->worst->barrier > finding->worst->waiting;
}

static void say_ranks(const struct finding *finding, char *text, size_t size)
{
    snprintf(text, size, "Ranks wait for one another: idle %s of the time", finding->share);
    add_here(finding, text, size);
}

static bool is_held(const struct finding *finding)
{
    return finding->worst->held >= 0.5;
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
    if (rhythm->count > 0 && rhythm->stalled > 0.9)
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
    {is_serial, say_serial},      {is_busy, say_busy},        {receives, say_receives},
    {halts, say_halts},           {waits_always, say_always}, {is_limited, say_limited},
    {waits_for_ranks, say_ranks}, {is_held, say_held},        {always, say_idle},
};

void dlq_timeline_title_fill(struct dlq_timeline_answer *answer)
{
    struct finding finding = {.answer = answer, .worst = &answer->summaries[answer->worst], .idle = idle_of(answer)};
    dlq_timeline_share(finding.idle, finding.idle < 0.0995 ? 1 : 2, finding.share);
    size_t i = 0;
    while (!findings[i].fits(&finding))
        i++;
    findings[i].say(&finding, answer->title, sizeof answer->title);
}
