#include "sim/replicate.h"

#include "sim/feed.h"

#include <stdlib.h>

struct dlq_worker {
    struct dlq_job *job;
    struct dlq_feed feed;
    struct dlq_group **groups; /* per point */
    struct dlq_tally *tallies;
    struct dlq_controls *controls;
    double *delivered, *finished, *waits, *slack;
    long *series_counts; /* waits of replication 0 that a tally keeps; 0 where another worker had it */
};

static void worker_free(void *argument)
{
    struct dlq_worker *worker = argument;
    if (worker == NULL)
        return;
    size_t count = worker->job->count;
    for (size_t i = 0; worker->groups != NULL && i < count; i++)
        dlq_group_free(worker->groups[i]);
    for (size_t i = 0; worker->tallies != NULL && i < count; i++)
        dlq_tally_free(&worker->tallies[i]);
    for (size_t i = 0; worker->controls != NULL && i < count; i++)
        dlq_controls_free(&worker->controls[i]);
    dlq_feed_free(&worker->feed);
    free(worker->groups);
    free(worker->tallies);
    free(worker->controls);
    free(worker->slack);
    free(worker->delivered);
    free(worker->finished);
    free(worker->waits);
    free(worker->series_counts);
    free(worker);
}

static bool allocate_buffers(struct dlq_worker *worker)
{
    size_t block = worker->job->block;
    worker->delivered = calloc(block, sizeof(double));
    worker->finished = calloc(block, sizeof(double));
    worker->waits = calloc(block, sizeof(double));
    worker->slack = calloc(block, sizeof(double));
    return worker->delivered != NULL && worker->finished != NULL && worker->waits != NULL && worker->slack != NULL;
}

static bool allocate_points(struct dlq_worker *worker)
{
    const struct dlq_job *job = worker->job;
    worker->groups = calloc(job->count, sizeof(struct dlq_group *));
    worker->tallies = calloc(job->count, sizeof *worker->tallies);
    worker->controls = calloc(job->count, sizeof *worker->controls);
    worker->series_counts = calloc(job->count, sizeof *worker->series_counts);
    if (worker->groups == NULL || worker->tallies == NULL || worker->controls == NULL || worker->series_counts == NULL)
        return false;
    for (size_t i = 0; i < job->count; i++) {
        const struct dlq_point *point = &job->points[i];
        worker->groups[i] = dlq_group_new(point);
        if (worker->groups[i] == NULL ||
            !dlq_tally_begin(&worker->tallies[i], point, &job->extents[i], job->constant_step, job->histogram_bits,
                             job->keep_series) ||
            !dlq_controls_begin(&worker->controls[i], job->expectations, &job->extents[i], 1, (size_t)point->ranks))
            return false;
        worker->tallies[i].no_quantiles = job->measure != DLQ_LANE_SERIES;
        dlq_controls_weigh(&worker->controls[i], point);
    }
    return true;
}

static void *worker_new(struct dlq_job *job)
{
    struct dlq_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return NULL;
    worker->job = job;
    if (dlq_feed_begin(&worker->feed, job) && allocate_buffers(worker) && allocate_points(worker))
        return worker;
    worker_free(worker);
    return NULL;
}

static const struct dlq_histogram *waits(const void *argument, size_t point)
{
    const struct dlq_worker *worker = argument;
    return &worker->tallies[point].waits;
}

static const double *series(const void *argument, size_t point, size_t *n)
{
    const struct dlq_worker *worker = argument;
    *n = (size_t)worker->series_counts[point];
    return *n > 0 ? worker->tallies[point].series : NULL;
}

static void add_controls(struct dlq_worker *worker, size_t index, const struct dlq_block *block, size_t n)
{
    struct dlq_controls *controls = &worker->controls[index];
    const struct dlq_point *point = &worker->job->points[index];
    long first = worker->tallies[index].seen;
    for (size_t rank = 0; rank < (size_t)point->ranks; rank++)
        dlq_controls_add_loads(controls, rank, first, n, block->loads + rank * block->stride);
    dlq_controls_add_steps(controls, first, n, block->steps);
    if (block->slack != NULL)
        dlq_controls_add_slack(controls, 0, first, n, block->loads, block->slack, point->load_scale);
}

