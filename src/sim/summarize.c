/* Estimates and intervals of a point, from the outcomes of its replications. */
#include "sim/session.h"

#include <float.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

bool dlq_simulation_has_intervals(const struct dlq_simulation *simulation)
{
    return simulation->replications != 1 || simulation->precision_reached;
}

struct summary {
    const struct dlq_outcomes *outcomes;
    double batches; /* of all replications */
    struct dlq_rare rare;
};

static size_t stride_of(const struct dlq_outcomes *outcomes)
{
    return outcomes->stride * (sizeof *outcomes->first / sizeof(double));
}

static struct dlq_estimate plain_mean(const struct dlq_outcomes *outcomes, size_t offset)
{
    for (size_t r = 0; r < outcomes->count; r++) {
        const struct dlq_outcome *outcome = &outcomes->first[r * outcomes->stride];
        outcomes->values[r] = *(const double *)((const char *)outcome + offset);
    }
    return dlq_estimate_of(outcomes->values, outcomes->count);
}

/* Stalled steps in all replications; INFINITY: waits were not measured. */
static double stalls(const struct dlq_outcomes *outcomes)
{
    if (outcomes->options->measure == DLQ_MEASURE_THROUGHPUT)
        return INFINITY;
    double sum = 0;
    for (size_t r = 0; r < outcomes->count; r++)
        sum += outcomes->first[r * outcomes->stride].stalled * (double)outcomes->batches;
    return sum;
}

/* If steps are constant or have a control variate, the times of replications differ only by their stalls. */
static bool steps_are_known(const struct dlq_outcomes *outcomes)
{
    const struct dlq_work *step = &outcomes->system->step;
    return dlq_work_is_constant(&outcomes->system->extra) &&
           (dlq_work_is_constant(step) || (isfinite(step->variance) && outcomes->count >= 2 + DLQ_LEAST_DEGREES));
}

/* The sample outcomes->values with its controls. by_stalls_alone: values differ only by their stalls. With few stalled
   steps the last two controls, those of waits, are left out: they would explain each of these steps, and no residuals
   would remain from which to estimate an error. */
static struct dlq_controlled_sample sample_of(const struct summary *summary, bool by_stalls_alone)
{
    const struct dlq_outcomes *outcomes = summary->outcomes;
    const double stalled = stalls(outcomes);
    return (struct dlq_controlled_sample){
        .values = outcomes->values,
        .controls = outcomes->first->controls,
        .n = outcomes->count,
        .stride = stride_of(outcomes),
        .count = stalled < DLQ_CONTROLS + DLQ_LEAST_DEGREES ? DLQ_CONTROL_WAIT : DLQ_CONTROLS,
        .events = fmin(by_stalls_alone ? stalled : INFINITY, summary->rare.events),
        .seen = summary->rare.events,
    };
}

/* The mean of outcomes->values by regression on the controls; their plain mean if the regression is negative, because
   all values are 0 or more. */
static struct dlq_controlled controlled(const struct summary *summary, bool by_stalls_alone)
{
    struct dlq_controlled_sample sample = sample_of(summary, by_stalls_alone);
    struct dlq_controlled result;
    dlq_control(&sample, &result);
    if (result.estimate.value < 0) {
        sample.count = 0;
        dlq_control(&sample, &result);
    }
    return result;
}

static void clip(struct dlq_estimate *estimate, double most)
{
    estimate->value = fmin(fmax(estimate->value, 0), most);
    estimate->low = fmin(fmax(estimate->low, 0), most);
    estimate->high = fmin(fmax(estimate->high, 0), most);
}

static void set_seconds(const struct dlq_outcomes *outcomes)
{
    for (size_t r = 0; r < outcomes->count; r++)
        outcomes->values[r] = 1 / outcomes->first[r * outcomes->stride].throughput;
}

