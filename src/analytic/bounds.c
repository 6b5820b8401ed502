/* All bounds of a system, with load times rounded up to ticks; the names of causes. */
#include "analytic/analytic.h"

#include <math.h>

#define NAME(id, name, has_loss) name,
const char *const dlq_cause_names[DLQ_CAUSES] = {DLQ_EACH_CAUSE(NAME)};

const char *dlq_cause_name(enum dlq_cause cause)
{
    return dlq_cause_names[cause];
}

enum { MOST_TICKS = 100000, BLOCKS = 8192 /* beyond MOST_TICKS, tick k begins a block of k / BLOCKS ticks */ };
static const long farthest_tick = 1000000000000000;

/* P(S > k q); the simulation counts a load of k + 1e-9 ticks as k ticks. */
static double beyond_tick(const struct dlq_sum *time, double scale, double q, long k)
{
    return dlq_sum_survival(time, q * ((double)k + 1e-9) / scale);
}

/* q times the sum of P(S > k q) over k = 0, 1, ...: tick by tick up to MOST_TICKS, then in blocks of ticks by the
   trapezoidal rule. For a step function the value at the end of a block is used, which is not too large, so that upper
   bounds stay bounds; the result is at least the mean. */
double dlq_rounded_mean(const struct dlq_sum *time, double scale, double q)
{
    if (scale * time->mean > MOST_TICKS * q)
        return scale * time->mean + q / 2;
    const struct dlq_term term = {.time = time, .scale = scale, .count = 1, .copies = 1};
    double sum = 0, beyond = beyond_tick(time, scale, q, 0);
    bool stepwise = dlq_sum_has_steps(time);
    long k = 0;
    while (k < farthest_tick && beyond >= 1e-18) {
        long next = k + (k < MOST_TICKS ? 1 : k / BLOCKS);
        double left = beyond;
        beyond = beyond_tick(time, scale, q, next);
        sum += stepwise && next - k > 1 ? (double)(next - k) * beyond
                                        : 0.5 * (double)(next - k) * (left + beyond) + 0.5 * (left - beyond);
        k = next;
    }
    /* Power laws, and sums beyond their grid, have a mean beyond the last tick. */
    return fmax(q * sum + dlq_terms_tail(&term, 1, q * (double)k), scale * time->mean);
}

/* With slow loaders or ranks, loads have several means, which rounding changes by different factors. The bounds of such
   a system are computed without rounding; as rounding only lengthens loads, upper bounds still hold. */
static bool has_one_mean(const struct dlq_system *system)
{
    return system->pipeline.slow_loaders == 0 && system->pipeline.slow_ranks == 0;
}

enum dlq_status dlq_system_rounded(const struct dlq_system *system, double resolution,
                                   struct dlq_bounds_context *context, struct dlq_system *rounded,
                                   struct dlq_error *error)
{
    *rounded = *system;
    if (resolution == 0 || !has_one_mean(system))
        return DLQ_OK;
    TRY(dlq_kept_sum_make(&context->plain_load, &system->load, 1, 1, 1, error));
    double mean = dlq_rounded_mean(&context->plain_load.time, dlq_system_load_mean(system), resolution);
    double factor = mean / dlq_system_load_mean(system);
    dlq_work_set_mean(&rounded->load, system->load.mean * factor);
    rounded->rounding = factor - 1;
    return DLQ_OK;
}

enum dlq_status dlq_system_bounds(const struct dlq_system *system, double resolution,
                                  struct dlq_bounds_context *context, struct dlq_bounds *bounds,
                                  struct dlq_error *error)
{
    struct dlq_bounds found;
    struct dlq_system rounded;
    TRY(dlq_system_rounded(system, resolution, context, &rounded, error));
    dlq_system_upper(&rounded, &found);
    /* Rounding adds less than a tick, slowed by sharing, to each load. A dispatch latency of that time delays at least
       as much. */
    struct dlq_system delayed = *system;
    double tick = resolution * fmax(dlq_system_cpu_factor(system), dlq_system_storage_factor(system));
    bool alone = dlq_system_is_serial(system) && system->pipeline.ranks == 1;
    if ((alone || dlq_work_is_constant(&system->load)) && has_one_mean(system))
        delayed.load = rounded.load;
    else if (dlq_system_is_serial(system)) /* no dispatch; the pin time is part of the cycle */
        delayed.overheads.pin_time += tick;
    else
        delayed.overheads.dispatch += tick;
    TRY(dlq_system_lower(&delayed, context, &found.lower, error));
    if (found.lower > found.upper * (1 + 1e-9))
        return dlq_error_add(error, DLQ_FAILURE, "bounds crossed: lower %.17g, upper %.17g (%s)", found.lower,
                             found.upper, dlq_cause_name(found.bottleneck));
    found.lower = found.lower > found.upper ? found.upper : found.lower;
    *bounds = found;
    return DLQ_OK;
}

enum dlq_status dlq_kept_sum_make(struct dlq_kept_sum *kept, const struct dlq_work *work, long units, double cpu_factor,
                                  double storage_factor, struct dlq_error *error)
{
    if (kept->units == units && kept->cpu_factor == cpu_factor && kept->storage_factor == storage_factor)
        return DLQ_OK;
    struct dlq_kept_sum new = {.units = units, .cpu_factor = cpu_factor, .storage_factor = storage_factor};
    struct dlq_work unit = *work;
    struct dlq_part parts[DLQ_MOST_STAGES];
    dlq_work_set_mean(&unit, 1);
    size_t count = dlq_work_parts(&unit, cpu_factor, storage_factor, parts);
    for (size_t i = 0; i < count; i++)
        parts[i].units *= units;
    TRY(dlq_sum_make(&new.time, parts, count, error));
    dlq_sum_free(&kept->time);
    *kept = new;
    return DLQ_OK;
}

void dlq_bounds_context_free(struct dlq_bounds_context *context)
{
    dlq_sum_free(&context->load.time);
    dlq_sum_free(&context->plain_load.time);
    dlq_sum_free(&context->step_round.time);
    *context = (struct dlq_bounds_context){0};
}
