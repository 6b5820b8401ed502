/* JSON by jansson. These functions return null if there is no memory. */
#pragma once

#include "dlqueue/estimate.h"
#include "draw/table.h"

#include <jansson.h>

json_t *dlq_json_number(double value);   /* an integer if whole and below 2^53; null for NAN and infinities */
json_t *dlq_json_text(const char *text); /* null for a null pointer; invalid UTF-8 becomes U+FFFD */
json_t *dlq_json_estimate(struct dlq_estimate estimate); /* {"value","low","high"} or null */
json_t *dlq_json_rows(const struct dlq_table *table);    /* a list of objects, one per row, keys = column names */

/* Writes the object (indented by 2, keys in order of insertion, reals with 15 digits, newline at the end) and releases
   the caller's reference. A null object is lack of memory. */
enum dlq_status dlq_json_write(json_t *object, FILE *stream, struct dlq_error *error);
