/* The sentences of a diagnosis: verdict and notes. src/logs/study finds the cause and computes the numbers. */
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TIME(seconds) SAY_LOG_TIME(result, seconds)
#define PART(seconds) ((seconds) > 0 ? TIME(seconds) : "0") /* before "of 720 ms", which has the unit */
/* How much faster training could be without the waits, which take the share `lost` of the time. */
#define GAIN(lost) say_gain((lost), (char[2 * DLQ_TEXT_NUMBER]){0})

static const char *say_gain(double lost, char text[2 * DLQ_TEXT_NUMBER])
{
    if (lost < dlq_calibration.all_lost)
        snprintf(text, 2 * DLQ_TEXT_NUMBER, "up to %sx", SAY_RATE(1 / (1 - lost)));
    return lost < dlq_calibration.all_lost ? text : "many times";
}

/* What the share of the verdict leaves out, and that of the table, of the whole log, does not; "": nothing. */
static const char *what_is_left_out(const struct dlq_diagnosis *result)
{
    if (result->lost_share != result->steady_ratio ||
        strcmp(SAY_SHARE(result->lost_share), SAY_SHARE(result->ratio)) == 0)
        return "";
    return result->pauses_in_data      ? ", without pauses"
           : result->epoch_starts == 1 ? ", without the start"
                                       : ", without starts of epochs";
}

/* "Loading is the bottleneck: 43 % of each iteration (310 ms of 720 ms) is spent waiting for data" */
static void add_lead(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    static const char *const leads[DLQ_SEVERITIES] = {
        [DLQ_SEVERITY_NONE] = "Loading is not the bottleneck",
        [DLQ_SEVERITY_SMALL] = "Loading is not the bottleneck",
        [DLQ_SEVERITY_SLIGHT] = "Loading slows training down a little",
        [DLQ_SEVERITY_MODERATE] = "Loading slows training down",
        [DLQ_SEVERITY_SEVERE] = "Loading is the bottleneck",
    };
    SAY(out, "%s: %s of each iteration (%s of %s%s) is spent waiting for data", leads[result->severity],
        SAY_SHARE(result->lost_share), PART(result->lost_share * result->steady_iter), TIME(result->steady_iter),
        what_is_left_out(result));
    if (!result->waits_ended && fabs(result->lasting_lost_share - result->lost_share) >= dlq_calibration.severity_small)
        SAY(out, " (in the end %s)", SAY_SHARE(result->lasting_lost_share));
}

static const char assumption[] =
    " That assumes that a load takes as long with more loaders, which this log cannot show: where they share cores, "
    "storage or a lock it takes longer. A short run with another number of loaders shows it.";

/* Describes kinds of iterations, from iteration times alone; no cause follows from them. */
static void say_kinds(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    const struct dlq_iteration_kinds *kinds = &result->kinds;
    if (kinds->every > 0)
        SAY(out,
            " An iteration of %s comes every %ld iterations, the others take %s: %s of the time. %ld loaders that "
            "cannot keep up look like that, and so do pauses every %ld steps.",
            TIME(kinds->longer), kinds->every, TIME(kinds->usual), SAY_SHARE(kinds->excess_share), kinds->every,
            kinds->every);
    else if (!isnan(kinds->excess_share))
        SAY(out,
            " Iterations are of two kinds: %s of them take about %s, the others %s, and what the long ones take more "
            "is %s of the time. Late batches look like that, and so do pauses or batches of unlike size.",
            SAY_SHARE(kinds->long_fraction), TIME(kinds->longer), TIME(kinds->usual), SAY_SHARE(kinds->excess_share));
}

