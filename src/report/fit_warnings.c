/* What to mind with a fit, in words. The study has found what holds, and the numbers. */
#include "report/fit_report.h"

#include <stdarg.h>
#include <string.h>

static void note(char text[DLQ_FIT_TEXT], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a note, after what is there. */
static void note(char text[DLQ_FIT_TEXT], const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    if (used > 0 && used + 2 < DLQ_FIT_TEXT) {
        memcpy(text + used, "; ", 3);
        used += 2;
    }
    va_start(arguments, format);
    vsnprintf(text + used, DLQ_FIT_TEXT - used, format, arguments);
    va_end(arguments);
}

static void say_spread(char text[DLQ_FIT_TEXT], const double numbers[3])
{
    char least[40] = "next to nothing";
    if (numbers[2] > 0)
        snprintf(least, sizeof least, "at least %.3g s", numbers[2]);
    note(
        text,
        "the log does not show how much loads vary: at most %.3g s, if they do not vary; if they vary by a cv of up to "
        "%.0f, %s; a slow tail would leave less",
        numbers[0], numbers[1], least);
}

static void say_note(char text[DLQ_FIT_TEXT], const struct dlq_fit *fit, const struct dlq_fit_note *it)
{
    switch (it->kind) {
    case DLQ_NOTE_LOADERS_SEEN:
        note(text, "%.0f loaders, it seems: the waits have that period; or so many batches are fetched at once",
             it->numbers[0]);
        break;
    case DLQ_NOTE_RHYTHM:
        note(text, "the waits have a period of %.0f, as if so many batches were fetched at once", it->numbers[0]);
        break;
    case DLQ_NOTE_SHORTENED:
        note(text, "from the last %.0f iterations of the log", it->numbers[0]);
        break;
    case DLQ_NOTE_KEEPS_UP:
        note(text,
             "the trainer waited in %.0f of %.0f iterations: that the loaders keep up shows only that a load takes no "
             "more than loaders x iteration time; to know more, time the loader alone",
             it->numbers[0], it->numbers[1]);
        break;
    case DLQ_NOTE_FEW_LONG:
        note(text,
             "the trainer waits for few very long loads; the others are known by upper bounds alone in %.0f %% of the "
             "batches",
             100 * it->numbers[0]);
        break;
    case DLQ_NOTE_MATCHED:
        note(text,
             "mean and spread of the loads are those with which a simulation of %s shows the waits of the log; their "
             "distribution is assumed",
             fit->loader);
        break;
    case DLQ_NOTE_SPREAD_UNKNOWN:
        say_spread(text, it->numbers);
        break;
    case DLQ_NOTE_SERIAL:
        note(text, "without loaders the wait is the load%s",
             it->numbers[0] > 0 ? "; how much single loads vary is told by the means" : "");
        break;
    case DLQ_NOTE_NO_DATA_TIMES:
        note(text, "the log shows no data times: a load takes at most loaders x iteration time; log the time that the "
                   "trainer waits for each batch");
        break;
    case DLQ_NOTE_HARDLY_WAITS:
        note(text,
             "the trainer hardly waits (%.2g %% of the time): that shows only that a load takes no more than loaders x "
             "iteration time; to know more, time the loader alone",
             100 * it->numbers[0]);
        break;
    case DLQ_NOTE_TOTALS:
        note(text, "from totals, as if all loads took the same time: loads that vary lose throughput to batches out of "
                   "order, so that the true mean is less");
        break;
    }
}

const char *dlq_fit_notes_say(const struct dlq_fit *fit, char text[DLQ_FIT_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; i < fit->note_count; i++)
        say_note(text, fit, &fit->notes[i]);
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
