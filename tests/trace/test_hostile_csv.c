/* CSV logs that are wrong. Each line that is says where and why; nothing is dropped without a word. */
#include "log_bytes.h"

#define HEADER "data_time,iter_time,index,load_start,load_end,request,received,step_end\n"

struct hostile {
    const char *text, *error;
};

static const struct hostile rows[] = {
    {"text,,,,,,,", "data_time: 'text' is not a time (expected e.g. 700ms, 2s)"},
    {"nan,,,,,,,", "data_time: 'nan' is not a time (expected e.g. 700ms, 2s)"},
    {"0.1,inf,,,,,,", "iter_time: 'inf' is not a time (expected e.g. 700ms, 2s)"},
    {"0x1p3,,,,,,,", "data_time: '0x1p3' is not a time (expected e.g. 700ms, 2s)"},
    {"1_000,,,,,,,", "data_time: '1_000' is not a time (expected e.g. 700ms, 2s)"},
    {"1.2.3,,,,,,,", "data_time: '1.2.3' is not a time (expected e.g. 700ms, 2s)"},
    {"5 parsecs,,,,,,,", "data_time: '5 parsecs' is not a time (expected e.g. 700ms, 2s)"},
    {"1e400,,,,,,,", "data_time: inf is too large for seconds (with a unit: 12ms, 34us, 56ns)"},
    {",1700000000000000000,,,,,,", "iter_time: 1.7e+18 is too large for seconds (with a unit: 12ms, 34us, 56ns)"},
    {",,,,,-1e13,,", "request: -10000000000000 is too large for seconds (with a unit: 12ms, 34us, 56ns)"},
    {"-0.1,0.2,,,,,,", "data_time: -0.1 is negative"},
    {"0.1,-2e-9,,,,,,", "iter_time: -2e-09 is negative"},
    {"0.1,0.2,x,,,,,", "index: 'x' is not a whole number"},
    {"0.1,0.2,1.5,,,,,", "index: 1.5 is not a whole number from 0 to 2147483647"},
    {"0.1,0.2,-2,,,,,", "index: -2 is not a whole number from 0 to 2147483647"},
    {"0.1,0.2,2147483648,,,,,", "index: 2147483648 is not a whole number from 0 to 2147483647"},
    {"0.1,0.2,12ms,,,,,", "index: '12ms' is not a whole number"},
    {"0.1,0.2,,0.4,0.3,,,", "load_end: 0.3 is before load_start, 0.4"},
    {",,,,,0.4,0.3,0.5", "received: 0.3 is before request, 0.4"},
    {",,,,,0.4,0.5,0.45", "step_end: 0.45 is before received, 0.5"},
};

/* What is wrong with the row as a whole. */
static const struct hostile lines[] = {
    {",,,,,,,", "no time is in this row"},
    {",,7,,,,,", "no time is in this row"},
    {"0.6,0.5,,,,,,", "data time 0.6 s is longer than the iteration, 0.5 s"},
    {"0.1,0.2", "2 fields, but the header has 8"},
    {"0,1,0,2,,,,,,,,", "12 fields, but the header has 8 (a decimal comma? write 1.5)"},
    {"0.1,0.2,,,,,,,", "9 fields, but the header has 8 (a decimal comma? write 1.5)"},
    {"\"0.1,0.2,,,,,,", "field 1: a quote that never ends, or text after it"},
    {"0.1,\"0.2\" s,,,,,,", "field 2: a quote that never ends, or text after it"},
    {"0.1,0.2,,,,,,\"", "field 8: a quote that never ends, or text after it"},
};

static void check_row(const char *row, const char *column, const char *why)
{
    char text[1024], want[1024], more[1100];
    struct dlq_error error = {0};
    struct dlq_trace *trace = new_trace(0);
    struct dlq_trace *lenient = new_trace(1);
    struct dlq_trace_facts facts;
    snprintf(text, sizeof text, HEADER "0.1,0.2,,,,,,\n%s\n0.1,0.2,,,,,,\n", row);
    snprintf(want, sizeof want, "a.csv:3: %s%s", column, why);
    CHECK_INT(add_text(trace, "a.csv", text, &error), DLQ_INVALID);
    CHECK_TEXT(error.text, want);
    CHECK_INT(trace->rank_count, 0);
    CHECK_INT(add_text(lenient, "a.csv", text, NULL), DLQ_OK);
    dlq_trace_facts(lenient, &facts);
    CHECK_INT(facts.bad, 1);
    CHECK_INT(facts.iterations, 2);
    CHECK_TEXT(facts.bad_text, want);
    /* a second one is over the limit */
    snprintf(more, sizeof more, "%s%s\n", text, row);
    error = (struct dlq_error){0};
    dlq_trace_free(trace);
    trace = new_trace(1);
    CHECK_INT(add_text(trace, "a.csv", more, &error), DLQ_INVALID);
    CHECK_INT(error.count, 1);
    CHECK(strncmp(error.text, "a.csv:5: ", 9) == 0, "%s", error.text);
    dlq_trace_free(trace);
    dlq_trace_free(lenient);
}

