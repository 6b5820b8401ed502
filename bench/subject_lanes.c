#include "lanes.h"
#include "model.h"
#include "sim/measure.h"
#include "study/model.h"
#include "variates.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* The loads of 8 blocks, a quarter of a megabyte, are used over and over: as many as the bare recursions have. */
enum { BLOCKS = 8, ROUNDS = 4, SEED = 1 };

struct lanes {
    const struct bench_lane_case *which;
    struct dlq_model *model;
    const struct dlq_lane_kernel *kernel;
    size_t count;
    struct dlq_point *points;
    struct dlq_lane_state *states;
    struct dlq_arena arena; /* what the states own */
    double *loads, *steps;
    struct dlq_lane_record record;
    double batches; /* so far, of each point's lanes */
    int set;
};

static void lanes_end(void *state)
{
    struct lanes *lanes = state;
    dlq_arena_end(&lanes->arena);
    dlq_model_free(lanes->model);
    free(lanes->points);
    free(lanes->states);
    free(lanes->loads);
    free(lanes->steps);
    free(lanes->record.waits);
    free(lanes->record.slack);
    free(lanes);
}

static double *new_rows(size_t count)
{
    const size_t row = DLQ_LANES * sizeof(double);
    return aligned_alloc(row, count * row);
}

/* Lognormal of mean 1 and cv 1, whatever the model's law is: ln S is normal with variance ln 2 and mean -ln 2 / 2. */
static void draw(double *loads, size_t count)
{
    const double variance = log(2);
    struct bench_random random;
    bench_seed(&random, SEED);
    for (size_t i = 0; i < count; i++)
        loads[i] = exp(sqrt(variance) * bench_normal(&random) - variance / 2);
}

static enum dlq_status make_rows(struct lanes *lanes, struct dlq_error *error)
{
    size_t rows = (size_t)BLOCKS * DLQ_BLOCK + lanes->kernel->ahead(lanes->points);
    lanes->loads = new_rows(rows);
    lanes->steps = new_rows(DLQ_BLOCK);
    lanes->record = (struct dlq_lane_record){new_rows(DLQ_BLOCK), new_rows(DLQ_BLOCK)};
    if (lanes->loads == NULL || lanes->steps == NULL || lanes->record.waits == NULL || lanes->record.slack == NULL)
        return dlq_error_memory(error, "setting up lanes");
    draw(lanes->loads, rows * DLQ_LANES);
    for (size_t i = 0; i < (size_t)DLQ_BLOCK * DLQ_LANES; i++)
        lanes->steps[i] = 1;
    return DLQ_OK;
}

/* Mean loads from half to one and a half of the model's, as the bare recursions have them. */
static enum dlq_status begin_point(struct lanes *lanes, size_t i, struct dlq_error *error)
{
    static const double at_once[DLQ_LANES] = {0};
    struct dlq_system system = lanes->model->system;
    if (lanes->count > 1)
        dlq_work_set_mean(&system.load, system.load.mean * (0.5 + (double)i / (double)(lanes->count - 1)));
    dlq_point_make(&lanes->points[i], &system, 0, DLQ_START_TOGETHER);
    lanes->kernel = dlq_lane_kernel_for(&lanes->points[i], true, false);
    if (lanes->kernel == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "no lanes for this loader");
    lanes->arena.error = error;
    lanes->arena.doing = "setting up lanes";
    TRY(dlq_lane_state_begin(&lanes->arena, &lanes->states[i], lanes->kernel, &lanes->points[i], 1));
    lanes->states[i].stall_above = dlq_stall_above(&lanes->points[i]);
    lanes->states[i].horizon = INFINITY;
    dlq_lane_state_reset(&lanes->states[i], 1, 0);
    lanes->kernel->epoch(&lanes->states[i], at_once, NULL, 0, LONG_MAX);
    return DLQ_OK;
}

static enum dlq_status fill(struct lanes *lanes, const struct bench_setup *setup, struct dlq_error *error)
{
    enum dlq_status status = bench_model_new(&lanes->model, setup, error);
    if (status != DLQ_OK)
        return status;
    lanes->points = calloc(lanes->count, sizeof *lanes->points);
    lanes->states = calloc(lanes->count, sizeof *lanes->states);
    if (lanes->points == NULL || lanes->states == NULL)
        return dlq_error_memory(error, "setting up lanes");
    for (size_t i = 0; status == DLQ_OK && i < lanes->count; i++)
        status = begin_point(lanes, i, error);
    return status == DLQ_OK ? make_rows(lanes, error) : status;
}

static enum dlq_status lanes_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                   struct dlq_error *error)
{
    (void)run;
    struct lanes *lanes = calloc(1, sizeof *lanes);
    if (lanes == NULL)
        return dlq_error_memory(error, "setting up lanes");
    lanes->which = setup->detail;
    lanes->set = lanes->which->set == BENCH_WIDEST ? (int)dlq_instructions_best() : lanes->which->set;
    lanes->count = setup->points > 0 ? (size_t)setup->points : 1;
    enum dlq_status status = fill(lanes, setup, error);
    if (status == DLQ_OK)
        *state = lanes;
    else
        lanes_end(lanes);
    return status;
}

static enum dlq_status lanes_piece(void *state, double *amount, struct dlq_error *error)
{
    struct lanes *lanes = state;
    if (!dlq_instructions_available((enum dlq_instructions)lanes->set))
        return dlq_error_add(error, DLQ_FAILURE, "instruction set %d: not on this machine, or not built in",
                             lanes->set);
    for (int i = 0; i < ROUNDS * BLOCKS; i++) {
        struct dlq_lane_block block = {
            .loads = lanes->loads + (size_t)(i % BLOCKS) * DLQ_BLOCK * DLQ_LANES,
            .steps = lanes->steps,
        };
        for (size_t p = 0; p < lanes->count; p++)
            (*lanes->kernel->sets[lanes->set])[lanes->states[p].variant](&lanes->states[p], &block, DLQ_BLOCK,
                                                                         lanes->which->measure, lanes->record);
    }
    lanes->batches += (double)ROUNDS * BLOCKS * DLQ_BLOCK;
    *amount = (double)ROUNDS * BLOCKS * DLQ_BLOCK * DLQ_LANES * (double)lanes->count;
    return DLQ_OK;
}

double bench_lanes_throughput(const void *state, size_t point)
{
    const struct lanes *lanes = state;
    double sum = 0;
    for (int l = 0; l < DLQ_LANES; l++)
        sum += lanes->batches / lanes->states[point].sums->end[l];
    return sum / DLQ_LANES;
}

const struct bench_kind bench_lanes = {lanes_begin, lanes_piece, lanes_end};
