/* What measured logs say by themselves: the parts of a diagnosis, one after the other; at last what the waits come
   from, and how much they cost. */
#include "logs/study/diagnose/diagnose.h"

#include <math.h>
#include <stdlib.h>

/* -- the cause -- */

/* From 1 % of its iteration time on a rank is worth a look (the blog on slow PyTorch loaders); 5 % is where profilers
   warn (PyTorch, TensorFlow); 10 and 20 % are "warning" and "critical" of others (TraceML, TensorFlow). */
static const double severities[DLQ_SEVERITIES] = {
    [DLQ_SEVERITY_SMALL] = 0.01,
    [DLQ_SEVERITY_SLIGHT] = 0.05,
    [DLQ_SEVERITY_MODERATE] = 0.1,
    [DLQ_SEVERITY_SEVERE] = 0.2,
};

double dlq_severity_from(enum dlq_severity severity)
{
    return severities[severity];
}

static bool matters(double share)
{
    return share >= severities[DLQ_SEVERITY_SLIGHT];
}

/* The first that holds. */
static enum dlq_diagnosis_cause cause_of(const struct dlq_inquiry *inquiry)
{
    const struct dlq_diagnosis *result = inquiry->result;
    if (isnan(result->lost))
        return DLQ_DIAGNOSIS_UNKNOWN;
    /* The starts cost something, and the rest nothing, or far less than they do again and again. */
    double rest = result->ratio - result->epoch_start_cost;
    bool most = result->epoch_starts > 1 && result->epoch_start_cost > 2 * rest;
    if (matters(result->epoch_start_cost) && (!matters(result->lost) || most))
        return DLQ_DIAGNOSIS_STARTUP;
    if (!matters(result->lost))
        return DLQ_DIAGNOSIS_STEP;
    if (result->loads_inside && result->loaders <= 1)
        return DLQ_DIAGNOSIS_SERIAL;
    double own = isnan(result->steady_ratio) ? result->ratio : result->steady_ratio;
    if (result->keeps_step && own < 0.6 * result->together_ratio)
        return DLQ_DIAGNOSIS_BARRIER;
    if (inquiry->ready_share >= 0.5)
        return DLQ_DIAGNOSIS_RECEIVE;
    /* Denning and Buzen (1978), "The operational analysis of queueing network models": N loaders deliver a batch every
       load / N, however the loads vary; the slowest loader sets the pace of those that take turns. 3 %: what measuring
       both makes of a tie. */
    double load = result->load_mean, step = result->steady_iter * (1 - result->lost);
    for (size_t i = 0; i < result->slow_worker_count; i++)
        load = fmax(load, result->slow_workers[i].load_mean);
    if (result->loaders > 0 && !isnan(result->load_mean)) /* else enough loaders on average */
        return load / (double)result->loaders > 0.97 * step ? DLQ_DIAGNOSIS_LOAD : DLQ_DIAGNOSIS_VARIANCE;
    /* Few wait: the slowest tenth of the waits (of the windows' mean waits) takes most of them all. */
    double all = 0, rest_of_waits = 0;
    for (size_t i = 0; i < inquiry->data.count; i++) {
        all += inquiry->data.values[i];
        rest_of_waits += 10 * (i + 1) <= 9 * inquiry->data.count ? inquiry->data.values[i] : 0;
    }
    bool few = 1 - rest_of_waits / all > 0.8 && result->data_time.median < 0.25 * result->data_time.mean;
    /* Too few loaders that take turns: one wait in as many as there are loaders is long, and the rest are short, for
       those behind the late batch are loaded meanwhile. That costs much, comes often, and not at random: gaps between
       chance events have a cv of 1 (within 2 standard errors, about 1 / sqrt(n)), those of turns from 0 to 0.8, however
       much the loads vary. */
    struct dlq_spread gaps = dlq_stall_gaps(inquiry, 0.01 * result->iter_time.mean);
    bool turns = result->lost > 0.15 && gaps.count > 0 && gaps.mean <= DLQ_MOST_PERIOD &&
                 dlq_spread_cv(&gaps) < 1 - 2 / sqrt(gaps.count);
    /* Windows of iterations that all wait about the same: what few single iterations wait for comes in each of them.
       Where stalls come by chance, two or so in a window, the cv of these means is about 0.7 (of Poisson numbers
       1/sqrt(2)). */
    enum { LEAST_WINDOW = 5, FEWEST_WINDOWS = 10 };
    const struct dlq_rank *rank = inquiry->latest;
    struct dlq_spread means = {0};
    for (size_t i = 1; rank != NULL && i < rank->count; i++)
        if (rank->batches[i].count >= LEAST_WINDOW && !isnan(rank->batches[i].data))
            dlq_spread_add(&means, rank->batches[i].data, 1);
    bool even = means.count >= FEWEST_WINDOWS && dlq_spread_cv(&means) < 0.35;
    return isnan(result->period) && few && !even && !turns ? DLQ_DIAGNOSIS_VARIANCE : DLQ_DIAGNOSIS_LOAD;
}

