/* From a diagnosis and a fit to one change of the pipeline: which, what it gains by the record itself, what it needs of
   the host, and what would make that surer. Where neither tells, it says so. */
#include "dlqueue/logs/advise.h"
#include "logs/study/fit/fit.h"

#include <math.h>

/* A gain that is worth a change; and what of another must be left for the one that asks for no more loaders. */
static const double worth = 1.02, as_good = 0.97;
/* Waiting for a core, as a share of the load time, from which on loads are slow since they share cores. */
static const double crowded = 0.05;
/* So many times as many batches ahead. */
enum { DEEPER = 4, FEW = 100 };

struct inquiry {
    const struct dlq_trace *trace;
    const struct dlq_fit_options *options;
    const struct dlq_diagnosis *diagnosis;
    const struct dlq_fit *fit;
    const struct dlq_run *run;
    struct dlq_advice *advice;
};

static long window_of(const char *name, long loaders, long prefetch)
{
    const struct dlq_loader *loader = dlq_loader_find(name);
    return loader == NULL || loader->window == NULL || loaders <= 0 ? 0 : loader->window(loaders, prefetch);
}

/* What is known of the pipeline as it is. */
static void take_pipeline(const struct inquiry *inquiry)
{
    struct dlq_advice *advice = inquiry->advice;
    const struct dlq_diagnosis *diagnosis = inquiry->diagnosis;
    const struct dlq_fit *fit = inquiry->fit;
    const struct dlq_pipeline_hint *hint = &inquiry->options->hint;
    bool serial = inquiry->diagnosis->cause == DLQ_DIAGNOSIS_SERIAL;
    advice->loader = fit != NULL ? fit->loader : hint->loader != NULL ? hint->loader : "pytorch";
    advice->loaders = fit != NULL && fit->loaders_known ? fit->loaders
                      : hint->loaders >= 0              ? hint->loaders
                      : serial                          ? 0
                      : inquiry->diagnosis->loaders > 0 ? inquiry->diagnosis->loaders
                                                        : -1;
    if (advice->loaders == 0 &&
        (dlq_loader_find(advice->loader) == NULL || dlq_loader_find(advice->loader)->window == NULL))
        advice->loader = "pytorch"; /* what would load in the background */
    const struct dlq_loader *loader = dlq_loader_find(advice->loader);
    long usual = loader != NULL ? loader->prefetch : 0;
    advice->prefetch = fit != NULL && fit->loaders > 0 && fit->prefetch > 0 ? fit->prefetch
                       : hint->prefetch > 0                                 ? hint->prefetch
                                                                            : usual;
    advice->to_loaders = advice->loaders;
    advice->to_prefetch = advice->prefetch;
    advice->measured = fit == NULL ? NAN : fit->has_replay ? fit->replay.measured : fit->measured;
    /* Where it is the starts of epochs that wait, they are what would cost nothing. */
    const bool starts = diagnosis->cause == DLQ_DIAGNOSIS_STARTUP && diagnosis->epoch_starts > 1;
    const double lost = starts ? diagnosis->ratio : diagnosis->lasting;
    advice->at_most = lost < 0.995 ? 1 / (1 - lost) : NAN;
    advice->host_cores = inquiry->trace->shared.cores;
    advice->delayed = fit != NULL && fit->prediction.batches > 0 ? fit->prediction.delayed : NAN;
}

/* What the record says of such a run. */
static enum dlq_status foresee(const struct inquiry *inquiry, struct dlq_fit_change change,
                               struct dlq_fit_prediction *prediction, struct dlq_error *error)
{
    const struct dlq_fit_options options = {
        .hint = inquiry->options->hint, .also = inquiry->options->also, .change = change};
    *prediction = (struct dlq_fit_prediction){.throughput = dlq_no_estimate, .long_run = dlq_no_estimate};
    if (inquiry->fit == NULL || inquiry->fit->prediction.batches == 0)
        return DLQ_OK;
    return dlq_predict_from_record(inquiry->trace, &options, inquiry->run, prediction, error);
}

