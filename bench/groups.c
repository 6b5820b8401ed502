#include "groups.h"

const struct bench_group *const bench_groups[] = {
    &bench_memory, &bench_lane_rows, &bench_kernels, &bench_samplers, &bench_whole, &bench_growth, &bench_logs, NULL,
};