static void say_unknown(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    if (!result->has_data) {
        SAY(out, "The log shows iteration times alone (%s on average), which can't tell waiting from computing.",
            TIME(result->iter_time.mean));
        say_kinds(result, out);
        SAY(out, " Run a few hundred steps on one batch that is kept (synthetic data): what that saves is what loading "
                 "costs. Or log the waits, with `dlqueue run` or torch.profiler.");
    } else if (isnan(result->iter_time.mean))
        SAY(out,
            "The log shows how long training waits for data (%s on average), but not how long an iteration takes: log "
            "that too.",
            TIME(result->data_time.mean));
    else if (isnan(result->ratio))
        SAY(out, "All times in the log are 0: it says nothing.");
    else if (result->medians && result->log_length != DLQ_LOG_TOO_SHORT)
        SAY(out,
            "The log cannot tell how long training waits for data: its waits are medians (%s of %s), which are short "
            "even where few long waits take most of the time. Record each wait with `dlqueue run`, or log means.",
            PART(result->data_time.mean), TIME(result->iter_time.mean));
    else
        SAY(out,
            "Too few iterations (%ld) to tell whether training waits for its data: log 20 or more, beside those that "
            "wait for the loaders to start.",
            result->iterations);
}

/* "A pause of 6 s every 100 steps"; at unequal distances "Pausing 20 times for 6 s". */
#define SAY_PAUSES(result) say_pauses_of((result), (char[96]){0})
static const char *say_pauses_of(const struct dlq_diagnosis *result, char text[96])
{
    if (result->pause_every > 0)
        snprintf(text, 96, "A pause of %s every %ld steps", TIME(result->pause), result->pause_every);
    else
        snprintf(text, 96, "Pausing %ld times for %s", result->pause_count, TIME(result->pause));
    return text;
}

static void say_step(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    if (result->one_rank && result->one_of_several) {
        SAY(out,
            "Rank %ld hardly waits for its own data: %s of each iteration (%s of %s). Its "
            "step includes the wait for other ranks, which the log of one rank cannot tell from computing: the logs of "
            "all ranks can.",
            result->first_rank, SAY_SHARE(result->lost_share), PART(result->lost_share * result->steady_iter),
            TIME(result->steady_iter));
        return;
    }
    add_lead(result, out);
    if (result->pause_share >= dlq_calibration.severity_slight)
        SAY(out, ". %s takes %s of the time (checkpoints, validations?): fewer of them, or shorter ones, help.",
            SAY_PAUSES(result), SAY_SHARE(result->pause_share));
    else if (result->severity == DLQ_SEVERITY_NONE)
        SAY(out, ". A faster step is what would help.");
    else
        SAY(out, ". Without that training could run %sx faster, no more.", SAY_RATE(1 / (1 - result->lost_share)));
    if (result->one_rank)
        SAY(out, " If this is one rank of several, its step includes the wait for the others: only the logs of all "
                 "ranks show it.");
}

static void say_startup(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    if (isnan(result->long_wait_every) && result->epoch_starts == 1) {
        SAY(out,
            "Training waits only at the start (%s, %s of the time); after it waiting for data takes %s. In a long run "
            "that is nothing.",
            TIME(result->epoch_start_mean), SAY_SHARE(result->epoch_start_cost), SAY_SHARE(result->lost_share));
        return;
    }
    if (!isnan(result->long_wait_every))
        SAY(out, "Training has a long wait every %.0f iterations, usually at the start of an epoch",
            result->long_wait_every);
    else if (result->long_waits == DLQ_LONG_WAITS_STARTS)
        SAY(out, "Training has long waits, all alike, as at the starts of epochs of unequal length");
    else
        SAY(out, "Training waits at the starts of epochs");
    SAY(out,
        " (%ld in the log, %s each, %s of the time); between them waiting for data takes %s.%s longer epochs save all "
        "of it.",
        result->epoch_starts, TIME(result->epoch_start_mean), SAY_SHARE(result->epoch_start_cost),
        SAY_SHARE(result->lost_share),
        result->persistent ? " The workers persist already;"
                           : " persistent_workers=True saves the start of the workers,");
}

static void say_pauses(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    SAY(out,
        "%s every %ld iterations (%ld times, %s of the time) count as data time. The first wait took %s, so "
        "workers do not take that long to start: validation or checkpoints do. Without these pauses training could run "
        "%s faster; between them waiting for data takes %s.",
        TIME(result->pause), result->pause_every, result->pause_count, SAY_SHARE(result->pause_share),
        PART(result->first_wait), GAIN(result->pause_share), SAY_SHARE(result->lost_share));
}

