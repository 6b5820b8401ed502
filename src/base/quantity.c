/* Quantities: their units, and texts read and written. */
#include "base/quantity.h"

#include "base/utf8.h"
#include "dlqueue/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- units -- */

/* How a unit is used besides being read. */
enum unit_use { ONLY_READ, WRITTEN, SHOWN };

/* One of them is 10^ten * 2^two * times base units. `use`: ONLY_READ is another spelling that is only read,
   WRITTEN is also written for programs, SHOWN for people too. */
struct unit_row {
    enum dlq_unit unit;
    const char *name;
    int ten, two, times;
    enum unit_use use;
};

/* 1 KB = 1000 B and 1 KiB = 1024 B (IEC 80000-13); 8 bits = 1 byte. Bits per second are 2^-3 bytes per second. */
/* Ascending in size within a unit; ends with a null name. */
static const struct unit_row unit_rows[] = {
    {DLQ_UNIT_TIME, "ns", -9, 0, 1, SHOWN},
    {DLQ_UNIT_TIME, "us", -6, 0, 1, SHOWN},
    {DLQ_UNIT_TIME, "\xC2\xB5s", -6, 0, 1, ONLY_READ}, /* micro sign */
    {DLQ_UNIT_TIME, "\xCE\xBCs", -6, 0, 1, ONLY_READ}, /* Greek mu */
    {DLQ_UNIT_TIME, "ms", -3, 0, 1, SHOWN},
    {DLQ_UNIT_TIME, "s", 0, 0, 1, SHOWN},
    {DLQ_UNIT_TIME, "min", 0, 0, 60, SHOWN},
    {DLQ_UNIT_TIME, "h", 0, 0, 3600, SHOWN},
    {DLQ_UNIT_TIME, "d", 0, 0, 86400, SHOWN},

    {DLQ_UNIT_SIZE, "B", 0, 0, 1, SHOWN},
    {DLQ_UNIT_SIZE, "KB", 3, 0, 1, SHOWN},
    {DLQ_UNIT_SIZE, "kB", 3, 0, 1, ONLY_READ},
    {DLQ_UNIT_SIZE, "KiB", 0, 10, 1, WRITTEN},
    {DLQ_UNIT_SIZE, "MB", 6, 0, 1, SHOWN},
    {DLQ_UNIT_SIZE, "MiB", 0, 20, 1, WRITTEN},
    {DLQ_UNIT_SIZE, "GB", 9, 0, 1, SHOWN},
    {DLQ_UNIT_SIZE, "GiB", 0, 30, 1, WRITTEN},
    {DLQ_UNIT_SIZE, "TB", 12, 0, 1, SHOWN},
    {DLQ_UNIT_SIZE, "TiB", 0, 40, 1, WRITTEN},

    {DLQ_UNIT_RATE, "b/s", 0, -3, 1, WRITTEN},
    {DLQ_UNIT_RATE, "bit/s", 0, -3, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "B/s", 0, 0, 1, SHOWN},
    {DLQ_UNIT_RATE, "Kb/s", 3, -3, 1, WRITTEN},
    {DLQ_UNIT_RATE, "kbit/s", 3, -3, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "Kbit/s", 3, -3, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "KB/s", 3, 0, 1, SHOWN},
    {DLQ_UNIT_RATE, "kB/s", 3, 0, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "KiB/s", 0, 10, 1, WRITTEN},
    {DLQ_UNIT_RATE, "Mb/s", 6, -3, 1, WRITTEN},
    {DLQ_UNIT_RATE, "Mbit/s", 6, -3, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "MB/s", 6, 0, 1, SHOWN},
    {DLQ_UNIT_RATE, "MiB/s", 0, 20, 1, WRITTEN},
    {DLQ_UNIT_RATE, "Gb/s", 9, -3, 1, WRITTEN},
    {DLQ_UNIT_RATE, "Gbit/s", 9, -3, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "GB/s", 9, 0, 1, SHOWN},
    {DLQ_UNIT_RATE, "GiB/s", 0, 30, 1, WRITTEN},
    {DLQ_UNIT_RATE, "Tb/s", 12, -3, 1, WRITTEN},
    {DLQ_UNIT_RATE, "Tbit/s", 12, -3, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "TB/s", 12, 0, 1, SHOWN},
    {DLQ_UNIT_RATE, "TiB/s", 0, 40, 1, WRITTEN},

    {DLQ_UNIT_SHARE, "%", -2, 0, 1, SHOWN},
    {DLQ_UNIT_SHARE, "", 0, 0, 1, ONLY_READ},
    {DLQ_UNIT_COUNT, "", 0, 0, 1, SHOWN},
    {DLQ_UNIT_FACTOR, "", 0, 0, 1, SHOWN},
    {DLQ_UNIT_FACTOR, "x", 0, 0, 1, ONLY_READ},
    {DLQ_UNIT_NUMBER, "", 0, 0, 1, SHOWN},
    {DLQ_UNIT_RATIO, "", 0, 0, 1, SHOWN},
    {DLQ_UNIT_RATIO, "%", -2, 0, 1, ONLY_READ},
    {DLQ_UNIT_NUMBER, NULL, 0, 0, 0, ONLY_READ},
};

