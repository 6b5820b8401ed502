/* Fit: a configuration from measured logs. */
#pragma once

#include "dlqueue/estimate.h"
#include "dlqueue/logs/replay.h"

DLQ_DECLARATIONS_BEGIN

/* Where the load times come from. */
enum dlq_fit_source {
    DLQ_FIT_TRACE,    /* measured, batch by batch */
    DLQ_FIT_WAITS,    /* from every wait: a load is known where the trainer waited for it, else bounded */
    DLQ_FIT_WINDOWS,  /* from means over windows of iterations, or from samples of them */
    DLQ_FIT_STOPWATCH /* two totals */
};

/* `count` iterations in `seconds`; count 0: not given. */
struct dlq_stopwatch {
    long count;
    double seconds;
};

/* Reads "100/12.5s". false: `why`, of `size` bytes, gets the expected form. */
bool dlq_stopwatch_parse(const char *text, struct dlq_stopwatch *stopwatch, char *why, size_t size);

/* The changes of a predicted run. */
struct dlq_fit_change {
    bool has_loaders;
    long loaders;
    long prefetch;                   /* 0: as recorded */
    const char *loader;              /* a row of dlq_loaders; null: as recorded */
    bool has_persistent, persistent; /* workers persist over epochs */
    double batches;                  /* of the run, up to 1,000,000; 0: as many as recorded */
    double cores;                    /* of the host; 0: as recorded */
    double load, step;               /* mean times, s; 0: as recorded */
};

struct dlq_fit_options {
    struct dlq_pipeline_hint hint;
    struct dlq_fit_change change;       /* also a hint where the trace does not show which loader loaded what */
    const struct dlq_trace *other_runs; /* a list of other runs of the same job; null: none */
    bool counts_loaders;                /* whether a prediction also counts the loaders that suffice; dlq_fit does */
    bool for_advice; /* for dlq_advise: no long run is predicted, and no laws are fitted if the record predicts */
    struct dlq_log_host host; /* for dlq_advise; 0: as the logs say */
    long most_loaders;        /* for dlq_advise: the most loaders to name; 0: not given */
    double widest_range; /* for dlq_advise, where waits are known but loads are not: a number of loaders is named only
                          if the high end of its range is at most so many times the low end; 0: 3 times */
    struct dlq_stopwatch steps, loads; /* steps on a ready batch; batches loaded without steps */
    /* The file, as the configuration is to name it, where the caller will write the recorded times (dlq_replay_times)
       if the fit carries them, in s, with the two columns below; null: the configuration has the laws. */
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
    double mean, cv, median, p99; /* s; of the law */
    double mean_low, mean_high;   /* 95 % interval of the mean; only_bound: 0 .. bound */
    double ks;                    /* distance to the data; NAN: no data to compare with */
    long n;                       /* measurements, or batches whose loads are known or bounded */
    bool only_bound;              /* mean is no more than an upper bound */
    /* The chosen law, then the others that were tried, by AIC. The law with the least AIC is passed over if its mean or
       its distribution does not agree with the measurements, or if runs simulated with it miss the measured rate.
       DLQ_FIT_WINDOWS: the laws at the ends of the range that the windows allow; their aic_above is NAN. */
    size_t tried_count;
    struct dlq_fit_tried {
        char distribution[48];
        double mean, cv;  /* s; of the law */
        double aic_above; /* AIC above that of the best */
        double ks;
    } tried[DLQ_FIT_LAWS];
    /* For a chart: the share of measurements, and of the law, at or below x[i]; ascending x (s). */
    size_t point_count;
    double x[DLQ_FIT_POINTS], measured[DLQ_FIT_POINTS], fitted[DLQ_FIT_POINTS];
};

