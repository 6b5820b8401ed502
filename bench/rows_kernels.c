#include "groups.h"
#include "yardsticks.h"

/* The case that simulators are compared on: 8 loaders, prefetch 2, loads of 0.7 s, steps of 0.1 s. */
#define EXPONENTIAL "load.mean=700ms; step.mean=100ms; pipeline.loaders=8; load.distribution=exponential; "
#define LOGNORMAL "load.mean=700ms; step.mean=100ms; pipeline.loaders=8; load.distribution=lognormal; load.cv=1; "

/* Every replication with draws of its own. */
#define ONE_POINT(SETTINGS)                                                                                            \
    .subject.kind = &bench_simulate, .subject.setup = {.settings = (SETTINGS), .batches = 4000, .replications = 64}
/* The replications of 64 mean load times on common draws. */
#define MANY_POINTS(SETTINGS)                                                                                          \
    .subject.kind = &bench_systems,                                                                                    \
    .subject.setup = {.settings = (SETTINGS), .batches = 4000, .replications = 16, .points = 64}

#define EVENTS(NAME, PIPELINE)                                                                                         \
    .yardstick.name = (NAME), .yardstick.kind = &bench_events, .yardstick.setup.detail = &(PIPELINE)
#define BARE(CASE) .yardstick.name = "bare recursion", .yardstick.kind = &bench_bare, .yardstick.setup.detail = &(CASE)
#define NUMPY(LAW) .yardstick.name = "NumPy", .yardstick.kind = &bench_numpy, .yardstick.setup.detail = (LAW)

#define EXPONENTIAL_LOAD                                                                                               \
    {                                                                                                                  \
        BENCH_EXPONENTIAL, 0.7, 1                                                                                      \
    }
#define LOGNORMAL_LOAD                                                                                                 \
    {                                                                                                                  \
        BENCH_LOGNORMAL, 0.7, 1                                                                                        \
    }
#define CONSTANT_STEP                                                                                                  \
    {                                                                                                                  \
        BENCH_CONSTANT, 0.1, 0                                                                                         \
    }
#define EXPONENTIAL_STEP                                                                                               \
    {                                                                                                                  \
        BENCH_EXPONENTIAL, 0.1, 1                                                                                      \
    }

static const struct bench_pipeline exponential = {BENCH_ROUND_ROBIN, true, 8, 2, EXPONENTIAL_LOAD, CONSTANT_STEP};
static const struct bench_pipeline lognormal = {BENCH_ROUND_ROBIN, true, 8, 2, LOGNORMAL_LOAD, CONSTANT_STEP};
static const struct bench_pipeline owner = {BENCH_OWNER, false, 8, 2, LOGNORMAL_LOAD, CONSTANT_STEP};
static const struct bench_pipeline pool = {BENCH_POOL, false, 8, 2, EXPONENTIAL_LOAD, EXPONENTIAL_STEP};
static const struct bench_pipeline pool_ordered = {BENCH_POOL, true, 8, 2, LOGNORMAL_LOAD, CONSTANT_STEP};
static const struct bench_pipeline single = {BENCH_ROUND_ROBIN, true, 1, 2, {BENCH_LOGNORMAL, 0.7 / 8, 1},
                                             CONSTANT_STEP};

static const struct bench_bare_case index_8 = {bench_bare_index, 8, BENCH_INDEX_LANES, 16, 0.7, 0.1};
static const struct bench_bare_case index_64 = {bench_bare_index, 64, BENCH_INDEX_LANES, 128, 5.6, 0.1};
static const struct bench_bare_case pool_8 = {bench_bare_pool, BENCH_POOL_LOADERS, BENCH_POOL_LANES, 16, 0.7, 0.1};

static const struct bench_row rows[] = {
    {"pytorch, exponential", "batch", ONE_POINT(EXPONENTIAL), EVENTS("event loop", exponential)},
    {"pytorch, exponential", "batch", ONE_POINT(EXPONENTIAL), NUMPY("exponential")},
    {"pytorch, lognormal", "batch", ONE_POINT(LOGNORMAL), EVENTS("event loop", lognormal)},
    {"pytorch, lognormal", "batch", ONE_POINT(LOGNORMAL), NUMPY("lognormal")},
    {"pytorch, 64 load times", "batch", MANY_POINTS(LOGNORMAL), BARE(index_8)},
    {"pytorch, 64 loaders, 64 load times", "batch", MANY_POINTS(LOGNORMAL "load.mean=5.6s; pipeline.loaders=64"),
     BARE(index_64)},
    {"pytorch-unordered", "batch", ONE_POINT(LOGNORMAL "pipeline.loader=pytorch-unordered"),
     EVENTS("event loop", owner)},
    {"pool, exponential load and step", "batch",
     ONE_POINT(EXPONENTIAL "step.distribution=exponential; pipeline.loader=pool"), EVENTS("event loop", pool)},
    {"pool, 64 load times", "batch", MANY_POINTS(LOGNORMAL "pipeline.loader=pool"), BARE(pool_8)},
    {"pool-ordered", "batch", ONE_POINT(LOGNORMAL "pipeline.loader=pool-ordered"), EVENTS("event loop", pool_ordered)},
    {"tfdata", "batch", ONE_POINT(LOGNORMAL "pipeline.loader=tfdata"), EVENTS("event loop, no relay", pool_ordered)},
    {"dali", "batch", ONE_POINT(LOGNORMAL "pipeline.loader=dali"), EVENTS("event loop", single)},
    {"serial", "batch", ONE_POINT(LOGNORMAL "pipeline.loader=serial; pipeline.loaders=0")},
    {"pytorch, 8 loaders on 4 cores", "batch", ONE_POINT(LOGNORMAL "load.uses=cpu; host.cores=4"),
     EVENTS("event loop, nothing shared", lognormal)},
    {"pytorch, pinned memory", "batch", ONE_POINT(LOGNORMAL "overheads.pin_time=5ms"),
     EVENTS("event loop, no pinning", lognormal)},
    {"pytorch, 8 ranks", "batch", .subject.kind = &bench_simulate,
     .subject.setup = {.settings = LOGNORMAL, .batches = 1000, .replications = 32, .ranks = 8},
     EVENTS("event loop, one rank", lognormal)},
};

const struct bench_group bench_kernels = {"kernels", "a batch of one point, draws included", false, rows,
                                          sizeof rows / sizeof *rows};
