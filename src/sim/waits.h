/* The waits of one replication, step by step, as its simulation measures them. */
#ifndef DLQ_SIM_WAITS_H
#define DLQ_SIM_WAITS_H

#include "dlqueue/simulate.h"
#include "model/model.h"
#include "sim/measure.h"

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
                                   const struct dlq_run *run, long replication, struct dlq_waits *waits,
                                   struct dlq_error *error);

#endif
