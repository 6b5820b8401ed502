/* CSV logs: columns in all the ways that people write them, and what is wrong with a row, a header, a file. */
#include "logs.h"

/* -- the same three iterations, written in many ways -- */

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
        ("request,received,step_end\n1.7e9,1700000000.5,1700000000.6\n1700000000.6,1700000000.65,1700000000.75\n"
         "1700000000.75,1700000000.85,1700000000.95\n"),
        "rank,index,worker,data_time,iter_time\n0,0,-1,0.5,0.6\n0.0,1.0,,0.05,0.15\n,2,3,0.1,0.2\n",
        "\357\273\277data_time,iter_time\n0.5,0.6\n0.05,0.15\n0.1,0.2\n",
        "data_time,iter_time,note,more\n0.5,0.6,\"a,\"\"b\",1\n0.05,0.15,,\"\"\n0.1,0.2,\"c\",\n",
        "batch;iter_time;data_time\n0;0,6;0,5\n1;1,5e-1;5e-2\n2;0,2;0,1\n",
        "data_time\tnote\titer_time\n0.5\t\t0.6\n 0.05 \t\"a\tb\" \t 0.15\n0.1\tc, d\t0.2\n",
        "\titer_time\tdata_time\tlast\n0\t0.6\t0.5\t\n1\t0.15\t0.05\t\n\t0.2\t0.1\tx\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        OWN_TRACE *trace = good_trace("a.csv", texts[i]);
        const struct dlq_rank *rank = &trace->ranks[0];
        double epsilon = strstr(texts[i], "17000") != NULL ? 3e-7 : 1e-12; /* doubles of that size are 0.2 us apart */
        CHECK_TEXT(trace->format->name, "csv");
        CHECK_INT(rank->iterations, 3);
        CHECK_ABS(dlq_spread_mean(&rank->data), 0.65 / 3, epsilon);
        CHECK_ABS(dlq_spread_mean(&rank->iter), 0.95 / 3, epsilon);
        CHECK_ABS(dlq_spread_mean(&rank->step), 0.1, epsilon);
    }
}

/* -- files -- */

static void all_columns(void)
{
    OWN_TRACE *trace = new_trace(0);
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
    CHECK_REL(dlq_histogram_quantile(&trace->iter, 1), 0.6, 0);
    CHECK_INT(trace->iter.count, 6);
}

/* Of a worker that shares its cores; what is empty stays unknown. */
static void processor_time(void)
{
    static const struct {
        const char *comment;
        double cores;
    } cases[] = {
        {"# cores=2", 2},   {"# cores=0.5", 0.5}, {"#cores=2 # cores=9", 2}, {"# cores=None", 0}, {"# cores=-1", 0},
        {"# cores=1e9", 0}, {"# cores=nan", 0},   {"# cores=", 0},           {"# my cores=4", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "%s\n# world=2\ndata_time,iter_time,load_cpu,load_delay,worker_cpu,worker_delay,receive_cpu,"
                 "receive_delay,step_cpu,step_delay\n1,2,.25,,.5,.75,,0,1.25,3\n",
                 cases[i].comment);
        OWN_TRACE *trace = good_trace("a.csv", text);
        static const double want[DLQ_PROCESSOR_TIMES] = {0.25, NAN, 0.5, 0.75, NAN, 0, 1.25, 3};
        const float *got = trace->ranks[0].batches[0].use;
        for (size_t k = 0; k < DLQ_PROCESSOR_TIMES; k++)
            CHECK(isnan(want[k]) ? isnan(got[k]) : (double)got[k] == want[k], "%zu: %g", k, (double)got[k]);
        CHECK_REL(trace->shared.host.cores, cases[i].cores, 0);
        CHECK_INT(trace->shared.world, 2);
    }
}

