#include "log_bytes.h"

/* -- the same three iterations, written in many ways -- */

static void check_three(const struct dlq_trace *trace, const char *what)
{
    const struct dlq_rank *rank = dlq_trace_rank(trace, 0);
    CHECK(rank != NULL && rank->iterations == 3, "%s", what);
    if (rank == NULL)
        return;
    CHECK_TEXT(trace->format->name, "csv");
    CHECK_REL(dlq_spread_mean(&rank->data), 0.65 / 3, 1e-12);
    CHECK_REL(dlq_spread_mean(&rank->iter), 0.95 / 3, 1e-12);
    CHECK_REL(dlq_spread_mean(&rank->step), 0.1, 1e-12);
    CHECK_INT(rank->whole, true);
}

static void ways_to_write(void)
{
    static const char *const texts[] = {
        "data_time,iter_time\n0.5,0.6\n0.05,0.15\n0.1,0.2\n",
        "data_wait,iter_time\n0.5,0.6\n0.05,0.15\n0.1,0.2",
        "iter_time,data_time\r\n0.6,0.5\r\n0.15,0.05\r\n0.2,0.1\r\n",
        "iter_time,data_time\n0.6,0.5\r\n0.15,0.05\n0.2,0.1\r\n",
        "iter_time;data_time\n0.6;0.5\n0.15;0.05\n0.2;0.1\n",
        "iter_time;data_time\n0,6;0,5\n0,15;0,05\n0,2;0,1\n",
        "\"iter_time\";\"data_time\"\n\"0,6\";\"0,5\"\n\"0,15\";\"0,05\"\n0,2;0,1\n",
        "# by hand\n\n  # more\ndata_time,iter_time\n# one\n0.5,0.6\n\n0.05,0.15\n \t\n0.1,0.2\n",
        " data_time ,\titer_time\n 0.5 , 0.6\n0.05,\t0.15 \n\" 0.1 \" , \"0.2\" \n",
        "DATA_TIME,Iter_Time\n5e-1,6E-1\n.05,+0.15\n0.1,2000e-4\n",
        "data_time,iter_time\n500ms,0.6s\n50 ms,150000us\n100ms,200 ms\n",
        "data_time;iter_time\n500ms;0,6s\n50 ms;150000us\n100ms;200 ms\n",
        "x,\"a,\"\"b\",data_time,,iter_time\n1,\"x,y\",.5,,.6\n,,0.05,\"a\"\"\",0.15\n,z,.1,\"\",.2\n",
        "data_time,step_time\n0.5,0.1\n0.05,0.1\n0.1,0.1\n",
        "epoch,request,received,step_end\n0,0,0.5,0.6\n0,0.6,0.65,0.75\n1,10,10.1,10.2\n",
        "request,step_end,received\n-1,-0.4,-0.5\n-0.4,-0.25,-0.35\n-0.25,-0.05,-0.15\n",
        "request,received,step_end\n1.7e9,1700000000.5,1700000000.6\n1700000000.6,1700000000.65,1700000000.75\n",
        "rank,index,worker,data_time,iter_time\n0,0,-1,0.5,0.6\n0.0,1.0,,0.05,0.15\n,2,3,0.1,0.2\n",
        "\357\273\277data_time,iter_time\n0.5,0.6\n0.05,0.15\n0.1,0.2\n",
        "data_time,iter_time,note,more\n0.5,0.6,\"a,\"\"b\",1\n0.05,0.15,,\"\"\n0.1,0.2,\"c\",\n",
        "batch;iter_time;data_time\n0;0,6;0,5\n1;1,5e-1;5e-2\n2;0,2;0,1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct dlq_trace *trace = new_trace(0);
        struct dlq_error error = {0};
        bool unix_time = strstr(texts[i], "17000") != NULL;
        CHECK_INT(add_text(trace, "a.csv", texts[i], &error), DLQ_OK);
        CHECK_TEXT(error.text, "");
        if (unix_time) /* doubles of that size are 0.2 us apart */
            CHECK_ABS(dlq_spread_mean(&trace->ranks[0].data), 0.55 / 2, 3e-7);
        else
            check_three(trace, texts[i]);
        dlq_trace_free(trace);
    }
}

/* -- files -- */

