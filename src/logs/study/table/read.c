/* Reads a table of measured runs: columns of known names, in CSV or between |, blanks or tabs. */
#include "base/lines.h"
#include "base/option.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "logs/calibration.h"
#include "logs/study/table/table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const dlq_counted_names[DLQ_COUNTED] = {"loaders", "ranks", "threads", "batch_size", "prefetch"};
const char *const dlq_measure_names[DLQ_MEASURES] = {"samples_per_s", "batches_per_s", "seconds"};

enum { COLUMNS = 64, LINE = 4096, BYTES = 1 << 20 };

struct reader {
    const char *name; /* of the file */
    const long *only; /* of dlq_measurements_read */
    struct dlq_measurements *table;
    struct dlq_lines *lines;
    struct dlq_error *error;
    char separator; /* ' ': blanks and tabs */
    /* Lines with a decimal point, a decimal comma, one before three digits such as 1,203, no decimals; 0: none. */
    long point, comma, unsure, whole;
    size_t column_count;
    bool title; /* a line was taken for a title */
    struct column columns[COLUMNS];
    long (*counted)[DLQ_COUNTED]; /* of each row of the table, likewise the next */
    double (*measured)[DLQ_MEASURES];
    double step_sum, steps; /* of the column `step` */
};

#define DIGITS "0123456789"
#define REFUSE(reader, format, ...)                                                                                    \
    dlq_error_add((reader)->error, DLQ_INVALID, "%s:%ld: " format, (reader)->name, (reader)->lines->number, __VA_ARGS__)

/* -- the header -- */

/* Notes what is ignored or read as another name (struct dlq_table_ignored). */
static void note(struct dlq_measurements *table, const char *name, long line, const char *nearest, const char *read_as)
{
    if (table->ignored_count < DLQ_TABLE_IGNORED && name[0] != '\0') { /* the first column of pandas has no name */
        struct dlq_table_ignored *ignored = &table->ignored[table->ignored_count++];
        snprintf(ignored->name, sizeof ignored->name, "%s", name);
        ignored->line = line;
        ignored->nearest = nearest;
        ignored->read_as = read_as;
    }
}

/* Where no column of what was measured is known, reads the only unknown one of times as seconds: "Zeit (s)". */
static bool find_seconds(struct reader *reader)
{
    struct column *found = NULL;
    for (size_t i = 0; i < reader->column_count; i++) {
        struct column *column = &reader->columns[i];
        if (column->role != ROLES || !dlq_column_is_timed(column) || dlq_column_role(column->name) != ROLES)
            continue;
        if (found != NULL)
            return false;
        found = column;
    }
    if (found != NULL)
        found->role = MEASURED + DLQ_MEASURE_SECONDS;
    return found != NULL;
}

/* Notes the columns that are ignored, and those that are read by their unit and words, though no name is theirs. */
static void note_columns(struct reader *reader, bool found_seconds)
{
    struct dlq_measurements *table = reader->table;
    for (size_t i = 0; i < reader->column_count; i++) {
        const struct column *column = &reader->columns[i];
        const bool by_words =
            dlq_column_role(column->name) == ROLES &&
            (column->role == WAIT || (found_seconds && column->role == MEASURED + DLQ_MEASURE_SECONDS));
        if (column->role != ROLES && !by_words)
            continue;
        const bool is_known = dlq_column_role(column->name) != ROLES; /* "wait_s" is no share */
        note(table, column->name, 0, by_words || is_known ? NULL : dlq_column_nearest(column->name),
             by_words ? dlq_column_usual(column->role) : NULL);
    }
}

/* Refuses a header of a count and numbers: "num_workers,1,2,4" in place of a row for each count. */
static enum dlq_status refuse_transposed(const struct reader *reader)
{
    const struct column *columns = reader->columns;
    size_t numbers = 0;
    for (size_t i = 1; i < reader->column_count; i++)
        numbers += columns[i].name[0] != '\0' && columns[i].name[strspn(columns[i].name, DIGITS)] == '\0';
    if (columns[0].role >= DLQ_COUNTED || numbers < 2 || numbers + 1 < reader->column_count)
        return DLQ_OK;
    return REFUSE(reader,
                  "the table is transposed: each count has a column. Give each count a row, below a header such as "
                  "'%s,seconds'",
                  columns[0].name);
}

