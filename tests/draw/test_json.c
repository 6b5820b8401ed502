#include "draw/json.h"
#include "draw/tables.h"

#include <stdlib.h>

/* The JSON as written, to be freed; takes the reference. */
static char *text_of(json_t *json)
{
    char *text = NULL;
    size_t size;
    struct dlq_error error = {0};
    FILE *stream = open_memstream(&text, &size);
    enum dlq_status status = dlq_json_write(json, stream, &error);
    fclose(stream);
    CHECK(status == DLQ_OK && error.count == 0, "write: %s", error.text);
    return text;
}

static void check_json(json_t *json, const char *expected)
{
    FREED char *text = text_of(json);
    CHECK_TEXT(text, expected);
}

static void test_numbers(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1\n"},
                 {2.385, "2.385\n"},
                 {5005, "5005\n"},
                 {-7, "-7\n"},
                 {0, "0\n"},
                 {-0.0, "0\n"},
                 {9007199254740991, "9007199254740991\n"},
                 {1e300, "1e300\n"},
                 {1.0 / 3, "0.333333333333333\n"},
                 {NAN, "null\n"},
                 {INFINITY, "null\n"},
                 {-INFINITY, "null\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_json(dlq_json_number(cases[i].value), cases[i].text);
    json_t *large = dlq_json_number(9007199254740992.0);
    CHECK(json_is_real(large), "2^53 is no longer an integer");
    json_decref(large);
}

static void test_texts(void)
{
    static const struct {
        const char *text, *json;
    } cases[] = {{NULL, "null\n"},
                 {"", "\"\"\n"},
                 {"a \"b\"\n\x01", "\"a \\\"b\\\"\\n\\u0001\"\n"},
                 {"\xc2\xb5\xf0\x9f\x98\x80", "\"\xc2\xb5\xf0\x9f\x98\x80\"\n"},
                 {"x\xffy\xc3", "\"x\xef\xbf\xbdy\xef\xbf\xbd\"\n"},
                 {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n"},
                 {"\xef\xbf\xbe", "\"\xef\xbf\xbe\"\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_json(dlq_json_text(cases[i].text), cases[i].json);
}

static void test_estimates(void)
{
    check_json(dlq_json_estimate((struct dlq_estimate){2.385, 2.25, INFINITY}),
               "{\n  \"value\": 2.385,\n  \"low\": 2.25,\n  \"high\": null\n}\n");
    check_json(dlq_json_estimate((struct dlq_estimate){NAN, NAN, NAN}), "null\n");
}

static void test_rows(void)
{
    static const struct dlq_column columns[] = {
        {"z", "z", DLQ_COLUMN_NUMBER, 3}, {"reached", NULL, DLQ_COLUMN_FLAG, 0}, {"text", "t", DLQ_COLUMN_TEXT, 0}};
    OWN_TABLE *table = dlq_table_new(columns, 3);
    check_json(dlq_json_rows(table), "[]\n");
    bool added = dlq_table_row(table);
    dlq_table_number(table, 0, 2.385);
    dlq_table_number(table, 1, 1);
    added = added && dlq_table_text(table, 2, "step") && dlq_table_row(table);
    CHECK(added, "rows");
    check_json(dlq_json_rows(table), "[\n  {\n    \"z\": 2.385,\n    \"reached\": true,\n    \"text\": \"step\"\n  },\n"
                                     "  {\n    \"z\": null,\n    \"reached\": null,\n    \"text\": null\n  }\n]\n");
}

static void test_failures(void)
{
    struct dlq_error memory = {0};
    enum dlq_status status = dlq_json_write(NULL, stdout, &memory);
    CHECK(status == DLQ_FAILURE && strstr(memory.text, "memory") != NULL, "null: %s", memory.text);
    static const size_t sizes[] = {1, 100000};
    for (size_t i = 0; i < 2; i++) {
        json_t *list = json_array();
        for (size_t j = 0; j < sizes[i]; j++)
            json_array_append_new(list, json_integer(7));
        struct dlq_error full = {0};
        FILE *stream = fopen("/dev/full", "w");
        status = dlq_json_write(list, stream, &full);
        fclose(stream);
        CHECK(status == DLQ_FAILURE, "%zu numbers to a full disk", sizes[i]);
        CHECK_TEXT(full.text, "cannot write JSON: No space left on device");
    }
}

TEST_SUITE(json, CASE(test_numbers), CASE(test_texts), CASE(test_estimates), CASE(test_rows), CASE(test_failures));
