#include "model.h"
#include "sim/simulate.h"
#include "study/model.h"

#include <stdlib.h>

/* A model, and the points that differ from it in the load's mean. */
struct simulation {
    struct bench_setup setup;
    struct dlq_run run;
    struct dlq_model *model;
    size_t count;
    struct dlq_system *systems;
    const struct dlq_system **pointers;
    struct dlq_simulation *results;
};

static void simulation_end(void *state)
{
    struct simulation *simulation = state;
    dlq_model_free(simulation->model);
    free(simulation->systems);
    free(simulation->pointers);
    free(simulation->results);
    free(simulation);
}

static bool make_points(struct simulation *simulation)
{
    size_t count = simulation->count;
    simulation->systems = calloc(count, sizeof *simulation->systems);
    simulation->pointers = calloc(count, sizeof(const struct dlq_system *));
    simulation->results = calloc(count, sizeof *simulation->results);
    if (simulation->systems == NULL || simulation->pointers == NULL || simulation->results == NULL)
        return false;
    const struct dlq_system *system = &simulation->model->system;
    for (size_t i = 0; i < count; i++) {
        simulation->systems[i] = *system;
        if (count > 1)
            dlq_work_set_mean(&simulation->systems[i].load,
                              system->load.mean * (0.5 + (double)i / (double)(count - 1)));
        simulation->pointers[i] = &simulation->systems[i];
    }
    return true;
}

static enum dlq_status simulation_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                        struct dlq_error *error)
{
    struct simulation *simulation = calloc(1, sizeof *simulation);
    if (simulation == NULL)
        return dlq_error_memory(error, "setting up a model");
    simulation->setup = *setup;
    simulation->run = bench_library_run(setup, run);
    simulation->count = setup->points > 0 ? (size_t)setup->points : 1;
    enum dlq_status status = bench_model_new(&simulation->model, setup, error);
    if (status == DLQ_OK && !make_points(simulation))
        status = dlq_error_memory(error, "setting up points");
    if (status == DLQ_OK)
        *state = simulation;
    else
        simulation_end(simulation);
    return status;
}

static enum dlq_status simulate_piece(void *state, double *amount, struct dlq_error *error)
{
    struct simulation *simulation = state;
    struct dlq_simulation result;
    enum dlq_status status = dlq_simulate(simulation->model, &simulation->run, &result, error);
    if (status == DLQ_OK)
        *amount = bench_batches(&result, &simulation->setup);
    return status;
}

static enum dlq_status systems_piece(void *state, double *amount, struct dlq_error *error)
{
    struct simulation *simulation = state;
    struct dlq_simulate_request request = {.histogram_bits = 7};
    enum dlq_status status = dlq_simulate_systems(simulation->pointers, simulation->count, &simulation->model->simulate,
                                                  &request, &simulation->run, simulation->results, error);
    if (status != DLQ_OK)
        return status;
    double batches = 0;
    for (size_t i = 0; i < simulation->count; i++)
        batches += bench_batches(&simulation->results[i], &simulation->setup);
    *amount = batches;
    return DLQ_OK;
}

const struct bench_kind bench_simulate = {simulation_begin, simulate_piece, simulation_end};
const struct bench_kind bench_systems = {simulation_begin, systems_piece, simulation_end};
