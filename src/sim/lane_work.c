#include "sim/lane_work.h"

#include "dist/sampler.h"
#include "dist/stream.h"
#include "sim/lane_tally.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Draws of all ranks that a block holds at most. */
enum { TOGETHER = 2, LOAD_BLOCKS = 4, MOST_DRAWS = 1 << 20 };

/* What a worker keeps of a point. */
struct seat {
    struct dlq_lane_state state;
    struct dlq_lane_tally tally;
    struct dlq_histogram waits;
    struct dlq_controls slack;
    bool begun;
    double *series; /* of replication 0 */
    long series_count;
};

struct worker {
    struct dlq_job *job;
    struct dlq_draws load, step;
    struct seat *seats;            /* per point */
    struct dlq_controls *controls; /* of loads and steps; points of one extent share them */
    size_t *control_of, control_count;
    long index; /* of the block's first step */
    double *loads, *steps, *phases, *phase_rows;
    struct dlq_lane_record records[TOGETHER];
    size_t rows, drawn, at;        /* loads of a rank: places, those filled, where the block begins */
    long replication, count;       /* the first lane's, and how many lanes count */
    size_t *members, member_count; /* points of the unit */
};

static void free_seat(struct seat *seat)
{
    if (!seat->begun)
        return;
    dlq_lane_state_free(&seat->state);
    dlq_histogram_free(&seat->waits);
    dlq_controls_free(&seat->slack);
    free(seat->series);
}

static void worker_free(void *argument)
{
    struct worker *worker = argument;
    if (worker == NULL)
        return;
    for (size_t i = 0; worker->seats != NULL && i < worker->job->count; i++)
        free_seat(&worker->seats[i]);
    for (size_t c = 0; c < worker->control_count; c++)
        dlq_controls_free(&worker->controls[c]);
    dlq_draws_free(&worker->load);
    dlq_draws_free(&worker->step);
    free(worker->controls);
    free(worker->control_of);
    free(worker->seats);
    free(worker->members);
    free(worker->loads);
    free(worker->steps);
    for (int q = 0; q < TOGETHER; q++) {
        free(worker->records[q].waits);
        free(worker->records[q].slack);
    }
    free(worker->phases);
    free(worker->phase_rows);
    free(worker);
}

static double *new_rows(size_t count)
{
    const size_t row = DLQ_LANES * sizeof(double);
    return aligned_alloc(row, count * row);
}

/* One for each extent and number of ranks that points have. */
static bool begin_controls(struct worker *worker)
{
    const struct dlq_job *job = worker->job;
    worker->controls = calloc(job->count, sizeof *worker->controls);
    worker->control_of = calloc(job->count, sizeof *worker->control_of);
    if (worker->controls == NULL || worker->control_of == NULL)
        return false;
    for (size_t i = 0; i < job->count; i++) {
        const struct dlq_extent *extent = &job->extents[i];
        size_t ranks = (size_t)job->points[i].ranks;
        size_t c = 0;
        while (c < worker->control_count &&
               (worker->controls[c].first != extent->warmup || worker->controls[c].batches != extent->batches ||
                worker->controls[c].ranks != ranks))
            c++;
        if (c == worker->control_count && !dlq_controls_begin(&worker->controls[worker->control_count++],
                                                              job->expectations, extent, DLQ_LANES, ranks))
            return false;
        worker->control_of[i] = c;
    }
    return true;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void lay_out(struct dlq_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct dlq_point *point = &job->points[i];
        job->ahead = larger(job->ahead, job->kernels[i]->ahead(point));
        job->ranks = larger(job->ranks, (size_t)point->ranks);
        job->servers = larger(job->servers, (size_t)point->servers);
    }
    size_t most = MOST_DRAWS / DLQ_LANES / job->ranks;
    job->block = most > DLQ_BLOCK ? DLQ_BLOCK : larger(most, 1);
}

