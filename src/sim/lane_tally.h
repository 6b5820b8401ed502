/* What is measured of a point in lanes: the counterpart of dlq_tally for sixteen replications at once. */
#ifndef DLQ_SIM_LANE_TALLY_H
#define DLQ_SIM_LANE_TALLY_H

#include "sim/lanes.h"
#include "sim/measure.h"

/* All lanes are at the same step, at times of their own. */
struct dlq_lane_tally {
    const struct dlq_point *point;
    struct dlq_extent extent;
    double constant_step; /* of each step's draw; NAN: random */
    long seen, counted;
    double first_batch[DLQ_LANES], begun[DLQ_LANES], middle[DLQ_LANES], before[DLQ_LANES];
    double first_time[DLQ_LANES], first_draws[DLQ_LANES]; /* of the steps that AU leaves out */
};

void dlq_lane_tally_begin(struct dlq_lane_tally *tally, const struct dlq_point *point, const struct dlq_extent *extent,
                          double constant_step);
void dlq_lane_tally_reset(struct dlq_lane_tally *tally);
bool dlq_lane_tally_complete(const struct dlq_lane_tally *tally);
/* Steps until something changes: the first step of the run, of an epoch and of the measurement are by themselves. */
long dlq_lane_tally_left(const struct dlq_lane_tally *tally);
/* An epoch begins with the next step. */
bool dlq_lane_tally_at_epoch(const struct dlq_lane_tally *tally);
bool dlq_lane_tally_measures(const struct dlq_lane_tally *tally);
/* Before and after n steps, n <= left; steps: their draws. */
void dlq_lane_tally_before(struct dlq_lane_tally *tally, const struct dlq_lane_state *state);
void dlq_lane_tally_after(struct dlq_lane_tally *tally, struct dlq_lane_state *state, const double *steps, long n);
/* Once complete. */
void dlq_lane_tally_outcome(const struct dlq_lane_tally *tally, const struct dlq_lane_state *state, size_t lane,
                            struct dlq_outcome *outcome);

#endif
