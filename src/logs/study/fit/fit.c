/* Fits a model to logs, or to two stopwatch totals, in this order: applies the findings of a diagnosis; fits load and
   step times, recorded or inferred from waits; predicts runs from the record; makes the configuration; predicts with it
   the rate of a run and how many loaders suffice. */
#include "logs/study/fit/fit.h"
#include "base/elementary.h"
#include "dlqueue/what_if.h"
#include "logs/study/diagnose/diagnose.h"

#include <math.h>
#include <string.h>

/* The state that the parts of a fit share. */
struct fitting {
    const struct dlq_trace *trace;   /* null: stopwatches */
    struct dlq_trace *lasting;       /* owned: the part of the trace that is fitted; null: all of it */
    struct dlq_diagnosis *diagnosis; /* in the arena */
    struct dlq_fit_options options;
    const struct dlq_run *run;
    struct dlq_fit *fit;
    struct dlq_arena *arena;
    struct dlq_error *error; /* of the caller; the arena may have another while an optional answer is computed */
    bool means_alone;        /* load and step times become constants at their means */
    double receive;          /* s; other work for a batch of a trainer that loads for itself, which counts as load */
    struct dlq_fitted load[DLQ_MOST_FITTED];
    size_t load_count, chosen; /* laws of the recorded loads (0: a constant instead); index of the chosen one */
};

/* -- laws -- */

/* Whether mean and distribution of a law agree with n times. Kolmogorov's distance times sqrt(n) exceeds 1.9 with
   probability 0.001; a distance up to 0.1 is accepted for every n. */
static bool is_sound(const struct dlq_fitted *law, const struct dlq_times_of *times)
{
    double sum = 0, n = (double)times->count;
    for (size_t i = 0; i < times->count; i++)
        sum += times->observed[i].low;
    return fabs(law->mean / (sum / n) - 1) <= dlq_calibration.alike &&
           !(law->ks * sqrt(n) > sqrt(-dlq_log(dlq_calibration.improbable / 2) / 2) && law->ks > dlq_calibration.alike);
}

/* Fits laws and chooses the first sound one by AIC; where none is sound, the first. */
static enum dlq_status fit_times(struct fitting *fitting, const struct dlq_times_of *times, bool steps,
                                 struct dlq_fit_law *law, struct dlq_fitted *fitted, size_t *count, size_t *chosen)
{
    static const char *const plain[] = {"constant", "exponential", "gamma", "lognormal"};
    size_t kept = 0;
    double mean;
    *chosen = 0;
    if (dlq_times_are_steady(times, steps, &mean) || fitting->means_alone) {
        dlq_fit_law_constant(law, mean, (long)times->count);
        *count = 0;
        return DLQ_OK;
    }
    TRY(dlq_fit_distributions(times->observed, times->count, fitted, count, fitting->error));
    /* A few times do not show tails and ends: keep laws of at most two parameters that have neither. */
    for (size_t i = 0; i < *count && (double)times->count < dlq_calibration.fewest_times; i++)
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
            if (!fitted[i].has_tail && strcmp(fitted[i].family->name, plain[k]) == 0)
                fitted[kept++] = fitted[i];
    if ((double)times->count < dlq_calibration.fewest_times)
        *count = kept > 0 ? kept : 1;
    while (*chosen < *count && !is_sound(&fitted[*chosen], times))
        ++*chosen;
    if (*chosen == *count)
        *chosen = 0;
    return dlq_fit_law_fill(fitting->arena, law, fitted, *count, *chosen, times->observed, times->count);
}

