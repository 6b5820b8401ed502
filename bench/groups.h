/* The rows of the table, in groups. */
#pragma once

#include "subject.h"

#include <stddef.h>

struct bench_row {
    const char *name, *unit; /* of a unit of work */
    struct bench_subject subject, yardstick;
    bool long_only; /* left out with --quick */
};

struct bench_group {
    const char *name, *title;
    bool memory; /* peak memory is measured, not time */
    const struct bench_row *rows;
    size_t count;
};

extern const struct bench_group bench_memory, bench_lane_rows, bench_kernels, bench_samplers, bench_whole, bench_growth,
    bench_logs;

/* All groups, null-terminated, in the order in which they are measured: memory first, while this process is small. */
extern const struct bench_group *const bench_groups[];
