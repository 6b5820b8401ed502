/* Load times from means over windows, from samples, or from the waits of loaders whose batches can't be followed: by
   simulated moments (McFadden 1989, Econometrica 57). */
#include "base/elementary.h"
#include "dist/dist.h"
#include "sim/group.h"
#include "stats/stats.h"
#include "study/fit/fit.h"

#include <math.h>

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

/* -- what a pipeline with lognormal loads would show in its log: simulated, on the same draws for every load -- */

/* Of the waits in a log; NAN where it does not show one. */
struct moments {
    double mean;    /* s */
    double stalled; /* share above a threshold */
    double spread;  /* standard deviation of single waits */
    double windows; /* standard deviation of their means over windows */
};

/* Steps that are looked at, after a warm-up; halvings of a bracket. */
enum { STEPS = 16384, WARM_UP = 2048, HALVINGS = 30 };

/* A pipeline to be simulated. step_mean, step_cv: what the log shows; window: iterations of a line; stall_above in s.
   Overheads are those of the point. The seed alone decides the draws. */
struct simulated {
    const struct dlq_system *system; /* loads and steps of any mean; one rank */
    double step_mean, step_cv, stall_above;
    long window;
    uint64_t seed;
    struct dlq_point point;
    gsl_rng *rng;
    struct dlq_group *group;
    size_t count, ahead;             /* steps; loads beyond them */
    double *normals, *loads, *steps; /* draws: standard normal, and of mean 1 */
    double *delivered, *finished;
};

/* The lognormal draw of mean 1. */
static double lognormal(double normal, double cv)
{
    double variance = dlq_log1p(cv * cv);
    return dlq_exp(sqrt(variance) * normal - variance / 2);
}

