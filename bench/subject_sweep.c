#include "dlqueue/plan.h"
#include "dlqueue/sweep.h"
#include "model.h"
#include "study/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A model that is asked for a sweep, a plan or a solution. */
struct sweep {
    struct bench_setup setup;
    struct dlq_run run;
    struct dlq_model *model;
};

static void sweep_end(void *state)
{
    struct sweep *sweep = state;
    dlq_model_free(sweep->model);
    free(sweep);
}

static enum dlq_status begin_with(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                  enum dlq_status (*make)(struct dlq_model **model, const struct bench_setup *setup,
                                                          struct dlq_error *error),
                                  struct dlq_error *error)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep == NULL)
        return dlq_error_memory(error, "setting up a sweep");
    sweep->setup = *setup;
    sweep->run = bench_library_run(setup, run);
    enum dlq_status status = make(&sweep->model, setup, error);
    if (status == DLQ_OK)
        *state = sweep;
    else
        sweep_end(sweep);
    return status;
}

static enum dlq_status sweep_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                   struct dlq_error *error)
{
    return begin_with(setup, run, state, bench_model_new, error);
}

static enum dlq_status read_file(struct dlq_model **model, const struct bench_setup *setup, struct dlq_error *error)
{
    const char *path = setup->detail;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "%s: %s", path, strerror(errno));
    enum dlq_status status = dlq_model_read(model, path, file, error);
    fclose(file);
    return status == DLQ_OK ? dlq_model_check(*model, error) : status;
}

static enum dlq_status file_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                  struct dlq_error *error)
{
    enum dlq_status status = begin_with(setup, run, state, read_file, error);
    if (status == DLQ_OK) {
        struct sweep *sweep = *state;
        sweep->setup.ranks = sweep->model->system.pipeline.ranks;
    }
    return status;
}

static enum dlq_status all_points(struct sweep *state, struct dlq_sweep *sweep, double *batches,
                                  struct dlq_error *error)
{
    struct dlq_sweep_point point;
    for (bool more = true;;) {
        enum dlq_status status = dlq_sweep_next(sweep, &point, &more, error);
        if (status != DLQ_OK || !more)
            return status;
        *batches += bench_batches(&point.simulation, &state->setup);
    }
}

static enum dlq_status sweep_piece(void *state, double *amount, struct dlq_error *error)
{
    struct sweep *sweep = state;
    struct dlq_sweep *points = NULL;
    double batches = 0;
    enum dlq_status status = dlq_sweep_begin(&points, sweep->model, &sweep->run, error);
    if (status != DLQ_OK)
        return status;
    status = all_points(sweep, points, &batches, error);
    dlq_sweep_end(points);
    if (status == DLQ_OK)
        *amount = sweep->setup.whole ? 1 : batches;
    return status;
}

const struct bench_kind bench_sweep = {sweep_begin, sweep_piece, sweep_end};
const struct bench_kind bench_file = {file_begin, sweep_piece, sweep_end};

static enum dlq_status plan_piece(void *state, double *amount, struct dlq_error *error)
{
    struct sweep *question = state;
    struct dlq_plan plan;
    enum dlq_status status = dlq_plan(question->model, &question->run, &plan, error);
    if (status == DLQ_OK)
        dlq_plan_free(&plan);
    *amount = 1;
    return status;
}

static enum dlq_status solve_piece(void *state, double *amount, struct dlq_error *error)
{
    struct sweep *question = state;
    struct dlq_solution solution;
    *amount = 1;
    return dlq_solve(question->model, &question->run, &solution, error);
}

const struct bench_kind bench_plan = {sweep_begin, plan_piece, sweep_end};
const struct bench_kind bench_solve = {sweep_begin, solve_piece, sweep_end};
