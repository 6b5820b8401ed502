/* What the files of the fit share: recorded times, inferred loads, fitted laws, and the settings of the model. */
#pragma once

#include "base/quantity.h"
#include "dlqueue/loaders.h"
#include "dlqueue/logs/diagnose.h"
#include "dlqueue/logs/fit.h"
#include "logs/calibration.h"
#include "logs/read/trace.h"
#include "logs/stats/likelihood.h"

/* -- times in a log -- */

/* Load or step times, s. All zero: none. */
struct dlq_times_of {
    struct dlq_observed *observed; /* in an arena; low == high */
    size_t count;
    double mean;            /* of windows, where there are no single times; NAN: unknown */
    long window_iterations; /* iterations in these windows */
    bool only_bound;        /* the mean is only an upper bound */
    long slow_workers;      /* of a rank; their loads are divided by slow_factor */
    long slow_ranks;        /* of several ranks; likewise */
    double slow_factor;
    bool one_by_one; /* loads exclude one another: each counts as the time that it takes alone */
};

/* Sets *part to a copy of the log from the last change of the run on, in which the epoch starts that waits show are
   marked. The caller frees the copy, also after a failure. */
enum dlq_status dlq_lasting_part(const struct dlq_trace *trace, const struct dlq_diagnosis *found,
                                 struct dlq_trace **part, struct dlq_error *error);

/* Loads of all ranks from their batch `begin` on, each with the median gap of a busy worker before its next load: the
   recursion has no such gaps. */
enum dlq_status dlq_load_times(struct dlq_arena *arena, struct dlq_times_of *times, const struct dlq_trace *trace,
                               size_t begin);
/* Steps. Of several ranks: the shortest step of each iteration, since the other ranks wait within theirs. Leaves out
   the first step of a run, which includes work that is done once. */
enum dlq_status dlq_step_times(struct dlq_arena *arena, struct dlq_times_of *times, const struct dlq_trace *trace);

/* Whether all times are the same up to the noise of clocks and schedulers; fills their mean, s. One step in a hundred
   may be longer (a checkpoint) and counts in the mean. Sorts the times. */
bool dlq_times_are_steady(const struct dlq_times_of *times, bool steps, double *mean);

/* The fewest loaders that suffice by the fitted law, and their range: by the ends of the interval of its mean, with
   that law and other plausible ones. Fills `sufficient_loaders`, `most_tried` and `prediction.recommended`. */
enum dlq_status dlq_fit_count_loaders(struct dlq_fit *fit, const struct dlq_run *run, struct dlq_error *error);

/* -- pauses of the trainer: steps that are far longer than usual, in up to two rhythms (signs.c) -- */

struct dlq_pauses {
    double usual, sum; /* s: a step without a pause; all pauses */
    size_t rhythm_count;
    struct dlq_event_rhythm rhythms[DLQ_FIT_PAUSES];
    struct dlq_fit_pause pauses[DLQ_FIT_PAUSES]; /* [k]: mean of the pauses that are of rhythm k and of no other */
    double *lengths[DLQ_FIT_PAUSES];             /* of these pauses, s; in an arena */
    size_t counts[DLQ_FIT_PAUSES];               /* of lengths */
};
/* Whether a step (s) includes a pause. */
static inline bool dlq_is_pause(const struct dlq_pauses *pauses, double step)
{
    return step > dlq_calibration.outlier * pauses->usual;
}
/* Finds pauses among n steps (s; NAN: unknown). usual: the median step, s. */
enum dlq_status dlq_pauses_find(struct dlq_arena *arena, const double *steps, size_t n, double usual,
                                struct dlq_pauses *found);

/* -- distributions as results: names, parameters, intervals, points for a chart -- */

/* Fills the law with all[chosen], of `count` laws by AIC, and the others as tried. Exact observations (low == high)
   give points and the interval of the mean; without these the interval is NAN. */
