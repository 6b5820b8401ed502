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
    struct dlq_source load, step;
    double constant_step; /* of each step's draw; NAN: random */
    const struct dlq_expectations *expectations;
    bool random_start;
    double horizon; /* s; NAN: none */
    uint64_t seed;
    int histogram_bits;
    bool keep_series;
    size_t ranks, servers; /* most of a point */
    size_t block, ahead;   /* steps per block; loads beyond them: results do not depend on it */
    const struct dlq_run *run;
    struct dlq_outcome *outcomes; /* [replication * count + point] */
    long first, last;             /* replications of this wave: first <= r < last */
    /* Of the engine that advances lanes */
    const struct dlq_lane_kernel *const *kernels; /* of each point */
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

/* Controls by slack are for one rank, and where waits are measured whole. */
static inline bool dlq_job_wants_slack(const struct dlq_job *job, const struct dlq_point *point)
{
    return job->expectations->wait && job->measure == DLQ_LANE_SERIES && point->ranks == 1;
}

#endif
