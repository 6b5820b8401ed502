/* Why a replay does not give what was measured: load times that are not alike (on one worker, when many run, over the
   run), deliveries that come late or out of order, and times that can't be. */
#include "base/elementary.h"
#include "logs/study/replay/replay.h"

#include <gsl/gsl_sort.h>
#include <math.h>

/* Both must hold: so improbable by chance, and so large. A worker's median is that of few loads. */
static const double IMPROBABLE = 1e-4;
static const double WORTH_SAYING = 1.1;
static const double CLEARLY_SLOW = 1.2;
/* Of the time of a run: what a lock costs at least. */
static const double COSTS = 0.02;
/* Of late batches: the share of the time lost that is beyond their median. Exponential times: 1/2; equal ones: 0. */
static const double UNEVEN = 0.15;

enum { LEAST_LOADS = 30, LEAST_OF_WORKER = 5, STRETCH = 64, LEAST_LATE = 5, MOST_NEXT = 16 };

/* What the questions look at. */
struct evidence {
    const struct dlq_measured_run *measured;
    const struct dlq_replay *replay;
    double *x, *y;            /* as many values as batches of all ranks */
    double *within, *scratch; /* twice that */
    bool crowded;             /* loads are slow when many run: known once `cores` was asked */
    struct dlq_spread *logs;  /* of each rank's workers: the logarithms of load times */
};

/* -- the interpreter lock -- */

static double lateness(const struct dlq_batch *batch)
{
    return batch->received - fmax(batch->request, batch->load_end);
}

/* Did it come just after its worker had ended another load, one of the next few? What hands a batch over needs the lock
   that the next load holds. `last`: of its epoch. */
static bool comes_with_next(const struct dlq_measured_run *measured, size_t place, size_t last)
{
    const struct dlq_batch *sent = measured->sent;
    double received = sent[place].received, near = fmax(5 * DLQ_TICK, 0.2 * lateness(&sent[place]));
    int seen = 0;
    for (size_t next = place + 1; next <= last && seen < MOST_NEXT && measured->workers > 0; next++) {
        bool own = measured->worker[next] == measured->worker[place];
        if (own && sent[next].load_end <= received + DLQ_TICK && sent[next].load_end >= received - near)
            return true;
        seen += own;
    }
    return false;
}

/* A large batch takes long to deliver too, but always as long: that is an overhead, not a lock. */
static bool is_lock(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    const struct dlq_replay *replay = evidence->replay;
    size_t n = measured->batches, places = measured->ranks * n, count = 0, held = 0;
    double load = 0, lost = 0, uneven = 0, *ends = evidence->scratch;
    for (size_t i = 0; i < places; i++)
        load += measured->sent[i].load / (double)places;
    for (size_t r = 0; r < measured->ranks; r++) {
        for (size_t k = 0; k < n; k++)
            ends[k] = measured->sent[r * n + k].load_end;
        gsl_sort(ends, 1, n);
        for (size_t k = 0, epoch = 0; k < n; k++) {
            const struct dlq_batch *batch = &measured->sent[r * n + k];
            double by = lateness(batch);
            while (measured->begins[epoch + 1] <= k)
                epoch++;
            if (!(by > fmax(5 * DLQ_TICK, 0.1 * load)))
                continue;
            evidence->x[count++] = by;
            lost += by;
            /* Or just after another worker had: the trainer was fetching a batch from that one meanwhile. So shortly
               after that one in ten would by chance. */
            double near = fmin(5 * DLQ_TICK, 0.1 / replay->measured);
            held += comes_with_next(measured, r * n + k, r * n + measured->begins[epoch + 1] - 1) ||
                    dlq_count_up_to(ends, n, batch->received) > dlq_count_up_to(ends, n, batch->received - near);
        }
    }
    double usual = dlq_median(evidence->x, count);
    for (size_t i = 0; i < count; i++)
        uneven += fmax(0, evidence->x[i] - usual);
    reason->count = count;
    reason->of = places;
    reason->median = lost / (double)count;
    return measured->loaders > 0 && replay->pure >= (1 + COSTS) * replay->measured && count >= LEAST_LATE &&
           lost >= COSTS * ((double)places / replay->measured) && uneven >= UNEVEN * lost && 2 * held >= count;
}

/* -- one worker -- */

/* The slowest worker, by the geometric mean of its loads, among those that differ from the others of their rank; and
   the medians of both. */
static bool is_worker(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t workers = (size_t)measured->workers, rank = 0, slowest = 0, counts[2] = {0};
    double most = 0;
    for (size_t r = 0; r < measured->ranks && workers > 1; r++) {
        const struct dlq_spread *own = &evidence->logs[r * workers];
        for (size_t w = 0; w < workers; w++) {
            struct dlq_spread others = {0};
            for (size_t k = 0; k < workers; k++)
                if (k != w)
                    dlq_spread_merge(&others, &own[k]);
            double factor = own[w].mean - others.mean, tests = (double)(workers * measured->ranks);
            if (own[w].count < LEAST_OF_WORKER || others.count < LEAST_OF_WORKER || factor < dlq_log(CLEARLY_SLOW) ||
                dlq_welch(&own[w], &others) * tests > IMPROBABLE)
                continue;
            reason->count++;
            if (factor > most) {
                most = factor;
                rank = r;
                slowest = w;
            }
        }
    }
    if (reason->count == 0)
        return false;
    for (size_t k = 0; k < measured->batches; k++) {
        size_t place = rank * measured->batches + k;
        bool own = measured->worker[place] == slowest;
        (own ? evidence->x : evidence->y)[counts[own ? 0 : 1]++] = measured->sent[place].load;
        reason->worker = own ? measured->sent[place].worker : reason->worker;
    }
    reason->median = dlq_median(evidence->x, counts[0]);
    reason->other_median = dlq_median(evidence->y, counts[1]);
    reason->rank = measured->trace_ranks[rank].number;
    reason->in_order = measured->loader->order == DLQ_ORDER_INDEX;
    return reason->median >= CLEARLY_SLOW * reason->other_median;
}

