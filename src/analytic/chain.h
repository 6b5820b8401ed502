/* The two Markov chains, loaders in order and a pool, seen from delivery to delivery. */
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

/* States that are kept, both chains; INFINITY: too many to count. */
double dlq_order_states(const struct dlq_chain_question *question);
double dlq_pool_states(const struct dlq_chain_question *question);

enum dlq_status dlq_order_solve(struct dlq_arena *arena, const struct dlq_chain_question *question,
                                struct dlq_chain_answer *answer);
enum dlq_status dlq_pool_solve(struct dlq_arena *arena, const struct dlq_chain_question *question,
                               struct dlq_chain_answer *answer);

/* For both: the balance of `map`, from equal shares; the vectors of the search are as many as fit in what `used` bytes
   leave. */
enum dlq_status dlq_chain_balance(struct dlq_arena *arena, const struct dlq_chain_question *question, size_t size,
                                  double used, double (*map)(void *context, const double *from, double *to),
                                  void *context, double *wait);

/* From the shares of states just after a delivery to those at the end of the step: `load` lets loads go on, in place,
   until an event that comes after a mean time of `stay`. `copy`, of alternatives: room for as many shares. */
void dlq_chain_step(const struct dlq_chain_question *question, double *shares, double *copy, size_t size,
                    void (*load)(void *context, double *shares, double stay), void *context);

/* What is left of the waits after n jumps, until nothing is: start[i] begin in phase i, `jump` moves them on by one
   jump, in place, and returns what then still waits. */
enum dlq_status dlq_chain_waits(struct dlq_arena *arena, double rate, double *start, size_t size,
                                double (*jump)(void *context, double *waiting), void *context,
                                struct dlq_chain_answer *answer);

#endif
