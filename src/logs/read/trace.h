/* A trace from inside: what was read, for the studies. */
#ifndef DLQ_TRACE_TRACE_H
#define DLQ_TRACE_TRACE_H

#include "logs/read/format.h"
#include "stats/stats.h"

/* Of a run: records kept, of all ranks together; ranks; workers of a rank, and of all ranks together: those beyond have
   no spread of their own. A log that is being read has as many records besides, until it joins its run; as many
   workers, too, where its records alone tell which run that is. */
enum { DLQ_MOST_RECORDS = 1 << 18, DLQ_MOST_RANKS = 4096, DLQ_MOST_WORKERS = 4096, DLQ_MOST_SPREADS = 1 << 18 };

/* Of one rank. Sums are over all records, kept or not. */
struct dlq_rank {
    long number;                        /* as the log calls it, or the place of the log */
    long iterations;                    /* sum of counts */
    struct dlq_spread data, iter, step; /* per iteration, weighted by count */
    struct dlq_spread load;             /* per batch */
    struct dlq_batch *batches;          /* kept, in the order of the log (joined ones by index) */
    size_t count, capacity;
    double last_end; /* while a log is read: step_end of the iteration before; NAN */
    int32_t last_epoch;
    struct dlq_spread *workers; /* loads by worker, 0..worker_count - 1 */
    size_t worker_count, worker_capacity;
    bool whole;                             /* all records are kept */
    struct dlq_spread both_data, both_iter; /* as data and iter: of iterations of which both are known */
};

struct dlq_trace {
    struct dlq_trace_options options;
    const struct dlq_format *format; /* of the first log; null: none yet */
    struct dlq_rank *ranks;          /* ascending by number */
    size_t rank_count, rank_capacity;
    size_t logs, kept, spreads; /* spreads: of workers */
    int32_t index_limit;        /* of logs that are joined no record of this index or a later one is kept */
    long records, bad, other;
    bool rank_told; /* a log, or its name, says which rank it is of */
    char *name;     /* of the first log; null: none yet */
    char *pattern;  /* the same with "*" for its rank */
    bool named;     /* it has a rank */
    size_t first;   /* as dlq_trace_facts */
    struct dlq_trace *next;
    /* Of single iterations (DLQ_NUMBERS_SAMPLED: those that are shown; MEAN, MEDIAN: of windows) over all ranks; s. */
    struct dlq_histogram data, iter;
    struct dlq_shared shared;
    struct dlq_error skipped; /* what was skipped, a line each */
};

/* The rank of that number; null: none. */
const struct dlq_rank *dlq_trace_rank(const struct dlq_trace *trace, long number);

/* -- for the reader (retain.c) -- */

/* False: all of its records were malformed. */
bool dlq_rank_holds(const struct dlq_rank *rank);
/* Takes a record of rank `number` in: DLQ_TAKEN_RECORD; _BAD where its times contradict each other
   or those before, or it is too much: `why` says in what; _FAILED: no memory. */
enum dlq_taken dlq_trace_add(struct dlq_trace *trace, long number, const struct dlq_record *record,
                             char why[DLQ_LOG_WHY]);
/* Moves all that `from` has into `trace`, as its next logs. A rank that is there already goes on: its records come
   behind, or are joined. DLQ_INVALID: too many ranks, and nothing is moved; DLQ_FAILURE: no memory. */
enum dlq_status dlq_trace_join(struct dlq_trace *trace, struct dlq_trace *from, struct dlq_error *error);

/* -- names of logs (trace.c) -- */

/* The rank that the name of a log has in it, or -1. */
long dlq_rank_of_name(const char *name);
/* The name with "*" for the number of the rank, if it has one; null: no memory. Free it. */
char *dlq_name_of_ranks(const char *name);

#endif
