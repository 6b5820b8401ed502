/* CSV with a header line: the format that users' own scripts write. Columns are known by their names, in any order. */
#include "base/option.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "trace/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* -- what a column can be -- */

enum kind { WHOLE, POINT, DURATION };

struct known {
    const char *name;
    enum kind kind;
    size_t offset; /* of the long or double in dlq_record */
};

#define AT(MEMBER) offsetof(struct dlq_record, MEMBER)

/* Names that fill the same member mean the same. */
static const struct known known_columns[] = {
    {"rank", WHOLE, AT(rank)},
    {"epoch", WHOLE, AT(epoch)},
    {"batch", WHOLE, AT(index)},
    {"index", WHOLE, AT(index)},
    {"worker", WHOLE, AT(worker)},
    {"dispatched", POINT, AT(dispatched)},
    {"load_start", POINT, AT(load_start)},
    {"load_end", POINT, AT(load_end)},
    {"load_time", DURATION, AT(load)},
    {"request", POINT, AT(request)},
    {"received", POINT, AT(received)},
    {"step_end", POINT, AT(step_end)},
    {"data_time", DURATION, AT(data)},
    {"data_wait", DURATION, AT(data)},
    {"iter_time", DURATION, AT(iter)},
    {"step_time", DURATION, AT(step)},
    {"load_cpu", DURATION, AT(use[DLQ_LOAD_CPU])},
    {"load_delay", DURATION, AT(use[DLQ_LOAD_DELAY])},
    {"worker_cpu", DURATION, AT(use[DLQ_WORKER_CPU])},
    {"worker_delay", DURATION, AT(use[DLQ_WORKER_DELAY])},
    {"receive_cpu", DURATION, AT(use[DLQ_RECEIVE_CPU])},
    {"receive_delay", DURATION, AT(use[DLQ_RECEIVE_DELAY])},
    {"step_cpu", DURATION, AT(use[DLQ_STEP_CPU])},
    {"step_delay", DURATION, AT(use[DLQ_STEP_DELAY])},
};

enum { KNOWN = sizeof known_columns / sizeof *known_columns };

/* Columns of which one pair is enough for a time. */
static const size_t useful[][2] = {
    {AT(data), AT(data)},           {AT(iter), AT(iter)},        {AT(step), AT(step)},         {AT(load), AT(load)},
    {AT(load_start), AT(load_end)}, {AT(request), AT(received)}, {AT(step_end), AT(step_end)},
};

/* A part of a line, without blanks around it and without quotes; not terminated. */
struct field {
    const char *text;
    size_t length;
};

struct column {
    struct field name;         /* in the header line: while that is read */
    const struct known *known; /* null: not used */
};

struct csv {
    bool refused; /* the header is wrong: nothing can be read */
    char separator;
    size_t count; /* of columns; 0: no header yet */
    size_t last;  /* columns up to the last one that is used */
    struct column *columns;
};

/* -- fields -- */

/* Cuts off the field that begins at `at` (RFC 4180, blanks around it allowed) and returns what is behind it: the
   separator or the line's end. Null: a quote that never ends, or text after it. */
static const char *cut_field(const char *at, char separator, struct field *field)
{
    at = dlq_skip_blanks(at);
    if (*at == '"') {
        field->text = ++at;
        while (*at != '\0' && (*at != '"' || at[1] == '"'))
            at += *at == '"' ? 2 : 1;
        if (*at == '\0')
            return NULL;
        field->length = (size_t)(at - field->text);
        at = dlq_skip_blanks(at + 1);
        return *at == '\0' || *at == separator ? at : NULL;
    }
    field->text = at;
    while (*at != separator && *at != '\0')
        at++;
    field->length = (size_t)(at - field->text);
    while (field->length > 0 && (field->text[field->length - 1] == ' ' || field->text[field->length - 1] == '\t'))
        field->length--;
    return at;
}

