/* The cells of a heat map as gnuplot draws them: rows and columns at even distances, whatever the axis. */
#ifndef OUT_HEATMAP_GRID_H
#define OUT_HEATMAP_GRID_H

#include "out/chart_axis.h"

enum dlq_spacing {
    DLQ_SPACING_EVEN,     /* drawn at value / unit */
    DLQ_SPACING_LOG,      /* at log10(value / unit), because gnuplot draws no image on a logarithmic axis */
    DLQ_SPACING_CATEGORY, /* uneven, or few counts: at 0, 1, 2, ..., tics show the values */
};

struct dlq_grid {
    const struct dlq_heatmap *map;
    enum dlq_spacing spacing; /* of the rows; columns are always categories */
    double unit;              /* of y: 0.001 where the axis shows ms */
    const char *unit_name;    /* null: y is no time */
    double first, step;       /* center of row 0, and distance of the rows, in drawn coordinates */
};

enum dlq_status dlq_grid_open(struct dlq_grid *grid, const struct dlq_heatmap *map, struct dlq_error *error);
double dlq_grid_low(const struct dlq_grid *grid);
double dlq_grid_high(const struct dlq_grid *grid);
/* Where the staircase of a level stands in a column, in drawn coordinates: -HUGE_VAL below the lowest row, HUGE_VAL
   above the highest, NAN where the column has no value. */
double dlq_grid_threshold(const struct dlq_grid *grid, size_t column, double level);
void dlq_grid_x_tics(const struct dlq_grid *grid, const struct dlq_page *page, double pixels, struct dlq_tics *tics);
void dlq_grid_y_tics(const struct dlq_grid *grid, const struct dlq_page *page, double pixels, struct dlq_tics *tics);

#endif