static void take(struct dlq_advice *advice, enum dlq_advice_kind kind, long loaders, long prefetch,
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

/* Too few loaders, or loads that vary: more of them, or more batches ahead. Batches ahead cost no cores, and nothing
   need be assumed of loads that run at the same time. */
static enum dlq_status take_room(const struct inquiry *inquiry, struct dlq_error *error)
{
    struct dlq_advice *advice = inquiry->advice;
    const struct dlq_loader *loader = dlq_loader_find(advice->loader);
    struct dlq_fit_prediction more, deeper;
    const struct dlq_fit *fit = inquiry->fit;
    const bool predicts = fit != NULL && fit->prediction.batches > 0;
    /* Loaders that keep the step fed: by the fitted law, and where it is not that of recorded loads no fewer than the
       means ask for. 0: not known. */
    const double needed = inquiry->diagnosis->needed;
    const long least = needed >= 0 && needed < 1000 ? (long)ceil(needed - 0.05) : 0;
    bool fitted = fit != NULL && fit->loaders_known && fit->suffices > 0 && !fit->load.only_bound;
    long loaders = predicts                ? (isfinite(fit->prediction.recommended.value) ? fit->suffices : 0)
                   : !fitted               ? (least > 0 ? least + 1 : 0)
                   : fit->suffices > least ? fit->suffices
                                           : least;
    long prefetch = DEEPER * advice->prefetch;
    bool few = loaders > advice->loaders,
         ahead = advice->loaders > 0 && loader != NULL && loader->prefetch_name != NULL;
    bool apart = !inquiry->diagnosis->one_by_one && !inquiry->diagnosis->fetches;
    advice->kind = DLQ_ADVICE_LOAD;
    advice->shared = apart && advice->delayed > crowded;
    if (!apart || advice->shared)
        return DLQ_OK;
    bool untold = advice->loaders < 0 || (loaders == 0 && !ahead);
    if (untold || (loaders == 0 && predicts && fit->prediction.cautions[DLQ_CAUTION_SLOWER]))
        advice->kind = DLQ_ADVICE_RECORD;
    if (untold)
        return DLQ_OK;
    struct dlq_fit_change change = {
        .has_loaders = true, .loaders = few ? loaders : advice->loaders, .prefetch = advice->prefetch};
    TRY(foresee(inquiry, change, &more, error));
    change = (struct dlq_fit_change){.has_loaders = true, .loaders = advice->loaders, .prefetch = prefetch};
    if (ahead)
        TRY(foresee(inquiry, change, &deeper, error));
    if (few)
        take(advice, DLQ_ADVICE_LOADERS, loaders, advice->prefetch, &more);
    if (few && fit != NULL && fit->suffices == loaders)
        advice->recommended = fit->prediction.recommended;
    bool told = ahead && !isnan(deeper.throughput.value);
    bool better = told && deeper.throughput.value > worth * advice->measured &&
                  !(few && deeper.throughput.value < as_good * more.throughput.value);
    if (better || (!few && ahead && !told))
        take(advice, DLQ_ADVICE_PREFETCH, advice->loaders, prefetch, &deeper);
    advice->warm = advice->kind == DLQ_ADVICE_LOAD && loaders > 0 && fit != NULL &&
                   fit->prediction.cautions[DLQ_CAUTION_FIRST_EPOCH];
    if (advice->warm)
        advice->kind = DLQ_ADVICE_NOTHING;
    return DLQ_OK;
}

static void count_missing(const struct inquiry *inquiry)
{
    const struct dlq_diagnosis *diagnosis = inquiry->diagnosis;
    struct dlq_advice *advice = inquiry->advice;
    bool more = advice->kind == DLQ_ADVICE_LOADERS || advice->kind == DLQ_ADVICE_PREFETCH;
    bool changes = more || advice->kind == DLQ_ADVICE_PERSISTENT;
    bool loads = changes || advice->kind == DLQ_ADVICE_LOAD ||
                 (advice->kind == DLQ_ADVICE_RECORD && diagnosis->cause != DLQ_DIAGNOSIS_STEP);
    const struct dlq_fit *fit = inquiry->fit;
    /* More loaders may help, or not: the record has one number of them. */
    bool slower = fit != NULL && fit->prediction.batches > 0 && fit->prediction.cautions[DLQ_CAUTION_SLOWER];
    bool traced = fit != NULL && fit->has_replay;
    bool *record = advice->record;
    record[DLQ_EVIDENCE_WAITS] = !diagnosis->has_data || isnan(diagnosis->iter_time.mean);
    record[DLQ_EVIDENCE_LOADERS] = !record[DLQ_EVIDENCE_WAITS] && loads && advice->loaders < 0;
    record[DLQ_EVIDENCE_LONGER] = diagnosis->enough < DLQ_ENOUGH || (loads && diagnosis->iterations < FEW);
    record[DLQ_EVIDENCE_TRACE] = loads && !traced;
    record[DLQ_EVIDENCE_RANKS] = diagnosis->alone && (diagnosis->one_of_several || diagnosis->rank_told ||
                                                      diagnosis->cause == DLQ_DIAGNOSIS_STEP);
    record[DLQ_EVIDENCE_CPU] = (more || slower) && traced && isnan(advice->delayed);
    record[DLQ_EVIDENCE_RUN] = changes;
}

enum dlq_status dlq_advise(const struct dlq_trace *trace, const struct dlq_fit_options *options,
                           const struct dlq_diagnosis *diagnosis, const struct dlq_fit *fit, const struct dlq_run *run,
                           struct dlq_advice *advice, struct dlq_error *error)
{
    struct dlq_advice made = {.speedup = dlq_no_estimate, .recommended = dlq_no_estimate, .cores = NAN};
    const struct inquiry inquiry = {trace, options, diagnosis, fit, run, &made};
    const enum dlq_diagnosis_cause cause = diagnosis->cause;
    bool slow = false;
    made.prediction.throughput = made.prediction.long_run = dlq_no_estimate;
    TRY(dlq_accept_run(run, error));
    take_pipeline(&inquiry);
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        slow = slow || diagnosis->ranks[r].slow;
    if (diagnosis->over)
        made.kind = DLQ_ADVICE_NOTHING;
    else if (cause == DLQ_DIAGNOSIS_UNKNOWN)
        made.kind = DLQ_ADVICE_RECORD;
    else if (cause == DLQ_DIAGNOSIS_STEP) /* one rank of several: what it waits for the others lies in its step */
        made.kind = diagnosis->alone && diagnosis->one_of_several ? DLQ_ADVICE_RECORD : DLQ_ADVICE_NOTHING;
    else if (cause == DLQ_DIAGNOSIS_STARTUP)
        made.kind = diagnosis->epoch_starts > 1 && !diagnosis->persistent ? DLQ_ADVICE_PERSISTENT : DLQ_ADVICE_NOTHING;
    else if (cause == DLQ_DIAGNOSIS_RECEIVE)
        made.kind = DLQ_ADVICE_RECEIVE;
    else if (cause == DLQ_DIAGNOSIS_BARRIER && slow)
        made.kind = DLQ_ADVICE_RANKS;
    else
        TRY(take_room(&inquiry, error));
    /* Workers that began anew in each epoch, and what they would gain if they lived on: it costs no cores. */
    bool asked = made.kind != DLQ_ADVICE_NOTHING && made.kind != DLQ_ADVICE_RANKS && !made.shared;
    if (asked && fit != NULL && fit->has_replay && fit->replay.epoch_batches > 0 && !fit->overheads.persistent &&
        !diagnosis->persistent) {
        struct dlq_fit_prediction kept;
        TRY(foresee(&inquiry, (struct dlq_fit_change){.has_persistent = true, .persistent = true}, &kept, error));
        if (kept.throughput.value > fmax(worth, isnan(made.speedup.value) ? 1 : made.speedup.value) * made.measured)
            take(&made, DLQ_ADVICE_PERSISTENT, made.loaders, made.prefetch, &kept);
        if (made.kind == DLQ_ADVICE_PERSISTENT)
            made.recommended = dlq_no_estimate;
    }
    /* Of the host, by the share of the load time that is CPU time; all of it where that is not known. */
    double blocked = !isnan(made.delayed) ? fit->prediction.blocked : NAN;
    made.window = window_of(made.loader, made.loaders, made.prefetch);
    made.to_window = window_of(made.loader, made.to_loaders, made.to_prefetch);
    made.cores = isnan(blocked) || made.to_loaders < 0 ? NAN : (double)made.to_loaders * (1 - blocked);
    count_missing(&inquiry);
    *advice = made;
    return DLQ_OK;
}
