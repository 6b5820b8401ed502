#include "cases.h"

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

const struct bench_pipeline bench_in_order_exponential = {BENCH_ROUND_ROBIN, true,         8, 2,
                                                          EXPONENTIAL_LOAD,  CONSTANT_STEP};
const struct bench_pipeline bench_in_order = {BENCH_ROUND_ROBIN, true, 8, 2, LOGNORMAL_LOAD, CONSTANT_STEP};
const struct bench_pipeline bench_as_owned = {BENCH_OWNER, false, 8, 2, LOGNORMAL_LOAD, CONSTANT_STEP};
const struct bench_pipeline bench_pool = {BENCH_POOL, false, 8, 2, LOGNORMAL_LOAD, CONSTANT_STEP};
const struct bench_pipeline bench_pool_exponential = {BENCH_POOL, false, 8, 2, EXPONENTIAL_LOAD, EXPONENTIAL_STEP};
const struct bench_pipeline bench_pool_in_order = {BENCH_POOL, true, 8, 2, LOGNORMAL_LOAD, CONSTANT_STEP};
const struct bench_pipeline bench_single = {BENCH_ROUND_ROBIN, true, 1, 2, {BENCH_LOGNORMAL, 0.7 / 8, 1},
                                            CONSTANT_STEP};

const struct bench_bare_case bench_index_8 = {bench_bare_index, 8, BENCH_INDEX_LANES, 16, 0.7, 0.1};
const struct bench_bare_case bench_index_32 = {bench_bare_index, 32, BENCH_INDEX_LANES, 64, 2.8, 0.1};
const struct bench_bare_case bench_index_64 = {bench_bare_index, 64, BENCH_INDEX_LANES, 128, 5.6, 0.1};
const struct bench_bare_case bench_pool_8 = {bench_bare_pool, BENCH_POOL_LOADERS, BENCH_POOL_LANES, 16, 0.7, 0.1};
