/* Lines of a terminal: cut at its width, no more of them than it holds, in color where it has any. */
#ifndef DLQ_CLI_PEN_H
#define DLQ_CLI_PEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct dlq_pen {
    FILE *stream;
    bool color;
    int columns; /* of a line */
    size_t most; /* lines; 0: any number */
    int used;    /* of this line */
    size_t lines;
};

/* No style; the terminal's own colors. */
enum { DLQ_PEN_PLAIN = -1, DLQ_PEN_BOLD = -2, DLQ_PEN_DIM = -3 };

/* Text in a style, or in a color 0xRRGGBB: the nearest of the 216 and 24 of a terminal with 256. Characters that
   control terminals become '?'. */
void dlq_pen_put(struct dlq_pen *pen, long style, const char *text);
void dlq_pen_write(struct dlq_pen *pen, long style, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Blanks up to that column. */
void dlq_pen_to(struct dlq_pen *pen, int column);
void dlq_pen_end(struct dlq_pen *pen);

/* The number of the nearest color: 16..255. */
int dlq_pen_nearest(unsigned color);

#endif
