/* Quantities with units: reads them, and writes them for programs and for people. */
#include "base/quantity.h"

#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* -- units -- */

/* All units can be read. WRITTEN and SHOWN units are also written for programs, SHOWN units also for people. */
enum unit_use { ONLY_READ, WRITTEN, SHOWN };

/* The unit `name` is 10^ten * 2^two * times base units. */
struct unit_row {
    enum dlq_unit unit;
    const char *name;
    int ten, two, times;
    enum unit_use use;
};

/* 1 KB = 1000 B and 1 KiB = 1024 B (IEC 80000-13); 1 bit/s = 2^-3 bytes/s. */
#define PREFIXED(prefix, ten, two)                                                                                     \
    {DLQ_UNIT_SIZE, prefix "B", ten, 0, 1, SHOWN}, {DLQ_UNIT_SIZE, prefix "iB", 0, two, 1, WRITTEN},                   \
        {DLQ_UNIT_RATE, prefix "b/s", ten, -3, 1, WRITTEN}, {DLQ_UNIT_RATE, prefix "bit/s", ten, -3, 1, ONLY_READ},    \
        {DLQ_UNIT_RATE, prefix "B/s", ten, 0, 1, SHOWN},                                                               \
    {                                                                                                                  \
        DLQ_UNIT_RATE, prefix "iB/s", 0, two, 1, WRITTEN                                                               \
    }

/* Rows of the same enum dlq_unit ascend in size; the last name is null. */
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
    {DLQ_UNIT_SIZE, "kB", 3, 0, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "b/s", 0, -3, 1, WRITTEN},
    {DLQ_UNIT_RATE, "bit/s", 0, -3, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "kbit/s", 3, -3, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "kB/s", 3, 0, 1, ONLY_READ},
    {DLQ_UNIT_RATE, "B/s", 0, 0, 1, SHOWN},
    PREFIXED("K", 3, 10),
    PREFIXED("M", 6, 20),
    PREFIXED("G", 9, 30),
    PREFIXED("T", 12, 40),

    {DLQ_UNIT_SHARE, "%", -2, 0, 1, SHOWN},
    {DLQ_UNIT_SHARE, "", 0, 0, 1, ONLY_READ},
    {DLQ_UNIT_COUNT, "", 0, 0, 1, SHOWN},
    {DLQ_UNIT_FACTOR, "", 0, 0, 1, SHOWN},
    {DLQ_UNIT_FACTOR, "x", 0, 0, 1, ONLY_READ},
    {DLQ_UNIT_NUMBER, "", 0, 0, 1, SHOWN},
    {DLQ_UNIT_RATIO, "", 0, 0, 1, SHOWN},
    {DLQ_UNIT_RATIO, "%", -2, 0, 1, ONLY_READ},
    {DLQ_UNIT_RATIO, "x", 0, 0, 1, WRITTEN},
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

/* A ratio above MOST_BARE and below 100 (the largest allowed cv) that is written without "%" or "x" was probably meant
   in per cent. */
enum { MANTISSA_TEXT = 128, HINT_TEXT = 96, MOST_BARE = 10 };

/* The parts of a text such as "-1.5e3 ms". */
struct parts {
    const char *text; /* starts with the mantissa */
    int length;       /* of the mantissa */
    long exponent;
    char suffix[DLQ_QUOTED];
    bool zero; /* the mantissa is 0 */
};

/* Splits a text that starts with a number: "12", "-1.5", ".5", with or without an exponent ("e6"). False: no number. */
static bool split(const char *text, struct parts *parts)
{
    enum { HUGE_EXPONENT = 100000 };
    size_t sign = text[0] == '-', whole = strspn(text + sign, DIGITS), length = sign + whole;
    size_t fraction = text[length] == '.' ? strspn(text + length + 1, DIGITS) : 0;
    if (fraction > 0)
        length += 1 + fraction;
    if (whole + fraction == 0 || length >= MANTISSA_TEXT)
        return false;
    *parts = (struct parts){.text = text, .length = (int)length, .zero = strcspn(text, "123456789") >= length};
    text += length;
    if ((text[0] == 'e' || text[0] == 'E') && strspn(text + 1 + strspn(text + 1, "+-"), DIGITS) > 0 &&
        strspn(text + 1, "+-") < 2) {
        char *end;
        long exponent = strtol(text + 1, &end, 10);
        parts->exponent = exponent > HUGE_EXPONENT    ? HUGE_EXPONENT
                          : exponent < -HUGE_EXPONENT ? -HUGE_EXPONENT
                                                      : exponent;
        text = end;
    }
    text += strspn(text, BLANKS);
    length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        length--;
    snprintf(parts->suffix, sizeof parts->suffix, "%.*s", (int)length, text);
    return length < sizeof parts->suffix;
}

