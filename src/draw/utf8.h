/* UTF-8, one code point at a time. */
#ifndef DLQ_OUT_UTF8_H
#define DLQ_OUT_UTF8_H

#include <stddef.h>

enum { DLQ_UTF8_REPLACEMENT = 0xFFFD, DLQ_UTF8_ELLIPSIS = 0x2026, DLQ_UTF8_BYTES = 4 };

/* The code point at text (not at its end) and the bytes it takes. What is no UTF-8 (stray or missing continuation,
   overlong form, surrogate, beyond U+10FFFF) is U+FFFD and one byte. */
size_t dlq_utf8_next(const char *text, unsigned *point);

/* Writes the code point and returns the bytes it took; adds no NUL. */
size_t dlq_utf8_put(char bytes[DLQ_UTF8_BYTES], unsigned point);

#endif
