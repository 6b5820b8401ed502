/* Lines for people, and texts in memory. */
#ifndef DLQ_DRAW_TEXT_H
#define DLQ_DRAW_TEXT_H

#include "base/quantity.h"

#include <stdio.h>

enum { DLQ_TEXT_NUMBER = DLQ_QUANTITY_TEXT }; /* of a number, as base/quantity.h writes it for people */

/* printf to stream, in bold where color is true. */
void dlq_text_bold(FILE *stream, bool color, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes text wrapped at `width` columns (UTF-8 counted by code point), each line after `indent` blanks. */
void dlq_text_wrap(FILE *stream, const char *text, int indent, int width);
/* The same, in bold where color is true. */
void dlq_text_wrap_bold(FILE *stream, bool color, const char *text, int indent, int width);
/* The same, its first line after `lead`, the others as far in: "  - ". */
void dlq_text_wrap_item(FILE *stream, const char *lead, const char *text, int width);

/* Writes so many bytes of a text from outside, cleaned as by dlq_utf8_clean. */
void dlq_text_put(FILE *stream, const char *text, size_t size);

/* Columns of the terminal that the stream writes to, kept within 60 to 120; 100 where the stream is no terminal or the
   terminal does not say. */
int dlq_text_columns(FILE *stream);

/* Columns that a UTF-8 text takes. */
int dlq_text_width(const char *text);

/* Whether `name` is one of the words, which are separated by blanks; null: no words. */
bool dlq_word_among(const char *words, const char *name);

/* A text that is written into memory: all of it, or it is known that some is lost. Not to be moved between begin and
   end. */
struct dlq_memory {
    FILE *stream;
    char *text;            /* owned */
    size_t size, capacity; /* bytes; the size without the final NUL, valid from the end on */
    bool lost;             /* sticky: there was no room for something */
};

/* Opens memory->stream; false: no memory. */
bool dlq_memory_begin(struct dlq_memory *memory);
/* Closes it. The text, which ends in NUL and is the caller's to free; null: no memory, then or at any write before. */
char *dlq_memory_end(struct dlq_memory *memory);

#endif