/* How load times were inferred; the numbers of a note, in this order. */
enum dlq_fit_note_kind {
    DLQ_NOTE_LOADERS_SEEN,   /* number of loaders, by the period of the waits */
    DLQ_NOTE_RHYTHM,         /* period of the waits, which is not the number of loaders */
    DLQ_NOTE_SHORTENED,      /* iterations used, the last of the log */
    DLQ_NOTE_KEEPS_UP,       /* stalls, iterations: too few stalls, so that only a bound is known */
    DLQ_NOTE_FEW_LONG,       /* share of loads that only upper bounds describe, beside few very long ones */
    DLQ_NOTE_MATCHED,        /* matched by simulated waits */
    DLQ_NOTE_SPREAD_UNKNOWN, /* largest mean, s; largest likely cv; the mean with that cv, s (0: next to nothing) */
    DLQ_NOTE_SERIAL,         /* without loaders the wait is the load */
    DLQ_NOTE_NO_DATA_TIMES,  /* no more than a bound is known */
    DLQ_NOTE_HARDLY_WAITS,   /* share of the time that is waiting; only a bound is known */
    DLQ_NOTE_TOTALS          /* from totals, as if all loads took the same time */
};

struct dlq_fit_note {
    enum dlq_fit_note_kind kind;
    double numbers[3];
};

/* A line of the fitted configuration. */
struct dlq_fit_setting {
    const char *section, *key;
    char value[DLQ_FIT_TEXT]; /* as long as the name of a file */
};

/* A pause of the trainer after every so many steps, s on top of a step; every 0: none. */
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
    DLQ_CAUTION_TOGETHER,    /* very slow loads ran together: something stood still for all of them */
    DLQ_CAUTION_BURST,       /* slow loads run beside slow ones */
    DLQ_CAUTION_ORDER,       /* the order of the loads matters to the rate */
    DLQ_CAUTION_DRIFT,       /* loads changed during the run */
    DLQ_CAUTION_FIRST_EPOCH, /* those of the first epoch were unlike the others */
    DLQ_CAUTION_PAUSES,      /* the trainer pauses every so many batches */
    DLQ_CAUTION_EPOCHS,      /* long waits look like starts of epochs that are not marked */
    DLQ_CAUTION_WARM_UP,     /* the first loads of each worker are slow */
    DLQ_CAUTION_STARTS,      /* the record does not show how long workers take to start */
    DLQ_CAUTION_THREADS,     /* a load keeps several cores busy: with other numbers of loaders it takes another time */
    DLQ_CAUTION_SLOW_WORKER, /* one worker is slower than the others */
    DLQ_CAUTION_RANK,        /* the run has more ranks than files are given */
    DLQ_CAUTION_LOAD_FIXED,  /* it assumes that a load takes as long with more loaders */
    DLQ_CAUTION_EVEN,        /* the same number of loads ran all the time: what they share cannot be seen */
    DLQ_CAUTION_TAIL,        /* the interval rests on few slow batches */
    DLQ_CAUTION_STRETCHES,   /* slow batches come together, and the record has few such stretches */
    DLQ_CAUTIONS
};

/* What a run of one rank with that many loaders measures, by the recorded loads and steps themselves. */
struct dlq_fit_prediction {
    const char *method; /* "replay": loads take as long as recorded; "replay-pauses": and stand still together now
                           and then; "cores": they share cores; "joint": by several runs; null: not told */
    long loaders, prefetch, recorded_loaders, most_loaders; /* the last: of all runs that were given */
    long batches;                                           /* of the run; 0: there is no prediction */
    bool refused; /* the options ask for a change, but the record is too short or lacks starts of loads */
    struct dlq_estimate throughput; /* batches/s from the first request to the end of the last step; NAN: not told */
    struct dlq_estimate long_run;   /* of ten times as many as recorded, 5,000 to 50,000, start-up left out */
    /* Loaders that keep the trainer busy for `target` of the time, on the record, and the range in which they lie;
       without a record of loads by the law, and for the interval of its mean and other laws that may be true. value
       INFINITY: none up to 512; high 512: or more; NAN: not told. */
    struct dlq_estimate recommended;
    double target;            /* 0.95; where no number of loaders reaches that, 0.95 of what receiving batches leaves */
    double slower_throughput; /* batches/s, if loads are slower the more of them run; NAN: does not matter */
    /* Shares of the load time: neither CPU time nor waiting for a core; waiting for a core. NAN: not recorded */
    double blocked_share, core_wait_share;
    /* CPU time of a load / its time without waiting for a core: above 1 several threads work; NAN: not recorded */
    double cores_per_load;
    long slow_batches; /* slow loads that the tail is fitted to, on which the interval rests */
    /* Of drift and first-epoch: from which batch on loads take how many times as long. */
    long changed_at;
    double factor;
    bool abrupt;      /* the loads changed all at once, at that batch */
    bool from_change; /* only batches from changed_at on are drawn */
    long begin;       /* batches before it, which were unlike the later ones, are in no long run, nor in the law */
    struct dlq_fit_pause pauses[DLQ_FIT_PAUSES]; /* of the trainer */
    double pause_share;                          /* of the time */
    long warm_loads; /* first loads of each worker, which take `warm_factor` times as long */
    double warm_factor;
    /* Of a record without workers: epochs in which workers start, and the longest start that is assumed, s. */
    long starts;
    double longest_start;
    long epoch_every; /* of epochs that are not marked: batches of one */
    long world;       /* ranks of the run, as the log has it */
    bool cautions[DLQ_CAUTIONS];
};

