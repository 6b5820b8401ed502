#include "draw/tables.h"

#include <stdlib.h>

static const struct dlq_column columns[] = {
    {"loaders", "loaders", DLQ_COLUMN_COUNT, 3},
    {"load", "load", DLQ_COLUMN_TIME, 3},
    {"memory", "memory", DLQ_COLUMN_SIZE, 3},
    {"utilization", "busy", DLQ_COLUMN_SHARE, 3},
    {"throughput", "batches/s", DLQ_COLUMN_NUMBER, 3},
    {"reached", "reached", DLQ_COLUMN_FLAG, 0},
    {"hidden", NULL, DLQ_COLUMN_NUMBER, 3},
    {"bound_by", "bound by", DLQ_COLUMN_TEXT, 0},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

struct row {
    double numbers[COLUMNS - 1];
    const char *text;
};

static struct dlq_table *make(const struct row *rows, size_t count)
{
    struct dlq_table *table = dlq_table_new(columns, COLUMNS);
    for (size_t i = 0; i < count; i++) {
        bool added = dlq_table_row(table);
        CHECK(added, "row %zu", i);
        for (size_t j = 0; j + 1 < COLUMNS; j++)
            dlq_table_number(table, j, rows[i].numbers[j]);
        if (rows[i].text != NULL)
            CHECK(dlq_table_text(table, COLUMNS - 1, rows[i].text), "text %zu", i);
    }
    return table;
}

static const struct row rows[] = {
    {{1, 0.0701, 1.21e9, 0.1043, 1.0431, 0, 2.385}, "load"},
    {{1482, 0.7, 12e9, 0.951, 12.25, 1, -0.0}, "a,\"b\"\nc"},
    {{12, NAN, 0, 1, NAN, NAN, NAN}, NULL},
    {{7, 0.3502, INFINITY, 0.00021, 0.0021, 1, 1e300}, "\xc2\xb5"},
};

/* What the writer wrote, to be freed; indent below 0: as CSV. */
static char *text_of(const struct dlq_table *table, int indent, long mark_row, const char *mark)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (indent < 0)
        dlq_table_write_csv(table, stream);
    else
        dlq_table_write(table, stream, indent, mark_row, mark);
    fclose(stream);
    return text;
}

static void test_text(void)
{
    OWN_TABLE *table = make(rows, 4);
    FREED char *text = text_of(table, 2, 1, "95 % is here");
    CHECK_TEXT(text, "  loaders  load (ms)  memory (GB)  busy (%)  batches/s  reached  bound by\n"
                     "        1         70          1.2     10.4       1.04   no       load\n"
                     "    1,482        700         12.0     95.1      12.25   yes      a,\"b\"?c   < 95 % is here\n"
                     "       12          -          0.0    100.0       -      -        -\n"
                     "        7        350  unbounded        0.02      0.002  yes      \xc2\xb5\n");
}

