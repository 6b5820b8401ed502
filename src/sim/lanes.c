/* Which kernel simulates a point in lanes, the memory of its state, and the start of an epoch. */
#include "sim/lanes.h"

#include "sim/calendar.h"
#include "sim/group.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

/* Beyond these sizes one replication at a time is faster than vectors, which visit all batches or servers in each step.
   QUEUE_DEPTH, IN_QUEUES: batches in one loader's queue, and in all queues, of vector_owner.c. QUEUES: loaders of
   vector_queues.c. SERVERS: loaders of vector_shared.c and vector_pinned.c; IN_FLIGHT: the window, where these visit
   each batch, too. VISITED: stages times loaders of vector_staged.c. WINDOW, ROWS: limits of memory, of one rank and of
   all ranks. */
enum {
    MOST_QUEUE_DEPTH = DLQ_LANE_VARIANTS,
    MOST_IN_QUEUES = 1024,
    MOST_QUEUES = 256,
    MOST_SERVERS = 256,
    MOST_IN_FLIGHT = 512,
    MOST_VISITED = 256,
    MOST_WINDOW = 1 << 14,
    MOST_ROWS = 1 << 21
};
/* A pool of more servers keeps a tree of times instead of sorted rows. */
enum { MOST_SORTED = 128 };

/* -- which points a kernel can simulate -- */

enum {
    CAN_ONE_RANK = 1 << 0,
    CAN_RANKS = 1 << 1,
    CAN_SLOW_SERVERS = 1 << 2,
    CAN_START_APART = 1 << 3, /* loaders that do not start together */
    CAN_REQUEST = 1 << 4,     /* release at request */
    CAN_SLOWDOWNS = 1 << 5,
    CAN_TIES = 1 << 6, /* loads that may end at the same time */
    CAN_TICKS = 1 << 7,
    CAN_HORIZON = 1 << 8
};

static bool servers_are_alike(const struct dlq_point *point)
{
    return point->slow_servers == 0 || point->slow_factor == 1;
}

static bool has_even_queues(const struct dlq_point *point)
{
    return !dlq_point_is_pool(point) && point->window % point->servers == 0;
}

static bool has_short_queues(const struct dlq_point *point)
{
    return has_even_queues(point) && point->window <= MOST_IN_QUEUES &&
           point->window <= MOST_QUEUE_DEPTH * point->servers;
}

static bool has_few_queues(const struct dlq_point *point)
{
    return has_even_queues(point) && point->servers <= MOST_QUEUES && 2 * point->window < MOST_ROWS / point->ranks;
}

static bool has_few_in_turn(const struct dlq_point *point)
{
    bool in_turn = point->loader->assign == DLQ_ASSIGN_ROUND_ROBIN || point->loader->assign == DLQ_ASSIGN_SINGLE;
    return in_turn && point->loader->order == DLQ_ORDER_INDEX && point->servers <= MOST_SERVERS &&
           2 * point->window < MOST_ROWS / point->ranks;
}

/* Whether the speed of loads can change while a batch is on its way to a loader or to the trainer. */
static bool has_latency(const struct dlq_point *point)
{
    return point->dispatch > 0 || point->deliver > 0;
}

static bool shares_in_one_stage(const struct dlq_point *point)
{
    return has_few_in_turn(point) && point->stages == 1 && point->uses[0] != DLQ_USES_NOTHING && point->pin == 0 &&
           point->resolution == 0 && (!has_latency(point) || point->window <= MOST_IN_FLIGHT);
}

/* Each stage has rows of draws and of state, which limits their number. Only events.c simulates contention here. */
static bool shares_in_stages(const struct dlq_point *point)
{
    const long stages = (long)point->stages;
    return has_few_in_turn(point) && point->pin == 0 && point->resolution == 0 && point->cores.contention == 0 &&
           point->servers * stages <= MOST_VISITED && point->window * stages < MOST_ROWS / 8 / point->ranks;
}

static bool only_pins(const struct dlq_point *point)
{
    return has_few_in_turn(point) && point->pin > 0 && point->window <= MOST_IN_FLIGHT &&
           isinf(point->cores.capacity) && point->cores.contention == 0 && isinf(point->bandwidth.capacity);
}

/* -- rows of the state -- */

