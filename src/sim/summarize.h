/* From the outcomes of replications to what is reported. */
#ifndef DLQ_SIM_SUMMARIZE_H
#define DLQ_SIM_SUMMARIZE_H

#include "dlqueue/simulate.h"
#include "model/model.h"
#include "sim/measure.h"

/* One point's outcomes: replication r's is first[r * stride]. */
struct dlq_outcomes {
    const struct dlq_outcome *first;
    size_t stride, count;
    long batches; /* measured in each */
};

/* `values` is scratch for outcomes->count values. */
void dlq_summarize_throughput(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                              const struct dlq_simulate_options *options, double *values,
                              struct dlq_simulation *result);
/* Of each replication, adjusted for its controls: seconds[outcomes->count]. */
void dlq_summarize_seconds(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                           const struct dlq_simulate_options *options, double *values, double *seconds);
/* All but the waits' quantiles and their period; the throughput and replications must be filled in before. */
void dlq_summarize(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                   const struct dlq_simulate_options *options, double *values, struct dlq_simulation *result);

#endif
