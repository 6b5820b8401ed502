/* CSV with a header line: the format that users' own scripts write. */
#include "base/quantity.h"
#include "base/utf8.h"
#include "trace/csv_header.h"
#include "trace/format.h"
#include "trace/number.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SURE = 60, UNSURE = 5, TEXT = 256 };

struct csv {
    struct dlq_csv_header header; /* none yet where it has no columns */
    bool refused;                 /* the header is wrong: nothing can be read */
};

/* -- values -- */

/* -1 is what programs write for none: a batch that no worker has loaded. */
static bool take_whole(const struct dlq_csv_column *column, double value, long *into, struct dlq_log *log)
{
    if (!(value >= -1 && value <= INT32_MAX && value == (double)(long)value)) {
        dlq_log_bad(log, "column %s: %.15g is not a whole number from 0 to %d", column->name, value, INT32_MAX);
        return false;
    }
    *into = (long)value;
    return true;
}

static bool take_time(const struct dlq_csv_column *column, double value, double *into, struct dlq_log *log)
{
    char why[DLQ_LOG_WHY];
    if (!dlq_log_time(column->name, value, why))
        dlq_log_bad(log, "column %s (with a unit: 12ms, 34us, 56ns)", why);
    else if (value < 0 && column->kind == DLQ_CSV_DURATION)
        dlq_log_bad(log, "column %s: %.15g is negative", column->name, value);
    else
        *into = value;
    return *into == value;
}

static bool take_value(const struct dlq_csv_column *column, double value, struct dlq_record *record,
                       struct dlq_log *log)
{
    void *into = (char *)record + column->offset;
    if (column->kind == DLQ_CSV_WHOLE)
        return take_whole(column, value, into, log);
    return take_time(column, value, into, log);
}

/* What is no bare number: nothing, a quoted number, a time with its unit, or a mistake. */
static bool take_text(const struct dlq_csv_column *column, const struct dlq_csv_field *field, char separator,
                      struct dlq_record *record, struct dlq_log *log)
{
    char text[TEXT], why[TEXT], quoted[DLQ_QUOTED];
    size_t length = field->length;
    if (length >= sizeof text) {
        dlq_log_bad(log, "column %s: the field is over %d bytes long", column->name, TEXT - 1);
        return false;
    }
    memcpy(text, field->text, length);
    text[length] = '\0';
    const char *begin = text + strspn(text, " \t");
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
    if (*begin == '\0')
        return true;
    const char *end = begin;
    double value;
    if (dlq_number_read(&end, separator == ';', &value) && *end == '\0')
        return take_value(column, value, record, log);
    char *comma = separator == ';' ? strchr(text, ',') : NULL;
    if (comma != NULL)
        *comma = '.';
    if (column->kind == DLQ_CSV_WHOLE)
        dlq_log_bad(log, "column %s: '%s' is not a whole number", column->name, dlq_quoted(begin, quoted));
    else if (dlq_quantity_parse(begin, DLQ_UNIT_TIME, &value, why, sizeof why))
        return take_value(column, value, record, log);
    else
        dlq_log_bad(log, "column %s: %s", column->name, why);
    return false;
}

/* -- rows -- */

static const char *bad_quotes(struct dlq_log *log, size_t column)
{
    dlq_log_bad(log, "field %zu: a quote that never ends, or text after it", column + 1);
    return NULL;
}

/* Takes the field at `at` in and returns what is behind it; null: it is bad. */
static const char *take_field(struct dlq_log *log, const char *at, size_t place, struct dlq_record *record)
{
    const struct csv *csv = log->state;
    const struct dlq_csv_column *column = &csv->header.columns[place];
    struct dlq_csv_field field;
    const char *end = at;
    double value;
    char separator = csv->header.separator;
    if (column->name != NULL && dlq_number_read(&end, separator == ';', &value) && (*end == separator || *end == '\0'))
        return take_value(column, value, record, log) ? end : NULL;
    end = dlq_csv_cut(at, separator, &field);
    if (end == NULL)
        return bad_quotes(log, place);
    return column->name == NULL || take_text(column, &field, separator, record, log) ? end : NULL;
}

/* Fields from `at` on. Without quotes, separators tell. */
static const char *count_rest(const char *at, char separator, size_t *count)
{
    struct dlq_csv_field field;
    if (strchr(at, '"') == NULL) {
        *count += 1;
        for (; *at != '\0'; at++)
            *count += *at == separator;
        return at;
    }
    for (;; at++) {
        at = dlq_csv_cut(at, separator, &field);
        if (at == NULL)
            return NULL;
        ++*count;
        if (*at == '\0')
            return at;
    }
}

static enum dlq_taken check_count(struct dlq_log *log, size_t count)
{
    const struct csv *csv = log->state;
    size_t wanted = csv->header.count;
    if (count == wanted)
        return DLQ_TAKEN_RECORD;
    return dlq_log_bad(log, "%zu fields, but the header has %zu%s", count, wanted,
                       count > wanted && csv->header.separator == ',' ? " (a decimal comma? write 1.5)" : "");
}

static enum dlq_taken read_fields(struct dlq_log *log, struct dlq_record *record)
{
    const struct csv *csv = log->state;
    const char *at = log->lines->text;
    size_t count = 0;
    while (count < csv->header.last) {
        at = take_field(log, at, count, record);
        if (at == NULL)
            return DLQ_TAKEN_BAD;
        count++;
        if (*at++ == '\0')
            return check_count(log, count);
    }
    at = count_rest(at, csv->header.separator, &count);
    if (at == NULL) {
        bad_quotes(log, count);
        return DLQ_TAKEN_BAD;
    }
    return check_count(log, count);
}

