/* The verdict in words. */
#include "base/quantity.h"
#include "study/diagnose_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *dlq_say_time(double seconds, char text[DLQ_SAY])
{
    _Static_assert((int)DLQ_SAY >= (int)DLQ_QUANTITY_TEXT, "room for a quantity");
    if (seconds == 0)
        return "0";
    if (seconds >= 0.095e-3 && seconds < 0.995e-3) {
        snprintf(text, DLQ_SAY, "%.2g ms", 1e3 * seconds); /* nobody thinks in microseconds here */
        return text;
    }
    dlq_quantity_readable(seconds, DLQ_UNIT_TIME, seconds < 10 ? 2 : 3, text);
    return text;
}

/* Decimals that show two digits. */
static int decimals_of(double value)
{
    return value >= 9.95 || value == 0 ? 0 : value >= 0.995 ? 1 : value >= 0.0995 ? 2 : 3;
}

const char *dlq_say_part(double part, double whole, char text[2 * DLQ_SAY])
{
    bool seconds = part >= 0.0995 || whole >= 1.995, milli = whole >= 0.995e-3;
    double factor = seconds ? 1 : milli ? 1e3 : 1e6;
    int decimals = decimals_of(factor * part);
    int others = factor * whole >= 99.5 ? 0 : decimals > 2 ? 2 : decimals;
    snprintf(text, sizeof(char[2 * DLQ_SAY]), "%.*f of %.*f %s", decimals, factor * part, others, factor * whole,
             seconds ? "s"
             : milli ? "ms"
                     : "us");
    return text;
}

#define TIME(seconds) dlq_say_time((seconds), (char[DLQ_SAY]){0})
#define SHARE(share) dlq_quantity_share((share), (char[DLQ_QUANTITY_TEXT]){0})

/* A text that grows. */
struct verdict {
    const struct dlq_inquiry *inquiry;
    const struct dlq_diagnosis *result;
    char *text;
    size_t size;
};

static void add(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct verdict *verdict, const char *format, ...)
{
    size_t used = strlen(verdict->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->text + used, verdict->size - used, format, arguments);
    va_end(arguments);
}

/* "Loading is the bottleneck: 43 % of each iteration (0.31 of 0.72 s) is spent waiting for data" */
static void add_lead(struct verdict *verdict)
{
    static const char *const leads[DLQ_SEVERITIES] = {
        [DLQ_SEVERITY_NONE] = "Loading is not the bottleneck",
        [DLQ_SEVERITY_SMALL] = "Loading is not the bottleneck",
        [DLQ_SEVERITY_SLIGHT] = "Loading slows training down a little",
        [DLQ_SEVERITY_MODERATE] = "Loading slows training down",
        [DLQ_SEVERITY_SEVERE] = "Loading is the bottleneck",
    };
    const struct dlq_diagnosis *result = verdict->result;
    double iter = verdict->inquiry->steady_iter;
    char part[2 * DLQ_SAY];
    add(verdict, "%s: %s of each iteration (%s) is spent waiting for data", leads[result->severity],
        SHARE(result->lost), dlq_say_part(result->lost * iter, iter, part));
}

/* "1.8" */
static const char *gain_of(const struct dlq_diagnosis *result, char text[DLQ_SAY])
{
    double gain = 1 / (1 - result->lost);
    snprintf(text, DLQ_SAY, "%.*f", gain < 1.195 ? 2 : gain < 9.95 ? 1 : 0, gain);
    return text;
}

#define GAIN(result) gain_of((result), (char[DLQ_SAY]){0})

static bool has_step(const struct dlq_diagnosis *result)
{
    return result->lost < 0.995;
}

