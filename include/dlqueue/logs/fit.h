/* Fit: makes a configuration from measured logs, and predicts changed runs. */
#pragma once

#include "dlqueue/estimate.h"
#include "dlqueue/logs/replay.h"

DLQ_DECLARATIONS_BEGIN

/* Where the load times come from. */
enum dlq_fit_source {
    DLQ_FIT_TRACE,    /* measured, batch by batch */
    DLQ_FIT_WAITS,    /* single waits: each gives the load time if the trainer waited, else a bound */
    DLQ_FIT_WINDOWS,  /* mean waits over windows of iterations, or waits of some iterations */
    DLQ_FIT_STOPWATCH /* two totals that the user measured */
};

/* `count` batches took `seconds`; count 0: not measured. */
struct dlq_stopwatch {
    long count;
    double seconds;
};

/* Reads "100/12.5s". On failure returns false and writes the expected form to `why`, of `size` bytes. */
bool dlq_stopwatch_parse(const char *text, struct dlq_stopwatch *stopwatch, char *why, size_t size);

/* Differences of the predicted run from the recorded one. */
struct dlq_fit_change {
    bool has_loaders;
    long loaders;
    long prefetch;                   /* 0: as recorded */
    const char *loader;              /* a row of dlq_loaders; null: as recorded */
    bool has_persistent, persistent; /* workers persist over epochs */
    double batches;                  /* length of the run, up to 1,000,000; 0: as many as recorded */
    double cores;                    /* of the host; 0: as recorded */
    double load, step;               /* mean times, s; 0: as recorded */
};

struct dlq_fit_options {
    struct dlq_pipeline_hint hint;
    struct dlq_fit_change change;       /* also a hint if the trace does not show the worker of each load */
    const struct dlq_trace *other_runs; /* list of other runs of the same job (dlq_trace_next); null: none */
    bool counts_loaders;                /* a prediction computes `recommended` and `long_run`; set by dlq_fit */
    bool for_advice; /* for dlq_advise: no long run is predicted; no laws are fitted if the record gives a prediction */
    struct dlq_log_host host; /* for dlq_advise; 0: by the logs */
    long most_loaders;        /* for dlq_advise: recommends at most this many loaders; 0: no limit */
    double widest_range; /* for dlq_advise, if waits are recorded but loads are not: recommends a number of loaders only
                            if the high end of its range / the low end is at most this; 0: 3 */
    struct dlq_stopwatch steps, loads; /* steps on a ready batch; batches loaded without steps */
    /* If the fit has carries_times, the configuration names this file, into which the caller writes the recorded times
       (dlq_replay_times), in s, with the two columns below. Null: the configuration has the laws. */
    const char *times_file;
};

#define DLQ_FIT_LOAD_COLUMN "load"
#define DLQ_FIT_STEP_COLUMN "step"

enum {
    DLQ_FIT_MOST_LOADERS = 512, /* the most loaders that are tried or recommended */
    DLQ_FIT_PARAMETERS = 6,
    DLQ_FIT_LAWS = 16,
    DLQ_FIT_POINTS = 200,
    DLQ_FIT_NOTES = 4,
    DLQ_FIT_SETTINGS = 64,
    DLQ_FIT_TEXT = 256
};

struct dlq_fit_parameter {
    const char *name; /* as in a configuration: "mean", "cv", "alpha"; "tail.mean", "tail.probability" of a tail */
    double value;
};

/* A law of load or step times. */
struct dlq_fit_law {
    char distribution[48]; /* "lognormal"; "lognormal + gamma tail" for two stages; "" where nothing is known */
    size_t parameter_count;
    struct dlq_fit_parameter parameters[DLQ_FIT_PARAMETERS];
    double mean, cv, median, p99; /* of the law; s, cv a number */
    double mean_low, mean_high;   /* s; 95 % interval of the mean; only_bound: from 0 to the bound */
    double ks;                    /* Kolmogorov-Smirnov distance to the data; NAN: no data to compare with */
    long n;                       /* measurements, or batches whose loads are known or bounded */
    bool only_bound;              /* mean is an upper bound of the mean load */
    /* The chosen law, then the other fitted laws, ascending by AIC. The chosen law has the least AIC of those whose
       mean and distribution agree with the measurements and with which simulated runs reach the measured rate.
       DLQ_FIT_WINDOWS: the laws at the ends of the range that the windows allow; their aic_above is NAN. */
    size_t tried_count;
    struct dlq_fit_tried {
        char distribution[48];
        double mean, cv;  /* mean in s */
        double aic_above; /* AIC - the least AIC */
        double ks;        /* as above */
    } tried[DLQ_FIT_LAWS];
    /* For a chart: the share of measurements, and of the law, at or below x[i] s; x ascends. */
    size_t point_count;
    double x[DLQ_FIT_POINTS], measured[DLQ_FIT_POINTS], fitted[DLQ_FIT_POINTS];
};

