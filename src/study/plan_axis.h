/* What a plan may change, and what it plans for. */
#ifndef DLQ_STUDY_PLAN_AXIS_H
#define DLQ_STUDY_PLAN_AXIS_H

#include "dlqueue/simulate.h"
#include "model/model.h"

/* A row for each word of [plan] solve. */
struct dlq_plan_axis {
    const char *name;
    bool (*set)(struct dlq_system *system, long value, char *why, size_t size);
    long (*get)(const struct dlq_system *system);
    bool most; /* the most that meets the target is wanted, not the least */
};

/* A row for each word of [plan] of. */
struct dlq_plan_figure {
    const char *name;
    bool share; /* of time: 0..1 */
    struct dlq_estimate (*get)(const struct dlq_simulation *simulation);
    double (*of_rate)(const struct dlq_system *system, double throughput); /* batches/s of a rank */
};

extern const struct dlq_plan_axis dlq_plan_axes[];
extern const struct dlq_plan_figure dlq_plan_figures[];

#endif
