#include "draw/glyph.h"
#include "draw/gnuplot.h"
#include "draw/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHARACTERS = 600, OCTAL = 5 };

static bool is_plain(unsigned char byte)
{
    return byte != '\0' &&
           strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,.:;=+()/-", byte) != NULL;
}

/* gnuplot 5.4 reads four octal digits after a leading 0 and else three: "\0047" is a quote, "\134" a backslash. */
static size_t put_byte(char *out, unsigned char byte)
{
    if (is_plain(byte)) {
        *out = (char)byte;
        return 1;
    }
    return (size_t)snprintf(out, OCTAL + 1, byte < 0100 ? "\\0%03o" : "\\%03o", byte);
}

/* Control characters end commands, and those of C1 and the two noncharacters make an SVG malformed or unreadable. */
static unsigned drawable(unsigned point)
{
    if (point < 0x20 || (point >= 0x7F && point < 0xA0))
        return ' ';
    return point == 0xFFFE || point == 0xFFFF ? DLQ_UTF8_REPLACEMENT : point;
}

static size_t put_point(char *out, unsigned point)
{
    char bytes[DLQ_UTF8_BYTES];
    size_t count = dlq_utf8_put(bytes, point);
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += put_byte(out + used, (unsigned char)bytes[i]);
    return used;
}

char *dlq_gnuplot_quote(const char *text)
{
    char *quoted = malloc(MOST_CHARACTERS * DLQ_UTF8_BYTES * OCTAL + sizeof "\"\"");
    if (quoted == NULL)
        return NULL;
    size_t used = 0;
    quoted[used++] = '"';
    for (int count = 1; *text != '\0' && count <= MOST_CHARACTERS; count++) {
        unsigned point;
        text += dlq_utf8_next(text, &point);
        if (count == MOST_CHARACTERS && *text != '\0')
            point = DLQ_UTF8_ELLIPSIS;
        used += put_point(quoted + used, drawable(point));
    }
    quoted[used++] = '"';
    quoted[used] = '\0';
    return quoted;
}

char *dlq_gnuplot_quote_known(const char *text)
{
    size_t size = DLQ_UTF8_BYTES * strlen(text) + DLQ_UTF8_BYTES + 1;
    char *known = malloc(size), *quoted = NULL;
    if (known != NULL) {
        dlq_glyph_known(text, known, size);
        quoted = dlq_gnuplot_quote(known);
    }
    free(known);
    return quoted;
}
