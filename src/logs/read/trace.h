/* The members of a trace, the content of the logs of one run, and functions that build it. */
#pragma once

#include "logs/read/format.h"
#include "logs/stats/stats.h"

/* Limits of a run: kept records of all ranks; ranks; workers of a rank, and workers of all ranks, that have a spread of
   their own. While a log is read, its own trace keeps up to as many records besides. */
enum { DLQ_MOST_RECORDS = 1 << 18, DLQ_MOST_RANKS = 4096, DLQ_MOST_WORKERS = 4096, DLQ_MOST_SPREADS = 1 << 18 };

/* The records of one rank. Sums and spreads are over all records, kept or not. */
struct dlq_rank {
    long number;                        /* in the log or its name, or else the number of the log */
    long iterations;                    /* sum of counts */
    struct dlq_spread data, iter, step; /* s per iteration, weighted by count */
    struct dlq_spread load;             /* s per batch */
    struct dlq_batch *batches;          /* kept records, in the order of the log; by epoch and index if format joins */
    size_t count, capacity;             /* of batches */
    double last_end;                    /* s; step_end of the last iteration read; NAN: unknown */
    int32_t last_epoch;                 /* of the last iteration read */
    struct dlq_spread *workers;         /* s, loads of each worker, 0 to worker_count - 1 */
    size_t worker_count, worker_capacity;
    bool whole;                             /* all records are kept */
    struct dlq_spread both_data, both_iter; /* as data and iter, over iterations that have both times */
};

struct dlq_trace {
    struct dlq_trace_options options;
    const struct dlq_format *format; /* of the first log; null: none yet */
    struct dlq_rank *ranks;          /* ascending by number */
    size_t rank_count, rank_capacity;
    size_t logs, kept, spreads; /* numbers of logs, kept records, and workers with a spread */
    int32_t index_limit;        /* if the format joins: only records with a smaller index are kept */
    long records, bad, other;   /* as in struct dlq_trace_facts; other: other_lines */
    bool rank_known;            /* a log or its name gives the rank */
    char *name;                 /* of the first log; null: none yet */
    char *pattern;              /* the name with "*" for its rank */
    bool named;                 /* the name has a rank */
    size_t first;               /* as in struct dlq_trace_facts */
    struct dlq_trace *next;     /* the next run; null: none */
    /* s; printed times of all ranks: of the last iteration of each line if DLQ_NUMBERS_SAMPLED, else of windows */
    struct dlq_histogram data, iter;
    struct dlq_shared shared;
    struct dlq_error skipped; /* a line for each bad line that was skipped */
};

/* The rank of that number; null: none. */
const struct dlq_rank *dlq_trace_rank(const struct dlq_trace *trace, long number);

/* -- adding records (retain.c) -- */

/* Whether the rank has a record that was not bad. */
bool dlq_rank_has_records(const struct dlq_rank *rank);
/* Adds a record to rank `number`. DLQ_READ_BAD: its times contradict each other or the record before, or a limit is
   reached; `why` has the reason. DLQ_READ_FAILED: no memory. */
enum dlq_read dlq_trace_add(struct dlq_trace *trace, long number, const struct dlq_record *record,
                            char why[DLQ_LOG_WHY]);
/* Moves the records of `from` behind those of `trace`; if the format joins, merges loads into their iterations.
   DLQ_INVALID: too many ranks, and nothing is moved. DLQ_FAILURE: no memory. */
enum dlq_status dlq_trace_join(struct dlq_trace *trace, struct dlq_trace *from, struct dlq_error *error);

/* -- names of logs (trace.c) -- */

/* The rank in the name of a log; -1: none. */
long dlq_rank_of_name(const char *name);
/* A copy of the name with "*" for its rank, if it has one. The caller frees it; null: no memory. */
char *dlq_name_of_ranks(const char *name);
