#include "sim/group.h"

#include "sim/calendar.h"
#include "sim/measure.h"
#include "sim/ranks_advance.h"

#include <stdlib.h>

struct dlq_group {
    struct dlq_ranks ranks;
    struct dlq_point slow;           /* the point as the slow ranks see it */
    double *phase;                   /* scratch, per server */
    struct dlq_calendar **calendars; /* of each rank; null: nothing is slowed */
    bool watched;
};

static const struct dlq_point *point_of(const struct dlq_group *group, long rank)
{
    return rank < group->ranks.point->slow_ranks ? &group->slow : group->ranks.point;
}

void dlq_group_free(struct dlq_group *group)
{
    if (group == NULL)
        return;
    for (long r = 0; group->calendars != NULL && r < group->ranks.point->ranks; r++)
        dlq_calendar_free(group->calendars[r]);
    for (long r = 0; group->ranks.states != NULL && r < group->ranks.point->ranks; r++)
        if (group->ranks.states[r] != NULL)
            group->ranks.point->kernel->free(group->ranks.states[r]);
    free(group->calendars);
    free(group->ranks.states);
    free(group->ranks.delivered);
    free(group->phase);
    free(group);
}

static bool allocate(struct dlq_group *group)
{
    const struct dlq_point *point = group->ranks.point;
    group->ranks.states = calloc((size_t)point->ranks, sizeof(void *));
    group->ranks.delivered = calloc((size_t)point->ranks, sizeof *group->ranks.delivered);
    group->phase = calloc((size_t)point->servers, sizeof *group->phase);
    if (group->ranks.states == NULL || group->ranks.delivered == NULL || group->phase == NULL)
        return false;
    for (long r = 0; r < point->ranks; r++)
        if ((group->ranks.states[r] = point->kernel->new (point_of(group, r))) == NULL)
            return false;
    if (point->slowdowns == NULL)
        return true;
    group->calendars = calloc((size_t)point->ranks, sizeof(struct dlq_calendar *));
    for (long r = 0; group->calendars != NULL && r < point->ranks; r++) {
        if ((group->calendars[r] = dlq_calendar_new(point, r)) == NULL)
            return false;
        point->kernel->slow(group->ranks.states[r], group->calendars[r]);
    }
    return group->calendars != NULL;
}

struct dlq_group *dlq_group_new(const struct dlq_point *point)
{
    struct dlq_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->ranks.point = point;
    group->slow = *point;
    group->slow.load_scale *= point->slow_factor;
    if (allocate(group))
        return group;
    dlq_group_free(group);
    return NULL;
}

void dlq_group_reset(struct dlq_group *group)
{
    group->ranks.ended = 0;
    for (long r = 0; group->ranks.point->kernel->reset != NULL && r < group->ranks.point->ranks; r++)
        group->ranks.point->kernel->reset(group->ranks.states[r]);
}

void dlq_group_slow(struct dlq_group *group, uint64_t seed, uint32_t replication)
{
    for (long r = 0; group->calendars != NULL && r < group->ranks.point->ranks; r++)
        dlq_calendar_start(group->calendars[r], seed, replication);
}

bool dlq_group_failed(const struct dlq_group *group)
{
    bool failed = false;
    for (long r = 0; group->calendars != NULL && r < group->ranks.point->ranks; r++)
        failed = failed || dlq_calendar_failed(group->calendars[r]);
    return failed;
}

void dlq_group_watch(struct dlq_group *group, struct dlq_kernel_log *logs)
{
    group->watched = true;
    for (long r = 0; r < group->ranks.point->ranks; r++)
        group->ranks.point->kernel->watch(group->ranks.states[r], &logs[r]);
}

const double *dlq_group_received(const struct dlq_group *group)
{
    return group->ranks.delivered;
}

void dlq_group_epoch(struct dlq_group *group, double ready, const double *shares, size_t stride, long batches)
{
    for (long r = 0; r < group->ranks.point->ranks; r++) {
        const struct dlq_point *point = point_of(group, r);
        for (long w = 0; w < point->servers; w++)
            group->phase[w] = shares == NULL ? 0 : shares[(size_t)r * stride + (size_t)w] * point->load_scale;
        point->kernel->epoch(group->ranks.states[r], ready, group->phase, batches);
    }
}