/* Adds how many fields there are from `at` on; false: bad quotes, *count is that of the fields before. */
static bool count_fields(const char *at, char separator, size_t *count)
{
    struct field field;
    if (strchr(at, '"') == NULL) { /* separators tell */
        *count += 1;
        for (; *at != '\0'; at++)
            *count += *at == separator;
        return true;
    }
    for (;; at++) {
        at = cut_field(at, separator, &field);
        if (at == NULL)
            return false;
        ++*count;
        if (*at == '\0')
            return true;
    }
}

/* -- the header -- */

static bool is_called(const struct field *field, const char *name)
{
    return strlen(name) == field->length && strncmp(name, field->text, field->length) == 0;
}

static char separator_of(const char *header)
{
    return strchr(header, ';') != NULL ? ';' : ',';
}

static const struct known *find_known(const struct field *name)
{
    for (const struct known *known = known_columns; known < known_columns + KNOWN; known++)
        if (strlen(known->name) == name->length && strncasecmp(known->name, name->text, name->length) == 0)
            return known;
    return NULL;
}

/* What people call them in --column. */
static const struct known *find_role(const char *text, size_t length)
{
    static const char *const brief[][2] = {
        {"data", "data_time"}, {"iter", "iter_time"}, {"step", "step_time"}, {"load", "load_time"}};
    struct field field = {text, length};
    for (size_t i = 0; i < sizeof brief / sizeof *brief; i++)
        if (is_called(&field, brief[i][0]))
            field = (struct field){brief[i][1], strlen(brief[i][1])};
    return find_known(&field);
}

enum dlq_status dlq_columns_check(const struct dlq_trace_options *options, struct dlq_error *error)
{
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < options->column_count; i++) {
        const char *text = options->columns[i], *equals = strchr(text, '=');
        if (equals == NULL || equals[1] == '\0')
            status =
                dlq_error_add(error, DLQ_INVALID, "--column: '%.60s' is not ROLE=NAME, as data=timers/rtime is", text);
        else if (find_role(text, (size_t)(equals - text)) == NULL)
            status =
                dlq_error_add(error, DLQ_INVALID,
                              "--column: '%.*s' is not data, iter, step, load, epoch, batch, rank, worker or another "
                              "name of a csv log (dlqueue help formats)",
                              (int)(equals - text > 40 ? 40 : equals - text), text);
    }
    return status;
}

/* What --column says of the column of that name, or its own name; null: neither, or another column has that part. */
static const struct known *part_of(const struct dlq_log *log, const struct field *name)
{
    const struct known *own = find_known(name);
    for (size_t i = 0; i < log->column_count; i++) {
        const char *equals = strchr(log->columns[i], '=');
        const struct known *role = find_role(log->columns[i], (size_t)(equals - log->columns[i]));
        if (is_called(name, equals + 1))
            return role;
        if (own != NULL && own->offset == role->offset)
            own = NULL;
    }
    return own;
}

static bool has(const struct csv *csv, size_t offset)
{
    for (size_t i = 0; i < csv->count; i++)
        if (csv->columns[i].known != NULL && csv->columns[i].known->offset == offset)
            return true;
    return false;
}

/* No column has times: "did you mean" the known name that comes closest to the first of the header's that has one. */
static enum dlq_taken refuse_useless(struct dlq_log *log)
{
    enum { NAME = 64 };
    const struct csv *csv = log->state;
    const char *names[KNOWN + 1] = {NULL}, *near = NULL;
    char seen[NAME], quoted[DLQ_QUOTED], hint[DLQ_QUOTED + NAME] = "";
    for (size_t i = 0; i < KNOWN; i++)
        names[i] = known_columns[i].name;
    for (size_t i = 0; i < csv->count && near == NULL; i++) {
        const struct column *column = &csv->columns[i];
        if (column->known != NULL || column->name.length >= NAME)
            continue;
        memcpy(seen, column->name.text, column->name.length);
        seen[column->name.length] = '\0';
        near = dlq_nearest(seen, names);
    }
    if (near != NULL)
        snprintf(hint, sizeof hint, "; '%s': did you mean %s?", dlq_quoted(seen, quoted), near);
    return dlq_log_bad(
        log,
        "no column has times: data_time or data_wait, iter_time, step_time, load_time, step_end, load_start and "
        "load_end, request and received%s",
        hint);
}

