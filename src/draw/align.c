#include "base/quantity.h"
#include "draw/table.h"
#include "draw/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADING = 128, MOST_OWN_DECIMALS = 9, GAP = 2 };

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

/* Blanks are held back until something follows them: no line ends in one. */
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
    size_t rows = dlq_table_rows(table);
    size_t count = 0;
    for (size_t row = 0; row < rows; row++) {
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
    const char *heading = look->column->heading;
    if (unit[0] == '\0')
        snprintf(look->heading, HEADING, "%s", heading);
    else
        snprintf(look->heading, HEADING, "%s (%s)", heading, unit);
}

/* A cell far below the column's median shows at least its first digit. */
static const char *put_number(const struct look *look, double value, char text[DLQ_TEXT_NUMBER])
{
    value /= look->factor;
    int decimals = look->decimals;
    if (look->column->kind != DLQ_COLUMN_COUNT && value != 0 && isfinite(value)) {
        int own = dlq_text_decimals(fabs(value), 1);
        if (own > decimals && own <= MOST_OWN_DECIMALS)
            decimals = own;
    }
    return dlq_text_fixed(value, decimals, text);
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
    return put_number(look, value, text);
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
    for (size_t row = 0; row < dlq_table_rows(table); row++) {
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

static void choose_decimals(const struct dlq_table *table, struct look *look, double median)
{
    look->decimals = 0;
    if (is_text(look) || look->column->kind == DLQ_COLUMN_COUNT)
        return;
    look->decimals = dlq_text_decimals(median / look->factor, look->column->digits);
    look->decimals = needed_decimals(table, look);
}

static void measure(const struct dlq_table *table, struct look *look)
{
    for (size_t row = 0; row < dlq_table_rows(table); row++) {
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

/* The columns with a heading; returns how many. */
static size_t choose_looks(const struct dlq_table *table, struct look *looks, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < dlq_table_columns(table); i++) {
        const struct dlq_column *column = dlq_table_column(table, i);
        if (column->heading == NULL)
            continue;
        struct look *look = &looks[count++];
        *look = (struct look){.column = column, .index = i};
        double median = median_magnitude(table, i, values);
        choose_factor(look, median);
        choose_decimals(table, look, median);
        measure(table, look);
    }
    return count;
}

static void put_cell(struct line *line, const struct look *look, const char *text, int before)
{
    line->blanks += before;
    put_text(line, text);
    line->blanks += look->width - before - dlq_text_width(text) + GAP;
}

static void put_headings(struct line *line, const struct look *looks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int spare = looks[i].width - dlq_text_width(looks[i].heading);
        put_cell(line, &looks[i], looks[i].heading, is_text(&looks[i]) ? 0 : spare);
    }
}

static void put_row(struct line *line, const struct dlq_table *table, const struct look *looks, size_t count,
                    size_t row)
{
    for (size_t i = 0; i < count; i++) {
        char text[DLQ_TEXT_NUMBER];
        const char *cell = cell_text(table, &looks[i], row, text);
        int before = looks[i].width - looks[i].fraction - whole_width(&looks[i], cell);
        put_cell(line, &looks[i], cell, is_text(&looks[i]) ? 0 : before);
    }
}

bool dlq_table_write(const struct dlq_table *table, FILE *stream, int indent, long mark_row, const char *mark)
{
    struct look *looks = calloc(dlq_table_columns(table) + 1, sizeof *looks);
    double *values = calloc(dlq_table_rows(table) + 1, sizeof *values);
    if (looks == NULL || values == NULL) {
        free(looks);
        free(values);
        return false;
    }
    size_t count = choose_looks(table, looks, values);
    struct line line = {.stream = stream, .blanks = indent};
    put_headings(&line, looks, count);
    end_line(&line, indent);
    for (size_t row = 0; row < dlq_table_rows(table); row++) {
        put_row(&line, table, looks, count, row);
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
