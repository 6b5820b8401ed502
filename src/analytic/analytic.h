/* What is known of a system without simulating it: bounds, closed forms, and the Markov chains. */
#ifndef DLQ_ANALYTIC_ANALYTIC_H
#define DLQ_ANALYTIC_ANALYTIC_H

#include "dlqueue/bounds.h"
#include "model/model.h"

#include <signal.h>

/* By cause, as dlq_cause_name has them: for rows of figures. */
extern const char *const dlq_cause_names[DLQ_CAUSES];

/* -- expected maxima -- */

/* `copies` independent draws of each of offset + i * spacing + scale * (a draw of `time`), i = 0..count-1. */
struct dlq_term {
    const struct dlq_sum *time;
    double scale, offset, spacing;
    long count;
    double copies;
};

/* Two classes of loaders times two of ranks, and a random floor. */
enum { DLQ_MOST_TERMS = 8 };

/* E[max(floor, all terms)] (s), floor >= 0. Relative error <= 1e-9 for smooth distributions; on a grid or of measured
   times never below the truth, and above it by about 1e-3 at most where offsets or a second distribution come in.
   false: more than DLQ_MOST_TERMS, the quadrature failed, or the mean is infinite. */
bool dlq_expected_maximum(const struct dlq_term *terms, size_t count, double floor, double *value);
/* At least the integral of 1 - P(all terms <= x) from x up, x far in the tail. */
double dlq_terms_tail(const struct dlq_term *terms, size_t count, double x);
bool dlq_sum_has_steps(const struct dlq_sum *time);

/* -- bounds and closed forms -- */

/* A distribution made for `units` works in a row of mean 1 each, slowed by the two factors. */
struct dlq_kept_sum {
    struct dlq_sum time;
    long units; /* 0: not made */
    double cpu_factor, storage_factor;
};

/* What many points of a sweep share: the distributions asked for last. Begin with {0}; free at the end. A context
   serves systems whose load and step differ in their means alone, and one thread. */
struct dlq_bounds_context {
    struct dlq_kept_sum load;       /* slowed by sharing */
    struct dlq_kept_sum plain_load; /* nothing shared */
    struct dlq_kept_sum step_round; /* the sum of a round's steps */
    bool blocks;                    /* lower bounds by blocks, too, some tenths of a second; not with ticks */
};

/* E[q ceil(S / q)] = q sum_{k >= 0} P(S > k q) of a load S = scale * time, q > 0: loads that end with a
   tick. Check: constant 0.75, q = 0.1: 0.8; uniform 0..1, q = 0.25: 0.625. */
double dlq_rounded_mean(const struct dlq_sum *time, double scale, double q);

/* The system as the formulas see it where load times are rounded up to ticks of `resolution` s (0: as it is): its mean
   load is that of the rounded distribution. */
enum dlq_status dlq_system_rounded(const struct dlq_system *system, double resolution,
                                   struct dlq_bounds_context *context, struct dlq_system *rounded,
                                   struct dlq_error *error);

enum dlq_status dlq_system_bounds(const struct dlq_system *system, double resolution,
                                  struct dlq_bounds_context *context, struct dlq_bounds *bounds,
                                  struct dlq_error *error);
void dlq_bounds_context_free(struct dlq_bounds_context *context);

/* Product form, diffusion and autotune; markov: NAN, for it takes time. */
void dlq_system_closed_forms(const struct dlq_system *system, const struct dlq_bounds *bounds,
                             struct dlq_closed_forms *forms);

/* Upper bounds by operational laws, each with the data it needs. Fills all but lower: NAN where not configured or not
   applicable. */
void dlq_system_upper(const struct dlq_system *system, struct dlq_bounds *bounds);
/* What a batch costs the training process besides the step: c + b; one rank has no barrier. */
double dlq_system_trainer_overhead(const struct dlq_system *system);
/* Loaders and ranks that are slow, and by how much: 1 where none is. */
double dlq_system_slowest_loader(const struct dlq_system *system);
double dlq_system_slowest_rank(const struct dlq_system *system);

/* A lower bound: events are delayed until a round of loads is done, and by monotonicity the real system is only faster.
   NAN where none is known. */
enum dlq_status dlq_system_lower(const struct dlq_system *system, struct dlq_bounds_context *context, double *lower,
                                 struct dlq_error *error);
/* The loads of a round of all ranks, load w of a rank begun at offset + w * spacing; some terms of count 0. */
enum { DLQ_ROUND_TERMS = 4 };
void dlq_round_terms(const struct dlq_system *system, const struct dlq_sum *load, long count, double offset,
                     double spacing, struct dlq_term terms[DLQ_ROUND_TERMS]);
/* The lower bound by blocks of rounds; 0 where there is none. After dlq_system_lower made context->load. */
enum dlq_status dlq_blocks_rate(const struct dlq_system *system, struct dlq_bounds_context *context, double *rate,
                                struct dlq_error *error);
/* Of `kept`, made anew where it is of other units or factors. */
enum dlq_status dlq_kept_sum_make(struct dlq_kept_sum *kept, const struct dlq_work *work, long units, double cpu_factor,
                                  double storage_factor, struct dlq_error *error);
/* Batches of a round that are there while the loads of the next round run, all begun at its start or in step with the
   trainer; 0: not even one. */
long dlq_system_round(const struct dlq_system *system);

/* -- the Markov chains of loaders in order and of a pool, where times are made of exponential ones -- */

/* In the long run. */
struct dlq_markov {
    double throughput;                              /* batches/s */
    double step;                                    /* t */
    double wait_mean, wait_p50, wait_p90, wait_p99; /* s, over all steps */
    double stalled; /* share of steps that wait for longer than 0.1 % of t (of s where t = 0) */
};

/* Does a chain describe the system? False: why not, a phrase after "it is not". */
bool dlq_markov_applies(const struct dlq_system *system, char *why, size_t size);

/* Of a system that it describes: how many states, and how much work they make, in states times K, to which the time is
   about proportional. INSTANT: some hundredths of a second. solvable: some seconds, more for few loaders with a long
   window, and some 200 MB at most. */
#define DLQ_MARKOV_INSTANT 4e5
struct dlq_markov_size {
    double states, work;
    bool solvable;
};
struct dlq_markov_size dlq_markov_size(const struct dlq_system *system);

/* DLQ_INVALID where it does not apply or is too large; DLQ_FAILURE where the iteration does not converge;
   DLQ_INTERRUPTED where *interrupted (may be null) was raised. */
enum dlq_status dlq_markov_solve(const struct dlq_system *system, const volatile sig_atomic_t *interrupted,
                                 struct dlq_markov *markov, struct dlq_error *error);

/* -- the chains themselves, seen from delivery to delivery -- */

/* A time of mean 1 made of exponential ones: `count` phases one after the other, each of the rate `count`; or, where
   they are alternatives, one of two, of rate[i] with probability share[i]. */
struct dlq_phases {
    bool alternatives;
    int count;
    double share[2], rate[2]; /* one after the other: 1, and rate[0] */
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
