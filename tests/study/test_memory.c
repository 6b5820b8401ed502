/* Every allocation fails once: each function then says so, gives all back and leaves its output alone. */
#include "dlqueue/fit.h"
#include "dlqueue/plan.h"
#include "dlqueue/timeline.h"
#include "failing_allocator.h"
#include "made_logs.h"
#include "made_timelines.h"
#include "models.h"
#include "traces.h"

#define REST                                                                                                           \
    "[step]\nmean = 31ms\ndistribution = gamma\ncv = 0.2\n[host]\nbandwidth = 1GB/s\n"                                 \
    "[simulate]\nbatches = 60\nprecision = 0\nreplications = 2\n[sweep]\nloaders = 2, 3\n"

/* Sums of laws on a grid, which take their time. */
static const char several_stages[] =
    "[pipeline]\nname = memory\nloaders = 3\nbatch_size = 80\nloader = pool-ordered\n[load.read]\nmean = 1.1ms\n"
    "per = sample\ncv = 0.4\nuses = storage\nbytes = 1MB\n[load.rest]\nmean = 13ms\ndistribution = gamma\ncv = "
    "0.3\n" REST;

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

static enum dlq_status solve(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_solution solution;
    struct dlq_run run = run_with(2);
    return dlq_solve(model, &run, &solution, error);
}

static enum dlq_status sweep(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_sweep *sweep = NULL;
    struct dlq_sweep_point point;
    struct dlq_run run = run_with(1);
    enum dlq_status status = dlq_sweep_begin(&sweep, model, &run, error);
    for (bool more = true; more && status == DLQ_OK;)
        status = dlq_sweep_next(sweep, &point, &more, error);
    dlq_sweep_end(sweep);
    return status;
}

static enum dlq_status plan(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_plan found = {.at_most = 77};
    struct dlq_run run = run_with(1);
    enum dlq_status status = dlq_plan(model, &run, &found, error);
    CHECK((found.at_most == 77) == (status != DLQ_OK), "status %d: at_most %ld", (int)status, found.at_most);
    if (status == DLQ_OK)
        dlq_plan_free(&found);
    return status;
}

static enum dlq_status timeline(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_timeline found = {.loaders = 77};
    struct dlq_run run = run_with(1);
    enum dlq_status status = dlq_timeline_simulate(model, 0.1, 2, &run, &found, error);
    CHECK((found.loaders == 77) == (status != DLQ_OK), "status %d: %ld loaders", (int)status, found.loaders);
    if (status == DLQ_OK)
        dlq_timeline_free(&found);
    return status;
}

static enum dlq_status rhythm(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_rhythm found = {.loaders = 77};
    struct dlq_run run = run_with(1);
    enum dlq_status status = dlq_rhythm_simulate(model, &run, &found, error);
    CHECK((found.loaders == 77) == (status != DLQ_OK), "status %d: %ld loaders", (int)status, found.loaders);
    if (status == DLQ_OK)
        dlq_rhythm_free(&found);
    return status;
}

/* One run in which allocation number `nth` fails; true where there were fewer. */
static bool survives(const char *text, enum dlq_status (*study)(struct dlq_model *, struct dlq_error *), long nth)
{
    struct dlq_error error = {0};
    struct dlq_model *model = NULL;
    FILE *stream = stream_of(text);
    atomic_store(&failed, false);
    atomic_store(&countdown, nth);
    enum dlq_status status = dlq_model_read(&model, "test.ini", stream, &error);
    if (status == DLQ_OK)
        status = dlq_model_set(model, "simulate.seed", "7", &error);
    if (status == DLQ_OK)
        status = study(model, &error);
    bool hit = atomic_load(&failed);
    atomic_store(&countdown, 0);
    dlq_model_free(model);
    fclose(stream);
    if (hit)
        CHECK(status == DLQ_OK || strstr(error.text, "memory") != NULL, "allocation %ld: status %d, '%s'", nth,
              (int)status, error.text);
    else
        CHECK(status == DLQ_OK, "no allocation failed, yet: %s", error.text);
    return !hit;
}

static void every_allocation_fails_once(void)
{
    const struct {
        const char *text;
        enum dlq_status (*study)(struct dlq_model *, struct dlq_error *);
    } runs[] = {
        {levers, solve},   {several_stages, sweep}, {measured, solve}, {measured, sweep},    {exact, solve},
        {exact, sweep},    {unmet, plan},           {exact, plan},     {measured, timeline}, {several_stages, timeline},
        {measured, rhythm}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        long nth = 1;
        while (nth < 2000 && !survives(runs[i].text, runs[i].study, nth))
            nth += nth < 20 || test_long() ? 1 : 5;
        CHECK(nth > 50 && nth < 2000, "run %zu made %ld allocations", i, nth - 1);
    }
}

