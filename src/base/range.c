/* Ranges of values, such as "1..64 step 4" or "1, 2, 4". */
#include "base/quantity.h"

#include "base/elementary.h"
#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t"
#define NUMBER "0123456789."

enum { PIECE_TEXT = 128 };

struct reading {
    const char *text; /* the whole range */
    enum dlq_unit unit;
    char *why;
    size_t why_size;
};

/* Writes the reason, after the quoted range. Returns false. */
__attribute__((format(printf, 2, 3))) static bool refuse(const struct reading *reading, const char *format, ...)
{
    char quoted[DLQ_QUOTED], problem[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    snprintf(reading->why, reading->why_size, "'%s' %s", dlq_quoted(reading->text, quoted), problem);
    return false;
}

static bool read_piece(const struct reading *reading, const char *begin, const char *end, enum dlq_unit unit,
                       double *value)
{
    char piece[PIECE_TEXT];
    begin += strspn(begin, BLANKS);
    while (end > begin && strchr(BLANKS, end[-1]) != NULL)
        end--;
    size_t length = end > begin ? (size_t)(end - begin) : 0;
    if (length == 0)
        return refuse(reading, "is not a range: a value is missing (expected e.g. 1..32 or 1, 2, 4)");
    if (length >= sizeof piece)
        return refuse(reading, "is not a range (a part of it is too long)");
    snprintf(piece, sizeof piece, "%.*s", (int)length, begin);
    const char *next = piece + strspn(piece, NUMBER);
    if (next > piece && (*next == ':' || *next == '-') && strspn(next + 1, NUMBER) > 0) /* 1-32 or 1:32 */
        return refuse(reading, "is not a range (expected e.g. 1..32, 1..64 step 4 or 1, 2, 4)");
    return dlq_quantity_parse(piece, unit, value, reading->why, reading->why_size);
}

/* The text after `word`, which stands between blanks or ends the text; *end is where the word starts. Null: no such
   word. */
static const char *find_word(const char *text, const char *word, const char **end)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if (at > text && strchr(BLANKS, at[-1]) != NULL && (at[length] == '\0' || strchr(BLANKS, at[length]) != NULL)) {
            *end = at;
            return at + length;
        }
    return NULL;
}

/* "low..high", "low..high step 4", "low..high in 24 log" */
static bool read_span(const struct reading *reading, const char *dots, struct dlq_range *range)
{
    const char *rest = dots + 2, *last = rest + strlen(rest), *end = last, *before_log = last;
    const char *step = find_word(rest, "step", &end), *in = step == NULL ? find_word(rest, "in", &end) : NULL;
    double count = 0;
    if (*rest == '.')
        return refuse(reading, "is not a range (two dots, e.g. 1..32)");
    if (!read_piece(reading, reading->text, dots, reading->unit, &range->low) ||
        !read_piece(reading, rest, end, reading->unit, &range->high))
        return false;
    if (range->high < range->low)
        return refuse(reading, "runs downward (write the smaller end first)");
    if (in != NULL) {
        const char *log = find_word(in, "log", &before_log);
        range->logarithmic = log != NULL && log[strspn(log, BLANKS)] == '\0';
        if (!read_piece(reading, in, range->logarithmic ? before_log : last, DLQ_UNIT_COUNT, &count))
            return false;
        if (count < 2 || count > DLQ_RANGE_POINTS)
            return refuse(reading, "must have from 2 to %d points", DLQ_RANGE_POINTS);
        if (range->logarithmic && !(range->low > 0))
            return refuse(reading, "can't be divided logarithmically: it must begin above 0");
    } else {
        range->step = 1;
        if (step == NULL && reading->unit != DLQ_UNIT_COUNT)
            return refuse(reading, "does not say which points (add e.g. 'in 24', 'in 24 log' or 'step ...')");
        if (step != NULL && !read_piece(reading, step, last, reading->unit, &range->step))
            return false;
        if (!(range->step > 0))
            return refuse(reading, "has a step that is not above 0");
        /* A double: the count of 1..1e30 overflows an integer. 1e-9: rounding may move the last value past the end. */
        count = floor((range->high - range->low) / range->step + 1e-9) + 1;
        if (!(count <= DLQ_RANGE_POINTS))
            return count < 1e15 ? refuse(reading, "has %.0f points (at most %d)", count, DLQ_RANGE_POINTS)
                                : refuse(reading, "has too many points (at most %d)", DLQ_RANGE_POINTS);
    }
    range->count = (size_t)count;
    return true;
}

