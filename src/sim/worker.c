#include "sim/worker.h"

#include "sim/replications.h"

#include <pthread.h>
#include <stdlib.h>

enum { TOGETHER = 2 };
/* Of a thread: whatever limit the user set. Measured: up to 41 KB of it are used. */
enum { STACK = 1 << 18 };

struct dlq_worker {
    struct dlq_job *job;
    struct dlq_lane_draws *draws;
    struct dlq_replications *replications; /* per point */
    struct dlq_lane_record records[TOGETHER];
    double *scratch;               /* a row for each server */
    long replication, count;       /* the first lane's, and how many lanes count */
    size_t *members, member_count; /* points of the unit, but for those that are known */
    long shared;                   /* and with them */
};

void dlq_worker_free(struct dlq_worker *worker)
{
    if (worker == NULL)
        return;
    for (size_t i = 0; worker->replications != NULL && i < worker->job->count; i++)
        dlq_replications_free(&worker->replications[i]);
    for (int q = 0; q < TOGETHER; q++) {
        free(worker->records[q].waits);
        free(worker->records[q].slack);
    }
    dlq_lane_draws_free(worker->draws);
    free(worker->replications);
    free(worker->members);
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
    worker->members = calloc(job->count, sizeof *worker->members);
    worker->scratch = dlq_lane_rows(job->servers, job->lanes);
    bool enough =
        worker->draws != NULL && worker->replications != NULL && worker->members != NULL && worker->scratch != NULL;
    for (int q = 0; q < TOGETHER; q++) {
        worker->records[q] =
            (struct dlq_lane_record){dlq_lane_rows(job->block, job->lanes), dlq_lane_rows(job->block, job->lanes)};
        enough = enough && worker->records[q].waits != NULL && worker->records[q].slack != NULL;
    }
    if (enough)
        return worker;
    dlq_worker_free(worker);
    return NULL;
}

/* -- points that advance together -- */

struct team {
    struct dlq_replications *replications[TOGETHER];
    struct dlq_lane_state *states[TOGETHER];
    size_t count;
};

static bool complete(const struct team *team)
{
    for (size_t q = 0; q < team->count; q++)
        if (!dlq_tally_complete(&team->replications[q]->tally))
            return false;
    return true;
}

/* Steps until something changes for one of them; begins epochs. */
static size_t prepare_piece(const struct dlq_worker *worker, const struct team *team, size_t most)
{
    size_t n = most;
    for (size_t q = 0; q < team->count; q++) {
        const struct dlq_tally *tally = &team->replications[q]->tally;
        long left = dlq_tally_left(tally);
        n = left < (long)n ? (size_t)left : n;
        if (dlq_tally_at_epoch(tally) && !dlq_tally_complete(tally))
            dlq_replications_epoch(team->replications[q], worker->draws->phases, worker->scratch);
        dlq_tally_before(&team->replications[q]->tally, team->states[q]);
    }
    return n;
}

static enum dlq_lane_measure measure_of(const struct dlq_worker *worker, const struct team *team)
{
    bool first = false;
    bool measures = false;
    for (size_t q = 0; q < team->count; q++) {
        first = first || team->replications[q]->tally.seen == 0;
        measures = measures || dlq_tally_measures(&team->replications[q]->tally);
    }
    if (measures && worker->job->measure != DLQ_LANE_TIMES)
        return worker->job->measure;
    /* The wait for the first batch of all is wanted in any case; steps are counted where they are random. */
    return first || (measures && isnan(worker->job->constant_step)) ? DLQ_LANE_WAITS : DLQ_LANE_TIMES;
}

static void finish(const struct dlq_worker *worker, const struct dlq_replications *own)
{
    const struct dlq_job *job = worker->job;
    for (long l = 0; l < worker->count; l++)
        dlq_replications_outcome(own, worker->draws, (size_t)l,
                                 &job->outcomes[(size_t)(worker->replication + l) * job->count + own->point]);
}

static void advance_piece(const struct dlq_worker *worker, const struct team *team, size_t at, size_t n)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_lane_kernel *kernel = job->kernels[team->replications[0]->point];
    const struct dlq_lane_block block = dlq_lane_draws_block(worker->draws, at);
    enum dlq_lane_measure measure = measure_of(worker, team);
    (*kernel->sets[job->set])[team->states[0]->variant](team->states, team->count, &block, n, measure, worker->records);
    for (size_t q = 0; q < team->count; q++) {
        struct dlq_replications *own = team->replications[q];
        if (dlq_tally_complete(&own->tally))
            continue;
        if (measure == DLQ_LANE_SERIES && dlq_tally_measures(&own->tally))
            dlq_replications_keep(own, &block, &worker->records[q], n, (size_t)worker->count,
                                  job->keep_series && worker->replication == job->recorded);
        dlq_tally_after(&own->tally, &own->state, &block, (long)n);
        if (dlq_tally_complete(&own->tally))
            finish(worker, own);
    }
}

static void advance_team(const struct dlq_worker *worker, const struct team *team)
{
    for (size_t at = 0; at < worker->job->block && !complete(team);) {
        size_t n = prepare_piece(worker, team, worker->job->block - at);
        advance_piece(worker, team, at, n);
        at += n;
    }
}

