/* The axes of a sweep: their keys in [sweep], and how a system's value of each is set and read. */
#include "study/model.h"

#include <stdio.h>

#define AXIS(key_, unit_, minimum_, maximum_, axis_, help_)                                                            \
    {                                                                                                                  \
        .key = key_, .kind = DLQ_KIND_RANGE, .unit = unit_, .minimum = minimum_, .maximum = maximum_, .help = help_,   \
        .offset = offsetof(struct dlq_sweep_options, axes) + (axis_) * sizeof(struct dlq_range)                        \
    }

static const struct dlq_option sweep_options[] = {
    AXIS("loaders", DLQ_UNIT_COUNT, 0, DLQ_MOST_LOADERS, DLQ_AXIS_LOADERS, "loader counts, e.g. 1..32"),
    AXIS("load", DLQ_UNIT_TIME, 1e-9, 1e9, DLQ_AXIS_LOAD, "mean load times of a batch, e.g. 50ms..2s in 24 log"),
    AXIS("prefetch", DLQ_UNIT_COUNT, 1, DLQ_MOST_PREFETCH, DLQ_AXIS_PREFETCH, "e.g. 1, 2, 4, 8"),
    AXIS("ranks", DLQ_UNIT_COUNT, 1, 65535, DLQ_AXIS_RANKS, "numbers of ranks"),
    AXIS("step", DLQ_UNIT_TIME, 0, 1e9, DLQ_AXIS_STEP, "mean step times"),
    AXIS("cv", DLQ_UNIT_RATIO, 0, 1000, DLQ_AXIS_CV, "coefficients of variation of a load with a single stage"),
    AXIS("cores", DLQ_UNIT_COUNT, 1, 1e6, DLQ_AXIS_CORES, "cores of a host"),
    AXIS("bandwidth", DLQ_UNIT_RATE, 1, 1e18, DLQ_AXIS_BANDWIDTH, "of a host"),
    AXIS("startup", DLQ_UNIT_TIME, 0, 1e9, DLQ_AXIS_STARTUP, "values of overheads.startup"),
    AXIS("startup_per_loader", DLQ_UNIT_TIME, 0, 1e9, DLQ_AXIS_STARTUP_PER_LOADER,
         "values of overheads.startup_per_loader"),
    AXIS("batch_size", DLQ_UNIT_COUNT, 1, 1e9, DLQ_AXIS_BATCH_SIZE,
         "samples per batch of one rank; stages per sample and bytes change too"),
    AXIS("cache", DLQ_UNIT_SHARE, 0, 1, DLQ_AXIS_CACHE, "shares of the data set that fit into the cache"),
    AXIS("threads", DLQ_UNIT_COUNT, 1, DLQ_MOST_THREADS, DLQ_AXIS_THREADS, "threads within a load"),
    AXIS("contention", DLQ_UNIT_SHARE, 0, 1, DLQ_AXIS_CONTENTION, "values of host.contention"),
    AXIS("storage", DLQ_UNIT_RATE, 1, 1e18, DLQ_AXIS_STORAGE, "bandwidths of the storage"),
    AXIS("step_cv", DLQ_UNIT_RATIO, 0, 1000, DLQ_AXIS_STEP_CV,
         "coefficients of variation of a step with a single stage"),
    AXIS("receive", DLQ_UNIT_TIME, 0, 1e9, DLQ_AXIS_RECEIVE, "values of overheads.receive"),
    AXIS("pin_time", DLQ_UNIT_TIME, 0, 1e9, DLQ_AXIS_PIN_TIME, "values of overheads.pin_time"),
    AXIS("barrier", DLQ_UNIT_TIME, 0, 1e9, DLQ_AXIS_BARRIER, "values of overheads.barrier"),
};

const struct dlq_section dlq_sweep_section =
    DLQ_SECTION("sweep", sweep_options, .help = "one or two axes (default: loaders x load)");

/* Offset of the axis's value in struct dlq_system: a double, or a long if there is a function `count` that sets or
   refuses it. work: offset of the work whose mean is the value, or whose cv, if `at` is 0; 0: none. */