/* The comments that say what the host has; of several the largest counts, and None is unknown. */
static void host_of_comments(void)
{
    OWN_TRACE *trace = good_trace("a.csv", "# memory=64000000000\n# shm=67108864\n# batch_bytes=None\n# memory=7\n"
                                           "# local_world=8\n# local_world=2.5\n# cuda=1\n# synchronize=False\n"
                                           "data_time,iter_time\n1,2\n");
    CHECK_REL(trace->shared.host.memory, 64e9, 0);
    CHECK_REL(trace->shared.host.shm, 67108864, 0);
    CHECK_REL(trace->shared.host.batch_bytes, 0, 0);
    CHECK_INT(trace->shared.host.ranks, 8);
    CHECK(trace->shared.cuda && !trace->shared.synchronized, "cuda %d", trace->shared.cuda);
}

/* Loads that no iteration is known of. */
static void loads_alone(void)
{
    OWN_TRACE *trace = new_trace(0);
    CHECK_INT(add_text(trace, "a.csv", "worker,load_time\n0,0.5\n1,0.7\n9999,0.9\n", NULL), DLQ_OK);
    const struct dlq_rank *rank = dlq_trace_rank(trace, 0);
    CHECK_INT(rank->iterations, 0);
    CHECK_INT(trace->records, 3);
    CHECK_INT(rank->worker_count, 2);
    CHECK_INT(rank->batches[2].worker, 9999);
    CHECK_INT(rank->batches[0].count, 0);
    CHECK_REL(dlq_spread_mean(&rank->load), 0.7, 1e-12);
}

#define HEADER "data_time,iter_time,index,load_start,load_end,request,received,step_end\n"

static const struct text_case rows[] = {
    {"text,,,,,,,", "data_time: 'text' is not a time (expected e.g. 700ms, 2s)"},
    {"nan,,,,,,,", "data_time: 'nan' is not a time (expected e.g. 700ms, 2s)"},
    {"0.1,inf,,,,,,", "iter_time: 'inf' is not a time (expected e.g. 700ms, 2s)"},
    {"5 parsecs,,,,,,,", "data_time: '5 parsecs' is not a time (expected e.g. 700ms, 2s)"},
    {"1e400,,,,,,,", "data_time: inf is too large for seconds (with a unit: 12ms, 34us, 56ns)"},
    {",1700000000000000000,,,,,,", "iter_time: 1.7e+18 is too large for seconds (with a unit: 12ms, 34us, 56ns)"},
    {",,,,,-1e13,,", "request: -10000000000000 is too large for seconds (with a unit: 12ms, 34us, 56ns)"},
    {"0.1,-2e-9,,,,,,", "iter_time: -2e-09 is negative"},
    {"0.1,0.2,x,,,,,", "index: 'x' is not a whole number"},
    {"0.1,0.2,1.5,,,,,", "index: 1.5 is not a whole number from 0 to 2147483647"},
    {"0.1,0.2,-2,,,,,", "index: -2 is not a whole number from 0 to 2147483647"},
    {"0.1,0.2,2147483648,,,,,", "index: 2147483648 is not a whole number from 0 to 2147483647"},
    {"0.1,0.2,,0.4,0.3,,,", "load_end: 0.3 is before load_start, 0.4"},
    {",,,,,0.4,0.3,0.5", "received: 0.3 is before request, 0.4"},
    {",,,,,0.4,0.5,0.45", "step_end: 0.45 is before received, 0.5"},
};

/* What is wrong with the row as a whole. */
static const struct text_case lines[] = {
    {",,,,,,,", "no time is in this row"},
    {"0.6,0.5,,,,,,", "data time 0.6 s is longer than the iteration, 0.5 s"},
    {"0.1,0.2", "2 fields, but the header has 8"},
    {"0,1,0,2,,,,,,,,", "12 fields, but the header has 8 (a decimal comma? write 1.5)"},
    {"\"0.1,0.2,,,,,,", "field 1: a quote that never ends, or text after it"},
    {"0.1,\"0.2\" s,,,,,,", "field 2: a quote that never ends, or text after it"},
    {"0.1,0.2,,,,,,\"", "field 8: a quote that never ends, or text after it"},
};

