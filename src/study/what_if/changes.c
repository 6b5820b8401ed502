/* What may be changed about a system, one thing at a time: a row per change. */
#include "model/model.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <string.h>

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
    *there = system->pipeline.epoch_batches > 0 && dlq_system_startup(system) > 0 && !system->pipeline.persistent;
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
    *there = !isnan(system->host.cores) && dlq_system_cpu_work(system) > 0;
    system->host.cores *= 2;
    return DLQ_OK;
}

/* Loads that compete for cores are bound by them; a trainer that does is merely slower. */
static enum dlq_status cores_to_spare(const struct dlq_changed *changed, bool *there)
{
    struct dlq_system *system = changed->system;
    *there = !isnan(system->host.cores) && dlq_system_trainer_cpu(system) > 0;
    system->host.cores = NAN;
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

/* Changes that no one can make, but that say what a cause costs: see struct dlq_loss. */
static enum dlq_status one_rank(const struct dlq_changed *changed, bool *there)
{
    *there = dlq_system_set_one_rank(changed->system);
    return DLQ_OK;
}

/* Within a horizon the wait for the first batch goes, too: see without_first_batch. */
static enum dlq_status endless_epoch(const struct dlq_changed *changed, bool *there)
{
    struct dlq_system *system = changed->system;
    *there = system->pipeline.epoch_batches > 0 && !system->cache.given; /* which needs epochs */
    system->extra = dlq_system_extra_work(system); /* what epochs end with comes as often as before */
    system->pipeline.epoch_batches = system->pipeline.epochs = 0;
    return DLQ_OK;
}

static enum dlq_status nothing_to_receive(const struct dlq_changed *changed, bool *there)
{
    *there = changed->system->overheads.receive > 0;
    changed->system->overheads.receive = 0;
    return DLQ_OK;
}

static enum dlq_status constant_load(const struct dlq_changed *changed, bool *there)
{
    *there = !dlq_work_is_constant(&changed->system->load);
    dlq_work_make_constant(&changed->system->load);
    return DLQ_OK;
}

static enum dlq_status no_pauses(const struct dlq_changed *changed, bool *there)
{
    struct dlq_system *system = changed->system;
    *there = dlq_system_pause_mean(system) > 0;
    system->extra.count -= system->pausing;
    memmove(system->extra.stages, system->extra.stages + system->pausing,
            system->extra.count * sizeof *system->extra.stages);
    system->pausing = 0;
    dlq_work_refresh(&system->extra);
    return DLQ_OK;
}

static enum dlq_status set_cache(const struct dlq_changed *changed, double share, bool *there)
{
    struct dlq_system *system = changed->system;
    *there = system->cache.given && dlq_system_cache_share(system) < share;
    system->cache.share = share;
    return DLQ_OK;
}

static enum dlq_status cache_doubled(const struct dlq_changed *changed, bool *there)
{
    return set_cache(changed, fmin(1, 2 * dlq_system_cache_share(changed->system)), there);
}

static enum dlq_status data_set_cached(const struct dlq_changed *changed, bool *there)
{
    return set_cache(changed, 1, there);
}

static enum dlq_status no_slowdowns(const struct dlq_changed *changed, bool *there)
{
    *there = changed->system->slowdowns != NULL;
    changed->system->slowdowns = NULL;
    return DLQ_OK;
}

static const struct dlq_change changes[] = {
    {"one more loader", one_more_loader, DLQ_CAUSE_NONE},
    {"twice the loaders", twice_the_loaders, DLQ_CAUSE_NONE},
    {"prefetch doubled", prefetch_doubled, DLQ_CAUSE_NONE},
    {"delivery by completion", delivered_by_completion, DLQ_CAUSE_ORDER},
    {"load time halved", load_time_halved, DLQ_CAUSE_NONE},
    {"load variance halved", load_variance_halved, DLQ_CAUSE_NONE},
    {"slow tail removed", slow_tail_removed, DLQ_CAUSE_NONE},
    {"persistent workers", persistent_workers, DLQ_CAUSE_NONE},
    {"step time halved", step_time_halved, DLQ_CAUSE_NONE},
    {"receive time halved", receive_halved, DLQ_CAUSE_NONE},
    {"pin time halved", pinning_halved, DLQ_CAUSE_NONE},
    {"barrier halved", barrier_halved, DLQ_CAUSE_NONE},
    {"twice the cores", twice_the_cores, DLQ_CAUSE_NONE},
    {"twice the cores and loaders", twice_the_cores_and_loaders, DLQ_CAUSE_NONE},
    {"twice the bandwidth", twice_the_bandwidth, DLQ_CAUSE_NONE},
    {"bytes halved", bytes_halved, DLQ_CAUSE_NONE},
    {"no slow loaders", no_slow_loaders, DLQ_CAUSE_NONE},
    {"no slow ranks", no_slow_ranks, DLQ_CAUSE_NONE},
    {"cache doubled", cache_doubled, DLQ_CAUSE_NONE},
    {"data set cached", data_set_cached, DLQ_CAUSE_NONE},
    {"no slowdowns", no_slowdowns, DLQ_CAUSE_SLOWDOWN},
    {"no pauses", no_pauses, DLQ_CAUSE_PAUSE},
    {NULL, cores_to_spare, DLQ_CAUSE_CORES},
    {NULL, one_rank, DLQ_CAUSE_BARRIER},
    {NULL, endless_epoch, DLQ_CAUSE_STARTUP},
    {NULL, nothing_to_receive, DLQ_CAUSE_RECEIVE},
    {NULL, constant_load, DLQ_CAUSE_VARIANCE},
};

const struct dlq_change *dlq_changes(size_t *count)
{
    *count = sizeof changes / sizeof *changes;
    return changes;
}
