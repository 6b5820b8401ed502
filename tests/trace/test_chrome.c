#include "files.h"

#define NEXT "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
#define EVENT(name, cat, ids, times) "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\"," ids "," times "}"
#define MAIN "\"pid\":7,\"tid\":7"
#define TIMES(ts, dur) "\"ts\":" ts ",\"dur\":" dur
#define WAIT(ts, dur) EVENT(NEXT, "user_annotation", MAIN, TIMES(ts, dur))
#define WAIT_OF(ids, ts, dur) EVENT(NEXT, "user_annotation", ids, TIMES(ts, dur))
#define TWO WAIT("0", "1") "," WAIT("10", "2")
#define STEP(ts, dur) EVENT("ProfilerStep#1", "user_annotation", MAIN, TIMES(ts, dur))
#define PAIR(ph, ids, ts, batch)                                                                                       \
    "{\"name\":\"event/dataloader\",\"cat\":\"\",\"ph\":\"" ph "\",\"ts\":" ts "," ids                                 \
    ",\"args\":{\"epoch\":0,\"batch\":" batch "}}"
#define TRACE(events) "{\"schemaVersion\":1,\"traceEvents\":[" events "]}"

struct case_of_text {
    const char *text, *told;
};

static void check_texts(const struct case_of_text *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        char told[1024];
        enum dlq_status status = read_bytes(&trace, 0, "a.json", table[i].text, strlen(table[i].text), &error);
        CHECK(status == DLQ_OK, "case %zu: %s", i, error.text);
        CHECK_TEXT(tell_trace(trace, told, sizeof told), table[i].told);
        dlq_trace_free(trace);
    }
}

