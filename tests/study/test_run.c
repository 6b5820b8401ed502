/* What a caller may ask of a run: so many threads, its progress, an end before it is done. */
#include "models.h"

#include <signal.h>
#include <sys/time.h>

static enum dlq_status predict(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error)
{
    struct dlq_estimate throughput;
    return dlq_predict_run(model, 100, run, &throughput, error);
}

static enum dlq_status suffice(struct dlq_model *model, const struct dlq_run *run, struct dlq_error *error)
{
    struct dlq_sufficient found;
    return dlq_sufficient_loaders(model, 0.5, 4, run, &found, error);
}

static const struct {
    const char *name;
    ask_model *ask;
} functions[] = {
    {"dlq_simulate", ask_simulate},      {"dlq_solve", ask_solve},     {"dlq_sweep_begin", ask_sweep},
    {"dlq_tornado", ask_tornado},        {"dlq_plan", ask_plan},       {"dlq_timeline_simulate", ask_timeline},
    {"dlq_rhythm_simulate", ask_rhythm}, {"dlq_predict_run", predict}, {"dlq_sufficient_loaders", suffice},
};

/* By chain, too, which needs no thread. */
static void every_function_heeds_it(void)
{
    static const char *const methods[] = {"simulate.method=simulate", "simulate.method=markov"};
    static volatile sig_atomic_t raised = 1;
    static const struct {
        struct dlq_run run;
        enum dlq_status status;
        const char *text; /* null: any */
    } rows[] = {{{.threads = 1}, DLQ_OK, ""},
                {{.threads = DLQ_RUN_THREADS}, DLQ_OK, ""},
                {{.threads = 0}, DLQ_INVALID, "threads of a run: 0 is not from 1 to 256"},
                {{.threads = -1}, DLQ_INVALID, "threads of a run: -1 is not from 1 to 256"},
                {{.threads = DLQ_RUN_THREADS + 1}, DLQ_INVALID, "threads of a run: 257 is not from 1 to 256"},
                {{.threads = 1, .interrupted = &raised}, DLQ_INTERRUPTED, NULL}};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                struct dlq_error error = {0};
                OWN_MODEL *model =
                    model_with("pipeline.loaders=2 load.mean=100ms load.distribution=exponential step.mean=100ms "
                               "step.distribution=exponential simulate.batches=200 simulate.replications=16 "
                               "plan.at_most=4 sweep.loaders=1..2",
                               methods[m], &error);
                enum dlq_status status = functions[f].ask(model, &rows[i].run, &error);
                CHECK(status == rows[i].status, "%s, %s, row %zu: %d %s", functions[f].name, methods[m], i, (int)status,
                      error.text);
                CHECK_TEXT(error.text, rows[i].text != NULL ? rows[i].text : error.text);
            }
}

/* Watches the progress of a plan or solution on one thread, and interrupts it amid. */
static struct dlq_progress watched;
static volatile sig_atomic_t interrupted_amid;
static atomic_long interrupt_at;

static void interrupt_amid(int signal_number)
{
    (void)signal_number;
    if (atomic_load(&watched.done) >= atomic_load(&interrupt_at))
        interrupted_amid = 1;
}

/* From so many runs on; *before: what is to be restored. */
static void watch(int runs, struct sigaction *before)
{
    const struct itimerval often = {{0, 500}, {0, 500}};
    struct sigaction action = {.sa_handler = interrupt_amid, .sa_flags = SA_RESTART};
    atomic_store(&interrupt_at, runs * DLQ_PROGRESS_UNIT);
    atomic_store(&watched.done, 0);
    sigaction(SIGALRM, &action, before);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void watch_no_more(const struct sigaction *before)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, before, NULL);
}