void dlq_group_advance(struct dlq_group *group, const struct dlq_block *block, size_t n, double *delivered,
                       double *finished)
{
    const struct dlq_point *point = group->ranks.point;
    if (point->step_cpu > 0 || point->receive_cpu > 0)
        point->kernel->on_cores(&group->ranks, block, n, delivered, finished);
    else if (group->watched)
        dlq_ranks_advance(&group->ranks, (size_t)point->ranks, block, n, delivered, finished,
                          point->kernel->watched.next, point->kernel->watched.deliver);
    else if (point->ranks == 1 && point->kernel->alone != NULL)
        point->kernel->alone(&group->ranks, block, n, delivered, finished);
    else
        dlq_ranks_advance(&group->ranks, (size_t)point->ranks, block, n, delivered, finished, point->kernel->next,
                          point->kernel->deliver);
}

void dlq_group_slowdown(const struct dlq_group *group, double *cpu, double *storage)
{
    const struct dlq_kernel *kernel = group->ranks.point->kernel;
    *cpu = *storage = kernel->slowdown != NULL ? 0 : NAN;
    for (long r = 0; kernel->slowdown != NULL && r < group->ranks.point->ranks; r++) {
        double own[2];
        kernel->slowdown(group->ranks.states[r], &own[0], &own[1]);
        *cpu += own[0] / (double)group->ranks.point->ranks;
        *storage += own[1] / (double)group->ranks.point->ranks;
    }
}

/* -- one replication as a lane of its own -- */

static size_t ahead(const struct dlq_point *point)
{
    return point->kernel->ahead(point);
}

/* The group keeps what there is to keep. */
static void shape(struct dlq_lane_state *state)
{
    (void)state;
}

static void epoch(struct dlq_lane_state *state, const double *ready, const struct dlq_lane_shares *shares, long batches)
{
    dlq_group_epoch(state->group, ready[0], shares->rows, shares->stride, batches);
}

struct dlq_block dlq_block_of(const struct dlq_lane_block *block, size_t at)
{
    struct dlq_block own = {
        .loads = block->loads + at,
        .steps = block->steps + at,
        .extras = block->extras > 0 ? block->steps + block->extras + at : NULL,
        .stride = block->rank_stride,
    };
    for (size_t k = 0; k < DLQ_MOST_STAGES && block->cumulative[k] != NULL; k++)
        own.cumulative[k] = block->cumulative[k] + at;
    return own;
}

static void advance(struct dlq_lane_state *const *states, size_t count, const struct dlq_lane_block *block, size_t n,
                    enum dlq_lane_measure measure, const struct dlq_lane_record *records)
{
    (void)count;
    struct dlq_lane_state *state = states[0];
    const struct dlq_point *point = state->point;
    const bool series = measure == DLQ_LANE_SERIES;
    /* The slowdown counts no step beyond the horizon but the one that it cuts. */
    const size_t most = isfinite(state->horizon) && point->kernel->slowdown != NULL ? 1 : DLQ_BLOCK;
    double delivered[DLQ_BLOCK], finished[DLQ_BLOCK];
    size_t passed = 0;
    for (size_t at = 0, piece; at < n && passed == at; at += piece) {
        piece = n - at < most ? n - at : most;
        struct dlq_block own = dlq_block_of(block, at);
        own.slack = series && point->kernel->gives_slack && point->ranks == 1 ? records->slack + at : NULL;
        dlq_group_advance(state->group, &own, piece, delivered, finished);
        passed += dlq_tally_add(state, delivered, finished, own.steps, piece, series ? records->waits + at : NULL);
    }
}

static const dlq_lane_advances advances = {advance};

const struct dlq_lane_kernel dlq_one_replication = {
    .name = "one replication",
    .most = 1,
    .effort = 25, /* bench, group kernels */
    .ahead = ahead,
    .shape = shape,
    .epoch = epoch,
    .sets = {&advances, &advances, &advances},
};
