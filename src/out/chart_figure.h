/* A chart on its way to the page: what dlq_chart_script lays out before it writes. */
#ifndef OUT_CHART_FIGURE_H
#define OUT_CHART_FIGURE_H

#include "out/chart_axis.h"
#include "out/chart_place.h"

#include <stdint.h>

/* Vertices to draw, in order, as indices of the series; DLQ_BREAK where the line is broken. */
#define DLQ_BREAK SIZE_MAX
struct dlq_path {
    size_t count, points;
    bool visible; /* has a segment, or points that are drawn */
    size_t *index;
};

struct dlq_figure {
    const struct dlq_chart *chart;
    struct dlq_page page;
    struct dlq_path *paths; /* one per series */
    double x_low, x_high, y_low, y_high;
    double bar_width; /* pixels; dlq_series_mark sets it */
    struct dlq_tics x_tics, y_tics, second_tics;
    struct dlq_places places;
    struct dlq_box key;
    bool key_outside;    /* a strip above the plot: nowhere inside is room */
    double strip;        /* its height */
    bool *region_in_key; /* regions too narrow for their label */
};

unsigned dlq_line_color(enum dlq_color color);
unsigned dlq_letter_color(enum dlq_color color);
unsigned dlq_area_color(enum dlq_color color);
/* The gnuplot shape of the points of a series, another for each. */
int dlq_series_shape(const struct dlq_chart *chart, size_t series);
/* Radius of its points; 0 where they would run into each other. */
double dlq_series_radius(const struct dlq_figure *figure, size_t series);
extern const struct dlq_stroke dlq_series_strokes[];

/* Picks at most DLQ_VERTICES vertices of each series; the figure owns them. */
enum { DLQ_VERTICES = 4000 };
enum dlq_status dlq_paths_pick(struct dlq_figure *figure, struct dlq_error *error);
void dlq_paths_free(struct dlq_figure *figure);
/* What a series shows at a vertex: y twice, or the bounds of the band. */
double dlq_series_low(const struct dlq_series *series, size_t i);
double dlq_series_high(const struct dlq_series *series, size_t i);
void dlq_series_mark(struct dlq_figure *figure);
void dlq_series_write(const struct dlq_figure *figure);

/* The spans of both axes from the picked vertices. */
enum dlq_status dlq_figure_ranges(struct dlq_figure *figure, struct dlq_error *error);
/* The x axis: at the values of the data where they are few. */
enum dlq_status dlq_figure_x_tics(struct dlq_figure *figure, struct dlq_error *error);
double dlq_figure_x(const struct dlq_figure *figure, double x);
double dlq_figure_y(const struct dlq_figure *figure, double y);

/* The key as rows of at most `width` pixels: one entry per row inside, flowing above the plot. */
double dlq_key_strip_height(const struct dlq_figure *figure, double width);
/* Finds the place inside; false: none. */
bool dlq_key_place(struct dlq_figure *figure);
void dlq_key_write(struct dlq_figure *figure);

/* Regions, levels, the vertical line and the note. The labels of regions that are too narrow go to the key. */
void dlq_regions_write(struct dlq_figure *figure);
void dlq_levels_write(struct dlq_figure *figure);
void dlq_guide_write(struct dlq_figure *figure);
/* False where there is no room for it. */
bool dlq_note_write(struct dlq_figure *figure);

#endif
