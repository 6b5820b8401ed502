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
    DLQ_COMPARED_WAIT_P99,  /* 99 % quantile of the waits (of several ranks, of their mean); needs 200 single iterations
                             */
    DLQ_COMPARED_RANKS,     /* mean over iterations of (longest wait of the ranks - mean wait of the ranks) */
    DLQ_COMPARED_TIMES
};

struct dlq_time_change {
    double before, after;           /* s; NAN: not in one of the logs */
    struct dlq_estimate difference; /* after - before, s; 99 % interval, since several times are compared */
    bool differs;                   /* the interval excludes 0 */
};

/* Why the comparison may not hold. */
enum dlq_compare_caution {
    DLQ_COMPARE_ONE_RUN,   /* a side has one run: how much equal runs differ is unknown */
    DLQ_COMPARE_STRETCHES, /* iterations are correlated over stretches so long that the log has few of them */
    DLQ_COMPARE_RANKS,     /* the sides differ in ranks: an iteration trains another number of samples */
    DLQ_COMPARE_CAUTIONS
};

struct dlq_compared_side {
    size_t runs, ranks;
    long iterations;         /* compared iterations of all runs */
    size_t records;          /* compared records of all runs: iterations, or windows of several */
    bool first_left_out;     /* the first record of a run is left out; false: too few records */
    double first;            /* its time, which holds the start of workers, s, a mean over runs and ranks; NAN: none */
    double rate;             /* iterations/s */
    double block;            /* mean length of bootstrap blocks, records (iterations, or windows); 1: independent */
    long loaders, prefetch;  /* if each load of one rank is recorded; loaders -1: unknown */
    const char *loader;      /* likewise; a row of dlq_loaders; null: unknown */
    bool epochs, persistent; /* likewise: several epochs; workers that persist over epochs */
};

struct dlq_comparison {
    struct dlq_compared_side before, after;
    struct dlq_estimate speedup; /* iterations/s of `after` / iterations/s of `before`; 95 % interval */
    bool proven;                 /* the interval excludes 1 */
    struct dlq_time_change times[DLQ_COMPARED_TIMES];
    bool cautions[DLQ_COMPARE_CAUTIONS];
    /* The run with the loader of `after`, predicted from the record of one rank of `before`; batches 0: none. */
    struct dlq_fit_prediction prediction;
    double measured;        /* rate of `after`, batches/s, without pauses between epochs, as is the prediction */
    bool within_prediction; /* `measured` lies within the predicted interval */
    bool start_explains;    /* it does not, but would if the first record of `after` took as long as that of `before` */
    /* Times of as many iterations, the first included, as the shorter run has: `before` / `after`; NAN: unknown. */
    double speedup_of_all;
};

/* Whether the slowdown exceeds a limit: no, yes, the interval contains the limit. */
enum dlq_gate { DLQ_GATE_PASSED, DLQ_GATE_SLOWER, DLQ_GATE_UNKNOWN };

struct dlq_gate_result {
    double limit; /* share of an iteration of `before`, >= 0 */
    enum dlq_gate verdict;
    struct dlq_estimate slowdown; /* 1 / speedup - 1, by iteration times; 95 % interval */
    double iterations;            /* each side needs so many for a verdict if the runs are equal; NAN: limit 0 */
};
/* Compares the slowdown with the limit g. If n iterations give the interval a half-width w, n (w / g)^2 iterations give
   it the half-width g: with 400 iterations, w = 6 % and g = 3 %, 1,600. `iterations` is never below n. */
struct dlq_gate_result dlq_compare_gate(const struct dlq_comparison *comparison, double limit);

/* Compares the runs of both sides. run: threads, seed, interruption. DLQ_NO_ANSWER: a log has no iteration times, or
   too few. DLQ_INTERRUPTED; DLQ_FAILURE: no memory. */
enum dlq_status dlq_compare(const struct dlq_traces *before, const struct dlq_traces *after, const struct dlq_run *run,
                            struct dlq_comparison *comparison, struct dlq_error *error);

DLQ_DECLARATIONS_END
