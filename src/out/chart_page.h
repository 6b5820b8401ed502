/* The page of a chart: pixels in, gnuplot commands out. Pixels count from the upper left corner; sizes named "points"
   are those of the 1600x900 design and shrink or grow with the page. */
#ifndef OUT_CHART_PAGE_H
#define OUT_CHART_PAGE_H

#include "dlqueue/chart.h"

enum { DLQ_LINES = 6, DLQ_LINE_BYTES = 1024, DLQ_LEVELS = 16 };

struct dlq_box {
    double left, top, right, bottom;
};

enum dlq_align { DLQ_ALIGN_LEFT, DLQ_ALIGN_CENTER, DLQ_ALIGN_RIGHT };

/* A style of text: 0xRRGGBB, turned: read upward. */
struct dlq_type {
    double points;
    unsigned color;
    enum dlq_align align;
    bool turned;
};

struct dlq_stroke {
    double width; /* at 1600x900 */
    unsigned color;
    int dash; /* gnuplot's dash type: 1 solid, 2 dashed, 3 dotted */
};

struct dlq_page {
    FILE *script;
    const struct dlq_canvas *canvas;
    double scale;        /* 1 at 1600x900 */
    struct dlq_box plot; /* between the axes */
    bool memory_failed;  /* sticky: a text could not be quoted */
};

/* Text cut into lines of a width, the last ending in an ellipsis where not all of it fits. */
struct dlq_lines {
    size_t count;
    char line[DLQ_LINES][DLQ_LINE_BYTES];
};

/* Checks size and format. */
enum dlq_status dlq_page_open(struct dlq_page *page, const struct dlq_canvas *canvas, FILE *script,
                              struct dlq_error *error);
/* Terminal, encoding, border and tics; needs `plot`. */
void dlq_page_begin(struct dlq_page *page);
/* Height of title and subtitle, each at most two lines, on a page whose plot begins at `left`. */
double dlq_page_heading_height(const struct dlq_page *page, const char *title, const char *subtitle, double left);
void dlq_page_heading(struct dlq_page *page, const char *title, const char *subtitle);
/* DLQ_FAILURE where a write or an allocation failed. */
enum dlq_status dlq_page_end(const struct dlq_page *page, struct dlq_error *error);

/* Height of the letters' em square in pixels. */
double dlq_page_em(const struct dlq_page *page, double points);
double dlq_page_width(const struct dlq_page *page, double points, const char *text);
/* In the terminal's own units. */
double dlq_page_font(const struct dlq_page *page, double points);
double dlq_page_stroke(const struct dlq_page *page, double width);
double dlq_page_dot(const struct dlq_page *page, double radius);

/* One line of text, centered vertically (turned: horizontally) at x, y. */
void dlq_page_text(struct dlq_page *page, double x, double y, struct dlq_type type, const char *text);
void dlq_page_line(const struct dlq_page *page, double x, double y, double to_x, double to_y, struct dlq_stroke stroke,
                   bool arrow);
/* opacity 0..1; border: a thin gray line. */
void dlq_page_box(const struct dlq_page *page, struct dlq_box box, unsigned color, double opacity, bool border,
                  bool front);
void dlq_page_point(const struct dlq_page *page, double x, double y, int shape, double radius, unsigned color);

/* Width of DejaVu Sans at `em` pixels; code points above ASCII are estimated on the wide side. */
double dlq_glyph_width(const char *text, size_t length, double em);
/* Copies text with U+FFFD for what DejaVu Sans lacks: where no other font has it either, gnuplot's cairo terminals draw
   the substitute box twenty times too large, over the whole picture. */
void dlq_glyph_known(const char *text, char *out, size_t size);
/* Breaks at '\n', behind " \xc2\xb7 " where that fills the line well, else at blanks, else anywhere between code
 * points. */
void dlq_lines_wrap(struct dlq_lines *lines, const char *text, double em, double width, size_t most);

#endif