/* -- cores, or whatever loads share -- */

/* Medians of y where x is at most low and at least high; whether the second is larger, or smaller, by a lot. */
static bool medians_differ(const struct evidence *evidence, size_t n, double low, double high, bool smaller_too,
                           struct dlq_reason *reason)
{
    for (size_t side = 0; side < 2; side++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (side == 0 ? evidence->x[i] <= low : evidence->x[i] >= high)
                evidence->scratch[count++] = evidence->y[i];
        *(side == 0 ? &reason->other_median : &reason->median) = dlq_median(evidence->scratch, count);
    }
    double factor = reason->median / reason->other_median;
    return factor >= WORTH_SAYING || (smaller_too && factor <= 1 / WORTH_SAYING);
}

static bool is_cores(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    if (!measured->has_starts || measured->workers < 2 || measured->ranks * measured->batches < LEAST_LOADS)
        return false;
    /* y[i]: the load over the geometric mean of its worker's; x[i]: how many others of the rank ran when it began.
       Loads that do not depend on each other do not depend on what ran before them. */
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
    /* Is a load's time related to how many ran, within stretches of the run? Where load times drift, both change
       together from one stretch to the next. */
    for (size_t at = 0; at < n; at += STRETCH) {
        size_t length = n - at < STRETCH ? n - at : STRETCH;
        double x_mean = dlq_mean_of(evidence->x + at, length), y_mean = dlq_mean_of(evidence->y + at, length);
        for (size_t i = at; i < at + length; i++) {
            x[i] = evidence->x[i] - x_mean;
            y[i] = evidence->y[i] - y_mean;
        }
    }
    struct dlq_rank_correlation found = dlq_rank_correlation(x, y, n, evidence->scratch);
    if (!(found.r > 0) || found.probability > IMPROBABLE)
        return false;
    for (size_t i = 0; i < n; i++)
        evidence->scratch[i] = evidence->x[i];
    reason->few = dlq_quantile(evidence->scratch, n, 1 / 3.0);
    reason->many = dlq_quantile(evidence->scratch, n, 2 / 3.0);
    evidence->crowded =
        reason->many > reason->few && medians_differ(evidence, n, reason->few, reason->many, false, reason);
    return evidence->crowded;
}

/* -- the run's beginning and its end -- */

static bool is_drift(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t third = measured->batches / 3, n = 0;
    /* Where loads slow each other down, load times follow how many run: that need not be a drift of their own. */
    if (evidence->crowded || measured->ranks * measured->batches < LEAST_LOADS)
        return false;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t k = 0; k < measured->batches; k++)
            if (k < third || k >= measured->batches - third) {
                evidence->x[n] = k < third ? 0 : 1;
                evidence->y[n++] = measured->sent[r * measured->batches + k].load;
            }
    struct dlq_rank_correlation found = dlq_rank_correlation(evidence->x, evidence->y, n, evidence->scratch);
    return medians_differ(evidence, n, 0, 1, true, reason) && !(found.probability > IMPROBABLE);
}

/* -- order -- */

static bool is_order(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    const struct dlq_measured_overheads *overheads = &evidence->replay->overheads;
    double slack = fmax(5 * DLQ_TICK, 5 * (overheads->deliver + overheads->receive));
    reason->in_order = measured->loader->order == DLQ_ORDER_INDEX;
    reason->count =
        reason->in_order ? dlq_measured_out_of_index(measured) : dlq_measured_out_of_completion(measured, slack);
    reason->of = measured->ranks * measured->batches;
    return measured->loaders > 0 && reason->count > 0 && (reason->in_order || 20 * reason->count >= reason->of);
}

/* -- clocks -- */

static bool is_clock(struct evidence *evidence, struct dlq_reason *reason)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t sum = 0;
    reason->of = measured->ranks * measured->batches;
    for (size_t i = 0; i < reason->of; i++) {
        const struct dlq_batch *batch = &measured->sent[i];
        /* By how many seconds each comes too early. */
        const double early[DLQ_CLOCK_FAULTS] = {
            [DLQ_CLOCK_START] = batch->dispatched - batch->load_start,
            [DLQ_CLOCK_END] = batch->load_start - batch->load_end,
            [DLQ_CLOCK_RECEIVED] = batch->load_end - batch->received,
            [DLQ_CLOCK_REQUEST] = batch->request - batch->received,
            [DLQ_CLOCK_STEP] = batch->received - batch->step_end,
            [DLQ_CLOCK_OVERLAP] = measured->before[i] - batch->load_start,
        };
        for (size_t k = 0; k < DLQ_CLOCK_FAULTS; k++) {
            reason->faults[k] += early[k] > DLQ_TICK ? 1 : 0;
            sum += early[k] > DLQ_TICK ? 1 : 0;
        }
    }
    return sum > 0;
}

/* -- all of them -- */

enum dlq_status dlq_reasons(struct dlq_arena *arena, const struct dlq_measured_run *measured, struct dlq_replay *replay)
{
    /* Drift asks whether `cores` was found. */
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
