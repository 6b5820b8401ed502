/* Results without simulation: bounds, closed forms, and Markov chains. */
#pragma once

#include "dlqueue/bounds.h"
#include "model/model.h"

#include <signal.h>

/* What dlq_cause_name returns, by cause. */
extern const char *const dlq_cause_names[DLQ_CAUSES];

/* -- expected maxima -- */

/* Independent times: for each i = 0..count-1, `copies` draws of offset + i * spacing + scale * `time`. */
struct dlq_term {
    const struct dlq_sum *time;
    double scale, offset, spacing;
    long count;
    double copies;
};

/* Enough for two speeds of loaders times two of ranks, and the sum of random steps. */
enum { DLQ_MOST_TERMS = 8 };

/* *value: E[max(floor, all terms)] (s), floor >= 0. Relative error <= 1e-9 for smooth distributions; for grids and
   measured times never below the truth, and at most about 1e-3 above it where terms have offsets or different
   distributions. False: more than DLQ_MOST_TERMS terms, the quadrature failed, or the mean is infinite. */
bool dlq_expected_maximum(const struct dlq_term *terms, size_t count, double floor, double *value);
/* An upper bound on the integral of 1 - P(all terms <= y) over y > x, for x far in the tail. */
double dlq_terms_tail(const struct dlq_term *terms, size_t count, double x);
/* Whether the distribution function is a step function: of a grid, or of measured times. */
bool dlq_sum_has_steps(const struct dlq_sum *time);

/* -- bounds and closed forms -- */

/* The distribution of the sum of `units` independent loads (or steps) of mean 1, slowed by the two factors. */
struct dlq_kept_sum {
    struct dlq_sum time;
    long units; /* 0: not computed yet */
    double cpu_factor, storage_factor;
};

/* Distributions that many points of a sweep share: the last ones computed. Starts as {0}; freed with
   dlq_bounds_context_free. For systems whose load and step differ only in their means, and for one thread. */
struct dlq_bounds_context {
    struct dlq_kept_sum load;       /* slowed by sharing */
    struct dlq_kept_sum plain_load; /* nothing shared */
    struct dlq_kept_sum step_round; /* the sum of a round's steps */
    bool blocks; /* compute the lower bound by blocks, too (some tenths of a second); not with a resolution */
};

/* The mean of a load S = scale * time rounded up to ticks of q > 0: E[q ceil(S / q)] = q sum_{k >= 0} P(S > k q).
   Check: constant 0.75, q = 0.1: 0.8; uniform 0..1, q = 0.25: 0.625. */
double dlq_rounded_mean(const struct dlq_sum *time, double scale, double q);

/* *rounded: the system, with the mean load that it has once times are rounded up to ticks of `resolution` s; 0: as it
   is. */
enum dlq_status dlq_system_rounded(const struct dlq_system *system, double resolution,
                                   struct dlq_bounds_context *context, struct dlq_system *rounded,
                                   struct dlq_error *error);

/* All bounds. DLQ_FAILURE: no memory, a quadrature failed, or bounds crossed. */
enum dlq_status dlq_system_bounds(const struct dlq_system *system, double resolution,
                                  struct dlq_bounds_context *context, struct dlq_bounds *bounds,
                                  struct dlq_error *error);
void dlq_bounds_context_free(struct dlq_bounds_context *context);

/* Product form, diffusion and autotune; markov stays NAN, as it takes time. */
void dlq_system_closed_forms(const struct dlq_system *system, const struct dlq_bounds *bounds,
                             struct dlq_closed_forms *forms);

/* Upper bounds by operational laws; all members but `lower`. NAN: not configured, or not applicable. */
void dlq_system_upper(const struct dlq_system *system, struct dlq_bounds *bounds);
/* Time of a batch in the training process besides the step, s: to receive it, and of the barrier if there are several
   ranks. */
double dlq_system_trainer_overhead(const struct dlq_system *system);
/* The factor of slow loaders, and of slow ranks; 1: none is slow. */
double dlq_system_slowest_loader(const struct dlq_system *system);
double dlq_system_slowest_rank(const struct dlq_system *system);

/* A lower bound, the rate of a system that delays events until a round of loads is done: the real system is no slower
   (theory, "Monotonicity"). NAN: none is known. */
