/* The recursion that the simulation repeats, on given times: when is each batch delivered, if the load and step times
   of all batches are known? The logs include no other header of the simulation. */
#pragma once

#include "dlqueue/loaders.h"

/* Times in s. The caller sets the first group of fields; dlq_recursion_complete fills in the second. */
struct dlq_recursion_pipeline {
    const struct dlq_loader *loader;
    long loaders, prefetch;
    long ranks;                                 /* 0: one */
    double dispatch, deliver, receive, barrier; /* of a serial loader dispatch, deliver and receive become 0 */

    long servers;     /* that load batches one at a time: 1 where the trainer, or all threads together, load */
    long threads;     /* of a server: a load takes its work divided by them */
    long window;      /* batches dispatched and not yet delivered, at most; LONG_MAX: unbounded. May be lowered. */
    size_t in_flight; /* batches of a rank, at most */
    size_t ahead;     /* a run of n steps reads up to n + ahead loads of each rank */
};

void dlq_recursion_complete(struct dlq_recursion_pipeline *pipeline);

struct dlq_recursion;

/* Of a complete pipeline, which is copied. Null: no memory. */
struct dlq_recursion *dlq_recursion_new(const struct dlq_recursion_pipeline *pipeline);
void dlq_recursion_free(struct dlq_recursion *recursion); /* null is allowed */

/* Starts a run at time 0; receiving a batch takes `receive`. */
void dlq_recursion_reset(struct dlq_recursion *recursion, double receive);

/* Starts an epoch of `batches` (LONG_MAX: endless). Workers are ready at `ready`; worker w of rank r starts its first
   load offsets[r * servers + w] later (null: at once). */
void dlq_recursion_epoch(struct dlq_recursion *recursion, double ready, const double *offsets, long batches);

/* The next n steps of the epoch. Load times of rank r: loads[r * stride + i] in order of dispatch; steps[i]: from the
   last rank's reception to the end of the step. Results: delivered[i], when the last rank has its batch and the barrier
   is passed; finished[i], when the step ends. */
void dlq_recursion_advance(struct dlq_recursion *recursion, const double *loads, size_t stride, const double *steps,
                           size_t n, double *delivered, double *finished);
