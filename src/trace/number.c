/* Decimal numbers of logs, fast: a CSV log of millions of rows is hardly anything else. */
#include "trace/format.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 10^0..10^27 are whole in 64 bits of mantissa, 10^0..10^22 in 53. */
enum { MOST_DIGITS = 19, EXACT_POWER = 22, WIDE_POWER = 27, MOST_EXPONENT = 99999, MOST_DECIMALS = 15, PLAIN = 1024 };
static const uint64_t most_exact = UINT64_C(1) << 53;

static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A number as it is written: mantissa 10^exponent. */
struct decimal {
    uint64_t mantissa; /* right where there are no more than MOST_DIGITS */
    long digits, exponent;
    bool negative;
};

static const char *read_digits(const char *at, struct decimal *number)
{
    const char *begin = at;
    uint64_t mantissa = number->mantissa;
    for (unsigned digit; (digit = (unsigned)*at - '0') <= 9; at++)
        mantissa = 10 * mantissa + digit;
    number->mantissa = mantissa;
    number->digits += at - begin;
    return at;
}

static const char *read_decimal(const char *at, bool comma, struct decimal *number)
{
    number->negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    at = read_digits(at, number);
    if (*at == '.' || (comma && *at == ',')) {
        const char *fraction = at + 1;
        at = read_digits(fraction, number);
        number->exponent = -(long)(at - fraction);
    }
    if (number->digits == 0 || (*at != 'e' && *at != 'E'))
        return at;
    const char *digit = at + 1;
    bool negative = *digit == '-';
    long exponent = 0;
    if (*digit == '-' || *digit == '+')
        digit++;
    if (*digit < '0' || *digit > '9')
        return at; /* an e that is no exponent */
    for (; *digit >= '0' && *digit <= '9'; digit++)
        if (exponent < MOST_EXPONENT)
            exponent = 10 * exponent + (*digit - '0');
    number->exponent += negative ? -exponent : exponent;
    return digit;
}

/* Clinger (1990), "How to read floating point numbers accurately": one operation on exact numbers rounds correctly. */
static bool is_exact(const struct decimal *number, double *value)
{
    if (number->mantissa > most_exact || labs(number->exponent) > EXACT_POWER)
        return false;
    double mantissa = (double)number->mantissa;
    *value = number->exponent < 0 ? mantissa / powers[-number->exponent] : mantissa * powers[number->exponent];
    return true;
}

/* The same in a mantissa of 64 bits, which then is rounded to 53: right unless the first error can tip the second. */
static bool is_wide(const struct decimal *number, double *value)
{
#if LDBL_MANT_DIG == 64
    if (labs(number->exponent) > WIDE_POWER)
        return false;
    long size = labs(number->exponent);
    long double power =
        size <= EXACT_POWER ? powers[size] : powers[EXACT_POWER] * (long double)powers[size - EXACT_POWER];
    long double wide =
        number->exponent < 0 ? (long double)number->mantissa / power : (long double)number->mantissa * power;
    *value = (double)(wide + wide * LDBL_EPSILON);
    return (double)(wide - wide * LDBL_EPSILON) == *value;
#else
    (void)number;
    (void)value;
    return false;
#endif
}

bool dlq_number_read(const char **text, bool comma, double *value)
{
    struct decimal number = {0};
    const char *end = read_decimal(*text, comma, &number);
    size_t length = (size_t)(end - *text);
    if (number.digits == 0 || length >= PLAIN)
        return false;
    double size = 0;
    if (number.digits <= MOST_DIGITS && (is_exact(&number, &size) || is_wide(&number, &size))) {
        *value = number.negative ? -size : size;
    } else {
        char plain[PLAIN];
        memcpy(plain, *text, length);
        plain[length] = '\0';
        char *mark = strchr(plain, ',');
        if (mark != NULL)
            *mark = '.';
        *value = strtod(plain, NULL);
    }
    *text = end;
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