struct dlq_fit {
    enum dlq_fit_source source;
    const char *loader;
    long loaders, prefetch, ranks;
    bool loaders_known; /* told, or seen in the trace; else assumed */
    bool one_by_one;    /* loads exclude one another, as the first round shows: no number of loaders helps */
    bool drifts;        /* the run changed little by little, until about changed_at */
    bool has_slow_rank; /* one rank holds the others up */
    bool has_replay;    /* `replay` is set; else `measured` and `predicted` compare the log with the fitted model */
    long rhythm;        /* of the waits, where it is not that of the loaders: so many batches come at once; else 0 */
    struct dlq_fit_law load, step;
    struct dlq_fit_pause pauses[DLQ_FIT_PAUSES];
    /* Of the run, as a diagnosis finds it: batches of an epoch (0: unknown); the iteration from which on the law is,
       since the run changed there (0: it did not); the rank that holds the others up. */
    long epoch_batches, changed_at, slow_rank;
    long slow_loaders; /* of a rank, whose loads take slow_factor times as long as the law has them */
    long slow_ranks;   /* the same of several ranks; at most one of both is above 0 */
    double slow_factor;
    struct dlq_measured_overheads overheads;
    struct dlq_replay replay;
    double load_pace;              /* of stopwatches: s per batch of the loaders by themselves; else NAN */
    double measured;               /* batches/s of a rank over the whole log; NAN: unknown */
    struct dlq_estimate predicted; /* of the fitted model for as many batches: mean, and where 95 % of runs lie */
    /* The least loaders that reach the prediction's target (where of the load only a bound is known: fewer may, too);
       0: none up to the most tried, or not asked, since the present number is not known, loads are not independent, or
       they vary so much that simulations do not settle it (most_tried is 0). */
    long sufficient_loaders;
    long most_tried;
    struct dlq_fit_prediction prediction;
    /* What to mind with all that. */
    bool loaders_assumed; /* nothing tells their number: all of them are taken for a single fast one */
    bool misses_rate;     /* the fitted model misses the measured throughput by far */
    /* Of the replayed record of one rank, else NAN and false. */
    double rate;        /* batches/s, as recorded, of the batches that the laws are of: from prediction.begin on */
    double error;       /* predicted / rate - 1, by the model of the configuration */
    double laws_error;  /* the same by the fitted laws */
    bool rate_outside;  /* the rate lies outside the interval of `predicted`, and the error is at least 1 % */
    bool carries_times; /* the configuration has the recorded times in their order, in the file of the options */
    char why_not_replayed[DLQ_FIT_TEXT]; /* of a trace that is not, the error; else "" */
    long few_iterations;                 /* iterations beside the first, where they are too few to be sure; else 0 */
    size_t note_count;
    struct dlq_fit_note notes[DLQ_FIT_NOTES];
    size_t setting_count; /* ordered by section */
    struct dlq_fit_setting settings[DLQ_FIT_SETTINGS];
};

/* trace may be null where both stopwatches are given. run: threads, seed, interruption. DLQ_NO_ANSWER: nothing that a
   model could be fitted to, with what is missing. */
enum dlq_status dlq_fit(const struct dlq_trace *trace, const struct dlq_fit_options *options, const struct dlq_run *run,
                        struct dlq_fit *fit, struct dlq_error *error);

DLQ_DECLARATIONS_END
