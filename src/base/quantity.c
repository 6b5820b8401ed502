#include "base/quantity.h"

#include "base/unit.h"
#include "base/utf8.h"
#include "dlqueue/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"
#define DIGITS "0123456789"

enum { MANTISSA_TEXT = 128, HINT_TEXT = 96 };

/* A text taken apart: "-1.5e3 ms". */
struct parts {
    const char *whole; /* for messages */
    char mantissa[MANTISSA_TEXT];
    long exponent;
    char suffix[DLQ_QUOTED];
};

/* Length of "12", "-1.5", ".5" at `text`; 0 where no number begins or it is too long to be one. */
static size_t mantissa_length(const char *text)
{
    size_t length = text[0] == '-';
    size_t digits = strspn(text + length, DIGITS);
    length += digits;
    size_t fraction = text[length] == '.' ? strspn(text + length + 1, DIGITS) : 0;
    if (fraction > 0)
        length += 1 + fraction;
    return digits + fraction > 0 && length < MANTISSA_TEXT ? length : 0;
}

/* "e6" is an exponent, "e" alone is not. */
static size_t exponent_length(const char *text)
{
    if (text[0] != 'e' && text[0] != 'E')
        return 0;
    size_t sign = text[1] == '-' || text[1] == '+';
    size_t digits = strspn(text + 1 + sign, DIGITS);
    return digits > 0 ? 1 + sign + digits : 0;
}

static bool take_apart(const char *text, struct parts *parts)
{
    enum { HUGE_EXPONENT = 100000 };
    parts->whole = text;
    size_t length = mantissa_length(text);
    if (length == 0)
        return false;
    memcpy(parts->mantissa, text, length);
    parts->mantissa[length] = '\0';
    text += length;
    length = exponent_length(text);
    long exponent = length > 0 ? strtol(text + 1, NULL, 10) : 0;
    if (exponent > HUGE_EXPONENT)
        exponent = HUGE_EXPONENT;
    parts->exponent = exponent > -HUGE_EXPONENT ? exponent : -HUGE_EXPONENT;
    text += length + strspn(text + length, BLANKS);
    length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        length--;
    if (length >= sizeof parts->suffix)
        return false;
    memcpy(parts->suffix, text, length);
    parts->suffix[length] = '\0';
    return true;
}

static const struct dlq_unit_row *find_row(enum dlq_unit unit, const char *suffix)
{
    for (const struct dlq_unit_row *row = dlq_unit_rows; row->name != NULL; row++)
        if (row->unit == unit && strcmp(row->name, suffix) == 0)
            return row;
    return NULL;
}

/* Decimal units shift the decimal exponent, so that "700ms" is rounded once: to the double next to 0.7. */
static double scaled(const struct parts *parts, const struct dlq_unit_row *row)
{
    char number[MANTISSA_TEXT + 16];
    snprintf(number, sizeof number, "%se%ld", parts->mantissa, parts->exponent + row->ten);
    return ldexp(strtod(number, NULL), row->two) * row->times;
}

static bool same_letters(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        char y = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), least = strlen(ending);
    return length >= least && strcmp(text + length - least, ending) == 0;
}

/* Of a rate "GBps", "GB/sec" or "GB" is "GB/s". */
static void per_second(const char *suffix, char text[DLQ_QUOTED + 4])
{
    size_t cut = ends_with(suffix, "/s") ? 2 : ends_with(suffix, "ps") ? 2 : ends_with(suffix, "/sec") ? 4 : 0;
    snprintf(text, DLQ_QUOTED + 4, "%.*s/s", (int)(strlen(suffix) - cut), suffix);
}

/* "did you mean Gb/s or GB/s? " for "gb/s", "did you mean GB/s? " for "GBps"; "" where more than the case or how "per
   second" is written differs. */
static void hint_unit(enum dlq_unit unit, const char *suffix, char hint[HINT_TEXT])
{
    size_t used = 0;
    char meant[DLQ_QUOTED + 4];
    hint[0] = '\0';
    per_second(suffix, meant);
    if (unit != DLQ_UNIT_RATE)
        snprintf(meant, sizeof meant, "%s", suffix);
    const bool exact = find_row(unit, meant) != NULL;
    for (const struct dlq_unit_row *row = dlq_unit_rows; row->name != NULL; row++)
        if (row->unit == unit && used < HINT_TEXT / 2 &&
            (exact ? strcmp(row->name, meant) == 0 : row->use != DLQ_UNIT_READ && same_letters(row->name, meant)))
            used += (size_t)snprintf(hint + used, HINT_TEXT - used, "%s%s", used == 0 ? "did you mean " : " or ",
                                     row->name);
    if (used > 0)
        snprintf(hint + used, HINT_TEXT - used, "%s", unit == DLQ_UNIT_RATE ? "? b is bits, B is bytes; " : "? ");
}

