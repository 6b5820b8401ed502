#include "cases.h"
#include "groups.h"

/* Every replication with draws of its own; a million batches, so that setting up counts for little. Simulation alone:
   the lower bound of a point, which dlq_simulate adds, takes as long as ten million batches. */
#define ONE_POINT(SETTINGS)                                                                                            \
    .subject.kind = &bench_systems, .subject.setup = {.settings = (SETTINGS), .batches = 16000, .replications = 64}
/* The replications of 64 mean load times on common draws. */
#define MANY_POINTS(SETTINGS)                                                                                          \
    .subject.kind = &bench_systems,                                                                                    \
    .subject.setup = {.settings = (SETTINGS), .batches = 4000, .replications = 16, .points = 64}

/* Delivery by completion where ranks meet: a batch of a rank; alone, or of 16 mean load times on common draws. */
#define UNORDERED_RANKS(COUNT, STEPS, POINTS, NAME)                                                                    \
    {                                                                                                                  \
        "pytorch-unordered, " #COUNT " ranks" NAME, "batch",                                                           \
            .subject.kind = &bench_systems,                                                                            \
            .subject.setup = {.settings = BENCH_LOGNORMAL_CASE THROUGHPUT "pipeline.loader=pytorch-unordered",         \
                              .batches = (STEPS),                                                                      \
                              .replications = 16,                                                                      \
                              .points = (POINTS),                                                                      \
                              .ranks = (COUNT)},                                                                       \
            BENCH_EVENTS("event loop, one rank", bench_as_owned)                                                       \
    }
/* Loads that share, and a thread that pins: by events, or in lanes where there are any for them. */
#define SHARING(NAME, SETTINGS, COUNT, POINTS)                                                                         \
    {                                                                                                                  \
        NAME, "batch", .subject.kind = &bench_systems,                                                                 \
                       .subject.setup = {.settings = (SETTINGS),                                                       \
                                         .batches = 4000,                                                              \
                                         .replications = 16,                                                           \
                                         .points = (POINTS),                                                           \
                                         .ranks = (COUNT)},                                                            \
                       BENCH_EVENTS("event loop, nothing shared", bench_in_order)                                      \
    }
#define FOUR_CORES BENCH_LOGNORMAL_CASE "load.uses=cpu; host.cores=4; "
#define DECODE "step.mean=100ms; pipeline.loaders=8; load.decode.mean=350ms; load.decode.cv=1; load.decode.uses=cpu; "
#define READ                                                                                                           \
    "load.read.uses=storage; load.read.bytes=70MB; load.read.stream_rate=200MB/s; storage.bandwidth=1GB/s; "           \
    "host.cores=4"
/* As the posts that count in ticks have it, beside the same pool without. */
#define WITHIN(NAME, SETTINGS)                                                                                         \
    {                                                                                                                  \
        "pool" NAME, "batch",                                                                                          \
            .subject.kind = &bench_systems,                                                                            \
            .subject.setup = {.settings = BENCH_LOGNORMAL_CASE "pipeline.loader=pool; " SETTINGS,                      \
                              .replications = 4000},                                                                   \
            .yardstick = {                                                                                             \
                "pool, 300 batches",                                                                                   \
                &bench_systems,                                                                                        \
                {.settings = BENCH_LOGNORMAL_CASE "pipeline.loader=pool", .batches = 300, .replications = 4000}        \
            }                                                                                                          \
    }

#define THROUGHPUT "simulate.measure=throughput; "
#define MEANS "simulate.measure=means; "

/* One point, as much and as little as can be measured. */
#define BESIDE_NUMPY(LAW, SETTINGS)                                                                                    \
    {"pytorch, " LAW, "batch", ONE_POINT(SETTINGS), BENCH_NUMPY(LAW)},                                                 \
    {                                                                                                                  \
        "pytorch, " LAW ", throughput alone", "batch", ONE_POINT(SETTINGS THROUGHPUT), BENCH_NUMPY(LAW)                \
    }
#define BESIDE_EVENTS(LOADER, PIPELINE)                                                                                \
    {LOADER ", 64 load times, throughput alone", "batch",                                                              \
     MANY_POINTS(BENCH_LOGNORMAL_CASE THROUGHPUT "pipeline.loader=" LOADER), BENCH_EVENTS("event loop", PIPELINE)},    \
    {                                                                                                                  \
        LOADER ", 64 load times, means", "batch", MANY_POINTS(BENCH_LOGNORMAL_CASE MEANS "pipeline.loader=" LOADER),   \
            BENCH_EVENTS("event loop", PIPELINE)                                                                       \
    }

