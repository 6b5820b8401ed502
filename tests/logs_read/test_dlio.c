/* DLIO's outputs: versions, blocks, what is missing or contradicts itself. */
#include "logs.h"

#define EPOCH(load, proc, compute) "{\"1\":{\"load\":" load ",\"proc\":" proc ",\"compute\":" compute "}}"
#define ONE(number) "{\"block1\":[\n" number "\n]}"
#define TWO(first, second) "{\"block1\":[\n" first ",\n" second "\n]}"
#define WRONG(batch, load, proc, compute)                                                                              \
    "a.json:1: batch " batch " of epoch 1: load " load " s, iteration (proc) " proc " s, compute " compute             \
    " s: not times, or the load is longer than the whole"
#define BROKEN(line, fault) "a.json:" line ": an epoch is not JSON: " fault

static void reads_two_ranks(void)
{
    static const char epochs[] = "0: 1500000/2000000 62500/562500 125000/625000 250000/750000 750000/1250000 "
                                 "62500/562500 31250/531250 | 1500000/2000000 62500/562500 125000/625000 250000/750000 "
                                 "750000/1250000 62500/562500 31250/531250; 1: 2500000/3000000";
    OWN_TRACE *trace = new_trace(0);
    char shown[1024];
    CHECK_INT(add_file(trace, "logs/dlio/1_output.json", NULL), DLQ_OK);
    CHECK_INT(add_file(trace, "logs/dlio/0_output.json", NULL), DLQ_OK);
    CHECK_INT(trace->rank_count, 2);
    show_trace(trace, shown, sizeof shown);
    shown[sizeof epochs - 1] = '\0';
    CHECK_TEXT(shown, epochs);
    CHECK_REL(dlq_spread_mean(&trace->ranks[0].step), 0.5, 1e-12);
    CHECK_INT(trace->ranks[0].batches[6].index, 6);
    CHECK_INT(trace->ranks[0].batches[7].index, 0);
    CHECK_INT(trace->ranks[0].batches[7].epoch, 2);
}