static void reads_fixtures(void)
{
    static const struct {
        const char *name, *told;
    } table[] = {
        {"chrome-profiler.json", "3: 80000.125/350000 200.5/350000 40000/350000 150.25/330000"},
        {"chrome-profiler.json.gz", "3: 80000.125/350000 200.5/350000 40000/350000 150.25/330000"},
        {"chrome-old.json", "0: 10000/50001 10001/50001"},
        /* The last of each epoch found its end. */
        {"chrome-composer.json", "0: 9000/40000 300/40000 300/40000 | 9000/40000 300/40000 300/40000; "
                                 "1: 9000/40000 400/40000 400/40000 | 9000/40000 400/40000 400/40000"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        char told[1024];
        enum dlq_status status = read_fixture(&trace, table[i].name, &error);
        CHECK(status == DLQ_OK, "%s: %s", table[i].name, error.text);
        CHECK_TEXT(tell_trace(trace, told, sizeof told), table[i].told);
        if (trace != NULL) {
            CHECK_TEXT(trace->format->name, "chrome");
            CHECK_INT(trace->shared.world, strncmp(table[i].name, "chrome-profiler", 15) == 0 ? 8 : 0);
        }
        dlq_trace_free(trace);
    }
}

static void reads_points_in_time(void)
{
    struct dlq_trace *trace;
    struct dlq_error error = {0};
    static const char text[] =
        "[" WAIT("1700000000000000", "250") "," WAIT("1700000000001000", "5") "," STEP("1700000000001000", "500");
    CHECK_INT(read_bytes(&trace, 0, "rank2.json", text, strlen(text), &error), DLQ_OK);
    const struct dlq_rank *rank = trace != NULL ? dlq_trace_rank(trace, 2) : NULL;
    CHECK(rank != NULL && rank->count == 2, "two batches of rank 2: %s", error.text);
    if (rank != NULL && rank->count == 2) {
        CHECK_ABS(rank->batches[0].request, 0, 0);
        CHECK_REL(rank->batches[0].received, 250e-6, 1e-15);
        CHECK_REL(rank->batches[0].step_end, 1e-3, 1e-15);
        CHECK_REL(rank->batches[0].step, 750e-6, 1e-12);
        CHECK_REL(rank->batches[1].request, 1e-3, 1e-15);
        CHECK_REL(rank->batches[1].received, 1005e-6, 1e-15);
        CHECK_REL(rank->batches[1].step_end, 1500e-6, 1e-15);
        CHECK_INT(rank->batches[1].index, 1);
    }
    dlq_trace_free(trace);
}

static void reads_files_of_any_form(void)
{
    static const struct case_of_text table[] = {
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
    };
    check_texts(table, sizeof table / sizeof *table);
}

static void reads_all_versions(void)
{
    static const struct case_of_text table[] = {
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
        {TRACE(PAIR("B", MAIN, "0", "0") "," PAIR("E", MAIN, "4", "0") "," PAIR("B", MAIN, "9",
                                                                                "1") "," PAIR("E", MAIN, "9", "1")),
         "7: 4/9"},
        /* The trace began within one, and ended within another. */
        {TRACE(PAIR("E", MAIN, "4", "0") "," PAIR("B", MAIN, "9", "1") "," PAIR("E", MAIN, "10", "1") "," PAIR(
             "B", MAIN, "20", "2") "," PAIR("E", MAIN, "21", "2") "," PAIR("B", MAIN, "30", "3")),
         "7: 1/11"},
    };
    check_texts(table, sizeof table / sizeof *table);
}

static void orders_and_pairs_with_steps(void)
{
    static const struct case_of_text table[] = {
        {TRACE(WAIT("20", "3") "," WAIT("0", "1") "," WAIT("10", "2")), "0: 1/10 2/10"},
        {TRACE(WAIT("0", "1") "," WAIT("10", "2") "," STEP("0", "10") "," STEP("10", "8")), "0: 1/10 2/8"},
        {TRACE(STEP("-1", "10") "," WAIT("0", "1") "," WAIT("10", "2") "," STEP("9", "0.5")), "0: 1/10"},
        /* Two in a step where others hold one: the first found the end of the epoch. */
        {TRACE(STEP("0", "10") "," WAIT("0", "1") "," STEP("10", "30") "," WAIT("10", "2") "," WAIT("20", "7") "," STEP(
             "40", "10") "," WAIT("40", "3")),
         "0: 1/10 | 7/20 3/10"},
        /* With a validation of two batches in between. */
        {TRACE(STEP("0", "10") "," WAIT("0", "1") "," STEP("10", "90") "," WAIT("10", "2") "," WAIT("20", "7") "," WAIT(
             "30", "7") "," WAIT("40", "7") "," WAIT("50", "8") "," STEP("100", "9") "," WAIT("100", "3")),
         "0: 1/10 | 8/50 3/9"},
        /* Gradients accumulated over two batches: all count. */
        {TRACE(STEP("0", "20") "," WAIT("0", "1") "," WAIT("10", "2") "," STEP("20", "20") "," WAIT("20", "3") "," WAIT(
             "30", "4")),
         "0: 1/10 2/10 3/10 4/10"},
        /* An iterator around another. */
        {TRACE(WAIT("0", "9") "," WAIT("1", "5") "," WAIT("10", "2")), "0: 9/10"},
    };
    check_texts(table, sizeof table / sizeof *table);
}

static void tells_threads_and_ranks_apart(void)
{
    static const struct case_of_text table[] = {
        /* The thread that waits most; the one of the steps, however often others do. */
        {TRACE(WAIT_OF("\"pid\":7,\"tid\":8", "0", "5") "," WAIT("1", "1") "," WAIT("10", "2")), "0: 1/9"},
        {TRACE(WAIT_OF("\"pid\":7,\"tid\":8", "0", "5") "," WAIT_OF("\"pid\":7,\"tid\":8", "9",
                                                                    "5") "," WAIT("1", "1") "," STEP("0", "9")),
         "0: 1/8"},
        {"{\"distributedInfo\":{\"rank\":3},\"traceEvents\":[" WAIT_OF("\"pid\":90,\"tid\":1", "0", "1") "," WAIT_OF(
             "\"pid\":80,\"tid\":1", "0",
             "2") "," WAIT_OF("\"pid\":100,\"tid\":1", "0",
                              "3") "," WAIT_OF("\"pid\":90,\"tid\":1", "10",
                                               "1") "," WAIT_OF("\"pid\":80,\"tid\":1", "10",
                                                                "2") "," WAIT_OF("\"pid\":100,\"tid\":1", "10",
                                                                                 "3") "]}",
         "0: 2/10; 1: 1/10; 2: 3/10"},
        {TRACE(PAIR("B", "\"pid\":9,\"tid\":1", "0", "0") "," PAIR("E", "\"pid\":9,\"tid\":1", "2", "0") "," PAIR(
             "B", "\"pid\":8,\"tid\":1", "0",
             "0") "," PAIR("E", "\"pid\":8,\"tid\":1", "3",
                           "0") "," PAIR("B", "\"pid\":9,\"tid\":1", "10",
                                         "1") "," PAIR("E", "\"pid\":9,\"tid\":1", "12",
                                                       "1") "," PAIR("B", "\"pid\":8,\"tid\":1", "10",
                                                                     "1") "," PAIR("E", "\"pid\":8,\"tid\":1", "13",
                                                                                   "1")),
         "8: 3/10; 9: 2/10"},
        {TRACE(WAIT_OF("\"pid\":\"a\",\"tid\":\"b\"", "0", "1") "," WAIT_OF("\"pid\":\"a\",\"tid\":\"b\"", "4", "1")),
         "0: 1/4"},
    };
    check_texts(table, sizeof table / sizeof *table);
}

static void refuses(void)
{
    static const struct {
        const char *text, *error;
    } table[] = {
        {TRACE("\n\n{\"ph\":\"X\",\"name\":\"" NEXT "\",\"dur\":1}"), "a.json:3: ts of the event is missing"},
        {TRACE("\n{\"ph\":\"X\",\"name\":\"" NEXT "\",\"ts\":1}"), "a.json:2: dur of the event is missing"},
        {TRACE(WAIT("0", "\"1\"")), "a.json:1: dur of the event is not a number"},
        {TRACE(WAIT("0", "-1")), "a.json:1: dur of the event is out of range: -1 us"},
        {TRACE(WAIT("1e300", "1")), "a.json:1: ts of the event is out of range: 1e+300 us"},
        {TRACE("{\"name\":\"" NEXT "\",\"ts\":1}"), "a.json:1: ph of the event is missing"},
        {TRACE("\n" WAIT("0", "NaN")), "a.json:2: the event is not JSON: invalid token near 'NaN'"},
        {TRACE(WAIT("0", "1e999")), "a.json:1: the event is not JSON: real number overflow near '1e999'"},
        {TRACE("\n{\"name\":\"" NEXT "\",\n\"ts\" 1}"), "a.json:3: the event is not JSON: ':' expected near '1'"},
        {TRACE(WAIT("0", "1") ",\n7"), "a.json:2: not an event"},
        {TRACE(WAIT("0", "1") "\n}"), "a.json:2: '}' where an event should be"},
        {"{\"traceEvents\":\n{\"ph\":1}}", "a.json:2: '{' where the array of traceEvents should be"},
        {"{\"traceEvents\":[" WAIT("0", "1") ",\n",
         "a.json:2: the file ends where the next event, or the end of traceEvents, should be"},
        {"{\"traceEvents\":[" WAIT("0", "1") "],\n\"a\":[",
         "a.json:2: the file ends where the end of a value should be"},
        {TRACE(WAIT("0", "1")) "\n{}", "a.json:2: '{' where the end of the file should be"},
        {"[\n" WAIT("0", "1") ",\n{\"ph\":\"X", "a.json:3: the file ends within this event"},
        {TRACE("{\"ph\":\"X\",\"name\":\"aten::to\",\"ts\":1,\"dur\":1}"), "a.json: no times in it (read as chrome)"},
        /* It may have found the end of the data. */
        {TRACE(WAIT("0", "1")), "a.json: no times in it (read as chrome)"},
        {TRACE(WAIT("0", "1") "}") "]", "a.json:1: '}' where an event should be"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        CHECK_INT(read_bytes(&trace, 0, "a.json", table[i].text, strlen(table[i].text), &error), DLQ_INVALID);
        CHECK_TEXT(error.text, table[i].error);
        dlq_trace_free(trace);
    }
}

static void skips_what_is_bad(void)
{
    static const char text[] = "[" WAIT("0", "1") ",\n" WAIT("5", "-1") ",\n8,\n" WAIT("10", "2") ",\n{\"ph";
    struct dlq_trace *trace;
    struct dlq_error error = {0};
    char told[256];
    CHECK_INT(read_bytes(&trace, 3, "a.json", text, strlen(text), &error), DLQ_OK);
    CHECK_TEXT(tell_trace(trace, told, sizeof told), "0: 1/10");
    if (trace != NULL)
        CHECK_INT(trace->bad, 3);
    dlq_trace_free(trace);
}

/* -- hostile -- */

/* Before and after it, `count` bytes. */
static struct bytes surround(const char *before, char byte, size_t count, const char *after)
{
    struct bytes bytes = {NULL, 0};
    FILE *stream = open_memstream(&bytes.data, &bytes.size);
    if (stream == NULL)
        return bytes;
    fputs(before, stream);
    for (size_t i = 0; i < count; i++)
        fputc(byte, stream);
    fputs(after, stream);
    fclose(stream);
    return bytes;
}

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
        {before, "", 'x', 10 << 20, "a.json:2: the file ends within this event"},
        {"{\"traceEvents\":[" WAIT("0", "1") "," WAIT("10", "2") "],\"a\":\"", "\\\\\"}", '{', 10 << 20, NULL},
        {"{\"traceEvents\":[" WAIT("0", "1") "," WAIT("10", "2") "],\"a\":", "}", '7', 10 << 20, NULL},
        {"[" WAIT("0", "1") ",\n", "", '[', 100000, "a.json:2: the file ends within this event"},
        {"[" WAIT("0", "1") ",\n" WAIT("10", "2") ",{\"name\":\"" NEXT "\",\"a\":", "", '[', 100000,
         "a.json:2: the file ends within this event"},
        {"[" WAIT("0", "1") ",\n", "", '\0', 100000, "a.json:2: not text: a NUL byte where an event should be"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        char told[256];
        struct bytes bytes = surround(table[i].before, table[i].byte, table[i].count, table[i].after);
        enum dlq_status status = read_bytes(&trace, 0, "a.json", bytes.data, bytes.size, &error);
        if (table[i].error == NULL)
            CHECK_TEXT(tell_trace(trace, told, sizeof told), "0: 1/10");
        else
            CHECK_TEXT(error.text, table[i].error);
        CHECK_INT(status, table[i].error == NULL ? DLQ_OK : DLQ_INVALID);
        dlq_trace_free(trace);
        free(bytes.data);
    }
}

/* Jansson refuses deep nesting by itself. */
static void bears_deep_nesting(void)
{
    struct bytes open = surround("[{\"ph\":\"X\",\"name\":\"" NEXT "\",\"args\":", '[', 100000, "");
    struct bytes all = surround(open.data != NULL ? open.data : "", ']', 100000, "},\n" WAIT("0", "1") "]");
    struct dlq_trace *trace;
    struct dlq_error error = {0};
    CHECK_INT(read_bytes(&trace, 0, "a.json", all.data, all.size, &error), DLQ_INVALID);
    CHECK(strstr(error.text, "a.json:1: the event is not JSON: maximum parsing depth") != NULL, "%s", error.text);
    dlq_trace_free(trace);
    free(open.data);
    free(all.data);
}

/* Every escape, quote and bracket comes to lie at the edge of what is read at once, 256 KiB. */
static void joins_pieces(void)
{
    static const char after[] =
        "\\\\\\\"{\",\"b\":[1,{}],\"traceEvents\":[\n" WAIT("0", "1") ",\n" WAIT("10", "2") "]}";
    for (size_t i = 0; i < sizeof after + 16; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        char told[256];
        struct bytes bytes = surround("{\"displayTimeUnit\":\"ms\",\"schemaVersion\":1,\"a\":\"", 'x',
                                      (1 << 18) - sizeof after - 32 + i, after);
        enum dlq_status status = read_bytes(&trace, 0, "a.json", bytes.data, bytes.size, &error);
        CHECK(status == DLQ_OK, "%zu: %s", i, error.text);
        CHECK_TEXT(tell_trace(trace, told, sizeof told), "0: 1/10");
        dlq_trace_free(trace);
        free(bytes.data);
    }
}

/* Cut anywhere: read, or refused with its name; never more than the whole holds. */
static void bears_cuts(const char *name, long iterations)
{
    struct bytes whole = fixture(name);
    long most = 0;
    for (size_t size = 0; size <= whole.size; size++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        struct dlq_trace_facts facts = {0};
        enum dlq_status status = read_bytes(&trace, 1, "a.json", whole.data, size, &error);
        CHECK(status == DLQ_OK || strstr(error.text, "a.json") != NULL, "%s to %zu: %s", name, size, error.text);
        if (trace != NULL)
            dlq_trace_facts(trace, &facts);
        CHECK(facts.iterations <= iterations, "%s to %zu: %ld", name, size, facts.iterations);
        most = facts.iterations > most ? facts.iterations : most;
        dlq_trace_free(trace);
    }
    CHECK_INT(most, iterations);
    free(whole.data);
}

static void bears_every_cut(void)
{
    bears_cuts("chrome-profiler.json", 4);
    bears_cuts("chrome-profiler.json.gz", 4);
    bears_cuts("chrome-old.json", 2);
    bears_cuts("chrome-composer.json", 6);
}

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static void bears_changed_bytes(void)
{
    static const char *const names[] = {"chrome-profiler.json", "chrome-composer.json", "chrome-profiler.json.gz"};
    unsigned seed = 1;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct bytes bytes = fixture(names[n]);
        for (int i = 0; bytes.size > 0 && i < 1000; i++) {
            struct dlq_trace *trace;
            struct dlq_error error = {0};
            static const char favored[] = "\"\\{}[],:0-e\n";
            char *at = &bytes.data[draw(&seed) % bytes.size];
            char kept = *at;
            *at = i % 2 == 0 ? favored[draw(&seed) % (sizeof favored - 1)] : (char)draw(&seed);
            enum dlq_status status = read_bytes(&trace, 2, "a.json", bytes.data, bytes.size, &error);
            CHECK(status == DLQ_OK || strstr(error.text, "a.json") != NULL, "%s, %d: %s", names[n], i, error.text);
            dlq_trace_free(trace);
            *at = kept;
        }
        free(bytes.data);
    }
}