static void *worker_new(struct dlq_job *job)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return NULL;
    worker->job = job;
    worker->rows = job->ahead > 0 ? LOAD_BLOCKS * job->block + 2 * job->ahead : job->block;
    worker->seats = calloc(job->count, sizeof *worker->seats);
    worker->members = calloc(job->count, sizeof *worker->members);
    worker->loads = new_rows(worker->rows * job->ranks);
    worker->steps = new_rows(DLQ_BLOCK);
    worker->phases = new_rows(job->servers);
    worker->phase_rows = new_rows(job->servers);
    bool enough = worker->seats != NULL && worker->members != NULL && worker->loads != NULL && worker->steps != NULL &&
                  worker->phases != NULL && worker->phase_rows != NULL;
    for (int q = 0; q < TOGETHER; q++) {
        worker->records[q] = (struct dlq_lane_record){new_rows(DLQ_BLOCK), new_rows(DLQ_BLOCK)};
        enough = enough && worker->records[q].waits != NULL && worker->records[q].slack != NULL;
    }
    if (enough && begin_controls(worker) &&
        dlq_draws_begin(&worker->load, &job->load, DLQ_LANES, job->ranks, NULL) == DLQ_OK &&
        dlq_draws_begin(&worker->step, &job->step, DLQ_LANES, 1, NULL) == DLQ_OK)
        return worker;
    worker_free(worker);
    return NULL;
}

/* -- draws -- */

/* Start phases, uniform on 0..1: server w's of lane l at [w][l]. */
static void draw_phases(struct worker *worker)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_lanes lanes = {
        .seed = job->seed,
        .replication = (uint32_t)worker->replication,
        .purpose = DLQ_PURPOSE_PHASE,
        .count = DLQ_LANES,
        .set = job->set,
    };
    dlq_fill_uniform(&lanes, 0, 0, job->servers, worker->phases);
}

/* The next block; loads that reach ahead stay until they are used. */
static void next_block(struct worker *worker)
{
    const size_t row = DLQ_LANES * sizeof(double);
    const size_t needed = worker->job->block + worker->job->ahead;
    const size_t kept = worker->drawn - worker->at;
    bool moves = worker->at + needed > worker->rows;
    size_t end = moves ? kept : worker->drawn;
    size_t fresh = kept < needed ? needed - kept : 0;
    for (size_t rank = 0; rank < worker->job->ranks; rank++) {
        double *loads = worker->loads + rank * worker->rows * DLQ_LANES;
        if (moves)
            memmove(loads, loads + worker->at * DLQ_LANES, kept * row);
        if (fresh > 0)
            dlq_draws_next(&worker->load, rank, fresh, loads + end * DLQ_LANES, NULL);
    }
    worker->at = moves ? 0 : worker->at;
    worker->drawn = end + fresh;
    dlq_draws_next(&worker->step, 0, worker->job->block, worker->steps, NULL);
}

static void add_controls(const struct worker *worker)
{
    for (size_t c = 0; c < worker->control_count; c++) {
        struct dlq_controls *controls = &worker->controls[c];
        for (size_t rank = 0; rank < controls->ranks; rank++)
            dlq_controls_add_loads(controls, rank, worker->index, worker->job->block,
                                   worker->loads + (rank * worker->rows + worker->at) * DLQ_LANES);
        dlq_controls_add_steps(controls, worker->index, worker->job->block, worker->steps);
    }
}

/* -- a point -- */

static bool wants_slack(const struct dlq_job *job, size_t point)
{
    return job->kernels[point]->gives_slack && dlq_job_wants_slack(job, &job->points[point]);
}