/* With an unbounded window all credits are alike. */
static long credit_places(const struct dlq_point *point)
{
    return point->window == DLQ_UNBOUNDED ? 1 : point->window + dlq_point_at_request(point);
}

static void shape_tree(struct dlq_lane_state *state)
{
    if (state->server_rows <= MOST_SORTED)
        return;
    for (long room = DLQ_TREE_FAN; room < state->server_rows; room *= DLQ_TREE_FAN)
        state->tree_leaves = DLQ_TREE_FAN * state->tree_leaves + 1;
    state->tree_blocks = state->tree_leaves + (state->server_rows - 1) / DLQ_TREE_FAN + 1;
}

/* buffer: the ranks share two rows for each place. */
static void shape_in_order(struct dlq_lane_state *state)
{
    state->places = credit_places(state->point);
    state->server_rows = state->point->servers;
    if (state->point->discipline == DLQ_RELAY)
        state->slots = state->point->prefetch;
    else if (state->point->ranks > 1)
        state->slots = 2 * state->places;
    if (state->point->discipline != DLQ_ROUND_ROBIN)
        shape_tree(state);
}

/* Servers beyond the window, or beyond the batches of an epoch, never load. */
static long servers_that_load(const struct dlq_point *point)
{
    long servers = point->window == DLQ_UNBOUNDED ? point->servers : dlq_least(point->servers, credit_places(point));
    return point->epoch > 0 ? dlq_least(servers, point->epoch) : servers;
}

static void shape_completion(struct dlq_lane_state *state)
{
    state->places = state->slots = credit_places(state->point);
    state->server_rows = servers_that_load(state->point);
    shape_tree(state);
}

static void shape_owner(struct dlq_lane_state *state)
{
    state->places = 1;
    state->slots = state->each = state->point->window / state->point->servers;
    state->server_rows = state->point->window;
    state->variant = (int)state->slots - 1;
}

/* Two rows for each batch: when the batch is done, and its key. */
static void shape_queues(struct dlq_lane_state *state)
{
    state->places = 1;
    state->slots = state->point->window / state->point->servers;
    state->server_rows = 2 * state->point->window;
}

/* buffer: a row for each step of a block, the longest load of all ranks. */
static void shape_serial(struct dlq_lane_state *state)
{
    state->slots = DLQ_BLOCK;
}

/* Two rows for each place, and one for the pinning thread. */
static void shape_pinned(struct dlq_lane_state *state)
{
    state->server_rows = state->point->servers;
    state->places = 2 * state->point->window + 1;
}

static void shape_shared(struct dlq_lane_state *state)
{
    state->server_rows = DLQ_SHARED_REGISTERS + state->point->servers;
    state->places = state->point->window * (has_latency(state->point) ? 2 : 1);
}

static void shape_staged(struct dlq_lane_state *state)
{
    state->server_rows = dlq_staged_doubles(state->point);
}

static size_t servers_ahead(const struct dlq_point *point)
{
    return (size_t)servers_that_load(point);
}

static size_t window_ahead(const struct dlq_point *point)
{
    return (size_t)point->window;
}

/* The paces of 0, 1, .. servers loads that share cores in lanes, computed once. */
static enum dlq_status tabulate_paces(struct dlq_arena *arena, struct dlq_lane_state *state)
{
    const struct dlq_point *point = state->point;
    NEW(arena, state->paces, (size_t)point->servers + 1);
    for (long n = 0; n <= point->servers; n++)
        state->paces[n] = dlq_pace_at(&point->cores, (double)n * point->demand[0]);
    return DLQ_OK;
}

/* -- the start of an epoch -- */

static void copy_row(double *rows, long count, const double *row)
{
    for (long i = 0; i < count; i++)
        memcpy(rows + i * DLQ_LANES, row, DLQ_LANES * sizeof *row);
}