/* -- more events than are held -- */

enum { MANY = 200000, HALF = 1 << 15 };

/* Waits of 1 us, one every 10 us, in the order that `place` gives, one line each; `late` is one of them again at the
   end, which comes first in time. */
static struct bytes many_waits(size_t (*place)(size_t), bool late)
{
    struct bytes bytes = {NULL, 0};
    FILE *stream = open_memstream(&bytes.data, &bytes.size);
    if (stream == NULL)
        return bytes;
    fprintf(stream, "[");
    for (size_t i = 0; i < MANY; i++)
        fprintf(stream, "%s" EVENT(NEXT, "cpu_op", MAIN, "\"ts\":%zu,\"dur\":1"), i > 0 ? ",\n" : "", 10 * place(i));
    fprintf(stream, late ? ",\n" WAIT("5", "1") "]" : "]");
    fclose(stream);
    return bytes;
}

static size_t as_it_is(size_t i)
{
    return i;
}

static size_t reversed_in_blocks(size_t i)
{
    size_t begin = i - i % HALF;
    size_t end = begin + HALF < MANY ? begin + HALF : MANY;
    return begin + end - 1 - i;
}

static void streams_in_windows(void)
{
    static const struct {
        size_t (*place)(size_t);
        bool late;
    } table[] = {{as_it_is, false}, {reversed_in_blocks, false}, {as_it_is, true}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        struct bytes bytes = many_waits(table[i].place, table[i].late);
        enum dlq_status status = read_bytes(&trace, table[i].late, "a.json", bytes.data, bytes.size, &error);
        CHECK(status == DLQ_OK, "case %zu: %s", i, error.text);
        if (trace != NULL) {
            CHECK_INT(trace->ranks[0].iterations, MANY - 1);
            CHECK_REL(dlq_spread_mean(&trace->ranks[0].iter), 10e-6, 1e-9);
            CHECK_REL(trace->ranks[0].batches[MANY - 2].request - trace->ranks[0].batches[0].request,
                      10e-6 * (MANY - 2), 1e-12);
            CHECK_TEXT(trace->skipped.text,
                       table[i].late ? "a.json:200001: more than 32768 events that come later in time precede it" : "");
        }
        dlq_trace_free(trace);
        free(bytes.data);
    }
}