static void say_unknown(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    if (!result->has_data)
        add(verdict,
            "The log shows iteration times alone (%s on average), which can't tell waiting from computing. Run a few "
            "hundred steps on one batch that is kept (synthetic data): what that saves is what loading costs. Or log "
            "the waits, with python/dlqueue_probe.py or torch.profiler.",
            TIME(result->iter_time.mean));
    else if (isnan(result->iter_time.mean))
        add(verdict,
            "The log shows how long training waits for data (%s on average), but not how long an iteration takes: log "
            "that too.",
            TIME(result->data_time.mean));
    else if (isnan(result->ratio))
        add(verdict, "All times in the log are 0: it says nothing.");
    else
        add(verdict,
            "The log has %ld iteration%s%s, too few to tell whether training waits for its data: log 20 or more.",
            result->iterations, result->iterations == 1 ? "" : "s",
            result->epoch_starts > 0 ? ", those that wait for the loaders to start among them" : "");
}

static void say_step(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    const struct dlq_trace *trace = verdict->inquiry->trace;
    bool alone = result->rank_count == 1 && !verdict->inquiry->waits_for_all && trace->shared.world != 1;
    /* A rank 0 in a column may be all that there is: programs write it everywhere. */
    bool several = trace->shared.world > 1 || trace->named || (trace->rank_told && trace->ranks[0].number > 0);
    double iter = verdict->inquiry->steady_iter;
    char part[2 * DLQ_SAY];
    if (alone && several) {
        add(verdict,
            "Rank %ld hardly waits for its own data: %s of each iteration (%s). What it waits for other ranks lies in "
            "its step, which the log of one rank cannot tell from computing: the logs of all ranks would.",
            trace->ranks[0].number, SHARE(result->lost), dlq_say_part(result->lost * iter, iter, part));
        return;
    }
    if (alone && trace->rank_told) {
        add(verdict,
            "Rank %ld hardly waits for its own data: %s of each iteration (%s). If there are other ranks, what it "
            "waits "
            "for them lies in its step, which the log of one rank cannot tell from computing: the logs of all ranks "
            "would. If there are none, a faster step is what would help.",
            trace->ranks[0].number, SHARE(result->lost), dlq_say_part(result->lost * iter, iter, part));
        return;
    }
    add_lead(verdict);
    add(verdict, ".");
    if (result->severity == DLQ_SEVERITY_NONE)
        add(verdict, " A faster step is what would help.");
    else
        add(verdict, " Without that training could run %sx faster, no more.", GAIN(result));
    if (alone)
        add(verdict, " If this is one rank of several, its step holds what it waits for the others: only the logs of "
                     "all ranks tell.");
}

static void say_startup(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    if (!isnan(verdict->inquiry->regular)) {
        add(verdict,
            "It is long waits every %.0f iterations, as a rule the starts of epochs: %ld of %s each take %s of the "
            "time; between them waiting for data takes %s. If epochs start there (a column epoch would tell), "
            "persistent_workers=True saves the start of the workers, and longer epochs save all of it; if not, "
            "something else does: the next shard, a fetch of so many batches at once, or so many loaders in turns.",
            verdict->inquiry->regular, result->epoch_starts, TIME(result->epoch_start_mean),
            SHARE(result->epoch_start_cost), SHARE(result->lost));
        return;
    }
    if (result->epoch_starts == 1) {
        add(verdict, "Only the start waits: the first batch takes %s, %s of the time in this log",
            TIME(result->epoch_start_mean), SHARE(result->epoch_start_cost));
        add(verdict, "; after it, waiting for data takes %s. In a long run that is nothing.", SHARE(result->lost));
        return;
    }
    add(verdict, "It is the starts of epochs that wait: %ld first batches of %s each take %s of the time",
        result->epoch_starts, TIME(result->epoch_start_mean), SHARE(result->epoch_start_cost));
    add(verdict,
        "; between them waiting for data takes %s. persistent_workers=True saves the start of the workers, longer "
        "epochs save all of it.",
        SHARE(result->lost));
}

/* A log is of one number of loaders. */
static void add_assumption(struct verdict *verdict)
{
    add(verdict, " That assumes that a load takes as long with more loaders, which this log cannot show: where they "
                 "share cores, storage or a lock it takes longer. One short run with another number of them tells.");
}