/* Names that are not known, where waits or iterations are not: they may be under one of these. */
static void list_unused(const struct csv *csv, char unused[DLQ_LOG_WHY])
{
    enum { LISTED = 160 };
    size_t used = 0;
    bool waits = has(csv, AT(data)) || (has(csv, AT(request)) && has(csv, AT(received)));
    bool iterations = has(csv, AT(iter)) || has(csv, AT(step)) || has(csv, AT(step_end));
    for (size_t i = 0; i < csv->count && !(waits && iterations); i++) {
        struct field name = csv->columns[i].name;
        if (csv->columns[i].known != NULL || name.length == 0)
            continue;
        bool room = used + name.length + 2 < LISTED;
        used += (size_t)snprintf(unused + used, DLQ_LOG_WHY - used, "%s%.*s", used > 0 ? ", " : "",
                                 room ? (int)name.length : 3, room ? name.text : "...");
        if (!room)
            break;
    }
    dlq_utf8_clean(unused);
    used = strlen(unused);
    if (used > 0)
        snprintf(unused + used, DLQ_LOG_WHY - used, " (known are %s)",
                 waits ? "iter_time, step_time and step_end" : "data_time and data_wait, the wait for data");
}

static enum dlq_taken read_header(struct dlq_log *log)
{
    struct csv *csv = log->state;
    const char *line = log->lines->text;
    size_t count = 0;
    bool is_useful = false;
    csv->refused = true;
    csv->separator = separator_of(line);
    if (!count_fields(line, csv->separator, &count))
        return dlq_log_bad(log, "a quote that never ends, or text after it");
    csv->columns = dlq_arena_take(log->arena, count, sizeof *csv->columns);
    if (csv->columns == NULL)
        return dlq_log_no_memory(log);
    for (; csv->count < count; csv->count++) {
        struct column *column = &csv->columns[csv->count];
        line = cut_field(line, csv->separator, &column->name) + 1;
        const struct known *known = part_of(log, &column->name);
        for (size_t k = 0; k < csv->count && known != NULL; k++)
            if (csv->columns[k].known != NULL && csv->columns[k].known->offset == known->offset)
                return dlq_log_bad(log, "columns %zu and %zu are the same: %s, %s", k + 1, csv->count + 1,
                                   csv->columns[k].known->name, known->name);
        column->known = known;
        csv->last = known != NULL ? csv->count + 1 : csv->last;
    }
    for (size_t i = 0; i < log->column_count; i++) {
        const char *name = strchr(log->columns[i], '=') + 1;
        bool is_there = false;
        for (size_t k = 0; k < count; k++)
            is_there = is_there || is_called(&csv->columns[k].name, name);
        if (!is_there)
            return dlq_log_bad(log, "there is no column '%.60s', which --column names", name);
    }
    for (size_t i = 0; i < sizeof useful / sizeof *useful; i++)
        is_useful = is_useful || (has(csv, useful[i][0]) && has(csv, useful[i][1]));
    if (!is_useful)
        return refuse_useless(log);
    if (log->shared->unused[0] == '\0')
        list_unused(csv, log->shared->unused);
    csv->refused = false;
    return DLQ_TAKEN_NOTHING;
}

/* -- values -- */

