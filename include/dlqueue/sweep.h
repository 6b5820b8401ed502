/* Sweeps: a grid over one or two axes, simulated point by point on the same draws. */
#pragma once

#include "dlqueue/model.h"

DLQ_DECLARATIONS_BEGIN

struct dlq_sweep; /* opaque */

struct dlq_axis {
    const char *name; /* a key of [sweep] */
    size_t count;
    const double *values; /* ascending; owned by the sweep */
    double configured;    /* the model's own value */
};

struct dlq_sweep_point {
    bool on_grid;    /* false: off the grid, on the line through the configured value of the second axis */
    size_t index[2]; /* indices of the values on the axes; index[1]: 0 off the grid, or with one axis */
    double value[2]; /* in the unit of the axis: s, bytes/s, a share or a count; NAN: there is no such axis */
    struct dlq_bounds bounds;
    struct dlq_simulation simulation; /* its period is NAN */
    enum dlq_cause bound_by;          /* as dlq_verdict.bound_by */
    double throughput_without;        /* throughput without the cause bound_by, 1/s; NAN: the cause is a bound */
};

/* Starts a sweep over the axes of [sweep], by default loaders x load, and checks every point. DLQ_INVALID: the model,
   an axis or a point is refused; DLQ_FAILURE: no memory. Model and run must outlive the sweep, which the caller frees
   with dlq_sweep_end. */
enum dlq_status dlq_sweep_begin(struct dlq_sweep **sweep, struct dlq_model *model, const struct dlq_run *run,
                                struct dlq_error *error);
/* The number of axes, 1 or 2. *axes: owned by the sweep. */
size_t dlq_sweep_axes(const struct dlq_sweep *sweep, const struct dlq_axis **axes);
/* The number of points: those of the grid and, with two axes, those of the line off the grid. */
size_t dlq_sweep_size(const struct dlq_sweep *sweep);
/* Limits the sweep, before its first point, to its points first <= k < last of dlq_sweep_size. */
void dlq_sweep_limit(struct dlq_sweep *sweep, size_t first, size_t last);
/* Sets on_grid, index and value of the point k < dlq_sweep_size. */
void dlq_sweep_locate(const struct dlq_sweep *sweep, size_t k, struct dlq_sweep_point *point);
/* The bounds of point k, without a simulation. Their last digits depend on the points before: called for k = 0, 1, 2,
   ... before the first dlq_sweep_next of a sweep, they are the bounds of dlq_sweep_next, to the bit. DLQ_FAILURE: no
   memory. */
enum dlq_status dlq_sweep_bounds(struct dlq_sweep *sweep, size_t k, struct dlq_bounds *bounds, struct dlq_error *error);
/* Simulates the next point; points come in ascending order of k. *more false: there was none left, and *point is
   untouched. DLQ_INTERRUPTED: by the run's flag; DLQ_FAILURE: no memory. */
enum dlq_status dlq_sweep_next(struct dlq_sweep *sweep, struct dlq_sweep_point *point, bool *more,
                               struct dlq_error *error);
/* Frees a sweep; null is allowed. */
void dlq_sweep_end(struct dlq_sweep *sweep);

DLQ_DECLARATIONS_END
