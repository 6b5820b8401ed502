/* JSON by jansson, with null for what is not a number. */
#ifndef DLQ_DRAW_JSON_H
#define DLQ_DRAW_JSON_H

#include "dlqueue/estimate.h"
#include "draw/table.h"

#include <jansson.h>

json_t *dlq_json_number(double value);   /* real, integer where whole and below 2^53, or null for NAN and infinities */
json_t *dlq_json_text(const char *text); /* null pointer -> null; invalid UTF-8 replaced by U+FFFD */
json_t *dlq_json_estimate(struct dlq_estimate estimate); /* {"value","low","high"} or null */
json_t *dlq_json_rows(const struct dlq_table *table);    /* a list of objects, one per row, keys = column names */

/* Writes the object (indented by 2, keys in order of insertion, reals with 15 digits, newline at the end) and drops the
   reference. */
enum dlq_status dlq_json_write(json_t *object, FILE *stream, struct dlq_error *error);

#endif
