/* Reasons why a replay gives another rate than measured: loads that differ by worker, by how many run at once or over
   the run; deliveries that are late or out of order; impossible times. Each reason must be improbable by chance, and
   large enough to matter. */
#include "base/elementary.h"
#include "logs/calibration.h"
#include "logs/study/replay/replay.h"

#include <gsl/gsl_sort.h>
#include <math.h>

/* Data that the tests for reasons share. */
struct evidence {
    const struct dlq_measured_run *measured;
    const struct dlq_replay *replay;
    double *x, *y;            /* scratch: a value for each batch of all ranks */
    double *within, *scratch; /* scratch: two values for each batch of all ranks */
    bool crowded;             /* set by is_cores: loads are slow when many run at once */
    struct dlq_spread *logs;  /* logarithms of the load times of each worker of each rank */
};

/* Whether deliveries are late because loads hold the interpreter lock. Large batches are late, too, but all by about
   the same time: that is an overhead. */
static bool is_lock(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    const struct dlq_replay *replay = evidence->replay;
    size_t n = measured->batches, places = measured->ranks * n, count = 0, after_load = 0;
    double load = 0, lost = 0, uneven = 0, *ends = evidence->scratch;
    for (size_t i = 0; i < places; i++)
        load += measured->sent[i].load / (double)places;
    for (size_t r = 0; r < measured->ranks; r++) {
        for (size_t k = 0; k < n; k++)
            ends[k] = measured->sent[r * n + k].load_end;
        gsl_sort(ends, 1, n);
        for (size_t k = 0; k < n; k++) {
            const struct dlq_batch *batch = &measured->sent[r * n + k];
            double lateness = batch->received - fmax(batch->request, batch->load_end);
            if (!(lateness > fmax(dlq_calibration.outlier * dlq_calibration.tick, dlq_calibration.alike * load)))
                continue;
            evidence->x[count++] = lateness;
            lost += lateness;
            /* Received just after another load ended, within a time in which few loads would end by chance: handing a
               batch over needs the lock that the load held. */
            double near =
                fmin(fmax(dlq_calibration.outlier * dlq_calibration.tick, dlq_calibration.far_below * lateness),
                     dlq_calibration.far_below / replay->measured);
            after_load += dlq_count_up_to(ends, n, batch->received + dlq_calibration.tick) >
                          dlq_count_up_to(ends, n, batch->received - near);
        }
    }
    double usual = dlq_median(evidence->x, count);
    for (size_t i = 0; i < count; i++)
        uneven += fmax(0, evidence->x[i] - usual);
    reason->affected = count;
    reason->total = places;
    reason->time = lost / (double)count;
    return measured->loaders > 0 &&
           replay->without_overheads >= (1 + dlq_calibration.severity_small) * replay->measured &&
           (double)count >= dlq_calibration.few &&
           lost >= dlq_calibration.severity_small * ((double)places / replay->measured) &&
           uneven >= dlq_calibration.alike * lost && 2 * after_load >= count;
}

/* Whether workers are slow: their geometric mean load is above that of the others of their rank (Welch's test). Fills
   the slowest worker, the median of its loads, and that of the loads of the other workers of its rank. */
static bool is_worker(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t workers = (size_t)measured->workers, rank = 0, slowest = 0, counts[2] = {0};
    double most = 0;
    for (size_t r = 0; r < measured->ranks && workers > 1; r++) {
        const struct dlq_spread *logs = &evidence->logs[r * workers];
        for (size_t w = 0; w < workers; w++) {
            struct dlq_spread others = {0};
            for (size_t k = 0; k < workers; k++)
                if (k != w)
                    dlq_spread_merge(&others, &logs[k]);
            double factor = logs[w].mean - others.mean, tests = (double)(workers * measured->ranks);
            if (logs[w].count < dlq_calibration.few || others.count < dlq_calibration.few ||
                factor < dlq_log(dlq_calibration.slow_worker) ||
                dlq_welch(&logs[w], &others) * tests > dlq_calibration.improbable)
                continue;
            reason->affected++;
            if (factor > most) {
                most = factor;
                rank = r;
                slowest = w;
            }
        }
    }
    if (reason->affected == 0)
        return false;
    for (size_t k = 0; k < measured->batches; k++) {
        size_t place = rank * measured->batches + k;
        bool is_slowest = measured->worker[place] == slowest;
        (is_slowest ? evidence->x : evidence->y)[counts[is_slowest ? 0 : 1]++] = measured->sent[place].load;
        reason->worker = is_slowest ? measured->sent[place].worker : reason->worker;
    }
    reason->time = dlq_median(evidence->x, counts[0]);
    reason->other_time = dlq_median(evidence->y, counts[1]);
    reason->rank = measured->trace_ranks[rank].number;
    reason->in_order = measured->loader->order == DLQ_ORDER_INDEX;
    return reason->time >= dlq_calibration.slow_worker * reason->other_time;
}

