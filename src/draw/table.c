/* Tables: rows of numbers and texts under described columns, written as aligned text or as CSV. */
#include "draw/table.h"

#include "base/utf8.h"
#include "draw/text.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* HEADING: bytes. MOST_OWN_DECIMALS: of a cell that needs more than its column has. GAP: blanks between columns. */
enum { HEADING = 128, MOST_OWN_DECIMALS = 9, GAP = 2 };

void dlq_table_free(struct dlq_table *table)
{
    if (table != NULL)
        dlq_arena_end(&table->arena);
    free(table);
}

struct dlq_table *dlq_table_whole(struct dlq_table *table, bool whole)
{
    if (whole)
        return table;
    dlq_table_free(table);
    return NULL;
}

/* A copy in the arena; null: no text, or no memory. */
static const char *copy_of(struct dlq_table *table, const char *text)
{
    char *copy = text == NULL ? NULL : dlq_arena_take(&table->arena, strlen(text) + 1, 1);
    return copy == NULL ? NULL : memcpy(copy, text, strlen(text) + 1);
}

struct dlq_table *dlq_table_new(const struct dlq_column *columns, size_t count)
{
    struct dlq_table *table = calloc(1, sizeof *table);
    bool copied = table != NULL;
    if (copied) {
        table->columns = dlq_arena_take(&table->arena, count, sizeof *table->columns);
        table->column_count = count;
        copied = table->columns != NULL;
    }
    for (size_t i = 0; copied && i < count; i++) {
        struct dlq_column *copy = &table->columns[i];
        *copy = columns[i];
        copy->name = copy_of(table, columns[i].name);
        copy->heading = copy_of(table, columns[i].heading);
        copied =
            (copy->name != NULL || columns[i].name == NULL) && (copy->heading != NULL || columns[i].heading == NULL);
    }
    return dlq_table_whole(table, copied);
}

bool dlq_table_row(struct dlq_table *table)
{
    struct dlq_table_row *row =
        dlq_arena_take(&table->arena, 1, sizeof *row + table->column_count * sizeof *row->cells);
    if (row == NULL)
        return false;
    for (size_t i = 0; i < table->column_count; i++)
        row->cells[i].number = NAN;
    if (table->last != NULL)
        table->last->next = row;
    else
        table->first = row;
    table->last = row;
    table->rows++;
    return true;
}

void dlq_table_number(struct dlq_table *table, size_t column, double value)
{
    table->last->cells[column].number = value;
}

bool dlq_table_text(struct dlq_table *table, size_t column, const char *text)
{
    table->last->cells[column].text = copy_of(table, text);
    return text == NULL || table->last->cells[column].text != NULL;
}

bool dlq_table_add(struct dlq_table *table, size_t count, const struct dlq_cell *cells)
{
    bool added = dlq_table_row(table);
    for (size_t i = 0; added && i < count; i++) {
        dlq_table_number(table, i, cells[i].number);
        added = dlq_table_text(table, i, cells[i].text);
    }
    return added;
}

/* The format of a column: one unit and one number of decimals, chosen from all cells. */
struct format {
    const struct dlq_column *column;
    size_t index;
    double factor; /* the unit: numbers are divided by the factor */
    int decimals;
    char heading[HEADING];
    int integer, fraction; /* largest widths before the decimal point, and from it on; a text has no fraction */
    int width;
};

/* A line that is being written. Blanks are written only before a text, so that no line ends in blanks. */
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

/* Chooses the readable unit of the column's usual magnitude and names the unit in the heading. Returns the usual
   magnitude: the median of the finite absolute values above 0, or 0 if there are none; but for times and sizes at least
   a hundredth of the largest value, which would else have too many digits. values: room for one number per row. */
