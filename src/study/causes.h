/* Which cause costs most, for many systems at once. */
#ifndef DLQ_STUDY_CAUSES_H
#define DLQ_STUDY_CAUSES_H

#include "dlqueue/error.h"
#include "model/model.h"
#include "sim/options.h"

struct dlq_run;
struct dlq_loss;

/* worst[i]: as dlq_worst_loss says of systems[i]; its throughput is a factor, with the cause away over as it is. The
   systems share their draws. Found by one wave of short runs, on the same draws with and without the cause. */
enum dlq_status dlq_worst_causes(const struct dlq_system *const *systems, size_t count,
                                 const struct dlq_simulate_options *options, const struct dlq_run *run,
                                 struct dlq_loss *worst, struct dlq_error *error);

#endif
