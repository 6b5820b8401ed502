/* What a sweep may vary: a key of [sweep], and how a system's value of it is set and read. */
#include "study/options.h"

#include "model/model.h"

#include <stddef.h>
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
    AXIS("cv", DLQ_UNIT_RATIO, 0, 1000, DLQ_AXIS_CV, "coefficients of variation of the load, of a single stage"),
    AXIS("cores", DLQ_UNIT_COUNT, 1, 1e6, DLQ_AXIS_CORES, "cores of a host"),
    AXIS("bandwidth", DLQ_UNIT_RATE, 1, 1e18, DLQ_AXIS_BANDWIDTH, "of a host"),
    AXIS("startup", DLQ_UNIT_TIME, 0, 1e9, DLQ_AXIS_STARTUP, "start of the workers, of all"),
    AXIS("startup_per_loader", DLQ_UNIT_TIME, 0, 1e9, DLQ_AXIS_STARTUP_PER_LOADER, "and of each"),
    AXIS("batch_size", DLQ_UNIT_COUNT, 1, 1e9, DLQ_AXIS_BATCH_SIZE,
         "samples per batch of one rank: stages per sample and bytes follow"),
    AXIS("cache", DLQ_UNIT_SHARE, 0, 1, DLQ_AXIS_CACHE, "share of the data set that the cache holds"),
    AXIS("threads", DLQ_UNIT_COUNT, 1, DLQ_MOST_THREADS, DLQ_AXIS_THREADS, "within a load"),
};

const struct dlq_section dlq_sweep_section = {
    .name = "sweep",
    .help = "one or two axes (default: loaders x load)",
    .options = sweep_options,
    .count = sizeof sweep_options / sizeof *sweep_options,
};

static bool set_cv(struct dlq_system *system, double value, char *why, size_t size)
{
    return dlq_work_set_cv(&system->load, value, why, size);
}

/* Of one unit of the stage, as set_cv sets it. */
static double get_cv(const struct dlq_system *system)
{
    return dlq_dist_cv(&system->load.stages[0].dist);
}

/* A count of the pipeline, which the system may refuse. */
#define COUNT(name_)                                                                                                   \
    static bool set_##name_(struct dlq_system *system, double value, char *why, size_t size)                           \
    {                                                                                                                  \
        return dlq_system_set_##name_(system, (long)value, why, size);                                                 \
    }                                                                                                                  \
    static double get_##name_(const struct dlq_system *system)                                                         \
    {                                                                                                                  \
        return (double)system->pipeline.name_;                                                                         \
    }

/* What is set whatever else the system is. */
#define PLAIN(name_, member, assign)                                                                                   \
    static bool set_##name_(struct dlq_system *system, double value, char *why, size_t size)                           \
    {                                                                                                                  \
        (void)why;                                                                                                     \
        (void)size;                                                                                                    \
        assign;                                                                                                        \
        return true;                                                                                                   \
    }                                                                                                                  \
    static double get_##name_(const struct dlq_system *system)                                                         \
    {                                                                                                                  \
        return system->member;                                                                                         \
    }

COUNT(loaders)
COUNT(prefetch)
COUNT(ranks)
COUNT(batch_size)
COUNT(threads)
PLAIN(cores, host.cores, system->host.cores = value)
PLAIN(bandwidth, host.bandwidth, system->host.bandwidth = value)
PLAIN(startup, overheads.startup, system->overheads.startup = value)
PLAIN(startup_per_loader, overheads.startup_per_loader, system->overheads.startup_per_loader = value)
PLAIN(load, load.mean, dlq_work_set_mean(&system->load, value))
PLAIN(step, step.mean, dlq_work_set_mean(&system->step, value))

static bool set_cache(struct dlq_system *system, double value, char *why, size_t size)
{
    if (!system->cache.given)
        snprintf(why, size, "cache: there is no [cache]");
    system->cache.share = value;
    return system->cache.given;
}

static double get_cache(const struct dlq_system *system)
{
    return dlq_system_cache_share(system);
}

#define ROW(name_)                                                                                                     \
    {                                                                                                                  \
#name_, set_##name_, get_##name_                                                                               \
    }

const struct dlq_axis_row dlq_axis_rows[DLQ_AXES] = {
    [DLQ_AXIS_LOADERS] = ROW(loaders),
    [DLQ_AXIS_LOAD] = ROW(load),
    [DLQ_AXIS_PREFETCH] = ROW(prefetch),
    [DLQ_AXIS_RANKS] = ROW(ranks),
    [DLQ_AXIS_STEP] = ROW(step),
    [DLQ_AXIS_CV] = ROW(cv),
    [DLQ_AXIS_CORES] = ROW(cores),
    [DLQ_AXIS_BANDWIDTH] = ROW(bandwidth),
    [DLQ_AXIS_STARTUP] = ROW(startup),
    [DLQ_AXIS_STARTUP_PER_LOADER] = ROW(startup_per_loader),
    [DLQ_AXIS_BATCH_SIZE] = ROW(batch_size),
    [DLQ_AXIS_CACHE] = ROW(cache),
    [DLQ_AXIS_THREADS] = ROW(threads),
};
