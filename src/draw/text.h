/* Numbers and lines for people. */
#ifndef DLQ_DRAW_TEXT_H
#define DLQ_DRAW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { DLQ_TEXT_NUMBER = 64 };

/* `digits` significant digits and one readable unit: 0.7 -> "700 ms"; 2.1e9 -> "2.1 GB"; 1482.3 -> "1,482" (thousands
 * separated, no exponent below 1e15). NAN -> "-". Return `text`. */
const char *dlq_text_time(double seconds, int digits, char text[DLQ_TEXT_NUMBER]);
const char *dlq_text_size(double bytes, int digits, char text[DLQ_TEXT_NUMBER]);
const char *dlq_text_number(double value, int digits, char text[DLQ_TEXT_NUMBER]);

/* Shares and rates are told again and again, in tables, sentences and charts: three digits everywhere, trailing zeros
   among them: 0.951 -> "95.1 %", 0.05 -> "5.00 %", 0.9997 -> "99.97 %"; 5.6 -> "5.60", 1482.3 -> "1,482". */
const char *dlq_text_share(double share, char text[DLQ_TEXT_NUMBER]);
const char *dlq_text_rate(double value, char text[DLQ_TEXT_NUMBER]);

/* Decimals that show `digits` significant digits of a number of that magnitude (rounding up to the next power of ten
   counted in); 0 for large ones, at most 15. */
int dlq_text_decimals(double magnitude, int digits);
/* That many decimals, thousands separated, no "-0"; from 1e15 on with an exponent. NAN -> "-". */
const char *dlq_text_fixed(double value, int decimals, char text[DLQ_TEXT_NUMBER]);

enum dlq_style { DLQ_STYLE_PLAIN, DLQ_STYLE_BOLD, DLQ_STYLE_DIM, DLQ_STYLE_RED, DLQ_STYLE_GREEN, DLQ_STYLE_YELLOW };

/* printf to stream in that style where color is true; plain else. */
void dlq_text_styled(FILE *stream, bool color, enum dlq_style style, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes text wrapped at `width` columns (UTF-8 counted by code point), each line after `indent` blanks. */
void dlq_text_wrap(FILE *stream, const char *text, int indent, int width);
/* The same in that style where color is true. */
void dlq_text_wrap_styled(FILE *stream, bool color, enum dlq_style style, const char *text, int indent, int width);
/* The same, its first line after `lead`, the others as far in: "  - ". */
void dlq_text_wrap_item(FILE *stream, const char *lead, const char *text, int width);

/* What is shown of a text from outside: controls and what is not UTF-8 become '?', so that no terminal takes a part of
   it for a command. Returns `text`, which may be null. */
char *dlq_text_clean(char *text);
/* Writes so many bytes of it, cleaned. */
void dlq_text_put(FILE *stream, const char *text, size_t size);

/* Columns that a UTF-8 text takes. */
int dlq_text_width(const char *text);

#endif
