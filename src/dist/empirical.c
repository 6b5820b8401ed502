/* Measured times: one column of a CSV file, and its values resampled. */
#include "base/lines.h"
#include "base/quantity.h"
#include "dist/families.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 4000000, MOST_LINE = 32768, LONGEST_NUMBER = 64, SHOWN = 40 };

/* A file being read. */
struct reading {
    const char *name;
    struct dlq_lines *lines;
    struct dlq_error *error;
    int refused;            /* lines of this file that are bad */
    char separator;         /* 0: no header yet */
    size_t columns, column; /* how many, which one (from 0) */
    double *values;
    size_t count, capacity;
};

/* -- fields -- */

/* A quoted field (RFC 4180: "" is a quote), unquoted in place; returns what follows it, null where it never ends. */
static char *unquote(char *text)
{
    char *write = text, *read = text + 1;
    for (; *read != '\0'; read++) {
        if (*read == '"' && read[1] != '"') {
            *write = '\0';
            return read + 1;
        }
        if (*read == '"')
            read++;
        *write++ = *read;
    }
    return NULL;
}

/* Cuts the field at *rest off, in place, and moves *rest behind it: null after the last one. Null: bad quotes. */
static char *next_field(char **rest, char separator)
{
    char *field = *rest + strspn(*rest, " \t"), *after;
    if (*field == '"') {
        after = unquote(field);
        if (after == NULL)
            return NULL;
        after += strspn(after, " \t");
        if (*after != '\0' && *after != separator)
            return NULL;
    } else {
        after = strchr(field, separator);
    }
    bool last = after == NULL || *after == '\0';
    if (!last)
        *after = '\0';
    *rest = last ? NULL : after + 1;
    return dlq_trim(field);
}

/* A bare number is in seconds; the characters keep nan, inf and hexadecimal out. */
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

/* -- lines -- */

/* column 0: the line as a whole. */
static void refuse(struct reading *reading, size_t column, const char *why)
{
    char place[32] = "";
    if (column > 0)
        snprintf(place, sizeof place, "column %zu: ", column);
    reading->refused++;
    dlq_error_add(reading->error, DLQ_INVALID, "%s:%ld: %s%s", reading->name, reading->lines->number, place, why);
}

static bool keep(struct reading *reading, double value)
{
    if (reading->count == reading->capacity) {
        size_t capacity = reading->capacity == 0 ? 1024 : 2 * reading->capacity;
        double *grown = realloc(reading->values, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        reading->values = grown;
        reading->capacity = capacity;
    }
    reading->values[reading->count++] = value;
    return true;
}

/* Cuts the line into fields, in place: how many; *field becomes that of the column, whose number is found first where
   `wanted` names it. 0: refused. */
static size_t cut(struct reading *reading, char *text, const char *wanted, char **field)
{
    size_t columns = 0;
    bool found = wanted == NULL;
    for (char *rest = text, *at; rest != NULL; columns++) {
        at = next_field(&rest, reading->separator);
        if (at == NULL) {
            refuse(reading, columns + 1, "a quote that never ends, or text after it");
            return 0;
        }
        if (!found && strcmp(at, wanted) == 0) {
            reading->column = columns;
            found = true;
        }
        if (columns == reading->column)
            *field = at;
    }
    if (found)
        return columns;
    char why[256];
    snprintf(why, sizeof why, "no column is named '%.*s'", SHOWN, wanted);
    refuse(reading, 0, why);
    return 0;
}

/* Keeps the row's value, or says what is wrong with it; false: no memory. */
static bool read_row(struct reading *reading, char *text)
{
    char why[256] = "", *field = NULL;
    double value = NAN;
    size_t columns = cut(reading, text, NULL, &field);
    if (columns == 0)
        return true;
    reading->columns = reading->columns == 0 ? columns : reading->columns; /* a file without a header */
    if (field != NULL && !read_time(field, &value, why, sizeof why)) {
        refuse(reading, reading->column + 1, why);
    } else if (columns != reading->columns) {
        snprintf(why, sizeof why, "%zu fields, but the first line has %zu%s", columns, reading->columns,
                 columns > reading->columns && reading->separator == ',' ? " (a decimal comma? write 1.5)" : "");
        refuse(reading, columns < reading->columns ? columns : reading->columns + 1, why);
    } else {
        return keep(reading, value);
    }
    return true;
}

/* Takes a line of text in; false: stop reading. */
static bool take_line(struct reading *reading, const char *column, enum dlq_status *status)
{
    char *text = dlq_trim(reading->lines->text);
    if (*text == '\0' || *text == '#')
        return true;
    if (reading->separator == 0) {
        char first[LONGEST_NUMBER], *field;
        double value;
        reading->separator = strchr(text, ';') != NULL ? ';' : ',';
        snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ",;"), text);
        if (column != NULL || !bare_number(dlq_trim(first), &value)) { /* else it is data */
            reading->columns = cut(reading, text, column, &field);
            return reading->columns > 0;
        }
    }
    if (reading->count == MOST_VALUES) {
        refuse(reading, 0, "more than 4000000 values");
        return false;
    }
    if (read_row(reading, text))
        return reading->refused < DLQ_ERROR_LINES;
    *status = dlq_error_memory(reading->error, "reading measured times");
    return false;
}

