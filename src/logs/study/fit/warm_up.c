/* Finds first loads of each worker that take far longer than its later ones, since the worker imports, opens files,
   fills caches or copies pages on first use. */
#include "logs/study/fit/resample.h"

#include "base/elementary.h"

#include <string.h>

/* Counts the first loads of each worker, in all epochs in which workers start, that are all above the level (s). */
static size_t slow_first_loads(const struct dlq_measured_run *measured, const double *loads, double level,
                               const struct dlq_warm_up *warm_up)
{
    const size_t epochs = warm_up->every_epoch ? measured->epochs : 1, workers = warm_up->workers;
    const double most = dlq_calibration.far_below * (double)measured->batches;
    for (size_t count = 0;; count++) {
        if ((double)((count + 1) * workers * epochs) > most)
            return count;
        for (size_t e = 0; e < epochs; e++)
            for (size_t w = 0; w < workers; w++) {
                const size_t batch = measured->begins[e] + count * workers + w;
                if (batch >= measured->begins[e + 1] || !(loads[batch] > level))
                    return count;
            }
    }
}

enum dlq_status dlq_warm_up_find(struct dlq_arena *arena, const struct dlq_measured_run *measured, double *loads,
                                 double **usual, struct dlq_warm_up *warm_up)
{
    const size_t n = measured->batches, epoch = measured->epochs > 1 ? measured->begins[1] : 0;
    struct dlq_warm_up found = {.workers = measured->loaders > 0 ? (size_t)measured->loaders : 1,
                                .every_epoch = measured->epochs > 1 && !dlq_measured_persists(measured)};
    struct dlq_spread first = {0}, later = {0}, concurrency_first = {0}, concurrency_later = {0};
    if (measured->loaders > 1 && !dlq_takes_turns(measured))
        return DLQ_OK;
    double *times, *usual_loads, *in_progress, ready = 0, cpu = 0;
    size_t slow = 0;
    NEW(arena, times, n);
    NEW(arena, usual_loads, n);
    NEW(arena, in_progress, n);
    TRY(dlq_capacity_work(arena, measured, NULL, in_progress));
    for (size_t i = 0; i < n; i++) {
        ready += loads[i] - (double)measured->sent[i].use[DLQ_LOAD_DELAY];
        cpu += (double)measured->sent[i].use[DLQ_LOAD_CPU];
    }
    /* The CPU time of a load does not depend on how many loads run beside it. */
    const bool computes = 2 * cpu > ready;
    for (size_t i = 0; i < n; i++)
        times[i] = usual_loads[i] = computes ? (double)measured->sent[i].use[DLQ_LOAD_CPU] : loads[i];
    const double level = dlq_calibration.slow_clearly * dlq_median(usual_loads, n);
    found.loads = slow_first_loads(measured, times, level, &found);
    memcpy(usual_loads, loads, n * sizeof *usual_loads);
    const double usual_load = dlq_median(usual_loads, n); /* sorts */
    memcpy(usual_loads, loads, n * sizeof *usual_loads);
    for (size_t i = 0; i < n; i++) {
        const bool is_first = dlq_warm_load(&found, i, epoch, found.workers) < found.loads;
        slow += times[i] > level;
        dlq_spread_add(is_first ? &first : &later, times[i], 1);
        if (loads[i] > 0)
            dlq_spread_add(is_first ? &concurrency_first : &concurrency_later, in_progress[i] / loads[i], 1);
        if (is_first)
            usual_loads[i] = usual_load;
    }
    /* Not a warm-up: slow loads of a heavy tail that come first by chance; loads that are slow because more of them run
       side by side at the start. */
    if (found.loads == 0 || dlq_pow((double)slow / (double)n, first.count) > dlq_calibration.improbable ||
        (!computes && concurrency_first.mean > (1 + dlq_calibration.alike) * concurrency_later.mean))
        return DLQ_OK;
    found.factor = first.mean / later.mean;
    *warm_up = found;
    *usual = usual_loads;
    return DLQ_OK;
}
