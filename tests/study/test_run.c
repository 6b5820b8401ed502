/* What a caller may ask of a run: no function computes with other threads than there are. */
#include "models.h"

#define CALL(name_, type_, call, release)                                                                              \
    static enum dlq_status name_(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error)          \
    {                                                                                                                  \
        type_ made = {0};                                                                                              \
        enum dlq_status status = call;                                                                                 \
        release;                                                                                                       \
        return status;                                                                                                 \
    }

CALL(simulate, struct dlq_simulation, dlq_simulate(model, run, &made, error), (void)0)
CALL(solve, struct dlq_solution, dlq_solve(model, run, &made, error), (void)0)
CALL(sweep, struct dlq_sweep *, dlq_sweep_begin(&made, model, run, error), dlq_sweep_end(made))
CALL(plan, struct dlq_plan, dlq_plan(model, run, &made, error), dlq_plan_free(&made))
CALL(timeline, struct dlq_timeline, dlq_timeline_simulate(model, 0, 2, run, &made, error), dlq_timeline_free(&made))
CALL(rhythm, struct dlq_rhythm, dlq_rhythm_simulate(model, run, &made, error), dlq_rhythm_free(&made))

static enum dlq_status fit(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error)
{
    char why[128] = "";
    struct dlq_fit made;
    struct dlq_fit_options options = {.hint.loaders = 4};
    (void)model;
    CHECK(dlq_stopwatch_parse("100/12s", &options.steps, why, sizeof why), "%s", why);
    CHECK(dlq_stopwatch_parse("100/40s", &options.loads, why, sizeof why), "%s", why);
    enum dlq_status status = dlq_fit(NULL, &options, run, &made, error);
    return status;
}

static const struct {
    const char *name;
    enum dlq_status (*call)(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error);
} functions[] = {
    {"dlq_simulate", simulate},
    {"dlq_solve", solve},
    {"dlq_sweep_begin", sweep},
    {"dlq_plan", plan},
    {"dlq_fit", fit},
    {"dlq_timeline_simulate", timeline},
    {"dlq_rhythm_simulate", rhythm},
};

/* By chain, too, which needs no thread. */
static void counts_threads(void)
{
    static const char *const methods[] = {"simulate.method=simulate", "simulate.method=markov"};
    static const struct {
        int threads;
        const char *text;
    } rows[] = {{1, NULL},
                {DLQ_RUN_THREADS, NULL},
                {0, "threads of a run: 0 is not from 1 to 256"},
                {-1, "threads of a run: -1 is not from 1 to 256"},
                {DLQ_RUN_THREADS + 1, "threads of a run: 257 is not from 1 to 256"}};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                struct dlq_error error = {0};
                struct dlq_model *model =
                    model_with("pipeline.loaders=2 load.mean=100ms load.distribution=exponential step.mean=100ms "
                               "step.distribution=exponential simulate.batches=200 simulate.replications=16 "
                               "plan.at_most=4 sweep.loaders=1..2",
                               &error);
                set_all(model, methods[m], &error);
                const struct dlq_run run = run_with(rows[i].threads);
                enum dlq_status status = functions[f].call(model, &run, &error);
                CHECK(status == (rows[i].text == NULL ? DLQ_OK : DLQ_INVALID), "%s, %s, %d threads: %d %s",
                      functions[f].name, methods[m], rows[i].threads, (int)status, error.text);
                CHECK_TEXT(error.text, rows[i].text != NULL ? rows[i].text : "");
                dlq_model_free(model);
            }
}

TEST_SUITE(run, CASE(counts_threads));
