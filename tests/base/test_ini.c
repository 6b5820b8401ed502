/* Configurations read, and every way in which they can be malformed. */
#include "base/option.h"
#include "harness.h"

#include <stdlib.h>

struct result {
    struct dlq_entries entries;
    struct dlq_error error;
    enum dlq_status status;
};

/* Adds to what `result` holds. */
static void read_into(struct result *result, const char *name, const char *bytes, size_t length)
{
    FILE *stream = tmpfile();
    CHECK(stream != NULL, "no temporary file");
    bool written = fwrite(bytes, 1, length, stream) == length;
    CHECK(written, "can't write %zu bytes", length);
    rewind(stream);
    result->status = dlq_ini_read(&result->entries, name, stream, &result->error);
    fclose(stream);
}

static struct result read_bytes(const char *bytes, size_t length)
{
    struct result result = {0};
    read_into(&result, "a.ini", bytes, length);
    return result;
}

/* "section.key=value@line|..." */
static void describe(const struct dlq_entries *entries, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < entries->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s.%s=%s@%ld", i > 0 ? "|" : "", entries->rows[i].section,
                                 entries->rows[i].key, entries->rows[i].value, entries->rows[i].line);
}

struct ini_case {
    const char *bytes;
    size_t length;
    const char *entries; /* as described */
    const char *errors;  /* all of them, exactly */
};

#define BYTES(text) text, sizeof(text) - 1
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define A44 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SECTION_HINT " (expected e.g. [load] or [load.read], in lower case)"

static void check_all(const struct ini_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[2048];
        struct result result = read_bytes(cases[i].bytes, cases[i].length);
        describe(&result.entries, text, sizeof text);
        CHECK(strcmp(text, cases[i].entries) == 0, "case %zu: entries '%s', expected '%s'", i, text, cases[i].entries);
        CHECK(strcmp(result.error.text, cases[i].errors) == 0, "case %zu: errors '%s', expected '%s'", i,
              result.error.text, cases[i].errors);
        CHECK(result.status == (cases[i].errors[0] == '\0' ? DLQ_OK : DLQ_INVALID), "case %zu: status %d", i,
              (int)result.status);
        dlq_entries_free(&result.entries);
    }
}

static void reads_settings(void)
{
    static const struct ini_case cases[] = {
        {BYTES(""), "", ""},
        {BYTES("\n\n; c\n# c\n"), "", ""},
        {BYTES("[a]\nk=1\n"), "a.k=1@2", ""},
        {BYTES("\xEF\xBB\xBF[a]\r\nk = 1\r\n"), "a.k=1@2", ""},
        {BYTES("[a]\nk=1 ; c\nl=2 # c\nm=3\t;c\n"), "a.k=1@2|a.l=2@3|a.m=3@4", ""},
        {BYTES("[a] ; c\nk=1;c\nl=#1\n"), "a.k=1;c@2|a.l=#1@3", ""},
        {BYTES("[a]\nk=1\n  z=2\n\tb = 3\n  [c]\n  d=4\n"), "a.k=1@2|a.z=2@3|a.b=3@4|c.d=4@6", ""},
        {BYTES("[a]\nk=1\n[b]\nk=1\n[a]\nl=2\n"), "a.k=1@2|b.k=1@4|a.l=2@6", ""},
        {BYTES("[load.NVMe-2]\nk = v = w:x\n"), "load.NVMe-2.k=v = w:x@2", ""},
        {BYTES("[a]\nk = caf\xC3\xA9 \xFF\n"), "a.k=caf\xC3\xA9 \xFF@2", ""},
        {BYTES("[a]\n; " HUNDRED HUNDRED HUNDRED " k2 = 5\nk=1 ; " HUNDRED HUNDRED " z = 2\nm=3\n"), "a.k=1@3|a.m=3@4",
         ""},
        {BYTES("[a]\nk=" HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN "12345678\n"),
         "a.k=" HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN "12345678@2", ""},
        {BYTES("[a" A44 "123]\nk=1\n"), "a" A44 "123.k=1@2", ""},
    };
    check_all(cases, sizeof cases / sizeof cases[0]);
}