const struct dlq_unit_kind *dlq_unit_kind(enum dlq_unit unit)
{
    static const struct dlq_unit_kind kinds[] = {
        [DLQ_UNIT_TIME] = {"a time", "700ms, 2s"},       [DLQ_UNIT_SIZE] = {"a size", "110KB, 1.2GiB"},
        [DLQ_UNIT_RATE] = {"a rate", "2GB/s, 400Gb/s"},  [DLQ_UNIT_SHARE] = {"a share", "95%, 0.95"},
        [DLQ_UNIT_COUNT] = {"a whole number", "8, 1e6"}, [DLQ_UNIT_FACTOR] = {"a factor", "3, 1.5x"},
        [DLQ_UNIT_NUMBER] = {"a number", "2.5, 1e-3"},   [DLQ_UNIT_RATIO] = {"a number or a share", "0.3, 30%"},
    };
    return &kinds[unit];
}

/* -- reading -- */

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

static const struct unit_row *find_row(enum dlq_unit unit, const char *suffix)
{
    for (const struct unit_row *row = unit_rows; row->name != NULL; row++)
        if (row->unit == unit && strcmp(row->name, suffix) == 0)
            return row;
    return NULL;
}

/* Decimal units shift the decimal exponent, so that "700ms" is rounded once: to the double next to 0.7. */
static double scaled(const struct parts *parts, const struct unit_row *row)
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
    for (const struct unit_row *row = unit_rows; row->name != NULL; row++)
        if (row->unit == unit && used < HINT_TEXT / 2 &&
            (exact ? strcmp(row->name, meant) == 0 : row->use != ONLY_READ && same_letters(row->name, meant)))
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
        const struct unit_row *row = find_row(unit, parts.suffix);
        if (row == NULL)
            return refuse_suffix(&parts, unit, why, why_size);
        result = scaled(&parts, row);
    }
    if (!check_value(&parts, unit, result, why, why_size))
        return false;
    *value = result == 0 ? 0 : result; /* not -0 */
    return true;
}

enum dlq_unit dlq_quantity_rate_unit(const char *text)
{
    struct parts parts;
    const struct unit_row *row = take_apart(text, &parts) ? find_row(DLQ_UNIT_RATE, parts.suffix) : NULL;
    return row == NULL || row->two == 0 ? DLQ_UNIT_RATE : row->two < 0 ? DLQ_UNIT_BIT_RATE : DLQ_UNIT_BINARY_RATE;
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

/* -- writing -- */

enum { MOST_DIGITS = 17, MOST_SHOWN = 15 };

/* value = 0.D1D2D3... * 10^point, the fewest digits that read back to it. */
struct decimal {
    bool negative;
    char digits[MOST_DIGITS + 1];
    int count, point;
};

static struct decimal shortest(double value)
{
    struct decimal decimal = {.negative = value < 0};
    char text[40];
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, fabs(value));
        if (strtod(text, NULL) == fabs(value))
            break;
    }
    const char *from = text;
    for (; *from != 'e' && *from != '\0'; from++)
        if (*from != '.' && decimal.count < MOST_DIGITS)
            decimal.digits[decimal.count++] = *from;
    decimal.point = *from == 'e' ? (int)strtol(from + 1, NULL, 10) + 1 : 1;
    return decimal;
}

/* "1500", "0.015", or with an exponent where that would take more than six zeros. */
static void write_decimal(const struct decimal *decimal, char text[DLQ_QUANTITY_TEXT])
{
    enum { ZEROS = 6 };
    const char *sign = decimal->negative ? "-" : "";
    const char *digits = decimal->digits;
    int after = decimal->count - decimal->point;
    if (after < -ZEROS || decimal->point < -ZEROS)
        snprintf(text, DLQ_QUANTITY_TEXT, "%s%c%s%se%d", sign, digits[0], decimal->count > 1 ? "." : "", digits + 1,
                 decimal->point - 1);
    else if (after <= 0)
        snprintf(text, DLQ_QUANTITY_TEXT, "%s%s%.*s", sign, digits, -after, "000000");
    else if (decimal->point <= 0)
        snprintf(text, DLQ_QUANTITY_TEXT, "%s0.%.*s%s", sign, -decimal->point, "000000", digits);
    else
        snprintf(text, DLQ_QUANTITY_TEXT, "%s%.*s.%s", sign, decimal->point, digits, digits + decimal->point);
}

/* The value in that unit; false where it does not read back to the same double. */
static bool write_in(const struct unit_row *row, double value, char text[DLQ_QUANTITY_TEXT])
{
    char why[DLQ_QUANTITY_TEXT];
    double back = 0;
    struct decimal decimal = shortest(ldexp(value / row->times, -row->two));
    decimal.point -= row->ten;
    write_decimal(&decimal, text);
    size_t length = strlen(text);
    snprintf(text + length, DLQ_QUANTITY_TEXT - length, "%s", row->name);
    return dlq_quantity_parse(text, row->unit, &back, why, sizeof why) && back == value;
}

