/* The parts of a diagnosis: each reads the trace and what the parts before it found. */
#ifndef DLQ_STUDY_DIAGNOSE_PARTS_H
#define DLQ_STUDY_DIAGNOSE_PARTS_H

#include "dlqueue/diagnose.h"
#include "trace/trace.h"

/* Values of single iterations (or windows) of all ranks, ascending: the kept ones, or quantiles of all where these are
   not kept. */
struct dlq_sample {
    double *values; /* owned */
    size_t count;
};

enum { DLQ_MOST_PERIOD = 64 }; /* the longest rhythm that is looked for where the loaders are unknown */

struct dlq_inquiry {
    const struct dlq_trace *trace;
    long told; /* loaders; -1: not told */
    enum dlq_numbers numbers;
    bool waits_for_all, looks_ahead;
    struct dlq_diagnosis *result;
    struct dlq_sample data;
    const struct dlq_rank *latest; /* the rank that waits most */
    bool singles;                  /* the latest rank's records are single iterations, all but few */
    bool of_kept;                  /* medians are of the records that are kept, where they are not all */
    bool whole;                    /* all records of all ranks are kept */
    bool keeps_step;               /* ranks wait for one another */
    double steady_iter;            /* mean iteration without first ones of epochs, s */
    double ready_share; /* share of the data time in batches that were loaded before they were asked for; NAN */
    bool one_by_one;    /* loads exclude one another, as the first round shows */
    bool loads_inside;  /* loads lie within the waits: the training process loads */
    bool fetches;       /* the rhythm is not that of the loaders, whose number is known: so many batches come at once */
    /* Long waits that come at one distance, farther apart than any turns of loaders, in a log that marks no epochs. */
    double regular;    /* iterations from one to the next; NAN: none */
    double start_wait; /* s; these are the iterations that wait longer; NAN: none */
};

/* Is the record the first iteration of an epoch (or of the run), known by itself? */
bool dlq_is_epoch_start(const struct dlq_rank *rank, size_t index);
/* The same, or, where starts are not marked but waits tell them (start_wait is not NAN), one that waits longer. */
bool dlq_is_start(const struct dlq_rank *rank, size_t index, double start_wait);
/* One iteration by itself, with its data time. */
bool dlq_is_single(const struct dlq_batch *batch);

/* Means, medians, p99, by rank and over ranks; the latest rank; tail. */
enum dlq_status dlq_diagnose_times(struct dlq_inquiry *inquiry, struct dlq_error *error);
/* Quantile as the histogram's: the smallest value with at least that share at or below it. NAN where empty. */
double dlq_sample_quantile(const struct dlq_sample *sample, double share);
/* All kept values of a field of the records of some ranks, ascending. */
enum dlq_status dlq_sample_kept(const struct dlq_rank *ranks, size_t count,
                                double (*field)(const struct dlq_batch *batch), struct dlq_sample *sample,
                                struct dlq_error *error);
enum dlq_status dlq_diagnose_shares(struct dlq_inquiry *inquiry, struct dlq_error *error);

/* Epoch starts and what is left without them. */
void dlq_diagnose_starts(struct dlq_inquiry *inquiry);
/* Period, share of stalls, trend, batches that were ahead; points for a chart. */
enum dlq_status dlq_diagnose_series(struct dlq_inquiry *inquiry, struct dlq_error *error);
/* Iterations from one wait above that level to the next, of the latest rank without its first iteration; none where
   single iterations are not known. */
struct dlq_spread dlq_stall_gaps(const struct dlq_inquiry *inquiry, double level);
/* Slow ranks, and what ranks cost one another. */
enum dlq_status dlq_diagnose_ranks(struct dlq_inquiry *inquiry, struct dlq_error *error);
/* Loads: mean, loaders, slow workers, where they lie. */
enum dlq_status dlq_diagnose_loads(struct dlq_inquiry *inquiry, struct dlq_error *error);

/* Rhythm of a series of waits: 2..most, 0: none found. Sought within a trend; `loaders` > 0: that lag is looked at
   first, with the smaller error of a single question. */
enum dlq_status dlq_rhythm(const double *waits, size_t n, long most, long loaders, long *rhythm,
                           struct dlq_error *error);
/* The rule by which a log has a rhythm: none where waits are too short beside the mean iteration, or too much alike.
   NAN: the wait of an epoch's first batch, which becomes the mean, so that the rhythm keeps its beat. */
enum dlq_status dlq_rhythm_of_waits(double *waits, size_t n, double iteration, long loaders, long *rhythm,
                                    struct dlq_error *error);
/* Of the records of a rank, single iterations; start_wait as of dlq_is_start. */
enum dlq_status dlq_rhythm_of_rank(const struct dlq_rank *rank, double start_wait, long loaders, long *rhythm,
                                   struct dlq_error *error);

/* lost, severity, bound_by, needed. */
void dlq_diagnose_cause(struct dlq_inquiry *inquiry);
void dlq_diagnose_say(struct dlq_inquiry *inquiry);
void dlq_diagnose_notes(struct dlq_inquiry *inquiry);

/* "54 ms", "0.31 s": two digits, three where the first is 1; and a share of 1 as "43 %". For texts. */
enum { DLQ_SAY = 64 };
const char *dlq_say_time(double seconds, char text[DLQ_SAY]);
/* "0.31 of 0.72 s": both in one unit. */
const char *dlq_say_part(double part, double whole, char text[2 * DLQ_SAY]);

#endif
