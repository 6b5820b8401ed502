/* The table of formats, and logs as programs print them, one file each: what they say was worked out by hand. */
#include "logs.h"

static const struct {
    const char *file, *format;
    long records, iterations; /* over all ranks */
    size_t ranks;
    long other;
    double data, iter; /* sums over all ranks, in s */
} logs[] = {
    {"pytorch-imagenet-reference.log", "pytorch-imagenet", 1, 11, 1, 0, 11 * 1.532, 11 * 2.381},
    {"pytorch-imagenet-epochs.log", "pytorch-imagenet", 7, 52, 1, 3, 7.8, 23.4},
    {"pytorch-imagenet-older.log", "pytorch-imagenet", 3, 21, 1, 0, 6.3, 12.6},
    {"pytorch-imagenet-ranks.log", "pytorch-imagenet", 6, 33, 3, 0, 16.5, 33},
    {"pytorch-imagenet-terminal.log", "pytorch-imagenet", 3, 21, 1, 0, 1.26, 10.5},
    {"timm-reference.log", "timm", 1, 51, 1, 0, 51 * 0.642, 51 * 0.981},
    {"timm-epochs.log", "timm", 6, 170, 1, 5, 9.2, 91},
    {"torchvision-reference.log", "torchvision", 1, 11, 1, 0, 11 * 0.0003, 11 * 0.3401},
    {"torchvision-overlap.log", "torchvision", 6, 42, 1, 3, 7.5, 25.4},
    {"torchvision-sparse.log", "torchvision", 3, 101, 1, 0, 13.375, 42.5},
    {"maskrcnn-benchmark-reference.log", "maskrcnn-benchmark", 1, 20, 1, 0, 20 * 0.0345, 20 * 0.5432},
    {"maskrcnn-benchmark-resumed.log", "maskrcnn-benchmark", 5, 100, 1, 2, 7.2, 54},
    {"mmengine-reference.log", "mmengine", 1, 100, 1, 0, 0.03, 1.49},
    {"mmengine-epochs.log", "mmengine", 3, 300, 1, 2, 30, 120},
    {"mmengine-iterations.log", "mmengine", 3, 150, 1, 0, 20, 80},
    {"mmengine-older.log", "mmengine", 1, 10, 1, 0, 16.55, 20.13},
    {"mmengine-mmcv.log", "mmengine", 3, 150, 1, 1, 30, 105},
    {"mmengine-vis-data.log", "mmengine", 3, 350, 1, 0, 56.25, 112.5},
    {"mmengine-log-json.log", "mmengine", 3, 150, 1, 0, 50, 100},
    {"detectron2-reference.log", "detectron2", 1, 40, 1, 0, 0.288, 9.96},
    {"detectron2-text.log", "detectron2", 3, 60, 1, 2, 0.8, 15.1},
    {"detectron2-metrics.log", "detectron2", 3, 60, 1, 0, 6.25, 25},
    /* Of 1,002 transfers to the GPU 2 are of validation. */
    {"lightning-reference.log", "lightning", 1, 1000, 1, 5, 12.345, 262.345 + 1000 * 0.31 / 1002},
    {"lightning-2020.log", "lightning", 1, 3000, 1, 3, 28.329, 28.329 + 112.83 + 77.455 + 74.201},
    {"hf-trainer-results.json", "hf-trainer", 1, 375, 1, 5, 0, 66.3165},
    {"ray-stats.txt", "ray", 1, 2503, 1, 5, 220.5, 318.05},
    {"megatron-2019.log", "megatron", 2, 400, 1, 0, 200 * (0.04529 + 0.04638), 200 * (0.3131 + 0.3105)},
    {"lightning-older.log", "lightning", 1, 500, 1, 4, 25, 100},
    {"megatron-reference.log", "megatron", 1, 10, 1, 3, 0.5678, 8.124},
    {"megatron-timers.log", "megatron", 3, 300, 1, 9, 18.5, 130},
    {"megatron-seconds.log", "megatron", 3, 300, 1, 0, 0, 3550},
    {"nemo-reference.log", "nemo", 2, 4, 1, 0, 0, 8.01},
    {"hf-trainer-reference.log", "hf-trainer", 1, 11787, 1, 1, 0, 703.2716},
    {"ratio-words.log", "ratio", 5, 5, 3, 2, 0.296, 1.858},
    {"lerobot.log", "lerobot", 6, 1200, 1, 2, 200 * 0.4, 200 * 2.2},
    {"lerobot-middle.log", "lerobot", 5, 5, 1, 0, 16, 17.5},
    {"csv-waits.csv", "csv", 3, 3, 1, 0, 0.65, 0.95},
    {"csv-semicolon.csv", "csv", 3, 3, 1, 0, 0.65, 0.95},
    /* Of a real loader: as its comment lines say, 63.328970 - 0.115310 s; the sum of its waits by awk. */
    {"../torch/cases/n4_p2_logn1_r1.1.csv", "csv", 400, 400, 1, 0, 400 * 0.057900435, 63.328970 - 0.115310},
    {"lotus-one-file.csv", "lotus", 8, 4, 1, 0, 0.138, 0.178},
    {"chrome-profiler.json", "chrome", 4, 4, 1, 0, 0.120350875, 1.38},
    {"chrome-profiler.json.gz", "chrome", 4, 4, 1, 0, 0.120350875, 1.38},
    {"chrome-old.json", "chrome", 2, 2, 1, 0, 0.020001, 0.100002},
    {"chrome-composer.json", "chrome", 12, 12, 2, 0, 4 * 0.009 + 4 * 0.0003 + 4 * 0.0004, 0.48},
    {"dlio/0_output.json", "dlio", 14, 14, 1, 0, 5.5625, 12.5625},
};