static const struct unit_row *find_row(enum dlq_unit unit, const char *suffix)
{
    for (const struct unit_row *row = unit_rows; row->name != NULL; row++)
        if (row->unit == unit && strcmp(row->name, suffix) == 0)
            return row;
    return NULL;
}

/* The value in base units. A decimal unit shifts the exponent of the text, so that "700ms" is rounded only once. */
static double scaled(const struct parts *parts, const struct unit_row *row)
{
    char number[MANTISSA_TEXT + 16];
    snprintf(number, sizeof number, "%.*se%ld", parts->length, parts->text, parts->exponent + row->ten);
    return ldexp(strtod(number, NULL), row->two) * row->times;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), least = strlen(ending);
    return length >= least && strcmp(text + length - least, ending) == 0;
}

/* "did you mean Gb/s or GB/s? " for "gb/s", "GBps", "GB/sec" or "GB"; "" if the suffix is no misspelled unit. */
static void hint_unit(enum dlq_unit unit, const char *suffix, char hint[HINT_TEXT])
{
    size_t used = 0, cut = ends_with(suffix, "/s") || ends_with(suffix, "ps") ? 2 : ends_with(suffix, "/sec") ? 4 : 0;
    char meant[DLQ_QUOTED + 4];
    bool rate = unit == DLQ_UNIT_RATE;
    snprintf(meant, sizeof meant, "%.*s%s", (int)(strlen(suffix) - (rate ? cut : 0)), suffix, rate ? "/s" : "");
    hint[0] = '\0';
    for (const struct unit_row *row = unit_rows; row->name != NULL; row++)
        if (row->unit == unit && used < HINT_TEXT / 2 && row->use != ONLY_READ && strcasecmp(row->name, meant) == 0)
            used += (size_t)snprintf(hint + used, HINT_TEXT - used, "%s%s", used == 0 ? "did you mean " : " or ",
                                     row->name);
    if (used > 0)
        snprintf(hint + used, HINT_TEXT - used, "%s", rate ? "? b is bits, B is bytes; " : "? ");
    if (suffix[0] == '\0')
        snprintf(hint, HINT_TEXT, "it has no unit; ");
    else if (unit == DLQ_UNIT_SHARE && ends_with(suffix, "/s"))
        snprintf(hint, HINT_TEXT, "a rate is no share; ");
    else if (suffix[0] == ',')
        snprintf(hint, HINT_TEXT, "decimals follow a point; ");
}

/* Writes why `text` is not a quantity of this unit or, given a `problem`, not a valid one. Returns false. */
static bool refuse(const char *text, enum dlq_unit unit, const char *problem, const char *hint, char *why,
                   size_t why_size)
{
    const struct dlq_unit_kind *kind = dlq_unit_kind(unit);
    char quoted[DLQ_QUOTED];
    if (text[0] == '\0')
        snprintf(why, why_size, "no value (expected %s, e.g. %s)", kind->noun, kind->examples);
    else if (problem != NULL)
        snprintf(why, why_size, "'%s' %s (expected %s, e.g. %s)", dlq_quoted(text, quoted), problem, kind->noun,
                 kind->examples);
    else
        snprintf(why, why_size, "'%s' is not %s (%sexpected e.g. %s)", dlq_quoted(text, quoted), kind->noun, hint,
                 kind->examples);
    return false;
}

