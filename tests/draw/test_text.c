#include "harness.h"

#include "draw/text.h"

#include <stdlib.h>

static void test_width(void)
{
    static const struct {
        const char *text;
        int width;
    } cases[] = {{"", 0},         {"abc", 3},     {"\xc2\xb5s", 2}, {"\xe2\x86\x92", 1}, {"\xf0\x9f\x98\x80x", 2},
                 {"\xff\xfe", 2}, {"\xe2\x86", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int got = dlq_text_width(cases[i].text);
        CHECK(got == cases[i].width, "case %zu: %d, expected %d", i, got, cases[i].width);
    }
}

static void test_wrap(void)
{
    static const struct {
        const char *text;
        int indent, width;
        const char *lines;
    } cases[] = {
        {"", 2, 20, ""},
        {"one two three", 0, 7, "one two\nthree\n"},
        {"one two three", 0, 6, "one\ntwo\nthree\n"},
        {"one two three", 2, 9, "  one two\n  three\n"},
        {"one two three", 2, 8, "  one\n  two\n  three\n"},
        {"  much   blank  ", 1, 40, " much blank\n"},
        {"a\nb c\n\nd\n", 1, 40, " a\n b c\n\n d\n"},
        {"incomprehensibilities go", 2, 5, "  incomprehensibilities\n  go\n"},
        {"\xc2\xb5\xc2\xb5 \xe2\x86\x92\xe2\x86\x92", 0, 5, "\xc2\xb5\xc2\xb5 \xe2\x86\x92\xe2\x86\x92\n"},
        {"a b", 0, -1, "a\nb\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED char *got = NULL;
        size_t size;
        FILE *stream = open_memstream(&got, &size);
        dlq_text_wrap(stream, cases[i].text, cases[i].indent, cases[i].width);
        fclose(stream);
        CHECK(strcmp(got, cases[i].lines) == 0, "case %zu: '%s', expected '%s'", i, got, cases[i].lines);
    }
}

/* Bold is around it all; an item's further lines begin below the first's text. */
static void test_wrap_more(void)
{
    FREED char *got = NULL;
    size_t size;
    FILE *stream = open_memstream(&got, &size);
    dlq_text_bold(stream, true, "%d %%", 7);
    dlq_text_bold(stream, false, "%d %%", 7);
    dlq_text_wrap_bold(stream, true, "one two", 1, 4);
    dlq_text_wrap_bold(stream, false, "one two", 1, 4);
    dlq_text_wrap_item(stream, "  - ", "one two three\nfour", 11);
    dlq_text_wrap_item(stream, "\xc2\xb5 ", "a b", 3);
    /* Too little room beside a wide lead: below it. */
    dlq_text_wrap_item(stream, "  twenty letters and more  ", "one two three four five six", 40);
    dlq_text_wrap_item(stream, "  twenty letters and more  ", "one two three", 40);
    dlq_text_answer(stream, true, "yes");
    dlq_text_answer(stream, true, "");
    fclose(stream);
    CHECK_TEXT(got, "\033[1m7 %\033[0m7 %\033[1m one\n two\n\033[0m one\n two\n"
                    "  - one two\n    three\n    four\n"
                    "\xc2\xb5 a\n  b\n"
                    "  twenty letters and more\n      one two three four five six\n"
                    "  twenty letters and more  one two three\n"
                    "\033[1m  yes\n\033[0m\n");
}

/* What reports have beside ASCII; all else is of names and paths, and stays. A heading keeps its place. */
static void test_ascii(void)
{
    FREED char *got = NULL;
    size_t size;
    FILE *to = open_memstream(&got, &size), *stream = dlq_text_ascii(to);
    fputs("a · 9 ± 1 ·\n· Größe\n", stream);
    fputs("plots/a·b–c’s ±2…-report.html\n", stream);
    fputs("  gain    ±\n   9.8  0.1\n  ±  more\n", stream);
    fclose(stream);
    fclose(to);
    CHECK_TEXT(got, "a - 9 +- 1 -\n- Größe\nplots/a·b–c’s ±2…-report.html\n  gain   +-\n   9.8  0.1\n +-  more\n");
}

/* Text in memory. That it tells where there was none: tests/cli/test_faults_calls.c. */
static void test_memory(void)
{
    static const size_t lengths[] = {0, 1, 4095, 4096, 4097, 8191, 8192, 100000, 3000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct dlq_memory memory;
        CHECK(dlq_memory_begin(&memory), "no memory");
        for (size_t k = 0; k < lengths[i]; k++)
            fputc((int)('a' + k % 26), memory.stream);
        fflush(memory.stream);
        FREED char *text = dlq_memory_end(&memory);
        bool same = text != NULL && memory.size == lengths[i] && strlen(text) == lengths[i];
        for (size_t k = 0; same && k < lengths[i]; k++)
            same = text[k] == (char)('a' + k % 26);
        CHECK(same, "%zu bytes: %zu", lengths[i], memory.size);
        CHECK(!memory.lost, "nothing is lost");
    }
    struct dlq_memory part;
    CHECK(dlq_memory_begin(&part), "no memory");
    part.lost = true;
    CHECK(dlq_memory_end(&part) == NULL && part.text == NULL, "a part is taken for the whole");
}

TEST_SUITE(text, CASE(test_width), CASE(test_wrap), CASE(test_wrap_more), CASE(test_ascii), CASE(test_memory));
