/* Load and step times of a log, to which distributions are fitted; and the part of a log after its last change. */
#include "logs/study/diagnose/diagnose.h"
#include "logs/study/fit/fit.h"

#include <math.h>
#include <stdlib.h>

/* The first step, or window, is left out if there are more than so many. */
enum { FEWEST_STEPS = 10, FEWEST_WINDOWS = 2 };

static void add(struct dlq_times_of *times, double time)
{
    if (time >= 0)
        times->observed[times->count++] = (struct dlq_observed){time, time, 1};
}

/* Whether the loads of a worker take clearly longer than those of the median worker (s). */
static bool is_slow(const struct dlq_spread *worker, double median)
{
    if (worker->count < dlq_calibration.few || !(median > 0) || !(worker->mean > dlq_calibration.slow_clearly * median))
        return false;
    return worker->mean - median > dlq_calibration.errors_clear * sqrt(dlq_spread_variance(worker) / worker->count);
}

enum dlq_status dlq_lasting_part(const struct dlq_trace *trace, const struct dlq_diagnosis *found,
                                 struct dlq_trace **part, struct dlq_error *error)
{
    /* Long waits are starts of epochs, which the log does not mark; or pauses, which the log counts as waits. */
    const bool marks = found->long_waits == DLQ_LONG_WAITS_STARTS, pauses = found->pauses_in_data;
    const struct dlq_phase *last = dlq_lasting_phase(found);
    char why[DLQ_LOG_WHY];
    TRY(dlq_trace_new(part, &trace->options, error));
    (*part)->format = trace->format;
    (*part)->shared = trace->shared;
    for (const struct dlq_rank *rank = trace->ranks; rank < trace->ranks + trace->rank_count; rank++) {
        struct dlq_record record = dlq_record_empty();
        double place = (double)dlq_first_place(rank);
        int32_t epoch = 0, index = 0;
        for (size_t i = 0; i < rank->count; i++) {
            bool begins = marks && dlq_is_start(rank, i, found->start_wait);
            index = begins ? 0 : index + 1;
            epoch += begins;
            record.batch = rank->batches[i];
            record.batch.index = marks ? index : record.batch.index;
            record.batch.epoch = marks ? epoch : record.batch.epoch;
            /* Loaders load during a pause as during a step: the pause becomes a part of the step. */
            if (pauses && record.batch.data > found->start_wait) {
                record.batch.step += record.batch.data - found->data_time.median;
                record.batch.data = found->data_time.median;
            }
            if ((last == NULL || place >= (double)last->from) &&
                dlq_trace_add(*part, rank->number, &record, why) == DLQ_READ_FAILED)
                return dlq_error_memory(error, "fitting a model");
            place += record.batch.count;
        }
    }
    return DLQ_OK;
}

/* Finds the ranks whose loads take clearly longer than those of the median rank (of two ranks, the faster). Merges
   their loads into `slow`, and the loads of ranks that take no longer into `others`. */
static enum dlq_status find_slow_ranks(struct dlq_arena *arena, const struct dlq_trace *trace, bool **is_rank_slow,
                                       struct dlq_spread *slow, struct dlq_spread *others)
{
    double *means;
    NEW(arena, means, trace->rank_count);
    NEW(arena, *is_rank_slow, trace->rank_count);
    for (size_t r = 0; r < trace->rank_count; r++)
        means[r] = trace->ranks[r].load.mean;
    const double level = dlq_calibration.slow_worker * dlq_quantile(means, trace->rank_count, 0.5);
    for (size_t r = 0; r < trace->rank_count; r++)
        if (!(trace->ranks[r].load.mean > level))
            dlq_spread_merge(others, &trace->ranks[r].load);
    for (size_t r = 0; r < trace->rank_count; r++) {
        const struct dlq_spread *load = &trace->ranks[r].load;
        /* By a one-sided test (dlq_welch has two sides), whose level is divided by the number of ranks (Bonferroni). */
        if (!(load->mean > level) || load->count < dlq_calibration.few || others->count < dlq_calibration.few ||
            !(dlq_welch(load, others) < 2 * dlq_calibration.improbable / (double)trace->rank_count))
            continue;
        (*is_rank_slow)[r] = true;
        dlq_spread_merge(slow, load);
    }
    return DLQ_OK;
}

/* Where N loads exclude one another, a recorded load lasts as long as N loads, except in the first round, and is
   divided by N. Loads of slow workers, or ranks, are divided by the ratio of their mean to that of the others. */