/* Fills in what follows from the first five members. Group and rng are the caller's to free, also on failure. */
static enum dlq_status begin_simulated(struct dlq_arena *arena, struct simulated *simulated)
{
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    if (rng == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    simulated->rng = rng;
    dlq_point_make(&simulated->point, simulated->system, 0, DLQ_START_TOGETHER);
    simulated->point.step_scale = simulated->step_mean;
    simulated->count = STEPS + WARM_UP + 4 * (size_t)dlq_system_in_flight(simulated->system);
    simulated->ahead = simulated->point.kernel->ahead(&simulated->point);
    simulated->group = dlq_group_new(&simulated->point);
    if (simulated->group == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    NEW(arena, simulated->normals, simulated->count + simulated->ahead);
    NEW(arena, simulated->loads, simulated->count + simulated->ahead);
    NEW(arena, simulated->steps, simulated->count);
    NEW(arena, simulated->delivered, simulated->count);
    NEW(arena, simulated->finished, simulated->count);
    dlq_stream_start(rng, simulated->seed, 0, 0, DLQ_PURPOSE_LOAD);
    for (size_t i = 0; i < simulated->count + simulated->ahead; i++)
        simulated->normals[i] = dlq_normal_upper_at(gsl_rng_uniform_pos(rng));
    dlq_stream_start(rng, simulated->seed, 0, 0, DLQ_PURPOSE_STEP);
    for (size_t i = 0; i < simulated->count; i++)
        simulated->steps[i] = lognormal(dlq_normal_upper_at(gsl_rng_uniform_pos(rng)), simulated->step_cv);
    return DLQ_OK;
}

/* With loads of that mean (s) and cv. */
static void moments_of(struct simulated *simulated, double mean, double cv, struct moments *moments)
{
    struct dlq_spread all = {0}, windows = {0}, window = {0};
    double stalled = 0;
    struct dlq_block block = {
        .loads = simulated->loads, .steps = simulated->steps, .stride = simulated->count + simulated->ahead};
    simulated->point.load_scale = mean / dlq_system_threads(simulated->system);
    for (size_t i = 0; i < simulated->count + simulated->ahead; i++)
        simulated->loads[i] = lognormal(simulated->normals[i], cv);
    dlq_group_reset(simulated->group);
    dlq_group_epoch(simulated->group, 0, NULL, 0, LONG_MAX);
    dlq_group_advance(simulated->group, &block, simulated->count, simulated->delivered, simulated->finished);
    for (size_t i = simulated->count - STEPS; i < simulated->count; i++) {
        double wait = simulated->delivered[i] - simulated->finished[i - 1];
        dlq_spread_add(&all, wait, 1);
        dlq_spread_add(&window, wait, 1);
        stalled += wait > simulated->stall_above;
        if (window.count >= (double)simulated->window) {
            dlq_spread_add(&windows, window.mean, 1);
            window = (struct dlq_spread){0};
        }
    }
    *moments = (struct moments){.mean = all.mean,
                                .stalled = stalled / STEPS,
                                .spread = sqrt(dlq_spread_variance(&all)),
                                .windows = sqrt(dlq_spread_variance(&windows))};
}

/* The mean load with which the mean wait is `wait`, between 0 and `most`: every time rises with every load, so that one
   mean fits. */
static double mean_for(struct simulated *simulated, double cv, double wait, double most)
{
    double low = 0, high = most;
    for (int k = 0; k < HALVINGS && high - low > 1e-4 * high; k++) {
        struct moments moments;
        double middle = (low + high) / 2;
        moments_of(simulated, middle, cv, &moments);
        *(moments.mean < wait ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* -- the cv -- */

struct match {
    struct simulated *simulated;
    struct moments shown;
    double most; /* mean load */
};

static double off_by(double got, double wanted, double scale)
{
    return isnan(wanted) ? 0 : dlq_square((got - wanted) / fmax(scale, 1e-12));
}

/* How far the log is from what a cv gives, the mean wait apart. */
static double distance(const struct match *match, double cv, double *mean)
{
    struct moments got;
    *mean = mean_for(match->simulated, cv, match->shown.mean, match->most);
    moments_of(match->simulated, *mean, cv, &got);
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
        double mean = mean_for(match->simulated, cv, wait, match->most * 1.1);
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
        mean = mean_for(match->simulated, 0, match->shown.mean, match->most);
    dlq_evidence_lognormal(evidence, mean, cv);
    evidence->mean_low = evidence->mean_high = mean;
    widen(evidence, match, cv, error);
    widen(evidence, match, tells ? cv * 0.7 : likely_cv, error);
    if (tells) {
        widen(evidence, match, cv * 1.4, error);
        dlq_evidence_note(evidence, DLQ_NOTE_MATCHED, 0, 0, 0);
        return;
    }
    const double worth_saying = 1e-3; /* of the mean if nothing varies */
    double least = evidence->mean_low > worth_saying * evidence->mean_high ? evidence->mean_low : 0;
    evidence->mean_low = 0;
    dlq_evidence_note(evidence, DLQ_NOTE_SPREAD_UNKNOWN, evidence->mean_high, likely_cv, least);
}

/* -- pipelines -- */

static enum dlq_status match_moments(const struct dlq_load_question *question, const struct shown *shown, bool single,
                                     struct dlq_load_evidence *evidence, struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "simulating a log"};
    struct dlq_system system;
    double iteration = shown->iter.mean, step = shown->step.mean;
    double step_cv = step > 0 ? sqrt(dlq_spread_variance(&shown->step) * (double)shown->window) / step : 0;
    TRY(dlq_evidence_system(evidence, iteration, step, question->overheads, &system, error));
    struct simulated simulated = {.system = &system,
                                  .step_mean = step,
                                  .step_cv = fmin(step_cv, 2),
                                  .stall_above = stall_share * iteration,
                                  .window = shown->window,
                                  .seed = question->seed};
    struct match match = {
        .simulated = &simulated,
        .shown = {.mean = shown->data.mean, .stalled = NAN, .spread = NAN, .windows = NAN},
        .most = iteration * (double)evidence->loaders,
    };
    match.shown.stalled = share_above(question->singles, simulated.stall_above);
    if (single) {
        match.shown.stalled = shown->stalled;
        match.shown.spread = sqrt(dlq_spread_variance(&shown->lines));
    } else if (shown->lines.count >= LEAST_WINDOWS) {
        match.shown.windows = sqrt(dlq_spread_variance(&shown->lines));
    }
    enum dlq_status status = begin_simulated(&arena, &simulated);
    if (status == DLQ_OK)
        conclude(evidence, &match, error_of_wait(question->rank, shown));
    if (simulated.rng != NULL)
        gsl_rng_free(simulated.rng);
    dlq_group_free(simulated.group);
    dlq_arena_end(&arena);
    return status;
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
    dlq_evidence_note(evidence, DLQ_NOTE_SERIAL, shown->window > 1 ? 1 : 0, 0, 0);
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
    /* Where the median iteration waits for a good part of its time nearly every one waits, and medians do as means. */
    const double good_part = 0.1;
    bool nearly_all = shown.data.count > 0 && shown.data.mean > good_part * shown.iter.mean;
    if (numbers == DLQ_NUMBERS_MEDIAN && !nearly_all)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "the log's numbers are medians, which hide what few iterations wait for: they tell no "
                             "load time, not even a bound; use a log of means or of single iterations (detectron2: "
                             "its text log), or the traces of python/dlqueue_probe.py");
    if (shown.data.count == 0) {
        dlq_evidence_bound(evidence, shown.iter.mean, 0, 0);
        dlq_evidence_note(evidence, DLQ_NOTE_NO_DATA_TIMES, 0, 0, 0);
    } else if (loader->assign == DLQ_ASSIGN_TRAINER) {
        take_serial(question, &shown, evidence);
    } else if (shown.data.mean < no_wait * shown.iter.mean + question->overheads->receive) {
        dlq_evidence_bound(evidence, shown.iter.mean, 0, 0);
        dlq_evidence_note(evidence, DLQ_NOTE_HARDLY_WAITS, shown.data.mean / shown.iter.mean, 0, 0);
    } else {
        return match_moments(question, &shown, numbers == DLQ_NUMBERS_SINGLE && shown.window == 1, evidence, error);
    }
    return DLQ_OK;
}

enum dlq_status dlq_loads_from_windows(const struct dlq_load_question *question, enum dlq_numbers numbers,
                                       struct dlq_load_evidence *evidence, struct dlq_error *error)
{
    struct dlq_load_evidence found = {.source = DLQ_FIT_WINDOWS};
    TRY(dlq_evidence_pipeline(&found, question->hint, NULL, error));
    TRY(dlq_loads_from_moments(question, numbers, &found, error));
    *evidence = found;
    return DLQ_OK;
}