static double choose_unit(const struct dlq_table *table, struct format *format, double *values)
{
    static const enum dlq_unit units[] = {
        [DLQ_COLUMN_TIME] = DLQ_UNIT_TIME, [DLQ_COLUMN_SIZE] = DLQ_UNIT_SIZE, [DLQ_COLUMN_SHARE] = DLQ_UNIT_SHARE};
    char readable[DLQ_QUANTITY_TEXT], one[DLQ_QUANTITY_TEXT + 1], why[1];
    enum dlq_column_kind kind = format->column->kind;
    bool has_unit = kind == DLQ_COLUMN_TIME || kind == DLQ_COLUMN_SIZE;
    size_t count = 0;
    for (const struct dlq_table_row *row = table->first; row != NULL; row = row->next) {
        double value = fabs(row->cells[format->index].number);
        if (isfinite(value) && value > 0)
            values[count++] = value;
    }
    gsl_sort(values, 1, count);
    double usual = count == 0 ? 0 : fmax(values[count / 2], has_unit ? values[count - 1] / 100 : 0);
    format->factor = 1;
    snprintf(format->heading, HEADING, "%s", format->column->heading);
    if (!has_unit && kind != DLQ_COLUMN_SHARE)
        return usual;
    dlq_quantity_readable(usual, units[kind], 3, readable);
    const char *blank = strrchr(readable, ' '), *name = blank != NULL ? blank + 1 : "";
    snprintf(one, sizeof one, "1%s", name);
    dlq_quantity_parse(one, units[kind], &format->factor, why, sizeof why);
    snprintf(format->heading, HEADING, "%s (%s)", format->column->heading, name);
    return usual;
}

static bool is_text(const struct format *format)
{
    return format->column->kind == DLQ_COLUMN_TEXT || format->column->kind == DLQ_COLUMN_FLAG;
}

/* The text of a cell; `text` is room for a number. */
static const char *cell_text(const struct format *format, const struct dlq_table_row *row, char text[DLQ_TEXT_NUMBER])
{
    double value = row->cells[format->index].number;
    if (row->cells[format->index].text != NULL)
        return row->cells[format->index].text;
    if (format->column->kind == DLQ_COLUMN_TEXT || isnan(value))
        return "-";
    if (format->column->kind == DLQ_COLUMN_FLAG)
        return value != 0 ? "yes" : "no";
    if (format->column->kind == DLQ_COLUMN_TIME && value == 0)
        return "0"; /* not a time that rounding hides */
    value /= format->factor;
    int decimals = format->decimals;
    if (format->column->kind != DLQ_COLUMN_COUNT && value != 0 && isfinite(value)) {
        int least = dlq_text_decimals(fabs(value), 1); /* a cell far below the usual magnitude shows its first digit */
        if (least > decimals && least <= MOST_OWN_DECIMALS)
            decimals = least;
    }
    return dlq_text_fixed(value, decimals, text);
}

/* The width of a cell's text up to the decimal point. */
static int integer_width(const struct format *format, const char *text)
{
    const char *point = is_text(format) ? NULL : strchr(text, '.');
    return point != NULL ? (int)(point - text) : dlq_text_width(text);
}

/* Chooses the formats of the columns with a heading; returns their number. values: room for one number per row. */
static size_t choose_formats(const struct dlq_table *table, struct format *formats, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct dlq_column *column = &table->columns[i];
        if (column->heading == NULL)
            continue;
        struct format *format = &formats[count++];
        *format = (struct format){.column = column, .index = i};
        double usual = choose_unit(table, format, values);
        if (!is_text(format) && column->kind != DLQ_COLUMN_COUNT) {
            /* Omit decimals that are zero in every cell: a column of whole numbers shows none. */
            int decimals = dlq_text_decimals(usual / format->factor, column->digits);
            for (const struct dlq_table_row *row = table->first; row != NULL; row = row->next) {
                char text[DLQ_TEXT_NUMBER];
                const char *point = strchr(dlq_text_fixed(row->cells[i].number / format->factor, decimals, text), '.');
                size_t length = point != NULL && strchr(text, 'e') == NULL ? strlen(point + 1) : 0;
                while (length > 0 && point[length] == '0')
                    length--;
                format->decimals = (int)length > format->decimals ? (int)length : format->decimals;
            }
        }
        for (const struct dlq_table_row *row = table->first; row != NULL; row = row->next) {
            char text[DLQ_TEXT_NUMBER];
            const char *cell = cell_text(format, row, text);
            int integer = integer_width(format, cell);
            int fraction = dlq_text_width(cell) - integer;
            format->integer = integer > format->integer ? integer : format->integer;
            format->fraction = fraction > format->fraction ? fraction : format->fraction;
        }
        int heading = dlq_text_width(format->heading);
        int cells = format->integer + format->fraction;
        format->width = heading > cells ? heading : cells;
    }
    return count;
}