enum { LOGS = sizeof logs / sizeof *logs };

static struct bytes load_log(size_t i)
{
    char path[128];
    snprintf(path, sizeof path, "logs/%s", logs[i].file);
    return load_file(path);
}

/* Carriage returns alone end lines, too, where there are no others. */
static void says_what_was_printed(void)
{
    for (size_t k = 0; k < 2 * LOGS; k++) {
        size_t i = k / 2;
        struct dlq_error error;
        enum dlq_status status;
        struct dlq_trace_facts facts;
        struct bytes text = load_log(i);
        bool old = k % 2 == 1 && memchr(text.data, '\r', text.size) == NULL && strstr(logs[i].file, ".gz") == NULL;
        for (size_t at = 0; at < text.size; at++)
            text.data[at] = text.data[at] == '\n' && old ? '\r' : text.data[at];
        struct dlq_trace *trace =
            read_bytes((struct dlq_trace_options){0}, "a.log", text.data, text.size, &status, &error);
        CHECK(trace != NULL, "%s: %s", logs[i].file, error.text);
        free(text.data);
        if (trace == NULL)
            continue;
        struct log_sums sums = sums_of(trace);
        dlq_trace_facts(trace, &facts);
        CHECK_TEXT(facts.format, logs[i].format);
        CHECK(facts.records == logs[i].records, "%s: %ld records", logs[i].file, facts.records);
        CHECK(facts.ranks == logs[i].ranks, "%s: %zu ranks", logs[i].file, facts.ranks);
        CHECK(facts.other_lines == logs[i].other || old, "%s: %ld other lines", logs[i].file, facts.other_lines);
        CHECK(sums.iterations == logs[i].iterations, "%s: %ld iterations", logs[i].file, sums.iterations);
        CHECK(fabs(sums.data - logs[i].data) <= 1e-9 * logs[i].iter, "%s: data %.12g", logs[i].file, sums.data);
        CHECK_REL(sums.iter, logs[i].iter, 1e-9);
        dlq_trace_free(trace);
    }
}

/* Each by its own format, and by no other of another name; also behind a thousand lines of what else programs print. */
static void is_known_from_all_others(void)
{
    static const char other[] = "Collecting torch==2.4.0 (797.2 MB) | time: lr: 0.1 [1/2] a/b\n";
    for (size_t i = 0; i < LOGS; i++) {
        const struct dlq_format *format;
        struct bytes text = load_log(i);
        int own = 0;
        for (size_t k = 0; (format = dlq_format_at(k)) != NULL && strstr(logs[i].file, ".gz") == NULL; k++) {
            bool same = strcmp(format->name, logs[i].format) == 0;
            const struct dlq_log log = {.format = format, .head = text.data, .head_length = text.size};
            int sure = format->reader->probe != NULL ? format->reader->probe(&log) : 0;
            own += same && sure > 0;
            CHECK(same || sure == 0 || strcmp(logs[i].format, "lotus") == 0, "%s is taken for %s", logs[i].file,
                  format->name);
        }
        CHECK(own == 1 || strstr(logs[i].file, ".gz") != NULL, "%s: %d rows of its own", logs[i].file, own);
        if (strstr(logs[i].file, ".log") != NULL) {
            struct bytes head = {calloc(1, 900 * sizeof other + text.size), 0};
            for (; head.size < 900 * (sizeof other - 1); head.size += sizeof other - 1)
                memcpy(head.data + head.size, other, sizeof other - 1);
            memcpy(head.data + head.size, text.data, text.size);
            format = dlq_format_find(NULL, head.data, head.size + text.size);
            CHECK(format != NULL && strcmp(format->name, logs[i].format) == 0, "%s is taken for %s", logs[i].file,
                  format != NULL ? format->name : "nothing");
            free(head.data);
        }
        free(text.data);
    }
}

