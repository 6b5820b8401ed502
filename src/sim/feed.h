/* What feeds the ranks of points with draws, a block of steps at a time, in one replication. */
#ifndef DLQ_SIM_FEED_H
#define DLQ_SIM_FEED_H

#include "sim/group.h"
#include "sim/job.h"

struct dlq_feed {
    const struct dlq_job *job;
    struct dlq_draws load, step;
    double *loads; /* of each rank, one after the other: the block and what is ahead of it */
    double *cumulative[DLQ_MOST_STAGES];
    double *steps;
    double *shares; /* random start: when the servers of each rank first start, in units of the mean load */
    size_t kept;    /* loads of a rank that are drawn already */
};

/* The job's most ranks and loaders, how far loads reach ahead, and blocks that keep the draws of all ranks in little
   memory: from its points and load. */
void dlq_feed_lay_out(struct dlq_job *job);
/* Of a job that is laid out, borrowed. false: no memory; to be freed all the same. */
bool dlq_feed_begin(struct dlq_feed *feed, const struct dlq_job *job);
void dlq_feed_free(struct dlq_feed *feed);
void dlq_feed_start(struct dlq_feed *feed, long replication);
/* The next job->block steps. */
void dlq_feed_next(struct dlq_feed *feed);
/* The block from its step `at` on; no slack. */
struct dlq_block dlq_feed_block(const struct dlq_feed *feed, size_t at);
/* Epoch number `epoch` of a point begins: the step before ended at `ended`. */
void dlq_feed_epoch(const struct dlq_feed *feed, const struct dlq_point *point, long epoch, double ended,
                    struct dlq_group *group);
/* Steps from `at` in the block to where it, the epoch, the warm-up or the measurement ends. */
size_t dlq_feed_piece(const struct dlq_feed *feed, const struct dlq_tally *tally, size_t at);

#endif
