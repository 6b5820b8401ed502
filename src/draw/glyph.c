#include "draw/glyph.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Advance widths of DejaVu Sans 2.37 (its table hmtx), blank to '~', in hundredths of an em: 'e' is 0.62 em. */
static const unsigned char advances[] = {32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
                                         64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
                                         58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,  61, 73, 68, 99, 69,
                                         61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,  63, 63, 28, 28, 58,
                                         28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59,  52, 64, 34, 64, 84};

static const char ellipsis[] = "\xe2\x80\xa6";
static const char separator[] = " \xc2\xb7 ";

static double point_width(unsigned point)
{
    if (point < ' ' || point == 0xb7)
        return 0.32;
    if (point < 0x7f)
        return advances[point - ' '] / 100.0;
    return point < 0x2000 ? 0.84 : point < 0x2e80 ? 1.0 : 1.2;
}

/* Below 16 pixels hinting rounds the advances up: 8 % measured at 9 pixels. */
static double hinted(double em)
{
    return em < 16 ? 1.08 * em : em;
}

double dlq_glyph_width(const char *text, size_t length, double em)
{
    double width = 0;
    for (size_t i = 0; i < length && text[i] != '\0';) {
        unsigned point;
        i += dlq_utf8_next(text + i, &point);
        width += point_width(point);
    }
    return width * hinted(em);
}

/* Bytes before the end of the line that fit into width; at least one code point. */
static size_t fitting(const char *text, double em, double width)
{
    double used = 0;
    size_t i = 0;
    while (text[i] != '\0' && text[i] != '\n') {
        unsigned point;
        size_t step = dlq_utf8_next(text + i, &point);
        used += hinted(em) * point_width(point);
        if ((used > width && i > 0) || i + step + sizeof ellipsis > DLQ_LINE_BYTES)
            break;
        i += step;
    }
    return i;
}

static size_t break_before(const char *text, size_t fits)
{
    for (size_t i = fits; i > fits / 2; i--)
        if (strncmp(text + i, separator, sizeof separator - 1) == 0)
            return i;
    for (size_t i = fits; i > 0; i--)
        if (text[i] == ' ')
            return i;
    return fits;
}

static const char *skip_separators(const char *text)
{
    for (;; text++) {
        if (strncmp(text, separator + 1, 2) == 0)
            text++;
        else if (*text != ' ')
            return text;
    }
}

static void keep(struct dlq_lines *lines, const char *text, size_t length, const char *tail)
{
    char *line = lines->line[lines->count++];
    while (length > 0 && text[length - 1] == ' ')
        length--;
    memcpy(line, text, length);
    memcpy(line + length, tail, strlen(tail) + 1);
}

void dlq_lines_wrap(struct dlq_lines *lines, const char *text, double em, double width, size_t most)
{
    lines->count = 0;
    if (text == NULL)
        return;
    if (most > DLQ_LINES)
        most = DLQ_LINES;
    while (*text != '\0' && lines->count < most) {
        size_t fits = fitting(text, em, width);
        bool whole = text[fits] == '\0' || text[fits] == '\n';
        if (lines->count + 1 == most && text[fits] != '\0' && !(whole && text[fits + 1] == '\0')) {
            size_t shorter = fitting(text, em, width - em);
            keep(lines, text, shorter, ellipsis);
            return;
        }
        size_t length = whole ? fits : break_before(text, fits);
        keep(lines, text, length, "");
        text = whole ? text + length + (text[length] == '\n') : skip_separators(text + length);
    }
}
