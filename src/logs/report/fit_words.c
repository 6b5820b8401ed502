/* The sentences of a fit: reasons why a replay gives another rate, notes, warnings, cautions, verdict. src/logs/study
   finds which of them apply and computes the numbers. */
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <math.h>
#include <string.h>

const char *dlq_among_say(const struct dlq_estimate *loaders, char *text, size_t size)
{
    text[0] = '\0';
    if (loaders->high > loaders->low)
        snprintf(text, size, " (%.0f to %.0f%s)", loaders->low, loaders->high,
                 loaders->high >= DLQ_FIT_MOST_LOADERS ? " or more" : "");
    return text;
}

/* -- reasons of a replay -- */

static const struct {
    const char *name, *sentence;
} causes[DLQ_REASONS] = {
    [DLQ_REASON_LOCK] = {"lock", "{count} of {of} batches came {time} late, most as a worker ended another load: "
                                 "loads hold the interpreter lock, which handing over needs. Without it {pure} "
                                 "batches/s, not {measured}. Release it in the load, or set prefetch to 1."},
    [DLQ_REASON_WORKER] = {"worker",
                           "Worker {worker} of rank {rank} takes {factor} times as long as the others (median {time} "
                           "against {other}; workers that are slow: {count}). Where delivery is in order it holds the "
                           "whole pipeline to its pace. Look at its core, its host and its files."},
    [DLQ_REASON_CORES] =
        {"cores",
         "Loads take {factor} times as long when {many} or more others run as when {few} or fewer do (medians): "
         "workers share cores, memory or storage, or slow times come for all of them. See [host] cores and bandwidth."},
    [DLQ_REASON_DRIFT] =
        {"drift",
         "Load times drift: the median is {other} in the first third of the run and {time} in the last. Caches that "
         "fill, files that grow or other jobs do that; one law for all loads describes neither part."},
    [DLQ_REASON_ORDER] = {"order", "{count} of {of} batches were not delivered {order}, as {loader} delivers them. "
                                   "Name the loader that was used, or look for batches that were skipped."},
    [DLQ_REASON_CLOCK] = {"clock", "Times that can't be, of {of} batches: {faults}. Write all times from one clock."},
};

void dlq_reasons_say(const struct dlq_replay *replay, struct dlq_reason_said said[DLQ_REASONS])
{
    static const char *const faults[DLQ_CLOCK_FAULTS] = {
        [DLQ_CLOCK_START] = "load_start before dispatched", [DLQ_CLOCK_END] = "load_end before load_start",
        [DLQ_CLOCK_RECEIVED] = "received before load_end",  [DLQ_CLOCK_REQUEST] = "received before request",
        [DLQ_CLOCK_STEP] = "step_end before received",      [DLQ_CLOCK_OVERLAP] = "loads that overlap on one worker",
    };
    for (size_t i = 0; i < replay->reason_count; i++) {
        const struct dlq_reason *reason = &replay->reasons[i];
        char found[DLQ_FIT_LINE] = "";
        struct dlq_phrase list = {.text = found, .size = sizeof found, .separator = ", "};
        struct dlq_phrase phrase = {.text = said[i].text, .size = sizeof said[i].text};
        for (size_t k = 0; k < DLQ_CLOCK_FAULTS; k++)
            if (reason->faults[k] > 0)
                dlq_phrase_add(&list, "%s (%zu)", faults[k], reason->faults[k]);
        const struct dlq_word words[] = {
            {"count", SAY_COUNT(reason->affected)},
            {"of", SAY_COUNT(reason->total)},
            {"time", SAY_TIME(reason->time, 2)},
            {"other", SAY_TIME(reason->other_time, 2)},
            {"factor", SAY_NUMBER(reason->time / reason->other_time, 2)},
            {"pure", SAY_NUMBER(replay->without_overheads, 3)},
            {"measured", SAY_NUMBER(replay->measured, 3)},
            {"worker", SAY_COUNT(reason->worker)},
            {"rank", SAY_COUNT(reason->rank)},
            {"many", SAY_COUNT(reason->many)},
            {"few", SAY_COUNT(reason->few)},
            {"loader", replay->loader},
            {"order", reason->in_order ? "in order of index" : "in order of completion"},
            {"faults", found},
            {NULL, NULL},
        };
        said[i].cause = causes[reason->cause].name;
        said[i].text[0] = '\0';
        dlq_phrase_fill(&phrase, causes[reason->cause].sentence, words);
    }
}

