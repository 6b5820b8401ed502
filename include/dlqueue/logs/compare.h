/* Comparison: two measured runs, or several of each, side by side. */
#pragma once

#include "dlqueue/logs/fit.h"

DLQ_DECLARATIONS_BEGIN

/* The compared times of an iteration, s. */
enum dlq_compared_time {
    DLQ_COMPARED_ITERATION, /* mean */
    DLQ_COMPARED_WAIT,      /* mean wait for data */
    DLQ_COMPARED_STEP,      /* mean of the rest of an iteration */
    DLQ_COMPARED_LOAD,      /* mean load of a batch */
    DLQ_COMPARED_WAIT_P99,  /* where single iterations are known, and 200 of them */
    DLQ_COMPARED_RANKS,     /* mean of the longest wait of the ranks, less their mean wait */
    DLQ_COMPARED_TIMES
};

struct dlq_time_change {
    double before, after;           /* NAN: not in one of the logs */
    struct dlq_estimate difference; /* after - before, with a 99 % interval: there are several of them */
    bool differs;                   /* the interval is on one side of 0 */
};

/* Why the comparison may not hold. */
enum dlq_compare_caution {
    DLQ_COMPARE_ONE_RUN,   /* a side has one run: differences between equal runs are unknown */
    DLQ_COMPARE_STRETCHES, /* iterations are correlated over long stretches, of which there are few */
    DLQ_COMPARE_RANKS,     /* another number of ranks: an iteration is of more samples */
    DLQ_COMPARE_CAUTIONS
};

struct dlq_compared_side {
    size_t runs, ranks;
    long iterations;         /* compared ones of all runs */
    bool first_left_out;     /* the first iteration of each run is left out; false: too few iterations */
    double rate;             /* iterations/s */
    double block;            /* iterations that depend on one another; 1: none do */
    long loaders, prefetch;  /* of a full trace of one rank; loaders -1: not known */
    const char *loader;      /* of the same, a row of dlq_loaders; null: not known */
    bool epochs, persistent; /* of the same: it has several epochs; its workers live on from epoch to epoch */
};

struct dlq_comparison {
    struct dlq_compared_side before, after;
    struct dlq_estimate speedup; /* iterations/s of after over before; 95 % interval */
    bool proven;                 /* the interval is on one side of 1 */
    struct dlq_time_change times[DLQ_COMPARED_TIMES];
    bool cautions[DLQ_COMPARE_CAUTIONS];
    /* The run with the loader of `after`, predicted from the record of `before`, if that is one run of one rank;
       batches 0: no prediction. */
    struct dlq_fit_prediction prediction;
    double measured;        /* rate of `after`, batches/s */
    bool within_prediction; /* `measured` lies within the predicted interval */
};

/* Whether iterations of the run after take longer by more than a limit. */
enum dlq_gate { DLQ_GATE_PASSED, DLQ_GATE_SLOWER, DLQ_GATE_UNKNOWN };

struct dlq_gate_result {
    double limit; /* share of an iteration before, >= 0 */
    enum dlq_gate verdict;
    struct dlq_estimate slowdown; /* iteration time of after over before, less 1; 95 % interval: 1 / speedup - 1 */
    double iterations;            /* that each side would need for a verdict if the runs were equal; NAN: limit 0 */
};
/* SLOWER: slowdown.low is above the limit; PASSED: slowdown.high is not. A half-width w of n iterations becomes the
   limit g with n (w / g)^2 iterations, never fewer than n: of 400 iterations, w = 6 %, g = 3 %, 1,600. */
struct dlq_gate_result dlq_compare_gate(const struct dlq_comparison *comparison, double limit);

/* Runs of both sides. DLQ_NO_ANSWER: a log shows no iteration times, or too few. */
enum dlq_status dlq_compare(const struct dlq_traces *before, const struct dlq_traces *after, const struct dlq_run *run,
                            struct dlq_comparison *comparison, struct dlq_error *error);

DLQ_DECLARATIONS_END