static void say_serial(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    add_lead(result, out);
    SAY(out, ": the training process loads each batch itself (%s), and nothing is loaded while it computes.",
        TIME(result->load_mean));
    if (result->lost_share < dlq_calibration.all_lost && result->loaders_needed < 1000)
        SAY(out, " Loader workers in the background (num_workers), at least %ld, could make it %s faster.%s",
            result->loaders_at_least > 1 ? result->loaders_at_least : 1, GAIN(result->lost_share), assumption);
}

static void say_barrier(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    size_t count = 0;
    const struct dlq_rank_diagnosis *slow = dlq_slow_rank(result);
    for (size_t r = 0; r < result->rank_count; r++)
        count += result->ranks[r].slow ? 1 : 0;
    if (slow == NULL) {
        SAY(out,
            "The ranks hold one another up: each waits for its own data for %s of an iteration, but the latest of them "
            "for %s, and all wait for it. Loads that vary less, a larger prefetch or more loaders would help every "
            "rank: training could run %s faster.",
            SAY_SHARE(isnan(result->steady_ratio) ? result->ratio : result->steady_ratio),
            SAY_SHARE(result->lost_share), GAIN(result->lost_share));
        return;
    }
    if (count > 1)
        SAY(out, "%zu ranks hold the others up, rank %ld most", count, slow->rank);
    else
        SAY(out, "Rank %ld holds the others up", slow->rank);
    SAY(out,
        ": it waits %s for each batch, the %s rank %s, and all wait for it in the step. That costs %s of each "
        "iteration: without it training could run %s faster",
        TIME(slow->steady_wait.value), result->rank_count > 2 ? "median" : "other", TIME(result->median_rank_wait),
        SAY_SHARE(result->lost_share), GAIN(result->lost_share));
    if (!isnan(result->speedup_if_alike.value))
        SAY(out, ", and with loads like those of the other ranks %sx (%s to %s, by replays of the record)",
            SAY_NUMBER(result->speedup_if_alike.value, 3), SAY_NUMBER(result->speedup_if_alike.low, 3),
            SAY_NUMBER(result->speedup_if_alike.high, 3));
    SAY(out, ". Look at its host and its data.");
}

static void say_receive(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    add_lead(result, out);
    SAY(out, ", though the batches are loaded before they are asked for: ");
    if (isnan(result->core_wait))
        SAY(out,
            "receiving each takes %s (median). Smaller batches or types (uint8 instead of float32), tensors instead of "
            "Python objects, or pinned memory help; more loaders only where loads hold the interpreter lock.",
            TIME(result->data_time.median));
    else
        SAY(out,
            "for %s of it the worker and the trainer, which hand a batch over, wait for a core. The host has too few "
            "cores for this many processes: fewer loaders, where these keep up, loads that compute less, or more cores "
            "help.",
            TIME(result->core_wait));
}

static void say_variance(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    add_lead(result, out);
    if (result->loaders > 0 && !isnan(result->load_mean)) /* in the first sentence, which advise prints, too */
        SAY(out, ", although %ld loader%s would keep up if every load took its mean, %s", result->loaders,
            PLURAL(result->loaders), TIME(result->load_mean));
    SAY(out,
        ": most batches are there in time, few come very late. Training could run %s faster. Find what makes some "
        "loads slow; a larger prefetch, more loaders, or delivery in any order (in_order=False) smooth them. The "
        "latter makes the order of the batches differ from run to run, whatever the seed.",
        GAIN(result->lost_share));
}

/* The mean iteration, s; of a run that changed, that of the last phase. */
static double lasting_iter(const struct dlq_diagnosis *result)
{
    const struct dlq_phase *last = dlq_lasting_phase(result);
    return last != NULL ? last->iter : result->steady_iter;
}