static bool take_value(const struct known *known, double value, struct dlq_record *record, struct dlq_log *log)
{
    void *into = (char *)record + known->offset;
    char why[DLQ_LOG_WHY];
    if (known->kind == WHOLE) {
        /* -1 is what programs write for none: a batch that no worker has loaded. */
        bool whole = value >= -1 && value <= INT32_MAX && value == (double)(long)value;
        if (whole)
            *(long *)into = (long)value;
        else
            dlq_log_bad(log, "column %s: %.15g is not a whole number from 0 to %d", known->name, value, INT32_MAX);
        return whole;
    }
    if (!dlq_log_time(known->name, value, why)) {
        dlq_log_bad(log, "column %s (with a unit: 12ms, 34us, 56ns)", why);
        return false;
    }
    if (value < 0 && known->kind == DURATION) {
        dlq_log_bad(log, "column %s: %.15g is negative", known->name, value);
        return false;
    }
    *(double *)into = value;
    return true;
}

/* What is no bare number: nothing, a quoted number, a time with its unit, or a mistake. */
static bool take_text(const struct known *known, const struct field *field, char separator, struct dlq_record *record,
                      struct dlq_log *log)
{
    enum { TEXT = 256 };
    char text[TEXT], why[TEXT], quoted[DLQ_QUOTED];
    size_t length = field->length;
    if (length >= sizeof text) {
        dlq_log_bad(log, "column %s: the field is over %d bytes long", known->name, TEXT - 1);
        return false;
    }
    memcpy(text, field->text, length);
    text[length] = '\0';
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
    const char *begin = dlq_skip_blanks(text);
    if (*begin == '\0')
        return true;
    const char *end = begin;
    double value;
    if (dlq_number_read(&end, separator == ';', &value) && *end == '\0')
        return take_value(known, value, record, log);
    char *comma = separator == ';' ? strchr(text, ',') : NULL;
    if (comma != NULL)
        *comma = '.';
    if (known->kind == WHOLE)
        dlq_log_bad(log, "column %s: '%s' is not a whole number", known->name, dlq_quoted(begin, quoted));
    else if (dlq_quantity_parse(begin, DLQ_UNIT_TIME, &value, why, sizeof why))
        return take_value(known, value, record, log);
    else
        dlq_log_bad(log, "column %s: %s", known->name, why);
    return false;
}

/* -- rows -- */

static enum dlq_taken read_fields(struct dlq_log *log, struct dlq_record *record)
{
    static const char bad_quotes[] = "field %zu: a quote that never ends, or text after it";
    const struct csv *csv = log->state;
    const char *at = log->lines->text;
    size_t count = 0;
    bool ended = false;
    while (count < csv->last && !ended) {
        const struct known *known = csv->columns[count].known;
        const char *end = at;
        struct field field;
        double value;
        bool bare = known != NULL && dlq_number_read(&end, csv->separator == ';', &value) &&
                    (*end == csv->separator || *end == '\0');
        if (!bare)
            end = cut_field(at, csv->separator, &field);
        if (end == NULL)
            return dlq_log_bad(log, bad_quotes, count + 1);
        if (bare ? !take_value(known, value, record, log)
                 : known != NULL && !take_text(known, &field, csv->separator, record, log))
            return DLQ_TAKEN_BAD;
        count++;
        ended = *end == '\0';
        at = end + 1;
    }
    if (!ended && !count_fields(at, csv->separator, &count))
        return dlq_log_bad(log, bad_quotes, count + 1);
    if (count == csv->count)
        return DLQ_TAKEN_RECORD;
    return dlq_log_bad(log, "%zu fields, but the header has %zu%s", count, csv->count,
                       count > csv->count && csv->separator == ',' ? " (a decimal comma? write 1.5)" : "");
}

