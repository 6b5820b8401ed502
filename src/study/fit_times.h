/* The times in a trace that laws are fitted to. */
#ifndef DLQ_STUDY_FIT_TIMES_H
#define DLQ_STUDY_FIT_TIMES_H

#include "dist/likelihood.h"
#include "trace/trace.h"

/* All zero: none. */
struct dlq_times_of {
    struct dlq_observed *observed; /* owned */
    size_t count;
    double mean;       /* where there are no single times: of windows; NAN: unknown */
    long of_windows;   /* iterations in these */
    bool only_bound;   /* the mean is no more than an upper bound */
    long slow_workers; /* of a rank; their loads are divided by slow_factor */
    double slow_factor;
    bool one_by_one; /* loads exclude one another: each is counted as what it takes by itself */
};

/* Loads of all ranks, each with the gap before the next one where the worker was busy: the recursion has no other place
   for that. */
enum dlq_status dlq_load_times(struct dlq_times_of *times, const struct dlq_trace *trace, struct dlq_error *error);
/* Steps: with several ranks the shortest of each step, for the others waited inside theirs. The first of a run is left
   out: it holds what is done once. */
enum dlq_status dlq_step_times(struct dlq_times_of *times, const struct dlq_trace *trace, struct dlq_error *error);
void dlq_times_free(struct dlq_times_of *times);

/* Clocks and schedulers shake every time a little: below that cv a law says more of them than of the times. `ignored`:
   share of the largest times that may be anything. One step in a hundred may be (a checkpoint): it counts in the mean.
 */
struct dlq_steadiness {
    double least_cv, ignored;
};
extern const struct dlq_steadiness dlq_steady_load, dlq_steady_step;
/* Whether they are the same but for that, and their mean. Sorts them. */
bool dlq_times_are_steady(const struct dlq_times_of *times, const struct dlq_steadiness *steadiness, double *mean);

/* N loaders that begin together and end one after the other, after 1/N, 2/N, ... of what every later load takes: each
   waits for the others. Later loads must be alike, so that chance does not look like that. */
bool dlq_loads_exclude_each_other(const struct dlq_rank *rank);

/* Iterations of a rank without the first ones of epochs, as far as these are known by themselves. */
long dlq_steady_iterations(const struct dlq_rank *rank);

/* The rank with the longest data times; null: the trace is empty. */
const struct dlq_rank *dlq_slowest_rank(const struct dlq_trace *trace);

#endif