static void all_columns(void)
{
    struct dlq_trace *trace = new_trace(0);
    struct dlq_trace_facts facts;
    CHECK_INT(add_file(trace, "logs/csv-all.csv", NULL), DLQ_OK);
    dlq_trace_facts(trace, &facts);
    CHECK_INT(facts.ranks, 2);
    CHECK_INT(facts.iterations, 3);
    CHECK_INT(facts.records, 6);
    CHECK_INT(facts.kept, 6);
    const struct dlq_rank *rank = dlq_trace_rank(trace, 1);
    CHECK_INT(rank->count, 3);
    const struct dlq_batch *batch = &rank->batches[1];
    CHECK_INT(batch->epoch, 0);
    CHECK_INT(batch->index, 1);
    CHECK_INT(batch->worker, 1);
    CHECK_INT(batch->count, 1);
    const double got[] = {batch->dispatched, batch->load_start, batch->load_end, batch->load, batch->request,
                          batch->received,   batch->step_end,   batch->data,     batch->iter, batch->step};
    const double want[] = {0.13, 0.18, 0.68, 0.5, 0.8, 0.85, 1.05, 0.05, 0.25, 0.2};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        CHECK_REL(got[i], want[i], 0);
    CHECK_INT(rank->worker_count, 2);
    CHECK_REL(dlq_spread_mean(&rank->workers[0]), 0.45, 1e-12);
    CHECK_REL(rank->first_data.count, 2, 0);
    CHECK_REL(dlq_spread_mean(&rank->first_data), 0.25, 1e-12);
    CHECK_REL(dlq_histogram_quantile(&trace->iter, 1), 0.6, 0);
    CHECK_INT(trace->iter.count, 6);
    dlq_trace_free(trace);
}

static void files(void)
{
    static const char *const names[] = {"logs/csv-waits.csv", "logs/csv-semicolon.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dlq_trace *trace = new_trace(0);
        CHECK_INT(add_file(trace, names[i], NULL), DLQ_OK);
        check_three(trace, names[i]);
        dlq_trace_free(trace);
    }
}

/* iter of the second is from one step_end to the next: the 10 ms between step_end and request are in it. */
static void points_in_time(void)
{
    struct dlq_trace *trace = new_trace(0);
    CHECK_INT(add_file(trace, "logs/csv-points.csv", NULL), DLQ_OK);
    const struct dlq_rank *rank = dlq_trace_rank(trace, 0);
    static const double want[3][4] = {{0.5, 0.6, 0.1, 0.5}, {0.05, 0.15, 0.09, 0.6}, {0.1, 0.2, 0.1, 0.6}};
    CHECK_INT(rank->count, 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK_REL(rank->batches[i].data, want[i][0], 1e-12);
        CHECK_REL(rank->batches[i].iter, want[i][1], 1e-12);
        CHECK_REL(rank->batches[i].step, want[i][2], 1e-12);
        CHECK_REL(rank->batches[i].load, want[i][3], 1e-12);
    }
    dlq_trace_free(trace);
}

/* Of the file's own comment lines: 400 batches; 63.328970 - 0.115310 s from the first request to the last step's end.
   The means are its columns' by awk. */
static void real_loader(void)
{
    struct dlq_trace *trace = new_trace(0);
    CHECK_INT(add_file(trace, "torch/cases/n4_p2_logn1_r1.1.csv", NULL), DLQ_OK);
    const struct dlq_rank *rank = dlq_trace_rank(trace, 0);
    CHECK_INT(rank->iterations, 400);
    CHECK_INT(rank->count, 400);
    CHECK_INT(rank->worker_count, 4);
    CHECK_REL(dlq_spread_sum(&rank->iter), 63.328970 - 0.115310, 1e-12);
    CHECK_REL(dlq_spread_mean(&rank->data), 0.057900435, 1e-9);
    CHECK_REL(dlq_spread_mean(&rank->load), 0.421465735, 1e-9);
    CHECK_REL(dlq_spread_mean(&rank->first_data), 0.432895, 1e-12);
    dlq_trace_free(trace);
}

/* Loads that no iteration is known of. */
static void loads_alone(void)
{
    struct dlq_trace *trace = new_trace(0);
    CHECK_INT(add_text(trace, "a.csv", "worker,load_time\n0,0.5\n1,0.7\n9999,0.9\n", NULL), DLQ_OK);
    const struct dlq_rank *rank = dlq_trace_rank(trace, 0);
    CHECK_INT(rank->iterations, 0);
    CHECK_INT(trace->records, 3);
    CHECK_INT(rank->worker_count, 2);
    CHECK_INT(rank->batches[2].worker, 9999);
    CHECK_INT(rank->batches[0].count, 0);
    CHECK_REL(dlq_spread_mean(&rank->load), 0.7, 1e-12);
    dlq_trace_free(trace);
}

static void constant_data(void)
{
    struct dlq_trace *trace = new_trace(0);
    CHECK_INT(add_text(trace, "a.csv", "data_time,iter_time\n0,0.2\n0,0.2\n0,0.2\n", NULL), DLQ_OK);
    CHECK_REL(dlq_spread_mean(&trace->ranks[0].data), 0, 0);
    CHECK_REL(dlq_spread_variance(&trace->ranks[0].iter), 0, 0);
    CHECK_REL(dlq_histogram_quantile(&trace->iter, 0.5), 0.2, 0);
    dlq_trace_free(trace);
}

static const struct test_case cases[] = {
    {"ways to write", ways_to_write},
    {"all columns", all_columns},
    {"files", files},
    {"points in time", points_in_time},
    {"real loader", real_loader},
    {"loads alone", loads_alone},
    {"constant data", constant_data},
    {NULL, NULL},
};

const struct test_suite suite_csv = {"csv", cases};