/* How load times were inferred. The comments list the numbers of a note in their order, then its meaning. */
enum dlq_fit_note_kind {
    DLQ_NOTE_LOADERS_SEEN,   /* loaders: their number is the period of the waits */
    DLQ_NOTE_RHYTHM,         /* period of the waits, which differs from the number of loaders */
    DLQ_NOTE_SHORTENED,      /* iterations: the last ones of the log, which alone were used */
    DLQ_NOTE_KEEPS_UP,       /* stalls, iterations: too few stalls, so that the mean load has only an upper bound */
    DLQ_NOTE_FEW_LONG,       /* share of the loads that have only an upper bound; the others are few and very long */
    DLQ_NOTE_MATCHED,        /* none: the simulated waits of the law match the recorded ones */
    DLQ_NOTE_SPREAD_UNKNOWN, /* largest mean, s; largest likely cv; the mean with that cv, s (0: next to nothing) */
    DLQ_NOTE_SERIAL,         /* none: without loaders the wait is the load */
    DLQ_NOTE_NO_DATA_TIMES,  /* none: the mean load has only an upper bound */
    DLQ_NOTE_HARDLY_WAITS,   /* share of the time that is waiting: the mean load has only an upper bound */
    DLQ_NOTE_TOTALS          /* none: from totals, assuming equal loads */
};

struct dlq_fit_note {
    enum dlq_fit_note_kind kind;
    double numbers[3];
};

/* A line of the fitted configuration. */
struct dlq_fit_setting {
    const char *section, *key;
    char value[DLQ_FIT_TEXT]; /* may be the name of a file */
};

/* A pause of the trainer: after each `every` steps the step takes `mean` s more; every 0: none. */
enum { DLQ_FIT_PAUSES = 2 };
struct dlq_fit_pause {
    long every;
    double mean;
};

/* Why a prediction may not hold. */
enum dlq_caution {
    DLQ_CAUTION_LOCK,        /* loads exclude one another: no number of loaders helps */
    DLQ_CAUTION_SLOWER,      /* loads were slower when more of them ran */
    DLQ_CAUTION_SHARED,      /* loads waited for cores: more loaders make them slower */
    DLQ_CAUTION_TOGETHER,    /* very slow loads ran at the same time: all were blocked by something they share */
    DLQ_CAUTION_BURST,       /* slow loads run at the same time as other slow loads */
    DLQ_CAUTION_ORDER,       /* the rate depends on the order of the loads */
    DLQ_CAUTION_DRIFT,       /* loads changed during the run */
    DLQ_CAUTION_FIRST_EPOCH, /* loads of the first epoch were faster or slower than later ones */
    DLQ_CAUTION_PAUSES,      /* the trainer pauses at equal distances */
    DLQ_CAUTION_EPOCHS,      /* long waits look like starts of epochs, which the record does not mark */
    DLQ_CAUTION_WARM_UP,     /* the first loads of each worker are slow */
    DLQ_CAUTION_STARTS,      /* the record does not show how long workers take to start */
    DLQ_CAUTION_START_CORES, /* workers took long to start: more of them than cores may take longer */
    DLQ_CAUTION_THREADS,     /* a load keeps several cores busy: its time depends on the number of loaders */
    DLQ_CAUTION_SLOW_WORKER, /* one worker is slower than the others */
    DLQ_CAUTION_RANK,        /* the run has more ranks than the logs */
    DLQ_CAUTION_LOAD_FIXED,  /* the prediction assumes that a load takes as long with more loaders */
    DLQ_CAUTION_EVEN,        /* the same number of loads ran all the time: whether they share resources is unknown */
    DLQ_CAUTION_TAIL,        /* the interval depends on few slow batches */
    DLQ_CAUTION_STRETCHES,   /* slow batches are clustered, and the record has few clusters */
    DLQ_CAUTIONS
};

