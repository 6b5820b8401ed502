/* What a pipeline with lognormal loads would show in its log: simulated, on the same draws for every load. */
#ifndef DLQ_STUDY_MOMENTS_H
#define DLQ_STUDY_MOMENTS_H

#include "dlqueue/error.h"
#include "sim/kernel.h"

/* Of the waits in a log; NAN where it does not show one. */
struct dlq_moments {
    double mean;    /* s */
    double stalled; /* share above a threshold */
    double spread;  /* standard deviation of single waits */
    double windows; /* standard deviation of their means over windows */
};

struct dlq_mimic; /* a pipeline to be simulated */

/* step, step_cv: what the log shows; window: iterations per line; stall_above in s. Overheads are those of the point.
   The seed alone decides the draws. */
struct dlq_mimic_question {
    const struct dlq_system *system; /* loads and steps of any mean; one rank */
    double step_mean, step_cv, stall_above;
    long window;
    uint64_t seed;
};
enum dlq_status dlq_mimic_begin(struct dlq_mimic **mimic, const struct dlq_mimic_question *question,
                                struct dlq_error *error);
/* With loads of that mean (s) and cv. */
void dlq_mimic_moments(struct dlq_mimic *mimic, double mean, double cv, struct dlq_moments *moments);
/* The mean load with which the mean wait is `wait`, between 0 and `most`. */
double dlq_mimic_mean(struct dlq_mimic *mimic, double cv, double wait, double most);
void dlq_mimic_end(struct dlq_mimic *mimic);

#endif
