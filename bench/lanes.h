/* The engine's innermost loops alone: what bench_lanes takes as the detail of its setup. */
#pragma once

#include "sim/lanes.h"

enum { BENCH_WIDEST = -1 };

struct bench_lane_case {
    enum dlq_lane_measure measure;
    int set; /* of instructions; BENCH_WIDEST: the best that this machine has */
};

/* Batches per second of simulated time that a point has had so far, mean over its lanes. */
double bench_lanes_throughput(const void *state, size_t point);
