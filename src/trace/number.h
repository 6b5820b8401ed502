/* Decimal numbers of logs, fast. */
#ifndef DLQ_TRACE_NUMBER_H
#define DLQ_TRACE_NUMBER_H

#include <stdbool.h>

/* Reads [+-]digits[.digits][e[+-]digits] at *text and moves *text behind it; the same bits as strtod of the C locale.
   `comma`: a decimal comma will do, too. Nothing else that strtod takes is a number: no blanks, nan, inf, hexadecimal.
   false: none is there (or one
   of over 1023 characters), *text stays. Beyond the range of double: infinite, or 0. */
bool dlq_number_read(const char **text, bool comma, double *value);

#endif
