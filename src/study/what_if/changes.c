/* Single changes to a system: a row for each. */
#include "study/what_if/what_if.h"

#include <math.h>
#include <string.h>

static bool set_loaders(struct dlq_system *system, long loaders)
{
    char why[256];
    return dlq_system_set_loaders(system, loaders, why, sizeof why);
}

static bool reshape(struct dlq_changed *changed, struct dlq_work *load, bool variance)
{
    bool admitted = true;
    changed->status = dlq_work_reshape(load, variance, changed->data, &admitted, changed->error);
    return admitted;
}

/* A function that makes a change. `admits` is evaluated first, and may already make the change; then `action` is run.
   If `admits` was false, the caller drops the system. */
#define CHANGE(name_, admits, action)                                                                                  \
    static bool name_(struct dlq_changed *changed)                                                                     \
    {                                                                                                                  \
        struct dlq_system *system = changed->system;                                                                   \
        bool admitted = admits;                                                                                        \
        action;                                                                                                        \
        return admitted;                                                                                               \
    }

/* Where the trainer loads for itself, the first loader is one of PyTorch. */
CHANGE(one_more_loader, (dlq_suffices_give_loaders(system), set_loaders(system, system->pipeline.loaders + 1)), (void)0)
CHANGE(twice_the_loaders, system->pipeline.loaders > 1 && set_loaders(system, 2 * system->pipeline.loaders), (void)0)
CHANGE(prefetch_doubled,
       system->pipeline.prefetch > 0 && system->pipeline.window == 0 &&
           dlq_system_set_prefetch(system, 2 * system->pipeline.prefetch, (char[256]){0}, 256),
       (void)0)
CHANGE(load_variance_halved, reshape(changed, &system->load, true), (void)0)
CHANGE(slow_tail_removed, reshape(changed, &system->load, false), (void)0)
CHANGE(delivered_by_completion, dlq_system_set_unordered(system, (char[256]){0}, 256), (void)0)
CHANGE(load_time_halved, true, dlq_work_set_mean(&system->load, system->load.mean / 2))
CHANGE(step_time_halved, system->step.mean > 0, dlq_work_set_mean(&system->step, system->step.mean / 2))
CHANGE(persistent_workers,
       system->pipeline.epoch_batches > 0 && dlq_system_startup(system) > 0 && !system->pipeline.persistent,
       system->pipeline.persistent = true)
CHANGE(receive_halved, dlq_system_receive(system) > 0, system->overheads.receive /= 2)
CHANGE(pinning_halved, system->overheads.pin_time > 0, system->overheads.pin_time /= 2)
CHANGE(barrier_halved, system->overheads.barrier > 0 && system->pipeline.ranks > 1, system->overheads.barrier /= 2)
CHANGE(twice_the_cores, !isnan(system->host.cores) && dlq_system_cpu_work(system) > 0, system->host.cores *= 2)
/* More cores alone gain nothing where too few loaders use them. */
CHANGE(twice_the_cores_and_loaders,
       system->pipeline.loaders > 0 && twice_the_cores(changed) && set_loaders(system, 2 * system->pipeline.loaders),
       (void)0)
CHANGE(twice_the_bandwidth,
       isfinite(dlq_system_bandwidth(system)) && dlq_work_time(&system->load, DLQ_USES_STORAGE) > 0,
       system->host.bandwidth *= 2;
       system->storage.bandwidth *= 2)

static bool bytes_halved(struct dlq_changed *changed)
{
    bool admitted = false;
    changed->status = dlq_work_halve_bytes(&changed->system->load, changed->data, &admitted, changed->error);
    return admitted;
}

CHANGE(no_slow_loaders, system->pipeline.slow_loaders > 0 && system->pipeline.slow_factor > 1,
       system->pipeline.slow_loaders = 0)
CHANGE(no_slow_ranks, system->pipeline.slow_ranks > 0 && system->pipeline.slow_factor > 1,
       system->pipeline.slow_ranks = 0)
CHANGE(no_slowdowns, system->slowdowns != NULL, system->slowdowns = NULL)

/* Changes that nobody can make, but that show the loss by a cause; see struct dlq_loss. cores_to_spare shows what a
   trainer loses by waiting for cores; a bound shows what loads lose. endless_epoch keeps the stages at the ends of
   epochs as frequent as before, and does not apply with a cache, whose hits depend on the epoch. */
CHANGE(cores_to_spare, !isnan(system->host.cores) && dlq_system_trainer_cpu(system) > 0, system->host.cores = NAN)
CHANGE(no_contention, dlq_system_uncontended(system) < dlq_system_cpu_demand(system), system->host.contention = 0)
CHANGE(one_rank, dlq_system_set_one_rank(system), (void)0)
CHANGE(endless_epoch, system->pipeline.epoch_batches > 0 && !system->cache.given,
       system->extra = dlq_system_extra_work(system);
       system->pipeline.epoch_batches = system->pipeline.epochs = 0)
