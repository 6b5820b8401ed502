/* How many loads make headway at the same time, from how long loads took while others ran: a lock, a disk, cores. With
   capacity C and n loads in progress each runs at speed min(1, C/n), so that load i is a work of w_i = integral of
   min(1, C/n(t)) over its time. Loads of one job vary least in log w at the true C, if n varied. */
#include "base/elementary.h"
#include "stats/stats.h"
#include "study/fit/resample.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* Starts (2i) and ends (2i + 1) of loads in order of time. */
static enum dlq_status order_of(struct dlq_arena *arena, const struct dlq_measured_run *run, size_t **order)
{
    double *times;
    NEW(arena, times, 2 * run->batches);
    NEW(arena, *order, 2 * run->batches);
    for (size_t i = 0; i < run->batches; i++) {
        times[2 * i] = run->sent[i].load_start;
        times[2 * i + 1] = run->sent[i].load_end;
    }
    gsl_sort_index(*order, times, 1, 2 * run->batches);
    return DLQ_OK;
}

/* Fills the work of each load; returns how many are in progress in the mean, while any is. capacity NAN: the work is
   the sum of how many are in progress over its time. */
static double work_of(const struct dlq_measured_run *run, const size_t *order, double capacity, double *work)
{
    double done = 0, last = 0, busy = 0, area = 0, running = 0;
    for (size_t i = 0; i < run->batches; i++)
        work[i] = 0;
    for (size_t k = 0; k < 2 * run->batches; k++) {
        const struct dlq_batch *batch = &run->sent[order[k] / 2];
        bool ends = order[k] % 2 == 1;
        double now = ends ? batch->load_end : batch->load_start;
        if (running > 0) {
            done += (now - last) * (isnan(capacity) ? running : fmin(1, capacity / running));
            busy += now - last;
            area += (now - last) * running;
        }
        last = now;
        work[order[k] / 2] += ends ? done : -done;
        running += ends ? -1 : 1;
    }
    return busy > 0 ? area / busy : 1;
}

/* 0.5 (0.25) 6, 7 .. 16, infinity. */
static double candidate(size_t k)
{
    return k < 23 ? 0.5 + 0.25 * (double)k : k < 33 ? (double)(k - 16) : INFINITY;
}

enum dlq_status dlq_capacity_fit(struct dlq_arena *arena, const struct dlq_measured_run *runs, size_t count,
                                 struct dlq_capacity *found)
{
    static const double plausible = 12;
    double spread[DLQ_CAPACITIES], least = INFINITY, *work, *logs;
    struct dlq_spread beside = {0};
    size_t n = 0, most = 0, **orders;
    NEW(arena, orders, count);
    for (size_t r = 0; r < count; r++) {
        TRY(order_of(arena, &runs[r], &orders[r]));
        n += runs[r].batches;
        most = runs[r].batches > most ? runs[r].batches : most;
    }
    NEW(arena, work, most);
    NEW(arena, logs, n);
    *found = (struct dlq_capacity){0};
    work_of(&runs[0], orders[0], NAN, work);
    for (size_t i = 0; i < runs[0].batches; i++)
        if (runs[0].sent[i].load > 0)
            dlq_spread_add(&beside, work[i] / runs[0].sent[i].load, 1);
    found->varies = dlq_spread_cv(&beside);
    for (size_t k = 0; k < DLQ_CAPACITIES; k++) {
        size_t at = 0;
        for (size_t r = 0; r < count; r++) {
            double concurrency = work_of(&runs[r], orders[r], candidate(k), work);
            found->concurrency = r == 0 ? concurrency : found->concurrency;
            for (size_t i = 0; i < runs[r].batches; i++)
                logs[at++] = dlq_log(fmax(work[i], 1e-6));
        }
        spread[k] = gsl_stats_variance(logs, 1, n);
        if (spread[k] < least) {
            least = spread[k];
            found->best = candidate(k);
        }
    }
    for (size_t k = 0; k < DLQ_CAPACITIES && least > 0; k++)
        if ((double)n * dlq_log(spread[k] / least) <= plausible)
            found->plausible[found->count++] = candidate(k);
    found->gain = least > 0 ? (double)n * dlq_log(spread[DLQ_CAPACITIES - 1] / least) : 0;
    return DLQ_OK;
}