bool dlq_range_parse(const char *text, enum dlq_unit unit, double minimum, double maximum, struct dlq_range *range,
                     char *why, size_t why_size)
{
    struct reading reading = {.text = text, .unit = unit, .why = why, .why_size = why_size};
    struct dlq_range result = {0};
    const char *dots = strstr(text, ".."), *end = text;
    result.is_list = dots == NULL;
    if (dots != NULL && !read_span(&reading, dots, &result))
        return false;
    for (const char *begin = text; result.is_list; begin = end + 1) {
        end = begin + strcspn(begin, ",");
        if (result.count == DLQ_RANGE_LIST)
            return refuse(&reading, "lists more than 64 values");
        if (!read_piece(&reading, begin, end, unit, &result.high))
            return false;
        result.list[result.count++] = result.high;
        result.low = result.list[0];
        if (*end == '\0')
            break;
    }
    double previous = -INFINITY;
    for (size_t i = 0; i < result.count; i++) {
        double value = dlq_range_value(&result, i);
        if (!dlq_quantity_within(value, unit, minimum, maximum, why, why_size))
            return false;
        if (!(value > previous))
            return refuse(&reading, "must ascend");
        if (unit == DLQ_UNIT_COUNT && value != floor(value))
            return refuse(&reading, "gives %.4g, which is not a whole number", value);
        previous = value;
    }
    *range = result;
    return true;
}

/* Undoes the rounding of whole numbers: 1..64 in 7 log is 1, 2, 4, ... */
static double snap(double value)
{
    double whole = round(value);
    return fabs(value - whole) <= 1e-13 * fabs(value) ? whole : value;
}

double dlq_range_value(const struct dlq_range *range, size_t i)
{
    if (range->is_list)
        return range->list[i];
    if (i == 0)
        return range->low;
    if (range->step > 0) {
        double value = range->low + (double)i * range->step;
        return fabs(value - range->high) <= 1e-9 * range->step ? range->high : value;
    }
    if (i + 1 == range->count)
        return range->high;
    double part = (double)i / (double)(range->count - 1);
    if (range->logarithmic)
        return snap(range->low * dlq_pow(range->high / range->low, part));
    return snap(range->low + (range->high - range->low) * (double)i / (double)(range->count - 1));
}

struct dlq_range dlq_range_counts(long low, long high)
{
    struct dlq_range range = {.low = (double)low, .high = (double)high, .step = 1};
    double count = range.high - range.low + 1;
    range.count = count < 0 ? 0 : count > DLQ_RANGE_POINTS ? DLQ_RANGE_POINTS : (size_t)count;
    return range;
}

void dlq_range_exact(const struct dlq_range *range, enum dlq_unit unit, char *text, size_t size)
{
    char low[DLQ_QUANTITY_TEXT], high[DLQ_QUANTITY_TEXT], step[DLQ_QUANTITY_TEXT];
    size_t used = 0;
    dlq_quantity_exact(range->low, unit, low);
    dlq_quantity_exact(range->high, unit, high);
    dlq_quantity_exact(range->step, unit, step);
    text[0] = '\0';
    for (size_t i = 0; range->is_list && i < range->count && used < size; i++) {
        dlq_quantity_exact(range->list[i], unit, low);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", low);
    }
    if (range->is_list || range->count == 0)
        return;
    if (range->step == 0)
        snprintf(text, size, "%s..%s in %zu%s", low, high, range->count, range->logarithmic ? " log" : "");
    else if (unit == DLQ_UNIT_COUNT && range->step == 1)
        snprintf(text, size, "%s..%s", low, high);
    else
        snprintf(text, size, "%s..%s step %s", low, high, step);
}
