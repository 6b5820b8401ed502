/* The staircase lines of a heat map and their labels. */
#ifndef OUT_HEATMAP_LEVELS_H
#define OUT_HEATMAP_LEVELS_H

#include "out/heatmap_grid.h"

/* Where a line ends and its label stands. */
enum dlq_line_end {
    DLQ_END_NONE,   /* the line is nowhere in the plot */
    DLQ_END_RIGHT,  /* at the right border */
    DLQ_END_TOP,    /* leaves through the upper border */
    DLQ_END_WITHIN, /* leaves through the lower border, or before columns without values */
};

/* x, y in drawn coordinates. */
struct dlq_line_label {
    const struct dlq_level *level;
    enum dlq_line_end end;
    double x, y;
};

void dlq_level_label(const struct dlq_grid *grid, const struct dlq_level *level, struct dlq_line_label *label);
/* Room right of and above the plot for labels, in pixels. */
double dlq_levels_right(const struct dlq_grid *grid, const struct dlq_page *page);
double dlq_levels_top(const struct dlq_grid *grid, const struct dlq_page *page);
/* The labels; needs the page's plot. */
void dlq_levels_label(const struct dlq_grid *grid, struct dlq_page *page);
/* The data blocks $level0, ..., and what plots them, to be continued after a clause. */
void dlq_levels_data(const struct dlq_grid *grid, const struct dlq_page *page);
void dlq_levels_plot(const struct dlq_grid *grid, const struct dlq_page *page);

#endif
