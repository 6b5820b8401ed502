/* The points of a sweep over one or two axes, the words for its axes, and its finding in a sentence. */
#pragma once

#include "dlqueue/sweep.h"
#include "draw/table.h"

/* The words for an axis. */
struct dlq_axis_kind {
    const char *name;
    const char *label;         /* in a chart; null: the name */
    const char *before, *unit; /* around a value in a sentence: "a load of ", " loader" ("s" is added unless 1) */
    bool is_time, is_rate, is_share, is_integer;
    bool rising; /* utilization rises along the axis */
};

struct dlq_sweep_grid {
    struct dlq_description description;
    size_t axis_count;
    const struct dlq_axis *axes; /* owned by the sweep */
    const struct dlq_axis_kind *kinds[2];
    size_t columns, rows;          /* numbers of values of the first and the second axis; 1 without a second */
    struct dlq_sweep_point *cells; /* [column * rows + row] */
    bool *have_cell;
    struct dlq_sweep_point *line; /* [column] at the configured value of the second axis; with one axis the cells */
    bool *have_line;
    size_t total;          /* points to solve */
    bool exact, intervals; /* points are not simulated; points have intervals */
};

/* Makes an empty grid for the points of the sweep; the sweep must outlive the grid. */
enum dlq_status dlq_sweep_grid_init(struct dlq_sweep_grid *grid, struct dlq_model *model, struct dlq_sweep *sweep,
                                    struct dlq_error *error);
/* Solves all points; after an error the finished points are kept. */
enum dlq_status dlq_sweep_grid_solve(struct dlq_sweep_grid *grid, struct dlq_sweep *sweep, struct dlq_error *error);
void dlq_sweep_grid_free(struct dlq_sweep_grid *grid);
/* The place of a point in cells and have_cell, where points of the line come last. */
size_t dlq_sweep_grid_place(const struct dlq_sweep_grid *grid, const struct dlq_sweep_point *point);
void dlq_sweep_grid_put(struct dlq_sweep_grid *grid, const struct dlq_sweep_point *point);

/* A row per finished cell, in the order of the grid. Null: no memory. */
struct dlq_table *dlq_sweep_grid_table(const struct dlq_sweep_grid *grid);

/* The points first <= k < last of the sweep that the grid has, with all that dlq_sweep_grid_join needs. Null: no
   memory. */
struct dlq_table *dlq_sweep_part_table(const struct dlq_sweep_grid *grid, const struct dlq_sweep *sweep,
                                       const struct dlq_model *model, size_t first, size_t last);
/* Fills the grid from such tables in CSV files; bounds are computed again. DLQ_INVALID: a file is no such table, or of
   another version, configuration or seed; a point is missing, or is there twice. */
enum dlq_status dlq_sweep_grid_join(struct dlq_sweep_grid *grid, struct dlq_sweep *sweep, const struct dlq_model *model,
                                    const char *const *paths, size_t count, struct dlq_error *error);

/* The kind of that name; of any other name, such as "", a plain number. */
const struct dlq_axis_kind *dlq_axis_kind_find(const char *name);
/* The text before a value, without its article: "load of ". */
const char *dlq_axis_before(const struct dlq_axis_kind *kind);
enum { DLQ_AXIS_TEXT = 96 };
/* A value with its unit: "12 loaders", "1.38 s", "0.3". */
const char *dlq_axis_say(const struct dlq_axis_kind *kind, double value, char text[DLQ_AXIS_TEXT]);
/* The label of an axis, "Mean load time (s)"; returns the factor from values to that unit. */
double dlq_axis_label(const struct dlq_sweep_grid *grid, size_t axis, char text[DLQ_AXIS_TEXT]);
/* Whether the values are spaced evenly in their logarithms. */
bool dlq_axis_is_logarithmic(const struct dlq_axis *axis);

/* The column of the configured value of the first axis; `columns`: the axis does not have that value. */
size_t dlq_sweep_grid_configured(const struct dlq_sweep_grid *grid);

/* The column of the line that reaches 95 % utilization with the smallest value, or on an axis that is not rising the
   largest; `columns`: none does. */
size_t dlq_sweep_grid_reaching(const struct dlq_sweep_grid *grid);

enum { DLQ_FINDING_TEXT = 256 };

/* The title of both charts: where 95 % is reached along the first axis, or what limits the utilization. */
const char *dlq_finding_title(const struct dlq_sweep_grid *grid, char text[DLQ_FINDING_TEXT]);
/* All parameters, without those of the first `drawn` axes. */
const char *dlq_finding_subtitle(const struct dlq_sweep_grid *grid, size_t drawn, char *text, size_t size);
