#include "sim/waits.h"

#include "sim/solo.h"

#include <stdlib.h>

enum { LEAST_BITS = 7 };

/* Through the block, in pieces that end where an epoch, the warm-up or the measurement does. */
static void advance(struct dlq_solo *solo, struct dlq_tally *tally, double *delivered, double *finished, double *waits)
{
    const struct dlq_point *point = &solo->point;
    long epoch = point->epoch > 0 ? point->epoch : LONG_MAX;
    for (size_t at = 0; at < solo->job.block && !dlq_tally_complete(tally);) {
        if (tally->seen % epoch == 0)
            dlq_feed_epoch(&solo->feed, point, tally->seen / epoch, tally->end, solo->group);
        size_t n = dlq_feed_piece(&solo->feed, tally, at);
        struct dlq_block block = dlq_feed_block(&solo->feed, at);
        dlq_group_advance(solo->group, &block, n, delivered, finished);
        dlq_tally_add(tally, delivered, finished, block.steps, n, waits);
        at += n;
    }
}

static enum dlq_status run_through(struct dlq_solo *solo, struct dlq_tally *tally, struct dlq_error *error)
{
    double *scratch = calloc(3 * solo->job.block, sizeof *scratch);
    if (scratch == NULL)
        return dlq_error_memory(error, "simulating");
    enum dlq_status status = DLQ_OK;
    while (status == DLQ_OK && !dlq_tally_complete(tally)) {
        dlq_feed_next(&solo->feed);
        advance(solo, tally, scratch, scratch + solo->job.block, scratch + 2 * solo->job.block);
        if (dlq_job_is_interrupted(&solo->job))
            status = dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
    }
    free(scratch);
    return status;
}

/* The series becomes the caller's. */
static void hand_over(struct dlq_tally *tally, const struct dlq_point *point, struct dlq_waits *waits)
{
    *waits = (struct dlq_waits){
        .count = (size_t)tally->counted,
        .series = tally->series,
        .first = tally->extent.warmup,
        .servers = point->servers,
        .stall_above = tally->stall_above,
        .stepping = tally->step_draws * tally->step_scale,
        .time = tally->end - tally->begun,
        .stalled = tally->counted > 0 ? (double)tally->stalled / (double)tally->counted : NAN,
    };
    tally->series = NULL;
}

enum dlq_status dlq_waits_simulate(const struct dlq_system *system, const struct dlq_simulate_options *options,
                                   const struct dlq_run *run, long replication, struct dlq_waits *waits,
                                   struct dlq_error *error)
{
    struct dlq_solo solo;
    struct dlq_tally tally = {0};
    struct dlq_extent extent;
    enum dlq_status status = dlq_solo_begin(&solo, system, options, run, replication, error);
    if (status != DLQ_OK)
        goto cleanup;
    dlq_extent_make(&extent, &solo.point, options);
    extent.batches = extent.batches < DLQ_PERIOD_WAITS ? extent.batches : DLQ_PERIOD_WAITS;
    if (dlq_tally_begin(&tally, &solo.point, &extent, NAN, LEAST_BITS, true)) {
        dlq_tally_reset(&tally, true);
        status = run_through(&solo, &tally, error);
    } else
        status = dlq_error_memory(error, "simulating");
    if (status == DLQ_OK)
        hand_over(&tally, &solo.point, waits);
cleanup:
    dlq_tally_free(&tally);
    dlq_solo_end(&solo);
    return status;
}
