#include "sim/waits.h"

#include "sim/worker.h"

#include <stdlib.h>

enum { LEAST_BITS = 7 };

/* The series becomes the caller's. */
static void hand_over(const struct dlq_single_job *single, const struct dlq_worker *worker, struct dlq_waits *waits)
{
    struct dlq_replications *recorded = &worker->replications[0];
    const struct dlq_tally *tally = &recorded->tally;
    const struct dlq_lane_sums *sums = recorded->state.sums;
    *waits = (struct dlq_waits){
        .count = (size_t)tally->counted,
        .series = recorded->series,
        .first = tally->extent.warmup,
        .servers = single->point.servers,
        .stall_above = recorded->state.stall_above,
        .stepping = sums->step_draws[0] * single->point.step_scale + tally->extras[0],
        .time = sums->end[0] - tally->begun[0],
        .stalled = tally->counted > 0 ? sums->stalled[0] / (double)tally->counted : NAN,
    };
    recorded->series = NULL;
}

enum dlq_status dlq_waits_simulate(const struct dlq_system *system, const struct dlq_simulate_options *options,
                                   const struct dlq_run *run, long replication, struct dlq_waits *waits,
                                   struct dlq_error *error)
{
    struct dlq_single_job single;
    struct dlq_extent extent;
    struct dlq_outcome *outcomes = NULL;
    struct dlq_worker *worker = NULL;
    struct dlq_run quiet = *run;
    bool active = true, constant = false;
    enum dlq_status status = dlq_single_job_begin(&single, system, options, &quiet, replication, error);
    if (status != DLQ_OK)
        goto cleanup;
    dlq_extent_make(&extent, &single.point, options);
    extent.batches = extent.batches < DLQ_PERIOD_WAITS ? extent.batches : DLQ_PERIOD_WAITS;
    single.job.extents = &extent;
    single.job.active = &active;
    single.job.constant = &constant;
    single.job.measure = DLQ_LANE_SERIES;
    single.job.histogram_bits = LEAST_BITS;
    single.job.keep_series = true;
    single.job.recorded = replication;
    quiet.progress = NULL;
    single.job.outcomes = outcomes = calloc((size_t)replication + 1, sizeof *outcomes);
    dlq_lane_draws_lay_out(&single.job);
    worker = dlq_worker_new(&single.job);
    status = outcomes == NULL || worker == NULL ? dlq_error_memory(error, "simulating") : dlq_worker_perform(worker, 0);
    if (status == DLQ_INTERRUPTED)
        dlq_error_add(error, status, "interrupted");
    if (status == DLQ_FAILURE && worker != NULL && outcomes != NULL)
        dlq_error_memory(error, "simulating");
    if (status == DLQ_OK)
        hand_over(&single, worker, waits);
cleanup:
    dlq_worker_free(worker);
    free(outcomes);
    dlq_single_job_end(&single);
    return status;
}
