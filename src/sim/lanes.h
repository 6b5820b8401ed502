/* Lanes: sixteen replications of a point side by side, a batch of all of them at a time. What events.c does, written
   for vectors: the same results, to the bit. */
#ifndef DLQ_SIM_LANES_H
#define DLQ_SIM_LANES_H

#include "sim/kernel.h"

/* Rows of lanes: value [row][lane]. Blocks are of that many steps. */
enum { DLQ_LANES = 16, DLQ_BLOCK = 256 };

/* A pool's tree of times: see vector_pool.c. */
enum { DLQ_TREE_FAN = 8 };

/* Of what does not happen: later than all that does. */
#define NEVER 1e300

/* Running sums of each lane, over measured steps. */
struct dlq_lane_sums {
    double end[DLQ_LANES]; /* F of the last step */
    double wait_sum[DLQ_LANES], wait_max[DLQ_LANES], stalled[DLQ_LANES];
    double step_draws[DLQ_LANES]; /* where steps are random */
    /* Within a horizon: the steps that end in it, whether all of them are known, and when the batch of the one after
       them came. */
    double within[DLQ_LANES], over[DLQ_LANES], late[DLQ_LANES]; /* over: of one lane the end of that step */
};

/* One point's memory: rows of its discipline's own, from one allocation. */
struct dlq_lane_state {
    const struct dlq_point *point;
    struct dlq_lane_sums *sums; /* begins the allocation that all rows share */
    /* Of each rank, its servers and credits one after the other */
    double *credits; /* `places` rows: what A of later batches will be */
    double *servers; /* round-robin: D of each one's last batch; pool: when each is free, or its load done, ascending;
                        owner: D of each one's batches, oldest first */
    double *buffer;  /* relay: G of the last `prefetch` batches; ranks: what they share */
    double *moved;   /* relay: one row, P of the batch before */
    double *tree;    /* pool of many servers: when they are free; its blocks of these begin at tree_leaves, else 0 */
    long server_rows, places, place, server;
    long each;        /* rows from one server's first to the next one's */
    long slots, slot; /* relay: of the buffer; by completion: where in credits the next dispatch is found */
    long tree_leaves, tree_blocks;
    long dispatched, batches; /* of the epoch */
    double step;              /* where steps are constant: of each */
    double stall_above;
    /* where loads are slowed: of each rank and lane; two rows of each rank and server, until when its loads run at
       one speed, and which */
    struct dlq_calendar **calendars;
    double *steady;
    struct dlq_group *group; /* one replication, batch by batch */
    double horizon;          /* s; INFINITY: none */
    int variant;
    bool plain; /* no overheads, no slow servers, constant steps */
};

/* Draws for the steps that follow, row by row; a rank's loads begin rank_stride after those of the one before. */
struct dlq_lane_block {
    const double *loads, *steps;
    /* Rows of what not every step has (s), and of its part that is a pause, lie so far behind those of the steps; 0:
       nothing. */
    size_t extras, pauses;
    const double *on_cores;                    /* of one lane, as in struct dlq_block; or null */
    const double *cumulative[DLQ_MOST_STAGES]; /* stages 0..k of the loads, where the discipline asks for stages */
    const double *samples[DLQ_MOST_STAGES];    /* of one lane: as in struct dlq_block, samples_each of a load */
    size_t samples_each, rank_stride;
};

/* Nothing more; sums of waits; rows of waits, and of slack where the discipline gives it. */
enum dlq_lane_measure { DLQ_LANE_TIMES, DLQ_LANE_WAITS, DLQ_LANE_SERIES };

/* Where rows of each step go. slack (s): how long load i may take without making the trainer wait, F_{i-1} - e - L_i
   (divided by the slow factor on a slow server); it depends on draws before i alone. */
struct dlq_lane_record {
    double *waits, *slack;
};

/* An epoch of `batches` begins: workers are ready at ready[lane], server w of rank r first starts
   shares[r * stride + w][lane] of its rank's mean load time later; null: at once. */
typedef void dlq_lane_epoch(struct dlq_lane_state *state, const double *ready, const double *shares, size_t stride,
                            long batches);
/* The next n steps of the epoch. */
typedef void dlq_lane_advance(struct dlq_lane_state *state, const struct dlq_lane_block *block, size_t n,
                              enum dlq_lane_measure measure, struct dlq_lane_record record);

/* The loops of one source, of which states name one as their variant. */
enum { DLQ_LANE_VARIANTS = 4 };
typedef dlq_lane_advance *const dlq_lane_advances[DLQ_LANE_VARIANTS];
enum { DLQ_BY_COMPLETION, DLQ_IN_ORDER, DLQ_RELAYED };

/* Where the loads are of one piece (vector_shared.c), registers of a rank: the slope of its resource's time, what is
   known of it, the work of all loads, and when the last one came; before the first step of an epoch, when its first
   batches do. */
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

/* One row per discipline. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_lane_kernel {
    const char *name;
    enum dlq_discipline discipline;               /* the points that it is for: of that one */
    bool (*takes)(const struct dlq_point *point); /* of them; null: all */
    unsigned can;                                 /* what a point may ask */
    double effort;                                /* of a batch, in those of round-robin loaders */
    int variant;
    /* Batches that may be dispatched ahead of the step. */
    size_t (*ahead)(const struct dlq_point *point);
    /* Sets how many rows there are of each sort; null: the group keeps what there is to keep. */
    void (*shape)(struct dlq_lane_state *state);
    dlq_lane_epoch *epoch;
    const dlq_lane_advances *sets[DLQ_INSTRUCTION_SETS];
};

/* The row for a point; null: none, only the recursion batch by batch will do. continuous: no two load times are equal
   but by chance of one in 2^50. within: there is a horizon; then loads may take whole ticks, and a pool's window have
   no bound. */
const struct dlq_lane_kernel *dlq_lane_kernel_for(const struct dlq_point *point, bool continuous, bool within);

/* Every discipline, batch by batch, in one lane: the reference of the others. */
extern const struct dlq_lane_kernel dlq_one_replication;

/* Mean slowdown of stages that use cpu and storage in a lane; NAN: nothing is shared. */
void dlq_lane_slowdown(const struct dlq_lane_state *state, const struct dlq_lane_kernel *kernel, size_t lane,
                       double *cpu, double *storage);

/* constant_step: every step's draw; NAN where they are random. */
enum dlq_status dlq_lane_state_begin(struct dlq_lane_state *state, const struct dlq_lane_kernel *kernel,
                                     const struct dlq_point *point, double constant_step, struct dlq_error *error);
/* Forgets everything; time 0 of replications from `replication` on. */
void dlq_lane_state_reset(struct dlq_lane_state *state, uint64_t seed, uint32_t replication);
/* No memory for what slows the loads: nothing that came of it is true. */
bool dlq_lane_state_failed(const struct dlq_lane_state *state);
/* Each vector's loads of a server that begin at `start` and take `time` at full speed end at *done, unless they are
   slowed: then it is corrected. count: lanes of the vector, from lane `first` on. */
void dlq_lane_slow(const struct dlq_lane_state *state, long rank, long server, long first, long count,
                   const double *start, const double *time, double *done);
void dlq_lane_state_free(struct dlq_lane_state *state);

#endif