static void refuses_many_threads(void)
{
    struct bytes bytes = {NULL, 0};
    FILE *stream = open_memstream(&bytes.data, &bytes.size);
    for (int i = 0; stream != NULL && i < 4100; i++)
        fprintf(stream, "%s" EVENT(NEXT, "cpu_op", "\"pid\":1,\"tid\":%d", "\"ts\":%d,\"dur\":1"), i > 0 ? ",\n" : "[",
                i, i);
    if (stream != NULL)
        fclose(stream);
    struct dlq_trace *trace;
    struct dlq_error error = {0};
    CHECK_INT(read_bytes(&trace, 3, "a.json", bytes.data, bytes.size, &error), DLQ_INVALID);
    CHECK_TEXT(error.text, "a.json:4100: more than 4096 threads wait for data");
    dlq_trace_free(trace);
    free(bytes.data);
}

static void probes(void)
{
    static const struct {
        const char *head, *format; /* "": none */
    } table[] = {
        {"{\"schemaVersion\": 1, \"deviceProperties\": [", "chrome"},
        {"\n  {\n    \"schemaVersion\": 1,\n  \"displayTimeUnit\": \"ms\",", "chrome"},
        {"{\"traceEvents\":[]}", "chrome"},
        {"[\n{\"name\": \"process_name\", \"cat\": \"\", \"ph\": \"M\"", "chrome"},
        {"[{\"name\": \"x\"}]", ""},
        {"[1, 2, 3]", ""},
        {"[", ""},
        {"{\"lr\": 0.1, \"data_time\": 0.003, \"loss\": 2.06, \"time\": 0.0149, \"epoch\": 1, \"iter\": 100}\n", ""},
        {"{\"data_time\": 0.0061, \"eta_seconds\": 2.5, \"iteration\": 19, \"time\": 0.249}\n", ""},
        {"0.1/0.2 \"traceEvents\"\n", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dlq_format *format = dlq_format_probe(table[i].head, strlen(table[i].head));
        bool ours = format != NULL && (strcmp(format->name, "chrome") == 0 || strcmp(format->name, "dlio") == 0);
        CHECK_TEXT(ours ? format->name : "", table[i].format);
    }
}

static const struct test_case cases[] = {
    {"reads fixtures", reads_fixtures},
    {"reads points in time", reads_points_in_time},
    {"reads files of any form", reads_files_of_any_form},
    {"reads all versions", reads_all_versions},
    {"orders, and pairs with steps", orders_and_pairs_with_steps},
    {"tells threads and ranks apart", tells_threads_and_ranks_apart},
    {"refuses", refuses},
    {"skips what is bad", skips_what_is_bad},
    {"bears large values", bears_large_values},
    {"bears deep nesting", bears_deep_nesting},
    {"joins pieces", joins_pieces},
    {"bears every cut", bears_every_cut},
    {"bears changed bytes", bears_changed_bytes},
    {"streams in windows", streams_in_windows},
    {"refuses many threads", refuses_many_threads},
    {"probes", probes},
    {NULL, NULL},
};

const struct test_suite suite_chrome = {"chrome", cases};