/* Refuses a header that lacks a column: lists its columns, with the known name that is near, and those of a table. */
static enum dlq_status refuse_header(const struct reader *reader, const char *why)
{
    char text[DLQ_TABLE_IGNORED * 2 * DLQ_QUOTED + 600], quoted[DLQ_QUOTED]; /* holds the longest lists */
    size_t used = 0;
    for (size_t i = 0; i < reader->column_count && i < DLQ_TABLE_IGNORED; i++) {
        const struct column *column = &reader->columns[i];
        const char *nearest = column->role == ROLES ? dlq_column_nearest(column->name) : NULL;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s'%s'%s%s%s", i > 0 ? ", " : "",
                                 dlq_quoted(column->name, quoted), nearest != NULL ? " (did you mean " : "",
                                 nearest != NULL ? nearest : "", nearest != NULL ? "?)" : "");
    }
    dlq_columns_list(text + used, sizeof text - used);
    return REFUSE(reader, "%s%s; the columns are %s", why, reader->title ? " (a line above was taken for a title)" : "",
                  text);
}

/* Cuts a line into fields; at blanks: where at least `gap` blanks, or a tab, follow each other. Returns their number.
 */
static size_t split(const struct reader *reader, char *text, size_t gap, char *fields[COLUMNS])
{
    size_t count = 0, right;
    if (reader->separator != '\t') /* with tabs an empty field may be at an end */
        text = dlq_trim(text);
    if (reader->separator == '|') {
        size_t length = strlen(text);
        text += text[0] == '|';
        if (length > 1 && text[strlen(text) - 1] == '|')
            text[strlen(text) - 1] = '\0';
    }
    if (reader->separator != ' ')
        return dlq_cut_fields(text, reader->separator, fields, COLUMNS, &right);
    while (*text != '\0') {
        size_t length = strcspn(text, " \t");
        while (text[length] == ' ' && strspn(text + length, " ") < gap && text[length + 1] != '\t')
            length += 1 + strcspn(text + length + 1, " \t");
        if (count < COLUMNS)
            fields[count] = text;
        count++;
        text += length;
        if (*text != '\0')
            *text++ = '\0';
        text += strspn(text, " \t");
    }
    return count;
}

/* The number of columns of a header between blanks whose names are not known, where `gap` blanks separate columns. */
static size_t unknown_names(const struct reader *reader, const char *text, size_t gap)
{
    char copy[LINE], *fields[COLUMNS];
    size_t unknown = 0;
    snprintf(copy, sizeof copy, "%s", text);
    const size_t count = split(reader, copy, gap, fields);
    for (size_t i = 0; i < count && i < COLUMNS; i++) {
        struct column column = {.unit = ""};
        dlq_column_read(&column, fields[i]);
        unknown += column.role == ROLES;
    }
    return unknown;
}

/* Names the columns. *known_count: those of a known name; *filled: those that are not empty. */
static enum dlq_status name_columns(struct reader *reader, char *text, size_t *known_count, size_t *filled)
{
    static const char separators[] = "|;,\t";
    char *fields[COLUMNS];
    reader->separator = ' ';
    for (size_t i = 0; separators[i] != '\0' && reader->separator == ' '; i++)
        reader->separator = strchr(text, separators[i]) != NULL ? separators[i] : ' ';
    /* "num workers  images/s": two blanks separate names that hold blanks, where more names are known so */
    const bool wide = reader->separator == ' ' && strstr(text, "  ") != NULL &&
                      unknown_names(reader, text, 2) < unknown_names(reader, text, 1);
    reader->column_count = split(reader, text, wide ? 2 : 1, fields);
    *known_count = *filled = 0;
    if (reader->column_count == 0 || reader->column_count > COLUMNS)
        return REFUSE(reader, "no header of 1 to %d columns", COLUMNS);
    for (size_t i = 0; i < reader->column_count; i++) {
        struct column *column = &reader->columns[i];
        *column = (struct column){.unit = ""};
        dlq_column_read(column, fields[i]);
        *known_count += column->role != ROLES;
        *filled += fields[i][0] != '\0';
        for (size_t k = 0; k < i && column->role != ROLES; k++)
            if (reader->columns[k].role == column->role)
                return REFUSE(reader, "the columns %s and %s hold the same: one of them has to go",
                              reader->columns[k].name, column->name);
    }
    return DLQ_OK;
}

