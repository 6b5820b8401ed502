#include "model.h"
#include "sim/draws.h"
#include "study/model.h"

#include <stdlib.h>

/* As the engine asks for them: blocks of that many batches for that many replications at once. */
enum { BATCHES = 1024, LANES = 16 };

struct sampler {
    struct dlq_model *model;
    struct dlq_source source;
    struct dlq_arena arena;
    struct dlq_draws draws;
    double values[BATCHES * LANES];
};

static void draws_end(void *state)
{
    struct sampler *sampler = state;
    dlq_arena_end(&sampler->arena);
    dlq_source_free(&sampler->source);
    dlq_model_free(sampler->model);
    free(sampler);
}

static enum dlq_status fill(struct sampler *sampler, const struct bench_setup *setup, struct dlq_error *error)
{
    enum dlq_status status = bench_model_new(&sampler->model, setup, error);
    if (status == DLQ_OK)
        status = dlq_source_begin(&sampler->source, &sampler->model->system.load, DLQ_PURPOSE_LOAD,
                                  (enum dlq_sampler)sampler->model->simulate.sampler, dlq_instructions_best(), error);
    sampler->arena = (struct dlq_arena){.error = error, .doing = "setting up draws"};
    if (status == DLQ_OK)
        status = dlq_draws_begin(&sampler->arena, &sampler->draws, &sampler->source, LANES, 1);
    if (status == DLQ_OK)
        dlq_draws_start(&sampler->draws, 1, 0);
    return status;
}

static enum dlq_status draws_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                   struct dlq_error *error)
{
    (void)run;
    struct sampler *sampler = calloc(1, sizeof *sampler);
    if (sampler == NULL)
        return dlq_error_memory(error, "setting up draws");
    enum dlq_status status = fill(sampler, setup, error);
    if (status == DLQ_OK)
        *state = sampler;
    else
        draws_end(sampler);
    return status;
}

static enum dlq_status draws_piece(void *state, double *amount, struct dlq_error *error)
{
    (void)error;
    struct sampler *sampler = state;
    dlq_draws_next(&sampler->draws, 0, BATCHES, sampler->values, NULL, NULL);
    *amount = BATCHES * LANES;
    return DLQ_OK;
}

const struct bench_kind bench_draws = {draws_begin, draws_piece, draws_end};
