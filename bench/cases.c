#include "cases.h"

/* Loaders, what is prefetched, and times: of loads 0.7 s, of steps 0.1 s. */
#define EIGHT_OF(LAW)                                                                                                  \
    8, 2,                                                                                                              \
    {                                                                                                                  \
        BENCH_##LAW, 0.7, 1                                                                                            \
    }
#define STEPS_OF(LAW)                                                                                                  \
    {                                                                                                                  \
        BENCH_##LAW, 0.1, 1                                                                                            \
    }

const struct bench_pipeline bench_in_order_exponential = {BENCH_ROUND_ROBIN, true, EIGHT_OF(EXPONENTIAL),
                                                          STEPS_OF(CONSTANT)};
const struct bench_pipeline bench_in_order = {BENCH_ROUND_ROBIN, true, EIGHT_OF(LOGNORMAL), STEPS_OF(CONSTANT)};
const struct bench_pipeline bench_as_owned = {BENCH_OWNER, false, EIGHT_OF(LOGNORMAL), STEPS_OF(CONSTANT)};
const struct bench_pipeline bench_pool = {BENCH_POOL, false, EIGHT_OF(LOGNORMAL), STEPS_OF(CONSTANT)};
const struct bench_pipeline bench_pool_exponential = {BENCH_POOL, false, EIGHT_OF(EXPONENTIAL), STEPS_OF(EXPONENTIAL)};
const struct bench_pipeline bench_pool_in_order = {BENCH_POOL, true, EIGHT_OF(LOGNORMAL), STEPS_OF(CONSTANT)};
const struct bench_pipeline bench_single = {BENCH_ROUND_ROBIN, true, 1, 2, {BENCH_LOGNORMAL, 0.7 / 8, 1},
                                            STEPS_OF(CONSTANT)};

const struct bench_bare_case bench_index_8 = {bench_bare_index, 8, BENCH_INDEX_LANES, 16, 0.7, 0.1};
const struct bench_bare_case bench_index_32 = {bench_bare_index, 32, BENCH_INDEX_LANES, 64, 2.8, 0.1};
const struct bench_bare_case bench_index_64 = {bench_bare_index, 64, BENCH_INDEX_LANES, 128, 5.6, 0.1};
const struct bench_bare_case bench_pool_8 = {bench_bare_pool, BENCH_POOL_LOADERS, BENCH_POOL_LANES, 16, 0.7, 0.1};