static enum dlq_status fit_measured_loads(struct fitting *fitting)
{
    struct dlq_times_of times;
    struct dlq_fit *fit = fitting->fit;
    TRY(dlq_load_times(fitting->arena, &times, fitting->trace, (size_t)fit->prediction.begin));
    fit->one_by_one = times.one_by_one;
    for (size_t i = 0; i < times.count; i++) {
        times.observed[i].low += fitting->receive;
        times.observed[i].high += fitting->receive;
    }
    TRY(fit_times(fitting, &times, false, &fit->load, fitting->load, &fitting->load_count, &fitting->chosen));
    fit->slow_loaders = fit->loaders > 0 ? times.slow_workers : 0;
    fit->slow_ranks = times.slow_ranks;
    fit->slow_factor = times.slow_factor;
    return DLQ_OK;
}

static enum dlq_status fit_steps(struct fitting *fitting)
{
    struct dlq_times_of times;
    struct dlq_fit *fit = fitting->fit;
    struct dlq_fitted fitted[DLQ_MOST_FITTED];
    size_t count, chosen;
    TRY(dlq_step_times(fitting->arena, &times, fitting->trace));
    const double most = fit->pauses[0].every > 0 ? dlq_calibration.outlier * fitting->diagnosis->step_time.median
                                                 : INFINITY; /* s: the longest step without a pause */
    size_t kept = 0;
    for (size_t i = 0; i < times.count; i++)
        if (times.observed[i].low <= most)
            times.observed[kept++] = times.observed[i];
    times.count = kept;
    if (times.count > 0)
        return fit_times(fitting, &times, true, &fit->step, fitted, &count, &chosen);
    if (isnan(times.mean))
        return dlq_error_add(fitting->error, DLQ_NO_ANSWER,
                             "no step times: the logs need data and iteration times, or the ends of steps");
    dlq_fit_law_constant(&fit->step, times.mean, times.window_iterations);
    fit->step.only_bound = times.only_bound;
    return DLQ_OK;
}

/* -- findings of a diagnosis beside load and step times -- */

/* Finds pauses that come in two rhythms at once, as those of validation and checkpoints do. */
static enum dlq_status find_two_pauses(struct fitting *fitting)
{
    const struct dlq_rank *rank = dlq_slowest_rank(fitting->trace);
    struct dlq_pauses found;
    double all = 0, *steps;
    NEW(fitting->arena, steps, rank->count);
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        if (batch->count != 1)
            return DLQ_OK;
        all += batch->iter;
        steps[i] = batch->step;
    }
    TRY(dlq_pauses_find(fitting->arena, steps, rank->count, fitting->diagnosis->step_time.median, &found));
    if (found.sum >= dlq_calibration.severity_small * all && found.rhythm_count == DLQ_FIT_PAUSES)
        memcpy(fitting->fit->pauses, found.pauses, sizeof found.pauses);
    return DLQ_OK;
}

/* Copies the slow rank and the pauses of the trainer. Without recorded loads also cuts the log at its last change, and
   marks the epoch starts that only the waits show. */
static enum dlq_status apply_diagnosis(struct fitting *fitting, bool loads)
{
    struct dlq_fit *fit = fitting->fit;
    struct dlq_error why = {0};
    NEW(fitting->arena, fitting->diagnosis, 1);
    enum dlq_status status = dlq_diagnose(fitting->trace, &fitting->options.hint, fitting->diagnosis, &why);
    if (status != DLQ_OK) /* the fit refuses the same logs with reasons of its own */
        return status == DLQ_FAILURE ? dlq_error_memory(fitting->error, fitting->arena->doing) : DLQ_OK;
    const struct dlq_diagnosis *found = fitting->diagnosis;
    for (size_t r = 0; r < found->rank_count; r++)
        if (found->ranks[r].slow && found->cause == DLQ_DIAGNOSIS_BARRIER) {
            fit->has_slow_rank = true;
            fit->slow_rank = found->ranks[r].rank;
        }
    if (found->pause_every > 0 && found->pause_share >= dlq_calibration.severity_small) {
        fit->pauses[0] = (struct dlq_fit_pause){found->pause_every, found->pause};
    } else {
        TRY(find_two_pauses(fitting));
    }
    if (loads)
        return DLQ_OK;
    const struct dlq_phase *last = dlq_lasting_phase(found);
    fit->changed_at = last != NULL && found->all_kept ? last->from : 0;
    fit->drifts = fit->changed_at > 0 && found->drifts != 0;
    if (!found->all_kept || (last == NULL && isnan(found->start_wait)))
        return DLQ_OK;
    TRY(dlq_lasting_part(fitting->trace, found, &fitting->lasting, fitting->error));
    fitting->trace = fitting->lasting;
    return DLQ_OK;
}

