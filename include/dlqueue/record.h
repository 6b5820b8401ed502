/* Recorded batches: when each batch of a run was loaded, delivered and trained on; simulated, or from a log. */
#pragma once

#include <stddef.h>

/* The most batches that a record holds, of all ranks together. */
enum { DLQ_TIMELINE_BATCHES = 1 << 20 };

/* A batch of one rank. Points in time in s from the start of the run (of a log: from its first request); NAN: unknown,
   or not reached. */
struct dlq_timeline_batch {
    long worker;       /* from 0; -1: unknown, or the load has not begun */
    long epoch, index; /* epoch, and number in the epoch in order of dispatch, from 0 */
    long step;         /* the step of the run that trains on the batch, from 0; -1: none is recorded */
    double dispatched;
    double load_start, load_end;
    double ready;      /* when the trainer could receive the batch, after pinning, latency and relay */
    double request;    /* the end of the previous step: the trainer requests the batch */
    double received;   /* when the trainer of this rank has the batch */
    double step_begin; /* when the last rank has received and the barrier is passed */
    double step_end;
    double pause; /* s of a pause at the end of the step; 0 in a log */
};

/* A time during which the loads of a worker are slowed. */
struct dlq_slow_phase {
    long worker;        /* from 0 */
    double from, until; /* s from the start of the run; until may be INFINITY */
    double speed;       /* below 1, of the slowest stage; of a linear profile: in the middle of the phase */
};

/* The batches of a rank: the first `stepped` in order of their steps, without gaps; then those without a step, in order
   of dispatch. */
struct dlq_timeline_rank {
    long number; /* in a log: the number that the log gives the rank */
    size_t stepped, count;
    struct dlq_timeline_batch *batches;
    size_t slow_count; /* 0 in a log; only the first DLQ_TIMELINE_BATCHES changes of speed of all ranks are recorded */
    struct dlq_slow_phase *slow; /* by worker, then by time */
};