/* -- notes and warnings -- */

#define TIME_THE_LOADER                                                                                                \
    ": that shows only that a load takes no more than loaders x iteration time; to know more, time the loader alone"

static const char *const of_notes[] = {
    [DLQ_NOTE_LOADERS_SEEN] =
        "{0} loaders, it seems: the waits have that period; or so many batches are fetched at once",
    [DLQ_NOTE_RHYTHM] = "the waits have a period of {0}, as if so many batches were fetched at once",
    [DLQ_NOTE_SHORTENED] = "from the last {0} iterations of the log",
    [DLQ_NOTE_KEEPS_UP] = "the trainer waited in {0} of {1} iterations" TIME_THE_LOADER,
    [DLQ_NOTE_FEW_LONG] =
        "the trainer waits for few very long loads; {share} of the batches are known by upper bounds alone",
    [DLQ_NOTE_MATCHED] = "mean and spread of the loads are those with which a simulation shows the waits of the log; "
                         "their distribution is assumed",
    [DLQ_NOTE_SPREAD_UNKNOWN] = "the log does not show how much loads vary: at most {0} s, if they do not vary; if "
                                "they vary by a cv of up to {1}, at least {2} s; a slow tail would leave less",
    [DLQ_NOTE_SERIAL] = "without loaders the wait is the load; where the log shows means alone, how much they vary "
                        "tells how much loads do",
    [DLQ_NOTE_NO_DATA_TIMES] = "the log shows no data times: a load takes at most loaders x iteration time; log the "
                               "time that the trainer waits for each batch",
    [DLQ_NOTE_HARDLY_WAITS] = "the trainer hardly waits, {share} of the time" TIME_THE_LOADER,
    [DLQ_NOTE_TOTALS] = "from totals, as if all loads took the same time: loads that vary lose throughput to batches "
                        "out of order, so that the true mean is less",
};

/* Says how the load times were inferred. */
static const char *notes_say(const struct dlq_fit *fit, char text[DLQ_FIT_TEXT])
{
    struct dlq_phrase made = {.text = text, .size = DLQ_FIT_TEXT}, *out = &made;
    text[0] = '\0';
    for (size_t i = 0; i < fit->note_count; i++) {
        const double *numbers = fit->notes[i].numbers;
        const struct dlq_word words[] = {{"0", SAY_NUMBER(numbers[0], 3)},
                                         {"1", SAY_NUMBER(numbers[1], 3)},
                                         {"2", SAY_NUMBER(numbers[2], 3)},
                                         {"share", SAY_SHARE(numbers[0])},
                                         {NULL, NULL}};
        SAY(out, "%s", i > 0 ? "; " : "");
        dlq_phrase_fill(out, of_notes[fit->notes[i].kind], words);
    }
    return text;
}

