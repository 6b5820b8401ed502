/* Lanes: sixteen replications of a point, simulated side by side with vector instructions, one batch of all sixteen at
   a time (vector_staged.c: one lane after the other). The results have the same bits as those of events.c. The kernels
   of the disciplines are in vector_*.c. */
#pragma once

#include "sim/kernel.h"

/* A row is one double per lane: value [row][lane]. A block has at most DLQ_BLOCK steps. */
enum { DLQ_LANES = 16, DLQ_BLOCK = 256 };

/* A pool's tree of times: see vector_pool.c. */
enum { DLQ_TREE_FAN = 8 };

/* The time of an event that does not happen. Not INFINITY, because the kernels are compiled with -ffinite-math-only. */
#define NEVER 1e300

/* Sums over the measured steps of each lane, aligned for vectors of any width. */
struct dlq_lane_sums {
    _Alignas(DLQ_LANES * sizeof(double)) double end[DLQ_LANES]; /* F of the last step */
    double wait_sum[DLQ_LANES], wait_max[DLQ_LANES], stalled[DLQ_LANES];
    double step_draws[DLQ_LANES]; /* where steps are random */
    /* With a horizon. within: steps that end within it; over: > 0 once a step ended after it (with one lane: when that
       step ended); late: when the batch of that step was delivered. */
    double within[DLQ_LANES], over[DLQ_LANES], late[DLQ_LANES];
};

/* State of one point, sixteen replications. `servers` and `credits` of one rank lie one after the other, then those of
   the next rank. Their meaning depends on the discipline. */
struct dlq_lane_state {
    const struct dlq_point *point;
    struct dlq_lane_sums *sums; /* start of the allocation that holds all rows */
    double *credits;            /* `places` rows: the times A at which later batches are dispatched */
    double *servers; /* round-robin: D of each server's last batch; pool: when each becomes free, ascending; owner: D of
                        each server's batches, oldest first */
    double *buffer;  /* relay: G of the last `prefetch` batches; several ranks: see vector_ranks.c */
    double *moved;   /* relay: one row, P of the previous batch */
    double *tree;    /* pool of many servers: when each becomes free; tree_leaves: first block of leaves, 0: no tree */
    long server_rows, server; /* of a rank: rows of servers, and the current one */
    long places, place;       /* of a rank: rows of credits, and the current one */
    long each;                /* rows of one server */
    long slots, slot; /* rows of the buffer, current one; by completion slot: row of credits for the next dispatch */
    long tree_leaves, tree_blocks;
    long dispatched, batches; /* of the epoch */
    double step;              /* s of each step, where steps are constant */
    double stall_above;
    /* With slowdowns, else null. calendars: one per rank and lane; steady: two rows per rank and server, until when its
       loads keep their speed, and the speed. */
    struct dlq_calendar **calendars;
    double *steady;
    double *paces;           /* with contention: the pace of each number of busy loaders of a rank; else null */
    struct dlq_group *group; /* of dlq_one_replication; else null */
    double horizon;          /* s; INFINITY: none */
    int variant, lanes;      /* lanes: how many are used; a kernel may leave the others out */
    bool plain;              /* no overheads, no slow servers, no slowdowns, constant steps without extras */
};

/* The rows of one rank, its servers first. */
static inline double *dlq_rank_rows(const struct dlq_lane_state *state, long rank)
{
    return state->servers + rank * (state->server_rows + state->places) * DLQ_LANES;
}

/* What a kernel measures beside the ends of steps: nothing; sums of waits; these, and rows of waits and slack. */
enum dlq_lane_measure { DLQ_LANE_TIMES, DLQ_LANE_WAITS, DLQ_LANE_SERIES };

/* Where a kernel writes a row for each step. slack: as in struct dlq_block, where dlq_gives_slack(). */
struct dlq_lane_record {
    double *waits, *slack;
};

/* Starts an epoch of `batches` at ready[lane]. Server w of rank r starts later by shares[r * stride + w][lane] of its
   rank's mean load time; null: all start at once. */
typedef void dlq_lane_epoch(struct dlq_lane_state *state, const double *ready, const double *shares, size_t stride,
                            long batches);
/* Simulates the next n steps of the epoch. */
typedef void dlq_lane_advance(struct dlq_lane_state *state, const struct dlq_block *block, size_t n,
                              enum dlq_lane_measure measure, struct dlq_lane_record record);

/* The loops of one vector_*.c; dlq_lane_state.variant selects one. */
enum { DLQ_LANE_VARIANTS = 4 };
typedef dlq_lane_advance *const dlq_lane_advances[DLQ_LANE_VARIANTS];
enum { DLQ_BY_COMPLETION, DLQ_IN_ORDER, DLQ_RELAYED }; /* variants of dlq_pool */

DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_round_robin);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_pool);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_owner);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_queues);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_ranks);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_serial);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_pinned);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_shared);
DLQ_DECLARE_SETS(const dlq_lane_advances, dlq_staged);

/* Rows of a rank in vector_shared.c. RATE to EXCESS: the members of its struct slope; WORK: s at full speed of all
   loads; NOW: when the last batch arrived (at the start of an epoch: when the first batches arrive). */
enum dlq_shared_register {
    DLQ_SHARED_RATE,
    DLQ_SHARED_REAL,
    DLQ_SHARED_CLOCK,
    DLQ_SHARED_COUNT,
    DLQ_SHARED_NEXT,
    DLQ_SHARED_EXCESS,
    DLQ_SHARED_WORK,
    DLQ_SHARED_NOW,
    DLQ_SHARED_REGISTERS
};

