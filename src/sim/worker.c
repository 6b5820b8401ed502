/* What carries out the waves of a job: one worker per thread. */
#include "sim/job.h"

#include <pthread.h>
#include <stdlib.h>

/* Of a thread: whatever limit the user set. Measured: up to 41 KB of it are used. */
enum { STACK = 1 << 18 };

void dlq_worker_free(struct dlq_worker *worker)
{
    if (worker == NULL)
        return;
    for (size_t i = 0; worker->replications != NULL && i < worker->job->count; i++) {
        struct dlq_replications *own = &worker->replications[i];
        if (!own->taken)
            continue;
        dlq_lane_state_free(&own->state);
        dlq_histogram_free(&own->waits);
        dlq_controls_free(&own->slack);
        free(own->series);
    }
    free(worker->record.waits);
    free(worker->record.slack);
    dlq_lane_draws_free(worker->draws);
    free(worker->replications);
    free(worker->scratch);
    free(worker);
}

struct dlq_worker *dlq_worker_new(struct dlq_job *job)
{
    struct dlq_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return NULL;
    worker->job = job;
    worker->draws = dlq_lane_draws_new(job);
    worker->replications = calloc(job->count, sizeof *worker->replications);
    worker->scratch = dlq_lane_rows(job->servers, job->lanes);
    worker->record.waits = dlq_lane_rows(job->block, job->lanes);
    worker->record.slack = dlq_lane_rows(job->block, job->lanes);
    if (worker->draws != NULL && worker->replications != NULL && worker->scratch != NULL &&
        worker->record.waits != NULL && worker->record.slack != NULL)
        return worker;
    dlq_worker_free(worker);
    return NULL;
}

/* -- the replications of a point -- */

/* Takes memory once; false: there is none. */
static bool take(struct dlq_replications *own, const struct dlq_job *job, size_t point)
{
    const struct dlq_point *what = &job->points[point];
    *own = (struct dlq_replications){.point = point, .taken = true, .busy = true};
    if (dlq_lane_state_begin(&own->state, job->kernels[point], what, job->constant_step, NULL) != DLQ_OK)
        return false;
    own->state.stall_above = dlq_stall_above(what);
    own->state.horizon = job->extents[point].horizon;
    /* Controls by slack are for one rank, where waits are measured whole, and loads end as they began. */
    own->wants_slack = dlq_gives_slack(what->discipline) && job->expectations != NULL && job->expectations->wait &&
                       job->measure == DLQ_LANE_SERIES && what->ranks == 1 && what->slowdowns == NULL;
    if (job->keep_series && (own->series = calloc(DLQ_PERIOD_WAITS, sizeof *own->series)) == NULL)
        return false;
    if (job->measure == DLQ_LANE_SERIES && !dlq_histogram_begin(&own->waits, job->histogram_bits))
        return false;
    if (!own->wants_slack)
        return true;
    bool begun = dlq_controls_begin(&own->slack, job->expectations, &job->extents[point], job->lanes, 1);
    dlq_controls_weigh(&own->slack, what);
    return begun;
}

static void begin_epoch(const struct dlq_worker *worker, struct dlq_replications *own)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_point *point = &job->points[own->point];
    double startup = own->tally.seen == 0 || !point->persistent ? point->startup : 0;
    const double *shares = NULL;
    const size_t stride = point->start == DLQ_START_RANDOM ? job->servers : 0;
    double ready[DLQ_LANES];
    for (size_t l = 0; l < job->lanes; l++)
        ready[l] = own->state.sums->end[l] + startup;
    /* Loaders start one after the other at the very start alone. */
    if (own->tally.seen == 0 && point->start == DLQ_START_RANDOM)
        shares = worker->draws->phases;
    if (own->tally.seen == 0 && point->start == DLQ_START_STAGGERED) {
        for (size_t i = 0; i < (size_t)point->servers * job->lanes; i++)
            worker->scratch[i] = floor((double)i / (double)job->lanes) / (double)point->servers;
        shares = worker->scratch;
    }
    job->kernels[own->point]->epoch(&own->state, ready, shares, stride, point->epoch > 0 ? point->epoch : LONG_MAX);
}