/* Reads a header. A line with one field of no known name, or without separators, is a title: the header follows. */
static enum dlq_status read_header(struct reader *reader, char *text)
{
    size_t known_count, filled;
    bool counts = false, measures = false;
    TRY(name_columns(reader, text, &known_count, &filled));
    if (known_count == 0 && !reader->title && (filled < 2 || reader->separator == ' ')) {
        reader->column_count = 0;
        reader->title = true;
        return DLQ_OK;
    }
    TRY(refuse_transposed(reader));
    for (size_t i = 0; i < reader->column_count; i++) {
        counts = counts || reader->columns[i].role < DLQ_COUNTED;
        measures = measures || (reader->columns[i].role >= MEASURED && reader->columns[i].role < WAIT);
    }
    const bool found_seconds = counts && !measures && find_seconds(reader);
    if (!counts || !(measures || found_seconds))
        return refuse_header(reader, !counts ? "no column of counts" : "no column of what was measured");
    note_columns(reader, found_seconds);
    return DLQ_OK;
}

/* -- the rows -- */

/* Notes how the decimals of a cell are written; refuses points beside commas. */
static enum dlq_status note_decimals(struct reader *reader, const struct column *column, const char *text, char decimal)
{
    const size_t before = strspn(text, DIGITS);
    const bool unsure = decimal == ',' && before <= 3 && text[before] == ',' && strspn(text + before + 1, DIGITS) == 3;
    if (column->role < MEASURED)
        return DLQ_OK;
    if (decimal != '\0' || before >= 3) /* 3 may be a time whose decimals are 0 */
        *(decimal == '.'   ? &reader->point
          : unsure         ? &reader->unsure
          : decimal == ',' ? &reader->comma
                           : &reader->whole) = reader->lines->number;
    if (reader->point > 0 && (reader->comma > 0 || reader->unsure > 0))
        return REFUSE(reader, "decimals follow a point in line %ld, and a comma in line %ld", reader->point,
                      reader->comma > 0 ? reader->comma : reader->unsure);
    return DLQ_OK;
}

/* Reads a quantity, such as "104 img/s" or "4:49"; a number without a unit has that of its column. */
static enum dlq_status read_cell(const struct reader *reader, const struct column *column, const char *text,
                                 enum dlq_unit unit, double *value)
{
    char with_unit[COLUMN_NAME], why[256];
    double number;
    const size_t length = strspn(text, DIGITS ".");
    const char *behind = text + length + strspn(text + length, " "), *given = column->unit;
    const bool times = unit == DLQ_UNIT_TIME,
               of_column = column->role < ROLES && dlq_column_role(behind) == column->role;
    /* "hh:mm" and "h", unlike "mm:ss" and "h:mm:ss" */
    if (times && dlq_cell_clock(text, strchr(given, 'h') != NULL && strchr(given, 's') == NULL, value))
        return DLQ_OK;
    const bool fits = strlen(text) < COLUMN_NAME - sizeof column->unit;
    const char *column_unit = times && dlq_time_unit(given) != NULL ? dlq_time_unit(given)
                              : given[0] != '\0'                    ? given
                              : times                               ? "s"
                                                                    : "";
    const bool bare = column_unit[0] != '\0' && dlq_quantity_parse(text, DLQ_UNIT_NUMBER, &number, why, sizeof why);
    if (times && dlq_time_unit(behind) != NULL)
        snprintf(with_unit, sizeof with_unit, "%.*s%s", (int)length, text, dlq_time_unit(behind));
    else
        snprintf(with_unit, sizeof with_unit, "%.*s%s", (int)(of_column ? length : strlen(text)), text,
                 bare ? column_unit : "");
    if (fits && dlq_quantity_parse(with_unit, unit, value, why, sizeof why))
        return DLQ_OK;
    if (!fits)
        snprintf(why, sizeof why, "'%.20s...' is too long", text);
    else if (!times && column->role >= MEASURED && column->role < WAIT && length > 0 && dlq_time_unit(behind) != NULL)
        snprintf(why, sizeof why, "%s is a time, and no rate: name the column seconds", text);
    else if (bare && number < 0)
        snprintf(why, sizeof why, "%s is negative", text);
    else if (bare)
        snprintf(why, sizeof why, "%s in '%s' is not %s", text, column_unit, dlq_unit_kind(unit)->noun);
    return REFUSE(reader, "%s: %s", column->name, why);
}

