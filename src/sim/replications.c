#include "sim/replications.h"

#include <limits.h>
#include <stdlib.h>

static bool wants_slack(const struct dlq_replications *own)
{
    const struct dlq_job *job = own->job;
    return dlq_job_gives_slack(job, own->point) && dlq_job_wants_slack(job, &job->points[own->point]);
}

bool dlq_replications_take(struct dlq_replications *own, const struct dlq_job *job, size_t point)
{
    if (own->taken)
        return true;
    const struct dlq_point *what = &job->points[point];
    *own = (struct dlq_replications){.job = job, .point = point, .taken = true};
    if (dlq_lane_state_begin(&own->state, job->kernels[point], what, job->constant_step, NULL) != DLQ_OK)
        return false;
    dlq_tally_begin(&own->tally, what, &job->extents[point], job->lanes, job->constant_step);
    own->state.stall_above = dlq_stall_above(what);
    own->state.horizon = job->extents[point].horizon;
    if (job->keep_series && (own->series = calloc(DLQ_PERIOD_WAITS, sizeof *own->series)) == NULL)
        return false;
    if (job->measure == DLQ_LANE_SERIES && !dlq_histogram_begin(&own->waits, job->histogram_bits))
        return false;
    if (!wants_slack(own))
        return true;
    bool begun = dlq_controls_begin(&own->slack, job->expectations, &job->extents[point], job->lanes, 1);
    dlq_controls_weigh(&own->slack, what);
    return begun;
}

void dlq_replications_free(struct dlq_replications *own)
{
    if (!own->taken)
        return;
    dlq_lane_state_free(&own->state);
    dlq_histogram_free(&own->waits);
    dlq_controls_free(&own->slack);
    free(own->series);
}

void dlq_replications_reset(struct dlq_replications *own, long replication)
{
    dlq_lane_state_reset(&own->state, own->job->seed, (uint32_t)replication);
    dlq_tally_reset(&own->tally);
    if (wants_slack(own))
        dlq_controls_reset(&own->slack);
}

void dlq_replications_epoch(struct dlq_replications *own, const double *phases, double *scratch)
{
    const struct dlq_job *job = own->job;
    const struct dlq_point *point = &job->points[own->point];
    double startup = own->tally.seen == 0 || !point->persistent ? point->startup : 0;
    struct dlq_lane_shares shares = {.rows = NULL};
    double ready[DLQ_LANES];
    for (size_t l = 0; l < job->lanes; l++)
        ready[l] = own->state.sums->end[l] + startup;
    /* Loaders start one after the other at the very start alone. */
    if (own->tally.seen == 0 && point->start == DLQ_START_RANDOM)
        shares = (struct dlq_lane_shares){phases, job->servers};
    if (own->tally.seen == 0 && point->start == DLQ_START_STAGGERED) {
        for (size_t i = 0; i < (size_t)point->servers * job->lanes; i++)
            scratch[i] = floor((double)i / (double)job->lanes) / (double)point->servers;
        shares.rows = scratch;
    }
    job->kernels[own->point]->epoch(&own->state, ready, &shares, point->epoch > 0 ? point->epoch : LONG_MAX);
}

void dlq_replications_keep(struct dlq_replications *own, const struct dlq_lane_block *block,
                           const struct dlq_lane_record *record, size_t n, size_t count, bool series)
{
    if (wants_slack(own))
        dlq_controls_add_slack(&own->slack, 0, own->tally.seen, n, block->loads, record->slack,
                               own->job->points[own->point].load_scale);
    const size_t lanes = own->job->lanes;
    size_t whole = count == lanes ? n : 0; /* rows of which all lanes count */
    for (size_t l = 0; l < count; l++) {
        size_t within = (size_t)dlq_tally_within(&own->tally, &own->state, l, (long)n);
        whole = within < whole ? within : whole;
    }
    dlq_histogram_add(&own->waits, record->waits, whole * lanes);
    for (size_t l = 0; l < count; l++) {
        size_t within = (size_t)dlq_tally_within(&own->tally, &own->state, l, (long)n);
        for (size_t i = whole; i < within; i++)
            dlq_histogram_add(&own->waits, record->waits + i * lanes + l, 1);
        for (size_t i = 0; l == 0 && series && i < within && own->series_count < DLQ_PERIOD_WAITS; i++)
            own->series[own->series_count++] = record->waits[i * lanes];
    }
}

void dlq_replications_outcome(const struct dlq_replications *own, const struct dlq_lane_draws *draws, size_t lane,
                              struct dlq_outcome *outcome)
{
    dlq_tally_outcome(&own->tally, &own->state, lane, outcome);
    dlq_lane_slowdown(&own->state, own->job->kernels[own->point], lane, &outcome->cpu_slowdown,
                      &outcome->storage_slowdown);
    dlq_lane_draws_controls(draws, own->point, lane, outcome->controls);
    if (wants_slack(own))
        dlq_controls_get(&own->slack, lane, outcome->controls);
}
