/* Reads a table of measured runs: columns of known names, in CSV or between |, blanks or tabs. */
#include "base/lines.h"
#include "base/option.h"
#include "base/quantity.h"
#include "logs/study/table/table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const dlq_counted_names[DLQ_COUNTED] = {"loaders", "ranks", "threads", "batch_size", "prefetch"};
const char *const dlq_measure_names[DLQ_MEASURES] = {"samples_per_s", "batches_per_s", "seconds"};

enum { COLUMNS = 64, NAME = 64, LINE = 4096, BYTES = 1 << 20 };

/* What a column holds: a count (enum dlq_counted), a measure (MEASURED + enum dlq_measure), or another value. */
enum role { MEASURED = DLQ_COUNTED, WAIT = MEASURED + DLQ_MEASURES, STEP_TIME, BATCHES, ROLES };

/* Names of columns of each role; null ends them. */
static const char *const known[ROLES][7] = {
    [DLQ_COUNTED_LOADERS] = {"loaders", "workers", "num_workers"},
    [DLQ_COUNTED_RANKS] = {"ranks", "gpus"},
    [DLQ_COUNTED_THREADS] = {"threads"},
    [DLQ_COUNTED_BATCH_SIZE] = {"batch_size"},
    [DLQ_COUNTED_PREFETCH] = {"prefetch"},
    [MEASURED + DLQ_MEASURE_SAMPLES] = {"samples_per_s", "images_per_s", "imgs_per_s", "img_per_s", "throughput"},
    [MEASURED + DLQ_MEASURE_BATCHES] = {"batches_per_s", "it_per_s", "iter_per_s", "steps_per_s"},
    [MEASURED + DLQ_MEASURE_SECONDS] = {"seconds", "epoch_seconds", "time", "epoch_time", "ms", "minutes"},
    [WAIT] = {"wait"},
    [STEP_TIME] = {"step"},
    [BATCHES] = {"batches"},
};

struct reader {
    const char *name; /* of the file */
    const long *only; /* of dlq_measurements_read */
    struct dlq_measurements *table;
    struct dlq_lines *lines;
    struct dlq_error *error;
    char separator; /* ' ': blanks and tabs */
    size_t column_count;
    struct column {
        int role;
        char name[NAME], unit[16];
    } columns[COLUMNS];
    long (*counted)[DLQ_COUNTED]; /* of each row of the table */
    double step_sum, steps;       /* of the column `step` */
};

#define REFUSE(reader, format, ...)                                                                                    \
    dlq_error_add((reader)->error, DLQ_INVALID, "%s:%ld: " format, (reader)->name, (reader)->lines->number, __VA_ARGS__)

/* -- the header -- */

/* The unit of a time in "sec", or in "sec/epoch", which also says of what work; null: none. */
static const char *time_unit(const char *text)
{
    static const char *const units[][2] = {{"s", "s"},         {"sec", "s"},   {"secs", "s"},  {"seconds", "s"},
                                           {"ms", "ms"},       {"msec", "ms"}, {"min", "min"}, {"mins", "min"},
                                           {"minutes", "min"}, {"h", "h"},     {"hours", "h"}};
    const char *per = strstr(text, "_per_");
    const size_t length = per != NULL ? (size_t)(per - text) : strcspn(text, "/");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i][0]) == length && memcmp(text, units[i][0], length) == 0)
            return units[i][1];
    return NULL;
}

/* Finds the role of a name, also of "imgs/sec" for "imgs_per_s"; ROLES: it is not known. */
static int role_of(const char *name)
{
    char rate[NAME + 8];
    const char *slash = strchr(name, '/'), *per = slash != NULL ? slash : strstr(name, "_per_"),
               *time = per != NULL ? time_unit(per + (slash != NULL ? 1 : 5)) : NULL;
    if (time != NULL) {
        snprintf(rate, sizeof rate, "%.*s_per_%s", (int)(per - name), name, time);
        name = rate;
    }
    for (int role = 0; role < ROLES; role++)
        for (size_t k = 0; known[role][k] != NULL; k++)
            if (strcmp(known[role][k], name) == 0)
                return role;
    return ROLES;
}

/* Notes a column, or a comment of a line, that is ignored. */
static void ignore(struct dlq_measurements *table, const char *name, long line, const char *nearest)
{
    if (table->ignored_count < DLQ_TABLE_IGNORED && name[0] != '\0') { /* the first column of pandas has no name */
        struct dlq_table_ignored *ignored = &table->ignored[table->ignored_count++];
        snprintf(ignored->name, sizeof ignored->name, "%s", name);
        ignored->line = line;
        ignored->nearest = nearest;
    }
}

static void ignore_column(struct dlq_measurements *table, const char *name)
{
    struct dlq_nearest nearest = {.name = name};
    for (int role = 0; role < ROLES; role++)
        for (size_t k = 0; known[role][k] != NULL; k++)
            dlq_nearest_offer(&nearest, known[role][k]);
    ignore(table, name, 0, nearest.best);
}

