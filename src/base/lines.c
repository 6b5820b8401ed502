/* Reads lines of limited length, numbers them, and detects lines that are too long or not text. */
#include "base/lines.h"

#include <string.h>

static size_t read_stream(void *source, char *bytes, size_t size, bool *failed)
{
    FILE *stream = source;
    size_t got = fread(bytes, 1, size, stream);
    *failed = got < size && ferror(stream);
    return got;
}

void dlq_lines_begin(struct dlq_lines *lines, FILE *stream, size_t max_line, size_t max_bytes)
{
    dlq_lines_begin_source(lines, read_stream, stream, max_line, max_bytes);
}

void dlq_lines_begin_source(struct dlq_lines *lines, dlq_lines_read *read, void *source, size_t max_line,
                            size_t max_bytes)
{
    /* Room for "\r\n" after the longest line. */
    enum { LONGEST = DLQ_LINES_BUFFER - 2 };
    memset(lines, 0, offsetof(struct dlq_lines, buffer));
    lines->read = read;
    lines->source = source;
    lines->max_line = max_line < LONGEST ? max_line : LONGEST;
    lines->max_bytes = max_bytes;
    lines->text = lines->buffer;
    lines->buffer[0] = '\0';
}

static bool is_too_large(const struct dlq_lines *lines)
{
    return lines->max_bytes > 0 && lines->bytes > lines->max_bytes;
}

/* Reads more input behind the buffered input. False: reading failed, or the input is too large. */
static bool fill(struct dlq_lines *lines)
{
    memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
    lines->end -= lines->begin;
    lines->begin = 0;
    size_t room = DLQ_LINES_BUFFER - lines->end;
    /* One byte above the limit shows that the input is too large. */
    if (lines->max_bytes > 0 && room > lines->max_bytes + 1 - lines->bytes)
        room = lines->max_bytes + 1 - lines->bytes;
    bool failed = false;
    size_t got = lines->read(lines->source, lines->buffer + lines->end, room, &failed);
    bool first = lines->bytes == 0;
    lines->end += got;
    lines->bytes += got;
    lines->ended = got < room;
    if (first && lines->end >= 3 && memcmp(lines->buffer, "\xEF\xBB\xBF", 3) == 0)
        lines->begin = 3;
    return !failed && !is_too_large(lines);
}

/* Discards the buffer, ends the input and returns the reason. */
static enum dlq_line stop(struct dlq_lines *lines)
{
    lines->begin = lines->end = 0;
    lines->ended = true;
    return is_too_large(lines) ? DLQ_LINE_TOO_LARGE : DLQ_LINE_FAILED;
}

/* The end of the first line in the buffer: "\n", or "\r" where it ends a line alone; null: it is not in the buffer. */
static char *find_end(const struct dlq_lines *lines)
{
    const char *from = lines->buffer + lines->begin, *end = lines->buffer + lines->end;
    char *newline = memchr(from, '\n', (size_t)(end - from));
    char *lone = lines->returns ? memchr(from, '\r', (size_t)((newline != NULL ? newline : end) - from)) : NULL;
    return lone != NULL && lone + 1 != newline && (lone + 1 < end || lines->ended) ? lone : newline;
}

/* Returns the first `length` bytes of the buffer as a line. Without an end the line is the last one, or the start of a
   line that is too long. */
static enum dlq_line finish_line(struct dlq_lines *lines, size_t length, const char *end)
{
    const bool newline = end != NULL;
    lines->after_return = lines->ends_in_return;
    lines->ends_in_return = newline && *end == '\r';
    lines->text = lines->buffer + lines->begin;
    lines->begin += newline ? length + 1 : length;
    lines->skipping = !newline && !lines->ended;
    lines->unended = !newline;
    lines->number++;
    if (newline && length > 0 && lines->text[length - 1] == '\r')
        length--;
    bool too_long = length > lines->max_line;
    lines->length = too_long ? lines->max_line : length;
    bool binary = memchr(lines->text, '\0', length) != NULL;
    lines->text[lines->length] = '\0';
    if (binary)
        return DLQ_LINE_BINARY;
    return too_long ? DLQ_LINE_TOO_LONG : DLQ_LINE_TEXT;
}

enum dlq_line dlq_lines_next(struct dlq_lines *lines)
{
    if (is_too_large(lines))
        return DLQ_LINE_TOO_LARGE;
    while (lines->skipping) { /* the rest of a line that is too long */
        const char *newline = find_end(lines);
        lines->begin = newline != NULL ? (size_t)(newline - lines->buffer) + 1 : lines->end;
        lines->skipping = newline == NULL && !lines->ended;
        if (lines->skipping && !fill(lines))
            return stop(lines);
    }
    for (;;) {
        size_t buffered = lines->end - lines->begin;
        const char *from = lines->buffer + lines->begin;
        const char *newline = find_end(lines);
        if (lines->returns && newline != NULL && (*from == '\r' || (*from == '\n' && lines->ends_in_return))) {
            lines->ends_in_return = lines->ends_in_return && *from == '\r'; /* nothing is drawn */
            lines->begin++;
            continue;
        }
        if (newline != NULL)
            return finish_line(lines, (size_t)(newline - from), newline);
        if (buffered > lines->max_line + 1)
            return finish_line(lines, buffered, NULL);
        if (lines->ended)
            return buffered > 0 ? finish_line(lines, buffered, NULL) : DLQ_LINE_END;
        if (!fill(lines))
            return stop(lines);
    }
}

const char *dlq_skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

char *dlq_trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
    return text;
}

char dlq_separator_of(const char *header)
{
    if (strchr(header, ';') != NULL)
        return ';';
    return strchr(header, ',') == NULL && strchr(header, '\t') != NULL ? '\t' : ',';
}

size_t dlq_cut_fields(char *at, char separator, char **fields, size_t most, size_t *correct)
{
    const char *blanks = separator == '\t' ? " " : " \t";
    bool more = true;
    for (*correct = 0; more; ++*correct) {
        at += strspn(at, blanks);
        char *field = at, *end;
        if (*at == '"') {
            field = end = ++at;
            while (*at != '\0' && (*at != '"' || at[1] == '"')) {
                *end++ = *at;
                at += *at == '"' ? 2 : 1;
            }
            bool closed = *at == '"';
            at += closed;
            at += strspn(at, blanks);
            if (!closed || (*at != '\0' && *at != separator))
                return 0;
            field += strspn(field, blanks);
        } else {
            while (*at != separator && *at != '\0')
                at++;
            end = at;
        }
        while (end > field && strchr(blanks, end[-1]) != NULL)
            end--;
        more = *at != '\0';
        *at++ = *end = '\0';
        if (*correct < most)
            fields[*correct] = field;
    }
    return *correct;
}
