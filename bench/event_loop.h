/* Yardstick: the same pipelines as an event-driven program simulates them, one event after the other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum bench_law { BENCH_CONSTANT, BENCH_EXPONENTIAL, BENCH_LOGNORMAL };

/* A random time: the cv counts for the lognormal law alone. */
struct bench_time {
    enum bench_law law;
    double mean, cv;
};

/* round robin: batch i goes to loader i mod N; pool: to one that is free; owner: to the loader whose batch was just
   taken. */
enum bench_assign { BENCH_ROUND_ROBIN, BENCH_POOL, BENCH_OWNER };

struct bench_pipeline {
    enum bench_assign assign;
    bool in_order; /* delivered by index; else as they finish */
    int loaders, prefetch;
    struct bench_time load, step;
};

struct bench_event_loop; /* opaque */

/* Null: no memory. */
struct bench_event_loop *bench_event_loop_new(const struct bench_pipeline *pipeline, uint64_t seed);
/* Runs until `steps` more steps have ended, and returns the time at which the last one did. */
double bench_event_loop_run(struct bench_event_loop *loop, long steps);
void bench_event_loop_free(struct bench_event_loop *loop);