/* Takes what a kernel has recorded of n measured steps. */
static void keep(const struct dlq_worker *worker, struct dlq_replications *own, const struct dlq_lane_block *block,
                 size_t n)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_lane_record *record = &worker->record;
    const size_t lanes = job->lanes, count = (size_t)worker->count;
    const bool series = job->keep_series && worker->replication == 0;
    size_t within[DLQ_LANES] = {0}, whole = count == lanes ? n : 0; /* rows of which all lanes count */
    if (own->wants_slack)
        dlq_controls_add_slack(&own->slack, 0, own->tally.seen, n, block->loads, record->slack,
                               job->points[own->point].load_scale);
    for (size_t l = 0; l < count; l++) {
        within[l] = (size_t)dlq_tally_within(&own->tally, &own->state, l, (long)n);
        whole = within[l] < whole ? within[l] : whole;
    }
    dlq_histogram_add(&own->waits, record->waits, whole * lanes);
    for (size_t l = 0; l < count; l++)
        for (size_t i = whole; i < within[l]; i++)
            dlq_histogram_add(&own->waits, record->waits + i * lanes + l, 1);
    for (size_t i = 0; series && i < within[0] && own->series_count < DLQ_PERIOD_WAITS; i++)
        own->series[own->series_count++] = record->waits[i * lanes];
}

/* So much of a replication is done, in units of progress, and of others beside it. The first wave counts for the whole
   computation: how many will follow is not known. */
static void tell(const struct dlq_worker *worker, struct dlq_replications *own, long done)
{
    struct dlq_progress *progress = worker->job->run->progress;
    if (progress == NULL)
        return;
    const long more = (done - own->told) * worker->count;
    own->told = done;
    atomic_fetch_add(&progress->part, more);
    if (worker->replication < DLQ_WAVE)
        atomic_fetch_add(&progress->done, more);
}

/* The part of its replication that is done. */
static long part_of(const struct dlq_worker *worker, const struct dlq_replications *own)
{
    const struct dlq_extent *extent = &worker->job->extents[own->point];
    const double share = isfinite(extent->horizon)
                             ? own->state.sums->end[0] / extent->horizon
                             : (double)own->tally.seen / ((double)extent->warmup + (double)extent->batches);
    return (long)(fmin(1, share) * DLQ_PROGRESS_UNIT);
}

/* Loaders of all ranks times steps between two looks at the interrupt, by events: of a thousand loads that share cores
   a step may take a hundredth of a second. */
enum { LOOK = 1 << 14 };

/* The block of the draws, or, interrupted, its beginning; with the last one, what comes of them. */
static void advance(const struct dlq_worker *worker, struct dlq_replications *own)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_lane_kernel *kernel = job->kernels[own->point];
    struct dlq_tally *tally = &own->tally;
    const long look = job->lanes > 1 ? DLQ_BLOCK : (long)(1 + LOOK / (job->ranks * job->servers));
    size_t n;
    for (size_t at = 0; at < job->block && !dlq_tally_complete(tally) && !dlq_job_is_interrupted(job); at += n) {
        const struct dlq_lane_block block = dlq_lane_draws_block(worker->draws, at);
        const long left = dlq_least(dlq_tally_left(tally), look); /* until something changes */
        const bool measures = dlq_tally_measures(tally);
        n = left < (long)(job->block - at) ? (size_t)left : job->block - at;
        if (dlq_tally_at_epoch(tally))
            begin_epoch(worker, own);
        /* The wait for the first batch of all is wanted in any case; steps are counted where they are random. */
        enum dlq_lane_measure measure = measures ? job->measure : DLQ_LANE_TIMES;
        if (measure == DLQ_LANE_TIMES && (tally->seen == 0 || (measures && isnan(job->constant_step))))
            measure = DLQ_LANE_WAITS;
        (*kernel->sets[job->set])[own->state.variant](&own->state, &block, n, measure, worker->record);
        if (measure == DLQ_LANE_SERIES)
            keep(worker, own, &block, n);
        dlq_tally_after(tally, &own->state, &block, (long)n);
        tell(worker, own, part_of(worker, own));
    }
    own->busy = !dlq_tally_complete(tally);
    if (!own->busy)
        tell(worker, own, DLQ_PROGRESS_UNIT);
    for (size_t l = 0; l < (size_t)worker->count && !own->busy; l++) {
        struct dlq_outcome *outcome = &job->outcomes[((size_t)worker->replication + l) * job->count + own->point];
        dlq_tally_outcome(tally, &own->state, l, outcome);
        dlq_lane_slowdown(&own->state, kernel, l, &outcome->cpu_slowdown, &outcome->storage_slowdown);
        dlq_lane_draws_controls(worker->draws, own->point, l, outcome->controls);
        if (own->wants_slack)
            dlq_controls_get(&own->slack, l, outcome->controls);
    }
}