/* Why `text` is no quantity of that unit. Always false. */
static bool refuse(const char *text, enum dlq_unit unit, const char *hint, char *why, size_t why_size)
{
    const struct dlq_unit_kind *kind = dlq_unit_kind(unit);
    char quoted[DLQ_QUOTED];
    if (text[0] == '\0')
        snprintf(why, why_size, "no value (expected %s, e.g. %s)", kind->noun, kind->examples);
    else
        snprintf(why, why_size, "'%s' is not %s (%sexpected e.g. %s)", dlq_quoted(text, quoted), kind->noun, hint,
                 kind->examples);
    return false;
}

static bool refuse_suffix(const struct parts *parts, enum dlq_unit unit, char *why, size_t why_size)
{
    char hint[HINT_TEXT];
    hint_unit(unit, parts->suffix, hint);
    if (parts->suffix[0] == '\0')
        snprintf(hint, sizeof hint, "it has no unit; ");
    else if (parts->suffix[0] == ',')
        snprintf(hint, sizeof hint, "decimals follow a point; ");
    return refuse(parts->whole, unit, hint, why, why_size);
}

static bool is_zero(const struct parts *parts)
{
    return strpbrk(parts->mantissa, "123456789") == NULL;
}

/* What a number in a known unit must satisfy. */
static bool check_value(const struct parts *parts, enum dlq_unit unit, double value, char *why, size_t why_size)
{
    static const double largest_count = 9007199254740992.0; /* 2^53 */
    const struct dlq_unit_kind *kind = dlq_unit_kind(unit);
    char quoted[DLQ_QUOTED];
    const char *problem = NULL;
    if (unit != DLQ_UNIT_FACTOR && unit != DLQ_UNIT_NUMBER && unit != DLQ_UNIT_RATIO && value < 0)
        problem = "is negative";
    else if (isinf(value) || (unit == DLQ_UNIT_COUNT && value > largest_count))
        problem = "is too large";
    else if (value == 0 && !is_zero(parts))
        problem = "is too small";
    else if (unit == DLQ_UNIT_COUNT && value != floor(value))
        problem = "is not a whole number";
    if (problem == NULL)
        return true;
    snprintf(why, why_size, "'%s' %s (expected %s, e.g. %s)", dlq_quoted(parts->whole, quoted), problem, kind->noun,
             kind->examples);
    return false;
}

bool dlq_quantity_parse(const char *text, enum dlq_unit unit, double *value, char *why, size_t why_size)
{
    struct parts parts;
    text += strspn(text, BLANKS);
    if (!take_apart(text, &parts))
        return refuse(text, unit, "", why, why_size);
    double result = 0;
    if (parts.suffix[0] != '\0' || !is_zero(&parts)) {
        const struct dlq_unit_row *row = find_row(unit, parts.suffix);
        if (row == NULL)
            return refuse_suffix(&parts, unit, why, why_size);
        result = scaled(&parts, row);
    }
    if (!check_value(&parts, unit, result, why, why_size))
        return false;
    *value = result == 0 ? 0 : result; /* not -0 */
    return true;
}

bool dlq_quantity_parse_seed(const char *text, uint64_t *value, char *why, size_t why_size)
{
    char quoted[DLQ_QUOTED];
    uint64_t result = 0;
    bool good = text[0] != '\0';
    for (const char *digit = text; good && *digit != '\0'; digit++) {
        uint64_t last = (uint64_t)(*digit - '0');
        good = *digit >= '0' && *digit <= '9' && result <= (UINT64_MAX - last) / 10;
        result = result * 10 + last;
    }
    if (good)
        *value = result;
    else
        snprintf(why, why_size, "'%s' is not a whole number from 0 to 18446744073709551615", dlq_quoted(text, quoted));
    return good;
}

bool dlq_quantity_within(double value, enum dlq_unit unit, double minimum, double maximum, char *why, size_t why_size)
{
    if (value >= minimum && value <= maximum)
        return true;
    char got[DLQ_QUANTITY_TEXT];
    char low[DLQ_QUANTITY_TEXT];
    char high[DLQ_QUANTITY_TEXT];
    dlq_quantity_exact(value, unit, got);
    dlq_quantity_exact(minimum, unit, low);
    dlq_quantity_exact(maximum, unit, high);
    if (isfinite(minimum) && isfinite(maximum))
        snprintf(why, why_size, "%s is not in %s..%s", got, low, high);
    else
        snprintf(why, why_size, "%s is %s %s", got, value < minimum ? "below" : "above", value < minimum ? low : high);
    return false;
}

bool dlq_time_parse(const char *text, double *seconds, char *why, size_t size)
{
    double value;
    if (!dlq_quantity_parse(text, DLQ_UNIT_TIME, &value, why, size) ||
        !dlq_quantity_within(value, DLQ_UNIT_TIME, 0, INFINITY, why, size))
        return false;
    *seconds = value;
    return true;
}

bool dlq_factor_parse(const char *text, double *factor, char *why, size_t size)
{
    double value;
    if (!dlq_quantity_parse(text, DLQ_UNIT_FACTOR, &value, why, size))
        return false;
    if (value <= 0) {
        snprintf(why, size, "a factor must be above 0");
        return false;
    }
    *factor = value;
    return true;
}
