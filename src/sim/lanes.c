#include "sim/lanes.h"

#include "sim/calendar.h"
#include "sim/group.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

/* Deeper queues, or more batches in all of them, cost more by vectors, which look at each, than batch by batch. */
enum { MOST_OWNED = 4, MOST_OWNED_IN_ALL = 1024 };
/* Memory: of one rank, and of all together. */
enum { MOST_WINDOW = 1 << 14, MOST_ROWS = 1 << 21 };
/* Where loads share each step may look at every loader; where latencies are to be added, or batches pinned, at all that
   is in flight. */
enum { MOST_WATCHED = 256, MOST_NOTED = 512 };
/* Of more loaders with queues that vectors search one replication at a time is faster. */
enum { MOST_QUEUES = 256 };
/* Of more servers a pool keeps a tree of times, and no sorted window. */
enum { MOST_SORTED = 128 };

DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_round_robin);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_pool);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_owner);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_queues);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_ranks);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_serial);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_pinned);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_shared);

/* -- which points a discipline takes -- */

/* What a point may ask of a row. SLOW: servers that are. STARTS: loaders that do not start together. TIES: loads that
   may take equally long. */
enum { ONE = 1, RANKS = 2, SLOW = 4, STARTS = 8, REQUEST = 16, SLOWDOWNS = 32, TIES = 64, TICKS = 128, HORIZON = 256 };

static bool alike(const struct dlq_point *point)
{
    return point->slow_servers == 0 || point->slow_factor == 1;
}

static bool owns_few(const struct dlq_point *point)
{
    return !dlq_point_is_pool(point) && point->window % point->servers == 0 && point->window <= MOST_OWNED_IN_ALL &&
           point->window <= MOST_OWNED * point->servers;
}

static bool has_few_queues(const struct dlq_point *point)
{
    return !dlq_point_is_pool(point) && point->window % point->servers == 0 && point->servers <= MOST_QUEUES &&
           2 * point->window < MOST_ROWS / point->ranks;
}

static bool watches_few(const struct dlq_point *point)
{
    bool in_turn = point->loader->assign == DLQ_ASSIGN_ROUND_ROBIN || point->loader->assign == DLQ_ASSIGN_SINGLE;
    return in_turn && point->loader->order == DLQ_ORDER_INDEX && point->servers <= MOST_WATCHED &&
           2 * point->window < MOST_ROWS / point->ranks;
}

/* Batches that are under way to the trainer, or to a loader, while the speed of others changes. */
static bool notes(const struct dlq_point *point)
{
    return point->dispatch > 0 || point->deliver > 0;
}

static bool shares_one_piece(const struct dlq_point *point)
{
    return watches_few(point) && point->stages == 1 && point->uses[0] != DLQ_USES_NOTHING && point->pin == 0 &&
           point->resolution == 0 && (!notes(point) || point->window <= MOST_NOTED);
}

/* By a serial thread, which nothing else slows. */
static bool pins(const struct dlq_point *point)
{
    return watches_few(point) && point->pin > 0 && point->window <= MOST_NOTED && isinf(point->cores) &&
           isinf(point->bandwidth);
}

/* -- how much memory; of an unbounded window nothing is kept -- */

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

/* Ranks share two rows for each place. */
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

/* Servers beyond the window, or beyond an epoch's batches, never load. */
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

/* When each batch is done, and its key. */
static void shape_queues(struct dlq_lane_state *state)
{
    state->places = 1;
    state->slots = state->point->window / state->point->servers;
    state->server_rows = 2 * state->point->window;
}

/* The latest of the ranks' loads of each step of a block. */
static void shape_serial(struct dlq_lane_state *state)
{
    state->slots = DLQ_BLOCK;
}

/* Two rows for each place, and when the thread is free. */
static void shape_pinned(struct dlq_lane_state *state)
{
    state->server_rows = state->point->servers;
    state->places = 2 * state->point->window + 1;
}

