/* UTF-8, and functions that clean or quote foreign text for messages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DLQ_QUOTED = 128, DLQ_UTF8_REPLACEMENT = 0xFFFD, DLQ_UTF8_BYTES = 4 };

/* Bytes (1..4) of the character at `text` and its code point; 0 at the end and where the bytes are not UTF-8
   (overlong forms, surrogates and values over U+10FFFF are not). */
size_t dlq_utf8_decode(const char *text, uint32_t *point);

/* As dlq_utf8_decode, for a text that is not empty: a byte that is not UTF-8 counts as U+FFFD of one byte. */
size_t dlq_utf8_next(const char *text, unsigned *point);
/* Writes the code point without a NUL and returns the number of bytes. */
size_t dlq_utf8_put(char bytes[DLQ_UTF8_BYTES], unsigned point);

/* Control characters of ASCII and of Latin-1 (U+0080..U+009F). */
bool dlq_utf8_is_control(uint32_t point);

/* Bytes of the character at `text`, which is not empty. *printable: the character is UTF-8 and no control character; a
   byte that is not UTF-8 counts as one character. */
size_t dlq_utf8_step(const char *text, bool *printable);

/* Whether the whole text is UTF-8 without control characters. */
bool dlq_utf8_valid(const char *text);

/* Replaces control characters and bytes that are not UTF-8 by '?', so that a line stays one line and a terminal finds
   no commands in the text. Returns `text`, which may be null. */
char *dlq_utf8_clean(char *text);

/* `text` for use between quotes: control characters, bytes that are not UTF-8, blanks other than ' ', invisible
   characters and marks of writing direction become \xHH; a text that is too long ends in "...". Returns `quoted`. */
const char *dlq_quoted(const char *text, char quoted[DLQ_QUOTED]);