static bool fits(const struct dlq_job *job, const struct team *team, const struct dlq_replications *own)
{
    if (team->count == 0)
        return true;
    const struct dlq_replications *first = team->replications[0];
    const struct dlq_lane_kernel *kernel = job->kernels[first->point];
    return job->kernels[own->point] == kernel && team->count < kernel->most &&
           own->state.variant == first->state.variant &&
           job->points[own->point].epoch == job->points[first->point].epoch;
}

/* The members from `first` on that advance together. */
static struct team team_of(const struct dlq_worker *worker, size_t first)
{
    struct team team = {.count = 0};
    for (size_t m = first; m < worker->member_count && team.count < TOGETHER; m++) {
        struct dlq_replications *own = &worker->replications[worker->members[m]];
        if (!fits(worker->job, &team, own))
            break;
        team.replications[team.count] = own;
        team.states[team.count++] = &own->state;
    }
    return team;
}

/* -- a unit: the lanes of a wave, for a part of the points -- */

static long units(const struct dlq_job *job)
{
    const long lanes = (long)job->lanes;
    return (job->last - job->first + lanes - 1) / lanes * job->parts;
}

static enum dlq_status take_members(struct dlq_worker *worker, long part)
{
    const struct dlq_job *job = worker->job;
    size_t active = 0;
    size_t seen = 0;
    for (size_t i = 0; i < job->count; i++)
        active += job->active[i];
    size_t first = active * (size_t)part / (size_t)job->parts;
    size_t last = active * (size_t)(part + 1) / (size_t)job->parts;
    worker->member_count = 0;
    worker->shared = (long)(last - first);
    for (size_t i = 0; i < job->count; i++) {
        if (!job->active[i])
            continue;
        /* Of a point without chance one replication is enough. */
        if (seen >= first && seen < last && (worker->replication == 0 || !job->constant[i]))
            worker->members[worker->member_count++] = i;
        seen++;
    }
    for (size_t m = 0; m < worker->member_count; m++) {
        struct dlq_replications *own = &worker->replications[worker->members[m]];
        if (!dlq_replications_take(own, job, worker->members[m]))
            return DLQ_FAILURE;
        dlq_replications_reset(own, worker->replication);
    }
    return DLQ_OK;
}

enum dlq_status dlq_worker_perform(struct dlq_worker *worker, long unit)
{
    struct dlq_job *job = worker->job;
    const long lanes = (long)job->lanes;
    worker->replication = job->first + unit / job->parts * lanes;
    worker->count = job->last - worker->replication < lanes ? job->last - worker->replication : lanes;
    enum dlq_status status = take_members(worker, unit % job->parts);
    if (status != DLQ_OK)
        return status;
    dlq_lane_draws_start(worker->draws, worker->replication);
    for (bool busy = true; busy;) {
        busy = false;
        for (size_t m = 0; m < worker->member_count;) {
            struct team team = team_of(worker, m);
            if (dlq_job_is_interrupted(job))
                return DLQ_INTERRUPTED;
            advance_team(worker, &team);
            for (size_t k = 0; k < team.count; k++)
                if (dlq_lane_state_failed(team.states[k]))
                    return DLQ_FAILURE;
            busy = busy || !complete(&team);
            m += team.count;
        }
        if (busy)
            dlq_lane_draws_next(worker->draws);
    }
    if (job->run->progress != NULL && worker->replication < DLQ_WAVE)
        atomic_fetch_add(&job->run->progress->done, worker->count * worker->shared);
    return DLQ_OK;
}

const struct dlq_histogram *dlq_worker_waits(const struct dlq_worker *worker, size_t point)
{
    const struct dlq_replications *own = &worker->replications[point];
    return own->taken && own->waits.bins != NULL ? &own->waits : NULL;
}

struct dlq_replications *dlq_worker_replications(const struct dlq_worker *worker, size_t point)
{
    return worker->replications[point].taken ? &worker->replications[point] : NULL;
}

/* -- threads -- */

struct thread {
    struct dlq_job *job;
    struct dlq_worker *worker;
};

static void *work(void *argument)
{
    const struct thread *thread = argument;
    struct dlq_job *job = thread->job;
    while (atomic_load(&job->failed) == DLQ_OK) {
        long unit = atomic_fetch_add(&job->next, 1);
        if (unit >= units(job))
            break;
        enum dlq_status status = dlq_worker_perform(thread->worker, unit);
        if (status != DLQ_OK)
            atomic_store(&job->failed, (int)status);
    }
    return NULL;
}

enum dlq_status dlq_job_run(struct dlq_job *job, struct dlq_worker *const *workers, int threads,
                            struct dlq_error *error)
{
    pthread_t ids[DLQ_RUN_THREADS];
    pthread_attr_t attributes;
    struct thread each[DLQ_RUN_THREADS] = {{job, workers[0]}};
    int started = 0;
    for (int i = 1; i < threads; i++)
        each[i] = (struct thread){job, workers[i]};
    atomic_store(&job->next, 0);
    /* The caller's thread is the first worker; where no thread can be had it does all the work. */
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, STACK);
        for (int i = 1; i < threads; i++)
            if (pthread_create(&ids[started], &attributes, work, &each[i]) == 0)
                started++;
        pthread_attr_destroy(&attributes);
    }
    work(&each[0]);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    enum dlq_status status = (enum dlq_status)atomic_load(&job->failed);
    if (status == DLQ_INTERRUPTED)
        return dlq_error_add(error, status, "interrupted");
    return status == DLQ_FAILURE ? dlq_error_memory(error, "simulating") : status;
}
