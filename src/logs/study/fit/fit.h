/* What the files of the fit share: times that a log shows, load times that it does not show, and what they become. */
#ifndef DLQ_STUDY_FIT_FIT_H
#define DLQ_STUDY_FIT_FIT_H

#include "base/quantity.h"
#include "dlqueue/loaders.h"
#include "dlqueue/logs/diagnose.h"
#include "dlqueue/logs/fit.h"
#include "dlqueue/model.h"
#include "logs/read/trace.h"
#include "logs/stats/likelihood.h"

/* -- times in a log -- */

/* All zero: none. */
struct dlq_times_of {
    struct dlq_observed *observed; /* in an arena; low == high */
    size_t count;
    double mean;       /* where there are no single times: of windows; NAN: unknown */
    long of_windows;   /* iterations in these */
    bool only_bound;   /* the mean is no more than an upper bound */
    long slow_workers; /* of a rank; their loads are divided by slow_factor */
    double slow_factor;
    bool one_by_one; /* loads exclude one another: each is counted as what it takes by itself */
};

/* The log as if it began where the run last changed, and marked the starts of epochs that its waits tell: a trace to be
   freed, also where there is no memory. */
enum dlq_status dlq_lasting_part(const struct dlq_trace *trace, const struct dlq_diagnosis *found,
                                 struct dlq_trace **part, struct dlq_error *error);

/* Loads of all ranks from their batch `begin` on, each with the gap before the next one where the worker was busy: the
   recursion has no other place for that. */
enum dlq_status dlq_load_times(struct dlq_arena *arena, struct dlq_times_of *times, const struct dlq_trace *trace,
                               size_t begin);
/* Steps: with several ranks the shortest of each step, for the others waited inside theirs. The first of a run is left
   out: it holds what is done once. */
enum dlq_status dlq_step_times(struct dlq_arena *arena, struct dlq_times_of *times, const struct dlq_trace *trace);

/* Whether they are the same, and their mean. Clocks and schedulers shake every time a little: below a cv of 0.01 (of
   steps 0.03) a law says more of them than of the times. One step in a hundred may be anything (a checkpoint): it
   counts in the mean. Sorts them. */
bool dlq_times_are_steady(const struct dlq_times_of *times, bool steps, double *mean);

/* -- distributions as results: names, parameters, intervals, points for a chart -- */

/* The chosen one of `all`, which are `count` by AIC, and what else was tried. Exact observations (low == high) give
   points and the interval of the mean; none and NAN where one is not exact. */
enum dlq_status dlq_fit_law_fill(struct dlq_arena *arena, struct dlq_fit_law *law, const struct dlq_fitted *all,
                                 size_t count, size_t chosen, const struct dlq_observed *observed, size_t n);
/* A law of which the mean alone is known: constant. */
void dlq_fit_law_constant(struct dlq_fit_law *law, double mean, long n);

/* The law of a family with that mean (s), and that cv where it is above 0, which nothing was fitted to. */
struct dlq_fitted dlq_fitted_of(const char *family, double mean, double cv);

/* Where no count of loaders reaches DLQ_TARGET_UTILIZATION, since the trainer also receives batches. */
static inline double dlq_target_beside_receiving(double step, double receive)
{
    return DLQ_TARGET_UTILIZATION * step / (step + receive);
}

static inline enum dlq_status dlq_go_on(const struct dlq_run *run, struct dlq_error *error)
{
    bool stop = run->interrupted != NULL && *run->interrupted != 0;
    return stop ? dlq_error_add(error, DLQ_INTERRUPTED, "interrupted") : DLQ_OK;
}

/* -- load times that a log does not show -- */

/* What a log tells of the load times of one rank. */
struct dlq_load_evidence {
    enum dlq_fit_source source;
    const char *loader; /* row of dlq_loaders that it was taken for */
    long loaders, prefetch;
    bool loaders_known; /* told; else seen in the waits */
    long rhythm; /* of the waits, where it is not that of the loaders that were told: batches from stall to stall */
    size_t fitted_count;
    /* Best first; none where only a bound is known. aic: of known loads and the bounds of hidden ones as they were
       drawn last, raised for some families where most are hidden; NAN where nothing compares. */
    struct dlq_fitted fitted[DLQ_MOST_FITTED];
    double mean_low, mean_high; /* 95 % interval of the mean load, s; only_bound: 0 .. bound */
    bool only_bound;
    long n; /* batches whose load is known or bounded from both sides */
    size_t observed_count;
    struct dlq_observed *observed; /* in an arena: known loads (low == high) and intervals */
    double receive;    /* s; what a wait for a batch that is there costs, as the waits show it; 0: unknown */
    size_t note_count; /* what a user must know of how this was obtained */
    struct dlq_fit_note notes[DLQ_FIT_NOTES];
};