static void say_serial(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    add_lead(verdict);
    add(verdict, ": the training process loads each batch itself (%s), and nothing is loaded while it computes.",
        TIME(result->load_mean));
    if (has_step(result) && result->needed < 1000) {
        add(verdict, " Loader workers in the background (num_workers), at least %.0f, could make it up to %sx faster.",
            fmax(1, ceil(result->needed - 0.05)), GAIN(result));
        add_assumption(verdict);
    }
}

static const struct dlq_rank_diagnosis *slowest_rank(const struct dlq_diagnosis *result)
{
    const struct dlq_rank_diagnosis *slowest = NULL;
    for (size_t r = 0; r < result->rank_count; r++)
        if (result->ranks[r].slow && (slowest == NULL || result->ranks[r].data_time.mean > slowest->data_time.mean))
            slowest = &result->ranks[r];
    return slowest;
}

static size_t slow_ranks(const struct dlq_diagnosis *result)
{
    size_t count = 0;
    for (size_t r = 0; r < result->rank_count; r++)
        count += result->ranks[r].slow ? 1 : 0;
    return count;
}

static void say_barrier(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    size_t count = slow_ranks(result);
    const struct dlq_rank_diagnosis *slow = slowest_rank(result);
    double own = isnan(result->steady_ratio) ? result->ratio : result->steady_ratio;
    if (count > 1)
        add(verdict,
            "%zu ranks hold the others up, rank %ld most: it waits %s for each batch, the median rank %s, and all wait "
            "for it in the step. That costs %s of an iteration: training could run %sx faster if all of them were as "
            "the "
            "others. Look at their hosts and their data.",
            count, slow->rank, TIME(slow->data_time.mean), TIME(result->median_rank_wait), SHARE(result->lost),
            GAIN(result));
    else if (slow != NULL)
        add(verdict,
            "Rank %ld holds the others up: it waits %s for each batch, the median rank %s, and all wait for it in the "
            "step. That costs %s of each iteration: training could run %sx faster. Look at that rank's host and its "
            "data.",
            slow->rank, TIME(slow->data_time.mean), TIME(result->median_rank_wait), SHARE(result->lost), GAIN(result));
    else
        add(verdict,
            "The ranks hold one another up: each waits for its own data for %s of an iteration, but the latest of "
            "them for %s, and all wait for it. Loads that vary less, a larger prefetch or more loaders would help "
            "every rank: training could run up to %sx faster.",
            SHARE(own), SHARE(result->lost), GAIN(result));
}

static void say_receive(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    add_lead(verdict);
    add(verdict,
        ", though the batches are loaded before they are asked for: receiving each takes %s. More loaders don't help; "
        "smaller batches or types (uint8 instead of float32), tensors instead of Python objects, or pinned memory do.",
        TIME(result->data_time.median));
}

static void say_variance(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    add_lead(verdict);
    if (result->loaders > 0 && !isnan(result->load_mean))
        add(verdict, ", although %ld loader%s would keep up if every load took its mean, %s", result->loaders,
            result->loaders == 1 ? "" : "s", TIME(result->load_mean));
    else
        add(verdict, ", in few iterations");
    add(verdict, ": most batches are there in time, few come very late. Training could run up to %sx faster.",
        GAIN(result));
    add(verdict, " Find what makes some loads slow; a larger prefetch, more loaders, or delivery in any order "
                 "(in_order=False) smooth them.");
}

/* As many loaders as the step needs on average, no more. */
static bool is_tie(const struct dlq_diagnosis *result)
{
    return result->loaders > 0 && result->needed < 1.05 * (double)result->loaders;
}

