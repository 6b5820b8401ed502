/* What may be changed about a system, one thing at a time: a row per change. */
#include "model/model.h"
#include "study/what_if/what_if.h"

#include <math.h>

static enum dlq_status set_loaders(const struct dlq_changed *changed, long loaders, bool *there)
{
    char why[256];
    *there = dlq_system_set_loaders(changed->system, loaders, why, sizeof why);
    return DLQ_OK;
}

/* The first one of a trainer that loads for itself is PyTorch's. */
static enum dlq_status one_more_loader(const struct dlq_changed *changed, bool *there)
{
    dlq_suffices_give_loaders(changed->system);
    return set_loaders(changed, changed->system->pipeline.loaders + 1, there);
}

static enum dlq_status twice_the_loaders(const struct dlq_changed *changed, bool *there)
{
    long loaders = changed->system->pipeline.loaders;
    *there = loaders > 1;
    return *there ? set_loaders(changed, 2 * loaders, there) : DLQ_OK;
}

static enum dlq_status prefetch_doubled(const struct dlq_changed *changed, bool *there)
{
    char why[256];
    struct dlq_system *system = changed->system;
    *there = system->pipeline.prefetch > 0 && system->pipeline.window == 0 &&
             dlq_system_set_prefetch(system, 2 * system->pipeline.prefetch, why, sizeof why);
    return DLQ_OK;
}

static enum dlq_status delivered_by_completion(const struct dlq_changed *changed, bool *there)
{
    *there = dlq_system_set_unordered(changed->system);
    return DLQ_OK;
}

static enum dlq_status load_time_halved(const struct dlq_changed *changed, bool *there)
{
    (void)there;
    dlq_work_set_mean(&changed->system->load, changed->system->load.mean / 2);
    return DLQ_OK;
}

static enum dlq_status load_variance_halved(const struct dlq_changed *changed, bool *there)
{
    return dlq_work_halve_variance(&changed->system->load, changed->data, there, changed->error);
}

static enum dlq_status slow_tail_removed(const struct dlq_changed *changed, bool *there)
{
    return dlq_work_cut_tail(&changed->system->load, changed->data, there, changed->error);
}

static enum dlq_status step_time_halved(const struct dlq_changed *changed, bool *there)
{
    *there = changed->system->step.mean > 0;
    dlq_work_set_mean(&changed->system->step, changed->system->step.mean / 2);
    return DLQ_OK;
}

static enum dlq_status persistent_workers(const struct dlq_changed *changed, bool *there)
{
    const struct dlq_system *system = changed->system;
    *there = system->pipeline.epoch_batches > 0 && system->overheads.startup > 0 && !system->pipeline.persistent;
    changed->system->pipeline.persistent = true;
    return DLQ_OK;
}

static enum dlq_status halve(double *time, bool *there)
{
    *there = *time > 0;
    *time /= 2;
    return DLQ_OK;
}

static enum dlq_status receive_halved(const struct dlq_changed *changed, bool *there)
{
    return halve(&changed->system->overheads.receive, there);
}

static enum dlq_status pinning_halved(const struct dlq_changed *changed, bool *there)
{
    return halve(&changed->system->overheads.pin_time, there);
}

static enum dlq_status barrier_halved(const struct dlq_changed *changed, bool *there)
{
    enum dlq_status status = halve(&changed->system->overheads.barrier, there);
    *there = *there && changed->system->pipeline.ranks > 1;
    return status;
}

static enum dlq_status twice_the_cores(const struct dlq_changed *changed, bool *there)
{
    struct dlq_system *system = changed->system;
    *there = !isnan(system->host.cores) && dlq_work_time(&system->load, DLQ_USES_CPU) > 0;
    system->host.cores *= 2;
    return DLQ_OK;
}

/* Cores that too few loaders could use gain nothing by themselves. */
static enum dlq_status twice_the_cores_and_loaders(const struct dlq_changed *changed, bool *there)
{
    enum dlq_status status = twice_the_cores(changed, there);
    return *there ? set_loaders(changed, 2 * changed->system->pipeline.loaders, there) : status;
}

static enum dlq_status twice_the_bandwidth(const struct dlq_changed *changed, bool *there)
{
    struct dlq_system *system = changed->system;
    *there = isfinite(dlq_system_bandwidth(system)) && dlq_work_time(&system->load, DLQ_USES_STORAGE) > 0;
    system->host.bandwidth *= 2;
    system->storage.bandwidth *= 2;
    return DLQ_OK;
}

static enum dlq_status bytes_halved(const struct dlq_changed *changed, bool *there)
{
    *there = dlq_work_halve_bytes(&changed->system->load);
    return DLQ_OK;
}

static enum dlq_status no_slow_loaders(const struct dlq_changed *changed, bool *there)
{
    struct dlq_pipeline *pipeline = &changed->system->pipeline;
    *there = pipeline->slow_loaders > 0 && pipeline->slow_factor > 1;
    pipeline->slow_loaders = 0;
    return DLQ_OK;
}

static enum dlq_status no_slow_ranks(const struct dlq_changed *changed, bool *there)
{
    struct dlq_pipeline *pipeline = &changed->system->pipeline;
    *there = pipeline->slow_ranks > 0 && pipeline->slow_factor > 1;
    pipeline->slow_ranks = 0;
    return DLQ_OK;
}

static const struct dlq_change changes[] = {
    {"one more loader", one_more_loader},         {"twice the loaders", twice_the_loaders},
    {"prefetch doubled", prefetch_doubled},       {"delivery by completion", delivered_by_completion},
    {"load time halved", load_time_halved},       {"load variance halved", load_variance_halved},
    {"slow tail removed", slow_tail_removed},     {"persistent workers", persistent_workers},
    {"step time halved", step_time_halved},       {"receive time halved", receive_halved},
    {"pin time halved", pinning_halved},          {"barrier halved", barrier_halved},
    {"twice the cores", twice_the_cores},         {"twice the cores and loaders", twice_the_cores_and_loaders},
    {"twice the bandwidth", twice_the_bandwidth}, {"bytes halved", bytes_halved},
    {"no slow loaders", no_slow_loaders},         {"no slow ranks", no_slow_ranks},
};

const struct dlq_change *dlq_changes(size_t *count)
{
    *count = sizeof changes / sizeof *changes;
    return changes;
}
