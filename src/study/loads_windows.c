/* Load times from means over windows, from samples, or from the waits of loaders whose batches can't be followed: by
   simulated moments (McFadden 1989, Econometrica 57). */
#include "base/elementary.h"
#include "model/model.h"
#include "study/evidence.h"
#include "study/moments.h"
#include "study/suffices.h"

#include <math.h>
#include <stdio.h>

/* Lines of means from which their spread is told; cv up to which it is looked for, and which is possible where nothing
   tells it; waits below this share of an iteration are none. */
enum { LEAST_WINDOWS = 30, MOST_GRID = 9 };
static const double likely_cv = 1, no_wait = 0.02, stall_share = 0.05;

/* What the log shows. */
struct shown {
    struct dlq_spread iter, data, step; /* of lines, weighted by their iterations */
    struct dlq_spread lines;            /* mean waits of lines */
    double stalled, lines_stalled;
    long window; /* iterations of a line */
};

static void take(struct shown *shown, const struct dlq_batch *batch, double stall_above)
{
    double weight = batch->count;
    dlq_spread_add(&shown->iter, batch->iter, weight);
    if (isnan(batch->data))
        return;
    dlq_spread_add(&shown->data, batch->data, weight);
    dlq_spread_add(&shown->step, batch->iter - batch->data, 1);
    dlq_spread_add(&shown->lines, batch->data, 1);
    shown->stalled += batch->data > stall_above;
    shown->window = batch->count > shown->window ? batch->count : shown->window;
}

/* Without the first `skip` iterations of an epoch, which find full queues. */
static void look(struct shown *shown, const struct dlq_rank *rank, long skip)
{
    double iteration = dlq_spread_mean(&rank->iter);
    long seen = 0;
    *shown = (struct shown){.window = 1};
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        bool begins = i == 0 || batch->epoch != rank->batches[i - 1].epoch;
        seen = begins ? 0 : seen;
        if (seen >= skip && batch->iter >= 0 && batch->count > 0)
            take(shown, batch, stall_share * iteration);
        seen += batch->count > 0 ? batch->count : 0;
    }
    shown->stalled /= shown->lines.count > 0 ? shown->lines.count : 1;
}

/* Share of values above a threshold: where the quantiles pass it. NAN for few. */
static double share_above(const struct dlq_histogram *singles, double threshold)
{
    double low = 0, high = 1;
    if (singles == NULL || singles->count < LEAST_WINDOWS)
        return NAN;
    for (int k = 0; k < 30; k++) {
        double middle = (low + high) / 2;
        *(dlq_histogram_quantile(singles, middle) > threshold ? &high : &low) = middle;
    }
    return 1 - (low + high) / 2;
}

/* -- the cv -- */

struct match {
    struct dlq_mimic *mimic;
    struct dlq_moments shown;
    double most; /* mean load */
};

static double off_by(double got, double wanted, double scale)
{
    return isnan(wanted) ? 0 : dlq_square((got - wanted) / fmax(scale, 1e-12));
}

/* How far the log is from what a cv gives, the mean wait apart. */
static double distance(const struct match *match, double cv, double *mean)
{
    struct dlq_moments got;
    *mean = dlq_mimic_mean(match->mimic, cv, match->shown.mean, match->most);
    dlq_mimic_moments(match->mimic, *mean, cv, &got);
    return off_by(got.stalled, match->shown.stalled, match->shown.stalled) +
           off_by(got.spread, match->shown.spread, match->shown.spread) +
           off_by(got.windows, match->shown.windows, match->shown.windows);
}

static double best_cv(const struct match *match, double *mean)
{
    static const double grid[MOST_GRID] = {0, 0.05, 0.1, 0.2, 0.35, 0.6, 1, 1.6, 2.5};
    double best = INFINITY, cv = 0, width = 0;
    for (int k = 0; k < MOST_GRID; k++) {
        double found, off = distance(match, grid[k], &found);
        if (off < best) {
            best = off;
            cv = grid[k];
            *mean = found;
            width = k > 0 ? grid[k] - grid[k - 1] : grid[1];
        }
    }
    while (width > 0.1 * cv + 2e-3) {
        width /= 2;
        for (int side = -1; side <= 1; side += 2) {
            double found, next = cv + side * width, off = next < 0 ? INFINITY : distance(match, next, &found);
            if (off < best) {
                best = off;
                cv = next;
                *mean = found;
                break;
            }
        }
    }
    return cv;
}

