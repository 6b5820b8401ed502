/* A job of one replication, and the waits of that replication. */
#include "sim/job.h"
#include "sim/record.h"
#include "sim/simulate.h"

/* Of the histogram of waits, without which a worker keeps no series of waits. */
enum { HISTOGRAM_BITS = 7 };

enum dlq_status dlq_single_job_begin(struct dlq_single_job *single, const struct dlq_system *system,
                                     const struct dlq_simulate_options *options, const struct dlq_run *run,
                                     long replication, struct dlq_error *error)
{
    char why[256];
    *single = (struct dlq_single_job){.kernel = &dlq_one_replication};
    if (!dlq_simulate_accepts(system, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "[pipeline] %s", why);
    dlq_point_make(&single->point, system, options->resolution, (enum dlq_start)options->start);
    single->job = (struct dlq_job){
        .points = &single->point,
        .kernels = &single->kernel,
        .count = 1,
        .lanes = 1,
        .constant_step = NAN,
        .first = replication,
        .last = replication + 1,
        .parts = 1,
        .set = dlq_instructions_best(),
        .run = run,
    };
    dlq_job_set_options(&single->job, options);
    return dlq_sources_begin(&single->job.sources, system, (enum dlq_sampler)options->sampler, single->job.set, error);
}

enum dlq_status dlq_waits_simulate(const struct dlq_system *system, const struct dlq_simulate_options *options,
                                   const struct dlq_run *run, struct dlq_waits *waits, struct dlq_error *error)
{
    struct dlq_single_job single;
    struct dlq_extent extent;
    struct dlq_outcome outcome;
    DLQ_RELEASED_BY(dlq_worker_end) struct dlq_worker worker = {.count = 0};
    bool active = true, constant = false;
    enum dlq_status status = dlq_single_job_begin(&single, system, options, run, 0, error);
    if (status != DLQ_OK)
        goto cleanup;
    dlq_extent_make(&extent, &single.point, options);
    extent.batches = extent.batches < DLQ_PERIOD_WAITS ? extent.batches : DLQ_PERIOD_WAITS;
    single.job.extents = &extent;
    single.job.active = &active;
    single.job.constant = &constant;
    single.job.measure = DLQ_LANE_SERIES;
    single.job.histogram_bits = HISTOGRAM_BITS;
    single.job.keep_series = true;
    single.job.outcomes = &outcome;
    dlq_lane_draws_lay_out(&single.job);
    worker.arena = (struct dlq_arena){.error = error, .doing = "simulating"};
    status = dlq_worker_begin(&worker, &single.job);
    if (status == DLQ_OK)
        status = dlq_job_run(&single.job, &worker, 1, error);
    if (status == DLQ_OK) {
        struct dlq_replications *recorded = &worker.replications[0];
        const struct dlq_tally *tally = &recorded->tally;
        const struct dlq_lane_sums *sums = recorded->state.sums;
        *waits = (struct dlq_waits){
            .count = (size_t)tally->counted,
            .series = recorded->series,
            .first = tally->extent.warmup,
            .servers = single.point.servers,
            .stall_above = recorded->state.stall_above,
            .stepping = sums->step_draws[0] * single.point.step_scale + tally->extras[0],
            .time = sums->end[0] - tally->begun[0],
            .stalled = tally->counted > 0 ? sums->stalled[0] / (double)tally->counted : NAN,
        };
        recorded->series = NULL; /* the caller owns the series now */
    }
cleanup:
    dlq_sources_free(&single.job.sources);
    return status;
}
