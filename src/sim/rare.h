/* What loads and steps too rare for an experiment may add to its mean times: known from their laws, whatever was
   drawn. */
#ifndef DLQ_SIM_RARE_H
#define DLQ_SIM_RARE_H

#include "model/model.h"

/* Fewer occurrences than these are few: neither their number nor their effect can be learned from the draws. */
enum { DLQ_FEW_EVENTS = 10 };

struct dlq_rare {
    double missed;   /* s per batch: at most what is too rare to be counted on adds; 0 where an interval of the rest
                        allows for as much, or it is less than 1e-4 of the time per batch */
    double expected; /* occurrences in the experiment of what adds most to that */
    double events;   /* what comes of stages that not every batch has varies as if by so many occurrences; INFINITY:
                        there are none */
};

/* An experiment: so many batches of each rank in all, that take so long each; horizon (s): what is measured of a
   replication, INFINITY where batches are; resolution (s): the tick to which loads are rounded up, 0: none. */
struct dlq_experiment {
    double batches, seconds, horizon, resolution;
};

void dlq_rare_find(const struct dlq_system *system, const struct dlq_experiment *experiment, struct dlq_rare *rare);
/* The fewest batches, within 1 %, at which nothing is missed; INFINITY: more than 1e15. */
double dlq_rare_batches(const struct dlq_system *system, const struct dlq_experiment *experiment);

#endif
