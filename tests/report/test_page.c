/* The page's template and charts: nothing from outside becomes markup. */
#include "harness.h"

#include "report/page/page.h"

#include <stdlib.h>

static char *filled(const char *text, const json_t *slots, enum dlq_status expected)
{
    struct dlq_memory memory;
    struct dlq_error error = {0};
    if (!dlq_memory_begin(&memory))
        return NULL;
    CHECK(dlq_page_fill(memory.stream, text, slots, &error) == expected, "%s: %s", text, error.text);
    return dlq_memory_end(&memory);
}

static void check_filled(const char *text, const json_t *slots, const char *expected)
{
    FREED char *got = filled(text, slots, DLQ_OK);
    CHECK_TEXT(got, expected);
}

static void test_escapes(void)
{
    static const struct {
        const char *text, *as_text, *as_data;
    } rows[] = {
        {"plain", "plain", "plain"},
        {"</script><b>", "&lt;/script&gt;&lt;b&gt;", "\\u003c/script\\u003e\\u003cb\\u003e"},
        {"<!--", "&lt;!--", "\\u003c!--"},
        {"]]>", "]]&gt;", "]]\\u003e"},
        {"\"'", "&quot;&#39;", "\\\"'"},
        {"&amp;", "&amp;amp;", "\\u0026amp;"},
        {"\xe2\x80\xa8|\xe2\x80\xa9", "\xe2\x80\xa8|\xe2\x80\xa9", "\\u2028|\\u2029"},
        {"{{name}}", "{{name}}", "{{name}}"},
        {"a\x01z\x7f", "a\xef\xbf\xbdz\xef\xbf\xbd", NULL},
        {"\xff\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", NULL},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", NULL}, /* half of a pair */
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd", NULL},                 /* cut short */
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *slots =
            json_pack("{s:o, s:{s:o}}", "t", dlq_json_text(rows[i].text), "d", "d", dlq_json_text(rows[i].text));
        char expected[80];
        check_filled("{{t}}", slots, rows[i].as_text);
        snprintf(expected, sizeof expected, "{\"d\":\"%s\"}", rows[i].as_data);
        if (rows[i].as_data != NULL) {
            check_filled("{{d}}", slots, expected);
            check_filled("{{&t}}", slots, rows[i].text);
        }
        json_decref(slots);
    }
}

static void test_sections(void)
{
    json_t *slots = json_pack("{s:[{s:s}, {s:s}], s:[], s:s, s:n, s:[s, s], s:s}", "all", "x", "1", "x", "{{x}}",
                              "none", "x", "out", "y", "texts", "a", "<", "empty", "");
    check_filled("{{#all}}<{{x}}{{y}}>{{/all}}{{#none}}{{z}}{{#q}}{{/q}}{{/none}}{{x}}", slots, "<1><{{x}}>out");
    check_filled("{{#texts}}{{.}}{{x}};{{/texts}}{{#x}}{{x}}{{/x}}{{#empty}}{{x}}{{/empty}}", slots,
                 "aout;&lt;out;out");
    static const char *const wrong[] = {"{{z}}",   "{{x",      "{{#all}}",         "{{#y}}{{/y}}",
                                        "{{all}}", "{{/all}}", "{{#x}}{{/empty}}", "{{#none}}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        free(filled(wrong[i], slots, DLQ_FAILURE));
    json_decref(slots);
}

#define SVG(inside) "<?xml?><svg width=\"10\" viewBox=\"0 0 10.04 20\" onload='x()'>" inside "</svg>"

static void check_chart(const char *svg, const char *inside)
{
    char expected[1024];
    FREED char *got = dlq_page_chart_clean(svg, "name");
    snprintf(expected, sizeof expected, "<svg viewBox=\"0 0 10 20\" role=\"img\"><title>name</title>%s</svg>\n",
             inside);
    CHECK(got != NULL, "%s", svg);
    if (got == NULL)
        return;
    CHECK_TEXT(got, expected);
}

static void test_charts(void)
{
    check_chart(SVG("<title>t</title><desc>d</desc><defs><path id='a' d='M0,0'/></defs>"), "");
    check_chart(SVG("<g fill=\"none\" color=\"black\" stroke=\"currentColor\"><path d='M1.04,2 L3,4'/>\n<path "
                    "d='M5,6\nL7,8'/></g>"),
                "<g fill=\"none\" color=\"var(--ink)\" stroke=\"currentColor\"><path d=\"M1 2L3 4\"/><path d=\"M5 6L7 "
                "8\"/></g>");
    check_chart(SVG("<g stroke='none'><polygon fill = 'rgb(  0, 114, 178)' points = '1,9 5,9 5,2 1,2 '/></g>"),
                "<g stroke=\"none\"><polygon fill=\"var(--blue)\" points=\"1 9 5 9 5 2 1 2\"/></g>");
    check_chart(SVG("<g stroke='none'> </g><g><g stroke-linecap='butt'><line x1='1.04'/>"),
                "<g><g><line x1=\"1\"/></g></g>");
    check_chart(SVG("<g transform=\"translate(1.04,2)\" fill=\"#ffffff\" font-size=\"9.00\"><text><tspan>a &amp; "
                    "b</tspan></text></g>"),
                "<g transform=\"translate(1 2)\" fill=\"var(--paper)\" font-size=\"9\"><text>a &amp; b</text></g>");
    check_chart(SVG("<g style='filter:url(#textbox)'><text>a</text></g>"), "<g class=\"boxed\"><text>a</text></g>");
    check_chart(SVG("<g color='black'><use xlink:href='#gpPt6' transform='translate(3,4) scale(2.00)' "
                    "color='rgb(213,94,0)'/></g>"),
                "<g color=\"var(--ink)\"><circle transform=\"translate(3 4)scale(2)\" color=\"var(--red)\" r=\"1\" "
                "fill=\"currentColor\" stroke=\"none\"/></g>");
    /* What is no part of a chart is not in the page. */
    check_chart(SVG("<script>x()</script><a href='javascript:x()'></a><image xlink:href='x'/><foreignObject/>"), "");
    check_chart(SVG("<g onclick='x()' style='x' fill='url(javascript:x)'><rect x='1' y='2' width='3' height='4' "
                    "href='x'/></g>"),
                "<g fill=\"none\"><rect x=\"1\" y=\"2\" width=\"3\" height=\"4\"/></g>");
    CHECK(dlq_page_chart_clean("no picture", "name") == NULL, "no SVG");
    CHECK(dlq_page_chart_clean("<svg>", "name") == NULL, "no size");
}

TEST_SUITE(page, CASE(test_escapes), CASE(test_sections), CASE(test_charts));
