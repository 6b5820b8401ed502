/* A grid of simulated throughputs around a configuration, for an explorer with sliders. */
#pragma once

#include "dlqueue/model.h"

DLQ_DECLARATIONS_BEGIN

enum { DLQ_EXPLORE_AXES = 4, DLQ_EXPLORE_VALUES = 64, DLQ_EXPLORE_POINTS = 20000, DLQ_EXPLORE_CAUSES = 16 };

struct dlq_explore_axis {
    const char *key;   /* loaders, prefetch, load (s), delivery (0: in order, 1: by completion), cv, step (s) */
    size_t count;      /* number of values, at least 2 */
    size_t configured; /* index of the configured value */
    double values[DLQ_EXPLORE_VALUES]; /* ascending */
};

struct dlq_explore {
    size_t axis_count, points; /* numbers of axes and points; no axes: nothing can vary */
    struct dlq_explore_axis axes[DLQ_EXPLORE_AXES];
    /* By point, the last axis varying fastest; owned. Batches/s of a rank (NAN: the point cannot be simulated), half
       the width of the 95 % interval (0: none), and utilization as a share (NAN: there is no step). */
    double *throughput, *half_width, *utilization;
    unsigned char *cause;                      /* index into `causes` */
    enum dlq_cause causes[DLQ_EXPLORE_CAUSES]; /* as bound_by of dlq_verdict */
    size_t cause_count;
    long batches, replications; /* of a point; batches 0: the model has a horizon */
    bool thinned;               /* axes have fewer values than usual, to limit the time */
};

/* Simulates the grid. Its axes: loaders from 1 to the larger of twice the configured count and 1.5 `enough` (the answer
   of a plan; 0: none), at least 16 and at most 63; prefetch where the loader has one; the mean load from a quarter to
   three times the configured one; and the first of delivery, cv and step that can vary. Axes are thinned where all
   points would take too long. run null: only chooses the axes. DLQ_INVALID: the model cannot be simulated;
   DLQ_INTERRUPTED, DLQ_FAILURE. The caller frees the grid with dlq_explore_free. */
enum dlq_status dlq_explore(struct dlq_model *model, long enough, const struct dlq_run *run, struct dlq_explore *grid,
                            struct dlq_error *error);
void dlq_explore_free(struct dlq_explore *grid);

DLQ_DECLARATIONS_END