static void epoch_rows(struct dlq_lane_state *state, const double *ready, const double *shares, size_t stride,
                       long batches)
{
    const struct dlq_point *point = state->point;
    copy_row(state->servers, point->ranks * (state->server_rows + state->places), ready);
    for (long rank = 0; shares != NULL && rank < point->ranks; rank++) {
        const double *share = shares + rank * (long)stride * DLQ_LANES;
        const double scale = dlq_load_scale(point, rank);
        double *rows = dlq_rank_rows(state, rank);
        for (long i = 0; i < point->servers * DLQ_LANES; i++)
            rows[i / DLQ_LANES * state->each * DLQ_LANES + i % DLQ_LANES] += share[i] * scale;
    }
    for (long l = 0; l < DLQ_LANES && shares != NULL && dlq_point_is_pool(point); l++) {
        double column[DLQ_MOST_LOADERS]; /* the times of a pool are kept in ascending order */
        for (long w = 0; w < state->server_rows; w++)
            column[w] = state->servers[w * DLQ_LANES + l];
        qsort(column, (size_t)state->server_rows, sizeof *column, dlq_ascending);
        for (long w = 0; w < state->server_rows; w++)
            state->servers[w * DLQ_LANES + l] = column[w];
    }
    copy_row(state->buffer, point->discipline == DLQ_RELAY ? state->slots + 1 : 0, ready); /* + 1: moved */
    state->place = state->server = state->dispatched = 0;
    /* With a queue for each loader this is 0, as server_rows is a multiple of slots. */
    state->slot = point->discipline == DLQ_COMPLETION ? state->server_rows % state->slots : 0;
    state->batches = batches;
}

static void epoch_shared(struct dlq_lane_state *state, const double *ready, const double *shares, size_t stride,
                         long batches)
{
    (void)shares, (void)stride;
    state->dispatched = 0;
    state->batches = batches;
    for (long rank = 0; rank < state->point->ranks; rank++) {
        double *rows = dlq_rank_rows(state, rank);
        memset(rows, 0, DLQ_SHARED_EXCESS * DLQ_LANES * sizeof *rows);
        memset(rows + DLQ_SHARED_REGISTERS * DLQ_LANES, 0, (size_t)state->point->servers * DLQ_LANES * sizeof *rows);
        for (int l = 0; l < DLQ_LANES; l++) {
            rows[DLQ_SHARED_RATE * DLQ_LANES + l] = 1;
            rows[DLQ_SHARED_NOW * DLQ_LANES + l] = ready[l] + state->point->dispatch;
        }
    }
}

static void epoch_staged(struct dlq_lane_state *state, const double *ready, const double *shares, size_t stride,
                         long batches)
{
    (void)shares, (void)stride;
    const struct dlq_point *point = state->point;
    state->dispatched = 0;
    state->batches = batches;
    for (long i = 0; i < point->ranks * DLQ_LANES; i++) {
        const long lane = i / point->ranks;
        const struct dlq_staged_rank rank = dlq_staged_rank_of(state, i % point->ranks, lane);
        for (int use = 0; use < DLQ_STAGED_RESOURCES; use++) {
            struct dlq_staged_resource *resource = &rank.resources[use];
            *resource = (struct dlq_staged_resource){.slope = {.rate = 1, .natural = true},
                                                     .left_at = -1,
                                                     .work = resource->work,
                                                     .spent = resource->spent,
                                                     .since = ready[lane] + point->dispatch,
                                                     .first = NEVER,
                                                     .next = NEVER};
        }
        for (double *end = rank.ends; end < (double *)(void *)rank.resources; end++)
            *end = NEVER;
        for (long w = 0; w < point->servers; w++) {
            rank.numbers[w] = w;
            rank.places[w] = w % point->window;
        }
    }
}

/* The work that the loads of a rank have done (s at full speed), and how much longer they took (s). */
static void find_excess(const struct dlq_lane_state *state, const double *rows, double *work, double *excess)
{
    const double passed = rows[DLQ_SHARED_NOW * DLQ_LANES] - rows[DLQ_SHARED_REAL * DLQ_LANES];
    const double rate = rows[DLQ_SHARED_RATE * DLQ_LANES];
    const double clock = rows[DLQ_SHARED_CLOCK * DLQ_LANES] + passed * rate;
    *work = rows[DLQ_SHARED_WORK * DLQ_LANES];
    *excess = rows[DLQ_SHARED_EXCESS * DLQ_LANES];
    *excess += rows[DLQ_SHARED_COUNT * DLQ_LANES] * passed * (1 - rate);
    for (long w = 0; w < state->point->servers; w++)
        *work -= fmax(0, rows[(DLQ_SHARED_REGISTERS + w) * DLQ_LANES] - clock);
}

