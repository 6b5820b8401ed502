/* The budget of the wall clock: where the time of the run went, and whether the parts add up. */
#include "logs/calibration.h"
#include "logs/study/diagnose/diagnose.h"

#include <math.h>

/* The clock of a rank whose batches have points in time: from the first request to the end of the last step. Time
   between epochs belongs to no iteration. rows 0: the batches do not tell. */
static struct dlq_clock clock_of_batches(const struct dlq_rank *rank)
{
    struct dlq_clock clock = {.rows = 0};
    double begin = NAN, end = NAN;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        if (batch->count == 0)
            continue;
        if (isnan(batch->request) || isnan(batch->step_end) || isnan(batch->iter) || isnan(batch->data) ||
            batch->request < end) /* another part of the run, with a clock of its own */
            return (struct dlq_clock){.rows = 0};
        begin = isnan(begin) ? batch->request : begin;
        end = batch->step_end;
        clock.rows++;
        clock.iterations += batch->count;
        clock.timed += batch->iter * batch->count;
        clock.waited += batch->data * batch->count;
    }
    clock.passed = end - begin;
    return clock;
}

/* Pauses between iterations, of any kind. */
static struct dlq_outside pauses_of(const struct dlq_clock *clock)
{
    return (struct dlq_outside){
        .count = clock->pauses.count + clock->validation.count + clock->checkpoints.count,
        .seconds = clock->pauses.seconds + clock->validation.seconds + clock->checkpoints.seconds,
    };
}

/* Whether the parts add up, within two units of the clock and 5 % of the time that it shows. */
static enum dlq_balance balance_of(const struct dlq_clock *clock)
{
    const double slack = 2 * clock->resolution + dlq_calibration.severity_slight * clock->passed;
    const double outside = clock->passed - clock->timed;
    const struct dlq_outside pauses = pauses_of(clock);
    const bool of_lines = clock->resolution > 0;
    if (!(clock->passed > 0) || (of_lines && ((double)clock->rows < dlq_calibration.fewest_alike ||
                                              clock->passed < dlq_calibration.clock_enough * clock->resolution)))
        return DLQ_BALANCE_UNKNOWN;
    if (fabs(outside) <= slack)
        return DLQ_BALANCE_EVEN;
    if (outside < 0)
        return DLQ_BALANCE_OVER;
    return pauses.count > 0 &&
                   (!of_lines || (double)pauses.count <= dlq_calibration.pauses_most * (double)clock->rows) &&
                   fabs(outside - pauses.seconds) <= slack
               ? DLQ_BALANCE_PAUSES
               : DLQ_BALANCE_OUTSIDE;
}

/* The slope of the waits of a rank on its iterations: by how much a longer iteration waits longer. */
static double slope_of_waits(const struct dlq_rank *rank)
{
    struct dlq_spread data = {0}, iter = {0}, step = {0};
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_batch *batch = &rank->batches[i];
        if (batch->count == 0 || isnan(batch->data) || isnan(batch->iter))
            continue;
        dlq_spread_add(&data, batch->data, 1);
        dlq_spread_add(&iter, batch->iter, 1);
        dlq_spread_add(&step, batch->iter - batch->data, 1);
    }
    /* cov(data, iter) = (var(iter) + var(data) - var(step)) / 2, as step = iter - data */
    const double of_iter = dlq_spread_variance(&iter);
    return of_iter > 0
               ? fmin(fmax((of_iter + dlq_spread_variance(&data) - dlq_spread_variance(&step)) / 2 / of_iter, 0), 1)
               : 0;
}

/* The parts where lines show one iteration of several: of their times no pauses follow. If they sum to more than the
   clock shows, they hold too many long iterations. The waits are then those of the regression estimator, whose
   auxiliary variable is the iteration: Cochran (1977), "Sampling Techniques", equation 7.1; W + b (C - T) with the mean
   wait W and iteration T of the lines, the iteration C by the clock and the slope b. If all that varies is the wait,
   that is C less the mean step. */
static void fill_sampled(struct dlq_budget *budget, const struct dlq_clock *clock, const struct dlq_rank *rank)
{
    const double excess = fmax(clock->timed / clock->passed - 1, 0);
    const double waits = isnan(budget->waits) ? 0 : fmax(budget->waits - slope_of_waits(rank) * excess, 0);
    budget->iterations = fmin(clock->timed / clock->passed, 1) - waits;
    budget->waits = isnan(budget->waits) ? NAN : waits;
    budget->validation = budget->checkpoints = budget->pauses = 0;
    budget->unexplained = fmax(1 - clock->timed / clock->passed, 0);
    budget->pause_count = 0;
    budget->pause = NAN;
    budget->balance = budget->balance == DLQ_BALANCE_PAUSES ? DLQ_BALANCE_OUTSIDE : budget->balance;
}

enum dlq_status dlq_diagnose_budget(struct dlq_diagnosing *diagnosing)
{
    struct dlq_diagnosis *result = diagnosing->result;
    struct dlq_budget *budget = &result->budget;
    struct dlq_clock clock = diagnosing->trace->shared.clock;
    if (!(clock.passed > 0) && diagnosing->trace->rank_count == 1 && result->all_kept && result->single_iterations)
        clock = clock_of_batches(diagnosing->waits_most);
    budget->balance = result->unit_unknown ? DLQ_BALANCE_UNKNOWN : balance_of(&clock);
    if (budget->balance == DLQ_BALANCE_UNKNOWN)
        return DLQ_OK;
    /* The times of single iterations include starts of epochs and pauses. */
    const double timed = clock.timed / clock.passed;
    const bool of_batches = clock.resolution == 0 && clock.rows > 0;
    const double starts = of_batches && result->epoch_start_cost > 0 ? timed * result->epoch_start_cost : 0;
    const double within = of_batches && result->pause_share > 0 ? timed * result->pause_share : 0;
    const struct dlq_outside pauses = pauses_of(&clock);
    const double waited = result->has_data ? clock.waited / clock.passed : 0;
    budget->seconds = clock.passed;
    budget->transfer = clock.transfer / clock.passed;
    budget->epoch_starts = starts;
    budget->waits = result->has_data ? waited - starts - (result->pauses_in_data ? within : 0) : NAN;
    budget->iterations = timed - waited - budget->transfer - (result->pauses_in_data ? 0 : within);
    budget->validation = clock.validation.seconds / clock.passed;
    budget->checkpoints = clock.checkpoints.seconds / clock.passed;
    budget->pauses = within + clock.pauses.seconds / clock.passed;
    budget->unexplained = 1 - timed - pauses.seconds / clock.passed;
    budget->pause_count = pauses.count;
    budget->pause = pauses.count > 0 ? pauses.seconds / (double)pauses.count : NAN;
    budget->of_sums = clock.rows == 0;
    budget->by_clock = clock.passed / clock.iterations;
    budget->by_log = clock.timed / clock.iterations;
    if (result->sampled)
        fill_sampled(budget, &clock, diagnosing->waits_most);
    return DLQ_OK;
}