static void shape_shared(struct dlq_lane_state *state)
{
    state->server_rows = DLQ_SHARED_REGISTERS + state->point->servers;
    state->places = state->point->window * (notes(state->point) ? 2 : 1);
}

static size_t nothing_ahead(const struct dlq_point *point)
{
    (void)point;
    return 0;
}

static size_t servers_ahead(const struct dlq_point *point)
{
    return (size_t)servers_that_load(point);
}

static size_t window_ahead(const struct dlq_point *point)
{
    return (size_t)point->window;
}

/* -- how an epoch begins -- */

static void fill(double *rows, long count, const double *row)
{
    for (long i = 0; i < count; i++)
        memcpy(rows + i * DLQ_LANES, row, DLQ_LANES * sizeof *row);
}

static void epoch_rows(struct dlq_lane_state *state, const double *ready, const double *shares, size_t stride,
                       long batches)
{
    const struct dlq_point *point = state->point;
    const long rows = state->server_rows + state->places;
    fill(state->servers, point->ranks * rows, ready);
    for (long rank = 0; shares != NULL && rank < point->ranks; rank++) {
        const double *share = shares + rank * (long)stride * DLQ_LANES;
        const double scale = dlq_load_scale(point, rank);
        for (long i = 0; i < point->servers * DLQ_LANES; i++)
            state->servers[(rank * rows + i / DLQ_LANES * state->each) * DLQ_LANES + i % DLQ_LANES] += share[i] * scale;
    }
    for (long l = 0; l < DLQ_LANES && shares != NULL && dlq_point_is_pool(point); l++) {
        double column[DLQ_MOST_LOADERS]; /* a pool's window of free times is kept in ascending order */
        for (long w = 0; w < state->server_rows; w++)
            column[w] = state->servers[w * DLQ_LANES + l];
        qsort(column, (size_t)state->server_rows, sizeof *column, dlq_ascending);
        for (long w = 0; w < state->server_rows; w++)
            state->servers[w * DLQ_LANES + l] = column[w];
    }
    fill(state->buffer, point->discipline == DLQ_RELAY ? state->slots + 1 : 0, ready); /* and moved */
    state->place = state->server = state->dispatched = 0;
    /* Where each loader has a queue, server_rows is a multiple of slots: 0. */
    state->slot = point->discipline == DLQ_COMPLETION ? state->server_rows % state->slots : 0;
    state->batches = batches;
}

static void fill_with(double *rows, long count, double value)
{
    for (long i = 0; i < count * DLQ_LANES; i++)
        rows[i] = value;
}

static void epoch_shared(struct dlq_lane_state *state, const double *ready, const double *shares, size_t stride,
                         long batches)
{
    (void)shares, (void)stride;
    state->dispatched = 0;
    state->batches = batches;
    for (long rank = 0; rank < state->point->ranks; rank++) {
        double *rows = state->servers + rank * (state->server_rows + state->places) * DLQ_LANES;
        for (int i = 0; i < DLQ_SHARED_EXCESS; i++)
            fill_with(rows + i * DLQ_LANES, 1, i == DLQ_SHARED_RATE ? 1 : 0);
        for (int l = 0; l < DLQ_LANES; l++)
            rows[DLQ_SHARED_NOW * DLQ_LANES + l] = ready[l] + state->point->dispatch;
        fill_with(rows + DLQ_SHARED_REGISTERS * DLQ_LANES, state->point->servers, 0);
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
        /* Of what was done until the last batch could come to its loader: time over work. */
        for (long rank = 0; rank < state->point->ranks; rank++) {
            const double *rows = state->servers + rank * (state->server_rows + state->places) * DLQ_LANES + lane;
            const double passed = rows[DLQ_SHARED_NOW * DLQ_LANES] - rows[DLQ_SHARED_REAL * DLQ_LANES];
            const double rate = rows[DLQ_SHARED_RATE * DLQ_LANES];
            const double clock = rows[DLQ_SHARED_CLOCK * DLQ_LANES] + passed * rate;
            double work = rows[DLQ_SHARED_WORK * DLQ_LANES], excess = rows[DLQ_SHARED_EXCESS * DLQ_LANES];
            excess += rows[DLQ_SHARED_COUNT * DLQ_LANES] * passed * (1 - rate);
            for (long w = 0; w < state->point->servers; w++)
                work -= fmax(0, rows[(DLQ_SHARED_REGISTERS + w) * DLQ_LANES] - clock);
            *mean += (1 + excess / work) / ranks;
        }
    }
    for (size_t k = 0; kernel->shape == shape_pinned && k < state->point->stages; k++)
        if (state->point->uses[k] != DLQ_USES_NOTHING)
            *means[state->point->uses[k]] = 1;
}

