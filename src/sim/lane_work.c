#include "sim/lane_work.h"

#include "sim/lane_seat.h"

#include <stdlib.h>

enum { TOGETHER = 2 };

struct worker {
    struct dlq_job *job;
    struct dlq_lane_draws *draws;
    struct dlq_lane_seat *seats; /* per point */
    struct dlq_lane_record records[TOGETHER];
    double *scratch;               /* a row for each server */
    long replication, count;       /* the first lane's, and how many lanes count */
    size_t *members, member_count; /* points of the unit */
};

static void worker_free(void *argument)
{
    struct worker *worker = argument;
    if (worker == NULL)
        return;
    for (size_t i = 0; worker->seats != NULL && i < worker->job->count; i++)
        dlq_lane_seat_free(&worker->seats[i]);
    for (int q = 0; q < TOGETHER; q++) {
        free(worker->records[q].waits);
        free(worker->records[q].slack);
    }
    dlq_lane_draws_free(worker->draws);
    free(worker->seats);
    free(worker->members);
    free(worker->scratch);
    free(worker);
}

static void *worker_new(struct dlq_job *job)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return NULL;
    worker->job = job;
    worker->draws = dlq_lane_draws_new(job);
    worker->seats = calloc(job->count, sizeof *worker->seats);
    worker->members = calloc(job->count, sizeof *worker->members);
    worker->scratch = dlq_lane_rows(job->servers);
    bool enough = worker->draws != NULL && worker->seats != NULL && worker->members != NULL && worker->scratch != NULL;
    for (int q = 0; q < TOGETHER; q++) {
        worker->records[q] = (struct dlq_lane_record){dlq_lane_rows(job->block), dlq_lane_rows(job->block)};
        enough = enough && worker->records[q].waits != NULL && worker->records[q].slack != NULL;
    }
    if (enough)
        return worker;
    worker_free(worker);
    return NULL;
}

/* -- points that advance together -- */

struct team {
    struct dlq_lane_seat *seats[TOGETHER];
    struct dlq_lane_state *states[TOGETHER];
    size_t count;
};

static bool complete(const struct team *team)
{
    for (size_t q = 0; q < team->count; q++)
        if (!dlq_lane_tally_complete(&team->seats[q]->tally))
            return false;
    return true;
}

/* Steps until something changes for one of them; begins epochs. */
static size_t prepare_piece(const struct worker *worker, const struct team *team, size_t most)
{
    size_t n = most;
    for (size_t q = 0; q < team->count; q++) {
        const struct dlq_lane_tally *tally = &team->seats[q]->tally;
        long left = dlq_lane_tally_left(tally);
        n = left < (long)n ? (size_t)left : n;
        if (dlq_lane_tally_at_epoch(tally) && !dlq_lane_tally_complete(tally))
            dlq_lane_seat_epoch(team->seats[q], worker->draws->phases, worker->scratch);
        dlq_lane_tally_before(&team->seats[q]->tally, team->states[q]);
    }
    return n;
}

static enum dlq_lane_measure measure_of(const struct worker *worker, const struct team *team)
{
    bool first = false;
    bool measures = false;
    for (size_t q = 0; q < team->count; q++) {
        first = first || team->seats[q]->tally.seen == 0;
        measures = measures || dlq_lane_tally_measures(&team->seats[q]->tally);
    }
    if (measures && worker->job->measure != DLQ_LANE_TIMES)
        return worker->job->measure;
    /* The wait for the first batch of all is wanted in any case; steps are counted where they are random. */
    return first || (measures && isnan(worker->job->constant_step)) ? DLQ_LANE_WAITS : DLQ_LANE_TIMES;
}

static void finish(const struct worker *worker, const struct dlq_lane_seat *seat)
{
    const struct dlq_job *job = worker->job;
    for (long l = 0; l < worker->count; l++)
        dlq_lane_seat_outcome(seat, worker->draws, (size_t)l,
                              &job->outcomes[(size_t)(worker->replication + l) * job->count + seat->point]);
}

static void advance_piece(const struct worker *worker, const struct team *team, size_t at, size_t n)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_lane_kernel *kernel = job->kernels[team->seats[0]->point];
    const struct dlq_lane_block block = dlq_lane_draws_block(worker->draws, at);
    enum dlq_lane_measure measure = measure_of(worker, team);
    (*kernel->sets[job->set])[team->states[0]->variant](team->states, team->count, &block, n, measure, worker->records);
    for (size_t q = 0; q < team->count; q++) {
        struct dlq_lane_seat *seat = team->seats[q];
        if (dlq_lane_tally_complete(&seat->tally))
            continue;
        if (measure == DLQ_LANE_SERIES && dlq_lane_tally_measures(&seat->tally))
            dlq_lane_seat_keep(seat, &block, &worker->records[q], n, (size_t)worker->count,
                               job->keep_series && worker->replication == 0);
        dlq_lane_tally_after(&seat->tally, &seat->state, block.steps, (long)n);
        if (dlq_lane_tally_complete(&seat->tally))
            finish(worker, seat);
    }
}

