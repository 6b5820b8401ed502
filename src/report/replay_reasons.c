/* The reasons of a replay in words. The study has found which hold, and their numbers. */
#include "base/quantity.h"
#include "report/fit_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text that is written piece by piece. */
struct text {
    const struct dlq_replay *replay;
    const struct dlq_reason *reason;
    char *written;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    size_t used = strlen(text->written);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->written + used, DLQ_REASON_TEXT - used, format, arguments);
    va_end(arguments);
}

static void say_lock(struct text *text)
{
    const struct dlq_reason *reason = text->reason;
    char delay[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(reason->median, DLQ_UNIT_TIME, 2, delay);
    add(text,
        "%zu of %zu batches came %s late, most as a worker ended another load: loads hold the interpreter "
        "lock, which handing over needs. Without it %.3g batches/s, not %.3g. Release it in the load, or set prefetch "
        "to 1.",
        reason->count, reason->of, delay, text->replay->pure, text->replay->measured);
}

static void say_worker(struct text *text)
{
    const struct dlq_reason *reason = text->reason;
    char own[DLQ_QUANTITY_TEXT], others[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(reason->median, DLQ_UNIT_TIME, 2, own);
    dlq_quantity_readable(reason->other_median, DLQ_UNIT_TIME, 2, others);
    add(text, "Worker %ld", reason->worker);
    if (text->replay->ranks > 1)
        add(text, " of rank %zu", reason->rank);
    add(text, " takes %.2g times as long as the others (median %s against %s)", reason->median / reason->other_median,
        own, others);
    if (reason->count > 1)
        add(text, " (%zu of the workers are slow)", reason->count);
    add(text, "%s Look at its core, its host and its files.",
        reason->in_order ? ": delivery in order holds the whole pipeline to its pace." : ".");
}

static void say_cores(struct text *text)
{
    const struct dlq_reason *reason = text->reason;
    add(text,
        "Loads take %.2g times as long when %.0f or more others run as when %.0f or fewer do (medians): workers "
        "share cores, memory or storage. Fewer workers would lose little; see [host] cores and bandwidth.",
        reason->median / reason->other_median, reason->many, reason->few);
}

static void say_drift(struct text *text)
{
    char first[DLQ_QUANTITY_TEXT], last[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(text->reason->other_median, DLQ_UNIT_TIME, 2, first);
    dlq_quantity_readable(text->reason->median, DLQ_UNIT_TIME, 2, last);
    add(text,
        "Load times drift: the median is %s in the first third of the run and %s in the last. Caches that fill, "
        "files that grow or other jobs do that; one law for all loads describes neither part.",
        first, last);
}

static void say_order(struct text *text)
{
    const struct dlq_reason *reason = text->reason;
    if (reason->in_order)
        add(text,
            "%zu of %zu batches were delivered before one of a smaller index; %s delivers in order. Name the "
            "loader that was used, or look for batches that were skipped.",
            reason->count, reason->of, text->replay->loader);
    else
        add(text,
            "The trainer waited for %zu of %zu batches while another was ready; %s delivers what is ready "
            "first. Name the loader that was used: it seems to keep an order.",
            reason->count, reason->of, text->replay->loader);
}

static void say_clock(struct text *text)
{
    static const char *const faults[DLQ_CLOCK_FAULTS] = {
        [DLQ_CLOCK_START] = "load_start before dispatched", [DLQ_CLOCK_END] = "load_end before load_start",
        [DLQ_CLOCK_RECEIVED] = "received before load_end",  [DLQ_CLOCK_REQUEST] = "received before request",
        [DLQ_CLOCK_STEP] = "step_end before received",      [DLQ_CLOCK_OVERLAP] = "loads that overlap on one worker",
    };
    const char *separator = "";
    add(text, "Times that can't be, of %zu batches:", text->reason->of);
    for (size_t k = 0; k < DLQ_CLOCK_FAULTS; k++) {
        if (text->reason->faults[k] == 0)
            continue;
        add(text, "%s %s (%zu)", separator, faults[k], text->reason->faults[k]);
        separator = ",";
    }
    add(text, ". Write all times from one clock.");
}

static const struct {
    const char *name;
    void (*say)(struct text *text);
} causes[DLQ_REASONS] = {
    [DLQ_REASON_LOCK] = {"lock", say_lock},    [DLQ_REASON_WORKER] = {"worker", say_worker},
    [DLQ_REASON_CORES] = {"cores", say_cores}, [DLQ_REASON_DRIFT] = {"drift", say_drift},
    [DLQ_REASON_ORDER] = {"order", say_order}, [DLQ_REASON_CLOCK] = {"clock", say_clock},
};

void dlq_reasons_say(const struct dlq_replay *replay, struct dlq_reason_said said[DLQ_REASONS])
{
    for (size_t i = 0; i < replay->reason_count; i++) {
        const struct dlq_reason *reason = &replay->reasons[i];
        struct text text = {replay, reason, said[i].text};
        said[i].text[0] = '\0';
        said[i].cause = causes[reason->cause].name;
        causes[reason->cause].say(&text);
    }
}