static void add_needed(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    double needed = ceil(result->needed - 0.05);
    if (!has_step(result))
        add(verdict, " The step takes next to nothing, so more loaders or faster loads are all that can help.");
    else if (result->slow_worker_count == 0 && needed > fmax((double)result->loaders, 1)) {
        add(verdict, " %s %.0f are needed, more where loads vary; training could run up to %sx faster.",
            result->loaders > 0 ? "At least" : "If these are loaders, at least", needed, GAIN(result));
        add_assumption(verdict);
    } else if (result->slow_worker_count == 0 && isnan(result->needed)) {
        add(verdict, " With %s times as many it could run up to %sx faster; --loaders N says how many that is.",
            GAIN(result), GAIN(result));
        add_assumption(verdict);
    } else if (is_tie(result) && result->slow_worker_count == 0)
        add(verdict, " A few more, or a larger prefetch, could make training up to %sx faster.", GAIN(result));
    else
        add(verdict, " Training could run up to %sx faster.", GAIN(result));
}

/* From stall to stall. */
static void add_round(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    double come = result->period * verdict->inquiry->steady_iter;
    add(verdict, " %.0f batches take %s to come and %s to train on.", result->period, TIME(come),
        TIME(come * (1 - result->lost)));
}

static void say_load(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    const struct dlq_worker_diagnosis *slow = result->slow_worker_count > 0 ? &result->slow_workers[0] : NULL;
    add_lead(verdict);
    if (!isnan(result->period))
        add(verdict, ", in a rhythm of %.0f batches", result->period);
    if (verdict->inquiry->one_by_one) {
        add(verdict,
            ": %ld loaders load one batch at a time, %s each, and wait for one another (a lock, one reader, one disk): "
            "the first loads, which began together, ended one after the other. More loaders do not help; a faster load "
            "does, or one that the others need not wait for.",
            result->loaders, TIME(result->load_mean / (double)result->loaders));
        return;
    }
    if (verdict->inquiry->fetches) {
        add(verdict,
            ", which %ld loader%s not make: it seems that %.0f batches are fetched at once (or make an epoch: a column "
            "epoch would tell).",
            result->loaders, result->loaders == 1 ? " does" : "s in turns do", result->period);
        add_round(verdict);
        add(verdict,
            " Faster fetches, or several at a time, help, and more loaders only where each fetches for itself: "
            "training "
            "could run up to %sx faster.",
            GAIN(result));
        return;
    }
    if (slow != NULL && result->loaders > 1)
        add(verdict, ": worker %ld takes %s for a batch, %.1f times the median worker, and in order the others wait.",
            slow->worker, TIME(slow->load_mean), slow->factor);
    else if (is_tie(result))
        add(verdict, ": %ld loader%s could just keep up if every load took its mean, %s, and loads vary.",
            result->loaders, result->loaders == 1 ? "" : "s", TIME(result->load_mean));
    else if (result->loaders > 0)
        add(verdict, ": %ld loader%s can't keep up, as a batch takes one of them %s%s.", result->loaders,
            result->loaders == 1 ? "" : "s", isnan(result->load_mean) ? "about " : "",
            TIME(isnan(result->load_mean) ? (double)result->loaders * verdict->inquiry->steady_iter
                                          : result->load_mean));
    else if (!isnan(result->period)) {
        add(verdict,
            ": %.0f loaders, it seems, that take turns and can't keep up, or as many batches that are fetched at once "
            "(--loaders N tells).",
            result->period);
        add_round(verdict);
    } else
        add(verdict, ". More loaders or faster loads would help.");
    add_needed(verdict);
}

static const struct {
    const char *bound_by;
    void (*say)(struct verdict *verdict);
} sentences[] = {
    {"unknown", say_unknown}, {"step", say_step},       {"startup", say_startup},   {"serial", say_serial},
    {"barrier", say_barrier}, {"receive", say_receive}, {"variance", say_variance}, {"load", say_load},
};

void dlq_diagnose_say(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    struct verdict verdict = {inquiry, result, result->verdict.text, sizeof result->verdict.text};
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(sentences[i].bound_by, result->verdict.bound_by) == 0)
            sentences[i].say(&verdict);
    if (!isnan(result->lost) && result->enough == DLQ_HARDLY_ENOUGH)
        add(&verdict, " That is from %ld iterations alone, too few to be sure.", result->iterations);
}