static enum dlq_taken check_row(struct dlq_log *log, struct dlq_record *record)
{
    const struct {
        const char *first, *second;
        double from, to;
    } pairs[] = {
        {"load_start", "load_end", record->load_start, record->load_end},
        {"request", "received", record->request, record->received},
        {"received", "step_end", record->received, record->step_end},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].to < pairs[i].from)
            return dlq_log_bad(log, "column %s: %.15g is before %s, %.15g", pairs[i].second, pairs[i].to,
                               pairs[i].first, pairs[i].from);
    if (record->data > record->iter)
        return dlq_log_bad(log, "data time %g s is longer than the iteration, %g s", record->data, record->iter);
    bool loads = !isnan(record->load) || !isnan(record->load_start);
    bool points = !isnan(record->request) || !isnan(record->received) || !isnan(record->step_end);
    bool iterates = points || !isnan(record->data) || !isnan(record->iter) || !isnan(record->step);
    if (log->every > 1 && (loads || points))
        return dlq_log_bad(log, "--every is of means: loads and points in time are of one batch");
    record->count = iterates ? log->every : 0;
    if (!iterates && !loads && isnan(record->load_end) && isnan(record->dispatched))
        return dlq_log_bad(log, "no time is in this row");
    return DLQ_TAKEN_RECORD;
}

/* -- the reader -- */

/* What dlqueue_probe.py writes above the header, of what is of use here: "# world=4" processes are of the run, which
   may use "# cores=8"; "# persistent_workers=True". Other comments, and numbers that make no sense, are passed over. */
static void read_comment(const char *text, struct dlq_shared *shared)
{
    static const double most = 1e6;
    const char *equals = strchr(text, '=');
    const char *at = equals != NULL ? equals + 1 : text;
    double value;
    if (strcmp(text, "persistent_workers=True") == 0)
        shared->persistent = true;
    if (equals == NULL || !dlq_number_read(&at, false, &value) || !(value > 0 && value < most))
        return;
    if (strncmp(text, "world=", 6) == 0 && value == floor(value))
        shared->world = (long)value > shared->world ? (long)value : shared->world;
    else if (strncmp(text, "cores=", 6) == 0)
        shared->cores = fmax(shared->cores, value);
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    const struct csv *csv = log->state;
    if (csv->refused)
        return DLQ_TAKEN_END;
    enum dlq_taken taken = dlq_log_line(log);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    const char *text = dlq_skip_blanks(log->lines->text);
    if (*text == '#') {
        read_comment(dlq_skip_blanks(text + 1), log->shared);
        return DLQ_TAKEN_NOTHING;
    }
    if (*text == '\0')
        return DLQ_TAKEN_NOTHING;
    if (csv->count == 0)
        return read_header(log);
    taken = read_fields(log, record);
    return taken == DLQ_TAKEN_RECORD ? check_row(log, record) : taken;
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

/* A header has a column that is known and a time. Words above numbers may be one with a slip in the names, if nothing
   else is more likely. */
static int probe(const struct dlq_format *format, const char *head, size_t length)
{
    enum { SURE = 60, UNSURE = 5 };
    static const char mark[] = "\xEF\xBB\xBF";
    char line[DLQ_LOG_LINE + 1];
    (void)format;
    (void)length;
    if (strncmp(head, mark, sizeof mark - 1) == 0)
        head += sizeof mark - 1;
    size_t size = first_line(&head), count = 0;
    if (size > DLQ_LOG_LINE)
        return 0;
    memcpy(line, head, size);
    line[size] = '\0';
    char separator = separator_of(line);
    if (!count_fields(line, separator, &count))
        return 0;
    const char *at = line;
    bool words = count > 1;
    for (size_t i = 0; i < count; i++) {
        struct field field = {"", 0};
        at = cut_field(at, separator, &field) + 1;
        const struct known *known = find_known(&field);
        if (known != NULL && known->kind != WHOLE)
            return SURE;
        for (size_t k = 0; k < field.length; k++)
            words = words && (isalnum((unsigned char)field.text[k]) || field.text[k] == '_');
        words = words && field.length > 0 && !isdigit((unsigned char)*field.text);
    }
    head += size;
    first_line(&head);
    return words && *head != '\0' && strchr("0123456789+-.,;\"", *head) != NULL ? UNSURE : 0;
}

const struct dlq_log_reader dlq_csv_reader = {.probe = probe, .next = next, .state = sizeof(struct csv)};