/* The startup of workers that are started anew in each epoch: the wait of the first batch less its load. */
static void set_startup(struct fitting *fitting)
{
    struct dlq_fit *fit = fitting->fit;
    const struct dlq_diagnosis *found = fitting->diagnosis;
    const struct dlq_rank *rank = dlq_slowest_rank(fitting->trace);
    double startup = found->epoch_start_mean - fit->load.mean;
    if (fit->loaders < 1 || found->persistent || found->epoch_starts < 2 ||
        !(found->epoch_start_cost >= dlq_calibration.severity_small) || !(startup > 0))
        return;
    long length = 0;
    fit->overheads.startup = startup;
    for (size_t i = 0; i < rank->count; i++) {
        length = (i > 0 && rank->batches[i].epoch == rank->batches[i - 1].epoch ? length : 0) + rank->batches[i].count;
        fit->epoch_batches = length > fit->epoch_batches ? length : fit->epoch_batches;
    }
}

/* -- sources -- */

/* Where no run can be predicted, the pipeline of the changed run is that of the recorded one, and other changes are
   refused. */
static enum dlq_status use_change_as_hint(struct dlq_fit_options *options, struct dlq_error *error)
{
    const struct dlq_fit_change *change = &options->change;
    const char *key = change->load > 0         ? "load.mean"
                      : change->step > 0       ? "step.mean"
                      : change->batches > 0    ? "simulate.batches"
                      : change->has_persistent ? "pipeline.persistent"
                                               : NULL;
    if (key != NULL)
        return dlq_error_add(error, DLQ_INVALID,
                             "%s is that of another run, which only recorded loads predict: record the loads with "
                             "`dlqueue run`, or set it in the configuration that fit writes",
                             key);
    if (options->change.has_loaders && options->hint.loaders >= 0 && options->hint.loaders != options->change.loaders)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "what %ld loaders would make cannot be told: of the run with %ld loaders no loads are "
                             "recorded; record it with `dlqueue run`",
                             options->change.loaders, options->hint.loaders);
    /* A given number of loaders describes the recorded run: then --set is of another run. */
    if (options->change.prefetch > 0 && options->hint.prefetch != options->change.prefetch &&
        (options->hint.prefetch > 0 || options->hint.loaders >= 0))
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "what prefetch %ld would make cannot be told: the log has no loads; record it with "
                             "`dlqueue run` (--prefetch says what the recorded run had)",
                             options->change.prefetch);
    if (options->change.has_loaders)
        options->hint.loaders = options->change.loaders;
    if (options->change.prefetch > 0)
        options->hint.prefetch = options->change.prefetch;
    if (options->change.loader != NULL)
        options->hint.loader = options->change.loader;
    options->change = (struct dlq_fit_change){0};
    return DLQ_OK;
}

