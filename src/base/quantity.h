/* Quantities with units: the one place that reads and writes "700ms", "1.2GiB", "400Gb/s", "95%". */
#ifndef DLQ_BASE_QUANTITY_H
#define DLQ_BASE_QUANTITY_H

#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Base units: seconds, bytes, bytes per second, share 0..1, count, factor, plain number, ratio
   (a number that may be given as a share). */
enum dlq_unit {
    DLQ_UNIT_TIME,
    DLQ_UNIT_SIZE,
    DLQ_UNIT_RATE,
    DLQ_UNIT_SHARE,
    DLQ_UNIT_COUNT,
    DLQ_UNIT_FACTOR,
    DLQ_UNIT_NUMBER,
    DLQ_UNIT_RATIO,
    DLQ_UNIT_BIT_RATE,   /* to write only: DLQ_UNIT_RATE in Gb/s */
    DLQ_UNIT_BINARY_RATE /* to write only: DLQ_UNIT_RATE in GiB/s */
};

/* What a unit measures, with its article, and two examples. */
struct dlq_unit_kind {
    const char *noun, *examples;
};
const struct dlq_unit_kind *dlq_unit_kind(enum dlq_unit unit);

/* s. A time beyond it is a mistake, in laws and in logs. */
#define DLQ_TIME_MOST 1e12

/* Reads a whole text as a quantity of that unit. On failure returns false, leaves *value
   and puts the reason, such as "'70 parsecs' is not a time (expected e.g. 700ms, 2s)", into why. Never accepts nan,
   infinities, hexadecimal, digits' separators, a decimal comma. Counts must be whole (1e6 is) and at most 2^53. */
bool dlq_quantity_parse(const char *text, enum dlq_unit unit, double *value, char *why, size_t why_size);

/* How that rate is written: DLQ_UNIT_BIT_RATE for "40Gb/s", DLQ_UNIT_BINARY_RATE for "2GiB/s", else DLQ_UNIT_RATE. */
enum dlq_unit dlq_quantity_rate_unit(const char *text);

/* A whole number 0..2^64-1, digits only (seeds). */
bool dlq_quantity_parse_seed(const char *text, uint64_t *value, char *why, size_t why_size);

/* Whether minimum <= value <= maximum (infinite where there is no limit); if not, why says "5000 is not in 0..4096". */
bool dlq_quantity_within(double value, enum dlq_unit unit, double minimum, double maximum, char *why, size_t why_size);

/* A short text that parse reads back to the same double ("" for NAN and infinities): 0.7 s -> "700ms", 2 s -> "2s",
   1e-5 s -> "10us". */
void dlq_quantity_exact(double value, enum dlq_unit unit, char text[DLQ_QUANTITY_TEXT]);

/* For people, `digits` significant: 0.7 s -> "700 ms", 1.38123 (3 digits) -> "1.38 s", 2.1e9 B -> "2.1 GB",
   0.951 share -> "95.1 %". */
void dlq_quantity_readable(double value, enum dlq_unit unit, int digits, char text[DLQ_QUANTITY_TEXT]);

#endif
