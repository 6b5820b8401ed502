/* A job simulates replications of several points on the same draws. Its draws: lane_draws.c; its workers: worker.c. */
#pragma once

#include "dlqueue/simulate.h"
#include "sim/controls.h"
#include "stats/stats.h"

/* Shared by all threads, and constant while these work, except `next` and `failed`. */
struct dlq_job {
    const struct dlq_point *points;
    const struct dlq_extent *extents;
    size_t count;
    bool *active;         /* [point]: more replications are needed */
    const bool *constant; /* [point]: all replications are equal */
    struct dlq_sources sources;
    double constant_step;                        /* the draw of each step; NAN: random */
    const struct dlq_expectations *expectations; /* null: no control variates */
    bool random_start;
    bool under_way; /* dlq_extent.under_way of some point */
    double horizon; /* s; NAN: none */
    uint64_t seed;
    long replications; /* at most */
    int histogram_bits;
    bool keep_series; /* keep the waits of replication 0 */
    const struct dlq_run *run;
    struct dlq_outcome *outcomes;                 /* [replication * count + point] */
    long first, last;                             /* replications of this wave: first <= r < last */
    size_t lanes;                                 /* replications side by side: DLQ_LANES, or 1 */
    const struct dlq_lane_kernel *const *kernels; /* [point]; null: the job leaves the point out */
    enum dlq_instructions set;
    enum dlq_lane_measure measure;
    long parts; /* into which the active points of a wave are divided, so that all threads have work */
    /* Set by dlq_lane_draws_lay_out. */
    size_t ranks, servers, samples; /* the most of any point; samples: of a load, where they are simulated one by one */
    size_t stages;                  /* stages of a load whose draws are kept; 0: only the sum is kept */
    size_t block, ahead;            /* steps per block; further loads drawn for it. Results do not depend on block */
    bool on_cores;                  /* a part of each step needs a core */
    atomic_long next;               /* the next unit of work, see worker.c */
    atomic_int failed;              /* enum dlq_status */
};

static inline void dlq_job_set_options(struct dlq_job *job, const struct dlq_simulate_options *options)
{
    job->random_start = options->start == DLQ_START_RANDOM;
    job->horizon = options->horizon;
    job->replications = options->replications;
    job->seed = job->run->has_seed ? job->run->seed : options->seed;
}

static inline bool dlq_job_is_interrupted(const struct dlq_job *job)
{
    return job->run->interrupted != NULL && *job->run->interrupted != 0;
}

/* A job of one replication of one system. Must not be moved: its members point to one another. */
struct dlq_single_job {
    struct dlq_point point;
    const struct dlq_lane_kernel *kernel;
    struct dlq_job job;
};

/* Prepares the simulation of replication `replication`; borrows the run. DLQ_INVALID: the system cannot be simulated.
   Whatever the status, the caller frees job.sources. */
enum dlq_status dlq_single_job_begin(struct dlq_single_job *single, const struct dlq_system *system,
                                     const struct dlq_simulate_options *options, const struct dlq_run *run,
                                     long replication, struct dlq_error *error);

/* -- the draws of a job's lanes, a block of steps at a time, for all points -- */

struct dlq_lane_draws {
    const struct dlq_job *job;
    struct dlq_draws load, step, extra;
    double *loads, *steps;               /* [row][lane]; loads: `rows` rows of rank 0, then those of rank 1, ... */
    double *on_cores;                    /* with one lane: the part of each step that needs a core; null: not needed */
    double *cumulative[DLQ_MOST_STAGES]; /* stages 0..k of the loads; null: not needed */
    double *samples[DLQ_MOST_STAGES];    /* with one lane: stage k of each sample of the loads; null: not needed */
    double *phases;                      /* [rank][server][lane], 0..1; see dlq_lane_draws_shares */
    double *saved;                       /* what dlq_lane_draws_shorten restores */
    size_t rows, drawn, at;              /* rows of loads of a rank: allocated, drawn, and the first one of the block */
    long index;                          /* of the block's first step */
    struct dlq_controls *controls;       /* of loads and steps; one for each extent and number of ranks */
    size_t *control_of, control_count;   /* control_of: [point], index in `controls` */
};

/* Sets the length of blocks, and what they contain. */
void dlq_lane_draws_lay_out(struct dlq_job *job);
/* Allocates in the arena; borrows the job, which is laid out. */
enum dlq_status dlq_lane_draws_begin(struct dlq_arena *arena, struct dlq_lane_draws *draws, const struct dlq_job *job);
/* Draws the first block; lane l becomes replication `replication` + l. */
void dlq_lane_draws_start(struct dlq_lane_draws *draws, long replication);
/* Draws the next block. */
void dlq_lane_draws_next(struct dlq_lane_draws *draws);
/* The block from step `at` on. */
struct dlq_block dlq_lane_draws_block(const struct dlq_lane_draws *draws, size_t at);
/* The shares and *stride of dlq_lane_epoch for the first epoch of a point; the draws own the shares. */
const double *dlq_lane_draws_shares(struct dlq_lane_draws *draws, const struct dlq_point *point, size_t *stride);
/* shorten: multiplies the first load of each server of a point by its number in `phases`, as if the load were under way
   when the run begins. Not shorten: restores these loads, for the other points. */
void dlq_lane_draws_shorten(struct dlq_lane_draws *draws, const struct dlq_point *point, bool shorten);
/* Adds a lane's controls to values[DLQ_CONTROLS]. */
void dlq_lane_draws_controls(const struct dlq_lane_draws *draws, size_t point, size_t lane, double *values);

/* -- workers: one per thread, each with its own memory, kept from wave to wave -- */

/* Replications of one point, side by side. */
struct dlq_replications {
    size_t point;
    struct dlq_lane_state state;
    struct dlq_tally tally;
    struct dlq_histogram waits; /* of all waves; without bins if not wanted */
    struct dlq_controls slack;  /* control variates of waits, where wants_slack */
    double *series;             /* waits of replication 0; null: not wanted */
    long series_count;
    long reported;  /* progress of the current unit that has been reported */
    bool allocated; /* the worker has simulated the point before */
    bool busy;      /* the current unit has the point, and has not completed it */
    bool wants_slack;
};

struct dlq_worker {
    struct dlq_job *job;
    struct dlq_arena arena;
    struct dlq_lane_draws draws;
    struct dlq_replications *replications; /* [point] */
    struct dlq_lane_record record;
    long replication, count; /* replication of the first lane; lanes whose results count */
};

/* After dlq_lane_draws_lay_out. The worker is all zero before; the caller ends it, whatever the status. */
enum dlq_status dlq_worker_begin(struct dlq_worker *worker, struct dlq_job *job);
void dlq_worker_end(struct dlq_worker *worker);
/* Simulates the wave job->first..last with these workers, one thread each. */
enum dlq_status dlq_job_run(struct dlq_job *job, struct dlq_worker *workers, int threads, struct dlq_error *error);