static enum dlq_status fit_trace(struct fitting *fitting)
{
    struct dlq_fit *fit = fitting->fit;
    const struct dlq_pipeline_hint *hint = &fitting->options.hint;
    struct dlq_error why = {0};
    fit->source = DLQ_FIT_TRACE;
    enum dlq_status status = dlq_replay(fitting->trace, hint, &fit->replay, &why);
    if (status == DLQ_NO_ANSWER) {
        TRY(use_change_as_hint(&fitting->options, fitting->error));
        why = (struct dlq_error){0};
        status = dlq_replay(fitting->trace, hint, &fit->replay, &why);
    }
    if (status == DLQ_OK) {
        fit->has_replay = true;
        fit->loader = fit->replay.loader;
        fit->loaders = fit->replay.loaders;
        fit->prefetch = fit->replay.prefetch;
        fit->loaders_known = true;
        /* The model leaves out what the training does between epochs. */
        fit->measured = 1 / (1 / fit->replay.measured - fit->replay.pauses / (double)fit->replay.batches);
        fit->overheads = fit->replay.overheads;
        fit->epoch_batches = fit->replay.epoch_batches;
        /* Where loads hold the interpreter lock, deliveries wait for other loads: that is no overhead. */
        for (size_t i = 0; i < fit->replay.reason_count; i++)
            if (fit->replay.reasons[i].cause == DLQ_REASON_LOCK)
                fit->overheads.deliver = fit->overheads.receive = 0;
    } else if (status == DLQ_NO_ANSWER) {
        /* The hint, the workers in the log, or else defaults give the pipeline. */
        size_t workers = fitting->trace->rank_count > 0 ? fitting->trace->ranks[0].worker_count : 0;
        fit->loader = hint->loader != NULL ? hint->loader : "pytorch";
        const struct dlq_loader *loader = dlq_loader_find(fit->loader);
        fit->loaders = hint->loaders >= 0 ? hint->loaders : workers > 0 ? (long)workers : 1;
        fit->loaders_known = hint->loaders >= 0 || workers > 0;
        fit->prefetch = loader == NULL || hint->prefetch > 0 ? hint->prefetch : loader->prefetch;
        snprintf(fit->why_not_replayed, sizeof fit->why_not_replayed, "%.*s", DLQ_FIT_TEXT - 1, why.text);
    } else {
        return dlq_error_add(fitting->error, status, "%s", why.text);
    }
    /* A trainer that loads for itself receives nothing: its other work for a batch counts as load. */
    if (fit->loaders == 0) {
        fitting->receive = fit->overheads.receive;
        fit->overheads.receive = 0;
    }
    fitting->means_alone = fit->has_replay; /* laws follow, for the loads from prediction.begin on */
    TRY(fit_measured_loads(fitting));
    return fit_steps(fitting);
}

/* Copies inferred loads: laws, or an upper bound. */
static enum dlq_status set_inferred(struct fitting *fitting, const struct dlq_load_evidence *evidence)
{
    struct dlq_fit *fit = fitting->fit;
    fit->source = evidence->source;
    fit->loader = evidence->loader;
    fit->loaders = evidence->loaders;
    fit->loaders_known = evidence->loaders_known && !fit->loaders_assumed;
    fit->rhythm = evidence->rhythm;
    fit->prefetch = evidence->prefetch;
    fit->overheads.receive = evidence->receive;
    fit->note_count = evidence->note_count;
    memcpy(fit->notes, evidence->notes, sizeof fit->notes);
    if (evidence->fitted_count > 0)
        TRY(dlq_fit_law_fill(fitting->arena, &fit->load, evidence->fitted, evidence->fitted_count, 0,
                             evidence->observed, evidence->observed_count));
    else
        dlq_fit_law_constant(&fit->load, evidence->mean_high, evidence->n);
    /* Waits do not tell a load from the hand-over of its batch, which takes at most as long as a long reception. */
    const double hand_over = evidence->source == DLQ_FIT_WAITS && evidence->loaders > 0 && !evidence->only_bound
                                 ? fmin(dlq_calibration.longest_receive, dlq_calibration.alike * evidence->mean_low)
                                 : 0;
    fit->load.mean_low = evidence->mean_low - hand_over;
    fit->load.mean_high = evidence->mean_high;
    fit->load.only_bound = evidence->only_bound;
    fit->load.n = evidence->n;
    return DLQ_OK;
}

/* Lowers the bound of loads in a run with pauses, during which N loaders fill their window of K batches. The n - K
   other batches up to the next pause take r = (n - K) / N rounds of loads, rounded up, the last of which is due (K - 1)
   + N (r - 1) steps after the first begins: constant loads of 1/r of that time never make the trainer wait. N = 8,
   K = 16, n = 50, steps of 0.1 s: r = 5, 0.94 s. */
