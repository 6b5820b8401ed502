/* A fit in words: why a replay fails, notes, warnings, cautions, and the verdict. The study has found what holds, and
   the numbers. */
#include "report/fit_report.h"

#include "report/phrase.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SAY(...) dlq_phrase_add(phrase, __VA_ARGS__)

/* -- reasons of a replay -- */

static void say_lock(const struct dlq_replay *replay, const struct dlq_reason *reason, struct dlq_phrase *phrase)
{
    SAY("%zu of %zu batches came %s late, most as a worker ended another load: loads hold the interpreter lock, which "
        "handing over needs. Without it %.3g batches/s, not %.3g. Release it in the load, or set prefetch to 1.",
        reason->count, reason->of, SAY_TIME(reason->median, 2), replay->pure, replay->measured);
}

static void say_worker(const struct dlq_replay *replay, const struct dlq_reason *reason, struct dlq_phrase *phrase)
{
    SAY("Worker %ld", reason->worker);
    if (replay->ranks > 1)
        SAY(" of rank %zu", reason->rank);
    SAY(" takes %.2g times as long as the others (median %s against %s)", reason->median / reason->other_median,
        SAY_TIME(reason->median, 2), SAY_TIME(reason->other_median, 2));
    if (reason->count > 1)
        SAY(" (%zu of the workers are slow)", reason->count);
    SAY("%s Look at its core, its host and its files.",
        reason->in_order ? ": delivery in order holds the whole pipeline to its pace." : ".");
}

static void say_cores(const struct dlq_replay *replay, const struct dlq_reason *reason, struct dlq_phrase *phrase)
{
    (void)replay;
    SAY("Loads take %.2g times as long when %.0f or more others run as when %.0f or fewer do (medians): workers share "
        "cores, memory or storage. Fewer workers would lose little; see [host] cores and bandwidth.",
        reason->median / reason->other_median, reason->many, reason->few);
}

static void say_changed(const struct dlq_replay *replay, const struct dlq_reason *reason, struct dlq_phrase *phrase)
{
    (void)replay;
    SAY("Load times drift: the median is %s in the first third of the run and %s in the last. Caches that fill, files "
        "that grow or other jobs do that; one law for all loads describes neither part.",
        SAY_TIME(reason->other_median, 2), SAY_TIME(reason->median, 2));
}

static void say_order(const struct dlq_replay *replay, const struct dlq_reason *reason, struct dlq_phrase *phrase)
{
    if (reason->in_order)
        SAY("%zu of %zu batches were delivered before one of a smaller index; %s delivers in order. Name the loader "
            "that was used, or look for batches that were skipped.",
            reason->count, reason->of, replay->loader);
    else
        SAY("The trainer waited for %zu of %zu batches while another was ready; %s delivers what is ready first. Name "
            "the loader that was used: it seems to keep an order.",
            reason->count, reason->of, replay->loader);
}

static void say_clock(const struct dlq_replay *replay, const struct dlq_reason *reason, struct dlq_phrase *phrase)
{
    static const char *const faults[DLQ_CLOCK_FAULTS] = {
        [DLQ_CLOCK_START] = "load_start before dispatched", [DLQ_CLOCK_END] = "load_end before load_start",
        [DLQ_CLOCK_RECEIVED] = "received before load_end",  [DLQ_CLOCK_REQUEST] = "received before request",
        [DLQ_CLOCK_STEP] = "step_end before received",      [DLQ_CLOCK_OVERLAP] = "loads that overlap on one worker",
    };
    const char *separator = "";
    (void)replay;
    SAY("Times that can't be, of %zu batches:", reason->of);
    for (size_t k = 0; k < DLQ_CLOCK_FAULTS; k++)
        if (reason->faults[k] > 0) {
            SAY("%s %s (%zu)", separator, faults[k], reason->faults[k]);
            separator = ",";
        }
    SAY(". Write all times from one clock.");
}

static const struct {
    const char *name;
    void (*say)(const struct dlq_replay *replay, const struct dlq_reason *reason, struct dlq_phrase *phrase);
} causes[DLQ_REASONS] = {
    [DLQ_REASON_LOCK] = {"lock", say_lock},    [DLQ_REASON_WORKER] = {"worker", say_worker},
    [DLQ_REASON_CORES] = {"cores", say_cores}, [DLQ_REASON_DRIFT] = {"drift", say_changed},
    [DLQ_REASON_ORDER] = {"order", say_order}, [DLQ_REASON_CLOCK] = {"clock", say_clock},
};