/* -- a unit: lanes of a wave, side by side, for a part of the points; any worker may perform it, in any order -- */

static enum dlq_status perform(struct dlq_worker *worker, long unit)
{
    struct dlq_job *job = worker->job;
    const long lanes = (long)job->lanes;
    const size_t part = (size_t)(unit % job->parts), parts = (size_t)job->parts;
    size_t active = 0, seen = 0;
    worker->replication = job->first + unit / job->parts * lanes;
    worker->count = job->last - worker->replication < lanes ? job->last - worker->replication : lanes;
    for (size_t i = 0; i < job->count; i++)
        active += job->active[i];
    const size_t first = active * part / parts, last = active * (part + 1) / parts; /* of the active points */
    for (size_t i = 0; i < job->count; i++) {
        struct dlq_replications *own = &worker->replications[i];
        const bool mine = job->active[i] && seen >= first && seen < last;
        seen += job->active[i];
        /* Of a point without chance one replication is enough. */
        own->busy = mine && (worker->replication == 0 || !job->constant[i]);
        own->told = 0;
        if (mine && !own->busy)
            tell(worker, own, DLQ_PROGRESS_UNIT);
        if (!own->busy)
            continue;
        if (!own->taken && !take(own, job, i))
            return DLQ_FAILURE;
        dlq_lane_state_reset(&own->state, job->seed, (uint32_t)worker->replication);
        dlq_tally_begin(&own->tally, &job->points[i], &job->extents[i], job->lanes, job->constant_step);
        if (own->wants_slack)
            dlq_controls_reset(&own->slack);
    }
    dlq_lane_draws_start(worker->draws, worker->replication);
    for (bool busy = true; busy;) {
        busy = false;
        for (size_t i = 0; i < job->count; i++) {
            struct dlq_replications *own = &worker->replications[i];
            if (!own->busy)
                continue;
            if (dlq_job_is_interrupted(job))
                return DLQ_INTERRUPTED;
            advance(worker, own);
            if (dlq_lane_state_failed(&own->state))
                return DLQ_FAILURE;
            busy = busy || own->busy;
        }
        if (busy)
            dlq_lane_draws_next(worker->draws);
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
        enum dlq_status status = perform(worker, unit);
        if (status != DLQ_OK)
            atomic_store(&job->failed, (int)status);
    }
    return NULL;
}

/* What is to be simulated now. */
static void announce(const struct dlq_job *job)
{
    struct dlq_progress *progress = job->run->progress;
    long active = 0;
    double batches = 0;
    for (size_t i = 0; i < job->count && progress != NULL; i++) {
        const struct dlq_extent *extent = &job->extents[i];
        active += job->active[i];
        if (job->active[i] && isinf(extent->horizon))
            batches = fmax(batches, (double)extent->warmup + (double)extent->batches);
    }
    if (progress == NULL)
        return;
    atomic_store(&progress->part, 0);
    atomic_store(&progress->parts, active * (job->last - job->first) * DLQ_PROGRESS_UNIT);
    atomic_store(&progress->configurations, active);
    atomic_store(&progress->replications, job->last - job->first);
    atomic_store(&progress->batches, batches);
    atomic_store(&progress->horizon, isnan(job->horizon) ? 0 : job->horizon);
    atomic_fetch_add(&progress->simulations, 1);
}

enum dlq_status dlq_job_run(struct dlq_job *job, struct dlq_worker *const *workers, int threads,
                            struct dlq_error *error)
{
    pthread_t ids[DLQ_RUN_THREADS];
    pthread_attr_t attributes;
    int started = 0;
    atomic_store(&job->next, 0);
    announce(job);
    /* The caller's thread is the first worker; where no thread can be had it does all the work. */
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, STACK);
        for (int i = 1; i < threads; i++)
            if (pthread_create(&ids[started], &attributes, work, workers[i]) == 0)
                started++;
        pthread_attr_destroy(&attributes);
    }
    work(workers[0]);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    const enum dlq_status status = (enum dlq_status)atomic_load(&job->failed);
    if (status == DLQ_INTERRUPTED)
        return dlq_error_add(error, status, "interrupted");
    return status == DLQ_FAILURE ? dlq_error_memory(error, "simulating") : status;
}
