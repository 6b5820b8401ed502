/* Lotus: logs of processes that are of one rank, nanoseconds, epochs. */
#include "logs.h"

#define MAIN "logs/lotus-imagenet_main_pid_99.csv"
#define FIRST "logs/lotus-imagenet_worker_pid_123.csv"
#define SECOND "logs/lotus-imagenet_worker_pid_124.csv"

/* Logs of four batches: 0 and 2 by the first worker, 1 and 3 by the second. Batch 2 comes early. Steps of 10 ms. */
static void check_run(const struct dlq_trace *trace, bool has_workers)
{
    static const struct {
        double load, data, iter;
        int worker;
    } want[] = {{0.05, 0.057, 0.067, 0}, {0.1, 0.041, 0.051, 1}, {0.02, 0, 0.01, 0}, {0.06, 0.04, 0.05, 1}};
    const struct dlq_rank *rank = dlq_trace_rank(trace, 0);
    CHECK_INT(trace->rank_count, 1);
    CHECK_INT(rank->count, 4);
    CHECK_INT(rank->iterations, 4);
    CHECK_INT(rank->whole, true);
    for (size_t i = 0; i < 4 && rank->count == 4; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        CHECK_INT(batch->index, i);
        CHECK_INT(batch->epoch, 0);
        CHECK_INT(batch->worker, has_workers ? want[i].worker : -1);
        CHECK_REL(batch->load, want[i].load, 0);
        CHECK_ABS(batch->load_end - batch->load_start, want[i].load, 1e-15);
        CHECK_ABS(batch->data, want[i].data, 1e-15);
        CHECK_ABS(batch->step, 0.01, 1e-15);
        CHECK_ABS(batch->iter, want[i].iter, 1e-15);
    }
    CHECK_INT(rank->worker_count, has_workers ? 2 : 0);
    CHECK_REL(rank->load.count, 4, 0);
}

static void logs_of_processes(void)
{
    static const char *const orders[][3] = {
        {MAIN, FIRST, SECOND}, {FIRST, SECOND, MAIN}, {FIRST, MAIN, SECOND}, {"logs/lotus-one-file.csv"}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        OWN_TRACE *trace = new_trace(0);
        for (size_t k = 0; k < 3 && orders[i][k] != NULL; k++)
            CHECK_INT(add_file(trace, orders[i][k], NULL), DLQ_OK);
        CHECK_TEXT(trace->format->name, "lotus");
        CHECK_INT(trace->bad + trace->other, 0);
        check_run(trace, orders[i][1] != NULL);
    }
}

/* Loads meet their iterations in a run that began with a log of another format, too. */
static void after_another_format(void)
{
    static const char other[] = "rank,iter_time\n5,1\n";
    OWN_TRACE *trace = new_trace(0);
    CHECK_INT(add_bytes(trace, "a", other, strlen(other), NULL), DLQ_OK);
    CHECK_INT(add_file(trace, MAIN, NULL), DLQ_OK);
    CHECK_INT(add_file(trace, FIRST, NULL), DLQ_OK);
    const struct dlq_rank *rank = dlq_trace_rank(trace, 0);
    CHECK_INT(rank->count, 4);
    CHECK_REL(rank->batches[0].load, 0.05, 0);
    CHECK_INT(trace->kept, 5);
}

/* 1 ns is 1 ns, a month from the first time on. */
static void keeps_nanoseconds(void)
{
    OWN_TRACE *trace = good_trace("a", "SBatchPreprocessed_0,1700000000000000000,1\n"
                                       "SBatchPreprocessed_1,1702592000000000001,1\n");
    CHECK_REL(trace->ranks[0].batches[0].load_end, 1e-9, 0);
    CHECK_REL(trace->ranks[0].batches[1].load, 1e-9, 0);
    CHECK_ABS(trace->ranks[0].batches[1].load_start - 2592000, 1e-9, 3e-10);
}