/* -- however a log is cut or spoiled, it is read or refused, and never more than the whole holds -- */

static void check_spoiled(size_t i, long skip, const char *bytes, size_t size, long *read)
{
    struct dlq_error error;
    enum dlq_status status;
    const struct dlq_trace_options options = {.format = logs[i].format, .skip_bad = skip};
    OWN_TRACE *trace = read_bytes(options, "a.log", bytes, size, &status, &error);
    bool packed = strstr(logs[i].file, ".gz") != NULL;
    CHECK(status == DLQ_OK || status == DLQ_INVALID || (packed && status == DLQ_FAILURE), "%s: status %d", logs[i].file,
          (int)status);
    CHECK(trace != NULL || strstr(error.text, "a.log") != NULL, "%s: %s", logs[i].file, error.text);
    for (size_t k = 0; trace != NULL && k < trace->rank_count; k++)
        for (size_t b = 0; b < trace->ranks[k].count; b++, ++*read)
            CHECK(!(trace->ranks[k].batches[b].data > 1.01 * trace->ranks[k].batches[b].iter + 1e-4) &&
                      !(trace->ranks[k].batches[b].data < 0),
                  "%s: data outside the iteration", logs[i].file);
}

static void takes_anything(void)
{
    const int rounds = test_long() ? 300 : 100;
    static const char favored[] = "\"\\{}[],:0-e\n";
    long read = 0;
    for (size_t i = 0; i < LOGS; i++) {
        struct bytes text = load_log(i);
        unsigned long seed = 12345;
        for (const char *c = logs[i].file; *c != '\0'; c++) /* of a log alone, whatever stands before it */
            seed = 31 * seed + (unsigned char)*c;
        for (int round = 0; round < rounds && text.size > 0; round++) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            size_t at = (seed >> 20) % text.size;
            char kept = text.data[at];
            text.data[at] = round % 2 == 0 ? (char)(seed >> 56) : favored[(seed >> 56) % (sizeof favored - 1)];
            check_spoiled(i, round % 8, text.data, round % 4 == 0 ? at + 1 : text.size, &read);
            text.data[at] = kept;
        }
        free(text.data);
    }
    CHECK(read > 1000, "%ld records", read);
}

/* Of files that are no lines, at every third byte or all. What is cut off is told; whole epochs of DLIO are read. */
static void takes_every_cut(void)
{
    const size_t every = test_every(3);
    for (size_t i = 0; i < LOGS; i++) {
        bool dlio = strcmp(logs[i].format, "dlio") == 0;
        struct bytes whole = load_log(i);
        long most = 0;
        if (!dlio && strcmp(logs[i].format, "chrome") != 0) {
            free(whole.data);
            continue;
        }
        for (size_t size = 0; size <= whole.size; size += size + every < whole.size ? every : 1) {
            struct dlq_error error;
            enum dlq_status status;
            struct dlq_trace_facts facts = {0};
            OWN_TRACE *trace =
                read_bytes((struct dlq_trace_options){.skip_bad = 1}, "a.json", whole.data, size, &status, &error);
            CHECK(trace != NULL || strstr(error.text, "a.json") != NULL, "%s to %zu", logs[i].file, size);
            if (trace != NULL)
                dlq_trace_facts(trace, &facts);
            CHECK(!dlio || facts.iterations % 7 == 0, "%s to %zu: %ld", logs[i].file, size, facts.iterations);
            CHECK(!dlio || facts.bad == (trace != NULL && size < whole.size), "to %zu: %ld is told", size, facts.bad);
            most = trace != NULL && sums_of(trace).iterations > most ? sums_of(trace).iterations : most;
            CHECK(most <= logs[i].iterations, "%s to %zu: %ld", logs[i].file, size, most);
        }
        CHECK_INT(most, logs[i].iterations);
        free(whole.data);
    }
}

/* -- the table -- */