void dlq_reasons_say(const struct dlq_replay *replay, struct dlq_reason_said said[DLQ_REASONS])
{
    for (size_t i = 0; i < replay->reason_count; i++) {
        const struct dlq_reason *reason = &replay->reasons[i];
        struct dlq_phrase phrase = {.text = said[i].text, .size = sizeof said[i].text};
        said[i].cause = causes[reason->cause].name;
        said[i].text[0] = '\0';
        causes[reason->cause].say(replay, reason, &phrase);
    }
}

/* -- notes, and warnings -- */

static void say_note(struct dlq_phrase *phrase, const struct dlq_fit *fit, const struct dlq_fit_note *it)
{
    const double *numbers = it->numbers;
    char least[40] = "next to nothing";
    switch (it->kind) {
    case DLQ_NOTE_LOADERS_SEEN:
        SAY("%.0f loaders, it seems: the waits have that period; or so many batches are fetched at once", numbers[0]);
        break;
    case DLQ_NOTE_RHYTHM:
        SAY("the waits have a period of %.0f, as if so many batches were fetched at once", numbers[0]);
        break;
    case DLQ_NOTE_SHORTENED:
        SAY("from the last %.0f iterations of the log", numbers[0]);
        break;
    case DLQ_NOTE_KEEPS_UP:
        SAY("the trainer waited in %.0f of %.0f iterations: that the loaders keep up shows only that a load takes no "
            "more than loaders x iteration time; to know more, time the loader alone",
            numbers[0], numbers[1]);
        break;
    case DLQ_NOTE_FEW_LONG:
        SAY("the trainer waits for few very long loads; the others are known by upper bounds alone in %.0f %% of the "
            "batches",
            100 * numbers[0]);
        break;
    case DLQ_NOTE_MATCHED:
        SAY("mean and spread of the loads are those with which a simulation of %s shows the waits of the log; their "
            "distribution is assumed",
            fit->loader);
        break;
    case DLQ_NOTE_SPREAD_UNKNOWN:
        if (numbers[2] > 0)
            snprintf(least, sizeof least, "at least %.3g s", numbers[2]);
        SAY("the log does not show how much loads vary: at most %.3g s, if they do not vary; if they vary by a cv of "
            "up to %.0f, %s; a slow tail would leave less",
            numbers[0], numbers[1], least);
        break;
    case DLQ_NOTE_SERIAL:
        SAY("without loaders the wait is the load%s",
            numbers[0] > 0 ? "; how much single loads vary is told by the means" : "");
        break;
    case DLQ_NOTE_NO_DATA_TIMES:
        SAY("the log shows no data times: a load takes at most loaders x iteration time; log the time that the "
            "trainer waits for each batch");
        break;
    case DLQ_NOTE_HARDLY_WAITS:
        SAY("the trainer hardly waits (%.2g %% of the time): that shows only that a load takes no more than loaders x "
            "iteration time; to know more, time the loader alone",
            100 * numbers[0]);
        break;
    case DLQ_NOTE_TOTALS:
        SAY("from totals, as if all loads took the same time: loads that vary lose throughput to batches out of "
            "order, so that the true mean is less");
        break;
    }
}

const char *dlq_fit_notes_say(const struct dlq_fit *fit, char text[DLQ_FIT_TEXT])
{
    struct dlq_phrase phrase = {.text = text, .size = DLQ_FIT_TEXT, .separator = "; "};
    text[0] = '\0';
    for (size_t i = 0; i < fit->note_count; i++)
        say_note(&phrase, fit, &fit->notes[i]);
    return text;
}

struct warnings {
    char (*texts)[DLQ_FIT_TEXT];
    size_t count;
};