/* Predicted measurements of a run of one rank with `loaders` loaders, from the recorded loads and steps. */
struct dlq_fit_prediction {
    const char *method; /* "replay": loads take as long as recorded; "replay-pauses": besides, all loads are sometimes
                           blocked together; "cores": loads share cores; "joint": from several runs; null: unknown */
    long loaders, prefetch, recorded_loaders, most_loaders; /* most_loaders: the most of all recorded runs */
    long batches;                                           /* of the run; 0: there is no prediction */
    bool refused; /* the options ask for a change, but the record is too short or lacks starts of loads */
    struct dlq_estimate throughput; /* batches/s from the first request to the end of the last step; NAN: unknown */
    struct dlq_estimate long_run;   /* of 10 times the recorded batches, 5,000 to 50,000, without the first 10 % */
    /* The least loaders that keep the trainer busy for `target` of the time, and their range: by recorded loads, else
       by the law, its interval and other likely laws. value INFINITY: over 512; high 512: or more; NAN: unknown. */
    struct dlq_estimate recommended;
    double target;            /* 0.95; if no number of loaders reaches it, 0.95 of the time that receiving leaves */
    double slower_throughput; /* batches/s, if loads are slower the more of them run; NAN: no relevant difference */
    /* Shares of the load time: neither computing nor waiting for a core; waiting for a core. NAN: not recorded */
    double blocked_share, core_wait_share;
    bool other_programs; /* loads waited for cores that neither loads nor trainers used: other programs had them */
    /* CPU time of a load / its time without waiting for a core; at most 1 unless the CPU time is longer than the load:
       then several threads work; NAN: not recorded */
    double cores_per_load;
    long slow_batches; /* slow loads to which the tail is fitted, on which the interval depends */
    /* Of CAUTION_DRIFT and CAUTION_FIRST_EPOCH: from this batch on loads take `factor` times as long. */
    long changed_at;
    double factor;
    bool abrupt;      /* the loads changed all at once, at changed_at */
    bool from_change; /* only batches from changed_at on are drawn */
    long begin;       /* earlier batches differ from the later ones: long runs and the law leave them out */
    struct dlq_fit_pause pauses[DLQ_FIT_PAUSES]; /* of the trainer */
    double pause_share;                          /* of the time */
    long warm_loads; /* number of first loads of each worker that take `warm_factor` times as long */
    double warm_factor;
    /* Of CAUTION_STARTS: epochs in which workers start. Of this and CAUTION_START_CORES: the longest start that is
       assumed, s; of the latter: the recorded start, s. */
    long starts;
    double longest_start, start;
    long epoch_every; /* batches of an epoch, if the record does not mark epochs */
    long world;       /* ranks of the run, by the log */
    bool cautions[DLQ_CAUTIONS];
};

struct dlq_fit {
    enum dlq_fit_source source;
    const char *loader; /* a row of dlq_loaders */
    long loaders, prefetch, ranks;
    bool loaders_known; /* by the options or the trace; else assumed */
    bool one_by_one;    /* loads run one at a time (one_by_one of a diagnosis): no number of loaders helps */
    bool drifts;        /* the run changed little by little, until about changed_at */
    bool has_slow_rank; /* the other ranks wait for slow_rank */
    bool has_replay;    /* `replay` is set; else `measured` and `predicted` compare the log with the fitted model */
    long rhythm;        /* period of the waits if it differs from the loaders: so many batches arrive at once; else 0 */
    struct dlq_fit_law load, step;
    struct dlq_fit_pause pauses[DLQ_FIT_PAUSES];
    /* By the diagnosis: batches of an epoch (0: unknown); the iteration at which the run changed and from which on the
       law is fitted (0: it did not change); number of the slow rank. */
    long epoch_batches, changed_at, slow_rank;
    long slow_loaders; /* loaders of a rank whose loads take slow_factor times as long as the law says */
    long slow_ranks;   /* ranks with such loads, of several; slow_loaders or slow_ranks is 0 */
    double slow_factor;
    struct dlq_measured_overheads overheads;
    struct dlq_replay replay;
    double load_pace;              /* of stopwatches: s per batch of all loaders without steps; else NAN */
    double measured;               /* batches/s of a rank over the whole log without replay.pauses; NAN: unknown */
    struct dlq_estimate predicted; /* batches/s of the fitted model for as many batches: mean, and 95 % of runs */
    /* The least loaders that reach the prediction's target (if the load has only an upper bound: fewer may suffice).
       0: more than most_tried; or most_tried is 0 and the number was not sought, since the present number is unknown,
       loads depend on one another, or they vary so much that simulations do not decide. */
    long sufficient_loaders;
    long most_tried;
    struct dlq_fit_prediction prediction;
    /* Why the fit may not hold. */
    bool loaders_assumed; /* the number of loaders is unknown: a single fast loader replaces all of them */
    bool misses_rate;     /* the throughput of the fitted model is far from the measured one */
    /* Of the replayed record of one rank, else NAN and false. */
    double rate;        /* recorded batches/s from prediction.begin on, of the batches to which the laws are fitted */
    double error;       /* predicted / rate - 1, by the model of the configuration */
    double laws_error;  /* predicted / rate - 1, by the fitted laws */
    bool rate_outside;  /* the rate lies outside the interval of `predicted`, and the error is at least 1 % */
    bool carries_times; /* the configuration uses the recorded times in their order, by times_file of the options */
    char why_not_replayed[DLQ_FIT_TEXT]; /* error of the replay; "": replayed */
    long few_iterations;                 /* iterations without the first, if too few for a reliable fit; else 0 */
    size_t note_count;
    struct dlq_fit_note notes[DLQ_FIT_NOTES];
    size_t setting_count; /* ordered by section */
    struct dlq_fit_setting settings[DLQ_FIT_SETTINGS];
};

/* Fits a configuration to a trace, which may be null if both stopwatches are given. run: threads, seed, interruption.
   DLQ_NO_ANSWER: nothing to which a model can be fitted; *error says what is missing. DLQ_INVALID: the hint contradicts
   the trace. DLQ_INTERRUPTED; DLQ_FAILURE: no memory. */
enum dlq_status dlq_fit(const struct dlq_trace *trace, const struct dlq_fit_options *options, const struct dlq_run *run,
                        struct dlq_fit *fit, struct dlq_error *error);

DLQ_DECLARATIONS_END
