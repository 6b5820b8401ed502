/* Chooses one change of the pipeline from a diagnosis and a fit: what the change gains by the recorded times, how many
   cores the loads then keep busy, and which further records would make the answer surer. */
#include "dlqueue/logs/advise.h"
#include "logs/study/fit/fit.h"

#include <math.h>
#include <string.h>

/* The factor by which a longer prefetch, or more loaders, are tried. */
enum { TRIED_FACTOR = 4 };

struct advice_context {
    const struct dlq_trace *trace;
    const struct dlq_fit_options *options;
    const struct dlq_diagnosis *diagnosis;
    const struct dlq_fit *fit;
    const struct dlq_run *run;
    struct dlq_advice *advice;
};

/* Whether the recorded loads predict other runs. */
static bool is_predicted(const struct advice_context *context)
{
    return context->fit != NULL && context->fit->prediction.batches > 0;
}

static long window_of(const char *name, long loaders, long prefetch)
{
    const struct dlq_loader *loader = dlq_loader_find(name);
    return loader == NULL || loader->window == NULL || loaders <= 0 ? 0 : loader->window(loaders, prefetch);
}

/* Fills the pipeline as recorded: by the fit, else by the hint, else by the diagnosis. */
static void describe_pipeline(const struct advice_context *context)
{
    struct dlq_advice *advice = context->advice;
    const struct dlq_diagnosis *diagnosis = context->diagnosis;
    const struct dlq_fit *fit = context->fit;
    const struct dlq_pipeline_hint *hint = &context->options->hint;
    bool serial = diagnosis->cause == DLQ_DIAGNOSIS_SERIAL;
    advice->loader = fit != NULL ? fit->loader : hint->loader != NULL ? hint->loader : "pytorch";
    advice->loaders = fit != NULL && fit->loaders_known ? fit->loaders
                      : hint->loaders >= 0              ? hint->loaders
                      : serial                          ? 0
                      : diagnosis->loaders > 0          ? diagnosis->loaders
                                                        : -1;
    if (advice->loaders == 0 &&
        (dlq_loader_find(advice->loader) == NULL || dlq_loader_find(advice->loader)->window == NULL))
        advice->loader = "pytorch"; /* the advice to a trainer that loads for itself */
    const struct dlq_loader *loader = dlq_loader_find(advice->loader);
    long usual = loader != NULL ? loader->prefetch : 0;
    advice->prefetch = fit != NULL && fit->loaders > 0 && fit->prefetch > 0 ? fit->prefetch
                       : hint->prefetch > 0                                 ? hint->prefetch
                                                                            : usual;
    advice->to_loaders = advice->loaders;
    advice->to_prefetch = advice->prefetch;
    advice->measured = fit == NULL ? NAN : fit->has_replay ? fit->replay.measured : fit->measured;
    advice->pauses = fit != NULL && fit->has_replay ? fit->replay.pauses : 0;
    /* The most that a change can gain: the waits of epoch starts where these are the cause, else all lasting waits. */
    const bool starts = diagnosis->cause == DLQ_DIAGNOSIS_STARTUP && diagnosis->epoch_starts > 1;
    double lost = starts ? diagnosis->ratio : diagnosis->lasting_lost_share;
    /* `measured` is then of the whole run, which has other work between epochs. */
    if (fit != NULL && fit->has_replay && diagnosis->budget.by_clock > diagnosis->budget.by_log)
        lost *= diagnosis->budget.by_log / diagnosis->budget.by_clock;
    advice->speedup_bound = lost < dlq_calibration.all_lost ? 1 / (1 - lost) : NAN;
    advice->in_shm = loader != NULL && loader->processes;
    const bool predicts = is_predicted(context);
    advice->core_wait_share = predicts ? fit->prediction.core_wait_share : NAN;
    advice->cores_per_load = predicts ? fit->prediction.cores_per_load : NAN;
    advice->steps_are_launches = context->trace->shared.cuda && !context->trace->shared.synchronized;
    const struct dlq_log_host *given = &context->options->host, *logged = &context->trace->shared.host;
    advice->host = (struct dlq_log_host){
        .cores = given->cores > 0 ? given->cores : logged->cores,
        .memory = given->memory > 0 ? given->memory : logged->memory,
        .shm = given->shm > 0 ? given->shm : logged->shm,
        .batch_bytes = given->batch_bytes > 0 ? given->batch_bytes : logged->batch_bytes,
        .ranks = given->ranks > 0    ? given->ranks
                 : logged->ranks > 0 ? logged->ranks
                                     : (long)fmax(1, (double)context->trace->shared.world),
    };
}

