#include "log_files.h"

#define GOOD "{\"time\": 1.0, \"data_time\": 0.5, \"epoch\": 1, \"iter\": 50}\n"
#define METRICS "{\"time\": 1.0, \"data_time\": 0.5, \"iteration\": 19}\n"

static const struct {
    const char *format, *text, *error;
} wrong[] = {
    {"mmengine", GOOD "{\"time\": 1.0, \"data_ti",
     "a.log:2: not JSON at column 22: premature end of input near '\"data_ti'"},
    {"mmengine", GOOD "{\"time\": 1.0, \"iter\": 100}\n", "a.log:2: no \"data_time\""},
    {"mmengine", GOOD "{\"time\": NaN, \"data_time\": 0.5, \"iter\": 100}\n", "a.log:2: \"time\" is not a number"},
    {"mmengine", GOOD "{\"time\": -1, \"data_time\": -0.5, \"iter\": 100}\n",
     "a.log:2: \"data_time\" is -0.5, not a time such as 0.354"},
    {"mmengine", GOOD "{\"time\": 0.25, \"data_time\": 0.5, \"iter\": 100}\n",
     "a.log:2: data time 0.5 s is longer than the iteration, 0.25 s"},
    {"mmengine", GOOD "{\"time\": 1, \"data_time\": 0.5, \"iter\": 1.5}\n",
     "a.log:2: \"iter\" is not a number of an iteration"},
    {"mmengine", GOOD "{\"time\": 1, \"data_time\": 0.5, \"iter\": 99999999999}\n",
     "a.log:2: the number of the iteration or its epoch is over 2147483646"},
    {"detectron2", METRICS "{\"time\": 1.0, \"data_time\": \"x\", \"iteration\": 39}\n",
     "a.log:2: \"data_time\" is not a number"},
    {"detectron2", METRICS "{\"time\": 1.0, \"data_time\": 0.5, \"iteration\": -1}\n",
     "a.log:2: \"iteration\" is not a number of an iteration"},
    {"detectron2",
     METRICS METRICS METRICS "{\"time\": 1.0, \"data_time\": 0.5, \"iteration\": 39}\n"
                             "{\"time\": 1.0, \"data_time\": 0.5, \"iteration\": 39}\n",
     "a.log:5: iteration 39 comes again (do several ranks print into this log?)"},
};

static void says_what_is_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        struct dlq_trace_facts facts;
        CHECK_INT(read_text(&trace, NULL, 0, "a.log", wrong[i].text, &error), DLQ_INVALID);
        check_error(error.text, wrong[i].text, wrong[i].error);
        error = (struct dlq_error){0};
        CHECK_INT(read_text(&trace, NULL, 1, "a.log", wrong[i].text, &error), DLQ_OK);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK_INT(facts.bad, 1);
        CHECK_TEXT(facts.format, wrong[i].format);
        dlq_trace_free(trace);
    }
}

/* Values that are not times may be anything, NaN too, inside texts as well. */
static void bears_what_json_is_not(void)
{
    static const char *const lines[] = {
        "{\"loss\": NaN, \"time\": 1.0, \"data_time\": 0.5, \"epoch\": 1, \"iter\": 100}\n",
        "{\"loss\": [-Infinity, Infinity,NaN], \"time\": 1.0, \"data_time\": 0.5, \"epoch\": 1, \"iter\": 100}\n",
        "{\"note\": \"x NaN\", \"time\": 1.0, \"data_time\": 0.5, \"epoch\": 1, \"iter\": 100}\n",
        "  \x1b[0m{\"train/time\": 1.0, \"train/data_time\": 0.5, \"epoch\": 1, \"iter\": 100}\r\n",
        "[rank0]: {\"time\": 1, \"data_time\": 5e-1, \"epoch\": 1, \"iter\": 100}\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[512];
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        snprintf(text, sizeof text,
                 "Loading...\n%s{\"mode\": \"val\", \"time\": 1, \"data_time\": 1, \"iter\": 7}\n[]\n", lines[i]);
        CHECK(read_text(&trace, NULL, 0, "a.log", text, &error) == DLQ_OK, "line %zu: %s", i, error.text);
        if (trace == NULL)
            continue;
        CHECK_INT(trace->records, 1);
        CHECK_INT(trace->other, 2);
        CHECK_REL(trace->ranks[0].batches[0].data, 0.5, 1e-12);
        dlq_trace_free(trace);
    }
}

/* A meta line longer than lines may be is other text; one of times is not. */
static void bears_long_lines(void)
{
    enum { LONG = 40000 };
    static const char *const begins[] = {"{\"config\": \"", "{\"data_time\": 0.5, \"x\": \""};
    char *text = calloc(1, LONG + 512);
    for (int i = 0; i < 2; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        memset(text, 'x', LONG);
        memcpy(text, begins[i], strlen(begins[i]));
        snprintf(text + LONG, 512, "\"}\n" GOOD);
        CHECK_INT(read_text(&trace, NULL, 0, "a.log", text, &error), i == 0 ? DLQ_OK : DLQ_INVALID);
        CHECK_TEXT(error.text, i == 0 ? "" : "a.log:1: the line is over 32768 bytes long");
        dlq_trace_free(trace);
    }
    free(text);
}

static const struct test_case cases[] = {
    {"says what is wrong", says_what_is_wrong},
    {"bears what JSON is not", bears_what_json_is_not},
    {"bears long lines", bears_long_lines},
    {NULL, NULL},
};

const struct test_suite suite_json_lines = {"json_lines", cases};
