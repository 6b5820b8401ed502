/* The queue between loaders and trainer: the share of the time in which n batches are ready, or held behind a batch
   that is not ready. Check: with one loader, exponential times and window K, n batches are ready as often as n wait in
   an M/M/1 queue with room for K + 1, one of them in service. */
#include "stats/stats.h"
#include "study/solve/solve.h"
#include "study/timeline/timeline.h"

#include <math.h>

enum { RUNS = 8, RECORDED = 1 << 13 /* batches of all ranks in a run */ };

enum dlq_status dlq_queue_find(const struct dlq_model *model, double rate, const struct dlq_run *run,
                               struct dlq_queue_of_run *queue, struct dlq_error *error)
{
    struct dlq_queue_of_run found = {.count = 0};
    double ready[RUNS], held[RUNS], time = 0;
    *queue = found;
    if (dlq_system_is_serial(&model->system) || dlq_system_window(&model->system) == DLQ_UNBOUNDED || !(rate > 0))
        return DLQ_OK;
    /* The first tenth of the time is left out, as the long run is asked for; not with epochs or a horizon. */
    const struct dlq_pipeline *pipeline = &model->system.pipeline;
    const bool horizon = !isnan(model->simulate.horizon);
    double batches = fmin((double)model->simulate.batches, RECORDED / (double)pipeline->ranks);
    double until = fmin(batches / rate, horizon ? model->simulate.horizon : INFINITY);
    struct dlq_record_span span = {.from = pipeline->epoch_batches > 0 || horizon ? 0 : until / 10, .until = until};
    const size_t runs = (size_t)fmin(RUNS, (double)model->simulate.replications);
    struct dlq_run quiet = *run;
    quiet.progress = NULL;
    for (size_t r = 0; r < runs; r++) {
        DLQ_RELEASED_BY(dlq_timeline_free) struct dlq_timeline timeline = {0};
        double of_run = 0; /* time of all ranks of the run, s */
        span.replication = (long)r;
        ready[r] = held[r] = 0;
        enum dlq_status status = dlq_timeline_record(model, &span, &quiet, &timeline, NULL);
        for (size_t rank = 0; status == DLQ_OK && rank < timeline.rank_count; rank++) {
            DLQ_RELEASED_BY(dlq_queue_levels_free) struct dlq_queue_levels levels = {0};
            status = dlq_timeline_queue(&timeline, rank, &levels, NULL);
            for (size_t i = 0; status == DLQ_OK && i + 1 < levels.count; i++) {
                const double lasts = levels.time[i + 1] - levels.time[i], most = DLQ_QUEUE_LEVELS - 1;
                of_run += lasts;
                ready[r] += lasts * levels.ready[i];
                held[r] += lasts * levels.held[i];
                found.levels[(size_t)fmin(levels.ready[i], most)].ready += lasts;
                found.levels[(size_t)fmin(levels.held[i], most)].held += lasts;
            }
        }
        if (status == DLQ_INVALID) /* more than a record holds */
            return DLQ_OK;
        if (status == DLQ_FAILURE)
            return dlq_error_memory(error, "counting batches that are ready");
        TRY(status);
        ready[r] /= of_run;
        held[r] /= of_run;
        time += of_run;
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
