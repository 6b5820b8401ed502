/* From what a line shows to a record: which iterations it speaks of, and running means back to those of windows. */
#ifndef DLQ_TRACE_SERIES_H
#define DLQ_TRACE_SERIES_H

#include "trace/format.h"

/* Of one time, what a line shows, in s; NAN: nothing of the kind. */
struct dlq_shown {
    double single;   /* of this iteration */
    double window;   /* the mean of the last few, or of those since the line before */
    double running;  /* the mean since the epoch's start, or the run's */
    double median;   /* of the last few */
    double rounding; /* half a unit of the last digit printed */
};

struct dlq_told {
    long rank, epoch; /* -1: not told */
    long counter;     /* as printed */
    struct dlq_shown data, iter;
};

/* How a program counts and measures. */
struct dlq_rules {
    bool zero_based; /* the counter is i of the i-th iteration from 0; else i + 1 (unless a 0 says otherwise) */
    bool run_long;   /* the counter may go on through epochs, starting anew only where it falls; so does one without */
    bool unchecked;  /* data is not of the same iterations, or ranks, as iter: it may come out longer */
    bool unlike;     /* single data is not of the same iterations as single iter */
    long usual;      /* iterations between lines, for a first line that does not tell: a run resumed, a log without its
                        beginning; 0: a first line is of all iterations before it */
    long window;  /* the window holds that many, fewer at the epoch's start: there it is a running mean; 0: unknown */
    long warm_up; /* iterations at the start that iter's running mean leaves out */
};

/* One rank's. */
struct dlq_series {
    bool begun, zero_based;
    long epoch, first, number, distance, base;
    struct dlq_covered {
        long iterations;
        double sum; /* of what was handed out */
    } data, iter;
};

/* State of a log whose lines may be of several ranks: begin and end of a format. */
struct dlq_streams {
    struct dlq_series *of; /* by rank + 1 */
    size_t count;
};
bool dlq_streams_begin(struct dlq_log *log);
void dlq_streams_end(struct dlq_log *log);

struct dlq_told dlq_told_nothing(void);
/* The record that a line makes, after those before it. */
enum dlq_taken dlq_streams_take(struct dlq_streams *streams, struct dlq_log *log, const struct dlq_rules *rules,
                                const struct dlq_told *told, struct dlq_record *record);

#endif
