/* What logs that do not show load times tell of them. */
#ifndef DLQ_STUDY_LOADS_H
#define DLQ_STUDY_LOADS_H

#include "dist/likelihood.h"
#include "dlqueue/fit.h"
#include "trace/trace.h"

/* What a log tells of the load times of one rank. */
struct dlq_load_evidence {
    enum dlq_fit_source source;
    const char *loader; /* row of dlq_loaders that it was taken for */
    long loaders, prefetch;
    bool loaders_known; /* told; else seen in the waits */
    long rhythm; /* of the waits, where it is not that of the loaders that were told: batches from stall to stall */
    size_t fitted_count;
    struct dlq_fitted
        fitted[DLQ_MOST_FITTED]; /* best first; none where only a bound is known. aic: of the waits, not of
                                    the loads, where most loads are hidden; NAN where nothing compares */
    double mean_low, mean_high;  /* 95 % interval of the mean load, s; only_bound: 0 .. bound */
    bool only_bound;
    long n; /* batches whose load is known or bounded from both sides */
    size_t observed_count;
    struct dlq_observed *observed; /* owned: known loads (low == high) and intervals */
    double receive; /* s; what a wait for a batch that is there costs, as the waits show it; 0: unknown */
    char note[256]; /* what a user must know of how this was obtained; "" */
};

/* The log's pipeline. overheads: 0 where they are not known. The seed alone decides the draws. */
struct dlq_load_question {
    const struct dlq_rank *rank;
    const struct dlq_pipeline_hint *hint;
    const struct dlq_measured_overheads *overheads;
    const struct dlq_histogram *singles; /* data times of single iterations beside means; may be null */
    uint64_t seed;
    const volatile sig_atomic_t *interrupted; /* polled: DLQ_INTERRUPTED; may be null */
};

/* From the data time of every single iteration. For loaders that give each loader every N-th batch, in order, by
   likelihood: where the trainer waited, the end of a load is known, elsewhere bounded; for the others by
   dlq_loads_from_windows. DLQ_NO_ANSWER: no times, or the number of loaders is neither told nor seen. DLQ_INVALID: the
   hint makes no pipeline. */
enum dlq_status dlq_loads_from_waits(const struct dlq_load_question *question, struct dlq_load_evidence *evidence,
                                     struct dlq_error *error);
/* From means over windows, or single iterations now and then: the lognormal law with which a simulation of the pipeline
   gives the mean wait, and the spread of what the log shows, as far as it tells one. */
enum dlq_status dlq_loads_from_windows(const struct dlq_load_question *question, enum dlq_numbers numbers,
                                       struct dlq_load_evidence *evidence, struct dlq_error *error);
/* From two totals: a constant load of t / ceil(n/N) for n batches in t seconds from N loaders (t/n without loaders),
   and a constant step. hint->loaders < 0: DLQ_NO_ANSWER. */
enum dlq_status dlq_loads_from_stopwatch(const struct dlq_stopwatch *steps, const struct dlq_stopwatch *loads,
                                         const struct dlq_pipeline_hint *hint, struct dlq_load_evidence *evidence,
                                         double *step, struct dlq_error *error);
void dlq_load_evidence_free(struct dlq_load_evidence *evidence);

#endif
