/* The run of points that share their draws: waves of replications until each is known well enough. */
#ifndef DLQ_SIM_SESSION_H
#define DLQ_SIM_SESSION_H

#include "sim/job.h"
#include "sim/simulate.h"

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

/* -- what loads and steps too rare for an experiment may add to its mean times: known from their laws, whatever was
   drawn (rare.c) -- */

/* Fewer occurrences than these are few: neither their number nor their effect can be learned from the draws. */
enum { DLQ_FEW_EVENTS = 10 };

struct dlq_rare {
    double missed;   /* s per batch: at most what is too rare to be counted on adds; 0 where an interval of the rest
                        allows for as much, or it is less than 1e-4 of the time per batch */
    double expected; /* occurrences in the experiment of what adds most to that */
    double events;   /* what comes of stages that not every batch has varies as if by so many occurrences; INFINITY:
                        there are none */
};

/* An experiment: so many batches of each rank in all, that take so long each; horizon (s): what is measured of a
   replication, INFINITY where batches are; resolution (s): the tick to which loads are rounded up, 0: none. */
struct dlq_experiment {
    double batches, seconds, horizon, resolution;
};

void dlq_rare_find(const struct dlq_system *system, const struct dlq_experiment *experiment, struct dlq_rare *rare);
/* The fewest batches, within 1 %, at which nothing is missed; INFINITY: more than 1e15. */
double dlq_rare_batches(const struct dlq_system *system, const struct dlq_experiment *experiment);

#endif
