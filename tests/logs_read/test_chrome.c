/* Chrome traces: which events are waits and steps, of which thread and rank, in which order; large and hostile ones. */
#include "logs.h"

#define NEXT "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
#define EVENT(name, cat, ids, times) "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\"," ids "," times "}"
#define MAIN "\"pid\":7,\"tid\":7"
#define TIMES(ts, dur) "\"ts\":" ts ",\"dur\":" dur
#define WAIT(ts, dur) EVENT(NEXT, "user_annotation", MAIN, TIMES(ts, dur))
#define COMPOSER(process, phase, ts, epoch)                                                                            \
    "{\"ph\":\"" phase "\",\"name\":\"event/dataloader\",\"pid\":" process ",\"ts\":" ts ",\"args\":{\"epoch\":" epoch \
    "}}"
#define TWO WAIT("0", "1") "," WAIT("10", "2")
#define TRACE(events) "{\"schemaVersion\":1,\"traceEvents\":[" events "]}"

/* The trace of events in short: W BEGIN DURATION is a wait, S a step of the profiler; B and E TIME BATCH are the begin
   and the end of a wait by Composer; p PROCESS THREAD is for those behind it, 7 7 at first. */
static void write_events(const char *events, char *text, size_t size)
{
    int process = 7, thread = 7;
    size_t at = (size_t)snprintf(text, size, "[");
    for (char *end; *events != '\0'; events = end + strspn(end, " ")) {
        char kind = *events;
        double first = strtod(events + 1, &end);
        double second = strtod(end, &end);
        bool pair = kind == 'B' || kind == 'E';
        if (kind == 'p') {
            process = (int)first;
            thread = (int)second;
            continue;
        }
        at += (size_t)snprintf(text + at, size - at,
                               "%s{\"ph\":\"%c\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%g,\"%s\":",
                               at > 1 ? "," : "", pair ? kind : 'X',
                               kind == 'S' ? "ProfilerStep#1"
                               : pair      ? "event/dataloader"
                                           : NEXT,
                               process, thread, first, pair ? "args" : "dur");
        at += (size_t)snprintf(text + at, size - at, pair ? "{\"epoch\":0,\"batch\":%g}}" : "%g}", second);
    }
    snprintf(text + at, size - at, "]");
}

static void reads_points_in_time(void)
{
    static const char text[] = "[" WAIT("1700000000000000", "250") "," WAIT("1700000000001000", "5") "," EVENT(
        "ProfilerStep#1", "user_annotation", MAIN, TIMES("1700000000001000", "500"));
    OWN_TRACE *trace = good_trace("rank2.json", text);
    const struct dlq_rank *rank = dlq_trace_rank(trace, 2);
    CHECK_INT(rank->count, 2);
    const struct dlq_batch *batches = rank->batches;
    const double got[] = {batches[0].received, batches[0].step_end, batches[1].request, batches[1].received,
                          batches[1].step_end};
    const double want[] = {250e-6, 1e-3, 1e-3, 1005e-6, 1500e-6};
    CHECK_ABS(batches[0].request, 0, 0);
    for (size_t i = 0; i < 5; i++)
        CHECK_REL(got[i], want[i], 1e-15);
    CHECK_REL(batches[0].step, 750e-6, 1e-12);
    CHECK_INT(batches[1].index, 1);
}