#define ROW(name, discipline, takes, can, effort, variant, ahead, shape, epoch, sets)                                  \
    {                                                                                                                  \
        name, DLQ_##discipline, takes, can, effort, variant, ahead, shape, epoch, DLQ_SETS(&dlq_##sets)                \
    }
static const struct dlq_lane_kernel rows[] = {
    ROW("round-robin", ROUND_ROBIN, NULL, ONE | SLOW | STARTS | SLOWDOWNS | TIES | TICKS | HORIZON, 1, 0, nothing_ahead,
        shape_in_order, epoch_rows, round_robin),
    ROW("pool by completion", COMPLETION, dlq_point_is_pool, ONE | REQUEST | TIES | TICKS | HORIZON, 1,
        DLQ_BY_COMPLETION, servers_ahead, shape_completion, epoch_rows, pool),
    ROW("pool in order", POOL, NULL, ONE | STARTS | REQUEST | TIES | TICKS | HORIZON, 1, DLQ_IN_ORDER, nothing_ahead,
        shape_in_order, epoch_rows, pool),
    ROW("relay", RELAY, NULL, ONE | STARTS | REQUEST | TIES | TICKS | HORIZON, 1, DLQ_RELAYED, nothing_ahead,
        shape_in_order, epoch_rows, pool),
    ROW("ranks", ROUND_ROBIN, NULL, RANKS | SLOW | SLOWDOWNS | TIES, 1, 0, nothing_ahead, shape_in_order, epoch_rows,
        ranks),
    ROW("serial", SERIAL, NULL, ONE | RANKS | SLOW | STARTS | REQUEST | TIES, 1, 0, nothing_ahead, shape_serial,
        epoch_rows, serial),
    ROW("owner", COMPLETION, owns_few, ONE | STARTS | HORIZON, 1, 0, window_ahead, shape_owner, epoch_rows, owner),
    ROW("owner ranks", COMPLETION, owns_few, RANKS | HORIZON, 25, 0, window_ahead, shape_owner, epoch_rows, owner),
    ROW("shared", DEPENDENT, shares_one_piece, ONE | RANKS | SLOW, 25, 0, window_ahead, shape_shared, epoch_shared,
        shared),
    ROW("queues", COMPLETION, has_few_queues, ONE | RANKS | SLOW | STARTS | TIES | TICKS | HORIZON, 25, 0, window_ahead,
        shape_queues, epoch_rows, queues),
    ROW("pinned", DEPENDENT, pins, ONE | RANKS | SLOW | STARTS | HORIZON, 25, 0, window_ahead, shape_pinned, epoch_rows,
        pinned),
};