/* Sets other_time to the median of y where x <= low, and time to that where x >= high. Returns whether time is larger
   (with smaller_too: or smaller) by a factor that matters. */
static bool medians_differ(const struct evidence *evidence, size_t n, double low, double high, bool smaller_too,
                           struct dlq_reason *reason)
{
    for (size_t side = 0; side < 2; side++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (side == 0 ? evidence->x[i] <= low : evidence->x[i] >= high)
                evidence->scratch[count++] = evidence->y[i];
        *(side == 0 ? &reason->other_time : &reason->time) = dlq_median(evidence->scratch, count);
    }
    double factor = reason->time / reason->other_time;
    return factor >= (1 + dlq_calibration.alike) || (smaller_too && factor <= 1 / (1 + dlq_calibration.alike));
}

/* Whether loads take longer the more of them run at once. */
static bool is_cores(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    if (!measured->has_starts || measured->workers < 2 ||
        (double)(measured->ranks * measured->batches) < dlq_calibration.fewest_times)
        return false;
    /* y[i]: a load time over the geometric mean of its worker; x[i]: how many other loads of the rank ran when the load
       started. Of independent loads y does not depend on x. */
    size_t batches = measured->batches, n = 0;
    double *x = evidence->within, *y = evidence->within + measured->ranks * batches;
    for (size_t r = 0; r < measured->ranks; r++) {
        const struct dlq_batch *sent = &measured->sent[r * batches];
        for (size_t k = 0; k < batches; k++) {
            x[k] = sent[k].load_start;
            y[k] = sent[k].load_end;
        }
        gsl_sort(x, 1, batches);
        gsl_sort(y, 1, batches);
        for (size_t k = 0; k < batches; k++) {
            size_t worker = r * (size_t)measured->workers + measured->worker[r * batches + k];
            size_t begun = dlq_count_up_to(x, batches, sent[k].load_start);
            size_t ended = dlq_count_up_to(y, batches, sent[k].load_start);
            evidence->x[n] = begun > ended + 1 ? (double)(begun - ended - 1) : 0;
            evidence->y[n++] = sent[k].load / dlq_exp(evidence->logs[worker].mean);
        }
    }
    /* Rank correlation of the deviations from the mean of a stretch: where loads drift, x and y of different stretches
       differ together. */
    for (size_t at = 0, length; at < n; at += length) {
        length = n - at < DLQ_STRETCH ? n - at : DLQ_STRETCH;
        double x_mean = dlq_mean_of(evidence->x + at, length), y_mean = dlq_mean_of(evidence->y + at, length);
        for (size_t i = at; i < at + length; i++) {
            x[i] = evidence->x[i] - x_mean;
            y[i] = evidence->y[i] - y_mean;
        }
    }
    struct dlq_rank_correlation found = dlq_rank_correlation(x, y, n, evidence->scratch);
    if (!(found.r > 0) || found.probability > dlq_calibration.improbable)
        return false;
    for (size_t i = 0; i < n; i++)
        evidence->scratch[i] = evidence->x[i];
    reason->few = dlq_quantile(evidence->scratch, n, 1 / 3.0);
    reason->many = dlq_quantile(evidence->scratch, n, 2 / 3.0);
    evidence->crowded =
        reason->many > reason->few && medians_differ(evidence, n, reason->few, reason->many, false, reason);
    return evidence->crowded;
}

