/* Changes of a system, the check that a changed system has to pass, and whether two systems can share draws. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

bool dlq_system_same_shape(const struct dlq_system *a, const struct dlq_system *b)
{
    const struct dlq_hits x = dlq_system_hits(a), y = dlq_system_hits(b);
    bool epochs = (a->extra.count == 0 && !a->cache.given) || a->pipeline.epoch_batches == b->pipeline.epoch_batches;
    bool hits = x.share == y.share && x.seen == y.seen && x.kept == y.kept && x.limit == y.limit;
    const struct dlq_work drawn[] = {dlq_system_drawn_load(a), dlq_system_drawn_load(b)};
    return dlq_work_same_shape(&drawn[0], &drawn[1]) && dlq_work_same_shape(&a->step, &b->step) &&
           dlq_system_by_sample(a) == dlq_system_by_sample(b) && dlq_work_same_shape(&a->extra, &b->extra) &&
           a->extra.mean == b->extra.mean && a->pausing == b->pausing && a->slowdowns == b->slowdowns && epochs &&
           a->cache.given == b->cache.given && (hits || !a->cache.given);
}

bool dlq_system_check(const struct dlq_system *system, char *why, size_t size)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    const struct dlq_loader *loader = dlq_loader_at(pipeline->loader);
    if (pipeline->loaders == 0 && loader->assign != DLQ_ASSIGN_TRAINER && strcmp(loader->name, "pytorch") != 0)
        snprintf(why, size, "loaders = 0 (the trainer loads for itself) is for pytorch and serial, not for %s",
                 loader->name);
    else if (pipeline->loaders > 0 && loader->assign == DLQ_ASSIGN_TRAINER)
        snprintf(why, size, "loader serial has no loaders of its own: give loaders = 0, not %ld", pipeline->loaders);
    else if (pipeline->loaders > DLQ_MOST_LOADERS)
        snprintf(why, size, "loaders = %ld are more than are modeled: at most %d", pipeline->loaders, DLQ_MOST_LOADERS);
    else if (pipeline->slow_loaders > pipeline->loaders)
        snprintf(why, size, "slow_loaders = %ld is more than loaders = %ld", pipeline->slow_loaders, pipeline->loaders);
    else if (pipeline->slow_loaders > 0 && loader->assign == DLQ_ASSIGN_SINGLE)
        snprintf(why, size, "slow_loaders: %s loads one batch at a time on all threads", loader->name);
    else if (pipeline->window > 0 && loader->assign == DLQ_ASSIGN_OWNER && pipeline->loaders > 0 &&
             pipeline->window % pipeline->loaders != 0)
        snprintf(why, size, "window = %ld must be a multiple of loaders = %ld for %s", pipeline->window,
                 pipeline->loaders, loader->name);
    else if (pipeline->window != 0 && dlq_system_is_serial(system))
        snprintf(why, size, "window: nothing is dispatched ahead where the trainer loads for itself");
    else if (pipeline->slow_ranks > pipeline->ranks)
        snprintf(why, size, "slow_ranks = %ld is more than ranks = %ld", pipeline->slow_ranks, pipeline->ranks);
    else
        return true;
    return false;
}

static bool accept(struct dlq_system *system, const struct dlq_system *changed, char *why, size_t size)
{
    bool possible = dlq_system_check(changed, why, size);
    if (possible)
        *system = *changed;
    return possible;
}

bool dlq_system_set_loaders(struct dlq_system *system, long loaders, char *why, size_t size)
{
    struct dlq_system changed = *system;
    changed.pipeline.loaders = loaders;
    return accept(system, &changed, why, size);
}

bool dlq_system_set_ranks(struct dlq_system *system, long ranks, char *why, size_t size)
{
    struct dlq_system changed = *system;
    changed.pipeline.ranks = ranks;
    return accept(system, &changed, why, size);
}

bool dlq_system_set_one_rank(struct dlq_system *system)
{
    struct dlq_pipeline *pipeline = &system->pipeline;
    const struct dlq_hits hits = dlq_system_hits(system);
    bool others = pipeline->ranks > 1;
    /* The data set stays that of all ranks. */
    system->cache.share = hits.share;
    system->cache.seen = hits.seen;
    system->host.ranks_per_host = dlq_system_ranks_per_host(system);
    system->storage.bandwidth /= (double)pipeline->ranks;
    pipeline->slow_ranks = pipeline->slow_ranks == pipeline->ranks ? 1 : 0;
    pipeline->ranks = 1;
    return others;
}

/* other: the row of the loader with that order; null: there is none. */
static bool set_order(struct dlq_system *system, enum dlq_order order, const struct dlq_loader *other, char *why,
                      size_t size)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    const char *words = order == DLQ_ORDER_INDEX ? "in order" : "by completion";
    struct dlq_system changed = *system;
    if (loader->order == order) {
        snprintf(why, size, "%s already delivers %s", loader->name, words);
        return false;
    }
    if (dlq_system_servers(system) == 1 || other == NULL) {
        snprintf(why, size, "%s does not deliver %s%s", loader->name, words,
                 dlq_system_servers(system) == 1 ? ": it loads one batch at a time" : "");
        return false;
    }
    changed.pipeline.loader = dlq_loader_index(other);
    return accept(system, &changed, why, size);
}

bool dlq_system_set_unordered(struct dlq_system *system, char *why, size_t size)
{
    const char *name = dlq_system_loader(system)->unordered;
    return set_order(system, DLQ_ORDER_COMPLETION, name != NULL ? dlq_loader_find(name) : NULL, why, size);
}

bool dlq_system_set_ordered(struct dlq_system *system, char *why, size_t size)
{
    const struct dlq_loader *ordered = NULL;
    size_t count;
    const struct dlq_loader *loaders = dlq_loaders(&count);
    for (size_t i = 0; i < count; i++)
        if (loaders[i].unordered != NULL && strcmp(loaders[i].unordered, dlq_system_loader(system)->name) == 0)
            ordered = &loaders[i];
    return set_order(system, DLQ_ORDER_INDEX, ordered, why, size);
}

bool dlq_system_set_prefetch(struct dlq_system *system, long prefetch, char *why, size_t size)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    if (loader->prefetch_name == NULL)
        snprintf(why, size, "%s has no prefetch", loader->name);
    else if (prefetch > DLQ_MOST_PREFETCH)
        snprintf(why, size, "prefetch = %ld is more than is modeled: at most %d", prefetch, DLQ_MOST_PREFETCH);
    else {
        system->pipeline.prefetch = prefetch;
        return true;
    }
    return false;
}
