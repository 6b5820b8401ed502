/* One replication of a system's simulation, batch by batch. */
#ifndef DLQ_SIM_RECORD_H
#define DLQ_SIM_RECORD_H

#include "dlqueue/timeline.h"
#include "model/model.h"
#include "sim/options.h"

/* 0 <= from < until, finite: s from the start of the run, warm-up included. */
struct dlq_record_span {
    long replication;
    double from, until;
};

/* The ranks of the system, owned by the caller. Recorded are batches that reach into the span: those that the trainer
   has asked for by `until`, with all their times; others that were dispatched by then (where the window is unbounded:
   whose load has begun by then), with the times of a load that has begun. What is recorded of a batch depends on
   nothing but the run and the span. DLQ_INVALID: more than DLQ_TIMELINE_BATCHES of them, or too many steps before. */
enum dlq_status dlq_record(const struct dlq_system *system, const struct dlq_simulate_options *options,
                           const struct dlq_record_span *span, const struct dlq_run *run,
                           struct dlq_timeline_rank **ranks, struct dlq_error *error);
void dlq_record_free(struct dlq_timeline_rank *ranks, size_t count);

/* -- the waits of the first replication, step by step, as its simulation measures them -- */

struct dlq_waits {
    size_t count;   /* of measured steps: DLQ_PERIOD_WAITS at most */
    double *series; /* s; owned */
    long first;     /* step of the run, from 0, that the first of them precedes */
    long servers;
    double stall_above; /* s */
    double stepping,
        time; /* s of these steps, with their pauses; and from the end of the step before to the end of the last */
    double stalled; /* share of them with W above stall_above */
};

/* Untouched unless DLQ_OK. No waits: a horizon that no step ends in. */
enum dlq_status dlq_waits_simulate(const struct dlq_system *system, const struct dlq_simulate_options *options,
                                   const struct dlq_run *run, struct dlq_waits *waits, struct dlq_error *error);

#endif
