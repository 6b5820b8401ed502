#include "harness.h"

#include "draw/text.h"

#include <stdlib.h>

typedef const char *writer(double value, int digits, char text[DLQ_TEXT_NUMBER]);

static void test_numbers(void)
{
    static const struct {
        writer *write;
        double value;
        int digits;
        const char *text;
    } cases[] = {
        {dlq_text_number, 1482.3, 4, "1,482"},
        {dlq_text_number, 1482.3, 2, "1,482"},
        {dlq_text_number, 2.385, 3, "2.38"},
        {dlq_text_number, 2.385, 9, "2.385"},
        {dlq_text_number, 2.1, 3, "2.1"},
        {dlq_text_number, 8, 3, "8"},
        {dlq_text_number, 9.996, 3, "10"},
        {dlq_text_number, 99.96, 4, "99.96"},
        {dlq_text_number, 0, 3, "0"},
        {dlq_text_number, -0.0, 3, "0"},
        {dlq_text_number, -1234567.89, 3, "-1,234,568"},
        {dlq_text_number, -123.456, 4, "-123.5"},
        {dlq_text_number, 999, 3, "999"},
        {dlq_text_number, 0.000123456, 3, "0.000123"},
        {dlq_text_number, 1.23456e-9, 3, "1.23e-09"},
        {dlq_text_number, 999999999999999, 3, "999,999,999,999,999"},
        {dlq_text_number, 1e15, 3, "1e+15"},
        {dlq_text_number, 1.7976931348623157e308, 3, "1.8e+308"},
        {dlq_text_number, 1.0 / 3, 99, "0.333333333333333"},
        {dlq_text_number, 1.0 / 3, -5, "0.3"},
        {dlq_text_number, NAN, 3, "-"},
        {dlq_text_number, INFINITY, 3, "unbounded"},
        {dlq_text_number, -INFINITY, 3, "-unbounded"},
        {dlq_text_time, 0.7, 3, "700 ms"},
        {dlq_text_time, 1.38123, 3, "1.38 s"},
        {dlq_text_time, NAN, 3, "-"},
        {dlq_text_size, 2.1e9, 3, "2.1 GB"},
        {dlq_text_size, INFINITY, 3, "unbounded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[DLQ_TEXT_NUMBER];
        const char *got = cases[i].write(cases[i].value, cases[i].digits, text);
        CHECK(got == text, "case %zu returns another text", i);
        CHECK(strcmp(got, cases[i].text) == 0, "case %zu: '%s', expected '%s'", i, got, cases[i].text);
    }
}

static void test_decimals(void)
{
    static const struct {
        double magnitude;
        int digits, decimals;
    } cases[] = {{2.385, 3, 2},  {9.996, 3, 1},   {9.994, 3, 2},  {123.4, 3, 0}, {98765, 2, 0}, {0.0712, 3, 4},
                 {0.0712, 1, 2}, {1e-300, 3, 15}, {1e300, 15, 0}, {0, 3, 2},     {1, 1000, 14}, {1, -1000, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int got = dlq_text_decimals(cases[i].magnitude, cases[i].digits);
        CHECK(got == cases[i].decimals, "case %zu: %d, expected %d", i, got, cases[i].decimals);
    }
}

static void test_fixed(void)
{
    static const struct {
        double value;
        int decimals;
        const char *text;
    } cases[] = {{1234.5, 2, "1,234.50"}, {-0.004, 2, "0.00"},        {-0.006, 2, "-0.01"},       {12, 0, "12"},
                 {123456, 0, "123,456"},  {-1234, 1, "-1,234.0"},     {1e15, 3, "1e+15"},         {NAN, 3, "-"},
                 {0.5, -3, "0"},          {999.9996, 3, "1,000.000"}, {123456789012345, 15, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[DLQ_TEXT_NUMBER];
        const char *got = dlq_text_fixed(cases[i].value, cases[i].decimals, text);
        if (cases[i].text != NULL)
            CHECK(strcmp(got, cases[i].text) == 0, "case %zu: '%s', expected '%s'", i, got, cases[i].text);
        else
            CHECK(strlen(got) == 19 + 1 + 15, "case %zu: '%s' fits", i, got);
    }
}

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
        char *got = NULL;
        size_t size;
        FILE *stream = open_memstream(&got, &size);
        dlq_text_wrap(stream, cases[i].text, cases[i].indent, cases[i].width);
        fclose(stream);
        CHECK(strcmp(got, cases[i].lines) == 0, "case %zu: '%s', expected '%s'", i, got, cases[i].lines);
        free(got);
    }
}

/* The style is around it all; an item's further lines begin below the first's text. */
static void test_wrap_more(void)
{
    char *got = NULL;
    size_t size;
    FILE *stream = open_memstream(&got, &size);
    dlq_text_wrap_styled(stream, true, DLQ_STYLE_BOLD, "one two", 1, 4);
    dlq_text_wrap_styled(stream, false, DLQ_STYLE_BOLD, "one two", 1, 4);
    dlq_text_wrap_item(stream, "  - ", "one two three\nfour", 11);
    dlq_text_wrap_item(stream, "\xc2\xb5 ", "a b", 3);
    fclose(stream);
    CHECK_TEXT(got, "\033[1m one\n two\n\033[0m one\n two\n"
                    "  - one two\n    three\n    four\n"
                    "\xc2\xb5 a\n  b\n");
    free(got);
}

static void test_styles(void)
{
    static const struct {
        bool color;
        enum dlq_style style;
        const char *text;
    } cases[] = {
        {false, DLQ_STYLE_RED, "7 %"},
        {true, DLQ_STYLE_PLAIN, "7 %"},
        {true, DLQ_STYLE_BOLD, "\033[1m7 %\033[0m"},
        {true, DLQ_STYLE_DIM, "\033[2m7 %\033[0m"},
        {true, DLQ_STYLE_RED, "\033[31m7 %\033[0m"},
        {true, DLQ_STYLE_GREEN, "\033[32m7 %\033[0m"},
        {true, DLQ_STYLE_YELLOW, "\033[33m7 %\033[0m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *got = NULL;
        size_t size;
        FILE *stream = open_memstream(&got, &size);
        dlq_text_styled(stream, cases[i].color, cases[i].style, "%d %%", 7);
        fclose(stream);
        CHECK_TEXT(got, cases[i].text);
        free(got);
    }
}

static const struct test_case cases[] = {
    {"numbers", test_numbers}, {"decimals", test_decimals},           {"fixed", test_fixed},   {"width", test_width},
    {"wrap", test_wrap},       {"wrapped with more", test_wrap_more}, {"styles", test_styles}, {NULL, NULL},
};

const struct test_suite suite_text = {"text", cases};
