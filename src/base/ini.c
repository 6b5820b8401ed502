/* Configuration files: checks and counts the lines, passes them to inih, which splits them into sections, keys and
   values, and reports every error. */
#include "base/option.h"

#include "base/lines.h"
#include "base/utf8.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"
#define KEY_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_"
#define KEY_ADVICE " (keys are lower-case letters, digits and _)"
#define LOG_ADVICE " (if this is a log: dlqueue diagnose, or report --log)"
#define PART_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

enum {
    LONGEST_LINE = 4096,   /* with its comment */
    LONGEST_CONTENT = 190, /* without its comment; inih splits lines at 199 bytes */
    LONGEST_SECTION = 48,  /* inih cuts names at 49 */
    MOST_BYTES = 1 << 20,
    MOST_ENTRIES = 4096 /* the search for repeated keys is linear */
};

/* The section that a line belongs to. */
enum section_state {
    SECTION_NONE, /* the line is before the first section */
    SECTION_READ,
    SECTION_REFUSED /* its head is malformed or missing, which was reported: its keys are ignored */
};

/* A configuration that is being read. */
struct file {
    struct dlq_entries *entries;
    size_t first; /* index of the first entry of this file */
    const char *name;
    struct dlq_lines *lines;
    struct dlq_error *error;
    enum dlq_status status;
    enum section_state section;
    bool binary, full; /* NUL bytes, or too many entries, were reported */
};

__attribute__((format(printf, 2, 3))) static void report_line(struct file *file, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dlq_error_add(file->error, DLQ_INVALID, "%s:%ld: %s", file->name, file->lines->number, text);
    if (file->status == DLQ_OK)
        file->status = DLQ_INVALID;
}

static void report_file(struct file *file, enum dlq_status status, const char *problem)
{
    dlq_error_add(file->error, status, "%s: %s", file->name, problem);
    file->status = status;
}

static bool is_name(const char *text, size_t length, const char *letters)
{
    return length > 0 && strspn(text, letters) >= length;
}

bool dlq_is_part_name(const char *text)
{
    return is_name(text, strlen(text), PART_CHARACTERS);
}

static bool check_head(struct file *file, const char *content)
{
    char quoted[DLQ_QUOTED];
    size_t length = strlen(content), before = strcspn(content + 1, ".]");
    const char *problem = NULL, *dot = content[1 + before] == '.' ? content + 1 + before : NULL;
    if (content[length - 1] != ']')
        problem = strchr(content, ']') == NULL ? "has no ']'" : "has text behind the ']'";
    else if (!is_name(content + 1, before, KEY_CHARACTERS) ||
             (dot == NULL ? before != length - 2 : !is_name(dot + 1, length - 3 - before, PART_CHARACTERS)))
        problem = "is malformed";
    else if (length - 2 > LONGEST_SECTION)
        problem = "is too long";
    file->section = problem == NULL ? SECTION_READ : SECTION_REFUSED;
    if (problem != NULL)
        report_line(file, "section '%s' %s (expected e.g. [load] or [load.read], in lower case)",
                    dlq_quoted(content, quoted), problem);
    return problem == NULL;
}

/* Whether a setting is in a section and has the form key = value. (inih would also accept a colon for '=', and would
   ignore a line without either.) */
static bool check_setting(struct file *file, char *content)
{
    char quoted[DLQ_QUOTED];
    char *equals = strchr(content, '=');
    if (file->section == SECTION_NONE) {
        report_line(file, "'%s' stands before the first [section]%s", dlq_quoted(content, quoted),
                    equals == NULL ? LOG_ADVICE : "");
        file->section = SECTION_REFUSED;
    }
    if (file->section == SECTION_REFUSED)
        return false;
    if (equals == NULL) {
        report_line(file, "'%s' is not a setting (expected key = value)", dlq_quoted(content, quoted));
    } else if (memchr(content, ':', (size_t)(equals - content)) != NULL) {
        *equals = '\0';
        report_line(file, "key '%s' is malformed" KEY_ADVICE, dlq_quoted(dlq_trim(content), quoted));
        equals = NULL;
    }
    return equals != NULL;
}