static void tighten_bound_by_pauses(const struct fitting *fitting, struct dlq_load_evidence *evidence)
{
    const struct dlq_loader *loader = dlq_loader_find(evidence->loader);
    if (!evidence->only_bound || fitting->fit->pauses[0].every == 0 || evidence->loaders < 1 || loader->window == NULL)
        return;
    double loaders = (double)evidence->loaders, window = (double)loader->window(evidence->loaders, evidence->prefetch);
    double rounds = fmax(1, ceil(((double)fitting->fit->pauses[0].every - window) / loaders));
    double step = evidence->mean_high / loaders * (1 - fitting->diagnosis->pause_share);
    evidence->mean_high =
        fmin(evidence->mean_high, step * fmax(loaders, (window - 1 + loaders * (rounds - 1)) / rounds));
}

/* Infers loads from waits or windows. If the number of loaders is unknown, a single loader stands for all of them. */
static enum dlq_status fit_inferred(struct fitting *fitting)
{
    enum dlq_numbers numbers = fitting->trace->format->numbers;
    struct dlq_load_evidence evidence = {0};
    struct dlq_error why = {0};
    struct dlq_pipeline_hint hint = fitting->options.hint;
    const struct dlq_rank *rank = dlq_slowest_rank(fitting->trace);
    const struct dlq_load_question question = {rank, &hint, fitting->run};
    bool singles = numbers == DLQ_NUMBERS_SINGLE && rank->iterations == (long)rank->count && rank->data.count > 0;
    enum dlq_status status = DLQ_NO_ANSWER;
    TRY(fit_steps(fitting));
    fitting->arena->error = &why;
    for (int k = 0; k < 2 && status == DLQ_NO_ANSWER && (k == 0 || hint.loaders < 0); k++) {
        hint.loaders = k == 0 ? hint.loaders : 1;
        fitting->fit->loaders_assumed = k > 0;
        why = (struct dlq_error){0};
        status = singles ? dlq_loads_from_waits(fitting->arena, &question, &evidence)
                         : dlq_loads_from_windows(fitting->arena, &question, numbers, &evidence);
    }
    fitting->arena->error = fitting->error;
    if (status != DLQ_OK)
        return dlq_error_add(fitting->error, status, "%s", why.text);
    tighten_bound_by_pauses(fitting, &evidence);
    TRY(set_inferred(fitting, &evidence));
    set_startup(fitting);
    return DLQ_OK;
}

/* Fits two totals. N parallel loaders deliver N batches in the time of one load (theory 6: a bound, which constant
   loads reach without steps); the last round may be smaller. 100 batches in 200 s by 11 loaders: 10 rounds of 20 s. */
static enum dlq_status fit_stopwatch(struct fitting *fitting)
{
    const struct dlq_stopwatch *steps = &fitting->options.steps, *loads = &fitting->options.loads;
    struct dlq_pipeline_hint hint = fitting->options.hint;
    struct dlq_load_evidence evidence = {.source = DLQ_FIT_STOPWATCH};
    if (steps->count < 1 || loads->count < 1 || !(steps->seconds > 0) || !(loads->seconds > 0) ||
        !isfinite(steps->seconds + loads->seconds))
        return dlq_error_add(fitting->error, DLQ_INVALID,
                             "a fit needs logs, or two stopwatch runs, each with a count and a time above 0");
    fitting->fit->loaders_assumed = hint.loaders < 0;
    hint.loaders = hint.loaders < 0 ? 1 : hint.loaders;
    TRY(dlq_evidence_pipeline(&evidence, &hint, NULL, fitting->error));
    long servers = evidence.loaders > 0 ? evidence.loaders : 1, rounds = (loads->count + servers - 1) / servers;
    dlq_evidence_lognormal(&evidence, loads->seconds / (double)rounds, 0);
    dlq_evidence_note(&evidence, DLQ_NOTE_TOTALS, 0, 0, 0);
    evidence.n = loads->count;
    dlq_fit_law_constant(&fitting->fit->step, steps->seconds / (double)steps->count, steps->count);
    fitting->fit->load_pace = loads->seconds / (double)loads->count;
    return set_inferred(fitting, &evidence);
}