#define LONG "a field of sixty-four characters; which is longer than any time."

static void bad_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(rows[i].text, "column ", rows[i].error);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_row(lines[i].text, "", lines[i].error);
}

static void check_refused(const void *bytes, size_t size, const char *want)
{
    struct dlq_error error = {0};
    struct dlq_trace *trace = new_trace(0);
    CHECK_INT(add_bytes(trace, "a.csv", bytes, size, &error), DLQ_INVALID);
    CHECK_TEXT(error.text, want);
    dlq_trace_free(trace);
}

#define KNOWN                                                                                                          \
    "no column has times: data_time or data_wait, iter_time, step_time, load_time, step_end, load_start and "          \
    "load_end, "                                                                                                       \
    "request and received"

static void bad_files(void)
{
    static const struct hostile files[] = {
        {"", "a.csv: the log is empty"},
        {"data_time,iter_time\n", "a.csv: no times in it (read as csv)"},
        {"# nothing\ndata_time,iter_time", "a.csv: no times in it (read as csv)"},
        {"# nothing\n\n", "a.csv: no known log format; --format names one (dlqueue help formats lists them)"},
        {"data_tme,other\n1,2\n", "a.csv:1: " KNOWN "; 'data_tme': did you mean data_time?"},
        {"time;load_start\n1;2\n", "a.csv:1: " KNOWN},
        {"red,green\n1,2\n", "a.csv:1: " KNOWN},
        {"red,green\nblue,white\n", "a.csv: no known log format; --format names one (dlqueue help formats lists them)"},
        {"hello, world (again)\n1,2\n",
         "a.csv: no known log format; --format names one (dlqueue help formats lists them)"},
        {"epoch\n1\n", "a.csv: no known log format; --format names one (dlqueue help formats lists them)"},
        {"3,4\n1,2\n", "a.csv: no known log format; --format names one (dlqueue help formats lists them)"},
        {"3,\"4\n1,2\n", "a.csv: no known log format; --format names one (dlqueue help formats lists them)"},
        {"epoch,index,load_start\n1,2,3\n", "a.csv:1: " KNOWN},
        {"iter_time,ITER_TIME\n1,2\n", "a.csv:1: columns 1 and 2 are the same: iter_time, iter_time"},
        {"data_time,x,data_wait\n1,2,3\n", "a.csv:1: columns 1 and 3 are the same: data_time, data_wait"},
        {"index,iter_time,batch\n1,2,3\n", "a.csv:1: columns 1 and 3 are the same: index, batch"},
        {"iter_time\nx\n", "a.csv:2: column iter_time: 'x' is not a time (expected e.g. 700ms, 2s)"},
        {"iter_time,data_time\n1,0,1\n", "a.csv:2: 3 fields, but the header has 2 (a decimal comma? write 1.5)"},
        {"iter_time;data_time\n1;0.5;1\n", "a.csv:2: 3 fields, but the header has 2"},
        {"iter_time,note\n1,\"x\n", "a.csv:2: field 2: a quote that never ends, or text after it"},
        {"iter_time,note,more\n1,\"x\",\"y\" z\n", "a.csv:2: field 3: a quote that never ends, or text after it"},
        {"iter_time,note\n1,\"x\",y\n", "a.csv:2: 3 fields, but the header has 2 (a decimal comma? write 1.5)"},
        {"iter_time\n" LONG LONG LONG LONG "\n", "a.csv:2: column iter_time: the field is over 255 bytes long"},
        {"iter_time;data_time\n1.000,5;0\n",
         "a.csv:2: column iter_time: '1.000.5' is not a time (expected e.g. 700ms, 2s)"},
        {"iter_time\n1\n-1\n2\n-2\nx\n", "a.csv:3: column iter_time: -1 is negative\n"
                                         "a.csv:5: column iter_time: -2 is negative\n"
                                         "a.csv:6: column iter_time: 'x' is not a time (expected e.g. 700ms, 2s)"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        check_refused(files[i].text, strlen(files[i].text), files[i].error);
    static const char nul[] = "iter_time\n1\n2\0003\n4\n";
    check_refused(nul, sizeof nul - 1, "a.csv:3: not text: the line holds a NUL byte");
    static const char wide[] = "\xFF\xFEi\0t\0e\0r\0";
    check_refused(wide, sizeof wide - 1,
                  "a.csv: UTF-16, not UTF-8: iconv -f UTF-16 -t UTF-8 makes a text of it that can be read");
}

/* Every error is one of the file's, up to the twentieth; then reading ends. */
static void many_errors(void)
{
    char text[4096] = "iter_time\n";
    struct dlq_error error = {0};
    struct dlq_trace *trace = new_trace(0);
    size_t length = strlen(text);
    for (int i = 0; i < 30; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "x\n");
    CHECK_INT(add_text(trace, "a.csv", text, &error), DLQ_INVALID);
    CHECK_INT(error.count, DLQ_ERROR_LINES);
    dlq_trace_free(trace);
    trace = new_trace(40);
    error = (struct dlq_error){0};
    CHECK_INT(add_text(trace, "a.csv", text, &error), DLQ_INVALID);
    CHECK_TEXT(error.text, "a.csv: no times in it (read as csv), 30 malformed: column iter_time: 'x' is not a time "
                           "(expected e.g. 700ms, 2s)");
    dlq_trace_free(trace);
}

static void bad_header_is_not_skipped(void)
{
    struct dlq_error error = {0};
    struct dlq_trace *trace = new_trace(100);
    CHECK_INT(add_text(trace, "a.csv", "epoch,index\n1,2\n", &error), DLQ_INVALID);
    CHECK_TEXT(error.text, "a.csv: no times in it (read as csv), 1 malformed: " KNOWN);
    dlq_trace_free(trace);
}

/* 300 columns, of which the last is of use; a line of over 32 kB behind it; a line that is cut. */
static void wide_files(void)
{
    enum { SIZE = 200000 };
    char *text = calloc(SIZE, 1);
    size_t length = 0;
    for (int i = 0; i < 299; i++)
        length += (size_t)sprintf(text + length, "column%d,", i);
    length += (size_t)sprintf(text + length, "iter_time\n");
    for (int row = 0; row < 2; row++) {
        for (int i = 0; i < 299; i++)
            length += (size_t)sprintf(text + length, i % 2 == 0 ? "%d," : "\"a,%d\",", i);
        length += (size_t)sprintf(text + length, "0.25\n");
    }
    struct dlq_trace *trace = new_trace(2);
    CHECK_INT(add_bytes(trace, "a.csv", text, length, NULL), DLQ_OK);
    CHECK_REL(dlq_spread_sum(&trace->ranks[0].iter), 0.5, 0);
    memset(text + length, ',', 40000);
    length += 40000;
    length += (size_t)sprintf(text + length, "\n1,2,3,0.");
    CHECK_INT(add_bytes(trace, "b.csv", text, length, NULL), DLQ_OK);
    CHECK_TEXT(trace->skipped.text, "b.csv:4: the line is over 32768 bytes long\n"
                                    "b.csv:5: 4 fields, but the header has 300");
    CHECK_INT(trace->bad, 2);
    dlq_trace_free(trace);
    free(text);
}

static void too_many_ranks(void)
{
    enum { RANKS = DLQ_MOST_RANKS + 2, SIZE = 20 * RANKS };
    char *text = calloc(SIZE, 1);
    size_t length = (size_t)sprintf(text, "rank,iter_time\n");
    for (int i = 0; i < RANKS; i++)
        length += (size_t)sprintf(text + length, "%d,1\n", RANKS - 1 - i);
    struct dlq_error error = {0};
    struct dlq_trace *trace = new_trace(0);
    CHECK_INT(add_bytes(trace, "a.csv", text, length, &error), DLQ_INVALID);
    CHECK_TEXT(error.text, "a.csv:4098: more than 4096 ranks\na.csv:4099: more than 4096 ranks");
    dlq_trace_free(trace);
    trace = new_trace(2);
    CHECK_INT(add_bytes(trace, "a.csv", text, length, NULL), DLQ_OK);
    CHECK_INT(trace->rank_count, DLQ_MOST_RANKS);
    CHECK_INT(trace->ranks[0].number, 2);
    CHECK_INT(trace->ranks[DLQ_MOST_RANKS - 1].number, RANKS - 1);
    CHECK_INT(add_text(trace, "b.csv", "rank,iter_time\n0,1\n", &error), DLQ_INVALID);
    CHECK(strstr(error.text, "the logs are of more than 4096 ranks") != NULL, "%s", error.text);
    CHECK_INT(add_text(trace, "b.csv", "rank,iter_time\n2,1\n", NULL), DLQ_OK);
    dlq_trace_free(trace);
    free(text);
}

static const struct test_case cases[] = {
    {"bad rows", bad_rows},
    {"bad files", bad_files},
    {"many errors", many_errors},
    {"a bad header is not skipped", bad_header_is_not_skipped},
    {"wide files", wide_files},
    {"too many ranks", too_many_ranks},
    {NULL, NULL},
};

const struct test_suite suite_hostile_csv = {"hostile_csv", cases};
