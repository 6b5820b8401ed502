/* What carries out the waves of a job: one worker per thread, each with memory of its own, kept from wave to wave. */
#ifndef DLQ_SIM_ENGINE_H
#define DLQ_SIM_ENGINE_H

#include "sim/job.h"

struct dlq_engine {
    double effort; /* of a batch, where its kernel does not say */
    /* From the points: most ranks and loaders, how far loads reach ahead, and the size of a block. */
    void (*lay_out)(struct dlq_job *job);
    void *(*new)(struct dlq_job *job); /* null: no memory */
    void (*free)(void *worker);
    /* The wave job->first..last comes in that many units, which any worker may perform, in any order. */
    long (*units)(const struct dlq_job *job);
    enum dlq_status (*perform)(void *worker, long unit);
    /* Waits that this worker has seen of a point (null: none), and of replication 0 in order (null where it had
     * another). */
    const struct dlq_histogram *(*waits)(const void *worker, size_t point);
    const double *(*series)(const void *worker, size_t point, size_t *n);
};

/* Runs the wave on these workers, one thread each. */
enum dlq_status dlq_engine_run(const struct dlq_engine *engine, struct dlq_job *job, void *const *workers, int threads,
                               struct dlq_error *error);

#endif