/* -- configuration, and the fit in its order -- */

/* Refuses too few iterations, and times beyond the limits of a configuration. */
static enum dlq_status check_times(struct fitting *fitting)
{
    const struct dlq_fit *fit = fitting->fit;
    if (fitting->trace != NULL) {
        long steady = dlq_steady_iterations(dlq_slowest_rank(fitting->trace));
        if (dlq_log_length(steady) == DLQ_LOG_TOO_SHORT)
            return dlq_error_add(fitting->error, DLQ_NO_ANSWER,
                                 "%ld iteration%s beside the first are too few to fit a model to: log 20 or more",
                                 steady, steady == 1 ? "" : "s");
        if (dlq_log_length(steady) == DLQ_LOG_SHORT)
            fitting->fit->few_iterations = steady;
    }
    if (!(fit->load.mean >= DLQ_FIT_LEAST_MEAN && fit->load.mean <= DLQ_FIT_MOST_MEAN))
        return dlq_error_add(
            fitting->error, DLQ_NO_ANSWER,
            "the load times of the logs come to %g s on average: nothing that a model could be made of",
            fit->load.mean);
    if (fit->step.mean > DLQ_FIT_MOST_MEAN)
        return dlq_error_add(fitting->error, DLQ_NO_ANSWER, "the steps of the logs take %g s on average",
                             fit->step.mean);
    return DLQ_OK;
}

/* Whether the measured rate lies outside the predicted interval. False for laws of the later batches alone, since the
   rate is of all batches. */
static bool is_outside(const struct dlq_fit *fit)
{
    return fit->prediction.begin == 0 && (fit->measured < fit->predicted.low || fit->measured > fit->predicted.high);
}

/* Makes the configuration, with laws or with recorded times (null: laws), and predicts a run of its model. */
static enum dlq_status configure_with(struct fitting *fitting, const struct dlq_replay_times *times)
{
    struct dlq_fit *fit = fitting->fit;
    const char *file = times != NULL ? fitting->options.times_file : NULL;
    const long batches = fitting->trace == NULL ? fitting->options.loads.count
                         : fit->has_replay      ? fit->replay.batches
                                                : dlq_slowest_rank(fitting->trace)->iterations;
    struct dlq_model *model = NULL;
    dlq_fit_settings(fit, file);
    enum dlq_status status = dlq_model_new(&model, fitting->error);
    if (status == DLQ_OK && times != NULL)
        status = dlq_model_set_times(model, file, DLQ_FIT_LOAD_COLUMN, times->loads, times->count, fitting->error);
    if (status == DLQ_OK && times != NULL)
        status = dlq_model_set_times(model, file, DLQ_FIT_STEP_COLUMN, times->steps, times->count, fitting->error);
    if (status == DLQ_OK)
        status = dlq_fit_apply(fit, model, fitting->error);
    if (status == DLQ_OK)
        status = dlq_predict_run(model, batches, fitting->run, &fit->predicted, fitting->error);
    dlq_model_free(model);
    return status;
}

/* Makes the configuration with laws, and computes with its model the rate of a run and, where the record does not
   predict them, the loaders that suffice. */
