/* Where the cells of an animation stand, in whole pixels from the upper left corner. */
#ifndef OUT_CELLS_LAYOUT_H
#define OUT_CELLS_LAYOUT_H

#include "draw/cells.h"

struct dlq_cells_layout {
    double scale;                    /* of letters: 1 on a page of 900 pixels */
    int margin;                      /* around all */
    int title, head;                 /* middles of these lines; title: 0 where there is none */
    int label_end;                   /* labels' right ends */
    int left, right;                 /* of the cells' area */
    int top;                         /* of the first row */
    int pitch, gap;                  /* from cell to cell, and what is white of it */
    int width, height;               /* of a cell */
    int between;                     /* rows */
    double title_em, head_em, label; /* heights of letters */
};

/* Both ends belong to it. */
struct dlq_cell_box {
    int left, top, right, bottom;
};

void dlq_cells_lay_out(const struct dlq_cells *cells, struct dlq_cells_layout *layout);
/* Upper edge of a row; of row `row_count`: where the rows end. */
int dlq_cells_row_top(const struct dlq_cells *cells, const struct dlq_cells_layout *layout, size_t row);
int dlq_cells_row_height(const struct dlq_cells *cells, const struct dlq_cells_layout *layout, size_t row);
struct dlq_cell_box dlq_cells_box(const struct dlq_cells *cells, const struct dlq_cells_layout *layout, size_t row,
                                  size_t cell);
/* The room behind the cells of a row, in its last line. */
struct dlq_cell_box dlq_cells_remark(const struct dlq_cells *cells, const struct dlq_cells_layout *layout, size_t row);

#endif
