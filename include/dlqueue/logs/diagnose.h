/* Diagnosis: what training waits for and what that costs, from measured logs alone, without a model. */
#pragma once

#include "dlqueue/estimate.h"
#include "dlqueue/logs/replay.h"

DLQ_DECLARATIONS_BEGIN

/* Seconds per iteration; the mean data time is that of iterations whose time is known, where there are such; median and
 * p99 of single iterations (of windows, where the log does not show each); NAN: unknown. */
struct dlq_times {
    double mean, median, p99;
};

/* How much a log with that many iterations (epoch starts apart) can show: below 5 nothing; below 20 results carry a
   caveat and no cost is called severe. For diagnose, fit and their charts. */
enum dlq_log_length { DLQ_LOG_TOO_SHORT, DLQ_LOG_SHORT, DLQ_LOG_LONG_ENOUGH };
enum dlq_log_length dlq_log_length(long iterations);

struct dlq_rank_diagnosis {
    long rank, iterations;
    struct dlq_times data_time, iter_time;
    double ratio; /* data / iteration time, both means */
    bool slow;    /* its waits are clearly longer than those of the median rank */
    /* Of several ranks: mean data time of a record, epoch starts apart, s; NAN: unknown. `slow` is judged by it. */
    struct dlq_estimate steady_wait;
    /* Where ranks wait for one another, and their iterations are known one by one: how often its wait was the longest
       of all ranks and not negligible, and its share of the time of all longest waits. Else 0 and NAN. */
    long longest_count;
    double longest_share;
};

struct dlq_worker_diagnosis {
    long rank, worker, batches;
    double load_mean; /* s */
    double factor;    /* over the median worker's */
};

/* A stretch of the run, for a chart: its middle iteration, the number of its iterations whose wait is known, their
 * mean and longest wait, and their mean time, s (NAN: unknown). */
struct dlq_wait_point {
    double iteration, count, mean, longest, time;
};

/* Waits by their length: none that matters, below a mean step, below five, and longer. */
enum dlq_wait_class { DLQ_WAIT_NONE, DLQ_WAIT_SHORT, DLQ_WAIT_STEPS, DLQ_WAIT_LONG, DLQ_WAIT_CLASSES };

/* The share of the time that waiting costs: below 1, 5, 10, 20 %, and 20 % or more. */
enum dlq_severity {
    DLQ_SEVERITY_NONE,
    DLQ_SEVERITY_SMALL,
    DLQ_SEVERITY_SLIGHT,
    DLQ_SEVERITY_MODERATE,
    DLQ_SEVERITY_SEVERE,
    DLQ_SEVERITIES
};
/* The least share of the iteration time of a severity: 0, 0.01, 0.05, 0.1, 0.2. */
double dlq_severity_from(enum dlq_severity severity);

/* The cause of the waits. */
enum dlq_diagnosis_cause {
    DLQ_DIAGNOSIS_UNKNOWN,  /* the logs do not show what waiting costs */
    DLQ_DIAGNOSIS_STARTUP,  /* the starts of epochs */
    DLQ_DIAGNOSIS_STEP,     /* nothing: training does not wait */
    DLQ_DIAGNOSIS_SERIAL,   /* the training process loads for itself */
    DLQ_DIAGNOSIS_BARRIER,  /* ranks that wait for one another */
    DLQ_DIAGNOSIS_RECEIVE,  /* receiving batches that are ready */
    DLQ_DIAGNOSIS_LOAD,     /* loads: too few loaders, or too slow */
    DLQ_DIAGNOSIS_VARIANCE, /* few loads that take very long */
    DLQ_DIAGNOSIS_PAUSES    /* pauses of the training that count as data time */
};

/* Steps of the log of one rank that are far longer than usual, s. A rank that waits for others waits in its step. */
struct dlq_long_steps {
    double excess_share; /* of all time, that steps take beyond twice their median; NAN: they do not vary so much */
    double median, p99;
    double least; /* the median; of windows the shortest mean step */
};

/* Iterations of a log without data times that are of two kinds, s. excess_share NAN: none were found. */
struct dlq_iteration_kinds {
    long every;           /* each so many iterations one is long, and no other; 0: no such distance */
    double long_fraction; /* share of the iterations that are long; NAN: see `every` */
    double usual;         /* median of the others; with `every`, of all */
    double longer;        /* median of the long ones; with `every`, their mean */
    double excess_share;  /* of all time, that long iterations take beyond the usual */
};

