/* Infers load times that a log does not show. First the pipeline; then the lognormal law with which a simulation gives
   the same moments of the waits as the log (method of simulated moments, McFadden 1989, Econometrica 57): from means
   over windows, from samples, or from single waits where it is unknown which loader loads which batch. Where that is
   known, loads_waits.c infers more. */
#include "base/elementary.h"
#include "logs/study/diagnose/diagnose.h"
#include "logs/study/fit/fit.h"
#include "sim/recursion.h"

#include <limits.h>
#include <math.h>

void dlq_evidence_note(struct dlq_load_evidence *evidence, enum dlq_fit_note_kind kind, double first, double second,
                       double third)
{
    if (evidence->note_count < DLQ_FIT_NOTES)
        evidence->notes[evidence->note_count++] = (struct dlq_fit_note){kind, {first, second, third}};
}

enum dlq_status dlq_evidence_pipeline(struct dlq_load_evidence *evidence, const struct dlq_pipeline_hint *hint,
                                      const struct dlq_rank *rank, struct dlq_error *error)
{
    const struct dlq_loader *loader = dlq_loader_find(hint->loader != NULL ? hint->loader : "pytorch");
    if (loader == NULL)
        return dlq_error_add(error, DLQ_INVALID, "no loader is called '%s'", hint->loader);
    long loaders = dlq_loader_is_serial(loader) ? 0 : hint->loaders;
    bool known = loaders >= 0;
    long rhythm = 0;
    if (rank != NULL)
        TRY(dlq_rhythm_of_rank(rank, NAN, known ? loaders : 0, &rhythm, error));
    if (!known && rhythm > 0)
        loaders = rhythm;
    if (loaders > DLQ_MOST_LOADERS || hint->prefetch < 0 || hint->prefetch > DLQ_MOST_PREFETCH ||
        (known && hint->loaders > 0 && dlq_loader_is_serial(loader)))
        return dlq_error_add(error, DLQ_INVALID, "%ld loaders with prefetch %ld are no pipeline of %s", hint->loaders,
                             hint->prefetch, loader->name);
    if (loaders < 0 || (!known && loaders == 0))
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "the log does not tell how many loaders there were, and the waits show no period: give "
                             "--loaders");
    evidence->loader = loaders == 0 ? "serial" : loader->name;
    evidence->loaders = loaders;
    evidence->loaders_known = known;
    evidence->prefetch = loaders == 0 ? 0 : hint->prefetch > 0 ? hint->prefetch : loader->prefetch;
    if (!known)
        dlq_evidence_note(evidence, DLQ_NOTE_LOADERS_SEEN, (double)loaders, 0, 0);
    if (known && loaders > 0 && rhythm > 0 && rhythm != loaders) {
        evidence->rhythm = rhythm;
        dlq_evidence_note(evidence, DLQ_NOTE_RHYTHM, (double)rhythm, 0, 0);
    }
    return DLQ_OK;
}

/* -- inferred laws -- */

/* Adds a plausible law, and widens the interval of the mean to hold its mean. */
static void add_lognormal(struct dlq_load_evidence *evidence, double mean, double cv)
{
    struct dlq_fitted *fitted = &evidence->fitted[evidence->fitted_count++];
    *fitted = dlq_fitted_of(cv > 0 ? "lognormal" : "constant", mean, cv);
    evidence->mean_low = fmin(evidence->mean_low, mean);
    evidence->mean_high = fmax(evidence->mean_high, mean);
}

void dlq_evidence_lognormal(struct dlq_load_evidence *evidence, double mean, double cv)
{
    evidence->fitted_count = 0;
    evidence->mean_low = evidence->mean_high = mean;
    add_lognormal(evidence, mean, cv);
}

void dlq_evidence_bound(struct dlq_load_evidence *evidence, double iteration)
{
    evidence->only_bound = true;
    evidence->fitted_count = 0;
    evidence->mean_low = 0;
    evidence->mean_high = iteration * (double)(evidence->loaders > 0 ? evidence->loaders : 1);
}

/* -- from windows -- */

/* Points of the grid of cvs. */
enum { MOST_GRID = 9 };
/* A summary of the lines of a log. A line is a record, or several records joined. */
struct window_summary {
    struct dlq_spread iter, data, step; /* weighted by iterations */
    double *waits;                      /* mean of each line */
    size_t lines;
    double window;   /* mean iterations of a line */
    double variance; /* of the lines' waits, times `window`: that of single waits if these are independent */
    double rounding; /* the part of the variance that comes from rounding in the log */
    double stalled;  /* share of lines whose mean wait is a stall */
};