const struct dlq_lane_kernel *dlq_lane_kernel_for(const struct dlq_point *point, bool continuous, bool within)
{
    const unsigned all = (point->ranks == 1 ? ONE : RANKS) | (alike(point) ? 0 : SLOW) |
                         (continuous && point->resolution == 0 ? 0 : TIES) |
                         (point->start == DLQ_START_TOGETHER ? 0 : STARTS) |
                         (dlq_point_at_request(point) ? REQUEST : 0) | (point->slowdowns == NULL ? 0 : SLOWDOWNS) |
                         (point->resolution > 0 ? TICKS : 0) | (within ? HORIZON : 0);
    const bool boundless =
        within && point->window == DLQ_UNBOUNDED && point->discipline == DLQ_COMPLETION && dlq_point_is_pool(point);
    if (point->staged || point->samples > 0 || point->core_affinity > 0 || point->step_cpu > 0 ||
        point->receive_cpu > 0 || (point->resolution > 0 && !within))
        return NULL;
    if (!boundless && (point->window > MOST_WINDOW || point->window + point->servers > MOST_ROWS / point->ranks))
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].discipline == point->discipline && (rows[i].can & all) == all &&
            (rows[i].takes == NULL || rows[i].takes(point)))
            return &rows[i];
    return NULL;
}

static void free_calendars(struct dlq_lane_state *state)
{
    for (long i = 0; state->calendars != NULL && i < state->point->ranks * DLQ_LANES; i++)
        dlq_calendar_free(state->calendars[i]);
    free(state->calendars);
    free(state->steady);
    state->calendars = NULL;
    state->steady = NULL;
}

enum dlq_status dlq_lane_state_begin(struct dlq_lane_state *state, const struct dlq_lane_kernel *kernel,
                                     const struct dlq_point *point, double constant_step, struct dlq_error *error)
{
    struct dlq_lane_state made = {
        .point = point, .step = constant_step * point->step_scale, .slots = 1, .each = 1, .variant = kernel->variant};
    if (kernel->shape != NULL)
        kernel->shape(&made);
    const size_t row = DLQ_LANES * sizeof(double), lanes = (size_t)point->ranks * DLQ_LANES;
    size_t of_ranks = (size_t)(point->ranks * (made.server_rows + made.places));
    size_t count = of_ranks + (size_t)(made.slots + 1 + made.tree_blocks * DLQ_TREE_FAN);
    bool ready = true;
    if (kernel == &dlq_one_replication) {
        made.group = dlq_group_new(point);
        ready = made.group != NULL;
    } else if (point->slowdowns != NULL) {
        made.calendars = calloc(lanes, sizeof(struct dlq_calendar *));
        made.steady = aligned_alloc(row, 2 * (size_t)(point->ranks * point->servers) * row);
        ready = made.calendars != NULL && made.steady != NULL;
        for (size_t i = 0; i < lanes && ready; i++)
            ready = (made.calendars[i] = dlq_calendar_new(point, (long)(i / DLQ_LANES))) != NULL;
    }
    made.plain = !isnan(constant_step) && point->extra_scale == 0 && point->slowdowns == NULL && alike(point) &&
                 point->dispatch == 0 && point->deliver == 0 && point->receive == 0 && point->barrier == 0;
    double *memory = ready ? aligned_alloc(row, sizeof *made.sums + count * row) : NULL;
    if (memory == NULL) {
        free_calendars(&made);
        dlq_group_free(made.group);
        return dlq_error_memory(error, "preparing the simulation");
    }
    made.sums = (struct dlq_lane_sums *)memory;
    made.servers = memory + sizeof *made.sums / sizeof *memory;
    made.credits = made.servers + made.server_rows * DLQ_LANES;
    made.buffer = made.servers + of_ranks * DLQ_LANES;
    made.moved = made.buffer + made.slots * DLQ_LANES;
    made.tree = made.moved + DLQ_LANES;
    *state = made;
    return DLQ_OK;
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
    if (state->group != NULL)
        dlq_group_slow(state->group, seed, replication);
    *state->sums = (struct dlq_lane_sums){0};
    memset(state->servers, 0,
           (size_t)(state->point->ranks * (state->server_rows + state->places)) * DLQ_LANES * sizeof *state->servers);
    if (state->group != NULL)
        dlq_group_reset(state->group);
}

void dlq_lane_state_free(struct dlq_lane_state *state)
{
    free_calendars(state);
    dlq_group_free(state->group);
    free(state->sums);
    state->group = NULL;
    state->sums = NULL;
}
