/* The results of a sweep: cells over one or two axes, the line at the configured value of the second, what its axes are
 * called, and its finding. */
#ifndef DLQ_REPORT_SWEEP_H
#define DLQ_REPORT_SWEEP_H

#include "dlqueue/sweep.h"
#include "draw/table.h"

/* What an axis is called, and which way is good. */
struct dlq_axis_kind {
    const char *name;
    const char *label; /* of a chart's axis; null: the name */
    const char *before,
        *unit; /* around a value in a sentence: "a load of ", " loader" (an s follows where it is not 1) */
    bool is_time, is_rate, is_share, is_integer;
    bool rising; /* utilization rises along the axis */
};

struct dlq_sweep_grid {
    struct dlq_description description;
    size_t axis_count;
    const struct dlq_axis *axes; /* the sweep's */
    const struct dlq_axis_kind *kinds[2];
    size_t columns, rows;          /* values of the first and of the second axis (1: there is none) */
    struct dlq_sweep_point *cells; /* [column * rows + row] */
    bool *have_cell;
    struct dlq_sweep_point *line; /* per column; the cells where there is one axis */
    bool *have_line;
    size_t total;          /* points */
    bool exact, intervals; /* the points are not simulated; there are intervals to draw */
};

enum dlq_status dlq_sweep_grid_begin(struct dlq_sweep_grid *grid, struct dlq_model *model, struct dlq_sweep *sweep,
                                     struct dlq_error *error);
/* Takes all points of the sweep; those that were finished when it ends early are kept. */
enum dlq_status dlq_sweep_grid_collect(struct dlq_sweep_grid *grid, struct dlq_sweep *sweep, struct dlq_error *error);
void dlq_sweep_grid_free(struct dlq_sweep_grid *grid);

/* One row per finished cell, in the order of the grid. Null: no memory. */
struct dlq_table *dlq_sweep_grid_table(const struct dlq_sweep_grid *grid);

const struct dlq_axis_kind *dlq_axis_kind_find(const char *name);
enum { DLQ_AXIS_TEXT = 96 };
/* "12 loaders", "1.38 s", "0.3": without what stands before it */
const char *dlq_axis_say(const struct dlq_axis_kind *kind, double value, char text[DLQ_AXIS_TEXT]);
/* "Mean load time (s)", and by what values are multiplied. */
double dlq_axis_label(const struct dlq_sweep_grid *grid, size_t axis, char text[DLQ_AXIS_TEXT]);
/* Are the values spaced evenly in the logarithm rather than in themselves? */
bool dlq_axis_is_logarithmic(const struct dlq_axis *axis);

/* The column of the configured value of the first axis; columns: it is none of the axis. */
size_t dlq_sweep_grid_configured(const struct dlq_sweep_grid *grid);

/* The column of the line whose utilization reaches the level with the least effort: the smallest value on a rising
   axis, the largest on a falling one. False: none does. */
bool dlq_sweep_grid_reaching(const struct dlq_sweep_grid *grid, double level, size_t *column);

enum { DLQ_FINDING_TEXT = 256 };

/* Where 95 % is reached along the first axis, or what holds it back: of both charts. */
const char *dlq_finding_title(const struct dlq_sweep_grid *grid, char text[DLQ_FINDING_TEXT]);
/* All parameters but those on an axis that is drawn. */
const char *dlq_finding_subtitle(const struct dlq_sweep_grid *grid, size_t drawn, char *text, size_t size);

#endif
