#include "dlqueue/table.h"

#include <math.h>
#include <string.h>

/* Quoted where RFC 4180 (section 2, rules 5 to 7) asks for it. */
static void put_field(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
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