/* Predicts a run with a change from the recorded times; prediction->batches is 0 where the record does not allow it. */
static enum dlq_status predict_change(const struct advice_context *context, struct dlq_fit_change change,
                                      struct dlq_fit_prediction *prediction, struct dlq_error *error)
{
    const double recorded = context->trace->shared.host.cores, given = context->options->host.cores;
    change.cores = recorded > 0 && given > 0 && given != recorded ? given : 0;
    const struct dlq_fit_options options = {
        .hint = context->options->hint, .other_runs = context->options->other_runs, .change = change};
    *prediction = (struct dlq_fit_prediction){.throughput = dlq_no_estimate, .long_run = dlq_no_estimate};
    if (!is_predicted(context))
        return DLQ_OK;
    return dlq_predict_from_record(context->trace, &options, context->run, prediction, error);
}

static void choose(struct dlq_advice *advice, enum dlq_advice_kind kind, long loaders, long prefetch,
                   const struct dlq_fit_prediction *prediction)
{
    const struct dlq_estimate *rate = &prediction->throughput;
    advice->kind = kind;
    advice->to_loaders = loaders;
    advice->to_prefetch = prefetch;
    advice->prediction = *prediction;
    advice->speedup = (struct dlq_estimate){rate->value / advice->measured, rate->low / advice->measured,
                                            rate->high / advice->measured};
}

/* -- what the host allows -- */

/* Bytes of the batches that so many loaders of each rank of the host load ahead; 0: unknown. */
static double bytes_ahead(const struct dlq_advice *advice, long loaders, long prefetch)
{
    const double batch = advice->host.batch_bytes * (double)advice->host.ranks;
    return batch * (double)window_of(advice->loader, loaders, prefetch);
}

/* Whether the batches loaded ahead exceed /dev/shm or, with the batch of each rank's step, the memory. */
static enum dlq_advice_limit limit_of_window(const struct dlq_advice *advice, long loaders, long prefetch)
{
    const struct dlq_log_host *host = &advice->host;
    const double ahead = bytes_ahead(advice, loaders, prefetch), batch = host->batch_bytes * (double)host->ranks;
    if (advice->in_shm && host->shm > 0 && ahead > host->shm)
        return DLQ_LIMIT_SHM;
    return host->memory > 0 && ahead + batch > host->memory ? DLQ_LIMIT_MEMORY : DLQ_LIMIT_NONE;
}

/* The most loaders of a rank that the advice may name, not below the present number, and what limits them. Without
   recorded loads the number is too uncertain to name more than usual hosts run. */
static long most_loaders(const struct advice_context *context, enum dlq_advice_limit *limit)
{
    const struct dlq_advice *advice = context->advice;
    const struct dlq_log_host *host = &advice->host;
    /* A load that computes for most of its time needs a core of its own. */
    const double busy = 2 * advice->cores_per_load < 1 ? advice->cores_per_load : 1;
    const double given = context->options->most_loaders > 0 ? (double)context->options->most_loaders : INFINITY;
    const double by_cores = host->cores > 0 ? floor(host->cores / (double)host->ranks / busy) : INFINITY;
    const double usual = is_predicted(context) || isfinite(by_cores) || isfinite(given) ? DLQ_FIT_MOST_LOADERS
                                                                                        : dlq_calibration.usual_host;
    long most = (long)fmax(1, fmin(fmin(by_cores, given), usual));
    *limit = given <= fmin(by_cores, usual) ? DLQ_LIMIT_AT_MOST
             : by_cores <= usual            ? DLQ_LIMIT_CORES
             : usual < DLQ_FIT_MOST_LOADERS ? DLQ_LIMIT_HOSTS
                                            : DLQ_LIMIT_NONE;
    for (enum dlq_advice_limit reached; most > advice->loaders && most > 1 &&
                                        (reached = limit_of_window(advice, most, advice->prefetch)) != DLQ_LIMIT_NONE;
         most--)
        *limit = reached;
    return most > advice->loaders ? most : advice->loaders;
}

/* -- more loaders, or a longer prefetch -- */

