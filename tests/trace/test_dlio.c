#include "files.h"

#define EPOCH(load, proc, compute) "{\"1\":{\"load\":" load ",\"proc\":" proc ",\"compute\":" compute "}}"
/* Lines as json.dump with an indent writes them. */
#define ONE(number) "{\"block1\":[\n" number "\n]}"
#define TWO(first, second) "{\"block1\":[\n" first ",\n" second "\n]}"

static void reads_fixtures(void)
{
    struct dlq_trace_options options = {.skip_bad = 0};
    struct dlq_trace *trace = NULL;
    struct dlq_error error = {0};
    char told[1024];
    CHECK_INT(dlq_trace_new(&trace, &options, &error), DLQ_OK);
    for (int i = 1; i >= 0 && trace != NULL; i--) {
        char name[64];
        snprintf(name, sizeof name, "dlio/%d_output.json", i);
        struct bytes bytes = fixture(name);
        CHECK_INT(add_bytes(trace, name, bytes.data, bytes.size, &error), DLQ_OK);
        free(bytes.data);
    }
    CHECK_TEXT(error.text, "");
    CHECK_TEXT(tell_trace(trace, told, sizeof told),
               "0: 1500000/2000000 62500/562500 125000/625000 250000/750000 750000/1250000 62500/562500 31250/531250 "
               "| 1500000/2000000 62500/562500 125000/625000 250000/750000 750000/1250000 62500/562500 31250/531250; "
               "1: 2500000/3000000 62500/562500 125000/625000 250000/750000 750000/1250000 62500/562500 31250/531250 "
               "| 2500000/3000000 62500/562500 125000/625000 250000/750000 750000/1250000 62500/562500 31250/531250");
    if (trace != NULL && trace->rank_count == 2) {
        CHECK_TEXT(trace->format->name, "dlio");
        CHECK_REL(dlq_spread_mean(&trace->ranks[0].step), 0.5, 1e-12);
        CHECK_INT(trace->ranks[0].batches[6].index, 6);
        CHECK_INT(trace->ranks[0].batches[7].index, 0);
        CHECK_INT(trace->ranks[0].batches[7].epoch, 2);
    }
    dlq_trace_free(trace);
}

static void reads_all_versions(void)
{
    static const struct {
        const char *text, *told;
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
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        char told[256];
        enum dlq_status status = read_bytes(&trace, 0, "a.json", table[i].text, strlen(table[i].text), &error);
        CHECK(status == DLQ_OK, "case %zu: %s", i, error.text);
        CHECK_TEXT(tell_trace(trace, told, sizeof told), table[i].told);
        if (trace != NULL)
            CHECK_REL(dlq_spread_mean(&trace->ranks[0].step), table[i].step, 1e-12);
        dlq_trace_free(trace);
    }
}

static void refuses(void)
{
#define ELSE "; the times of batches are in 0_output.json, 1_output.json, ..."
    static const struct {
        const char *text, *error;
    } table[] = {
        {EPOCH(TWO("0.5", "1"), TWO("1.5", "0.9"), "{}"),
         "a.json:3: the load, 1 s, is longer than the whole iteration (proc), 0.9 s"},
        {EPOCH(TWO("0.5", "-1"), TWO("1.5", "1"), "{}"), "a.json:3: a negative time, -1 s"},
        {EPOCH(ONE("1"), ONE("2"), ONE("-0.5")), "a.json:2: a negative time, -0.5 s"},
        {EPOCH(TWO("NaN", "1"), TWO("1.5", "1"), "{}"), "a.json:2: not a number"},
        {EPOCH(TWO("0x1", "1"), TWO("1.5", "1"), "{}"), "a.json:2: not a number"},
        {EPOCH(TWO("1", "1"), TWO("1", "\"1\""), "{}"), "a.json:3: not a number"},
        {EPOCH(TWO("1", "1"), TWO("1", "1e999"), "{}"), "a.json:3: not a number"},
        {EPOCH(TWO("1", "1"), TWO("1", "[1]"), "{}"), "a.json:3: not a number"},
        {EPOCH(TWO("1", "1"), ONE("1"), "{}"),
         "a.json:3: block1 of epoch 1 has 2 times of load and 1 of proc: only 1 are pairs"},
        {EPOCH(ONE("1"), TWO("1", "1"), "{}"),
         "a.json:5: block1 of epoch 1 has 1 times of load and 2 of proc: only 1 are pairs"},
        {"{\"1\":{\"load\":[1],\"proc\":[]}, \"block1\":0}",
         "a.json:1: the list of epoch 1 has 1 times of load and 0 of proc: only 0 are pairs"},
        {EPOCH("[1]", "7", "{}") "{\"block1\":0}", "a.json:1: '7' where an object of blocks should be"},
        {EPOCH("{\"block1\":7}", "{}", "{}"), "a.json:1: '7' where an array of times should be"},
        {EPOCH("{\"block1\":[1,,2]}", "{}", "{}"), "a.json:1: ',' where a number, or the end of the array, should be"},
        {EPOCH("{\"block1\":[1\n}", "{}", "{}"), "a.json:2: '}' where a number, or the end of the array, should be"},
        {EPOCH("{\"block1\":[1", "\"proc\"", "{}"), "a.json:1: ':' where a number, or the end of the array, should be"},
        {"{\"1\":{\"proc\":{},\"load\":{\"block1\":[1,\n2",
         "a.json:2: the file ends where a number, or the end of the array, should be"},
        {"{\"1\":{\"load\":{\"block1\":[1]},\n\"proc\":{\"block1\":[1]}",
         "a.json:2: the file ends where a key of the epoch, or its end, should be"},
        {"{\"1\":{\"load\":{\"block1\":[1]},\n\"proc\":{\"block1\":[1]},7",
         "a.json:2: '7' where a key of the epoch, or its end, should be"},
        {"{\"host_memory_GB\":1,\"host_cpu_count\":2}", "a.json: no times in it (read as dlio)"},
        {"{\"host_memory_GB\":1,\n\"num_accelerators\":2,\"hostname\":1}",
         "a.json:2: this is DLIO's summary.json" ELSE},
        {"{\"1\":{\"start\":\"x\",\n\"block1\":{\"duration\":\"1\"}}}",
         "a.json:2: this is DLIO's per_epoch_stats.json" ELSE},
    };
#undef ELSE
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        enum dlq_status status = read_bytes(&trace, 0, "a.json", table[i].text, strlen(table[i].text), &error);
        CHECK(status == DLQ_INVALID, "case %zu", i);
        CHECK_TEXT(error.text, table[i].error);
        dlq_trace_free(trace);
    }
}

