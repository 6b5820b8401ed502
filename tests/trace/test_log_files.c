/* Logs as programs print them, one file each; what they say was worked out by hand. */
#include "log_files.h"

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
    {"lightning-reference.log", "lightning", 1, 1000, 1, 5, 12.345, 262.345},
    {"lightning-older.log", "lightning", 1, 500, 1, 4, 25, 100},
    {"megatron-reference.log", "megatron", 1, 10, 1, 3, 0.5678, 8.124},
    {"megatron-timers.log", "megatron", 3, 300, 1, 9, 18.5, 130},
    {"megatron-seconds.log", "megatron", 3, 300, 1, 0, 0, 3550},
    {"nemo-reference.log", "nemo", 2, 4, 1, 0, 0, 8.01},
    {"hf-trainer-reference.log", "hf-trainer", 1, 11787, 1, 1, 0, 703.2716},
    {"ratio-words.log", "ratio", 5, 5, 3, 2, 0.296, 1.858},
};

enum { LOGS = sizeof logs / sizeof *logs };

static void says_what_was_printed(void)
{
    for (size_t i = 0; i < LOGS; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        struct dlq_trace_facts facts;
        size_t length;
        char *text = load_log(logs[i].file, &length);
        CHECK(text != NULL, "%s is missing", logs[i].file);
        CHECK(read_bytes(&trace, NULL, 0, logs[i].file, text, length, &error) == DLQ_OK, "%s: %s", logs[i].file,
              error.text);
        free(text);
        if (trace == NULL)
            continue;
        struct log_sums sums = sums_of(trace);
        dlq_trace_facts(trace, &facts);
        CHECK_TEXT(facts.format, logs[i].format);
        CHECK(facts.records == logs[i].records, "%s: %ld records", logs[i].file, facts.records);
        CHECK(facts.ranks == logs[i].ranks, "%s: %zu ranks", logs[i].file, facts.ranks);
        CHECK(facts.other == logs[i].other, "%s: %ld other lines", logs[i].file, facts.other);
        CHECK(sums.iterations == logs[i].iterations, "%s: %ld iterations", logs[i].file, sums.iterations);
        CHECK(fabs(sums.data - logs[i].data) <= 1e-9 * logs[i].iter, "%s: data %.12g", logs[i].file, sums.data);
        CHECK_REL(sums.iter, logs[i].iter, 1e-9);
        dlq_trace_free(trace);
    }
}

/* Carriage returns alone end lines, where there are no others. */
static void has_old_line_ends(void)
{
    for (size_t i = 0; i < LOGS; i++) {
        size_t length;
        struct dlq_error error = {0};
        struct dlq_trace *trace = NULL;
        char *text = load_log(logs[i].file, &length);
        bool mixed = memchr(text, '\r', length) != NULL;
        for (size_t k = 0; k < length; k++)
            text[k] = text[k] == '\n' ? '\r' : text[k];
        enum dlq_status status = mixed ? DLQ_OK : read_bytes(&trace, NULL, 0, "old.log", text, length, &error);
        CHECK(status == DLQ_OK, "%s: %s", logs[i].file, error.text);
        CHECK(trace == NULL || sums_of(trace).iterations == logs[i].iterations, "%s: %ld iterations", logs[i].file,
              trace != NULL ? sums_of(trace).iterations : 0);
        dlq_trace_free(trace);
        free(text);
    }
}

/* Each by its own format, and by no other of another name. */
static void is_told_from_all_others(void)
{
    for (size_t i = 0; i < LOGS; i++) {
        const struct dlq_format *format;
        size_t length;
        char *text = load_log(logs[i].file, &length);
        int own = 0;
        for (size_t k = 0; (format = dlq_format_at(k)) != NULL; k++) {
            bool same = strcmp(format->name, logs[i].format) == 0;
            int sure = format->reader->probe(format, text, length);
            own += same && sure > 0;
            CHECK(same || sure == 0, "%s is taken for %s", logs[i].file, format->name);
        }
        CHECK(own == 1, "%s: %d rows of its own", logs[i].file, own);
        free(text);
    }
}

