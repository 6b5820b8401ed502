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

static bool set_loaders(struct dlq_system *system, double value, char *why, size_t size)
{
    return dlq_system_set_loaders(system, (long)value, why, size);
}

static bool set_load(struct dlq_system *system, double value, char *why, size_t size)
{
    (void)why;
    (void)size;
    dlq_work_set_mean(&system->load, value);
    return true;
}

static bool set_prefetch(struct dlq_system *system, double value, char *why, size_t size)
{
    return dlq_system_set_prefetch(system, (long)value, why, size);
}

static bool set_ranks(struct dlq_system *system, double value, char *why, size_t size)
{
    return dlq_system_set_ranks(system, (long)value, why, size);
}

static bool set_step(struct dlq_system *system, double value, char *why, size_t size)
{
    (void)why;
    (void)size;
    dlq_work_set_mean(&system->step, value);
    return true;
}

static bool set_cv(struct dlq_system *system, double value, char *why, size_t size)
{
    return dlq_work_set_cv(&system->load, value, why, size);
}

static double get_loaders(const struct dlq_system *system)
{
    return (double)system->pipeline.loaders;
}

static double get_load(const struct dlq_system *system)
{
    return system->load.mean;
}

static double get_prefetch(const struct dlq_system *system)
{
    return (double)system->pipeline.prefetch;
}

static double get_ranks(const struct dlq_system *system)
{
    return (double)system->pipeline.ranks;
}

static double get_step(const struct dlq_system *system)
{
    return system->step.mean;
}

/* Of one unit of the stage, as set_cv sets it. */
static double get_cv(const struct dlq_system *system)
{
    return dlq_dist_cv(&system->load.stages[0].dist);
}

/* A system in which one number is set, whatever else it is. */
#define PLAIN(name_, member)                                                                                           \
    static bool set_##name_(struct dlq_system *system, double value, char *why, size_t size)                           \
    {                                                                                                                  \
        (void)why;                                                                                                     \
        (void)size;                                                                                                    \
        system->member = value;                                                                                        \
        return true;                                                                                                   \
    }                                                                                                                  \
    static double get_##name_(const struct dlq_system *system)                                                         \
    {                                                                                                                  \
        return system->member;                                                                                         \
    }

PLAIN(cores, host.cores)
PLAIN(bandwidth, host.bandwidth)
PLAIN(startup, overheads.startup)
PLAIN(startup_per_loader, overheads.startup_per_loader)

static bool set_batch_size(struct dlq_system *system, double value, char *why, size_t size)
{
    return dlq_system_set_batch_size(system, (long)value, why, size);
}

static double get_batch_size(const struct dlq_system *system)
{
    return (double)system->pipeline.batch_size;
}

static bool set_threads(struct dlq_system *system, double value, char *why, size_t size)
{
    return dlq_system_set_threads(system, (long)value, why, size);
}

static double get_threads(const struct dlq_system *system)
{
    return (double)system->pipeline.threads;
}

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
