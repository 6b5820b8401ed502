/* Why a cause holds a pipeline back, and what helps against it: for verdicts and plans. */
#ifndef DLQ_REPORT_REASONS_H
#define DLQ_REPORT_REASONS_H

#include "dlqueue/solve.h"
#include "model/model.h"
#include "report/phrase.h"

/* A system with what is known of it. */
struct dlq_known {
    const struct dlq_system *system;
    const struct dlq_bounds *bounds;
    const struct dlq_simulation *simulation;
};

/* The barrier itself takes longer than the wait for the slowest rank. */
bool dlq_known_fixed_barrier(const struct dlq_known *known);
/* Behind "as", or a colon: "the cores, 12 per rank, can carry 8.68 batches/s at most". */
void dlq_say_reason(struct dlq_phrase *phrase, const struct dlq_known *known, enum dlq_cause cause);
/* What a bound would have to be for a rate: "12.6 per rank". */
void dlq_say_needed(struct dlq_phrase *phrase, const struct dlq_known *known, enum dlq_cause cause, double rate);
/* A sentence; null: none but what is said of the cause. */
const char *dlq_cure(const struct dlq_known *known, enum dlq_cause cause);
/* "9 GB of memory and 8 GB of /dev/shm, of which the host has 8.5 GB and 5 GB"; nothing, and false: it fits. */
bool dlq_say_lack(struct dlq_phrase *phrase, double memory, double shm, const struct dlq_host *host);

#endif