static void reads_files_of_any_form(void)
{
    static const struct text_case table[] = {
        {TRACE(WAIT("0", "1") "," WAIT("10", "2")), "0: 1/10"},
        {"[" WAIT("0", "1") ",\n" WAIT("10", "2") ",\n", "0: 1/10"},
        {"\xEF\xBB\xBF\r\n[\r\n" TWO "\r\n]\r\n", "0: 1/10"},
        {"{\"a\":{\"b\":[{\"c\":\"}]\\\"\"},[[]]]},\"d\":\"\\\\\",\"e\":-1.5e3,\"f\":null,\"traceEvents\":[" TWO
         "],\"g\":[{}],\"distributedInfo\":{\"rank\":5}}",
         "5: 1/10"},
        {"{\"traceEvents\" : [ " WAIT("0", "1") " ] , \"traceEvents\":[" WAIT("5", "1") "]}", "0: 1/5"},
        {"{\"traceEvents\":[" TWO "],\"distributedInfo\":{\"rank\":\"x\"}}", "0: 1/10"},
        /* What stands in other events does not matter: names within arguments, escapes, numbers of any size. */
        {TRACE("{\"name\":\"x\",\"args\":{\"name\":\"" NEXT "\",\"a\":\"\\\\\\\"{[\"}}," TWO), "0: 1/10"},
        {TRACE("{\"name\":\"x\",\"ts\":1e999,\"dur\":NaN,\"n\":123456789012345678901234567890}," TWO), "0: 1/10"},
        {TRACE("{},{\"name\":7},{\"ph\":\"X\"},{\"name\":\"ProfilerStep#\",\"ph\":\"i\"}," TWO), "0: 1/10"},
        {TRACE("{\"name\":\"h\xC3\xB6her\",\"s\":\"\\u00e4\\ud83d\"}," TWO), "0: 1/10"},
        /* All versions. */
        {TRACE(EVENT(NEXT, "cpu_op", MAIN, TIMES("0", "1")) "," EVENT(NEXT, "Operator", MAIN, TIMES("9.5", "2.25"))),
         "0: 1/9.5"},
        {TRACE(EVENT("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", MAIN,
                     TIMES("-3", "0")) "," WAIT("10", "2")),
         "0: 0/13"},
        {TRACE("{\"ph\":\"X\",\"name\":\"" NEXT "\",\"ts\":-1e2,\"dur\":4E-1,\"pid\":7,\"tid\":7}," WAIT("10", "2")),
         "0: 0.4/110"},
        /* Of the device; of other iterators; of other kinds. */
        {TRACE(EVENT(NEXT, "gpu_user_annotation", "\"pid\":0,\"tid\":7", TIMES("0", "99")) "," TWO), "0: 1/10"},
        {TRACE(EVENT("enumerate(DataLoader)#other", "cpu_op", MAIN, TIMES("0", "9")) "," TWO), "0: 1/10"},
        {TRACE("{\"ph\":\"i\",\"name\":\"" NEXT "\",\"ts\":0}," TWO), "0: 1/10"},
        /* Processes and threads may have names, which begin alike. */
        {TRACE(EVENT(NEXT, "", "\"pid\":\"r1\",\"tid\":1", TIMES("0", "1")) "," EVENT(
             NEXT, "", "\"pid\":\"r2\",\"tid\":1",
             TIMES("0", "2")) "," EVENT(NEXT, "", "\"pid\":\"r1\",\"tid\":1",
                                        TIMES("10", "1")) "," EVENT(NEXT, "", "\"pid\":\"r2\",\"tid\":1",
                                                                    TIMES("10", "2"))),
         "0: 1/10; 1: 2/10"},
        {TRACE(EVENT(NEXT, "", "\"pid\":\"a\",\"tid\":\"b\"",
                     TIMES("0", "1")) "," EVENT(NEXT, "", "\"pid\":\"a\",\"tid\":\"b\"", TIMES("4", "1"))),
         "0: 1/4"},
    };
    CHECK_TEXTS("a.json", table);
}