/* The first call simulates 16 candidates in 16 replications: the plan has these, as they are, and no answer. */
static void tells_what_was_finished(void)
{
    struct dlq_error error = {0};
    struct sigaction before;
    struct dlq_run run = {.threads = 1, .interrupted = &interrupted_amid, .progress = &watched};
    OWN(dlq_plan) plan = {.count = 0};
    OWN_MODEL *model =
        model_with(PLANNED, "pipeline.ranks=12 plan.target=99.9% plan.at_most=1000 simulate.replications=256", &error);
    interrupted_amid = 0;
    watch(16 * 24, &before);
    CHECK_INT(dlq_plan(model, &run, &plan, &error), DLQ_INTERRUPTED);
    watch_no_more(&before);
    CHECK(plan.count >= 16, "%zu candidates", plan.count);
    CHECK(!plan.met && plan.levers.count == 0 && !plan.answer.host.fits, "an answer");
    for (size_t i = 0; i < plan.count; i++) {
        const struct dlq_candidate *candidate = &plan.candidates[i];
        CHECK(candidate->in_table && candidate->figure.low > 0 && candidate->simulation.replications >= 16,
              "%ld loaders", candidate->loaders);
        CHECK(i == 0 || candidate->loaders > plan.candidates[i - 1].loaders, "%ld loaders", candidate->loaders);
    }
}

/* The first instance of which anything was simulated, with the best that was. */
static void tells_of_instances(void)
{
    struct dlq_error error = {0};
    struct sigaction before;
    struct dlq_run run = {.threads = 1, .interrupted = &interrupted_amid, .progress = &watched};
    OWN(dlq_plan) plan = {.count = 0};
    OWN_MODEL *model = model_with(
        PLANNED, "load.uses=cpu pipeline.ranks=12 plan.solve=instance plan.target=99.9% plan.at_most=1000", &error);
    interrupted_amid = 0;
    watch(16 * 24, &before);
    CHECK_INT(dlq_plan(model, &run, &plan, &error), DLQ_INTERRUPTED);
    watch_no_more(&before);
    CHECK(plan.count == 1 && plan.interrupted && !plan.met, "%zu instances: %s", plan.count, error.text);
    CHECK(plan.count == 0 || (plan.candidates[0].instance != NULL && plan.candidates[0].loaders > 0 &&
                              plan.candidates[0].in_table && plan.candidates[0].figure.value > 0),
          "nothing of it");
}

/* Bounds at once; the simulation, of the waves that were finished. */
static void solves_as_far_as_it_came(void)
{
    struct dlq_error error = {0};
    struct sigaction before;
    OWN_MODEL *model = model_with(PLANNED, "simulate.replications=100000 simulate.precision=0", &error);
    for (int amid = 0; amid < 2; amid++) {
        struct dlq_run run = {.threads = 1, .interrupted = &interrupted_amid, .progress = &watched};
        struct dlq_solution solution = {.warning_count = 77};
        interrupted_amid = !amid;
        watch(16, &before);
        CHECK_INT(dlq_solve(model, &run, &solution, &error), DLQ_INTERRUPTED);
        watch_no_more(&before);
        const struct dlq_simulation *simulation = &solution.simulation;
        CHECK(solution.interrupted && solution.bounds.upper == 10 && solution.levers.count == 0, "%g",
              solution.bounds.upper);
        CHECK((simulation->replications >= 16) == (amid != 0), "%ld runs", simulation->replications);
        CHECK(amid ? simulation->throughput.low < simulation->throughput.high && simulation->throughput.high <= 10 &&
                         simulation->wait_p99 > 0
                   : isnan(simulation->throughput.value) && isnan(simulation->wait_max),
              "%g", simulation->throughput.value);
    }
}

/* How many there will be is not known beforehand, so there is no share of it. */
static void tells_its_progress(void)
{
    struct dlq_error error = {0};
    struct dlq_progress progress = {0};
    struct dlq_run run = {.threads = 2, .progress = &progress};
    OWN(dlq_plan) plan;
    OWN_MODEL *model = model_with(PLANNED, "", &error);
    CHECK_INT(dlq_plan(model, &run, &plan, &error), DLQ_OK);
    CHECK(atomic_load(&progress.done) >= 16 * (long)plan.count, "%ld", atomic_load(&progress.done));
    CHECK_INT(atomic_load(&progress.total), 0);
}

TEST_SUITE(run, CASE(every_function_heeds_it), CASE(tells_what_was_finished), CASE(tells_of_instances),
           CASE(solves_as_far_as_it_came), CASE(tells_its_progress));