bool dlq_quantity_parse(const char *text, enum dlq_unit unit, double *value, char *why, size_t why_size)
{
    static const double largest_count = 9007199254740992.0; /* 2^53 */
    struct parts parts;
    char hint[HINT_TEXT];
    text += strspn(text, BLANKS);
    if (!split(text, &parts))
        return refuse(text, unit, NULL, "", why, why_size);
    const struct unit_row *row = find_row(unit, parts.suffix);
    bool bare = parts.zero && parts.suffix[0] == '\0';
    if (row == NULL && !bare) {
        hint_unit(unit, parts.suffix, hint);
        return refuse(text, unit, NULL, hint, why, why_size);
    }
    double result = bare ? 0 : scaled(&parts, row);
    const char *problem = NULL;
    if (unit != DLQ_UNIT_FACTOR && unit != DLQ_UNIT_NUMBER && unit != DLQ_UNIT_RATIO && result < 0)
        problem = "is negative";
    else if (isinf(result) || (unit == DLQ_UNIT_COUNT && result > largest_count))
        problem = "is too large";
    else if (result == 0 && !parts.zero)
        problem = "is too small";
    else if (unit == DLQ_UNIT_COUNT && result != floor(result))
        problem = "is not a whole number";
    if (problem != NULL)
        return refuse(text, unit, problem, "", why, why_size);
    if (unit == DLQ_UNIT_RATIO && parts.suffix[0] == '\0' && result > MOST_BARE && result < 100) {
        snprintf(why, why_size, "%g is %g%%; did you mean %g%%? (if not, write %gx)", result, 100 * result, result,
                 result);
        return false;
    }
    *value = result == 0 ? 0 : result; /* not -0 */
    return true;
}

enum dlq_unit dlq_quantity_rate_unit(const char *text)
{
    struct parts parts;
    const struct unit_row *row = split(text, &parts) ? find_row(DLQ_UNIT_RATE, parts.suffix) : NULL;
    return row == NULL || row->two == 0 ? DLQ_UNIT_RATE : row->two < 0 ? DLQ_UNIT_BIT_RATE : DLQ_UNIT_BINARY_RATE;
}

bool dlq_quantity_parse_seed(const char *text, uint64_t *value, char *why, size_t why_size)
{
    char quoted[DLQ_QUOTED];
    errno = 0;
    uint64_t result = strtoull(text, NULL, 10);
    bool good = text[0] != '\0' && strspn(text, DIGITS) == strlen(text) && errno == 0;
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
    char got[DLQ_QUANTITY_TEXT], low[DLQ_QUANTITY_TEXT], high[DLQ_QUANTITY_TEXT];
    dlq_quantity_exact(value, unit, got);
    dlq_quantity_exact(minimum, unit, low);
    dlq_quantity_exact(maximum, unit, high);
    if (isfinite(minimum) && isfinite(maximum))
        snprintf(why, why_size, "%s is not in %s..%s", got, low, high);
    else
        snprintf(why, why_size, "%s is %s %s", got, value < minimum ? "below" : "above", value < minimum ? low : high);
    return false;
}

/* -- writing -- */

enum {
    MOST_DIGITS = 17,   /* identify a double */
    MOST_SHOWN = 15,    /* digits for people */
    SMALLEST_PLAIN = -6 /* least decimal exponent of a number that people read without exponent */
};
static const double least_exponential = 1e15; /* least number that has an exponent */

/* Writes the value in this unit: "1500", "0.015", or with an exponent instead of more than six zeros. False: the text
   does not read back to the same double. */
