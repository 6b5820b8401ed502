/* The units that quantities are written in, one row each: what quantity.c reads and quantity_write.c writes. */
#ifndef DLQ_BASE_UNIT_H
#define DLQ_BASE_UNIT_H

#include "base/quantity.h"

/* How a unit is used besides being read. */
enum dlq_unit_use { DLQ_UNIT_READ, DLQ_UNIT_EXACT, DLQ_UNIT_SHOWN };

/* One of them is 10^ten * 2^two * times base units. `use`: DLQ_UNIT_READ is another spelling that is only read,
   DLQ_UNIT_EXACT is also written for programs, DLQ_UNIT_SHOWN for people too. */
struct dlq_unit_row {
    enum dlq_unit unit;
    const char *name;
    int ten, two, times;
    enum dlq_unit_use use;
};

/* What a unit measures, with its article, and two examples. */
struct dlq_unit_kind {
    const char *noun, *examples;
};

/* Ascending in size within a unit; ends with a null name. */
extern const struct dlq_unit_row dlq_unit_rows[];
const struct dlq_unit_kind *dlq_unit_kind(enum dlq_unit unit);

#endif
