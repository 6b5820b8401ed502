/* Builds JSON values with jansson and writes them. */
#include "draw/json.h"

#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double exact_integers = 9007199254740992.0; /* 2^53 */

json_t *dlq_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    if (fabs(value) < exact_integers && value == floor(value))
        return json_integer((json_int_t)value);
    return json_real(value);
}

/* Replaces bytes that are not UTF-8, and control characters that JSON does not escape, by U+FFFD. */
json_t *dlq_json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    char *valid = malloc(3 * strlen(text) + 1);
    size_t used = 0;
    while (valid != NULL && *text != '\0') {
        unsigned point;
        text += dlq_utf8_next(text, &point);
        if (point >= 0x7F && dlq_utf8_is_control(point))
            point = DLQ_UTF8_REPLACEMENT;
        used += dlq_utf8_put(valid + used, point);
    }
    json_t *json = valid != NULL ? json_stringn(valid, used) : NULL;
    free(valid);
    return json;
}

json_t *dlq_json_estimate(struct dlq_estimate estimate)
{
    if (isnan(estimate.value))
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "value", dlq_json_number(estimate.value), "low", dlq_json_number(estimate.low),
                     "high", dlq_json_number(estimate.high));
}

json_t *dlq_json_rows(const struct dlq_table *table)
{
    json_t *rows = json_array();
    bool whole = rows != NULL;
    for (const struct dlq_table_row *row = table->first; whole && row != NULL; row = row->next) {
        json_t *object = json_object();
        for (size_t i = 0; whole && i < table->column_count; i++) {
            const struct dlq_cell *cell = &row->cells[i];
            enum dlq_column_kind kind = table->columns[i].kind;
            bool flag = kind == DLQ_COLUMN_FLAG && !isnan(cell->number);
            json_t *value = cell->text != NULL || kind == DLQ_COLUMN_TEXT ? dlq_json_text(cell->text)
                            : flag                                        ? json_boolean(cell->number != 0)
                                                                          : dlq_json_number(cell->number);
            whole = json_object_set_new(object, table->columns[i].name, value) == 0;
        }
        whole = json_array_append_new(rows, object) == 0 && whole;
    }
    if (whole)
        return rows;
    json_decref(rows);
    return NULL;
}

enum dlq_status dlq_json_write(json_t *object, FILE *stream, struct dlq_error *error)
{
    if (object == NULL)
        return dlq_error_memory(error, "building JSON");
    errno = 0;
    int failed = json_dumpf(object, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
    json_decref(object);
    if (failed != 0 && !ferror(stream))
        return dlq_error_memory(error, "writing JSON");
    if (failed != 0 || fputc('\n', stream) == EOF || fflush(stream) != 0)
        return dlq_error_add(error, DLQ_FAILURE, "cannot write JSON: %s", strerror(errno != 0 ? errno : EIO));
    return DLQ_OK;
}
