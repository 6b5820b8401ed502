/* Numbers for people: thousands separated, no exponent, no more digits than say something. */
#ifndef DLQ_BASE_NUMBER_H
#define DLQ_BASE_NUMBER_H

#include <stddef.h>

enum { DLQ_QUANTITY_TEXT = 64 };

/* "-1234.5" with its thousands separated, as far as there is room. Returns `text`. */
const char *dlq_number_thousands(const char *plain, char *text, size_t size);
/* Without zeros at the end of its decimals. */
void dlq_number_trim(char *text);

/* For sentences: that many decimals, thousands separated, no exponent: 3301 -> "3,301", 9.25 (1 decimal) -> "9.2". */
const char *dlq_quantity_fixed(double value, int decimals, char text[DLQ_QUANTITY_TEXT]);

/* The same figure reads the same wherever it stands: three digits, trailing zeros among them, and no exponent.
   A rate: 0.0123, 5.60, 10.0, 238, 875,526. A share in per cent: "45.8 %", "5.00 %", "under 0.01 %"; of what is less
   than all never "100 %" before that would take a fifth digit: "99.97 %". */
const char *dlq_quantity_rate(double value, char text[DLQ_QUANTITY_TEXT]);
const char *dlq_quantity_share(double share, char text[DLQ_QUANTITY_TEXT]);
/* Decimals of that share in per cent. */
int dlq_quantity_share_decimals(double share);

#endif