static struct dlq_experiment experiment_of(const struct dlq_outcomes *outcomes, double throughput)
{
    const double horizon = outcomes->options->horizon;
    return (struct dlq_experiment){
        .batches = (double)outcomes->count * (isnan(horizon) ? (double)outcomes->batches : throughput * horizon),
        .seconds = 1 / throughput,
        .horizon = isnan(horizon) ? INFINITY : horizon,
        .resolution = outcomes->options->resolution,
    };
}

static struct summary summary_of(const struct dlq_outcomes *outcomes)
{
    struct summary summary = {.outcomes = outcomes};
    const double throughput = plain_mean(outcomes, offsetof(struct dlq_outcome, throughput)).value;
    const struct dlq_experiment experiment = experiment_of(outcomes, throughput);
    summary.batches = experiment.batches;
    dlq_rare_find(outcomes->system, &experiment, &summary.rare);
    return summary;
}

/* The regression is for seconds per batch, because they are a sum over the batches: their mean is unbiased, and linear
   in the controls. The throughput is neither. */
void dlq_summarize_throughput(const struct dlq_outcomes *outcomes, struct dlq_simulation *result)
{
    const struct summary summary = summary_of(outcomes);
    result->variance_reduction = NAN;
    if (isnan(outcomes->options->horizon)) {
        set_seconds(outcomes);
        const struct dlq_controlled seconds = controlled(&summary, steps_are_known(outcomes));
        const double low = seconds.estimate.low, value = 1 / seconds.estimate.value;
        /* If the interval of the seconds includes 0, use the slope of 1/x for the upper end. */
        double high = low > 0 ? 1 / low : value + value * value * dlq_estimate_half_width(&seconds.estimate);
        /* Steps do not overlap, so no rate is above one batch per mean step. */
        high = fmin(high, fmax(value, 1 / dlq_system_step_mean(outcomes->system)));
        result->throughput = (struct dlq_estimate){value, 1 / seconds.estimate.high, high};
        result->variance_reduction = seconds.variance_reduction;
    } else {
        result->throughput = plain_mean(outcomes, offsetof(struct dlq_outcome, throughput));
        clip(&result->throughput, INFINITY);
    }
    result->rare_time = summary.rare.missed;
    result->rare_events = summary.rare.missed > 0 ? summary.rare.expected : NAN;
    /* The rare events would add up to `missed` to the seconds per batch. */
    if (outcomes->count > 1)
        result->throughput.low /= 1 + result->rare_time * result->throughput.low;
}

void dlq_summarize_seconds(const struct dlq_outcomes *outcomes, double *seconds)
{
    const struct summary summary = summary_of(outcomes);
    set_seconds(outcomes);
    if (isnan(outcomes->options->horizon)) {
        const struct dlq_controlled_sample sample = sample_of(&summary, steps_are_known(outcomes));
        dlq_control_adjust(&sample, seconds);
    } else {
        memcpy(seconds, outcomes->values, outcomes->count * sizeof *seconds);
    }
}

/* Whether a run stays in a fast or a slow state for longer than it lasts: the halves of a run are correlated beyond
   chance, and the states differ by more than `differ`. Halves of three correlation times each have a correlation of
   0.22. (theory, "When intervals fail") */
static bool is_shorter_than_states(const struct dlq_outcomes *outcomes, double differ)
{
    const double most = 0.2, certain = 3.29; /* 99.9 % */
    const size_t n = outcomes->count, stride = stride_of(outcomes);
    const double *first = &outcomes->first->first_half, *second = &outcomes->first->second_half;
    const double shared = n > 3 ? gsl_stats_covariance(first, stride, second, stride, n) : 0;
    if (!(shared > differ * differ))
        return false;
    const double correlation = gsl_stats_correlation(first, stride, second, stride, n);
    return atanh(fmin(correlation, 1 - DBL_EPSILON)) - certain / sqrt((double)n - 3) > atanh(most); /* Fisher */
}

/* Whether a window in order takes longer to settle than the run lasts, and that may cost more than the precision: the
   leads of N loaders over one another settle within some K^2 / N batches, and until then a run of n batches is off by
   up to cv sqrt(N / n). (theory, "When intervals fail") */