/* -- the mean -- */

/* Of the mean wait: lines that follow each other may hang together, so that blocks of them count. */
static double error_of_wait(const struct dlq_rank *rank, const struct shown *shown)
{
    enum { BLOCKS = 20 };
    struct dlq_spread blocks = {0}, block = {0};
    double size = shown->lines.count / BLOCKS;
    if (shown->lines.count < 2 * BLOCKS)
        return shown->lines.count < 2 ? 0 : sqrt(dlq_spread_variance(&shown->lines) / shown->lines.count);
    for (size_t i = 0; i < rank->count; i++) {
        if (!(rank->batches[i].data >= 0))
            continue;
        dlq_spread_add(&block, rank->batches[i].data, 1);
        if (block.count >= size) {
            dlq_spread_add(&blocks, block.mean, 1);
            block = (struct dlq_spread){0};
        }
    }
    return sqrt(dlq_spread_variance(&blocks) / blocks.count);
}

static void widen(struct dlq_load_evidence *evidence, const struct match *match, double cv, double error)
{
    for (int side = -1; side <= 1; side++) {
        double wait = fmax(match->shown.mean + 1.96 * side * error, 0);
        double mean = dlq_mimic_mean(match->mimic, cv, wait, match->most * 1.1);
        evidence->mean_low = fmin(evidence->mean_low, mean);
        evidence->mean_high = fmax(evidence->mean_high, mean);
    }
}

/* The law with the spread that the log shows; where it shows none, a constant, and what other spreads would mean. */
static void conclude(struct dlq_load_evidence *evidence, const struct match *match, double error)
{
    bool tells = !isnan(match->shown.stalled) || !isnan(match->shown.windows);
    double mean = 0, cv = 0;
    if (tells)
        cv = best_cv(match, &mean);
    else
        mean = dlq_mimic_mean(match->mimic, 0, match->shown.mean, match->most);
    dlq_evidence_lognormal(evidence, mean, cv);
    evidence->mean_low = evidence->mean_high = mean;
    widen(evidence, match, cv, error);
    widen(evidence, match, tells ? cv * 0.7 : likely_cv, error);
    if (tells) {
        widen(evidence, match, cv * 1.4, error);
        dlq_evidence_say(evidence,
                         "mean and spread of the loads are those with which a simulation of %s shows the waits of the "
                         "log; their distribution is assumed",
                         evidence->loader);
        return;
    }
    const double worth_saying = 1e-3; /* of the mean if nothing varies */
    char least[40] = "next to nothing";
    if (evidence->mean_low > worth_saying * evidence->mean_high)
        snprintf(least, sizeof least, "at least %.3g s", evidence->mean_low);
    evidence->mean_low = 0;
    dlq_evidence_say(
        evidence,
        "the log does not show how much loads vary: at most %.3g s, if they do not vary; if they vary by a cv of "
        "up to %.0f, %s; a slow tail would leave less",
        evidence->mean_high, likely_cv, least);
}

/* -- pipelines -- */

/* Where the median iteration waits for a good part of its time nearly every one waits, and medians do as means. */
static bool medians_tell(const struct shown *shown)
{
    const double good_part = 0.1;
    return shown->data.count > 0 && shown->data.mean > good_part * shown->iter.mean;
}

static enum dlq_status match_moments(const struct dlq_load_question *question, const struct shown *shown, bool single,
                                     struct dlq_load_evidence *evidence, struct dlq_error *error)
{
    struct dlq_system system;
    struct match match = {.shown = {.mean = shown->data.mean, .stalled = NAN, .spread = NAN, .windows = NAN}};
    double iteration = shown->iter.mean, step = shown->step.mean;
    double step_cv = step > 0 ? sqrt(dlq_spread_variance(&shown->step) * (double)shown->window) / step : 0;
    enum dlq_status status = dlq_evidence_system(evidence, iteration, step, question->overheads, &system, error);
    if (status != DLQ_OK)
        return status;
    const struct dlq_mimic_question wanted = {.system = &system,
                                              .step_mean = step,
                                              .step_cv = fmin(step_cv, 2),
                                              .stall_above = stall_share * iteration,
                                              .window = shown->window,
                                              .seed = question->seed};
    status = dlq_mimic_begin(&match.mimic, &wanted, error);
    if (status != DLQ_OK)
        return status;
    match.most = iteration * (double)evidence->loaders;
    match.shown.stalled = share_above(question->singles, wanted.stall_above);
    if (single) {
        match.shown.stalled = shown->stalled;
        match.shown.spread = sqrt(dlq_spread_variance(&shown->lines));
    } else if (shown->lines.count >= LEAST_WINDOWS) {
        match.shown.windows = sqrt(dlq_spread_variance(&shown->lines));
    }
    conclude(evidence, &match, error_of_wait(question->rank, shown));
    dlq_mimic_end(match.mimic);
    return DLQ_OK;
}