/* Each is told with its line, skipped once where that is allowed, and not twice. */
static void bad_rows(void)
{
    static const char good[] = "0: 100000/200000 100000/200000";
    for (size_t i = 0; i < sizeof rows / sizeof *rows + sizeof lines / sizeof *lines; i++) {
        bool of_column = i < sizeof rows / sizeof *rows;
        const struct text_case *row = of_column ? &rows[i] : &lines[i - sizeof rows / sizeof *rows];
        char text[1024], want[1024];
        struct dlq_error error;
        snprintf(text, sizeof text, HEADER "0.1,0.2,,,,,,\n%s\n0.1,0.2,,,,,,\n", row->text);
        snprintf(want, sizeof want, "a.csv:3: %s%s", of_column ? "column " : "", row->want);
        check_bytes((struct dlq_trace_options){0}, "a.csv", text, strlen(text), want);
        check_bytes((struct dlq_trace_options){.skip_bad = 1}, "a.csv", text, strlen(text), good);
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s\n", row->text);
        CHECK(read_text((struct dlq_trace_options){.skip_bad = 1}, "a.csv", text, &error) == NULL, "%s", text);
        CHECK_INT(error.count, 1);
        CHECK(strncmp(error.text, "a.csv:5: ", 9) == 0, "%s", error.text);
    }
}

#define UNKNOWN                                                                                                        \
    "a.csv: no known log format: --format names one (dlqueue help formats lists them), --pattern or --column says "    \
    "where the numbers of any other log are"

#define KNOWN                                                                                                          \
    "no column has times: data_time or data_wait, iter_time, step_time, load_time, step_end, load_start and "          \
    "load_end, request and received; --column data=NAME and iter=NAME name others"

static void bad_files(void)
{
    static const struct text_case files[] = {
        {"", "a.csv: the log is empty"},
        {"data_time,iter_time\n", "a.csv: no times in it (read as csv)"},
        {"# nothing\ndata_time,iter_time", "a.csv: no times in it (read as csv)"},
        {"# nothing\n\n", UNKNOWN},
        {"data_tme,other\n1,2\n", "a.csv:1: " KNOWN "; 'data_tme': did you mean data_time?"},
        {"red,green\n1,2\n", "a.csv:1: " KNOWN},
        {"Num_Workers,images/s\n1,2\n", "a.csv:1: " KNOWN "; a table with a run in each row is read by --table"},
        {"red,green\nblue,white\n", UNKNOWN},
        {"hello, world (again)\n1,2\n", "a.csv:1: " KNOWN},
        {"epoch\n1\n", UNKNOWN},
        {"3,\"4\n1,2\n", UNKNOWN},
        {"epoch,index,load_start\n1,2,3\n", "a.csv:1: " KNOWN},
        {"iter_time,ITER_TIME\n1,2\n", "a.csv:1: columns 1 and 2 are the same: iter_time, iter_time"},
        {"data_time,x,data_wait\n1,2,3\n", "a.csv:1: columns 1 and 3 are the same: data_time, data_wait"},
        {"index,iter_time,batch\n1,2,3\n", "a.csv:1: columns 1 and 3 are the same: index, batch"},
        {"iter_time;data_time\n1;0.5;1\n", "a.csv:2: 3 fields, but the header has 2"},
        {"iter_time;data_time\n1.000,5;0\n",
         "a.csv:2: column iter_time: '1.000.5' is not a time (expected e.g. 700ms, 2s)"},
        {"iter_time\n1\n-1\n2\n-2\nx\n", "a.csv:3: column iter_time: -1 is negative\n"
                                         "a.csv:5: column iter_time: -2 is negative\n"
                                         "a.csv:6: column iter_time: 'x' is not a time (expected e.g. 700ms, 2s)"},
    };
    CHECK_TEXTS("a.csv", files);
    static const char nul[] = "iter_time\n1\n2\0003\n4\n";
    check_bytes((struct dlq_trace_options){0}, "a.csv", nul, sizeof nul - 1,
                "a.csv:3: not text: the line holds a NUL byte");
    static const char wide[] = "\xFF\xFEi\0t\0e\0r\0";
    check_bytes((struct dlq_trace_options){0}, "a.csv", wide, sizeof wide - 1,
                "a.csv: UTF-16, not UTF-8: iconv -f UTF-16 -t UTF-8 makes a text of it that can be read");
    check_bytes((struct dlq_trace_options){.skip_bad = 100}, "a.csv", "epoch,index\n1,2\n", 16,
                "a.csv: no times in it (read as csv); malformed: " KNOWN);
}

