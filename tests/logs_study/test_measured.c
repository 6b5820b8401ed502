/* What a trace shows of the pipeline, and what contradicts it. */
#include "traces.h"

#include "logs/study/replay/replay.h"

static struct run run_of(long workers, long prefetch)
{
    struct run run = usual_run(law_mild, 0.025, 11);
    run.workers = workers;
    run.prefetch = prefetch;
    run.batches = 120;
    run.gap = 0;
    return run;
}

static struct dlq_error error;
static struct dlq_arena arena = {.error = &error, .doing = "replaying"};

/* Lies in the arena, which the test ends. */
static struct dlq_measured_run measured_of(struct dlq_trace *trace, struct dlq_pipeline_hint hint, const char *what)
{
    static const struct dlq_loader none = {.name = ""};
    struct dlq_measured_run measured = {.loader = &none};
    error = (struct dlq_error){0};
    CHECK(dlq_measured_make(&arena, &measured, trace, &hint) == DLQ_OK, "%s: %s", what, error.text);
    dlq_trace_free(trace);
    return measured;
}

static void seen(void)
{
    static const struct {
        long workers, prefetch, batches, epochs;
        bool by_completion;
        int without;
        const char *loader;
        long seen; /* the prefetch that is found */
    } rows[] = {
        {4, 2, 120, 1, false, 0, "pytorch", 2},
        {4, 2, 120, 1, true, 0, "pytorch-unordered", 2},
        {1, 1, 120, 1, false, 0, "pytorch", 1},
        {3, 7, 120, 2, false, 0, "pytorch", 7},
        {5, 3, 60, 4, true, 0, "pytorch-unordered", 3},
        /* Without dispatches: the default where that can be, else the least that fits. */
        {4, 2, 120, 1, false, NO_DISPATCHED, "pytorch", 2},
        {4, 1, 120, 1, false, NO_DISPATCHED, "pytorch", 2},
        {4, 5, 120, 1, false, NO_DISPATCHED, "pytorch", 5},
        {4, 5, 120, 1, false, NO_DISPATCHED | NO_STARTS, "pytorch", 2},
        /* All dispatched at once: at least so many. */
        {4, 2, 7, 1, false, 0, "pytorch", 2},
        {4, 8, 30, 1, false, 0, "pytorch", 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run run = run_of(rows[i].workers, rows[i].prefetch);
        run.batches = rows[i].batches;
        run.epochs = rows[i].epochs;
        run.by_completion = rows[i].by_completion;
        simulate(&run);
        char what[32];
        snprintf(what, sizeof what, "row %zu", i);
        struct dlq_measured_run measured = measured_of(trace_of_run(&run, rows[i].without), no_hint, what);
        CHECK_TEXT(measured.loader->name, rows[i].loader);
        CHECK(measured.loaders == rows[i].workers && measured.prefetch == rows[i].seen, "row %zu: N %ld p %ld", i,
              measured.loaders, measured.prefetch);
        CHECK_INT(measured.window, measured.loaders * measured.prefetch);
        CHECK_INT(measured.epochs, rows[i].epochs);
        CHECK_INT(measured.batches, run.count);
        dlq_arena_end(&arena);
    }
}

/* Who loaded before, in which order, when the credit came back: read off a small log by hand, a file for each epoch,
   of which the later comes first. */
static void in_order(void)
{
    static const char head[] = "rank,epoch,index,worker,load_start,load_end,request,received,step_end\n";
    static const char *const epochs[] = {"0,0,1,731,0,1,0.5,1.5,2\n0,0,0,730,0,4,2,4.5,5\n0,0,3,731,1.5,1.8,5,5.25,6\n"
                                         "0,0,2,730,4.5,7,6,7.5,8\n",
                                         "0,1,0,733,9,10,8.5,10.5,11\n0,1,1,732,9,12,11,12.5,13\n"};
    const struct dlq_pipeline_hint hint = {.loader = "pytorch-unordered", .loaders = -1, .prefetch = 1};
    struct dlq_trace *trace = NULL;
    for (int i = 0; i < 2; i++) {
        FILE *log = tmpfile();
        fprintf(log, "%s%s", head, epochs[1 - i]);
        rewind(log);
        trace = trace_with(trace, "by hand", log);
    }
    struct dlq_measured_run measured = measured_of(trace, hint, "by hand");
    bool read = measured.epochs == 2 && measured.batches == 6 && measured.begins[1] == 4;
    CHECK(read, "%zu epochs", measured.epochs);
    if (!read)
        return;
    static const size_t delivered[] = {1, 0, 3, 2, 4, 5};
    static const size_t worker[] = {0, 1, 0, 1, 1, 0};
    for (size_t i = 0; i < 6; i++) {
        CHECK_INT(measured.delivered[i], delivered[i]);
        CHECK_INT(measured.worker[i], worker[i]);
    }
    CHECK(isnan(measured.before[0]) && isnan(measured.before[4]), "first loads");
    CHECK_REL(measured.before[2], 4, 0);
    CHECK_REL(measured.before[3], 1, 0);
    CHECK(isnan(measured.credit[1]), "dispatched at the start");
    CHECK_REL(measured.credit[2], 1.5, 0);
    CHECK_REL(measured.credit[3], 4.5, 0);
    CHECK_INT(dlq_measured_out_of_index(&measured), 2);
    /* At 2 batch 3 was ready, since 1.8, and batch 0 not before 4. */
    CHECK_INT(dlq_measured_out_of_completion(&measured, 0.1), 1);
    CHECK_INT(dlq_measured_out_of_completion(&measured, 0.3), 0);
    dlq_arena_end(&arena);
}

static void contradictions(void)
{
    static const struct {
        struct dlq_pipeline_hint hint;
        int without;
        enum dlq_status status;
        const char *first, *second; /* in the message */
    } rows[] = {
        {{NULL, 4, 0}, 0, DLQ_INVALID, "4", "8"},
        {{NULL, 12, 0}, 0, DLQ_INVALID, "12", "8"},
        {{NULL, 0, 0}, 0, DLQ_INVALID, "0 loaders", "8"},
        {{NULL, -1, 4}, 0, DLQ_INVALID, "prefetch 4", "prefetch 3"},
        {{"pytorch", 8, 1}, 0, DLQ_INVALID, "prefetch 1", "24 in flight"},
        {{"serial", -1, 0}, 0, DLQ_INVALID, "0", "8"},
        {{"serial", 8, 0}, 0, DLQ_INVALID, "serial", "8"},
        {{"mxnet", -1, 3}, 0, DLQ_INVALID, "mxnet", "none"},
        {{"pytorhc", -1, 0}, 0, DLQ_INVALID, "pytorhc", "loader"},
        {{NULL, 100000, 0}, NO_WORKER, DLQ_INVALID, "100000", "4096"},
        {{NULL, -1, 100000}, NO_DISPATCHED, DLQ_INVALID, "100000", "4096"},
        {{NULL, -1, 0}, NO_WORKER, DLQ_NO_ANSWER, "worker", "number of loaders"},
        {{NULL, 8, 3}, 0, DLQ_OK, "", ""},
        {{"pytorch", 8, 0}, NO_WORKER, DLQ_OK, "", ""},
        {{"pytorch", -1, 5}, NO_DISPATCHED, DLQ_OK, "", ""},
    };
    struct run run = run_of(8, 3);
    simulate(&run);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_replay replay = {.loaders = 77};
        error = (struct dlq_error){0};
        enum dlq_status status = replay_trace(trace_of_run(&run, rows[i].without), rows[i].hint, &replay, &error);
        CHECK(status == rows[i].status, "row %zu: status %d: %s", i, (int)status, error.text);
        CHECK(strstr(error.text, rows[i].first) != NULL && strstr(error.text, rows[i].second) != NULL, "row %zu: '%s'",
              i, error.text);
        CHECK((status == DLQ_OK) == (replay.loaders == 8), "row %zu: %ld loaders", i, replay.loaders);
        CHECK(status == DLQ_OK || replay.loaders == 77, "row %zu: the output was touched", i);
    }
}

