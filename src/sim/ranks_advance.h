/* A step of all ranks: the one place where they meet. Inline, for kernels that compile their own next and deliver in.
 */
#ifndef DLQ_SIM_RANKS_ADVANCE_H
#define DLQ_SIM_RANKS_ADVANCE_H

#include "sim/kernel.h"

static inline double dlq_larger(double a, double b)
{
    return a > b ? a : b;
}

/* Rank r receives at G^r_i = max(F_{i-1}, D^r_i + e) + c and dispatches its next batch then; the step begins when the
   last one has: F_i = max_r G^r_i + b + T_i + P_i. */
static inline void dlq_ranks_advance(struct dlq_ranks *ranks, size_t count, const struct dlq_block *block, size_t n,
                                     double *delivered, double *finished, dlq_next *next, dlq_deliver *deliver)
{
    const struct dlq_point *point = ranks->point;
    double ended = ranks->ended;
    for (size_t i = 0; i < n; i++) {
        double latest = 0;
        for (size_t r = 0; r < count; r++) {
            double ready = next(ranks->states[r], block, r * block->stride + i, ended);
            double begin = dlq_larger(ended, ready) + point->receive;
            ranks->delivered[r] = begin;
            latest = r == 0 ? begin : dlq_larger(latest, begin);
        }
        delivered[i] = latest + point->barrier;
        double step = block->steps[i] * point->step_scale;
        finished[i] = ended = delivered[i] + (block->extras != NULL ? step + block->extras[i] : step);
        for (size_t r = 0; r < count; r++)
            deliver(ranks->states[r], block, r * block->stride + i, ranks->delivered[r], ended);
    }
    ranks->ended = ended;
}

#endif