static bool is_drift(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t third = measured->batches / 3, n = 0;
    /* Loads that slow each other down change when the number that runs at once changes: that is no drift. */
    if (evidence->crowded || (double)(measured->ranks * measured->batches) < dlq_calibration.fewest_times)
        return false;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t k = 0; k < measured->batches; k++)
            if (k < third || k >= measured->batches - third) {
                evidence->x[n] = k < third ? 0 : 1;
                evidence->y[n++] = measured->sent[r * measured->batches + k].load;
            }
    struct dlq_rank_correlation found = dlq_rank_correlation(evidence->x, evidence->y, n, evidence->scratch);
    return medians_differ(evidence, n, 0, 1, true, reason) && !(found.probability > dlq_calibration.improbable);
}

/* Whether deliveries were out of the order of the loader. */
static bool is_order(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    const struct dlq_measured_overheads *overheads = &evidence->replay->overheads;
    double slack = dlq_calibration.outlier * fmax(dlq_calibration.tick, overheads->deliver + overheads->receive);
    reason->in_order = measured->loader->order == DLQ_ORDER_INDEX;
    reason->affected =
        reason->in_order ? dlq_measured_out_of_index(measured) : dlq_measured_out_of_completion(measured, slack);
    reason->total = measured->ranks * measured->batches;
    return measured->loaders > 0 && reason->affected > 0 &&
           (reason->in_order || (double)reason->affected >= dlq_calibration.severity_slight * (double)reason->total);
}

/* Whether times of a batch contradict each other. */
static bool is_clock(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t sum = 0;
    reason->total = measured->ranks * measured->batches;
    for (size_t i = 0; i < reason->total; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        /* s by which a time is too early */
        const double early[DLQ_CLOCK_FAULTS] = {
            [DLQ_CLOCK_START] = batch->dispatched - batch->load_start,
            [DLQ_CLOCK_END] = batch->load_start - batch->load_end,
            [DLQ_CLOCK_RECEIVED] = batch->load_end - batch->received,
            [DLQ_CLOCK_REQUEST] = batch->request - batch->received,
            [DLQ_CLOCK_STEP] = batch->received - batch->step_end,
            [DLQ_CLOCK_OVERLAP] = measured->before[i] - batch->load_start,
        };
        for (size_t k = 0; k < DLQ_CLOCK_FAULTS; k++) {
            reason->faults[k] += early[k] > dlq_calibration.tick ? 1 : 0;
            sum += early[k] > dlq_calibration.tick ? 1 : 0;
        }
    }
    return sum > 0;
}

enum dlq_status dlq_reasons(struct dlq_arena *arena, const struct dlq_measured_run *measured, struct dlq_replay *replay)
{
    /* In this order: is_drift needs the result of is_cores. */
    static bool (*const holds[DLQ_REASONS])(struct evidence * evidence, struct dlq_reason * reason) = {
        [DLQ_REASON_LOCK] = is_lock,   [DLQ_REASON_WORKER] = is_worker, [DLQ_REASON_CORES] = is_cores,
        [DLQ_REASON_DRIFT] = is_drift, [DLQ_REASON_ORDER] = is_order,   [DLQ_REASON_CLOCK] = is_clock,
    };
    struct evidence evidence = {.measured = measured, .replay = replay};
    size_t places = measured->ranks * measured->batches, workers = (size_t)measured->workers;
    NEW(arena, evidence.x, places);
    NEW(arena, evidence.y, places);
    NEW(arena, evidence.within, 2 * places);
    NEW(arena, evidence.scratch, 2 * places);
    NEW(arena, evidence.logs, measured->ranks * workers);
    for (size_t i = 0; i < places && workers > 0; i++)
        if (measured->sent[i].load > 0)
            dlq_spread_add(&evidence.logs[i / measured->batches * workers + measured->worker[i]],
                           dlq_log(measured->sent[i].load), 1);
    for (size_t i = 0; i < DLQ_REASONS; i++) {
        struct dlq_reason reason = {.cause = (enum dlq_reason_cause)i};
        if (holds[i](&evidence, &reason))
            replay->reasons[replay->reason_count++] = reason;
    }
    return DLQ_OK;
}