static enum dlq_status read_value(struct reader *reader, const struct column *column, const char *text,
                                  struct dlq_measurement *row, long counted[DLQ_COUNTED])
{
    double value = 0;
    enum dlq_unit unit =
        column->role < DLQ_COUNTED || column->role == BATCHES ? DLQ_UNIT_COUNT
        : column->role == WAIT                                ? DLQ_UNIT_SHARE
        : column->per_batch || column->role == STEP_TIME || column->role == MEASURED + DLQ_MEASURE_SECONDS
            ? DLQ_UNIT_TIME
            : DLQ_UNIT_NUMBER;
    char plain[COLUMN_NAME], decimal;
    if (text[0] == '\0' && column->role >= WAIT)
        return DLQ_OK;
    if (dlq_cell_number(text, reader->separator, plain, COLUMN_NAME, &decimal)) {
        TRY(note_decimals(reader, column, text, decimal));
        text = plain;
    }
    TRY(read_cell(reader, column, text, unit, &value));
    const double least = column->role == DLQ_COUNTED_LOADERS ? 0 : 1;
    if (column->role < DLQ_COUNTED && !(value >= least && value <= DLQ_COUNT_MOST))
        return REFUSE(reader, "%s: %s is not in %.0f..%d", column->name, text, least, DLQ_COUNT_MOST);
    if (column->role == WAIT && !(value >= 0 && value <= 1))
        return REFUSE(reader, "%s: %s is not in 0..1 (or 0%%..100%%)", column->name, text);
    if (column->role >= MEASURED && column->role != WAIT && !(value > 1e-12 && value < 1e15))
        return REFUSE(reader, "%s: %s is %s", column->name, text, value < 1 ? "not above 0" : "too large");
    if (column->role < DLQ_COUNTED)
        counted[column->role] = (long)value;
    else if (column->role < WAIT)
        reader->measured[reader->table->count][column->role - MEASURED] = column->per_batch ? 1 / value : value;
    else if (column->role == WAIT)
        row->wait = value;
    else if (column->role == BATCHES)
        reader->table->batches =
            value < reader->table->batches || isnan(reader->table->batches) ? value : reader->table->batches;
    else {
        reader->step_sum += value;
        reader->steps++;
    }
    return DLQ_OK;
}

/* Finds the word of a row that sums the others up, such as "mean", in its count or, beside an empty one, in its first
   field; null: none. */
static const char *summary_of(const struct reader *reader, char *const *fields, size_t count)
{
    static const char *const words[] = {"mean",  "average", "avg", "median",  "total", "sum",     "std",    "stddev",
                                        "stdev", "min",     "max", "minimum", "best",  "maximum", "geomean"};
    for (size_t i = 0; i < count && i < reader->column_count; i++) {
        const char *text = fields[i][0] == '\0' ? fields[0] : fields[i];
        for (size_t k = 0; k < sizeof words / sizeof *words && reader->columns[i].role < DLQ_COUNTED; k++)
            if (strncasecmp(text, words[k], strlen(words[k])) == 0 && strchr(":.", text[strlen(words[k])]) != NULL)
                return text;
    }
    return NULL;
}

