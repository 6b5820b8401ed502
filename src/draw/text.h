/* Text for terminals, and streams that write into memory. */
#pragma once

#include "base/quantity.h"

#include <stdio.h>

enum { DLQ_TEXT_NUMBER = DLQ_QUANTITY_TEXT }; /* size of a number that base/quantity.h writes for people */

/* printf to stream, in bold if `color`. */
void dlq_text_bold(FILE *stream, bool color, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes text wrapped at `width` columns (one per code point), each line indented by `indent` blanks. */
void dlq_text_wrap(FILE *stream, const char *text, int indent, int width);
/* As dlq_text_wrap, in bold if `color`. */
void dlq_text_wrap_bold(FILE *stream, bool color, const char *text, int indent, int width);
/* As dlq_text_wrap, with `lead`, such as "  - ", before the first line; indents the others by the width of `lead`.
   Where that leaves too little room, the text starts on the next line, indented four blanks further than the lead. */
void dlq_text_wrap_item(FILE *stream, const char *lead, const char *text, int width);
/* Writes the answer at the top of a report, in bold if `color`, and an empty line; nothing for an empty text. */
void dlq_text_answer(FILE *stream, bool color, const char *text);

/* Writes `size` bytes of a foreign text, cleaned as by dlq_utf8_clean. */
void dlq_text_put(FILE *stream, const char *text, size_t size);

/* Columns of the terminal that the stream writes to, kept within 60 to 120; 100 if the stream is no terminal or the
   width is unknown. */
int dlq_text_columns(FILE *stream);

/* A stream that writes to `to`, and replaces the signs ± and · between blanks by "+-" and "-"; the signs within names
   and paths do not change. The caller closes the stream; `to` stays open, and has its errors. Null: no memory. */
FILE *dlq_text_ascii(FILE *to);

/* The columns that a line may have: those of the terminal, at least 60; INT_MAX if the stream is no terminal. */
int dlq_text_room(FILE *stream);

/* Columns of a UTF-8 text: its code points. */
int dlq_text_width(const char *text);

/* Whether `name` is one of the words, which are separated by blanks; null: no words. */
bool dlq_word_among(const char *words, const char *name);

/* A stream that writes into memory, and remembers whether anything was lost. The struct must not move between begin and
   end. */
struct dlq_memory {
    FILE *stream;
    char *text;            /* owned */
    size_t size, capacity; /* bytes written without the final NUL, complete after dlq_memory_end; bytes allocated */
    bool lost;             /* memory ran out */
};

/* Opens memory->stream; false: no memory. */
bool dlq_memory_begin(struct dlq_memory *memory);
/* Closes the stream. Returns the text, which the caller frees; null: memory ran out, now or earlier. */
char *dlq_memory_end(struct dlq_memory *memory);