/* Whether a quantity of that unit is written by that row. Rates are written as they were given: in bits, in powers of
   1024 or in neither. */
static bool is_written_by(const struct unit_row *row, enum dlq_unit unit, bool for_people)
{
    const bool base = row->ten == 0 && row->two == 0;
    const bool rate = row->unit == DLQ_UNIT_RATE && row->use != ONLY_READ;
    if (unit == DLQ_UNIT_BIT_RATE)
        return rate && row->two < 0;
    if (unit == DLQ_UNIT_BINARY_RATE)
        return rate && (row->two > 0 || base);
    return row->unit == unit && (for_people || unit == DLQ_UNIT_RATE ? row->use == SHOWN : row->use != ONLY_READ);
}

/* "700ms" is easier to read than "0.7s", "1000000s" than "1e9ms". */
static size_t effort(const char *text)
{
    return strlen(text) + (strncmp(text, "0.", 2) == 0 ? 2 : 0) + (strchr(text, 'e') != NULL ? 4 : 0);
}

void dlq_quantity_exact(double value, enum dlq_unit unit, char text[DLQ_QUANTITY_TEXT])
{
    text[0] = '\0';
    if (!isfinite(value))
        return;
    if (value == 0) {
        snprintf(text, DLQ_QUANTITY_TEXT, "%s", unit == DLQ_UNIT_SHARE ? "0%" : "0");
        return;
    }
    for (const struct unit_row *row = unit_rows; row->name != NULL; row++) {
        char candidate[DLQ_QUANTITY_TEXT];
        if (!is_written_by(row, unit, false) || !write_in(row, value, candidate))
            continue;
        if (text[0] == '\0' || effort(candidate) <= effort(text))
            memcpy(text, candidate, sizeof candidate);
    }
    /* What parse would refuse, such as a negative time: for messages. */
    if (text[0] == '\0')
        snprintf(text, DLQ_QUANTITY_TEXT, "%.*g", MOST_DIGITS, value);
}

static double row_scale(const struct unit_row *row)
{
    return ldexp(pow(10, row->ten), row->two) * row->times;
}

/* The largest unit of which there is at least one; of minutes, hours, days at least two. */
static const struct unit_row *shown_row(double value, enum dlq_unit unit)
{
    const struct unit_row *best = NULL;
    for (const struct unit_row *row = unit_rows; row->name != NULL; row++) {
        if (!is_written_by(row, unit, true))
            continue;
        double least = row_scale(row) * (row->times > 1 ? 2 : 1);
        bool is_base = row->ten == 0 && row->two == 0 && row->times == 1;
        if (best == NULL || fabs(value) >= least || (value == 0 && is_base))
            best = row;
    }
    return best;
}

/* The largest double has no rounder one above it. */
static double rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    double result = strtod(text, NULL);
    return isinf(result) ? value : result;
}

/* `digits` significant, without an exponent where that is short, without zeros at the end. */
static void write_rounded(double value, int digits, char text[DLQ_QUANTITY_TEXT])
{
    int magnitude = value == 0 ? 0 : (int)floor(log10(fabs(value)));
    if (magnitude < -5 || magnitude > 15) {
        snprintf(text, DLQ_QUANTITY_TEXT, "%.*g", digits, value);
        return;
    }
    int places = digits - 1 > magnitude ? digits - 1 - magnitude : 0;
    snprintf(text, DLQ_QUANTITY_TEXT, "%.*f", places, value);
    dlq_number_trim(text);
}

static void write_unbounded(double value, char text[DLQ_QUANTITY_TEXT])
{
    snprintf(text, DLQ_QUANTITY_TEXT, "%s", isnan(value) ? "unknown" : value > 0 ? "unbounded" : "-unbounded");
}

void dlq_quantity_readable(double value, enum dlq_unit unit, int digits, char text[DLQ_QUANTITY_TEXT])
{
    if (!isfinite(value)) {
        write_unbounded(value, text);
        return;
    }
    if (digits < 1 || digits > MOST_SHOWN)
        digits = digits < 1 ? 1 : MOST_SHOWN;
    if (unit == DLQ_UNIT_COUNT && value == floor(value))
        digits = MOST_DIGITS;
    /* 0.99996 s is 1 s, not 1000 ms. */
    double shown = rounded(value, digits);
    const struct unit_row *row = shown_row(shown, unit);
    double scaled = value / row_scale(row);
    if (!isfinite(scaled)) { /* the largest doubles as percent */
        write_unbounded(scaled, text);
        return;
    }
    /* Rounded in that unit alone: 10440 s is 2.9 h, 10400 s is not. */
    write_rounded(rounded(scaled, digits), digits, text);
    size_t length = strlen(text);
    if (unit == DLQ_UNIT_FACTOR)
        snprintf(text + length, DLQ_QUANTITY_TEXT - length, "x");
    else if (row->name[0] != '\0')
        snprintf(text + length, DLQ_QUANTITY_TEXT - length, " %s", row->name);
}
