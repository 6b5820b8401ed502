/* A diagnosis in words: the verdict. Which cause it is, and all numbers, the study has found. */
#include "report/diagnose_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *dlq_diagnosed_time(double seconds, char text[DLQ_DIAGNOSED_SAY])
{
    _Static_assert((int)DLQ_DIAGNOSED_SAY >= (int)DLQ_QUANTITY_TEXT, "room for a quantity");
    if (seconds == 0)
        return "0";
    if (seconds >= 0.095e-3 && seconds < 0.995e-3) {
        snprintf(text, DLQ_DIAGNOSED_SAY, "%.2g ms", 1e3 * seconds); /* nobody thinks in microseconds here */
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

/* "0.31 of 0.72 s": both in one unit. */
static const char *say_part(double part, double whole, char text[2 * DLQ_DIAGNOSED_SAY])
{
    bool seconds = part >= 0.0995 || whole >= 1.995, milli = whole >= 0.995e-3;
    double factor = seconds ? 1 : milli ? 1e3 : 1e6;
    int decimals = decimals_of(factor * part);
    int others = factor * whole >= 99.5 ? 0 : decimals > 2 ? 2 : decimals;
    snprintf(text, sizeof(char[2 * DLQ_DIAGNOSED_SAY]), "%.*f of %.*f %s", decimals, factor * part, others,
             factor * whole,
             seconds ? "s"
             : milli ? "ms"
                     : "us");
    return text;
}

#define SAY DLQ_DIAGNOSED_SAY
#define TIME DLQ_DIAGNOSED_TIME
#define SHARE DLQ_DIAGNOSED_SHARE

/* A text that is written piece by piece. */
struct verdict {
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
    double iter = verdict->result->steady_iter;
    char part[2 * SAY];
    add(verdict, "%s: %s of each iteration (%s) is spent waiting for data", leads[result->severity],
        SHARE(result->lost), say_part(result->lost * iter, iter, part));
}

/* "1.8" */
static const char *gain_of(double lost, char text[SAY])
{
    double gain = 1 / (1 - lost);
    snprintf(text, SAY, "%.*f", gain < 1.195 ? 2 : gain < 9.95 ? 1 : 0, gain);
    return text;
}

#define GAIN(result) gain_of((result)->lost, (char[SAY]){0})
#define LASTING_GAIN(result) gain_of(lasting_lost(result), (char[SAY]){0})

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
    double iter = verdict->result->steady_iter;
    char part[2 * SAY];
    if (result->alone && result->one_of_several) {
        add(verdict,
            "Rank %ld hardly waits for its own data: %s of each iteration (%s). What it waits for other ranks lies in "
            "its step, which the log of one rank cannot tell from computing: the logs of all ranks would.",
            result->first_rank, SHARE(result->lost), say_part(result->lost * iter, iter, part));
        return;
    }
    if (result->alone && result->rank_told) {
        add(verdict,
            "Rank %ld hardly waits for its own data: %s of each iteration (%s). If there are other ranks, what it "
            "waits "
            "for them lies in its step, which the log of one rank cannot tell from computing: the logs of all ranks "
            "would. If there are none, a faster step is what would help.",
            result->first_rank, SHARE(result->lost), say_part(result->lost * iter, iter, part));
        return;
    }
    add_lead(verdict);
    add(verdict, ".");
    if (result->pause_share >= 0.05)
        add(verdict,
            " A pause of %s every %ld steps takes %s of the time (checkpoints, validations?): fewer of them, or "
            "shorter ones, help.",
            TIME(result->pause), result->pause_every, SHARE(result->pause_share));
    else if (result->severity == DLQ_SEVERITY_NONE)
        add(verdict, " A faster step is what would help.");
    else
        add(verdict, " Without that training could run %sx faster, no more.", GAIN(result));
    if (result->alone)
        add(verdict, " If this is one rank of several, its step holds what it waits for the others: only the logs of "
                     "all ranks tell.");
}

static void say_startup(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    if (!isnan(verdict->result->regular)) {
        add(verdict,
            "It is long waits every %.0f iterations, as a rule the starts of epochs: %ld of %s each take %s of the "
            "time; between them waiting for data takes %s. If epochs start there (a column epoch would tell), "
            "persistent_workers=True saves the start of the workers, and longer epochs save all of it; if not, "
            "something else does: the next shard, a fetch of so many batches at once, or so many loaders in turns.",
            verdict->result->regular, result->epoch_starts, TIME(result->epoch_start_mean),
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
    add(verdict, "; between them waiting for data takes %s. %s.", SHARE(result->lost),
        result->persistent ? "The workers live on already; longer epochs save that"
                           : "persistent_workers=True saves the start of the workers, longer epochs save all of it");
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

static void say_barrier(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    size_t count = 0;
    const struct dlq_rank_diagnosis *slow = NULL; /* the slowest of those that are */
    for (size_t r = 0; r < result->rank_count; r++) {
        const struct dlq_rank_diagnosis *rank = &result->ranks[r];
        count += rank->slow ? 1 : 0;
        if (rank->slow && (slow == NULL || rank->data_time.mean > slow->data_time.mean))
            slow = rank;
    }
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

/* What lasts counts: the last phase, of a run that changed. */
static double lasting_lost(const struct dlq_diagnosis *result)
{
    return isnan(result->change) ? result->lost : result->phases[1].lost;
}

/* NAN: the log does not tell. */
static double lasting_load(const struct dlq_diagnosis *result)
{
    return isnan(result->change) ? result->load_mean : result->phases[1].load;
}

/* It waited, and does so no more. */
static void say_over(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    const struct dlq_phase *before = &result->phases[0], *after = &result->phases[1];
    double loaders = result->loaders > 0 ? (double)result->loaders : result->period;
    char part[2 * SAY];
    add(verdict,
        ", nearly all of it before iteration %.0f: there %s of each was (%s). Since then it is %s: if it stays so, "
        "nothing "
        "needs to change.",
        result->change, SHARE(before->lost), say_part(before->wait, before->iter, part), SHARE(after->lost));
    if (loaders > 0 && before->lost < 0.995)
        add(verdict, " To keep up from the start %s%.0f loaders would have been needed.",
            result->loaders > 0 ? "" : "(if the rhythm is that of loaders that take turns) ",
            ceil(loaders / (1 - before->lost) - 0.05));
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
        static const char *const leads[2][3] = {
            {" If these are loaders, at least", " If these are loaders, what lasts needs at least",
             " If these are loaders, the end of the run needs at least"},
            {" At least", " What lasts needs at least", " The end of the run needs at least"},
        };
        size_t which = isnan(result->change) ? 0 : result->change > 0 ? 1 : 2;
        add(verdict, "%s %.0f%s, more where loads vary; training could run up to %sx faster.",
            leads[result->loaders > 0][which], needed, which == 0 ? " are needed" : "", LASTING_GAIN(result));
        add_assumption(verdict);
    } else if (result->slow_worker_count == 0 && isnan(result->needed)) {
        add(verdict, " With %s times as many it could run up to %sx faster; --loaders N says how many that is.",
            LASTING_GAIN(result), LASTING_GAIN(result));
        add_assumption(verdict);
    } else if (is_tie(result) && result->slow_worker_count == 0)
        add(verdict, " A few more, or a larger prefetch, could make training up to %sx faster.", LASTING_GAIN(result));
    else
        add(verdict, " Training could run up to %sx faster.", LASTING_GAIN(result));
}

/* From stall to stall. */
static void add_round(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    double come = result->period * (isnan(result->change) ? result->steady_iter : result->phases[1].iter);
    add(verdict, " %.0f batches take %s to come and %s to train on.", result->period, TIME(come),
        TIME(come * (1 - lasting_lost(result))));
}

static void say_load(struct verdict *verdict)
{
    const struct dlq_diagnosis *result = verdict->result;
    const struct dlq_worker_diagnosis *slow = result->slow_worker_count > 0 ? &result->slow_workers[0] : NULL;
    add_lead(verdict);
    if (result->over) {
        say_over(verdict);
        return;
    }
    if (!isnan(result->period))
        add(verdict, ", in a rhythm of %.0f batches", result->period);
    if (verdict->result->one_by_one) {
        add(verdict,
            ": %ld loaders load one batch at a time, %s each, and wait for one another (a lock, one reader, one disk): "
            "the first loads, which began together, ended one after the other. More loaders do not help; a faster load "
            "does, or one that the others need not wait for.",
            result->loaders, TIME(result->load_mean / (double)result->loaders));
        return;
    }
    if (verdict->result->fetches) {
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
    double load = lasting_load(result);
    const char *at_last = isnan(result->change) ? "" : "in the end ";
    if (slow != NULL && result->loaders > 1)
        add(verdict, ": worker %ld takes %s for a batch, %.1f times the median worker, and in order the others wait.",
            slow->worker, TIME(slow->load_mean), slow->factor);
    else if (is_tie(result))
        add(verdict, ": %s%ld loader%s could just keep up if every load took its mean, %s, and loads vary.", at_last,
            result->loaders, result->loaders == 1 ? "" : "s", TIME(load));
    else if (result->loaders > 0)
        add(verdict, ": %s%ld loader%s can't keep up, as a batch takes one of them %s%s.", isnan(load) ? "" : at_last,
            result->loaders, result->loaders == 1 ? "" : "s", isnan(load) ? "about " : "",
            TIME(isnan(load) ? (double)result->loaders * verdict->result->steady_iter : load));
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

/* A row for each cause. */
static const struct {
    const char *name;
    void (*say)(struct verdict *verdict);
} causes[] = {
    [DLQ_DIAGNOSIS_UNKNOWN] = {"unknown", say_unknown}, [DLQ_DIAGNOSIS_STARTUP] = {"startup", say_startup},
    [DLQ_DIAGNOSIS_STEP] = {"step", say_step},          [DLQ_DIAGNOSIS_SERIAL] = {"serial", say_serial},
    [DLQ_DIAGNOSIS_BARRIER] = {"barrier", say_barrier}, [DLQ_DIAGNOSIS_RECEIVE] = {"receive", say_receive},
    [DLQ_DIAGNOSIS_LOAD] = {"load", say_load},          [DLQ_DIAGNOSIS_VARIANCE] = {"variance", say_variance},
};

/* -- all of it -- */

void dlq_diagnosed_say(struct dlq_diagnosed *run)
{
    static const char *const severities[DLQ_SEVERITIES] = {"none", "small", "slight", "moderate", "severe"};
    const struct dlq_diagnosis *diagnosis = &run->diagnosis;
    struct verdict verdict = {diagnosis, run->verdict, sizeof run->verdict};
    run->bound_by = causes[diagnosis->cause].name;
    run->verdict[0] = '\0';
    causes[diagnosis->cause].say(&verdict);
    if (!isnan(diagnosis->lost) && diagnosis->enough == DLQ_HARDLY_ENOUGH)
        add(&verdict, " That is from %ld iterations alone, too few to be sure.", diagnosis->iterations);
    dlq_diagnosed_note(run);
    run->severity = severities[diagnosis->severity];
    run->threshold_count = DLQ_SEVERITIES;
    for (int i = 0; i < DLQ_SEVERITIES; i++)
        run->thresholds[i] = (struct dlq_threshold){severities[i], dlq_severity_from((enum dlq_severity)i)};
}
