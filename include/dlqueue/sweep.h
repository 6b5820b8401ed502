/* Sweeps: a grid over one or two axes, point by point, on common draws. */
#ifndef DLQUEUE_SWEEP_H
#define DLQUEUE_SWEEP_H

#include "dlqueue/model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dlq_sweep; /* opaque */

struct dlq_axis {
    const char *name; /* a key of [sweep] */
    size_t count;
    const double *values; /* ascending; owned by the sweep */
    double configured;    /* the model's own value */
};

struct dlq_sweep_point {
    bool on_grid;    /* false: a point of the line: the first axis at the configured value of the second */
    size_t index[2]; /* on the axes; index[1] is 0 off the grid and where there is one axis */
    double value[2]; /* NAN where there is no such axis */
    struct dlq_bounds bounds;
    struct dlq_simulation simulation; /* no period */
    enum dlq_cause bound_by;          /* as in dlq_verdict */
    double without;                   /* throughput without that cause; NAN: it is a bound */
};

/* Reads the axes ([sweep], or by default loaders x load) and checks every point. `run` must outlive the sweep. */
enum dlq_status dlq_sweep_begin(struct dlq_sweep **sweep, struct dlq_model *model, const struct dlq_run *run,
                                struct dlq_error *error);
/* Axes: 1 or 2. */
size_t dlq_sweep_axes(const struct dlq_sweep *sweep, const struct dlq_axis **axes);
/* All points: those of the grid and, with two axes, of the line. */
size_t dlq_sweep_size(const struct dlq_sweep *sweep);
/* The next point, in any order; *more false (and *point untouched): that was all. */
enum dlq_status dlq_sweep_next(struct dlq_sweep *sweep, struct dlq_sweep_point *point, bool *more,
                               struct dlq_error *error);
void dlq_sweep_end(struct dlq_sweep *sweep);

#ifdef __cplusplus
}
#endif

#endif