/* Takes a point through the block, in pieces that end where an epoch, the warm-up or the measurement does. */
static void advance_point(struct dlq_worker *worker, size_t index)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_point *point = &job->points[index];
    struct dlq_tally *tally = &worker->tallies[index];
    for (size_t at = 0; at < job->block && !dlq_tally_complete(tally);) {
        long epoch = point->epoch > 0 ? point->epoch : LONG_MAX;
        if (tally->seen % epoch == 0)
            dlq_feed_epoch(&worker->feed, point, tally->seen / epoch, tally->end, worker->groups[index]);
        size_t n = dlq_feed_piece(&worker->feed, tally, at);
        struct dlq_block block = dlq_feed_block(&worker->feed, at);
        if (point->kernel->gives_slack && dlq_job_wants_slack(job, point))
            block.slack = worker->slack;
        dlq_group_advance(worker->groups[index], &block, n, worker->delivered, worker->finished);
        add_controls(worker, index, &block, n);
        dlq_tally_add(tally, worker->delivered, worker->finished, block.steps, n, worker->waits);
        at += n;
    }
}

static bool takes_part(const struct dlq_job *job, size_t index, long replication)
{
    return job->active[index] && (replication == 0 || !job->constant[index]);
}

static void start_replication(struct dlq_worker *worker, long replication)
{
    const struct dlq_job *job = worker->job;
    dlq_feed_start(&worker->feed, replication);
    for (size_t i = 0; i < job->count; i++) {
        dlq_group_reset(worker->groups[i]);
        dlq_tally_reset(&worker->tallies[i], replication == 0);
        dlq_controls_reset(&worker->controls[i]);
    }
}

static void finish_replication(struct dlq_worker *worker, long replication)
{
    const struct dlq_job *job = worker->job;
    for (size_t i = 0; i < job->count; i++) {
        if (!takes_part(job, i, replication))
            continue;
        struct dlq_outcome *outcome = &job->outcomes[(size_t)replication * job->count + i];
        dlq_tally_outcome(&worker->tallies[i], outcome);
        dlq_controls_get(&worker->controls[i], 0, outcome->controls);
        dlq_group_slowdown(worker->groups[i], &outcome->cpu_slowdown, &outcome->storage_slowdown);
    }
}

static enum dlq_status replicate(struct dlq_worker *worker, long replication)
{
    const struct dlq_job *job = worker->job;
    start_replication(worker, replication);
    for (bool busy = true; busy;) {
        dlq_feed_next(&worker->feed);
        busy = false;
        for (size_t i = 0; i < job->count; i++) {
            if (!takes_part(job, i, replication))
                continue;
            if (dlq_job_is_interrupted(job))
                return DLQ_INTERRUPTED;
            advance_point(worker, i);
            busy = busy || !dlq_tally_complete(&worker->tallies[i]);
        }
    }
    finish_replication(worker, replication);
    return DLQ_OK;
}

static void keep_series(struct dlq_worker *worker)
{
    for (size_t i = 0; i < worker->job->count; i++) {
        long counted = worker->tallies[i].counted;
        worker->series_counts[i] = counted < DLQ_PERIOD_WAITS ? counted : DLQ_PERIOD_WAITS;
    }
}

static long units(const struct dlq_job *job)
{
    return job->last - job->first;
}

static enum dlq_status perform(void *argument, long unit)
{
    struct dlq_worker *worker = argument;
    struct dlq_job *job = worker->job;
    long replication = job->first + unit;
    enum dlq_status status = replicate(worker, replication);
    if (replication == 0 && job->keep_series)
        keep_series(worker);
    if (job->run->progress != NULL && replication < DLQ_WAVE)
        atomic_fetch_add(&job->run->progress->done, (long)job->count);
    return status;
}

const struct dlq_engine dlq_scalar_engine = {
    .effort = 25, /* bench, group kernels */
    .lay_out = dlq_feed_lay_out,
    .new = worker_new,
    .free = worker_free,
    .units = units,
    .perform = perform,
    .waits = waits,
    .series = series,
};