/* Two ranks, several epochs, a slow worker: whatever a replay keeps. */
static void every_allocation_of_a_replay_fails_once(void)
{
    static struct run run = {.workers = 3,
                             .prefetch = 2,
                             .batches = 50,
                             .epochs = 2,
                             .receive = 0.001,
                             .step = 0.03,
                             .load = law_mild,
                             .seed = 3};
    simulate(&run);
    for (long i = 0; i < run.count; i++)
        run.rows[run.count + i] = run.rows[i];
    for (long i = run.count; i < 2 * run.count; i++)
        run.rows[i].rank = 1;
    run.count *= 2;
    struct dlq_trace *trace = trace_of_run(&run, 0);
    bool hit = true;
    long nth = 1;
    for (; hit && nth < 2000; nth++) {
        struct dlq_error error = {0};
        struct dlq_replay replay = {.loaders = 77};
        atomic_store(&failed, false);
        atomic_store(&countdown, nth);
        enum dlq_status status = dlq_replay(trace, &no_hint, &replay, &error);
        hit = atomic_load(&failed);
        atomic_store(&countdown, 0);
        CHECK(hit == (status == DLQ_FAILURE) && hit == (replay.loaders == 77), "allocation %ld: status %d, '%s'", nth,
              (int)status, error.text);
        CHECK(!hit || strstr(error.text, "memory") != NULL, "allocation %ld: '%s'", nth, error.text);
    }
    CHECK(nth > 20 && nth < 2000, "a replay made %ld allocations", nth - 1);
    dlq_trace_free(trace);
}

/* Two ranks with loads, in a rhythm: every part of a diagnosis has something to do. */
static struct dlq_trace *make_trace(void)
{
    struct measured log;
    measured_begin(&log, "rank,index,worker,load_time,data_time,iter_time", 3);
    for (long i = 0; i < 200; i++) {
        long turn = i / 2;
        const double row[] = {(double)(i % 2), (double)turn, (double)(turn % 4), 0.7};
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            measured_put(&log, row[k]);
        measured_wait(&log, turn % 4 == 0 ? 0.3 : 1e-4);
    }
    return measured_trace(&log);
}

/* An autocorrelation that can't be had is the one loss that is borne. */
static void diagnosis_without_memory(void)
{
    struct dlq_trace *trace = make_trace();
    long nth = 0, refused = 0;
    for (bool hit = true; hit && trace != NULL && nth < 200;) {
        struct dlq_diagnosis result = {0};
        struct dlq_error error = {0};
        atomic_store(&failed, false);
        atomic_store(&countdown, ++nth);
        enum dlq_status status = dlq_diagnose(trace, NULL, &result, &error);
        hit = atomic_load(&failed);
        atomic_store(&countdown, 0);
        CHECK(status == DLQ_OK || strstr(error.text, "memory") != NULL, "allocation %ld: '%s'", nth, error.text);
        CHECK(status == DLQ_OK || result.ranks == NULL, "allocation %ld: the output was touched", nth);
        refused += status != DLQ_OK;
        if (status == DLQ_OK)
            dlq_diagnosis_free(&result);
    }
    CHECK(refused > 10 && refused >= nth - 4, "%ld of %ld refused", refused, nth);
    dlq_trace_free(trace);
}

/* A fit of a full trace, and one of waits: the first thirty allocations and ever fewer of the later ones fail. */
static void fit_without_memory(void)
{
    static const char *const headers[] = {"index,worker,load_start,load_end,request,received,step_end",
                                          "data_time,step_time"};
    for (size_t k = 0; k < 2; k++) {
        char text[8192];
        size_t used = (size_t)snprintf(text, sizeof text, "%s\n", headers[k]);
        for (int i = 0; i < 60; i++) {
            int pairs = (i + 1) / 2;
            double wait = i % 2 == 0 ? 0.05 + 0.001 * (i * 7 % 11) : 0.0001, request = 0.1 * i + 0.06 * pairs;
            used += (size_t)(k == 0 ? snprintf(text + used, sizeof text - used, "%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f\n", i,
                                               i % 2, request - 0.15, request - 0.01 + wait, request, request + wait,
                                               request + wait + 0.04)
                                    : snprintf(text + used, sizeof text - used, "%.4f,0.04\n", wait));
        }
        struct dlq_trace *trace = trace_of_text(text);
        const struct dlq_fit_options options = {.hint = {.loaders = 2}};
        struct dlq_run run = {.threads = 1, .seed = 1, .has_seed = true};
        long refused = 0, tried = 0;
        bool hit = trace != NULL;
        for (long nth = 1; hit && nth < 100000; nth += 1 + nth / 30 * 12 * (long)test_stride()) {
            struct dlq_error error = {0};
            struct dlq_fit fit = {.loaders = 77};
            atomic_store(&failed, false);
            atomic_store(&countdown, nth);
            enum dlq_status status = dlq_fit(trace, &options, &run, &fit, &error);
            hit = atomic_load(&failed);
            atomic_store(&countdown, 0);
            CHECK(status == DLQ_OK || (hit && strstr(error.text, "memory") != NULL), "allocation %ld: status %d, '%s'",
                  nth, (int)status, error.text);
            CHECK(status == DLQ_OK || fit.loaders == 77, "allocation %ld: the output was touched", nth);
            refused += status != DLQ_OK ? 1 : 0;
            tried++;
        }
        CHECK(refused > 20, "%ld of %ld refused", refused, tried);
        dlq_trace_free(trace);
    }
}

