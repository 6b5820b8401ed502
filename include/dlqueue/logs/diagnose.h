/* Diagnosis: why training waits for data and how much time that costs, from measured logs alone, without a model. */
#pragma once

#include "dlqueue/estimate.h"
#include "dlqueue/logs/replay.h"

DLQ_DECLARATIONS_BEGIN

/* Seconds per iteration. The mean data time is over iterations that also have an iteration time, if there are any.
   median and p99 are over single iterations, or over windows where the log has no single iterations. NAN: unknown. */
struct dlq_times {
    double mean, median, p99;
};

/* Whether a log with so many iterations, without starts of epochs, suffices. TOO_SHORT: below 5, no answer. SHORT:
   below 20, the answer has a caveat and no cost is called severe. */
enum dlq_log_length { DLQ_LOG_TOO_SHORT, DLQ_LOG_SHORT, DLQ_LOG_LONG_ENOUGH };
enum dlq_log_length dlq_log_length(long iterations);

struct dlq_rank_diagnosis {
    long rank, iterations;
    struct dlq_times data_time, iter_time;
    double ratio; /* mean data time / mean iteration time */
    bool slow;    /* its steady_wait is clearly longer than that of the median rank */
    /* Mean data time of its records without starts of epochs, s, 95 % interval; NAN: unknown, or only one rank. */
    struct dlq_estimate steady_wait;
    /* If ranks wait for one another and single iterations are known: iterations where this rank's wait was the longest
       of all ranks and over 1 % of the mean iteration; share of the sum of all longest waits. Else 0 and NAN. */
    long longest_count;
    double longest_share;
};

struct dlq_worker_diagnosis {
    long rank, worker, batches;
    double load_mean; /* s */
    double factor;    /* load_mean / that of the median worker */
};

/* A stretch of the run, for a chart: its middle iteration, the number of its iterations whose wait is known, the mean
   and the longest of these waits, s, and the mean time of these iterations, s (NAN: unknown). */
struct dlq_wait_point {
    double iteration, count, mean, longest, time;
};

/* Waits by length: negligible, up to one mean step, up to five mean steps, longer. */
enum dlq_wait_class { DLQ_WAIT_NONE, DLQ_WAIT_SHORT, DLQ_WAIT_STEPS, DLQ_WAIT_LONG, DLQ_WAIT_CLASSES };

/* Severity of the share of the iteration time that is lost by waiting. */
enum dlq_severity {
    DLQ_SEVERITY_NONE,
    DLQ_SEVERITY_SMALL,
    DLQ_SEVERITY_SLIGHT,
    DLQ_SEVERITY_MODERATE,
    DLQ_SEVERITY_SEVERE,
    DLQ_SEVERITIES
};
/* The smallest share with this severity: 0, 0.01, 0.05, 0.1, 0.2. */
double dlq_severity_from(enum dlq_severity severity);

/* The cause of the waits. */
enum dlq_diagnosis_cause {
    DLQ_DIAGNOSIS_UNKNOWN,  /* the logs do not show how much time waiting costs */
    DLQ_DIAGNOSIS_STARTUP,  /* waits at starts of epochs */
    DLQ_DIAGNOSIS_STEP,     /* none: training hardly waits, the step is the bottleneck */
    DLQ_DIAGNOSIS_SERIAL,   /* the training process loads the batches itself */
    DLQ_DIAGNOSIS_BARRIER,  /* ranks wait for one another */
    DLQ_DIAGNOSIS_RECEIVE,  /* receiving batches that are ready takes long */
    DLQ_DIAGNOSIS_LOAD,     /* too few loaders, or too slow loads */
    DLQ_DIAGNOSIS_VARIANCE, /* few loads take very long */
    DLQ_DIAGNOSIS_PAUSES    /* pauses of the training count as data time */
};

