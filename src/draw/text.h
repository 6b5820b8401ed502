/* Text for terminals, and streams that write into memory. */
#pragma once

#include "base/quantity.h"

#include <stdio.h>

enum { DLQ_TEXT_NUMBER = DLQ_QUANTITY_TEXT }; /* size of a number that base/quantity.h writes for people */

/* printf to stream, in bold if `color`. */
void dlq_text_bold(FILE *stream, bool color, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes text wrapped at `width` columns (one per code point), each line indented by `indent` blanks. */
void dlq_text_wrap(FILE *stream, const char *text, int indent, int width);
/* The same, in bold if `color`. */
void dlq_text_wrap_bold(FILE *stream, bool color, const char *text, int indent, int width);
/* The answer of a report, which stands first: in bold if `color`, and an empty line; nothing of an empty text. */
void dlq_text_answer(FILE *stream, bool color, const char *text);
/* The same with `lead`, such as "  - ", before the first line; the other lines are indented by the width of `lead`.
   Where that leaves too little room, the text starts on the next line, four blanks further in than the lead. */
void dlq_text_wrap_item(FILE *stream, const char *lead, const char *text, int width);

/* Writes `size` bytes of a text from outside, cleaned as by dlq_utf8_clean. */
void dlq_text_put(FILE *stream, const char *text, size_t size);

/* Columns of the terminal that the stream writes to, kept within 60 to 120; 100 if the stream is no terminal or the
   width is unknown. */
int dlq_text_columns(FILE *stream);

/* A stream that writes to `to`, with "+-" and "-" for the signs ± and · that stand alone; all other characters, such as
   those of names and paths, stay. The caller closes it; `to` stays open, and has its errors. Null: no memory. */
FILE *dlq_text_ascii(FILE *to);

/* The columns that a line may have: those of the terminal, at least 60; INT_MAX where there is none. */
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
