#include "harness.h"
#include "report/phrase.h"

/* What does not fit is cut, no character in the middle. */
static void test_cut(void)
{
    static const struct {
        size_t size;
        const char *parts[2], *text;
    } rows[] = {
        {20, {"one", "two"}, "one, two"},
        {7, {"one", "two"}, "one, t"},
        {4, {"abc", NULL}, "abc"},
        {5, {"ab\xc3\xa9", NULL}, "ab\xc3\xa9"},
        {4, {"ab\xc3\xa9", NULL}, "ab"},
        {4, {"\xe2\x82\xac", NULL}, "\xe2\x82\xac"},
        {3, {"\xe2\x82\xac", NULL}, ""},
        {6, {"a\xf0\x9f\x98\x80", NULL}, "a\xf0\x9f\x98\x80"},
        {5, {"a\xf0\x9f\x98\x80", NULL}, "a"},
        {4, {"\x80\x80\x80\x80", NULL}, "\x80\x80\x80"}, /* a name that is no UTF-8 */
        {1, {"abc", NULL}, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32] = "";
        struct dlq_phrase phrase = {.text = text, .size = rows[i].size, .separator = ", "};
        for (size_t k = 0; k < 2 && rows[i].parts[k] != NULL; k++)
            dlq_phrase_add(&phrase, "%s", rows[i].parts[k]);
        CHECK_TEXT(text, rows[i].text);
        CHECK_INT(phrase.used, strlen(rows[i].text));
    }
}

TEST_SUITE(phrase, CASE(test_cut));