static enum dlq_status predict_loaders(const struct advice_context *context, long loaders,
                                       struct dlq_fit_prediction *prediction, struct dlq_error *error)
{
    const struct dlq_fit_change change = {
        .has_loaders = true, .loaders = loaders, .prefetch = context->advice->prefetch};
    return predict_change(context, change, prediction, error);
}

/* Where no rule gives the number of loaders: whether more of them, `high` at most, gain by their own prediction. If so,
   sets *loaders to the least number that is as good, and *prediction to theirs; else *loaders to the present number. */
static enum dlq_status find_gaining_loaders(const struct advice_context *context, long high, long *loaders,
                                            struct dlq_fit_prediction *prediction, struct dlq_error *error)
{
    const struct dlq_advice *advice = context->advice;
    struct dlq_fit_prediction tried;
    long low = *loaders = advice->loaders;
    if (high <= low)
        return DLQ_OK;
    TRY(predict_loaders(context, high, prediction, error));
    const double rate = prediction->throughput.value;
    if (!(rate > dlq_calibration.gain_sharing * advice->measured))
        return DLQ_OK;
    while (high - low > 1) {
        const long middle = low + (high - low) / 2;
        TRY(predict_loaders(context, middle, &tried, error));
        if (tried.throughput.value >= dlq_calibration.tie * rate) {
            high = middle;
            *prediction = tried;
        } else {
            low = middle;
        }
    }
    *loaders = high;
    return DLQ_OK;
}

/* Sets loaders_wanted, which keep the step fed, and wanted_at_least. Loads that were recorded, or timed without steps,
   give the number. Waits alone give it only if enough iterations are known singly and its range is narrow; else the
   number is the least that the diagnosis finds by means. */
static void find_wanted(const struct advice_context *context)
{
    struct dlq_advice *advice = context->advice;
    const struct dlq_fit *fit = context->fit;
    const struct dlq_diagnosis *diagnosis = context->diagnosis;
    const long least = diagnosis->loaders_at_least;
    const bool counted = fit != NULL && fit->loaders_known && fit->sufficient_loaders > 0 && !fit->load.only_bound;
    const struct dlq_estimate *range = counted ? &fit->prediction.recommended : &dlq_no_estimate;
    if (is_predicted(context)) {
        advice->loaders_wanted = isfinite(fit->prediction.recommended.value) ? fit->sufficient_loaders : 0;
        return;
    }
    const bool singles = counted && fit->source == DLQ_FIT_WAITS && !diagnosis->lines_unknown;
    const double widest =
        context->options->widest_range > 0 ? context->options->widest_range : dlq_calibration.range_told;
    const bool narrow = range->high <= widest * range->low || range->high - range->low <= widest;
    if (fit != NULL && fit->source == DLQ_FIT_STOPWATCH) {
        /* The mean load over the step; one more if no law tells how loads vary. */
        const double mean = ceil(diagnosis->loaders_needed - dlq_calibration.needed_rounding);
        advice->loaders_wanted = !(mean > 0) ? 0
                                 : counted   ? (long)fmax(mean, (double)fit->sufficient_loaders)
                                             : (long)mean + 1;
    } else if (counted && fit->source == DLQ_FIT_TRACE) {
        advice->loaders_wanted = fit->sufficient_loaders > least ? fit->sufficient_loaders : least;
    } else if (singles && narrow && (double)fit->load.n >= dlq_calibration.told_iterations &&
               fit->sufficient_loaders >= least) {
        advice->loaders_wanted = fit->sufficient_loaders;
    } else {
        advice->wanted_at_least = true;
        advice->loaders_wanted = least;
    }
}

/* For too few loaders, or loads that vary: compares more loaders, within what the host can run, with a longer prefetch.
   A longer prefetch needs no more cores, and no assumption on how loads that run together slow each other down; its
   gain has to be predicted. */