/* The wait is the load; that of a line of means varies less, by the square root of their number. */
static void take_serial(const struct dlq_load_question *question, const struct shown *shown,
                        struct dlq_load_evidence *evidence)
{
    double mean = fmax(shown->data.mean - question->overheads->receive, 0);
    double error = error_of_wait(question->rank, shown);
    double sd = shown->lines.count > 1 ? sqrt(dlq_spread_variance(&shown->lines) * (double)shown->window) : 0;
    double cv = mean > 0 ? sd / mean : 0;
    dlq_evidence_lognormal(evidence, mean, cv < 1e-3 ? 0 : fmin(cv, 10));
    evidence->mean_low = fmax(mean - 1.96 * error, 0);
    evidence->mean_high = mean + 1.96 * error;
    dlq_evidence_say(evidence, "without loaders the wait is the load%s",
                     shown->window > 1 ? "; how much single loads vary is told by the means" : "");
}

enum dlq_status dlq_loads_from_moments(const struct dlq_load_question *question, enum dlq_numbers numbers,
                                       struct dlq_load_evidence *evidence, struct dlq_error *error)
{
    struct shown shown;
    const struct dlq_loader *loader = dlq_loader_find(evidence->loader);
    long window = loader->window != NULL ? loader->window(evidence->loaders, evidence->prefetch) : 0;
    look(&shown, question->rank, window);
    if (shown.iter.count < (double)question->rank->iterations / 2)
        look(&shown, question->rank, 0);
    if (shown.iter.count == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER, "the log shows no iteration times");
    evidence->n = (long)shown.data.count;
    if (numbers == DLQ_NUMBERS_MEDIAN && !medians_tell(&shown))
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "the log's numbers are medians, which hide what few iterations wait for: they tell no "
                             "load time, not even a bound; use a log of means or of single iterations (detectron2: "
                             "its text log), or the traces of python/dlqueue_probe.py");
    if (shown.data.count == 0) {
        dlq_evidence_bound(evidence, shown.iter.mean, 0, 0);
        dlq_evidence_say(
            evidence,
            "the log shows no data times: a load takes at most loaders x iteration time; log the time that the "
            "trainer waits for each batch");
    } else if (loader->assign == DLQ_ASSIGN_TRAINER) {
        take_serial(question, &shown, evidence);
    } else if (shown.data.mean < no_wait * shown.iter.mean + question->overheads->receive) {
        dlq_evidence_bound(evidence, shown.iter.mean, 0, 0);
        dlq_evidence_say(
            evidence,
            "the trainer hardly waits (%.2g %% of the time): that shows only that a load takes no more than "
            "loaders x iteration time; to know more, time the loader alone",
            100 * shown.data.mean / shown.iter.mean);
    } else {
        return match_moments(question, &shown, numbers == DLQ_NUMBERS_SINGLE && shown.window == 1, evidence, error);
    }
    return DLQ_OK;
}

enum dlq_status dlq_loads_from_windows(const struct dlq_load_question *question, enum dlq_numbers numbers,
                                       struct dlq_load_evidence *evidence, struct dlq_error *error)
{
    struct dlq_load_evidence found = {.source = DLQ_FIT_WINDOWS};
    enum dlq_status status = dlq_evidence_pipeline(&found, question->hint, NULL, error);
    if (status == DLQ_OK)
        status = dlq_loads_from_moments(question, numbers, &found, error);
    if (status == DLQ_OK)
        *evidence = found;
    return status;
}
