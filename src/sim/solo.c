#include "sim/solo.h"

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

enum dlq_status dlq_solo_begin(struct dlq_solo *solo, const struct dlq_system *system,
                               const struct dlq_simulate_options *options, const struct dlq_run *run, long replication,
                               struct dlq_error *error)
{
    char why[256];
    *solo = (struct dlq_solo){.group = NULL};
    if (!dlq_simulate_accepts(system, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "[pipeline] %s", why);
    dlq_point_make(&solo->point, system, options->resolution, (enum dlq_start)options->start);
    solo->job = (struct dlq_job){
        .points = &solo->point,
        .count = 1,
        .random_start = options->start == DLQ_START_RANDOM,
        .horizon = options->horizon,
        .seed = run->has_seed ? run->seed : options->seed,
        .set = dlq_instructions_best(),
        .run = run,
    };
    enum dlq_status status = begin_sources(&solo->job, system, (enum dlq_sampler)options->sampler, error);
    if (status != DLQ_OK)
        return status;
    dlq_feed_lay_out(&solo->job);
    solo->group = dlq_group_new(&solo->point);
    if (!dlq_feed_begin(&solo->feed, &solo->job) || solo->group == NULL)
        return dlq_error_memory(error, "preparing the simulation");
    dlq_feed_start(&solo->feed, replication);
    dlq_group_reset(solo->group);
    return DLQ_OK;
}

void dlq_solo_end(struct dlq_solo *solo)
{
    dlq_group_free(solo->group);
    dlq_feed_free(&solo->feed);
    dlq_source_free(&solo->job.load);
    dlq_source_free(&solo->job.step);
}
