/* What a reader must know before trusting a simulated figure. */
#ifndef DLQ_STUDY_WARNINGS_H
#define DLQ_STUDY_WARNINGS_H

#include "dlqueue/solve.h"
#include "sim/options.h"

/* Adds to warnings[*count ..]: a heavy tail, a warm-up too short, a precision that was not reached. */
void dlq_warnings_of(const struct dlq_simulation *simulation, const struct dlq_simulate_options *options,
                     char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count);
/* Adds one; none where there is no room. */
void dlq_warnings_add(const char *text, char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count);

#endif
