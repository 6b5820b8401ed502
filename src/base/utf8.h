/* Text from outside, made fit for a message. */
#ifndef DLQ_BASE_UTF8_H
#define DLQ_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DLQ_QUOTED = 128, DLQ_UTF8_REPLACEMENT = 0xFFFD, DLQ_UTF8_BYTES = 4 };

/* Bytes (1..4) of the character at `text` and its code point; 0 at the end and where the bytes are not UTF-8
   (overlong forms, surrogates and values over U+10FFFF are not). */
size_t dlq_utf8_decode(const char *text, uint32_t *point);

/* The same, for text that is not at its end: what is no UTF-8 is U+FFFD and one byte. */
size_t dlq_utf8_next(const char *text, unsigned *point);
/* Writes the code point and returns the bytes it took; adds no NUL. */
size_t dlq_utf8_put(char bytes[DLQ_UTF8_BYTES], unsigned point);

/* Controls of ASCII and of Latin-1 (U+0080..U+009F). */
bool dlq_utf8_is_control(uint32_t point);

/* All of it is UTF-8 without controls. */
bool dlq_utf8_valid(const char *text);

/* What is shown of a text from outside: controls and what is not UTF-8 become '?', so that one line stays one line and
   no terminal takes a part of it for a command. Returns `text`, which may be null. */
char *dlq_utf8_clean(char *text);

/* `text` for use between quotes: controls, bytes that are not UTF-8, and blanks that look like others become \xHH;
   what is too long ends in "...". Returns `quoted`. */
const char *dlq_quoted(const char *text, char quoted[DLQ_QUOTED]);

#endif
