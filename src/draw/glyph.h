/* Widths of letters and lines of text, for pictures whose texts are placed by hand. */
#ifndef OUT_GLYPH_H
#define OUT_GLYPH_H

#include <stddef.h>

enum { DLQ_LINES = 6, DLQ_LINE_BYTES = 1024 };

/* Text cut into lines of a width, the last ending in an ellipsis where not all of it fits. */
struct dlq_lines {
    size_t count;
    char line[DLQ_LINES][DLQ_LINE_BYTES];
};

/* Width of DejaVu Sans at `em` pixels; code points above ASCII are estimated on the wide side. */
double dlq_glyph_width(const char *text, size_t length, double em);
/* Breaks at '\n', behind " \xc2\xb7 " where that fills the line well, else at blanks, else anywhere between code
 * points. */
void dlq_lines_wrap(struct dlq_lines *lines, const char *text, double em, double width, size_t most);

#endif