static bool write_in(const struct unit_row *row, double value, char text[DLQ_QUANTITY_TEXT])
{
    enum { ZEROS = 6 };
    char fewest[40], digits[MOST_DIGITS + 1] = "", why[DLQ_QUANTITY_TEXT];
    double scaled = ldexp(value / row->times, -row->two), back = 0;
    int count = 0;
    for (int more = 0; more < MOST_DIGITS; more++) { /* the fewest digits that read back */
        snprintf(fewest, sizeof fewest, "%.*e", more, fabs(scaled));
        if (strtod(fewest, NULL) == fabs(scaled))
            break;
    }
    const char *from = fewest, *sign = scaled < 0 ? "-" : "";
    for (; *from != 'e' && *from != '\0'; from++)
        if (*from != '.' && count < MOST_DIGITS)
            digits[count++] = *from;
    /* 0.D1D2D3... * 10^point */
    int point = (*from == 'e' ? (int)strtol(from + 1, NULL, 10) + 1 : 1) - row->ten, after = count - point;
    if (after < -ZEROS || point < -ZEROS)
        snprintf(text, DLQ_QUANTITY_TEXT, "%s%c%s%se%d%s", sign, digits[0], count > 1 ? "." : "", digits + 1, point - 1,
                 row->name);
    else if (after <= 0)
        snprintf(text, DLQ_QUANTITY_TEXT, "%s%s%.*s%s", sign, digits, -after, "000000", row->name);
    else if (point <= 0)
        snprintf(text, DLQ_QUANTITY_TEXT, "%s0.%.*s%s%s", sign, -point, "000000", digits, row->name);
    else
        snprintf(text, DLQ_QUANTITY_TEXT, "%s%.*s.%s%s", sign, point, digits, digits + point, row->name);
    return dlq_quantity_parse(text, row->unit, &back, why, sizeof why) && back == value;
}

/* Whether a quantity may be written in this row's unit. Rates are written as they were given: in bits, in powers of
   1024, or in powers of 1000. */
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

/* How hard a text is to read: "0.7s" is harder than "700ms", "1e9ms" than "1000000s". */
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
    /* A value that no text can express, such as a negative time, is written for messages. */
    if (text[0] == '\0')
        snprintf(text, DLQ_QUANTITY_TEXT, "%.*g", MOST_DIGITS, value);
}

static double row_scale(const struct unit_row *row)
{
    return ldexp(pow(10, row->ten), row->two) * row->times;
}

/* The value rounded to `digits` significant digits; the value itself if that would overflow. */
static double rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    double result = strtod(text, NULL);
    return isinf(result) ? value : result;
}

/* -- numbers for people -- */

/* Writes "-" for NAN, "unbounded" for INFINITY. False: the value is finite. */
static bool put_special(double value, char text[DLQ_QUANTITY_TEXT])
{
    if (isfinite(value))
        return false;
    snprintf(text, DLQ_QUANTITY_TEXT, "%s", isnan(value) ? "-" : value > 0 ? "unbounded" : "-unbounded");
    return true;
}

/* Removes zeros at the end of the decimals. */
static void trim(char *text)
{
    size_t end = strlen(text);
    if (strchr(text, '.') == NULL)
        return;
    while (text[end - 1] == '0')
        end--;
    text[text[end - 1] == '.' ? end - 1 : end] = '\0';
}

static int between(int low, int value, int high)
{
    return value < low ? low : value > high ? high : value;
}

const char *dlq_quantity_readable(double value, enum dlq_unit unit, int digits, char text[DLQ_QUANTITY_TEXT])
{
    digits = between(1, digits, MOST_SHOWN);
    if (unit == DLQ_UNIT_COUNT && value == floor(value))
        digits = MOST_DIGITS;
    /* 0.99996 s is 1 s, not 1000 ms. */
    double shown = rounded(value, digits);
    /* The largest unit that the value reaches; for minutes, hours and days twice the unit. */
    const struct unit_row *row = unit_rows;
    bool found = false;
    for (const struct unit_row *next = unit_rows; next->name != NULL; next++) {
        double least = row_scale(next) * (next->times > 1 ? 2 : 1);
        bool is_base = next->ten == 0 && next->two == 0 && next->times == 1;
        if (is_written_by(next, unit, true) && (!found || fabs(shown) >= least || (shown == 0 && is_base))) {
            row = next;
            found = true;
        }
    }
    double scaled = value / row_scale(row);
    if (put_special(scaled, text)) /* not `value`: the largest doubles overflow in per cent */
        return text;
    /* Round the value once, in the chosen unit: 10440 s is 2.9 h, 10400 s is not. */
    shown = rounded(scaled, digits);
    int magnitude = shown == 0 ? 0 : (int)floor(log10(fabs(shown)));
    if (magnitude < -5 || magnitude > 15) {
        snprintf(text, DLQ_QUANTITY_TEXT, "%.*g", digits, shown);
    } else {
        snprintf(text, DLQ_QUANTITY_TEXT, "%.*f", digits - 1 > magnitude ? digits - 1 - magnitude : 0, shown);
        trim(text);
    }
    size_t length = strlen(text);
    if (unit == DLQ_UNIT_FACTOR)
        snprintf(text + length, DLQ_QUANTITY_TEXT - length, "x");
    else if (row->name != NULL && row->name[0] != '\0')
        snprintf(text + length, DLQ_QUANTITY_TEXT - length, " %s", row->name);
    return text;
}