void dlq_lane_forget_slowdown(struct dlq_lane_state *state, const struct dlq_lane_kernel *kernel)
{
    if (state->group != NULL)
        dlq_group_forget_slowdown(state->group);
    for (long i = 0; kernel->epoch == epoch_shared && i < state->point->ranks * DLQ_LANES; i++) {
        double *rows = dlq_rank_rows(state, i / DLQ_LANES) + i % DLQ_LANES, work, excess;
        find_excess(state, rows, &work, &excess);
        rows[DLQ_SHARED_WORK * DLQ_LANES] -= work;
        rows[DLQ_SHARED_EXCESS * DLQ_LANES] -= excess;
    }
    for (long i = 0; kernel->epoch == epoch_staged && i < state->point->ranks * DLQ_LANES; i++) {
        const struct dlq_staged_rank rank = dlq_staged_rank_of(state, i / DLQ_LANES, i % DLQ_LANES);
        for (int use = 0; use < DLQ_STAGED_RESOURCES; use++)
            rank.resources[use].work = rank.resources[use].spent = 0;
    }
}

void dlq_lane_slowdown(const struct dlq_lane_state *state, const struct dlq_lane_kernel *kernel, size_t lane,
                       double *cpu, double *storage)
{
    double *const means[] = {NULL, cpu, storage};
    const double ranks = (double)state->point->ranks;
    *cpu = *storage = NAN;
    if (state->group != NULL)
        dlq_group_slowdown(state->group, cpu, storage);
    if (kernel->epoch == epoch_shared) {
        double *mean = means[state->point->uses[0]];
        *mean = 0;
        /* Until the last batch arrived at its loader: actual time / work. */
        for (long rank = 0; rank < state->point->ranks; rank++) {
            double work, excess;
            find_excess(state, dlq_rank_rows(state, rank) + lane, &work, &excess);
            *mean += (1 + excess / work) / ranks;
        }
    }
    for (int use = 1; kernel->epoch == epoch_staged && use < 3; use++) {
        *means[use] = 0;
        for (long rank = 0; rank < state->point->ranks; rank++) {
            const struct dlq_staged_resource *resource = &dlq_staged_rank_of(state, rank, (long)lane).resources[use];
            *means[use] += resource->spent / resource->work / ranks;
        }
    }
    for (size_t k = 0; kernel->shape == shape_pinned && k < state->point->stages; k++)
        if (state->point->uses[k] != DLQ_USES_NOTHING)
            *means[state->point->uses[k]] = 1;
}

/* -- the kernels; the first that can simulate a point does -- */

#define KERNEL(title, kind, source, rows, start, ...)                                                                  \
    {                                                                                                                  \
        .name = (title), .discipline = DLQ_##kind, .shape = (rows), .epoch = (start), .sets = DLQ_SETS(&dlq_##source), \
        __VA_ARGS__                                                                                                    \
    }

