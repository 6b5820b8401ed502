/* The ranks of a point: each has its own loaders, all begin their steps together. */
#ifndef DLQ_SIM_GROUP_H
#define DLQ_SIM_GROUP_H

#include "sim/kernel.h"

struct dlq_group;

/* Null: no memory. Borrows the point. */
struct dlq_group *dlq_group_new(const struct dlq_point *point);
void dlq_group_free(struct dlq_group *group);
/* Forgets everything; time 0. */
void dlq_group_reset(struct dlq_group *group);
/* After a reset: which replication's slowdowns there are. failed: no memory for them; what came of it is not true. */
void dlq_group_slow(struct dlq_group *group, uint64_t seed, uint32_t replication);
bool dlq_group_failed(const struct dlq_group *group);
/* Notes in logs[r] what the loaders of rank r do from the next epoch on. */
void dlq_group_watch(struct dlq_group *group, struct dlq_kernel_log *logs);
/* An epoch of `batches` (LONG_MAX: endless) begins, workers are ready at `ready`. Server w of rank r first starts
   shares[r * stride + w] of its rank's mean load time later; null: at once. */
void dlq_group_epoch(struct dlq_group *group, double ready, const double *shares, size_t stride, long batches);
struct dlq_lane_block;
/* What a block of one lane holds from its place `at` on. */
struct dlq_block dlq_block_of(const struct dlq_lane_block *block, size_t at);
/* The next n steps of the epoch: delivered[i], when the last rank has its batch and the barrier is passed; finished[i],
   when the step ends. */
void dlq_group_advance(struct dlq_group *group, const struct dlq_block *block, size_t n, double *delivered,
                       double *finished);
/* G of each rank, of the last step. */
const double *dlq_group_received(const struct dlq_group *group);
/* Mean slowdown over the ranks so far of stages that use cpu and storage; NAN: nothing is shared. */
void dlq_group_slowdown(const struct dlq_group *group, double *cpu, double *storage);

#endif
