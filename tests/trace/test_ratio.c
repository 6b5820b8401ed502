#include "logs.h"

static void reads_lines(void)
{
    struct dlq_trace *trace;
    struct dlq_error error = {0};
    CHECK_INT(read_text(&trace, NULL, 0, "a.log", "0.2/0.5\nhello\n 12ms / 0.3s\n0/0.25\n", &error), DLQ_OK);
    if (trace == NULL)
        return;
    struct dlq_trace_facts facts;
    dlq_trace_facts(trace, &facts);
    CHECK_TEXT(facts.format, "ratio");
    CHECK_INT(facts.iterations, 3);
    CHECK_INT(facts.other, 1);
    CHECK_REL(dlq_spread_mean(&trace->ranks[0].data), 0.212 / 3, 1e-12);
    CHECK_REL(dlq_spread_mean(&trace->ranks[0].iter), 0.35, 1e-12);
    CHECK_REL(trace->ranks[0].batches[1].step, 0.288, 1e-12);
    dlq_trace_free(trace);
}

static void refuses(void)
{
    static const struct {
        const char *text, *error;
    } table[] = {
        {"0.2/0.5\n0.6/0.5\n", "a.log:2: data time 0.6 s is longer than the iteration, 0.5 s"},
        {"0.2/0.5\n1/x\n", "a.log:2: not of the form data/iter, as in 0.012/0.354"},
        {"", "a.log: the log is empty"},
        {"hello\n", "a.log: no known log format; --format names one (dlqueue help diagnose lists them)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        CHECK_INT(read_text(&trace, NULL, 0, "a.log", table[i].text, &error), DLQ_INVALID);
        CHECK_TEXT(error.text, table[i].error);
    }
}

static const struct test_case cases[] = {
    {"reads lines", reads_lines},
    {"refuses", refuses},
    {NULL, NULL},
};

const struct test_suite suite_ratio = {"ratio", cases};
