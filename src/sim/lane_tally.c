#include "sim/lane_tally.h"

#include <limits.h>
#include <string.h>

void dlq_lane_tally_begin(struct dlq_lane_tally *tally, const struct dlq_point *point, const struct dlq_extent *extent,
                          double constant_step)
{
    *tally = (struct dlq_lane_tally){.point = point, .extent = *extent, .constant_step = constant_step};
}

void dlq_lane_tally_reset(struct dlq_lane_tally *tally)
{
    dlq_lane_tally_begin(tally, tally->point, &tally->extent, tally->constant_step);
}

bool dlq_lane_tally_complete(const struct dlq_lane_tally *tally)
{
    return tally->counted >= tally->extent.batches;
}

bool dlq_lane_tally_measures(const struct dlq_lane_tally *tally)
{
    return tally->seen >= tally->extent.warmup && !dlq_lane_tally_complete(tally);
}

bool dlq_lane_tally_at_epoch(const struct dlq_lane_tally *tally)
{
    return tally->point->epoch > 0 ? tally->seen % tally->point->epoch == 0 : tally->seen == 0;
}

/* AU leaves out the first step of an epoch, or the first one measured. */
static bool at_first(const struct dlq_lane_tally *tally)
{
    return tally->point->epoch > 0 ? tally->seen % tally->point->epoch == 0 : tally->counted == 0;
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

long dlq_lane_tally_left(const struct dlq_lane_tally *tally)
{
    if (dlq_lane_tally_complete(tally))
        return LONG_MAX;
    bool measures = dlq_lane_tally_measures(tally);
    if (tally->seen == 0 || (measures && at_first(tally)))
        return 1;
    long half = tally->extent.batches / 2;
    long left = tally->extent.warmup - tally->seen;
    if (measures)
        left = tally->counted < half ? half - tally->counted : tally->extent.batches - tally->counted;
    long epoch = tally->point->epoch;
    return epoch > 0 ? least(left, epoch - tally->seen % epoch) : left;
}

void dlq_lane_tally_before(struct dlq_lane_tally *tally, const struct dlq_lane_state *state)
{
    if (dlq_lane_tally_measures(tally) && at_first(tally))
        memcpy(tally->before, state->sums->end, sizeof tally->before);
}

static void leave_out_first(struct dlq_lane_tally *tally, const struct dlq_lane_state *state, const double *steps)
{
    for (int l = 0; l < DLQ_LANES; l++) {
        tally->first_time[l] += state->sums->end[l] - tally->before[l];
        tally->first_draws[l] += steps[l];
    }
}

static void forget_waits(struct dlq_lane_sums *sums)
{
    memset(sums->wait_sum, 0, sizeof sums->wait_sum);
    memset(sums->wait_max, 0, sizeof sums->wait_max);
    memset(sums->stalled, 0, sizeof sums->stalled);
    memset(sums->step_draws, 0, sizeof sums->step_draws);
}

void dlq_lane_tally_after(struct dlq_lane_tally *tally, struct dlq_lane_state *state, const double *steps, long n)
{
    if (dlq_lane_tally_complete(tally))
        return;
    bool measures = dlq_lane_tally_measures(tally);
    /* The first wait of all begins at time 0. */
    if (tally->seen == 0)
        memcpy(tally->first_batch, state->sums->wait_sum, sizeof tally->first_batch);
    if (measures && at_first(tally))
        leave_out_first(tally, state, steps);
    tally->seen += n;
    tally->counted += measures ? n : 0;
    if (!measures && tally->seen == tally->extent.warmup) {
        memcpy(tally->begun, state->sums->end, sizeof tally->begun);
        forget_waits(state->sums);
    }
    if (tally->counted <= tally->extent.batches / 2)
        memcpy(tally->middle, state->sums->end, sizeof tally->middle);
}

void dlq_lane_tally_outcome(const struct dlq_lane_tally *tally, const struct dlq_lane_state *state, size_t lane,
                            struct dlq_outcome *outcome)
{
    const struct dlq_lane_sums *sums = state->sums;
    const struct dlq_tally one = {
        .extent = tally->extent,
        .epoch = tally->point->epoch,
        .step_scale = tally->point->step_scale,
        .constant_step = tally->constant_step,
        .seen = tally->seen,
        .counted = tally->counted,
        .stalled = (long)sums->stalled[lane],
        .end = sums->end[lane],
        .begun = tally->begun[lane],
        .middle = tally->middle[lane],
        .wait_sum = sums->wait_sum[lane],
        .step_draws = sums->step_draws[lane],
        .first_draws = tally->first_draws[lane],
        .first_time = tally->first_time[lane],
        .first_batch = tally->first_batch[lane],
    };
    dlq_tally_outcome(&one, outcome);
}