static enum dlq_status consider_loaders_and_prefetch(const struct advice_context *context, struct dlq_error *error)
{
    struct dlq_advice *advice = context->advice;
    const struct dlq_loader *loader = dlq_loader_find(advice->loader);
    struct dlq_fit_prediction more = {.batches = 0}, longer;
    enum dlq_advice_limit limit;
    const struct dlq_fit *fit = context->fit;
    const bool predicts = is_predicted(context);
    const long most = most_loaders(context, &limit);
    find_wanted(context);
    long loaders = advice->loaders_wanted, prefetch = TRIED_FACTOR * advice->prefetch;
    const bool takes_prefetch = advice->loaders > 0 && loader != NULL && loader->prefetch_name != NULL;
    bool independent = !context->diagnosis->one_by_one && !context->diagnosis->fetches_several;
    advice->kind = DLQ_ADVICE_LOAD;
    if (!independent)
        return DLQ_OK;
    const bool shares = advice->core_wait_share > dlq_calibration.severity_slight;
    if (predicts && advice->loaders >= 0 && (shares || (loaders == 0 && limit == DLQ_LIMIT_CORES))) {
        const long high = limit != DLQ_LIMIT_NONE ? most : TRIED_FACTOR * advice->loaders;
        TRY(find_gaining_loaders(context, loaders > 0 && loaders < most ? loaders : high, &loaders, &more, error));
        if (more.batches == 0) /* no more loaders are allowed: predicted only to see who had the cores */
            TRY(predict_loaders(context, advice->loaders + 1, &more, error));
        advice->other_programs = more.other_programs && advice->core_wait_share > dlq_calibration.severity_severe;
        advice->kind = advice->other_programs ? DLQ_ADVICE_RECORD : advice->kind;
        if (advice->other_programs)
            return DLQ_OK;
    }
    if (loaders >= most && (advice->wanted_at_least || advice->loaders_wanted != most))
        advice->limit = limit;
    loaders = loaders < most ? loaders : most;
    const bool too_few = loaders > advice->loaders;
    advice->loads_wait_for_cores = shares && !too_few;
    if (advice->loads_wait_for_cores)
        return DLQ_OK;
    bool unknown = advice->loaders < 0 || (loaders == 0 && !(predicts && takes_prefetch));
    /* Without recorded loads: too few iterations tell nothing, and waits tell nothing if the loaders suffice. */
    bool too_little = !predicts && (context->diagnosis->log_length < DLQ_LOG_LONG_ENOUGH ||
                                    (!too_few && advice->limit == DLQ_LIMIT_NONE));
    if (unknown || too_little || (loaders == 0 && predicts && fit->prediction.cautions[DLQ_CAUTION_SLOWER]))
        advice->kind = DLQ_ADVICE_RECORD;
    if (unknown || too_little || advice->limit == DLQ_LIMIT_HOSTS)
        return DLQ_OK;
    while (prefetch > advice->prefetch && limit_of_window(advice, advice->loaders, prefetch) != DLQ_LIMIT_NONE)
        prefetch--;
    const bool longer_fits = takes_prefetch && prefetch > advice->prefetch, has_prefetch = predicts && longer_fits;
    if (too_few && more.batches == 0)
        TRY(predict_loaders(context, loaders, &more, error));
    struct dlq_fit_change change = {.has_loaders = true, .loaders = advice->loaders, .prefetch = prefetch};
    if (has_prefetch)
        TRY(predict_change(context, change, &longer, error));
    if (too_few)
        choose(advice, DLQ_ADVICE_LOADERS, loaders, advice->prefetch, &more);
    if (too_few && advice->wanted_at_least && longer_fits && context->diagnosis->single_iterations &&
        isnan(context->diagnosis->period))
        advice->prefetch_instead = prefetch;
    if (too_few && !advice->wanted_at_least && fit != NULL && fit->sufficient_loaders == loaders)
        advice->recommended = fit->prediction.recommended;
    bool longer_known = has_prefetch && !isnan(longer.throughput.value);
    const bool gains = longer_known && dlq_calibration.tie * longer.throughput.value > advice->measured;
    const bool gains_less =
        too_few && longer_known && longer.throughput.value < dlq_calibration.tie * more.throughput.value;
    const bool better = gains && !gains_less;
    if (gains && gains_less && longer.throughput.low > advice->measured) {
        advice->prefetch_instead = prefetch;
        advice->rate_instead = longer.throughput;
    }
    if (better || (!too_few && has_prefetch && !longer_known))
        choose(advice, DLQ_ADVICE_PREFETCH, advice->loaders, prefetch, &longer);
    advice->first_epoch_waited = advice->kind == DLQ_ADVICE_LOAD && loaders > 0 && fit != NULL &&
                                 fit->prediction.cautions[DLQ_CAUTION_FIRST_EPOCH];
    if (advice->first_epoch_waited)
        advice->kind = DLQ_ADVICE_NOTHING;
    return DLQ_OK;
}