struct dlq_load_question {
    const struct dlq_rank *rank;
    const struct dlq_pipeline_hint *hint;
    const struct dlq_run *run; /* seed, interruption */
};

/* From the data time of every single iteration. For loaders that give each loader every N-th batch, in order, by
   likelihood: where the trainer waited, the end of a load is known, elsewhere bounded; for the others by
   dlq_loads_from_windows. DLQ_NO_ANSWER: no times, or the number of loaders is neither told nor seen. DLQ_INVALID: the
   hint makes no pipeline. */
enum dlq_status dlq_loads_from_waits(struct dlq_arena *arena, const struct dlq_load_question *question,
                                     struct dlq_load_evidence *evidence);
/* From means over windows: the lognormal law with which a simulation of the pipeline gives the mean wait, and the
   spread of the windows, as far as they tell one; behind it those at the ends of what may be true. What single
   iterations show beside them now and then is left out: those at the start of an epoch are not like others, and every
   so many iterations may be in step with the loaders. */
enum dlq_status dlq_loads_from_windows(struct dlq_arena *arena, const struct dlq_load_question *question,
                                       enum dlq_numbers numbers, struct dlq_load_evidence *evidence);

/* Fills loader, loaders and prefetch from the hint; the waits of a rank (null: none) may tell the loaders by their
   rhythm. DLQ_INVALID, DLQ_NO_ANSWER: as dlq_loads_from_waits. */
enum dlq_status dlq_evidence_pipeline(struct dlq_load_evidence *evidence, const struct dlq_pipeline_hint *hint,
                                      const struct dlq_rank *rank, struct dlq_error *error);
/* A lognormal law (cv 0: constant); the interval of its mean is that mean. */
void dlq_evidence_lognormal(struct dlq_load_evidence *evidence, double mean, double cv);
void dlq_evidence_note(struct dlq_load_evidence *evidence, enum dlq_fit_note_kind kind, double first, double second,
                       double third);
/* N loaders that keep up need at most N iterations for a batch. */
void dlq_evidence_bound(struct dlq_load_evidence *evidence, double iteration);

/* -- what the waits of a run say of each of its loads, where every loader takes each N-th batch and batches are
   delivered in order -- */

/* One load. It begins at max(ready, end of the load before it on the same loader), and ends at `done` where that is
   exact, else at or before `done`. */
struct dlq_link {
    double ready, done; /* s */
    bool first;         /* when the load before ends does not matter, or is known and in `ready` */
    bool exact;
    bool clear;  /* the wait was longer than any ups and downs of a training process */
    bool counts; /* else its beginning is not known: what it takes says nothing */
};

/* In chains: from one that is first to the next one. */
struct dlq_links {
    struct dlq_link *links; /* in an arena */
    size_t count, exact, clear, counted;
    double receive;        /* c, as the waits show it */
    double stall_above;    /* a longer wait is for the batch */
    double mean_iteration; /* over all, without the first K of each epoch, s */
    double mean_step;
    long iterations; /* that were looked at */
    bool shortened;  /* the log has more */
};

/* Cost of a wait for a batch that is there: `*receive`; waits above `*stall_above` are for the batch. From the waits
   (n >= 1), which are sorted, where they are of two kinds; `told` > 0 is taken as it is. */
void dlq_find_stalls(double *waits, size_t n, double mean_iteration, double told, double *receive, double *stall_above);

/* loaders >= 1; window: K, >= loaders. Of the batches of a rank, one each; those whose times are unknown end a run of
   batches that hang together, as epochs do. */
enum dlq_status dlq_links_make(struct dlq_arena *arena, struct dlq_links *links, const struct dlq_rank *rank,
                               long loaders, long window);

/* From the links of a loader that delivers in order; loaders and prefetch of the evidence are filled in. */
enum dlq_status dlq_loads_from_links(struct dlq_arena *arena, const struct dlq_links *links, const struct dlq_run *run,
                                     struct dlq_load_evidence *evidence);

/* -- the fitted model -- */

/* The settings, of what the result has found; and the model that they make: dlq_model_free. */
void dlq_fit_settings(struct dlq_fit *fit);
enum dlq_status dlq_fit_model(const struct dlq_fit *fit, struct dlq_model **model, struct dlq_error *error);

/* What the recorded loads and steps say of another run, as recorded or changed: batches is 0 where they are not those
   of a single rank that can be replayed. */
enum dlq_status dlq_predict_from_record(const struct dlq_trace *trace, const struct dlq_fit_options *options,
                                        const struct dlq_run *run, struct dlq_fit_prediction *prediction,
                                        struct dlq_error *error);

#endif