enum dlq_status dlq_system_lower(const struct dlq_system *system, struct dlq_bounds_context *context, double *lower,
                                 struct dlq_error *error);
/* The loads of a round of all ranks; load w of a rank starts at offset + w * spacing. Some terms have count 0. */
enum { DLQ_ROUND_TERMS = 4 };
void dlq_round_terms(const struct dlq_system *system, const struct dlq_sum *load, long count, double offset,
                     double spacing, struct dlq_term terms[DLQ_ROUND_TERMS]);
/* The lower bound by blocks of rounds (theory 14); 0: none. context->load must have been computed before. */
enum dlq_status dlq_blocks_rate(const struct dlq_system *system, struct dlq_bounds_context *context, double *rate,
                                struct dlq_error *error);
/* Computes *kept unless it has these units and factors already. */
enum dlq_status dlq_kept_sum_make(struct dlq_kept_sum *kept, const struct dlq_work *work, long units, double cpu_factor,
                                  double storage_factor, struct dlq_error *error);
/* The most batches m of a round (theory 11): while m batches are trained on, the m loads of the next round run; all
   start at the first delivery of the round, or one at each delivery. 0: there is no such round. */
long dlq_system_round(const struct dlq_system *system);

/* -- Markov chains (theory 18) of loaders in order and of a pool; times consist of exponential phases -- */

/* Averages in the long run. */
struct dlq_markov {
    double throughput;                              /* batches/s */
    double step;                                    /* mean step, s */
    double wait_mean, wait_p50, wait_p90, wait_p99; /* seconds, over all steps */
    double stalled; /* share of steps that wait longer than 0.1 % of the mean step (of the mean load if that is 0) */
};

/* Whether a chain describes the system. False: `why` is a phrase that follows "there is no Markov chain". */
bool dlq_markov_applies(const struct dlq_system *system, char *why, size_t size);

/* The size of the chain of a system that has one. work: states times the window, times the phases of the step and, in a
   pool, of the load; the time of solving is about proportional to it; DLQ_MARKOV_INSTANT takes some hundredths of a
   second. solvable: takes some seconds (more for few loaders with a long window) and at most some 200 MB. */
#define DLQ_MARKOV_INSTANT 4e5
struct dlq_markov_size {
    double states, work;
    bool solvable;
};
struct dlq_markov_size dlq_markov_size(const struct dlq_system *system);

/* Solves the chain. DLQ_INVALID: there is none, or it is too large; DLQ_FAILURE: no memory, or no convergence;
   DLQ_INTERRUPTED: *interrupted (null: never) became nonzero. */
enum dlq_status dlq_markov_solve(const struct dlq_system *system, const volatile sig_atomic_t *interrupted,
                                 struct dlq_markov *markov, struct dlq_error *error);

/* -- the chains themselves, seen from delivery to delivery -- */

/* A time of mean 1 that consists of `count` exponential phases of rate `count` in sequence; or, with alternatives, of
   one of two phases, of rate[i] with probability share[i]. */
struct dlq_phases {
    bool alternatives;
    int count;
    double share[2], rate[2]; /* in sequence: share[0] = 1, rate[0] */
};

struct dlq_chain_question {
    bool ordered;         /* loaders in order; else a pool */
    long loaders, window; /* loaders <= window */
    struct dlq_phases load, step;
    double ratio;                             /* mean step / mean load */
    const volatile sig_atomic_t *interrupted; /* may be null */
};

/* The wait W of steps in units of the mean load: P(W > x) = sum_n left[n] e^(-rate x) (rate x)^n/n!, by uniformization
   (Jensen 1953): jumps come at one rate, and some do not change the state. */
struct dlq_chain_answer {
    double wait; /* mean over all steps */
    double rate;
    size_t count;
    double *left; /* in the arena; left[n]: share of steps that wait for more than n jumps; left[0]: that wait at all */
};

/* The number of states. In order, a state in which nothing can be delivered counts twice: while the trainer steps, and
   while it waits. INFINITY: too many to count. */
double dlq_chain_states(const struct dlq_chain_question *question);

enum dlq_status dlq_chain_solve(struct dlq_arena *arena, const struct dlq_chain_question *question,
                                struct dlq_chain_answer *answer);
