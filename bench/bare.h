/* Yardsticks: the bare recursions over lanes that share loads drawn beforehand, as fast as this compiler makes them for
   this machine. No statistics, no warm-up, no options. */
#pragma once

#include <stdbool.h>

/* Lane l takes means[l] * loads[i] for batch i; each step takes `step`. Loads are used over and over. */
struct bench_bare {
    int loaders;
    long window;
    const double *loads; /* of mean 1 */
    long load_count;     /* a multiple of the window */
    const double *means;
    double step;
};

enum { BENCH_INDEX_LANES = 32, BENCH_POOL_LANES = 16, BENCH_POOL_LOADERS = 8 };

/* In order, round-robin: any number of loaders and any window. delivered[l]: when lane l received its last batch.
   false: no memory. */
bool bench_bare_index(const struct bench_bare *bare, long batches, double *delivered);
/* As completed, from a pool of BENCH_POOL_LOADERS loaders; batches: a multiple of the window. */
bool bench_bare_pool(const struct bench_bare *bare, long batches, double *delivered);
