/* Why a replay does not give what was measured. */
#ifndef DLQ_STUDY_REASONS_H
#define DLQ_STUDY_REASONS_H

#include "study/measured.h"

/* Fills reason_count and reasons of a replay whose other fields are filled. DLQ_FAILURE: no memory. */
enum dlq_status dlq_reasons(const struct dlq_measured_run *measured, struct dlq_replay *replay,
                            struct dlq_error *error);

/* What the rows of causes look at. */
struct dlq_evidence {
    const struct dlq_measured_run *measured;
    const struct dlq_replay *replay;
    double *x, *y;            /* as many values as batches of all ranks */
    double *within, *scratch; /* twice that */
    size_t *next;             /* beside sent: the place of its worker's next load; SIZE_MAX: none in the epoch */
    bool crowded;             /* loads are slow when many run: known once `cores` was asked */
    struct dlq_spread *logs;  /* of each rank's workers: the logarithms of load times; null: workers are unknown */
};

/* Each: is that so? Then text says it. */
bool dlq_reason_lock(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT]);
bool dlq_reason_worker(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT]);
bool dlq_reason_cores(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT]);
bool dlq_reason_drift(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT]);
bool dlq_reason_order(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT]);
bool dlq_reason_clock(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT]);

#endif
