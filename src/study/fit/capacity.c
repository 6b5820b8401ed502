/* How many loads make headway at the same time, from how long loads took while others ran: a lock, a disk, cores. With
   capacity C and n loads in progress each runs at speed min(1, C/n), so that load i is a work of w_i = integral of
   min(1, C/n(t)) over its time. Loads of one job vary least in log w at the true C, if n varied. */
#include "base/elementary.h"
#include "stats/stats.h"
#include "study/fit/cores.h"

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

/* Fills the work of each load; returns how many are in progress in the mean, while any is. */
static double work_of(const struct dlq_measured_run *run, const size_t *order, double capacity, double *work)
{
    double done = 0, last = 0, busy = 0, area = 0;
    long running = 0;
    for (size_t i = 0; i < run->batches; i++)
        work[i] = 0;
    for (size_t k = 0; k < 2 * run->batches; k++) {
        const struct dlq_batch *batch = &run->sent[order[k] / 2];
        bool ends = order[k] % 2 == 1;
        double now = ends ? batch->load_end : batch->load_start;
        if (running > 0) {
            done += (now - last) * fmin(1, capacity / (double)running);
            busy += now - last;
            area += (now - last) * (double)running;
        }
        last = now;
        work[order[k] / 2] += ends ? done : -done;
        running += ends ? -1 : 1;
    }
    return busy > 0 ? area / busy : 1;
}

/* sd/mean over loads of how many are in progress while they are, themselves included. */
static double variation_of(const struct dlq_measured_run *run, const size_t *order, double *work)
{
    double area = 0, last = 0;
    long running = 0;
    struct dlq_spread beside = {0};
    for (size_t k = 0; k < 2 * run->batches; k++) {
        const struct dlq_batch *batch = &run->sent[order[k] / 2];
        bool ends = order[k] % 2 == 1;
        double now = ends ? batch->load_end : batch->load_start;
        area += running > 0 ? (now - last) * (double)running : 0;
        last = now;
        running += ends ? -1 : 1;
        if (ends && batch->load > 0)
            dlq_spread_add(&beside, (area - work[order[k] / 2]) / batch->load, 1);
        work[order[k] / 2] = area;
    }
    return dlq_spread_cv(&beside);
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
    found->varies = variation_of(&runs[0], orders[0], work);
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
