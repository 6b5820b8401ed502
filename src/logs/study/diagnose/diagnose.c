/* The diagnosis of measured logs: runs the parts, then names the cause of the waits and what they cost. */
#include "logs/study/diagnose/diagnose.h"
#include "logs/calibration.h"

#include <math.h>
#include <stdlib.h>

double dlq_severity_from(enum dlq_severity severity)
{
    const double shares[DLQ_SEVERITIES] = {0, dlq_calibration.severity_small, dlq_calibration.severity_slight,
                                           dlq_calibration.severity_moderate, dlq_calibration.severity_severe};
    return shares[severity];
}

const struct dlq_phase *dlq_lasting_phase(const struct dlq_diagnosis *diagnosis)
{
    return diagnosis->phase_count > 0 ? &diagnosis->phases[diagnosis->phase_count - 1] : NULL;
}

static bool matters(double share)
{
    return share >= dlq_calibration.severity_slight;
}

/* The waits that steady_ratio leaves out, as a share of all time: those in pauses that count as data time, or at
   starts of epochs. */
static double left_out_cost(const struct dlq_diagnosis *result)
{
    return result->pauses_in_data ? result->pause_share : result->epoch_start_cost;
}

/* Tests the causes in a fixed order, and returns the first that holds. */
static enum dlq_diagnosis_cause cause_of(const struct dlq_diagnosing *diagnosing)
{
    const struct dlq_diagnosis *result = diagnosing->result;
    if (isnan(result->lost_share))
        return DLQ_DIAGNOSIS_UNKNOWN;
    /* Epoch starts, or pauses: their waits matter, and all other waits do not, or are far shorter in sum. */
    const double cost = left_out_cost(result), other_waits = result->ratio - cost;
    bool most = (result->pauses_in_data || result->epoch_starts > 1) && cost > dlq_calibration.dominates * other_waits;
    if (matters(cost) && (!matters(result->lost_share) || most))
        return result->pauses_in_data ? DLQ_DIAGNOSIS_PAUSES : DLQ_DIAGNOSIS_STARTUP;
    if (!matters(result->lost_share))
        return DLQ_DIAGNOSIS_STEP;
    if (result->loads_inside && result->loaders <= 1)
        return DLQ_DIAGNOSIS_SERIAL;
    double mean_ratio = isnan(result->steady_ratio) ? result->ratio : result->steady_ratio;
    if (result->keeps_step && mean_ratio < dlq_calibration.barrier_own * result->together_ratio)
        return DLQ_DIAGNOSIS_BARRIER;
    if (diagnosing->ready_share >= dlq_calibration.ready_share)
        return DLQ_DIAGNOSIS_RECEIVE;
    /* Denning and Buzen (1978), "The operational analysis of queueing network models": N loaders deliver a batch every
       load / N, however the loads vary; the slowest loader sets the pace of loaders that take turns. */
    double load = result->load_mean, step = result->steady_iter * (1 - result->lost_share);
    for (size_t i = 0; i < result->slow_worker_count; i++)
        load = fmax(load, result->slow_workers[i].load_mean);
    if (result->loaders > 0 && !isnan(result->load_mean)) /* VARIANCE: loaders suffice on average */
        return load / (double)result->loaders > dlq_calibration.tie * step ? DLQ_DIAGNOSIS_LOAD
                                                                           : DLQ_DIAGNOSIS_VARIANCE;
    /* Few iterations wait: the longest tenth of the waits makes most of their sum. Windows do not show single waits. */
    double all = 0, shorter = 0; /* s: sums of all waits, and of the shortest nine tenths */
    for (size_t i = 0; i < diagnosing->data.count; i++) {
        all += diagnosing->data.values[i];
        shorter += 10 * (i + 1) <= 9 * diagnosing->data.count ? diagnosing->data.values[i] : 0;
    }
    bool few_wait = result->single_iterations && 1 - shorter / all > dlq_calibration.large_part &&
                    result->data_time.median < dlq_calibration.far_below * result->data_time.mean;
    /* Too few loaders that take turns: one wait per turn is long, and the others are short, since the batches behind
       the late one are loaded meanwhile. Gaps between chance events have a cv of 1 (standard error about 1 / sqrt(n));
       gaps between long waits of turns mostly have less (logs_study.diagnose_series: turns). */
    struct dlq_spread gaps = dlq_stall_gaps(diagnosing, dlq_calibration.severity_small * result->iter_time.mean);
    bool turns = result->lost_share > dlq_calibration.turns_lost && gaps.count > 0 && gaps.mean <= DLQ_MOST_PERIOD &&
                 dlq_spread_cv(&gaps) < 1 - 2 / sqrt(gaps.count);
    return isnan(result->period) && few_wait && !turns ? DLQ_DIAGNOSIS_VARIANCE : DLQ_DIAGNOSIS_LOAD;
}