static void names(void)
{
    static const struct {
        const char *wanted, *want;
    } table[] = {
        {"ratio", "0: 200000/500000"},
        {"data/iter", "0: 200000/500000"},
        {"rato", "no log format is called 'rato'; did you mean ratio"},
        {"syslog-ng", "no log format is called 'syslog-ng'; dlqueue help formats lists them"},
        {"", "no log format is called ''; dlqueue help formats lists them"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_bytes((struct dlq_trace_options){.format = table[i].wanted}, "a.log", "0.2/0.5\n", 8, table[i].want);
    CHECK(strcmp(dlq_format_find("mmengine", "", 0)->forms->marker, "Epoch(train)") == 0, "the first row of that name");
    CHECK(dlq_format_find("mmcv", "", 0) == dlq_format_find("mmengine", "", 0), "another name");
    CHECK(dlq_format_find("mmengin", "", 0) == NULL, "no such format");
}

/* Each row says who writes it, and has a log among those above. */
static void rows(void)
{
    struct dlq_format_help row;
    for (size_t i = 0; dlq_format_help(i, &row); i++) {
        bool found = strncmp(row.name, "pattern", 7) == 0 || strcmp(row.name, "generic") == 0; /* tests of their own */
        for (size_t k = 0; k < LOGS; k++)
            found = found || strcmp(row.name, logs[k].format) == 0;
        CHECK(found && row.written_by[0] != '\0' && row.meaning[0] != '\0', "%s says nothing", row.name);
    }
}

/* Of forms that no file above has, and of what looks like one. */
static void probes(void)
{
    static const struct {
        const char *head, *format; /* null: none, or a format of lines */
    } table[] = {
        {"{\"schemaVersion\": 1, \"deviceProperties\": [", "chrome"},
        {"\n  {\n    \"schemaVersion\": 1,\n  \"displayTimeUnit\": \"ms\",", "chrome"},
        {"{\"traceEvents\":[]}", "chrome"},
        {"[\n{\"name\": \"process_name\", \"cat\": \"\", \"ph\": \"M\"", "chrome"},
        {"[{\"name\": \"x\"}]", NULL},
        {"[1, 2, 3]", NULL},
        {"[", NULL},
        {"{\"lr\": 0.1, \"data_time\": 0.003, \"loss\": 2.06, \"time\": 0.0149, \"epoch\": 1, \"iter\": 100}\n", NULL},
        {"{\"data_time\": 0.0061, \"eta_seconds\": 2.5, \"iteration\": 19, \"time\": 0.249}\n", NULL},
        {"0.1/0.2 \"traceEvents\"\n", NULL},
        {"", NULL},
        {"{\n    \"host_memory_GB\": 503.3,\n    \"host_cpu_count\": 64,", "dlio"},
        {"{\"1\":{\"load\":{\"block1\":[]},\"proc\":{},\"compute\":{}}}", "dlio"},
        {"{\"start\": 1, \"num_accelerators\": 2, \"num_hosts\": 1, \"hostname\": \"a\"", "dlio"},
        {"{\"1\": {\"start\": 1, \"block1\": {\"start\": 1, \"end\": 2, \"duration\": \"4.00\"}", "dlio"},
        {"{\n    \"1\": {\n        \"load\": [\n            0.5,", "dlio"},
        {"{\"12\":{\"compute\":{", "dlio"},
        {"{\"1\":{\"loads\":{", NULL},
        {"{\"load\": 1, \"proc\": 2}", NULL},
        {"{\"data_time\": 0.0061, \"iteration\": 19, \"time\": 0.249}\n", NULL},
        {"\"load\" \"proc\" \"block1\"", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dlq_format *format = dlq_format_find(NULL, table[i].head, strlen(table[i].head));
        const char *name = format != NULL && format->binary ? format->name : "";
        CHECK_TEXT(name, table[i].format != NULL ? table[i].format : "");
    }
}

/* Lines of two formats: the surer one is read, and the other told. */
static void two_formats(void)
{
    static const char text[] =
        "Epoch: [0][ 1/5005]\tTime 0.154 (0.154)\tData 0.001 (0.001)\n"
        "Epoch: [0][ 2/5005]\tTime 0.154 (0.154)\tData 0.001 (0.001)\n"
        "Train: 0 [   0/1251 (  0%)]  Loss: 6.9 (6.9)  Time: 1.150s, 222.61/s  (1.150s, 222.61/s)  LR: 1e-05  Data: "
        "0.900 (0.900)\n";
    for (int both = 0; both < 2; both++) {
        struct dlq_error error;
        enum dlq_status status;
        struct dlq_trace_facts facts;
        const size_t size = both ? sizeof text - 1 : (size_t)(strstr(text, "Train") - text);
        OWN_TRACE *trace = read_bytes((struct dlq_trace_options){0}, "a.log", text, size, &status, &error);
        CHECK(trace != NULL, "%s", error.text);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK_TEXT(facts.format, "pytorch-imagenet");
        CHECK_TEXT(facts.doubts,
                   both ? "the log has lines of timm, too, which are not read: --format timm reads these\n" : "");
    }
}

TEST_SUITE(formats, CASE(two_formats), CASE(says_what_was_printed), CASE(is_known_from_all_others),
           CASE(takes_anything), CASE(takes_every_cut), CASE(names), CASE(rows), CASE(probes));
