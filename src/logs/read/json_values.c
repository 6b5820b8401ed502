/* Splits a JSON file of any size into values, for Chrome traces and DLIO's outputs. Jansson parses selected values. */
#include "logs/read/format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 18 };

static void count_lines(struct dlq_json_values *values, size_t end)
{
    const char *bytes = values->bytes;
    unsigned count = 0;
    for (size_t i = values->counted; i < end; i++)
        count += bytes[i] == '\n';
    values->lines += count;
    values->counted = end;
}

/* Moves the unread bytes to the front of the buffer, and appends more of the log. False: its end, or no memory. */
static bool refill(struct dlq_json_values *values)
{
    count_lines(values, values->start);
    if (values->start > 0)
        memmove(values->bytes, values->bytes + values->start, values->end - values->start);
    values->end -= values->start;
    values->start = values->counted = 0;
    if (values->bytes == NULL || values->end == values->capacity) {
        size_t wanted = values->bytes == NULL ? PIECE : 2 * values->capacity;
        wanted = wanted < values->most ? wanted : values->most;
        char *grown = realloc(values->bytes, wanted + 1);
        if (grown == NULL) {
            values->no_memory = values->ended = true;
            return false;
        }
        values->bytes = grown;
        values->capacity = wanted;
    }
    size_t room = values->capacity - values->end;
    size_t got =
        values->ended ? 0 : dlq_input_read(values->input, values->bytes + values->end, room < PIECE ? room : PIECE);
    values->ended = got == 0;
    if (!values->started && got >= 3 && memcmp(values->bytes, "\xEF\xBB\xBF", 3) == 0)
        values->start = 3;
    values->started = true;
    values->end += got;
    return got > 0;
}

int dlq_json_peek(struct dlq_json_values *values)
{
    do {
        while (values->start < values->end) {
            char byte = values->bytes[values->start];
            if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r')
                return (unsigned char)byte;
            values->start++;
        }
    } while (refill(values));
    return -1;
}

bool dlq_json_accept(struct dlq_json_values *values, char byte)
{
    if (dlq_json_peek(values) != (unsigned char)byte)
        return false;
    values->start++;
    return true;
}

enum dlq_value dlq_json_next(struct dlq_json_values *values)
{
    int first = dlq_json_peek(values);
    /* A number, true, false or null ends before a blank or punctuation. */
    bool word = first != '"' && first != '{' && first != '[';
    bool too_long = false, in_string = false, escaped = false, done = false;
    size_t scanned = 0;
    long depth = 0;
    count_lines(values, values->start);
    values->line = values->lines;
    do {
        const char *from = values->bytes + values->start, *at = from + scanned, *end = values->bytes + values->end;
        while (word && at < end && !(done = strchr(" \t\r\n,:{}[]\"", *at) != NULL))
            at++;
        while (!word && at < end && !done) {
            char byte = *at++;
            if (in_string) {
                in_string = escaped || byte != '"';
                escaped = !escaped && byte == '\\';
            } else {
                in_string = byte == '"';
                depth += (byte == '{' || byte == '[') - (byte == '}' || byte == ']');
            }
            done = !in_string && depth == 0;
        }
        scanned = (size_t)(at - from);
        if (!done && scanned == values->most) { /* skips what is buffered */
            too_long = true;
            values->start = values->end;
            scanned = 0;
        }
    } while (!done && refill(values));
    values->text = values->bytes + values->start;
    values->length = scanned;
    values->start += scanned;
    if (values->no_memory || !done)
        return DLQ_VALUE_CUT;
    return too_long ? DLQ_VALUE_TOO_LONG : DLQ_VALUE_WHOLE;
}

enum dlq_key dlq_json_key(struct dlq_json_values *values, char key[DLQ_KEY_SIZE])
{
    dlq_json_accept(values, ',');
    if (dlq_json_accept(values, '}'))
        return DLQ_KEY_CLOSE;
    if (dlq_json_peek(values) != '"' || dlq_json_next(values) != DLQ_VALUE_WHOLE)
        return DLQ_KEY_WRONG;
    size_t length = values->length - 2 < DLQ_KEY_SIZE ? values->length - 2 : DLQ_KEY_SIZE - 1;
    memcpy(key, values->text + 1, length);
    key[length] = '\0';
    return dlq_json_accept(values, ':') ? DLQ_KEY_NAME : DLQ_KEY_WRONG;
}

enum dlq_read dlq_json_wrong(struct dlq_json_values *values, struct dlq_log *log, const char *wanted)
{
    int byte = dlq_json_peek(values);
    values->broken = true;
    count_lines(values, values->start);
    log->line = values->lines;
    const char *fault = dlq_input_fault(values->input);
    if (values->no_memory)
        return dlq_log_no_memory(log);
    if (fault != NULL) {
        dlq_log_bad(log, "%s", fault);
        return DLQ_READ_FAILED;
    }
    if (byte < 0)
        return dlq_log_bad(log, "the file ends where %s should be", wanted);
    if (byte == '\0')
        return dlq_log_bad(log, "not text: a NUL byte where %s should be", wanted);
    return dlq_log_bad(log, "'%c' where %s should be", byte, wanted);
}

enum dlq_read dlq_json_parse(struct dlq_json_values *values, struct dlq_log *log, const char *what,
                             enum dlq_read (*prepare)(struct dlq_log *log, char *text), json_t **object)
{
    bool is_object = dlq_json_peek(values) == '{';
    enum dlq_value value = dlq_json_next(values);
    json_error_t fault;
    log->line = values->line;
    if (values->no_memory || dlq_input_fault(values->input) != NULL ||
        (value == DLQ_VALUE_WHOLE && !is_object && values->length == 0))
        return dlq_json_wrong(values, log, what);
    values->broken = value == DLQ_VALUE_CUT;
    if (value == DLQ_VALUE_CUT)
        return dlq_log_bad(log, "the file ends within %s", what);
    if (value == DLQ_VALUE_TOO_LONG)
        return dlq_log_bad(log, "%s of over %zu bytes", what, values->most);
    if (!is_object)
        return dlq_log_bad(log, "not %s", what);
    char *end = values->bytes + values->start, after = *end; /* the byte after the value */
    *end = '\0';
    enum dlq_read result = prepare(log, end - values->length);
    *end = after;
    if (result != DLQ_READ_RECORD)
        return result;
    *object = json_loadb(values->text, values->length, 0, &fault);
    if (*object != NULL)
        return DLQ_READ_RECORD;
    if (json_error_code(&fault) == json_error_out_of_memory || fault.text[0] == '\0') /* Jansson may leave out why */
        return dlq_log_no_memory(log);
    log->line += fault.line > 0 ? fault.line - 1 : 0;
    return dlq_log_bad(log, "%s is not JSON: %.*s", what, 160, fault.text);
}

long dlq_json_mend(char *text)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    bool in_string = false;
    long commas = 0;
    for (char *at = text; *at != '\0'; at++) {
        if (*at == '"')
            in_string = !in_string;
        else if (in_string && *at == '\\' && at[1] != '\0')
            at++;
        else if (!in_string && *at == ',')
            commas++;
        else if (!in_string && (*at == 'N' || *at == 'I' || *at == '-'))
            for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
                size_t length = strlen(words[i]);
                if (strncmp(at, words[i], length) != 0)
                    continue;
                memset(at, ' ', length);
                at[0] = at[1] = '"';
                at += length - 1;
                break;
            }
    }
    return commas;
}