/* Summarizes the records of a rank without the first `skip` iterations of each epoch, whose batches are all dispatched
   at its start. Puts records of an epoch together until a line has `least` iterations. */
static void summarize_windows(const struct dlq_rank *rank, long skip, double least, struct window_summary *shown)
{
    double iteration = dlq_spread_mean(&rank->iter), squares = 0;
    struct dlq_spread data = {0}, step = {0}; /* of a line */
    long seen = 0;
    *shown = (struct window_summary){.waits = shown->waits};
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        bool begins = i == 0 || batch->epoch != rank->batches[i - 1].epoch;
        bool ends = i + 1 == rank->count || batch->epoch != rank->batches[i + 1].epoch;
        double weight = batch->count;
        bool counts = (begins ? 0 : seen) >= skip && batch->iter >= 0 && batch->count > 0;
        seen = (begins ? 0 : seen) + (batch->count > 0 ? batch->count : 0);
        if (counts)
            dlq_spread_add(&shown->iter, batch->iter, weight);
        if (counts && !isnan(batch->data)) {
            dlq_spread_add(&data, batch->data, weight);
            dlq_spread_add(&step, batch->iter - batch->data, weight);
        }
        if (!(data.count > 0) || (data.count < least && !ends))
            continue;
        /* A mean that is computed from two running means has the rounding of both. */
        squares += dlq_square(batch->rounding * weight) / data.count;
        dlq_spread_add(&shown->data, data.mean, data.count);
        dlq_spread_add(&shown->step, step.mean, step.count);
        shown->stalled += data.mean > dlq_calibration.severity_slight * iteration;
        shown->waits[shown->lines++] = data.mean;
        data = step = (struct dlq_spread){0};
    }
    double lines = (double)shown->lines;
    shown->window = shown->lines > 0 ? shown->data.count / lines : 1;
    shown->variance = shown->lines > 1 ? shown->data.squares / (lines - 1) : 0;
    shown->rounding = shown->lines > 0 ? squares / lines : 0;
    shown->stalled /= fmax(lines, 1);
}

/* Doubles the length of the lines while rounding hides how much waits vary; a line never spans epochs. */
static void summarize_long_windows(const struct dlq_rank *rank, long skip, struct window_summary *shown)
{
    size_t before = SIZE_MAX;
    summarize_windows(rank, skip, 0, shown);
    while (shown->rounding > dlq_calibration.far_below * shown->variance &&
           (double)shown->lines >= dlq_calibration.enough && shown->lines < before) {
        before = shown->lines;
        summarize_windows(rank, skip, 2 * shown->window, shown);
    }
}

/* -- the log of a pipeline with lognormal loads and without overheads, simulated on the same draws for every law -- */

/* A moment and its standard deviation over logs of the given length. */
struct moment {
    double value, error;
};

/* Moments of the waits in a log. */
struct moments {
    struct moment mean;     /* s */
    struct moment stalled;  /* share of lines above a threshold; of a log: NAN where lines are means */
    struct moment variance; /* as in struct window_summary; NAN where the log does not tell */
};

/* Simulated steps; steps of the warm-up before; longest window of steps; blocks for errors; halvings of a bracket. */
enum { STEPS = 16384, WARM_UP = 2048, LONGEST_WINDOW = 256, SIMULATED_BLOCKS = 32, HALVINGS = 30 };

/* The search for the law that matches the moments of a log. */
struct match {
    struct moments shown; /* by the log */
    double rounding;      /* as in struct window_summary */
    double most;          /* the largest mean load that is tried, s */
    double stall_above;
    double lines;  /* of the log */
    double length; /* of a line, in simulated windows */
    size_t window; /* iterations of a simulated window: at most LONGEST_WINDOW */
    struct dlq_recursion_pipeline pipeline;
    struct dlq_recursion *recursion;
    size_t count, ahead;             /* steps; loads that are dispatched before the last step and not trained on */
    double *normals, *loads, *steps; /* standard normal draws; s */
    double *delivered, *finished;
    double *waits, *stalls, *squares; /* of each window: its mean; whether that is above stall_above; its squared
                                         deviation, times `window` */
};