enum dlq_status dlq_fit_law_fill(struct dlq_arena *arena, struct dlq_fit_law *law, const struct dlq_fitted *all,
                                 size_t count, size_t chosen, const struct dlq_observed *observed, size_t n);
/* A constant law, where the mean alone is known. */
void dlq_fit_law_constant(struct dlq_fit_law *law, double mean, long n);

/* The law of a family with a given mean (s) and cv (0: the family has no cv). */
struct dlq_fitted dlq_fitted_of(const char *family, double mean, double cv);

/* The target utilization where no number of loaders reaches DLQ_TARGET_UTILIZATION, since the trainer also spends
   `receive` s on receiving each batch. */
static inline double dlq_target_beside_receiving(double step, double receive)
{
    return DLQ_TARGET_UTILIZATION * step / (step + receive);
}

/* DLQ_INTERRUPTED once run->interrupted is set. */
static inline enum dlq_status dlq_check_interrupt(const struct dlq_run *run, struct dlq_error *error)
{
    bool stop = run->interrupted != NULL && *run->interrupted != 0;
    return stop ? dlq_error_add(error, DLQ_INTERRUPTED, "interrupted") : DLQ_OK;
}

/* -- load times that a log does not show -- */

/* Inferred loads of one rank. */
struct dlq_load_evidence {
    enum dlq_fit_source source;
    const char *loader; /* row of dlq_loaders */
    long loaders, prefetch;
    bool loaders_known; /* by the hint; false: by the period of the waits */
    long rhythm;        /* period of the stalls in batches, if it differs from the hint's number of loaders; else 0 */
    size_t fitted_count;
    /* Best first; none where only a bound is known. aic: of the known loads and the last draw of the hidden ones,
       raised for some families where most are hidden; NAN: laws are not compared. */
    struct dlq_fitted fitted[DLQ_MOST_FITTED];
    double mean_low, mean_high; /* 95 % interval of the mean load, s; only_bound: 0 .. bound */
    bool only_bound;
    long n; /* batches whose load is known or bounded from both sides */
    size_t observed_count;
    struct dlq_observed *observed; /* in an arena: known loads (low == high) and intervals */
    double receive;                /* cost of receiving a ready batch, by the waits, s; 0: unknown */
    size_t note_count;             /* how the loads were inferred, for the user */
    struct dlq_fit_note notes[DLQ_FIT_NOTES];
};

struct dlq_load_question {
    const struct dlq_rank *rank;
    const struct dlq_pipeline_hint *hint;
    const struct dlq_run *run; /* seed, interruption */
};

/* Infers loads from the data time of every iteration. If each loader loads every N-th batch, and batches come in order,
   by likelihood: a wait of the trainer shows the end of a load, no wait bounds it; else by dlq_loads_from_windows.
   DLQ_NO_ANSWER: no times, or no number of loaders by hint or waits. DLQ_INVALID: no pipeline fits the hint. */
enum dlq_status dlq_loads_from_waits(struct dlq_arena *arena, const struct dlq_load_question *question,
                                     struct dlq_load_evidence *evidence);
/* Infers loads from means over windows: the lognormal law with which a simulation of the pipeline gives the mean wait
   and the spread of the windows, then the laws at the ends of the intervals. Occasional single iterations are left out:
   epoch starts are unlike others, and every k-th iteration may be in step with the loaders. */
enum dlq_status dlq_loads_from_windows(struct dlq_arena *arena, const struct dlq_load_question *question,
                                       enum dlq_numbers numbers, struct dlq_load_evidence *evidence);

/* Fills loader, loaders and prefetch from the hint, or the loaders by the period of the waits of a rank (null: no
   waits). DLQ_INVALID, DLQ_NO_ANSWER: as dlq_loads_from_waits. */
enum dlq_status dlq_evidence_pipeline(struct dlq_load_evidence *evidence, const struct dlq_pipeline_hint *hint,
                                      const struct dlq_rank *rank, struct dlq_error *error);
