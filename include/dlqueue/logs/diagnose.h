/* Diagnosis: what measured logs say by themselves, without a model. */
#ifndef DLQUEUE_DIAGNOSE_H
#define DLQUEUE_DIAGNOSE_H

#include "dlqueue/estimate.h"
#include "dlqueue/logs/replay.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds per iteration; the mean data time is that of iterations whose time is known, where there are such; median and
 * p99 of single iterations (of windows, where the log does not show each); NAN: unknown. */
struct dlq_times {
    double mean, median, p99;
};

/* What so many iterations, without the first ones of epochs, are enough for: below 5 nothing is said of the run; below
   20 it is said with a caveat, and nothing is called severe. For diagnose, fit and their charts. */
enum dlq_enough { DLQ_TOO_FEW, DLQ_HARDLY_ENOUGH, DLQ_ENOUGH };
enum dlq_enough dlq_enough(long iterations);

struct dlq_rank_diagnosis {
    long rank, iterations;
    struct dlq_times data_time, iter_time;
    double ratio; /* data / iteration time, both means */
    bool slow;    /* waits for its data clearly longer than the median rank does */
    /* Of several ranks: mean data time of a record without the first ones of epochs, s; NAN: unknown. What `slow` goes
       by. */
    struct dlq_estimate steady_wait;
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

/* For a chart, where single iterations are known: shares of the iterations that wait no longer than that, and of the
 * time waited that lies in them. */
struct dlq_wait_share {
    double wait; /* s */
    double iterations, time;
};

/* How much of the time waiting for data costs: below 1, 5, 10, 20 %, and from there on. */
enum dlq_severity {
    DLQ_SEVERITY_NONE,
    DLQ_SEVERITY_SMALL,
    DLQ_SEVERITY_SLIGHT,
    DLQ_SEVERITY_MODERATE,
    DLQ_SEVERITY_SEVERE,
    DLQ_SEVERITIES
};
/* The share of the iteration time from which on it is at least that severe: 0, 0.01, 0.05, 0.1, 0.2. */
double dlq_severity_from(enum dlq_severity severity);

/* What the waits come from. */
enum dlq_diagnosis_cause {
    DLQ_DIAGNOSIS_UNKNOWN, /* the logs do not tell what waiting costs */
    DLQ_DIAGNOSIS_STARTUP, /* the starts of epochs */
    DLQ_DIAGNOSIS_STEP,    /* nothing: training does not wait */
    DLQ_DIAGNOSIS_SERIAL,  /* the training process loads for itself */
    DLQ_DIAGNOSIS_BARRIER, /* ranks that wait for one another */
    DLQ_DIAGNOSIS_RECEIVE, /* receiving batches that are there */
    DLQ_DIAGNOSIS_LOAD,    /* loads: too few loaders, or too slow */
    DLQ_DIAGNOSIS_VARIANCE /* few loads that take very long */
};

enum { DLQ_WAIT_POINTS = 1000, DLQ_WAIT_SHARES = 400, DLQ_SLOW_WORKERS = 16 };

struct dlq_diagnosis {
    long iterations; /* of the rank that has most */
    enum dlq_enough enough;
    bool has_data;                         /* false: the log shows iteration times alone, and ratio is NAN */
    bool of_windows;                       /* median and p99 are those of window means (or medians) */
    struct dlq_times data_time, iter_time; /* over all ranks */
    struct dlq_times step_time;            /* iteration less data, waiting for other ranks included */
    double ratio;                          /* of the means; NAN: unknown */
    double period;                         /* steps between stalls; NAN: none found */
    double stalled; /* share of single iterations with data time over 1 % of the mean iteration time; NAN: unknown */
    double median_over_mean; /* of the data time; small: few wait long; NAN: single iterations are unknown, or nothing
                                waits */
    double tail_cost;        /* share of all iteration time that data times take beyond their median; NAN: unknown */
    /* First iterations of epochs (the first of the run too), where they are known by themselves. */
    long epoch_starts;
    double epoch_start_mean; /* data time, s */
    double epoch_start_cost; /* share of all iteration time */
    double steady_ratio;     /* ratio without them; NAN where unknown */
    /* Data time of the last third of the run over that of the first (without first iterations of epochs); NAN: not
       known to differ at 99 %. INFINITY: there was none at first. */
    double trend;
    double trend_first, trend_last; /* s; mean data time of both thirds; NAN: unknown */
    /* A change during the run: at once, from iteration `change` on (counted from 1), or little by little (0): then the
       phases are the first and the last tenth. NAN: none found; shares of the iteration time that is waiting, and
       means, s, before and after (load: NAN where the log does not tell it of each batch). */
    double change;
    struct dlq_phase {
        double lost, wait, iter, load;
    } phases[2];
    bool over; /* training waited for its data before the change, and does not since, or in the end */
    /* Steps that take more than five times the median, every so many iterations; 0: none. s, share of all time. */
    long pause_every;
    double pause, pause_share;
    long ahead; /* batches that were ready before the waits began, without the first; 0: no such beginning */
    /* Where ranks wait for one another: mean over the iterations of the longest data time of all ranks, over the
       iteration time. NAN: one rank, or the ranks do not keep step. */
    double together_ratio;
    /* Of several ranks: the share of stalls within 16 iterations of another rank's, where chance would not have as
       many, and the longest stall in median iterations. NAN: no such. */
    double shared_stalls, longest_stall;
    /* Share of the iteration time that waiting for data costs: the steady ratio, or where ranks keep step that of the
       rank which holds them up. What the verdict goes by. NAN: unknown. */
    double lost, lasting;       /* lasting: of what lasts, the last phase of a run that changed */
    enum dlq_severity severity; /* of `lost`, or of the epoch starts where these are the verdict */
    long loaders;               /* workers of a rank, seen in the trace or told; 0: unknown, or none */
    double load_mean;           /* of a batch on its worker, s; NAN: not measured */
    double needed;              /* loaders that would keep the step fed, about; NAN: unknown */
    size_t rank_count;
    struct dlq_rank_diagnosis *ranks; /* owned; ascending */
    double median_rank_wait;          /* steady_wait of the median rank, s; NAN */
    size_t slow_worker_count;         /* over 1.2 times the median worker, and clearly so; worst first */
    struct dlq_worker_diagnosis slow_workers[DLQ_SLOW_WORKERS];
    long point_rank;    /* the rank that waits most */
    size_t point_count; /* of that rank */
    struct dlq_wait_point points[DLQ_WAIT_POINTS];
    size_t share_count; /* ascending; of all ranks */
    struct dlq_wait_share shares[DLQ_WAIT_SHARES];
    enum dlq_diagnosis_cause cause;
    /* What verdict and notes go by beside all that. */
    double steady_iter; /* mean iteration without first ones of epochs, s; where these cost under 1 %, of all */
    /* Long waits at one distance, farther apart than any turns of loaders, in a log that marks no epochs: iterations
       from one to the next; what waits longer (s) is taken for the first of an epoch. NAN: there are no such. */
    double regular, start_wait;
    bool singles;      /* single iterations of the rank that waits most are known, all but few */
    bool keeps_step;   /* ranks wait for one another */
    bool one_by_one;   /* loads exclude one another, as the first round shows */
    bool loads_inside; /* loads lie within the waits: the training process loads */
    bool fetches;      /* the rhythm is not that of the loaders, whose number is known: so many batches come at once */
    bool alone;        /* the log of one rank, which may be one of several */
    bool persistent;   /* workers live on from epoch to epoch: the log says so, or its program does it */
    bool one_of_several; /* a rank that is certainly one of several, where it is alone */
    bool rank_told;      /* the log, or its name, says which rank it is of */
    long first_rank;     /* its number; of the first rank, where there are several */
    enum dlq_numbers numbers;
    bool lines_untold;  /* whether a line is of one iteration or the mean of several, the log does not tell */
    bool waits_for_all; /* the data time is the longest of all ranks' */
    bool looks_ahead;   /* the wait of an iteration is for the batch after it */
    bool whole;         /* all records are kept; else stalls, trend and epoch starts are those of the first `kept` */
    size_t kept;
    long records;
};

/* hint: of the loaders, what the trace does not tell; null: nothing. DLQ_NO_ANSWER: the trace has neither data nor
   iteration times. DLQ_INVALID: the hint contradicts it. */
enum dlq_status dlq_diagnose(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                             struct dlq_diagnosis *diagnosis, struct dlq_error *error);
void dlq_diagnosis_free(struct dlq_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif

#endif
