/* The table of formats: names, what else they are called, help. */
#include "logs.h"

static void names(void)
{
    static const struct {
        const char *wanted, *found, *error;
    } table[] = {
        {"ratio", "ratio", ""},
        {"data/iter", "ratio", ""},
        {"rato", NULL, "no log format is called 'rato'; did you mean ratio"},
        {"syslog-ng", NULL, "no log format is called 'syslog-ng'; dlqueue help formats lists them"},
        {"", NULL, "no log format is called ''; dlqueue help formats lists them"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        enum dlq_status status = read_text(&trace, table[i].wanted, 0, "a.log", "0.2/0.5\n", &error);
        CHECK_INT(status, table[i].found != NULL ? DLQ_OK : DLQ_INVALID);
        CHECK_TEXT(error.text, table[i].error);
        if (trace != NULL)
            CHECK_TEXT(trace->format->name, table[i].found);
        dlq_trace_free(trace);
    }
}

static void help(void)
{
    static const char *const needed[] = {"csv",         "ratio",    "pytorch-imagenet", "timm",
                                         "torchvision", "mmengine", "detectron2",       "maskrcnn-benchmark",
                                         "lightning",   "megatron", "chrome",           "dlio",
                                         "lotus"};
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        struct dlq_format_help row;
        bool found = false;
        for (size_t i = 0; dlq_format_help(i, &row); i++) {
            CHECK(row.written_by[0] != '\0' && row.meaning[0] != '\0', "%s says nothing", row.name);
            found = found || strcmp(row.name, needed[k]) == 0;
        }
        CHECK(found, "no row %s", needed[k]);
    }
}

static const struct test_case cases[] = {
    {"names", names},
    {"help", help},
    {NULL, NULL},
};

const struct test_suite suite_formats = {"formats", cases};