/* What waits are, far longer than the others, in a log that marks no epochs. */
enum dlq_long_waits {
    DLQ_LONG_WAITS_NONE,
    DLQ_LONG_WAITS_STARTS, /* of epochs: the first wait of the run is such, too */
    DLQ_LONG_WAITS_PAUSES, /* pauses between iterations, at equal distances: the first wait is short, so that workers do
                              not take that long to start */
    DLQ_LONG_WAITS_ALIKE   /* all alike, at irregular places: which of several causes they have is not known */
};

enum { DLQ_WAIT_POINTS = 1000, DLQ_SLOW_WORKERS = 16, DLQ_PHASES = 5 };

/* Where the time by the wall clock went, as far as the log has a clock: time stamps of lines, points in time of
   batches, or the sum of the training epochs. Shares of it; iterations are without waits and transfers. */
struct dlq_budget {
    double seconds;    /* by the clock; NAN: none */
    double iterations; /* with the waits, where these are unknown */
    double waits;      /* NAN: unknown, since the log shows iteration times alone */
    double transfer, validation, checkpoints, epoch_starts;
    double pauses;      /* of the training: the log does not tell whether validations, checkpoints or epoch starts, or
                           it tells of a validation and a checkpoint in one pause */
    double unexplained; /* below 0: the times of the log are longer than the clock allows */
    long pause_count;   /* pauses, validations and checkpoints between iterations */
    double pause;       /* s, the mean of these; NAN: none */
    double by_clock, by_log; /* an iteration, s */
    bool of_sums;            /* the clock is the sum of the training epochs */
    enum dlq_balance {
        DLQ_BALANCE_UNKNOWN,
        DLQ_BALANCE_EVEN,    /* the parts add up */
        DLQ_BALANCE_PAUSES,  /* with the pauses between iterations they do */
        DLQ_BALANCE_OUTSIDE, /* most lies outside of what the log times */
        DLQ_BALANCE_OVER     /* the times are longer than the clock allows */
    } balance;
};

