/* Measured times: reads them from a column of a CSV file, and the family that draws one of them. */
#include "base/lines.h"
#include "dist/families.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 4000000, MOST_LINE = 32768, MOST_FIELDS = MOST_LINE + 1, SHOWN = 40 };

struct reading {
    const char *name;
    struct dlq_error *error;
    int refused;            /* number of errors */
    char separator;         /* 0: no line was read yet */
    size_t columns, column; /* number of columns, and the one to read (from 0) */
    double *values;
    size_t count, capacity;
    struct dlq_lines lines;
    char *fields[MOST_FIELDS];
};

/* Reads a number without unit. The set of characters refuses nan, inf and hexadecimal. */
static bool bare_number(const char *text, double *value)
{
    char *end;
    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && end != text;
}

static bool read_time(const char *text, double *value, char *why, size_t size)
{
    bool bare = bare_number(text, value);
    if (*text == '\0')
        snprintf(why, size, "is empty");
    else if (bare && (*value > DLQ_TIME_MOST || *value < 0))
        snprintf(why, size, "'%.*s' is %s", SHOWN, text, *value < 0 ? "negative" : "too large");
    else
        return bare || dlq_quantity_parse(text, DLQ_UNIT_TIME, value, why, size);
    return false;
}

/* column: here from 1, as in messages; 0: the error concerns the line as a whole. Returns DLQ_INVALID. */
static enum dlq_status refuse(struct reading *reading, size_t column, const char *why)
{
    char place[32] = "";
    if (column > 0)
        snprintf(place, sizeof place, "column %zu: ", column);
    reading->refused++;
    return dlq_error_add(reading->error, DLQ_INVALID, "%s:%ld: %s%s", reading->name, reading->lines.number, place, why);
}

/* Reads the current line. Any status but DLQ_OK stops reading. */
static enum dlq_status read_line(struct reading *reading, const char *column)
{
    char why[256] = "", *text = dlq_trim(reading->lines.text);
    bool first = reading->separator == 0;
    double value = NAN;
    size_t correct;
    if (*text == '\0' || *text == '#')
        return DLQ_OK;
    if (first)
        reading->separator = strchr(text, ';') != NULL ? ';' : ',';
    size_t columns = dlq_cut_fields(text, reading->separator, reading->fields, MOST_FIELDS, &correct);
    if (columns == 0) {
        enum dlq_status status = refuse(reading, correct + 1, "a quote that never ends, or text after it");
        return first ? status : DLQ_OK;
    }
    if (first) {
        reading->columns = columns;
        while (column != NULL && reading->column < columns && strcmp(reading->fields[reading->column], column) != 0)
            reading->column++;
        snprintf(why, sizeof why, "no column is named '%.*s'", SHOWN, column != NULL ? column : "");
        if (reading->column == columns)
            return refuse(reading, 0, why);
        const bool is_time = bare_number(reading->fields[0], &value) ||
                             dlq_quantity_parse(reading->fields[0], DLQ_UNIT_TIME, &value, why, sizeof why);
        if (column != NULL || !is_time) /* a header */
            return DLQ_OK;
    }
    if (reading->count == MOST_VALUES)
        return refuse(reading, 0, "more than 4000000 values");
    if (reading->column < columns && !read_time(reading->fields[reading->column], &value, why, sizeof why)) {
        refuse(reading, reading->column + 1, why);
    } else if (columns != reading->columns) {
        snprintf(why, sizeof why, "%zu fields, but the first line has %zu%s", columns, reading->columns,
                 columns > reading->columns && reading->separator == ',' ? " (a decimal comma? write 1.5)" : "");
        refuse(reading, columns < reading->columns ? columns : reading->columns + 1, why);
    } else {
        if (!dlq_grow(&reading->values, &reading->capacity, reading->count + 1, sizeof *reading->values))
            return dlq_error_memory(reading->error, "reading measured times");
        reading->values[reading->count++] = value;
    }
    return reading->refused < DLQ_ERROR_LINES ? DLQ_OK : DLQ_INVALID;
}

enum dlq_status dlq_empirical_read(struct dlq_empirical *data, const char *name, FILE *stream, const char *column,
                                   bool in_order, struct dlq_error *error)
{
    struct reading *reading = calloc(1, sizeof *reading);
    enum dlq_status status = DLQ_OK;
    enum dlq_line line = DLQ_LINE_TEXT;
    if (reading == NULL)
        return dlq_error_memory(error, "reading measured times");
    reading->name = name;
    reading->error = error;
    dlq_lines_begin(&reading->lines, stream, MOST_LINE, 0);
    while (status == DLQ_OK && (line = dlq_lines_next(&reading->lines)) == DLQ_LINE_TEXT)
        status = read_line(reading, column);
    if (line == DLQ_LINE_FAILED)
        status = dlq_error_add(error, DLQ_FAILURE, "cannot read %s: %s", name, strerror(errno));
    else if (status == DLQ_OK && line != DLQ_LINE_END)
        status = refuse(reading, 0, line == DLQ_LINE_BINARY ? "not a text file" : "the line is too long");
    else if (status == DLQ_OK && reading->refused > 0)
        status = DLQ_INVALID;
    else if (status == DLQ_OK && reading->count == 0)
        status = dlq_error_add(error, DLQ_INVALID, "%s: no values: %s", name,
                               reading->separator == 0 ? "the file is empty" : "there is nothing below the header");
    if (status == DLQ_OK)
        status = dlq_empirical_from(data, reading->values, reading->count, in_order, error);
    free(reading->values);
    free(reading);
    return status;
}