CHANGE(nothing_to_receive, dlq_system_receive(system) > 0, system->overheads.receive = 0)
CHANGE(later_epochs, system->cache.given && system->pipeline.epochs > 1, system->pipeline.epochs = 0)
CHANGE(constant_load, !dlq_work_is_constant(&system->load), dlq_work_make_constant(&system->load))

static bool no_pauses(struct dlq_changed *changed)
{
    struct dlq_system *system = changed->system;
    bool admitted = dlq_system_extra_mean(system, true) > 0;
    system->extra.count -= system->pausing;
    memmove(system->extra.stages, system->extra.stages + system->pausing,
            system->extra.count * sizeof *system->extra.stages);
    system->pausing = 0;
    dlq_work_refresh(&system->extra);
    return admitted;
}

static bool set_cache(struct dlq_system *system, double share)
{
    bool admitted = system->cache.given && dlq_system_cache_share(system) < share;
    system->cache.share = share;
    return admitted;
}

CHANGE(cache_doubled, set_cache(system, fmin(1, 2 * dlq_system_cache_share(system))), (void)0)
CHANGE(data_set_cached, set_cache(system, 1), (void)0)

static const struct dlq_change changes[] = {
    [DLQ_LEVER_ONE_MORE_LOADER] = {"one more loader", one_more_loader, DLQ_CAUSE_NONE},
    [DLQ_LEVER_TWICE_THE_LOADERS] = {"twice the loaders", twice_the_loaders, DLQ_CAUSE_NONE},
    [DLQ_LEVER_PREFETCH_DOUBLED] = {"prefetch doubled", prefetch_doubled, DLQ_CAUSE_NONE},
    [DLQ_LEVER_DELIVERY_BY_COMPLETION] = {"delivery by completion", delivered_by_completion, DLQ_CAUSE_ORDER},
    [DLQ_LEVER_LOAD_TIME_HALVED] = {"load time halved", load_time_halved, DLQ_CAUSE_NONE},
    [DLQ_LEVER_LOAD_VARIANCE_HALVED] = {"load variance halved", load_variance_halved, DLQ_CAUSE_NONE},
    [DLQ_LEVER_SLOW_TAIL_REMOVED] = {"slow tail removed", slow_tail_removed, DLQ_CAUSE_NONE},
    [DLQ_LEVER_PERSISTENT_WORKERS] = {"persistent workers", persistent_workers, DLQ_CAUSE_NONE},
    [DLQ_LEVER_STEP_TIME_HALVED] = {"step time halved", step_time_halved, DLQ_CAUSE_NONE},
    [DLQ_LEVER_RECEIVE_TIME_HALVED] = {"receive time halved", receive_halved, DLQ_CAUSE_NONE},
    [DLQ_LEVER_PIN_TIME_HALVED] = {"pin time halved", pinning_halved, DLQ_CAUSE_NONE},
    [DLQ_LEVER_BARRIER_HALVED] = {"barrier halved", barrier_halved, DLQ_CAUSE_NONE},
    [DLQ_LEVER_TWICE_THE_CORES] = {"twice the cores", twice_the_cores, DLQ_CAUSE_NONE},
    [DLQ_LEVER_TWICE_THE_CORES_AND_LOADERS] = {"twice the cores and loaders", twice_the_cores_and_loaders,
                                               DLQ_CAUSE_NONE},
    [DLQ_LEVER_TWICE_THE_BANDWIDTH] = {"twice the bandwidth", twice_the_bandwidth, DLQ_CAUSE_NONE},
    [DLQ_LEVER_BYTES_HALVED] = {"bytes halved", bytes_halved, DLQ_CAUSE_NONE},
    [DLQ_LEVER_NO_SLOW_LOADERS] = {"no slow loaders", no_slow_loaders, DLQ_CAUSE_NONE},
    [DLQ_LEVER_NO_SLOW_RANKS] = {"no slow ranks", no_slow_ranks, DLQ_CAUSE_NONE},
    [DLQ_LEVER_CACHE_DOUBLED] = {"cache doubled", cache_doubled, DLQ_CAUSE_NONE},
    [DLQ_LEVER_DATA_SET_CACHED] = {"data set cached", data_set_cached, DLQ_CAUSE_NONE},
    [DLQ_LEVER_NO_SLOWDOWNS] = {"no slowdowns", no_slowdowns, DLQ_CAUSE_SLOWDOWN},
    [DLQ_LEVER_NO_PAUSES] = {"no pauses", no_pauses, DLQ_CAUSE_PAUSE},
    [DLQ_LEVER_CHANGES] = {NULL, cores_to_spare, DLQ_CAUSE_CORES},
    {NULL, no_contention, DLQ_CAUSE_CONTENTION},
    {NULL, one_rank, DLQ_CAUSE_BARRIER},
    {NULL, endless_epoch, DLQ_CAUSE_STARTUP},
    {NULL, nothing_to_receive, DLQ_CAUSE_RECEIVE},
    {NULL, later_epochs, DLQ_CAUSE_FIRST_EPOCH},
    {NULL, constant_load, DLQ_CAUSE_VARIANCE},
};

const struct dlq_change *dlq_changes(size_t *count)
{
    *count = sizeof changes / sizeof *changes;
    return changes;
}
