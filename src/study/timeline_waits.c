/* The timeline of a log that shows data and iteration times alone. */
#include "study/timeline_trace.h"

#include <stdlib.h>

/* Loads that no iteration belongs to are none. */
static bool is_iteration(const struct dlq_batch *batch)
{
    return batch->count > 0;
}

static double iteration_of(const struct dlq_batch *batch)
{
    return isnan(batch->iter) ? batch->data + batch->step : batch->iter;
}

static bool is_known(const struct dlq_batch *batch)
{
    return isfinite(batch->data) && isfinite(iteration_of(batch));
}

static enum dlq_status check_rank(const struct dlq_rank *rank, struct dlq_error *error)
{
    size_t iterations = 0, together = 0, unknown = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        iterations += is_iteration(batch) ? 1 : 0;
        together += batch->count > 1 ? 1 : 0;
        unknown += is_iteration(batch) && !is_known(batch) ? 1 : 0;
    }
    if (iterations == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER, "rank %ld has no iterations for a timeline", rank->number);
    if (together > 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "a timeline needs each iteration by itself: %zu of %zu records of rank %ld show several "
                             "together; let training print every one, or record it with the probe",
                             together, iterations, rank->number);
    if (unknown > 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "a timeline needs the data time and the iteration time of every iteration: %zu of %zu of "
                             "rank %ld are without",
                             unknown, iterations, rank->number);
    return DLQ_OK;
}

static enum dlq_status fill_rank(struct dlq_timeline_rank *made, const struct dlq_rank *rank, struct dlq_error *error)
{
    size_t count = 0;
    double now = 0;
    enum dlq_status status = dlq_timeline_make_batches(made, rank->count, error);
    for (size_t i = 0; i < rank->count && status == DLQ_OK; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        if (!is_iteration(batch))
            continue;
        double received = now + batch->data, end = fmax(now + iteration_of(batch), received);
        made->batches[count] = (struct dlq_timeline_batch){
            .worker = -1,
            .epoch = batch->epoch >= 0 ? batch->epoch : 0,
            .index = batch->index >= 0 ? batch->index : (long)count,
            .step = (long)count,
            .dispatched = NAN,
            .load_start = NAN,
            .load_end = NAN,
            .ready = NAN,
            .request = now,
            .received = received,
            .step_begin = received,
            .step_end = end,
        };
        now = end;
        count++;
    }
    made->stepped = made->count = count;
    return status;
}

enum dlq_status dlq_timeline_of_waits(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                                      struct dlq_timeline *timeline, struct dlq_error *error)
{
    const struct dlq_loader *loader = hint->loader != NULL ? dlq_loader_find(hint->loader) : NULL;
    if (hint->loader != NULL && loader == NULL)
        return dlq_error_add(error, DLQ_INVALID, "no loader is called '%s'", hint->loader);
    if (trace->rank_count == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER, "the logs have no iterations for a timeline");
    timeline->loader = loader != NULL ? loader->name : NULL;
    timeline->in_order = loader == NULL || loader->order == DLQ_ORDER_INDEX;
    timeline->loaders = hint->loaders > 0 ? hint->loaders : 0;
    enum dlq_status status = dlq_timeline_make_ranks(timeline, trace, error);
    for (size_t r = 0; r < trace->rank_count && status == DLQ_OK; r++) {
        const struct dlq_rank *rank = &trace->ranks[r];
        if (hint->loaders < 0 && (long)rank->worker_count > timeline->loaders)
            timeline->loaders = (long)rank->worker_count;
        status = check_rank(rank, error);
        if (status == DLQ_OK)
            status = fill_rank(&timeline->ranks[r], rank, error);
    }
    return status;
}