static void follows_the_trainer(void)
{
    static const struct text_case table[] = {
        /* Pairs; the trace began within one, and ended within another. */
        {"B 0 0  E 4 0  B 9 1  E 9 1", "7: 4/9"},
        {"E 4 0  B 9 1  E 10 1  B 20 2  E 21 2  B 30 3", "7: 1/11"},
        /* Order of time, and steps. */
        {"W 20 3  W 0 1  W 10 2", "0: 1/10 2/10"},
        {"W 0 1  W 10 2  S 0 10  S 10 8", "0: 1/10 2/8"},
        {"S -1 10  W 0 1  W 10 2  S 9 0.5", "0: 1/10"},
        /* Two in a step where others hold one: the first found the end of the epoch. */
        {"S 0 10  W 0 1  S 10 30  W 10 2  W 20 7  S 40 10  W 40 3", "0: 1/10 | 7/20 3/10"},
        /* With a validation of two batches in between. */
        {"S 0 10  W 0 1  S 10 90  W 10 2  W 20 7  W 30 7  W 40 7  W 50 8  S 100 9  W 100 3", "0: 1/10 | 8/50 3/9"},
        /* Gradients accumulated over two batches: all count. */
        {"S 0 20  W 0 1  W 10 2  S 20 20  W 20 3  W 30 4", "0: 1/10 2/10 3/10 4/10"},
        /* An iterator around another. */
        {"W 0 9  W 1 5  W 10 2", "0: 9/10"},
        /* The thread that waits most; the one of the steps, however often others do. */
        {"p 7 8  W 0 5  p 7 7  W 1 1  W 10 2", "0: 1/9"},
        {"p 7 8  W 0 5  W 9 5  p 7 7  W 1 1  S 0 9", "0: 1/8"},
        /* Ranks are processes in order, or Composer's numbers. */
        {"p 90 1  W 0 1  p 80 1  W 0 2  p 100 1  W 0 3  p 90 1  W 10 1  p 80 1  W 10 2  p 100 1  W 10 3",
         "0: 2/10; 1: 1/10; 2: 3/10"},
        {"p 9 1  B 0 0  E 2 0  p 8 1  B 0 0  E 3 0  p 9 1  B 10 1  E 12 1  p 8 1  B 10 1  E 13 1", "8: 3/10; 9: 2/10"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[4096];
        write_events(table[i].text, text, sizeof text);
        check_bytes((struct dlq_trace_options){0}, "a.json", text, strlen(text), table[i].want);
    }
}

static void refuses(void)
{
    static const struct text_case table[] = {
        {TRACE("\n\n{\"ph\":\"X\",\"name\":\"" NEXT "\",\"dur\":1}"), "a.json:3: ts of the event is missing"},
        {TRACE("\n{\"ph\":\"X\",\"name\":\"" NEXT "\",\"ts\":1}"), "a.json:2: dur of the event is missing"},
        {TRACE(WAIT("0", "\"1\"")), "a.json:1: dur of the event is not a number"},
        {TRACE(WAIT("0", "-1")), "a.json:1: dur of the event is out of range: -1 us"},
        {TRACE(WAIT("1e300", "1")), "a.json:1: ts of the event is out of range: 1e+300 us"},
        {TRACE("{\"name\":\"" NEXT "\",\"ts\":1}"), "a.json:1: ph of the event is missing"},
        {TRACE("\n" WAIT("0", "NaN")), "a.json:2: an event is not JSON: invalid token near 'NaN'"},
        {TRACE(WAIT("0", "1e999")), "a.json:1: an event is not JSON: real number overflow near '1e999'"},
        {TRACE("\n{\"name\":\"" NEXT "\",\n\"ts\" 1}"), "a.json:3: an event is not JSON: ':' expected near '1'"},
        {TRACE(WAIT("0", "1") ",\n7"), "a.json:2: not an event"},
        {TRACE(WAIT("0", "1") "\n}"), "a.json:2: '}' where an event should be"},
        {"{\"traceEvents\":\n{\"ph\":1}}", "a.json:2: '{' where the array of traceEvents should be"},
        {"{\"traceEvents\":[" WAIT("0", "1") ",\n",
         "a.json:2: the file ends where the next event, or the end of traceEvents, should be"},
        {"{\"traceEvents\":[" WAIT("0", "1") "],\n\"a\":[",
         "a.json:2: the file ends where the end of a value should be"},
        {TRACE(WAIT("0", "1")) "\n{}", "a.json:2: '{' where the end of the file should be"},
        {"[\n" WAIT("0", "1") ",\n{\"ph\":\"X", "a.json:3: the file ends within an event"},
        {TRACE("{\"ph\":\"X\",\"name\":\"aten::to\",\"ts\":1,\"dur\":1}"), "a.json: no times in it (read as chrome)"},
        {TRACE(COMPOSER("2147483648", "B", "0", "0") "," COMPOSER("2147483648", "E", "1", "0") "," COMPOSER(
             "2147483648", "B", "2", "0") ",\n" COMPOSER("2147483648", "E", "3", "0")),
         "a.json:1: rank 2147483648 is not in 0..2147483647"},
        {TRACE(WAIT("0", "1") ",\n" COMPOSER("7", "B", "2", "2147221504")),
         "a.json:2: epoch 2147221504 is not in 0..2147221503"},
        /* It may have found the end of the data. */
        {TRACE(WAIT("0", "1")), "a.json: no times in it (read as chrome)"},
        {TRACE(WAIT("0", "1") "}") "]", "a.json:1: '}' where an event should be"},
    };
    static const char bad[] = "[" WAIT("0", "1") ",\n" WAIT("5", "-1") ",\n8,\n" WAIT("10", "2") ",\n{\"ph";
    CHECK_TEXTS("a.json", table);
    check_bytes((struct dlq_trace_options){.skip_bad = 3}, "a.json", bad, strlen(bad), "0: 1/10");
}

/* -- hostile -- */

static void bears_large_values(void)
{
    static const char before[] = "[" WAIT("0", "1") ",\n{\"name\":\"";
    static const char after[] = "\\\"\"},\n" WAIT("10", "2") "]";
    static const struct {
        const char *before, *after;
        char byte;
        size_t count;
        const char *error; /* null: it is read */
    } table[] = {
        {before, after, 'x', (1 << 20) - 64, NULL},
        {before, after, 'x', 10 << 20, "a.json:2: an event of over 1048576 bytes"},
        {before, after, '\n', 3 << 20, "a.json:2: an event of over 1048576 bytes"},
        {before, "", 'x', 10 << 20, "a.json:2: the file ends within an event"},
        {"{\"traceEvents\":[" WAIT("0", "1") "," WAIT("10", "2") "],\"a\":\"", "\\\\\"}", '{', 10 << 20, NULL},
        {"{\"traceEvents\":[" WAIT("0", "1") "," WAIT("10", "2") "],\"a\":", "}", '7', 10 << 20, NULL},
        {"{\"traceEvents\":[" TWO "],\"distributedInfo\":{\"backend\":\"", "\"}}", 'x', 10 << 20, NULL},
        {"[" WAIT("0", "1") ",\n", "", '[', 100000, "a.json:2: the file ends within an event"},
        {"[" WAIT("0", "1") ",\n" WAIT("10", "2") ",{\"name\":\"" NEXT "\",\"a\":", "", '[', 100000,
         "a.json:2: the file ends within an event"},
        {"[" WAIT("0", "1") ",\n", "", '\0', 100000, "a.json:2: not text: a NUL byte where an event should be"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct bytes bytes = surround(table[i].before, table[i].byte, table[i].count, table[i].after);
        check_bytes((struct dlq_trace_options){0}, "a.json", bytes.data, bytes.size,
                    table[i].error != NULL ? table[i].error : "0: 1/10");
        free(bytes.data);
    }
}

/* Jansson refuses deep nesting by itself. */
static void bears_deep_nesting(void)
{
    struct bytes open = surround("[{\"ph\":\"X\",\"name\":\"" NEXT "\",\"args\":", '[', 100000, "");
    struct bytes all = surround(open.data != NULL ? open.data : "", ']', 100000, "},\n" WAIT("0", "1") "]");
    struct dlq_error error;
    enum dlq_status status;
    OWN_TRACE *trace = read_bytes((struct dlq_trace_options){0}, "a.json", all.data, all.size, &status, &error);
    CHECK(trace == NULL && strstr(error.text, "a.json:1: an event is not JSON: maximum parsing depth") != NULL, "%s",
          error.text);
    free(open.data);
    free(all.data);
}

/* Every escape, quote and bracket comes to lie at the edge of what is read at once, 256 KiB. */
static void joins_pieces(void)
{
    static const char after[] =
        "\\\\\\\"{\",\"b\":[1,{}],\"traceEvents\":[\n" WAIT("0", "1") ",\n" WAIT("10", "2") "]}";
    for (size_t i = 0; i < sizeof after + 16; i++) {
        struct bytes bytes = surround("{\"displayTimeUnit\":\"ms\",\"schemaVersion\":1,\"a\":\"", 'x',
                                      (1 << 18) - sizeof after - 32 + i, after);
        check_bytes((struct dlq_trace_options){0}, "a.json", bytes.data, bytes.size, "0: 1/10");
        free(bytes.data);
    }
}

enum { MOST = 1 << 18 };

/* Waits of 1 us, one every 10 us, the latest in time first; one more than are held. */
static void puts_many_in_order(void)
{
    struct dlq_error error;
    enum dlq_status status;
    struct bytes bytes = {NULL, 0};
    FILE *stream = open_memstream(&bytes.data, &bytes.size);
    for (size_t i = 0; i <= MOST; i++)
        fprintf(stream, "%s" EVENT(NEXT, "cpu_op", MAIN, "\"ts\":%zu,\"dur\":1"), i > 0 ? ",\n" : "[", 10 * (MOST - i));
    fclose(stream);
    OWN_TRACE *trace =
        read_bytes((struct dlq_trace_options){.skip_bad = 1}, "a.json", bytes.data, bytes.size, &status, &error);
    CHECK(trace != NULL, "%s", error.text);
    if (trace != NULL) {
        CHECK_INT(trace->ranks[0].iterations, MOST - 1);
        CHECK_REL(dlq_spread_mean(&trace->ranks[0].iter), 10e-6, 1e-9);
        CHECK_REL(trace->ranks[0].batches[9999].request - trace->ranks[0].batches[0].request, 99990e-6, 1e-12);
        CHECK_TEXT(trace->skipped.text, "a.json:262145: more than 262144 waits and steps");
    }
    free(bytes.data);
}

static void refuses_many_threads(void)
{
    struct bytes bytes = {NULL, 0};
    FILE *stream = open_memstream(&bytes.data, &bytes.size);
    for (int i = 0; i < 4100; i++)
        fprintf(stream, "%s" EVENT(NEXT, "cpu_op", "\"pid\":1,\"tid\":%d", "\"ts\":%d,\"dur\":1"), i > 0 ? ",\n" : "[",
                i, i);
    fclose(stream);
    check_bytes((struct dlq_trace_options){.skip_bad = 3}, "a.json", bytes.data, bytes.size,
                "a.json:4100: more than 4096 threads wait for data");
    free(bytes.data);
}

TEST_SUITE(chrome, CASE(reads_points_in_time), CASE(reads_files_of_any_form), CASE(follows_the_trainer), CASE(refuses),
           CASE(bears_large_values), CASE(bears_deep_nesting), CASE(joins_pieces), CASE(puts_many_in_order),
           CASE(refuses_many_threads));
