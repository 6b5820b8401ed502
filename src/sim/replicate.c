#include "sim/replicate.h"

#include "dist/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct dlq_worker {
    struct dlq_job *job;
    struct dlq_draws load, step;
    struct dlq_kernel_state **states; /* per point */
    struct dlq_tally *tallies;
    struct dlq_controls *controls;
    double *slack;
    double *loads, *steps, *delivered, *finished, *waits, *phase, *no_phase;
    double *cumulative[DLQ_MOST_STAGES];
    size_t kept;         /* loads of the block that are drawn already */
    long *series_counts; /* waits of replication 0 that a tally keeps; 0 where another worker had it */
};

void dlq_worker_free(struct dlq_worker *worker)
{
    if (worker == NULL)
        return;
    size_t count = worker->job->count;
    for (size_t i = 0; worker->states != NULL && i < count; i++)
        if (worker->states[i] != NULL)
            worker->job->points[i].kernel->free(worker->states[i]);
    for (size_t i = 0; worker->tallies != NULL && i < count; i++)
        dlq_tally_free(&worker->tallies[i]);
    for (size_t i = 0; worker->controls != NULL && i < count; i++)
        dlq_controls_free(&worker->controls[i]);
    for (size_t k = 0; k < DLQ_MOST_STAGES; k++)
        free(worker->cumulative[k]);
    dlq_draws_free(&worker->load);
    dlq_draws_free(&worker->step);
    free(worker->states);
    free(worker->tallies);
    free(worker->controls);
    free(worker->slack);
    free(worker->loads);
    free(worker->steps);
    free(worker->delivered);
    free(worker->finished);
    free(worker->waits);
    free(worker->phase);
    free(worker->no_phase);
    free(worker->series_counts);
    free(worker);
}

static bool needs_stages(const struct dlq_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->points[i].kernel->needs_stages)
            return true;
    return false;
}

static bool allocate_buffers(struct dlq_worker *worker)
{
    const struct dlq_job *job = worker->job;
    size_t block = job->block;
    size_t loads = block + job->ahead;
    bool enough = true;
    worker->loads = calloc(loads, sizeof(double));
    worker->steps = calloc(block, sizeof(double));
    worker->delivered = calloc(block, sizeof(double));
    worker->finished = calloc(block, sizeof(double));
    worker->waits = calloc(block, sizeof(double));
    worker->slack = calloc(block, sizeof(double));
    worker->phase = calloc(DLQ_MOST_LOADERS, sizeof(double));
    worker->no_phase = calloc(DLQ_MOST_LOADERS, sizeof(double));
    for (size_t k = 0; needs_stages(job) && k < job->load.count; k++)
        enough = (worker->cumulative[k] = calloc(loads, sizeof(double))) != NULL && enough;
    return enough && worker->loads != NULL && worker->steps != NULL && worker->delivered != NULL &&
           worker->finished != NULL && worker->waits != NULL && worker->slack != NULL && worker->phase != NULL &&
           worker->no_phase != NULL;
}

static bool allocate_points(struct dlq_worker *worker)
{
    const struct dlq_job *job = worker->job;
    worker->states = calloc(job->count, sizeof(struct dlq_kernel_state *));
    worker->tallies = calloc(job->count, sizeof *worker->tallies);
    worker->controls = calloc(job->count, sizeof *worker->controls);
    worker->series_counts = calloc(job->count, sizeof *worker->series_counts);
    if (worker->states == NULL || worker->tallies == NULL || worker->controls == NULL || worker->series_counts == NULL)
        return false;
    for (size_t i = 0; i < job->count; i++) {
        worker->states[i] = job->points[i].kernel->new (&job->points[i]);
        if (worker->states[i] == NULL ||
            !dlq_tally_begin(&worker->tallies[i], &job->points[i], &job->extents[i], job->histogram_bits,
                             job->keep_series) ||
            !dlq_controls_begin(&worker->controls[i], &job->expectations, &job->extents[i], 1, 1))
            return false;
    }
    return true;
}

struct dlq_worker *dlq_worker_new(struct dlq_job *job)
{
    struct dlq_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return NULL;
    worker->job = job;
    if (allocate_buffers(worker) && allocate_points(worker) &&
        dlq_draws_begin(&worker->load, &job->load, 1, 1, NULL) == DLQ_OK &&
        dlq_draws_begin(&worker->step, &job->step, 1, 1, NULL) == DLQ_OK)
        return worker;
    dlq_worker_free(worker);
    return NULL;
}

const struct dlq_histogram *dlq_worker_waits(const struct dlq_worker *worker, size_t point)
{
    return &worker->tallies[point].waits;
}

const double *dlq_worker_series(const struct dlq_worker *worker, size_t point, size_t *n)
{
    *n = (size_t)worker->series_counts[point];
    return *n > 0 ? worker->tallies[point].series : NULL;
}

/* The next block of draws; loads that reach ahead are kept. */
static void next_block(struct dlq_worker *worker)
{
    const struct dlq_job *job = worker->job;
    size_t kept = worker->kept;
    size_t fresh = job->block + job->ahead - kept;
    double *tails[DLQ_MOST_STAGES] = {0};
    bool stages = worker->cumulative[0] != NULL;
    memmove(worker->loads, worker->loads + job->block, kept * sizeof(double));
    for (size_t k = 0; stages && k < job->load.count; k++) {
        memmove(worker->cumulative[k], worker->cumulative[k] + job->block, kept * sizeof(double));
        tails[k] = worker->cumulative[k] + kept;
    }
    dlq_draws_next(&worker->load, 0, fresh, worker->loads + kept, stages ? tails : NULL);
    dlq_draws_next(&worker->step, 0, job->block, worker->steps, NULL);
    worker->kept = job->ahead;
}