/* Reports what the first line shows the file to be, if that is no configuration. */
static bool is_something_else(struct file *file, enum dlq_line kind)
{
    const char *text = file->lines->text;
    const bool compressed = strncmp(text, "\x1f\x8b", 2) == 0; /* RFC 1952 */
    const bool json = kind != DLQ_LINE_BINARY &&
                      (text[0] == '{' || strcmp(text, "[") == 0 || (text[0] == '[' && strspn(text + 1, "{[\"") > 0));
    const char *comma = strchr(text, ',');
    const bool csv = comma != NULL && strchr(comma + 1, ',') != NULL && strpbrk(text, "=[;#") == NULL;
    if (file->lines->number != 1 || (!compressed && !json && !csv))
        return false;
    report_file(file, DLQ_INVALID,
                compressed ? "is compressed, not a configuration" LOG_ADVICE
                : json     ? "looks like JSON, not a configuration" LOG_ADVICE
                       : "looks like CSV, not a configuration (if this is a log: dlqueue diagnose, or report --log; "
                         "parts of a sweep: dlqueue sweep CONFIGURATION --join PARTS)");
    return true;
}

/* The function that inih calls instead of fgets: one call reads one line of the file, so that the handler `keep` finds
   the number of the line in `lines`. Gives inih section heads and settings that were checked, without comments and
   blanks, and an empty line for a refused one. A refused line that looks like a section head makes the following keys
   ignored. The size of the buffer depends on how inih was built. */
static char *next_line(char *line, int size, void *stream)
{
    struct file *file = stream;
    line[0] = '\0';
    if (file->status == DLQ_FAILURE)
        return NULL;
    const enum dlq_line kind = dlq_lines_next(file->lines);
    if (kind == DLQ_LINE_TOO_LARGE)
        report_file(file, DLQ_INVALID, "too large for a configuration (at most 1 MiB)");
    if (kind == DLQ_LINE_FAILED)
        report_file(file, DLQ_FAILURE, strerror(errno));
    if (kind != DLQ_LINE_TEXT && kind != DLQ_LINE_TOO_LONG && kind != DLQ_LINE_BINARY)
        return NULL;
    if (is_something_else(file, kind))
        return NULL;
    if (kind == DLQ_LINE_TOO_LONG)
        report_line(file, "line is longer than %d bytes", LONGEST_LINE);
    if (kind == DLQ_LINE_BINARY && !file->binary)
        report_line(file, "holds NUL bytes: not a text file (UTF-16? save it as UTF-8)");
    file->binary = file->binary || kind == DLQ_LINE_BINARY;
    char *text = file->lines->text, *comment = text, *control = text;
    while (*control == '\t' || ((unsigned char)*control >= ' ' && *control != 0x7F))
        control++;
    bool whole = kind == DLQ_LINE_TEXT && *control == '\0';
    if (kind == DLQ_LINE_TEXT && *control == '\r')
        report_line(file, "lone carriage return (lines end with \\n or \\r\\n)");
    else if (kind == DLQ_LINE_TEXT && !whole)
        report_line(file, "control character \\x%02X", (unsigned char)*control);
    while (*(comment += strcspn(comment, ";#")) != '\0' && comment > text && strchr(BLANKS, comment[-1]) == NULL)
        comment++; /* a comment starts with ; or # at the start of the line or after a blank */
    *comment = '\0';
    text = dlq_trim(text);
    if (whole && (strlen(text) > LONGEST_CONTENT || strlen(text) >= (size_t)size)) {
        report_line(file, "line is longer than %d bytes (comment not counted)", LONGEST_CONTENT);
        whole = false;
    }
    if (!whole && text[0] == '[')
        file->section = SECTION_REFUSED;
    if (whole && text[0] != '\0' && (text[0] == '[' ? check_head(file, text) : check_setting(file, text)))
        snprintf(line, (size_t)size, "%s", text);
    return line;
}

/* The function that inih calls for each setting. Returns 1, so that inih goes on; errors are in `file`. */
static int keep(void *user, const char *section, const char *key, const char *value)
{
    struct file *file = user;
    const struct dlq_entries *entries = file->entries;
    const struct dlq_entry *earlier = NULL;
    char quoted[DLQ_QUOTED];
    for (size_t i = file->first; i < entries->count && earlier == NULL; i++)
        if (strcmp(entries->rows[i].key, key) == 0 && strcmp(entries->rows[i].section, section) == 0)
            earlier = &entries->rows[i];
    if (key[0] == '\0') {
        report_line(file, "no key before '='");
    } else if (!is_name(key, strlen(key), KEY_CHARACTERS)) {
        report_line(file, "key '%s' is malformed" KEY_ADVICE, dlq_quoted(key, quoted));
    } else if (value[0] == '\0') {
        report_line(file, "%s: no value behind '='", dlq_quoted(key, quoted));
    } else if (file->full) {
        return 1;
    } else if (earlier != NULL) {
        report_line(file, "[%s] %s: repeated (already on line %ld)", section, key, earlier->line);
    } else if (entries->count - file->first >= MOST_ENTRIES) {
        report_line(file, "too many settings (at most %d)", MOST_ENTRIES);
        file->full = true;
    } else if (dlq_entries_add(file->entries, section, key, value, file->name, file->lines->number) == NULL) {
        file->status = dlq_error_memory(file->error, "reading a configuration");
    }
    return 1;
}

