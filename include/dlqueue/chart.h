/* Charts: plain descriptions in, gnuplot script out. Know no model: whoever calls computes the findings. */
#ifndef DLQUEUE_CHART_H
#define DLQUEUE_CHART_H

#include "dlqueue/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Size in pixels 320..8192 each; format "png", "svg" or "pdf". */
struct dlq_canvas {
    int width, height;
    const char *format;
};

enum dlq_mark {
    DLQ_MARK_LINE,   /* solid line */
    DLQ_MARK_POINTS, /* solid line with points */
    DLQ_MARK_DOTTED,
    DLQ_MARK_DASHED,
    DLQ_MARK_BAND, /* filled between low and high */
    DLQ_MARK_BARS  /* a bar from 0 to each point */
};

enum dlq_color { DLQ_COLOR_BLUE, DLQ_COLOR_AMBER, DLQ_COLOR_RED, DLQ_COLOR_GREEN, DLQ_COLOR_GRAY, DLQ_COLOR_PURPLE };

/* count points; NAN breaks the line. y for lines, low and high for bands. A null name: not in the key. */
struct dlq_series {
    const char *name;
    enum dlq_mark mark;
    enum dlq_color color;
    size_t count;
    const double *x, *y, *low, *high;
};

/* A tinted span of the x axis with a label at its bottom, such as "LOADING-BOUND". */
struct dlq_region {
    double from, to;
    enum dlq_color color;
    const char *label;
};

/* Horizontal lines with a label at the right end: 90 %, 95 %, 99 %. */
struct dlq_level {
    double y;
    const char *label;
};

/* Lines over an axis. Texts are plain (any bytes); the x of the series are the tics where they are few. With y_percent
   y is a share 0..1 and the axis shows percent. A level or note outside the axes is left out. */
struct dlq_chart {
    const char *title, *subtitle; /* the finding; all parameters (wrapped to two lines where long) */
    const char *x_label, *y_label;
    bool x_logarithmic, x_integer, y_percent;
    double y_maximum;         /* 0: chosen from the data that are not dotted, with some head room */
    const char *second_label; /* of a second y axis = second_factor * y; null: none */
    double second_factor;
    const struct dlq_series *series;
    size_t series_count;
    const struct dlq_region *regions;
    size_t region_count;
    const struct dlq_level *levels;
    size_t level_count;
    double line_x;         /* vertical dashed line; NAN: none */
    double note_x, note_y; /* what the arrow of the note points at; NAN: no note */
    const char *note;      /* may hold '\n' */
};

/* Cells over two axes: z[row * columns + column] in 0..1 (NAN: gray). Columns are equally wide, and so are rows unless
   they are evenly spaced (with y_logarithmic: in ratio). Each level draws a staircase: per column the largest y whose z
   still reaches it (level_is_upper; else the smallest), interpolated between rows, from the data alone. */
struct dlq_heatmap {
    const char *title, *subtitle;
    const char *x_label, *y_label, *z_label;
    const double *x, *y; /* ascending cell centers */
    size_t columns, rows;
    bool x_integer, y_logarithmic, y_is_time; /* time: axis in one readable unit */
    const double *z;
    const struct dlq_level *levels; /* y is the level 0..1 */
    size_t level_count;
    bool level_is_upper; /* true: z falls with y (load time), and the line is the largest y that reaches the level */
};

/* Writes the script (no `set output`). DLQ_INVALID where there is nothing to draw or the size is out of range. */
enum dlq_status dlq_chart_script(const struct dlq_chart *chart, const struct dlq_canvas *canvas, FILE *script,
                                 struct dlq_error *error);
enum dlq_status dlq_heatmap_script(const struct dlq_heatmap *map, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error);

#ifdef __cplusplus
}
#endif

#endif
