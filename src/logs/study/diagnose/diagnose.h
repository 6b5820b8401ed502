/* The parts of a diagnosis. Each part reads the trace and the results of the parts before it. */
#pragma once

#include "dlqueue/logs/diagnose.h"
#include "logs/read/trace.h"

#include <math.h>

/* Times of single iterations or of windows, s, ascending. Where a trace keeps only some records: quantiles of all. */
struct dlq_sample {
    double *values;
    size_t count;
};

/* The smallest value with at least that share of the values at or below it, as in a histogram. count > 0. */
double dlq_sample_quantile(const struct dlq_sample *sample, double share);

/* The state that the parts share. Scratch memory lies in the arena; the caller owns the result. */
struct dlq_diagnosing {
    struct dlq_arena *arena;
    const struct dlq_trace *trace;
    const struct dlq_pipeline_hint *hint; /* may be null */
    long hinted;                          /* number of loaders that the hint gives; -1: none */
    struct dlq_diagnosis *result;
    struct dlq_sample data;
    /* Data and iteration times of all records, kept or not: of iterations that have both, if there are any. */
    struct dlq_spread waits, iterations;
    const struct dlq_rank *waits_most; /* the rank with the longest data times */
    bool medians_of_kept;              /* medians are those of the kept records alone */
    double ready_share; /* share of the data time that batches loaded before their request take; NAN: unknown */
};

/* Whether a record holds one iteration, which is the first of an epoch or of the run. */
bool dlq_is_epoch_start(const struct dlq_rank *rank, size_t index);
/* start_wait NAN: as dlq_is_epoch_start; else whether a record holds one iteration, with a wait above start_wait s. */
bool dlq_is_start(const struct dlq_rank *rank, size_t index, double start_wait);
/* The number, from 1, that the log gives to the first iteration of a rank; 1: it counts within epochs or not at all. */
long dlq_first_place(const struct dlq_rank *rank);
/* Whether a record is of one iteration and has its data time. */
bool dlq_is_single(const struct dlq_batch *batch);

/* wait / time of an iteration, at most 1: rounded times, or means of different iterations, can have a longer wait than
   time. NAN: unknown. */
static inline double dlq_waiting_share(double wait, double time)
{
    double share = time > 0 ? wait / time : (double)NAN;
    return share > 1 ? 1 : share;
}
/* The rank with the longest data times; null: the trace is empty. */
const struct dlq_rank *dlq_slowest_rank(const struct dlq_trace *trace);
/* Iterations of a rank without those that are known to start an epoch. */
long dlq_steady_iterations(const struct dlq_rank *rank);

/* Median of the workers' mean loads of a rank, s; of two workers the shorter mean, since one of two can be slow. NAN:
   the log names no workers. scratch: worker_count values. */
double dlq_median_worker(const struct dlq_rank *rank, double *scratch);
/* Whether loads exclude one another (one lock, one disk): the first loads of N workers start together and end one by
   one, at distances of 1/N of a later load. */
bool dlq_loads_exclude_each_other(const struct dlq_rank *rank);

/* -- the parts, in this order -- */

/* Means, medians and p99 of each rank and of all; the rank that waits most; the cost of waits beyond the median. */
enum dlq_status dlq_diagnose_times(struct dlq_diagnosing *diagnosing);
/* Mean load, number of loaders, slow workers, and whether loads lie inside the waits. */
enum dlq_status dlq_diagnose_loads(struct dlq_diagnosing *diagnosing);
/* Epoch starts and the iterations without them; period, share of stalls, trend, phases, pauses, batches that were ready
   at the start; points for a chart. */
enum dlq_status dlq_diagnose_series(struct dlq_diagnosing *diagnosing);
/* The budget of the wall clock. */
enum dlq_status dlq_diagnose_budget(struct dlq_diagnosing *diagnosing);
/* Long steps of one rank; the kinds of iterations where data times are unknown. */
enum dlq_status dlq_diagnose_steps(struct dlq_diagnosing *diagnosing);
/* Slow ranks, and the time that ranks lose to one another. */
enum dlq_status dlq_diagnose_ranks(struct dlq_diagnosing *diagnosing);

/* Distances, in iterations, between the waits above `level` (s) of the rank that waits most, without its first
   iteration; empty where single iterations are unknown. */
struct dlq_spread dlq_stall_gaps(const struct dlq_diagnosing *diagnosing, double level);

/* The period of the waits of single iterations of a rank, in iterations; 0: none. start_wait: as in dlq_is_start. */
enum dlq_status dlq_rhythm_of_rank(const struct dlq_rank *rank, double start_wait, long loaders, long *rhythm,
                                   struct dlq_error *error);
