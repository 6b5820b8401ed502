#include "cases.h"
#include "groups.h"

/* Every replication with draws of its own; a million batches, so that setting up counts for little. Simulation alone:
   the lower bound of a point, which dlq_simulate adds, takes as long as ten million batches. */
#define ONE_POINT(SETTINGS)                                                                                            \
    .subject.kind = &bench_systems, .subject.setup = {.settings = (SETTINGS), .batches = 16000, .replications = 64}
/* Of loads that are simulated by events, which takes longer. */
#define SHORT_POINT(SETTINGS)                                                                                          \
    .subject.kind = &bench_systems, .subject.setup = {.settings = (SETTINGS), .batches = 4000, .replications = 64}
/* The replications of 64 mean load times on common draws. */
#define MANY_POINTS(SETTINGS)                                                                                          \
    .subject.kind = &bench_systems,                                                                                    \
    .subject.setup = {.settings = (SETTINGS), .batches = 4000, .replications = 16, .points = 64}

/* Delivery by completion where ranks meet: a batch of a rank. */
#define UNORDERED_RANKS(NAME, COUNT, STEPS)                                                                            \
    {                                                                                                                  \
        "pytorch-unordered, " NAME " ranks", "batch",                                                                  \
            .subject.kind = &bench_systems,                                                                            \
            .subject.setup = {.settings = BENCH_LOGNORMAL_CASE THROUGHPUT "pipeline.loader=pytorch-unordered",         \
                              .batches = (STEPS),                                                                      \
                              .replications = 16,                                                                      \
                              .ranks = (COUNT)},                                                                       \
            BENCH_EVENTS("event loop, one rank", bench_as_owned)                                                       \
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
    UNORDERED_RANKS("8", 8, 2000),
    UNORDERED_RANKS("64", 64, 1000),
    UNORDERED_RANKS("256", 256, 1000),
    {"pool, exponential load and step", "batch",
     ONE_POINT(BENCH_EXPONENTIAL_CASE "step.distribution=exponential; pipeline.loader=pool"),
     BENCH_EVENTS("event loop", bench_pool_exponential)},
    {"pool-ordered", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=pool-ordered"),
     BENCH_EVENTS("event loop", bench_pool_in_order)},
    {"tfdata", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=tfdata"),
     BENCH_EVENTS("event loop, no relay", bench_pool_in_order)},
    {"dali", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=dali"), BENCH_EVENTS("event loop", bench_single)},
    {"serial", "batch", ONE_POINT(BENCH_LOGNORMAL_CASE "pipeline.loader=serial; pipeline.loaders=0")},
    {"pytorch, 8 loaders on 4 cores", "batch", SHORT_POINT(BENCH_LOGNORMAL_CASE "load.uses=cpu; host.cores=4"),
     BENCH_EVENTS("event loop, nothing shared", bench_in_order)},
    {"pytorch, pinned memory", "batch", SHORT_POINT(BENCH_LOGNORMAL_CASE "overheads.pin_time=5ms"),
     BENCH_EVENTS("event loop, no pinning", bench_in_order)},
};

const struct bench_group bench_kernels = {"kernels", "a batch of one point, draws included", false, rows,
                                          sizeof rows / sizeof *rows};
