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

/* What may stand before the times. */
static void reads_words(void)
{
    static const struct {
        const char *line;
        long rank, index;
        double data, iter;
    } table[] = {
        {"0.01/0.35", 0, -1, 0.01, 0.35},
        {"12: 0.01/0.35", 0, 12, 0.01, 0.35},
        {"12 0.01 / 0.35 ", 0, 12, 0.01, 0.35},
        {"rank 3: 0.012/0.354", 3, -1, 0.012, 0.354},
        {"rank3 0.012/0.354", 3, -1, 0.012, 0.354},
        {"[rank2]: 7: 12ms/354ms", 2, 7, 0.012, 0.354},
        {"[default5]:step 7, data/iter = 0.012s/0.354s", 5, 7, 0.012, 0.354},
        {"data/iter 0.012/0.354", 0, -1, 0.012, 0.354},
        {"iteration 8 rank 1 1e-2/.5", 1, 8, 0.01, 0.5},
        {"\x1b[31miter 9: 0/0.5\x1b[0m\r", 0, 9, 0, 0.5},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        char text[128];
        snprintf(text, sizeof text, "%s\n/usr/share/x 0.1/0.2\nsee a/b\n", table[i].line);
        CHECK(read_text(&trace, NULL, 0, "a.log", text, &error) == DLQ_OK, "%s: %s", table[i].line, error.text);
        if (trace == NULL)
            continue;
        CHECK(trace->records == 1 && trace->other == 2, "%s: %ld records", table[i].line, trace->records);
        CHECK(trace->ranks[0].number == table[i].rank, "%s: rank %ld", table[i].line, trace->ranks[0].number);
        CHECK_INT(trace->ranks[0].batches[0].index, table[i].index);
        CHECK_REL(trace->ranks[0].batches[0].data, table[i].data, 1e-12);
        CHECK_REL(trace->ranks[0].batches[0].iter, table[i].iter, 1e-12);
        dlq_trace_free(trace);
    }
}

/* Counts of what is done are no times, nor are dates. */
static void is_not_taken_for_more(void)
{
    static const char *const logs[] = {"1/2\n2/2\n", "12: 3/10\n",   "a 0.1/0.2 b\n",
                                       "0.5/0.2\n",  "2026/03/01\n", "0.1/\n"};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        CHECK(dlq_format_ratio.probe(logs[i], strlen(logs[i])) == 0, "'%s'", logs[i]);
}

static void refuses(void)
{
    static const struct {
        const char *text, *error;
    } table[] = {
        {"0.2/0.5\n0.6/0.5\n", "a.log:2: data time 0.6 s is longer than the iteration, 0.5 s"},
        {"0.2/0.5\n1/x\n", "a.log:2: not of the form data/iter, as in 0.012/0.354"},
        {"", "a.log: the log is empty"},
        {"hello\n", "a.log: no known log format; --format names one (dlqueue help formats lists them)"},
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
    {"reads words", reads_words},
    {"is not taken for more", is_not_taken_for_more},
    {"refuses", refuses},
    {NULL, NULL},
};

const struct test_suite suite_ratio = {"ratio", cases};
