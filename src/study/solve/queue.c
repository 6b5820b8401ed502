/* The queue between loaders and trainer: for how much of the time so many batches are ready, or held behind one that is
   not. Check: one loader, exponential times, window K: p_n of M/M/1 with room for K + 1, one of them in service. */
#include "stats/stats.h"
#include "study/solve/solve.h"
#include "study/timeline/timeline.h"

#include <math.h>

enum { RUNS = 8, RECORDED = 1 << 13 }; /* batches of all ranks, of a run */

/* Sums over the ranks of a run, s. */
struct sums {
    double time, ready, held;
};

static enum dlq_status add_run(const struct dlq_model *model, const struct dlq_record_span *span,
                               const struct dlq_run *run, struct dlq_queue_of_run *queue, struct sums *sums,
                               struct dlq_error *error)
{
    struct dlq_timeline timeline;
    TRY(dlq_timeline_record(model, span, run, &timeline, error));
    enum dlq_status status = DLQ_OK;
    for (size_t r = 0; r < timeline.rank_count && status == DLQ_OK; r++) {
        struct dlq_queue_levels levels = {0};
        status = dlq_timeline_queue(&timeline, r, &levels, error);
        for (size_t i = 0; status == DLQ_OK && i + 1 < levels.count; i++) {
            const double time = levels.time[i + 1] - levels.time[i], most = DLQ_QUEUE_LEVELS - 1;
            sums->time += time;
            sums->ready += time * levels.ready[i];
            sums->held += time * levels.held[i];
            queue->levels[(size_t)fmin(levels.ready[i], most)].ready += time;
            queue->levels[(size_t)fmin(levels.held[i], most)].held += time;
        }
        dlq_queue_levels_free(&levels);
    }
    dlq_timeline_free(&timeline);
    return status;
}

enum dlq_status dlq_queue_find(const struct dlq_model *model, double rate, const struct dlq_run *run,
                               struct dlq_queue_of_run *queue, struct dlq_error *error)
{
    struct dlq_queue_of_run found = {.count = 0};
    double ready[RUNS], held[RUNS], time = 0;
    *queue = found;
    bool bounded = dlq_system_window(&model->system) != DLQ_UNBOUNDED;
    if (dlq_system_is_serial(&model->system) || !bounded || !(rate > 0))
        return DLQ_OK;
    /* In the long run behind a tenth of the record; of epochs, or within a horizon, all of it. */
    const struct dlq_pipeline *pipeline = &model->system.pipeline;
    const bool horizon = !isnan(model->simulate.horizon);
    double batches = fmin((double)model->simulate.batches, RECORDED / (double)pipeline->ranks);
    double until = fmin(batches / rate, horizon ? model->simulate.horizon : INFINITY);
    struct dlq_record_span span = {.from = pipeline->epoch_batches > 0 || horizon ? 0 : until / 10, .until = until};
    const size_t runs = (size_t)fmin(RUNS, (double)model->simulate.replications);
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    for (size_t r = 0; r < runs; r++) {
        struct sums sums = {0};
        span.replication = (long)r;
        enum dlq_status status = add_run(model, &span, &quiet, &found, &sums, NULL);
        if (status == DLQ_INVALID) /* more than a record holds */
            return DLQ_OK;
        if (status == DLQ_FAILURE)
            return dlq_error_memory(error, "counting batches that are ready");
        TRY(status);
        ready[r] = sums.ready / sums.time;
        held[r] = sums.held / sums.time;
        time += sums.time;
    }
    if (!(time > 0))
        return DLQ_OK;
    found.ready = dlq_estimate_of(ready, runs);
    found.held = dlq_estimate_of(held, runs);
    found.ready.low = fmax(0, found.ready.low);
    found.held.low = fmax(0, found.held.low);
    for (size_t n = 0; n < DLQ_QUEUE_LEVELS; n++) {
        struct dlq_queue_level *level = &found.levels[n];
        if (level->ready > 0 || level->held > 0)
            found.count = n + 1;
        *level = (struct dlq_queue_level){(long)n, level->ready / time, level->held / time};
    }
    *queue = found;
    return DLQ_OK;
}