struct row {
    size_t at;
    bool (*count)(struct dlq_system *system, long value, char *why, size_t size);
    size_t work;
};

#define AT(member) offsetof(struct dlq_system, member)
static const struct row rows[DLQ_AXES] = {
    [DLQ_AXIS_LOADERS] = {AT(pipeline.loaders), .count = dlq_system_set_loaders},
    [DLQ_AXIS_LOAD] = {AT(load.mean), .work = AT(load)},
    [DLQ_AXIS_PREFETCH] = {AT(pipeline.prefetch), .count = dlq_system_set_prefetch},
    [DLQ_AXIS_RANKS] = {AT(pipeline.ranks), .count = dlq_system_set_ranks},
    [DLQ_AXIS_STEP] = {AT(step.mean), .work = AT(step)},
    [DLQ_AXIS_CV] = {.work = AT(load)},
    [DLQ_AXIS_STEP_CV] = {.work = AT(step)},
    [DLQ_AXIS_CORES] = {.at = AT(host.cores)},
    [DLQ_AXIS_BANDWIDTH] = {.at = AT(host.bandwidth)},
    [DLQ_AXIS_STARTUP] = {.at = AT(overheads.startup)},
    [DLQ_AXIS_STARTUP_PER_LOADER] = {.at = AT(overheads.startup_per_loader)},
    [DLQ_AXIS_BATCH_SIZE] = {AT(pipeline.batch_size), .count = dlq_system_set_batch_size},
    [DLQ_AXIS_CACHE] = {.at = AT(cache.share)},
    [DLQ_AXIS_THREADS] = {AT(pipeline.threads), .count = dlq_system_set_threads},
    [DLQ_AXIS_CONTENTION] = {.at = AT(host.contention)},
    [DLQ_AXIS_STORAGE] = {.at = AT(storage.bandwidth)},
    [DLQ_AXIS_RECEIVE] = {.at = AT(overheads.receive)},
    [DLQ_AXIS_PIN_TIME] = {.at = AT(overheads.pin_time)},
    [DLQ_AXIS_BARRIER] = {.at = AT(overheads.barrier)},
};

static bool is_cv(enum dlq_axis_name axis)
{
    return rows[axis].work > 0 && rows[axis].at == 0;
}

const char *dlq_axis_key(enum dlq_axis_name axis)
{
    return axis == DLQ_AXIS_DELIVERY ? "delivery" : sweep_options[axis].key;
}

bool dlq_axis_is_whole(enum dlq_axis_name axis)
{
    return sweep_options[axis].unit == DLQ_UNIT_COUNT;
}

bool dlq_axis_set(enum dlq_axis_name axis, struct dlq_system *system, double value, char *why, size_t size)
{
    if (axis == DLQ_AXIS_DELIVERY)
        return value == 0 || dlq_system_set_unordered(system, why, size);
    struct dlq_work *work = (struct dlq_work *)(void *)((char *)system + rows[axis].work);
    if (is_cv(axis))
        return dlq_work_set_cv(work, value, why, size);
    if (rows[axis].count != NULL)
        return rows[axis].count(system, (long)value, why, size);
    if (rows[axis].work > 0)
        dlq_work_set_mean(work, value);
    else
        *(double *)(void *)((char *)system + rows[axis].at) = value;
    if (axis != DLQ_AXIS_CACHE || system->cache.given)
        return true;
    snprintf(why, size, "cache: there is no [cache]");
    return false;
}

double dlq_axis_get(enum dlq_axis_name axis, const struct dlq_system *system)
{
    if (axis == DLQ_AXIS_DELIVERY)
        return 0;
    if (axis == DLQ_AXIS_CACHE)
        return dlq_system_cache_share(system);
    const void *work = (const char *)system + rows[axis].work, *field = (const char *)system + rows[axis].at;
    if (is_cv(axis)) /* of one unit of the stage, as dlq_work_set_cv sets it */
        return dlq_dist_cv(&((const struct dlq_work *)work)->stages[0].dist);
    return rows[axis].count != NULL ? (double)*(const long *)field : *(const double *)field;
}
