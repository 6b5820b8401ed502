/* What may hold a pipeline back, in words: a row per cause, why it does, and what helps against it. */
#ifndef DLQ_REPORT_CAUSES_H
#define DLQ_REPORT_CAUSES_H

#include "dlqueue/solve.h"
#include "draw/phrase.h"
#include "model/model.h"

/* Tints of regions. */
enum dlq_color { DLQ_COLOR_BLUE, DLQ_COLOR_AMBER, DLQ_COLOR_RED, DLQ_COLOR_GREEN, DLQ_COLOR_GRAY, DLQ_COLOR_PURPLE };

/* Null: nothing asks for it. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_cause_words {
    const char *subject; /* of a sentence: "The cores" */
    const char *holder;  /* what a plan is held back by: "the cores" */
    const char *region;  /* of a sweep's chart: "CORES-BOUND" */
    enum dlq_color color;
    const char *cure; /* a sentence; see dlq_cure */
    bool enough;      /* it matters how many loaders would do */
    /* Of bounds that a host or a pipeline sets. */
    const char *limit;   /* what can't feed a step: "the cores of the host" */
    const char *carrier; /* what can carry so many batches/s: "the cores" */
    const char *unit;    /* of what there is of it; null: it is not counted */
    size_t bound;        /* the rate that passes, where in struct dlq_bounds */
};
extern const struct dlq_cause_words dlq_causes[DLQ_CAUSES];

/* Of a bandwidth the one that passes less, the host's or the storage's. */
enum dlq_cause dlq_cause_resolve(enum dlq_cause cause, const struct dlq_bounds *bounds);
/* What holds back; null: nothing that has a name. Without epochs (0 batches) it is the first batch that is waited for.
 */
const char *dlq_cause_holder(enum dlq_cause cause, const struct dlq_bounds *bounds, long epoch_batches);

/* The rate that passes, of one with a carrier. */
double dlq_cause_bound(const struct dlq_bounds *bounds, enum dlq_cause cause);

/* A system with what is known of it. */
struct dlq_known {
    const struct dlq_system *system;
    const struct dlq_bounds *bounds;
    const struct dlq_simulation *simulation;
};

/* The barrier itself takes longer than the wait for the slowest rank. */
bool dlq_known_fixed_barrier(const struct dlq_known *known);
/* Behind "as", or a colon: "the cores, 12 per rank, can carry 8.68 batches/s at most"; where that explains less
   than half of what is missing: "loads compete for the cores, 12 per rank". */
void dlq_say_reason(struct dlq_phrase *phrase, const struct dlq_known *known, enum dlq_cause cause);
/* So many times what there is of a bound: "12.6 per rank". */
void dlq_say_amount(struct dlq_phrase *phrase, const struct dlq_known *known, enum dlq_cause cause, double factor);
/* A sentence; null: none but what is said of the cause. */
const char *dlq_cure(const struct dlq_known *known, enum dlq_cause cause);
/* "9 GB of memory and 8 GB of /dev/shm, of which the host has 8.5 GB and 5 GB"; nothing, and false: it fits. */
bool dlq_say_lack(struct dlq_phrase *phrase, double memory, double shm, const struct dlq_host *host);

#endif