/* The decimal exponent after rounding to `digits`: 9.996 has 0 with four digits and 1 with three. */
static int decimal_exponent(double value, int digits)
{
    char text[DLQ_QUANTITY_TEXT];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    const char *exponent = strchr(text, 'e');
    return exponent == NULL ? 0 : (int)strtol(exponent + 1, NULL, 10);
}

int dlq_text_decimals(double magnitude, int digits)
{
    digits = between(1, digits, MOST_SHOWN);
    return between(0, digits - 1 - decimal_exponent(magnitude, digits), MOST_SHOWN);
}

const char *dlq_text_fixed(double value, int decimals, char text[DLQ_QUANTITY_TEXT])
{
    char plain[DLQ_QUANTITY_TEXT];
    if (put_special(value, text))
        return text;
    if (fabs(value) >= least_exponential) {
        snprintf(text, DLQ_QUANTITY_TEXT, "%.6g", value);
        return text;
    }
    snprintf(plain, sizeof plain, "%.*f", between(0, decimals, MOST_SHOWN), value);
    const char *from = plain + (plain[0] == '-' && strspn(plain, "-0.") == strlen(plain)); /* no "-0" */
    size_t used = 0, sign = from[0] == '-' ? 1 : 0, whole = strcspn(from, ".");
    for (size_t i = 0; from[i] != '\0'; i++) {
        if (i > sign && i < whole && (whole - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = from[i];
    }
    text[used] = '\0';
    return text;
}

const char *dlq_text_number(double value, int digits, char text[DLQ_QUANTITY_TEXT])
{
    double size = fabs(value);
    digits = between(1, digits, MOST_SHOWN);
    if (isfinite(value) &&
        (size >= least_exponential || (size > 0 && decimal_exponent(size, digits) < SMALLEST_PLAIN))) {
        snprintf(text, DLQ_QUANTITY_TEXT, "%.*g", digits, value);
        return text;
    }
    dlq_text_fixed(value, isfinite(value) ? dlq_text_decimals(size, digits) : 0, text);
    trim(text);
    return text;
}

const char *dlq_text_rate(double value, char text[DLQ_QUANTITY_TEXT])
{
    return dlq_text_fixed(value, dlq_text_decimals(value, 3), text);
}

int dlq_quantity_share_decimals(double share)
{
    double percent = 100 * fabs(share);
    return percent == 0 ? 0 : percent >= 99.95 && percent < 99.995 ? 2 : dlq_text_decimals(percent, 3);
}

const char *dlq_text_share(double share, char text[DLQ_QUANTITY_TEXT])
{
    char number[DLQ_QUANTITY_TEXT];
    if (put_special(share, text))
        return text;
    if (share > 0 && share < 1e-4)
        snprintf(text, DLQ_QUANTITY_TEXT, "under 0.01 %%");
    else
        snprintf(text, DLQ_QUANTITY_TEXT, "%.48s %%",
                 dlq_text_fixed(100 * share, dlq_quantity_share_decimals(share), number));
    return text;
}

double dlq_quantity_time_unit(double seconds, const char **name)
{
    *name = seconds >= 0.9995 ? "s" : seconds >= 0.9995e-3 ? "ms" : "us";
    return seconds >= 0.9995 ? 1 : seconds >= 0.9995e-3 ? 1e3 : 1e6;
}
