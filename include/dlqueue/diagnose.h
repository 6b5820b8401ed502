/* Diagnosis: what measured logs say by themselves, without a model. */
#ifndef DLQUEUE_DIAGNOSE_H
#define DLQUEUE_DIAGNOSE_H

#include "dlqueue/trace.h"

/* Seconds per iteration; median and p99 of single iterations (of windows, where the log shows no others); NAN:
   unknown. */
struct dlq_times {
    double mean, median, p99;
};

struct dlq_rank_diagnosis {
    long rank, iterations;
    struct dlq_times data_time, iter_time;
    double ratio; /* data / iteration time, both means */
    bool slow;    /* waits for its data clearly longer than the median rank does */
};

struct dlq_worker_diagnosis {
    long rank, worker, batches;
    double load_mean; /* s */
    double factor;    /* over the median worker's */
};

/* Iterations of one stretch of the run, for a chart: the wait shown is the longest of the stretch. */
struct dlq_wait_point {
    double iteration, mean, longest; /* s */
};

enum { DLQ_WAIT_POINTS = 1000, DLQ_DIAGNOSIS_NOTES = 10, DLQ_DIAGNOSIS_TEXT = 320, DLQ_SLOW_WORKERS = 16 };

struct dlq_diagnosis {
    long iterations;                       /* of the rank that has most */
    bool has_data;                         /* false: the log shows iteration times alone, and ratio is NAN */
    bool of_windows;                       /* median and p99 are those of window means */
    struct dlq_times data_time, iter_time; /* over all ranks */
    double ratio;                          /* of the means */
    double period;                         /* steps between stalls; NAN: none found */
    double stalled; /* share of single iterations with data time over 1 % of the mean iteration time; NAN: unknown */
    double median_over_mean; /* of the data time; small: a few very slow batches */
    double tail_cost;        /* share of all iteration time that lies in data times above their median */
    /* First iterations of epochs (the first of the run too), where they are known by themselves. */
    long epoch_starts;
    double epoch_start_mean; /* data time, s */
    double epoch_start_cost; /* share of all iteration time */
    double steady_ratio;     /* ratio without them; NAN where unknown */
    /* Data time of the last third of the run over that of the first (without the first iteration); NAN: not known to
       differ at 99 %. */
    double trend;
    size_t rank_count;
    struct dlq_rank_diagnosis *ranks; /* owned */
    size_t slow_worker_count;         /* over 1.2 times the median worker, and clearly so */
    struct dlq_worker_diagnosis slow_workers[DLQ_SLOW_WORKERS];
    size_t point_count;            /* of the rank that waits most */
    struct dlq_wait_point *points; /* owned */
    struct {
        /* step load variance startup serial receive barrier, or "unknown" where there are no data times */
        const char *bound_by;
        char text[512];
    } verdict;
    size_t note_count; /* further findings, a sentence each, most telling first */
    char notes[DLQ_DIAGNOSIS_NOTES][DLQ_DIAGNOSIS_TEXT];
};

/* DLQ_NO_ANSWER: the trace has neither data nor iteration times. */
enum dlq_status dlq_diagnose(const struct dlq_trace *trace, struct dlq_diagnosis *diagnosis, struct dlq_error *error);
void dlq_diagnosis_free(struct dlq_diagnosis *diagnosis);

#endif
