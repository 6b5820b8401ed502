/* Simulates the waves of a job, with one worker per thread. */
#include "sim/job.h"

#include <pthread.h>
#include <stdlib.h>

/* The stack of a thread, whatever limit the user has set; a thread was measured to use up to 41 KB. */
enum { STACK_BYTES = 1 << 18 };

void dlq_worker_end(struct dlq_worker *worker)
{
    for (size_t i = 0; worker->replications != NULL && i < worker->job->count; i++) {
        dlq_histogram_free(&worker->replications[i].waits);
        free(worker->replications[i].series);
    }
    dlq_arena_end(&worker->arena);
}

enum dlq_status dlq_worker_begin(struct dlq_worker *worker, struct dlq_job *job)
{
    struct dlq_arena *arena = &worker->arena;
    worker->job = job;
    NEW(arena, worker->replications, job->count);
    TRY(dlq_lane_rows(arena, job->block, job->lanes, &worker->record.waits));
    TRY(dlq_lane_rows(arena, job->block, job->lanes, &worker->record.slack));
    return dlq_lane_draws_begin(arena, &worker->draws, job);
}

/* -- the replications of a point -- */

static enum dlq_status allocate_replications(struct dlq_arena *arena, struct dlq_replications *runs,
                                             const struct dlq_job *job, size_t i)
{
    const struct dlq_point *point = &job->points[i];
    *runs = (struct dlq_replications){.point = i, .allocated = true, .busy = true};
    TRY(dlq_lane_state_begin(arena, &runs->state, job->kernels[i], point, job->constant_step));
    runs->state.stall_above = dlq_stall_above(point);
    runs->state.horizon = job->extents[i].horizon;
    /* The control variates wait and late (controls.h) need one rank, a row of waits per step, and no slowdowns. */
    runs->wants_slack = dlq_gives_slack(point->discipline) && job->expectations != NULL && job->expectations->wait &&
                        job->measure == DLQ_LANE_SERIES && point->ranks == 1 && point->slowdowns == NULL;
    if (job->keep_series && (runs->series = calloc(DLQ_PERIOD_WAITS, sizeof *runs->series)) == NULL)
        return DLQ_FAILURE;
    if (job->measure == DLQ_LANE_SERIES && job->histogram_bits > 0 &&
        !dlq_histogram_begin(&runs->waits, job->histogram_bits))
        return DLQ_FAILURE;
    if (!runs->wants_slack)
        return DLQ_OK;
    TRY(dlq_controls_begin(arena, &runs->slack, job->expectations, &job->extents[i], job->lanes, 1));
    dlq_controls_weigh(&runs->slack, point);
    return DLQ_OK;
}

static void start_epoch(struct dlq_worker *worker, struct dlq_replications *runs)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_point *point = &job->points[runs->point];
    const bool first = runs->tally.seen == 0;
    size_t stride = 0;
    const double *shares = first ? dlq_lane_draws_shares(&worker->draws, point, &stride) : NULL;
    double ready[DLQ_LANES];
    for (size_t l = 0; l < job->lanes; l++)
        ready[l] = runs->state.sums->end[l] + (first || !point->persistent ? point->startup : 0);
    job->kernels[runs->point]->epoch(&runs->state, ready, shares, stride, point->epoch > 0 ? point->epoch : LONG_MAX);
}

/* Adds the waits and the slack of n measured steps to the histogram, the series and the controls. */
static void add_waits(const struct dlq_worker *worker, struct dlq_replications *runs, const struct dlq_block *block,
                      size_t n)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_lane_record *record = &worker->record;
    const size_t lanes = job->lanes, count = (size_t)worker->count;
    const bool keeps_series = job->keep_series && worker->replication == 0;
    /* within: steps of a lane that end within the horizon; whole: steps that do so in all lanes */
    size_t within[DLQ_LANES] = {0}, whole = count == lanes ? n : 0;
    if (runs->wants_slack)
        dlq_controls_add_slack(&runs->slack, 0, runs->tally.seen, n, block->loads, record->slack,
                               job->points[runs->point].load_scale);
    if (runs->waits.bins == NULL)
        return;
    for (size_t l = 0; l < count; l++) {
        within[l] = (size_t)dlq_tally_within(&runs->tally, &runs->state, l, (long)n);
        whole = within[l] < whole ? within[l] : whole;
    }
    dlq_histogram_add(&runs->waits, record->waits, whole * lanes);
    for (size_t l = 0; l < count; l++)
        for (size_t i = whole; i < within[l]; i++)
            dlq_histogram_add(&runs->waits, record->waits + i * lanes + l, 1);
    for (size_t i = 0; keeps_series && i < within[0] && runs->series_count < DLQ_PERIOD_WAITS; i++)
        runs->series[runs->series_count++] = record->waits[i * lanes];
}