/* Adds how many loaders are needed, and the gain. */
static void add_needed(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    double lost = result->lasting_lost_share;
    bool alike = result->slow_worker_count == 0;
    char exact[64] = ""; /* of inferred loads, whose means are uncertain, surely fewer are needed than the means say */
    const long by_means = (long)fmax(0, ceil(result->loaders_needed - dlq_calibration.needed_rounding)); /* NAN: 0 */
    if (by_means > result->loaders_at_least)
        snprintf(exact, sizeof exact, " (%ld if these means are exact)", by_means);
    if (!(result->lost_share < dlq_calibration.all_lost))
        SAY(out, " The step takes next to nothing, so more loaders or faster loads are all that can help.");
    else if (result->one_line || result->log_length != DLQ_LOG_LONG_ENOUGH) /* too few iterations for a number */
        SAY(out, " Training could run %s faster.", GAIN(lost));
    else if (alike && result->loaders_at_least > (result->loaders > 1 ? result->loaders : 1))
        SAY(out, " %s least %ld are needed%s%s, more where loads vary; training could run %s faster.%s",
            result->loaders > 0 ? "At" : "If these are loaders, at", result->loaders_at_least,
            isnan(result->changed_at) ? "" : " for what lasts", exact, GAIN(lost), assumption);
    else if (alike && isnan(result->loaders_needed))
        SAY(out, " With %s times as many it could run %s faster; --loaders N says how many that is.%s",
            SAY_RATE(1 / (1 - lost)), GAIN(lost), assumption);
    else
        SAY(out, " %s could make training %s faster.",
            alike ? "A few more, or a larger prefetch," : "Loads as fast as the others", GAIN(lost));
}

/* Adds how long the batches between two stalls take. */
static void add_round(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    double come = result->period * lasting_iter(result);
    SAY(out, " %.0f batches take %s to come and %s to train on.", result->period, TIME(come),
        TIME(come * (1 - result->lasting_lost_share)));
}

static void say_load(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    const struct dlq_worker_diagnosis *slow = result->slow_worker_count > 0 ? &result->slow_workers[0] : NULL;
    const struct dlq_phase *last = dlq_lasting_phase(result);
    const char *at_last = last != NULL ? "in the end " : "";
    double load = last != NULL ? last->load : result->load_mean; /* NAN: unknown */
    add_lead(result, out);
    if (!isnan(result->period))
        SAY(out, ", in a rhythm of %.0f batches", result->period);
    if (result->one_by_one) {
        SAY(out,
            ": %ld loaders load one batch at a time, %s each, and wait for one another (a lock, one reader, one disk): "
            "the first loads, which began together, ended one after the other. More loaders do not help; a faster load "
            "does, or one that the others need not wait for.",
            result->loaders, TIME(result->load_mean / (double)result->loaders));
        return;
    }
    if (result->fetches_several) {
        SAY(out,
            ", which is not that of %ld loader%s: it seems that %.0f batches are fetched at once (or make an epoch: a "
            "column epoch would tell).",
            result->loaders, PLURAL(result->loaders), result->period);
        add_round(result, out);
        SAY(out,
            " Faster fetches, or several at a time, help, and more loaders only where each fetches for itself: "
            "training could run %s faster.",
            GAIN(result->lost_share));
        return;
    }
    if (slow != NULL && result->loaders > 1)
        SAY(out, ": worker %ld takes %s for a batch, %.1f times the median worker, and in order the others wait.",
            slow->worker, TIME(slow->load_mean), slow->factor);
    else if (result->loaders > 0 &&
             result->loaders_needed * dlq_calibration.tie < (double)result->loaders) /* barely enough */
        SAY(out, ": %s%ld loader%s could just keep up if every load took its mean, %s, and loads vary.", at_last,
            result->loaders, PLURAL(result->loaders), TIME(load));
    else if (result->loaders > 0)
        SAY(out, ": %s%s%ld loader%s can't keep up, as each batch occupies a loader for %s.", at_last,
            isnan(load) ? "if loads hardly vary, " : "", result->loaders, PLURAL(result->loaders),
            TIME(isnan(load) ? (double)result->loaders * lasting_iter(result) : load));
    else if (!isnan(result->period)) {
        SAY(out,
            ": %.0f loaders, it seems, that take turns and can't keep up, or as many batches that are fetched at once "
            "(--loaders N tells).",
            result->period);
        add_round(result, out);
    } else
        SAY(out, ". More loaders or faster loads would help.");
    add_needed(result, out);
    if (result->loaders > 0 && isnan(load) && isnan(result->period))
        SAY(out, " If loads vary much, a larger prefetch may do instead: waits without a rhythm do not tell.");
}

