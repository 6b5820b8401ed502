/* What carries out the waves of a job: one worker per thread, each with memory of its own, kept from wave to wave. */
#ifndef DLQ_SIM_WORKER_H
#define DLQ_SIM_WORKER_H

#include "sim/job.h"
#include "stats/stats.h"

/* What a worker keeps of a point while it advances replications of it side by side. */
struct dlq_replications {
    size_t point;
    struct dlq_lane_state state;
    struct dlq_tally tally;
    struct dlq_histogram waits; /* all that were seen; without bins where none are wanted */
    struct dlq_controls slack;
    double *series; /* waits of the recorded replication, or null */
    long series_count;
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
/* The wave job->first..last comes in units, which any worker may perform, in any order: lanes side by side, for a part
   of the points. */
enum dlq_status dlq_worker_perform(struct dlq_worker *worker, long unit);
/* Runs the wave on these workers, one thread each. */
enum dlq_status dlq_job_run(struct dlq_job *job, struct dlq_worker *const *workers, int threads,
                            struct dlq_error *error);

#endif
