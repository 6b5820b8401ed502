#include "draw/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    double number;
    char *text;
};

struct dlq_table {
    struct dlq_column *columns;
    size_t column_count;
    struct cell *cells; /* row by row */
    size_t rows, capacity;
};

static bool copy_text(const char **copy, const char *text)
{
    *copy = text == NULL ? NULL : strdup(text);
    return text == NULL || *copy != NULL;
}

static bool copy_columns(struct dlq_table *table, const struct dlq_column *columns)
{
    for (size_t i = 0; i < table->column_count; i++) {
        struct dlq_column *copy = &table->columns[i];
        copy->kind = columns[i].kind;
        copy->digits = columns[i].digits;
        if (!copy_text(&copy->name, columns[i].name) || !copy_text(&copy->heading, columns[i].heading))
            return false;
    }
    return true;
}

struct dlq_table *dlq_table_new(const struct dlq_column *columns, size_t count)
{
    struct dlq_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->columns = calloc(count > 0 ? count : 1, sizeof *table->columns);
    table->column_count = table->columns != NULL ? count : 0;
    if (table->columns == NULL || !copy_columns(table, columns)) {
        dlq_table_free(table);
        return NULL;
    }
    return table;
}

static bool grow(struct dlq_table *table)
{
    size_t capacity = table->capacity > 0 ? 2 * table->capacity : 16;
    size_t row = table->column_count * sizeof *table->cells;
    if (row > 0 && capacity > SIZE_MAX / row)
        return false;
    struct cell *cells = realloc(table->cells, row > 0 ? capacity * row : 1);
    if (cells == NULL)
        return false;
    table->cells = cells;
    table->capacity = capacity;
    return true;
}

bool dlq_table_row(struct dlq_table *table)
{
    if (table->rows == table->capacity && !grow(table))
        return false;
    struct cell *row = table->cells + table->rows * table->column_count;
    for (size_t i = 0; i < table->column_count; i++)
        row[i] = (struct cell){.number = NAN};
    table->rows++;
    return true;
}

static struct cell *cell_at(const struct dlq_table *table, size_t row, size_t column)
{
    bool exists = row < table->rows && column < table->column_count;
    return exists ? &table->cells[row * table->column_count + column] : NULL;
}

void dlq_table_number(struct dlq_table *table, size_t column, double value)
{
    struct cell *cell = cell_at(table, table->rows - 1, column);
    if (cell != NULL)
        cell->number = value;
}

bool dlq_table_text(struct dlq_table *table, size_t column, const char *text)
{
    struct cell *cell = cell_at(table, table->rows - 1, column);
    const char *copy;
    if (cell == NULL || !copy_text(&copy, text))
        return false;
    free(cell->text);
    cell->text = (char *)copy;
    return true;
}

size_t dlq_table_rows(const struct dlq_table *table)
{
    return table->rows;
}

size_t dlq_table_columns(const struct dlq_table *table)
{
    return table->column_count;
}

const struct dlq_column *dlq_table_column(const struct dlq_table *table, size_t column)
{
    return column < table->column_count ? &table->columns[column] : NULL;
}

double dlq_table_get(const struct dlq_table *table, size_t row, size_t column)
{
    const struct cell *cell = cell_at(table, row, column);
    return cell != NULL ? cell->number : NAN;
}

const char *dlq_table_get_text(const struct dlq_table *table, size_t row, size_t column)
{
    const struct cell *cell = cell_at(table, row, column);
    return cell != NULL ? cell->text : NULL;
}

void dlq_table_free(struct dlq_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->rows * table->column_count; i++)
        free(table->cells[i].text);
    for (size_t i = 0; i < table->column_count; i++) {
        free((char *)table->columns[i].name);
        free((char *)table->columns[i].heading);
    }
    free(table->cells);
    free(table->columns);
    free(table);
}
