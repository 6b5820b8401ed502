/* A page of impulses on its way: the panel of the values, and that of the lags below it. */
#ifndef OUT_IMPULSES_SHEET_H
#define OUT_IMPULSES_SHEET_H

#include "dlqueue/impulses.h"

#include "out/chart_figure.h"

/* Values that are drawn one by one; of more, the largest of each pixel column. Lags at most. */
enum { DLQ_IMPULSES_SINGLE = 1500, DLQ_IMPULSES_LAGS = 4096 };

struct dlq_panel {
    struct dlq_box plot;
    double x_low, x_high, y_low, y_high;
    struct dlq_tics x_tics, y_tics;
};

/* A text in the lower panel, or above it where there is no room inside. */
struct dlq_caption {
    struct dlq_lines lines;
    struct dlq_box box;
    bool outside;
};

struct dlq_impulses_sheet {
    const struct dlq_impulses *impulses;
    struct dlq_figure figure; /* page, key (above the upper panel) and what is taken in the lower panel */
    struct dlq_chart key;
    struct dlq_series names[2];
    struct dlq_path shown[2];
    size_t group; /* values that share an impulse */
    struct dlq_panel upper, lower;
    bool has_lags;
    struct dlq_caption note, band;
};

/* Not NAN, and within the range in which gnuplot knows its way. */
bool dlq_impulse_drawn(double value);
double dlq_panel_x(const struct dlq_panel *panel, double x);
double dlq_panel_y(const struct dlq_panel *panel, double y);
/* Tics at multiples of `every` (below 1: of 1), or of 2, 5, 10, ... times that, as many as there is room for. */
void dlq_panel_whole_tics(struct dlq_panel *panel, const struct dlq_page *page, long every, double from);
void dlq_panel_value_tics(struct dlq_panel *panel, const struct dlq_page *page);
/* The largest of values[from..until-1] that is drawn; SIZE_MAX: none. */
size_t dlq_impulse_largest(const double *values, size_t from, size_t until);
/* How many values share an impulse on so many pixels. */
size_t dlq_impulse_group(size_t count, double pixels);
/* Width of an impulse at the 1600x900 design, where `room` pixels belong to each. */
double dlq_impulse_width(const struct dlq_page *page, double room, double share, double most);

/* Is there a lag to draw? */
bool dlq_lags_any(const struct dlq_impulses *impulses);
void dlq_lags_span(struct dlq_impulses_sheet *sheet);
/* Finds the places of note and band label on a laid out lower panel; false: one has none inside, and is `outside`. */
bool dlq_lags_place(struct dlq_impulses_sheet *sheet);
/* Captions and band, before the plot; then the plot. */
void dlq_lags_write(struct dlq_impulses_sheet *sheet);
void dlq_lags_plot(const struct dlq_impulses_sheet *sheet);

#endif