/* A resource in vector_staged.c, as struct dlq_resource; since: at first when the first batches of an epoch arrive. */
struct dlq_staged_resource {
    struct dlq_staged_slope {
        double rate, real, clock;
        bool natural;
    } slope, old;
    double left_at, left_clock; /* left_at -1: no load can continue the slope `old` */
    double demand, count, work, spent, since;
    double first, next;    /* when the first load leaves, in virtual and in real time; NEVER: there is none */
    int64_t stage, loader; /* of the load that leaves first */
};

/* A rank in one lane of vector_staged.c. */
struct dlq_staged_rank {
    double *ends; /* [stage * dlq_staged_row() + loader] when the loader ends the stage, in the virtual time of its
                     resource; NEVER: it is not in the stage */
    struct dlq_staged_resource *resources; /* by enum dlq_uses */
    double *bases;                         /* [loader] when its load would have begun if nothing had slowed it */
    double *times;    /* [stage * window + place] the time of the batch up to the end of the stage */
    double *done;     /* [place] when the batch was done */
    int64_t *numbers; /* [loader] its batch; of an idle one, the batch that it waits for */
    int64_t *places;  /* [loader] the place of that batch */
};

enum { DLQ_STAGED_RESOURCES = 3 };

/* Loaders, rounded up to whole vectors of each instruction set. */
static inline int64_t dlq_staged_row(int64_t servers)
{
    return (servers + 7) / 8 * 8;
}

/* Doubles of a rank in a lane, in whole cache lines. */
static inline int64_t dlq_staged_doubles(const struct dlq_point *point)
{
    enum { OF_RESOURCES = DLQ_STAGED_RESOURCES * sizeof(struct dlq_staged_resource) / sizeof(double), LINE = 8 };
    const int64_t stages = (int64_t)point->stages,
                  of_loaders = stages * dlq_staged_row(point->servers) + 3 * point->servers;
    return (OF_RESOURCES + of_loaders + (stages + 1) * point->window + LINE - 1) / LINE * LINE;
}

/* Finds a rank in the state, where the ranks of lane 0 come first: the ranks of one lane often fit into the
   second-level cache, those of all lanes do not. */
static inline struct dlq_staged_rank dlq_staged_rank_of(const struct dlq_lane_state *state, int64_t rank, int64_t lane)
{
    const struct dlq_point *point = state->point;
    double *rows = state->servers + (lane * point->ranks + rank) * state->server_rows;
    struct dlq_staged_rank result = {.ends = rows};
    rows += (int64_t)point->stages * dlq_staged_row(point->servers);
    result.resources = (struct dlq_staged_resource *)(void *)rows;
    result.bases = (double *)(void *)(result.resources + DLQ_STAGED_RESOURCES);
    result.times = result.bases + point->servers;
    result.done = result.times + (int64_t)point->stages * point->window;
    result.numbers = (int64_t *)(void *)(result.done + point->window);
    result.places = result.numbers + point->servers;
    return result;
}

/* A kernel: one row of the table in lanes.c. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_lane_kernel {
    const char *name;
    enum dlq_discipline discipline;                 /* of the points that the kernel simulates */
    bool (*accepts)(const struct dlq_point *point); /* a further condition; null: none */
    unsigned can;                                   /* the properties of points that the kernel supports */
    double effort; /* time of a batch, relative to a batch of round-robin lanes: 25: it takes 25 times as long */
    int variant;
    bool by_stage; /* needs the stages of loads, too */
    /* As dlq_loading_ahead. Null: 0. */
    size_t (*ahead)(const struct dlq_point *point);
    /* Sets how many rows of each kind the state has; null: the kernel keeps its state in the group. */
    void (*shape)(struct dlq_lane_state *state);
    dlq_lane_epoch *epoch;
    const dlq_lane_advances *sets[DLQ_INSTRUCTION_SETS];
};

/* The kernel for a point; null: only dlq_one_replication can simulate the point. continuous: no two load times are
   equal, but with a probability of 2^-50. within: there is a horizon; then ticks and a pool's unbounded window are
   supported, too. */
const struct dlq_lane_kernel *dlq_lane_kernel_for(const struct dlq_point *point, bool continuous, bool within);

/* Every discipline, batch by batch, one replication: the reference of all other kernels. */
extern const struct dlq_lane_kernel dlq_one_replication;

/* Restarts the means of dlq_lane_slowdown in all lanes. */
void dlq_lane_forget_slowdown(struct dlq_lane_state *state, const struct dlq_lane_kernel *kernel);
/* Mean slowdown of stages that use cpu and storage in a lane; NAN: nothing is shared. */
void dlq_lane_slowdown(const struct dlq_lane_state *state, const struct dlq_lane_kernel *kernel, size_t lane,
                       double *cpu, double *storage);

/* Zeroed rows of `lanes` doubles, aligned for vectors. */
enum dlq_status dlq_lane_rows(struct dlq_arena *arena, size_t count, size_t lanes, double **rows);

/* constant_step: the draw of every step; NAN: random. Allocates in the arena, as later calls do; borrows the point. */
enum dlq_status dlq_lane_state_begin(struct dlq_arena *arena, struct dlq_lane_state *state,
                                     const struct dlq_lane_kernel *kernel, const struct dlq_point *point,
                                     double constant_step);
/* Returns to time 0; lane l becomes replication `replication` + l. */
void dlq_lane_state_reset(struct dlq_lane_state *state, uint64_t seed, uint32_t replication);
/* Whether memory for slowdowns ran out: then all times are wrong. */
bool dlq_lane_state_failed(const struct dlq_lane_state *state);
/* Corrects done[] for slowdowns: loads of a server that begin at start[] and take time[] at full speed, in `count`
   lanes from lane `first` on. On entry done[] assumes the speed of `steady`. */
void dlq_lane_slow(const struct dlq_lane_state *state, long rank, long server, long first, long count,
                   const double *start, const double *time, double *done);
