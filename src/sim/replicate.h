/* Replications in parallel: a counter and N threads. */
#ifndef DLQ_SIM_REPLICATE_H
#define DLQ_SIM_REPLICATE_H

#include "dlqueue/simulate.h"
#include "sim/controls.h"
#include "sim/draws.h"
#include "sim/measure.h"

/* Everything that the threads share while they work; constant but for `next` and `failed`. */
struct dlq_job {
    const struct dlq_point *points;
    const struct dlq_extent *extents;
    size_t count;
    bool *active;         /* points that need more replications */
    const bool *constant; /* points of which one replication is enough */
    struct dlq_source load, step;
    struct dlq_expectations expectations;
    bool random_start;
    uint64_t seed;
    int histogram_bits;
    bool keep_series;
    size_t block, ahead; /* steps per block; loads beyond them */
    const struct dlq_run *run;
    struct dlq_outcome *outcomes; /* [replication * count + point] */
    long first, last;             /* replications of this wave: first <= r < last */
    atomic_long next;
    atomic_int failed; /* enum dlq_status */
};

/* A thread's own memory, kept from wave to wave. */
struct dlq_worker;

struct dlq_worker *dlq_worker_new(struct dlq_job *job);
void dlq_worker_free(struct dlq_worker *worker);
/* Waits that this worker has seen of a point, and of replication 0 in order (null where it had another). */
const struct dlq_histogram *dlq_worker_waits(const struct dlq_worker *worker, size_t point);
const double *dlq_worker_series(const struct dlq_worker *worker, size_t point, size_t *n);

/* Runs the wave job->first..last on these workers, one thread each. */
enum dlq_status dlq_wave_run(struct dlq_job *job, struct dlq_worker *const *workers, int threads,
                             struct dlq_error *error);

#endif