/* -- values -- */

enum dlq_status dlq_empirical_from(struct dlq_empirical *data, const double *values, size_t n, bool in_order,
                                   struct dlq_error *error)
{
    struct dlq_empirical made = {.count = n};
    if (n == 0)
        return dlq_error_add(error, DLQ_INVALID, "no measured times");
    for (size_t i = 0; i < n; i++)
        if (!(values[i] >= 0 && values[i] <= DLQ_TIME_MOST))
            return dlq_error_add(error, DLQ_INVALID, "measured time %zu is %g s", i + 1, values[i]);
    if (n <= SIZE_MAX / sizeof *made.sorted) {
        made.sorted = malloc(n * sizeof *made.sorted);
        made.in_order = in_order ? malloc(n * sizeof *made.sorted) : NULL;
    }
    if (made.sorted == NULL || (in_order && made.in_order == NULL)) {
        dlq_empirical_free(&made);
        return dlq_error_memory(error, "keeping measured times");
    }
    memcpy(made.sorted, values, n * sizeof *made.sorted);
    if (in_order)
        memcpy(made.in_order, values, n * sizeof *made.sorted);
    gsl_sort(made.sorted, 1, n);
    /* The variance of a draw, each value with probability 1/n: divided by n, not n - 1. */
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += made.sorted[i] / (double)n;
    made.mean = made.sorted[0] == made.sorted[n - 1] ? made.sorted[0] : sum;
    for (size_t i = 0; i < n; i++)
        made.variance += (made.sorted[i] - made.mean) * (made.sorted[i] - made.mean) / (double)n;
    *data = made;
    return DLQ_OK;
}

void dlq_empirical_free(struct dlq_empirical *data)
{
    free(data->sorted);
    free(data->in_order);
    *data = (struct dlq_empirical){0};
}

/* -- the family; a = 1 / mean of the data -- */

static bool empirical_make(struct dlq_dist *dist, const struct dlq_parameters *given, const struct dlq_refusal *refusal)
{
    const struct dlq_empirical *data = given->data;
    double mean = given->mean;
    if (data->mean == 0 && !isnan(mean))
        return dlq_refuse(refusal, DLQ_MEAN, "can't rescale measured times that are all 0");
    if (isnan(mean))
        mean = data->mean;
    if (data->variance == 0) {
        dlq_constant_set(dist, mean);
        return true;
    }
    dlq_set_moments(dist, mean, sqrt(data->variance) / data->mean);
    dist->a = 1 / data->mean;
    dist->data = data;
    return true;
}

static double empirical_value(const struct dlq_dist *dist, size_t i)
{
    return dlq_measured_value(dist, dist->data->sorted[i]);
}

static double empirical_cdf(const struct dlq_dist *dist, double x, bool upper)
{
    size_t count = dist->data->count, low = 0, high = count;
    while (low < high) { /* low becomes how many values are <= x */
        size_t middle = low + (high - low) / 2;
        if (empirical_value(dist, middle) <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)(upper ? count - low : low) / (double)count;
}

/* The smallest value with at least the share p of values at or below it or, if `upper`, with at most the share p above
   it. The factors undo the rounding of a product that should be a whole number. */
static double empirical_quantile(const struct dlq_dist *dist, double p, bool upper)
{
    double count = (double)dist->data->count, above = floor(p * count * (1 + 1e-15)), last = count - 1;
    double rank = upper ? last - above : ceil(p * count * (1 - 1e-15)) - 1;
    return empirical_value(dist, rank > 0 ? (size_t)rank : 0);
}

static double empirical_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return empirical_value(dist, (size_t)(gsl_rng_uniform(rng) * (double)dist->data->count));
}

/* The index is below count: the largest u, 1 - 2^-53, times count rounds to a number below count. */
static void empirical_draws(const struct dlq_dist *dist, const double *u, size_t stride, size_t n, double *x)
{
    (void)stride;
    const double count = (double)dist->data->count;
    for (size_t i = 0; i < n; i++)
        x[i] = empirical_value(dist, (size_t)(u[i] * count));
}

const struct dlq_family dlq_empirical_family = DLQ_FAMILY(
    "empirical", DLQ_FILE, DLQ_FILE | DLQ_COLUMN | DLQ_MEAN, "file, column; mean to rescale",
    "measured times, resampled", empirical_make, empirical, empirical_quantile, NULL, 1, DLQ_ALIKE(empirical_draws));
