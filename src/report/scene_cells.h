/* What happens at one moment, as cells: loaders that fill, a queue, a trainer. */
#ifndef DLQ_REPORT_SCENE_CELLS_H
#define DLQ_REPORT_SCENE_CELLS_H

#include "dlqueue/timeline.h"
#include "draw/cells.h"

enum { DLQ_SCENE_ROWS = 3, DLQ_SCENE_REMARK = 64 };

/* The rows of a rank, the same at every moment. */
struct dlq_moment_plan {
    size_t loaders; /* cells; 0: no such row */
    size_t places;  /* of the queue; 0: no such row */
    size_t columns; /* cells in a line */
    bool serial;    /* the trainer loads its batches itself */
    bool numbers;   /* the progress of a load stands in its cell */
};

/* The cells of one rank at one moment. */
struct dlq_moment_cells {
    struct dlq_cell *cells; /* of all rows; owned */
    size_t row_count;
    const struct dlq_cell *rows[DLQ_SCENE_ROWS];
    const char *remarks[DLQ_SCENE_ROWS];
    char remark[DLQ_SCENE_ROWS][DLQ_SCENE_REMARK];
};

/* ranks: shown together. */
void dlq_moment_plan_set(const struct dlq_timeline *timeline, size_t ranks, struct dlq_moment_plan *plan);
/* Their count. */
size_t dlq_moment_plan_rows(const struct dlq_moment_plan *plan, struct dlq_cell_row rows[DLQ_SCENE_ROWS]);

/* Allocates; free the cells with dlq_moment_cells_free. */
enum dlq_status dlq_moment_cells_new(const struct dlq_moment_plan *plan, struct dlq_moment_cells *cells,
                                     struct dlq_error *error);
void dlq_moment_cells_fill(const struct dlq_moment_plan *plan, const struct dlq_moment *scene,
                           struct dlq_moment_cells *cells);
void dlq_moment_cells_free(struct dlq_moment_cells *cells);

/* "12 batches trained · idle 43 %" of the ranks that are shown. */
void dlq_moment_count(const struct dlq_moment *scenes, size_t ranks, char *text, size_t size);

#endif