/* Steps that are far longer than usual, in the log of one rank, s. Ranks wait for one another during a step. */
struct dlq_long_steps {
    double excess_share; /* sum of (step - 2 x median) over longer steps / all time; NAN: no such steps */
    double median, p99;
    double least; /* the median; in a log of windows the shortest mean step */
};

/* Short and long iterations of a log without data times, s. excess_share NAN: the log has no two kinds. */
struct dlq_iteration_kinds {
    long every;           /* the long iterations lie this many iterations apart; 0: not at equal distances */
    double long_fraction; /* share of the iterations that are long; NAN: `every` is not 0 */
    double usual;         /* median of the short iterations; if `every` is not 0, of all */
    double longer;        /* median of the long iterations; if `every` is not 0, their mean */
    double excess_share;  /* sum of (long iteration - usual) / all time */
};

/* The kind of waits that are far longer than the others, in a log that marks no epochs. */
enum dlq_long_waits {
    DLQ_LONG_WAITS_NONE,   /* no such waits */
    DLQ_LONG_WAITS_STARTS, /* starts of epochs: the first wait of the run is one of them */
    DLQ_LONG_WAITS_PAUSES, /* pauses at equal distances: no starts of workers, as the first wait of the run is short */
    DLQ_LONG_WAITS_ALIKE   /* of about equal length, at irregular distances: of unknown cause */
};

enum { DLQ_WAIT_POINTS = 1000, DLQ_SLOW_WORKERS = 16, DLQ_PHASES = 5 };

/* The parts of the wall-clock time, if the log has a clock: time stamps of lines, points in time of batches, or the sum
   of the training epochs. The parts are shares of `seconds`. */
struct dlq_budget {
    double seconds;    /* by the clock; NAN: the log has none */
    double iterations; /* without waits and transfers; with the waits where these are unknown */
    double waits;      /* NAN: unknown, since the log has iteration times alone */
    double transfer, validation, checkpoints, epoch_starts;
    double pauses;           /* pauses of the training of unknown cause, or with both a validation and a checkpoint */
    double unexplained;      /* the rest; below 0: the times of the log sum to more than `seconds` */
    long pause_count;        /* pauses, validations and checkpoints between iterations */
    double pause;            /* s, mean length of these; NAN: there are none */
    double by_clock, by_log; /* mean iteration, s: by the clock, and by the iteration times */
    bool of_sums;            /* the clock is the sum of the training epochs */
    enum dlq_balance {
        DLQ_BALANCE_UNKNOWN,
        DLQ_BALANCE_EVEN,    /* the iteration times sum to the wall-clock time */
        DLQ_BALANCE_PAUSES,  /* iteration times and pauses sum to it */
        DLQ_BALANCE_OUTSIDE, /* iteration times and pauses sum to less */
        DLQ_BALANCE_OVER     /* the iteration times sum to more */
    } balance;
};

