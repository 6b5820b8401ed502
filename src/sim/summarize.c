#include "sim/summarize.h"

#include "stats/control.h"
#include "stats/estimate.h"

#include <string.h>

bool dlq_simulation_has_intervals(const struct dlq_simulation *simulation)
{
    return simulation->replications != 1 || simulation->precision_reached;
}

static struct dlq_estimate estimate(const struct dlq_outcomes *outcomes, size_t offset, double *values)
{
    for (size_t r = 0; r < outcomes->count; r++) {
        const struct dlq_outcome *outcome = &outcomes->first[r * outcomes->stride];
        values[r] = *(const double *)((const char *)outcome + offset);
    }
    return dlq_estimate_of(values, outcomes->count);
}

#define ESTIMATE(field) estimate(outcomes, offsetof(struct dlq_outcome, field), values)

/* Where steps are constant or controlled for, replications differ by their stalls alone: how many there were. */
static double rare_events(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                          const struct dlq_simulate_options *options)
{
    bool steps = !dlq_work_is_constant(&system->step);
    if (options->measure == DLQ_MEASURE_THROUGHPUT ||
        (steps && (!isfinite(system->step.variance) || outcomes->count < 2 + DLQ_LEAST_DEGREES)))
        return INFINITY;
    double stalls = 0;
    for (size_t r = 0; r < outcomes->count; r++)
        stalls += outcomes->first[r * outcomes->stride].stalled * (double)outcomes->batches;
    return stalls;
}

static struct dlq_controlled_sample sample_of(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                                              const struct dlq_simulate_options *options, const double *values)
{
    return (struct dlq_controlled_sample){
        .values = values,
        .controls = outcomes->first->controls,
        .n = outcomes->count,
        .stride = outcomes->stride * sizeof *outcomes->first / sizeof(double),
        .count = DLQ_CONTROLS,
        .events = rare_events(outcomes, system, options),
    };
}

/* The mean of values[] by regression on the outcomes' controls. */
static struct dlq_controlled controlled(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                                        const struct dlq_simulate_options *options, const double *values)
{
    const struct dlq_controlled_sample sample = sample_of(outcomes, system, options, values);
    struct dlq_controlled result;
    dlq_control(&sample, &result);
    return result;
}

/* 1/x; where the interval reaches 0, by the slope of 1/x. */
static struct dlq_estimate inverse(const struct dlq_estimate *estimate)
{
    double value = 1 / estimate->value;
    if (estimate->low > 0)
        return (struct dlq_estimate){value, 1 / estimate->high, 1 / estimate->low};
    double half = value * value * dlq_estimate_half_width(estimate);
    return (struct dlq_estimate){value, value - half, value + half};
}

static void take_seconds(const struct dlq_outcomes *outcomes, double *values)
{
    for (size_t r = 0; r < outcomes->count; r++)
        values[r] = 1 / outcomes->first[r * outcomes->stride].throughput;
}

/* Seconds per batch are a sum over the batches, whose mean over replications is unbiased and linear in what the
   controls are sums of; throughput is not. */
void dlq_summarize_throughput(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                              const struct dlq_simulate_options *options, double *values, struct dlq_simulation *result)
{
    result->variance_reduction = NAN;
    if (!isnan(options->horizon)) {
        result->throughput = ESTIMATE(throughput);
        return;
    }
    take_seconds(outcomes, values);
    struct dlq_controlled seconds = controlled(outcomes, system, options, values);
    result->throughput = inverse(&seconds.estimate);
    result->variance_reduction = seconds.variance_reduction;
}

void dlq_summarize_seconds(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                           const struct dlq_simulate_options *options, double *values, double *seconds)
{
    take_seconds(outcomes, values);
    if (isnan(options->horizon)) {
        const struct dlq_controlled_sample sample = sample_of(outcomes, system, options, values);
        dlq_control_adjust(&sample, seconds);
    } else {
        memcpy(seconds, values, outcomes->count * sizeof *seconds);
    }
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

static void clip(struct dlq_estimate *estimate, double least, double most)
{
    estimate->value = fmin(fmax(estimate->value, least), most);
    estimate->low = fmin(fmax(estimate->low, least), most);
    estimate->high = fmin(fmax(estimate->high, least), most);
}

/* In the long run U = X E[T]: so where the steps are constant or controlled for. Else the share that was seen, whose
   numerator and denominator hold the same steps. */
static struct dlq_estimate utilization(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                                       const struct dlq_simulate_options *options, double *values,
                                       const struct dlq_simulation *result)
{
    bool known =
        dlq_work_is_constant(&system->step) || (!isnan(result->variance_reduction) && isfinite(system->step.variance));
    if (!known || !isnan(options->horizon))
        return ESTIMATE(utilization);
    struct dlq_estimate share = result->throughput;
    scale(&share, system->step.mean);
    clip(&share, 0, 1);
    return share;
}

/* Values that are linear in the sums of the random numbers. */
static struct dlq_estimate linear(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                                  const struct dlq_simulate_options *options, size_t offset, double *values)
{
    struct dlq_estimate plain = estimate(outcomes, offset, values);
    return isnan(plain.value) ? plain : controlled(outcomes, system, options, values).estimate;
}

#define LINEAR(field) linear(outcomes, system, options, offsetof(struct dlq_outcome, field), values)

void dlq_summarize(const struct dlq_outcomes *outcomes, const struct dlq_system *system,
                   const struct dlq_simulate_options *options, double *values, struct dlq_simulation *result)
{
    result->samples_per_second = result->throughput;
    scale(&result->samples_per_second, (double)(system->pipeline.batch_size * system->pipeline.ranks));
    result->utilization = result->au = dlq_no_estimate;
    if (system->step.mean > 0) {
        result->utilization = utilization(outcomes, system, options, values, result);
        result->au = ESTIMATE(au);
    }
    result->wait_mean = result->stalled_steps = dlq_no_estimate;
    if (options->measure != DLQ_MEASURE_THROUGHPUT) {
        result->wait_mean = LINEAR(wait_mean);
        clip(&result->wait_mean, 0, INFINITY);
        result->stalled_steps = ESTIMATE(stalled);
        clip(&result->stalled_steps, 0, 1);
    }
    result->batches = ESTIMATE(batches);
    result->time_to_first_batch = ESTIMATE(first_batch);
    result->epoch_seconds = LINEAR(epoch_seconds);
    result->cpu_slowdown = ESTIMATE(cpu_slowdown).value;
    result->storage_slowdown = ESTIMATE(storage_slowdown).value;
    result->still_warming_up = still_warming_up(outcomes, options->precision, values, result);
    result->heavy_tail = isinf(system->load.variance) || isinf(system->step.variance);
}
