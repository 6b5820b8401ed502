#include "base/utf8.h"
#include "draw/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Spreadsheets take a text that begins so for a formula and run it, quoted or not (OWASP, CSV injection). */
static bool is_formula(const char *text)
{
    char *end;
    if (text[0] == '\0' || text[1] == '\0' || strchr("=+-@\t\r", text[0]) == NULL)
        return false;
    strtod(text, &end);
    return *end != '\0';
}

/* Quoted where RFC 4180 (section 2, rules 5 to 7) asks for it; a formula becomes a text by an apostrophe before it. */
static void put_field(FILE *stream, const char *text)
{
    bool formula = is_formula(text);
    bool quoted = formula || strpbrk(text, ",\"\r\n") != NULL;
    fputs(formula ? "\"'" : quoted ? "\"" : "", stream);
    while (*text != '\0') {
        uint32_t point = 0;
        size_t length = dlq_utf8_decode(text, &point);
        bool shown = length > 0 && (!dlq_utf8_is_control(point) || point == '\n' || point == '\r');
        if (*text == '"')
            fputc('"', stream);
        fwrite(shown ? text : "?", 1, shown ? length : 1, stream);
        text += length > 0 ? length : 1;
    }
    fputs(quoted ? "\"" : "", stream);
}

static void put_cell(const struct dlq_table *table, FILE *stream, size_t row, size_t column)
{
    double value = dlq_table_get(table, row, column);
    const char *text = dlq_table_get_text(table, row, column);
    if (text != NULL)
        put_field(stream, text);
    else if (!isfinite(value))
        return;
    else if (dlq_table_column(table, column)->kind == DLQ_COLUMN_FLAG)
        fputs(value != 0 ? "true" : "false", stream);
    else
        fprintf(stream, "%.15g", value + 0.0); /* the sum makes -0 plain */
}

void dlq_table_write_csv(const struct dlq_table *table, FILE *stream)
{
    size_t columns = dlq_table_columns(table);
    for (size_t i = 0; i < columns; i++) {
        fputs(i > 0 ? "," : "", stream);
        put_field(stream, dlq_table_column(table, i)->name);
    }
    fputc('\n', stream);
    for (size_t row = 0; row < dlq_table_rows(table); row++) {
        for (size_t i = 0; i < columns; i++) {
            fputs(i > 0 ? "," : "", stream);
            put_cell(table, stream, row, i);
        }
        fputc('\n', stream);
    }
}
