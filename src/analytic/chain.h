/* The Markov chains, loaders in order and a pool, seen from delivery to delivery. */
#ifndef DLQ_ANALYTIC_CHAIN_H
#define DLQ_ANALYTIC_CHAIN_H

#include "base/arena.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* A time of mean 1 made of exponential ones: `count` phases one after the other, each of the rate `count`; or, where
   they are alternatives, one of two, of rate[i] with probability share[i]. */
struct dlq_phases {
    bool alternatives;
    int count;
    double rate[2], share[2]; /* one after the other: rate[0], and 1 */
};

struct dlq_chain_question {
    bool ordered;         /* loaders in order; else a pool */
    long loaders, window; /* loaders <= window */
    struct dlq_phases load, step;
    double ratio;                             /* t/s */
    const volatile sig_atomic_t *interrupted; /* may be null */
};

/* What steps wait, in units of s. P(W > x) = sum_n left[n] e^(-rate x) (rate x)^n/n!: jumps come at one rate, and some
   lead nowhere (uniformization: Jensen 1953). */
struct dlq_chain_answer {
    double wait; /* mean over all steps */
    double rate;
    size_t count;
    double *left; /* in the arena: share of steps that wait for more than n jumps; [0]: that wait */
};

/* How many states there are; in order those where the trainer waits besides those where it steps. INFINITY: too many to
   count. */
double dlq_chain_states(const struct dlq_chain_question *question);

enum dlq_status dlq_chain_solve(struct dlq_arena *arena, const struct dlq_chain_question *question,
                                struct dlq_chain_answer *answer);

#endif