enum dlq_status dlq_capacity_work(struct dlq_arena *arena, const struct dlq_measured_run *run, double capacity,
                                  double *work)
{
    size_t *order;
    TRY(order_of(arena, run, &order));
    work_of(run, order, capacity, work);
    return DLQ_OK;
}

/* -- runs that are drawn -- */

/* The demands of the recorded batches where loads share that capacity. */
static enum dlq_status demand_capacity(struct dlq_arena *arena, struct dlq_resampling *from,
                                       const struct dlq_measured_run *measured, double capacity)
{
    struct dlq_demand *demands;
    long loaders = from->system.pipeline.loaders;
    double *work, most = (double)(loaders > 0 ? loaders : 1);
    NEW(arena, work, from->n);
    NEW(arena, demands, from->n);
    TRY(dlq_capacity_work(arena, measured, capacity, work));
    for (size_t i = 0; i < from->n; i++)
        demands[i] = (struct dlq_demand){
            .load = fmax(0, work[i]) * from->load_factor,
            .sleep = from->receive + from->receive_more / 2 + from->steps[i],
        };
    dlq_share(from, demands, fmin(capacity, most));
    from->sharings[0] = (struct dlq_sharing){1, 1, 1};
    from->sharing_count = 1;
    from->by_capacity = true;
    return DLQ_OK;
}

/* The rate of the recorded batches as they are, by what they ask for. */
static enum dlq_status play_record(struct dlq_arena *arena, struct dlq_resampling *from, double *rate)
{
    size_t n = from->n < DLQ_MOST_SHARED ? from->n : DLQ_MOST_SHARED;
    TRY(dlq_shared_run_prepare(arena, &from->shared, n));
    dlq_shared_run_epoch(&from->shared, &from->sharings[0], 0, n, from->startup[0]);
    *rate = (double)n / from->shared.finished[n - 1];
    return DLQ_OK;
}

enum dlq_status dlq_predict_jointly(struct dlq_arena *arena, struct dlq_resampling *from,
                                    const struct dlq_measured_run *measured, const struct dlq_capacity *capacity,
                                    size_t m, size_t more, const struct dlq_run *run,
                                    struct dlq_fit_prediction *prediction)
{
    static const double margin = 1.1; /* measured: what the form of the law leaves open */
    struct dlq_estimate *const estimates[] = {&prediction->throughput, &prediction->long_run};
    double chosen[3] = {capacity->best, capacity->best, capacity->best}, least = INFINITY, most = 0, made;
    /* Those that make the interval: the best, and where the record is slowest and fastest. */
    for (size_t k = 0; k < capacity->count; k++) {
        struct dlq_resampling tried = *from;
        TRY(demand_capacity(arena, &tried, measured, capacity->plausible[k]));
        TRY(play_record(arena, &tried, &made));
        chosen[1] = made < least ? capacity->plausible[k] : chosen[1];
        chosen[2] = made > most ? capacity->plausible[k] : chosen[2];
        least = fmin(least, made);
        most = fmax(most, made);
    }
    for (size_t k = 0; k < 3; k++) {
        if ((k > 0 && chosen[k] == chosen[0]) || (k > 1 && chosen[k] == chosen[1]))
            continue;
        TRY(demand_capacity(arena, from, measured, chosen[k]));
        TRY(dlq_share_scratch(arena, from));
        for (size_t e = 0; e < 2; e++) {
            struct dlq_estimate rate = {NAN, NAN, NAN};
            TRY(dlq_resampling_estimate(from, e == 0 ? m : more, e == 0 ? 0 : more / 10, run, &rate, arena->error));
            estimates[e]->value = k == 0 ? rate.value : estimates[e]->value;
            estimates[e]->low = fmin(k == 0 ? INFINITY : estimates[e]->low, rate.low / margin);
            estimates[e]->high = fmax(k == 0 ? 0 : estimates[e]->high, rate.high * margin);
        }
    }
    return DLQ_OK;
}

enum dlq_status dlq_slowed_rate(struct dlq_arena *arena, const struct dlq_resampling *from,
                                const struct dlq_measured_run *measured, double concurrency, double *rate)
{
    struct dlq_resampling slow = *from;
    *rate = NAN;
    if (measured->loaders > 0 && measured->loader != dlq_loader_find("pytorch"))
        return DLQ_OK;
    TRY(demand_capacity(arena, &slow, measured, INFINITY));
    slow.shared.cores = concurrency;
    return play_record(arena, &slow, rate);
}
