/* Quantities with units, "700ms", "1.2GiB", "400Gb/s", "95%", and ranges of quantities: reading and writing them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DLQ_QUANTITY_TEXT = 64 };

/* Base units: seconds, bytes, bytes per second, share 0..1, count, factor, plain number, ratio (a number that may be
   written in per cent). */
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

/* What a unit measures, such as "a time", and examples. */
struct dlq_unit_kind {
    const char *noun, *examples;
};
const struct dlq_unit_kind *dlq_unit_kind(enum dlq_unit unit);

/* Distributions and logs refuse times outside of these limits (s) as mistakes; 0 is allowed. */
#define DLQ_TIME_MOST 1e12
#define DLQ_TIME_LEAST 1e-12

/* Reads the whole text as a quantity in base units. False: refused, with a reason such as "'70 parsecs' is not a time
   (expected e.g. 700ms, 2s)" in why; *value is unchanged. Refuses nan, infinities, hexadecimal, separators of digits
   and decimal commas. Counts must be whole (1e6 is) and at most 2^53. */
bool dlq_quantity_parse(const char *text, enum dlq_unit unit, double *value, char *why, size_t why_size);

/* The unit in which the text gives a rate: DLQ_UNIT_BIT_RATE for "40Gb/s", DLQ_UNIT_BINARY_RATE for "2GiB/s", else
   DLQ_UNIT_RATE. */
enum dlq_unit dlq_quantity_rate_unit(const char *text);

/* Reads a seed: a whole number 0..2^64-1, digits only. False: refused, with the reason in why; *value is unchanged. */
bool dlq_quantity_parse_seed(const char *text, uint64_t *value, char *why, size_t why_size);

/* Whether minimum <= value <= maximum (infinite: no limit); if not, why says "5000 is not in 0..4096". */
bool dlq_quantity_within(double value, enum dlq_unit unit, double minimum, double maximum, char *why, size_t why_size);

/* Writes a short text that dlq_quantity_parse reads back to the same double ("" for NAN and infinities): 0.7 s ->
   "700ms", 2 s -> "2s", 1e-5 s -> "10us". */
void dlq_quantity_exact(double value, enum dlq_unit unit, char text[DLQ_QUANTITY_TEXT]);

/* -- numbers for people, with few digits and separated thousands; NAN is "-". These functions return `text`. -- */

/* `digits` significant digits in a readable unit: 0.7 s -> "700 ms", 1.38123 (3 digits) -> "1.38 s", 2.1e9 B ->
   "2.1 GB", 0.951 share -> "95.1 %". */
const char *dlq_quantity_readable(double value, enum dlq_unit unit, int digits, char text[DLQ_QUANTITY_TEXT]);
/* 1482.3 (4 digits) -> "1,482"; no exponent from 1e-6 to 1e15. */
const char *dlq_text_number(double value, int digits, char text[DLQ_QUANTITY_TEXT]);
/* Writes `decimals` decimals, no "-0"; from 1e15 on with an exponent. */
const char *dlq_text_fixed(double value, int decimals, char text[DLQ_QUANTITY_TEXT]);
/* How many decimals (0..15) show `digits` significant digits of a number of this magnitude, after rounding. */
int dlq_text_decimals(double magnitude, int digits);

/* Three significant digits, including zeros at the end. A rate: 0.0123, 5.60, 10.0, 238, 875,526. A share in per cent:
   "45.8 %", "5.00 %", "under 0.01 %"; 0.9997 is "99.97 %", not "100 %". */
const char *dlq_text_rate(double value, char text[DLQ_QUANTITY_TEXT]);
const char *dlq_text_share(double share, char text[DLQ_QUANTITY_TEXT]);
/* *name: the unit that suits a time, "s", "ms" or "us", static. Returns the factor from seconds to this unit. */
double dlq_quantity_time_unit(double seconds, const char **name);
/* The decimals that dlq_text_share writes. */
int dlq_quantity_share_decimals(double share);

/* -- ranges: "1..32", "1..64 step 4", "50ms..2s in 24 log", "1, 2, 4, 8"; plain structs, nothing to free -- */

enum { DLQ_RANGE_LIST = 64, DLQ_RANGE_POINTS = 10000 };

/* count 0: no range. A list keeps its values; the values of other ranges are computed one by one. */
struct dlq_range {
    size_t count; /* 1..DLQ_RANGE_POINTS */
    bool is_list, logarithmic;
    double low, high, step; /* step 0: `count` values, spaced evenly or logarithmically */
    double list[DLQ_RANGE_LIST];
};

/* Reads a range. Its values must lie in minimum..maximum, ascend strictly and, for counts, be whole. False: refused,
   with the reason in why; *range is unchanged. */
bool dlq_range_parse(const char *text, enum dlq_unit unit, double minimum, double maximum, struct dlq_range *range,
                     char *why, size_t why_size);

/* Value i < count; the first and last value are exact. */
double dlq_range_value(const struct dlq_range *range, size_t i);

/* The range low..high in steps of 1. */
struct dlq_range dlq_range_counts(long low, long high);

/* Writes a text that dlq_range_parse reads back to the same values. */
void dlq_range_exact(const struct dlq_range *range, enum dlq_unit unit, char *text, size_t size);
