/* One replication of the simulation of a system: its batches, or its waits. */
#pragma once

#include "dlqueue/record.h"
#include "dlqueue/simulate.h"
#include "model/model.h"
#include "sim/options.h"

/* 0 <= from < until, finite; s from the start of the run, warm-up included. */
struct dlq_record_span {
    long replication;
    double from, until;
};

/* Records the batches of all ranks that reach into the span; the caller frees *ranks. Batches that the trainer
   requested by `until` have all their times. Others are recorded if they were dispatched by then (with an unbounded
   window: if their load began by then), with the times of their load if the load began. DLQ_INVALID: more than
   DLQ_TIMELINE_BATCHES batches, or too many steps before `from`. */
enum dlq_status dlq_record(const struct dlq_system *system, const struct dlq_simulate_options *options,
                           const struct dlq_record_span *span, const struct dlq_run *run,
                           struct dlq_timeline_rank **ranks, struct dlq_error *error);
void dlq_record_free(struct dlq_timeline_rank *ranks, size_t count);

/* The waits of the measured steps of replication 0, as its simulation measures them. */
struct dlq_waits {
    size_t count;   /* at most DLQ_PERIOD_WAITS */
    double *series; /* s; owned */
    long first;     /* number in the run, from 0, of the step after the first wait */
    long servers;
    double stall_above; /* s */
    double stepping;    /* s in these steps, with their pauses */
    double time;        /* s from the end of the step before the first wait to the end of the last step */
    double stalled;     /* share of waits above stall_above */
};

/* count 0: no step ends within the horizon. */
enum dlq_status dlq_waits_simulate(const struct dlq_system *system, const struct dlq_simulate_options *options,
                                   const struct dlq_run *run, struct dlq_waits *waits, struct dlq_error *error);