static const struct dlq_lane_kernel kernels[] = {
    KERNEL("round-robin", ROUND_ROBIN, round_robin, shape_in_order, epoch_rows, .effort = 1,
           .can =
               CAN_ONE_RANK | CAN_SLOW_SERVERS | CAN_START_APART | CAN_SLOWDOWNS | CAN_TIES | CAN_TICKS | CAN_HORIZON),
    KERNEL("pool by completion", COMPLETION, pool, shape_completion, epoch_rows, .effort = 1, .ahead = servers_ahead,
           .variant = DLQ_BY_COMPLETION, .accepts = dlq_point_is_pool,
           .can = CAN_ONE_RANK | CAN_REQUEST | CAN_TIES | CAN_TICKS | CAN_HORIZON),
    KERNEL("pool in order", POOL, pool, shape_in_order, epoch_rows, .effort = 1, .variant = DLQ_IN_ORDER,
           .can = CAN_ONE_RANK | CAN_START_APART | CAN_REQUEST | CAN_TIES | CAN_TICKS | CAN_HORIZON),
    KERNEL("relay", RELAY, pool, shape_in_order, epoch_rows, .effort = 1, .variant = DLQ_RELAYED,
           .can = CAN_ONE_RANK | CAN_START_APART | CAN_REQUEST | CAN_TIES | CAN_TICKS | CAN_HORIZON),
    KERNEL("ranks", ROUND_ROBIN, ranks, shape_in_order, epoch_rows, .effort = 1,
           .can = CAN_RANKS | CAN_SLOW_SERVERS | CAN_SLOWDOWNS | CAN_TIES),
    KERNEL("serial", SERIAL, serial, shape_serial, epoch_rows, .effort = 1,
           .can = CAN_ONE_RANK | CAN_RANKS | CAN_SLOW_SERVERS | CAN_START_APART | CAN_REQUEST | CAN_TIES),
    KERNEL("owner", COMPLETION, owner, shape_owner, epoch_rows, .effort = 1, .ahead = window_ahead,
           .accepts = has_short_queues, .can = CAN_ONE_RANK | CAN_START_APART | CAN_HORIZON),
    KERNEL("owner ranks", COMPLETION, owner, shape_owner, epoch_rows, .effort = 25, .ahead = window_ahead,
           .accepts = has_short_queues, .can = CAN_RANKS | CAN_HORIZON),
    KERNEL("shared", DEPENDENT, shared, shape_shared, epoch_shared, .effort = 25, .ahead = window_ahead,
           .accepts = shares_in_one_stage, .can = CAN_ONE_RANK | CAN_RANKS | CAN_SLOW_SERVERS),
    KERNEL("staged", DEPENDENT, staged, shape_staged, epoch_staged, .effort = 25, .ahead = window_ahead,
           .by_stage = true, .accepts = shares_in_stages, .can = CAN_ONE_RANK | CAN_RANKS | CAN_SLOW_SERVERS),
    KERNEL("queues", COMPLETION, queues, shape_queues, epoch_rows, .effort = 25, .ahead = window_ahead,
           .accepts = has_few_queues,
           .can = CAN_ONE_RANK | CAN_RANKS | CAN_SLOW_SERVERS | CAN_START_APART | CAN_TIES | CAN_TICKS | CAN_HORIZON),
    KERNEL("pinned", DEPENDENT, pinned, shape_pinned, epoch_rows, .effort = 25, .ahead = window_ahead,
           .accepts = only_pins, .can = CAN_ONE_RANK | CAN_RANKS | CAN_SLOW_SERVERS | CAN_START_APART | CAN_HORIZON),
};

const struct dlq_lane_kernel *dlq_lane_kernel_for(const struct dlq_point *point, bool continuous, bool within)
{
    const unsigned needed =
        (point->ranks == 1 ? CAN_ONE_RANK : CAN_RANKS) | (servers_are_alike(point) ? 0 : CAN_SLOW_SERVERS) |
        (continuous && point->resolution == 0 ? 0 : CAN_TIES) |
        (point->start == DLQ_START_TOGETHER ? 0 : CAN_START_APART) | (dlq_point_at_request(point) ? CAN_REQUEST : 0) |
        (point->slowdowns == NULL ? 0 : CAN_SLOWDOWNS) | (point->resolution > 0 ? CAN_TICKS : 0) |
        (within ? CAN_HORIZON : 0);
    const bool boundless =
        within && point->window == DLQ_UNBOUNDED && point->discipline == DLQ_COMPLETION && dlq_point_is_pool(point);
    if (point->staged || point->samples > 0 || point->core_affinity > 0 || point->step_cpu > 0 ||
        point->receive_cpu > 0 || (point->resolution > 0 && !within))
        return NULL;
    if (!boundless && (point->window > MOST_WINDOW || point->window + point->servers > MOST_ROWS / point->ranks))
        return NULL;
    for (const struct dlq_lane_kernel *kernel = kernels; kernel < kernels + sizeof kernels / sizeof *kernels; kernel++)
        if (kernel->discipline == point->discipline && (kernel->can & needed) == needed &&
            (kernel->accepts == NULL || kernel->accepts(point)))
            return kernel;
    return NULL;
}

/* -- the state of a point -- */

enum dlq_status dlq_lane_rows(struct dlq_arena *arena, size_t count, size_t lanes, double **rows)
{
    const size_t row = DLQ_LANES * sizeof(double);
    NEW(arena, *rows, (count * lanes + DLQ_LANES - 1) / DLQ_LANES * DLQ_LANES + DLQ_LANES);
    *rows += (row - (uintptr_t)*rows % row) % row / sizeof **rows;
    return DLQ_OK;
}