size_t dlq_fit_warnings(const struct dlq_fit *fit, char texts[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT])
{
    char notes[DLQ_FIT_TEXT], off[DLQ_TEXT_NUMBER], error[DLQ_TEXT_NUMBER];
    bool lock = false;
    size_t count = 0;
    for (size_t i = 0; fit->has_replay && i < fit->replay.reason_count; i++)
        lock = lock || fit->replay.reasons[i].cause == DLQ_REASON_LOCK;
    snprintf(off, sizeof off, "%+.0f", 100 * (fit->predicted.value / fit->measured - 1));
    snprintf(error, sizeof error, "%+.1f", 100 * fit->error);
    const struct dlq_word words[] = {{"why", fit->why_not_replayed},
                                     {"notes", notes_say(fit, notes)},
                                     {"few", SAY_COUNT(fit->few_iterations)},
                                     {"changed", SAY_COUNT(fit->changed_at)},
                                     {"rank", SAY_COUNT(fit->slow_rank)},
                                     {"off", off},
                                     {"error", error},
                                     {NULL, NULL}};
    const struct {
        bool holds;
        const char *sentence;
    } rows[] = {
        {lock && !fit->carries_times,
         "loads hold the interpreter lock, which no model here knows: the configuration is the pipeline without that"},
        {fit->why_not_replayed[0] != '\0', "not replayed: {why}"},
        {fit->prediction.refused,
         "what other settings make is predicted only from a record of 20 batches or more that shows when each load "
         "began: `dlqueue solve` simulates them by the fitted laws"},
        {fit->one_by_one, "loads that wait for one another are written as such that share one core (cores = 1): it "
                          "stands for the lock, reader or disk, and more loaders gain nothing there"},
        {fit->step.only_bound,
         "the logs have iteration times alone: a step is no longer than one, and how much of it is waiting is unknown"},
        {fit->loaders_assumed, "nothing tells the number of loaders: all of them are taken for a single fast one; give "
                               "--loaders (and --prefetch)"},
        {fit->load.only_bound,
         "of the load time only a bound is known: the configuration is the slowest loading that fits"},
        {fit->note_count > 0, "{notes}"},
        {fit->changed_at > 0 && !fit->drifts,
         "fitted from iteration {changed} on, where the run changed: what was before is left out"},
        {fit->drifts, "fitted from iteration {changed} on, where a run that changed little by little is near its end: "
                      "what was before is left out"},
        {fit->has_slow_rank && fit->slow_ranks == 0,
         "rank {rank} waits longer for its data than the others do, and the configuration has all "
         "ranks alike: look at that rank first"},
        {fit->few_iterations > 0, "fitted to {few} iterations alone, too few to be sure"},
        {fit->rate_outside && !fit->carries_times,
         "the fitted distributions miss the measured throughput by {error} %, more than such runs vary: `dlqueue fit "
         "LOG -o my.ini` writes the recorded times in their order, if they come nearer"},
        {fit->misses_rate && (!fit->rate_outside || fit->carries_times),
         "the fitted model misses the measured throughput by {off} %: don't rely on it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows && count < DLQ_FIT_WARNINGS; i++)
        if (rows[i].holds) {
            texts[count][0] = '\0';
            dlq_phrase_fill(&(struct dlq_phrase){.text = texts[count++], .size = DLQ_FIT_TEXT}, rows[i].sentence,
                            words);
        }
    return count;
}

/* -- cautions -- */

static const struct {
    const char *name, *sentence;
} cautions[DLQ_CAUTIONS] = {
    [DLQ_CAUTION_LOCK] = {"lock", "Loads exclude one another (a lock, one reader, one disk): only one makes headway at "
                                  "a time, and no number of loaders helps."},
    [DLQ_CAUTION_SLOWER] = {"slower-when-more", "Loads were slower when more of them ran."},
    [DLQ_CAUTION_SHARED] = {"shared", "{shared}"},
    [DLQ_CAUTION_TOGETHER] =
        {"waits-together",
         "Very slow loads of several workers run at the same time: something stands still for all of them (storage, "
         "network, the host). The prediction lets it stand still as often and as long."},
    [DLQ_CAUTION_BURST] = {"burst", "Slow loads run beside slow ones: they share something, or slow times come for "
                                    "all of them.{differs}"},
    [DLQ_CAUTION_ORDER] =
        {"order-matters",
         "The order of the loads matters: slow batches come together, or never. Another run may differ by more."},
    [DLQ_CAUTION_DRIFT] = {"drift", "Loads came to take {factor} times as long, {when}. The prediction {drawn}."},
    [DLQ_CAUTION_FIRST_EPOCH] = {"first-epoch",
                                 "From the second epoch on loads took {factor} times as long as in the first: so they "
                                 "do in the prediction, and a long run is one of later epochs."},
    [DLQ_CAUTION_PAUSES] = {"pauses", "Pauses ({pause} every {pause_every} steps{second_pause}) take {pause_share} of "
                                      "the time: the prediction keeps them."},
    [DLQ_CAUTION_EPOCHS] = {"epochs-unmarked",
                            "Long waits every {epoch} batches look like starts of epochs that the log does not mark. "
                            "The prediction leaves them out: a column epoch would tell."},
    [DLQ_CAUTION_WARM_UP] = {"warm-up", "The first {warm_loads} of each worker took {warm_factor} times as long as "
                                        "later ones: in the prediction workers start so, too."},
    [DLQ_CAUTION_STARTS] = {"starts-unknown", "A record without workers does not show how long workers take to start: "
                                              "up to {longest_start} are assumed in each of {starts} epochs."},
    [DLQ_CAUTION_START_CORES] = {"starts-need-cores",
                                 "Workers took {start} to start. More of them than cores take longer if they import "
                                 "modules then (spawn): up to {longest_start} is assumed."},
    [DLQ_CAUTION_THREADS] =
        {"threads", "A load keeps {computing} cores busy: libraries compute with several threads in each worker, and "
                    "other numbers of loaders are not predicted. Set OMP_NUM_THREADS=1, and call "
                    "cv2.setNumThreads(0) in worker_init_fn if OpenCV decodes (torch has one thread in a worker "
                    "already); then record again."},
    [DLQ_CAUTION_SLOW_WORKER] = {"slow-worker",
                                 "One worker was slower than the others. The prediction keeps it as slow, and takes "
                                 "any further one to be like the others: that was not measured."},
    [DLQ_CAUTION_RANK] = {"one-rank",
                          "The run had {world} ranks: this rank may wait for others. Give the files of all."},
    [DLQ_CAUTION_LOAD_FIXED] = {"assumes-load-fixed",
                                "Assumes that {what} takes as long with {loaders} as with {recorded}.{slower}"},
    [DLQ_CAUTION_EVEN] =
        {"constant-concurrency",
         "The number of loads at once hardly changed. If they share cores, storage or a lock, this record cannot "
         "show it, and with {loaders} they take another time than with {recorded}."},
    [DLQ_CAUTION_TAIL] = {"tail", "The interval rests on {slow} slow batches."},
    [DLQ_CAUTION_STRETCHES] =
        {"few-stretches",
         "Slow batches come together, and the record has few such stretches: another run may differ by more."},
};

/* Says what a record tells of the cores that loads share, or who else had them. */
static void say_shared(const struct dlq_fit_prediction *prediction, char text[DLQ_FIT_LINE])
{
    const bool by_cores = prediction->method != NULL && strcmp(prediction->method, "cores") == 0;
    if (isnan(prediction->core_wait_share))
        snprintf(text, DLQ_FIT_LINE,
                 "This record does not tell what other cores would bring: it has no CPU times of each load, or not the "
                 "number of cores. `dlqueue run` records these.");
    else if (prediction->other_programs)
        snprintf(text, DLQ_FIT_LINE,
                 "Other programs had the cores: in the record loads were ready to run and without a core for %s %% of "
                 "their time, which neither they nor the trainer explain. This prediction assumes that it stays so.",
                 SAY_COUNT(100 * prediction->core_wait_share));
    else
        snprintf(text, DLQ_FIT_LINE,
                 "Loads share cores with each other and with the trainer: in the record they were ready to run and "
                 "without one for %s %% of their time. %s",
                 prediction->core_wait_share < 0.005 ? "less than 1" : SAY_COUNT(100 * prediction->core_wait_share),
                 by_cores ? "So they do in this prediction."
                          : "Another number of loaders changes how long they take: record a run with that number.");
}

size_t dlq_cautions_say(const struct dlq_fit_prediction *prediction, struct dlq_caution_said said[DLQ_CAUTIONS])
{
    char loaders[32], warm_loads[32], second_pause[DLQ_FIT_LINE] = "", shared[DLQ_FIT_LINE], slower[DLQ_FIT_LINE] = "",
                                      when[64] = "little by little during the run";
    size_t count = 0;
    snprintf(loaders, sizeof loaders, "%s loader%s", SAY_COUNT(prediction->loaders), PLURAL(prediction->loaders));
    snprintf(warm_loads, sizeof warm_loads, "%ld loads", prediction->warm_loads);
    if (prediction->abrupt)
        snprintf(when, sizeof when, "from batch %ld on", prediction->changed_at);
    say_shared(prediction, shared);
    if (!(prediction->blocked_share > 0))
        snprintf(slower, sizeof slower,
                 " If they share cores, storage or a lock, it is slower%s%s%s. Record a run with another number of "
                 "loaders%s, or CPU times (`dlqueue run`).",
                 prediction->slower_throughput > 0 ? ", down to " : "",
                 prediction->slower_throughput > 0 ? SAY_NUMBER(prediction->slower_throughput, 3) : "",
                 prediction->slower_throughput > 0 ? " batches/s" : "",
                 prediction->most_loaders > 0 ? " (--also)" : ""); /* without recorded loads --also is refused */
    if (prediction->pauses[1].every > 0)
        snprintf(second_pause, sizeof second_pause, ", and %s every %ld", SAY_TIME(prediction->pauses[1].mean, 2),
                 prediction->pauses[1].every);
    const bool *has = prediction->cautions;
    const struct dlq_word words[] = {
        {"shared", shared},
        {"differs", has[DLQ_CAUTION_STRETCHES] ? "" : " Slow batches come together: another run may differ by more."},
        {"factor", SAY_NUMBER(prediction->factor, 2)},
        {"when", when},
        {"drawn", prediction->from_change ? "is made of those from there on"
                  : prediction->abrupt    ? "mixes those before and after"
                                          : "mixes all of them"},
        {"pause", SAY_TIME(prediction->pauses[0].mean, 2)},
        {"pause_every", SAY_COUNT(prediction->pauses[0].every)},
        {"second_pause", second_pause},
        {"pause_share", SAY_SHARE(prediction->pause_share)},
        {"epoch", SAY_COUNT(prediction->epoch_every)},
        {"warm_loads", prediction->warm_loads == 1 ? "load" : warm_loads},
        {"longest_start", SAY_TIME(prediction->longest_start, 2)},
        {"start", SAY_TIME(prediction->start, 2)},
        {"warm_factor", SAY_NUMBER(prediction->warm_factor, 2)},
        {"starts", SAY_COUNT(prediction->starts)},
        {"computing", SAY_NUMBER(prediction->cores_per_load, 2)},
        {"world", SAY_COUNT(prediction->world)},
        {"what", prediction->blocked_share > 0 ? "waiting (storage, network)" : "a load"},
        {"loaders", loaders},
        {"recorded", SAY_COUNT(prediction->recorded_loaders)},
        {"slower", slower},
        {"slow", SAY_COUNT(prediction->slow_batches)},
        {NULL, NULL},
    };
    for (size_t i = 0; i < DLQ_CAUTIONS && prediction->batches > 0; i++) {
        bool changed = i == DLQ_CAUTION_DRIFT || i == DLQ_CAUTION_FIRST_EPOCH;
        struct dlq_caution_said *it = &said[count];
        if (!prediction->cautions[i])
            continue;
        *it = (struct dlq_caution_said){
            .name = cautions[i].name,
            .since = changed ? (double)prediction->changed_at : NAN,
            .factor = changed ? prediction->factor : NAN,
            .repeats = i == DLQ_CAUTION_ORDER && (has[DLQ_CAUTION_BURST] || has[DLQ_CAUTION_STRETCHES]),
        };
        dlq_phrase_fill(&(struct dlq_phrase){.text = it->text, .size = sizeof it->text}, cautions[i].sentence, words);
        count++;
    }
    return count;
}

/* -- the verdict -- */

const char *dlq_fit_slow(const struct dlq_fit *fit, char text[DLQ_FIT_LINE])
{
    const bool ranks = fit->slow_ranks > 0;
    const long slow = ranks ? fit->slow_ranks : fit->slow_loaders;
    snprintf(text, DLQ_FIT_LINE, "loads of %ld slow %s%s divided by %s", slow, ranks ? "rank" : "worker", PLURAL(slow),
             SAY_NUMBER(fit->slow_factor, 3));
    return slow > 0 ? text : NULL;
}

const char *dlq_fit_verdict(const struct dlq_fit *fit, char text[3 * DLQ_FIT_LINE])
{
    struct dlq_phrase made = {.text = text, .size = 3 * DLQ_FIT_LINE, .separator = " "}, *out = &made;
    const struct dlq_estimate *predicted = &fit->predicted;
    double pace = fit->load_pace, step = fit->step.mean, now = fit->loaders > 0 ? fmax(pace, step) : pace + step;
    text[0] = '\0';
    if (!isnan(pace)) /* two stopwatch runs */
        SAY(out,
            "A batch takes %s to load and %s to train on: side by side the longer of the two, %s per batch; in turns "
            "%s.",
            SAY_TIME(pace, 3), SAY_TIME(step, 3), SAY_TIME(fmax(pace, step), 3), SAY_TIME(pace + step, 3));
    if (now > step * dlq_calibration.gain_shown)
        SAY(out, "Loading is the bottleneck: training could run up to %sx faster.", SAY_NUMBER(now / step, 3));
    else if (!isnan(pace))
        SAY(out, "The step is the bottleneck: faster loading gains nothing.");
    char runs[DLQ_FIT_LINE] = "";
    if (predicted->high > predicted->low * (1 + 1e-6))
        snprintf(runs, sizeof runs, " (95 %% of such runs: %s to %s)", SAY_NUMBER(predicted->low, 4),
                 SAY_NUMBER(predicted->high, 4));
    if (fit->carries_times)
        SAY(out, "The configuration has the recorded times in their order, and makes %s batches/s%s.",
            SAY_NUMBER(predicted->value, 4), runs);
    else if (!isnan(predicted->value))
        SAY(out, "The fitted model%s makes %s batches/s%s.", fit->prediction.begin > 0 ? " of the later loads" : "",
            SAY_NUMBER(predicted->value, 4), runs);
    const double measured = isnan(fit->rate) ? fit->measured : fit->rate;
    if (!isnan(predicted->value) && !isnan(measured) && (fit->prediction.begin == 0 || !isnan(fit->rate))) {
        bool inside = fabs(predicted->value / measured - 1) < dlq_calibration.severity_small ||
                      (measured >= predicted->low && measured <= predicted->high);
        const double more = 100 * (measured / predicted->value - 1);
        char outside[DLQ_FIT_LINE] = "";
        if (!inside && runs[0] == '\0')
            snprintf(outside, sizeof outside, ", %s %% %s", SAY_NUMBER(fabs(more), 2), more > 0 ? "more" : "less");
        else if (!inside)
            snprintf(outside, sizeof outside, ", which is outside");
        char without[DLQ_FIT_LINE] = "";
        if (fit->has_replay && fit->replay.pauses > 0)
            snprintf(without, sizeof without, " without the %s between epochs", SAY_TIME(fit->replay.pauses, 3));
        SAY(out, "%s were measured%s%s%s.", SAY_NUMBER(measured, 4),
            fit->prediction.begin > 0 ? " of their batches" : "", without, outside);
    }
    if (fit->carries_times)
        SAY(out, "The fitted distributions, drawn independently, miss that by %+.1f %%.", 100 * fit->laws_error);
    if (fit->loaders == 0)
        return text;
    if (!fit->loaders_known)
        SAY(out, "How many loaders keep the trainer busy cannot be told, since the logs do not show how many there "
                 "were: give --loaders <your num_workers>, and --prefetch.");
    if (fit->one_by_one)
        SAY(out, "The loaders wait for one another (a lock, one reader, one disk): the first loads, which began "
                 "together, ended one after the other. No number of loaders helps; a faster load does.");
    if (fit->rhythm > 0)
        SAY(out,
            "The waits come in a rhythm of %ld batches, which is not that of the loaders: it seems that so many "
            "batches are fetched at once, and then no number of loaders follows from this log.",
            fit->rhythm);
    const struct dlq_fit_prediction *prediction = &fit->prediction;
    if (fit->sufficient_loaders > 0)
        SAY(out, "Loaders that keep the trainer busy for %.3g %% of the time: %ld%s%s%s%s%s%s.",
            100 * prediction->target, fit->sufficient_loaders, SAY_AMONG(&prediction->recommended),
            prediction->batches > 0 ? " by the recorded loads" : "",
            fit->epoch_batches > 0 ? ", the starts of epochs left out" : "",
            fit->pauses[0].every > 0 && prediction->batches == 0 ? ", the pauses left out" : "",
            prediction->target < DLQ_TARGET_UTILIZATION ? "; with more of them receiving batches leaves hardly more"
                                                        : "",
            fit->load.only_bound ? "; fewer may do" : "");
    bool compared = prediction->method != NULL && strcmp(prediction->method, "joint") == 0;
    if (fit->sufficient_loaders > 0 && compared)
        SAY(out, "Runs with up to %ld loaders do not show that loads share anything%s.", prediction->most_loaders,
            fit->sufficient_loaders > prediction->most_loaders ? ", and more are assumed not to" : "");
    else if (fit->sufficient_loaders > fit->loaders)
        SAY(out,
            "That assumes that a load takes as long with more loaders, which these measurements cannot show: where "
            "they share cores, storage or a lock it takes longer. A short run with another number of loaders shows "
            "it.");
    else if (fit->sufficient_loaders == 0 && fit->most_tried > 0)
        SAY(out, "No number of loaders up to %ld keeps the trainer busy for 95 %% of the time.", fit->most_tried);
    return text;
}