static enum dlq_status configure(struct fitting *fitting)
{
    struct dlq_fit *fit = fitting->fit;
    struct dlq_estimate *range = &fit->prediction.recommended;
    TRY(configure_with(fitting, NULL));
    if (fit->prediction.batches == 0 && fit->loaders > 0 && fit->loaders_known && !fit->one_by_one &&
        fit->rhythm == 0 && fit->step.mean > 0 && !fit->step.only_bound) {
        TRY(dlq_fit_count_loaders(fit, fitting->run, fitting->error));
        /* Laws inferred from windows are assumptions; loaders_at_least follows from means alone. */
        if (fit->source == DLQ_FIT_WINDOWS && range->low < (double)fitting->diagnosis->loaders_at_least)
            range->low = fmin(range->value, (double)fitting->diagnosis->loaders_at_least);
    }
    return DLQ_OK;
}

/* Compares the predicted rate with the recorded one. An error below 1 % counts as none: the interval of a model whose
   runs hardly vary has no width. */
static void set_error(struct dlq_fit *fit)
{
    fit->error = fit->predicted.value / fit->rate - 1;
    fit->rate_outside = (fit->rate < fit->predicted.low || fit->rate > fit->predicted.high) &&
                        fabs(fit->error) >= dlq_calibration.severity_small;
}

/* Compares the recorded rate with that of runs by the fitted laws. The configuration gets the recorded times in their
   order, with the overheads of the replay, if the rate lies outside, the caller can write the times, and their rate is
   nearer: most records whose rate the laws miss have loads that depend on one another. Loads that exclude one another
   keep the laws, whose model has them share one core. */
static enum dlq_status check_rate(struct fitting *fitting, const struct dlq_trace *trace)
{
    struct dlq_fit *fit = fitting->fit;
    struct dlq_replay_times times;
    if (!fit->has_replay || fit->ranks > 1)
        return DLQ_OK;
    TRY(dlq_replay_times(trace, &fitting->options.hint, (size_t)fit->prediction.begin, &times, fitting->error));
    fit->rate = times.rate;
    set_error(fit);
    fit->laws_error = fit->error;
    enum dlq_status status = DLQ_OK;
    if (fit->rate_outside && fitting->options.times_file != NULL && !fit->one_by_one) {
        const struct dlq_fit laws = *fit;
        fit->overheads = fit->replay.overheads;
        if (fit->loaders == 0)
            fit->overheads.receive = 0;
        status = configure_with(fitting, &times);
        set_error(fit);
        fit->carries_times = fabs(fit->error) < fabs(fit->laws_error);
        if (!fit->carries_times)
            *fit = laws;
    }
    dlq_replay_times_free(&times);
    return status;
}