/* -- timelines -- */

static enum dlq_status scene(const struct dlq_trace *trace, struct dlq_error *error)
{
    struct dlq_moment made = {.steps = 77};
    (void)trace;
    enum dlq_status status = dlq_timeline_at(made_timelines[ORDERED], 0, 2.75, &made, error);
    CHECK((made.steps == 77) == (status != DLQ_OK), "status %d: %ld steps", (int)status, made.steps);
    dlq_moment_free(&made);
    return status;
}

static enum dlq_status queue(const struct dlq_trace *trace, struct dlq_error *error)
{
    struct dlq_queue_levels made = {0};
    (void)trace;
    enum dlq_status status = dlq_timeline_queue(made_timelines[ORDERED], 0, &made, error);
    CHECK((made.count == 0) == (status != DLQ_OK), "status %d: %zu levels", (int)status, made.count);
    dlq_queue_levels_free(&made);
    return status;
}

static enum dlq_status simulated_rhythm(const struct dlq_trace *trace, struct dlq_error *error)
{
    static struct dlq_timeline_batch batches[ROUND_BATCHES];
    struct dlq_timeline_rank rank;
    struct dlq_rhythm made = {.first = 77};
    (void)trace;
    round_run(batches, 2, 0);
    const struct dlq_timeline timeline = round_timeline(&rank, batches);
    enum dlq_status status = dlq_rhythm_of_timeline(&timeline, &made, error);
    CHECK((made.first == 77) == (status != DLQ_OK), "status %d: %ld", (int)status, made.first);
    if (status == DLQ_OK)
        dlq_rhythm_free(&made);
    return status;
}

static enum dlq_status timeline_of_trace(const struct dlq_trace *trace, struct dlq_error *error)
{
    struct dlq_timeline made = {.window = 77};
    struct dlq_rhythm rhythm = {0};
    enum dlq_status status = dlq_timeline_of_trace(trace, &no_hint, 0, INFINITY, &made, error);
    CHECK((made.window == 77) == (status != DLQ_OK), "status %d: window %ld", (int)status, made.window);
    if (status != DLQ_OK)
        return status;
    status = dlq_rhythm_of_timeline(&made, &rhythm, error);
    CHECK((rhythm.count == 0) == (status != DLQ_OK), "status %d: %zu waits", (int)status, rhythm.count);
    dlq_rhythm_free(&rhythm);
    dlq_timeline_free(&made);
    return status;
}

/* A period that can't be looked for, and stalls that are told by default, are borne. */
static void timelines_without_memory(void)
{
    static struct run run = {
        .workers = 3, .prefetch = 2, .batches = 60, .receive = 0.001, .step = 0.03, .load = law_mild, .seed = 3};
    simulate(&run);
    struct dlq_trace *full = trace_of_run(&run, 0), *alone = make_trace();
    const struct {
        const struct dlq_trace *trace;
        enum dlq_status (*make)(const struct dlq_trace *, struct dlq_error *);
        long least;
    } rows[] = {{full, scene, 3},
                {full, queue, 3},
                {full, simulated_rhythm, 3},
                {full, timeline_of_trace, 15},
                {alone, timeline_of_trace, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        long nth = 0, refused = 0;
        for (bool hit = true; hit && nth < 200;) {
            struct dlq_error error = {0};
            atomic_store(&failed, false);
            atomic_store(&countdown, ++nth);
            enum dlq_status status = rows[i].make(rows[i].trace, &error);
            hit = atomic_load(&failed);
            atomic_store(&countdown, 0);
            CHECK(status == DLQ_OK || (hit && strstr(error.text, "memory") != NULL), "row %zu: allocation %ld: '%s'", i,
                  nth, error.text);
            refused += status != DLQ_OK;
        }
        CHECK(refused >= rows[i].least && refused >= nth - 4, "row %zu: %ld of %ld refused", i, refused, nth);
    }
    dlq_trace_free(full);
    dlq_trace_free(alone);
}

static const struct test_case cases[] = {
    {"timelines without memory", timelines_without_memory},
    {"fit without memory", fit_without_memory},
    {"every allocation of a replay fails once", every_allocation_of_a_replay_fails_once},
    {"every allocation fails once", every_allocation_fails_once},
    {"diagnosis without memory", diagnosis_without_memory},
    {NULL, NULL},
};

const struct test_suite suite_memory = {"memory", cases};
