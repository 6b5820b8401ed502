/* The finding of a timeline. */
#ifndef DLQ_REPORT_TIMELINE_TITLE_H
#define DLQ_REPORT_TIMELINE_TITLE_H

#include "report/timeline_answer.h"

/* Fills the answer's title from its bounds, rhythm and sums. */
void dlq_timeline_title_fill(struct dlq_timeline_answer *answer);

#endif
