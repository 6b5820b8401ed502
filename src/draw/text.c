/* Texts for terminals: numbers with their units, styles, wrapped lines, and texts from outside made harmless. */
#include "draw/text.h"

#include "base/quantity.h"
#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 15, MOST_DECIMALS = 15, SMALLEST_PLAIN = -6 };
static const double least_exponential = 1e15;

static int between(int low, int value, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* The decimal exponent after rounding to `digits`: 9.996 has 0 with four digits and 1 with three. */
static int decimal_exponent(double value, int digits)
{
    char text[DLQ_TEXT_NUMBER];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    const char *exponent = strchr(text, 'e');
    return exponent == NULL ? 0 : (int)strtol(exponent + 1, NULL, 10);
}

int dlq_text_decimals(double magnitude, int digits)
{
    digits = between(1, digits, MOST_DIGITS);
    return between(0, digits - 1 - decimal_exponent(magnitude, digits), MOST_DECIMALS);
}

/* "-": none; "unbounded". False where value is finite. */
static bool put_special(double value, char text[DLQ_TEXT_NUMBER])
{
    if (isfinite(value))
        return false;
    snprintf(text, DLQ_TEXT_NUMBER, "%s", isnan(value) ? "-" : value > 0 ? "unbounded" : "-unbounded");
    return true;
}

const char *dlq_text_fixed(double value, int decimals, char text[DLQ_TEXT_NUMBER])
{
    if (put_special(value, text))
        return text;
    char plain[DLQ_TEXT_NUMBER];
    if (fabs(value) >= least_exponential) {
        snprintf(text, DLQ_TEXT_NUMBER, "%.6g", value);
        return text;
    }
    snprintf(plain, sizeof plain, "%.*f", between(0, decimals, MOST_DECIMALS), value);
    bool is_zero = strspn(plain, "-0.") == strlen(plain);
    return dlq_number_thousands(is_zero && plain[0] == '-' ? plain + 1 : plain, text, DLQ_TEXT_NUMBER);
}

const char *dlq_text_number(double value, int digits, char text[DLQ_TEXT_NUMBER])
{
    if (put_special(value, text))
        return text;
    digits = between(1, digits, MOST_DIGITS);
    double size = fabs(value);
    if (size >= least_exponential || (size > 0 && decimal_exponent(size, digits) < SMALLEST_PLAIN)) {
        snprintf(text, DLQ_TEXT_NUMBER, "%.*g", digits, value);
        return text;
    }
    dlq_text_fixed(value, dlq_text_decimals(size, digits), text);
    dlq_number_trim(text);
    return text;
}

static const char *put_quantity(double value, enum dlq_unit unit, int digits, char text[DLQ_TEXT_NUMBER])
{
    _Static_assert((int)DLQ_TEXT_NUMBER >= (int)DLQ_QUANTITY_TEXT, "a readable quantity fits into a readable number");
    if (!put_special(value, text))
        dlq_quantity_readable(value, unit, digits, text);
    return text;
}

const char *dlq_text_time(double seconds, int digits, char text[DLQ_TEXT_NUMBER])
{
    return put_quantity(seconds, DLQ_UNIT_TIME, digits, text);
}

const char *dlq_text_size(double bytes, int digits, char text[DLQ_TEXT_NUMBER])
{
    return put_quantity(bytes, DLQ_UNIT_SIZE, digits, text);
}

const char *dlq_text_share(double share, char text[DLQ_TEXT_NUMBER])
{
    return put_special(share, text) ? text : dlq_quantity_share(share, text);
}

const char *dlq_text_rate(double value, char text[DLQ_TEXT_NUMBER])
{
    return put_special(value, text) ? text : dlq_quantity_rate(value, text);
}

static const char *begin_of(bool color, enum dlq_style style)
{
    static const char *const codes[] = {
        [DLQ_STYLE_PLAIN] = "",       [DLQ_STYLE_BOLD] = "\033[1m",   [DLQ_STYLE_DIM] = "\033[2m",
        [DLQ_STYLE_RED] = "\033[31m", [DLQ_STYLE_GREEN] = "\033[32m", [DLQ_STYLE_YELLOW] = "\033[33m",
    };
    return color ? codes[style] : "";
}

static const char *end_of(bool color, enum dlq_style style)
{
    return color && style != DLQ_STYLE_PLAIN ? "\033[0m" : "";
}

void dlq_text_styled(FILE *stream, bool color, enum dlq_style style, const char *format, ...)
{
    va_list arguments;
    fputs(begin_of(color, style), stream);
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    fputs(end_of(color, style), stream);
}

char *dlq_text_clean(char *text)
{
    return dlq_utf8_clean(text);
}

void dlq_text_put(FILE *stream, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t point = 0;
        size_t length = dlq_utf8_decode(text + i, &point);
        bool shown = length > 0 && !dlq_utf8_is_control(point);
        fwrite(shown ? text + i : "?", 1, shown ? length : 1, stream);
        i += length > 0 ? length : 1;
    }
}

static int width_of(const char *text, size_t size)
{
    int width = 0;
    for (size_t i = 0; i < size; width++) {
        unsigned point;
        i += dlq_utf8_next(text + i, &point);
    }
    return width;
}

int dlq_text_width(const char *text)
{
    return width_of(text, strlen(text));
}

/* One line of input, which ends at '\n' or NUL; `lead` stands for the first line's indent. */
static void wrap_line(FILE *stream, const char *line, const char *lead, int indent, int width)
{
    int column = 0;
    for (const char *word = line + strspn(line, " \t"); *word != '\0' && *word != '\n';) {
        size_t size = strcspn(word, " \t\n");
        int wide = width_of(word, size);
        if (column > 0 && column + 1 + wide > width) {
            fputc('\n', stream);
            column = 0;
        }
        int blanks = column > 0 ? 1 : indent;
        fprintf(stream, "%*s", blanks, lead);
        lead = "";
        fwrite(word, 1, size, stream);
        column += blanks + wide;
        word += size;
        word += strspn(word, " \t");
    }
    fputc('\n', stream);
}

static void wrap(FILE *stream, const char *text, const char *lead, int indent, int width)
{
    for (; *text != '\0'; lead = "") {
        wrap_line(stream, text, lead, indent, width);
        text += strcspn(text, "\n");
        if (*text == '\n')
            text++;
    }
}

void dlq_text_wrap(FILE *stream, const char *text, int indent, int width)
{
    wrap(stream, text, "", indent, width);
}

void dlq_text_wrap_styled(FILE *stream, bool color, enum dlq_style style, const char *text, int indent, int width)
{
    fputs(begin_of(color, style), stream);
    wrap(stream, text, "", indent, width);
    fputs(end_of(color, style), stream);
}

void dlq_text_wrap_item(FILE *stream, const char *lead, const char *text, int width)
{
    wrap(stream, text, lead, dlq_text_width(lead), width);
}
