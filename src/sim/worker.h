/* What carries out the waves of a job: one worker per thread, each with memory of its own, kept from wave to wave. */
#ifndef DLQ_SIM_WORKER_H
#define DLQ_SIM_WORKER_H

#include "sim/job.h"
#include "sim/replications.h"

struct dlq_worker;

/* Of a job that is laid out (dlq_lane_draws_lay_out). Null: no memory. */
struct dlq_worker *dlq_worker_new(struct dlq_job *job);
void dlq_worker_free(struct dlq_worker *worker);
/* The wave job->first..last comes in units, which any worker may perform, in any order: lanes side by side, for a part
   of the points. */
enum dlq_status dlq_worker_perform(struct dlq_worker *worker, long unit);
/* Runs the wave on these workers, one thread each. */
enum dlq_status dlq_job_run(struct dlq_job *job, struct dlq_worker *const *workers, int threads,
                            struct dlq_error *error);
/* Waits that this worker has seen of a point (null: none). */
const struct dlq_histogram *dlq_worker_waits(const struct dlq_worker *worker, size_t point);
/* What it keeps of a point; null: nothing yet. */
struct dlq_replications *dlq_worker_replications(const struct dlq_worker *worker, size_t point);

#endif