enum dlq_status dlq_load_times(struct dlq_arena *arena, struct dlq_times_of *times, const struct dlq_trace *trace,
                               size_t begin)
{
    *times = (struct dlq_times_of){.mean = NAN, .slow_factor = 1};
    bool *is_rank_slow;
    struct dlq_spread slow_ranks = {0}, other_ranks = {0};
    NEW(arena, times->observed, trace->kept);
    TRY(find_slow_ranks(arena, trace, &is_rank_slow, &slow_ranks, &other_ranks));
    for (size_t r = 0; r < trace->rank_count; r++)
        times->slow_ranks += is_rank_slow[r];
    if (times->slow_ranks > 0)
        times->slow_factor = slow_ranks.mean / other_ranks.mean;
    for (const struct dlq_rank *rank = trace->ranks; rank < trace->ranks + trace->rank_count; rank++) {
        struct dlq_spread slow = {0}, others = {0};
        double *ends, *scratch;
        NEW(arena, ends, rank->worker_count);
        NEW(arena, scratch, rank->worker_count + rank->count);
        double median = rank->worker_count > 1 ? dlq_median_worker(rank, scratch) : NAN;
        /* The median gap of a busy worker between the end of a load and the start of the next. */
        size_t gaps = 0;
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            if (batch->worker < 0 || (size_t)batch->worker >= rank->worker_count)
                continue;
            double *end = &ends[batch->worker];
            if (*end > 0 && batch->dispatched < *end && batch->load_start >= *end)
                scratch[gaps++] = batch->load_start - *end;
            *end = batch->load_end;
        }
        double gap = gaps > 0 ? dlq_median(scratch, gaps) : 0;
        times->one_by_one = trace->rank_count == 1 && dlq_loads_exclude_each_other(rank);
        size_t excluding = times->one_by_one ? rank->worker_count : 1;
        for (size_t w = 0; w < rank->worker_count && trace->rank_count == 1 && !times->one_by_one; w++) {
            bool worker_is_slow = is_slow(&rank->workers[w], median);
            times->slow_workers += worker_is_slow ? 1 : 0;
            dlq_spread_merge(worker_is_slow ? &slow : &others, &rank->workers[w]);
        }
        if (times->slow_workers > 0 && others.mean > 0)
            times->slow_factor = slow.mean / others.mean;
        for (size_t i = times->one_by_one && excluding > begin ? excluding : begin; i < rank->count; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            bool divided = is_rank_slow[rank - trace->ranks] || (times->slow_workers > 0 && batch->worker >= 0 &&
                                                                 (size_t)batch->worker < rank->worker_count &&
                                                                 is_slow(&rank->workers[batch->worker], median));
            add(times, (batch->load / (divided ? times->slow_factor : 1) + gap) / (double)excluding);
        }
    }
    return times->count > 0 ? DLQ_OK : dlq_error_add(arena->error, DLQ_NO_ANSWER, "no load times");
}

enum dlq_status dlq_step_times(struct dlq_arena *arena, struct dlq_times_of *times, const struct dlq_trace *trace)
{
    *times = (struct dlq_times_of){.mean = NAN, .slow_factor = 1};
    NEW(arena, times->observed, trace->kept);
    size_t count = trace->rank_count > 0 ? SIZE_MAX : 0; /* iterations that all ranks have */
    for (size_t r = 0; r < trace->rank_count; r++) {
        const struct dlq_rank *rank = &trace->ranks[r];
        long singles = 0;
        for (size_t i = 0; i < rank->count; i++)
            singles += rank->batches[i].count == 1 ? 1 : 0;
        count = rank->count < count ? rank->count : count;
        /* Single records count only if most iterations have one: a log of windows has them at starts of epochs. */
        if (rank->whole && 2 * singles <= rank->iterations)
            count = 0;
    }
    for (size_t i = count > FEWEST_STEPS ? 1 : 0; i < count; i++) {
        double least = NAN; /* the shortest i-th step of all ranks, s */
        bool known = true;
        for (size_t r = 0; r < trace->rank_count; r++) {
            known = known && trace->ranks[r].batches[i].count == 1;
            least = fmin(least, trace->ranks[r].batches[i].step);
        }
        if (known)
            add(times, least);
    }
    const struct dlq_rank *rank = dlq_slowest_rank(trace);
    if (times->count > 0 || rank == NULL)
        return DLQ_OK;
    /* The mean over windows, without single records of epoch starts. */
    struct dlq_spread step = {0}, iter = {0};
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        bool begins = i == 0 || batch->epoch != batch[-1].epoch;
        if (batch->count == 1 && begins && rank->count > FEWEST_WINDOWS)
            continue;
        if (!isnan(batch->step))
            dlq_spread_add(&step, batch->step, batch->count);
        if (!isnan(batch->iter))
            dlq_spread_add(&iter, batch->iter, batch->count);
    }
    times->only_bound = !(step.count > 0);
    times->mean = dlq_spread_mean(times->only_bound ? &iter : &step);
    times->window_iterations = rank->iterations;
    return DLQ_OK;
}

bool dlq_times_are_steady(const struct dlq_times_of *times, bool steps, double *mean)
{
    struct dlq_spread all = {0}, most = {0};
    size_t ignored = steps ? (size_t)ceil(dlq_calibration.severity_small * (double)times->count) : 0;
    qsort(times->observed, times->count, sizeof *times->observed, dlq_ascending);
    for (size_t i = 0; i < times->count; i++) {
        dlq_spread_add(&all, times->observed[i].low, 1);
        if (i + ignored < times->count)
            dlq_spread_add(&most, times->observed[i].low, 1);
    }
    *mean = dlq_spread_mean(&all);
    return dlq_spread_cv(&most) < dlq_calibration.steady;
}