static enum dlq_status begin_seat(struct worker *worker, size_t point)
{
    const struct dlq_job *job = worker->job;
    struct seat *seat = &worker->seats[point];
    if (seat->begun)
        return DLQ_OK;
    if (dlq_lane_state_begin(&seat->state, job->kernels[point], &job->points[point], job->constant_step, NULL) !=
        DLQ_OK)
        return DLQ_FAILURE;
    seat->begun = true;
    seat->state.stall_above = dlq_stall_above(&job->points[point]);
    dlq_lane_tally_begin(&seat->tally, &job->points[point], &job->extents[point], job->constant_step);
    seat->series = job->keep_series ? calloc(DLQ_PERIOD_WAITS, sizeof *seat->series) : NULL;
    if (job->measure == DLQ_LANE_SERIES && !dlq_histogram_begin(&seat->waits, job->histogram_bits))
        return DLQ_FAILURE;
    if (wants_slack(job, point) &&
        !dlq_controls_begin(&seat->slack, job->expectations, &job->extents[point], DLQ_LANES, 1))
        return DLQ_FAILURE;
    dlq_controls_weigh(&seat->slack, &job->points[point]);
    return job->keep_series && seat->series == NULL ? DLQ_FAILURE : DLQ_OK;
}

/* Server w's phase at the very start; null: none. */
static const double *phases_of(const struct worker *worker, const struct dlq_point *point, bool first)
{
    if (!first || point->start == DLQ_START_TOGETHER)
        return NULL;
    for (long w = 0; w < point->servers; w++) {
        for (long l = 0; l < DLQ_LANES; l++) {
            double share = point->start == DLQ_START_STAGGERED ? (double)w / (double)point->servers
                                                               : worker->phases[w * DLQ_LANES + l];
            worker->phase_rows[w * DLQ_LANES + l] = share * point->load_scale;
        }
    }
    return worker->phase_rows;
}

static void begin_epoch(const struct worker *worker, size_t point)
{
    struct seat *seat = &worker->seats[point];
    const struct dlq_point *what = &worker->job->points[point];
    bool first = seat->tally.seen == 0;
    double startup = first || !what->persistent ? what->startup : 0;
    double ready[DLQ_LANES];
    for (int l = 0; l < DLQ_LANES; l++)
        ready[l] = seat->state.sums->end[l] + startup;
    worker->job->kernels[point]->epoch(&seat->state, ready, phases_of(worker, what, first),
                                       what->epoch > 0 ? what->epoch : LONG_MAX);
}

static void keep_rows(const struct worker *worker, size_t point, const struct dlq_lane_block *block,
                      const struct dlq_lane_record *record, size_t n)
{
    struct seat *seat = &worker->seats[point];
    size_t lanes = (size_t)worker->count;
    if (wants_slack(worker->job, point))
        dlq_controls_add_slack(&seat->slack, 0, seat->tally.seen, n, block->loads, record->slack,
                               worker->job->points[point].load_scale);
    if (lanes == DLQ_LANES)
        dlq_histogram_add(&seat->waits, record->waits, n * DLQ_LANES);
    for (size_t i = 0; lanes < DLQ_LANES && i < n; i++)
        dlq_histogram_add(&seat->waits, record->waits + i * DLQ_LANES, lanes);
    if (seat->series == NULL || worker->replication > 0)
        return;
    for (size_t i = 0; i < n && seat->series_count < DLQ_PERIOD_WAITS; i++)
        seat->series[seat->series_count++] = record->waits[i * DLQ_LANES];
}

static void finish(const struct worker *worker, size_t point)
{
    const struct dlq_job *job = worker->job;
    const struct seat *seat = &worker->seats[point];
    for (long l = 0; l < worker->count; l++) {
        struct dlq_outcome *outcome = &job->outcomes[(size_t)(worker->replication + l) * job->count + point];
        dlq_lane_tally_outcome(&seat->tally, &seat->state, (size_t)l, outcome);
        dlq_controls_get(&worker->controls[worker->control_of[point]], (size_t)l, outcome->controls);
        if (wants_slack(job, point))
            dlq_controls_get(&seat->slack, (size_t)l, outcome->controls);
    }
}

/* -- points that advance together -- */