#define ORDER "not after the batch above: rows have to be in order of time, without repeats"

static void marks_and_clocks(void)
{
    static const struct {
        const char *text, *want;
        long skip;
    } table[] = {
        /* SBatchConsumed as a mark: the step lasts until the next batch is asked for; where none is, that is unknown.
           The second epoch begins where the index falls back. */
        {"SBatchWait_0,1000000000,400000000\nSBatchConsumed_0,1400000000,2000\n"
         "SBatchWait_1,1500000000,200000000\nSBatchConsumed_1,1700000000,2000\n"
         "SBatchWait_0,5000000000,300000000\nSBatchConsumed_0,5300000000,2000\n"
         "SBatchWait_1,5400000000,100000000\nSBatchConsumed_1,5500000000,2000\n",
         "0: 400000/500000 200000/- | 300000/400000 100000/-", 0},
        /* The clock was set back between the batches. */
        {"SBatchConsumed_0,900,5\nSBatchConsumed_1,400,5\nSBatchConsumed_2,500,5\n", "a:2: " ORDER, 0},
        {"SBatchConsumed_0,900,5\nSBatchConsumed_1,400,5\nSBatchConsumed_2,500,5\n", "0: 0/0.1 0/-", 1},
        /* A row that is there twice, and a wait behind its batch. */
        {"SBatchConsumed_0,900,5\nSBatchConsumed_0,900,5\nSBatchConsumed_1,1000,5\n", "a:2: " ORDER, 0},
        {"SBatchConsumed_0,900,5\nSBatchConsumed_0,900,5\nSBatchConsumed_1,1000,5\n", "0: 0/0.1 0/-", 1},
        {"SBatchConsumed_0,900,5\nSBatchConsumed_1,1300,5\nSBatchWait_1,1000,200\nSBatchConsumed_2,1400,5\n",
         "a:3: " ORDER, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_bytes((struct dlq_trace_options){.skip_bad = table[i].skip}, "a", table[i].text, strlen(table[i].text),
                    table[i].want);
}

#define FORM " is not of the form name,start,duration, both in whole ns"

static void refuses(void)
{
    static const struct text_case table[] = {
        {"SBatchWait_1,5", "'SBatchWait_1,5'" FORM},
        {"SBatchWait_1,-5,3", "'SBatchWait_1,-5,3'" FORM},
        {"SBatchWait_1,5,1e3", "'SBatchWait_1,5,1e3'" FORM},
        {",5,6", "',5,6'" FORM},
        {"SBatchWait_1,9300000000000000000,3", "'SBatchWait_1,9300000000000000000,3'" FORM},
        {"SBatchWait_1,99999999999999999999,3", "'SBatchWait_1,99999999999999999999,3'" FORM},
        {"SBatchWait_x,5,6", "not a name that is known: SBatchPreprocessed_i, SBatchWait_i, SBatchConsumed_i"},
        {"SBatchGone_1,5,6", "not a name that is known: SBatchPreprocessed_i, SBatchWait_i, SBatchConsumed_i"},
        {"SBatchPreprocessed_2147483648,5,6", "the index is not in 0..2147483647"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[256], want[256];
        snprintf(text, sizeof text, "SBatchPreprocessed_0,1,5\n%s\nLoader,7,8\n", table[i].text);
        snprintf(want, sizeof want, "a:2: %s", table[i].want);
        check_bytes((struct dlq_trace_options){0}, "a", text, strlen(text), want);
    }
    static const char operations[] = "Loader,1700000000000000000,5\nResize(1, 2),1700000000000000009,5\n";
    check_bytes((struct dlq_trace_options){0}, "a", operations, strlen(operations),
                "a: no times in it (read as lotus)");
}

TEST_SUITE(lotus, CASE(logs_of_processes), CASE(after_another_format), CASE(keeps_nanoseconds), CASE(marks_and_clocks),
           CASE(refuses));