/* Logs that a replay needs more of. */
static void missing(void)
{
    static const struct {
        const char *log, *lacks;
    } rows[] = {
        {"epoch,index,received,step_end,load_time\n0,0,1,2,\n0,1,2,3,1\n", "load time"},
        {"epoch,index,load_start,load_end,step_end\n0,0,1,2,3\n0,1,2,3,4\n", "reception"},
        {"epoch,index,load_start,load_end,request,received\n0,0,1,2,1,3\n0,1,2,3,3,4\n", "step_end"},
        {"data_time,iter_time\n0.1,0.4\n0.2,0.5\n", "load time"},
        {"epoch,index,load_time,request,received,step_end\n1,0,1,5,6,7\n2,0,1,1,2,3\n", "epochs"},
        {"index,worker,load_start,load_end,request,received,step_end\n0,0,1,2,2,3,3\n", "no time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_replay replay;
        error = (struct dlq_error){0};
        struct dlq_pipeline_hint hint = {.loaders = 2};
        enum dlq_status status = replay_trace(trace_of_text(rows[i].log), hint, &replay, &error);
        CHECK(status == DLQ_NO_ANSWER && strstr(error.text, rows[i].lacks) != NULL, "row %zu: %d '%s'", i, (int)status,
              error.text);
    }
}

/* What was under way when the log ended is left out; so are batches that another rank does not have. */
static void cut_short(void)
{
    static const char log[] =
        "rank,epoch,index,worker,load_start,load_end,request,received,step_end\n"
        "0,0,0,0,0,1,0,1,2\n0,0,1,1,0,1,2,2,3\n0,0,2,0,1,2,3,3,4\n0,0,3,1,2,4,4,,\n0,0,4,0,3,,,,\n"
        "1,0,0,0,0,1,0,1,2\n1,0,1,1,0,1,2,2,3\n";
    struct dlq_replay replay = replay_of(trace_of_text(log), no_hint, "cut short");
    CHECK(replay.batches == 2 && replay.ranks == 2 && replay.loaders == 2, "%ld batches", replay.batches);
    CHECK_REL(replay.measured, 2.0 / 3, 1e-12);
}

static void serial(void)
{
    static const char log[] = "index,load_start,load_end,request,received,step_end\n"
                              "0,10.1,11,10,11.1,12\n1,12.1,12.6,12,12.7,13\n2,13.1,15,13,15.1,16\n";
    struct dlq_replay replay = replay_of(trace_of_text(log), no_hint, "serial");
    CHECK_TEXT(replay.loader, "serial");
    CHECK(replay.loaders == 0 && replay.prefetch == 0, "N %ld p %ld", replay.loaders, replay.prefetch);
    CHECK_REL(replay.measured, 3.0 / 6, 1e-12);
    CHECK_REL(replay.overheads.receive, 0.2, 1e-9);
    CHECK_REL(replay.predicted, replay.measured, 1e-9);
    CHECK_REL(replay.without_overheads, 3.0 / (6 - 3 * 0.2), 1e-9);
    static const struct {
        struct dlq_pipeline_hint hint;
        const char *why; /* null: taken */
    } rows[] = {
        {{NULL, 4, 0}, "4 loaders given, but the trace shows 0: the training process loads for itself"},
        {{"keras", -1, 0}, "loader keras given, which needs loaders of its own; the trace has 0 loaders"},
        {{"pytorch", 0, 0}, NULL},
        {{"serial", -1, 0}, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        error = (struct dlq_error){0};
        CHECK_INT(replay_trace(trace_of_text(log), rows[i].hint, &replay, &error),
                  rows[i].why == NULL ? DLQ_OK : DLQ_INVALID);
        CHECK(rows[i].why == NULL || strstr(error.text, rows[i].why) != NULL, "row %zu: %s", i, error.text);
    }
}

/* 4 workers and a window that no prefetch gives: the nearest is taken. Batch k is received at k s and its credit goes
   back at once, to batch k + window. */
static void odd_windows(void)
{
    static const struct {
        int window;
        long prefetch;
    } rows[] = {{8, 2}, {9, 2}, {10, 3}, {11, 3}, {12, 3}, {13, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *log = tmpfile();
        fprintf(log, "index,worker,dispatched,load_start,load_end,request,received,step_end\n");
        for (int k = 0; k < 60; k++) {
            bool first = k < rows[i].window;
            int round = k / 4;
            double sent = first ? -5 : k - rows[i].window + 0.1, start = sent + (first ? 0.2 * (double)round : 0) + 0.1;
            fprintf(log, "%d,%d,%g,%g,%g,%g,%d,%g\n", k, k % 4, 10 + sent, 10 + start, 10 + start + 0.1, 10 + k - 0.5,
                    10 + k, 10 + k + 0.4);
        }
        struct dlq_measured_run measured = measured_of(trace_of(log), no_hint, "odd windows");
        CHECK_INT(measured.loaders, 4);
        CHECK_INT(measured.prefetch, rows[i].prefetch);
        dlq_arena_end(&arena);
    }
}

/* -- overheads that a run was simulated with are found in its trace -- */

/* A pause: of seconds in the trainer, in a worker, in a delivery, each once. It does not matter. */
static void overheads(void)
{
    static const struct {
        double dispatch, deliver, receive;
        load_law *load;
        bool by_completion, pause;
    } rows[] = {
        {0.0003, 0.0009, 0.0006, law_mild, false, false}, {0.003, 0.009, 0.006, law_mild, false, false},
        {0.0003, 0.0009, 0.0006, law_mild, true, false},  {0.0003, 0.0009, 0.0006, law_exponential, false, false},
        {0, 0.0009, 0.0006, law_mild, false, false},      {0.0003, 0, 0.0006, law_mild, false, false},
        {0.0003, 0.0009, 0, law_mild, false, false},      {0, 0, 0, law_mild, false, false},
        {0.0003, 0.0009, 0.0006, law_mild, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run run = usual_run(rows[i].load, 0.02, 5);
        run.workers = 5;
        run.dispatch = rows[i].dispatch;
        run.deliver = rows[i].deliver;
        run.receive = rows[i].receive;
        run.by_completion = rows[i].by_completion;
        run.gap = 0;
        run.startup = 0.07;
        run.epochs = 2;
        simulate(&run);
        double pause = rows[i].pause ? run.rows[200].request : INFINITY;
        for (long k = 0; k < run.count * ROW_TIMES; k++) {
            double *time = row_time(&run.rows[k / ROW_TIMES], (size_t)(k % ROW_TIMES));
            *time += *time > pause ? 4.7 : 0;
        }
        struct dlq_replay replay = replay_of(trace_of_run(&run, 0), no_hint, "overheads");
        const struct dlq_measured_overheads *found = &replay.overheads;
        double within = rows[i].pause ? 1e-4 : 2e-6 + 0.01 * rows[i].deliver;
        CHECK(fabs(found->dispatch - rows[i].dispatch) <= within && fabs(found->deliver - rows[i].deliver) <= within &&
                  fabs(found->receive - rows[i].receive) <= within && found->barrier == 0,
              "row %zu: %g, %g, %g, %g", i, found->dispatch, found->deliver, found->receive, found->barrier);
        CHECK_REL(found->startup, 0.07, 1e-4);
    }
}

TEST_SUITE(measured, CASE(seen), CASE(in_order), CASE(contradictions), CASE(missing), CASE(cut_short), CASE(serial),
           CASE(odd_windows), CASE(overheads));