/* lost, severity, cause, needed. */
static enum dlq_status find_cause(struct dlq_inquiry *inquiry)
{
    struct dlq_diagnosis *result = inquiry->result;
    /* Starts that cost next to nothing are not left out: text, table and chart give one share. */
    bool starts = result->epoch_start_cost >= 0.01;
    double steady = starts && !isnan(result->steady_ratio) ? result->steady_ratio : result->ratio;
    if (!starts && result->iter_time.mean > 0)
        result->steady_iter = result->iter_time.mean;
    result->lost = result->enough == DLQ_TOO_FEW || isnan(steady) ? NAN
                   : result->keeps_step                           ? fmax(steady, result->together_ratio)
                                                                  : steady;
    bool changed = !isnan(result->change);
    result->lasting = changed ? result->phases[1].lost : result->lost;
    result->cause = cause_of(inquiry);
    bool own = result->cause == DLQ_DIAGNOSIS_LOAD || result->cause == DLQ_DIAGNOSIS_SERIAL ||
               result->cause == DLQ_DIAGNOSIS_RECEIVE || result->cause == DLQ_DIAGNOSIS_VARIANCE;
    result->over = own && changed && !matters(result->phases[1].lost);
    double cost = result->cause == DLQ_DIAGNOSIS_STARTUP ? result->epoch_start_cost : result->lost;
    for (int k = 0; k < DLQ_SEVERITIES; k++)
        if (cost >= severities[k] && (k < DLQ_SEVERITY_SEVERE || result->enough == DLQ_ENOUGH))
            result->severity = (enum dlq_severity)k;
    bool loading = result->cause == DLQ_DIAGNOSIS_LOAD || result->cause == DLQ_DIAGNOSIS_SERIAL;
    if (!loading || result->one_by_one || result->fetches)
        return DLQ_OK;
    /* The mean load over the mean step; where loads are not known, N loaders that are busy all the time deliver at the
       rate that is measured: N / (1 - lost) would feed the step. Where that changed it is what lasts that counts. */
    double step = result->steady_iter * (1 - result->lost), lost = result->lasting;
    double load = changed ? result->phases[1].load : result->load_mean;
    double number = result->loaders > 0 ? (double)result->loaders : result->period;
    if (result->lost < 0.995 && lost < 0.995 && step > 0)
        result->needed = !isnan(load) ? load / step : number / (1 - lost);
    return DLQ_OK;
}

/* -- the whole -- */

static const struct dlq_diagnosis nothing = {
    .period = NAN,
    .stalled = NAN,
    .median_over_mean = NAN,
    .tail_cost = NAN,
    .epoch_start_mean = NAN,
    .epoch_start_cost = NAN,
    .steady_ratio = NAN,
    .change = NAN,
    .phases = {{NAN, NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}},
    .pause = NAN,
    .pause_share = NAN,
    .trend = NAN,
    .trend_first = NAN,
    .trend_last = NAN,
    .together_ratio = NAN,
    .shared_stalls = NAN,
    .longest_stall = NAN,
    .load_mean = NAN,
    .needed = NAN,
    .median_rank_wait = NAN,
    .regular = NAN,
    .start_wait = NAN,
};

enum dlq_status dlq_diagnose(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                             struct dlq_diagnosis *diagnosis, struct dlq_error *error)
{
    static const struct dlq_format unknown_format = {.numbers = DLQ_NUMBERS_SINGLE};
    const struct dlq_format *format = trace->format != NULL ? trace->format : &unknown_format;
    DLQ_ARENA arena = {.error = error, .doing = "diagnosing logs"};
    DLQ_RELEASED_BY(dlq_diagnosis_free) struct dlq_diagnosis made = nothing;
    made.whole = true;
    for (size_t r = 0; r < trace->rank_count; r++)
        made.whole = made.whole && trace->ranks[r].whole;
    made.kept = trace->kept;
    made.records = trace->records;
    made.numbers = format->numbers;
    made.lines_untold = format->untold && trace->options.every == 0;
    made.waits_for_all = format->waits_for_all;
    made.looks_ahead = format->looks_ahead;
    made.first_rank = trace->rank_count > 0 ? trace->ranks[0].number : 0;
    made.rank_told = trace->rank_told;
    made.persistent = trace->shared.persistent || format->persistent;
    made.alone = trace->rank_count == 1 && !format->waits_for_all && trace->shared.world != 1;
    /* A rank 0 in a column may be all that there is: programs write it everywhere. */
    made.one_of_several = trace->shared.world > 1 || trace->named || (trace->rank_told && made.first_rank > 0);
    struct dlq_inquiry inquiry = {
        .arena = &arena,
        .trace = trace,
        .told = hint != NULL ? hint->loaders : -1,
        .result = &made,
        .ready_share = NAN,
    };
    enum dlq_status (*const parts[])(struct dlq_inquiry *) = {dlq_diagnose_times, dlq_diagnose_loads,
                                                              dlq_diagnose_series, dlq_diagnose_ranks, find_cause};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(parts[i](&inquiry));
    *diagnosis = made;
    made.ranks = NULL;
    return DLQ_OK;
}

void dlq_diagnosis_free(struct dlq_diagnosis *diagnosis)
{
    free(diagnosis->ranks);
    *diagnosis = nothing;
}
