/* Reads decimal numbers fast, as parsing numbers takes most of the time of reading a CSV log of millions of rows. */
#include "logs/read/format.h"

#include <stdlib.h>
#include <string.h>

/* 10^0 to 10^22 are exact in the 53 bits of a double's mantissa. */
enum { MOST_DIGITS = 19, EXACT_POWER = 22, MOST_EXPONENT = 99999, MOST_DECIMALS = 15, PLAIN = 1024 };
static const uint64_t most_exact = UINT64_C(1) << 53;

static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Appends digits to the mantissa (exact up to MOST_DIGITS) and counts them. Returns the text behind them. */
static const char *read_digits(const char *at, uint64_t *mantissa, long *digits)
{
    const char *first = at;
    for (unsigned digit; (digit = (unsigned)*at - '0') <= 9; at++)
        *mantissa = 10 * *mantissa + digit;
    *digits += at - first;
    return at;
}

/* Clinger (1990), "How to read floating point numbers accurately": where mantissa and power of ten are exact, one
   multiplication or division rounds correctly. strtod reads all other numbers. */
bool dlq_number_read(const char **text, bool comma, double *value)
{
    bool negative = **text == '-';
    const char *at = *text + (negative || **text == '+');
    uint64_t mantissa = 0;
    long digits = 0, exponent = 0;
    at = read_digits(at, &mantissa, &digits);
    if (*at == '.' || (comma && *at == ',')) {
        const char *fraction = at + 1;
        at = read_digits(fraction, &mantissa, &digits);
        exponent = -(long)(at - fraction);
    }
    const char *power = at + 1 + (digits > 0 && (at[0] == 'e' || at[0] == 'E') && (at[1] == '-' || at[1] == '+'));
    if (digits > 0 && (*at == 'e' || *at == 'E') && *power >= '0' &&
        *power <= '9') { /* else an e that is no exponent */
        bool below = at[1] == '-';
        long size = 0;
        for (at = power; *at >= '0' && *at <= '9'; at++)
            size = size < MOST_EXPONENT ? 10 * size + (*at - '0') : size;
        exponent += below ? -size : size;
    }
    size_t length = (size_t)(at - *text);
    if (digits == 0 || length >= PLAIN)
        return false;
    if (digits <= MOST_DIGITS && mantissa <= most_exact && labs(exponent) <= EXACT_POWER) {
        double size = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
        *value = negative ? -size : size;
    } else {
        char plain[PLAIN];
        memcpy(plain, *text, length);
        plain[length] = '\0';
        char *mark = strchr(plain, ',');
        if (mark != NULL)
            *mark = '.';
        *value = strtod(plain, NULL);
    }
    *text = at;
    return true;
}

const char *dlq_number_time(const char *text, double *value, double *rounding)
{
    const char *end = text;
    if (*text == '-' || *text == '+' || !dlq_number_read(&end, false, value))
        return NULL;
    const char *point = memchr(text, '.', (size_t)(end - text));
    size_t decimals = 0;
    while (point != NULL && point[1 + decimals] >= '0' && point[1 + decimals] <= '9')
        decimals++;
    if (rounding != NULL)
        *rounding = decimals <= MOST_DECIMALS ? 0.5 / powers[decimals] : 0;
    return end;
}

const char *dlq_number_whole(const char *text, long *value)
{
    const char *at = text;
    long number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (number <= INT32_MAX)
            number = 10 * number + (*at - '0');
    if (at == text)
        return NULL;
    *value = number <= INT32_MAX ? number : (long)INT32_MAX + 1;
    return at;
}