/* Reads on to the end or to what stops it. */
static enum dlq_status read_lines(struct reading *reading, const char *column)
{
    enum dlq_status status = DLQ_OK;
    for (;;) {
        switch (dlq_lines_next(reading->lines)) {
        case DLQ_LINE_TEXT:
            if (!take_line(reading, column, &status))
                return status;
            break;
        case DLQ_LINE_TOO_LONG:
            refuse(reading, 0, "the line is too long");
            return status;
        case DLQ_LINE_BINARY:
            refuse(reading, 0, "not a text file");
            return status;
        case DLQ_LINE_FAILED:
            return dlq_error_add(reading->error, DLQ_FAILURE, "cannot read %s: %s", reading->name, strerror(errno));
        case DLQ_LINE_TOO_LARGE:
        case DLQ_LINE_END:
            return status;
        }
    }
}

enum dlq_status dlq_empirical_read(struct dlq_empirical *data, const char *name, FILE *stream, const char *column,
                                   struct dlq_error *error)
{
    struct reading reading = {.name = name, .error = error};
    enum dlq_status status;
    reading.lines = malloc(sizeof *reading.lines);
    if (reading.lines == NULL)
        return dlq_error_memory(error, "reading measured times");
    dlq_lines_begin(reading.lines, stream, MOST_LINE, 0);
    status = read_lines(&reading, column);
    if (status == DLQ_OK && reading.refused > 0)
        status = DLQ_INVALID;
    if (status == DLQ_OK && reading.count == 0)
        status = dlq_error_add(error, DLQ_INVALID, "%s: no values: %s", name,
                               reading.separator == 0 ? "the file is empty" : "there is nothing below the header");
    if (status == DLQ_OK)
        status = dlq_empirical_from(data, reading.values, reading.count, error);
    free(reading.values);
    free(reading.lines);
    return status;
}

/* -- values -- */

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

enum dlq_status dlq_empirical_from(struct dlq_empirical *data, const double *values, size_t n, struct dlq_error *error)
{
    struct dlq_empirical made = {.count = n};
    if (n == 0)
        return dlq_error_add(error, DLQ_INVALID, "no measured times");
    for (size_t i = 0; i < n; i++)
        if (!(values[i] >= 0 && values[i] <= DLQ_TIME_MOST))
            return dlq_error_add(error, DLQ_INVALID, "measured time %zu is %g s", i + 1, values[i]);
    if (n <= SIZE_MAX / sizeof *made.sorted)
        made.sorted = malloc(n * sizeof *made.sorted);
    if (made.sorted == NULL)
        return dlq_error_memory(error, "keeping measured times");
    memcpy(made.sorted, values, n * sizeof *made.sorted);
    qsort(made.sorted, n, sizeof *made.sorted, by_size);
    /* Of the distribution that draws each value with probability 1/n: divided by n, not n - 1. */
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
    *data = (struct dlq_empirical){0};
}

/* -- the family; a = factor from the data to units of the mean -- */

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

/* One value of the distribution. Without rescaling the measured value itself, to the bit. */
static double empirical_value(const struct dlq_dist *dist, size_t i)
{
    double value = dist->data->sorted[i];
    return dist->scale == dist->data->mean ? value : value * dist->a * dist->scale;
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

/* The smallest value with at least that share at or below it, or at most that share above it; a share that is whole but
   for rounding is whole. */
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

/* u < 1 keeps floor(u count) below count: the product, count - 2^-53 count, rounds to the number before it or less. */
static void empirical_draws(const struct dlq_dist *dist, const double *u, size_t stride, size_t n, double *x)
{
    const double count = (double)dist->data->count;
    (void)stride;
    for (size_t i = 0; i < n; i++)
        x[i] = empirical_value(dist, (size_t)(u[i] * count));
}

const struct dlq_family dlq_empirical_family = DLQ_FAMILY(
    "empirical", DLQ_FILE, DLQ_FILE | DLQ_COLUMN | DLQ_MEAN, "file, column; mean to rescale",
    "measured times, resampled", empirical_make, empirical, empirical_quantile, NULL, 1, DLQ_ALIKE(empirical_draws));