/* Of the phases before the last one, that in which training waited longest in sum. */
static const struct dlq_phase *worst_phase(const struct dlq_diagnosis *result)
{
    const struct dlq_phase *worst = result->phases;
    for (size_t k = 1; k + 1 < result->phase_count; k++) {
        const struct dlq_phase *phase = &result->phases[k];
        if (phase->wait * (double)(phase->until - phase->from) > worst->wait * (double)(worst->until - worst->from))
            worst = phase;
    }
    return worst;
}

/* Adds "; about 29 loaders would keep the step fed there", if that is more than there are. */
static void add_needed_there(const struct dlq_diagnosis *result, const struct dlq_phase *phase, struct dlq_phrase *out)
{
    const double needed = ceil(phase->loaders_needed - dlq_calibration.needed_rounding);
    if (phase->lost_share >= dlq_calibration.severity_slight && needed > fmax((double)result->loaders, 1))
        SAY(out, "; about %.0f loaders would keep the step fed there", needed);
}

/* Says that training waited at first, and no longer does. */
static void say_waits_ended(const struct dlq_diagnosis *result, struct dlq_phrase *out)
{
    const struct dlq_phase *worst = worst_phase(result), *last = dlq_lasting_phase(result);
    add_lead(result, out);
    if (result->drifts != 0)
        SAY(out, ": in the first tenth of the run %s (%s of %s)", SAY_SHARE(worst->lost_share), PART(worst->wait),
            TIME(worst->iter));
    else if (result->first_epoch)
        SAY(out, ", nearly all of it in the first epoch: there %s of each iteration was (%s of %s)",
            SAY_SHARE(worst->lost_share), PART(worst->wait), TIME(worst->iter));
    else
        SAY(out, ", nearly all of it from iteration %ld to %ld: there %s of each was (%s of %s)", worst->from,
            worst->until, SAY_SHARE(worst->lost_share), PART(worst->wait), TIME(worst->iter));
    add_needed_there(result, worst, out);
    if (result->drifts != 0)
        SAY(out, ". From iteration %ld on waiting takes", last->from);
    else
        SAY(out, ". %s waiting takes", result->first_epoch ? "In the later epochs" : "In the end");
    SAY(out, " %s: if that stays so, nothing needs to change.", SAY_SHARE(last->lost_share));
}

/* A row for each cause. */
static const struct {
    const char *name;
    void (*say)(const struct dlq_diagnosis *result, struct dlq_phrase *out);
} causes[] = {
    [DLQ_DIAGNOSIS_UNKNOWN] = {"unknown", say_unknown}, [DLQ_DIAGNOSIS_STARTUP] = {"startup", say_startup},
    [DLQ_DIAGNOSIS_STEP] = {"step", say_step},          [DLQ_DIAGNOSIS_SERIAL] = {"serial", say_serial},
    [DLQ_DIAGNOSIS_BARRIER] = {"barrier", say_barrier}, [DLQ_DIAGNOSIS_RECEIVE] = {"receive", say_receive},
    [DLQ_DIAGNOSIS_LOAD] = {"load", say_load},          [DLQ_DIAGNOSIS_VARIANCE] = {"variance", say_variance},
    [DLQ_DIAGNOSIS_PAUSES] = {"pauses", say_pauses},
};

/* -- notes -- */

