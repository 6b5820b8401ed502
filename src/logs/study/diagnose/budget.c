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
    return DLQ_OK;
}