static void advance_team(const struct worker *worker, const struct team *team)
{
    for (size_t at = 0; at < worker->job->block && !complete(team);) {
        size_t n = prepare_piece(worker, team, worker->job->block - at);
        advance_piece(worker, team, at, n);
        at += n;
    }
}

static bool fits(const struct dlq_job *job, const struct team *team, const struct dlq_lane_seat *seat)
{
    if (team->count == 0)
        return true;
    const struct dlq_lane_seat *first = team->seats[0];
    const struct dlq_lane_kernel *kernel = job->kernels[first->point];
    return job->kernels[seat->point] == kernel && team->count < kernel->most &&
           seat->state.variant == first->state.variant &&
           job->points[seat->point].epoch == job->points[first->point].epoch;
}

/* The members from `first` on that advance together. */
static struct team team_of(const struct worker *worker, size_t first)
{
    struct team team = {.count = 0};
    for (size_t m = first; m < worker->member_count && team.count < TOGETHER; m++) {
        struct dlq_lane_seat *seat = &worker->seats[worker->members[m]];
        if (!fits(worker->job, &team, seat))
            break;
        team.seats[team.count] = seat;
        team.states[team.count++] = &seat->state;
    }
    return team;
}

/* -- a unit: the lanes of a wave, for a part of the points -- */

static long waves_of(const struct dlq_job *job)
{
    return (job->last - job->first + DLQ_LANES - 1) / DLQ_LANES;
}

static long units(const struct dlq_job *job)
{
    return waves_of(job) * job->parts;
}

static enum dlq_status seat_members(struct worker *worker, long part)
{
    const struct dlq_job *job = worker->job;
    size_t active = 0;
    size_t seen = 0;
    for (size_t i = 0; i < job->count; i++)
        active += job->active[i];
    size_t first = active * (size_t)part / (size_t)job->parts;
    size_t last = active * (size_t)(part + 1) / (size_t)job->parts;
    worker->member_count = 0;
    for (size_t i = 0; i < job->count; i++) {
        if (!job->active[i])
            continue;
        if (seen >= first && seen < last)
            worker->members[worker->member_count++] = i;
        seen++;
    }
    for (size_t m = 0; m < worker->member_count; m++) {
        struct dlq_lane_seat *seat = &worker->seats[worker->members[m]];
        if (!dlq_lane_seat_take(seat, job, worker->members[m]))
            return DLQ_FAILURE;
        dlq_lane_seat_reset(seat);
    }
    return DLQ_OK;
}

static enum dlq_status perform(void *argument, long unit)
{
    struct worker *worker = argument;
    struct dlq_job *job = worker->job;
    worker->replication = job->first + unit / job->parts * DLQ_LANES;
    worker->count = job->last - worker->replication < DLQ_LANES ? job->last - worker->replication : DLQ_LANES;
    enum dlq_status status = seat_members(worker, unit % job->parts);
    if (status != DLQ_OK)
        return status;
    dlq_lane_draws_start(worker->draws, worker->replication);
    for (bool busy = true; busy; dlq_lane_draws_next(worker->draws)) {
        busy = false;
        for (size_t m = 0; m < worker->member_count;) {
            struct team team = team_of(worker, m);
            if (dlq_job_is_interrupted(job))
                return DLQ_INTERRUPTED;
            advance_team(worker, &team);
            busy = busy || !complete(&team);
            m += team.count;
        }
    }
    if (job->run->progress != NULL && worker->replication < DLQ_WAVE)
        atomic_fetch_add(&job->run->progress->done, worker->count * (long)worker->member_count);
    return DLQ_OK;
}

static const struct dlq_histogram *waits(const void *argument, size_t point)
{
    const struct worker *worker = argument;
    return worker->seats[point].taken && worker->seats[point].waits.bins != NULL ? &worker->seats[point].waits : NULL;
}

static const double *series(const void *argument, size_t point, size_t *n)
{
    const struct worker *worker = argument;
    *n = (size_t)worker->seats[point].series_count;
    return *n > 0 ? worker->seats[point].series : NULL;
}

const struct dlq_engine dlq_lane_engine = {
    .lay_out = dlq_lane_draws_lay_out,
    .new = worker_new,
    .free = worker_free,
    .units = units,
    .perform = perform,
    .waits = waits,
    .series = series,
};