struct team {
    struct seat *seats[TOGETHER];
    struct dlq_lane_state *states[TOGETHER];
    size_t points[TOGETHER], count;
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
            begin_epoch(worker, team->points[q]);
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

static void advance_piece(const struct worker *worker, const struct team *team, size_t at, size_t n)
{
    const struct dlq_job *job = worker->job;
    const struct dlq_lane_kernel *kernel = job->kernels[team->points[0]];
    struct dlq_lane_block block = {.loads = worker->loads + (worker->at + at) * DLQ_LANES,
                                   .steps = worker->steps + at * DLQ_LANES,
                                   .rank_stride = worker->rows * DLQ_LANES};
    enum dlq_lane_measure measure = measure_of(worker, team);
    (*kernel->sets[job->set])[team->states[0]->variant](team->states, team->count, &block, n, measure, worker->records);
    for (size_t q = 0; q < team->count; q++) {
        struct seat *seat = team->seats[q];
        if (dlq_lane_tally_complete(&seat->tally))
            continue;
        if (measure == DLQ_LANE_SERIES && dlq_lane_tally_measures(&seat->tally))
            keep_rows(worker, team->points[q], &block, &worker->records[q], n);
        dlq_lane_tally_after(&seat->tally, &seat->state, block.steps, (long)n);
        if (dlq_lane_tally_complete(&seat->tally))
            finish(worker, team->points[q]);
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

/* The members from `first` on that advance together. */
static struct team team_of(const struct worker *worker, size_t first)
{
    const struct dlq_job *job = worker->job;
    struct team team = {.count = 0};
    for (size_t m = first; m < worker->member_count && team.count < TOGETHER; m++) {
        size_t point = worker->members[m];
        struct seat *seat = &worker->seats[point];
        const struct dlq_lane_kernel *kernel = job->kernels[point];
        bool fits = team.count == 0 || (kernel == job->kernels[team.points[0]] && team.count < kernel->most &&
                                        seat->state.variant == team.states[0]->variant &&
                                        job->points[point].epoch == job->points[team.points[0]].epoch);
        if (!fits)
            break;
        team.seats[team.count] = seat;
        team.states[team.count] = &seat->state;
        team.points[team.count++] = point;
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
        struct seat *seat = &worker->seats[worker->members[m]];
        if (begin_seat(worker, worker->members[m]) != DLQ_OK)
            return DLQ_FAILURE;
        dlq_lane_state_reset(&seat->state);
        dlq_lane_tally_reset(&seat->tally);
        if (wants_slack(job, worker->members[m]))
            dlq_controls_reset(&seat->slack);
    }
    return DLQ_OK;
}

static bool interrupted(const struct dlq_job *job)
{
    return job->run->interrupted != NULL && *job->run->interrupted != 0;
}

static enum dlq_status perform(void *argument, long unit)
{
    struct worker *worker = argument;
    struct dlq_job *job = worker->job;
    worker->replication = job->first + unit / job->parts * DLQ_LANES;
    worker->count = job->last - worker->replication < DLQ_LANES ? job->last - worker->replication : DLQ_LANES;
    worker->at = worker->drawn = 0;
    worker->index = 0;
    for (size_t c = 0; c < worker->control_count; c++)
        dlq_controls_reset(&worker->controls[c]);
    enum dlq_status status = seat_members(worker, unit % job->parts);
    if (status != DLQ_OK)
        return status;
    dlq_draws_start(&worker->load, job->seed, (uint32_t)worker->replication);
    dlq_draws_start(&worker->step, job->seed, (uint32_t)worker->replication);
    if (job->random_start)
        draw_phases(worker);
    for (bool busy = true; busy; worker->at += job->block, worker->index += (long)job->block) {
        next_block(worker);
        add_controls(worker);
        busy = false;
        for (size_t m = 0; m < worker->member_count;) {
            struct team team = team_of(worker, m);
            if (interrupted(job))
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
    return worker->seats[point].begun && worker->seats[point].waits.bins != NULL ? &worker->seats[point].waits : NULL;
}

static const double *series(const void *argument, size_t point, size_t *n)
{
    const struct worker *worker = argument;
    *n = (size_t)worker->seats[point].series_count;
    return *n > 0 ? worker->seats[point].series : NULL;
}

const struct dlq_engine dlq_lane_engine = {
    .lay_out = lay_out,
    .new = worker_new,
    .free = worker_free,
    .units = units,
    .perform = perform,
    .waits = waits,
    .series = series,
};