struct dlq_diagnosis {
    struct dlq_budget budget;
    long iterations; /* of the rank with the most */
    enum dlq_log_length log_length;
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
    /* Epoch starts: first iterations of epochs and of the run, where the log shows them as single records. */
    long epoch_starts;
    double epoch_start_mean; /* data time, s */
    double epoch_start_cost; /* share of all iteration time */
    double steady_ratio;     /* ratio without epoch starts; NAN: unknown */
    /* Data time of the last third of the run over that of the first (without first iterations of epochs); NAN: not
       known to differ at 99 %. INFINITY: no wait in the first third. */
    double trend;
    double trend_first, trend_last; /* s; mean data time of both thirds; NAN: unknown */
    /* Phases: stretches of the run with clearly different iteration times, in order; the last one is what lasts. Of a
       run that drifts, its first tenth and what lasts. phase_count 0: no change was found. */
    size_t phase_count;
    struct dlq_phase {
        long from, until;        /* iterations, from 1 */
        double lost_share;       /* share of the iteration time that is waiting */
        double wait, iter, load; /* means, s; load NAN: unknown */
        double loaders_needed;   /* loaders that would keep the step fed, about; NAN: unknown */
        bool lasts;
    } phases[DLQ_PHASES];
    double changed_at; /* the iteration from which on the last phase is; 0: the run drifts; NAN: no change was found */
    int drifts;        /* iterations get longer (1) or shorter (-1) little by little; 0: they do not */
    bool first_epoch;  /* there are two phases, and the first one is the first epoch */
    bool waits_ended;  /* training waited for data before the last phase, and no longer does */
    /* Pauses: steps of over five times the median, apart from all others; with pauses_in_data the long_waits. Their
       number, the iterations from one to the next (0: the distances differ); mean, s; share of all time. pause_count 0:
       none. */
    bool pauses_in_data;
    long pause_count, pause_every;
    double pause, pause_share;
    struct dlq_long_steps long_steps;
    struct dlq_iteration_kinds kinds;
    long ready_at_start; /* batches that were ready at the start, before the waits began, without the first; 0: none */
    /* Where ranks wait for one another: the longest data time of all ranks, averaged over the iterations, divided by
       the iteration time. NAN: one rank, or the ranks do not keep step. */
    double together_ratio;
    /* The same mean, s, whether ranks keep step or not; NAN: the iterations are not known one by one. */
    double together_wait;
    /* Of several ranks: the share of stalls within 16 iterations of another rank's, which are more
       than by chance; and the longest stall in median iterations. NAN: not found. */
    double shared_stalls, longest_stall;
    /* Share of the iteration time that waiting costs, which decides the cause: the steady ratio, or where ranks wait
       for one another the together_ratio. lasting_lost_share: of the last phase of a run that changed. NAN: unknown. */
    double lost_share, lasting_lost_share;
    enum dlq_severity severity; /* of lost_share, or of the epoch starts where these are the cause */
    long loaders;               /* workers of a rank, by the trace or the hint; 0: unknown, or none */
    double load_mean;           /* of a batch on one worker or thread, s; NAN: not measured */
    double loaders_needed;      /* loaders that would keep the step fed, about; NAN: unknown */
    /* The least number of loaders that it takes; 0: unknown. Where loads are not recorded it follows from mean times
       alone, so that the order of the iterations does not matter. N = 8 loaders, of 530 ms 280 ms waiting:
       floor(0.9 x 8 / (1 - 0.528)) - 1 = 14; where the wait matters, N + 1 at least. */
    long loaders_at_least;
    size_t rank_count;
    struct dlq_rank_diagnosis *ranks; /* owned; ascending */
    double median_rank_wait;          /* steady_wait of the median rank, s; NAN */
    /* How many times as fast training would be if the loads of the rank that is slow and waits longest took as long as
       those of the others: mean, least and most of replays. NAN: no such rank, or its loads are not recorded. */
    struct dlq_estimate speedup_if_alike;
    size_t slow_worker_count; /* significantly over 1.2 times the median worker; worst first */
    struct dlq_worker_diagnosis slow_workers[DLQ_SLOW_WORKERS];
    long point_rank;    /* the rank that waits most */
    size_t point_count; /* of that rank */
    struct dlq_wait_point points[DLQ_WAIT_POINTS];
    /* Of that rank, where single iterations and their steps are known: iterations by the length of their wait, and the
       time waited, s. Waits up to wait_level (s) are none. */
    long class_counts[DLQ_WAIT_CLASSES];
    double class_times[DLQ_WAIT_CLASSES], wait_level;
    enum dlq_diagnosis_cause cause;
    enum dlq_long_waits long_waits; /* waits that are far longer than the others */
    /* Further facts for verdict and notes. */
    double steady_iter; /* mean iteration without epoch starts, s; with them where they cost under 1 % */
    /* Waits above start_wait (s) are left out of steady_ratio, lost_share and phases: STARTS count as epoch starts,
       PAUSES as pauses. long_wait_every: iterations from one to the next; NAN: the distances differ. */
    long long_wait_count;
    double long_wait, first_wait; /* s: their mean, and the first wait of the run; NAN: none */
    double long_wait_every, start_wait;
    bool single_iterations; /* most iterations of the rank that waits most are known singly */
    bool keeps_step;        /* ranks wait for one another */
    bool one_by_one;        /* loads exclude one another, as the first round shows */
    bool loads_inside;      /* loads lie within the waits: the training process loads */
    double core_wait;       /* s, for each batch that was loaded before its request: how long its worker and the
                               trainer wait for a core while they hand it over; NAN: unknown, or not the longest part
                               of handing it over */
    bool fetches_several;   /* the period is not the known number of loaders: `period` batches come at once */
    bool one_rank;          /* the log of one rank, which may be one of several */
    bool persistent;        /* workers persist over epochs, by the log or its program */
    bool one_of_several;    /* the only log is certainly of one rank of several */
    bool rank_known;        /* the log or its name gives its rank */
    long first_rank;        /* its number; of the first rank, where there are several */
    enum dlq_numbers numbers;
    bool unit_unknown;  /* the log has no unit: its times are in s or in ms, and all here as if in s */
    bool lines_unknown; /* the log does not tell whether a line is one iteration or a mean */
    bool one_line;      /* all times are of one line for each rank, which is no sum of the run */
    bool waits_for_all; /* the data time is the longest of all ranks */
    bool looks_ahead;   /* the wait of an iteration is for the batch after it */
    bool all_kept;      /* all records are kept; else stalls, trend and epoch starts are those of the first `kept` */
    size_t kept;
    long records;
};

/* The slow rank whose wait is longest; null: none is slow. */
const struct dlq_rank_diagnosis *dlq_slow_rank(const struct dlq_diagnosis *diagnosis);

/* Diagnoses a trace. hint: the loaders, where the trace does not show them; may be null. On success the caller frees
   the diagnosis. DLQ_NO_ANSWER: the trace has neither data nor iteration times. DLQ_INVALID: the hint contradicts it.
 */
enum dlq_status dlq_diagnose(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                             struct dlq_diagnosis *diagnosis, struct dlq_error *error);
/* The phase that lasts; null: the run has no phases. */
const struct dlq_phase *dlq_lasting_phase(const struct dlq_diagnosis *diagnosis);
void dlq_diagnosis_free(struct dlq_diagnosis *diagnosis);

DLQ_DECLARATIONS_END
