/* A grid of simulated throughputs around a configuration: what an explorer looks up. */
#ifndef DLQUEUE_EXPLORE_H
#define DLQUEUE_EXPLORE_H

#include "dlqueue/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DLQ_EXPLORE_AXES = 4, DLQ_EXPLORE_VALUES = 64, DLQ_EXPLORE_POINTS = 20000, DLQ_EXPLORE_CAUSES = 16 };

struct dlq_explore_axis {
    const char *key; /* loaders, prefetch, load (s), delivery (0: in order, 1: as completed), cv, step (s) */
    size_t count;    /* of values, at least 2 */
    size_t own;      /* place of the configuration's value */
    double values[DLQ_EXPLORE_VALUES]; /* ascending */
};

struct dlq_explore {
    size_t axis_count, points; /* 0 axes: there is nothing to vary */
    struct dlq_explore_axis axes[DLQ_EXPLORE_AXES];
    /* By point, the last axis fastest; owned. Batches/s of a rank, half the width of its 95 % interval (0: none), and
       utilization (NAN: there is no step). */
    double *throughput, *half, *utilization;
    unsigned char *cause;                      /* index into `causes` */
    enum dlq_cause causes[DLQ_EXPLORE_CAUSES]; /* as bound_by of dlq_verdict */
    size_t cause_count;
    long batches, replications; /* of a point; batches 0: a horizon */
    bool thinned;               /* some axes have fewer values than usual, so that it takes no longer */
};

/* Loaders from 1 to twice the configured count, or 1.5 `enough` (a count that suffices; 0: unknown), 16 to 64;
   prefetch where the loader has one; the mean load from a quarter to three times its own; and one of delivery, cv and
   step. All points share their draws. Axes are thinned where all points would take too long. run null: the axes alone,
   without what is simulated. DLQ_INVALID: the model cannot be simulated. The grid is freed by the caller with
   dlq_explore_free. */
enum dlq_status dlq_explore(struct dlq_model *model, long enough, const struct dlq_run *run, struct dlq_explore *grid,
                            struct dlq_error *error);
void dlq_explore_free(struct dlq_explore *grid);

#ifdef __cplusplus
}
#endif

#endif
