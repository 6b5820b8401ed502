#include "sim/summarize.h"

#include "stats/estimate.h"

static struct dlq_estimate estimate(const struct dlq_outcomes *outcomes, size_t offset, double *values)
{
    for (size_t r = 0; r < outcomes->count; r++) {
        const struct dlq_outcome *outcome = &outcomes->first[r * outcomes->stride];
        values[r] = *(const double *)((const char *)outcome + offset);
    }
    return dlq_estimate_of(values, outcomes->count);
}

#define ESTIMATE(field) estimate(outcomes, offsetof(struct dlq_outcome, field), values)

void dlq_summarize_throughput(const struct dlq_outcomes *outcomes, double *values, struct dlq_simulation *result)
{
    result->throughput = ESTIMATE(throughput);
    result->variance_reduction = NAN;
}

/* Do the halves of the measured part differ, by more than the precision asked for could hide? */
static bool still_warming_up(const struct dlq_outcomes *outcomes, double precision, double *values,
                             const struct dlq_simulation *result)
{
    for (size_t r = 0; r < outcomes->count; r++) {
        const struct dlq_outcome *outcome = &outcomes->first[r * outcomes->stride];
        values[r] = outcome->second_half - outcome->first_half;
        if (isnan(values[r]))
            return false;
    }
    return dlq_differs(values, outcomes->count, 0.999, fmax(1e-3, precision) * result->throughput.value);
}

static void scale(struct dlq_estimate *estimate, double factor)
{
    estimate->value *= factor;
    estimate->low *= factor;
    estimate->high *= factor;
}

void dlq_summarize(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                   const struct dlq_simulate_options *options, double *values, struct dlq_simulation *result)
{
    result->samples_per_second = result->throughput;
    scale(&result->samples_per_second, (double)(system->pipeline.batch_size * system->pipeline.ranks));
    result->utilization = result->au = dlq_no_estimate;
    if (system->step.mean > 0) {
        result->utilization = ESTIMATE(utilization);
        result->au = ESTIMATE(au);
    }
    result->wait_mean = result->stalled_steps = dlq_no_estimate;
    if (options->measure != DLQ_MEASURE_THROUGHPUT) {
        result->wait_mean = ESTIMATE(wait_mean);
        result->stalled_steps = ESTIMATE(stalled);
    }
    result->batches = ESTIMATE(batches);
    result->time_to_first_batch = ESTIMATE(first_batch);
    result->epoch_seconds = ESTIMATE(epoch_seconds);
    result->cpu_slowdown = ESTIMATE(cpu_slowdown).value;
    result->storage_slowdown = ESTIMATE(storage_slowdown).value;
    result->still_warming_up = still_warming_up(outcomes, options->precision, values, result);
    result->heavy_tail = isinf(system->load.variance) || isinf(system->step.variance);
}