enum dlq_status dlq_ini_read(struct dlq_entries *entries, const char *name, FILE *stream, struct dlq_error *error)
{
    struct file file = {.entries = entries, .first = entries->count, .name = name, .error = error};
    file.lines = malloc(sizeof *file.lines);
    if (file.lines == NULL)
        return dlq_error_memory(error, "reading a configuration");
    dlq_lines_begin(file.lines, stream, LONGEST_LINE, MOST_BYTES);
    int refused = ini_parse_stream(next_line, &file, keep, &file);
    if (refused != 0 && file.status == DLQ_OK)
        report_file(&file, DLQ_INVALID, "not understood");
    free(file.lines);
    return file.status;
}

/* -- entries -- */

struct dlq_entry *dlq_entries_add(struct dlq_entries *entries, const char *section, const char *key, const char *value,
                                  const char *origin, long line)
{
    struct dlq_entry entry = {.line = line};
    const char *const texts[] = {section, key, value, origin};
    char **const copies[] = {&entry.section, &entry.key, &entry.value, &entry.origin};
    for (size_t i = 0; i < 4; i++) {
        *copies[i] = dlq_arena_take(&entries->texts, strlen(texts[i]) + 1, 1);
        if (*copies[i] == NULL)
            return NULL;
        memcpy(*copies[i], texts[i], strlen(texts[i]));
    }
    if (!dlq_grow(&entries->rows, &entries->capacity, entries->count + 1, sizeof *entries->rows))
        return NULL;
    entries->rows[entries->count] = entry;
    return &entries->rows[entries->count++];
}

const struct dlq_entry *dlq_entries_find(const struct dlq_entries *entries, const char *section, const char *key)
{
    for (size_t i = entries->count; i > 0; i--) {
        const struct dlq_entry *entry = &entries->rows[i - 1];
        if (strcmp(entry->section, section) == 0 && strcmp(entry->key, key) == 0)
            return entry;
    }
    return NULL;
}

const char *dlq_entry_place(const struct dlq_entry *entry, char *text, size_t size)
{
    if (entry->line > 0)
        snprintf(text, size, "%s:%ld", entry->origin, entry->line);
    else
        snprintf(text, size, "%s", entry->origin);
    return text;
}

bool dlq_reading_has(const struct dlq_reading *reading, const char *key)
{
    return dlq_entries_find(reading->entries, reading->name, key) != NULL;
}

enum dlq_status dlq_reading_refuse(const struct dlq_reading *reading, const char *key, const char *format, ...)
{
    const struct dlq_entries *entries = reading->entries;
    const struct dlq_entry *entry = dlq_entries_find(entries, reading->name, key);
    char text[4200], place[512] = "configuration";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = strncmp(text, key, strlen(key)) == 0 ? strlen(key) : 0;
    const char *why = length > 0 && strncmp(text + length, " = ", 3) == 0  ? text + length + 3
                      : length > 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2
                                                                           : text;
    for (size_t i = 0; entry == NULL && i < entries->count; i++)
        if (strcmp(entries->rows[i].section, reading->name) == 0)
            entry = &entries->rows[i];
    if (entry != NULL)
        dlq_entry_place(entry, place, sizeof place);
    else if (entries->count > 0)
        snprintf(place, sizeof place, "%s", entries->rows[0].line > 0 ? entries->rows[0].origin : "command line");
    return dlq_error_add(reading->error, DLQ_INVALID, "%s: [%s] %s: %s", place, reading->name, key, why);
}

bool dlq_entries_begin(const struct dlq_entries *entries, size_t index, const char *name)
{
    const char *section = entries->rows[index].section;
    size_t length = strlen(name), first = 0;
    while (strcmp(entries->rows[first].section, section) != 0)
        first++;
    return first == index && strncmp(section, name, length) == 0 && (section[length] == '\0' || section[length] == '.');
}

bool dlq_entries_are_bad(const struct dlq_entries *entries, const char *section)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->rows[i].bad && strcmp(entries->rows[i].section, section) == 0)
            return true;
    return false;
}

void dlq_entries_free(struct dlq_entries *entries)
{
    dlq_arena_end(&entries->texts);
    free(entries->rows);
    *entries = (struct dlq_entries){0};
}
