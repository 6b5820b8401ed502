/* What a worker keeps of a point while it advances replications of it side by side. */
#ifndef DLQ_SIM_REPLICATIONS_H
#define DLQ_SIM_REPLICATIONS_H

#include "sim/lane_draws.h"
#include "stats/stats.h"

struct dlq_replications {
    const struct dlq_job *job;
    size_t point;
    struct dlq_lane_state state;
    struct dlq_tally tally;
    struct dlq_histogram waits;
    struct dlq_controls slack;
    double *series; /* waits of replication 0 */
    long series_count;
    bool taken; /* holds memory */
};

/* Takes memory once; false: there is none. */
bool dlq_replications_take(struct dlq_replications *own, const struct dlq_job *job, size_t point);
/* To the start of replications from `replication` on, one in each lane. */
void dlq_replications_reset(struct dlq_replications *own, long replication);
void dlq_replications_free(struct dlq_replications *own);
/* An epoch begins; phases: rows of uniform numbers for a random start; scratch: a row for each server. */
void dlq_replications_epoch(struct dlq_replications *own, const double *phases, double *scratch);
/* Takes what a kernel has recorded of n measured steps of `count` lanes; series: lane 0 is replication 0. */
void dlq_replications_keep(struct dlq_replications *own, const struct dlq_lane_block *block,
                           const struct dlq_lane_record *record, size_t n, size_t count, bool series);
void dlq_replications_outcome(const struct dlq_replications *own, const struct dlq_lane_draws *draws, size_t lane,
                              struct dlq_outcome *outcome);

#endif