/* Server w's phase at the very start; none later. */
static void start_phases(const struct dlq_point *point, const double *uniform, double *phase)
{
    for (long w = 0; w < point->servers; w++) {
        double share = point->start == DLQ_START_STAGGERED ? (double)w / (double)point->servers : uniform[w];
        phase[w] = point->start == DLQ_START_TOGETHER ? 0 : share * point->load_scale;
    }
}

static void begin_epoch(struct dlq_worker *worker, size_t index, long epochs_seen)
{
    const struct dlq_point *point = &worker->job->points[index];
    double startup = epochs_seen == 0 || !point->persistent ? point->startup : 0;
    const double *phase = worker->no_phase;
    double phases[DLQ_MOST_LOADERS];
    if (epochs_seen == 0 && point->start != DLQ_START_TOGETHER) {
        start_phases(point, worker->phase, phases);
        phase = phases;
    }
    point->kernel->epoch(worker->states[index], worker->tallies[index].end + startup, phase,
                         point->epoch > 0 ? point->epoch : LONG_MAX);
}

static void add_controls(struct dlq_worker *worker, size_t index, const struct dlq_block *block, size_t n)
{
    struct dlq_controls *controls = &worker->controls[index];
    long first = worker->tallies[index].seen;
    dlq_controls_add_loads(controls, 0, first, n, block->loads);
    dlq_controls_add_steps(controls, first, n, block->steps);
    if (block->slack != NULL)
        dlq_controls_add_slack(controls, 0, first, n, block->loads, block->slack,
                               worker->job->points[index].load_scale);
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
            begin_epoch(worker, index, tally->seen / epoch);
        long left = dlq_tally_left(tally);
        long to_epoch = epoch - tally->seen % epoch;
        size_t n = job->block - at;
        n = left < (long)n ? (size_t)left : n;
        n = to_epoch < (long)n ? (size_t)to_epoch : n;
        struct dlq_block block = {
            .loads = worker->loads + at,
            .steps = worker->steps + at,
            .slack = point->kernel->gives_slack ? worker->slack : NULL,
        };
        for (size_t k = 0; k < job->load.count && worker->cumulative[k] != NULL; k++)
            block.cumulative[k] = worker->cumulative[k] + at;
        point->kernel->advance(worker->states[index], &block, n, worker->delivered, worker->finished);
        add_controls(worker, index, &block, n);
        dlq_tally_add(tally, worker->delivered, worker->finished, block.steps, point->step_scale, n, worker->waits);
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
    dlq_draws_start(&worker->load, job->seed, (uint32_t)replication);
    dlq_draws_start(&worker->step, job->seed, (uint32_t)replication);
    worker->kept = 0;
    if (job->random_start) {
        gsl_rng *rng = worker->load.rngs[0];
        dlq_stream_start(rng, job->seed, (uint32_t)replication, 0, DLQ_PURPOSE_PHASE);
        for (size_t w = 0; w < DLQ_MOST_LOADERS; w++)
            worker->phase[w] = gsl_rng_uniform(rng);
        dlq_draws_start(&worker->load, job->seed, (uint32_t)replication);
    }
    for (size_t i = 0; i < job->count; i++) {
        job->points[i].kernel->reset(worker->states[i]);
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
        if (job->points[i].kernel->slowdown != NULL)
            job->points[i].kernel->slowdown(worker->states[i], &outcome->cpu_slowdown, &outcome->storage_slowdown);
    }
}

static bool interrupted(const struct dlq_job *job)
{
    return job->run->interrupted != NULL && *job->run->interrupted != 0;
}

static enum dlq_status replicate(struct dlq_worker *worker, long replication)
{
    const struct dlq_job *job = worker->job;
    start_replication(worker, replication);
    for (bool busy = true; busy;) {
        next_block(worker);
        busy = false;
        for (size_t i = 0; i < job->count; i++) {
            if (!takes_part(job, i, replication))
                continue;
            if (interrupted(job))
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

static void *work(void *argument)
{
    struct dlq_worker *worker = argument;
    struct dlq_job *job = worker->job;
    while (atomic_load(&job->failed) == DLQ_OK) {
        long replication = atomic_fetch_add(&job->next, 1);
        if (replication >= job->last)
            break;
        enum dlq_status status = replicate(worker, replication);
        if (status != DLQ_OK)
            atomic_store(&job->failed, (int)status);
        if (replication == 0 && job->keep_series)
            keep_series(worker);
        if (job->run->progress != NULL && replication < DLQ_WAVE)
            atomic_fetch_add(&job->run->progress->done, (long)job->count);
    }
    return NULL;
}

enum dlq_status dlq_wave_run(struct dlq_job *job, struct dlq_worker *const *workers, int threads,
                             struct dlq_error *error)
{
    pthread_t ids[256];
    int started = 0;
    atomic_store(&job->next, job->first);
    /* The caller's thread is the first worker; where no thread can be had it does all the work. */
    for (int i = 1; i < threads; i++)
        if (pthread_create(&ids[started], NULL, work, workers[i]) == 0)
            started++;
    work(workers[0]);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    enum dlq_status status = (enum dlq_status)atomic_load(&job->failed);
    return status == DLQ_INTERRUPTED ? dlq_error_add(error, status, "interrupted") : status;
}
