/* What a timeline shows, in words computed from it. */
#ifndef DLQ_REPORT_TIMELINE_PHRASES_H
#define DLQ_REPORT_TIMELINE_PHRASES_H

#include "draw/text.h"
#include "report/timeline_answer.h"

/* Fills title, parameters, seen and subtitle from all the rest of the answer. */
void dlq_timeline_phrases_fill(struct dlq_timeline_answer *answer);

/* dlq_text_share, where less than what rounding leaves is 0. */
const char *dlq_timeline_share(double share, char text[DLQ_TEXT_NUMBER]);

/* "3 stalls, the longest 1.85 s"; "" where there are none. "in all": it reaches beyond the picture. */
const char *dlq_timeline_stalls(const struct dlq_timeline_summary *summary, char *text, size_t size);

/* A moment of a picture that is `span` long: "2 s", "200,000.5 s". */
const char *dlq_timeline_moment(double time, double span, char text[DLQ_TEXT_NUMBER + 4]);

#endif
