/* Whether a simulation contradicts a bound, which is an error of dlqueue, or runs in lockstep. */
#include "base/elementary.h"
#include "stats/stats.h"
#include "study/solve/solve.h"

#include <math.h>

static double squared_cv(const struct dlq_work *work)
{
    return work->mean > 0 ? work->variance / work->mean / work->mean : 0;
}

/* The number of batches whose loads may lie outside of the measured time. At its start K batches may be in flight. At
   its end loads are under way whose batches are not counted, although part of these loads lies inside. A load under way
   at a given moment is longer than the mean load, E[S^2]/E[S] = s (1 + cv^2) at most (Lorden 1970, "On excess over the
   boundary", Annals of Mathematical Statistics 41(2)); with delivery in order, loads under way are like all others.
   Whole epochs start and end with an empty window. In an unbounded window there may be as many batches as loaders get
   ahead by chance. */
static double batches_outside(const struct dlq_system *system, const struct dlq_simulate_options *options,
                              double batches)
{
    bool horizon = !isnan(options->horizon), in_order = dlq_system_loader(system)->order == DLQ_ORDER_INDEX;
    double loads = squared_cv(&system->load), steps = squared_cv(&system->step);
    double window = (double)dlq_system_in_flight(system), servers = (double)dlq_system_servers(system);
    if (system->pipeline.epoch_batches > 0 && !horizon)
        return 0;
    if (dlq_system_in_flight(system) == DLQ_UNBOUNDED)
        window = servers + 5 * sqrt((1 + loads + steps) * batches);
    if (in_order && !horizon)
        return window;
    return window * (1 + loads) + steps + 1;
}

double dlq_few_phases(const struct dlq_slowdown *slowdown, const struct dlq_simulation *simulation)
{
    double batches = (double)simulation->replications * (double)simulation->batches_per_replication;
    double phases = batches / simulation->throughput.value / (slowdown->interval + slowdown->duration);
    return slowdown->times.count == 0 && phases < DLQ_ENOUGH_PHASES ? phases : NAN;
}

double dlq_outside_bound(const struct dlq_system *system, const struct dlq_simulate_options *options,
                         const struct dlq_bounds *bounds, const struct dlq_simulation *simulation)
{
    static const double level = 1e-6, rounding = 1e-6, few = 1000;
    const struct dlq_estimate *throughput = &simulation->throughput;
    const struct dlq_pipeline *pipeline = &system->pipeline;
    bool horizon = !isnan(options->horizon);
    double runs = (double)simulation->replications, batches = (double)simulation->batches_per_replication;
    if (!dlq_simulation_has_intervals(simulation) || !(throughput->value > 0) || !(throughput->low > 0))
        return NAN;
    for (size_t j = 0; system->slowdowns != NULL && j < system->slowdowns->count; j++)
        if (!isnan(dlq_few_phases(&system->slowdowns->rows[j], simulation)))
            return NAN;
    /* Intervals are of seconds per batch; control variates leave at least half of the degrees of freedom. */
    double seconds = 1 / throughput->value, degrees = fmax(1, (runs - 1) / 2);
    double wide = runs > 1 ? dlq_student(1 - level / 2, degrees) / dlq_student(0.975, degrees) : 0;
    double longest = seconds + wide * (1 / throughput->low - seconds);
    double shortest = seconds - wide * (seconds - 1 / throughput->high);
    double upper = bounds->upper, lower = bounds->lower,
           uneven = 0; /* s: pauses and rare stages of the step, above their mean per step */
    const struct dlq_work extra = dlq_system_extra_work(system);
    for (size_t i = 0; i < extra.count; i++)
        uneven += dlq_work_stage_mean(&extra, &extra.stages[i]) * (1 - 1 / (double)extra.stages[i].every);
    if (runs > 0) {
        double outside = batches_outside(system, options, batches);
        upper *= outside < batches ? batches / (batches - outside) : INFINITY;
        /* Lower bounds count whole rounds: the first one fills the pipeline, and the last one may be cut off. */
        double rounds = 2 * (double)dlq_system_servers(system) + outside;
        double slowest = pipeline->slow_loaders + pipeline->slow_ranks > 0 ? pipeline->slow_factor : 1;
        double late = dlq_system_startup(system) + slowest * dlq_system_load_mean(system) + uneven;
        if (horizon)
            rounds += (double)pipeline->epoch_batches;
        lower = batches / ((batches + rounds) / bounds->lower + late);
    }
    /* In a finite run, too, the trainer makes one step after the other. */
    if (!horizon && !isnan(bounds->step))
        upper = fmin(upper, fmin(bounds->step, isnan(bounds->receive) ? INFINITY : bounds->receive));
    if (runs > 0)
        upper = uneven * upper < batches ? upper / (1 - uneven * upper / batches) : INFINITY;
    /* The factor by which few draws may be faster than their mean by chance. Intervals do not show it: of a
       distribution with one long draw in fifty, none may have been drawn. Sums of n positive values lie below n m - t
       with probability exp(-t^2 / (2 n E[X^2])) at most (Maurer 2003, "A bound on the deviation probability for sums of
       non-negative random variables", theorem 2). Check: 160 draws of cv 1 are at most 2.43 times as fast, at 1e-6. */
    const double square = 1 + fmax(squared_cv(&system->load), squared_cv(&system->step)), draws = runs * batches;
    const double below = sqrt(2 * dlq_log(1 / level) * square / draws);
    if (runs > 0 && square > 1 && draws < few)
        upper = below < 1 ? upper / (1 - below) : INFINITY;
    if (longest * upper < 1 - rounding)
        return bounds->upper;
    return !isnan(lower) && shortest * lower > 1 + rounding ? bounds->lower : NAN;
}

void dlq_simulation_check(const struct dlq_system *system, const struct dlq_simulate_options *options,
                          const struct dlq_bounds *bounds, struct dlq_simulation *simulation)
{
    simulation->outside_bound = dlq_outside_bound(system, options, bounds, simulation);
    simulation->lockstep = dlq_system_shares(system) && dlq_work_is_constant(&system->load) &&
                           dlq_work_is_constant(&system->step) && !system->cache.given &&
                           options->start == DLQ_START_TOGETHER && simulation->throughput.value < 0.99 * bounds->upper;
}