static void warn(struct warnings *warnings, bool holds, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void warn(struct warnings *warnings, bool holds, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (holds && warnings->count < DLQ_FIT_WARNINGS)
        vsnprintf(warnings->texts[warnings->count++], DLQ_FIT_TEXT, format, arguments);
    va_end(arguments);
}

size_t dlq_fit_warnings(const struct dlq_fit *fit, char texts[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT])
{
    struct warnings made = {.texts = texts};
    char notes[DLQ_FIT_TEXT];
    bool lock = false, stopwatch = fit->source == DLQ_FIT_STOPWATCH;
    for (size_t i = 0; fit->has_replay && i < fit->replay.reason_count; i++)
        lock = lock || fit->replay.reasons[i].cause == DLQ_REASON_LOCK;
    warn(&made, lock,
         "loads hold the interpreter lock, which no model here knows: the configuration is the pipeline without that");
    warn(&made, fit->why_not_replayed[0] != '\0', "not replayed: %s", fit->why_not_replayed);
    warn(&made, fit->prediction.refused,
         "what other settings make is predicted from the record of a single rank alone, of 20 batches or more and with "
         "the begin of each load: `dlqueue solve` simulates them by the fitted laws");
    warn(&made, fit->one_by_one,
         "loads that wait for one another are written as such that share one core (cores = 1): it stands for the lock, "
         "reader or disk, and more loaders gain nothing there");
    warn(&made, fit->step.only_bound,
         "the logs have iteration times alone: a step is no longer than one, and how much of it is waiting is unknown");
    warn(&made, fit->loaders_assumed && stopwatch, "the loaders are taken for a single fast one: give --loaders");
    warn(&made, fit->loaders_assumed && !stopwatch,
         "the logs do not tell the number of loaders: all of them are taken for a single fast one; give --loaders (and "
         "--prefetch)");
    warn(&made, fit->load.only_bound,
         "of the load time only a bound is known: the configuration is the slowest loading that fits");
    warn(&made, fit->note_count > 0, "%s", dlq_fit_notes_say(fit, notes));
    warn(&made, fit->few > 0, "fitted to %ld iterations alone, too few to be sure", fit->few);
    warn(&made, fit->missed, "the fitted model misses the measured throughput by %+.0f %%: don't rely on it",
         100 * (fit->predicted.value / fit->measured - 1));
    return made.count;
}

/* -- cautions -- */

static void say_drift(const struct dlq_fit_prediction *prediction, struct dlq_phrase *phrase)
{
    bool slower = prediction->factor > 1;
    SAY("The loads became %s times %s ", SAY_NUMBER(slower ? prediction->factor : 1 / prediction->factor, 2),
        slower ? "slower" : "faster");
    if (!prediction->stepped)
        SAY("during the run, little by little: another run may begin, and end, elsewhere.");
    else
        SAY("at batch %ld. The prediction %s.", prediction->since,
            prediction->from_change ? "is made of those from there on" : "mixes those before and after");
}

static void say_shared(const struct dlq_fit_prediction *prediction, struct dlq_phrase *phrase)
{
    if (isnan(prediction->delayed))
        SAY("This record does not tell what other cores would bring: it has no CPU times of each load, or not the "
            "number of cores. Record a run with the probe's CPU columns.");
    else if (prediction->method != NULL && strcmp(prediction->method, "cores") == 0)
        SAY("Loads share %g cores with each other and with the trainer in this prediction; in the record they were "
            "ready to run and without a core for %.0f %% of their time. Such runs differ by some 6 %% when they are "
            "repeated.",
            prediction->cores, 100 * prediction->delayed);
    else
        SAY("Loads share the cores with each other and with the trainer; they were ready to run and without a core "
            "for %.0f %% of their time. Another number of loaders changes how long they take, so this record does "
            "not tell what it would bring. Record a run with that number.",
            100 * prediction->delayed);
}

static void say_load_fixed(const struct dlq_fit_prediction *prediction, struct dlq_phrase *phrase)
{
    SAY("Assumes that %s as long with %ld loaders as with %ld.",
        prediction->blocked > 0 ? "waiting (storage, network) takes" : "a load takes", prediction->loaders,
        prediction->recorded_loaders);
    if (prediction->blocked > 0)
        return;
    SAY(" If they share cores, storage or a lock, it is slower");
    if (prediction->down_to > 0)
        SAY(", down to %s batches/s", SAY_NUMBER(prediction->down_to, 3));
    SAY(". Record a run with another number of loaders (--also), or with the probe's CPU columns.");
}

/* Those that need a number or two. */
static void say_numbers(enum dlq_caution caution, const struct dlq_fit_prediction *prediction,
                        struct dlq_phrase *phrase)
{
    if (caution == DLQ_CAUTION_FIRST_EPOCH)
        SAY("From the second epoch on loads took %s times as long as in the first: so they do in the prediction, and a "
            "long run is one of later epochs.",
            SAY_NUMBER(prediction->factor, 2));
    else if (caution == DLQ_CAUTION_PAUSES)
        SAY("A pause of %s every %ld steps takes %.0f %% of the time: the prediction keeps it.",
            SAY_TIME(prediction->pause, 2), prediction->pause_every, 100 * prediction->pause_share);
    else if (caution == DLQ_CAUTION_EPOCHS)
        SAY("Long waits every %ld batches look like starts of epochs that the log does not mark. The prediction leaves "
            "them out: a column epoch would tell.",
            prediction->epoch_every);
    else if (caution == DLQ_CAUTION_RANK)
        SAY("The run had %ld ranks: this rank's waits may be the others'. Give the files of all.", prediction->world);
    else if (caution == DLQ_CAUTION_EVEN)
        SAY("As many loads ran all the time. If they share cores, storage or a lock, this record cannot show it, and "
            "with %ld loaders they take another time than with %ld.",
            prediction->loaders, prediction->recorded_loaders);
    else
        SAY("The interval rests on %ld slow batches.", prediction->slow);
}

/* A row for each: what it is called, and what it says, or who says that. */
static const struct {
    const char *name, *text;
    void (*say)(const struct dlq_fit_prediction *prediction, struct dlq_phrase *phrase);
} cautions[DLQ_CAUTIONS] = {
    [DLQ_CAUTION_LOCK] = {"lock",
                          "Loads exclude one another (a lock, one reader, one disk): only one makes headway at a time, "
                          "and no number of loaders helps.",
                          NULL},
    [DLQ_CAUTION_SLOWER] = {"slower-when-more", "In this run loads were slower when more of them ran.", NULL},
    [DLQ_CAUTION_SHARED] = {"shared", NULL, say_shared},
    [DLQ_CAUTION_TOGETHER] = {"waits-together",
                              "Very slow loads of several workers run at the same time: something stands still for all "
                              "of them (storage, network, the host). The prediction lets it stand still as often and "
                              "as long.",
                              NULL},
    [DLQ_CAUTION_BURST] = {"burst",
                           "Slow loads run beside slow ones: they share something. Slow batches come together, and "
                           "another run may differ by more.",
                           NULL},
    [DLQ_CAUTION_ORDER] = {"order-matters",
                           "The order of the loads matters: slow batches come together, or never. Another run may "
                           "differ by more.",
                           NULL},
    [DLQ_CAUTION_DRIFT] = {"drift", NULL, say_drift},
    [DLQ_CAUTION_FIRST_EPOCH] = {"first-epoch", NULL, NULL},
    [DLQ_CAUTION_PAUSES] = {"pauses", NULL, NULL},
    [DLQ_CAUTION_EPOCHS] = {"epochs-unmarked", NULL, NULL},
    [DLQ_CAUTION_SLOW_WORKER] = {"slow-worker",
                                 "One worker was slower than the others. The prediction keeps it as slow, and takes "
                                 "any further one to be like the others: that was not measured.",
                                 NULL},
    [DLQ_CAUTION_RANK] = {"one-rank", NULL, NULL},
    [DLQ_CAUTION_LOAD_FIXED] = {"assumes-load-fixed", NULL, say_load_fixed},
    [DLQ_CAUTION_EVEN] = {"constant-concurrency", NULL, NULL},
    [DLQ_CAUTION_TAIL] = {"tail", NULL, NULL},
    [DLQ_CAUTION_STRETCHES] = {"few-stretches",
                               "Slow batches come together, and the record has few such stretches: another run may "
                               "differ by more.",
                               NULL},
};

size_t dlq_cautions_say(const struct dlq_fit_prediction *prediction, struct dlq_caution_said said[DLQ_CAUTIONS])
{
    size_t count = 0;
    for (size_t i = 0; i < DLQ_CAUTIONS && prediction->batches > 0; i++) {
        bool changed = i == DLQ_CAUTION_DRIFT || i == DLQ_CAUTION_FIRST_EPOCH;
        struct dlq_caution_said *it = &said[count];
        if (!prediction->cautions[i])
            continue;
        *it = (struct dlq_caution_said){
            .name = cautions[i].name,
            .since = changed ? (double)prediction->since : NAN,
            .factor = changed ? prediction->factor : NAN,
        };
        struct dlq_phrase phrase = {.text = it->text, .size = sizeof it->text};
        if (cautions[i].text != NULL)
            dlq_phrase_add(&phrase, "%s", cautions[i].text);
        else if (cautions[i].say != NULL)
            cautions[i].say(prediction, &phrase);
        else
            say_numbers((enum dlq_caution)i, prediction, &phrase);
        count++;
    }
    return count;
}

/* -- the verdict -- */

static void say_prediction(const struct dlq_fit *fit, struct dlq_phrase *phrase)
{
    char runs[DLQ_FIT_LINE] = "", of[64] = "";
    bool near = fabs(fit->predicted.value / fit->measured - 1) < 0.01;
    bool inside = near || (fit->measured >= fit->predicted.low && fit->measured <= fit->predicted.high);
    if (fit->predicted.high > fit->predicted.low * (1 + 1e-6))
        snprintf(runs, sizeof runs, " (95 %% of such runs: %s to %s)", SAY_NUMBER(fit->predicted.low, 4),
                 SAY_NUMBER(fit->predicted.high, 4));
    if (fit->prediction.begin > 0)
        snprintf(of, sizeof of, ", of the loads from batch %ld on,", fit->prediction.begin);
    bool comparable = !isnan(fit->measured) && fit->prediction.begin == 0;
    SAY("The fitted model%s makes %s batches/s%s%s", of, SAY_NUMBER(fit->predicted.value, 4), runs,
        comparable ? ";" : ".");
    if (comparable)
        SAY("%s %s measured%s.", SAY_NUMBER(fit->measured, 4), fit->measured == 1 ? "was" : "were",
            inside ? "" : ", which is outside");
}

/* The experiment's own answer: training takes about the longer of the two, or with no loaders both. */
static void say_stopwatches(const struct dlq_fit *fit, struct dlq_phrase *phrase)
{
    double pace = fit->load_pace, mean = fit->step.mean, now = fit->loaders > 0 ? fmax(pace, mean) : pace + mean;
    SAY(fit->loaders > 0 ? "A batch takes %s to load and %s to train on: side by side that is the longer of the two, "
                           "%s per batch (%s if they took turns)."
                         : "A batch takes %s to load and %s to train on: with a loader in the background that would "
                           "be the longer of the two, %s per batch; without one it is %s.",
        SAY_TIME(pace, 3), SAY_TIME(mean, 3), SAY_TIME(fmax(pace, mean), 3), SAY_TIME(pace + mean, 3));
    if (now > mean * 1.005)
        SAY("Loading is the bottleneck: training could run up to %sx faster.", SAY_NUMBER(now / mean, 2));
    else
        SAY("The step is the bottleneck: faster loading gains nothing.");
}

/* How many loaders would do. */
static void say_sufficient(const struct dlq_fit *fit, struct dlq_phrase *phrase)
{
    const struct dlq_estimate *range = &fit->prediction.recommended;
    bool ranges = range->high > range->low, one = fit->suffices == 1 && !ranges;
    bool less = fit->prediction.target < 0.95;
    char among[2 * DLQ_TEXT_NUMBER] = "";
    if (ranges && range->high >= 512)
        snprintf(among, sizeof among, " (at least %.0f)", range->low);
    else if (ranges)
        snprintf(among, sizeof among, " (%.0f to %.0f)", range->low, range->high);
    SAY("%ld%s loader%s keep%s the trainer busy for %s of the time%s%s%s.", fit->suffices, among, one ? "" : "s",
        one ? "s" : "", less ? SAY_SHARE(fit->prediction.target) : "95 %",
        fit->has_replay && fit->replay.epoch_batches > 0 ? ", the starts of epochs left out" : "",
        less ? "; with more of them receiving batches leaves hardly more" : "",
        fit->load.only_bound ? "; fewer may" : "");
}

const char *dlq_fit_verdict(const struct dlq_fit *fit, char text[3 * DLQ_FIT_LINE])
{
    struct dlq_phrase made = {.text = text, .size = 3 * DLQ_FIT_LINE, .separator = " "}, *phrase = &made;
    text[0] = '\0';
    if (!isnan(fit->load_pace))
        say_stopwatches(fit, phrase);
    if (!isnan(fit->predicted.value))
        say_prediction(fit, phrase);
    if (fit->loaders == 0)
        return text;
    if (!fit->loaders_known)
        SAY("How many loaders keep the trainer busy cannot be told, since the logs do not show how many there were: "
            "give --loaders <your num_workers>, and --prefetch.");
    if (fit->one_by_one)
        SAY("The loaders wait for one another (a lock, one reader, one disk): the first loads, which began together, "
            "ended one after the other. No number of loaders helps; a faster load does.");
    if (fit->rhythm > 0)
        SAY("The waits come in a rhythm of %ld batches, which is not that of %ld loader%s: it seems that %ld batches "
            "are fetched at once, and then no number of loaders follows from this log.",
            fit->rhythm, fit->loaders, fit->loaders == 1 ? "" : "s that take turns", fit->rhythm);
    if (fit->suffices > 0)
        say_sufficient(fit, phrase);
    if (fit->suffices > fit->loaders)
        SAY("That assumes that a load takes as long with more loaders, which these measurements cannot show: where "
            "they share cores, storage or a lock it takes longer. One short run with another number of them tells.");
    else if (fit->suffices == 0 && fit->most_tried > 0)
        SAY("No number of loaders up to %ld keeps the trainer busy for 95 %% of the time.", fit->most_tried);
    return text;
}