/* The standard error of the mean in a log of `lines` lines, by block means: successive lines may be correlated. */
static double error_of_mean(const double *values, size_t n, size_t most_blocks, double lines)
{
    struct dlq_spread blocks = {0}, block = {0};
    size_t size = n / most_blocks > 0 ? n / most_blocks : 1;
    for (size_t i = 0; i < n; i++) {
        dlq_spread_add(&block, values[i], 1);
        if (block.count >= (double)size) {
            dlq_spread_add(&blocks, block.mean, 1);
            block = (struct dlq_spread){0};
        }
    }
    return blocks.count > 1 ? sqrt(dlq_spread_variance(&blocks) * (double)size / lines) : 0;
}

/* A lognormal draw of mean 1, from a standard normal one. */
static double lognormal(double normal, double cv)
{
    double variance = dlq_log1p(cv * cv);
    return dlq_exp(sqrt(variance) * normal - variance / 2);
}

/* Draws the random numbers and creates the recursion, which the caller frees. */
static enum dlq_status prepare_match(struct dlq_arena *arena, struct match *match,
                                     const struct dlq_load_evidence *evidence, double step, double step_cv,
                                     uint64_t seed)
{
    gsl_rng *rng;
    match->pipeline = (struct dlq_recursion_pipeline){
        .loader = dlq_loader_find(evidence->loader), .loaders = evidence->loaders, .prefetch = evidence->prefetch};
    dlq_recursion_complete(&match->pipeline);
    TRY(dlq_stream_new(arena, seed, &rng));
    match->count = STEPS + WARM_UP + 4 * match->pipeline.in_flight;
    match->ahead = match->pipeline.ahead;
    NEW(arena, match->normals, match->count + match->ahead);
    NEW(arena, match->loads, match->count + match->ahead);
    NEW(arena, match->steps, match->count);
    NEW(arena, match->delivered, match->count);
    NEW(arena, match->finished, match->count);
    NEW(arena, match->waits, STEPS);
    NEW(arena, match->stalls, STEPS);
    NEW(arena, match->squares, STEPS);
    dlq_stream_start(rng, seed, 0, 0, DLQ_PURPOSE_LOAD);
    for (size_t i = 0; i < match->count + match->ahead; i++)
        match->normals[i] = dlq_normal_upper_at(gsl_rng_uniform_pos(rng));
    dlq_stream_start(rng, seed, 0, 0, DLQ_PURPOSE_STEP);
    for (size_t i = 0; i < match->count; i++)
        match->steps[i] = lognormal(dlq_normal_upper_at(gsl_rng_uniform_pos(rng)), step_cv) * step;
    match->recursion = dlq_recursion_new(&match->pipeline);
    return match->recursion != NULL ? DLQ_OK : dlq_error_memory(arena->error, arena->doing);
}

/* The moments of simulated waits, with loads of a given mean (s) and cv. */
static struct moments moments_of(struct match *match, double mean, double cv)
{
    struct dlq_spread all = {0}, window = {0}, stalls = {0}, squares = {0};
    size_t n = 0;
    const double thread_mean = mean / (double)match->pipeline.threads;
    for (size_t i = 0; i < match->count + match->ahead; i++)
        match->loads[i] = lognormal(match->normals[i], cv) * thread_mean;
    dlq_recursion_reset(match->recursion, match->pipeline.receive);
    dlq_recursion_epoch(match->recursion, 0, NULL, LONG_MAX);
    dlq_recursion_advance(match->recursion, match->loads, match->count + match->ahead, match->steps, match->count,
                          match->delivered, match->finished);
    for (size_t i = match->count - STEPS; i < match->count; i++) {
        dlq_spread_add(&window, match->delivered[i] - match->finished[i - 1], 1);
        if (window.count < (double)match->window)
            continue;
        match->waits[n++] = window.mean;
        dlq_spread_add(&all, window.mean, 1);
        window = (struct dlq_spread){0};
    }
    for (size_t i = 0; i < n; i++) {
        match->stalls[i] = match->waits[i] > match->stall_above;
        match->squares[i] = (double)match->window * dlq_square(match->waits[i] - all.mean);
        dlq_spread_add(&stalls, match->stalls[i], 1);
        dlq_spread_add(&squares, match->squares[i], 1);
    }
    /* The simulation has an error of its own, as a log of n / length lines has: the variances add up. The mean is over
       windows, of which a line has `length`; the other moments are over lines. */
    double lines = 1 / (1 / match->lines + match->length / (double)n);
    return (struct moments){.mean = {all.mean, error_of_mean(match->waits, n, SIMULATED_BLOCKS, lines * match->length)},
                            .stalled = {stalls.mean, error_of_mean(match->stalls, n, SIMULATED_BLOCKS, lines)},
                            .variance = {squares.mean, error_of_mean(match->squares, n, SIMULATED_BLOCKS, lines)}};
}