/* Advises cheaper reception, or, where processes wait for a core, cheaper loads, unless more loaders gain by their
   prediction: a loader whose loads hold the interpreter lock hands a batch over only between two loads, and the
   wait for it looks like reception. Or no loader, where the trainer loads a batch in less time than it receives one. */
static enum dlq_status consider_reception(const struct advice_context *context, struct dlq_error *error)
{
    struct dlq_advice *advice = context->advice;
    struct dlq_fit_prediction more, none;
    enum dlq_advice_limit limit;
    long loaders = advice->loaders;
    advice->kind = isnan(context->diagnosis->core_wait) ? DLQ_ADVICE_RECEIVE : DLQ_ADVICE_LOAD;
    if (!is_predicted(context) || loaders < 1)
        return DLQ_OK;
    if (context->fit->prediction.other_programs && advice->core_wait_share > dlq_calibration.severity_severe) {
        advice->kind = DLQ_ADVICE_RECORD;
        advice->other_programs = true;
        return DLQ_OK;
    }
    const long most = most_loaders(context, &limit);
    TRY(find_gaining_loaders(context, most < TRIED_FACTOR * loaders ? most : TRIED_FACTOR * loaders, &loaders, &more,
                             error));
    if (loaders > advice->loaders)
        choose(advice, DLQ_ADVICE_LOADERS, loaders, advice->prefetch, &more);
    if (strcmp(advice->loader, "pytorch") != 0)
        return DLQ_OK;
    TRY(predict_loaders(context, 0, &none, error));
    if (none.throughput.low > fmax(advice->measured, advice->speedup.high * advice->measured)) /* not NAN */
        choose(advice, DLQ_ADVICE_LOADERS, 0, advice->prefetch, &none);
    return DLQ_OK;
}

static void list_missing_records(const struct advice_context *context)
{
    const struct dlq_diagnosis *diagnosis = context->diagnosis;
    struct dlq_advice *advice = context->advice;
    bool more = advice->kind == DLQ_ADVICE_LOADERS || advice->kind == DLQ_ADVICE_PREFETCH;
    bool changes = more || advice->kind == DLQ_ADVICE_PERSISTENT;
    bool loads = changes || advice->kind == DLQ_ADVICE_LOAD ||
                 (advice->kind == DLQ_ADVICE_RECORD && diagnosis->cause != DLQ_DIAGNOSIS_STEP);
    const struct dlq_fit *fit = context->fit;
    /* A record of one number of loaders does not tell whether more of them would help. */
    bool slower = is_predicted(context) && fit->prediction.cautions[DLQ_CAUTION_SLOWER];
    bool traced = fit != NULL && fit->has_replay;
    bool *record = advice->record;
    record[DLQ_EVIDENCE_WAITS] = !diagnosis->has_data || isnan(diagnosis->iter_time.mean);
    record[DLQ_EVIDENCE_MEANS] = diagnosis->medians && !record[DLQ_EVIDENCE_WAITS];
    record[DLQ_EVIDENCE_LOADERS] = !record[DLQ_EVIDENCE_WAITS] && loads && advice->loaders < 0;
    record[DLQ_EVIDENCE_LONGER] = diagnosis->log_length < DLQ_LOG_LONG_ENOUGH || diagnosis->one_line ||
                                  (loads && (double)diagnosis->iterations < dlq_calibration.long_run);
    record[DLQ_EVIDENCE_TRACE] = loads && !traced;
    record[DLQ_EVIDENCE_RANKS] =
        diagnosis->one_rank && (diagnosis->one_of_several || !isnan(diagnosis->long_steps.excess_share) ||
                                diagnosis->rank_known || diagnosis->cause == DLQ_DIAGNOSIS_STEP);
    record[DLQ_EVIDENCE_CPU] = (more || slower) && traced && isnan(advice->core_wait_share);
    record[DLQ_EVIDENCE_RUN] = changes;
}

