/* The run of points that share their draws: waves of replications until each is known well enough. */
#ifndef DLQ_SIM_SESSION_H
#define DLQ_SIM_SESSION_H

#include "sim/simulate.h"
#include "sim/worker.h"

/* What is asked; all of it the caller's. */
struct dlq_session {
    size_t lanes; /* DLQ_LANES, or 1: replications side by side */
    const struct dlq_system *const *systems;
    const struct dlq_point *points; /* of the systems, in the same order */
    const struct dlq_lane_kernel *const *kernels;
    double *const *seconds; /* dlq_wishes' rows of the points; null: not wanted */
    size_t count;
    const struct dlq_source *load, *step;
    const struct dlq_expectations *expectations;
    const struct dlq_simulate_options *options;
    const struct dlq_wishes *wishes;
    const struct dlq_run *run;
    enum dlq_instructions set;
};

/* results[i] of points[i]; untouched unless DLQ_OK. */
enum dlq_status dlq_session_run(const struct dlq_session *session, struct dlq_simulation *results,
                                struct dlq_error *error);

#endif
