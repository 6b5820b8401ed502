/* The parts of a diagnosis: each reads the trace and what the parts before it found. */
#ifndef DLQ_STUDY_DIAGNOSE_DIAGNOSE_H
#define DLQ_STUDY_DIAGNOSE_DIAGNOSE_H

#include "dlqueue/logs/diagnose.h"
#include "logs/read/trace.h"
#include "logs/stats/stats.h"

#include <math.h>

/* Values of single iterations (or windows) of all ranks, ascending: the kept ones, or quantiles of all where these are
   not kept. */
struct dlq_sample {
    double *values;
    size_t count;
};

/* A diagnosis under way. What its parts make for themselves lies in the arena; the result owns what it hands out. */
struct dlq_inquiry {
    struct dlq_arena *arena;
    const struct dlq_trace *trace;
    long told; /* loaders; -1: not told */
    struct dlq_diagnosis *result;
    struct dlq_sample data;
    struct dlq_spread waits, iterations; /* of all ranks and records, kept or not; where there are such, of iterations
                                            of which both are known */
    const struct dlq_rank *latest;       /* the rank that waits most */
    bool of_kept;                        /* medians are of the records that are kept, where they are not all */
    double ready_share; /* share of the data time in batches that were loaded before they were asked for; NAN */
};

/* Is the record the first iteration of an epoch (or of the run), known by itself? */
bool dlq_is_epoch_start(const struct dlq_rank *rank, size_t index);
/* The same, or, where starts are not marked but waits tell them (start_wait is not NAN), one that waits longer. */
bool dlq_is_start(const struct dlq_rank *rank, size_t index, double start_wait);
/* One iteration by itself, with its data time. */
bool dlq_is_single(const struct dlq_batch *batch);

/* Of the time, at most all of it: where both are rounded, or are not of the same iterations, more may come out. NAN:
   unknown. */
static inline double dlq_waiting_share(double wait, double time)
{
    double share = time > 0 ? wait / time : (double)NAN;
    return share > 1 ? 1 : share;
}
/* The rank with the longest data times; null: the trace is empty. */
const struct dlq_rank *dlq_slowest_rank(const struct dlq_trace *trace);
/* Iterations of a rank without the first ones of epochs, as far as these are known by themselves. */
long dlq_steady_iterations(const struct dlq_rank *rank);

/* Mean load of the median worker of a rank, s; of two the lower one: one of two workers can be slow. NAN: no loads are
   known by worker. scratch: worker_count values. */
double dlq_median_worker(const struct dlq_rank *rank, double *scratch);
/* N loaders that begin together and end one after the other, each 1/N of a later load after the one before: they wait
   for one another. */
bool dlq_loads_exclude_each_other(const struct dlq_rank *rank);

/* -- the parts -- */

/* Means, medians, p99, by rank and over ranks; the latest rank; tail; shares for a chart. */
enum dlq_status dlq_diagnose_times(struct dlq_inquiry *inquiry);
/* Loads: mean, loaders, slow workers, where they lie. */
enum dlq_status dlq_diagnose_loads(struct dlq_inquiry *inquiry);
/* Epoch starts and what is left without them; period, share of stalls, trend, batches that were ahead; points for a
   chart. */
enum dlq_status dlq_diagnose_series(struct dlq_inquiry *inquiry);
/* Slow ranks, and what ranks cost one another. */
enum dlq_status dlq_diagnose_ranks(struct dlq_inquiry *inquiry);

/* Iterations from one wait above that level to the next, of the latest rank without its first iteration; none where
   single iterations are not known. */
struct dlq_spread dlq_stall_gaps(const struct dlq_inquiry *inquiry, double level);

/* -- rhythms -- */

/* Of the records of a rank, single iterations; start_wait as of dlq_is_start. */
enum dlq_status dlq_rhythm_of_rank(const struct dlq_rank *rank, double start_wait, long loaders, long *rhythm,
                                   struct dlq_error *error);

#endif