/* One column of numbers; "|" ends a line. */
static void test_columns(void)
{
    static const struct {
        enum dlq_column_kind kind;
        int digits;
        double values[4]; /* ended by 4 or by -1 */
        const char *text;
    } cases[] = {
        {DLQ_COLUMN_COUNT, 2, {1, 1482, 1234567, -1}, "        h|        1|    1,482|1,234,567|"},
        {DLQ_COLUMN_NUMBER, 3, {1, 2, 30, -1}, " h| 1| 2|30|"},
        {DLQ_COLUMN_NUMBER, 3, {1.2, 2, 30, -1}, "   h| 1.2| 2.0|30.0|"},
        {DLQ_COLUMN_NUMBER, 3, {1.234, 2.385, 1234.5, -1}, "       h|    1.23|    2.38|1,234.50|"},
        {DLQ_COLUMN_NUMBER, 3, {0.0012, 2.385, 2.5, -1}, "    h|0.001|2.38|2.50|"},
        {DLQ_COLUMN_NUMBER, 3, {NAN, 2.5, INFINITY, -1}, "          h|        -|        2.5|unbounded|"},
        {DLQ_COLUMN_NUMBER, 3, {NAN, NAN, -1}, "h|-|-|"},
        {DLQ_COLUMN_NUMBER, 3, {0, 0, -1}, "h|0|0|"},
        {DLQ_COLUMN_TIME, 3, {0.7, 0.0351, 2.5, -1}, "h (ms)|   700|    35| 2,500|"},
        {DLQ_COLUMN_TIME, 3, {0.0712, 0.0709, -1}, "h (ms)|  71.2|  70.9|"},
        {DLQ_COLUMN_TIME, 3, {1.5, 0.0712, 2.25, -1}, "h (s)| 1.50| 0.07| 2.25|"},
        {DLQ_COLUMN_TIME, 2, {1.1562, 0.0006, 0.0006, -1}, " h (ms)|1,156|    0.6|    0.6|"},
        {DLQ_COLUMN_TIME, 2, {6.89, 0.012, 0, -1}, "h (s)| 6.9| 0.01| 0|"},
        {DLQ_COLUMN_SIZE, 3, {2.1e9, 4e9, -1}, "h (GB)|   2.1|   4.0|"},
        {DLQ_COLUMN_SHARE, 3, {0.951, 1, 0.5, -1}, "h (%)| 95.1|100.0| 50.0|"},
        {DLQ_COLUMN_FLAG, 3, {0, 1, NAN, -1}, "h|no|yes|-|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dlq_column column = {"h", "h", cases[i].kind, cases[i].digits};
        OWN_TABLE *table = dlq_table_new(&column, 1);
        for (size_t j = 0; j < 4 && cases[i].values[j] != -1; j++) {
            dlq_table_row(table);
            dlq_table_number(table, 0, cases[i].values[j]);
        }
        FREED char *text = text_of(table, 0, -1, NULL);
        for (char *end = text; (end = strchr(end, '\n')) != NULL;)
            *end = '|';
        CHECK(strcmp(text, cases[i].text) == 0, "case %zu: '%s', expected '%s'", i, text, cases[i].text);
    }
}

static void test_csv(void)
{
    OWN_TABLE *table = make(rows, 4);
    FREED char *text = text_of(table, -1, 0, NULL);
    CHECK_TEXT(text, "loaders,load,memory,utilization,throughput,reached,hidden,bound_by\n"
                     "1,0.0701,1210000000,0.1043,1.0431,false,2.385,load\n"
                     "1482,0.7,12000000000,0.951,12.25,true,0,\"a,\"\"b\"\"\nc\"\n"
                     "12,,0,1,,,,\n"
                     "7,0.3502,,0.00021,0.0021,true,1e+300,\xc2\xb5\n");
}

/* What a spreadsheet would run is text; what a terminal would obey is gone; numbers and dashes are left alone. */
static void test_csv_hostile(void)
{
    static const struct {
        const char *cell, *field;
    } cases[] = {
        {"=cmd|calc", "\"'=cmd|calc\""},
        {"@SUM(A1)", "\"'@SUM(A1)\""},
        {"+1+cmd|' /C'!A0", "\"'+1+cmd|' /C'!A0\""},
        {"-2+3", "\"'-2+3\""},
        {"\t=1", "\"'?=1\""},
        {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
        {"-2.385", "-2.385"},
        {"+1e3", "+1e3"},
        {"-", "-"},
        {"a=b", "a=b"},
        {"\x1b[31mred", "?[31mred"},
        {"a\x9b\xc2\x9b"
         "c\x7f",
         "a??c?"},
        {"\xc2\xb5", "\xc2\xb5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_column column = {"name", "name", DLQ_COLUMN_TEXT, 0};
        OWN_TABLE *table = dlq_table_new(&column, 1);
        char expected[64];
        bool set = dlq_table_row(table) && dlq_table_text(table, 0, cases[i].cell);
        FREED char *text = text_of(table, -1, 0, NULL);
        snprintf(expected, sizeof expected, "name\n%s\n", cases[i].field);
        CHECK(set && strcmp(text, expected) == 0, "'%s': %s", cases[i].cell, text);
    }
}

static void test_cells(void)
{
    char name[] = "short-lived";
    struct dlq_column column = {name, name, DLQ_COLUMN_TEXT, 0};
    OWN_TABLE *table = dlq_table_new(&column, 1);
    memset(name, 'x', sizeof name - 1);
    CHECK_TEXT(table->columns[0].name, "short-lived");
    CHECK_TEXT(table->columns[0].heading, "short-lived");
    for (int i = 0; i < 1000; i++) {
        char text[16];
        snprintf(text, sizeof text, "row %d", i);
        bool set = dlq_table_row(table) && dlq_table_text(table, 0, "first") && dlq_table_text(table, 0, text);
        CHECK(set, "%s", text);
    }
    CHECK_INT(table->rows, 1000);
    CHECK_TEXT(table->first->cells[0].text, "row 0");
    CHECK_TEXT(table->last->cells[0].text, "row 999");
    bool removed = dlq_table_text(table, 0, NULL), added = DLQ_TABLE_ADD(table, {7, "seven"});
    CHECK(removed && added && table->last->cells[0].number == 7, "a text removed, a row added");
}

static void test_empty(void)
{
    OWN_TABLE *none = dlq_table_new(NULL, 0);
    bool added = dlq_table_row(none);
    char *text = text_of(none, 4, 0, NULL);
    CHECK(added, "a row without columns");
    CHECK_TEXT(text, "\n    <\n");
    free(text);
    OWN_TABLE *bare = dlq_table_new(columns, COLUMNS);
    text = text_of(bare, 0, -1, NULL);
    CHECK(strchr(text, '\n') == text + strlen(text) - 1, "headings alone: '%s'", text);
    free(text);
    dlq_table_free(NULL);
}

TEST_SUITE(table, CASE(test_text), CASE(test_columns), CASE(test_csv), CASE(test_csv_hostile), CASE(test_cells),
           CASE(test_empty));