static void refuses_summaries(void)
{
    static const char *const names[] = {"summary.json", "per_epoch_stats.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        char path[64];
        snprintf(path, sizeof path, "dlio/%s", names[i]);
        CHECK_INT(read_fixture(&trace, path, &error), DLQ_INVALID);
        CHECK(strstr(error.text, "0_output.json") != NULL && strstr(error.text, "this is DLIO's") != NULL, "%s: %s",
              names[i], error.text);
    }
}

/* Blocks after the first: DLIO forgets the load of the batch that begins them. */
static void finds_the_lost_load(void)
{
    static const struct {
        const char *text, *told;
    } table[] = {
        {"{\"1\":{\"load\":{\"block2\":[0.5]},\"proc\":{\"block2\":[3,1]},\"compute\":{\"block2\":[1,0.5]}}}",
         "0: 2000000/3000000 500000/1000000"},
        /* Without compute its wait is unknown. */
        {"{\"1\":{\"load\":{\"block2\":[0.5]},\"proc\":{\"block2\":[3,1]}}}", "0: 500000/1000000"},
        {"{\"1\":{\"load\":{\"block2\":[]},\"proc\":{\"block2\":[3]},\"compute\":{\"block2\":[1]}}}",
         "0: 2000000/3000000"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        char told[256];
        CHECK_INT(read_bytes(&trace, 0, "a.json", table[i].text, strlen(table[i].text), &error), DLQ_OK);
        CHECK_TEXT(error.text, "");
        CHECK_TEXT(tell_trace(trace, told, sizeof told), table[i].told);
        dlq_trace_free(trace);
    }
}

/* A block of as many batches. */
static struct bytes long_epoch(size_t each)
{
    static const char *const sections[] = {"load", "proc"};
    struct bytes bytes = {NULL, 0};
    FILE *stream = open_memstream(&bytes.data, &bytes.size);
    if (stream == NULL)
        return bytes;
    fprintf(stream, "{\"1\": {");
    for (int section = 0; section < 2; section++) {
        fprintf(stream, "%s\"%s\": {\"block1\": [\n", section > 0 ? ",\n" : "", sections[section]);
        for (size_t i = 0; i < each; i++)
            fprintf(stream, "%s%d.25", i > 0 ? ",\n" : "", section);
        fprintf(stream, "]}");
    }
    fprintf(stream, "}}");
    fclose(stream);
    return bytes;
}

static void bounds_an_epoch(void)
{
    for (size_t over = 0; over < 2; over++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        struct bytes bytes = long_epoch(2000000 + over);
        CHECK_INT(read_bytes(&trace, 0, "a.json", bytes.data, bytes.size, &error), over > 0 ? DLQ_INVALID : DLQ_OK);
        CHECK_TEXT(error.text, over > 0 ? "a.json:4000003: an epoch of more than 4000000 numbers" : "");
        if (trace != NULL) {
            CHECK_INT(trace->ranks[0].iterations, 2000000);
            CHECK_REL(dlq_spread_mean(&trace->ranks[0].data), 0.25, 1e-12);
            CHECK_REL(dlq_spread_mean(&trace->ranks[0].iter), 1.25, 1e-12);
        }
        dlq_trace_free(trace);
        free(bytes.data);
    }
}

/* As many blocks as an epoch may have, and one more. */
static void bounds_blocks(void)
{
    for (int over = 0; over < 2; over++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        struct bytes bytes = {NULL, 0};
        FILE *stream = open_memstream(&bytes.data, &bytes.size);
        if (stream == NULL)
            return;
        for (int section = 0; section < 2; section++) {
            fputs(section > 0 ? "},\n\"proc\":{" : "{\"1\":{\"load\":{", stream);
            for (int i = 0; i < 2048 + over; i++)
                fprintf(stream, "%s\"block%d\":[%d.5]", i > 0 ? "," : "", i + 1, section);
        }
        fputs("}}}", stream);
        fclose(stream);
        CHECK_INT(read_bytes(&trace, 0, "a.json", bytes.data, bytes.size, &error), over > 0 ? DLQ_INVALID : DLQ_OK);
        CHECK(over == 0 || strstr(error.text, "a.json:2: ") != NULL, "%s", error.text);
        if (trace != NULL) {
            CHECK_INT(trace->ranks[0].iterations, 2048);
            CHECK_REL(dlq_spread_mean(&trace->ranks[0].iter), 1.5, 1e-12);
            CHECK_INT(trace->ranks[0].batches[2047].index, 2047);
        }
        dlq_trace_free(trace);
        free(bytes.data);
    }
}

static void bears_every_cut(void)
{
    struct bytes whole = fixture("dlio/0_output.json");
    for (size_t size = 0; size <= whole.size; size++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        struct dlq_trace_facts facts = {0};
        enum dlq_status status = read_bytes(&trace, 1, "0_output.json", whole.data, size, &error);
        CHECK(status == DLQ_OK || strstr(error.text, "0_output.json") != NULL, "to %zu: %s", size, error.text);
        if (trace != NULL)
            dlq_trace_facts(trace, &facts);
        CHECK(facts.iterations == 0 || facts.iterations == 7 || facts.iterations == 14, "to %zu: %ld, whole epochs",
              size, facts.iterations);
        CHECK(facts.bad == (status == DLQ_OK && size < whole.size), "to %zu: %ld is told", size, facts.bad);
        dlq_trace_free(trace);
    }
    free(whole.data);
}

static void bears_changed_bytes(void)
{
    static const char favored[] = "\"\\{}[],:.-e\n";
    struct bytes bytes = fixture("dlio/1_output.json");
    unsigned seed = 7;
    for (int i = 0; bytes.size > 0 && i < 2000; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        seed = seed * 1664525U + 1013904223U;
        char *at = &bytes.data[(seed >> 8) % bytes.size];
        char kept = *at;
        seed = seed * 1664525U + 1013904223U;
        *at = i % 2 == 0 ? favored[(seed >> 8) % (sizeof favored - 1)] : (char)(seed >> 8);
        enum dlq_status status = read_bytes(&trace, 2, "a.json", bytes.data, bytes.size, &error);
        CHECK(status == DLQ_OK || strstr(error.text, "a.json") != NULL, "%d: %s", i, error.text);
        dlq_trace_free(trace);
        *at = kept;
    }
    free(bytes.data);
}

static void probes(void)
{
    static const struct {
        const char *head;
        bool ours;
    } table[] = {
        {"{\n    \"host_memory_GB\": 503.3,\n    \"host_cpu_count\": 64,", true},
        {EPOCH("{\"block1\":[]}", "{}", "{}"), true},
        {"{\"start\": 1, \"num_accelerators\": 2, \"num_hosts\": 1, \"hostname\": \"a\"", true},
        {"{\"1\": {\"start\": 1, \"block1\": {\"start\": 1, \"end\": 2, \"duration\": \"4.00\"}", true},
        {"{\n    \"1\": {\n        \"load\": [\n            0.5,", true},
        {"{\"12\":{\"compute\":{", true},
        {"{\"1\":{\"loads\":{", false},
        {"{\"load\": 1, \"proc\": 2}", false},
        {"{\"data_time\": 0.0061, \"iteration\": 19, \"time\": 0.249}\n", false},
        {"\"load\" \"proc\" \"block1\"", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dlq_format *format = dlq_format_probe(table[i].head, strlen(table[i].head));
        CHECK((format != NULL && strcmp(format->name, "dlio") == 0) == table[i].ours, "case %zu", i);
    }
}

static const struct test_case cases[] = {
    {"reads fixtures", reads_fixtures},
    {"reads all versions", reads_all_versions},
    {"refuses", refuses},
    {"refuses summaries", refuses_summaries},
    {"finds the lost load", finds_the_lost_load},
    {"bounds an epoch", bounds_an_epoch},
    {"bounds blocks", bounds_blocks},
    {"bears every cut", bears_every_cut},
    {"bears changed bytes", bears_changed_bytes},
    {"probes", probes},
    {NULL, NULL},
};

const struct test_suite suite_dlio = {"dlio", cases};
