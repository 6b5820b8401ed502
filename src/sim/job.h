/* A job: replications of many points on common draws. */
#ifndef DLQ_SIM_JOB_H
#define DLQ_SIM_JOB_H

#include "dlqueue/simulate.h"
#include "sim/controls.h"
#include "stats/stats.h"

/* Everything that the threads share while they work; constant but for `next` and `failed`. */
struct dlq_job {
    const struct dlq_point *points;
    const struct dlq_extent *extents;
    size_t count;
    bool *active;         /* points that need more replications */
    const bool *constant; /* points of which one replication is enough */
    struct dlq_sources sources;
    double constant_step; /* of each step's draw; NAN: random */
    const struct dlq_expectations *expectations;
    bool random_start;
    double horizon; /* s; NAN: none */
    uint64_t seed;
    int histogram_bits;
    bool keep_series;      /* the waits of replication 0 */
    size_t ranks, servers; /* most of a point */
    size_t block, ahead;   /* steps per block; loads beyond them: results do not depend on it */
    const struct dlq_run *run;
    struct dlq_outcome *outcomes;                 /* [replication * count + point] */
    long first, last;                             /* replications of this wave: first <= r < last */
    size_t lanes;                                 /* replications side by side: DLQ_LANES, or 1 */
    const struct dlq_lane_kernel *const *kernels; /* of each point; null: of one that is left out */
    enum dlq_instructions set;
    enum dlq_lane_measure measure;
    long parts; /* in which threads share the points of a wave */
    atomic_long next;
    atomic_int failed; /* enum dlq_status */
};

static inline bool dlq_job_is_interrupted(const struct dlq_job *job)
{
    return job->run->interrupted != NULL && *job->run->interrupted != 0;
}

/* One replication of one system, and its draws. Its parts point to one another: not to be moved. */
struct dlq_single_job {
    struct dlq_point point;
    const struct dlq_lane_kernel *kernel;
    struct dlq_job job;
};

/* Its sources are to be freed unless zeroed, whatever the status. DLQ_INVALID where the system is not simulated. */
enum dlq_status dlq_single_job_begin(struct dlq_single_job *single, const struct dlq_system *system,
                                     const struct dlq_simulate_options *options, const struct dlq_run *run,
                                     long replication, struct dlq_error *error);

/* -- the random numbers of its lanes, a block at a time, for all its points, and the controls that points of one extent
   share -- */

struct dlq_lane_draws {
    const struct dlq_job *job;
    struct dlq_draws load, step, extra;
    double *loads, *steps;               /* rows of lanes; of each rank `rows` of loads */
    double *on_cores;                    /* of one lane: what of each step needs a core; null: not asked for */
    double *cumulative[DLQ_MOST_STAGES]; /* as loads: their stages 0..k; null: not asked for, or there is one */
    double *samples[DLQ_MOST_STAGES];    /* of each load, stage k of each of its samples; null: not asked for */
    double *phases;                      /* random start: uniform on 0..1, [rank][server][lane] */
    size_t rows, drawn, at;              /* of a rank: places, those filled, where the block begins */
    long index;                          /* of the block's first step */
    struct dlq_controls *controls;       /* of loads and steps: one for each extent and number of ranks */
    size_t *control_of, control_count;
};

/* Sets ranks, servers, ahead and block of a job. */
void dlq_lane_draws_lay_out(struct dlq_job *job);
/* Null: no memory. */
struct dlq_lane_draws *dlq_lane_draws_new(const struct dlq_job *job);
void dlq_lane_draws_free(struct dlq_lane_draws *draws);
/* Goes to the first block; lane l is replication + l. */
void dlq_lane_draws_start(struct dlq_lane_draws *draws, long replication);
void dlq_lane_draws_next(struct dlq_lane_draws *draws);
/* The block from its step `at` on. */
struct dlq_lane_block dlq_lane_draws_block(const struct dlq_lane_draws *draws, size_t at);
/* Adds a lane's controls to values[DLQ_CONTROLS]. */
void dlq_lane_draws_controls(const struct dlq_lane_draws *draws, size_t point, size_t lane, double *values);
/* Uninitialized rows of lanes, aligned; null: no memory. */
double *dlq_lane_rows(size_t count, size_t lanes);

/* -- what carries out its waves: one worker per thread, each with memory of its own, kept from wave to wave -- */

/* What a worker keeps of a point while it advances replications of it side by side. */
struct dlq_replications {
    size_t point;
    struct dlq_lane_state state;
    struct dlq_tally tally;
    struct dlq_histogram waits; /* all that were seen; without bins where none are wanted */
    struct dlq_controls slack;
    double *series; /* waits of replication 0, or null */
    long series_count;
    long told;  /* of the unit, as progress */
    bool taken; /* holds memory: this worker has had a wave of the point */
    bool busy;  /* of the unit, and not complete */
    bool wants_slack;
};

struct dlq_worker {
    struct dlq_job *job;
    struct dlq_lane_draws *draws;
    struct dlq_replications *replications; /* per point */
    struct dlq_lane_record record;
    double *scratch;         /* a row for each server */
    long replication, count; /* the first lane's, and how many lanes count */
};

/* Of a job that is laid out (dlq_lane_draws_lay_out). Null: no memory. */
struct dlq_worker *dlq_worker_new(struct dlq_job *job);
void dlq_worker_free(struct dlq_worker *worker);
/* Runs the wave job->first..last on these workers, one thread each. */
enum dlq_status dlq_job_run(struct dlq_job *job, struct dlq_worker *const *workers, int threads,
                            struct dlq_error *error);

#endif