enum dlq_status dlq_advise(const struct dlq_trace *trace, const struct dlq_fit_options *options,
                           const struct dlq_diagnosis *diagnosis, const struct dlq_fit *fit, const struct dlq_run *run,
                           struct dlq_advice *advice, struct dlq_error *error)
{
    struct dlq_advice advised = {
        .speedup = dlq_no_estimate, .recommended = dlq_no_estimate, .rate_instead = dlq_no_estimate, .cores = NAN};
    const struct advice_context context = {trace, options, diagnosis, fit, run, &advised};
    const enum dlq_diagnosis_cause cause = diagnosis->cause;
    advised.prediction.throughput = advised.prediction.long_run = dlq_no_estimate;
    TRY(dlq_validate_run(run, error));
    describe_pipeline(&context);
    const bool has_slow_rank =
        cause == DLQ_DIAGNOSIS_BARRIER && !diagnosis->one_line && dlq_slow_rank(diagnosis) != NULL;
    const struct dlq_advice described = advised;
    if (diagnosis->waits_ended)
        advised.kind = DLQ_ADVICE_NOTHING;
    else if (cause == DLQ_DIAGNOSIS_UNKNOWN || diagnosis->one_line)
        advised.kind = DLQ_ADVICE_RECORD;
    else if (cause == DLQ_DIAGNOSIS_STEP) /* a single rank of several waits for the others inside its step */
        advised.kind = diagnosis->one_rank && diagnosis->one_of_several            ? DLQ_ADVICE_RECORD
                       : diagnosis->pause_share >= dlq_calibration.severity_slight ? DLQ_ADVICE_PAUSES
                                                                                   : DLQ_ADVICE_NOTHING;
    else if (cause == DLQ_DIAGNOSIS_PAUSES)
        advised.kind = DLQ_ADVICE_PAUSES;
    else if (cause == DLQ_DIAGNOSIS_STARTUP)
        advised.kind =
            diagnosis->epoch_starts > 1 && !diagnosis->persistent ? DLQ_ADVICE_PERSISTENT : DLQ_ADVICE_NOTHING;
    else if (cause == DLQ_DIAGNOSIS_RECEIVE)
        TRY(consider_reception(&context, error));
    else if (!has_slow_rank || !isnan(diagnosis->speedup_if_alike.value))
        TRY(consider_loaders_and_prefetch(&context, error));
    /* More loaders of all ranks may gain more than loads of the slow rank that take as long as those of the others. */
    if (has_slow_rank && !diagnosis->waits_ended && !(advised.speedup.value > diagnosis->speedup_if_alike.value)) {
        advised = described;
        advised.kind = DLQ_ADVICE_RANKS;
        advised.speedup = diagnosis->speedup_if_alike;
    }
    if (advised.kind == DLQ_ADVICE_PAUSES)
        advised.speedup_bound = 1 / (1 - diagnosis->pause_share);
    /* Where workers are started anew in each epoch, persistent workers gain without more cores. */
    bool may_persist = advised.kind != DLQ_ADVICE_NOTHING && advised.kind != DLQ_ADVICE_PAUSES &&
                       advised.kind != DLQ_ADVICE_RANKS && !advised.loads_wait_for_cores;
    if (may_persist && fit != NULL && fit->has_replay && fit->replay.epoch_batches > 0 && !fit->overheads.persistent &&
        !diagnosis->persistent) {
        struct dlq_fit_prediction persistent;
        TRY(predict_change(&context, (struct dlq_fit_change){.has_persistent = true, .persistent = true}, &persistent,
                           error));
        if (persistent.throughput.value >
            fmax(1 / dlq_calibration.tie, isnan(advised.speedup.value) ? 1 : advised.speedup.value) *
                advised.measured) {
            choose(&advised, DLQ_ADVICE_PERSISTENT, advised.loaders, advised.prefetch, &persistent);
            advised.recommended = dlq_no_estimate;
        }
    }
    /* The cores that loads keep busy, by the share of the load time that is CPU time; NAN where that is unknown. */
    double blocked = !isnan(advised.core_wait_share) ? fit->prediction.blocked_share : NAN;
    advised.window = window_of(advised.loader, advised.loaders, advised.prefetch);
    advised.to_window = window_of(advised.loader, advised.to_loaders, advised.to_prefetch);
    advised.bytes = bytes_ahead(&advised, advised.loaders, advised.prefetch);
    advised.to_bytes = bytes_ahead(&advised, advised.to_loaders, advised.to_prefetch);
    advised.cores = isnan(blocked) || advised.to_loaders < 0 ? NAN : (double)advised.to_loaders * (1 - blocked);
    if (advised.kind != DLQ_ADVICE_LOADERS && advised.kind != DLQ_ADVICE_LOAD)
        advised.limit = DLQ_LIMIT_NONE;
    list_missing_records(&context);
    *advice = advised;
    return DLQ_OK;
}
