/* What a record shows besides its times: loads that are slow together, a change during the run, pauses (theory:
 * prediction from a trace). */
#ifndef DLQ_STUDY_FIT_SIGNS_H
#define DLQ_STUDY_FIT_SIGNS_H

#include "stats/stats.h"
#include "study/replay/replay.h"

/* -- a run in order of index: batch i on worker i mod N, K of them dispatched ahead, as PyTorch has it -- */

/* In which no load makes headway; s. */
struct dlq_standstill {
    double from, until;
};

struct dlq_in_order {
    long loaders, window; /* 0: the trainer loads */
    double dispatch, deliver, receive;
    const struct dlq_standstill *standstills; /* ascending, apart */
    size_t standstill_count;
};

/* Plays an epoch of n batches from `ready`, when workers may start and the trainer asks for the first. Fills n of each:
   when loads began and ended, when batches were received, when their steps ended; `received` may be overwritten. */
struct dlq_in_order_times {
    double *starts, *ends, *received, *finished;
};
void dlq_in_order_epoch(const struct dlq_in_order *run, const double *loads, const double *steps, size_t n,
                        double ready, const struct dlq_in_order_times *times);

/* -- what the record shows -- */

struct dlq_record_times {
    const double *loads, *steps, *startup; /* of each batch in order of dispatch, of each epoch; s */
    const struct dlq_measured_overheads *overheads;
};

struct dlq_signs {
    bool burst;    /* slow loads run beside slow ones */
    bool together; /* very slow ones do: something stood still for all */
    bool order;    /* the order of the loads makes the run slower, or faster */
    bool drift, first_epoch;
    struct dlq_level_change change; /* of a drift; first_epoch: of the others against the first */
    /* Pauses of the trainer: steps `pause_first`, and every `pause_every` from there; 0: none. */
    size_t pause_every, pause_first;
    double step, pause, pause_share; /* the usual step, a pause in the mean, s; its share of the time of the run */
    size_t epoch_every;              /* long waits every so many batches: epochs that are not marked; 0: none */
    /* Where `together`: the work of each load without the standstills, and these from the first request. */
    double *work;
    struct dlq_standstill *standstills;
    size_t standstill_count;
    double seconds; /* of the run */
};

/* Of a single rank, with starts of all loads. The first four are for PyTorch's order and two workers or more. */
enum dlq_status dlq_signs_find(struct dlq_arena *arena, const struct dlq_measured_run *measured,
                               const struct dlq_record_times *times, uint64_t seed, struct dlq_signs *signs);

#endif
