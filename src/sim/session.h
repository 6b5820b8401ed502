/* The run of points that share their draws: waves of replications until each is known well enough. */
#ifndef DLQ_SIM_SESSION_H
#define DLQ_SIM_SESSION_H

#include "dlqueue/simulate.h"
#include "model/model.h"
#include "sim/measure.h"
#include "sim/simulate.h"
#include "sim/worker.h"

/* What is asked; all of it the caller's. */
struct dlq_session {
    size_t lanes; /* DLQ_LANES, or 1: replications side by side */
    const struct dlq_system *const *systems;
    const struct dlq_point *points;               /* of the systems, in the same order */
    const struct dlq_lane_kernel *const *kernels; /* null: of points that this run leaves out */
    size_t count;
    const struct dlq_sources *sources;
    const struct dlq_expectations *expectations;
    const struct dlq_simulate_options *options;
    const struct dlq_wishes *wishes;
    const struct dlq_run *run;
    enum dlq_instructions set;
};

/* results[i] of points[i]; untouched where nothing is known of a point. DLQ_INTERRUPTED where run->interrupted was
   raised. */
enum dlq_status dlq_session_run(const struct dlq_session *session, struct dlq_simulation *results,
                                struct dlq_error *error);

/* -- from the outcomes of replications to what is reported (summarize.c) -- */

/* One point's outcomes, replication r's being first[r * stride], and what is known beside them. */
struct dlq_outcomes {
    const struct dlq_outcome *first;
    size_t stride, count;
    long batches; /* measured in each */
    const struct dlq_system *system;
    const struct dlq_simulate_options *options;
    double *values; /* scratch for `count` values */
};

void dlq_summarize_throughput(const struct dlq_outcomes *outcomes, struct dlq_simulation *result);
/* Of each replication, adjusted for its controls: seconds[outcomes->count]. */
void dlq_summarize_seconds(const struct dlq_outcomes *outcomes, double *seconds);
/* All but the waits' quantiles and their period; the throughput and replications must be filled in before. */
void dlq_summarize(const struct dlq_outcomes *outcomes, struct dlq_simulation *result);

#endif
