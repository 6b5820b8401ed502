#include "harness.h"

#include "draw/glyph.h"

static void test_width(void)
{
    static const struct {
        const char *text;
        double width; /* in em, DejaVu Sans 2.37 */
    } cases[] = {{"", 0}, {"e", 0.62}, {"MMMM", 3.44}, {"i", 0.28}, {" ", 0.32}, {"12.5", 2.24}, {"\xc2\xb7", 0.32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_ABS(dlq_glyph_width(cases[i].text, strlen(cases[i].text), 100), 100 * cases[i].width, 0.01);
    CHECK_REL(dlq_glyph_width("MMMM", 2, 100), 172, 1e-9);
    CHECK(dlq_glyph_width("\xe6\x97\xa5", 3, 20) >= 20, "a wide letter");
    CHECK(dlq_glyph_width("\xff", 1, 20) > 0, "a stray byte");
}

static void test_wrap(void)
{
    static const struct {
        const char *text;
        double width; /* in em */
        size_t most, count;
        const char *lines[4];
    } cases[] = {
        {"all on one line", 20, 2, 1, {"all on one line"}},
        {"broken at a blank here", 8, 3, 2, {"broken at a", "blank here"}},
        {"one \xc2\xb7 two three \xc2\xb7 four", 8.5, 2, 2, {"one \xc2\xb7 two three", "four"}},
        {"a\nb\n\nc", 20, 5, 4, {"a", "b", "", "c"}},
        {"cut off where there is no room", 6, 1, 1, {"cut off wh\xe2\x80\xa6"}},
        {"abcdefghijkl", 3, 4, 3, {"abcd", "efghij", "kl"}},
        {"first\nsecond", 20, 1, 1, {"first\xe2\x80\xa6"}},
        {"trailing\n", 20, 1, 1, {"trailing"}},
        {"", 20, 2, 0, {NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_lines lines;
        dlq_lines_wrap(&lines, cases[i].text, 100, 100 * cases[i].width, cases[i].most);
        CHECK(lines.count == cases[i].count, "case %zu: %zu lines", i, lines.count);
        for (size_t k = 0; k < lines.count && k < cases[i].count; k++)
            CHECK_TEXT(lines.line[k], cases[i].lines[k]);
    }
    struct dlq_lines none;
    dlq_lines_wrap(&none, NULL, 100, 100, 2);
    CHECK_INT(none.count, 0);
}

/* No line is wider than asked, no byte but blanks and separators is lost, no code point is cut. */
static void test_wrap_keeps(void)
{
    static const char text[] = "load 1.38 s (lognormal, cv 0.02; 256 samples of 5.4 ms) \xc2\xb7 step 104 ms \xc2\xb7 "
                               "\xc3\xbc\xc3\xb6\xc3\xa4\xe2\x86\x92\xe2\x86\x92\xe2\x86\x92\xe2\x86\x92 seed 1";
    for (int step = 0; step < 130; step++) {
        double width = 12 + 0.37 * step;
        struct dlq_lines lines;
        size_t letters = 0;
        dlq_lines_wrap(&lines, text, 20, 20 * width, DLQ_LINES);
        for (size_t i = 0; i < lines.count; i++) {
            CHECK(dlq_glyph_width(lines.line[i], strlen(lines.line[i]), 20) <= 20 * width, "width %g: '%s'", width,
                  lines.line[i]);
            CHECK(((unsigned char)lines.line[i][0] & 0xc0) != 0x80, "width %g: a cut code point", width);
            for (const char *c = lines.line[i]; *c != '\0'; c++)
                letters += *c != ' ' && (unsigned char)*c != 0xc2 && (unsigned char)*c != 0xb7;
        }
        size_t whole = 0;
        for (const char *c = text; *c != '\0'; c++)
            whole += *c != ' ' && (unsigned char)*c != 0xc2 && (unsigned char)*c != 0xb7;
        CHECK(letters == whole, "width %g: %zu of %zu letters", width, letters, whole);
    }
}

static void test_long_line(void)
{
    static char text[20000];
    struct dlq_lines lines;
    memset(text, 'i', sizeof text - 1);
    dlq_lines_wrap(&lines, text, 1, 1e9, 1);
    CHECK_INT(lines.count, 1);
    CHECK(strlen(lines.line[0]) < DLQ_LINE_BYTES, "%zu bytes", strlen(lines.line[0]));
}

static const struct test_case cases[] = {
    {"widths", test_width},
    {"wrapping", test_wrap},
    {"wrapping loses nothing", test_wrap_keeps},
    {"a long line", test_long_line},
    {NULL, NULL},
};
const struct test_suite suite_glyph = {"glyph", cases};
