/* How many loaders are enough. */
#ifndef DLQ_STUDY_SUFFICES_H
#define DLQ_STUDY_SUFFICES_H

#include "dlqueue/error.h"
#include "dlqueue/simulate.h"
#include "model/model.h"

struct dlq_sufficient {
    long loaders;       /* 0: none up to the most tried */
    double utilization; /* simulated, with so many; with the most tried where none is enough */
    long most_tried;    /* 0: the loads vary so much that the simulation can't tell a number */
};

/* The least number of loaders, from 1 to most, with which the simulated utilization reaches `target` (0..1). Another
   number of loaders meets the same draws, so that the answer depends on the seed alone. A system without loaders is
   given those of pytorch. DLQ_INVALID where the system has no step, or can't be simulated. */
enum dlq_status dlq_suffices(const struct dlq_system *system, double target, long most, const struct dlq_run *run,
                             struct dlq_sufficient *found, struct dlq_error *error);

/* The loaders of pytorch, to a system whose trainer can but load for itself. */
void dlq_suffices_give_loaders(struct dlq_system *system);

#endif
