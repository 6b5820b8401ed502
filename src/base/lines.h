/* The one bounded reader of lines, for configurations, CSV files and logs. */
#ifndef DLQ_BASE_LINES_H
#define DLQ_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { DLQ_LINES_BUFFER = 65536 };

enum dlq_line {
    DLQ_LINE_TEXT,      /* a line is there */
    DLQ_LINE_END,       /* the input ended */
    DLQ_LINE_TOO_LONG,  /* over the limit: `text` holds the beginning, the next call skips the rest */
    DLQ_LINE_BINARY,    /* holds a NUL byte: not text (UTF-16?); likewise */
    DLQ_LINE_TOO_LARGE, /* the input as a whole is over max_bytes: reading stops */
    DLQ_LINE_FAILED     /* read error: errno tells; the next call finds the end */
};

/* Up to size bytes of a source; fewer at its end, or where reading failed. */
typedef size_t dlq_lines_read(void *source, char *bytes, size_t size, bool *failed);

struct dlq_lines {
    dlq_lines_read *read;
    void *source;
    size_t max_line;  /* bytes of a line, without its end; < DLQ_LINES_BUFFER */
    size_t max_bytes; /* of the whole input; 0 = no limit */
    size_t bytes;     /* read so far */
    long number;      /* of the line returned last, from 1 */
    char *text;       /* that line, NUL-terminated, without "\n" or "\r\n"; valid until the next call */
    size_t length;
    bool unended; /* the line returned last has no newline: the input ends within it, or it is too long */
    bool ended, skipping;
    size_t begin, end; /* what is buffered */
    char buffer[DLQ_LINES_BUFFER + 1];
};

/* The struct is large: allocate it. A UTF-8 byte-order mark at the start is skipped. */
void dlq_lines_begin(struct dlq_lines *lines, FILE *stream, size_t max_line, size_t max_bytes);
void dlq_lines_begin_source(struct dlq_lines *lines, dlq_lines_read *read, void *source, size_t max_line,
                            size_t max_bytes);
enum dlq_line dlq_lines_next(struct dlq_lines *lines);

/* The text without blanks and tabs around it, cut in place. */
char *dlq_trim(char *text);
/* Behind blanks and tabs. */
const char *dlq_skip_blanks(const char *text);
/* Cuts a line of CSV, in place, into at most `most` fields (RFC 4180, blanks around them allowed), without blanks and
   quotes around them. Returns how many there are; 0: a quote that never ends, or text after it, in the one after
   *right. */
size_t dlq_cut_fields(char *at, char separator, char **fields, size_t most, size_t *right);

#endif
