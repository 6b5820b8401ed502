/* All ranks of a point, one replication: each rank has its own loaders, and all ranks begin each step together. */
#pragma once

#include "sim/kernel.h"

struct dlq_group;

/* Allocates in the arena, as later calls do; borrows the point. */
enum dlq_status dlq_group_begin(struct dlq_arena *arena, const struct dlq_point *point, struct dlq_group **result);
/* Returns to time 0. */
void dlq_group_reset(struct dlq_group *group);
/* Starts the slowdowns of a replication; dlq_group_reset does not. */
void dlq_group_slow(struct dlq_group *group, uint64_t seed, uint32_t replication);
/* Whether memory for slowdowns ran out: then all times are wrong. */
bool dlq_group_failed(const struct dlq_group *group);
/* Logs the batches of rank r in logs[r], from the next epoch on. */
void dlq_group_log(struct dlq_group *group, struct dlq_kernel_log *logs);
/* Starts an epoch of `batches` (LONG_MAX: endless) at `ready`. Server w of rank r starts later by shares[r * stride +
   w] of its rank's mean load time; null: all start at `ready`. */
void dlq_group_epoch(struct dlq_group *group, double ready, const double *shares, size_t stride, long batches);
/* Simulates the next n steps of the epoch, from step `first` of a block of one lane on. delivered[i]: when the last
   rank has its batch of step first + i and the barrier is passed; finished[i]: when that step ends. */
void dlq_group_advance(struct dlq_group *group, const struct dlq_block *block, size_t first, size_t n,
                       double *delivered, double *finished);
/* When each rank received its batch of the last step. */
const double *dlq_group_received(const struct dlq_group *group);
/* Restarts the means of dlq_group_slowdown. */
void dlq_group_forget_slowdown(struct dlq_group *group);
/* Mean slowdown so far, over all ranks, of stages that use cpu and storage; NAN: nothing is shared. */
void dlq_group_slowdown(const struct dlq_group *group, double *cpu, double *storage);
