#include "trace/csv_header.h"

#include "base/option.h"
#include "base/utf8.h"
#include "trace/record.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME = 64 };

#define COLUMN(NAME, KIND, MEMBER)                                                                                     \
    {                                                                                                                  \
        NAME, DLQ_CSV_##KIND, offsetof(struct dlq_record, MEMBER)                                                      \
    }

/* Names that fill the same member mean the same. */
static const struct dlq_csv_column known[] = {
    COLUMN("rank", WHOLE, rank),
    COLUMN("epoch", WHOLE, epoch),
    COLUMN("batch", WHOLE, index),
    COLUMN("index", WHOLE, index),
    COLUMN("worker", WHOLE, worker),
    COLUMN("dispatched", POINT, dispatched),
    COLUMN("load_start", POINT, load_start),
    COLUMN("load_end", POINT, load_end),
    COLUMN("load_time", DURATION, load),
    COLUMN("request", POINT, request),
    COLUMN("received", POINT, received),
    COLUMN("step_end", POINT, step_end),
    COLUMN("data_time", DURATION, data),
    COLUMN("data_wait", DURATION, data),
    COLUMN("iter_time", DURATION, iter),
    COLUMN("step_time", DURATION, step),
};

enum { KNOWN = sizeof known / sizeof *known };

/* Columns of which one set is enough for a time. */
static const struct {
    size_t first, second;
} useful[] = {
#define TOGETHER(FIRST, SECOND)                                                                                        \
    {                                                                                                                  \
        offsetof(struct dlq_record, FIRST), offsetof(struct dlq_record, SECOND)                                        \
    }
    TOGETHER(data, data),           TOGETHER(iter, iter),        TOGETHER(step, step),         TOGETHER(load, load),
    TOGETHER(load_start, load_end), TOGETHER(request, received), TOGETHER(step_end, step_end),
#undef TOGETHER
};

/* -- fields -- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static const char *cut_quoted(const char *at, char separator, struct dlq_csv_field *field)
{
    field->text = ++at;
    while (*at != '\0' && (*at != '"' || at[1] == '"'))
        at += *at == '"' ? 2 : 1;
    if (*at == '\0')
        return NULL;
    field->length = (size_t)(at - field->text);
    at = skip_blanks(at + 1);
    return *at == '\0' || *at == separator ? at : NULL;
}

const char *dlq_csv_cut(const char *at, char separator, struct dlq_csv_field *field)
{
    at = skip_blanks(at);
    if (*at == '"')
        return cut_quoted(at, separator, field);
    field->text = at;
    while (*at != separator && *at != '\0')
        at++;
    field->length = (size_t)(at - field->text);
    while (field->length > 0 && (at[-1] == ' ' || at[-1] == '\t')) {
        at--;
        field->length--;
    }
    return skip_blanks(at);
}

char dlq_csv_separator(const char *header)
{
    return strchr(header, ';') != NULL ? ';' : ',';
}

/* -- names -- */

static const struct dlq_csv_column *find(const struct dlq_csv_field *field)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (strlen(known[i].name) == field->length && strncasecmp(known[i].name, field->text, field->length) == 0)
            return &known[i];
    return NULL;
}

/* "did you mean" the known name that comes closest to one of the header's; null: none does. */
static const char *nearest(const struct dlq_csv_header *header, const char *line, char seen[NAME])
{
    const char *names[KNOWN + 1] = {NULL};
    const char *best = NULL;
    struct dlq_csv_field field;
    for (size_t i = 0; i < KNOWN; i++)
        names[i] = known[i].name;
    for (size_t i = 0; i < header->count && best == NULL; i++) {
        line = dlq_csv_cut(line, header->separator, &field) + 1;
        if (header->columns[i].name != NULL || field.length >= NAME)
            continue;
        memcpy(seen, field.text, field.length);
        seen[field.length] = '\0';
        best = dlq_nearest(seen, names);
    }
    return best;
}

static size_t count_fields(const char *line, char separator)
{
    struct dlq_csv_field field;
    size_t count = 1;
    for (;; count++) {
        line = dlq_csv_cut(line, separator, &field);
        if (line == NULL)
            return 0;
        if (*line++ == '\0')
            return count;
    }
}

static bool is_word(const struct dlq_csv_field *field)
{
    for (size_t i = 0; i < field->length; i++)
        if (!isalnum((unsigned char)field->text[i]) && field->text[i] != '_')
            return false;
    return field->length > 0 && !isdigit((unsigned char)*field->text);
}

