/* One observation, whatever the format: a batch, or the iterations since the last print. */
#ifndef DLQ_TRACE_RECORD_H
#define DLQ_TRACE_RECORD_H

#include <math.h>

/* What is unknown is NAN, or -1. Times in s; points in time on one clock of the rank, from any origin. */
struct dlq_record {
    long line; /* of the log, or number of the event; from 1 */
    long rank, epoch, worker;
    long index; /* of the batch in its epoch (or in the run, where epochs are unknown), from 0; where count > 1 the last
                   of them */
    long count; /* iterations that data and iter are the mean of, >= 1; 0: an iteration is not what this is (a load
                   alone, which another log's iteration belongs to) */
    /* Per iteration: the time waiting for data, receiving included, and the whole iteration, data included. Where a log
       shows running means or sums, these are recovered for the iterations since the line before. */
    double data, iter;
    double data_single, iter_single; /* of the last iteration alone, where the log shows that beside a mean */
    double data_median, iter_median; /* over the window, where that is what the log shows: then data and iter may be
                                        unknown */
    double
        data_least; /* where data is the longest of all ranks': the least that the log tells of, or this rank's own */
    double step;    /* compute alone, where the log says so itself; else iter - data */
    double load;    /* of this batch on its worker */
    double dispatched, load_start, load_end, request, received, step_end; /* points in time */
};

static inline struct dlq_record dlq_record_empty(void)
{
    return (struct dlq_record){
        .rank = -1,
        .epoch = -1,
        .worker = -1,
        .index = -1,
        .count = 1,
        .data = NAN,
        .iter = NAN,
        .data_single = NAN,
        .iter_single = NAN,
        .data_median = NAN,
        .iter_median = NAN,
        .data_least = NAN,
        .step = NAN,
        .load = NAN,
        .dispatched = NAN,
        .load_start = NAN,
        .load_end = NAN,
        .request = NAN,
        .received = NAN,
        .step_end = NAN,
    };
}

#endif
