#include "subject.h"
#include "variates.h"
#include "yardsticks.h"

#include <stdlib.h>

enum { LOADS = 1 << 15, BATCHES = 1 << 16, MOST_LANES = BENCH_INDEX_LANES, SEED = 1 };

struct bare {
    const struct bench_bare_case *which;
    struct bench_bare bare;
    double means[MOST_LANES], delivered[MOST_LANES];
    double loads[LOADS];
};

static enum dlq_status bare_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                  struct dlq_error *error)
{
    (void)run;
    struct bare *bare = calloc(1, sizeof *bare);
    if (bare == NULL)
        return dlq_error_memory(error, "setting up a bare recursion");
    const struct bench_bare_case *which = bare->which = setup->detail;
    struct bench_random random;
    bench_seed(&random, SEED);
    for (size_t i = 0; i < LOADS; i++)
        bare->loads[i] = bench_exponential(&random, 1);
    for (int lane = 0; lane < which->lanes; lane++)
        bare->means[lane] = which->load * (0.5 + (double)lane / (double)(which->lanes - 1));
    bare->bare = (struct bench_bare){.loaders = which->loaders,
                                     .window = which->window,
                                     .loads = bare->loads,
                                     .load_count = LOADS,
                                     .means = bare->means,
                                     .step = which->step};
    *state = bare;
    return DLQ_OK;
}

static enum dlq_status bare_piece(void *state, double *amount, struct dlq_error *error)
{
    struct bare *bare = state;
    if (!bare->which->recur(&bare->bare, BATCHES, bare->delivered))
        return dlq_error_memory(error, "running a bare recursion");
    *amount = (double)BATCHES * bare->which->lanes;
    return DLQ_OK;
}

const struct bench_kind bench_bare = {bare_begin, bare_piece, free};
