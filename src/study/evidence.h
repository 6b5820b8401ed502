/* What the ways to find load times share. */
#ifndef DLQ_STUDY_EVIDENCE_H
#define DLQ_STUDY_EVIDENCE_H

#include "model/model.h"
#include "study/links.h"
#include "study/loads.h"

/* Fills loader, loaders and prefetch from the hint; the waits of a rank (null: none) may tell the loaders by their
   rhythm. DLQ_INVALID, DLQ_NO_ANSWER: as dlq_loads_from_waits. */
enum dlq_status dlq_evidence_pipeline(struct dlq_load_evidence *evidence, const struct dlq_pipeline_hint *hint,
                                      const struct dlq_rank *rank, struct dlq_error *error);
/* Mean, cv, median and 99 % quantile of the law that the parameters make. */
void dlq_fitted_summarize(struct dlq_fitted *fitted);
/* A constant load, exact to a relative error. */
void dlq_evidence_constant(struct dlq_load_evidence *evidence, double value, double error);
/* A lognormal law (cv 0: constant). */
void dlq_evidence_lognormal(struct dlq_load_evidence *evidence, double mean, double cv);
/* Adds to the note, after what it says already. */
void dlq_evidence_say(struct dlq_load_evidence *evidence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* N loaders that keep up need at most N iterations for a batch. */
void dlq_evidence_bound(struct dlq_load_evidence *evidence, double iteration, long stalls, long iterations);

/* The pipeline as a system of one rank: constant loads and steps of these means (s). DLQ_INVALID: it makes none. */
enum dlq_status dlq_evidence_system(const struct dlq_load_evidence *evidence, double load, double step,
                                    const struct dlq_measured_overheads *overheads, struct dlq_system *system,
                                    struct dlq_error *error);
/* The same with loads and steps by fitted laws. */
enum dlq_status dlq_evidence_system_of(const struct dlq_load_evidence *evidence, const struct dlq_fitted *load,
                                       const struct dlq_fitted *step, const struct dlq_measured_overheads *overheads,
                                       struct dlq_system *system, struct dlq_error *error);

/* From the links of a loader that delivers in order; loaders and prefetch are filled in. */
enum dlq_status dlq_loads_from_links(const struct dlq_links *links, uint64_t seed, struct dlq_load_evidence *evidence,
                                     struct dlq_error *error);
/* By simulated moments: see loads_windows.c. */
enum dlq_status dlq_loads_from_moments(const struct dlq_load_question *question, enum dlq_numbers numbers,
                                       struct dlq_load_evidence *evidence, struct dlq_error *error);

#endif
