/* A job: replications of many points on common draws. */
#ifndef DLQ_SIM_JOB_H
#define DLQ_SIM_JOB_H

#include "dlqueue/simulate.h"
#include "sim/controls.h"
#include "sim/draws.h"
#include "sim/lanes.h"
#include "sim/measure.h"

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
    bool keep_series; /* the waits of replication `recorded` */
    long recorded;
    size_t ranks, servers; /* most of a point */
    size_t block, ahead;   /* steps per block; loads beyond them: results do not depend on it */
    const struct dlq_run *run;
    struct dlq_outcome *outcomes;                 /* [replication * count + point] */
    long first, last;                             /* replications of this wave: first <= r < last */
    size_t lanes;                                 /* replications side by side: DLQ_LANES, or 1 */
    const struct dlq_lane_kernel *const *kernels; /* of each point; one lane: dlq_one_replication */
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

static inline bool dlq_job_needs_stages(const struct dlq_job *job, size_t point)
{
    return job->lanes == 1 && (job->points[point].staged || job->points[point].kernel->needs_stages);
}

/* Controls by slack are for one rank, where waits are measured whole, and loads end as they began. */
static inline bool dlq_job_wants_slack(const struct dlq_job *job, size_t i)
{
    const struct dlq_point *point = &job->points[i];
    return (job->lanes == 1 ? point->kernel->gives_slack : job->kernels[i]->gives_slack) && job->expectations != NULL &&
           job->expectations->wait && job->measure == DLQ_LANE_SERIES && point->ranks == 1 && point->slowdowns == NULL;
}

/* One replication of one system, and its draws. Its parts point to one another: not to be moved. */
struct dlq_single_job {
    struct dlq_point point;
    const struct dlq_lane_kernel *kernel;
    struct dlq_job job;
};

/* To be ended unless zeroed, whatever the status. DLQ_INVALID where the system is not simulated. */
enum dlq_status dlq_single_job_begin(struct dlq_single_job *single, const struct dlq_system *system,
                                     const struct dlq_simulate_options *options, const struct dlq_run *run,
                                     long replication, struct dlq_error *error);
void dlq_single_job_end(struct dlq_single_job *single);

#endif