static void refuses_lines(void)
{
    static const struct ini_case cases[] = {
        {BYTES("[a]\nk=" HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN "123456789\nl=2\n"), "a.l=2@3",
         "a.ini:2: line is longer than 190 bytes (comment not counted)"},
        {BYTES("[a]\nk=1\nk=2\n  k = 3\n"), "a.k=1@2",
         "a.ini:3: [a] k: repeated (already on line 2)\na.ini:4: [a] k: repeated (already on line 2)"},
        {BYTES("[a]\nk=\nl = ; c\nm=1\n"), "a.m=1@4",
         "a.ini:2: k: no value behind '='\na.ini:3: l: no value behind '='"},
        {BYTES("[a]\n=5\n:6\n"), "",
         "a.ini:2: no key before '='\na.ini:3: ':6' is not a setting (expected key = value)"},
        {BYTES("[a]\nk:1\na:b = c\n"), "",
         "a.ini:2: 'k:1' is not a setting (expected key = value)\n"
         "a.ini:3: key 'a:b' is malformed (keys are lower-case letters, digits and _)"},
        {BYTES("[a]\npath C:\\x = 5\n"), "",
         "a.ini:2: key 'path C:\\x' is malformed (keys are lower-case letters, digits and _)"},
        {BYTES("[a]\nk\xC2\xA0= 1\n\xA0=2\nK=3\n"), "",
         "a.ini:2: key 'k\\xC2\\xA0' is malformed (keys are lower-case letters, digits and _)\n"
         "a.ini:3: key '\\xA0' is malformed (keys are lower-case letters, digits and _)\n"
         "a.ini:4: key 'K' is malformed (keys are lower-case letters, digits and _)"},
        {BYTES("[a]\nk=1\nm\0=2\nl=2\n"), "a.k=1@2|a.l=2@4",
         "a.ini:3: holds NUL bytes: not a text file (UTF-16? save it as UTF-8)"},
        {BYTES("[a]\nk=1\rl=2\nm=\x1B[2J\n"), "",
         "a.ini:2: lone carriage return (lines end with \\n or \\r\\n)\na.ini:3: control character \\x1B"},
        {BYTES("[a]\rk=1\rl=2\r"), "", "a.ini:1: lone carriage return (lines end with \\n or \\r\\n)"},
        {BYTES("k=1\nl=2\n[a]\nm=3\n"), "a.m=3@4", "a.ini:1: 'k=1' stands before the first [section]"},
        {BYTES("rank,epoch\n0,0\n"), "",
         "a.ini:1: 'rank,epoch' stands before the first [section] (if this is a log: dlqueue diagnose, or report "
         "--log)"},
        {BYTES("\x1F\x8B\x08\0\0\n\x16\n"), "",
         "a.ini: is compressed, not a configuration (if this is a log: dlqueue diagnose, or report --log)"},
        {BYTES("[\n{\"ts\": 1}]\n[a]\nk=1\n"), "",
         "a.ini: looks like JSON, not a configuration (if this is a log: dlqueue diagnose, or report --log)"},
        {BYTES("version,seed,point\n0.3.0,1,0\n"), "",
         "a.ini: looks like CSV, not a configuration (if this is a log: dlqueue diagnose, or report --log; parts of a "
         "sweep: dlqueue sweep CONFIGURATION --join PARTS)"},
        {BYTES("[\0a\0]\0\n\0"), "", "a.ini:1: holds NUL bytes: not a text file (UTF-16? save it as UTF-8)"},
        {BYTES("\xFF\xFE[\0a\0]\0\n\0k\0=\0\x31\0\n\0"), "",
         "a.ini:1: holds NUL bytes: not a text file (UTF-16? save it as UTF-8)"},
    };
    check_all(cases, sizeof cases / sizeof cases[0]);
}

/* The keys behind a malformed section are passed over without a word. */
static void refuses_sections(void)
{
    static const struct {
        const char *head, *problem;
    } heads[] = {
        {"[b", "has no ']'"},
        {"[b]junk", "has text behind the ']'"},
        {"[]", "is malformed"},
        {"[ c ]", "is malformed"},
        {"[d]]", "is malformed"},
        {"[Load]", "is malformed"},
        {"[load.]", "is malformed"},
        {"[load.a.b]", "is malformed"},
        {"[l\xC3\xB6"
         "ad]",
         "is malformed"},
        {"[a" A44 "1234]", "is too long"},
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        char bytes[512];
        char errors[512];
        snprintf(bytes, sizeof bytes, "[a]\nk=1\n%s\nl=2\nhello\n[c]\nm=3\n", heads[i].head);
        snprintf(errors, sizeof errors, "a.ini:3: section '%s' %s" SECTION_HINT, heads[i].head, heads[i].problem);
        struct ini_case one = {bytes, strlen(bytes), "a.k=1@2|c.m=3@7", errors};
        check_all(&one, 1);
    }
}

