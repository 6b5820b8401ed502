/* The finding of a timeline. */
#ifndef DLQ_CLI_TIMELINE_TITLE_H
#define DLQ_CLI_TIMELINE_TITLE_H

#include "timeline_answer.h"

/* Fills the answer's title from its bounds, rhythm and sums. */
void dlq_timeline_title_fill(struct dlq_timeline_answer *answer);

#endif
