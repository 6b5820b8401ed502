/* Animations of cells: rows of small boxes that fill, empty and change color, frame by frame. Plain descriptions in,
   gnuplot script and GIF out. */
#ifndef DLQ_DRAW_CELLS_H
#define DLQ_DRAW_CELLS_H

#include "dlqueue/error.h"
#include "draw/gnuplot.h"

#include <stdbool.h>
#include <stdio.h>

enum dlq_cell_kind {
    DLQ_CELL_EMPTY,   /* an outline */
    DLQ_CELL_FILLING, /* pale, from the left as far as `share` in full color */
    DLQ_CELL_FULL,
    DLQ_CELL_HELD,   /* full, but hatched: it can't go on */
    DLQ_CELL_STALL,  /* red hatch */
    DLQ_CELL_BARRIER /* amber hatch */
};

struct dlq_cell {
    enum dlq_cell_kind kind;
    unsigned color; /* 0xRRGGBB */
    double share;   /* 0..1 */
    char text[8];   /* "" for none */
};

/* How a row is laid out: the same in all frames. Cells beyond `columns` go to a further line. */
struct dlq_cell_row {
    const char *label; /* at the left */
    size_t count;
    bool remark; /* room behind the cells for a text that changes from frame to frame */
    bool apart;  /* some room above it: another group */
};

struct dlq_cells {
    const char *title; /* one line, the same in all frames */
    int width;         /* pixels, 320..1600 */
    double delay;      /* s per frame, rounded to 10 ms; >= 20 ms */
    const struct dlq_cell_row *rows;
    size_t row_count;
    size_t columns; /* cells in a line at most */
};

struct dlq_cells_frame {
    const char *left, *right;           /* above the cells */
    const struct dlq_cell *const *rows; /* rows[i][0..count of row i - 1] */
    const char *const *remarks;         /* of each row; null: none */
};

/* Height in pixels. */
int dlq_cells_height(const struct dlq_cells *cells);
/* The script: the head, then each frame. It makes one animated GIF on standard output. */
enum dlq_status dlq_cells_begin(const struct dlq_cells *cells, FILE *script, struct dlq_error *error);
enum dlq_status dlq_cells_frame(const struct dlq_cells *cells, const struct dlq_cells_frame *frame, FILE *script,
                                struct dlq_error *error);

/* The same frames in fewer bytes, by gifsicle; where that is not installed, or fails, the image stays as it is.
   `interrupted`: as that of dlq_gnuplot_run. */
enum dlq_status dlq_gif_pack(struct dlq_image *image, const volatile sig_atomic_t *interrupted,
                             struct dlq_error *error);

#endif