static enum dlq_status read_row(struct reader *reader, char *text)
{
    char *fields[COLUMNS];
    struct dlq_measurements *table = reader->table;
    if (table->count == DLQ_MEASUREMENTS_MOST)
        return REFUSE(reader, "more than %d rows", DLQ_MEASUREMENTS_MOST);
    struct dlq_measurement *row = &table->rows[table->count];
    long *counted = reader->counted[table->count];
    const size_t count = split(reader, text, 1, fields);
    const char *summary = summary_of(reader, fields, count);
    if (summary != NULL) {
        note(table, summary, reader->lines->number, NULL, NULL);
        return DLQ_OK;
    }
    if (count != reader->column_count)
        return REFUSE(reader, "%zu fields, but %zu columns", count, reader->column_count);
    *row = (struct dlq_measurement){.wait = NAN};
    for (size_t i = 0; i < DLQ_COUNTED; i++)
        counted[i] = -1;
    for (size_t i = 0; i < DLQ_MEASURES; i++)
        reader->measured[table->count][i] = NAN;
    for (size_t i = 0; i < count; i++)
        if (reader->columns[i].role != ROLES)
            TRY(read_value(reader, &reader->columns[i], fields[i], row, counted));
    bool kept = true;
    for (size_t i = 0; i < DLQ_COUNTED; i++)
        kept = kept && (reader->only[i] <= 0 || counted[i] < 0 || counted[i] == reader->only[i]);
    table->count += kept;
    return DLQ_OK;
}

/* Reads a value of the whole table, such as "cores=64". *found: whether the text is one. Notes what is nearly one. */
static enum dlq_status read_key(struct reader *reader, char *text, bool *found)
{
    struct dlq_measurements *table = reader->table;
    const struct {
        const char *name;
        enum dlq_unit unit;
        double *value, least;
    } keys[] = {{"cores", DLQ_UNIT_NUMBER, &table->cores, 1},
                {"batches", DLQ_UNIT_COUNT, &table->batches, 1},
                {"batch_size", DLQ_UNIT_COUNT, &table->batch_size, 1},
                {"step", DLQ_UNIT_TIME, &table->step, 0}};
    char *equals = strchr(text, '=');
    *found = false;
    if (equals == NULL)
        return DLQ_OK;
    *equals = '\0';
    struct column column = {.role = ROLES};
    snprintf(column.name, sizeof column.name, "%s", dlq_trim(text));
    struct dlq_nearest nearest = {.name = column.name};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        double value = 0;
        dlq_nearest_offer(&nearest, keys[i].name);
        if (strcmp(column.name, keys[i].name) != 0)
            continue;
        TRY(read_cell(reader, &column, dlq_trim(equals + 1), keys[i].unit, &value));
        if (!(value >= keys[i].least))
            return REFUSE(reader, "%s: must be at least %.0f", column.name, keys[i].least);
        *keys[i].value = value;
        *found = true;
        return DLQ_OK;
    }
    if (nearest.best != NULL)
        note(table, column.name, reader->lines->number, nearest.best, NULL);
    return DLQ_OK;
}