enum dlq_csv_looks dlq_csv_header_looks(const char *line)
{
    char separator = dlq_csv_separator(line);
    size_t count = count_fields(line, separator), words = 0;
    struct dlq_csv_field field;
    for (size_t i = 0; i < count; i++) {
        line = dlq_csv_cut(line, separator, &field) + 1;
        const struct dlq_csv_column *column = find(&field);
        if (column != NULL && column->kind != DLQ_CSV_WHOLE)
            return DLQ_CSV_HEADER;
        words += is_word(&field);
    }
    return count > 1 && words == count ? DLQ_CSV_WORDS : DLQ_CSV_OTHER;
}

/* -- the whole -- */

static bool has(const struct dlq_csv_header *header, size_t offset)
{
    for (size_t i = 0; i < header->count; i++)
        if (header->columns[i].name != NULL && header->columns[i].offset == offset)
            return true;
    return false;
}

static bool is_useful(const struct dlq_csv_header *header)
{
    for (size_t i = 0; i < sizeof useful / sizeof *useful; i++)
        if (has(header, useful[i].first) && has(header, useful[i].second))
            return true;
    return false;
}

static void refuse_useless(const struct dlq_csv_header *header, const char *line, char *why, size_t size)
{
    char seen[NAME], quoted[DLQ_QUOTED], hint[DLQ_QUOTED + NAME] = "";
    const char *near = nearest(header, line, seen);
    if (near != NULL)
        snprintf(hint, sizeof hint, "; '%s': did you mean %s?", dlq_quoted(seen, quoted), near);
    snprintf(why, size,
             "no column has times: data_time or data_wait, iter_time, step_time, load_time, step_end, load_start and "
             "load_end, request and received%s",
             hint);
}

/* Takes the names in; false: one of them twice. */
static bool take_names(struct dlq_csv_header *header, const char *line, char *why, size_t size)
{
    struct dlq_csv_field field;
    for (size_t i = 0; i < header->count; i++) {
        line = dlq_csv_cut(line, header->separator, &field) + 1;
        const struct dlq_csv_column *column = find(&field);
        for (size_t k = 0; k < header->last && column != NULL; k++) {
            if (header->columns[k].name == NULL || header->columns[k].offset != column->offset)
                continue;
            snprintf(why, size, "columns %zu and %zu are the same: %s, %s", k + 1, i + 1, header->columns[k].name,
                     column->name);
            return false;
        }
        if (column == NULL)
            continue;
        header->columns[i] = *column;
        header->last = i + 1;
    }
    return true;
}

/* Names that are not known, where waits or iterations are not: they may be under one of these. */
static void list_unused(struct dlq_csv_header *header, const char *line)
{
    enum { LISTED = 160 };
    struct dlq_csv_field field;
    size_t used = 0;
    bool waits = has(header, offsetof(struct dlq_record, data)) || (has(header, offsetof(struct dlq_record, request)) &&
                                                                    has(header, offsetof(struct dlq_record, received)));
    bool iterations = has(header, offsetof(struct dlq_record, iter)) ||
                      has(header, offsetof(struct dlq_record, step)) ||
                      has(header, offsetof(struct dlq_record, step_end));
    for (size_t i = 0; i < header->count && !(waits && iterations); i++) {
        line = dlq_csv_cut(line, header->separator, &field) + 1;
        if (header->columns[i].name != NULL || field.length == 0)
            continue;
        bool room = used + field.length + 2 < LISTED;
        used += (size_t)snprintf(header->unused + used, DLQ_CSV_UNUSED - used, "%s%.*s", used > 0 ? ", " : "",
                                 room ? (int)field.length : 3, room ? field.text : "...");
        if (!room)
            break;
    }
    dlq_utf8_clean(header->unused);
    used = strlen(header->unused);
    if (used > 0)
        snprintf(header->unused + used, DLQ_CSV_UNUSED - used, " (known are %s)",
                 waits ? "iter_time, step_time and step_end" : "data_time and data_wait, the wait for data");
}

bool dlq_csv_header_read(struct dlq_csv_header *header, const char *line, char *why, size_t size)
{
    struct dlq_csv_header made = {.separator = dlq_csv_separator(line)};
    made.count = count_fields(line, made.separator);
    if (made.count == 0) {
        snprintf(why, size, "a quote that never ends, or text after it");
        return false;
    }
    made.columns = calloc(made.count, sizeof *made.columns);
    why[0] = '\0';
    if (made.columns == NULL)
        return false;
    bool right = take_names(&made, line, why, size);
    if (right && !is_useful(&made)) {
        refuse_useless(&made, line, why, size);
        right = false;
    }
    if (right) {
        list_unused(&made, line);
        *header = made;
    } else {
        dlq_csv_header_free(&made);
    }
    return right;
}

void dlq_csv_header_free(struct dlq_csv_header *header)
{
    free(header->columns);
    *header = (struct dlq_csv_header){0};
}