static enum dlq_taken check_order(struct dlq_log *log, const char *first, double from, const char *second, double to)
{
    return dlq_log_bad(log, "column %s: %.15g is before %s, %.15g", second, to, first, from);
}

static bool has_end(const struct dlq_record *record)
{
    return !isnan(record->data) || !isnan(record->iter) || !isnan(record->step) || !isnan(record->request) ||
           !isnan(record->received) || !isnan(record->step_end);
}

static enum dlq_taken check_row(struct dlq_log *log, struct dlq_record *record)
{
    if (record->load_end < record->load_start)
        return check_order(log, "load_start", record->load_start, "load_end", record->load_end);
    if (record->received < record->request)
        return check_order(log, "request", record->request, "received", record->received);
    if (record->step_end < record->received)
        return check_order(log, "received", record->received, "step_end", record->step_end);
    if (record->data > record->iter)
        return dlq_log_bad(log, "data time %g s is longer than the iteration, %g s", record->data, record->iter);
    bool points = !isnan(record->load) || !isnan(record->load_start) || !isnan(record->request) ||
                  !isnan(record->received) || !isnan(record->step_end);
    if (log->every > 1 && points)
        return dlq_log_bad(log, "--every is of means: loads and points in time are of one batch");
    record->count = log->every;
    if (has_end(record))
        return DLQ_TAKEN_RECORD;
    record->count = 0;
    if (isnan(record->load) && isnan(record->load_start) && isnan(record->load_end) && isnan(record->dispatched))
        return dlq_log_bad(log, "no time is in this row");
    return DLQ_TAKEN_RECORD;
}

/* -- the format -- */

static enum dlq_taken read_header(struct dlq_log *log)
{
    struct csv *csv = log->state;
    char *unused = log->shared->unused;
    if (dlq_csv_header_read(&csv->header, log->lines->text, log->why, sizeof log->why)) {
        if (unused[0] == '\0')
            snprintf(unused, sizeof log->shared->unused, "%s", csv->header.unused);
        return DLQ_TAKEN_NOTHING;
    }
    csv->refused = true;
    if (log->why[0] != '\0')
        return DLQ_TAKEN_BAD;
    dlq_log_bad(log, "out of memory");
    return DLQ_TAKEN_FAILED;
}

/* "# world=4": so many processes are of the run, as dlqueue_probe.py writes where it knows that. */
static void read_comment(struct dlq_log *log, const char *text)
{
    static const char key[] = "world=";
    text += strspn(text, " \t");
    size_t digits = strncmp(text, key, sizeof key - 1) == 0 ? strspn(text + sizeof key - 1, "0123456789") : 0;
    long world = digits > 0 && digits < 7 ? strtol(text + sizeof key - 1, NULL, 10) : 0;
    if (world > log->shared->world)
        log->shared->world = world;
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    const struct csv *csv = log->state;
    if (csv->refused)
        return DLQ_TAKEN_END;
    enum dlq_taken taken = dlq_log_line(log);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    const char *text = log->lines->text;
    while (*text == ' ' || *text == '\t')
        text++;
    if (*text == '#')
        read_comment(log, text + 1);
    if (*text == '\0' || *text == '#')
        return DLQ_TAKEN_NOTHING;
    if (csv->header.count == 0)
        return read_header(log);
    taken = read_fields(log, record);
    return taken == DLQ_TAKEN_RECORD ? check_row(log, record) : taken;
}

static bool begin(struct dlq_log *log)
{
    log->state = calloc(1, sizeof(struct csv));
    return log->state != NULL;
}

static void end(struct dlq_log *log)
{
    struct csv *csv = log->state;
    dlq_csv_header_free(&csv->header);
    free(csv);
}

/* Moves *head to the first line that is no comment, as the reader sees it, and returns its length. */
static size_t first_line(const char **head)
{
    size_t length = 0;
    do {
        *head += length;
        *head += strspn(*head, " \t\r\n");
        length = strcspn(*head, "\r\n");
    } while (**head == '#');
    return length;
}

/* Words above numbers may be the header of a CSV file with a slip in the names, if nothing else is more likely. */
static int probe(const char *head, size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF";
    char line[DLQ_LOG_LINE + 1];
    (void)length;
    if (strncmp(head, mark, sizeof mark - 1) == 0)
        head += sizeof mark - 1;
    size_t size = first_line(&head);
    if (size > DLQ_LOG_LINE)
        return 0;
    memcpy(line, head, size);
    line[size] = '\0';
    enum dlq_csv_looks looks = dlq_csv_header_looks(line);
    if (looks != DLQ_CSV_WORDS)
        return looks == DLQ_CSV_HEADER ? SURE : 0;
    head += size;
    first_line(&head);
    return *head != '\0' && strchr("0123456789+-.,;\"", *head) != NULL ? UNSURE : 0;
}

const struct dlq_format dlq_format_csv = {
    .name = "csv",
    .written_by = "scripts of users",
    .meaning = "times in s, a row per batch, columns by name: data_time, iter_time, load_start, load_end, ...",
    .numbers = DLQ_NUMBERS_SINGLE,
    .probe = probe,
    .begin = begin,
    .next = next,
    .end = end,
};