__attribute__((format(printf, 3, 4))) static void note(struct dlq_diagnosed *run, bool holds, const char *format, ...)
{
    va_list arguments;
    if (!holds || run->note_count == DLQ_DIAGNOSIS_NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(run->notes[run->note_count++], DLQ_DIAGNOSIS_TEXT, format, arguments);
    va_end(arguments);
}

/* Notes a mean wait far above the median that costs time, if no other finding explains it. */
static void note_tail(const struct dlq_diagnosis *result, struct dlq_diagnosed *run)
{
    if (!(result->median_over_mean < dlq_calibration.far_below) ||
        !(result->tail_cost >= dlq_calibration.severity_small) || !isnan(result->period))
        return;
    if (result->epoch_starts > 0 &&
        (!(result->lost_share >= dlq_calibration.severity_small) || 2 * result->epoch_start_cost > result->tail_cost))
        return; /* note_starts explains that */
    if (result->cause == DLQ_DIAGNOSIS_LOAD || result->cause == DLQ_DIAGNOSIS_SERIAL ||
        result->cause == DLQ_DIAGNOSIS_BARRIER || result->cause == DLQ_DIAGNOSIS_PAUSES)
        return; /* the cause explains the few long waits */
    note(run, true,
         "half of the waits are %s or less, yet their mean is %s: a few very slow batches cost %s of the time",
         PART(result->data_time.median), TIME(result->data_time.mean), SAY_SHARE(result->tail_cost));
}

static void note_starts(const struct dlq_diagnosis *result, struct dlq_diagnosed *run)
{
    double rest = result->steady_ratio * result->steady_iter;
    bool long_start = result->epoch_start_mean > dlq_calibration.dominates * rest;
    if (!long_start || !(result->epoch_start_cost >= dlq_calibration.severity_small) ||
        result->cause == DLQ_DIAGNOSIS_STARTUP || result->sampled)
        return;
    if (result->epoch_starts == 1)
        note(run, true, "the start waits %s, %s of all time: waiting takes %s with it and %s without",
             TIME(result->epoch_start_mean), SAY_SHARE(result->epoch_start_cost), SAY_SHARE(result->ratio),
             SAY_SHARE(result->steady_ratio));
    else
        note(run, true,
             "starts of epochs (%ld in the log) wait %s each, %s of all time: waiting takes %s with them and %s "
             "without; %s",
             result->epoch_starts, TIME(result->epoch_start_mean), SAY_SHARE(result->epoch_start_cost),
             SAY_SHARE(result->ratio), SAY_SHARE(result->steady_ratio),
             result->persistent ? "longer epochs save that" : "persistent_workers=True saves the start of the workers");
}

static const char *trend_may_be(bool longer)
{
    return longer ? " (a cache that fills, a host that gets hot, files that grow?)" : " (a cache that warms up?)";
}

static bool is_like(const struct dlq_phase *phase, const struct dlq_phase *last)
{
    return fmax(phase->iter, last->iter) < dlq_calibration.phases_differ * fmin(phase->iter, last->iter);
}

/* Notes the phases that the verdict does not mention. */
static void note_phases(const struct dlq_diagnosis *result, struct dlq_diagnosed *run)
{
    const struct dlq_phase *last = dlq_lasting_phase(result),
                           *mentioned = result->waits_ended ? worst_phase(result) : NULL;
    note(run, !isnan(result->trend) && last == NULL, "waits get %s: %s in the first third of the run, %s in the last%s",
         result->trend > 1 ? "longer" : "shorter", TIME(result->trend_first), TIME(result->trend_last),
         trend_may_be(result->trend > 1));
    char text[DLQ_DIAGNOSIS_TEXT] = "";
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    for (const struct dlq_phase *phase = result->phases; phase < last; phase++) {
        const bool first = phrase.used == 0;
        if (phase == mentioned || (mentioned != NULL && is_like(phase, last)))
            continue;
        if (first && (result->drifts != 0 || result->first_epoch))
            SAY(&phrase, "%s",
                result->drifts > 0   ? "iterations got longer little by little: at first each took"
                : result->drifts < 0 ? "iterations got shorter little by little: at first each took"
                                     : "the first epoch was another: an iteration took");
        else
            SAY(&phrase, first ? "from iteration %ld to %ld an iteration took" : "from %ld to %ld", phase->from,
                phase->until);
        SAY(&phrase, " %s (%s%s", TIME(phase->iter), SAY_SHARE(phase->lost_share),
            first ? " of it waiting for data" : "");
        if (result->phase_count == 2)
            add_needed_there(result, phase, &phrase);
        SAY(&phrase, "), ");
    }
    if (phrase.used > 0)
        note(run, true, "%sfrom %ld on %s (%s), which is what lasts%s", text, last->from, TIME(last->iter),
             SAY_SHARE(last->lost_share), result->drifts != 0 ? trend_may_be(result->drifts > 0) : "");
}

/* Notes what the numbers of the log format do not show. */
static void note_numbers(const struct dlq_diagnosis *result, struct dlq_diagnosed *run)
{
    static const char *const limits[] = {
        [DLQ_NUMBERS_SAMPLED] = "the log shows one iteration now and then: single stalls and their rhythm are hidden",
        [DLQ_NUMBERS_MEAN] =
            "the log shows means over windows of iterations: single stalls and their rhythm are hidden",
        [DLQ_NUMBERS_TOTAL] = "the log shows sums of the whole run: neither stalls nor trend can be seen",
    };
    if (!result->has_data)
        return;
    note(run, result->one_line, "the log has one line with times, of %ld iterations: others may say something else",
         result->iterations);
    const enum dlq_numbers numbers = result->sampled ? DLQ_NUMBERS_SAMPLED : result->numbers;
    const char *limit = !result->single_iterations ? limits[numbers] : NULL;
    limit = limit == NULL && result->of_windows && !result->medians ? limits[DLQ_NUMBERS_MEAN] : limit;
    note(run, limit != NULL, "%s", limit);
    note(run, result->single_iterations && result->lines_unknown && run->caution_count == 0, /* else cautions say so */
         "each line is taken for one iteration: if it is the mean of several, --every says of how many");
    note(run, result->waits_for_all,
         "the data time of this log is the longest of all ranks': which rank it was, only logs of every rank tell");
    note(run, result->looks_ahead,
         "the loader looks one batch ahead: the wait of an iteration is for the batch after it");
}

/* The kinds of pauses, by the lines of the log between iterations. */
static const char *kinds_of_pauses(const struct dlq_budget *budget)
{
    if (budget->pauses > 0)
        return "validation, checkpoints or epoch starts";
    if (budget->validation > 0 && budget->checkpoints > 0)
        return "validation and saved checkpoints";
    return budget->checkpoints > 0 ? "saved checkpoints" : "validation";
}

/* Notes of the budget: transfers to the device, and time outside of iterations. */
static void note_budget(const struct dlq_diagnosis *result, struct dlq_diagnosed *run)
{
    const struct dlq_budget *budget = &result->budget;
    const double outside = 1 - budget->by_log / budget->by_clock, waits = budget->waits + budget->epoch_starts;
    char of_run[96] = "";
    if (waits >= dlq_calibration.severity_small && outside > 0)
        snprintf(of_run, sizeof of_run, " Of the whole run waiting for data takes %s: it could be %s faster.",
                 SAY_SHARE(waits), GAIN(waits));
    note(run, budget->transfer > waits && budget->transfer >= dlq_calibration.severity_slight,
         "copying batches to the device takes %s of the run, waiting for data %s: pinned memory, smaller types (uint8 "
         "instead of float32) or copies beside the step (non_blocking=True) make it shorter, loaders do not",
         SAY_SHARE(budget->transfer), SAY_SHARE(waits));
    note(run, budget->balance == DLQ_BALANCE_PAUSES,
         "%s of the run lies in %ld pauses between iterations (%s each): %s. No loader shortens them.%s",
         SAY_SHARE(outside), budget->pause_count, TIME(budget->pause), kinds_of_pauses(budget), of_run);
    note(run, budget->balance == DLQ_BALANCE_OUTSIDE && budget->of_sums,
         "%s of the time of the training epochs is outside of the actions that the log times.%s", SAY_SHARE(outside),
         of_run);
    note(run, budget->balance == DLQ_BALANCE_OUTSIDE && !budget->of_sums && !dlq_is_of_other_unit(budget),
         "an iteration takes %s by the clock and %s by the log: %s of the run is outside of what the log times, or its "
         "lines show one iteration of many.%s",
         TIME(budget->by_clock), TIME(budget->by_log), SAY_SHARE(outside), of_run);
}

static void note_all(struct dlq_diagnosed *run)
{
    const struct dlq_diagnosis *result = &run->diagnosis;
    const struct dlq_worker_diagnosis *worst = &result->slow_workers[0];
    char of[32] = "";
    run->note_count = 0;
    if (result->log_length <= DLQ_LOG_TOO_SHORT)
        return;
    note_budget(result, run);
    note_tail(result, run);
    note(run, !isnan(result->period) && result->cause != DLQ_DIAGNOSIS_LOAD,
         "it halts in a rhythm of %.0f batches: as a rule the number of loaders, which take turns, or so many batches "
         "are fetched at once",
         result->period);
    if (result->rank_count > 1)
        snprintf(of, sizeof of, " of rank %ld", worst->rank);
    note(run, result->slow_worker_count > 0, "worker %ld%s takes %s for a batch, %.1f times the median worker",
         worst->worker, of, TIME(worst->load_mean), worst->factor);
    note_starts(result, run);
    note(run, result->long_waits == DLQ_LONG_WAITS_ALIKE && result->ratio >= dlq_calibration.severity_small,
         "%ld waits of %s, all alike, at irregular places: a kind of slow batch, or pauses that count as data time",
         result->long_wait_count, TIME(result->long_wait));
    note(run, result->ready_at_start > 0,
         "the first %ld batches after the start were ready ahead, and then the waits begin: the true rate shows only "
         "from there on",
         result->ready_at_start);
    note_phases(result, run);
    note(run,
         result->pause_share >= dlq_calibration.severity_small && result->cause != DLQ_DIAGNOSIS_PAUSES &&
             (result->cause != DLQ_DIAGNOSIS_STEP || result->pause_share < dlq_calibration.severity_slight),
         "%s takes %s of the time", SAY_PAUSES(result), SAY_SHARE(result->pause_share));
    note(run,
         result->cause != DLQ_DIAGNOSIS_BARRIER &&
             result->together_ratio - result->ratio > dlq_calibration.severity_small,
         "the ranks wait for one another: the latest of them holds every iteration up for %s of its time, one rank's "
         "own data for %s",
         SAY_SHARE(result->together_ratio), SAY_SHARE(result->ratio));
    note(run, !isnan(result->shared_stalls),
         "stalls of the ranks come together (%s within 16 iterations of another rank's): something that they share "
         "stops now and then, as storage does; the longest takes as long as %.0f steps, and so many batches more ahead "
         "(prefetch) would absorb it",
         SAY_SHARE(result->shared_stalls), ceil(result->longest_stall));
    note_numbers(result, run);
    note(run, !result->all_kept,
         "stalls, trend and epoch starts are those of the first %zu records; means are of all %ld", result->kept,
         result->records);
}

void dlq_diagnosed_say(struct dlq_diagnosed *run)
{
    static const char *const severities[DLQ_SEVERITIES] = {"none", "small", "slight", "moderate", "severe"};
    const struct dlq_diagnosis *diagnosis = &run->diagnosis;
    struct dlq_phrase phrase = {.text = run->verdict, .size = sizeof run->verdict};
    run->bound_by = causes[diagnosis->cause].name;
    run->verdict[0] = '\0';
    (diagnosis->waits_ended ? say_waits_ended : causes[diagnosis->cause].say)(diagnosis, &phrase);
    dlq_diagnosed_caution(run);
    note_all(run);
    run->severity = severities[diagnosis->severity];
    run->threshold_count = DLQ_SEVERITIES;
    for (int i = 0; i < DLQ_SEVERITIES; i++)
        run->thresholds[i] = (struct dlq_threshold){severities[i], dlq_severity_from((enum dlq_severity)i)};
}