/* Writes the first column and columns from <= i < until. */
static void write_columns(const struct dlq_table *table, const struct format *formats, size_t from, size_t until,
                          FILE *stream, int indent, long mark_row, const char *mark)
{
    struct line line = {.stream = stream, .blanks = indent};
    const struct dlq_table_row *row = NULL; /* the headings first */
    for (size_t r = 0; r <= table->rows; r++) {
        for (size_t i = 0; i < until; i = i + 1 < from ? from : i + 1) {
            const struct format *format = &formats[i];
            char text[DLQ_TEXT_NUMBER];
            const char *cell = row == NULL ? format->heading : cell_text(format, row, text);
            int wide = dlq_text_width(cell);
            /* From the start of the text to the end of the column. */
            int to_end = row == NULL ? wide : format->fraction + integer_width(format, cell);
            int before = is_text(format) ? 0 : format->width - to_end;
            line.blanks += before;
            put_text(&line, cell);
            line.blanks += format->width - before - wide + GAP;
        }
        if (row != NULL && mark_row-- == 0) {
            put_text(&line, mark != NULL && mark[0] != '\0' ? "< " : "<");
            put_text(&line, mark != NULL ? mark : "");
        }
        fputc('\n', stream);
        line.blanks = indent;
        row = row == NULL ? table->first : row->next;
    }
}

bool dlq_table_write(const struct dlq_table *table, FILE *stream, int indent, long mark_row, const char *mark)
{
    DLQ_ARENA arena = {.first = NULL};
    struct format *formats = dlq_arena_take(&arena, table->column_count, sizeof *formats);
    double *values = dlq_arena_take(&arena, table->rows, sizeof *values);
    if (formats == NULL || values == NULL)
        return false;
    const size_t count = choose_formats(table, formats, values);
    const int room = dlq_text_room(stream), marks = mark_row >= 0 && mark != NULL ? GAP + dlq_text_width(mark) : 0;
    size_t from = 0, until;
    do {
        int width = indent + (from > 0 ? formats[0].width : -GAP); /* the first column of a line needs no gap */
        for (until = from; until < count && (until <= from || width + GAP + formats[until].width <= room); until++)
            width += GAP + formats[until].width;
        if (until == count && width + GAP + marks > room && until > from + 1)
            until--; /* makes room for the mark to the right of the last column */
        fputs(from > 0 ? "\n" : "", stream);
        write_columns(table, formats, from, until, stream, indent, until == count ? mark_row : -1, mark);
        from = until;
    } while (from < count);
    return true;
}

/* Quotes as in RFC 4180 (section 2, rules 5 to 7). Spreadsheets run a text that starts like a formula, even if quoted
   (OWASP, CSV injection): an apostrophe before such a text, unless it is a number, prevents this. */
static void put_csv_field(FILE *stream, const char *text)
{
    char *end;
    strtod(text, &end);
    bool formula = text[0] != '\0' && text[1] != '\0' && strchr("=+-@\t\r", text[0]) != NULL && *end != '\0';
    bool quoted = formula || strpbrk(text, ",\"\r\n") != NULL;
    fputs(formula ? "\"'" : quoted ? "\"" : "", stream);
    while (*text != '\0') {
        bool printable;
        size_t length = dlq_utf8_step(text, &printable);
        bool shown = printable || *text == '\n' || *text == '\r';
        if (*text == '"')
            fputc('"', stream);
        fwrite(shown ? text : "?", 1, shown ? length : 1, stream);
        text += length;
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
    for (const struct dlq_table_row *row = table->first; row != NULL; row = row->next) {
        for (size_t i = 0; i < table->column_count; i++) {
            double value = row->cells[i].number;
            const char *text = row->cells[i].text;
            fputs(i > 0 ? "," : "", stream);
            if (text != NULL)
                put_csv_field(stream, text);
            else if (isfinite(value) && table->columns[i].kind == DLQ_COLUMN_FLAG)
                fputs(value != 0 ? "true" : "false", stream);
            else if (isfinite(value))
                fprintf(stream, "%.15g", value + 0.0); /* -0 + 0 is 0 */
        }
        fputc('\n', stream);
    }
}
