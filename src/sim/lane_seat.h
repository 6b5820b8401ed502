/* What a worker keeps of a point while it advances sixteen replications of it. */
#ifndef DLQ_SIM_LANE_SEAT_H
#define DLQ_SIM_LANE_SEAT_H

#include "sim/lane_draws.h"
#include "sim/lane_tally.h"

struct dlq_lane_seat {
    const struct dlq_job *job;
    size_t point;
    struct dlq_lane_state state;
    struct dlq_lane_tally tally;
    struct dlq_histogram waits;
    struct dlq_controls slack;
    double *series; /* waits of replication 0 */
    long series_count;
    bool taken; /* holds memory */
};

/* Takes memory once; false: there is none. */
bool dlq_lane_seat_take(struct dlq_lane_seat *seat, const struct dlq_job *job, size_t point);
void dlq_lane_seat_reset(struct dlq_lane_seat *seat);
void dlq_lane_seat_free(struct dlq_lane_seat *seat);
/* An epoch begins; phases: rows of uniform numbers for a random start; scratch: as many rows. */
void dlq_lane_seat_epoch(struct dlq_lane_seat *seat, const double *phases, double *scratch);
/* Takes what a kernel has recorded of n measured steps of `count` lanes; series: lane 0 is replication 0. */
void dlq_lane_seat_keep(struct dlq_lane_seat *seat, const struct dlq_lane_block *block,
                        const struct dlq_lane_record *record, size_t n, size_t count, bool series);
void dlq_lane_seat_outcome(const struct dlq_lane_seat *seat, const struct dlq_lane_draws *draws, size_t lane,
                           struct dlq_outcome *outcome);

#endif