static void reads_all_versions(void)
{
    static const struct {
        const char *text, *want;
        double step;
    } table[] = {
        {EPOCH(TWO("0.5", "1"), TWO("1.5", "2"), TWO("0.875", "0.875")), "0: 500000/1500000 1000000/2000000", 0.875},
        {"{\"1\":{\"load\":{\"block1\":[0.5]},\"proc\":{\"block1\":[0.75]}}}", "0: 500000/750000", 0.25},
        {"{\"1\":{\"load\":{\"block1\":[0.5]},\"compute\":{\"block1\":[0.25]}},\"a\":{\"proc\":1}}", "0: 500000/750000",
         0.25},
        {"{\"1\":{\"load\":[5e-1,1],\"proc\":[0.75,1.25],\"au\":{\"block1\":1}}}", "0: 500000/750000 1000000/1250000",
         0.25},
        {EPOCH(ONE("0.5"), ONE("1"), "{\"block1\":[]}"), "0: 500000/1000000", 0.5},
        {"{\"1\":{\"proc\":{\"block1\":[1]},\"load\":{\"block1\":[0]}},\"2\":{\"load\":{\"eval\":[1,null]},\"proc\":{}}"
         ",\"10\":{\"load\":{\"block1\":[0]},\"proc\":{\"block1\":[1]}},\"hostname\":\"a\"}",
         "0: 0/1000000 | 0/1000000", 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_error error;
        char shown[256];
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.json", table[i].text, &error);
        CHECK_TEXT(show_trace(trace, shown, sizeof shown), table[i].want);
        if (trace != NULL)
            CHECK_REL(dlq_spread_mean(&trace->ranks[0].step), table[i].step, 1e-12);
    }
}

static void refuses_and_finds_what_is_lost(void)
{
#define ELSE "; the times of batches are in 0_output.json, 1_output.json, ..."
    static const struct text_case table[] = {
        {EPOCH(TWO("0.5", "1"), TWO("1.5", "0.9"), "{}"), WRONG("1", "1", "0.9", "nan")},
        {EPOCH(TWO("0.5", "-1"), TWO("1.5", "1"), "{}"), WRONG("1", "-1", "1", "nan")},
        {EPOCH(ONE("1"), ONE("2"), ONE("-0.5")), WRONG("0", "1", "2", "-0.5")},
        {EPOCH(TWO("1", "1"), TWO("1", "\"1\""), "{}"), WRONG("1", "1", "nan", "nan")},
        {EPOCH(TWO("NaN", "NaN"), TWO("1.5", "1"), "{}"),
         WRONG("0", "nan", "1.5", "nan") "\n" WRONG("1", "nan", "1", "nan")},
        {EPOCH(TWO("0", "1"), TWO("Infinity", "1"), "{}"), WRONG("0", "0", "nan", "nan")},
        {EPOCH("NaN", "{}", "{}"), "a.json:1: load of epoch 1 is not of arrays of times"},
        {EPOCH("{\"\\\"NaN\":[1]}", "{\"\\\"NaN\":[1]}", "{}"), "0: 1000000/1000000"},
        {EPOCH(ONE("-NaN"), ONE("1"), "{}"), BROKEN("2", "invalid token near '-'")},
        {EPOCH(TWO("0x1", "1"), TWO("1.5", "1"), "{}"), BROKEN("2", "']' expected near 'x'")},
        {EPOCH(TWO("1", "1"), TWO("1", "1e999"), "{}"), BROKEN("6", "real number overflow near '1e999'")},
        {EPOCH(TWO("1", "1"), ONE("1"), "{}"),
         "a.json:1: a block of epoch 1 has 2 times of load and 1 of proc: only 1 are pairs"},
        {EPOCH(ONE("1"), TWO("1", "1"), "{}"),
         "a.json:1: a block of epoch 1 has 1 times of load and 2 of proc: only 1 are pairs"},
        {"{\"1\":{\"load\":[1],\"proc\":[]}, \"block1\":0}",
         "a.json:1: a block of epoch 1 has 1 times of load and 0 of proc: only 0 are pairs"},
        {EPOCH("[1]", "7", "{}") "{\"block1\":0}", "a.json:1: proc of epoch 1 is not of arrays of times"},
        {EPOCH("{\"block1\":7}", "{}", "{}"), "a.json:1: load of epoch 1 is not of arrays of times"},
        {EPOCH("{\"block1\":[1,,2]}", "{}", "{}"), BROKEN("1", "unexpected token near ','")},
        {"{\"1\":{\"proc\":{},\"load\":{\"block1\":[1,\n2", "a.json:1: the file ends within an epoch"},
        {"{\"1\":{\"load\":{\"block1\":[1]},\n\"proc\":{\"block1\":[1]},7}}",
         BROKEN("2", "string or '}' expected near '7'")},
        {"{\"1\":{\"load\":{\"block1\":[1]},\"proc\":{\"block1\":[1]}},\n7",
         "a.json:2: '7' where an epoch, or the end of the file, should be"},
        {"{\"1\":{\"load\":{\"block1\":[1]},\"proc\":{\"block1\":[1]}},\n",
         "a.json:2: the file ends where an epoch, or the end of the file, should be"},
        {"{\"host_memory_GB\":1,\"host_cpu_count\":2}", "a.json: no times in it (read as dlio)"},
        {"{\"host_memory_GB\":1,\n\"num_accelerators\":2,\"hostname\":1}",
         "a.json:2: this is DLIO's summary.json" ELSE},
        {"{\"1\":{\"start\":\"x\",\n\"block1\":{\"duration\":\"1\"}}}",
         "a.json:1: this is DLIO's per_epoch_stats.json" ELSE},
        /* Blocks after the first: DLIO forgets the load of the batch that begins them; without compute no wait. */
        {"{\"1\":{\"load\":{\"block2\":[0.5]},\"proc\":{\"block2\":[3,1]},\"compute\":{\"block2\":[1,0.5]}}}",
         "0: 2000000/3000000 500000/1000000"},
        {"{\"1\":{\"load\":{\"block2\":[0.5]},\"proc\":{\"block2\":[3,1]}}}", "0: 500000/1000000"},
        {"{\"1\":{\"load\":{\"block2\":[]},\"proc\":{\"block2\":[3]},\"compute\":{\"block2\":[1]}}}",
         "0: 2000000/3000000"},
    };
    CHECK_TEXTS("a.json", table);
}

/* Python's numbers that are none lose a batch, not its epoch. */
static void skips_batches(void)
{
    static const char text[] = EPOCH(TWO("NaN", "1"), TWO("1", "2"), TWO("1", "1"));
    check_bytes((struct dlq_trace_options){.skip_bad = 1}, "a.json", text, strlen(text), "0: 1000000/2000000");
}

/* How large an epoch may be, in bytes and in numbers. */
static void bounds_an_epoch(void)
{
    static const char before[] = "{\"1\":{\"load\":[1", after[] = "],\"proc\":[1]}}";
    struct bytes bytes = surround(before, ' ', 20000000, after);
    check_bytes((struct dlq_trace_options){0}, "a.json", bytes.data, bytes.size, "0: 1000000/1000000");
    free(bytes.data);
    bytes = surround(before, ',', 4000000, after);
    check_bytes((struct dlq_trace_options){0}, "a.json", bytes.data, bytes.size,
                "a.json:1: an epoch of over 4000000 numbers");
    free(bytes.data);
}

TEST_SUITE(dlio, CASE(reads_two_ranks), CASE(reads_all_versions), CASE(refuses_and_finds_what_is_lost),
           CASE(skips_batches), CASE(bounds_an_epoch));
