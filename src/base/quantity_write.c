#include "base/quantity.h"
#include "base/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static bool write_in(const struct dlq_unit_row *row, double value, char text[DLQ_QUANTITY_TEXT])
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
    for (const struct dlq_unit_row *row = dlq_unit_rows; row->name != NULL; row++) {
        char candidate[DLQ_QUANTITY_TEXT];
        if (row->unit != unit || row->use == DLQ_UNIT_READ || !write_in(row, value, candidate))
            continue;
        if (text[0] == '\0' || effort(candidate) <= effort(text))
            memcpy(text, candidate, sizeof candidate);
    }
    /* What parse would refuse, such as a negative time: for messages. */
    if (text[0] == '\0')
        snprintf(text, DLQ_QUANTITY_TEXT, "%.*g", MOST_DIGITS, value);
}

static double row_scale(const struct dlq_unit_row *row)
{
    return ldexp(pow(10, row->ten), row->two) * row->times;
}

/* The largest unit of which there is at least one; of minutes, hours, days at least two. */
static const struct dlq_unit_row *shown_row(double value, enum dlq_unit unit)
{
    const struct dlq_unit_row *best = NULL;
    for (const struct dlq_unit_row *row = dlq_unit_rows; row->name != NULL; row++) {
        if (row->unit != unit || row->use != DLQ_UNIT_SHOWN)
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
    if (strchr(text, '.') == NULL)
        return;
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    text[text[length - 1] == '.' ? length - 1 : length] = '\0';
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
    const struct dlq_unit_row *row = shown_row(shown, unit);
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

const char *dlq_quantity_fixed(double value, int decimals, char text[DLQ_QUANTITY_TEXT])
{
    char plain[DLQ_QUANTITY_TEXT];
    int length = snprintf(plain, sizeof plain, "%.*f", decimals, value);
    size_t used = 0, sign = plain[0] == '-' ? 1 : 0, whole = strcspn(plain, ".");
    /* What does not fit, with its separators, stays as it is; nor has an infinity thousands. */
    if (!isfinite(value) || length < 0 || (size_t)length + whole / 3 >= sizeof plain) {
        snprintf(text, DLQ_QUANTITY_TEXT, "%.6g", value);
        return text;
    }
    for (size_t i = 0; plain[i] != '\0'; i++) {
        if (i > sign && i < whole && (whole - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = plain[i];
    }
    text[used] = '\0';
    return text;
}

/* Three digits, of small values as many decimals as that takes. */
static int decimals_of(double value)
{
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    if (value > 0 && value < 1)
        decimals -= (int)floor(log10(value));
    return decimals > 9 ? 9 : decimals;
}

const char *dlq_quantity_rate(double value, char text[DLQ_QUANTITY_TEXT])
{
    return dlq_quantity_fixed(value, decimals_of(value), text);
}

int dlq_quantity_share_decimals(double share)
{
    double percent = 100 * fabs(share);
    return percent == 0 ? 0 : percent >= 99.95 && percent < 99.995 ? 2 : decimals_of(percent);
}

const char *dlq_quantity_share(double share, char text[DLQ_QUANTITY_TEXT])
{
    char number[DLQ_QUANTITY_TEXT];
    if (share > 0 && share < 1e-4)
        snprintf(text, DLQ_QUANTITY_TEXT, "under 0.01 %%");
    else
        snprintf(text, DLQ_QUANTITY_TEXT, "%.48s %%",
                 dlq_quantity_fixed(100 * share, dlq_quantity_share_decimals(share), number));
    return text;
}
