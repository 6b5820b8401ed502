/* Two totals: n steps on a batch that is there, and n batches without steps. */
#include "study/evidence.h"

#include <math.h>
#include <stdio.h>

static bool is_total(const struct dlq_stopwatch *total)
{
    return total->count > 0 && total->seconds > 0 && isfinite(total->seconds);
}

/* N loaders side by side bring N batches in the time of one load (MODEL.md 3.2: X <= N/s, reached without steps by
   constant loads); the last round may bring fewer. 100 batches in 200 s from 11: 10 rounds of 20 s. */
enum dlq_status dlq_loads_from_stopwatch(const struct dlq_stopwatch *steps, const struct dlq_stopwatch *loads,
                                         const struct dlq_pipeline_hint *hint, struct dlq_load_evidence *evidence,
                                         double *step, struct dlq_error *error)
{
    struct dlq_load_evidence found = {.source = DLQ_FIT_STOPWATCH};
    if (!is_total(steps) || !is_total(loads))
        return dlq_error_add(error, DLQ_INVALID, "a stopwatch needs a count and a time, both above 0");
    enum dlq_status status = dlq_evidence_pipeline(&found, hint, NULL, error);
    if (status != DLQ_OK)
        return status;
    long servers = found.loaders > 0 ? found.loaders : 1, rounds = (loads->count + servers - 1) / servers;
    double load = loads->seconds / (double)rounds;
    dlq_evidence_constant(&found, load, 0);
    found.n = loads->count;
    snprintf(
        found.note, sizeof found.note,
        "from totals, as if all loads took the same time: loads that vary lose throughput to batches out of order, "
        "so that the true mean is less");
    *step = steps->seconds / (double)steps->count;
    *evidence = found;
    return DLQ_OK;
}
