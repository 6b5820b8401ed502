/* The random numbers of a job's lanes, a block at a time, for all points of a job, and the controls that points
   of one extent share. */
#ifndef DLQ_SIM_LANE_DRAWS_H
#define DLQ_SIM_LANE_DRAWS_H

#include "sim/job.h"

struct dlq_lane_draws {
    const struct dlq_job *job;
    struct dlq_draws load, step, extra;
    double *loads, *steps;               /* rows of lanes; of each rank `rows` of loads */
    double *cumulative[DLQ_MOST_STAGES]; /* as loads: their stages 0..k; null: not asked for, or there is one */
    double *phases;                      /* random start: uniform on 0..1, [rank][server][lane] */
    size_t rows, drawn, at;              /* of a rank: places, those filled, where the block begins */
    long index;                          /* of the block's first step */
    struct dlq_controls *controls;       /* of loads and steps: one for each extent and number of ranks */
    size_t *control_of, control_count;
};

/* Sets ranks, servers, ahead and block of a job. */
void dlq_lane_draws_lay_out(struct dlq_job *job);
/* Null: no memory. */
struct dlq_lane_draws *dlq_lane_draws_new(const struct dlq_job *job);
void dlq_lane_draws_free(struct dlq_lane_draws *draws);
/* Goes to the first block; lane l is replication + l. */
void dlq_lane_draws_start(struct dlq_lane_draws *draws, long replication);
void dlq_lane_draws_next(struct dlq_lane_draws *draws);
/* The block from its step `at` on. */
struct dlq_lane_block dlq_lane_draws_block(const struct dlq_lane_draws *draws, size_t at);
/* Adds a lane's controls to values[DLQ_CONTROLS]. */
void dlq_lane_draws_controls(const struct dlq_lane_draws *draws, size_t point, size_t lane, double *values);
/* Uninitialized rows of lanes, aligned; null: no memory. */
double *dlq_lane_rows(size_t count, size_t lanes);

#endif