/* Reads a comment: "# cores=16, batches=1000", or words, which are ignored. */
static enum dlq_status read_comment(struct reader *reader, char *text)
{
    bool found = true;
    for (bool first = true; text != NULL && found; first = false) {
        char *comma = strchr(text, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (!first && strchr(text, '=') == NULL)
            return REFUSE(reader, "'%.40s' is no key=value, as the text before it is: one key in a line",
                          dlq_trim(text));
        TRY(read_key(reader, text, &found));
        text = comma;
    }
    return DLQ_OK;
}

static enum dlq_status read_lines(struct reader *reader)
{
    enum dlq_line line;
    while ((line = dlq_lines_next(reader->lines)) == DLQ_LINE_TEXT) {
        char *text = reader->lines->text, *first = text + strspn(text, " \t");
        if (text[strspn(text, "|-:,; \t")] == '\0') /* without fields, or below the header of a Markdown table */
            continue;
        if (first[0] == '#')
            TRY(read_comment(reader, first + 1));
        else if (reader->column_count == 0)
            TRY(read_header(reader, dlq_trim(text)));
        else
            TRY(read_row(reader, text));
    }
    if (line == DLQ_LINE_FAILED)
        return dlq_error_add(reader->error, DLQ_FAILURE, "reading %s: %s", reader->name, strerror(errno));
    if (line != DLQ_LINE_END)
        return REFUSE(reader, "%s", "not a table: the line is too long, or no text");
    if (reader->unsure > 0 && reader->comma == 0 && reader->whole > 0)
        return dlq_error_add(reader->error, DLQ_INVALID,
                             "%s:%ld: is the comma a decimal one, or that of thousands? Write numbers with a point, or "
                             "without commas",
                             reader->name, reader->unsure);
    return reader->table->count > 0 ? DLQ_OK
                                    : dlq_error_add(reader->error, DLQ_INVALID, "%s: a table needs a header and rows%s",
                                                    reader->name, reader->column_count > 0 ? "; none is left" : "");
}

/* -- the counts and seconds of the rows -- */

static bool varies(const struct reader *reader, size_t column)
{
    for (size_t i = 1; i < reader->table->count; i++)
        if (reader->counted[i][column] != reader->counted[0][column])
            return true;
    return false;
}

/* Finds what is counted: the column of counts that varies. Refuses a table with two such columns. */
static enum dlq_status find_counted(struct reader *reader)
{
    struct dlq_measurements *table = reader->table;
    const long *first = reader->counted[0];
    size_t found = DLQ_COUNTED;
    for (size_t i = 0; i < DLQ_COUNTED; i++) {
        if (reader->only[i] > 0 && first[i] < 0 && i != DLQ_COUNTED_BATCH_SIZE) /* this one may be told by the option */
            return dlq_error_add(reader->error, DLQ_INVALID,
                                 "%s: %s %ld picks rows by the column %s, which the table lacks", reader->name,
                                 dlq_counted_names[i], reader->only[i], dlq_counted_names[i]);
        if (!varies(reader, i))
            continue;
        if (found < DLQ_COUNTED)
            return dlq_error_add(reader->error, DLQ_INVALID,
                                 "%s: rows differ in %s and %s: --set pipeline.%s=%ld picks the rows with that one",
                                 reader->name, dlq_counted_names[found], dlq_counted_names[i],
                                 dlq_counted_names[i == DLQ_COUNTED_THREADS ? found : i],
                                 first[i == DLQ_COUNTED_THREADS ? found : i]);
        found = i;
    }
    for (size_t i = 0; i < DLQ_COUNTED && found == DLQ_COUNTED; i++)
        found = first[i] >= 0 ? i : found;
    table->counted = (enum dlq_counted)found;
    if (found != DLQ_COUNTED_BATCH_SIZE && first[DLQ_COUNTED_BATCH_SIZE] > 0)
        table->batch_size = (double)first[DLQ_COUNTED_BATCH_SIZE];
    return DLQ_OK;
}

static int by_count(const void *left, const void *right)
{
    const struct dlq_measurement *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count) - (a->count < b->count)
                                : (a->value > b->value) - (a->value < b->value);
}

/* Whether the times beside a rate are the same in all rows: the length of the measurement. */
static bool is_duration(const struct reader *reader, const struct column *const of[DLQ_MEASURES])
{
    bool same = of[DLQ_MEASURE_BATCHES] != NULL || of[DLQ_MEASURE_SAMPLES] != NULL;
    for (size_t i = 1; i < reader->table->count; i++)
        same = same && reader->measured[i][DLQ_MEASURE_SECONDS] == reader->measured[0][DLQ_MEASURE_SECONDS];
    return same;
}

/* Finds the measure: the only one; of several that agree a rate of batches, else the times. Rates agree with times, or
   with other rates, if they differ by the same factor in all rows. */
