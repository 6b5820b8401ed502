#include "sim/replicate.h"

#include "dist/sampler.h"
#include "dist/stream.h"
#include "sim/group.h"

#include <stdlib.h>
#include <string.h>

/* Most draws of loads and their stages in a block; where ranks are many and reach far ahead, more. */
enum { LEAST_STEPS = 16, USUAL_STEPS = 1024, MOST_DRAWS = 1 << 17 };

struct dlq_worker {
    struct dlq_job *job;
    struct dlq_draws load, step;
    struct dlq_group **groups; /* per point */
    struct dlq_tally *tallies;
    struct dlq_controls *controls;
    double *loads; /* of each rank, one after the other: the block and what is ahead of it */
    double *cumulative[DLQ_MOST_STAGES];
    double *steps, *delivered, *finished, *waits, *slack;
    double *shares;      /* random start: when the servers of each rank first start, in units of the mean load */
    size_t kept;         /* loads of a rank that are drawn already */
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
    for (size_t k = 0; k < DLQ_MOST_STAGES; k++)
        free(worker->cumulative[k]);
    dlq_draws_free(&worker->load);
    dlq_draws_free(&worker->step);
    free(worker->groups);
    free(worker->tallies);
    free(worker->controls);
    free(worker->slack);
    free(worker->loads);
    free(worker->steps);
    free(worker->delivered);
    free(worker->finished);
    free(worker->waits);
    free(worker->shares);
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

/* Blocks that keep the draws of all ranks in little memory. */
static void lay_out(struct dlq_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct dlq_point *point = &job->points[i];
        size_t ahead = point->kernel->ahead(point);
        size_t ranks = (size_t)point->ranks;
        size_t servers = (size_t)point->servers;
        job->ahead = ahead > job->ahead ? ahead : job->ahead;
        job->ranks = ranks > job->ranks ? ranks : job->ranks;
        job->servers = servers > job->servers ? servers : job->servers;
    }
    /* What is ahead is moved once per block: not for a few steps only. */
    size_t least = job->ahead / 4 > LEAST_STEPS ? job->ahead / 4 : LEAST_STEPS;
    size_t wanted = job->ahead > USUAL_STEPS ? job->ahead : USUAL_STEPS;
    size_t most = MOST_DRAWS / (job->ranks * (needs_stages(job) ? 1 + job->load.count : 1));
    job->block = wanted < most ? wanted : most > least ? most : least;
}

static bool allocate_buffers(struct dlq_worker *worker)
{
    const struct dlq_job *job = worker->job;
    size_t block = job->block;
    size_t loads = (block + job->ahead) * job->ranks;
    bool enough = true;
    worker->loads = calloc(loads, sizeof(double));
    worker->steps = calloc(block, sizeof(double));
    worker->delivered = calloc(block, sizeof(double));
    worker->finished = calloc(block, sizeof(double));
    worker->waits = calloc(block, sizeof(double));
    worker->slack = calloc(block, sizeof(double));
    worker->shares = calloc(job->random_start ? job->ranks * job->servers : 1, sizeof(double));
    for (size_t k = 0; needs_stages(job) && k < job->load.count; k++)
        enough = (worker->cumulative[k] = calloc(loads, sizeof(double))) != NULL && enough;
    return enough && worker->loads != NULL && worker->steps != NULL && worker->delivered != NULL &&
           worker->finished != NULL && worker->waits != NULL && worker->slack != NULL && worker->shares != NULL;
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
    if (allocate_buffers(worker) && allocate_points(worker) &&
        dlq_draws_begin(&worker->load, &job->load, 1, job->ranks, NULL) == DLQ_OK &&
        dlq_draws_begin(&worker->step, &job->step, 1, 1, NULL) == DLQ_OK)
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

/* The next block of a rank's loads; those that reach ahead are kept. */
static void next_loads(struct dlq_worker *worker, size_t rank)
{
    const struct dlq_job *job = worker->job;
    size_t first = rank * (job->block + job->ahead);
    size_t kept = worker->kept;
    double *tails[DLQ_MOST_STAGES] = {0};
    bool stages = worker->cumulative[0] != NULL;
    memmove(worker->loads + first, worker->loads + first + job->block, kept * sizeof(double));
    for (size_t k = 0; stages && k < job->load.count; k++) {
        double *cumulative = worker->cumulative[k] + first;
        memmove(cumulative, cumulative + job->block, kept * sizeof(double));
        tails[k] = cumulative + kept;
    }
    dlq_draws_next(&worker->load, rank, job->block + job->ahead - kept, worker->loads + first + kept,
                   stages ? tails : NULL);
}

static void next_block(struct dlq_worker *worker)
{
    for (size_t rank = 0; rank < worker->job->ranks; rank++)
        next_loads(worker, rank);
    dlq_draws_next(&worker->step, 0, worker->job->block, worker->steps, NULL);
    worker->kept = worker->job->ahead;
}

/* Phases hold at the very start; there are none later. */
static void begin_epoch(struct dlq_worker *worker, size_t index, long epochs_seen)
{
    const struct dlq_point *point = &worker->job->points[index];
    double ready = worker->tallies[index].end + (epochs_seen == 0 || !point->persistent ? point->startup : 0);
    long batches = point->epoch > 0 ? point->epoch : LONG_MAX;
    double even[DLQ_MOST_LOADERS];
    const double *shares = NULL;
    for (long w = 0; w < point->servers; w++)
        even[w] = (double)w / (double)point->servers;
    if (epochs_seen == 0 && point->start != DLQ_START_TOGETHER)
        shares = point->start == DLQ_START_STAGGERED ? even : worker->shares;
    dlq_group_epoch(worker->groups[index], ready, shares, shares == even ? 0 : worker->job->servers, batches);
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
            begin_epoch(worker, index, tally->seen / epoch);
        long left = dlq_tally_left(tally);
        long to_epoch = epoch - tally->seen % epoch;
        size_t n = job->block - at;
        n = left < (long)n ? (size_t)left : n;
        n = to_epoch < (long)n ? (size_t)to_epoch : n;
        struct dlq_block block = {
            .loads = worker->loads + at,
            .steps = worker->steps + at,
            .stride = job->block + job->ahead,
            .slack = point->kernel->gives_slack && dlq_job_wants_slack(job, point) ? worker->slack : NULL,
        };
        for (size_t k = 0; k < job->load.count && worker->cumulative[k] != NULL; k++)
            block.cumulative[k] = worker->cumulative[k] + at;
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

static void draw_shares(struct dlq_worker *worker, long replication)
{
    const struct dlq_job *job = worker->job;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        const struct dlq_lanes lanes = {
            .seed = job->seed,
            .replication = (uint32_t)replication,
            .rank = (uint32_t)rank,
            .purpose = DLQ_PURPOSE_PHASE,
            .count = 1,
            .set = job->set,
        };
        dlq_fill_uniform(&lanes, 0, 0, job->servers, worker->shares + rank * job->servers);
    }
}

static void start_replication(struct dlq_worker *worker, long replication)
{
    const struct dlq_job *job = worker->job;
    dlq_draws_start(&worker->load, job->seed, (uint32_t)replication);
    dlq_draws_start(&worker->step, job->seed, (uint32_t)replication);
    worker->kept = 0;
    if (job->random_start)
        draw_shares(worker, replication);
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
        next_block(worker);
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
    .lay_out = lay_out,
    .new = worker_new,
    .free = worker_free,
    .units = units,
    .perform = perform,
    .waits = waits,
    .series = series,
};