/* Behind a thousand lines of what else programs print, and cut in the middle of a line. */
static void is_told_late(void)
{
    static const char other[] = "Collecting torch==2.4.0 (797.2 MB) | time: lr: 0.1 [1/2] a/b\n";
    for (size_t i = 0; i < LOGS; i++) {
        size_t length;
        char *text = load_log(logs[i].file, &length);
        char *head = calloc(1, DLQ_LOG_HEAD + length);
        size_t at = 0;
        for (int line = 0; line < 900; line++, at += sizeof other - 1)
            memcpy(head + at, other, sizeof other - 1);
        memcpy(head + at, text, length);
        const struct dlq_format *format = dlq_format_probe(head, at + length);
        CHECK(format != NULL && strcmp(format->name, logs[i].format) == 0, "%s is taken for %s", logs[i].file,
              format != NULL ? format->name : "nothing");
        free(head);
        free(text);
    }
}

/* However a log is cut or spoiled, it is read or refused. */
static void takes_anything(void)
{
    unsigned long seed = 12345;
    int read = 0;
    for (size_t i = 0; i < LOGS; i++) {
        size_t length;
        char *text = load_log(logs[i].file, &length);
        for (int round = 0; round < 200 && length > 0; round++) {
            struct dlq_trace *trace;
            struct dlq_error error = {0};
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            size_t at = (seed >> 20) % length;
            char kept = text[at];
            text[at] = (char)(seed >> 56);
            size_t shown = round % 4 == 0 ? at + 1 : length;
            enum dlq_status status = read_bytes(&trace, logs[i].format, round % 8, "a.log", text, shown, &error);
            CHECK(status == DLQ_OK || status == DLQ_INVALID, "%s: status %d", logs[i].file, (int)status);
            CHECK((status == DLQ_OK) == (error.text[0] == '\0'), "%s: %s", logs[i].file, error.text);
            for (size_t k = 0; trace != NULL && k < trace->rank_count; k++)
                for (size_t b = 0; b < trace->ranks[k].count; b++, read++)
                    CHECK(!(trace->ranks[k].batches[b].data > trace->ranks[k].batches[b].iter) &&
                              !(trace->ranks[k].batches[b].data < 0),
                          "%s: data outside the iteration", logs[i].file);
            dlq_trace_free(trace);
            text[at] = kept;
        }
        free(text);
    }
    CHECK(read > 1000, "%d records", read);
}

static void names_both_forms(void)
{
    static const char *const files[] = {"mmengine-epochs.log", "mmengine-vis-data.log", "detectron2-text.log",
                                        "detectron2-metrics.log"};
    for (size_t i = 0; i < 4; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        size_t length;
        char *text = load_log(files[i], &length);
        CHECK_INT(read_bytes(&trace, i < 2 ? "mmengine" : "detectron2", 0, files[i], text, length, &error), DLQ_OK);
        if (trace != NULL)
            CHECK(trace->format->numbers == (i == 3 ? DLQ_NUMBERS_MEDIAN : DLQ_NUMBERS_MEAN), "%s", files[i]);
        dlq_trace_free(trace);
        free(text);
    }
    CHECK(dlq_format_named("mmengine", "", 0)->text != NULL, "the first row of that name");
    CHECK(dlq_format_named("mmengin", "", 0) == NULL, "no such format");
}

static const struct test_case cases[] = {
    {"says what was printed", says_what_was_printed},
    {"has old line ends", has_old_line_ends},
    {"is told from all others", is_told_from_all_others},
    {"is told late", is_told_late},
    {"takes anything", takes_anything},
    {"names both forms", names_both_forms},
    {NULL, NULL},
};

const struct test_suite suite_log_files = {"log_files", cases};