static bool is_shorter_than_window(const struct dlq_outcomes *outcomes, const struct dlq_simulation *result)
{
    const struct dlq_system *system = outcomes->system;
    const long in_flight = dlq_system_in_flight(system);
    const double window = in_flight == DLQ_UNBOUNDED ? INFINITY : (double)in_flight;
    const double loaders = (double)dlq_system_servers(system), n = (double)(outcomes->warmup + outcomes->batches);
    const double most = fmax(1e-3, outcomes->options->precision);
    return dlq_system_loader(system)->order == DLQ_ORDER_INDEX && system->pipeline.epoch_batches == 0 &&
           !(result->utilization.value > 1 - most) && window * window / loaders > n &&
           dlq_work_cv(&system->load) * sqrt(loaders / n) > most;
}

/* Whether the throughputs of the first and the second half of a run differ, clearly and by more than the precision; or
   runs are shorter than the states that they show, or than the window takes to settle. */
static bool still_warming_up(const struct dlq_outcomes *outcomes, const struct dlq_simulation *result)
{
    const double differ = fmax(1e-3, outcomes->options->precision) * result->throughput.value;
    for (size_t r = 0; r < outcomes->count; r++) {
        const struct dlq_outcome *outcome = &outcomes->first[r * outcomes->stride];
        outcomes->values[r] = outcome->second_half - outcome->first_half;
        if (isnan(outcomes->values[r]))
            return false;
    }
    return dlq_differs(outcomes->values, outcomes->count, 0.999, differ) || is_shorter_than_states(outcomes, differ) ||
           is_shorter_than_window(outcomes, result);
}

static void scale(struct dlq_estimate *estimate, double factor)
{
    estimate->value *= factor;
    estimate->low *= factor;
    estimate->high *= factor;
}

/* A figure: how it is estimated from outcomes, its upper bound, and how rare events may change it. */
struct figure {
    /* Offsets of members: from, whole in struct dlq_outcome, to in struct dlq_simulation. The figure is from / whole,
       of sums over the replications; whole 0: the mean of `from`. */
    size_t from, to, whole;
    bool linear;       /* linear in the controls: estimated by regression */
    bool rate;         /* proportional to the throughput */
    double most;       /* upper bound; the lower bound is 0 */
    double per_missed; /* if not a rate: how much a second missed per batch adds */
    double none;       /* the value if nothing was measured */
};

#define FROM(field) offsetof(struct dlq_outcome, field)
#define TO(field) offsetof(struct dlq_simulation, field)

static struct dlq_estimate share_of(const struct dlq_outcomes *outcomes, const struct figure *figure)
{
    const char *first = (const char *)outcomes->first;
    return dlq_share_of((const double *)(first + figure->from), (const double *)(first + figure->whole),
                        stride_of(outcomes), outcomes->count);
}

static void estimate_figure(const struct summary *summary, const struct figure *figure, struct dlq_simulation *result)
{
    struct dlq_estimate *estimate = (struct dlq_estimate *)((char *)result + figure->to);
    *estimate = figure->whole > 0 ? share_of(summary->outcomes, figure) : plain_mean(summary->outcomes, figure->from);
    if (isnan(estimate->value)) {
        *estimate = (struct dlq_estimate){figure->none, figure->none, figure->none};
        return;
    }
    if (figure->linear)
        /* Waits differ only by stalls, whatever the steps. */
        *estimate = controlled(summary, figure->from == FROM(wait_mean) || steps_are_known(summary->outcomes)).estimate;
    if (figure->rate && summary->outcomes->count > 1)
        estimate->low /= 1 + result->rare_time * result->throughput.value;
    else if (summary->outcomes->count > 1)
        estimate->high += result->rare_time * figure->per_missed;
    clip(estimate, figure->most);
}