static const struct bench_row rows[] = {
    BESIDE_NUMPY("exponential", BENCH_EXPONENTIAL_CASE),
    BESIDE_NUMPY("lognormal", BENCH_LOGNORMAL_CASE),
    {"pytorch, exponential", "batch", ONE_POINT(BENCH_EXPONENTIAL_CASE),
     BENCH_EVENTS("event loop", bench_in_order_exponential)},
    {"pytorch, lognormal", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE), BENCH_EVENTS("event loop", bench_in_order)},
    BESIDE_EVENTS("pytorch", bench_in_order),
    BESIDE_EVENTS("pool", bench_pool),
    BESIDE_EVENTS("pytorch-unordered", bench_as_owned),
    {"pytorch, 64 load times", "batch", MANY_POINTS(BENCH_LOGNORMAL_CASE), BENCH_BARE(bench_index_8)},
    {"pytorch, 64 load times, throughput alone", "batch", MANY_POINTS(BENCH_LOGNORMAL_CASE THROUGHPUT),
     BENCH_BARE(bench_index_8)},
    {"pytorch, 64 loaders, 64 load times", "batch",
     MANY_POINTS(BENCH_LOGNORMAL_CASE "load.mean=5.6s; pipeline.loaders=64"), BENCH_BARE(bench_index_64)},
    {"pool, 64 load times", "batch", MANY_POINTS(BENCH_LOGNORMAL_CASE "pipeline.loader=pool"),
     BENCH_BARE(bench_pool_8)},
    {"pytorch-unordered", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=pytorch-unordered"),
     BENCH_EVENTS("event loop", bench_as_owned)},
    UNORDERED_RANKS(8, 2000, 1, ""),
    UNORDERED_RANKS(64, 1000, 1, ""),
    UNORDERED_RANKS(256, 1000, 1, ""),
    UNORDERED_RANKS(8, 2000, 16, ", 16 load times"),
    UNORDERED_RANKS(64, 1000, 16, ", 16 load times"),
    UNORDERED_RANKS(256, 250, 16, ", 16 load times"),
    {"pool, exponential load and step", "batch",
     ONE_POINT(BENCH_EXPONENTIAL_CASE "step.distribution=exponential; pipeline.loader=pool"),
     BENCH_EVENTS("event loop", bench_pool_exponential)},
    {"pool-ordered", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=pool-ordered"),
     BENCH_EVENTS("event loop", bench_pool_in_order)},
    {"tfdata", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=tfdata"),
     BENCH_EVENTS("event loop, no relay", bench_pool_in_order)},
    {"dali", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=dali"), BENCH_EVENTS("event loop", bench_single)},
    {"serial", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=serial; pipeline.loaders=0")},
    SHARING("pytorch, 8 loaders on 4 cores", FOUR_CORES, 1, 1),
    SHARING("pytorch, 8 loaders on 4 cores, 64 load times", FOUR_CORES, 1, 64),
    SHARING("the same, unequal loaders", FOUR_CORES "pipeline.slow_loaders=2; pipeline.slow_factor=1.5", 1, 1),
    SHARING("the same, 8 ranks with a barrier", FOUR_CORES "host.cores=32; overheads.barrier=1ms", 8, 1),
    SHARING("the same, one of 8 ranks slow",
            FOUR_CORES "host.cores=32; pipeline.slow_ranks=1; pipeline.slow_factor=1.5", 8, 1),
    SHARING("pytorch, two stages on 4 cores", DECODE "load.read.mean=350ms; host.cores=4", 1, 1),
    SHARING("pytorch, 4 cores and 1 GB/s", DECODE READ, 1, 1),
    SHARING("pytorch, pinned memory", BENCH_LOGNORMAL_CASE "overheads.pin_time=5ms", 1, 1),
    WITHIN(", 30 s", "simulate.horizon=30s"),
    WITHIN(", 30 s in ticks", "simulate.horizon=30s; simulate.resolution=100ms"),
    WITHIN(" without bound, 30 s in ticks",
           "simulate.horizon=30s; simulate.resolution=100ms; pipeline.window=unbounded"),
};

const struct bench_group bench_kernels = {"kernels", "a batch of one point, draws included", false, rows,
                                          sizeof rows / sizeof *rows};
