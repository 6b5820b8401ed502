#include "cases.h"
#include "groups.h"
#include "lanes.h"

/* 4 points of 16 lanes. */
#define LANES(SETTINGS, CASE)                                                                                          \
    .unit = "batch", .subject.kind = &bench_lanes,                                                                     \
    .subject.setup = {                                                                                                 \
        .settings = BENCH_LOGNORMAL_CASE SETTINGS,                                                                     \
        .points = 4,                                                                                                   \
        .detail = &(CASE),                                                                                             \
    }
/* What a kernel adds to the times alone. */
#define MEASURES(NAME, SETTINGS, CASE)                                                                                 \
    {.name = NAME ", times", LANES(SETTINGS, times), BENCH_BARE(CASE)},                                                \
        {.name = NAME ", sums of waits", LANES(SETTINGS, sums), BENCH_BARE(CASE)},                                     \
    {                                                                                                                  \
        .name = NAME ", waits kept", LANES(SETTINGS, kept), BENCH_BARE(CASE)                                           \
    }

static const struct bench_lane_case times = {DLQ_LANE_TIMES, BENCH_WIDEST};
static const struct bench_lane_case sums = {DLQ_LANE_WAITS, BENCH_WIDEST};
static const struct bench_lane_case kept = {DLQ_LANE_SERIES, BENCH_WIDEST};
static const struct bench_lane_case avx512 = {DLQ_LANE_TIMES, DLQ_AVX512};
static const struct bench_lane_case avx2 = {DLQ_LANE_TIMES, DLQ_AVX2};
static const struct bench_lane_case portable = {DLQ_LANE_TIMES, DLQ_PORTABLE};

static const struct bench_row rows[] = {
    MEASURES("pytorch", "", bench_index_8),
    MEASURES("pytorch, 64 loaders", "pipeline.loaders=64; load.mean=5.6s", bench_index_64),
    MEASURES("pool", "pipeline.loader=pool", bench_pool_8),
    MEASURES("pytorch-unordered", "pipeline.loader=pytorch-unordered", bench_pool_8),
    MEASURES("pool-ordered", "pipeline.loader=pool-ordered", bench_pool_8),
    MEASURES("tfdata", "pipeline.loader=tfdata", bench_pool_8),
    {.name = "pytorch, avx512", LANES("", avx512), BENCH_BARE(bench_index_8)},
    {.name = "pytorch, avx2", LANES("", avx2), BENCH_BARE(bench_index_8)},
    {.name = "pytorch, portable", LANES("", portable), BENCH_BARE(bench_index_8)},
    {.name = "pytorch, times", LANES("", times), BENCH_EVENTS("event loop", bench_in_order)},
    {.name = "pool, times", LANES("pipeline.loader=pool", times), BENCH_EVENTS("event loop", bench_pool)},
    {.name = "pytorch-unordered, times",
     LANES("pipeline.loader=pytorch-unordered", times),
     BENCH_EVENTS("event loop", bench_as_owned)},
};

const struct bench_group bench_lane_rows = {"lanes",
                                            "a batch of one lane, the innermost loops on loads drawn beforehand", false,
                                            rows, sizeof rows / sizeof *rows};