/* Loaders that would feed the step: mean load / mean step. Where loads are unknown, the loaders of the run (there
   are `present`) are taken to be always busy: they load at the measured rate, which is 1 - lost of that of the step, so
   present / (1 - lost) would feed the step. */
static double needed_of(double present, double step, double load, double lost)
{
    return !isnan(load) ? load / step : present / (1 - lost);
}

/* Sets loaders_needed, of the run and each phase, and loaders_at_least. Of a run that changed the last phase counts. */
static void find_needed(struct dlq_diagnosis *result)
{
    const double lost = fmin(result->lasting_lost_share, dlq_calibration.all_lost);
    const double step = result->steady_iter * (1 - fmin(result->lost_share, dlq_calibration.all_lost));
    const struct dlq_phase *last = dlq_lasting_phase(result);
    const double load = last != NULL ? last->load : result->load_mean;
    const double present = result->loaders > 0 ? (double)result->loaders : result->period;
    const bool loading = result->cause == DLQ_DIAGNOSIS_LOAD || result->cause == DLQ_DIAGNOSIS_SERIAL;
    if ((!loading && result->cause != DLQ_DIAGNOSIS_VARIANCE) || result->one_by_one || result->fetches_several ||
        !(step > 0))
        return;
    const double needed = needed_of(present, step, load, lost);
    /* Waiting for the latest of several ranks does not show that the loaders of each rank are too few. */
    const double mean_ratio = isnan(result->steady_ratio) ? result->ratio : result->steady_ratio;
    const double rank_lost = result->keeps_step ? fmin(lost, mean_ratio) : lost;
    const double more = matters(rank_lost) ? present + 1 : 0; /* the present ones are too few */
    const double least = !isnan(load)
                             ? ceil(needed - dlq_calibration.needed_rounding)
                             : fmax(floor(dlq_calibration.surely_needed * present / (1 - rank_lost)) - 1, more);
    if (loading && result->lost_share < dlq_calibration.all_lost && lost < dlq_calibration.all_lost)
        result->loaders_needed = needed;
    for (struct dlq_phase *phase = result->phases; loading && phase < result->phases + result->phase_count; phase++)
        if (phase->lost_share < dlq_calibration.all_lost)
            phase->loaders_needed = needed_of(present, step, phase->load, phase->lost_share);
    result->loaders_at_least = least > 0 ? (long)fmin(least, 1e9) : 0;
}

/* Sets lost_share, lasting_lost_share, severity, cause, waits_ended, loaders_needed and loaders_at_least; and
   steady_iter where no waits are left out. */
static enum dlq_status find_cause(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    /* Epoch starts, or pauses, that cost next to nothing stay in: text, table and chart then show the same share. */
    const bool left_out = left_out_cost(result) >= dlq_calibration.severity_small;
    double steady = left_out && !isnan(result->steady_ratio) ? result->steady_ratio : result->ratio;
    if (!left_out && result->iter_time.mean > 0)
        result->steady_iter = result->iter_time.mean;
    if (result->sampled && result->has_data && result->budget.balance == DLQ_BALANCE_OVER) {
        steady = result->budget.waits;
        result->steady_iter = result->budget.by_clock;
    }
    result->lost_share = result->log_length == DLQ_LOG_TOO_SHORT || isnan(steady) ? NAN
                         : result->keeps_step                                     ? fmax(steady, result->together_ratio)
                                                                                  : steady;
    const struct dlq_phase *last = dlq_lasting_phase(result);
    result->lasting_lost_share = last != NULL ? last->lost_share : result->lost_share;
    /* In order, most waits are 0 and few are long, so that the median is 0 whatever the mean is. Where the median
       iteration waits long, nearly all wait. */
    if (result->medians && result->lost_share < dlq_calibration.severity_moderate)
        result->lost_share = result->lasting_lost_share = NAN;
    result->cause = cause_of(diagnosing);
    bool of_loading = result->cause == DLQ_DIAGNOSIS_LOAD || result->cause == DLQ_DIAGNOSIS_SERIAL ||
                      result->cause == DLQ_DIAGNOSIS_RECEIVE || result->cause == DLQ_DIAGNOSIS_VARIANCE;
    result->waits_ended = of_loading && last != NULL && !matters(last->lost_share);
    const bool left_out_is_cause = result->cause == DLQ_DIAGNOSIS_STARTUP || result->cause == DLQ_DIAGNOSIS_PAUSES;
    const double cost = left_out_is_cause ? left_out_cost(result) : result->lost_share;
    for (int k = 0; k < DLQ_SEVERITIES; k++)
        if (cost >= dlq_severity_from((enum dlq_severity)k) &&
            (k < DLQ_SEVERITY_SEVERE || result->log_length == DLQ_LOG_LONG_ENOUGH))
            result->severity = (enum dlq_severity)k;
    find_needed(result);
    return DLQ_OK;
}