void dlq_summarize(const struct dlq_outcomes *outcomes, struct dlq_simulation *result)
{
    const struct dlq_system *system = outcomes->system;
    const struct summary summary = summary_of(outcomes);
    const double epoch = (double)system->pipeline.epoch_batches;
    /* Stalled steps per second missed: each missed event stalls a step. */
    const double stalls_per_missed =
        summary.rare.missed > 0 ? summary.rare.expected / summary.batches / summary.rare.missed : 0;
    /* from, to, whole, linear, rate, most, per_missed, none */
    const struct figure shares[] = {{FROM(trained), TO(utilization), FROM(seconds), false, true, 1, 0, NAN},
                                    {FROM(au_stepping), TO(au), FROM(au_seconds), false, true, 1, 0, NAN},
                                    {FROM(stepping), TO(stepping), FROM(seconds), false, true, 1, 0, NAN},
                                    {FROM(pausing), TO(pause_share), FROM(seconds), false, true, 1, 0, NAN}};
    /* With a horizon a replication may have few batches or none, so all batches of all replications count alike. */
    const bool has_horizon = !isnan(outcomes->options->horizon);
    const struct figure waits[] = {{has_horizon ? FROM(waited) : FROM(wait_mean), TO(wait_mean),
                                    has_horizon ? FROM(batches) : 0, !has_horizon, false, INFINITY, 1, 0},
                                   {has_horizon ? FROM(stalls) : FROM(stalled), TO(stalled_steps),
                                    has_horizon ? FROM(batches) : 0, false, false, 1, stalls_per_missed, 0}};
    const struct figure others[] = {
        {FROM(batches), TO(batches), 0, false, true, INFINITY, 0, NAN},
        {FROM(first_batch), TO(time_to_first_batch), 0, false, false, INFINITY, 1, NAN},
        {FROM(epoch_seconds), TO(epoch_seconds), 0, true, false, INFINITY, epoch, NAN},
    };
    result->samples_per_second = result->throughput;
    scale(&result->samples_per_second, (double)(system->pipeline.batch_size * system->pipeline.ranks));
    result->utilization = result->stepping = result->au = result->pause_share = dlq_no_estimate;
    result->wait_mean = result->stalled_steps = dlq_no_estimate;
    for (size_t i = 0; i < 2 && system->step.mean > 0; i++)
        estimate_figure(&summary, &shares[i], result);
    const bool waits_known = outcomes->options->measure != DLQ_MEASURE_THROUGHPUT;
    if (waits_known && dlq_system_step_cpu_share(system) > 0 && dlq_system_cpu_factor(system) > 1)
        estimate_figure(&summary, &shares[2], result);
    if (dlq_system_extra_mean(system, true) > 0)
        estimate_figure(&summary, &shares[3], result);
    /* In the long run the utilization is the throughput times the mean step, which is used if the steps are constant or
       controlled for. Else it stays the measured share, whose numerator and denominator have the same steps. */
    const bool known =
        dlq_work_is_constant(&system->step) || (!isnan(result->variance_reduction) && isfinite(system->step.variance));
    if (system->step.mean > 0 && known && isnan(outcomes->options->horizon) && system->extra.count == 0) {
        result->utilization = result->throughput;
        scale(&result->utilization, system->step.mean);
        clip(&result->utilization, 1);
    }
    for (size_t i = 0; i < 2 && waits_known; i++)
        estimate_figure(&summary, &waits[i], result);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        estimate_figure(&summary, &others[i], result);
    result->cpu_slowdown = plain_mean(outcomes, FROM(cpu_slowdown)).value;
    result->storage_slowdown = plain_mean(outcomes, FROM(storage_slowdown)).value;
    result->rare_batches = NAN;
    if (result->rare_time > 0) {
        const struct dlq_experiment experiment = experiment_of(outcomes, result->throughput.value);
        result->rare_batches = dlq_rare_batches(system, &experiment);
    }
    /* If epochs are given, the user wants the start of the run measured, too. */
    result->still_warming_up = system->pipeline.epochs == 0 && still_warming_up(outcomes, result);
    result->heavy_tail = isinf(system->load.variance) || isinf(system->step.variance);
}
