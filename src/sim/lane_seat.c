#include "sim/lane_seat.h"

#include <limits.h>
#include <stdlib.h>

static bool wants_slack(const struct dlq_lane_seat *seat)
{
    const struct dlq_job *job = seat->job;
    return job->kernels[seat->point]->gives_slack && dlq_job_wants_slack(job, &job->points[seat->point]);
}

bool dlq_lane_seat_take(struct dlq_lane_seat *seat, const struct dlq_job *job, size_t point)
{
    if (seat->taken)
        return true;
    const struct dlq_point *what = &job->points[point];
    *seat = (struct dlq_lane_seat){.job = job, .point = point, .taken = true};
    if (dlq_lane_state_begin(&seat->state, job->kernels[point], what, job->constant_step, NULL) != DLQ_OK)
        return false;
    dlq_lane_tally_begin(&seat->tally, what, &job->extents[point], job->constant_step);
    seat->state.stall_above = dlq_stall_above(what);
    if (job->keep_series && (seat->series = calloc(DLQ_PERIOD_WAITS, sizeof *seat->series)) == NULL)
        return false;
    if (job->measure == DLQ_LANE_SERIES && !dlq_histogram_begin(&seat->waits, job->histogram_bits))
        return false;
    if (!wants_slack(seat))
        return true;
    bool begun = dlq_controls_begin(&seat->slack, job->expectations, &job->extents[point], DLQ_LANES, 1);
    dlq_controls_weigh(&seat->slack, what);
    return begun;
}

void dlq_lane_seat_free(struct dlq_lane_seat *seat)
{
    if (!seat->taken)
        return;
    dlq_lane_state_free(&seat->state);
    dlq_histogram_free(&seat->waits);
    dlq_controls_free(&seat->slack);
    free(seat->series);
}

void dlq_lane_seat_reset(struct dlq_lane_seat *seat)
{
    dlq_lane_state_reset(&seat->state);
    dlq_lane_tally_reset(&seat->tally);
    if (wants_slack(seat))
        dlq_controls_reset(&seat->slack);
}

/* Server w's phase at the very start, into scratch; null: none. */
static const double *phases_of(const struct dlq_lane_seat *seat, const double *phases, double *scratch)
{
    const struct dlq_point *point = &seat->job->points[seat->point];
    if (seat->tally.seen > 0 || point->start == DLQ_START_TOGETHER)
        return NULL;
    for (long w = 0; w < point->servers; w++) {
        for (long l = 0; l < DLQ_LANES; l++) {
            double share =
                point->start == DLQ_START_STAGGERED ? (double)w / (double)point->servers : phases[w * DLQ_LANES + l];
            scratch[w * DLQ_LANES + l] = share * point->load_scale;
        }
    }
    return scratch;
}

void dlq_lane_seat_epoch(struct dlq_lane_seat *seat, const double *phases, double *scratch)
{
    const struct dlq_point *point = &seat->job->points[seat->point];
    double startup = seat->tally.seen == 0 || !point->persistent ? point->startup : 0;
    double ready[DLQ_LANES];
    for (int l = 0; l < DLQ_LANES; l++)
        ready[l] = seat->state.sums->end[l] + startup;
    seat->job->kernels[seat->point]->epoch(&seat->state, ready, phases_of(seat, phases, scratch),
                                           point->epoch > 0 ? point->epoch : LONG_MAX);
}

void dlq_lane_seat_keep(struct dlq_lane_seat *seat, const struct dlq_lane_block *block,
                        const struct dlq_lane_record *record, size_t n, size_t count, bool series)
{
    if (wants_slack(seat))
        dlq_controls_add_slack(&seat->slack, 0, seat->tally.seen, n, block->loads, record->slack,
                               seat->job->points[seat->point].load_scale);
    if (count == DLQ_LANES)
        dlq_histogram_add(&seat->waits, record->waits, n * DLQ_LANES);
    for (size_t i = 0; count < DLQ_LANES && i < n; i++)
        dlq_histogram_add(&seat->waits, record->waits + i * DLQ_LANES, count);
    for (size_t i = 0; series && i < n && seat->series_count < DLQ_PERIOD_WAITS; i++)
        seat->series[seat->series_count++] = record->waits[i * DLQ_LANES];
}

void dlq_lane_seat_outcome(const struct dlq_lane_seat *seat, const struct dlq_lane_draws *draws, size_t lane,
                           struct dlq_outcome *outcome)
{
    dlq_lane_tally_outcome(&seat->tally, &seat->state, lane, outcome);
    dlq_lane_slowdown(&seat->state, seat->job->kernels[seat->point], lane, &outcome->cpu_slowdown,
                      &outcome->storage_slowdown);
    dlq_lane_draws_controls(draws, seat->point, lane, outcome->controls);
    if (wants_slack(seat))
        dlq_controls_get(&seat->slack, lane, outcome->controls);
}