struct dlq_diagnosis {
    struct dlq_budget budget;
    long iterations; /* of the rank with the most iterations */
    enum dlq_log_length log_length;
    bool has_data;                         /* false: the log has iteration times alone, and ratio is NAN */
    bool of_windows;                       /* median and p99 are over window means (or medians) */
    struct dlq_times data_time, iter_time; /* over all ranks */
    struct dlq_times step_time;            /* iteration less data time; includes waiting for other ranks */
    double ratio;                          /* mean data time / mean iteration time; NAN: unknown */
    double period;                         /* iterations from stall to stall; NAN: the stalls have no rhythm */
    double stalled; /* share of single iterations with data time over 1 % of the mean iteration time; NAN: unknown */
    double median_over_mean; /* of the data time; small if few iterations wait long; NAN: unknown, or none waits */
    double tail_cost; /* sum of (data time - median) over data times above it / all iteration time; NAN: unknown */
    /* Epoch starts: first iterations of epochs and of the run, where the log has a record for that iteration alone. */
    long epoch_starts;
    double epoch_start_mean; /* data time, s */
    double epoch_start_cost; /* share of all iteration time */
    double steady_ratio;     /* ratio without epoch starts; NAN: unknown */
    /* Mean data time in the last third of the run / in the first third, without first iterations of epochs. NAN: the
       difference is not significant at 1 %. INFINITY: no wait in the first third. */
    double trend;
    double trend_first, trend_last; /* s; mean data time of both thirds; NAN: unknown */
    /* Phases: stretches of the run with clearly different iteration times, in order; the last one represents the rest
       of the run. For a run that drifts: its first tenth, and the steady end. phase_count 0: no change was found. */
    size_t phase_count;
    struct dlq_phase {
        long from, until;        /* iterations, from 1 */
        double lost_share;       /* share of the iteration time that is waiting */
        double wait, iter, load; /* means, s; load NAN: unknown */
        double loaders_needed;   /* loaders whose rate equals the step's, about; NAN: unknown */
        bool lasts;              /* the last phase, from which results for the rest of the run come */
    } phases[DLQ_PHASES];
    double changed_at; /* first iteration of the last phase; 0: the run drifts; NAN: no change was found */
    int drifts;        /* iterations get longer (1) or shorter (-1) little by little; 0: they do not */
    bool first_epoch;  /* there are two phases, and the first one is the first epoch */
    bool waits_ended;  /* training waited for data before the last phase, and no longer does */
    /* Pauses: steps of over five medians, clearly longer than all others; if pauses_in_data, the long_waits instead.
       Number of pauses; iterations from one to the next (0: unequal distances); mean, s; share of all time. */
    bool pauses_in_data;
    long pause_count, pause_every;
    double pause, pause_share;
    struct dlq_long_steps long_steps;
    struct dlq_iteration_kinds kinds;
    long ready_at_start; /* iterations without a wait from the second one to the first that waits; 0: none */
    /* If ranks wait for one another: mean over the iterations of the longest data time of all ranks / mean iteration
       time. NAN: one rank, or the ranks do not wait for one another. */
    double together_ratio;
    /* The dividend of together_ratio, s, even if ranks do not wait for one another; NAN: no single iterations. */
    double together_wait;
    /* Of several ranks: the share of stalls that lie within 16 iterations of a stall of another rank, if more do so
       than by chance; and the longest stall / median iteration time. NAN: not found. */
    double shared_stalls, longest_stall;
    /* Share of the iteration time that waiting costs, which decides the cause: the together_ratio if ranks wait for one
       another, else the steady ratio. lasting_lost_share: of the last phase of a run that changed. NAN: unknown, also
       if waits are medians that are short. */
    double lost_share, lasting_lost_share;
    enum dlq_severity severity; /* of lost_share, or of the epoch starts if they are the cause */
    long loaders;               /* workers of a rank, by the trace or the hint; 0: unknown, or none */
    double load_mean;           /* of a batch on one worker or thread, s; NAN: not measured */
    double loaders_needed;      /* loaders whose rate equals the step's, about; NAN: unknown */
    /* Lower bound on the loaders that training needs; 0: unknown. Without recorded loads it follows from mean times
       alone, so that the order of the iterations does not matter. With N = 8 loaders and 280 ms of 530 ms waiting:
       floor(0.9 x 8 / (1 - 280/530)) - 1 = 14, where 0.9 and 1 are margins; N + 1 at least if the wait matters. */
    long loaders_at_least;
    size_t rank_count;
    struct dlq_rank_diagnosis *ranks; /* owned; ascending */
    double median_rank_wait;          /* steady_wait of the median rank, s; NAN: unknown */
    /* Rate of the training / present rate, if the loads of the slow rank that waits longest took as long as those of
       the other ranks: mean, least and most of replays. NAN: no such rank, or its loads are not recorded. */
    struct dlq_estimate speedup_if_alike;
    size_t slow_worker_count; /* workers with loads significantly over 1.2 times the median worker's; worst first */
    struct dlq_worker_diagnosis slow_workers[DLQ_SLOW_WORKERS];
    long point_rank;    /* the rank that waits most */
    size_t point_count; /* points of that rank */
    struct dlq_wait_point points[DLQ_WAIT_POINTS];
    /* Of point_rank, if its single iterations and their steps are known: number of iterations with a wait of each
       class, and sum of these waits, s. Waits up to wait_level (s) are DLQ_WAIT_NONE. */
    long class_counts[DLQ_WAIT_CLASSES];
    double class_times[DLQ_WAIT_CLASSES], wait_level;
    enum dlq_diagnosis_cause cause;
    enum dlq_long_waits long_waits; /* the kind of the waits that are far longer than the others */
    /* Further facts for verdict and notes. */
    double steady_iter; /* mean iteration without epoch starts, s; with them if they cost under 1 % */
    /* Waits above start_wait (s) are left out of steady_ratio, lost_share and phases: LONG_WAITS_STARTS count as epoch
       starts, LONG_WAITS_PAUSES as pauses; NAN: none are, also with LONG_WAITS_ALIKE. long_wait_every: iterations from
       one long wait to the next; NAN: unequal distances. */
    long long_wait_count;
    double long_wait, first_wait; /* s: mean of the long waits, first wait of the run; NAN: none */
    double long_wait_every, start_wait;
    bool single_iterations; /* most records of the rank that waits most are of one iteration */
    bool keeps_step;        /* ranks wait for one another */
    bool one_by_one;        /* loads run one at a time: first ones start together, end one by one */
    bool loads_inside;      /* loads lie within the waits: the training process loads */
    double core_wait;       /* s, per batch that was loaded before its request: how long worker and trainer wait for a
                               core to hand it over; NAN: unknown, or other parts of the handover take longer */
    bool fetches_several;   /* the period is not the known number of loaders: `period` batches arrive at once */
    bool one_rank;          /* the log of one rank, which may be one of several */
    bool persistent;        /* workers persist over epochs, by the log or its program */
    bool one_of_several;    /* the only log is certainly of one rank of several */
    bool rank_known;        /* the log or its name gives its rank */
    long first_rank;        /* number of the first rank */
    enum dlq_numbers numbers;
    bool sampled;       /* a line shows one of the iterations since the line before, by the time stamps */
    bool medians;       /* its waits are medians of several iterations: the mean wait may be far longer */
    bool unit_unknown;  /* the log has no unit: its times may be in s or in ms, and are reported as if in s */
    bool lines_unknown; /* the log does not tell whether a line is one iteration or a mean */
    bool one_line;      /* each rank has one record, which is not the sum of the run */
    bool waits_for_all; /* the data time is the longest of all ranks */
    bool looks_ahead;   /* the wait of an iteration is for the batch of the next iteration */
    bool all_kept;      /* all records are in memory; else stalls, trend and epoch starts are of the first `kept` */
    size_t kept;        /* records in memory, of all `records` */
    long records;
};

/* The slow rank with the longest steady_wait; null: no rank is slow. */
const struct dlq_rank_diagnosis *dlq_slow_rank(const struct dlq_diagnosis *diagnosis);

/* Diagnoses a trace. hint: the loaders, if the trace does not show them; may be null. On success the caller frees the
   diagnosis with dlq_diagnosis_free. DLQ_NO_ANSWER: the trace has neither data nor iteration times. DLQ_INVALID: the
   hint contradicts the trace. DLQ_FAILURE: no memory. */
enum dlq_status dlq_diagnose(const struct dlq_trace *trace, const struct dlq_pipeline_hint *hint,
                             struct dlq_diagnosis *diagnosis, struct dlq_error *error);
/* The phase with `lasts`; null: the run has no phases. */
const struct dlq_phase *dlq_lasting_phase(const struct dlq_diagnosis *diagnosis);
void dlq_diagnosis_free(struct dlq_diagnosis *diagnosis);

DLQ_DECLARATIONS_END