enum dlq_status dlq_lane_state_begin(struct dlq_arena *arena, struct dlq_lane_state *state,
                                     const struct dlq_lane_kernel *kernel, const struct dlq_point *point,
                                     double constant_step)
{
    enum { SUMS = sizeof *state->sums / sizeof(double) / DLQ_LANES };
    double *rows;
    *state = (struct dlq_lane_state){.point = point,
                                     .step = constant_step * point->step_scale,
                                     .slots = 1,
                                     .each = 1,
                                     .variant = kernel->variant,
                                     .lanes = DLQ_LANES};
    state->plain = !isnan(constant_step) && point->extra_scale == 0 && point->slowdowns == NULL &&
                   servers_are_alike(point) && point->dispatch == 0 && point->deliver == 0 && point->receive == 0 &&
                   point->barrier == 0;
    if (kernel->shape != NULL)
        kernel->shape(state);
    const size_t of_ranks = (size_t)(point->ranks * (state->server_rows + state->places));
    const size_t others = (size_t)(state->slots + 1 + state->tree_blocks * DLQ_TREE_FAN);
    TRY(dlq_lane_rows(arena, SUMS + of_ranks + others, DLQ_LANES, &rows));
    state->sums = (struct dlq_lane_sums *)rows;
    state->servers = rows + SUMS * DLQ_LANES;
    state->credits = state->servers + state->server_rows * DLQ_LANES;
    state->buffer = state->servers + of_ranks * DLQ_LANES;
    state->moved = state->buffer + state->slots * DLQ_LANES;
    state->tree = state->moved + DLQ_LANES;
    if (kernel == &dlq_one_replication)
        return dlq_group_begin(arena, point, &state->group);
    if (kernel->shape == shape_shared && point->uses[0] == DLQ_USES_CPU && point->cores.contention > 0)
        TRY(tabulate_paces(arena, state));
    if (point->slowdowns == NULL)
        return DLQ_OK;
    const size_t lanes = (size_t)point->ranks * DLQ_LANES;
    state->calendars = dlq_arena_take(arena, lanes, sizeof(struct dlq_calendar *));
    if (state->calendars == NULL)
        return dlq_error_memory(arena->error, arena->doing);
    for (size_t i = 0; i < lanes; i++)
        TRY(dlq_calendar_begin(arena, point, (long)(i / DLQ_LANES), &state->calendars[i]));
    return dlq_lane_rows(arena, 2 * (size_t)(point->ranks * point->servers), DLQ_LANES, &state->steady);
}

void dlq_lane_slow(const struct dlq_lane_state *state, long rank, long server, long first, long count,
                   const double *start, const double *time, double *done)
{
    const long row = (rank * state->point->servers + server) * 2 * DLQ_LANES + first;
    double *until = state->steady + row, *speed = until + DLQ_LANES;
    for (long k = 0; k < count; k++) {
        struct dlq_calendar *calendar = state->calendars[rank * DLQ_LANES + first + k];
        if (done[k] <= until[k])
            continue;
        done[k] = dlq_calendar_end(calendar, server, start[k], &time[k], 0, 1);
        until[k] = dlq_calendar_steady_until(calendar, server, &speed[k]);
    }
}

bool dlq_lane_state_failed(const struct dlq_lane_state *state)
{
    bool failed = state->group != NULL && dlq_group_failed(state->group);
    for (long i = 0; state->calendars != NULL && i < state->point->ranks * DLQ_LANES; i++)
        failed = failed || dlq_calendar_failed(state->calendars[i]);
    return failed;
}

void dlq_lane_state_reset(struct dlq_lane_state *state, uint64_t seed, uint32_t replication)
{
    const long ranks = state->calendars != NULL ? state->point->ranks : 0;
    for (long i = 0; i < ranks * DLQ_LANES; i++)
        dlq_calendar_start(state->calendars[i], seed, replication + (uint32_t)(i % DLQ_LANES));
    for (long i = 0; i < ranks * state->point->servers * DLQ_LANES; i++)
        state->steady[i * 2] = state->steady[i * 2 + 1] = -INFINITY;
    *state->sums = (struct dlq_lane_sums){0};
    memset(state->servers, 0,
           (size_t)(state->point->ranks * (state->server_rows + state->places)) * DLQ_LANES * sizeof *state->servers);
    if (state->group != NULL) {
        dlq_group_slow(state->group, seed, replication);
        dlq_group_reset(state->group);
    }
}
