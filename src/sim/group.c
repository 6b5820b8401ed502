/* The step of all ranks, and the kernel that simulates one replication with it. */
#include "sim/group.h"

#include "sim/events.h"
#include "sim/measure.h"

struct dlq_group {
    const struct dlq_point *point;
    struct dlq_point slow; /* the point of the slow ranks */
    struct dlq_loading **ranks;
    double *received; /* of each rank: G of the current step */
    double *phase;    /* scratch, per server */
    double ended;     /* F of the previous step */
};

enum dlq_status dlq_group_begin(struct dlq_arena *arena, const struct dlq_point *point, struct dlq_group **result)
{
    struct dlq_group *group;
    NEW(arena, group, 1);
    group->point = point;
    group->slow = *point;
    group->slow.load_scale *= point->slow_factor;
    group->slow.load_mean *= point->slow_factor;
    NEW(arena, group->received, (size_t)point->ranks);
    NEW(arena, group->phase, (size_t)point->servers);
    group->ranks = dlq_arena_take(arena, (size_t)point->ranks, sizeof(struct dlq_loading *));
    if (group->ranks == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    for (long r = 0; r < point->ranks; r++) {
        TRY(dlq_loading_begin(arena, r < point->slow_ranks ? &group->slow : point, &group->ranks[r]));
        if (point->slowdowns != NULL)
            TRY(dlq_calendar_begin(arena, point, r, &group->ranks[r]->calendar));
    }
    *result = group;
    return DLQ_OK;
}

void dlq_group_reset(struct dlq_group *group)
{
    group->ended = 0;
    for (long r = 0; r < group->point->ranks; r++)
        dlq_loading_reset(group->ranks[r]);
}

void dlq_group_forget_slowdown(struct dlq_group *group)
{
    for (long r = 0; r < group->point->ranks; r++)
        dlq_loading_forget_slowdown(group->ranks[r]);
}

void dlq_group_slow(struct dlq_group *group, uint64_t seed, uint32_t replication)
{
    for (long r = 0; group->point->slowdowns != NULL && r < group->point->ranks; r++)
        dlq_calendar_start(group->ranks[r]->calendar, seed, replication);
}

bool dlq_group_failed(const struct dlq_group *group)
{
    bool failed = false;
    for (long r = 0; group->point->slowdowns != NULL && r < group->point->ranks; r++)
        failed = failed || dlq_calendar_failed(group->ranks[r]->calendar);
    return failed;
}

void dlq_group_log(struct dlq_group *group, struct dlq_kernel_log *logs)
{
    for (long r = 0; r < group->point->ranks; r++)
        group->ranks[r]->log = &logs[r];
}

const double *dlq_group_received(const struct dlq_group *group)
{
    return group->received;
}

void dlq_group_epoch(struct dlq_group *group, double ready, const double *shares, size_t stride, long batches)
{
    for (long r = 0; r < group->point->ranks; r++) {
        const struct dlq_point *point = group->ranks[r]->point;
        for (long w = 0; w < point->servers; w++)
            group->phase[w] = shares == NULL ? 0 : shares[(size_t)r * stride + (size_t)w] * point->load_mean;
        dlq_loading_epoch(group->ranks[r], ready, group->phase, batches);
    }
}

/* Rank r receives its batch at G^r_i = max(F_{i-1}, D^r_i + e) + c and dispatches its next batch then. The step begins
   when the last rank has received: F_i = max_r G^r_i + b + T_i + the extras of step i. The part of a step that needs a
   core comes last, before the pause, on the cores of each rank. */
void dlq_group_advance(struct dlq_group *group, const struct dlq_block *block, size_t first, size_t n,
                       double *delivered, double *finished)
{
    const struct dlq_point *point = group->point;
    const size_t count = (size_t)point->ranks;
    const bool at_request = dlq_point_at_request(point);
    double ended = group->ended;
    for (size_t i = 0; i < n; i++) {
        const double *draw = block->steps + first + i;
        const double step = *draw * point->step_scale, extra = block->extras > 0 ? draw[block->extras] : 0;
        double latest = 0;
        for (size_t r = 0; r < count; r++) {
            const size_t load = r * block->rank_stride + first + i;
            double ready = dlq_loading_next(group->ranks[r], block, load, ended);
            double begin = dlq_larger(ended, ready) + point->receive * (1 - point->receive_cpu);
            if (point->receive_cpu > 0)
                begin = dlq_loading_work(group->ranks[r], begin, point->receive * point->receive_cpu);
            group->received[r] = begin;
            latest = r == 0 ? begin : dlq_larger(latest, begin);
            if (!at_request)
                dlq_loading_deliver(group->ranks[r], block, load, begin, begin);
        }
        delivered[i] = latest + point->barrier;
        const double pause = point->step_cpu > 0 && block->extras > 0 ? draw[block->pauses] : 0;
        const bool partly = block->on_cores != NULL && point->step_cpu > 0;
        const double work = partly ? block->on_cores[first + i] * point->step_scale : step * point->step_cpu;
        const double begin = ended =
            delivered[i] + ((partly ? step - work : step * (1 - point->step_cpu)) + (extra - pause));
        for (size_t r = 0; r < count && point->step_cpu > 0; r++)
            ended = dlq_larger(ended, dlq_loading_work(group->ranks[r], begin, work));
        finished[i] = ended += pause;
        for (size_t r = 0; r < count && at_request; r++)
            dlq_loading_deliver(group->ranks[r], block, r * block->rank_stride + first + i, group->received[r], ended);
    }
    group->ended = ended;
}

void dlq_group_slowdown(const struct dlq_group *group, double *cpu, double *storage)
{
    const bool shares = group->point->discipline == DLQ_DEPENDENT;
    *cpu = *storage = shares ? 0 : NAN;
    for (long r = 0; shares && r < group->point->ranks; r++) {
        *cpu += dlq_loading_slowdown(group->ranks[r], DLQ_USES_CPU) / (double)group->point->ranks;
        *storage += dlq_loading_slowdown(group->ranks[r], DLQ_USES_STORAGE) / (double)group->point->ranks;
    }
}

/* -- the kernel of one lane -- */

static void epoch(struct dlq_lane_state *state, const double *ready, const double *shares, size_t stride, long batches)
{
    dlq_group_epoch(state->group, ready[0], shares, stride, batches);
}

static void advance(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                    enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const struct dlq_point *point = state->point;
    const bool series = measure == DLQ_LANE_SERIES;
    /* Step by step, as mean slowdowns must not include steps after the one that the horizon cuts. */
    const size_t most = isfinite(state->horizon) && point->discipline == DLQ_DEPENDENT ? 1 : DLQ_BLOCK;
    double delivered[DLQ_BLOCK], finished[DLQ_BLOCK];
    struct dlq_block lane = *block;
    size_t passed = 0;
    lane.slack = series && dlq_gives_slack(point->discipline) && point->ranks == 1 ? record.slack : NULL;
    for (size_t at = 0, piece; at < n && passed == at; at += piece) {
        piece = n - at < most ? n - at : most;
        dlq_group_advance(state->group, &lane, at, piece, delivered, finished);
        passed += dlq_tally_add(state, delivered, finished, lane.steps + at, piece, series ? record.waits + at : NULL);
    }
}

static const dlq_lane_advances advances = {advance};

const struct dlq_lane_kernel dlq_one_replication = {
    .name = "one replication",
    .effort = 25, /* measured by the bench's group "kernels" */
    .ahead = dlq_loading_ahead,
    .epoch = epoch,
    .sets = {&advances, &advances, &advances},
};