/* Every error is one of the file's, up to the twentieth; then reading ends. */
static void many_errors(void)
{
    char text[256] = "iter_time\n";
    struct dlq_error error;
    for (size_t i = 0, length = strlen(text); i < 30; i++, length += 2)
        snprintf(text + length, sizeof text - length, "x\n");
    CHECK(read_text((struct dlq_trace_options){0}, "a.csv", text, &error) == NULL, "is read");
    CHECK_INT(error.count, DLQ_ERROR_LINES);
    check_bytes((struct dlq_trace_options){.skip_bad = 40}, "a.csv", text, strlen(text),
                "a.csv: no times in it (read as csv); malformed: column iter_time: 'x' is not a time "
                "(expected e.g. 700ms, 2s)");
}

/* 300 columns, of which the last is of use; a line of over 32 kB behind it; a line that is cut. */
static void wide_files(void)
{
    enum { SIZE = 200000 };
    static char text[SIZE];
    size_t length = 0;
    for (int i = 0; i < 299; i++)
        length += (size_t)sprintf(text + length, "column%d,", i);
    length += (size_t)sprintf(text + length, "iter_time\n");
    for (int row = 0; row < 2; row++) {
        for (int i = 0; i < 299; i++)
            length += (size_t)sprintf(text + length, i % 2 == 0 ? "%d," : "\"a,%d\",", i);
        length += (size_t)sprintf(text + length, "0.25\n");
    }
    OWN_TRACE *trace = new_trace(2);
    CHECK_INT(add_bytes(trace, "a.csv", text, length, NULL), DLQ_OK);
    CHECK_REL(dlq_spread_sum(&trace->ranks[0].iter), 0.5, 0);
    memset(text + length, ',', 40000);
    length += 40000;
    length += (size_t)sprintf(text + length, "\n1,2,3,0.");
    CHECK_INT(add_bytes(trace, "b.csv", text, length, NULL), DLQ_OK);
    CHECK_TEXT(trace->skipped.text, "b.csv:4: the line is over 32768 bytes long\n"
                                    "b.csv:5: 4 fields, but the header has 300");
    CHECK_INT(trace->bad, 2);
}

static void too_many_ranks(void)
{
    enum { RANKS = DLQ_MOST_RANKS + 2, SIZE = 20 * RANKS };
    static char text[SIZE];
    size_t length = (size_t)sprintf(text, "rank,iter_time\n");
    for (int i = 0; i < RANKS; i++)
        length += (size_t)sprintf(text + length, "%d,1\n", RANKS - 1 - i);
    struct dlq_error error = {0};
    struct dlq_trace *trace = new_trace(0);
    CHECK_INT(add_bytes(trace, "a.csv", text, length, &error), DLQ_INVALID);
    CHECK_TEXT(without_hint(error.text), "a.csv:4098: more than 4096 ranks\na.csv:4099: more than 4096 ranks");
    dlq_trace_free(trace);
    trace = new_trace(2);
    CHECK_INT(add_bytes(trace, "a.csv", text, length, NULL), DLQ_OK);
    CHECK_INT(trace->rank_count, DLQ_MOST_RANKS);
    CHECK_INT(trace->ranks[0].number, 2);
    CHECK_INT(trace->ranks[DLQ_MOST_RANKS - 1].number, RANKS - 1);
    CHECK_INT(add_text(trace, "b.csv", "rank,iter_time\n2,1\n9999,1\n", &error), DLQ_INVALID);
    CHECK(strstr(error.text, "the logs are of more than 4096 ranks") != NULL, "%s", error.text);
    CHECK_INT(trace->ranks[0].iterations, 1);
    CHECK_INT(add_text(trace, "b.csv", "rank,iter_time\n2,1\n", NULL), DLQ_OK);
    dlq_trace_free(trace);
}

TEST_SUITE(csv, CASE(ways_to_write), CASE(all_columns), CASE(processor_time), CASE(host_of_comments), CASE(loads_alone),
           CASE(bad_rows), CASE(bad_files), CASE(many_errors), CASE(wide_files), CASE(too_many_ranks));
