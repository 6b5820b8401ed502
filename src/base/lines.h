/* The reader of lines for configurations, CSV files and logs, and functions that split a line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { DLQ_LINES_BUFFER = 65536 };

enum dlq_line {
    DLQ_LINE_TEXT,      /* a line was read */
    DLQ_LINE_END,       /* the input ended */
    DLQ_LINE_TOO_LONG,  /* the line is longer than max_line: `text` is its start, the next call skips the rest */
    DLQ_LINE_BINARY,    /* the line has a NUL byte, as UTF-16 has, and is not text; `text` as for DLQ_LINE_TOO_LONG */
    DLQ_LINE_TOO_LARGE, /* the input is longer than max_bytes: reading stops */
    DLQ_LINE_FAILED     /* read error, see errno; the next call returns DLQ_LINE_END */
};

/* Reads up to `size` bytes and returns their number; fewer than `size` at the end, or if reading failed. */
typedef size_t dlq_lines_read(void *source, char *bytes, size_t size, bool *failed);

struct dlq_lines {
    dlq_lines_read *read;
    void *source;
    size_t max_line;  /* limit of a line in bytes, without "\n" or "\r\n"; < DLQ_LINES_BUFFER */
    size_t max_bytes; /* limit of the whole input; 0: none */
    size_t bytes;     /* read so far */
    long number;      /* of the last line, from 1 */
    char *text;       /* the last line, NUL-terminated, without "\n" or "\r\n"; valid until the next call */
    size_t length;
    bool returns;         /* "\r" alone ends a line, too, as of a progress bar; set it after dlq_lines_begin */
    bool after_return;    /* the line before the last one ended with "\r" alone */
    bool ends_in_return;  /* the last line did */
    bool unended;         /* the last line has no newline: the input ends there, or the line is too long */
    bool ended, skipping; /* the input has ended; the rest of a long line is to be skipped */
    size_t begin, end;    /* the bytes of the buffer that are not consumed yet */
    char buffer[DLQ_LINES_BUFFER + 1];
};

/* The struct is too large for the stack. A UTF-8 byte-order mark at the start is skipped. */
void dlq_lines_begin(struct dlq_lines *lines, FILE *stream, size_t max_line, size_t max_bytes);
void dlq_lines_begin_source(struct dlq_lines *lines, dlq_lines_read *read, void *source, size_t max_line,
                            size_t max_bytes);
enum dlq_line dlq_lines_next(struct dlq_lines *lines);

/* Removes blanks and tabs at both ends, in place. */
char *dlq_trim(char *text);
/* The text after blanks and tabs. */
const char *dlq_skip_blanks(const char *text);
/* The separator of a CSV file: ';' if its header has one, else ',' if it has one, else tab if it has one; else ','. */
char dlq_separator_of(const char *header);
/* Splits a line of CSV (RFC 4180), in place, into fields without quotes and surrounding blanks; tabs are blanks unless
   they separate. Stores the first `most` fields and returns the number of fields. 0: a field has a quote that never
   ends, or text after its quotes; *correct is the number of fields before it. */
size_t dlq_cut_fields(char *at, char separator, char **fields, size_t most, size_t *correct);