static enum dlq_status run_fit(struct fitting *fitting)
{
    enum { MOST_TRIED = 5 };
    struct dlq_fit *fit = fitting->fit;
    const struct dlq_trace *trace = fitting->trace;
    bool loads = false;
    for (size_t i = 0; trace != NULL && i < trace->rank_count; i++)
        loads = loads || trace->ranks[i].load.count > 0;
    if (!loads)
        TRY(use_change_as_hint(&fitting->options, fitting->error));
    if (trace != NULL && dlq_slowest_rank(trace) == NULL)
        return dlq_error_add(fitting->error, DLQ_NO_ANSWER, "the logs hold no times");
    if (trace != NULL) {
        TRY(apply_diagnosis(fitting, loads));
        trace = fitting->trace;
        fit->ranks = (long)trace->rank_count;
        fit->measured = 1 / dlq_spread_mean(&dlq_slowest_rank(trace)->iter);
    }
    TRY(trace == NULL ? fit_stopwatch(fitting) : loads ? fit_trace(fitting) : fit_inferred(fitting));
    TRY(check_times(fitting));
    fitting->options.counts_loaders = true;
    if (fitting->options.other_runs != NULL && !fit->has_replay)
        return dlq_error_add(fitting->error, DLQ_INVALID,
                             "--also: runs are compared load by load, and the log that is fitted does not show %s; "
                             "record both with `dlqueue run`, or give a table of both runs (--table): "
                             "loaders,batches_per_s,wait",
                             fit->source == DLQ_FIT_TRACE ? "which loader took which" : "when each began and ended");
    if (fit->has_replay && !fit->one_by_one)
        TRY(dlq_predict_from_record(trace, &fitting->options, fitting->run, &fit->prediction, fitting->error));
    if (fit->prediction.batches > 0) {
        const double recommended = fit->prediction.recommended.value;
        fit->sufficient_loaders = isfinite(recommended) ? lround(recommended) : 0;
        fit->most_tried = isnan(recommended) ? 0 : DLQ_FIT_MOST_LOADERS;
        if (fitting->options.for_advice)
            return DLQ_OK;
    }
    if (fitting->means_alone) {
        fitting->means_alone = false;
        TRY(fit_measured_loads(fitting));
        TRY(fit_steps(fitting));
        TRY(check_times(fitting));
    }
    TRY(configure(fitting));
    /* Where the measured rate lies outside the runs of the chosen law of recorded loads, try the next sound laws; keep
       the first law if none fits. */
    if (fit->has_replay && fit->ranks == 1 && is_outside(fit)) {
        struct dlq_times_of times;
        const struct dlq_fit first = *fit;
        TRY(dlq_load_times(fitting->arena, &times, trace, 0));
        for (size_t k = fitting->chosen + 1; k < fitting->load_count && k < MOST_TRIED && is_outside(fit); k++)
            if (is_sound(&fitting->load[k], &times)) {
                TRY(dlq_fit_law_fill(fitting->arena, &fit->load, fitting->load, fitting->load_count, k, times.observed,
                                     times.count));
                TRY(configure(fitting));
            }
        if (is_outside(fit))
            *fit = first;
    }
    TRY(check_rate(fitting, trace));
    fit->misses_rate = isnan(fit->error)
                           ? is_outside(fit) && fabs(fit->predicted.value / fit->measured - 1) > dlq_calibration.alike
                           : fit->rate_outside && fabs(fit->error) > dlq_calibration.alike;
    return DLQ_OK;
}

enum dlq_status dlq_fit(const struct dlq_trace *trace, const struct dlq_fit_options *options, const struct dlq_run *run,
                        struct dlq_fit *fit, struct dlq_error *error)
{
    struct dlq_fit fresh = {.ranks = 1,
                            .measured = NAN,
                            .load_pace = NAN,
                            .rate = NAN,
                            .error = NAN,
                            .laws_error = NAN,
                            .load.ks = NAN,
                            .step.ks = NAN,
                            .predicted = dlq_no_estimate,
                            .prediction.recommended = dlq_no_estimate,
                            .prediction.target = DLQ_TARGET_UTILIZATION};
    TRY(dlq_validate_run(run, error));
    DLQ_ARENA arena = {.error = error, .doing = "fitting a model"};
    struct fitting fitting = {
        .trace = trace, .options = *options, .run = run, .fit = &fresh, .arena = &arena, .error = error};
    enum dlq_status status = run_fit(&fitting);
    if (status == DLQ_OK)
        *fit = fresh;
    dlq_trace_free(fitting.lasting);
    if (fitting.diagnosis != NULL)
        dlq_diagnosis_free(fitting.diagnosis);
    return status;
}

bool dlq_stopwatch_parse(const char *text, struct dlq_stopwatch *stopwatch, char *why, size_t size)
{
    char number[DLQ_QUANTITY_TEXT];
    double count, seconds;
    size_t length = strcspn(text, "/");
    if (text[length] == '/' && length < sizeof number) {
        memcpy(number, text, length);
        number[length] = '\0';
        if (dlq_quantity_parse(number, DLQ_UNIT_COUNT, &count, why, size) && count >= 1 && count <= 1e9 &&
            dlq_quantity_parse(text + length + 1, DLQ_UNIT_TIME, &seconds, why, size) && seconds > 0) {
            *stopwatch = (struct dlq_stopwatch){(long)count, seconds};
            return true;
        }
    }
    snprintf(why, size, "'%.60s' is not a count and a time (expected e.g. 100/12.5s)", text);
    return false;
}
