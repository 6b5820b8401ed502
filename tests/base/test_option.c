/* Option rows: values read, printed and refused; unknown sections and keys. */
#include "base/option.h"
#include "harness.h"

#include <stddef.h>

struct pipeline {
    const char *name;
    int loader;
    long loaders, window;
    bool persistent;
    double utilization;
};

struct load {
    double mean, cv;
    long stages;
};

struct simulate {
    uint64_t seed;
    struct dlq_range axis;
    double horizon;
};

static const char *const loader_words[] = {"pytorch", "tfdata", "dali", NULL};
static const char *const window_words[] = {"unbounded", "automatic", NULL};

static const struct dlq_option pipeline_options[] = {
    DLQ_TEXT_ROW("name", offsetof(struct pipeline, name), NULL),
    DLQ_WORD_ROW("loader", loader_words, "tfdata", offsetof(struct pipeline, loader), NULL),
    DLQ_COUNT_ROW("loaders", 0, 4096, "8", NULL, offsetof(struct pipeline, loaders), NULL),
    DLQ_COUNT_ROW("window", 1, 1e6, NULL, window_words, offsetof(struct pipeline, window), NULL),
    DLQ_FLAG_ROW("persistent", "no", offsetof(struct pipeline, persistent), NULL),
    DLQ_QUANTITY_ROW("utilization", DLQ_UNIT_SHARE, 0, 1, "95%", offsetof(struct pipeline, utilization), NULL),
};
static const struct dlq_option load_options[] = {
    DLQ_QUANTITY_ROW("mean", DLQ_UNIT_TIME, 0, 0, NULL, offsetof(struct load, mean), NULL),
    DLQ_QUANTITY_ROW("cv", DLQ_UNIT_FACTOR, 0, 10, "0", offsetof(struct load, cv), NULL),
    DLQ_COUNT_ROW("stages", 0, 0, NULL, NULL, offsetof(struct load, stages), NULL),
};
static const struct dlq_option simulate_options[] = {
    {.key = "seed", .kind = DLQ_KIND_SEED, .standard = "1", .offset = offsetof(struct simulate, seed)},
    {"axis", DLQ_KIND_RANGE, DLQ_UNIT_COUNT, 1, 64, NULL, NULL, NULL, offsetof(struct simulate, axis), NULL},
    DLQ_QUANTITY_ROW("horizon", DLQ_UNIT_TIME, 1e-3, 1e6, NULL, offsetof(struct simulate, horizon), NULL),
};

#define ROWS(rows) rows, sizeof(rows) / sizeof(rows)[0]