/* Reports that each lane has done `done` of its DLQ_PROGRESS_UNIT. In progress->done only the first wave counts,
   because the number of waves is not known. */
static void report(const struct dlq_worker *worker, struct dlq_replications *runs, long done)
{
    struct dlq_progress *progress = worker->job->run->progress;
    if (progress == NULL)
        return;
    const long more = (done - runs->reported) * worker->count;
    runs->reported = done;
    atomic_fetch_add(&progress->part, more);
    if (worker->replication < DLQ_WAVE)
        atomic_fetch_add(&progress->done, more);
}

static long progress_of(const struct dlq_worker *worker, const struct dlq_replications *runs)
{
    const struct dlq_extent *extent = &worker->job->extents[runs->point];
    const double share = isfinite(extent->horizon)
                             ? runs->state.sums->end[0] / extent->horizon
                             : (double)runs->tally.seen / ((double)extent->warmup + (double)extent->batches);
    return (long)(fmin(1, share) * DLQ_PROGRESS_UNIT);
}

/* Where replications are simulated one by one: steps times loaders of all ranks between two polls of the interrupt. A
   step of a thousand loads that share cores may take 10 ms. */
enum { LOADS_PER_POLL = 1 << 14 };

/* Simulates the current block, or less if interrupted. After the last step computes the outcomes. */
static void advance(struct dlq_worker *worker, struct dlq_replications *runs)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_lane_kernel *kernel = job->kernels[runs->point];
    struct dlq_tally *tally = &runs->tally;
    const long until_poll = job->lanes > 1 ? DLQ_BLOCK : (long)(1 + LOADS_PER_POLL / (job->ranks * job->servers));
    size_t n;
    for (size_t at = 0; at < job->block && !dlq_tally_complete(tally) && !dlq_job_is_interrupted(job); at += n) {
        const struct dlq_block block = dlq_lane_draws_block(&worker->draws, at);
        const long left = dlq_least(dlq_tally_left(tally), until_poll);
        const bool measures = dlq_tally_measures(tally);
        n = left < (long)(job->block - at) ? (size_t)left : job->block - at;
        if (dlq_tally_at_epoch(tally))
            start_epoch(worker, runs);
        /* Always measures the wait for the first batch of a run, and sums measured steps if they are random. */
        enum dlq_lane_measure measure = measures ? job->measure : DLQ_LANE_TIMES;
        if (measure == DLQ_LANE_TIMES && (tally->seen == 0 || (measures && isnan(job->constant_step))))
            measure = DLQ_LANE_WAITS;
        const bool under_way = tally->extent.under_way && tally->seen == 0;
        if (under_way)
            dlq_lane_draws_shorten(&worker->draws, &job->points[runs->point], true);
        (*kernel->sets[job->set])[runs->state.variant](&runs->state, &block, n, measure, worker->record);
        if (under_way)
            dlq_lane_draws_shorten(&worker->draws, &job->points[runs->point], false);
        if (measure == DLQ_LANE_SERIES)
            add_waits(worker, runs, &block, n);
        dlq_tally_after(tally, &runs->state, &block, (long)n);
        if (tally->extent.shortened && tally->seen == tally->extent.warmup)
            dlq_lane_forget_slowdown(&runs->state, kernel);
        report(worker, runs, progress_of(worker, runs));
    }
    runs->busy = !dlq_tally_complete(tally);
    if (!runs->busy)
        report(worker, runs, DLQ_PROGRESS_UNIT);
    for (size_t l = 0; l < (size_t)worker->count && !runs->busy; l++) {
        struct dlq_outcome *outcome = &job->outcomes[((size_t)worker->replication + l) * job->count + runs->point];
        dlq_tally_outcome(tally, &runs->state, l, outcome);
        dlq_lane_slowdown(&runs->state, kernel, l, &outcome->cpu_slowdown, &outcome->storage_slowdown);
        dlq_lane_draws_controls(&worker->draws, runs->point, l, outcome->controls);
        if (runs->wants_slack)
            dlq_controls_get(&runs->slack, l, outcome->controls);
    }
}

/* -- units of work: `lanes` replications of a wave, of a part of the points; simulated in any order -- */

