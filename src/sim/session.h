/* Simulates points that share their draws, in waves of replications, until each point has its precision. */
#pragma once

#include "sim/job.h"
#include "sim/simulate.h"

/* What to simulate; the caller owns everything. Of the job only points, kernels, count, lanes, sources, expectations,
   set and run are set; its points are those of `systems`. */
struct dlq_simulation_run {
    struct dlq_job job;
    const struct dlq_system *const *systems;
    const struct dlq_simulate_options *options;
    const struct dlq_simulate_request *request;
};

/* Sets results[i] of points[i], unless the point has no replication. DLQ_INTERRUPTED: run->interrupted was raised. */
enum dlq_status dlq_simulate_points(const struct dlq_simulation_run *simulation, struct dlq_simulation *results,
                                    struct dlq_error *error);

/* -- from the outcomes of replications to results (summarize.c) -- */

/* The outcomes of one point: first[r * stride] is the outcome of replication r. */
struct dlq_outcomes {
    const struct dlq_outcome *first;
    size_t stride, count;
    long warmup, batches; /* of each replication: left out, measured */
    const struct dlq_system *system;
    const struct dlq_simulate_options *options;
    double *values; /* scratch for `count` values */
};

void dlq_summarize_throughput(const struct dlq_outcomes *outcomes, struct dlq_simulation *result);
/* Seconds per batch of each replication, adjusted for its controls: seconds[outcomes->count]. */
void dlq_summarize_seconds(const struct dlq_outcomes *outcomes, double *seconds);
/* Everything but the period and the quantiles of waits. The throughput and replications must be set before. */
void dlq_summarize(const struct dlq_outcomes *outcomes, struct dlq_simulation *result);

/* -- rare.c: how much loads and steps that are too rare for an experiment may add to mean times -- */

/* An event with fewer occurrences is rare: neither its frequency nor its effect can be estimated from the draws. */
enum { DLQ_FEW_EVENTS = 10 };

struct dlq_rare {
    double missed; /* s per batch: upper bound of what events too rare for the experiment add; 0: negligible (below 1e-4
                      of the time per batch), or covered by the interval */
    double expected; /* occurrences in the experiment of the event that adds most to `missed` */
    double events; /* effective number of occurrences of stages with a probability: variance / sum over these stages of
                      (variance / occurrences); INFINITY: no such stage */
};

struct dlq_experiment {
    double batches, seconds; /* of each rank, in all replications; s per batch */
    double horizon;          /* s of a replication; INFINITY: none */
    double resolution;       /* s, tick to which loads are rounded up; 0: none */
};

/* Finds the rare events of the experiment. */
void dlq_rare_find(const struct dlq_system *system, const struct dlq_experiment *experiment, struct dlq_rare *rare);
/* The fewest batches, within 1 %, at which dlq_rare.missed is 0; INFINITY: more than 1e15. */
double dlq_rare_batches(const struct dlq_system *system, const struct dlq_experiment *experiment);
