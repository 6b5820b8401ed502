/* Works whose times vary less: what a lever makes of a law. */
#ifndef DLQ_MODEL_RESHAPE_H
#define DLQ_MODEL_RESHAPE_H

#include "model/load.h"

/* Each changes the units of every stage that varies (with the share of units that have the stage). Where the family
   can't say it, the new law is an empirical one of DLQ_RESHAPED quantiles, which `data` then owns. *changed: whether
   there was such a stage. Not for an infinite variance: nothing changes. */
enum { DLQ_RESHAPED = 1024 };

/* Half the variance at the same mean m: the family's law of that cv, m + (x - m)/sqrt 2 for every time x,
   or, of a stage that hardly a unit has, half the time twice as often. */
enum dlq_status dlq_work_halve_variance(struct dlq_work *work, struct dlq_data *data, bool *changed,
                                        struct dlq_error *error);
/* No unit takes longer than DLQ_TAIL of them do; a stage that fewer than 1 - DLQ_TAIL of the units have is gone. */
#define DLQ_TAIL 0.95
enum dlq_status dlq_work_cut_tail(struct dlq_work *work, struct dlq_data *data, bool *changed, struct dlq_error *error);
/* Half the bytes of stages that use storage, in half the time; false where there are none. */
bool dlq_work_halve_bytes(struct dlq_work *work);
/* A stage takes no time: the others keep their draws. */
void dlq_work_free_stage(struct dlq_work *work, size_t stage);

#endif