/* Refuses a header, and lists the columns of a table. */
static enum dlq_status refuse_header(const struct reader *reader, const char *why)
{
    char list[400] = "";
    size_t used = 0;
    for (int role = 0; role < ROLES; role++) {
        const char *const *names = known[role];
        const char *before = role == 0 ? "" : role == MEASURED || role == WAIT ? "; " : ", ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, names[0]);
        for (size_t k = 1; names[k] != NULL; k++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s%s", k == 1 ? " (" : ", ", names[k],
                                     names[k + 1] == NULL ? ")" : "");
    }
    return REFUSE(reader, "%s; columns are %s", why, list);
}

/* "Epoch seconds (ms)": the name epoch_seconds and the unit ms; "time_ms", "ms", "min/epoch", "Speed (img/s)", too. */
static void name_column(struct column *column, const char *text)
{
    size_t used = 0, length = strcspn(text, "([");
    if (text[length] != '\0')
        snprintf(column->unit, sizeof column->unit, "%.*s", (int)strcspn(text + length + 1, ")]"), text + length + 1);
    for (size_t i = 0; i < length && used + 1 < NAME; i++)
        column->name[used++] = strchr(" -", text[i]) != NULL ? '_' : (char)tolower((unsigned char)text[i]);
    while (used > 0 && column->name[used - 1] == '_')
        used--;
    column->name[used] = '\0';
    column->role = role_of(column->name);
    const int rate = role_of(column->unit);
    const char *unit = time_unit(column->name);
    char *last = strrchr(column->name, '_');
    if (unit != NULL) {
        column->role = MEASURED + DLQ_MEASURE_SECONDS;
    } else if (column->role == ROLES && last != NULL && time_unit(last + 1) != NULL) {
        unit = time_unit(last + 1);
        *last = '\0';
        column->role = role_of(column->name);
    } else if (rate == MEASURED + DLQ_MEASURE_SAMPLES || rate == MEASURED + DLQ_MEASURE_BATCHES) {
        column->role = rate;
        column->unit[0] = '\0';
    }
    if (unit != NULL && column->unit[0] == '\0')
        snprintf(column->unit, sizeof column->unit, "%s", unit);
}

static size_t split(const struct reader *reader, char *text, char *fields[COLUMNS])
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

static enum dlq_status read_header(struct reader *reader, char *text)
{
    static const char separators[] = "|,;\t";
    char *fields[COLUMNS], why[NAME + 64] = "";
    int measures = 0, counts = 0;
    reader->separator = ' ';
    for (size_t i = 0; separators[i] != '\0' && reader->separator == ' '; i++)
        reader->separator = strchr(text, separators[i]) != NULL ? separators[i] : ' ';
    reader->column_count = split(reader, text, fields);
    if (reader->column_count == 0 || reader->column_count > COLUMNS)
        return REFUSE(reader, "no header of 1 to %d columns", COLUMNS);
    for (size_t i = 0; i < reader->column_count; i++) {
        struct column *column = &reader->columns[i];
        name_column(column, fields[i]);
        if (column->role == ROLES) {
            snprintf(why, sizeof why, "no column of a table is called '%s'", column->name);
            ignore_column(reader->table, column->name);
        }
        for (size_t k = 0; k < i && column->role != ROLES; k++)
            if (reader->columns[k].role == column->role)
                return REFUSE(reader, "the columns %s and %s hold the same", reader->columns[k].name, column->name);
        counts += column->role < DLQ_COUNTED;
        measures += column->role >= MEASURED && column->role < WAIT;
        if (column->role >= MEASURED && column->role < WAIT)
            reader->table->measure = (enum dlq_measure)(column->role - MEASURED);
    }
    if (why[0] != '\0' && (counts == 0 || measures == 0))
        return refuse_header(reader, why);
    if (counts == 0)
        return refuse_header(reader, "no column of counts");
    snprintf(why, sizeof why, "%d columns of what was measured, and one is needed", measures);
    return measures == 1 ? DLQ_OK : refuse_header(reader, why);
}

/* -- the rows -- */

/* Reads "4:49" as minutes and seconds, or hours and minutes, and "1:02:03". False: not such a time. */
static bool read_clock(const char *text, bool hours, double *seconds)
{
    static const char digits[] = "0123456789";
    double sum = 0;
    int parts = 1;
    char *end;
    if (strspn(text, "0123456789:.") < strlen(text))
        return false;
    for (;; parts++, text = end + 1) {
        const double number = strtod(text, &end);
        if (end == text || (parts > 1 && (strspn(text, digits) != 2 || number >= 60)))
            return false;
        sum = 60 * sum + number;
        if (*end == '\0')
            break;
        if (text[strspn(text, digits)] != ':')
            return false;
    }
    *seconds = parts == 2 && hours ? 60 * sum : sum;
    return parts == 2 || parts == 3;
}

/* Reads a quantity, such as "104 img/s" or "4:49"; a number without a unit has that of its column. */
static enum dlq_status read_cell(const struct reader *reader, const struct column *column, const char *text,
                                 enum dlq_unit unit, double *value)
{
    char with_unit[NAME], why[256];
    double number;
    const size_t length = strspn(text, "0123456789.");
    const char *behind = text + length + strspn(text + length, " "), *given = column->unit;
    const bool times = unit == DLQ_UNIT_TIME, of_column = column->role < ROLES && role_of(behind) == column->role;
    /* "hh:mm" and "h", unlike "mm:ss" and "h:mm:ss" */
    if (times && read_clock(text, strchr(given, 'h') != NULL && strchr(given, 's') == NULL, value))
        return DLQ_OK;
    const bool fits = strlen(text) < NAME - sizeof column->unit;
    const char *column_unit = times && time_unit(given) != NULL ? time_unit(given)
                              : given[0] != '\0'                ? given
                              : times                           ? "s"
                                                                : "";
    const bool bare = column_unit[0] != '\0' && dlq_quantity_parse(text, DLQ_UNIT_NUMBER, &number, why, sizeof why);
    if (times && time_unit(behind) != NULL)
        snprintf(with_unit, sizeof with_unit, "%.*s%s", (int)length, text, time_unit(behind));
    else
        snprintf(with_unit, sizeof with_unit, "%.*s%s", (int)(of_column ? length : strlen(text)), text,
                 bare ? column_unit : "");
    if (fits && dlq_quantity_parse(with_unit, unit, value, why, sizeof why))
        return DLQ_OK;
    if (!fits)
        snprintf(why, sizeof why, "'%.20s...' is too long", text);
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
    enum dlq_unit unit = column->role < DLQ_COUNTED || column->role == BATCHES ? DLQ_UNIT_COUNT
                         : column->role == WAIT                                ? DLQ_UNIT_SHARE
                         : column->role == STEP_TIME || column->role == MEASURED + DLQ_MEASURE_SECONDS
                             ? DLQ_UNIT_TIME
                             : DLQ_UNIT_NUMBER;
    if (text[0] == '\0' && column->role >= WAIT)
        return DLQ_OK;
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
        row->value = value;
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

static enum dlq_status read_row(struct reader *reader, char *text)
{
    char *fields[COLUMNS];
    struct dlq_measurements *table = reader->table;
    if (text[strspn(text, "|-: \t")] == '\0') /* the line below the header of a Markdown table */
        return DLQ_OK;
    if (table->count == DLQ_MEASUREMENTS_MOST)
        return REFUSE(reader, "more than %d rows", DLQ_MEASUREMENTS_MOST);
    struct dlq_measurement *row = &table->rows[table->count];
    long *counted = reader->counted[table->count];
    size_t count = split(reader, text, fields);
    if (count != reader->column_count)
        return REFUSE(reader, "%zu fields, but %zu columns", count, reader->column_count);
    *row = (struct dlq_measurement){.wait = NAN};
    for (size_t i = 0; i < DLQ_COUNTED; i++)
        counted[i] = -1;
    for (size_t i = 0; i < count; i++)
        if (reader->columns[i].role != ROLES)
            TRY(read_value(reader, &reader->columns[i], fields[i], row, counted));
    bool kept = true;
    for (size_t i = 0; i < DLQ_COUNTED; i++)
        kept = kept && (reader->only[i] <= 0 || counted[i] < 0 || counted[i] == reader->only[i]);
    table->count += kept;
    return DLQ_OK;
}

/* Reads a value of the whole table, such as "cores=64"; ignores other comments, and notes one that is nearly that. */
static enum dlq_status read_comment(struct reader *reader, char *text)
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
        return DLQ_OK;
    }
    if (nearest.best != NULL)
        ignore(table, column.name, reader->lines->number, nearest.best);
    return DLQ_OK;
}

static enum dlq_status read_lines(struct reader *reader)
{
    enum dlq_line line;
    while ((line = dlq_lines_next(reader->lines)) == DLQ_LINE_TEXT) {
        char *text = reader->lines->text, *first = text + strspn(text, " \t");
        if (first[0] == '\0')
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
            return dlq_error_add(
                reader->error, DLQ_INVALID, "%s: rows differ in %s and %s: --set pipeline.%s=%ld picks", reader->name,
                dlq_counted_names[found], dlq_counted_names[i], dlq_counted_names[i == DLQ_COUNTED_THREADS ? found : i],
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
    reader->name = name;
    reader->only = only;
    reader->table = table;
    reader->error = error;
    *table = (struct dlq_measurements){.cores = NAN, .batches = NAN, .batch_size = NAN, .step = NAN};
    dlq_lines_begin(reader->lines, stream, LINE, BYTES);
    TRY(read_lines(reader));
    TRY(find_counted(reader));
    set_seconds(reader);
    return DLQ_OK;
}
