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
        {"iter 100 loss 3.2 data/iter: 0.19/0.41", 0, 100, 0.19, 0.41},
        {"Epoch 2, Iter=31 | data/iter 0.19s/0.41s | lr 1e-3", 0, 31, 0.19, 0.41},
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

/* How many iterations a line stands for: as its numbers tell, or the user. */
static void counts_iterations(void)
{
    static const struct {
        const char *text;
        long every, iterations;
        double data; /* mean */
    } table[] = {
        {"0.2/0.5\n0.4/0.5\n", 0, 2, 0.3},
        {"0.2/0.5\n0.4/0.5\n", 100, 200, 0.3},
        {"1: 0.2/0.5\n2: 0.4/0.5\n", 50, 100, 0.3}, /* the number of the line */
        {"iter 100 loss 3 data/iter: 0.2/0.5\niter 200 loss 2 data/iter: 0.4/0.5\n", 0, 200, 0.3},
        {"step 0 4.9/5.2\nstep 100 0.2/0.5\nstep 200 0.4/0.5\n", 0, 201, 64.9 / 201},
        {"iter 4100: 0.2/0.5\niter 4200: 0.4/0.5\n", 0, 200, 0.3},
        {"iter 7: 0.2/0.5\niter 8: 0.4/0.5\n", 0, 2, 0.3},
        {"data_time,iter_time\n0.2,0.5\n0.4,0.5\n", 20, 40, 0.3},
        /* NeMo tells its first line's by nothing but its number. */
        {"Training epoch 0, iteration 999/2000 | train_step_timing in s: 2.5\n", 50, 50, NAN},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        const struct dlq_trace_options options = {.every = table[i].every};
        CHECK(read_text_with(&trace, options, "a.log", table[i].text, &error) == DLQ_OK, "%zu: %s", i, error.text);
        if (trace == NULL)
            continue;
        CHECK(trace->ranks[0].iterations == table[i].iterations, "%zu: %ld", i, trace->ranks[0].iterations);
        if (!isnan(table[i].data))
            CHECK_REL(dlq_spread_mean(&trace->ranks[0].data), table[i].data, 1e-12);
        dlq_trace_free(trace);
    }
}

/* Counts of what is done are no times, nor are dates. */
static void is_not_taken_for_more(void)
{
    static const char *const logs[] = {"1/2\n2/2\n", "12: 3/10\n",   "a 0.1/0.2 b\n",
                                       "0.5/0.2\n",  "2026/03/01\n", "0.1/\n"};
    const struct dlq_format *ratio = dlq_format_named("ratio", "", 0);
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        CHECK(ratio->reader->probe(ratio, logs[i], strlen(logs[i])) == 0, "'%s'", logs[i]);
}

static void refuses(void)
{
    static const struct {
        const char *text, *error;
    } table[] = {
        {"0.2/0.5\n0.6/0.5\n", "a.log:2: data time 0.6 s is longer than the iteration, 0.5 s"},
        {"0.2/0.5\n1/x\n", "a.log:2: not of the form data/iter, as in 0.012/0.354"},
        {"", "a.log: the log is empty"},
        {"load_time,data_time\n1,0.5\n", "a.log:2: --every is of means: loads and points in time are of one batch"},
        {"[{\"ph\":\"X\",\"name\":\"ProfilerStep#1\",\"ts\":1,\"dur\":2}]",
         "a.log: a chrome log tells by itself what its numbers are of: leave out --every"},
        {"hello\n", "a.log: no known log format; --format names one (dlqueue help formats lists them)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        const struct dlq_trace_options options = {.every = 20};
        CHECK_INT(read_text_with(&trace, options, "a.log", table[i].text, &error), DLQ_INVALID);
        CHECK_TEXT(error.text, table[i].error);
    }
}

/* Of other formats: what would make nonsense of the times. */
static void refuses_nonsense(void)
{
    static const struct {
        const char *text, *error;
    } table[] = {
        {"request,received,step_end\n0,0.3,0.4\n0.41,0.46,0.55\n0.41,0.46,0.55\n",
         "a.csv:4: step_end, 0.55, is that of the iteration before: is the row there twice?"},
        {"Train: 0 [  50/1251 (  4%)]  Time: 0.354s,  7/s  (0.981s,  2/s)  LR: 1  Data: 1.79e308 (0.642)\n",
         "a.csv:1: Data: 1.79e+308 is too large for seconds"},
        {"0.1/0.2\n0.1/2e12\n", "a.csv:2: iteration: 2000000000000 is too large for seconds"},
        {"0.1/0.2\n1e300/1e300\n", "a.csv:2: data time: 1e+300 is too large for seconds"},
        {"{'train_runtime': 1e300, 'train_steps_per_second': 1e-299}\n",
         "a.csv:1: iteration: 1e+299 is too large for seconds"},
        {"batch,load_time\n0,1e13\n",
         "a.csv:2: column load_time: 10000000000000 is too large for seconds (with a unit: "
         "12ms, 34us, 56ns)"},
        {"{\"time\": 1e308, \"data_time\": 0.5, \"iter\": 50}\n", "a.csv:1: time: 1e+308 is too large for seconds"},
        {" iteration 100/500 | elapsed time per iteration (ms): 500.0 |\nmax time across ranks (ms):\n"
         "    batch-generator ....: 1e300\n",
         "a.csv:3: batch-generator: 1e+297 is too large for seconds"},
        /* Cut to the iteration it would pass for one. */
        {"{\"time\": 1, \"data_time\": 1e308, \"iteration\": 19}\n",
         "a.csv:1: data_time: 1e+308 is too large for seconds"},
        {"{\"1\": {\"load\": {\"block1\": [1e300]}, \"proc\": {\"block1\": [1e300]}}}\n",
         "a.csv:1: data time: 1e+300 is too large for seconds"},
        {"\xFF\xFE"
         "0.1/0.2\n",
         "a.csv: UTF-16, not UTF-8: iconv -f UTF-16 -t UTF-8 makes a text of it that can be read"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        CHECK_INT(read_text(&trace, NULL, 0, "a.csv", table[i].text, &error), DLQ_INVALID);
        CHECK_TEXT(error.text, table[i].error);
    }
}

static const struct test_case cases[] = {
    {"reads lines", reads_lines},
    {"reads words", reads_words},
    {"counts iterations", counts_iterations},
    {"is not taken for more", is_not_taken_for_more},
    {"refuses", refuses},
    {"refuses nonsense", refuses_nonsense},
    {NULL, NULL},
};

const struct test_suite suite_ratio = {"ratio", cases};
