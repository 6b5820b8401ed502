#include "pen.h"

#include <stdarg.h>

/* -- colors of xterm: a cube of 6 x 6 x 6, from 16 on, and 24 grays, from 232 on -- */

static int level(int i)
{
    return i == 0 ? 0 : 55 + 40 * i;
}

static int nearest_level(int value)
{
    int best = 0;
    for (int i = 1; i < 6; i++)
        if ((level(i) - value) * (level(i) - value) < (level(best) - value) * (level(best) - value))
            best = i;
    return best;
}

static int distance(const int *a, const int *b)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

int dlq_pen_nearest(unsigned color)
{
    const int wanted[] = {(int)(color >> 16 & 255), (int)(color >> 8 & 255), (int)(color & 255)};
    int place[3], cube[3], gray = (wanted[0] + wanted[1] + wanted[2]) / 3;
    for (int i = 0; i < 3; i++) {
        place[i] = nearest_level(wanted[i]);
        cube[i] = level(place[i]);
    }
    int step = gray < 8 ? 0 : gray > 238 ? 23 : (gray - 3) / 10;
    const int grays[] = {8 + 10 * step, 8 + 10 * step, 8 + 10 * step};
    if (distance(grays, wanted) < distance(cube, wanted))
        return 232 + step;
    return 16 + 36 * place[0] + 6 * place[1] + place[2];
}

/* -- text -- */

/* Bytes of the character, and whether it controls: C0, DEL, or C1 in UTF-8 or by itself. */
static size_t character(const unsigned char *text, bool *controls)
{
    size_t length = 1;
    *controls =
        text[0] < 0x20 || text[0] == 0x7f || (text[0] >= 0x80 && text[0] < 0xc0) || (text[0] == 0xc2 && text[1] < 0xa0);
    if (text[0] >= 0xc0)
        while (length < 4 && (text[length] & 0xc0) == 0x80)
            length++;
    return length;
}

static void begin_style(const struct dlq_pen *pen, long style)
{
    if (style >= 0)
        fprintf(pen->stream, "\033[38;5;%dm", dlq_pen_nearest((unsigned)style));
    else
        fputs(style == DLQ_PEN_BOLD ? "\033[1m" : "\033[2m", pen->stream);
}

void dlq_pen_put(struct dlq_pen *pen, long style, const char *text)
{
    bool styled = pen->color && style != DLQ_PEN_PLAIN;
    if (*text == '\0' || pen->used >= pen->columns || (pen->most > 0 && pen->lines >= pen->most))
        return;
    if (styled)
        begin_style(pen, style);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0' && pen->used < pen->columns; pen->used++) {
        bool controls;
        size_t length = character(at, &controls);
        if (controls)
            fputc('?', pen->stream);
        else
            fwrite(at, 1, length, pen->stream);
        at += length;
    }
    if (styled)
        fputs("\033[0m", pen->stream);
}

void dlq_pen_write(struct dlq_pen *pen, long style, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dlq_pen_put(pen, style, text);
}

void dlq_pen_to(struct dlq_pen *pen, int column)
{
    while (pen->used < column && pen->used < pen->columns && (pen->most == 0 || pen->lines < pen->most))
        dlq_pen_put(pen, DLQ_PEN_PLAIN, " ");
}

void dlq_pen_end(struct dlq_pen *pen)
{
    if (pen->most > 0 && pen->lines >= pen->most)
        return;
    fputc('\n', pen->stream);
    pen->used = 0;
    pen->lines++;
}