/* The mean load between 0 and `most` with which the mean wait is `wait`, by bisection: waits rise with every load
   (theory, "Monotonicity"). */
static double mean_for(struct match *match, double cv, double wait, double most)
{
    double low = 0, high = most;
    for (int k = 0; k < HALVINGS && high - low > 1e-4 * high; k++) {
        double middle = (low + high) / 2;
        *(moments_of(match, middle, cv).mean.value < wait ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* -- the cv -- */

/* Minus twice the log likelihood of a cv, from the log's share of stalls and the logarithm of its variance, which are
   about normal. The mean load is the one that gives the mean wait of the log. */
static double minus_two_log_likelihood(struct match *match, double cv)
{
    const struct moments simulated = moments_of(match, mean_for(match, cv, match->shown.mean.value, match->most), cv);
    double least = dlq_square(1e-4 * match->most), sum = 0; /* s^2, less than any log resolves */
    double variance = simulated.variance.value + match->rounding + least;
    double error = fmax(simulated.variance.error / (simulated.variance.value + least), sqrt(2 / match->lines));
    if (!isnan(match->shown.variance.value))
        sum += dlq_square(dlq_log((match->shown.variance.value + least) / variance) / error) + 2 * dlq_log(error);
    error = fmax(simulated.stalled.error, 1 / match->lines);
    if (!isnan(match->shown.stalled.value))
        sum += dlq_square((match->shown.stalled.value - simulated.stalled.value) / error) + 2 * dlq_log(error);
    return sum;
}

static const double grid[MOST_GRID] = {0, 0.05, 0.1, 0.2, 0.35, 0.6, 1, 1.6, 2.5};

/* The most likely cv: the best of the grid, then refined by halved steps. *least: its -2 log likelihood. */
static double best_cv(struct match *match, double *least)
{
    double cv = 0, width = 0;
    *least = INFINITY;
    for (int k = 0; k < MOST_GRID; k++) {
        double value = minus_two_log_likelihood(match, grid[k]);
        if (value < *least) {
            *least = value;
            cv = grid[k];
            width = k > 0 ? grid[k] - grid[k - 1] : grid[1];
        }
    }
    while (width > 0.1 * cv + 2e-3) {
        width /= 2;
        for (int side = -1; side <= 1; side += 2) {
            double next = cv + side * width, value = next < 0 ? INFINITY : minus_two_log_likelihood(match, next);
            if (value < *least) {
                *least = value;
                cv = next;
                break;
            }
        }
    }
    return cv;
}

/* The end of the 95 % interval of the cv between `inside` and `outside` (likelihood ratio, chi-square 3.84 of 1 df). */
static double cv_limit(struct match *match, double inside, double outside, double least)
{
    if (minus_two_log_likelihood(match, outside) <= least + 3.84)
        return outside;
    while (fabs(outside - inside) > 0.05 * fmax(inside, outside) + 2e-3) {
        double middle = (inside + outside) / 2;
        *(minus_two_log_likelihood(match, middle) <= least + 3.84 ? &inside : &outside) = middle;
    }
    return outside;
}

/* The standard error of the mean wait, by the log alone; times t/1.96, so that 1.96 errors are Student's interval. */
static double error_of_wait(const struct window_summary *shown)
{
    enum { BLOCKS = 20 };
    size_t blocks = shown->lines < 2 * BLOCKS ? shown->lines : BLOCKS;
    if (blocks < 2)
        return 0;
    return error_of_mean(shown->waits, shown->lines, blocks, (double)shown->lines) *
           dlq_student(0.975, (double)blocks - 1) / 1.96;
}

/* Adds the two laws with that cv whose mean waits are `errors` standard errors below and above the log's. */
static void add_ends(struct dlq_load_evidence *evidence, struct match *match, double cv, double errors)
{
    double mean = mean_for(match, cv, match->shown.mean.value, match->most);
    double error = fmax(moments_of(match, mean, cv).mean.error, match->shown.mean.error);
    for (int side = -1; side <= 1; side += 2) {
        double wait = fmax(match->shown.mean.value + errors * side * error, 0);
        add_lognormal(evidence, mean_for(match, cv, wait, match->most * 1.1), cv);
    }
}

/* Finds the law with the mean wait and the spread of the log, and those at the ends of their intervals. A log that does
   not tell the spread gives a constant, and the law with the largest likely cv. */
static enum dlq_status match_moments(struct dlq_arena *arena, const struct dlq_load_question *question,
                                     const struct window_summary *shown, bool single,
                                     struct dlq_load_evidence *evidence)
{
    double iteration = shown->iter.mean, step = shown->step.mean;
    /* Both data and iteration times of a line are rounded, and a step is their difference. */
    double step_variance = shown->lines > 1 ? shown->step.squares / (double)(shown->lines - 1) : 0;
    double step_cv = step > 0 ? sqrt(fmax(step_variance - 2 * shown->rounding, 0)) / step : 0;
    double window = fmin(round(shown->window), LONGEST_WINDOW);
    bool shows_spread = single || (double)shown->lines >= dlq_calibration.least_values;
    struct match match = {
        .shown = {.mean = {shown->data.mean, error_of_wait(shown)},
                  .stalled.value = single ? shown->stalled : NAN,
                  .variance.value = shows_spread ? shown->variance : NAN},
        .rounding = shown->rounding,
        .most = iteration * (double)evidence->loaders,
        .stall_above = dlq_calibration.severity_slight * iteration,
        .lines = (double)shown->lines,
        .length = shown->window / window,
        .window = (size_t)window,
    };
    TRY(prepare_match(arena, &match, evidence, step, fmin(step_cv, 2), dlq_run_seed(question->run)));
    double least = 0, cv = shows_spread ? best_cv(&match, &least) : 0;
    const double ends[] = {shows_spread ? cv_limit(&match, cv, 0, least) : 0,
                           shows_spread ? cv_limit(&match, cv, grid[MOST_GRID - 1], least) : dlq_calibration.likely_cv};
    dlq_evidence_lognormal(evidence, mean_for(&match, cv, match.shown.mean.value, match.most), cv);
    /* Errors of mean and spread add up by their squares: sqrt(a^2 + b^2) is about a + 0.4 b where a > b. */
    add_ends(evidence, &match, cv, 1.96);
    for (size_t i = 0; i < 2; i++)
        if (ends[i] != cv)
            add_ends(evidence, &match, ends[i], shows_spread ? 0.4 * 1.96 : 1.96);
    dlq_recursion_free(match.recursion);
    if (shows_spread) {
        dlq_evidence_note(evidence, DLQ_NOTE_MATCHED, 0, 0, 0);
        return DLQ_OK;
    }
    const double low = evidence->mean_low > dlq_calibration.least_change * evidence->mean_high ? evidence->mean_low : 0;
    evidence->mean_low = 0;
    dlq_evidence_note(evidence, DLQ_NOTE_SPREAD_UNKNOWN, evidence->mean_high, dlq_calibration.likely_cv, low);
    return DLQ_OK;
}

static enum dlq_status from_moments(struct dlq_arena *arena, const struct dlq_load_question *question,
                                    enum dlq_numbers numbers, struct dlq_load_evidence *evidence)
{
    const struct dlq_loader *loader = dlq_loader_find(evidence->loader);
    long in_flight = loader->window != NULL ? loader->window(evidence->loaders, evidence->prefetch) : 0;
    struct window_summary shown;
    NEW(arena, shown.waits, question->rank->count);
    summarize_long_windows(question->rank, in_flight, &shown);
    if (shown.iter.count < (double)question->rank->iterations / 2)
        summarize_long_windows(question->rank, 0, &shown);
    if (shown.iter.count == 0)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER, "the log shows no iteration times");
    evidence->n = (long)shown.data.count;
    /* Where the median iteration waits long, nearly all iterations wait, and medians are close to means. */
    bool nearly_all = shown.data.count > 0 && shown.data.mean > dlq_calibration.severity_moderate * shown.iter.mean;
    if (numbers == DLQ_NUMBERS_MEDIAN && !nearly_all)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                             "the log's numbers are medians, which hide what few iterations wait for: they tell no "
                             "load time, not even a bound; use a log of means or of single iterations (detectron2: "
                             "its text log), or the traces of `dlqueue run`");
    if (shown.data.count == 0) {
        dlq_evidence_bound(evidence, shown.iter.mean);
        dlq_evidence_note(evidence, DLQ_NOTE_NO_DATA_TIMES, 0, 0, 0);
    } else if (loader->assign == DLQ_ASSIGN_TRAINER) {
        /* The wait is the load. Means over lines vary less than single loads, which `variance` corrects. */
        double mean = shown.data.mean, error = error_of_wait(&shown);
        double cv = mean > 0 ? sqrt(fmax(shown.variance - shown.rounding, 0)) / mean : 0;
        dlq_evidence_lognormal(evidence, mean, cv < 1e-3 ? 0 : fmin(cv, 10));
        evidence->mean_low = fmax(mean - 1.96 * error, 0);
        evidence->mean_high = mean + 1.96 * error;
        dlq_evidence_note(evidence, DLQ_NOTE_SERIAL, 0, 0, 0);
    } else if (shown.data.mean < dlq_calibration.severity_small * shown.iter.mean) {
        dlq_evidence_bound(evidence, shown.iter.mean);
        dlq_evidence_note(evidence, DLQ_NOTE_HARDLY_WAITS, shown.data.mean / shown.iter.mean, 0, 0);
    } else {
        return match_moments(arena, question, &shown, numbers == DLQ_NUMBERS_SINGLE && shown.window == 1, evidence);
    }
    return DLQ_OK;
}

enum dlq_status dlq_loads_from_windows(struct dlq_arena *arena, const struct dlq_load_question *question,
                                       enum dlq_numbers numbers, struct dlq_load_evidence *evidence)
{
    struct dlq_load_evidence found = {.source = DLQ_FIT_WINDOWS};
    TRY(dlq_evidence_pipeline(&found, question->hint, NULL, arena->error));
    TRY(from_moments(arena, question, numbers, &found));
    *evidence = found;
    return DLQ_OK;
}

/* -- from the waits of every iteration -- */

enum dlq_status dlq_loads_from_waits(struct dlq_arena *arena, const struct dlq_load_question *question,
                                     struct dlq_load_evidence *evidence)
{
    const struct dlq_rank *rank = question->rank;
    struct dlq_load_evidence found = {.source = DLQ_FIT_WAITS};
    struct dlq_observed *observed;
    struct dlq_spread waits = {0};
    struct dlq_links links;
    size_t n = 0;
    NEW(arena, observed, rank->count);
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].data >= 0 && rank->batches[i].count == 1) {
            double wait = rank->batches[i].data;
            observed[n++] = (struct dlq_observed){wait, wait, 1};
            dlq_spread_add(&waits, wait, 1);
        }
    if (n == 0)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER, "the log shows no data time of a single iteration");
    TRY(dlq_evidence_pipeline(&found, question->hint, rank, arena->error));
    const struct dlq_loader *loader = dlq_loader_find(found.loader);
    if (loader->assign == DLQ_ASSIGN_TRAINER) { /* the trainer loads for itself: its wait is the load */
        double half = n > 1 ? 1.96 * sqrt(dlq_spread_variance(&waits) / (double)n) : INFINITY;
        found.observed = observed;
        found.observed_count = n;
        found.n = (long)n;
        found.mean_low = fmax(waits.mean - half, 0);
        found.mean_high = waits.mean + half;
        TRY(dlq_fit_distributions(observed, n, found.fitted, &found.fitted_count, arena->error));
    } else if (loader->assign != DLQ_ASSIGN_ROUND_ROBIN || loader->order != DLQ_ORDER_INDEX ||
               loader->release != DLQ_RELEASE_DELIVERY) {
        TRY(from_moments(arena, question, DLQ_NUMBERS_SINGLE, &found));
    } else {
        /* Batch i goes to loader i mod N, and batches are delivered in order: the waits bound each load. */
        TRY(dlq_links_make(arena, &links, rank, found.loaders, loader->window(found.loaders, found.prefetch)));
        TRY(dlq_loads_from_links(arena, &links, question->run, &found));
    }
    *evidence = found;
    return DLQ_OK;
}