static enum dlq_status simulate_unit(struct dlq_worker *worker, long unit)
{
    struct dlq_job *job = worker->job;
    const long lanes = (long)job->lanes;
    const size_t part = (size_t)(unit % job->parts), parts = (size_t)job->parts;
    size_t active = 0, active_before = 0;
    worker->replication = job->first + unit / job->parts * lanes;
    worker->count = job->last - worker->replication < lanes ? job->last - worker->replication : lanes;
    for (size_t i = 0; i < job->count; i++)
        active += job->active[i];
    /* The part has the active points number first to end - 1. */
    const size_t first = active * part / parts, end = active * (part + 1) / parts;
    for (size_t i = 0; i < job->count; i++) {
        struct dlq_replications *runs = &worker->replications[i];
        const bool in_part = job->active[i] && active_before >= first && active_before < end;
        active_before += job->active[i];
        runs->busy = in_part && (worker->replication == 0 || !job->constant[i]);
        runs->reported = 0;
        if (in_part && !runs->busy)
            report(worker, runs, DLQ_PROGRESS_UNIT);
        if (!runs->busy)
            continue;
        if (!runs->allocated)
            TRY(allocate_replications(&worker->arena, runs, job, i));
        dlq_lane_state_reset(&runs->state, job->seed, (uint32_t)worker->replication);
        runs->state.lanes = (int)worker->count;
        dlq_tally_begin(&runs->tally, &job->points[i], &job->extents[i], job->lanes, job->constant_step);
        if (runs->wants_slack)
            dlq_controls_reset(&runs->slack);
    }
    dlq_lane_draws_start(&worker->draws, worker->replication);
    for (bool busy = true; busy;) {
        busy = false;
        for (size_t i = 0; i < job->count; i++) {
            struct dlq_replications *runs = &worker->replications[i];
            if (!runs->busy)
                continue;
            if (dlq_job_is_interrupted(job))
                return DLQ_INTERRUPTED;
            advance(worker, runs);
            if (dlq_lane_state_failed(&runs->state))
                return DLQ_FAILURE;
            busy = busy || runs->busy;
        }
        if (busy)
            dlq_lane_draws_next(&worker->draws);
    }
    return DLQ_OK;
}

/* -- threads -- */

static void *work(void *argument)
{
    struct dlq_worker *worker = argument;
    struct dlq_job *job = worker->job;
    const long lanes = (long)job->lanes, units = (job->last - job->first + lanes - 1) / lanes * job->parts;
    while (atomic_load(&job->failed) == DLQ_OK) {
        long unit = atomic_fetch_add(&job->next, 1);
        if (unit >= units)
            break;
        enum dlq_status status = simulate_unit(worker, unit);
        if (status != DLQ_OK)
            atomic_store(&job->failed, (int)status);
    }
    return NULL;
}

static void report_wave(const struct dlq_job *job)
{
    struct dlq_progress *progress = job->run->progress;
    long active = 0;
    double batches = 0;
    if (progress == NULL)
        return;
    for (size_t i = 0; i < job->count; i++) {
        const struct dlq_extent *extent = &job->extents[i];
        active += job->active[i];
        if (job->active[i] && isinf(extent->horizon))
            batches = fmax(batches, (double)extent->warmup + (double)extent->batches);
    }
    atomic_store(&progress->part, 0);
    atomic_store(&progress->parts, active * (job->last - job->first) * DLQ_PROGRESS_UNIT);
    atomic_store(&progress->configurations, active);
    atomic_store(&progress->replications, job->last - job->first);
    atomic_store(&progress->batches, batches);
    atomic_store(&progress->horizon, isnan(job->horizon) ? 0 : job->horizon);
    atomic_fetch_add(&progress->simulations, 1);
}

enum dlq_status dlq_job_run(struct dlq_job *job, struct dlq_worker *workers, int threads, struct dlq_error *error)
{
    pthread_t ids[DLQ_RUN_THREADS];
    pthread_attr_t attributes;
    int started = 0;
    atomic_store(&job->next, 0);
    report_wave(job);
    /* The caller's thread is the first worker; if no thread can be created, that worker simulates everything. */
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        for (int i = 1; i < threads; i++)
            if (pthread_create(&ids[started], &attributes, work, &workers[i]) == 0)
                started++;
        pthread_attr_destroy(&attributes);
    }
    work(&workers[0]);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    const enum dlq_status status = (enum dlq_status)atomic_load(&job->failed);
    if (status == DLQ_INTERRUPTED)
        return dlq_error_add(error, status, "interrupted");
    return status == DLQ_FAILURE ? dlq_error_memory(error, "simulating") : status;
}
