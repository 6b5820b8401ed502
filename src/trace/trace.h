/* A trace from inside: what was read, for the studies. */
#ifndef DLQ_TRACE_TRACE_H
#define DLQ_TRACE_TRACE_H

#include "dlqueue/trace.h"
#include "stats/histogram.h"
#include "stats/spread.h"
#include "trace/format.h"

#include <stdint.h>

/* Records kept, of all ranks together; ranks; workers of a rank. */
enum { DLQ_MOST_RECORDS = 1 << 18, DLQ_MOST_RANKS = 4096, DLQ_MOST_WORKERS = 4096 };

/* A record as it is kept: 96 bytes. Unknown: NAN, -1. load and data, iter as in dlq_record, made from points in time
   where the log does not give them: load = load_end - load_start, data = received - request, iter = step_end - the
   step_end before it (request of the first), step = step_end - received or iter - data. */
struct dlq_batch {
    double data, iter, step, load;
    double dispatched, load_start, load_end, request, received, step_end;
    int32_t epoch, worker, index, count;
};

/* Of one rank. Sums are over all records, kept or not. */
struct dlq_rank {
    long number;                        /* as the log calls it, or the place of the log */
    long iterations;                    /* sum of counts */
    struct dlq_spread data, iter, step; /* per iteration, weighted by count */
    struct dlq_spread load;             /* per batch */
    struct dlq_spread first_data;       /* of the first iteration of each epoch, where it is known by itself */
    struct dlq_batch *batches;          /* kept, in the order of the log (joined ones by index) */
    size_t count, capacity;
    double last_end; /* step_end of the record before; NAN */
    int32_t last_epoch;
    struct dlq_spread *workers; /* loads by worker, 0..worker_count - 1 */
    size_t worker_count;
    bool whole; /* all records are kept */
};

struct dlq_trace {
    struct dlq_trace_options options;
    const struct dlq_format *format; /* of the first log; null: none yet */
    struct dlq_rank *ranks;          /* ascending by number */
    size_t rank_count;
    size_t logs, kept;
    long records, bad, other;
    /* Of single iterations (DLQ_NUMBERS_SAMPLED: those that are shown; MEAN, MEDIAN: of windows) over all ranks, in s.
     */
    struct dlq_histogram data, iter;
    struct dlq_error skipped; /* what was skipped, a line each */
};

/* The rank of that number; null: none. */
const struct dlq_rank *dlq_trace_rank(const struct dlq_trace *trace, long number);

/* For the reader: takes a record of rank `number` in. false: no memory, or too many ranks. */
bool dlq_trace_keep(struct dlq_trace *trace, const struct dlq_format *format, long number,
                    const struct dlq_record *record);
/* After a log: makes what was joined from several records whole. */
void dlq_trace_settle(struct dlq_trace *trace, const struct dlq_format *format);
/* The rank that the name of a log tells, or -1. */
long dlq_rank_of_name(const char *name);

#endif
