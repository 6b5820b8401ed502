/* Every allocation fails once: each function then says so, gives all back and leaves its output alone. */
#include "failing_allocator.h"
#include "made_logs.h"
#include "study/made_timelines.h"
#include "study/models.h"

#include <limits.h>

#define REST                                                                                                           \
    "[step]\nmean = 31ms\ndistribution = gamma\ncv = 0.2\n[host]\nbandwidth = 1GB/s\n"                                 \
    "[simulate]\nbatches = 60\nprecision = 0\nreplications = 2\n[sweep]\nloaders = 2, 3\n"

/* Sums of laws on a grid, which take their time. */
static const char several_stages[] =
    "[pipeline]\nname = memory\nloaders = 3\nbatch_size = 80\nloader = pool-ordered\n[load.read]\nmean = 1.1ms\nper = "
    "sample\ncv = 0.4\nuses = storage\nbytes = 1MB\n[load.rest]\nmean = 13ms\ndistribution = gamma\ncv = 0.3\n" REST;

/* Levers give each of many systems a law of its own: closed ones. */
static const char levers[] = "[pipeline]\nname = memory\nloaders = 3\nloader = pool-ordered\n[load.read]\nmean = "
                             "21ms\ncv = 0.4\nuses = storage\n"
                             "bytes = 1MB\n[load.rest]\nmean = 13ms\n" REST;

static const char measured[] =
    "[pipeline]\nloaders = 2\nranks = 2\nepoch_batches = 20\n[load]\ndistribution = empirical\nfile = " TEST_DATA
    "/loads.csv\n"
    "[step]\nmean = 31ms\n[simulate]\nbatches = 40\nprecision = 0\nreplications = 2\n[sweep]\nload = 20ms, 30ms\n";

static const char exact[] =
    "[pipeline]\nloaders = 2\n[load]\ndistribution = exponential\nmean = 50ms\n[step]\ndistribution = exponential\n"
    "mean = 31ms\n[simulate]\nmethod = markov\nbatches = 40\nreplications = 2\n[sweep]\nload = 20ms, "
    "30ms\n[plan]\nat_most = 2\n";

/* A rule lies beyond what is allowed, and other systems are tried besides. */
static const char unmet[] = "[pipeline]\nloaders = 1\n[load]\nmean = 90ms\ndistribution = gamma\ncv = 0.3\n[step]\n"
                            "mean = 31ms\n[simulate]\nbatches = 60\nprecision = 0\nreplications = 2\n[plan]\n"
                            "at_most = 2\n";

/* What is asked; about: a configuration, or a trace. */
struct question {
    const char *what;
    enum dlq_status (*ask)(const void *about, struct dlq_error *error);
    const void *about;
    long least, borne;  /* allocations that are refused, and losses of memory that are borne */
    long stride, grows; /* beyond the twentieth not every allocation fails: steps of stride, and of more */
};

static void fail_each(const struct question *question)
{
    long nth = 1, refused = 0, tried = 0;
    for (bool hit = true; hit && nth < 100000; nth += nth < 20 ? 1 : question->stride + nth / 30 * question->grows) {
        struct dlq_error error = {0};
        atomic_store(&failed, false);
        atomic_store(&countdown, nth);
        enum dlq_status status = question->ask(question->about, &error);
        hit = atomic_load(&failed);
        atomic_store(&countdown, 0);
        CHECK(status == DLQ_OK || (hit && strstr(error.text, "memory") != NULL), "%s: allocation %ld: status %d, '%s'",
              question->what, nth, (int)status, error.text);
        refused += status != DLQ_OK;
        tried += hit;
    }
    CHECK(refused >= question->least && refused >= tried - question->borne, "%s: %ld of %ld refused", question->what,
          refused, tried);
}

/* -- of models -- */

struct of_model {
    const char *text;
    ask_model *ask;
};

static enum dlq_status asked_of_model(const void *about, struct dlq_error *error)
{
    const struct of_model *row = about;
    const struct dlq_run run = run_with(row->ask == ask_solve ? 2 : 1);
    struct dlq_model *model = NULL;
    FILE *stream = stream_of(row->text);
    enum dlq_status status = dlq_model_read(&model, "test.ini", stream, error);
    fclose(stream);
    if (status == DLQ_OK)
        status = dlq_model_set(model, "simulate.seed", "7", error);
    if (status == DLQ_OK)
        status = row->ask(model, &run, error);
    dlq_model_free(model);
    return status;
}