static const struct dlq_section sections[] = {
    {"pipeline", "", ROWS(pipeline_options), false, false},
    {"load", "", ROWS(load_options), true, false},
    {"step", "", ROWS(load_options), true, false},
    {"simulate", "", ROWS(simulate_options), false, false},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static const struct dlq_foreign foreign[] = {
    {"num_workers", "loaders", NULL},
    {"std", "cv", "sd / mean"},
    {"queue_depth", "window", NULL},
    {NULL, NULL, NULL},
};

static const struct dlq_option *find(const char *section, const char *key)
{
    return dlq_option_find(dlq_section_find(sections, SECTIONS, section), key);
}

static void finds_sections(void)
{
    static const struct {
        const char *name, *want;
    } cases[] = {
        {"pipeline", "pipeline"},
        {"load", "load"},
        {"load.read", "load"},
        {"step.a-B", "step"},
        {"load.", NULL},
        {"pipeline.x", NULL},
        {"loa", NULL},
        {"", NULL},
        {"load.a b", NULL},
        {"load.aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeee", "load"},
        {"load.aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeee", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct dlq_section *section = dlq_section_find(sections, SECTIONS, cases[i].name);
        CHECK(cases[i].want == NULL ? section == NULL : section != NULL && strcmp(section->name, cases[i].want) == 0,
              "'%s'", cases[i].name);
    }
    CHECK(find("load", "mean") == &load_options[0], "[load] mean");
    CHECK(find("load", "Mean") == NULL, "keys are exact");
}

/* Checks one entry; true with `reason` empty where it is good. */
static bool is_good(const char *section, const char *key, const char *value, char *reason, size_t size)
{
    OWN(dlq_entries) entries = {0};
    struct dlq_error error = {0};
    struct dlq_entry *entry = dlq_entries_add(&entries, section, key, value, "a.ini", 12);
    enum dlq_status status = dlq_option_check(sections, SECTIONS, foreign, entry, &error);
    CHECK((status == DLQ_OK) == (error.count == 0), "[%s] %s: status %d, %d errors", section, key, (int)status,
          error.count);
    CHECK(entry->bad == (status != DLQ_OK), "[%s] %s: bad is %d", section, key, (int)entry->bad);
    CHECK(status == DLQ_OK || status == DLQ_INVALID, "[%s] %s: status %d", section, key, (int)status);
    snprintf(reason, size, "%.*s", (int)size - 1, error.text);
    return status == DLQ_OK;
}

static void refuses(void)
{
    static const struct {
        const char *section, *key, *value, *want;
    } cases[] = {
        {"pipline", "loaders", "8", "a.ini:12: [pipline] loaders: unknown section; did you mean [pipeline]?"},
        {"pipeline.x", "loaders", "8",
         "a.ini:12: [pipeline.x] loaders: unknown section; did you mean 'loaders' in [pipeline]?"},
        {"pipeline.x", "nonsense", "8", "a.ini:12: [pipeline.x] nonsense: unknown section; did you mean [pipeline]?"},
        {"load.a b", "mean", "8", "a.ini:12: [load.a b] mean: unknown section; parts are named as in [load.read]"},
        {"laod.read", "mean", "8", "a.ini:12: [laod.read] mean: unknown section; parts are named as in [load.read]"},
        {"pipeline", "laoders", "8", "a.ini:12: [pipeline] laoders: unknown key 'laoders'; did you mean 'loaders'?"},
        {"pipeline", "zebra", "8", "a.ini:12: [pipeline] zebra: unknown key 'zebra'"},
        {"pipeline", "k\xA0", "8", "a.ini:12: [pipeline] k\\xA0: unknown key 'k\\xA0'"},
        {"pipeline", "seed", "8", "a.ini:12: [pipeline] seed: 'seed' belongs to [simulate]"},
        {"simulate", "mean", "8", "a.ini:12: [simulate] mean: 'mean' belongs to [load] or [step]"},
        {"pipeline", "num_workers", "8", "a.ini:12: [pipeline] num_workers: num_workers is called 'loaders' here"},
        {"load.read", "num_workers", "8",
         "a.ini:12: [load.read] num_workers: num_workers is called 'loaders' here, in [pipeline]"},
        {"load", "std", "8", "a.ini:12: [load] std: std is called 'cv' here: sd / mean"},
        {"pipeline", "std", "8", "a.ini:12: [pipeline] std: std is called 'cv' here, in [load] or [step]: sd / mean"},
        {"load", "mean", "70 parsecs", "a.ini:12: [load] mean: '70 parsecs' is not a time (expected e.g. 700ms, 2s)"},
        {"load", "mean", " ", "a.ini:12: [load] mean: no value"},
        {"pipeline", "loaders", "5000", "a.ini:12: [pipeline] loaders: 5000 is not in 0..4096"},
        {"pipeline", "loaders", "-1",
         "a.ini:12: [pipeline] loaders: '-1' is negative (expected a whole number, e.g. 8, 1e6)"},
        {"pipeline", "window", "0",
         "a.ini:12: [pipeline] window: 0 is not in 1..1000000; or write unbounded, automatic"},
        {"pipeline", "utilization", "95",
         "a.ini:12: [pipeline] utilization: 9500% is not in 0%..100%; did you mean 95%?"},
        {"pipeline", "loader", "pytroch",
         "a.ini:12: [pipeline] loader: 'pytroch' is unknown; did you mean 'pytorch'? (expected pytorch, tfdata, "
         "dali)"},
        {"pipeline", "name", "K\xFChler",
         "a.ini:12: [pipeline] name: text is not valid UTF-8 without control characters"},
        {"pipeline", "name", "a\nb", "a.ini:12: [pipeline] name: text is not valid UTF-8 without control characters"},
        {"pipeline", "name", "run #2",
         "a.ini:12: [pipeline] name: text must not hold ';' or '#' behind a blank: a comment begins there"},
        {"simulate", "axis", "1..65", "a.ini:12: [simulate] axis: 65 is not in 1..64"},
        {"simulate", "horizon", "0", "a.ini:12: [simulate] horizon: 0 is not in 1ms..1000000s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char reason[1024];
        CHECK(!is_good(cases[i].section, cases[i].key, cases[i].value, reason, sizeof reason), "[%s] %s = %s",
              cases[i].section, cases[i].key, cases[i].value);
        CHECK_TEXT(reason, cases[i].want);
    }
}

static void limits_texts(void)
{
    char text[302];
    char reason[1024];
    memset(text, 'n', sizeof text - 1);
    text[301] = '\0';
    CHECK(!is_good("pipeline", "name", text, reason, sizeof reason), "301 bytes");
    CHECK_TEXT(reason, "a.ini:12: [pipeline] name: text of 301 bytes is too long (at most 300)");
    text[300] = '\0';
    CHECK(is_good("pipeline", "name", text, reason, sizeof reason), "%s", reason);
    /* Names that no table holds must not overrun anything. */
    CHECK(!is_good(text, text, text, reason, sizeof reason), "a long section");
    CHECK(!is_good("pipeline", text, text, reason, sizeof reason), "a long key");
    CHECK(!is_good("pipeline", "loader", text, reason, sizeof reason), "a long word");
}

static void applies_defaults_then_entries(void)
{
    OWN(dlq_entries) entries = {0};
    struct pipeline pipeline = {.window = 99, .name = "left over"};
    dlq_options_apply(&sections[0], "pipeline", &entries, &pipeline);
    CHECK(pipeline.name == NULL && pipeline.loader == 1 && pipeline.loaders == 8 && pipeline.window == 0 &&
              !pipeline.persistent && pipeline.utilization == 0.95,
          "defaults: %d %ld %ld %g", pipeline.loader, pipeline.loaders, pipeline.window, pipeline.utilization);
    dlq_entries_add(&entries, "pipeline", "loaders", "3", "a.ini", 1);
    dlq_entries_add(&entries, "pipeline", "window", "automatic", "a.ini", 2);
    dlq_entries_add(&entries, "pipeline", "name", "x", "a.ini", 3);
    dlq_entries_add(&entries, "pipeline", "persistent", "yes", "a.ini", 4);
    dlq_entries_add(&entries, "pipeline", "loaders", "12", "--set #1", 0);
    dlq_entries_add(&entries, "pipeline", "loaders", "oops", "--set #2", 0)->bad = true;
    dlq_entries_add(&entries, "pipeline", "unknown", "1", "--set #3", 0)->bad = true;
    dlq_options_apply(&sections[0], "pipeline", &entries, &pipeline);
    CHECK_INT(pipeline.loaders, 12);
    CHECK_INT(pipeline.window, -2);
    CHECK_TEXT(pipeline.name, "x");
    CHECK(pipeline.persistent, "persistent");
}

static void tells_parts_of_a_section_apart(void)
{
    OWN(dlq_entries) entries = {0};
    struct load load = {0};
    dlq_entries_add(&entries, "load", "mean", "1s", "a.ini", 1);
    dlq_entries_add(&entries, "load.read", "mean", "700ms", "a.ini", 2);
    dlq_entries_add(&entries, "step", "cv", "3", "a.ini", 3);
    dlq_options_apply(&sections[1], "load.read", &entries, &load);
    CHECK(load.mean == 0.7 && load.cv == 0, "load.read: %g %g", load.mean, load.cv);
    dlq_options_apply(&sections[1], "load.decode", &entries, &load);
    CHECK(isnan(load.mean), "no default: %g", load.mean);
}

/* What is accepted, and as what it is printed. */
static void prints_canonically(void)
{
    static const struct {
        const char *section, *key, *value, *want; /* value null: none is given */
    } cases[] = {
        {"pipeline", "name", "a  b \xE2\x80\x93 c; d", "a  b \xE2\x80\x93 c; d"},
        {"pipeline", "loader", "dali", "dali"},
        {"pipeline", "loaders", "4096", "4096"},
        {"pipeline", "window", "unbounded", "unbounded"},
        {"pipeline", "window", "automatic", "automatic"},
        {"pipeline", "window", "1e3", "1000"},
        {"pipeline", "persistent", "yes", "yes"},
        {"pipeline", "utilization", "0.875", "87.5%"},
        {"load", "mean", "0.7 s", "700ms"},
        {"load.read", "mean", "1000000d", "1000000d"},
        {"simulate", "seed", "18446744073709551615", "18446744073709551615"},
        {"simulate", "axis", "1 .. 9 step 2", "1..9 step 2"},
        {"simulate", "axis", "1..64 in 7 log", "1..64 in 7 log"},
        {"pipeline", "name", NULL, ""},
        {"load", "mean", NULL, ""},
        {"simulate", "axis", NULL, ""},
        {"simulate", "horizon", NULL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        union {
            struct pipeline pipeline;
            struct load load;
            struct simulate simulate;
        } target;
        char text[2048] = "x", reason[1024] = "";
        OWN(dlq_entries) entries = {0};
        CHECK(cases[i].value == NULL || is_good(cases[i].section, cases[i].key, cases[i].value, reason, sizeof reason),
              "%s", reason);
        const struct dlq_section *section = dlq_section_find(sections, SECTIONS, cases[i].section);
        if (cases[i].value != NULL)
            dlq_entries_add(&entries, cases[i].section, cases[i].key, cases[i].value, "a.ini", 1);
        dlq_options_apply(section, cases[i].section, &entries, &target);
        dlq_option_print(find(cases[i].section, cases[i].key), &target, text, sizeof text);
        CHECK_TEXT(text, cases[i].want);
    }
}

static void finds_the_nearest(void)
{
    static const char *const names[] = {"loaders", "loader", "prefetch",  "window", "batch_size",
                                        "sd",      "cv",     "lognormal", "au",     NULL};
    static const struct {
        const char *name, *want;
    } cases[] = {
        {"laoders", "loaders"},
        {"loader", "loader"},
        {"pre_fetch", "prefetch"},
        {"batchsize", "batch_size"},
        {"lognorm", "lognormal"},
        {"c", NULL},
        {"cw", "cv"},
        {"xy", NULL},
        {"", NULL},
        {"wnidow", "window"},
        {"wndwio", NULL},
        {"an_unknown_name_that_is_much_longer_than_all_of_ours", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = dlq_nearest(cases[i].name, names);
        CHECK(got == NULL ? cases[i].want == NULL : cases[i].want != NULL && strcmp(got, cases[i].want) == 0,
              "'%s': '%s'", cases[i].name, got != NULL ? got : "(none)");
    }
    CHECK(dlq_nearest("loaders", &names[9]) == NULL, "no names at all");
}

TEST_SUITE(option, CASE(finds_sections), CASE(refuses), CASE(limits_texts), CASE(applies_defaults_then_entries),
           CASE(tells_parts_of_a_section_apart), CASE(prints_canonically), CASE(finds_the_nearest));