static const struct dlq_diagnosis nothing = {
    .budget = {.seconds = NAN,
               .iterations = NAN,
               .waits = NAN,
               .transfer = NAN,
               .validation = NAN,
               .checkpoints = NAN,
               .epoch_starts = NAN,
               .pauses = NAN,
               .unexplained = NAN,
               .pause = NAN,
               .by_clock = NAN,
               .by_log = NAN},
    .period = NAN,
    .stalled = NAN,
    .median_over_mean = NAN,
    .tail_cost = NAN,
    .epoch_start_mean = NAN,
    .epoch_start_cost = NAN,
    .steady_ratio = NAN,
    .changed_at = NAN,
    .long_steps = {NAN, NAN, NAN, NAN},
    .kinds = {.long_fraction = NAN, .usual = NAN, .longer = NAN, .excess_share = NAN},
    .pause = NAN,
    .pause_share = NAN,
    .trend = NAN,
    .trend_first = NAN,
    .trend_last = NAN,
    .together_ratio = NAN,
    .together_wait = NAN,
    .shared_stalls = NAN,
    .longest_stall = NAN,
    .load_mean = NAN,
    .core_wait = NAN,
    .loaders_needed = NAN,
    .median_rank_wait = NAN,
    .long_wait = NAN,
    .first_wait = NAN,
    .speedup_if_alike = {NAN, NAN, NAN},
    .long_wait_every = NAN,
    .start_wait = NAN,
};

enum dlq_status dlq_diagnose(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                             struct dlq_diagnosis *diagnosis, struct dlq_error *error)
{
    static const struct dlq_format unknown_format = {.numbers = DLQ_NUMBERS_SINGLE};
    const struct dlq_format *format = trace->format != NULL ? trace->format : &unknown_format;
    DLQ_ARENA arena = {.error = error, .doing = "diagnosing logs"};
    DLQ_RELEASED_BY(dlq_diagnosis_free) struct dlq_diagnosis found = nothing;
    found.all_kept = true;
    for (size_t r = 0; r < trace->rank_count; r++)
        found.all_kept = found.all_kept && trace->ranks[r].whole;
    found.kept = trace->kept;
    found.records = trace->records;
    found.numbers = format->numbers;
    found.medians = format->numbers == DLQ_NUMBERS_MEDIAN;
    found.sampled = trace->shared.sampled;
    found.unit_unknown = trace->shared.unit_unknown;
    found.lines_unknown = format->unmarked_means && trace->options.every == 0 && trace->shared.steps_unknown;
    found.one_line = trace->records <= (long)trace->rank_count && format->numbers != DLQ_NUMBERS_TOTAL;
    found.waits_for_all = format->waits_for_all;
    found.looks_ahead = format->looks_ahead;
    found.first_rank = trace->rank_count > 0 ? trace->ranks[0].number : 0;
    found.rank_known = trace->rank_known;
    found.persistent = trace->shared.persistent || format->persistent;
    found.one_rank = trace->rank_count == 1 && !format->waits_for_all && trace->shared.world != 1;
    /* Programs write rank 0 even where there is one rank only. */
    found.one_of_several = trace->shared.world > 1 || trace->named || (trace->rank_known && found.first_rank > 0);
    struct dlq_diagnosing diagnosing = {
        .arena = &arena,
        .trace = trace,
        .hint = hint,
        .hinted = hint != NULL ? hint->loaders : -1,
        .result = &found,
        .ready_share = NAN,
    };
    enum dlq_status (*const parts[])(struct dlq_diagnosing *) = {
        dlq_diagnose_times, dlq_diagnose_loads,  dlq_diagnose_series, dlq_diagnose_steps,
        dlq_diagnose_ranks, dlq_diagnose_budget, find_cause};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(parts[i](&diagnosing));
    *diagnosis = found;
    found.ranks = NULL;
    return DLQ_OK;
}

void dlq_diagnosis_free(struct dlq_diagnosis *diagnosis)
{
    free(diagnosis->ranks);
    *diagnosis = nothing;
}
