/* Tables: rows of numbers and texts under described columns, written as aligned text or as CSV. They know no model;
   what stands in which column is the caller's. */
#include "draw/table.h"

#include "base/quantity.h"
#include "base/utf8.h"
#include "draw/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADING = 128, MOST_OWN_DECIMALS = 9, GAP = 2 };

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

struct dlq_table *dlq_table_new(const struct dlq_column *columns, size_t count)
{
    struct dlq_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->columns = calloc(count > 0 ? count : 1, sizeof *table->columns);
    table->column_count = table->columns != NULL ? count : 0;
    bool copied = table->columns != NULL;
    for (size_t i = 0; i < table->column_count; i++) {
        struct dlq_column *copy = &table->columns[i];
        *copy = (struct dlq_column){.kind = columns[i].kind, .digits = columns[i].digits};
        copied = copied && copy_text(&copy->name, columns[i].name) && copy_text(&copy->heading, columns[i].heading);
    }
    if (copied)
        return table;
    dlq_table_free(table);
    return NULL;
}

bool dlq_table_row(struct dlq_table *table)
{
    size_t width = table->column_count > 0 ? table->column_count : 1;
    if (table->rows == table->capacity) {
        size_t capacity = table->capacity > 0 ? 2 * table->capacity : 16;
        struct cell *cells = capacity > SIZE_MAX / (width * sizeof *cells)
                                 ? NULL
                                 : realloc(table->cells, capacity * width * sizeof *cells);
        if (cells == NULL)
            return false;
        table->cells = cells;
        table->capacity = capacity;
    }
    for (size_t i = 0; i < table->column_count; i++)
        table->cells[table->rows * table->column_count + i] = (struct cell){.number = NAN};
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

/* How a column looks: one unit and one number of decimals, chosen from all its cells. */
struct look {
    const struct dlq_column *column;
    size_t index;
    double factor; /* numbers are divided by it */
    int decimals;
    char heading[HEADING];
    int whole, fraction; /* widths before and from the decimal point on; of texts: whole */
    int width;
};

/* A line that is being written. Blanks are held back until something follows them: no line ends in one. */
struct line {
    FILE *stream;
    int blanks;
};

static void put_text(struct line *line, const char *text)
{
    if (*text == '\0')
        return;
    fprintf(line->stream, "%*s", line->blanks, "");
    line->blanks = 0;
    dlq_text_put(line->stream, text, strlen(text));
}

static void end_line(struct line *line, int indent)
{
    fputc('\n', line->stream);
    line->blanks = indent;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of the finite magnitudes above zero; 0 where there is none. There is room for a value of each row. */
static double median_magnitude(const struct dlq_table *table, size_t column, double *values)
{
    size_t count = 0;
    for (size_t row = 0; row < table->rows; row++) {
        double value = fabs(dlq_table_get(table, row, column));
        if (isfinite(value) && value > 0)
            values[count++] = value;
    }
    qsort(values, count, sizeof *values, ascending);
    return count > 0 ? values[count / 2] : 0;
}

/* The unit in which people would read `median`, from the one place that knows units. */
static double choose_unit(double median, enum dlq_unit unit, char name[DLQ_QUANTITY_TEXT])
{
    char readable[DLQ_QUANTITY_TEXT], one[DLQ_QUANTITY_TEXT + 1], why[1];
    dlq_quantity_readable(median, unit, 3, readable);
    const char *blank = strrchr(readable, ' ');
    snprintf(name, DLQ_QUANTITY_TEXT, "%s", blank != NULL ? blank + 1 : "");
    snprintf(one, sizeof one, "1%s", name);
    double factor;
    if (dlq_quantity_parse(one, unit, &factor, why, sizeof why))
        return factor;
    snprintf(name, DLQ_QUANTITY_TEXT, "%s", unit == DLQ_UNIT_TIME ? "s" : unit == DLQ_UNIT_SIZE ? "B" : "%");
    return unit == DLQ_UNIT_SHARE ? 0.01 : 1;
}

/* Divides by the unit in which people would read the column's median, and names it in the heading. */
static void choose_factor(struct look *look, double median)
{
    char unit[DLQ_QUANTITY_TEXT] = "";
    look->factor = 1;
    if (look->column->kind == DLQ_COLUMN_TIME)
        look->factor = choose_unit(median, DLQ_UNIT_TIME, unit);
    else if (look->column->kind == DLQ_COLUMN_SIZE)
        look->factor = choose_unit(median, DLQ_UNIT_SIZE, unit);
    else if (look->column->kind == DLQ_COLUMN_SHARE)
        look->factor = choose_unit(median, DLQ_UNIT_SHARE, unit);
    snprintf(look->heading, HEADING, unit[0] == '\0' ? "%s" : "%s (%s)", look->column->heading, unit);
}

static bool is_text(const struct look *look)
{
    return look->column->kind == DLQ_COLUMN_TEXT || look->column->kind == DLQ_COLUMN_FLAG;
}

/* The cell as written; `text` is room for a number. */
static const char *cell_text(const struct dlq_table *table, const struct look *look, size_t row,
                             char text[DLQ_TEXT_NUMBER])
{
    double value = dlq_table_get(table, row, look->index);
    const char *own = dlq_table_get_text(table, row, look->index);
    if (own != NULL)
        return own;
    if (look->column->kind == DLQ_COLUMN_TEXT || isnan(value))
        return "-";
    if (look->column->kind == DLQ_COLUMN_FLAG)
        return value != 0 ? "yes" : "no";
    value /= look->factor;
    int decimals = look->decimals;
    if (look->column->kind != DLQ_COLUMN_COUNT && value != 0 && isfinite(value)) {
        int least = dlq_text_decimals(fabs(value), 1); /* a cell far below the median shows at least its first digit */
        if (least > decimals && least <= MOST_OWN_DECIMALS)
            decimals = least;
    }
    return dlq_text_fixed(value, decimals, text);
}

/* Columns before the decimal point. */
static int whole_width(const struct look *look, const char *text)
{
    const char *point = is_text(look) ? NULL : strchr(text, '.');
    return point != NULL ? (int)(point - text) : dlq_text_width(text);
}

/* Decimals beyond which every cell has zeros: a column of whole numbers shows none. */
static int needed_decimals(const struct dlq_table *table, const struct look *look)
{
    int needed = 0;
    for (size_t row = 0; row < table->rows; row++) {
        char text[DLQ_TEXT_NUMBER];
        const char *point =
            strchr(dlq_text_fixed(dlq_table_get(table, row, look->index) / look->factor, look->decimals, text), '.');
        size_t length = point != NULL ? strlen(point + 1) : 0;
        while (length > 0 && point[length] == '0')
            length--;
        if ((int)length > needed && strchr(text, 'e') == NULL)
            needed = (int)length;
    }
    return needed;
}

/* The columns with a heading, as they are to look; returns how many. `values` is room for a number of each row. */
static size_t choose_looks(const struct dlq_table *table, struct look *looks, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct dlq_column *column = &table->columns[i];
        if (column->heading == NULL)
            continue;
        struct look *look = &looks[count++];
        *look = (struct look){.column = column, .index = i};
        double median = median_magnitude(table, i, values);
        choose_factor(look, median);
        if (!is_text(look) && column->kind != DLQ_COLUMN_COUNT) {
            look->decimals = dlq_text_decimals(median / look->factor, column->digits);
            look->decimals = needed_decimals(table, look);
        }
        for (size_t row = 0; row < table->rows; row++) {
            char text[DLQ_TEXT_NUMBER];
            const char *cell = cell_text(table, look, row, text);
            int whole = whole_width(look, cell);
            int fraction = dlq_text_width(cell) - whole;
            look->whole = whole > look->whole ? whole : look->whole;
            look->fraction = fraction > look->fraction ? fraction : look->fraction;
        }
        int heading = dlq_text_width(look->heading);
        int cells = look->whole + look->fraction;
        look->width = heading > cells ? heading : cells;
    }
    return count;
}

static void put_cell(struct line *line, const struct look *look, const char *text, int before)
{
    line->blanks += before;
    put_text(line, text);
    line->blanks += look->width - before - dlq_text_width(text) + GAP;
}

bool dlq_table_write(const struct dlq_table *table, FILE *stream, int indent, long mark_row, const char *mark)
{
    struct look *looks = calloc(table->column_count + 1, sizeof *looks);
    double *values = calloc(table->rows + 1, sizeof *values);
    if (looks == NULL || values == NULL) {
        free(looks);
        free(values);
        return false;
    }
    size_t count = choose_looks(table, looks, values);
    struct line line = {.stream = stream, .blanks = indent};
    for (size_t i = 0; i < count; i++)
        put_cell(&line, &looks[i], looks[i].heading,
                 is_text(&looks[i]) ? 0 : looks[i].width - dlq_text_width(looks[i].heading));
    end_line(&line, indent);
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < count; i++) {
            char text[DLQ_TEXT_NUMBER];
            const char *cell = cell_text(table, &looks[i], row, text);
            int before = looks[i].width - looks[i].fraction - whole_width(&looks[i], cell);
            put_cell(&line, &looks[i], cell, is_text(&looks[i]) ? 0 : before);
        }
        if (mark_row >= 0 && row == (size_t)mark_row) {
            put_text(&line, mark != NULL && mark[0] != '\0' ? "< " : "<");
            put_text(&line, mark != NULL ? mark : "");
        }
        end_line(&line, indent);
    }
    free(looks);
    free(values);
    return true;
}

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
static void put_csv_field(FILE *stream, const char *text)
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

void dlq_table_write_csv(const struct dlq_table *table, FILE *stream)
{
    for (size_t i = 0; i < table->column_count; i++) {
        fputs(i > 0 ? "," : "", stream);
        put_csv_field(stream, table->columns[i].name);
    }
    fputc('\n', stream);
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            double value = dlq_table_get(table, row, i);
            const char *text = dlq_table_get_text(table, row, i);
            fputs(i > 0 ? "," : "", stream);
            if (text != NULL)
                put_csv_field(stream, text);
            else if (isfinite(value) && table->columns[i].kind == DLQ_COLUMN_FLAG)
                fputs(value != 0 ? "true" : "false", stream);
            else if (isfinite(value))
                fprintf(stream, "%.15g", value + 0.0); /* the sum makes -0 plain */
        }
        fputc('\n', stream);
    }
}