/* Sets a single lognormal law (cv 0: constant), with its mean as the interval. */
void dlq_evidence_lognormal(struct dlq_load_evidence *evidence, double mean, double cv);
/* Adds a note; its numbers: enum dlq_fit_note_kind. */
void dlq_evidence_note(struct dlq_load_evidence *evidence, enum dlq_fit_note_kind kind, double first, double second,
                       double third);
/* Sets the bound of N loaders that keep up: N mean iterations (s) for a load. */
void dlq_evidence_bound(struct dlq_load_evidence *evidence, double iteration);

/* -- links: bounds of each load by the waits, if loader i loads batches i, i + N, ... and batches come in order -- */

/* One load: it starts at max(ready, end of the load before it on the same loader), and ends at `done` if exact, else at
   or before `done`. */
struct dlq_link {
    double ready, done; /* s */
    bool first;         /* the load starts at `ready`, since the end of the load before is no later */
    bool exact;
    bool clear;  /* the wait is far longer than the noise of a training process */
    bool counts; /* false: start and load are unknown */
};

/* The links of a log, loader by loader; a chain reaches from one `first` link to the next. */
struct dlq_links {
    struct dlq_link *links;              /* in an arena */
    size_t count, exact, clear, counted; /* links: all; the exact, the clear, and those that count */
    double receive;                      /* time to receive a ready batch, by the waits, s */
    double stall_above;                  /* s; longer waits are stalls */
    double mean_iteration;               /* s; without the first K of each epoch */
    double mean_step;                    /* s; likewise */
    long iterations;                     /* that the links are of */
    bool shortened;                      /* the log has more iterations than were used */
};

/* Splits n >= 1 waits (s; sorts them) into waits for ready batches, which take *receive, and stalls, which are longer
   than *stall_above. known_receive: the time to receive where it is known, else 0. */
void dlq_find_stalls(double *waits, size_t n, double mean_iteration, double known_receive, double *receive,
                     double *stall_above);

/* Makes a link of each batch of a rank. loaders >= 1; window: K >= loaders. A batch with unknown times ends a chain of
   batches, as the end of an epoch does. */
enum dlq_status dlq_links_make(struct dlq_arena *arena, struct dlq_links *links, const struct dlq_rank *rank,
                               long loaders, long window);

/* Infers loads from links; loaders and prefetch of the evidence are set. */
enum dlq_status dlq_loads_from_links(struct dlq_arena *arena, const struct dlq_links *links, const struct dlq_run *run,
                                     struct dlq_load_evidence *evidence);

/* -- the fitted model -- */

/* s: limits of a mean in a configuration. */
#define DLQ_FIT_LEAST_MEAN 1e-9
#define DLQ_FIT_MOST_MEAN 1e9
/* How many threads load each batch together, if the law is of the measured time of such a load (the load of a model is
   the work of all these threads); else 1. */
long dlq_fit_threads(const struct dlq_fit *fit);
/* Fills the settings from the other members: with laws (times_file null), or with the recorded times in that file. */
void dlq_fit_settings(struct dlq_fit *fit, const char *times_file);
/* Makes the model of settings that have laws. The caller frees it with dlq_model_free, also after a failure. */
enum dlq_status dlq_fit_model(const struct dlq_fit *fit, struct dlq_model **model, struct dlq_error *error);
/* Adds the settings to a model, and checks it. */
enum dlq_status dlq_fit_apply(const struct dlq_fit *fit, struct dlq_model *model, struct dlq_error *error);

/* Predicts another run, as recorded or changed, from recorded loads and steps. prediction->batches is 0 unless the
   record is of a single rank and has the starts of loads. */
enum dlq_status dlq_predict_from_record(const struct dlq_trace *trace, const struct dlq_fit_options *options,
                                        const struct dlq_run *run, struct dlq_fit_prediction *prediction,
                                        struct dlq_error *error);
