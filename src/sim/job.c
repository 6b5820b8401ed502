#include "sim/job.h"

#include "dist/dist.h"
#include "sim/simulate.h"

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
    return dlq_sources_begin(&single->job.sources, system, (enum dlq_sampler)options->sampler, single->job.set, error);
}

void dlq_single_job_end(struct dlq_single_job *single)
{
    dlq_sources_free(&single->job.sources);
}
