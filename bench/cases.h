/* What rows of more than one group are made of. */
#pragma once

#include "yardsticks.h"

/* The case that simulators are compared on: 8 loaders, prefetch 2, loads of 0.7 s, steps of 0.1 s. */
#define BENCH_CASE "load.mean=700ms; step.mean=100ms; pipeline.loaders=8; "
#define BENCH_EXPONENTIAL_CASE BENCH_CASE "load.distribution=exponential; "
#define BENCH_LOGNORMAL_CASE BENCH_CASE "load.distribution=lognormal; load.cv=1; "

/* The same for the event loop; loads are lognormal except where said. */
extern const struct bench_pipeline bench_in_order_exponential, bench_in_order, bench_as_owned, bench_pool,
    bench_pool_exponential /* steps too */, bench_pool_in_order, bench_single;

/* The bare recursions: in order with 8, 32 and 64 loaders, each busy for 0.7 of the time; the pool's. */
extern const struct bench_bare_case bench_index_8, bench_index_32, bench_index_64, bench_pool_8;

#define BENCH_EVENTS(NAME, PIPELINE)                                                                                   \
    .yardstick.name = (NAME), .yardstick.kind = &bench_events, .yardstick.setup.detail = &(PIPELINE)
#define BENCH_BARE(CASE)                                                                                               \
    .yardstick.name = "bare recursion", .yardstick.kind = &bench_bare, .yardstick.setup.detail = &(CASE)
#define BENCH_NUMPY(LAW) .yardstick.name = "NumPy", .yardstick.kind = &bench_numpy, .yardstick.setup.detail = (LAW)
