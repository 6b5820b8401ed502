/* Measured times: one column of a CSV file, resampled. */
#ifndef DLQ_DIST_EMPIRICAL_H
#define DLQ_DIST_EMPIRICAL_H

#include "dlqueue/error.h"

#include <stddef.h>
#include <stdio.h>

struct dlq_empirical {
    double *sorted; /* ascending, >= 0, finite */
    size_t count;   /* >= 1 */
    double mean, variance;
};

/* Reads the column of that name from the header line (comma or semicolon separated; lines that begin with # are
   comments; fields may be quoted); column null: the only or the first one. Bare numbers are seconds. At most 4e6 rows.
   Every malformed row up to DLQ_ERROR_LINES is a line of *error with "NAME:LINE: column C: ...". */
enum dlq_status dlq_empirical_read(struct dlq_empirical *data, const char *name, FILE *stream, const char *column,
                                   struct dlq_error *error);
/* From n values (copied). */
enum dlq_status dlq_empirical_from(struct dlq_empirical *data, const double *values, size_t n, struct dlq_error *error);
void dlq_empirical_free(struct dlq_empirical *data);

#endif