static void overwrite(char *at, const char *text)
{
    while (*text != '\0')
        *at++ = *text++;
}

static void limits_length(void)
{
    enum { SIZE = (1 << 20) + 10 };
    FREED char *bytes = malloc(SIZE);
    CHECK(bytes != NULL, "no memory");
    if (bytes == NULL)
        return;
    memset(bytes, 'x', SIZE);
    overwrite(bytes, "[a]\nk=1\n[b");
    overwrite(bytes + 5000, "\nl=2\n[c]\nm=3\n");
    struct ini_case one = {bytes, 5013, "a.k=1@2|c.m=3@6", "a.ini:3: line is longer than 4096 bytes"};
    check_all(&one, 1);
    for (size_t i = 8; i < SIZE; i += 2)
        overwrite(bytes + i, ";\n");
    struct ini_case most = {bytes, 1 << 20, "a.k=1@2", ""};
    check_all(&most, 1);
    struct ini_case more = {bytes, SIZE, "a.k=1@2", "a.ini: too large for a configuration (at most 1 MiB)"};
    check_all(&more, 1);
}

static void limits_settings(void)
{
    enum { LINES = 80000 };
    FREED char *bytes = malloc((size_t)LINES * 16);
    CHECK(bytes != NULL, "no memory");
    if (bytes == NULL)
        return;
    size_t used = (size_t)sprintf(bytes, "[a]\n");
    for (int i = 0; i < LINES; i++)
        used += (size_t)sprintf(bytes + used, "k%d=1\n", i);
    struct result result = read_bytes(bytes, used);
    CHECK_INT(result.entries.count, 4096);
    CHECK_TEXT(result.error.text, "a.ini:4098: too many settings (at most 4096)");
    dlq_entries_free(&result.entries);
}

static void keeps_entries(void)
{
    struct dlq_entries entries = {0};
    char place[64];
    CHECK(dlq_entries_find(&entries, "load", "mean") == NULL, "found in nothing");
    for (int i = 0; i < 40; i++)
        CHECK(dlq_entries_add(&entries, "load", i % 2 == 0 ? "mean" : "cv", "1", "a.ini", i + 1) != NULL, "row %d", i);
    struct dlq_entry *added = dlq_entries_add(&entries, "load", "mean", "2s", "--set #2", 0);
    CHECK(added != NULL && !added->bad, "the last row");
    CHECK(dlq_entries_find(&entries, "load", "mean") == added, "the last one counts");
    CHECK_TEXT(dlq_entry_place(added, place, sizeof place), "--set #2");
    CHECK_TEXT(dlq_entry_place(dlq_entries_find(&entries, "load", "cv"), place, sizeof place), "a.ini:40");
    CHECK(dlq_entries_find(&entries, "load.read", "mean") == NULL, "another section");
    dlq_entries_free(&entries);
    CHECK(entries.rows == NULL && entries.count == 0, "freed");
    dlq_entries_free(&entries);
}

/* A key that another file set already is no repetition. */
static void reads_behind_others(void)
{
    struct result result = {0};
    dlq_entries_add(&result.entries, "a", "k", "0", "first.ini", 1);
    read_into(&result, "second.ini", BYTES("[a]\nk=7\n"));
    CHECK_INT(result.status, DLQ_OK);
    CHECK_TEXT(dlq_entries_find(&result.entries, "a", "k")->value, "7");
    CHECK_INT(result.entries.count, 2);
    dlq_entries_free(&result.entries);
}

TEST_SUITE(ini, CASE(reads_settings), CASE(refuses_lines), CASE(refuses_sections), CASE(limits_length),
           CASE(limits_settings), CASE(keeps_entries), CASE(reads_behind_others));