static void models(void)
{
    static const struct of_model rows[] = {{levers, ask_solve},      {several_stages, ask_sweep},
                                           {measured, ask_solve},    {measured, ask_sweep},
                                           {exact, ask_solve},       {exact, ask_sweep},
                                           {unmet, ask_plan},        {exact, ask_plan},
                                           {measured, ask_timeline}, {several_stages, ask_timeline},
                                           {measured, ask_rhythm}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fail_each(&(struct question){rows[i].text, asked_of_model, &rows[i], 20, LONG_MAX, test_long() ? 1 : 29, 0});
}

/* -- of traces -- */

#define OF_TRACE(name_, type_, mark, call, release)                                                                    \
    static enum dlq_status name_(const void *trace, struct dlq_error *error)                                           \
    {                                                                                                                  \
        type_ made = {.mark = 77};                                                                                     \
        (void)trace;                                                                                                   \
        enum dlq_status status = call;                                                                                 \
        CHECK((made.mark == 77) == (status != DLQ_OK), "status %d: touched", (int)status);                             \
        if (status == DLQ_OK)                                                                                          \
            release;                                                                                                   \
        return status;                                                                                                 \
    }

static const struct dlq_fit_options fit_options = {.hint = {.loaders = 2}};
static const struct dlq_run fit_run = {.threads = 1, .seed = 1, .has_seed = true};

OF_TRACE(replay, struct dlq_replay, loaders, dlq_replay(trace, &no_hint, &made, error), (void)0)
OF_TRACE(diagnosis, struct dlq_diagnosis, period, dlq_diagnose(trace, NULL, &made, error), dlq_diagnosis_free(&made))
OF_TRACE(fit, struct dlq_fit, loaders, dlq_fit(trace, &fit_options, &fit_run, &made, error), (void)0)
OF_TRACE(moment, struct dlq_moment, steps, dlq_timeline_at(made_timelines[ORDERED], 0, 2.75, &made, error),
         dlq_moment_free(&made))
OF_TRACE(queue, struct dlq_queue_levels, count, dlq_timeline_queue(made_timelines[ORDERED], 0, &made, error),
         dlq_queue_levels_free(&made))
OF_TRACE(rhythm_of, struct dlq_rhythm, first_step, dlq_rhythm_of_timeline(trace, &made, error), dlq_rhythm_free(&made))
OF_TRACE(timeline_of_trace, struct dlq_timeline, window,
         dlq_timeline_of_trace(trace, &no_hint, 0, INFINITY, &made, error), dlq_timeline_free(&made))

/* Two ranks with loads, in a rhythm: every part of a diagnosis has something to do. */
static struct dlq_trace *make_trace(void)
{
    struct measured log = measured_log("rank,index,worker,load_time,data_time,iter_time", 3);
    for (long i = 0; i < 200; i++) {
        long turn = i / 2;
        fprintf(log.stream, "%ld,%ld,%ld,0.7,", i % 2, turn, turn % 4);
        measured_wait(&log, turn % 4 == 0 ? 0.3 : 1e-4);
    }
    return measured_trace(&log);
}

/* Two loaders, every second batch waited for: of all times, or of waits alone. */
static struct dlq_trace *trace_to_fit(bool full)
{
    FILE *log = tmpfile();
    fprintf(log, "%s\n", full ? "index,worker,load_start,load_end,request,received,step_end" : "data_time,step_time");
    for (int i = 0; i < 60; i++) {
        int pairs = (i + 1) / 2;
        double wait = i % 2 == 0 ? 0.05 + 0.001 * (i * 7 % 11) : 0.0001, request = 0.1 * i + 0.06 * pairs;
        if (full)
            fprintf(log, "%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f\n", i, i % 2, request - 0.15, request - 0.01 + wait, request,
                    request + wait, request + wait + 0.04);
        else
            fprintf(log, "%.4f,0.04\n", wait);
    }
    return trace_of(log);
}

/* An autocorrelation, a period that can't be looked for, and stalls that are told by default are borne. A replay: two
   ranks, several epochs, a slow worker: whatever it keeps. Of a fit ever fewer of the later allocations fail. */
static void traces(void)
{
    static struct run run = {.workers = 3,
                             .prefetch = 2,
                             .batches = 50,
                             .epochs = 2,
                             .receive = 0.001,
                             .step = 0.03,
                             .load = law_mild,
                             .seed = 3};
    struct dlq_timeline turns = recorded("pipeline.loaders=3 load.mean=1s step.mean=31ms", 0, 150);
    simulate(&run);
    for (long i = 0; i < run.count; i++) {
        run.rows[run.count + i] = run.rows[i];
        run.rows[run.count + i].rank = 1;
    }
    struct dlq_trace *one = trace_of_run(&run, 0);
    run.count *= 2;
    struct dlq_trace *full = trace_of_run(&run, 0), *alone = make_trace();
    struct dlq_trace *times = trace_to_fit(true), *waits = trace_to_fit(false);
    struct dlq_timeline logged = {.rank_count = 0};
    CHECK_INT(dlq_timeline_of_trace(one, &no_hint, 0, INFINITY, &logged, NULL), DLQ_OK);
    const struct question rows[] = {
        {"replay", replay, full, 18, 0, 1, 0},
        {"diagnosis", diagnosis, alone, 11, 4, 1, 0},
        {"fit", fit, times, 21, LONG_MAX, 1, 12 * (long)test_every(5)},
        {"fit of waits", fit, waits, 21, LONG_MAX, 1, 12 * (long)test_every(5)},
        {"moment", moment, one, 2, 4, 1, 0},
        {"queue", queue, one, 2, 4, 1, 0},
        {"rhythm", rhythm_of, &turns, 3, 4, 1, 0},
        {"timeline", timeline_of_trace, one, 15, 4, 1, 0},
        {"timeline of iterations", timeline_of_trace, alone, 4, 4, 1, 0},
        {"rhythm of a log", rhythm_of, &logged, 3, 4, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fail_each(&rows[i]);
    dlq_timeline_free(&logged);
    dlq_timeline_free(&turns);
    dlq_trace_free(one);
    dlq_trace_free(full);
    dlq_trace_free(alone);
    dlq_trace_free(times);
    dlq_trace_free(waits);
}

TEST_SUITE(memory, CASE(models), CASE(traces));
