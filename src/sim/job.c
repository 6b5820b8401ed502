#include "sim/job.h"

#include "dist/dist.h"
#include "sim/simulate.h"

static enum dlq_status begin_sources(struct dlq_job *job, const struct dlq_system *system, enum dlq_sampler sampler,
                                     struct dlq_error *error)
{
    enum dlq_status status = dlq_source_begin(&job->load, &system->load, DLQ_PURPOSE_LOAD, sampler, job->set, error);
    if (status == DLQ_OK)
        status = dlq_source_begin(&job->step, &system->step, DLQ_PURPOSE_STEP, sampler, job->set, error);
    return status;
}

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
        .random_start = options->start == DLQ_START_RANDOM,
        .horizon = options->horizon,
        .seed = run->has_seed ? run->seed : options->seed,
        .set = dlq_instructions_best(),
        .run = run,
    };
    return begin_sources(&single->job, system, (enum dlq_sampler)options->sampler, error);
}

void dlq_single_job_end(struct dlq_single_job *single)
{
    dlq_source_free(&single->job.load);
    dlq_source_free(&single->job.step);
}
