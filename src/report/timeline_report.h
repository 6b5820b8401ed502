/* A timeline in words and as JSON. */
#ifndef DLQ_REPORT_TIMELINE_REPORT_H
#define DLQ_REPORT_TIMELINE_REPORT_H

#include "report/timeline_answer.h"

/* The finding, and what trainer, loaders and queue did; of the rank that waits longest where there are several. */
void dlq_timeline_report(FILE *out, bool color, const struct dlq_timeline_answer *answer);
/* The finding, and the waits of the measured run: what stands beside their chart. */
void dlq_timeline_report_rhythm(FILE *out, bool color, const struct dlq_timeline_answer *answer);

#endif