static enum dlq_status find_measure(struct reader *reader)
{
    static const enum dlq_measure order[] = {DLQ_MEASURE_BATCHES, DLQ_MEASURE_SECONDS, DLQ_MEASURE_SAMPLES};
    struct dlq_measurements *table = reader->table;
    const struct column *of[DLQ_MEASURES] = {NULL};
    size_t chosen = 0;
    for (size_t i = 0; i < reader->column_count; i++)
        if (reader->columns[i].role >= MEASURED && reader->columns[i].role < WAIT)
            of[reader->columns[i].role - MEASURED] = &reader->columns[i];
    if (of[DLQ_MEASURE_SECONDS] != NULL && is_duration(reader, of)) {
        note(table, of[DLQ_MEASURE_SECONDS]->name, 0, NULL, NULL);
        of[DLQ_MEASURE_SECONDS] = NULL;
    }
    while (chosen + 1 < DLQ_MEASURES && of[order[chosen]] == NULL)
        chosen++;
    table->measure = order[chosen];
    table->unnamed_rate = of[table->measure] != NULL && of[table->measure]->unnamed_rate;
    for (size_t i = 0; i < table->count; i++)
        table->rows[i].value = reader->measured[i][table->measure];
    for (size_t other = chosen + 1; other < DLQ_MEASURES; other++) {
        const enum dlq_measure measure = order[other];
        double least = INFINITY, most = 0;
        for (size_t i = 0; i < table->count && of[measure] != NULL; i++) {
            const double a = table->rows[i].value, b = reader->measured[i][measure];
            const bool time = (measure == DLQ_MEASURE_SECONDS) != (table->measure == DLQ_MEASURE_SECONDS);
            least = fmin(least, time ? a * b : a / b);
            most = fmax(most, time ? a * b : a / b);
        }
        if (most > (1 + dlq_calibration.alike) * least)
            return dlq_error_add(reader->error, DLQ_INVALID,
                                 "%s: the columns %s and %s do not agree: their ratios differ by a factor of up to "
                                 "%.3g. Drop the one that is not to count",
                                 reader->name, of[table->measure]->name, of[measure]->name, most / least);
        if (of[measure] != NULL)
            note(table, of[measure]->name, 0, NULL, NULL);
    }
    return DLQ_OK;
}

/* Sets count and seconds of each row, and sorts the rows. Where batch sizes differ, the unit of work is a sample. */
static void set_seconds(struct reader *reader)
{
    struct dlq_measurements *table = reader->table;
    for (size_t i = 0; i < table->count; i++) {
        struct dlq_measurement *row = &table->rows[i];
        row->count = reader->counted[i][table->counted];
        row->seconds = table->measure == DLQ_MEASURE_SECONDS ? row->value : 1 / row->value;
        if (table->measure == DLQ_MEASURE_BATCHES && table->counted == DLQ_COUNTED_BATCH_SIZE)
            row->seconds /= (double)row->count;
    }
    qsort(table->rows, table->count, sizeof *table->rows, by_count);
    for (size_t i = 0; i < table->count; i++)
        table->distinct += i == 0 || table->rows[i].count != table->rows[i - 1].count;
    if (reader->steps > 0)
        table->step = reader->step_sum / reader->steps;
}

enum dlq_status dlq_measurements_read(struct dlq_measurements *table, const char *name, FILE *stream,
                                      const long only[DLQ_COUNTED], struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "reading a table"};
    struct reader *reader;
    NEW(&arena, reader, 1);
    NEW(&arena, reader->lines, 1);
    NEW(&arena, reader->counted, DLQ_MEASUREMENTS_MOST);
    NEW(&arena, reader->measured, DLQ_MEASUREMENTS_MOST);
    reader->name = name;
    reader->only = only;
    reader->table = table;
    reader->error = error;
    *table = (struct dlq_measurements){.cores = NAN, .batches = NAN, .batch_size = NAN, .step = NAN};
    dlq_lines_begin(reader->lines, stream, LINE, BYTES);
    TRY(read_lines(reader));
    TRY(find_counted(reader));
    TRY(find_measure(reader));
    set_seconds(reader);
    return DLQ_OK;
}
