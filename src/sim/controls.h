/* Control variates of a simulation: sums over the random numbers of a replication whose expectations are known.

   Over the indices i that are measured, and over all ranks, with u_i a load and v_i a step in units of their means:

     load   sum of u_i - 1
     step   sum of v_i - 1
     wait   sum of (u_i - c_i)+ - H(c_i)
     late   sum of (u_i - d_i)+ - H(d_i),  d_i = c_i + 2 sd(u)

   H(c) = E[(u - c)+]. The slack c_i is how long load i may take without making the trainer wait, in units of the mean
   load s, as it is known before u_i is drawn: (F_{i-1} - e - L_i)/s, where step i - 1 ends at F_{i-1}, load i starts at
   L_i, and delivery takes e. So a term of `wait` is the wait for load i less its expectation, and `late` is the part of
   that beyond 2 sd, of loads that last longer than the others on the way. Every term has mean 0 whatever thresholds are
   used, as long as they depend on earlier draws alone: differences of a martingale (Henderson & Glynn 2002,
   "Approximating martingales for variance reduction in Markov process simulation", Mathematics of Operations Research
   27(2)). Thresholds are rounded to a grid on which H is tabulated: the means stay 0. */
#pragma once

#include "sim/draws.h"
#include "sim/measure.h"

/* Thresholds are points of the table. A slack of x seconds is rounded to number floor(x * per_second + nearest), within
   the table; the number of d is that of c + `late`. */
struct dlq_thresholds {
    const struct dlq_excess *table;
    double per_second, nearest;
    int late;
};

struct dlq_control_sums {
    /* sums[lane] += draws[i * lanes + lane] - 1 */
    void (*draws)(const double *draws, size_t rows, size_t lanes, double *sums);
    /* wait[lane] += (u - c)+ - H(c), late[lane] += (u - d)+ - H(d), u = loads[i * lanes + lane] */
    void (*slack)(const struct dlq_thresholds *thresholds, const double *loads, const double *slack, size_t rows,
                  size_t lanes, double *wait, double *late);
};

DLQ_DECLARE_SETS(const struct dlq_control_sums, dlq_control_sums);

/* The expectations for the draws of a job, for all its points. Constant while in use: threads share them. */
struct dlq_expectations {
    bool load, step, wait;    /* which controls exist (wait: `late` as well); none where a variance is 0 or infinite */
    struct dlq_excess excess; /* H, where `wait` */
    int late;                 /* cells between c_i and d_i */
    const struct dlq_control_sums *sums;
};

/* slack: whether the controls wait and late are wanted. */
enum dlq_status dlq_expectations_begin(struct dlq_expectations *expectations, const struct dlq_source *load,
                                       const struct dlq_source *step, bool slack, enum dlq_instructions set,
                                       struct dlq_error *error);
void dlq_expectations_free(struct dlq_expectations *expectations);

/* Running sums of `lanes` replications. Each lane and rank has its own sums, to which terms are added in order of
   index: the bits do not depend on the number of lanes, on blocks or on threads. */
struct dlq_controls {
    const struct dlq_expectations *expectations;
    size_t lanes, ranks;
    long first, batches;               /* measured: first <= i < first + batches; batches 0: none (a horizon) */
    long servers, slow_servers, epoch; /* see dlq_controls_weigh; slow_servers 0: not weighed */
    double slow_factor;
    double *sums; /* [(rank * DLQ_CONTROLS + control) * lanes + lane]; in the place of rank `ranks`: loads on slow
                     servers */
};

/* Allocates in the arena; borrows the expectations. */
enum dlq_status dlq_controls_begin(struct dlq_arena *arena, struct dlq_controls *controls,
                                   const struct dlq_expectations *expectations, const struct dlq_extent *extent,
                                   size_t lanes, size_t ranks);
void dlq_controls_reset(struct dlq_controls *controls);
/* Before any sum: makes loads on slow servers count by slow_factor, if the servers load in turn. What they count beyond
   1 is added to `load` by dlq_controls_add_slack. */
void dlq_controls_weigh(struct dlq_controls *controls, const struct dlq_point *point);
/* Adds n loads or steps (kind) from index `index` on, draws[i * lanes + lane]; those that are not measured are left
   out. All ranks share the steps: rank 0. */
void dlq_controls_add_draws(struct dlq_controls *controls, enum dlq_control_kind kind, size_t rank, long index,
                            size_t n, const double *draws);
/* Adds to wait and late: slack[i * lanes + lane] (s) belongs to loads[i * lanes + lane] of mean load_scale > 0. */
void dlq_controls_add_slack(struct dlq_controls *controls, size_t rank, long index, size_t n, const double *loads,
                            const double *slack, double load_scale);
/* Adds a lane's sums, per measured batch, to values[DLQ_CONTROLS]. Points of one extent can share the sums of loads and
   steps; each has its own sums of slack. */
void dlq_controls_get(const struct dlq_controls *controls, size_t lane, double *values);
