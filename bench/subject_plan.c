#include "dlqueue/plan.h"
#include "model.h"

#include <stdlib.h>

/* A model, and the question about it. */
struct question {
    struct dlq_run run;
    struct dlq_model *model;
    enum dlq_status (*ask)(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error);
};

static void question_end(void *state)
{
    struct question *question = state;
    dlq_model_free(question->model);
    free(question);
}

static enum dlq_status begin_with(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                  enum dlq_status (*ask)(struct dlq_model *, const struct dlq_run *,
                                                         struct dlq_error *),
                                  struct dlq_error *error)
{
    struct question *question = calloc(1, sizeof *question);
    if (question == NULL)
        return dlq_error_memory(error, "setting up a question");
    question->run = bench_library_run(setup, run);
    question->ask = ask;
    enum dlq_status status = bench_model_new(&question->model, setup, error);
    if (status == DLQ_OK)
        *state = question;
    else
        question_end(question);
    return status;
}

static enum dlq_status plan(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error)
{
    struct dlq_plan plan;
    enum dlq_status status = dlq_plan(model, run, &plan, error);
    if (status == DLQ_OK)
        dlq_plan_free(&plan);
    return status;
}

static enum dlq_status solve(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error)
{
    struct dlq_solution solution;
    return dlq_solve(model, run, &solution, error);
}

static enum dlq_status plan_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                  struct dlq_error *error)
{
    return begin_with(setup, run, state, plan, error);
}

static enum dlq_status solve_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                   struct dlq_error *error)
{
    return begin_with(setup, run, state, solve, error);
}

static enum dlq_status question_piece(void *state, double *amount, struct dlq_error *error)
{
    struct question *question = state;
    *amount = 1;
    return question->ask(question->model, &question->run, error);
}

const struct bench_kind bench_plan = {plan_begin, question_piece, question_end};
const struct bench_kind bench_solve = {solve_begin, question_piece, question_end};
