/* What the sentences of a verdict speak of. */
#ifndef DLQ_STUDY_VERDICT_FACTS_H
#define DLQ_STUDY_VERDICT_FACTS_H

#include "study/verdict.h"

/* What "enough" means, of the step's own rate. */
extern const double dlq_verdict_enough_share;

struct dlq_verdict_facts {
    const struct dlq_system *system;
    const struct dlq_bounds *bounds;
    const struct dlq_simulation *simulation;
    const struct dlq_verdict *verdict;
    double throughput, headroom, busy; /* busy: utilization */
    char *text;
    size_t size;
};

/* "12 cores", "1 core", "0.5 cores" */
const char *dlq_verdict_cores(double cores, char text[32]);

/* How many loaders would do, and what would keep them from it, after a blank; "" where that is not the question. */
void dlq_verdict_enough(const struct dlq_verdict_facts *facts, char *text, size_t size);

#endif
